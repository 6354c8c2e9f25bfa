package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// inconsistentAuthorization, F306, finds a write to another user's thing that succeeds where the same user was forbidden
// to read it, or to write it otherwise.
//
// Users may share what they have, so that a write alone says nothing; one that is stricter for reading than for deleting
// was hardly meant. It is likely and no more, as no policy is known. What is written is what its owner wrote just before.
type inconsistentAuthorization struct{}

func (inconsistentAuthorization) About() About {
	return About{
		Code: 306, Name: "inconsistentAuthorization", Title: "A user changes what the same user is forbidden", Error: true, Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.InconsistentAuthorization },
	}
}

func (c inconsistentAuthorization) Check(in *Input) []messages.Finding {
	s := in.probe(messages.OtherUser)
	r := in.Exchange.Request
	if s == nil || r.Method != "PUT" && r.Method != "PATCH" && r.Method != "DELETE" || !good(in.reply().Status) {
		return nil
	}
	forbidden, found := refusedTo(s, func(t messages.Taken) bool { return pathOf(t.Request.Target) == pathOf(r.Target) })
	if !found {
		return nil
	}
	f := c.About().finding(r.Method+" of another user's thing succeeds: "+status(in.reply()),
		"403, as "+forbidden.Request.Method+" by the same user was answered", answer(in.reply()))
	f.Cause = forbidden.Request.Method
	return []messages.Finding{f}
}
