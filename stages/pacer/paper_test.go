package pacer

import (
	"fmt"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// world is the pacer between a generator, a sender and a reporter made of paper, under the fake clock.
type world struct {
	clk   *clock.Fake
	p     *Pacer
	queue []func()

	operations int
	seq        int64
	nth        []int
	turn       int
	// answer says how the API answers a request written at the moment at.
	answer func(r *messages.Request, at clock.Instant) answer
	// dial says how long a connection takes to open, or that it fails.
	dial func(slot int) (time.Duration, string)
	// write says how long a write takes.
	write func() time.Duration
	// builds says whether the generator can build a request this time.
	builds func() bool

	pending map[int]func() // slot: what takes back its Go
	flying  map[int]func() // slot: what gives up its request
	opened  map[int]bool
	// redirected is when the slot's request was sent that drew a redirect.
	redirected map[int]clock.Instant

	sends    []send
	heard    []heard
	returned int // handed back as never built
	recalled int
	ended    map[int64]int
	built    map[int64]bool
	last     *messages.Paced
	closed   bool
	wants    int
}

type answer struct {
	after      time.Duration
	refuses    bool
	stated     bool
	wait       time.Duration
	noReply    bool
	overloaded bool
	closes     bool
	// alone is a refusal of a wrong password; redirects asks for one more hop before this answer.
	alone     bool
	redirects bool
	quota     bool
	left      int64
	more      time.Duration
}

type send struct {
	operation   int
	at, written clock.Instant
	hop         bool
}

type heard struct {
	operation  int
	sentAt, at clock.Instant
	answer     answer
}

func newWorld(operations int, change func(*settings.Settings), budget time.Duration, lead time.Duration, own ...time.Duration) *world {
	s := settings.Default()
	if change != nil {
		change(&s)
	}
	w := &world{
		clk: clock.NewFake(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)), operations: operations,
		nth: make([]int, operations), pending: map[int]func(){}, flying: map[int]func(){}, opened: map[int]bool{}, redirected: map[int]clock.Instant{},
		ended: map[int64]int{}, built: map[int64]bool{},
		answer: func(*messages.Request, clock.Instant) answer { return answer{after: time.Millisecond} },
		dial:   func(int) (time.Duration, string) { return 0, "" },
		write:  func() time.Duration { return 0 },
		builds: func() bool { return true },
	}
	testable := make([]int, operations)
	for i := range testable {
		testable[i] = i
	}
	w.p = New(Config{
		Operations: operations, Testable: testable, Settings: s,
		Deadline: clock.Instant(budget), LastWrite: -1, Lead: lead, Own: own,
	}, w.clk, Neighbours{
		Generator: func(m messages.ToGenerator) { w.tell(func() { w.generate(m) }) },
		Sender:    func(m messages.ToSender) { w.tell(func() { w.send(m) }) },
		Reporter: func(m messages.ToReporter) {
			if paced, ok := m.(*messages.Paced); ok {
				w.last = paced
			}
		},
		Self: w.tellPacer,
	})
	return w
}

func (w *world) tell(f func()) { w.queue = append(w.queue, f) }

func (w *world) tellPacer(m messages.ToPacer) { w.tell(func() { w.p.Handle(m) }) }

// run runs to the end, with a check after each moment.
func (w *world) run(check func()) {
	w.tellPacer(messages.Tick{})
	for {
		for len(w.queue) > 0 {
			f := w.queue[0]
			w.queue = w.queue[1:]
			f()
		}
		if check != nil {
			check()
		}
		if !w.clk.Next() {
			return
		}
	}
}

func (w *world) generate(m messages.ToGenerator) {
	switch m := m.(type) {
	case messages.Returned:
		w.returned++
		w.seq--
		w.nth[m.Request.Operation]--
		delete(w.built, m.Request.Seq)
	case messages.Want:
		w.wants++
		var offer messages.Offer
		if !w.builds() {
			offer.Why, offer.Until = messages.NothingBuilt, w.clk.Now().Add(50*time.Millisecond)
			w.tellPacer(offer)
			return
		}
		for range w.operations {
			i := w.turn % w.operations
			w.turn++
			if m.Resting.Has(i) {
				offer.Skipped = append(offer.Skipped, i)
				continue
			}
			if m.Busy.Has(i) {
				continue
			}
			w.seq++
			w.nth[i]++
			w.built[w.seq] = true
			offer.Request = &messages.Request{Seq: w.seq, Nth: w.nth[i], Operation: i, Method: "GET", Target: "/"}
			break
		}
		if offer.Request == nil {
			offer.Why, offer.Until = messages.NothingMayGo, clock.Never
		}
		w.tellPacer(offer)
	}
}

