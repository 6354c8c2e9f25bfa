package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// unsupportedWithoutContent, F107, finds 415 in reply to a request without content.
//
// 415 says that the content's format is not supported (RFC 9110 §15.5.16); there was none. It is likely and no more:
// where the operation wants content, frameworks say so when they miss its Content-Type, and what they mean is 400.
type unsupportedWithoutContent struct{}

func (unsupportedWithoutContent) About() About {
	return About{
		Code: 107, Name: "unsupportedWithoutContent", Title: "415 to a request without content", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.UnsupportedWithoutContent },
	}
}

func (c unsupportedWithoutContent) Check(in *Input) []messages.Finding {
	reply := in.answered(415)
	if reply == nil || len(in.Exchange.Request.Body) > 0 || has(in.Exchange.Request.Header, "Content-Type") {
		return nil
	}
	return []messages.Finding{c.About().finding("415 to a request without content", "415 for content alone (RFC 9110 §15.5.16)", answer(reply))}
}
