package checks

import (
	"encoding/json"
	"maps"
	"net/url"
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

// sameQuestion says whether two requests ask for the same: for the same target, with the same fields but for credentials. A
// language or a unit that was asked for makes another reply.
func sameQuestion(a, b *messages.Request) bool {
	asked := func(r *messages.Request) []messages.Field {
		return slices.DeleteFunc(slices.Clone(r.Header), func(f messages.Field) bool { return strings.EqualFold(f.Name, "Authorization") })
	}
	return a.Method == b.Method && a.Target == b.Target && slices.Equal(asked(a), asked(b))
}

// sameView says whether the document has one schema for what the step was answered and for the reply to the exchange, with
// a property of that name: then what the one shows of it the other does.
func (in *Input) sameView(t messages.Taken, name string) bool {
	if i := t.Request.Operation; in.Declared.Media == nil || i < 0 || i >= len(in.Operations) || strings.Contains(in.Exchange.Request.Target, "?") {
		return false
	}
	declared := Declare(in.Operations[t.Request.Operation], t.Reply.Status, messages.Get(t.Reply.Header, "Content-Type"))
	return declared.Media != nil && declared.Media.Schema == in.Declared.Media.Schema && property(declared.Media.Schema, name, 8) != nil
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
	return differenceBy(a, b, place, same)
}

// differenceBy is difference where the function says which values that are no objects are one.
func differenceBy(a, b any, place string, one func(a, b any) bool) (at string, differ bool) {
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
			if at, differ := differenceBy(a[name], b[name], place+"/"+name, one); differ {
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
			if at, differ := differenceBy(a[i], b[i], place+"/"+strconv.Itoa(i), one); differ && !reordered(a, b, one) {
				return at, true
			}
		}
		return "", false
	}
	return place, !one(a, b)
}

// changeOf is difference for two reads of one thing, the second after the first: a number that grows a little may count them.
func changeOf(before, after any) (at string, differ bool) {
	return differenceBy(before, after, "", func(a, b any) bool { return same(a, b) || isCount(a, b) })
}

// mostCounted is how much a number grows at most that counts the reads of a thing: others may read it, too.
const mostCounted = 16

func isCount(before, after any) bool {
	x, is := before.(json.Number)
	y, are := after.(json.Number)
	if !is || !are {
		return false
	}
	m, err := x.Int64()
	n, err2 := y.Int64()
	return err == nil && err2 == nil && m < n && n-m <= mostCounted
}

// mostReordered is how long a list may be to be compared without regard to its order.
const mostReordered = 64

// reordered says whether two lists of one length have the same items in whatever order: many stores keep none.
func reordered(a, b []any, one func(a, b any) bool) bool {
	if len(a) > mostReordered {
		return false
	}
	left := slices.Clone(b)
	for _, item := range a {
		i := slices.IndexFunc(left, func(other any) bool { _, differ := differenceBy(item, other, "", one); return !differ })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

// same says whether two values that are no objects are one: numbers by what they are worth, absolute URLs without their
// queries, which are often signed anew.
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
	if x, isText := a.(string); isText {
		if y, areTexts := b.(string); areTexts && strings.Contains(x, "://") {
			return pathOf(x) == pathOf(y)
		}
	}
	return a == b
}

// computedWords are in the names of what servers compute: moments, counters, versions, what is made anew each time, and how
// far something has come that goes on by itself.
var computedWords = map[string]bool{
	"at": true, "on": true, "time": true, "date": true, "timestamp": true, "updated": true, "modified": true, "changed": true,
	"accessed": true, "seen": true, "last": true, "expires": true, "expiry": true, "ttl": true, "age": true, "uptime": true, "now": true,
	"count": true, "counter": true, "views": true, "hits": true, "visits": true, "total": true, "size": true,
	"version": true, "revision": true, "rev": true, "etag": true, "generation": true, "sequence": true, "seq": true,
	"token": true, "nonce": true, "signature": true, "hash": true, "checksum": true, "digest": true, "request": true, "trace": true,
	"duration": true, "elapsed": true, "took": true, "latency": true, "random": true,
	"ago": true, "since": true, "until": true, "remaining": true, "left": true, "heartbeat": true, "used": true, "expiration": true,
	"status": true, "state": true, "phase": true, "progress": true, "percent": true, "percentage": true, "ready": true, "health": true,
	"healthy": true, "running": true, "pending": true, "queued": true, "position": true, "rank": true, "load": true, "online": true,
	"connected": true, "condition": true, "conditions": true,
}

// computed says whether a member is one that the server computes, by its name or its value.
func computed(name string, value any) bool {
	if text, ok := value.(string); ok && (strings.HasSuffix(text, " ago") || isMoment(text)) {
		return true
	}
	for _, word := range words(name) {
		if computedWords[word] {
			return true
		}
	}
	return false
}

// moments are the forms in which moments are written most.
var moments = []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, "2006-01-02 15:04:05Z07:00", time.RFC1123, time.RFC1123Z}

