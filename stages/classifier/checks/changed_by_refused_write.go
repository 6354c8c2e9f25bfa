package checks

import (
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// changedByRefusedWrite, F114, finds things that a refused PUT or PATCH has changed: two reads around it differ.
//
// A 4xx says that the request was not done. It is certain where what differs is a member that the refused request sent,
// and has its value now; it is likely where something else differs, since another client can have changed it. It is silent
// about values the server computes.
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
	if m := write.Request.Method; m != "PUT" && m != "PATCH" || write.Reply.Status < 400 || write.Reply.Status > 499 ||
		pathOf(write.Request.Target) != pathOf(r.Target) {
		return nil
	}
	before := s.Taken[len(s.Taken)-2]
	if before.Request.Method != "GET" || before.Request.Target != r.Target || !good(before.Reply.Status) || before.Value == nil {
		return nil
	}
	at, differ := difference(before.Value, in.Content.Value, "")
	if !differ {
		return nil
	}
	f := c.About().finding("A refused "+write.Request.Method+" has changed the thing", "the thing as before the request, which was answered with "+status(write.Reply), answer(in.reply()))
	f.Place, f.Cause = clip(at, longestPlace), normal(at)
	name, _, _ := strings.Cut(strings.TrimPrefix(at, "/"), "/")
	sent, there := sentObject(write.Request)[name]
	if !there || !same(sent, object(in.Content.Value)[name]) {
		f.Certainty = messages.Likely
	}
	return []messages.Finding{f}
}
