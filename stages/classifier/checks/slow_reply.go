package checks

import (
	"fmt"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// slowReply, F925, finds replies that took longer than checks.slowReply, from the moment the request began to be written to
// the reply's end.
//
// It is off unless a length is given, as no document says what is slow. It is certain: the length is the user's. One
// that redirects were followed for is not timed, as its hops waited for turns of their own.
type slowReply struct{}

func (slowReply) About() About {
	return About{
		Code: 925, Name: "slowReply", Title: "The reply took longer than it may",
		On: func(c settings.Checks) bool { return c.SlowReply > 0 },
	}
}

func (c slowReply) Check(in *Input) []messages.Finding {
	e := in.Exchange
	took := e.EndedAt.Sub(e.SentAt)
	if in.Slow <= 0 || e.Outcome != messages.Answered || len(e.Hops) > 0 || took <= in.Slow {
		return nil
	}
	return []messages.Finding{c.About().finding("The reply took longer than it may",
		fmt.Sprintf("at most %v", in.Slow), took.Round(time.Millisecond).String())}
}
