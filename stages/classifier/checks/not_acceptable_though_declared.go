package checks

import (
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// notAcceptableThoughDeclared, F204, finds 406 though the request's Accept asked for a type that the document declares for a
// success.
//
// 406 says that the server has no representation the client would take (RFC 9110 §15.5.7), and the document says that it
// has. It is likely and no more: a server may have one type for some resources and another for others.
type notAcceptableThoughDeclared struct{}

func (notAcceptableThoughDeclared) About() About {
	return About{
		Code: 204, Name: "notAcceptableThoughDeclared", Title: "406 to an Accept of a declared type", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.NotAcceptableThoughDeclared },
	}
}

func (c notAcceptableThoughDeclared) Check(in *Input) []messages.Finding {
	reply := in.answered(406)
	if reply == nil {
		return nil
	}
	accept := strings.Join(messages.Values(in.Exchange.Request.Header, "Accept"), ", ")
	for _, r := range in.Operation.Responses {
		if !strings.HasPrefix(r.Code, "2") {
			continue
		}
		for _, m := range r.Media {
			if t := essence(m.Type); !strings.Contains(t, "*") && accepts(accept, t) {
				f := c.About().finding("406 though "+t+" was asked for and is declared", "content of the type "+t, answer(reply))
				f.Place = "Accept"
				return []messages.Finding{f}
			}
		}
	}
	return nil
}

// accepts says whether an Accept takes content of a type (RFC 9110 §12.5.1). None takes every type.
func accepts(accept, essenceOf string) bool {
	if accept == "" {
		return true
	}
	kind, _, _ := strings.Cut(essenceOf, "/")
	best, taken := 0, false
	for part := range strings.SplitSeq(accept, ",") {
		rank := 0
		switch essence(part) {
		case essenceOf:
			rank = 3
		case kind + "/*":
			rank = 2
		case "*/*":
			rank = 1
		}
		if rank > best {
			best, taken = rank, !refusedWeight(part)
		}
	}
	return taken
}

// refusedWeight says whether a part of an Accept has a weight of 0.
func refusedWeight(part string) bool {
	for parameter := range strings.SplitSeq(part, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "q") {
			return strings.Trim(value, "0.") == ""
		}
	}
	return false
}