// momentOf is the moment that a text says.
func momentOf(text string) (moment time.Time, ok bool) {
	if len(text) <= len(time.DateOnly) || len(text) > 40 {
		return time.Time{}, false
	}
	for _, form := range moments {
		if moment, err := time.Parse(form, text); err == nil {
			return moment, true
		}
	}
	return time.Time{}, false
}

func isMoment(text string) bool {
	_, is := momentOf(text)
	return is
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
var goneWords = []string{
	"delet", "remov", "cancel", "archiv", "clos", "inactiv", "disabl", "terminat", "trash", "destroy", "revok", "expir",
	"purg", "retir", "withdraw", "discard", "obsolet", "not found", "notfound", "not_found", "no such",
}

// saysGone says whether a thing says of itself that it is no longer in use.
func saysGone(v any) bool {
	for name, value := range object(v) {
		name = strings.ToLower(name)
		switch value := value.(type) {
		case bool:
			if value && mentions(name, goneWords) || !value && mentions(name, []string{"active", "enabled", "exist", "found"}) {
				return true
			}
		case json.Number:
			if value != "0" && mentions(name, goneWords) {
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

// bringsBack says whether a reply shows the thing that was made: a value that its create sent, other than the name that the
// address has, which a server can repeat of what is not there. It is not sure where the reply shows no more than the id that
// the server had given, or where nothing is known of the thing.
func (in *Input) bringsBack(made messages.Taken) (shown, sure bool) {
	reply := in.reply()
	switch {
	case reply.Status == 204:
		return false, true // there is nothing
	case in.Content.State != IsJSON:
		return true, false
	}
	segments := strings.Split(pathOf(in.Exchange.Request.Target), "/")
	for i := range segments {
		if text, err := url.PathUnescape(segments[i]); err == nil {
			segments[i] = text
		}
	}
	sent, answered := sentObject(made.Request), object(made.Value)
	known, named := map[string][]any{}, false
	for name, value := range sent {
		switch text := textOf(value); {
		case text != "" && slices.Contains(segments, text):
			named = true
		case !isTrivial(value):
			known[name] = append(known[name], value)
			if v := answered[name]; !isTrivial(v) {
				known[name] = append(known[name], v)
			}
		}
	}
	id := segments[len(segments)-1]
	switch {
	case shows(in.Content.Value, known, "", 3):
		return true, true
	case !named && answered == nil && sent == nil:
		return !isTrivial(in.Content.Value), false
	}
	return !named && shows(in.Content.Value, nil, id, 3), false
}

// isTrivial says whether a value tells nothing of what it is a part of.
func isTrivial(v any) bool {
	_, isBool := v.(bool)
	return isBool || isEmpty(v)
}

// isEmpty says whether a value is null, or has nothing in it.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// textOf is a text or a number as text, "" for other values.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return string(v)
	}
	return ""
}

// shows says whether a value has one of the members, or the id, somewhere.
func shows(v any, members map[string][]any, id string, depth int) bool {
	if depth == 0 {
		return false
	}
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return shows(item, members, id, depth-1) })
	case map[string]any:
		for name, value := range v {
			if id != "" && textOf(value) == id || slices.ContainsFunc(members[name], func(known any) bool { return same(known, value) }) ||
				shows(value, members, id, depth-1) {
				return true
			}
		}
	}
	return false
}

// identifies says whether it is plain that the thing which was made goes by the name that the path of the exchange's
// request ends with: where Location leads there, or where the reply calls it as the path does, or has one name for it.
func (in *Input) identifies(made messages.Taken) bool {
	path := pathOf(in.Exchange.Request.Target)
	if location := messages.LocationPath(made.Reply.Header); location != "" && (strings.HasSuffix(path, location) || strings.HasSuffix(location, path)) {
		return true
	}
	name, err := url.PathUnescape(path[strings.LastIndexByte(path, '/')+1:])
	if err != nil {
		return false
	}
	gap := ""
	if at := strings.LastIndexByte(in.Operation.Path, '{'); at >= 0 {
		gap = letters(strings.TrimSuffix(in.Operation.Path[at+1:], "}"))
	}
	return identified(made.Value, name, gap, 2)
}

// identified says whether a value calls itself by that name as a gap of that name in a path does.
func identified(v any, name, gap string, depth int) bool {
	o := object(v)
	var ids, names int
	var called string
	for _, member := range slices.Sorted(maps.Keys(o)) {
		value := o[member]
		if depth > 1 && identified(value, name, gap, depth-1) {
			return true
		}
		short := letters(member)
		text, isText := value.(string)
		number, isNumber := value.(json.Number)
		if !isText && !isNumber {
			continue
		}
		same := text == name || string(number) == name
		switch {
		case same && short == gap:
			return true
		case short == "id" || short == "uuid" || short == "guid":
			ids++
		case short == "name" || short == "slug" || short == "key" || short == "code" || short == "login" || short == "username":
			names++
		default:
			continue
		}
		if same && called == "" {
			called = short
		}
	}
	switch {
	case called == "":
		return false
	case gap == "" || strings.HasSuffix(gap, "id"):
		return called == "id" || called == "uuid" || called == "guid"
	}
	return ids+names == 1 // a gap that goes by its noun may mean either
}

// letters are the letters and digits of a name, in small ones.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
