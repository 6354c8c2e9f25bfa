package clock

import (
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTheFakeClockFiresInTheOrderOfMomentAndAsking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := NewFake(time.Time{})
		type ask struct {
			when  Instant
			asked int
		}
		var fired []ask
		n := rapid.IntRange(1, 30).Draw(t, "timers")
		cancelled := map[int]bool{}
		var cancels []func()
		for i := range n {
			a := ask{Instant(rapid.IntRange(0, 5).Draw(t, "when")), i}
			cancels = append(cancels, f.At(a.when, func() {
				if f.Now() != a.when {
					t.Fatalf("fired at %d, asked for %d", f.Now(), a.when)
				}
				fired = append(fired, a)
			}))
		}
		for i := range n {
			if rapid.IntRange(0, 3).Draw(t, "cancel") == 0 {
				cancels[i]()
				cancels[i]() // twice does nothing
				cancelled[i] = true
			}
		}
		for f.Next() {
		}
		if len(fired) != n-len(cancelled) {
			t.Fatalf("%d of %d fired", len(fired), n-len(cancelled))
		}
		for i := 1; i < len(fired); i++ {
			a, b := fired[i-1], fired[i]
			if a.when > b.when || a.when == b.when && a.asked > b.asked {
				t.Fatalf("%v fired before %v", a, b)
			}
		}
		for _, c := range cancels {
			c() // late does nothing
		}
	})
}

func TestAMomentAlreadyPastFiresAtThePresentOne(t *testing.T) {
	f := NewFake(time.Time{})
	var at []Instant
	f.At(10, func() {
		f.At(3, func() { at = append(at, f.Now()) })
	})
	for f.Next() {
	}
	if len(at) != 1 || at[0] != 10 {
		t.Errorf("fired at %v", at)
	}
}

func TestUntilIsNeverEarly(t *testing.T) {
	s := NewSystem()
	for _, d := range []time.Duration{0, 50 * time.Microsecond, time.Millisecond, 7 * time.Millisecond} {
		at := s.Now().Add(d)
		if !Until(s, at, nil) || s.Now() < at {
			t.Errorf("back %v before the moment", at.Sub(s.Now()))
		}
	}
}

func TestUntilEndsWhenItIsStopped(t *testing.T) {
	s := NewSystem()
	var stop atomic.Bool
	s.At(s.Now().Add(time.Millisecond), func() { stop.Store(true) })
	if Until(s, s.Now().Add(time.Hour), &stop) {
		t.Error("it waited for an hour")
	}
}

func TestTheSystemClockAddsWallTimeOnce(t *testing.T) {
	s := NewSystem()
	now := s.Now()
	if d := s.Wall(now.Add(time.Hour)).Sub(s.Wall(now)); d != time.Hour {
		t.Errorf("an hour lasts %v on the wall", d)
	}
	fired := make(chan struct{})
	cancel := s.At(now, func() { close(fired) })
	<-fired
	cancel()
}

func TestAnInstantDoesNotOverflow(t *testing.T) {
	if got := Never.Add(1); got != Never {
		t.Errorf("after never comes %d", got)
	}
	if got := Instant(5).Add(1<<63 - 1); got != Never {
		t.Errorf("5 and the longest duration make %d", got)
	}
	if got := Instant(5).Add(-10); got != -5 {
		t.Errorf("5 less 10 is %d", got)
	}
}
