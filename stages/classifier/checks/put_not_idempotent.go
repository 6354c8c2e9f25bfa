package checks

import (
	"bytes"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// putNotIdempotent, F118, finds a PUT that, sent a second time, leaves something else than the first time.
//
// To send it twice has to come to the same as to send it once (RFC 9110 §9.2.2). It is likely and no more: another client
// may have come between. It is silent where the second is refused, which leaves nothing else, and about values the server
// computes.
type putNotIdempotent struct{}

func (putNotIdempotent) About() About {
	return About{
		Code: 118, Name: "putNotIdempotent", Title: "A PUT sent twice does something else the second time", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.PutNotIdempotent },
	}
}

func (c putNotIdempotent) Check(in *Input) []messages.Finding {
	s := in.steps("putTwice")
	r := in.Exchange.Request
	if s == nil || r.Method != "PUT" || !good(in.reply().Status) || in.Content.State != IsJSON {
		return nil
	}
	first := s.Taken[len(s.Taken)-1]
	if first.Request.Method != "PUT" || first.Request.Target != r.Target || !bytes.Equal(first.Request.Body, r.Body) || !good(first.Reply.Status) || first.Value == nil {
		return nil
	}
	at, differ := difference(first.Value, in.Content.Value, "")
	if !differ {
		return nil
	}
	f := c.About().finding("A PUT sent twice does something else the second time", "the same as the first time", answer(in.reply()))
	f.Place, f.Cause = clip(at, longestPlace), normal(at)
	return []messages.Finding{f}
}
