// Package sim runs tests on paper: the stages of a live run, under the fake clock, against an API that is a value.
//
// A Scenario says what is run and against what; its Run gives a Trace, and Judge says which laws of pacing and waiting
// the trace breaks.
package sim

import (
	"bytes"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/sim/paper"
	"github.com/restest/restest/stages/sender"
)

// API is an API on paper: what it answers to a request that comes at the moment now.
type API interface {
	Answer(now time.Duration, r demo.Request) demo.Reply
}

// World is an API on paper with the connections to it: it can do worse than reply.
type World interface {
	// Dial says how long a slot's connection takes to open, and why it does not, "" if it does.
	Dial(now time.Duration, slot int) (after time.Duration, refused string)
	// Answer says what becomes of a request that leaves at the moment now.
	Answer(now time.Duration, r paper.Request) paper.Answer
}

// plain is an API whose connections are always open.
type plain struct{ API }

func (plain) Dial(time.Duration, int) (time.Duration, string) { return 0, "" }

func (p plain) Answer(now time.Duration, r paper.Request) paper.Answer {
	return paper.Answer{Reply: p.API.Answer(now, r.Request)}
}

// edge is the world's edge on paper: requests are written at their moment, and what becomes of them comes when the
// world says.
type edge struct {
	world World
	clk   clock.Clock
	tell  func(messages.ToSender)
	read  *sender.Reader
	slots []sheet
	// silence is how long a reply is waited for.
	silence time.Duration
	// hurried has every reply come at once, however long the API says it takes.
	hurried bool
	// saw, unless nil, is told of each write and what will become of it.
	saw func(slot int, o sender.Outgoing, at clock.Instant, a paper.Answer)
}

// sheet is one slot: how to take back what it waits for, and how that ends if the run is over first.
type sheet struct {
	cancel  func()
	giveUp  func()
	written bool
	// last is the request it carried last, hop how many redirects of it were followed; used is true once a reply came
	// over its connection.
	last *messages.Request
	hop  int
	used bool
}

func (s *sheet) waits(cancel, giveUp func()) { s.cancel, s.giveUp = cancel, giveUp }

func (s *sheet) done() { s.cancel, s.giveUp, s.written = nil, nil, false }

// NewTransport makes the edge of a run on paper.
func NewTransport(api API, s settings.Engine, clk clock.Clock, tell func(messages.ToSender)) sender.Transport {
	return newEdge(plain{api}, s, clk, tell)
}

// NewHurriedTransport makes an edge whose replies come at once, to measure what the stages cost.
func NewHurriedTransport(api API, s settings.Engine, clk clock.Clock, tell func(messages.ToSender)) sender.Transport {
	e := newEdge(plain{api}, s, clk, tell)
	e.hurried = true
	return e
}

func newEdge(w World, s settings.Engine, clk clock.Clock, tell func(messages.ToSender)) *edge {
	return &edge{
		world: w, clk: clk, tell: tell, read: sender.NewReader(s, clk), slots: make([]sheet, s.MaxConcurrency),
		silence: min(s.ReadTimeout, s.CallTimeout),
	}
}

func (e *edge) Open(slot int) {
	now := e.clk.Now()
	after, refused := e.world.Dial(time.Duration(now), slot)
	s := &e.slots[slot]
	s.used = false
	answer := func() {
		s.done()
		if refused != "" {
			e.tell(messages.NotOpened{Slot: slot, Reason: refused})
			return
		}
		e.tell(messages.Opened{Slot: slot})
	}
	if after == 0 {
		answer()
		return
	}
	s.written = true // a Recall is not about a connection
	s.waits(e.clk.At(now.Add(after), answer), func() { e.tell(messages.NotOpened{Slot: slot, Reason: "given up"}) })
}

func (e *edge) Write(slot int, o sender.Outgoing) {
	if e.hurried {
		e.write(slot, o)
		return
	}
	e.slots[slot].waits(e.clk.At(o.At, func() { e.write(slot, o) }), func() {
		e.tell(messages.Wrote{Slot: slot, Unsent: true, Reason: "recalled"})
	})
}

// write is the moment the bytes go.
func (e *edge) write(slot int, o sender.Outgoing) {
	s, at := &e.slots[slot], e.clk.Now()
	s.done()
	if at >= o.Deadline {
		e.tell(messages.Wrote{Slot: slot, Unsent: true, Reason: "the run's time was up"})
		return
	}
	if s.hop++; s.last != o.Request {
		s.last, s.hop = o.Request, 0
	}
	a := e.world.Answer(time.Duration(at), paper.Request{
		Request:   demo.Request{Method: o.Method, Target: o.Target, Header: o.Request.Header, Body: content(o.Bytes)},
		Operation: o.Request.Operation, Nth: o.Request.Nth, Hop: s.hop,
	})
	if e.saw != nil {
		e.saw(slot, o, at, a)
	}
	written := func() {
		s.done()
		now := e.clk.Now()
		e.tell(messages.Wrote{Slot: slot, At: at, Written: now})
		s.written = true
		e.await(slot, o.Method, now, a)
	}
	if a.Takes == 0 || e.hurried {
		written()
		return
	}
	s.written = true
	s.waits(e.clk.At(at.Add(a.Takes), written), func() {
		e.tell(messages.Wrote{Slot: slot, At: at, Written: e.clk.Now()})
		e.giveUp(slot, nil, e.clk.Now())
	})
}

