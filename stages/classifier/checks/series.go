package checks

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/restest/restest/messages"
)

// What the checks of series share. A series is silent where another request of the run may have changed the thing, where
// a step was refused or has no whole reply, and about values the server computes.

// steps are the place of the exchange in a series of that kind ("" for any), nil where nothing can be said of it, as of
// a security probe.
func (in *Input) steps(kind string) *messages.Step {
	s := in.Exchange.Request.Series
	if s == nil || in.Exchange.Request.Probe != messages.NoProbe || kind != "" && s.Kind != kind || s.Disturbed || len(s.Taken) == 0 || in.Exchange.Outcome != messages.Answered || in.plain() == nil {
		return nil
	}
	for _, t := range s.Taken {
		if t.Request == nil || t.Reply == nil || t.Reply.Status == 429 || t.Reply.Status == 503 {
			return nil
		}
	}
	return s
}

// good says whether a status says that what was asked for has been done: 202 says that it will be.
func good(status int) bool { return status >= 200 && status <= 299 && status != 202 }

// pathOf is a target without its query.
func pathOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return path
}

// object is the value as an object, nil if it is none.
func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

// sentObject is a request's content as a JSON object, nil if it is none.
func sentObject(r *messages.Request) map[string]any {
	if !isJSON(essence(messages.Get(r.Header, "Content-Type"))) {
		return nil
	}
	return object(Read(r.Body).Value)
}

// difference is the first place, as a JSON pointer, at which two values differ in something that the server does not
// compute by itself; "" where they do not, or where it cannot be told.
func difference(a, b any, place string) (at string, differ bool) {
	switch a := a.(type) {
	case map[string]any:
		b, is := b.(map[string]any)
		if !is {
			return place, true
		}
		names := map[string]bool{}
		for name := range a {
			names[name] = true
		}
		for name := range b {
			names[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if computed(name, a[name]) || computed(name, b[name]) {
				continue
			}
			if at, differ := difference(a[name], b[name], place+"/"+name); differ {
				return at, true
			}
		}
		return "", false
	case []any:
		b, is := b.([]any)
		if !is || len(a) != len(b) {
			return place, true
		}
		for i := range a {
			if at, differ := difference(a[i], b[i], place+"/"+strconv.Itoa(i)); differ {
				return at, true
			}
		}
		return "", false
	}
	return place, !same(a, b)
}

// same says whether two values that are no objects are one, numbers by what they are worth.
func same(a, b any) bool {
	if x, ok := a.(json.Number); ok {
		y, ok := b.(json.Number)
		if !ok {
			return false
		}
		f, err := x.Float64()
		g, err2 := y.Float64()
		return x == y || err == nil && err2 == nil && f == g
	}
	switch b.(type) {
	case map[string]any, []any:
		at, differ := difference(b, a, "")
		return !differ && at == ""
	}
	switch a.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// computedWords are in the names of what servers compute: moments, counters, versions, and what is made anew each time.
var computedWords = map[string]bool{
	"at": true, "on": true, "time": true, "date": true, "timestamp": true, "updated": true, "modified": true, "changed": true,
	"accessed": true, "seen": true, "last": true, "expires": true, "expiry": true, "ttl": true, "age": true, "uptime": true, "now": true,
	"count": true, "counter": true, "views": true, "hits": true, "visits": true, "total": true, "size": true,
	"version": true, "revision": true, "rev": true, "etag": true, "generation": true, "sequence": true, "seq": true,
	"token": true, "nonce": true, "signature": true, "hash": true, "checksum": true, "digest": true, "request": true, "trace": true,
	"duration": true, "elapsed": true, "took": true, "latency": true, "random": true,
}

// computed says whether a member is one that the server computes, by its name or its value.
func computed(name string, value any) bool {
	if text, ok := value.(string); ok && len(text) >= len(time.DateOnly) {
		if _, err := time.Parse(time.RFC3339, text); err == nil {
			return true
		}
	}
	for _, word := range words(name) {
		if computedWords[word] {
			return true
		}
	}
	return false
}

// words are the words of a name in small letters: lastSeen and last_seen are two each.
func words(name string) []string {
	var list []string
	start := 0
	runes := []rune(name)
	end := func(i int) {
		if i > start {
			list = append(list, strings.ToLower(string(runes[start:i])))
		}
	}
	for i, c := range runes {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			end(i)
			start = i + 1
		case i > start && unicode.IsUpper(c) && !unicode.IsUpper(runes[i-1]):
			end(i)
			start = i
		}
	}
	end(len(runes))
	return list
}

// goneWords are in the names and values of what says that a thing is no longer in use though it is still there.
var goneWords = []string{"delet", "remov", "cancel", "archiv", "clos", "inactiv", "disabl", "terminat", "trash", "destroy", "revok", "expir"}

// saysGone says whether a thing says of itself that it is no longer in use.
func saysGone(v any) bool {
	for name, value := range object(v) {
		name = strings.ToLower(name)
		switch value := value.(type) {
		case bool:
			if value && mentions(name, goneWords) || !value && mentions(name, []string{"active", "enabled", "exists"}) {
				return true
			}
		case string:
			if value != "" && mentions(name, goneWords) || mentions(strings.ToLower(value), goneWords) {
				return true
			}
		case map[string]any:
			if saysGone(value) {
				return true
			}
		}
	}
	return false
}

func mentions(text string, stems []string) bool {
	return slices.ContainsFunc(stems, func(stem string) bool { return strings.Contains(text, stem) })
}
