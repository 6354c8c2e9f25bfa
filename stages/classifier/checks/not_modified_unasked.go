package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// notModifiedUnasked, F108, finds 304 in reply to neither GET nor HEAD, or to one without a condition.
//
// 304 says that a conditional GET or HEAD found what the client has unchanged (RFC 9110 §15.4.5). A client that asked
// without If-None-Match or If-Modified-Since has nothing that could be unchanged, and is left with no content. It is
// certain.
type notModifiedUnasked struct{}

func (notModifiedUnasked) About() About {
	return About{
		Code: 108, Name: "notModifiedUnasked", Title: "304 to a request that asked for no such thing",
		On: func(c settings.Checks) bool { return c.NotModifiedUnasked },
	}
}

func (c notModifiedUnasked) Check(in *Input) []messages.Finding {
	reply := in.answered(304)
	if reply == nil {
		return nil
	}
	r := in.Exchange.Request
	var f messages.Finding
	switch {
	case r.Method != "GET" && r.Method != "HEAD":
		f = c.About().finding("304 Not Modified to a "+r.Method, "304 to GET and HEAD alone (RFC 9110 §15.4.5)", answer(reply))
		f.Cause = "method"
	case !has(r.Header, "If-None-Match") && !has(r.Header, "If-Modified-Since"):
		f = c.About().finding("304 Not Modified without a condition", "304 to a request with If-None-Match or If-Modified-Since (RFC 9110 §15.4.5)", answer(reply))
		f.Cause = "condition"
	default:
		return nil
	}
	return []messages.Finding{f}
}