// await waits for what becomes of a request that was written at the moment from.
func (e *edge) await(slot int, method string, from clock.Instant, a paper.Answer) {
	s := &e.slots[slot]
	came := e.come(method, &a)
	came.Slot = slot
	if came.Kind == messages.ClosedEarly && came.Outcome == messages.NoReply && s.used {
		came.Kind = messages.ClosedIdle
	}
	arrive := func() {
		s.done()
		s.used = came.Open
		came.EndedAt = e.clk.Now()
		if came.HeardAt == 0 {
			came.HeardAt = came.EndedAt
		}
		e.tell(came)
	}
	if e.hurried {
		arrive()
		return
	}
	if came.Reply == nil || a.Fate != paper.Drips || a.Head >= a.After {
		s.waits(e.clk.At(from.Add(a.After), arrive), func() { e.giveUp(slot, nil, 0) })
		return
	}
	s.waits(e.clk.At(from.Add(a.Head), func() {
		now := e.clk.Now()
		early := *came.Reply
		early.Body, early.Length = nil, 0
		came.HeardAt = now
		e.tell(messages.Headed{Slot: slot, At: now, Reply: &early})
		s.waits(e.clk.At(from.Add(a.After), arrive), func() { e.giveUp(slot, &early, now) })
	}), func() { e.giveUp(slot, nil, 0) })
}

// come is how the answer is read: as the bytes of the reply, unless there are none.
func (e *edge) come(method string, a *paper.Answer) messages.Came {
	none := func(kind messages.Failure, why string) messages.Came {
		return messages.Came{Outcome: messages.NoReply, Kind: kind, Failure: why}
	}
	switch {
	case a.Fate == paper.Resets:
		return none(messages.WasReset, "connection reset")
	case a.Fate == paper.Silence || a.After > e.silence && a.Head == 0 || a.Head > e.silence:
		a.After = e.silence
		return none(messages.TimedOut, "no reply within "+e.silence.String())
	case a.Fate == paper.Closes:
		return none(messages.ClosedEarly, "connection closed before any reply")
	case a.Fate == paper.BreaksOff && len(a.Body) > 0:
		a.Break = demo.InLength
	case a.Fate == paper.ClosesAfter:
		a.Close = true
	}
	var came messages.Came
	if a.Ready != nil {
		came = messages.Came{Outcome: messages.Answered, Reply: a.Ready, Open: !a.Close}
	} else {
		came = e.read.Read(a.Append(nil), a.Ends(), method)
	}
	if a.Fate == paper.Drips && a.After-a.Head > e.silence {
		a.After = a.Head + e.silence
		came.Outcome, came.Kind, came.Open = messages.BrokeOff, messages.TimedOut, false
		came.Failure = "the reply broke off: nothing more within " + e.silence.String()
	}
	return came
}

// giveUp ends what was written when the run is over before its reply.
func (e *edge) giveUp(slot int, head *messages.Reply, heard clock.Instant) {
	now := e.clk.Now()
	came := messages.Came{
		Slot: slot, HeardAt: now, EndedAt: now, Outcome: messages.NoReply,
		Failure: "the run was over before the reply came", Kind: messages.GivenUp,
	}
	if head != nil {
		came.Outcome, came.Reply, came.HeardAt = messages.BrokeOff, head, heard
	}
	e.tell(came)
}

// content is what follows the header in a request's bytes.
func content(wire []byte) []byte {
	if i := bytes.Index(wire, []byte("\r\n\r\n")); i >= 0 && i+4 < len(wire) {
		return wire[i+4:]
	}
	return nil
}

// Recall takes back a write that has not come.
func (e *edge) Recall(slot int) {
	if !e.slots[slot].written {
		e.end(slot)
	}
}

// Abandon ends whatever is under way.
func (e *edge) Abandon() {
	for slot := range e.slots {
		e.end(slot)
	}
}

func (e *edge) end(slot int) {
	s := &e.slots[slot]
	if s.cancel == nil {
		return
	}
	s.cancel()
	giveUp := s.giveUp
	s.done()
	giveUp()
}

func (e *edge) Close() {}
