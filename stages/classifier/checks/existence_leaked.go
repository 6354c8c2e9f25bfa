package checks

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// existenceLeaked, F304, finds 403 for another user's thing that becomes 404 once the thing is deleted.
//
// Who may not see a thing learns whether it is there. It is likely and no more: where identifiers cannot be guessed nobody
// asks for what is not theirs.
type existenceLeaked struct{}

func (existenceLeaked) About() About {
	return About{
		Code: 304, Name: "existenceLeaked", Title: "Whether a protected thing exists can be told", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.ExistenceLeaked },
	}
}

func (c existenceLeaked) Check(in *Input) []messages.Finding {
	s := in.probe(messages.OtherUser)
	r, n := in.Exchange.Request, 0
	if s != nil {
		n = len(s.Taken)
	}
	if n < 2 || in.reply().Status != 404 && in.reply().Status != 410 {
		return nil
	}
	before, deleted := s.Taken[n-2], s.Taken[n-1]
	if deleted.Request.Method != "DELETE" || deleted.Request.Probe != messages.NoProbe || !good(deleted.Reply.Status) ||
		before.Request.Probe != messages.OtherUser || before.Request.Target != r.Target || before.Reply.Status != 403 {
		return nil
	}
	return []messages.Finding{c.About().finding("Whether another user's thing exists can be told: "+status(in.reply())+" once it is deleted",
		"the same as while it was there: "+status(before.Reply), answer(in.reply()))}
}
