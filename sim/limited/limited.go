// Package limited is an API on paper that does nothing but limit: each request passes or is kept back, in one of the
// ways servers do that and with what they say of it.
//
// What it answers hangs on the requests it was given before and on their moments alone, so that it answers the same on
// paper and over a socket (sim/demo.Serve).
package limited

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/sim/limiter"
)

// Manner is what becomes of a request that may not pass.
type Manner string

// The manners.
const (
	// Refuse answers it at once.
	Refuse Manner = "refuse"
	// Tarpit answers it the same, after Options.Delay.
	Tarpit Manner = "tarpit"
	// SilentDrop never answers it, and leaves the connection open.
	SilentDrop Manner = "silent-drop"
	// Close ends the connection without a word.
	Close Manner = "close"
	// SlowDown lets it pass, later by Options.Step than the one before it.
	SlowDown Manner = "slow-down"
)

// RetryAfter is how a refusal says when to come back (RFC 9110 §10.2.3, and what servers send in spite of it).
type RetryAfter string

// The forms of a Retry-After.
const (
	InSeconds  RetryAfter = "seconds"
	AsDate     RetryAfter = "date"
	AsRFC850   RetryAfter = "rfc850"
	AsAsctime  RetryAfter = "asctime"
	AsFraction RetryAfter = "fraction"
	AsEpoch    RetryAfter = "epoch"
	// TooSoon says half of the seconds there are to wait, rounded down.
	TooSoon      RetryAfter = "soon"
	NoRetryAfter RetryAfter = "none"
)

// RetryAfters are all of the forms.
func RetryAfters() []RetryAfter {
	return []RetryAfter{InSeconds, AsDate, AsRFC850, AsAsctime, AsFraction, AsEpoch, TooSoon, NoRetryAfter}
}

// Headers are the fields in which each reply says what is left.
type Headers string

// The families of fields.
const (
	// Draft11 is draft-ietf-httpapi-ratelimit-headers-08 to -11.
	Draft11 Headers = "draft-11"
	// Draft7 is draft -07.
	Draft7 Headers = "draft-7"
	// Draft6 is draft -03 to -06.
	Draft6          Headers = "draft-6"
	XRateLimitEpoch Headers = "x-ratelimit-epoch"
	XRateLimitDelta Headers = "x-ratelimit-delta"
	NoHeaders       Headers = "none"
)

// HeaderFamilies are all of the families.
func HeaderFamilies() []Headers {
	return []Headers{Draft11, Draft7, Draft6, XRateLimitEpoch, XRateLimitDelta, NoHeaders}
}

// Kinds are what can be served: a limiter that refuses, or a window from the first request that keeps to another manner.
func Kinds() []string {
	var kinds []string
	for _, a := range limiter.Algorithms() {
		kinds = append(kinds, string(a))
	}
	return append(kinds, string(SlowDown), string(Tarpit), string(SilentDrop), string(Close))
}

// The parts of a request, besides a header's name, that a budget can belong to.
const (
	Address = "address"
	Method  = "method"
	Path    = "path"
)

// Options are how an API limits.
type Options struct {
	Rule   limiter.Rule
	Manner Manner
	// Delay is how long a Tarpit holds a refusal.
	Delay time.Duration
	// Step is by how much a SlowDown delays each request more than the one before it.
	Step time.Duration
	// Takes is how long the answer to a request that passes takes.
	Takes time.Duration
	// Key are what a budget belongs to, together: names of headers, Address, Method or Path; none: one is everybody's.
	Key []string
	// Status is that of a refusal; 0: 429 (RFC 6585 §4).
	Status     int
	RetryAfter RetryAfter
	Headers    Headers
	// Opened is the wall time of the moment 0. The wall clock's windows are counted from 1970.
	Opened time.Time
}

// underWay is how long an answer of a Concurrency takes, if nothing else is said: without it nothing would be under way.
const underWay = 50 * time.Millisecond

// Of are options for a kind; the rest is as given.
func (o Options) Of(kind string) Options {
	o.Manner = Refuse
	switch m := Manner(kind); m {
	case SlowDown, Tarpit, SilentDrop, Close:
		o.Rule.Algorithm, o.Manner = limiter.FirstWindow, m
	default:
		o.Rule.Algorithm = limiter.Algorithm(kind)
	}
	if o.Rule.Algorithm == limiter.Concurrency && o.Takes == 0 {
		o.Takes = underWay
	}
	return o
}

