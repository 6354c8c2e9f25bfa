// Package experimenter decides which experiment on a limiter is next and builds its requests.
//
// It stands where the generator stands in a run: it answers each Want with one Offer, and is told how each request
// ended. Its batches leave when they are meant to, because it offers nothing before their moment. What is concluded from
// them is package inference's.
package experimenter

import (
	"slices"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/clock/quota"
	"github.com/restest/restest/clock/retryafter"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/experimenter/inference"
)

// Request is one of the requests that experiments are made of.
type Request struct {
	Method, Target string
	Header         []messages.Field
	Body           []byte
}

// Config is what an experimenter is made of.
type Config struct {
	Examination *inference.Examination
	// Requests are the variants of the examination, in their order: the plain request first.
	Requests []Request
}

// Neighbours are the stages it tells.
type Neighbours struct {
	Pacer    func(messages.ToPacer)
	Reporter func(messages.ToReporter)
}

// Experimenter is the stage. It belongs to one goroutine.
type Experimenter struct {
	cfg   Config
	clock clock.Clock
	to    Neighbours

	seq int64
	nth []int

	batch   inference.Batch // the one that is going on, if going
	going   bool
	first   int64     // the Seq of its first request
	offered []waiting // its requests, in their order
	unsent  int

	usual   int // the status of the first answer
	refusal int // the status that refusals have, 0 while none is known but 429
	closes  bool
	late    bool            // refusals come far later than those let through, or not at all
	served  []time.Duration // how long those let through took, the shortest first

	evidence Evidence
}

// waiting is a request that was offered.
type waiting struct {
	at   messages.Instant
	over bool
}

// Evidence is replies kept whole.
type Evidence struct {
	// Accepted is the first reply of all, Rejected the first refusal; nil for none.
	Accepted, Rejected *messages.Reply
	// Asked is the request that was refused.
	Asked *messages.Request
}

// New makes an experimenter.
func New(cfg Config, clk clock.Clock, to Neighbours) *Experimenter {
	return &Experimenter{cfg: cfg, clock: clk, to: to, nth: make([]int, len(cfg.Requests))}
}

// Evidence is what was kept. It may be asked once no message is handled any more.
func (e *Experimenter) Evidence() Evidence { return e.evidence }

// Handle takes one message.
func (e *Experimenter) Handle(m messages.ToGenerator) {
	switch m := m.(type) {
	case messages.Want:
		e.to.Pacer(e.offer())
	case messages.Returned:
		e.unsent++ // the run is ending
	case messages.Learned:
		e.learn(m)
	}
}

// offer is the next request of the batch that is going on, when its moment has come.
func (e *Experimenter) offer() messages.Offer {
	now := e.clock.Now()
	if e.going && len(e.offered) == e.batch.N {
		until := e.patience()
		if until > now {
			return messages.Offer{Why: messages.NothingYet, Until: until}
		}
		e.waitNoLonger(now)
	}
	if !e.going {
		step, more := e.cfg.Examination.Next(now)
		if !more {
			return messages.Offer{Why: messages.NothingEver}
		}
		e.batch = inference.Batch{Step: step, Lo: messages.Never}
		e.going, e.first, e.offered, e.unsent = true, e.seq+1, nil, 0
	}
	if due := e.due(); due > now {
		return messages.Offer{Why: messages.NothingYet, Until: due}
	}
	e.offered = append(e.offered, waiting{at: now})
	return messages.Offer{Request: e.build(e.batch.Variant)}
}

// patience is until when the answers to the batch are waited for: Never, unless refusals are known to come late. Then
// what has no answer long after those let through have theirs is one. It is short beside the window, or there is none.
func (e *Experimenter) patience() messages.Instant {
	wait := 200*time.Millisecond + 10*e.usually()
	if !e.late || e.batch.Whole || 4*wait > e.cfg.Examination.Known().Window {
		return messages.Never
	}
	return e.offered[len(e.offered)-1].at.Add(wait)
}

// waitNoLonger takes what has no answer yet for refused. When its answer comes it belongs to no batch any more.
func (e *Experimenter) waitNoLonger(now messages.Instant) {
	for i := range e.offered {
		if o := &e.offered[i]; !o.over {
			o.over = true
			e.batch.Answers = append(e.batch.Answers, inference.Answer{Sent: o.at, Heard: now, How: inference.Late})
		}
	}
	e.finish()
}

// usually is how long those let through take: the median.
func (e *Experimenter) usually() time.Duration {
	if len(e.served) == 0 {
		return 0
	}
	return e.served[len(e.served)/2]
}

// due is when the batch's next request is to be sent.
func (e *Experimenter) due() messages.Instant {
	if e.batch.N < 2 {
		return e.batch.At
	}
	return e.batch.At.Add(time.Duration(float64(e.batch.Spread) * float64(len(e.offered)) / float64(e.batch.N-1)))
}

func (e *Experimenter) build(variant int) *messages.Request {
	r := e.cfg.Requests[variant]
	e.seq++
	e.nth[variant]++
	return &messages.Request{
		Seq: e.seq, Nth: e.nth[variant], Operation: variant, Method: r.Method, Target: r.Target, Header: r.Header, Body: r.Body,
		Purpose: messages.Nominal, Valid: true,
	}
}

