package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// unsafeGet, F927, finds things that reading changes: two GETs with nothing but other GETs between them differ.
//
// GET is safe (RFC 9110 §9.2.1). It is likely and no more: another client, or time, may have changed the thing. It is
// silent about what the server computes, such as when a thing was last seen and how often: a number that grows a little.
type unsafeGet struct{}

func (unsafeGet) About() About {
	return About{
		Code: 927, Name: "unsafeGet", Title: "Reading has changed the thing", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.UnsafeGet },
	}
}

func (c unsafeGet) Check(in *Input) []messages.Finding {
	s := in.steps("safeGet")
	r := in.Exchange.Request
	if s == nil || r.Method != "GET" || len(s.Taken) < 2 || !good(in.reply().Status) || in.Content.State != IsJSON {
		return nil
	}
	before := s.Taken[1]
	if before.Request.Method != "GET" || !sameQuestion(before.Request, r) || !good(before.Reply.Status) || before.Value == nil {
		return nil
	}
	at, differ := changeOf(before.Value, in.Content.Value)
	if !differ {
		return nil
	}
	f := c.About().finding("Reading has changed the thing", "what the GET before it was answered with", answer(in.reply()))
	f.Place, f.Cause = clip(at, longestPlace), normal(at)
	return []messages.Finding{f}
}