// Check says what is wrong with the options, nil if nothing is.
func (o Options) Check() error {
	switch err := o.Rule.Check(); {
	case err != nil:
		return err
	case o.Delay < 0 || o.Step < 0 || o.Takes < 0:
		return fmt.Errorf("no answer comes before its request")
	case o.Status != 0 && (o.Status < 400 || o.Status > 599):
		return fmt.Errorf("a refusal's status is from 400 to 599, not %d", o.Status)
	case o.RetryAfter != "" && !slices.Contains(RetryAfters(), o.RetryAfter):
		return fmt.Errorf("there is no Retry-After %q; there are %v", o.RetryAfter, RetryAfters())
	case o.Headers != "" && !slices.Contains(HeaderFamilies(), o.Headers):
		return fmt.Errorf("there are no headers %q; there are %v", o.Headers, HeaderFamilies())
	}
	return nil
}

// API limits by its options. It may be asked by several goroutines.
type API struct {
	options Options

	mu    sync.Mutex
	keyed *limiter.Keyed
	last  time.Duration
	// under are the requests that have passed and are not over, in the order they came.
	under []passing
	// over is how many requests of a key have passed in a SlowDown since one last passed by itself.
	over map[string]int64
}

type passing struct {
	limiter limiter.Limiter
	until   time.Duration
}

// New makes an API in its first state. The options have to be ones that Check accepts.
func New(o Options) *API {
	if err := o.Check(); err != nil {
		panic("limited: " + err.Error())
	}
	if o.Status == 0 {
		o.Status = http.StatusTooManyRequests
	}
	return &API{options: o, keyed: limiter.NewKeyed(o.Rule), over: map[string]int64{}}
}

// mostOver is how many keys a SlowDown remembers; then it begins anew.
const mostOver = 10_000

// Answer answers a request that came at the moment now, counted from the API's beginning.
func (a *API) Answer(now time.Duration, r demo.Request) demo.Reply {
	a.mu.Lock()
	defer a.mu.Unlock()
	now = max(now, a.last) // who was told the time first need not come first
	a.last = now
	since := time.Duration(a.options.Opened.UnixNano()) // of the wall clock; before 1970 there were no windows
	if a.options.Opened.IsZero() {
		since = 0
	}
	a.finish(now)
	key := a.key(r)
	l := a.keyed.Of(key, since+now)
	ok, delay, after := l.Allow(since + now)
	left, more := l.Left(since + now)
	if !ok && after == 0 {
		after = a.soonest(l, now)
	}
	if !ok {
		more = after
	}
	delay += a.options.Takes
	if ok {
		delete(a.over, key)
	} else if a.options.Manner == SlowDown {
		if len(a.over) == mostOver {
			clear(a.over)
		}
		a.over[key]++
		delay += time.Duration(a.over[key]) * a.options.Step
	}
	var reply demo.Reply
	switch {
	case ok || a.options.Manner == SlowDown:
		reply = demo.Reply{
			Status: http.StatusOK, After: delay,
			Header: []messages.Field{{Name: "Content-Type", Value: "application/json"}}, Body: []byte(`{"passed":true}`),
		}
		if a.options.Rule.Algorithm == limiter.Concurrency {
			a.under = append(a.under, passing{l, now + delay})
		}
	default:
		reply = a.refusal(now, after)
	}
	reply.Header = append(reply.Header, a.said(now, left, more)...)
	reply.Bare = r.Method == http.MethodHead
	return reply
}

// finish tells the limiters what is over by now.
func (a *API) finish(now time.Duration) {
	a.under = slices.DeleteFunc(a.under, func(p passing) bool {
		if p.until <= now {
			p.limiter.Done(p.until)
		}
		return p.until <= now
	})
}

// soonest is after how long one of the requests that the limiter has let pass is over.
func (a *API) soonest(l limiter.Limiter, now time.Duration) time.Duration {
	soonest := time.Duration(0)
	for _, p := range a.under {
		if left := p.until - now; p.limiter == l && (soonest == 0 || left < soonest) {
			soonest = left
		}
	}
	return soonest
}

