package checks

import (
	"maps"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// invalidMergePatch, F119, finds a JSON merge patch that was not done as RFC 7396 has it: a member that was sent is not what
// was sent, one that was sent as null is still there, or one that was not sent has changed.
//
// It is likely and no more, as a server may write a value in another form. It speaks of members that the thing showed
// before, of requests with the type of a merge patch, and is silent about letter case, spaces around a text, and values
// the server computes.
type invalidMergePatch struct{}

func (invalidMergePatch) About() About {
	return About{
		Code: 119, Name: "invalidMergePatch", Title: "A JSON merge patch is not done as it should be", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.InvalidMergePatch },
	}
}

func (c invalidMergePatch) Check(in *Input) []messages.Finding {
	s := in.steps("patchThenRead")
	r := in.Exchange.Request
	if s == nil || len(s.Taken) != 2 || r.Method != "GET" || !good(in.reply().Status) {
		return nil
	}
	made, patch := s.Taken[0], s.Taken[1]
	if essence(messages.Get(patch.Request.Header, "Content-Type")) != "application/merge-patch+json" || !good(patch.Reply.Status) ||
		pathOf(patch.Request.Target) != pathOf(r.Target) {
		return nil
	}
	before, sent, now := object(made.Value), sentObject(patch.Request), object(in.Content.Value)
	if before == nil || sent == nil || now == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		value, there := sent[name]
		var what string
		switch {
		case there && value == nil && now[name] != nil && now[name] != "":
			what = "was sent as null and is still there"
		case there && value != nil && object(value) == nil && !alike(value, now[name]):
			what = "is not what was sent"
		case !there && !computed(name, before[name]) && !computed(name, now[name]) && !same(before[name], now[name]):
			what = "was not sent and has changed"
		default:
			continue
		}
		f := c.About().finding("A JSON merge patch is not done as it should be: "+name+" "+what, "the thing with what was sent merged in (RFC 7396)", answer(in.reply()))
		f.Place, f.Cause = clip("/"+name, longestPlace), clip(name+" "+what, longestCause)
		return []messages.Finding{f}
	}
	return nil
}

// alike says whether two values are one but for letter case and the spaces around a text.
func alike(a, b any) bool {
	x, isText := a.(string)
	y, areTexts := b.(string)
	if isText && areTexts {
		return strings.EqualFold(strings.TrimSpace(x), strings.TrimSpace(y))
	}
	return same(a, b)
}
