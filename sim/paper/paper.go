// Package paper describes APIs that exist on paper alone: how long they take, what they limit and how they refuse, when
// they stall, slow down or die. A description is a plain value; what its API answers hangs on the seed, on the
// operation, on the request's number within it, and on what came when.
package paper

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/sim/limiter"
)

// API describes an API. The zero API answers each request after a millisecond, without content.
type API struct {
	// Latency is how long answers take; never nothing, as a run on paper would not get beyond its first moment.
	Latency Latency
	// BySchema answers with content made from the document's schemas; without it replies are empty.
	BySchema bool
	// Instead are answers of another kind, so many of a hundred each; together at most a hundred.
	Instead []Share
	Quotas  []Quota
	Phases  []Phase
	// Skew is how far the API's clock is ahead of the caller's.
	Skew time.Duration
	// Dials is how long a connection takes to open, Writes how long a request takes to leave: none by default.
	Dials, Writes Latency
}

// Share is so many of a hundred answers that are of another kind.
type Share struct {
	Of100 int
	// Operations are those it is about; nil: all.
	Operations []int
	// Status is their status, 0 if no reply comes.
	Status int
	Fate   Fate
	// Refusal, unless nil, asks to wait, without a quota that the caller could know.
	Refusal *Refusal
	// Location is where a redirect leads.
	Location string
	// Says is what such an answer says is left, without a quota that would be kept to.
	Says Announcement
	// After, unless zero, is how long such an answer takes.
	After Latency
}

// Fate is what becomes of a request.
type Fate int

// The fates.
const (
	// Replies: a reply comes, whole.
	Replies Fate = iota
	// Drips: its header comes at once, and its content later by as much again.
	Drips
	// BreaksOff: the connection ends in the middle of the content.
	BreaksOff
	// ClosesAfter: the connection ends after the reply.
	ClosesAfter
	// Closes: the connection ends before a reply.
	Closes
	// Resets: the connection is reset.
	Resets
	// Silence: nothing comes.
	Silence
)

// Latency is how long something takes: one of the classes, and up to Jitter more.
type Latency struct {
	Classes []time.Duration
	Jitter  time.Duration
}

// Always takes that long.
func Always(d time.Duration) Latency { return Latency{Classes: []time.Duration{d}} }

// Within takes up to that long.
func Within(d time.Duration) Latency { return Latency{Jitter: d} }

// Classes takes so many units, and up to jitter more.
func Classes(unit, jitter time.Duration, units ...int) Latency {
	l := Latency{Jitter: jitter}
	for _, n := range units {
		l.Classes = append(l.Classes, time.Duration(n)*unit)
	}
	return l
}

func (l Latency) draw(r *rand.Rand) (d time.Duration) {
	if len(l.Classes) > 1 {
		d = l.Classes[r.IntN(len(l.Classes))]
	} else if len(l.Classes) == 1 {
		d = l.Classes[0]
	}
	if l.Jitter > 0 {
		d += time.Duration(r.Int64N(int64(l.Jitter) + 1))
	}
	return d
}

// Phase is a time in which the API is not itself.
type Phase struct {
	From, To time.Duration
	// Times makes answers that many times slower; 0: it stalls, and what is due in the phase comes at its end.
	Times int
	// Dead resets what is under way, and refuses connections.
	Dead bool
}

// Stalls answers nothing from one moment to the other, and then everything at once.
func Stalls(from, to time.Duration) Phase { return Phase{From: from, To: to} }

// Slows takes that many times as long for what comes between the moments.
func Slows(from, to time.Duration, times int) Phase { return Phase{From: from, To: to, Times: times} }

// Dies is gone from one moment to the other.
func Dies(from, to time.Duration) Phase { return Phase{From: from, To: to, Dead: true} }

func (p Phase) covers(now time.Duration) bool { return p.From <= now && now < p.To }

// Quota limits requests.
type Quota struct {
	// Operations are those it counts, together; nil: those of the whole API.
	Operations []int
	// Each counts each operation for itself, ByHeader each value of the header field of that name.
	Each     bool
	ByHeader string
	Rule     limiter.Rule
	Refusal  Refusal
	// Says is how the answers to what it counts say what is left of it: of several quotas that do, the first.
	Says Spelling
}

// Request is a request as the API meets it.
type Request struct {
	demo.Request
	Operation, Nth int
	// Hop counts the redirects that led to it.
	Hop int
}

// Answer is what becomes of a request.
type Answer struct {
	demo.Reply
	// Ready is the reply as its reader has it, for one that need not be written and read; else it is nil.
	Ready *messages.Reply
	Fate  Fate
	// Head is when a dripping reply's header is there.
	Head time.Duration
	Asks Asks
	// Takes is how long the request takes to leave.
	Takes time.Duration
}

// Served is an API in some state. It belongs to one goroutine.
type Served struct {
	api      API
	seed     uint64
	began    time.Time
	replies  []replies
	limiters []*limiter.Keyed
	under    []ending
	says     Announcement // of the answer that is being made
	source   *rand.PCG
	rand     *rand.Rand
}

// ending is a request under way that counts against a limit of what may be under way at once.
type ending struct {
	limiter limiter.Limiter
	at      time.Duration
}