func (w *world) send(m messages.ToSender) {
	switch m := m.(type) {
	case messages.Open:
		after, failure := w.dial(m.Slot)
		w.clk.At(w.clk.Now().Add(after), func() {
			if failure != "" {
				w.tellPacer(messages.Unreachable{Slot: m.Slot, Reason: failure})
				return
			}
			w.opened[m.Slot] = true
			w.tellPacer(messages.Ready(m))
		})
	case messages.Go:
		if !w.opened[m.Slot] {
			panic("a request was given to a slot without a connection")
		}
		if w.pending[m.Slot] != nil && !m.Hop {
			panic("a slot was given two requests")
		}
		recalled := func() {
			delete(w.pending, m.Slot)
			if m.Hop { // the call ends with the redirect
				w.tellPacer(messages.Departed{Slot: m.Slot, Request: m.Request, Unsent: true, Hop: true})
				w.finish(m.Slot, m.Request, messages.Answered, w.redirected[m.Slot], answer{})
				return
			}
			w.recalled++
			w.tellPacer(messages.Departed{Slot: m.Slot, Request: m.Request, Unsent: true, Recalled: true})
		}
		cancel := w.clk.At(m.At, func() {
			delete(w.pending, m.Slot)
			w.depart(m)
		})
		w.pending[m.Slot] = func() {
			cancel()
			recalled()
		}
	case messages.Recall:
		if back := w.pending[m.Slot]; back != nil {
			back()
		}
	case messages.Drop:
		w.finish(-1, m.Request, messages.NeverSent, -1, answer{})
	case messages.Abandon:
		for slot := range len(w.p.slots) {
			if giveUp := w.flying[slot]; giveUp != nil {
				giveUp()
			}
		}
	case messages.Close:
		w.closed = true
	}
}

func (w *world) depart(m messages.Go) {
	at := w.clk.Now()
	written := at.Add(w.write())
	w.sends = append(w.sends, send{m.Request.Operation, at, written, m.Hop})
	w.clk.At(written, func() {
		w.tellPacer(messages.Departed{Slot: m.Slot, Request: m.Request, At: at, Written: written})
		a := w.answer(m.Request, at)
		cancel := w.clk.At(written.Add(a.after), func() {
			delete(w.flying, m.Slot)
			if a.redirects && !m.Hop {
				w.redirected[m.Slot] = at
				w.pending[m.Slot] = func() { // no turn can be given any more
					delete(w.pending, m.Slot)
					w.finish(m.Slot, m.Request, messages.Answered, at, answer{})
				}
				w.tellPacer(messages.Again{Slot: m.Slot, Request: m.Request})
				return
			}
			outcome := messages.Answered
			if a.noReply {
				outcome = messages.NoReply
			}
			w.finish(m.Slot, m.Request, outcome, at, a)
		})
		w.flying[m.Slot] = func() {
			cancel()
			delete(w.flying, m.Slot)
			w.finish(m.Slot, m.Request, messages.NoReply, at, answer{noReply: true})
		}
	})
}

func (w *world) finish(slot int, r *messages.Request, outcome messages.Outcome, sentAt clock.Instant, a answer) {
	w.ended[r.Seq]++
	now := w.clk.Now()
	if outcome != messages.NeverSent {
		w.heard = append(w.heard, heard{r.Operation, sentAt, now, a})
	}
	w.tellPacer(messages.Heard{
		Slot: slot, Request: r, Outcome: outcome, SentAt: sentAt, At: now, EndedAt: now, Final: true,
		AsksToWait: a.refuses && outcome == messages.Answered, Stated: a.stated, Wait: a.wait, Overloaded: a.overloaded,
		Alone: a.alone, Quota: a.quota, Left: a.left, More: a.more,
	})
	if a.closes {
		w.opened[slot] = false
	}
	w.tellPacer(messages.Slot{Slot: slot, Open: !a.closes})
}

// stuck says what keeps the pacer from letting something go that may go; "" if nothing does.
func (w *world) stuck() string {
	p, now := w.p, w.clk.Now()
	if p.end != messages.NotEnded || p.wanting || p.offered == nil && now < p.nothing {
		return ""
	}
	if p.waits.api.until() > now || p.going > 0 && p.rate.interval > 0 || p.rate.interval > 0 && p.rate.turn.Add(-p.cfg.Lead) > now {
		return ""
	}
	if p.out >= p.window.width || p.rate.turn >= p.cfg.Deadline {
		return ""
	}
	for i := range p.slots {
		if p.slots[i].state == free {
			return fmt.Sprintf("at %v slot %d is free, the turn has come, and nothing goes", time.Duration(now), i)
		}
	}
	return ""
}
