// Package quota reads what replies say of a quota before it is used up: the fields of
// draft-ietf-httpapi-ratelimit-headers in their forms over the years, and those that servers had before it.
package quota

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/restest/restest/clock/retryafter"
	"github.com/restest/restest/messages"
)

// Reading is what a reply says: so many requests are left, and more will be after so long, counted from its receipt.
type Reading struct {
	Left int64
	More time.Duration
	// Family are the fields it stands in, by the name of one of them.
	Family string
}

// Problem is a field that says nothing, or not what it says: its name, and what is wrong with it. Neither is the API's
// own words.
type Problem struct{ Field, What string }

const (
	// longest is the longest wait that is believed.
	longest = 24 * time.Hour
	// slack is how much longer than its window a wait may be, for clocks and rounding.
	slack = time.Second
	// A number of seconds under mostDelta is a length; one from leastEpoch to mostEpoch is a moment in seconds, and a
	// thousand times as much one in milliseconds.
	mostDelta             = 366 * 24 * 60 * 60
	leastEpoch, mostEpoch = 1e9, 1e11
)

// family is the fields of one spelling: how many are left, and when there will be more, the first that is there.
type family struct {
	left   string
	resets []string
}

// families are tried in this order; the first that says how many are left counts.
var families = []family{
	{"RateLimit-Remaining", []string{"RateLimit-Reset"}},
	{"X-RateLimit-Remaining", []string{"X-RateLimit-Reset-After", "X-RateLimit-Reset", "X-RateLimit-Next"}},
	{"X-Rate-Limit-Remaining", []string{"X-Rate-Limit-Reset-After", "X-Rate-Limit-Reset"}},
	{"X-RateLimit-Remaining-Requests", []string{"X-RateLimit-Reset-Requests"}},
	{"Anthropic-RateLimit-Requests-Remaining", []string{"Anthropic-RateLimit-Requests-Reset"}},
}

// Read reads the header of a reply whose receipt was at the wall time received. It says false if nothing is said of how
// many requests are left and when there will be more.
func Read(header []messages.Field, received time.Time) (Reading, bool, []Problem) {
	if !hints(header) {
		return Reading{}, false, nil
	}
	if aged(messages.Get(header, "Age")) {
		return Reading{}, false, nil // from a cache
	}
	r := reader{header: header, received: received}
	r.readPolicies()
	reading, says := r.rateLimit()
	for i := 0; i < len(families) && !says; i++ {
		reading, says = r.family(families[i])
	}
	return reading, says, r.problems
}

// hints says whether there is a field worth looking at: most replies have none.
func hints(header []messages.Field) bool {
	for _, f := range header {
		if n := len(f.Name); n >= len("RateLimit") && containsFold(f.Name, "rate") && containsFold(f.Name, "limit") {
			return true
		}
	}
	return false
}

// aged says whether an Age is above 0: a number of seconds, however many.
func aged(age string) bool {
	age = strings.TrimSpace(age)
	return digits(age) && strings.Trim(age, "0") != ""
}

