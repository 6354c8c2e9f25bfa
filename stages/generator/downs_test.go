package generator

import (
	"testing"
	"time"

	"github.com/restest/restest/messages"
)

// fates tells a downs how requests ended, one after another.
type fates struct {
	downs
	now messages.Instant
}

func (f *fates) answered(operations ...int) {
	for _, operation := range operations {
		f.end(operation, messages.Answered, messages.NoFailure)
	}
}

func (f *fates) end(operation int, outcome messages.Outcome, kind messages.Failure) {
	f.now = f.now.Add(time.Millisecond)
	sent := f.now
	f.now = f.now.Add(time.Millisecond)
	f.learn(&messages.Learned{Request: &messages.Request{Operation: operation}, Outcome: outcome, Kind: kind, SentAt: sent, HeardAt: f.now})
}

// down has the API go away for so long.
func (f *fates) down(operation int, d time.Duration) {
	f.end(operation, messages.NoReply, messages.WasReset)
	f.now = f.now.Add(d)
}

// "An operation that was among the last before three in four of these" (decision 0017).
func TestWhoIsAlwaysAskedLastBeforeTheAPIGoesAwayIsSuspected(t *testing.T) {
	f := fates{downs: newDowns(8)}
	for i := range enoughDowns {
		if f.suspects(0) {
			t.Fatalf("suspected after %d times", i)
		}
		f.answered(1+i%4, 0, 1+(i+1)%4)
		f.down(5+i%3, time.Second)
		f.answered(1 + (i+2)%4)
	}
	for operation := range 8 {
		if f.suspects(operation) != (operation == 0) {
			t.Errorf("%d is suspected: %t", operation, f.suspects(operation))
		}
	}
	for i := range 2 * enoughDowns {
		f.answered(1, 2, 3)
		f.down(4+i%4, time.Second)
		f.answered(1)
	}
	if f.suspects(0) {
		t.Error("suspected still, though the API goes away without it")
	}
}

func TestAConnectionThatIsClosedIsNoAPIThatIsGone(t *testing.T) {
	f := fates{downs: newDowns(2)}
	for range 3 * enoughDowns {
		f.answered(0)
		f.down(1, 10*time.Millisecond) // the next answer comes at once
		f.answered(0)
		f.end(1, messages.NoReply, messages.TimedOut)
		f.now = f.now.Add(time.Minute)
		f.answered(0)
	}
	if f.times != 0 {
		t.Errorf("it went away %d times", f.times)
	}
}

// "is asked again only after the API was up eight times as long as it was away" (decision 0017).
func TestWhatMayBringTheAPIDownIsLeftAloneForAWhile(t *testing.T) {
	s := newScript(t, api(t, `
  /deadly: {get: {`+ok+`}}
  /a: {get: {`+ok+`}}
  /b: {get: {`+ok+`}}
  /c: {get: {`+ok+`}}
  /d: {get: {`+ok+`}}
  /e: {get: {`+ok+`}}
`), learning)
	away, up := 0, 0
	for range 20_000 {
		r := s.next()
		sent := s.clock.now
		s.clock.move(time.Millisecond)
		s.g.Handle(messages.Learned{Request: r, Outcome: messages.Answered, Reply: &messages.Reply{Status: 200}, SentAt: sent, HeardAt: s.clock.now})
		if up++; r.Target != "/deadly" {
			continue
		}
		s.g.Handle(messages.Learned{Request: s.next(), Outcome: messages.NoReply, Kind: messages.WasReset, SentAt: s.clock.now, HeardAt: s.clock.now})
		s.clock.move(100 * time.Millisecond)
		away += 100
	}
	if up < 6*away || up > 12*away {
		t.Errorf("the API was up for %d ms, and away for %d", up, away)
	}
}

func TestWhatMayBringTheAPIDownGoesWhereNothingElseMay(t *testing.T) {
	s := newScript(t, api(t, `
  /deadly: {get: {`+ok+`}}
  /a: {get: {`+ok+`}}
`), learning)
	d := &s.g.order.schedule.downs
	d.times, d.before[0], d.back, d.lasted = enoughDowns, enoughDowns, 1, time.Hour
	if r := s.next(); r.Target != "/a" {
		t.Errorf("%s, though it may bring the API down", r.Target)
	}
	if o := s.want(messages.Want{Busy: messages.Set(nil).With(1)}); o.Request == nil || o.Request.Target != "/deadly" {
		t.Errorf("with the other busy: %+v", o)
	}
}
