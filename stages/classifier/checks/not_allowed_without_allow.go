package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// notAllowedWithoutAllow, F110, finds 405 without Allow.
//
// A 405 must say which methods there are instead (RFC 9110 §15.5.6, §10.2.1). The field may be empty. It is certain.
type notAllowedWithoutAllow struct{}

func (notAllowedWithoutAllow) About() About {
	return About{
		Code: 110, Name: "notAllowedWithoutAllow", Title: "405 without Allow",
		On: func(c settings.Checks) bool { return c.NotAllowedWithoutAllow },
	}
}

func (c notAllowedWithoutAllow) Check(in *Input) []messages.Finding {
	reply := in.answered(405)
	if reply == nil || has(reply.Header, "Allow") {
		return nil
	}
	f := c.About().finding("405 without Allow", "the field Allow (RFC 9110 §15.5.6)", answer(reply))
	f.Place = "Allow"
	return []messages.Finding{f}
}
