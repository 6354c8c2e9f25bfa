package paper

import (
	"fmt"
	"time"

	"github.com/restest/restest/messages"
)

// Announcement is how a reply says how many requests are left and when there will be more. The zero Announcement says
// nothing.
type Announcement struct {
	As   Spelling
	Left int64
	// More is how long it is until there will be more, from when the reply is sent on; rounded up to what can be written.
	More time.Duration
	// Window is the window that a spelling with a policy names, none if it is 0.
	Window time.Duration
	// NoDate leaves the Date out, so that a moment can only be read by the caller's clock. A refusal has its own.
	NoDate bool
}

// Spelling is how an announcement is written.
type Spelling int

// The spellings.
const (
	Unsaid Spelling = iota
	// Draft11, Draft7 and Draft6 are draft-ietf-httpapi-ratelimit-headers over the years, with its policy.
	Draft11
	Draft7
	Draft6
	// ResetAfter to EpochMillis are those of X-RateLimit-: a length with a fraction, and a moment since 1970.
	ResetAfter
	EpochSeconds
	EpochMillis
	// Muddled is a moment that cannot be read.
	Muddled
)

// Spellings are all of them but the one that says nothing.
func Spellings() []Spelling {
	return []Spelling{Draft11, Draft7, Draft6, ResetAfter, EpochSeconds, EpochMillis, Muddled}
}

// longestBelieved is decision 0012: "No wait is longer than the window that the policy names, or than a day".
const longestBelieved = 24 * time.Hour

// announce writes into the answer to a request that came at the moment now what is left, and notes what that means. The
// answer's After is known.
func (s *Served) announce(a *Answer, says Announcement, now time.Duration) {
	a.Ready = nil // it is another reply now
	sent := s.began.Add(now + a.After + s.api.Skew).UTC()
	date := sent.Truncate(time.Second)
	dated := messages.Get(a.Header, "Date") != ""
	if !dated && !says.NoDate && !a.Asks.ToWait {
		dated = true
		a.Header = append(a.Header, messages.Field{Name: "Date", Value: date.Format("Mon, 02 Jan 2006 15:04:05 GMT")})
	}
	add := func(name string, value any) {
		a.Header = append(a.Header, messages.Field{Name: name, Value: fmt.Sprint(value)})
	}
	seconds := roundUp(says.More, time.Second) / time.Second
	a.Asks.Quota, a.Asks.Left, a.Asks.More = true, says.Left, seconds*time.Second
	moment := time.Time{}
	switch says.As {
	case Draft11:
		add("RateLimit", fmt.Sprintf(`"paper";r=%d;t=%d`, says.Left, seconds))
	case Draft7:
		add("RateLimit", fmt.Sprintf("limit=%d, remaining=%d, reset=%d", max(1, says.Left), says.Left, seconds))
	case Draft6:
		add("RateLimit-Remaining", says.Left)
		add("RateLimit-Reset", int64(seconds))
	case ResetAfter:
		a.Asks.More = roundUp(says.More, time.Millisecond)
		add("X-RateLimit-Remaining", says.Left)
		add("X-RateLimit-Reset-After", fmt.Sprintf("%d.%03d", a.Asks.More/time.Second, a.Asks.More%time.Second/time.Millisecond))
	case EpochSeconds:
		moment = date.Add(seconds * time.Second)
		add("X-RateLimit-Remaining", says.Left)
		add("X-RateLimit-Reset", moment.Unix())
	case EpochMillis:
		moment = sent.Truncate(time.Millisecond).Add(roundUp(says.More, time.Millisecond))
		add("X-RateLimit-Remaining", says.Left)
		add("X-RateLimit-Reset", moment.UnixMilli())
	case Unsaid, Muddled:
		a.Asks.Quota, a.Asks.Left, a.Asks.More = false, 0, 0
		add("X-RateLimit-Remaining", says.Left)
		add("X-RateLimit-Reset", "soon")
	}
	switch {
	case moment.IsZero():
	case dated:
		a.Asks.More = moment.Sub(date)
	default:
		a.Asks.More, a.Asks.MoreBy = 0, moment
	}
	a.Asks.MoreAtMost = longestBelieved
	if says.As <= Draft6 && says.Window > 0 {
		window := roundUp(says.Window, time.Second)
		// A second more is believed, for clocks and rounding.
		a.Asks.MoreAtMost = min(longestBelieved, window+time.Second)
		name := ""
		if says.As == Draft11 {
			name = `"paper";q=`
		}
		add("RateLimit-Policy", fmt.Sprintf("%s%d;w=%d", name, max(1, says.Left), window/time.Second))
	}
}

// Opens is when there will be more, by a reply whose header came at that wall time: how long after that.
func (a Asks) Opens(came time.Time) time.Duration {
	more := a.More
	if !a.MoreBy.IsZero() {
		more = max(0, a.MoreBy.Sub(came))
	}
	return min(more, a.MoreAtMost)
}

func roundUp(d, unit time.Duration) time.Duration { return (d + unit - 1).Truncate(unit) }
