package checks

import (
	"maps"
	"slices"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// changedByRefusedWrite, F114, finds things that a refused PUT or PATCH has changed: two reads around it differ.
//
// A 4xx says that the request was not done. It is certain where what differs is a member that the refused request sent,
// and has its value now; it is likely where something else differs, since another client, or time, can have changed it: a
// warning. It is silent about values the server computes, and after a 408, which may come from somebody who did not wait for
// the answer.
type changedByRefusedWrite struct{}

func (changedByRefusedWrite) About() About {
	return About{
		Code: 114, Name: "changedByRefusedWrite", Title: "A refused request has changed the thing", Error: true,
		On: func(c settings.Checks) bool { return c.ChangedByRefusedWrite },
	}
}

func (c changedByRefusedWrite) Check(in *Input) []messages.Finding {
	s := in.steps("")
	r := in.Exchange.Request
	if s == nil || len(s.Taken) < 2 || r.Method != "GET" || !good(in.reply().Status) || in.Content.State != IsJSON {
		return nil
	}
	write := s.Taken[len(s.Taken)-1]
	if m := write.Request.Method; m != "PUT" && m != "PATCH" || write.Reply.Status < 400 || write.Reply.Status > 499 || write.Reply.Status == 408 ||
		pathOf(write.Request.Target) != pathOf(r.Target) {
		return nil
	}
	before := s.Taken[len(s.Taken)-2]
	if before.Request.Method != "GET" || !sameQuestion(before.Request, r) || !good(before.Reply.Status) || before.Value == nil {
		return nil
	}
	at, taken := sentAndThere(write.Request, object(before.Value), object(in.Content.Value))
	if !taken {
		var differ bool
		if at, differ = changeOf(before.Value, in.Content.Value); !differ {
			return nil
		}
	}
	f := c.About().finding("A refused "+write.Request.Method+" has changed the thing", "the thing as before the request, which was answered with "+status(write.Reply), answer(in.reply()))
	f.Place, f.Cause = clip(at, longestPlace), normal(at)
	if !taken {
		f.Error, f.Certainty = false, messages.Likely
	}
	return []messages.Finding{f}
}

// sentAndThere is the first member, as a JSON pointer, that has another value than before: the one that was sent.
func sentAndThere(write *messages.Request, before, now map[string]any) (at string, found bool) {
	sent := sentObject(write)
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		value, there := now[name]
		if there && same(sent[name], value) && !same(before[name], value) {
			return "/" + name, true
		}
	}
	return "", false
}