// New makes the API of a document, in its first state, for a run that began at that wall time.
func (a API) New(doc *document.Document, seed uint64, began time.Time) *Served {
	s := &Served{api: a, seed: seed, began: began, source: rand.NewPCG(0, 0)}
	s.rand = rand.New(s.source)
	s.replies = prepare(doc, a.BySchema, s.rand)
	for _, q := range a.Quotas {
		s.limiters = append(s.limiters, limiter.NewKeyed(q.Rule))
	}
	return s
}

// Dial says how long the connection that is asked for at the moment now takes, and why it is refused, "" if it is not.
func (s *Served) Dial(now time.Duration, slot int) (after time.Duration, refused string) {
	for _, p := range s.api.Phases {
		if p.Dead && p.covers(now) {
			return 0, "connection refused"
		}
	}
	s.sow(1<<31, slot<<20^int(now))
	return s.api.Dials.draw(s.rand), ""
}

// Answer says what becomes of a request whose first byte left at the moment now.
func (s *Served) Answer(now time.Duration, r Request) Answer {
	s.sow(r.Operation, r.Nth<<4|r.Hop)
	s.says = Announcement{}
	a := s.kind(now, r)
	a.Takes = s.api.Writes.draw(s.rand)
	if a.After <= 0 {
		a.After = max(s.api.Latency.draw(s.rand), 0)
	}
	if s.says.As != Unsaid {
		s.announce(&a, s.says, now)
	}
	if a.After = s.late(now, &a); a.After == 0 {
		a.After = time.Millisecond
	}
	if a.Fate == Drips {
		a.Head, a.After = a.After, 2*a.After
	}
	for i := len(s.under) - 1; i >= 0 && s.under[i].at < 0; i-- {
		s.under[i].at = now + a.Takes + a.After
	}
	return a
}

// kind is the answer as it would be in a good moment.
func (s *Served) kind(now time.Duration, r Request) Answer {
	if a, refused := s.limited(now, r); refused {
		return a
	}
	place := s.rand.IntN(100)
	for _, share := range s.api.Instead {
		if place -= share.Of100; place >= 0 {
			continue
		}
		if share.Operations != nil && !slices.Contains(share.Operations, r.Operation) || share.Location != "" && r.Hop > 0 {
			break
		}
		if s.says.As == Unsaid {
			s.says = share.Says
		}
		after := share.After.draw(s.rand)
		if share.Refusal != nil {
			if after == 0 {
				after = share.Refusal.After.draw(s.rand)
			}
			return s.refuse(*share.Refusal, now, after, time.Second)
		}
		a := s.reply(r.Operation)
		a.Fate, a.After = share.Fate, after
		if share.Status != 0 {
			a.Reply, a.Ready = demo.Reply{Status: share.Status, After: after}, nil
			if share.Location != "" {
				a.Header = append(a.Header, messages.Field{Name: "Location", Value: share.Location})
			}
		}
		return a
	}
	return s.reply(r.Operation)
}

// limited asks the quotas, in their order, up to the first that refuses.
func (s *Served) limited(now time.Duration, r Request) (Answer, bool) {
	s.under = slices.DeleteFunc(s.under, func(e ending) bool {
		over := e.at <= now
		if over {
			e.limiter.Done(now)
		}
		return over
	})
	var delayed time.Duration
	for i, q := range s.api.Quotas {
		if q.Operations != nil && !slices.Contains(q.Operations, r.Operation) {
			continue
		}
		key := ""
		switch {
		case q.Each:
			key = strconv.Itoa(r.Operation)
		case q.ByHeader != "":
			key = messages.Get(r.Header, q.ByHeader)
		}
		l := s.limiters[i].Of(key, now)
		ok, delay, retryAfter := l.Allow(now)
		if q.Says != Unsaid && s.says.As == Unsaid {
			left, more := l.Left(now)
			if !ok {
				left, more = 0, retryAfter
			}
			s.says = Announcement{As: q.Says, Left: left, More: more, Window: q.Rule.Window}
		}
		if !ok {
			return s.refuse(q.Refusal, now, q.Refusal.After.draw(s.rand), retryAfter), true
		}
		if q.Rule.Algorithm == limiter.Concurrency {
			s.under = append(s.under, ending{l, -1})
		}
		delayed = max(delayed, delay)
	}
	if delayed == 0 {
		return Answer{}, false
	}
	a := s.reply(r.Operation)
	a.After = delayed + s.api.Latency.draw(s.rand)
	return a, true
}

// late is how long the answer takes in the phases that are going.
func (s *Served) late(now time.Duration, a *Answer) time.Duration {
	after := a.After
	for _, p := range s.api.Phases {
		due := now + after
		switch {
		case p.Dead && (p.covers(now) || p.covers(due) || now < p.From && due >= p.To):
			// The reply would have said something; the end of the connection does not.
			a.Fate, a.Asks = Resets, Asks{}
			after = max(0, p.From-now)
		case p.Dead:
		case p.Times == 0 && p.covers(due):
			after = p.To - now
		case p.Times > 0 && p.covers(now):
			after *= time.Duration(p.Times)
		}
	}
	return after
}

// sow makes the numbers those of a request.
func (s *Served) sow(operation, nth int) {
	s.source.Seed(s.seed^0x5eed_0f_a9a9, uint64(operation)<<32^uint64(nth)*0x9e3779b97f4a7c15)
}

func (s *Served) reply(operation int) Answer {
	if operation < 0 || operation >= len(s.replies) {
		return Answer{Reply: demo.Reply{Status: http.StatusNotFound}}
	}
	return s.replies[operation].make()
}
