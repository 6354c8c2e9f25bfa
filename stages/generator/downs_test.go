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

// "the operation that was nearest before these is suspected" (decision 0017).
func TestWhoIsAlwaysAskedLastBeforeTheAPIGoesAwayIsSuspected(t *testing.T) {
	f := fates{downs: newDowns(8)}
	for i := range enoughDowns {
		if len(f.suspects) > 0 {
			t.Fatalf("%v after %d times", f.suspects, i)
		}
		f.answered(1+i%4, 0, 1+(i+1)%4)
		f.down(5+i%3, time.Second)
		f.answered(1 + (i+2)%4)
	}
	if f.suspected(0) != 0 || len(f.suspects) != 1 {
		t.Fatalf("suspected are %v", f.suspects)
	}
	for range 3 * enoughDowns {
		f.answered(0) // out of turn: others need its things
	}
	if len(f.suspects) != 1 {
		t.Error("it is suspected no more though the API was hardly up since")
	}
	for range enoughDowns + 1 {
		f.now = f.now.Add(upAsLong * f.lasted)
		f.answered(0, 1, 2, 3, 4, 5)
	}
	if len(f.suspects) > 0 {
		t.Errorf("%v still, though the API stays", f.suspects)
	}
}

func TestWhoIsAskedNextToTheOneThatBringsTheAPIDownIsNotSuspectedForLong(t *testing.T) {
	f := fates{downs: newDowns(8)}
	asked := func(operation int) bool {
		if f.holds(operation, f.now) {
			return false
		}
		f.answered(operation)
		return true
	}
	for range 5000 {
		for operation := range 8 {
			if asked(operation) && operation == 1 {
				asked(2)
				for lost := 3; ; lost++ {
					if !f.holds(lost%8, f.now) {
						f.down(lost%8, 100*time.Millisecond)
						break
					}
				}
			}
		}
	}
	if len(f.suspects) != 1 || f.suspected(1) != 0 {
		t.Errorf("suspected are %v", f.suspects)
	}
}

func TestSeveralThatBringTheAPIDownAreSuspected(t *testing.T) {
	f := fates{downs: newDowns(12)}
	for round := range 5000 {
		for operation := range 12 {
			if f.holds(operation, f.now) {
				continue
			}
			f.answered(operation)
			if operation == 2 || operation == 9 {
				f.down((operation+1+round%5)%12, 100*time.Millisecond)
			}
		}
	}
	if len(f.suspects) != 2 || f.suspected(2) < 0 || f.suspected(9) < 0 {
		t.Errorf("suspected are %v", f.suspects)
	}
}

// "What speaks against the others counts half once one is suspected" (decision 0017).
func TestWhoIsNearEachTimeIsSuspectedThoughAnotherWasNearerAtFirst(t *testing.T) {
	f := fates{downs: newDowns(12)}
	down := func(lost, nearest int) {
		f.answered(1, 2, 3, 4, 5, 6)
		f.answered(0, nearest) // the operation 0 is always there, and never the nearest
		f.down(1+lost, time.Second)
		f.answered(10)
	}
	for i := range enoughDowns {
		down(i, 7)
	}
	if f.suspected(7) < 0 || len(f.suspects) != 1 {
		t.Fatalf("suspected are %v", f.suspects)
	}
	for i := range enoughDowns {
		down(i, 8)
	}
	if f.suspected(0) < 0 || len(f.suspects) != 2 {
		t.Errorf("suspected are %v", f.suspects)
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
	if f.times != 0 || len(f.suspects) > 0 {
		t.Errorf("it went away %d times, because of %v", f.times, f.suspects)
	}
}

// "one each when the API has been up eight times as long as it was away" (decision 0017).
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
	d.suspects, d.quiet, d.lasted = []suspect{{operation: 0}}, 1, time.Hour
	if r := s.next(); r.Target != "/a" {
		t.Errorf("%s, though it may bring the API down", r.Target)
	}
	if o := s.want(messages.Want{Busy: messages.Set(nil).With(1)}); o.Request == nil || o.Request.Target != "/deadly" {
		t.Errorf("with the other busy: %+v", o)
	}
}

// "or an operation that was never answered 2xx may need its things" (decision 0017).
func TestWhatMayBringTheAPIDownIsAskedWhileOthersNeedItsThings(t *testing.T) {
	s := newScript(t, api(t, nested), learning)
	create := s.of("POST /zones")
	d := &s.g.order.schedule.downs
	d.suspects, d.quiet, d.lasted = []suspect{{operation: create.Operation}}, 1, time.Hour
	if s.g.order.schedule.holds(create.Operation, s.clock.now) {
		t.Error("it is left alone, though nobody else makes zones")
	}
	for i := range s.doc.Operations {
		s.g.order.schedule.operations[i].good = true
	}
	if !s.g.order.schedule.holds(create.Operation, s.clock.now) {
		t.Error("it is not left alone, though the others were answered 2xx")
	}
}
