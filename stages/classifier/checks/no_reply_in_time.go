package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// noReplyInTime, F312, finds requests that were sent and drew no status line within the time-outs.
//
// A request whose reply began in time and then stalled is a broken reply; one that the end of the run cut off shows
// nothing. It is likely and no more: what did not come may have been lost on the way.
type noReplyInTime struct{}

func (noReplyInTime) About() About {
	return About{
		Code: 312, Name: "noReplyInTime", Title: "No reply came in time", Error: true, Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.NoReplyInTime },
	}
}

func (c noReplyInTime) Check(in *Input) []messages.Finding {
	e := in.Exchange
	if e.Outcome != messages.NoReply || e.Kind != messages.TimedOut {
		return nil
	}
	f := c.About().finding("No reply came in time", "a reply within the time-outs", said(e, "nothing"))
	f.Certainty = messages.Likely // what did not come may have been lost on the way
	return []messages.Finding{f}
}
