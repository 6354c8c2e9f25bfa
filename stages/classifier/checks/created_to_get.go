package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// createdToGet, F103, finds 201 in reply to a GET or HEAD.
//
// Both are safe: a client asks for nothing to be made (RFC 9110 §9.2.1), and 201 says that something was, and that the
// request asked for it. It is certain, and a warning, as clients mostly look at the class alone.
type createdToGet struct{}

func (createdToGet) About() About {
	return About{
		Code: 103, Name: "createdToGet", Title: "A GET is answered with 201 Created",
		On: func(c settings.Checks) bool { return c.CreatedToGet },
	}
}

func (c createdToGet) Check(in *Input) []messages.Finding {
	reply := in.answered(201)
	if reply == nil || in.Exchange.Request.Method != "GET" && in.Exchange.Request.Method != "HEAD" {
		return nil
	}
	return []messages.Finding{c.About().finding(
		"A "+in.Exchange.Request.Method+" is answered with 201 Created", "200, as a safe method makes nothing (RFC 9110 §9.2.1)", answer(reply))}
}