// learn takes in how a request ended. The batch is over with its last.
func (e *Experimenter) learn(m messages.Learned) {
	if !e.going || m.Request.Seq < e.first {
		e.keep(m)
		return
	}
	e.offered[m.Request.Seq-e.first].over = true
	// A connection that had been idle and is closed says nothing, unless this limiter is one that closes.
	idle := m.Outcome == messages.NoReply && m.Kind == messages.ClosedIdle && !e.closes
	if m.Outcome == messages.NeverSent || m.Kind == messages.GivenUp || idle {
		e.unsent++
	} else {
		e.answered(m)
	}
	if len(e.batch.Answers)+e.unsent < e.batch.N {
		return
	}
	e.finish()
}

// finish ends the batch.
func (e *Experimenter) finish() {
	e.going = false
	e.batch.N = len(e.batch.Answers)
	if e.batch.N == 0 {
		return // it could not be sent, and is planned anew
	}
	e.forgetTheSlow()
	e.arrivals()
	e.cfg.Examination.Add(e.batch)
	if e.batch.Control && e.batch.Accepted == 0 {
		return // as was to be shown
	}
	e.to.Reporter(messages.Experimented{At: e.batch.Lo, Why: e.batch.Why, Variant: e.cfg.Examination.Variant(e.batch.Step), Sent: e.batch.N, Accepted: e.batch.Accepted})
}

func (e *Experimenter) answered(m messages.Learned) {
	a := inference.Answer{Sent: m.SentAt, Heard: m.HeardAt, How: inference.Replied}
	switch {
	case m.Reply == nil && m.Kind == messages.TimedOut:
		a.How = inference.Dropped
	case m.Reply == nil:
		a.How, e.closes = inference.Closed, true
	default:
		a.Status = m.Reply.Status
		a.Said = e.said(m)
		a.Accepted = !e.refuses(m.Reply, m.Request.Operation)
		e.keep(m)
	}
	if a.Accepted {
		e.batch.Accepted++
	} else if m.Wait > 0 {
		e.cfg.Examination.Quiet(m.HeardAt.Add(m.Wait))
	}
	e.batch.Answers = append(e.batch.Answers, a)
}

// forgetTheSlow takes out of the batch what was not answered in time, where answers took nearly as long: it was delayed,
// and who knows whether it would have been let through.
func (e *Experimenter) forgetTheSlow() {
	var longest time.Duration
	for _, a := range e.batch.Answers {
		if a.Accepted {
			longest = max(longest, a.Took())
		}
	}
	e.batch.Answers = slices.DeleteFunc(e.batch.Answers, func(a inference.Answer) bool {
		return a.How == inference.Dropped && 2*longest > a.Took()
	})
	e.batch.N = len(e.batch.Answers)
}

// arrivals bounds when the batch came to the limiter. A refusal that is held back, or never comes, came to it no later
// than requests do that are let through.
func (e *Experimenter) arrivals() {
	b := &e.batch
	for _, a := range b.Answers {
		if a.Accepted && len(e.served) < 4096 {
			e.served = append(e.served, a.Took())
		}
	}
	slices.Sort(e.served)
	const unanswered = 100 * time.Millisecond
	usual := unanswered
	if len(e.served) > 0 {
		usual = 20*time.Millisecond + 4*e.usually()
	}
	b.Hi, b.Over = 0, 0
	slow, latest := 0, time.Duration(0)
	for _, a := range b.Answers {
		b.Lo, b.Over = min(b.Lo, a.Sent), max(b.Over, a.Heard)
		heard := a.Heard
		switch {
		case a.Accepted:
			latest = max(latest, a.Took())
		case a.How == inference.Dropped || a.How == inference.Late || a.Took() > 5*usual:
			heard = min(heard, a.Sent.Add(usual))
			slow++
		}
		b.Hi = max(b.Hi, heard)
	}
	e.late = e.late || slow > 0 && slow == b.Refused() && latest < 2*usual
}

// otherRefusals are the statuses besides 429 that limiters refuse with, where it is not the route's usual one.
var otherRefusals = map[int]bool{403: true, 420: true, 430: true, 503: true, 509: true, 529: true, 999: true}

// refuses says whether a reply is a limiter's refusal.
func (e *Experimenter) refuses(r *messages.Reply, variant int) bool {
	if e.usual == 0 {
		e.usual = r.Status
	}
	switch {
	case r.Status == 429 || r.Status == e.refusal:
		return true
	case variant == 0 && r.Status != e.usual && otherRefusals[r.Status]:
		e.refusal = r.Status
		return true
	}
	return false
}

// keep keeps the first reply that was let through, and the first refusal.
func (e *Experimenter) keep(m messages.Learned) {
	if m.Reply == nil {
		return
	}
	switch refused := e.refuses(m.Reply, m.Request.Operation); {
	case !refused && e.evidence.Accepted == nil:
		e.evidence.Accepted = m.Reply
	case refused && e.evidence.Rejected == nil:
		e.evidence.Rejected, e.evidence.Asked = m.Reply, m.Request
	}
}

// said is what a reply says of a quota, nil if it says nothing.
func (e *Experimenter) said(m messages.Learned) *inference.Said {
	header := m.Reply.Header
	received := e.clock.Wall(m.HeardAt)
	said := inference.FieldsOf(header)
	lines := messages.Values(header, "Retry-After")
	if said == nil && lines == nil {
		return nil
	}
	if said == nil {
		said = &inference.Said{}
	}
	if reading, ok, _ := quota.Read(header, received); ok {
		said.Read, said.Left, said.More = true, reading.Left, reading.More
	}
	if lines != nil {
		said.RetryAfter = lines[0]
		reading, ok := retryafter.Read(lines, messages.Get(header, "Date"), received)
		said.Stated, said.Wait, said.OffSpec = ok, reading.Wait, reading.OffSpec
	}
	return said
}
