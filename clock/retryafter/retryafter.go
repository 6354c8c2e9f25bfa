// Package retryafter reads what servers write in Retry-After: the forms of RFC 9110 §10.2.3, and those that servers
// send in spite of it.
package retryafter

import (
	"math"
	"math/bits"
	"strings"
	"time"
)

// Form is how a Retry-After is written.
type Form int

// The forms of RFC 9110: a number of seconds, and the three dates of §5.6.7.
const (
	Seconds Form = iota
	// IMFFixdate is such as "Sun, 06 Nov 1994 08:49:37 GMT".
	IMFFixdate
	// RFC850 is such as "Sunday, 06-Nov-94 08:49:37 GMT".
	RFC850
	// Asctime is such as "Sun Nov  6 08:49:37 1994".
	Asctime
)

// The forms that no RFC knows and servers send.
const (
	// Epoch is a moment as seconds or milliseconds since 1970.
	Epoch Form = iota + 16
	// Fraction is a number of seconds with a fraction, such as "0.493".
	Fraction
	// Unit is a length with its unit, such as "30s", "5 sec" or "1m0s".
	Unit
	// Date is a date in another spelling: UTC or an offset for GMT, a one-digit day, a cookie's date, RFC 3339.
	Date
	// Joined is two values in one line, such as "<date>, 5".
	Joined
)

// offSpec labels the forms that are not RFC 9110's.
var offSpec = map[Form]string{Epoch: "epoch", Fraction: "fraction", Unit: "unit", Date: "date", Joined: "joined"}

// Reading is what a Retry-After says.
type Reading struct {
	// Wait is the length asked for, counted from the reply's receipt: never negative, and math.MaxInt64 where it
	// is longer than a Duration can say.
	Wait time.Duration
	Form Form
	// OffSpec labels a form that is not RFC 9110's, such as "fraction"; it is "" for one that is.
	OffSpec string
	// Text is the line that was read.
	Text string
}

const (
	longest = time.Duration(math.MaxInt64)
	day     = 24 * time.Hour
	// tenYears in seconds: a smaller number is a length, whatever the clock says.
	tenYears = 10 * 365 * 24 * 60 * 60
	// longestDate is longer than any date that can be read.
	longestDate = 64
	// mostParts bounds how much of a joined line is tried.
	mostParts = 16
)

// Read reads the values of a reply's Retry-After field lines; date is its Date ("" for none), received the wall time
// of its receipt. It says false if no line can be read.
//
// Every line is tried for RFC 9110's forms first, and only then for the others. One value has both: an integer that
// is within a day of the receipt as seconds or milliseconds since 1970 is a moment, not a length of decades, and
// counts with the others.
//
// A moment is measured from the reply's own Date where that can be read, so that a clock out of step on either side
// changes nothing, and else from the receipt (ADR-0042 §1). A moment that is past is a wait of no time at all.
func Read(lines []string, date string, received time.Time) (Reading, bool) {
	r := reader{date: date, received: received.UTC()}
	for _, read := range []func(string) (Reading, bool){r.spec, r.offSpec, r.joined} {
		for _, line := range lines {
			line = strings.Trim(line, " \t")
			if reading, ok := read(line); ok {
				reading.OffSpec = offSpec[reading.Form]
				reading.Text = line
				return reading, true
			}
		}
	}
	return Reading{}, false
}

type reader struct {
	date     string
	received time.Time
}

// spec reads RFC 9110's forms.
func (r reader) spec(text string) (Reading, bool) {
	if n, rest, ok := readNumber(text); ok && rest == "" && !n.fractional {
		if _, is := r.epoch(n); is {
			return Reading{}, false
		}
		return Reading{Wait: n.times(time.Second), Form: Seconds}, true
	}
	if moment, form, ok := readDate(text, r.received); ok && form != Date {
		return Reading{Wait: r.until(moment), Form: form}, true
	}
	return Reading{}, false
}

// offSpec reads the other forms, joined lines aside.
func (r reader) offSpec(text string) (Reading, bool) {
	if n, rest, ok := readNumber(text); ok && rest == "" {
		if moment, is := r.epoch(n); is {
			return Reading{Wait: r.until(moment), Form: Epoch}, true
		}
		if n.fractional {
			return Reading{Wait: roundUp(n.times(time.Second)), Form: Fraction}, true
		}
	}
	if length, ok := readLength(text); ok {
		return Reading{Wait: length, Form: Unit}, true
	}
	if moment, form, ok := readDate(text, r.received); ok && form == Date {
		return Reading{Wait: r.until(moment), Form: Date}, true
	}
	return Reading{}, false
}