func containsFold(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

type reader struct {
	header   []messages.Field
	received time.Time
	problems []Problem
	// policies are the quotas that RateLimit-Policy names; window is the longest of their windows, 0 for none.
	policies map[string]policy
	window   time.Duration
}

type policy struct {
	window     time.Duration // 0: not said
	concurrent bool
}

func (r *reader) wrong(field, what string) { r.problems = append(r.problems, Problem{field, what}) }

// line is the value of all field lines of that name (RFC 9110 §5.3).
func (r *reader) line(name string) (string, bool) {
	values := messages.Values(r.header, name)
	return strings.Join(values, ", "), values != nil
}

// readPolicies reads RateLimit-Policy: "name";q=100;w=60 since draft -08, 100;w=60 before.
func (r *reader) readPolicies() {
	text, there := r.line("RateLimit-Policy")
	if !there {
		return
	}
	list, ok := parseList(text)
	if !ok {
		r.wrong("RateLimit-Policy", "is malformed")
		return
	}
	r.policies = map[string]policy{}
	for _, item := range list {
		p := policy{concurrent: item.params["qu"] == "concurrent-requests"}
		if w, named := item.params["w"]; named {
			seconds, ok := whole(w)
			if !ok || seconds == 0 {
				r.wrong("RateLimit-Policy", "has a window that is not a number of seconds")
				continue
			}
			p.window = min(length(seconds), longest)
			r.window = max(r.window, p.window)
		}
		r.policies[item.value] = p
	}
}

// rateLimit reads RateLimit: "name";r=50;t=30 since draft -08, limit=100, remaining=50, reset=30 in -07.
func (r *reader) rateLimit() (Reading, bool) {
	const field = "RateLimit"
	text, there := r.line(field)
	if !there {
		return Reading{}, false
	}
	list, ok := parseList(text)
	if !ok || len(list) == 0 {
		r.wrong(field, "is malformed")
		return Reading{}, false
	}
	if list[0].key != "" {
		return r.draft7(list)
	}
	var all []Reading
	for _, item := range list {
		p := r.policies[item.value]
		if p.concurrent {
			continue
		}
		left, ok := whole(item.params["r"])
		if !ok {
			r.wrong(field, "does not say how many are left (r)")
			continue
		}
		t, timed := item.params["t"]
		if !timed {
			continue
		}
		seconds, ok := whole(t)
		if !ok {
			r.wrong(field, "has a time (t) that is not a number of seconds")
			continue
		}
		all = append(all, Reading{left, r.believed(field, length(seconds), p.window, left), field})
	}
	return worst(all)
}

// worst is the reading that keeps a client waiting longest: with nothing left the longest wait, and else the fewest left.
func worst(all []Reading) (Reading, bool) {
	if len(all) == 0 {
		return Reading{}, false
	}
	w := all[0]
	for _, r := range all[1:] {
		if r.Left < w.Left || r.Left == w.Left && r.More > w.More {
			w = r
		}
	}
	return w, true
}

func (r *reader) draft7(list []item) (Reading, bool) {
	const field = "RateLimit"
	said := map[string]string{}
	for _, item := range list {
		said[item.key] = item.value
	}
	left, ok := whole(said["remaining"])
	if !ok {
		r.wrong(field, "does not say how many are left (remaining)")
		return Reading{}, false
	}
	if said["reset"] == "" {
		return Reading{}, false
	}
	seconds, ok := whole(said["reset"])
	if !ok {
		r.wrong(field, "has a time (reset) that is not a number of seconds")
		return Reading{}, false
	}
	return Reading{left, r.believed(field, length(seconds), r.window, left), field}, true
}

// family reads the fields of one spelling.
func (r *reader) family(f family) (Reading, bool) {
	text, there := r.line(f.left)
	if !there {
		return Reading{}, false
	}
	text, _, _ = strings.Cut(text, ";") // Docker Hub's 76;w=21600
	text, fraction, _ := strings.Cut(strings.TrimSpace(text), ".")
	left, ok := whole(text)
	if !ok || strings.Trim(fraction, "0") != "" {
		r.wrong(f.left, "is not a whole number")
		return Reading{}, false
	}
	for _, name := range f.resets {
		text, there := r.line(name)
		if !there {
			continue
		}
		more, ok := r.reset(strings.TrimSpace(text))
		if !ok {
			r.wrong(name, "is no time that can be read")
			return Reading{}, false
		}
		return Reading{left, r.believed(name, more, r.window, left), f.left}, true
	}
	return Reading{}, false
}

// reset reads when there will be more: its unit is told by its magnitude, since the same name has been given each.
func (r *reader) reset(text string) (time.Duration, bool) {
	if n, part, ok := decimal(text); ok {
		switch {
		case n < mostDelta:
			return time.Duration(n)*time.Second + part, true
		case n >= leastEpoch && n < mostEpoch:
			return r.until(time.Unix(n, int64(part))), true
		case n >= 1000*leastEpoch && n < 1000*mostEpoch:
			return r.until(time.UnixMilli(n).Add((part + 999) / 1000)), true
		}
		return 0, false
	}
	if length, ok := retryafter.Length(text); ok {
		return length, true
	}
	if at, ok := retryafter.Moment(text, r.received); ok {
		return r.until(at), true
	}
	before, _, _ := strings.Cut(text, " (") // the zone's name, as JavaScript writes dates
	for _, form := range []string{"2006-01-02T15:04Z07:00", "Mon Jan 2 2006 15:04:05 GMT-0700"} {
		if at, err := time.Parse(form, before); err == nil {
			return r.until(at), true
		}
	}
	return 0, false
}

// until is how long after the reply the moment comes: by its own Date where that can be read.
func (r *reader) until(moment time.Time) time.Duration {
	from := r.received
	if sent, ok := retryafter.Moment(messages.Get(r.header, "Date"), r.received); ok {
		from = sent
	}
	return max(0, moment.Sub(from))
}

// believed is the wait, capped at its window and at the longest.
func (r *reader) believed(field string, wait, window time.Duration, left int64) time.Duration {
	if window == 0 {
		window = r.window
	}
	most, what := longest, "asks for more than a day; a day is kept"
	if window > 0 && window+slack < most {
		most, what = window+slack, "asks for more than its window; the window is kept"
	}
	if wait <= most {
		return wait
	}
	if left == 0 {
		r.wrong(field, what)
	}
	return most
}

// decimal reads digits, with or without a fraction: no sign, no exponent, no name of a number. Part is the fraction of a
// second, rounded up: a float would make a moment earlier than it is. A number too large to be any time is the largest.
func decimal(text string) (n int64, part time.Duration, ok bool) {
	const billionths = 9
	before, fraction, _ := strings.Cut(text, ".")
	if !digits(before + fraction) {
		return 0, 0, false
	}
	n, err := strconv.ParseInt("0"+before, 10, 64)
	if err != nil {
		return math.MaxInt64, 0, true
	}
	kept := fraction[:min(len(fraction), billionths)]
	billion, _ := strconv.ParseInt("0"+kept+strings.Repeat("0", billionths-len(kept)), 10, 64)
	if strings.Trim(fraction[len(kept):], "0") != "" {
		billion++
	}
	return n, time.Duration(billion), true
}

// whole reads a whole number that is not negative, and holds it to what can be counted.
func whole(text string) (int64, bool) {
	if !digits(text) || len(text) > 15 { // as RFC 9651 §3.3.1 has it
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// digits says whether the text is digits alone, one at least.
func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// length is that many seconds, held to a little more than the longest wait that is believed: no sum of such lengths
// overflows.
func length(seconds int64) time.Duration {
	return time.Duration(min(seconds, int64(longest/time.Second)+1)) * time.Second
}
