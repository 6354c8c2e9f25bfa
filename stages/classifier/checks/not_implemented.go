package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// notImplemented, F205, finds replies of 501 to an operation of the document.
//
// 501 says that the server does not know the method at all (RFC 9110 §15.6.2), and every operation that is tested
// stands in the document: one of the two is wrong. Where the document has a response of that code itself, it says so.
type notImplemented struct{}

func (notImplemented) About() About {
	return About{
		Code: 205, Name: "notImplemented", Title: "A declared operation is not implemented", Error: true,
		On: func(c settings.Checks) bool { return c.NotImplemented },
	}
}

func (c notImplemented) Check(in *Input) []messages.Finding {
	reply := in.own()
	if reply == nil || reply.Status != 501 || in.Declared.Response != nil && in.Declared.Response.Code == "501" {
		return nil
	}
	f := c.About().finding("The operation is declared and not implemented: "+status(reply),
		"an operation that is implemented, as it stands in the document", answer(reply))
	return []messages.Finding{f}
}
