package checks

import (
	"bytes"
	"maps"
	"slices"

	"github.com/restest/restest/messages"
)

// What the checks of security probes share (decision 0025).

// probe is the series that the probe belongs to, nil where the exchange is no probe of those kinds, or cannot be judged.
func (in *Input) probe(kinds ...messages.Probe) *messages.Step {
	r := in.Exchange.Request
	if r.Probe == messages.NoProbe || !slices.Contains(kinds, r.Probe) || in.Exchange.Outcome != messages.Answered || in.plain() == nil {
		return nil
	}
	if r.Series == nil || r.Series.Disturbed || slices.ContainsFunc(r.Series.Taken, func(t messages.Taken) bool {
		return t.Request == nil || t.Reply == nil || t.Reply.Status == 429 || t.Reply.Status == 503
	}) {
		return nil
	}
	return r.Series
}

// accepted says whether a probe was answered as the request before it that was allowed: the same operation in the same
// series, with what the document asks for, to the same address or, exact being false, to any.
func (in *Input) accepted(s *messages.Step, exact bool) bool {
	r, reply := in.Exchange.Request, in.reply()
	for _, t := range slices.Backward(s.Taken) {
		if t.Request.Operation == r.Operation && t.Request.Probe == messages.NoProbe && t.Request.Method == r.Method &&
			(!exact || pathOf(t.Request.Target) == pathOf(r.Target)) {
			return good(t.Reply.Status) && reply.Status == t.Reply.Status && likewise(t, reply, in.Content.Value)
		}
	}
	return false
}

// likewise says whether two replies hold the same kind of content: objects with members of the same names, lists that
// both have items or are both empty, else the same bytes.
func likewise(t messages.Taken, reply *messages.Reply, value any) bool {
	if t.Value == nil || value == nil {
		return t.Value == nil && value == nil && bytes.Equal(t.Reply.Body, reply.Body)
	}
	switch t.Value.(type) {
	case map[string]any, []any:
		return sameShape(t.Value, value, 2)
	}
	return same(t.Value, value)
}

// sameShape says whether two values are alike in that, so many levels down; other values can be any.
func sameShape(a, b any, levels int) bool {
	switch a := a.(type) {
	case map[string]any:
		b, is := b.(map[string]any)
		if !is || !slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))) {
			return false
		}
		if levels == 1 {
			return true
		}
		for name, v := range a { // in any order: it is all of them or not
			if !sameShape(v, b[name], levels-1) {
				return false
			}
		}
		return true
	case []any:
		b, is := b.([]any)
		return is && (len(a) == 0) == (len(b) == 0)
	}
	switch b.(type) {
	case map[string]any, []any:
		return a == nil // it may be null or not
	}
	return true
}

// asks says whether the document asks for credentials without leaving them open.
func (in *Input) asks() bool {
	for _, alternative := range in.Operation.Security {
		if len(alternative) == 0 {
			return false
		}
	}
	return len(in.Operation.Security) > 0
}

// refusedTo finds the last of the other user's requests before this one, of which is true, that was forbidden.
func refusedTo(s *messages.Step, of func(messages.Taken) bool) (t messages.Taken, found bool) {
	for _, t := range slices.Backward(s.Taken) {
		if t.Request.Probe == messages.OtherUser && t.Reply.Status == 403 && of(t) {
			return t, true
		}
	}
	return t, false
}

// without names what an unauthenticated probe lacks.
func without(p messages.Probe) string {
	if p == messages.WrongCredentials {
		return "with wrong credentials"
	}
	return "without credentials"
}