// key is what the request's budget belongs to.
func (a *API) key(r demo.Request) string {
	parts := make([]string, 0, len(a.options.Key))
	for _, name := range a.options.Key {
		part := ""
		switch name {
		case Address:
			part = r.From
		case Method:
			part = r.Method
		case Path:
			part, _, _ = strings.Cut(r.Target, "?")
		default:
			part = messages.Get(r.Header, name)
		}
		parts = append(parts, strconv.Quote(part))
	}
	return strings.Join(parts, " ")
}

// refusal is the answer to a request that may not pass, and could after so long; 0 where that cannot be known.
func (a *API) refusal(now, after time.Duration) demo.Reply {
	o := &a.options
	reply := demo.Reply{
		Status: o.Status,
		Header: []messages.Field{{Name: "Content-Type", Value: "application/problem+json"}},
		Body:   fmt.Appendf(nil, `{"title":%q,"status":%d,"detail":"the limit is reached"}`, http.StatusText(o.Status), o.Status),
	}
	switch o.Manner {
	case Tarpit:
		reply.After = o.Delay
		after = max(0, after-o.Delay)
	case SilentDrop:
		reply.Break = demo.Never
	case Close:
		reply.Break = demo.AtOnce
	}
	if text := a.retryAfter(now+reply.After, after); text != "" {
		reply.Header = append(reply.Header, messages.Field{Name: "Retry-After", Value: text})
	}
	return reply
}

// retryAfter is what a Retry-After says of a wait from the moment now on, "" if there is none.
func (a *API) retryAfter(now, wait time.Duration) string {
	seconds := upTo(wait, time.Second)
	date := func(form string) string {
		return a.options.Opened.Add(now + wait + time.Second - 1).Truncate(time.Second).UTC().Format(form)
	}
	switch a.options.RetryAfter {
	case InSeconds:
		return strconv.FormatInt(seconds, 10)
	case AsDate:
		return date(http.TimeFormat)
	case AsRFC850:
		return date("Monday, 02-Jan-06 15:04:05 GMT")
	case AsAsctime:
		return date(time.ANSIC)
	case AsFraction:
		thousandths := upTo(wait, time.Millisecond)
		return fmt.Sprintf("%d.%03d", thousandths/1000, thousandths%1000)
	case AsEpoch:
		return strconv.FormatInt(a.epoch(now+wait), 10)
	case TooSoon:
		return strconv.FormatInt(int64(wait/2/time.Second), 10)
	}
	return ""
}

// epoch is the moment as seconds since 1970, rounded up.
func (a *API) epoch(t time.Duration) int64 {
	return a.options.Opened.Add(t + time.Second - 1).Unix()
}

// said are the fields on what is left, and on how long it takes until there is more.
func (a *API) said(now time.Duration, left int64, more time.Duration) []messages.Field {
	rule := a.options.Rule
	window, wait := max(1, upTo(rule.Window, time.Second)), upTo(more, time.Second)
	fields := func(pairs ...any) []messages.Field {
		var list []messages.Field
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, messages.Field{Name: pairs[i].(string), Value: fmt.Sprint(pairs[i+1])})
		}
		return list
	}
	switch a.options.Headers {
	case Draft11:
		return fields("RateLimit-Policy", fmt.Sprintf(`"default";q=%d;w=%d`, rule.Limit, window),
			"RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, left, wait))
	case Draft7:
		return fields("RateLimit-Policy", fmt.Sprintf("%d;w=%d", rule.Limit, window),
			"RateLimit", fmt.Sprintf("limit=%d, remaining=%d, reset=%d", rule.Limit, left, wait))
	case Draft6:
		return fields("RateLimit-Policy", fmt.Sprintf("%d;w=%d", rule.Limit, window),
			"RateLimit-Limit", rule.Limit, "RateLimit-Remaining", left, "RateLimit-Reset", wait)
	case XRateLimitEpoch:
		return fields("X-RateLimit-Limit", rule.Limit, "X-RateLimit-Remaining", left, "X-RateLimit-Reset", a.epoch(now+more))
	case XRateLimitDelta:
		return fields("X-RateLimit-Limit", rule.Limit, "X-RateLimit-Remaining", left, "X-RateLimit-Reset", wait)
	}
	return nil
}

// upTo is so many units, rounded up.
func upTo(d, unit time.Duration) int64 {
	n := int64(d / unit)
	if d%unit > 0 {
		n++
	}
	return n
}
