package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// resetContentWithContent, F111, finds a 205 with content.
//
// A 205 must have none (RFC 9110 §15.3.6). Its header may say so by a Content-Length of 0 or an empty chunk. It is
// certain.
type resetContentWithContent struct{}

func (resetContentWithContent) About() About {
	return About{
		Code: 111, Name: "resetContentWithContent", Title: "205 Reset Content with content",
		On: func(c settings.Checks) bool { return c.ResetContentWithContent },
	}
}

func (c resetContentWithContent) Check(in *Input) []messages.Finding {
	reply := in.answered(205)
	if reply == nil || reply.Length == 0 && len(reply.Body) == 0 {
		return nil
	}
	return []messages.Finding{c.About().finding("205 Reset Content with content", "no content (RFC 9110 §15.3.6)", answer(reply))}
}
