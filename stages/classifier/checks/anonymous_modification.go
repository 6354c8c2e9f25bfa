package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// anonymousModification, F308, finds a PUT, PATCH or DELETE that is accepted without the credentials that the document
// asks for.
//
// A PUT or PATCH came before it, the same but for the credentials, and was answered alike, so it is certain. A DELETE
// cannot be done twice, and some APIs answer any of them with success: it is likely.
type anonymousModification struct{}

func (anonymousModification) About() About {
	return About{
		Code: 308, Name: "anonymousModification", Title: "A thing is changed without credentials", Error: true,
		On: func(c settings.Checks) bool { return c.AnonymousModification },
	}
}

func (c anonymousModification) Check(in *Input) []messages.Finding {
	s := in.probe(messages.Anonymous)
	if s == nil || !in.asks() {
		return nil
	}
	r, reply := in.Exchange.Request, in.reply()
	f := c.About().finding(r.Method+" is accepted without credentials: "+status(reply), "401 or 403, as the document asks for credentials", answer(reply))
	switch r.Method {
	case "PUT", "PATCH":
		if !in.accepted(s, true) {
			return nil
		}
	case "DELETE":
		if !good(reply.Status) {
			return nil
		}
		f.Certainty = messages.Likely
	default:
		return nil
	}
	return []messages.Finding{f}
}
