package pacer

import (
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// bare is the pacer alone: a script tells it one message after the other and looks at what it tells.
type bare struct {
	*testing.T
	clk     *clock.Fake
	p       *Pacer
	wants   []messages.Want
	back    []*messages.Request
	gos     []messages.Go
	recalls []int
	drops   []*messages.Request
	last    *messages.Paced
	seq     int64
}

func script(t *testing.T, operations int, change func(*Config)) *bare {
	b := &bare{T: t, clk: clock.NewFake(time.Time{})}
	cfg := Config{Operations: operations, Settings: settings.Default(), Deadline: clock.Instant(time.Minute), LastWrite: -1}
	for i := range operations {
		cfg.Testable = append(cfg.Testable, i)
	}
	if change != nil {
		change(&cfg)
	}
	b.p = New(cfg, b.clk, Neighbours{
		Generator: func(m messages.ToGenerator) {
			switch m := m.(type) {
			case messages.Want:
				b.wants = append(b.wants, m)
			case messages.Returned:
				b.back = append(b.back, m.Request)
			}
		},
		Sender: func(m messages.ToSender) {
			switch m := m.(type) {
			case messages.Go:
				b.gos = append(b.gos, m)
			case messages.Recall:
				b.recalls = append(b.recalls, m.Slot)
			case messages.Drop:
				b.drops = append(b.drops, m.Request)
			}
		},
		Reporter: func(m messages.ToReporter) { b.last = m.(*messages.Paced) },
		Self:     func(messages.ToPacer) {},
	})
	b.p.Handle(messages.Tick{})
	for i := range b.p.window.width {
		b.p.Handle(messages.Ready{Slot: i})
	}
	return b
}

// at moves the clock to that moment, and lets the pacer know.
func (b *bare) at(moment time.Duration) {
	reached := false
	b.clk.At(clock.Instant(moment), func() { reached = true })
	for !reached && b.clk.Next() {
	}
	b.p.Handle(messages.Tick{})
}

func (b *bare) offer(operation int) *messages.Request {
	b.seq++
	r := &messages.Request{Seq: b.seq, Operation: operation}
	b.p.Handle(messages.Offer{Request: r})
	return r
}

// leave offers a request for the operation and has it written.
func (b *bare) leave(operation int) messages.Go {
	b.Helper()
	n := len(b.gos)
	b.offer(operation)
	if len(b.gos) != n+1 {
		b.Fatalf("a request for operation %d was not let go", operation)
	}
	g := b.gos[n]
	b.departed(g)
	return g
}

func (b *bare) departed(g messages.Go) {
	now := b.clk.Now()
	b.p.Handle(messages.Departed{Slot: g.Slot, Request: g.Request, At: now, Written: now, Hop: g.Hop})
}

// answered has the request answered; change makes the answer another one.
func (b *bare) answered(g messages.Go, sentAt time.Duration, change func(*messages.Heard)) {
	now := b.clk.Now()
	h := messages.Heard{
		Slot: g.Slot, Request: g.Request, Outcome: messages.Answered, SentAt: clock.Instant(sentAt), At: now, EndedAt: now, Final: true,
	}
	if change != nil {
		change(&h)
	}
	b.p.Handle(h)
	if h.Final {
		b.p.Handle(messages.Slot{Slot: g.Slot, Open: true})
	}
}

func refusedFor(d time.Duration) func(*messages.Heard) {
	return func(h *messages.Heard) { h.AsksToWait, h.Stated, h.Wait = true, true, d }
}

func (b *bare) ask() *messages.Paced {
	b.p.Handle(messages.Ask{})
	return b.last
}

func TestAnOfferForAnOperationThatCameToRestIsHandedBackAsNeverBuilt(t *testing.T) {
	b := script(t, 2, nil)
	g := b.leave(0)
	b.at(time.Millisecond)
	b.answered(g, 0, refusedFor(time.Second)) // a Want is on its way meanwhile
	r := b.offer(0)
	if len(b.back) != 1 || b.back[0] != r || len(b.gos) != 1 {
		t.Errorf("%d handed back, %d let go", len(b.back), len(b.gos))
	}
	if p := b.ask(); p.Dropped != 0 || p.Sent != 1 {
		t.Errorf("%d sent, %d never sent", p.Sent, p.Dropped)
	}
}

// rated is a pacer that keeps a rate and hands requests over 50 ms before their turn.
func rated(c *Config) {
	c.Settings.Engine.LimitTheRate, c.Settings.Engine.MostRequestsPerMinute = true, 600
	c.Lead = 50 * time.Millisecond
}

func TestARequestRecalledForARestIsHandedBackAsNeverBuilt(t *testing.T) {
	b := script(t, 2, rated)
	first := b.leave(0)
	b.at(60 * time.Millisecond)
	second := b.offer(0) // let go for its turn at 100 ms
	b.answered(first, 0, refusedFor(time.Second))
	if len(b.recalls) != 1 {
		t.Fatalf("%d recalls", len(b.recalls))
	}
	b.p.Handle(messages.Departed{Slot: b.recalls[0], Request: second, Unsent: true, Recalled: true})
	if len(b.back) != 1 || b.back[0] != second {
		t.Errorf("%d handed back", len(b.back))
	}
	if p := b.ask(); p.Dropped != 0 {
		t.Errorf("%d counted as never sent", p.Dropped)
	}
}

func TestARequestRecalledForAHoldGoesOnceTheHoldIsOver(t *testing.T) {
	b := script(t, 3, rated)
	first := b.leave(0)
	b.at(100 * time.Millisecond)
	second := b.leave(1)
	b.answered(first, 0, refusedFor(time.Second))
	b.at(160 * time.Millisecond)
	third := b.offer(2)
	b.answered(second, 100*time.Millisecond, refusedFor(2*time.Second))
	if len(b.recalls) != 1 {
		t.Fatalf("%d recalls", len(b.recalls))
	}
	b.p.Handle(messages.Departed{Slot: b.recalls[0], Request: third, Unsent: true, Recalled: true})
	b.at(2100 * time.Millisecond)
	if n := len(b.gos); n != 3 {
		t.Fatalf("%d let go during the hold", n-3)
	}
	b.at(2170 * time.Millisecond)
	if n := len(b.gos); n != 4 || b.gos[3].Request != third {
		t.Errorf("%d let go after the hold", n-3)
	}
}

func TestWhatIsRecalledAtAStopIsDroppedAndCounted(t *testing.T) {
	b := script(t, 1, rated)
	first := b.leave(0)
	b.at(60 * time.Millisecond)
	second := b.offer(0)
	b.p.Handle(messages.Stop{Reason: messages.Interrupted})
	b.p.Handle(messages.Departed{Slot: b.recalls[0], Request: second, Unsent: true, Recalled: true})
	if len(b.drops) != 1 || b.drops[0] != second {
		t.Fatalf("%d dropped", len(b.drops))
	}
	b.p.Handle(messages.Heard{Slot: -1, Request: second, Final: true})
	b.p.Handle(messages.Slot{Slot: -1})
	b.answered(first, 0, nil)
	if !b.last.Over || b.last.Dropped != 1 || b.last.Sent != 1 {
		t.Errorf("%d sent, %d never sent, over: %v", b.last.Sent, b.last.Dropped, b.last.Over)
	}
}

func TestWhatAHoldKeepsAtTheStopIsDroppedAndCounted(t *testing.T) {
	b := script(t, 3, nil)
	first, second := b.leave(0), b.leave(1)
	b.at(time.Millisecond)
	b.answered(first, 0, refusedFor(time.Second))
	b.answered(second, 0, refusedFor(time.Second))
	kept := b.offer(2) // asked for before the hold began
	if len(b.gos) != 2 {
		t.Fatal("it was let go during the hold")
	}
	b.p.Handle(messages.Stop{Reason: messages.Terminated})
	if len(b.drops) != 1 || b.drops[0] != kept {
		t.Errorf("%d dropped", len(b.drops))
	}
}

func TestARefusalHeardAtItsHeaderCountsOnce(t *testing.T) {
	b := script(t, 1, nil)
	g := b.leave(0)
	b.at(time.Millisecond)
	b.answered(g, 0, func(h *messages.Heard) { h.AsksToWait, h.Final = true, false })
	b.at(900 * time.Millisecond) // its body has dripped in
	b.answered(g, 0, func(h *messages.Heard) { h.AsksToWait, h.Told = true, true })
	p := b.ask()
	if len(p.Waits) != 1 || p.Waits[0].Times != 1 || p.Waits[0].Until != clock.Instant(1001*time.Millisecond) {
		t.Errorf("waits: %+v", p.Waits)
	}
}

func TestAnUnansweredTrialIsTriedByOneAgain(t *testing.T) {
	b := script(t, 2, nil)
	g := b.leave(0)
	b.at(time.Millisecond)
	b.answered(g, 0, refusedFor(time.Second))
	b.offer(1)
	b.at(1001 * time.Millisecond)
	probe := b.leave(0)
	if w := b.wants[len(b.wants)-1]; !w.Busy.Has(0) || w.Resting.Has(0) {
		t.Fatalf("on trial it is not busy, or at rest: %+v", w)
	}
	b.at(1100 * time.Millisecond)
	b.answered(probe, 1001*time.Millisecond, func(h *messages.Heard) { h.Outcome = messages.NoReply })
	b.leave(0)
	if w := b.wants[len(b.wants)-1]; !w.Busy.Has(0) {
		t.Error("after a trial without a reply it is sent two at once")
	}
}

func TestALateStatedMomentPastTheEndEndsTheRun(t *testing.T) {
	b := script(t, 1, nil)
	first, second := b.leave(0), b.leave(0)
	b.at(time.Millisecond)
	b.answered(first, 0, refusedFor(time.Second))
	b.at(2 * time.Millisecond)
	b.answered(second, 0, refusedFor(time.Hour))
	if p := b.ask(); p.End != messages.HeldToTheEnd || p.Reason == "" {
		t.Errorf("the run goes on, or does not say why: %+v", p)
	}
}

func TestARequestIsRecalledOnce(t *testing.T) {
	b := script(t, 1, func(c *Config) { c.Settings.Engine.InitialConcurrency, c.Settings.Engine.MaxConcurrency = 64, 64 })
	for range 64 {
		b.offer(0)
	}
	for _, g := range b.gos[:32] {
		b.departed(g)
	}
	for _, g := range b.gos[:32] {
		b.answered(g, 0, refusedFor(0))
	}
	if len(b.recalls) != 32 {
		t.Errorf("%d recalls of 32 requests that had not gone", len(b.recalls))
	}
}

// An Again is answered by a Go, or by a Recall when no turn can be given any more.

func TestARedirectAfterTheEndOfSendingIsNotFollowed(t *testing.T) {
	b := script(t, 1, nil)
	g := b.leave(0)
	b.p.Handle(messages.Stop{Reason: messages.Interrupted})
	b.p.Handle(messages.Again{Slot: g.Slot, Request: g.Request})
	if len(b.recalls) != 1 || b.recalls[0] != g.Slot {
		t.Errorf("%d recalls", len(b.recalls))
	}
}

func TestARedirectOfAnOperationThatComesToRestIsNotFollowed(t *testing.T) {
	b := script(t, 2, rated)
	first := b.leave(0)
	b.at(100 * time.Millisecond)
	second := b.leave(0)
	b.p.Handle(messages.Again{Slot: second.Slot, Request: second.Request})
	b.answered(first, 0, refusedFor(30*time.Second))
	if len(b.recalls) != 1 || b.recalls[0] != second.Slot {
		t.Errorf("%d recalls", len(b.recalls))
	}
}

func TestAfterAHoldRedirectsTooStartFromTheFewest(t *testing.T) {
	b := script(t, 6, nil)
	var all []messages.Go
	for i := range 4 {
		all = append(all, b.leave(i))
	}
	b.at(time.Millisecond)
	b.answered(all[0], 0, refusedFor(time.Second))
	b.answered(all[1], 0, refusedFor(time.Second))
	for _, g := range all[2:] {
		b.p.Handle(messages.Again{Slot: g.Slot, Request: g.Request})
	}
	n := len(b.gos)
	b.at(1001 * time.Millisecond)
	if got := len(b.gos) - n; got != 1 {
		t.Errorf("%d redirects were let go at the end of the hold", got)
	}
}

func TestTheTimeARedirectWaitsForItsTurnIsIdle(t *testing.T) {
	b := script(t, 1, func(c *Config) {
		c.Settings.Engine.LimitTheRate, c.Settings.Engine.MostRequestsPerMinute = true, 60
	})
	g := b.leave(0)
	b.at(time.Millisecond)
	b.p.Handle(messages.Again{Slot: g.Slot, Request: g.Request})
	b.at(time.Second)
	b.departed(b.gos[1])
	if p := b.ask(); p.Idle != 999*time.Millisecond || p.IdleRate != 999*time.Millisecond {
		t.Errorf("%v idle, %v of it by the rate", p.Idle, p.IdleRate)
	}
}

func TestTheTimeBeforeAFetchIsNotPutOnTheRate(t *testing.T) {
	b := script(t, 1, func(c *Config) {
		c.Settings.Engine.LimitTheRate, c.Settings.Engine.MostRequestsPerMinute = true, 30
		c.LastWrite = clock.Instant(5 * time.Second)
	})
	b.at(7 * time.Second)
	b.leave(0)
	if p := b.ask(); p.Idle != 7*time.Second || p.IdleRate != 2*time.Second {
		t.Errorf("%v idle, %v of it by the rate", p.Idle, p.IdleRate)
	}
}

func TestAnAPIThatAskedForQuietIsNotKnockedAtMeanwhile(t *testing.T) {
	for _, operations := range []int{1, 2} {
		w := newWorld(operations, nil, 40*time.Second, 0)
		dials := 0
		w.dial = func(int) (time.Duration, string) {
			if now := w.clk.Now(); now > clock.Instant(5*time.Millisecond) && now < clock.Instant(25*time.Second) {
				dials++
				return 0, "connection refused"
			}
			return 0, ""
		}
		w.answer = func(_ *messages.Request, at clock.Instant) answer {
			if at < clock.Instant(10*time.Millisecond) {
				return answer{after: 2 * time.Millisecond, refuses: true, stated: true, wait: 30 * time.Second, closes: true}
			}
			return answer{after: 20 * time.Millisecond}
		}
		w.run(nil)
		if w.last.End != messages.DeadlineCame || dials > 0 {
			t.Errorf("with %d operations it ended by %v after %d attempts to connect", operations, w.last.End, dials)
		}
	}
}

func TestAnAPIThatNeverAnswersAConnectionIsGivenUpWithAReason(t *testing.T) {
	for _, budget := range []time.Duration{time.Minute, 8 * time.Second} {
		w := newWorld(1, nil, budget, 0)
		w.dial = func(int) (time.Duration, string) { return 10 * time.Second, "no connection in time" }
		w.run(nil)
		if at := time.Duration(w.last.StoppedAt); at > 10*time.Second || w.last.Reason == "" {
			t.Errorf("given up at %v: %q", at, w.last.Reason)
		}
	}
}

func TestTheWindowWidensForTwoOperationsToo(t *testing.T) {
	for _, operations := range []int{1, 2, 3} {
		w := newWorld(operations, nil, 20*time.Second, 0)
		w.answer = func(*messages.Request, clock.Instant) answer { return answer{after: 20 * time.Millisecond} }
		w.run(nil)
		if w.last.Window != 16 {
			t.Errorf("with %d operations it is %d wide", operations, w.last.Window)
		}
	}
}

func TestRequestsThatHangThroughAHoldDoNotStopTheRun(t *testing.T) {
	w := newWorld(6, nil, 20*time.Second, 0)
	refused := map[int]bool{}
	w.answer = func(r *messages.Request, _ clock.Instant) answer {
		switch {
		case r.Operation < 2:
			return answer{after: time.Hour}
		case r.Operation < 4 && !refused[r.Operation]:
			refused[r.Operation] = true
			return answer{after: time.Millisecond, refuses: true, stated: true, wait: 2 * time.Second}
		}
		return answer{after: 10 * time.Millisecond}
	}
	w.run(nil)
	if w.last.WholeAPI.Times != 1 {
		t.Fatalf("the whole API was held %d times", w.last.WholeAPI.Times)
	}
	for from := 4 * time.Second; from < 20*time.Second; from += 2 * time.Second {
		if n := w.sentBetween(5, from, from+2*time.Second); n == 0 {
			t.Fatalf("nothing was sent to an operation that answers from %v on", from)
		}
	}
}

func TestWithOneSlotNothingGoesBesideARequestThatHangs(t *testing.T) {
	w := newWorld(2, func(s *settings.Settings) { s.Engine.InitialConcurrency, s.Engine.MaxConcurrency = 1, 1 }, 10*time.Second, 0)
	w.answer = func(*messages.Request, clock.Instant) answer { return answer{after: time.Hour} }
	w.run(nil)
	if len(w.sends) != 1 {
		t.Errorf("%d requests were under way at once", len(w.sends))
	}
}

func TestARefusalHeardAtTheDeadlineBeginsNoWait(t *testing.T) {
	b := script(t, 1, nil)
	g := b.leave(0)
	b.clk.At(clock.Instant(time.Minute), func() {})
	for b.clk.Now() < clock.Instant(time.Minute) && b.clk.Next() {
	}
	b.answered(g, 0, refusedFor(0)) // the tick of the deadline is late
	if p := b.ask(); p.End != messages.DeadlineCame || len(p.Waits) != 0 {
		t.Errorf("it ended by %v, with the waits %+v", p.End, p.Waits)
	}
}

func TestASignalAfterTheDeadlineOnlyHurriesTheEnd(t *testing.T) {
	b := script(t, 1, nil)
	b.leave(0)
	b.at(time.Minute)
	b.p.Handle(messages.Stop{Reason: messages.Interrupted})
	if p := b.ask(); p.End != messages.DeadlineCame || !b.p.abandoned {
		t.Errorf("it ended by %v; what is under way is abandoned: %v", p.End, b.p.abandoned)
	}
}
