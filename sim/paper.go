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
// world says. Nothing in it is touched after a message has been told: in a live run its reader is another goroutine.
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
	// together has everything that is due at one moment happen before any of it is handled, so that its messages race.
	together bool
	// saw, unless nil, is told of each write and what will become of it.
	saw func(slot int, o sender.Outgoing, at clock.Instant, a paper.Answer)
}

// sheet is one slot.
type sheet struct {
	edge  *edge
	slot  int
	state state
	// due is the moment that is waited for; next goes on then, cancel takes that back.
	due          clock.Instant
	next, cancel func()

	refused string // why a connection that is being opened will not be
	used    bool   // a reply came over its connection

	out    sender.Outgoing
	hop    int // how many redirects led to out
	at     clock.Instant
	answer paper.Answer
	came   messages.Came
}

// state is what a sheet waits for.
type state uint8

const (
	resting  state = iota
	dialling       // its connection
	leaving        // the moment of its write
	writing        // the end of its write
	heading        // a header whose content comes later
	awaiting       // the end of its exchange
)

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
	e := &edge{
		world: w, clk: clk, tell: tell, read: sender.NewReader(s, clk), slots: make([]sheet, s.MaxConcurrency),
		silence: min(s.ReadTimeout, s.CallTimeout),
	}
	for i := range e.slots {
		sheet := &e.slots[i]
		sheet.edge, sheet.slot, sheet.next = e, i, sheet.fire
	}
	return e
}

func (e *edge) Open(slot int) {
	s, now := &e.slots[slot], e.clk.Now()
	var after time.Duration
	after, s.refused = e.world.Dial(time.Duration(now), slot)
	s.used = false
	s.wait(dialling, now.Add(after), after == 0)
}

func (e *edge) Write(slot int, o sender.Outgoing) {
	s := &e.slots[slot]
	if s.hop++; s.out.Request != o.Request {
		s.hop = 0
	}
	s.out = o
	s.wait(leaving, o.At, e.hurried)
}

// Recall takes back a write that has not come.
func (e *edge) Recall(slot int) {
	if s := &e.slots[slot]; s.state == leaving {
		s.giveUp(true)
	}
}

// Abandon ends whatever is under way.
func (e *edge) Abandon() {
	for slot := range e.slots {
		e.slots[slot].giveUp(false)
	}
}

func (e *edge) Close() {}

// wait waits for the moment t, or not at all.
func (s *sheet) wait(of state, t clock.Instant, atOnce bool) {
	s.state = of
	if atOnce {
		s.goOn()
		return
	}
	s.due, s.cancel = t, s.edge.clk.At(t, s.next)
}

// fire is the clock's: the moment that was waited for has come.
func (s *sheet) fire() {
	s.goOn()
	if !s.edge.together {
		return
	}
	now := s.edge.clk.Now()
	for i := range s.edge.slots {
		if o := &s.edge.slots[i]; o.state != resting && o.due <= now {
			o.cancel()
			o.goOn()
		}
	}
}

// goOn is the moment that was waited for.
func (s *sheet) goOn() {
	was := s.state
	s.state = resting
	switch was {
	case dialling:
		if s.refused != "" {
			s.edge.tell(messages.NotOpened{Slot: s.slot, Reason: s.refused})
			return
		}
		s.edge.tell(messages.Opened{Slot: s.slot})
	case leaving:
		s.write()
	case writing:
		s.written()
	case heading:
		s.came.HeardAt = s.edge.clk.Now()
		s.wait(awaiting, s.came.EndedAt, false)
		s.edge.tell(messages.Headed{Slot: s.slot, At: s.came.HeardAt, Reply: headOf(s.came.Reply)})
	case awaiting:
		s.used = s.came.Open
		s.edge.tell(s.came)
	}
}

// write is the moment the bytes go.
func (s *sheet) write() {
	e, at := s.edge, s.edge.clk.Now()
	if at >= s.out.Deadline {
		e.tell(messages.Wrote{Slot: s.slot, Unsent: true, Reason: "the run's time was up", Kind: messages.Kept})
		return
	}
	r := s.out.Request
	s.at = at
	s.answer = e.world.Answer(time.Duration(at), paper.Request{
		Request:   demo.Request{Method: s.out.Method, Target: s.out.Target, Header: r.Header, Body: content(s.out.Bytes)},
		Operation: r.Operation, Nth: r.Nth, Hop: s.hop,
	})
	if e.saw != nil {
		e.saw(s.slot, s.out, at, s.answer)
	}
	s.wait(writing, at.Add(s.answer.Takes), s.answer.Takes == 0 || e.hurried)
}

// written is the moment they have gone; what becomes of the request is waited for from then on.
func (s *sheet) written() {
	e, now := s.edge, s.edge.clk.Now()
	wrote := messages.Wrote{Slot: s.slot, At: s.at, Written: now}
	s.came = e.come(s.out.Method, &s.answer)
	s.came.Slot = s.slot
	if s.came.Kind == messages.ClosedEarly && s.came.Outcome == messages.NoReply && s.used {
		s.came.Kind = messages.ClosedIdle
	}
	if e.hurried {
		s.came.HeardAt, s.came.EndedAt = now, now
		e.tell(wrote)
		s.wait(awaiting, now, true)
		return
	}
	s.came.HeardAt, s.came.EndedAt = now.Add(s.answer.After), now.Add(s.answer.After)
	if s.answer.Fate == paper.Drips && s.came.Reply != nil && s.answer.Head < s.answer.After {
		s.wait(heading, now.Add(s.answer.Head), false)
	} else {
		s.wait(awaiting, s.came.EndedAt, false)
	}
	e.tell(wrote)
}

// giveUp ends what is waited for: a write is recalled, or the run is over.
func (s *sheet) giveUp(recalled bool) {
	e, now, was := s.edge, s.edge.clk.Now(), s.state
	if was == resting {
		return
	}
	s.state = resting
	s.cancel()
	given := messages.Came{
		Slot: s.slot, HeardAt: now, EndedAt: now, Outcome: messages.NoReply,
		Failure: "the run was over before the reply came", Kind: messages.GivenUp,
	}
	switch was {
	case dialling:
		e.tell(messages.NotOpened{Slot: s.slot, Reason: "given up"})
		return
	case leaving:
		e.tell(messages.Wrote{Slot: s.slot, Unsent: true, Recalled: recalled, Reason: "recalled", Kind: messages.Kept})
		return
	case writing:
		e.tell(messages.Wrote{Slot: s.slot, At: s.at, Written: now})
	case awaiting:
		if s.came.HeardAt < s.came.EndedAt { // its header is there
			given.Outcome, given.Reply, given.HeardAt = messages.BrokeOff, headOf(s.came.Reply), s.came.HeardAt
		}
	}
	e.tell(given)
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

// content is what follows the header in a request's bytes.
func content(wire []byte) []byte {
	if i := bytes.Index(wire, []byte("\r\n\r\n")); i >= 0 && i+4 < len(wire) {
		return wire[i+4:]
	}
	return nil
}
