package sim

import (
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/sim/paper"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// Trace is what happened in a run: every message as it was handled, and what left for the API.
type Trace struct {
	// Scenario is what was run, and Order how.
	Scenario Scenario
	Events   []Event
	// Last is the pacer's last account, nil if it gave none.
	Last   *messages.Paced
	Result reporter.Result
}

// Kind is what an event is.
type Kind uint8

// The kinds, by whom they come to: the generator, the pacer, the sender, the API, the reporter.
const (
	Wanted Kind = iota
	Returned
	Learned

	Offered
	Nothing
	Opened
	NotOpened
	Departed
	Heard
	Freed
	Again
	Stopped
	Ticked

	Opening
	Going
	Recalled
	Dropped
	Came
	Headed

	Written

	Judged
	Over
)

var kinds = [...]string{
	Wanted: "want", Returned: "returned", Learned: "learned",
	Offered: "offer", Nothing: "nothing", Opened: "ready", NotOpened: "unreachable", Departed: "departed", Heard: "heard",
	Freed: "slot", Again: "again", Stopped: "stop", Ticked: "tick",
	Opening: "open", Going: "go", Recalled: "recall", Dropped: "drop", Came: "came", Headed: "headed",
	Written: "WRITE", Judged: "judged", Over: "over",
}

func (k Kind) String() string { return kinds[k] }

// Event is one thing that happened. Which fields mean something hangs on its kind.
type Event struct {
	Kind Kind
	// At is when it happened.
	At clock.Instant
	// Slot is -1 where there is none; Seq is the request's, 0 where there is none.
	Slot, Operation, Nth int
	Seq                  int64
	// Moment is: of a Nothing, when to ask again; of a Going, its turn; of a Departed and a Written, the end of the
	// write; of a Heard, the moment the header came.
	Moment clock.Instant
	// Sent is the moment a Departed or a Heard says the request was written.
	Sent clock.Instant
	// Hop is true for what is a redirect's; of a Written, that it is not its request's first.
	Hop bool
	// Unsent and Recalled are of a Departed that never went out; Final and Told are a Heard's; Open is a Freed's and a
	// Came's.
	Unsent, Recalled, Final, Told, Open bool
	Outcome                             messages.Outcome
	Status                              int
	// Overloaded is true for a time-out or a reset.
	Overloaded bool
	// Asks is: of a Heard, what the classifier read; of a Written, what the API will mean by its answer. Until is its
	// moment where it is one, else 0.
	Asks, Stated bool
	Wait         time.Duration
	Until        clock.Instant
	// Quota is, as Asks is, true for what says how many requests are Left, and when there will be more; MoreBy is the
	// moment of a Written where it is one, else 0, and MoreAtMost the longest that is to be believed.
	Quota            bool
	Left             int64
	More, MoreAtMost time.Duration
	MoreBy           clock.Instant
	// Resting and Busy are the operations that a Wanted names; Skipped those an offer passed over; the first 64 of them.
	Resting, Busy, Skipped uint64
	// Why is a Nothing's reason.
	Why messages.Nothing
	// Probe is true for a security probe.
	Probe bool
	// Request and Reply are fingerprints: what was told is not touched any more.
	Request, Reply uint64
}

// tracer writes a trace down. Several goroutines may use it.
type tracer struct {
	mu     sync.Mutex
	clk    clock.Clock
	seed   maphash.Seed
	events []Event
	last   *messages.Paced
	first  map[int]*messages.Request // by slot: the request written last
}

func newTracer(c clock.Clock) *tracer {
	return &tracer{clk: c, seed: fingerprints, first: map[int]*messages.Request{}}
}

// mostEvents bounds a trace: a run that goes on for longer at one moment, as a bug can have it, is told of instead of
// filling the memory.
const mostEvents = 4_000_000

func (t *tracer) keep(e Event) {
	if len(t.events) >= mostEvents {
		panic(fmt.Sprintf("Within at %d.%09d: the run has no end", e.At/1e9, e.At%1e9))
	}
	t.events = append(t.events, e)
}

var fingerprints = maphash.MakeSeed()

func (t *tracer) request(e *Event, r *messages.Request) {
	if r == nil {
		return
	}
	e.Seq, e.Operation, e.Nth, e.Probe = r.Seq, r.Operation, r.Nth, r.Probe != messages.NoProbe
	var h maphash.Hash
	h.SetSeed(t.seed)
	h.WriteString(r.Method)
	h.WriteString(r.Target)
	fields(&h, r.Header)
	_, _ = h.Write(r.Body)
	e.Request = h.Sum64()
}

func (t *tracer) reply(e *Event, r *messages.Reply) {
	if r == nil {
		return
	}
	e.Status = r.Status
	var h maphash.Hash
	h.SetSeed(t.seed)
	fields(&h, r.Header)
	_, _ = h.Write(r.Body)
	e.Reply = h.Sum64()
}

func fields(h *maphash.Hash, fields []messages.Field) {
	for _, f := range fields {
		h.WriteString(f.Name)
		h.WriteString(f.Value)
	}
}

// saw notes a write.
func (t *tracer) saw(slot int, o sender.Outgoing, at clock.Instant, a paper.Answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := Event{
		Kind: Written, At: at, Slot: slot, Moment: at.Add(a.Takes), Hop: t.first[slot] == o.Request, Status: a.Status,
		Asks: a.Asks.ToWait, Stated: a.Asks.Stated, Wait: a.Asks.For,
		Quota: a.Asks.Quota, Left: a.Asks.Left, More: a.Asks.More, MoreAtMost: a.Asks.MoreAtMost,
	}
	if !a.Asks.Until.IsZero() {
		e.Until = clock.Instant(a.Asks.Until.Sub(t.clk.Wall(0)))
	}
	if !a.Asks.MoreBy.IsZero() {
		e.MoreBy = clock.Instant(a.Asks.MoreBy.Sub(t.clk.Wall(0)))
	}
	t.first[slot] = o.Request
	t.request(&e, o.Request)
	t.keep(e)
}

// watch notes a message.
func (t *tracer) watch(stage string, message any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := Event{At: t.clk.Now(), Slot: -1}
	switch m := message.(type) {
	case messages.Want:
		e.Kind, e.Resting, e.Busy = Wanted, first64(m.Resting), first64(m.Busy)
	case messages.Returned:
		e.Kind = Returned
		t.request(&e, m.Request)
	case messages.Learned:
		e.Kind, e.Outcome = Learned, m.Outcome
		t.request(&e, m.Request)
		t.reply(&e, m.Reply)
	case messages.Offer:
		e.Kind = Offered
		for _, i := range m.Skipped {
			if i < 64 {
				e.Skipped |= 1 << i
			}
		}
		if m.Request == nil {
			e.Kind, e.Moment, e.Why = Nothing, m.Until, m.Why
		}
		t.request(&e, m.Request)
	case messages.Ready:
		e.Kind, e.Slot = Opened, m.Slot
	case messages.Unreachable:
		e.Kind, e.Slot = NotOpened, m.Slot
	case messages.Departed:
		e.Kind, e.Slot, e.Moment, e.Sent, e.Hop = Departed, m.Slot, m.Written, m.At, m.Hop
		e.Unsent, e.Recalled = m.Unsent, m.Recalled
		t.request(&e, m.Request)
	case messages.Heard:
		e.Kind, e.Slot, e.Moment, e.Sent, e.Final, e.Told = Heard, m.Slot, m.At, m.SentAt, m.Final, m.Told
		e.Outcome, e.Asks, e.Stated, e.Wait, e.Overloaded = m.Outcome, m.AsksToWait, m.Stated, m.Wait, m.Overloaded
		e.Quota, e.Left, e.More = m.Quota, m.Left, m.More
		t.request(&e, m.Request)
	case messages.Slot:
		e.Kind, e.Slot, e.Open = Freed, m.Slot, m.Open
	case messages.Again:
		e.Kind, e.Slot = Again, m.Slot
		t.request(&e, m.Request)
	case messages.Stop:
		e.Kind = Stopped
	case messages.Tick:
		if stage != "pacer" {
			return
		}
		e.Kind = Ticked
	case messages.Open:
		e.Kind, e.Slot = Opening, m.Slot
	case messages.Go:
		e.Kind, e.Slot, e.Moment, e.Hop = Going, m.Slot, m.At, m.Hop
		t.request(&e, m.Request)
	case messages.Recall:
		e.Kind, e.Slot = Recalled, m.Slot
	case messages.Drop:
		e.Kind = Dropped
		t.request(&e, m.Request)
	case messages.Came:
		e.Kind, e.Slot, e.Outcome, e.Open = Came, m.Slot, m.Outcome, m.Open
		e.Overloaded = m.Kind == messages.TimedOut || m.Kind == messages.WasReset
		t.reply(&e, m.Reply)
	case messages.Headed:
		e.Kind, e.Slot = Headed, m.Slot
		t.reply(&e, m.Reply)
	case *messages.Judged:
		e.Kind, e.Slot, e.Outcome, e.Sent = Judged, m.Exchange.Slot, m.Exchange.Outcome, m.Exchange.SentAt
		t.request(&e, m.Exchange.Request)
		t.reply(&e, m.Exchange.Reply)
	case *messages.Paced:
		if !m.Over {
			return
		}
		e.Kind, t.last = Over, m
	default:
		return
	}
	t.keep(e)
}

func first64(s messages.Set) uint64 {
	if len(s) == 0 {
		return 0
	}
	return s[0]
}

// String is the trace, one line an event, without the ticks: the same trace is the same text, on any machine.
func (t Trace) String() string {
	var b strings.Builder
	for i := range t.Events {
		if t.Events[i].Kind != Ticked {
			b.WriteString(t.Events[i].String())
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// String is the event on one line.
func (e Event) String() string {
	b := append(moment(nil, e.At), ' ')
	b = append(b, e.Kind.String()...)
	if e.Slot >= 0 || e.Seq > 0 {
		b = fmt.Appendf(b, "%*s", 11-len(e.Kind.String()), "")
	}
	if e.Slot >= 0 {
		b = fmt.Appendf(b, " slot %d", e.Slot)
	}
	if e.Seq > 0 {
		b = fmt.Appendf(b, " #%d (%d/%d)", e.Seq, e.Operation, e.Nth)
	}
	flag := func(is bool, name string) {
		if is {
			b = append(append(b, ' '), name...)
		}
	}
	switch e.Kind {
	case Wanted:
		flag(e.Resting != 0, "resting"+operations(e.Resting))
		flag(e.Busy != 0, "busy"+operations(e.Busy))
	case Offered, Nothing:
		flag(e.Kind == Nothing, whys[e.Why])
		if e.Kind == Nothing && e.Moment != clock.Never {
			b = moment(append(b, " until "...), e.Moment)
		}
		flag(e.Skipped != 0, "skipping"+operations(e.Skipped))
	case Going:
		b = moment(append(b, " at "...), e.Moment)
	case Departed:
		if !e.Unsent && e.Moment != e.Sent {
			b = moment(append(b, " until "...), e.Moment)
		}
	case Came, Judged, Learned:
		b = fmt.Appendf(b, " %s", outcomes[e.Outcome])
	case Heard:
		b = fmt.Appendf(b, " %s", outcomes[e.Outcome])
		if e.Outcome != messages.NeverSent {
			b = moment(append(b, " sent "...), e.Sent)
		}
	}
	if e.Status != 0 {
		b = append(b, ' ')
		b = strconv.AppendInt(b, int64(e.Status), 10)
	}
	flag(e.Hop, "hop")
	flag(e.Recalled, "recalled")
	flag(e.Unsent && !e.Recalled, "unsent")
	flag(e.Overloaded, "overloaded")
	if e.Asks {
		b = append(b, " asks to wait"...)
		switch {
		case e.Until != 0:
			b = moment(append(b, " until "...), e.Until)
		case e.Stated:
			b = append(append(b, ' '), e.Wait.String()...)
		}
	}
	if e.Quota {
		b = fmt.Appendf(b, " says %d left", e.Left)
		if e.MoreBy != 0 {
			b = moment(append(b, " until "...), e.MoreBy)
		} else {
			b = append(append(b, " for "...), e.More.String()...)
		}
	}
	flag(e.Kind == Heard && !e.Final, "early")
	flag(e.Told, "told before")
	flag((e.Kind == Freed || e.Kind == Came) && !e.Open && e.Slot >= 0, "closed")
	return string(b)
}

var (
	outcomes = [...]string{
		messages.NeverSent: "never sent", messages.NoReply: "no reply", messages.BrokeOff: "broke off", messages.Answered: "answered",
	}
	whys = [...]string{
		messages.NothingYet: "yet", messages.NothingMayGo: "may go", messages.NothingBuilt: "built", messages.NothingEver: "ever",
		messages.NothingAllowed: "allowed",
	}
)

func operations(set uint64) string {
	var b []byte
	for i := range 64 {
		if set&(1<<i) != 0 {
			b = strconv.AppendInt(append(b, ' '), int64(i), 10)
		}
	}
	return string(b)
}

// moment appends a moment in seconds, to the nanosecond.
func moment(b []byte, t clock.Instant) []byte {
	return fmt.Appendf(b, "%d.%09d", int64(t)/int64(time.Second), int64(t)%int64(time.Second))
}