// joined reads the first readable part of a line in which several values stand, as when a gateway has folded two
// field lines into one. Most dates hold a comma themselves, so each part is tried with its neighbour first.
func (r reader) joined(text string) (Reading, bool) {
	parts := strings.SplitN(text, ",", mostParts)
	if len(parts) < 2 {
		return Reading{}, false
	}
	for i, part := range parts {
		candidates := []string{part}
		if i+1 < len(parts) {
			candidates = []string{part + "," + parts[i+1], part}
		}
		for _, candidate := range candidates {
			candidate = strings.Trim(candidate, " \t")
			reading, ok := r.spec(candidate)
			if !ok {
				reading, ok = r.offSpec(candidate)
			}
			if ok {
				return Reading{Wait: reading.Wait, Form: Joined}, true
			}
		}
	}
	return Reading{}, false
}

// until is how long after the reply the moment comes.
func (r reader) until(moment time.Time) time.Duration {
	from := r.received
	if sent, _, ok := readDate(strings.Trim(r.date, " \t"), r.received); ok {
		from = sent
	}
	return max(0, moment.Sub(from)) // Sub saturates
}

// epoch reads a number as a moment, if it is within a day of the receipt as one.
func (r reader) epoch(n number) (time.Time, bool) {
	if n.whole < tenYears {
		return time.Time{}, false
	}
	for _, unit := range []time.Duration{time.Second, time.Millisecond} {
		since := n.times(unit)
		moment := time.Unix(0, int64(since)).UTC()
		if since < longest && moment.Sub(r.received).Abs() <= day {
			return moment, true
		}
	}
	return time.Time{}, false
}

// number is a decimal number without a sign.
type number struct {
	// whole is as large as a uint64 can be where the number is larger.
	whole uint64
	// billionths of the fraction, rounded up: 0 to 1,000,000,000.
	billionths uint64
	fractional bool
}

const billion = 1_000_000_000

// readNumber reads the number that s begins with: 1*DIGIT [ "." 1*DIGIT ].
func readNumber(s string) (n number, rest string, ok bool) {
	i := 0
	for ; i < len(s) && isDigit(s[i]); i++ {
		d := uint64(s[i] - '0')
		if n.whole > (math.MaxUint64-d)/10 {
			n.whole = math.MaxUint64
		} else {
			n.whole = n.whole*10 + d
		}
	}
	if i == 0 {
		return number{}, s, false
	}
	if i+1 >= len(s) || s[i] != '.' || !isDigit(s[i+1]) {
		return n, s[i:], true
	}
	n.fractional = true
	i++
	more := uint64(0) // 1 once a digit beyond the billionths is not 0
	for worth := uint64(billion / 10); i < len(s) && isDigit(s[i]); i, worth = i+1, worth/10 {
		d := uint64(s[i] - '0')
		n.billionths += d * worth
		if worth == 0 && d > 0 {
			more = 1
		}
	}
	n.billionths += more
	return n, s[i:], true
}

// times is n units, rounded up to a nanosecond, and the longest Duration where it is longer.
func (n number) times(unit time.Duration) time.Duration {
	high, whole := bits.Mul64(n.whole, uint64(unit))
	if high != 0 || whole > math.MaxInt64 {
		return longest
	}
	high, low := bits.Mul64(n.billionths, uint64(unit))
	part, rest := bits.Div64(high, low, billion)
	if rest > 0 {
		part++
	}
	return plus(time.Duration(whole), time.Duration(part))
}

// units are Go's, as time.Duration writes them.
var units = map[string]time.Duration{
	"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond,
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour,
}

// readLength reads a length with its unit: "30s", "5 sec", "2 seconds", or a Go duration without a sign such as "1m0s".
func readLength(text string) (time.Duration, bool) {
	if n, rest, ok := readNumber(text); ok {
		switch strings.ToLower(strings.Trim(rest, " \t")) {
		case "s", "sec", "secs", "second", "seconds":
			return n.times(time.Second), true
		}
	}
	var sum time.Duration
	if text == "" {
		return 0, false
	}
	for text != "" {
		n, rest, ok := readNumber(text)
		if !ok {
			return 0, false
		}
		end := strings.IndexAny(rest, "0123456789")
		if end < 0 {
			end = len(rest)
		}
		unit, known := units[rest[:end]]
		if !known {
			return 0, false
		}
		sum = plus(sum, n.times(unit))
		text = rest[end:]
	}
	return sum, true
}

// plus adds two lengths that are not negative, up to the longest.
func plus(a, b time.Duration) time.Duration {
	if a > longest-b {
		return longest
	}
	return a + b
}

// roundUp rounds a length up to a millisecond.
func roundUp(d time.Duration) time.Duration {
	whole := d.Truncate(time.Millisecond)
	if whole == d {
		return d
	}
	return plus(whole, time.Millisecond)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
