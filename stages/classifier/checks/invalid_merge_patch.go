package checks

import (
	"encoding/json"
	"html"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// invalidMergePatch, F119, finds a JSON merge patch that was not done as RFC 7396 has it: a member that was sent is not what
// was sent, one that was sent as null is still there, or one that was not sent has changed.
//
// It is likely and no more, as a server may write a value in another form. It speaks of members that the thing showed
// before, of requests with the type of a merge patch, and is silent about values the server computes and those that are
// written otherwise: letter case, spaces and marks, a moment in another zone, a number rounded, a text cut short, a list in
// another order, nothing as null or as an empty text or list; and, where the document has another schema for what a create is answered with
// than for what is read, about members that are not shown or shown in other detail.
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
		case there && value == nil && !isEmpty(now[name]):
			what = "was sent as null and is still there"
		case there && value != nil && object(value) == nil && !alike(value, now[name]):
			what = "is not what was sent"
		case !there && !computed(name, before[name]) && !computed(name, now[name]) && !alike(before[name], now[name]) &&
			(isValue(before[name]) && isValue(now[name]) || in.sameView(made, name)):
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

// isValue says whether it is a text, a number or a boolean: others are shown in more or less detail.
func isValue(v any) bool {
	_, isBool := v.(bool)
	return isBool || textOf(v) != ""
}

// shortestCut is how long, in bytes, a text is at least that was cut short: columns hold so much.
const shortestCut = 8

// alike says whether what is kept is what was sent, if written otherwise.
func alike(sent, kept any) bool {
	if isEmpty(sent) && isEmpty(kept) {
		return true
	}
	switch sent := sent.(type) {
	case string:
		switch kept := kept.(type) {
		case string:
			return alikeTexts(sent, kept)
		case json.Number:
			return same(json.Number(strings.TrimSpace(sent)), kept)
		}
	case json.Number:
		switch kept := kept.(type) {
		case string:
			return rounded(sent, json.Number(strings.TrimSpace(kept)))
		case json.Number:
			return rounded(sent, kept)
		}
	case []any:
		kept, is := kept.([]any)
		in := func(list []any, v any) bool {
			return slices.ContainsFunc(list, func(w any) bool { return alike(v, w) || alike(w, v) })
		}
		all := func(list, other []any) bool {
			return !slices.ContainsFunc(list, func(v any) bool { return !in(other, v) })
		}
		return is && all(sent, kept) && all(kept, sent)
	}
	return same(sent, kept)
}

func alikeTexts(sent, kept string) bool {
	if s, k := letters(html.UnescapeString(sent)), letters(html.UnescapeString(kept)); s == k && s != "" || strings.TrimSpace(sent) == strings.TrimSpace(kept) {
		return true
	}
	if len(kept) >= shortestCut && strings.HasPrefix(sent, kept) {
		return true
	}
	s, isMoment := momentOf(strings.ToUpper(sent))
	k, areMoments := momentOf(strings.ToUpper(kept))
	if isMoment && areMoments {
		return s.Truncate(time.Second).Equal(k.Truncate(time.Second)) || s.Round(time.Second).Equal(k.Round(time.Second))
	}
	return false
}

// rounded says whether a number is another one, or what is left of it with the digits that it has after the point.
func rounded(sent, kept json.Number) bool {
	s, err := sent.Float64()
	k, err2 := kept.Float64()
	if err != nil || err2 != nil {
		return sent == kept
	}
	near := math.Abs(s) * 1e-6 // a number of single precision
	if _, digits, _ := strings.Cut(string(kept), "."); s != math.Trunc(s) {
		near = max(near, math.Pow10(-len(digits)))
	}
	return math.Abs(s-k) <= near
}
