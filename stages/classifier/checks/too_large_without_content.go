package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// tooLargeWithoutContent, F106, finds 413 in reply to a request without content.
//
// 413 says that the request's content is larger than the server takes (RFC 9110 §15.5.14); there was none. It is
// certain.
type tooLargeWithoutContent struct{}

func (tooLargeWithoutContent) About() About {
	return About{
		Code: 106, Name: "tooLargeWithoutContent", Title: "413 to a request without content",
		On: func(c settings.Checks) bool { return c.TooLargeWithoutContent },
	}
}

func (c tooLargeWithoutContent) Check(in *Input) []messages.Finding {
	reply := in.answered(413)
	if reply == nil || len(in.Exchange.Request.Body) > 0 {
		return nil
	}
	return []messages.Finding{c.About().finding("413 to a request without content", "413 for content alone (RFC 9110 §15.5.14)", answer(reply))}
}
