package checks

import (
	"fmt"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// stillThereAfterDelete, F113, finds things that are read, changed or added to after a DELETE of them succeeded.
//
// It is certain where a series made the thing, deleted it with 200 or 204, and a GET of the same address shows a value
// that it was given: RFC 9110 §9.3.5 has a client take it for gone. It is likely where no more is shown than its id. Where it can only still be changed or added to, it is likely, and a warning: a PATCH may make anew what is not
// there (RFC 5789 §2). It is silent after a 202, after a DELETE that failed, of replies that show nothing of the thing, and of
// a thing that says of itself that it is deleted, cancelled or closed.
type stillThereAfterDelete struct{}

func (stillThereAfterDelete) About() About {
	return About{
		Code: 113, Name: "stillThereAfterDelete", Title: "What was deleted is still there", Error: true,
		On: func(c settings.Checks) bool { return c.StillThereAfterDelete },
	}
}

func (c stillThereAfterDelete) Check(in *Input) []messages.Finding {
	s := in.steps("")
	if s == nil || s.Kind != "readAfterDelete" && s.Kind != "writeUnderDeleted" {
		return nil
	}
	r, reply, last := in.Exchange.Request, in.reply(), s.Taken[len(s.Taken)-1]
	if last.Request.Method != "DELETE" || !good(last.Reply.Status) || !good(reply.Status) || saysGone(in.Content.Value) || saysGone(last.Value) {
		return nil
	}
	deleted := pathOf(last.Request.Target)
	f := c.About().finding("What was deleted is still there", "404 or 410 after the DELETE was answered with "+status(last.Reply), answer(reply))
	switch {
	case r.Method == "GET" && pathOf(r.Target) == deleted:
		shown, sure := in.bringsBack(s.Taken[0])
		if !shown {
			return nil
		}
		if f.Cause = "read"; !sure {
			f.Certainty = messages.Likely
		}
	case r.Method == "PATCH" && pathOf(r.Target) == deleted && reply.Status != 201:
		f.Error, f.Certainty, f.Cause = false, messages.Likely, "changed"
	case r.Method == "POST":
		f.Error, f.Certainty, f.Cause = false, messages.Likely, "added to"
	default: // a PUT, or a PATCH that says so, makes it anew
		return nil
	}
	f.Title = Line(fmt.Sprintf("What was deleted can still be %s: %s", f.Cause, status(reply)))
	return []messages.Finding{f}
}
