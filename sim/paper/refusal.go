package paper

import (
	"fmt"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/sim/demo"
)

// Refusal is how an API refuses.
type Refusal struct {
	// Status is 429 unless it is given.
	Status int
	// Form is how Retry-After is written; the zero Form writes none.
	Form Form
	// Wait is what it asks for, 0: until the limiter lets one pass; in whole seconds where the form has no parts.
	Wait time.Duration
	// NoDate leaves the Date out, so that a moment can only be read by the caller's clock.
	NoDate bool
	// After is how long a refusal takes, Fate what becomes of it.
	After Latency
	Fate  Fate
}

// Form is how a Retry-After is written.
type Form int

// The forms.
const (
	Unstated Form = iota
	// Seconds to Asctime are RFC 9110's, Past is a date that is over and Now a 0.
	Seconds
	IMFFixdate
	RFC850
	Asctime
	Now
	Past
	// Endless is a number of seconds that no clock can hold.
	Endless
	// Fraction, WithUnit, Epoch and Offset are not the RFC's, and can be read.
	Fraction
	WithUnit
	Epoch
	Offset
	// Malformed cannot be read.
	Malformed
)

// Forms are all of them.
func Forms() []Form {
	return []Form{
		Unstated, Seconds, IMFFixdate, RFC850, Asctime, Now, Past, Endless, Fraction, WithUnit, Epoch, Offset, Malformed,
	}
}

// Asks is what an answer asks of its caller, as the API means it: what a reading of its header is judged by.
type Asks struct {
	// ToWait is true for a 429, and for a 503 that says for how long; Stated, if it says so.
	ToWait, Stated bool
	// For is the length, from the header's arrival on.
	For time.Duration
	// Until, unless zero, is the moment instead, by the caller's clock: the reply has no Date.
	Until time.Time
	// Quota is true for an answer that says how many requests are Left, and when there will be more: so long after the
	// header's arrival or, unless that is zero, at the moment MoreBy; but after MoreAtMost at the latest.
	Quota            bool
	Left             int64
	More, MoreAtMost time.Duration
	MoreBy           time.Time
}

// Length is how long an answer whose header came at that wall time asks to wait.
func (a Asks) Length(came time.Time) time.Duration {
	if a.Until.IsZero() {
		return a.For
	}
	return max(0, a.Until.Sub(came))
}

const endless = time.Duration(1<<63 - 1)

// refuse is a refusal that is sent after so long, of a request that could pass after retryAfter.
func (s *Served) refuse(r Refusal, now, after, retryAfter time.Duration) Answer {
	if after == 0 {
		after = max(time.Millisecond, s.api.Latency.draw(s.rand))
	}
	if r.Status == 0 {
		r.Status = 429
	}
	wait := r.Wait
	if wait == 0 {
		wait = max(retryAfter, 1)
	}
	whole := (wait + time.Second - 1).Truncate(time.Second)
	date := s.began.Add(now + after + s.api.Skew).UTC().Truncate(time.Second)
	moment := date.Add(whole)

	a := Answer{Reply: demo.Reply{Status: r.Status, After: after, Body: []byte("not now\n")}, Fate: r.Fate}
	a.Asks = Asks{ToWait: true, Stated: true, For: whole}
	value, byDate := "", false
	switch r.Form {
	case Unstated, Malformed:
		a.Asks = Asks{ToWait: r.Status == 429}
		value = map[Form]string{Malformed: "soon"}[r.Form]
	case Seconds:
		value = fmt.Sprint(int64(whole / time.Second))
	case IMFFixdate:
		value, byDate = moment.Format("Mon, 02 Jan 2006 15:04:05 GMT"), true
	case RFC850:
		value, byDate = moment.Format("Monday, 02-Jan-06 15:04:05 GMT"), true
	case Asctime:
		value, byDate = moment.Format("Mon Jan _2 15:04:05 2006"), true
	case Now:
		value, a.Asks.For = "0", 0
	case Past:
		moment = date.Add(-time.Minute)
		value, byDate, a.Asks.For = moment.Format("Mon, 02 Jan 2006 15:04:05 GMT"), true, 0
	case Endless:
		value, a.Asks.For = "99999999999999999999", endless
	case Fraction:
		a.Asks.For = (wait + time.Millisecond - 1).Truncate(time.Millisecond)
		value = fmt.Sprintf("%d.%03d", a.Asks.For/time.Second, a.Asks.For%time.Second/time.Millisecond)
	case WithUnit:
		value = fmt.Sprintf("%ds", int64(whole/time.Second))
	case Epoch:
		value, byDate = fmt.Sprint(moment.Unix()), true
	case Offset:
		value, byDate = moment.Format("Mon, 02 Jan 2006 15:04:05 -0700"), true
	}
	if value != "" {
		a.Header = append(a.Header, messages.Field{Name: "Retry-After", Value: value})
	}
	if !r.NoDate {
		a.Header = append(a.Header, messages.Field{Name: "Date", Value: date.Format("Mon, 02 Jan 2006 15:04:05 GMT")})
	} else if byDate {
		a.Asks.For, a.Asks.Until = 0, moment
	}
	return a
}
