package checks

import (
	"bytes"
	"net/url"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// reflectedScript, F301, finds a script of the request's in a page of the reply's, just as it was sent.
//
// A browser that shows the page runs the script. Only a reply that says it is text/html is one, and only a script that
// stands there with its angle brackets would run. It is likely and no more: a Content-Security-Policy can forbid it, and
// where one is sent nothing is found.
type reflectedScript struct{}

func (reflectedScript) About() About {
	return About{
		Code: 301, Name: "reflectedScript", Title: "A script of the request's is in the page", Error: true, Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.ReflectedScript },
	}
}

// scripts are the beginnings of what a browser would run.
var scripts = [][]byte{[]byte("<script"), []byte("<img src="), []byte("<svg onload"), []byte("<svg/onload"), []byte("<iframe")}

// longestScript is how much of a script is compared, in bytes.
const longestScript = 24

func (c reflectedScript) Check(in *Input) []messages.Finding {
	reply := in.reply()
	if reply == nil || len(reply.Body) == 0 || in.Declared.Type != "text/html" || has(reply.Header, "Content-Security-Policy") {
		return nil
	}
	for _, sent := range sentTexts(in.Exchange.Request) {
		for _, script := range scripts {
			at := bytes.Index(sent, script)
			if at < 0 {
				continue
			}
			payload := sent[at:min(len(sent), at+longestScript)]
			if end := bytes.IndexAny(payload, "\"\\&"); end > len(script) {
				payload = payload[:end]
			}
			if found := bytes.Index(reply.Body, payload); found >= 0 {
				f := c.About().finding("A script of the request's is in the page as it was sent", "the value with its angle brackets escaped", excerpt(reply.Body[found:]))
				f.Cause = string(script)
				return []messages.Finding{f}
			}
		}
	}
	return nil
}

// sentTexts are the parts of a request in which values travel: its target with its percent encoding taken off, and its
// content, as it is and with that of a form taken off.
func sentTexts(r *messages.Request) [][]byte {
	var texts [][]byte
	if target, err := url.QueryUnescape(r.Target); err == nil {
		texts = append(texts, []byte(target))
	}
	if len(r.Body) > 0 {
		texts = append(texts, r.Body)
		if essence(messages.Get(r.Header, "Content-Type")) == "application/x-www-form-urlencoded" {
			if form, err := url.QueryUnescape(string(r.Body)); err == nil {
				texts = append(texts, []byte(form))
			}
		}
	}
	return texts
}
