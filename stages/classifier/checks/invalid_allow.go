package checks

import (
	"net/url"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// invalidAllow, F201, finds an Allow that lacks methods which the document declares for the path, or lists none.
//
// An Allow lists the methods that the resource supports (RFC 9110 §10.2.1), and so does the document. It is likely and
// no more: which methods a resource supports can hang on its state and on who asks. It is silent where servers take the
// request for one to another resource.
type invalidAllow struct{}

func (invalidAllow) About() About {
	return About{
		Code: 201, Name: "invalidAllow", Title: "Allow disagrees with the document", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.InvalidAllow },
	}
}

func (c invalidAllow) Check(in *Input) []messages.Finding {
	reply := in.plain()
	if reply == nil || len(in.Declares) == 0 || reply.Status == 404 || !has(reply.Header, "Allow") || strays(in.Exchange.Request.Target) {
		return nil
	}
	var listed []string
	for _, line := range messages.Values(reply.Header, "Allow") {
		for method := range strings.SplitSeq(line, ",") {
			if method = strings.TrimSpace(method); method != "" {
				listed = append(listed, method)
			}
		}
	}
	var missing []string
	for _, method := range in.Declares {
		// Who supports GET mostly supports HEAD, and need not say so.
		if !slices.Contains(listed, method) && (method != "HEAD" || !slices.Contains(listed, "GET")) {
			missing = append(missing, method)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	title := "Allow lacks methods that the document declares: " + strings.Join(missing, ", ")
	if len(listed) == 0 {
		title = "Allow lists no method"
	}
	f := c.About().finding(title, strings.Join(in.Declares, ", "), "Allow: "+strings.Join(listed, ", "))
	f.Place, f.Cause = "Allow", strings.Join(missing, " ")
	return []messages.Finding{f}
}

// strays says that many servers take the target for another resource's: a segment of its path is empty, or holds a
// separator, a NUL or dots alone once it is decoded, as they do before they look for who is to answer.
func strays(target string) bool {
	path, _, _ := strings.Cut(target, "?")
	for segment := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		text, err := url.PathUnescape(segment)
		if strings.Trim(path, "/") != "" && (err != nil || strings.Trim(text, ".") == "" || strings.ContainsAny(text, "/\\\x00")) {
			return true
		}
	}
	return false
}

// astray says that the reply may be that of no operation, or of another: a redirect or a refusal of a target that servers
// take for another resource's.
func (in *Input) astray() bool {
	reply := in.own()
	if reply == nil {
		return false
	}
	switch status := reply.Status; {
	case status >= 300 && status <= 399, status == 400, status == 404, status == 405:
		return strays(in.Exchange.Request.Target)
	}
	return false
}
