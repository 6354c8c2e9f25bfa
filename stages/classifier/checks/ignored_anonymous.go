package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// ignoredAnonymous, F307, finds a thing that is read without credentials though a user was forbidden to read it.
//
// The user who made it has read it first, and what nobody in particular reads is alike. Whoever is forbidden it need only
// leave the credentials out. It is likely and no more: no policy is known, and one may keep a single user out of what is
// public.
type ignoredAnonymous struct{}

func (ignoredAnonymous) About() About {
	return About{
		Code: 307, Name: "ignoredAnonymous", Title: "What a user is forbidden to read is read without credentials", Error: true, Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.IgnoredAnonymous },
	}
}

func (c ignoredAnonymous) Check(in *Input) []messages.Finding {
	s := in.probe(messages.Anonymous)
	if s == nil || !forbiddenToOther(in, s) || !in.accepted(s, true) {
		return nil
	}
	return []messages.Finding{c.About().finding("Read without credentials, though another user is forbidden to: "+status(in.reply()),
		"401 or 403, as for the other user", answer(in.reply()))}
}

// forbiddenToOther says whether another user was forbidden to read what the probe reads.
func forbiddenToOther(in *Input, s *messages.Step) bool {
	r := in.Exchange.Request
	_, found := refusedTo(s, func(t messages.Taken) bool { return t.Request.Method == r.Method && t.Request.Target == r.Target })
	return found
}
