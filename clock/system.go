package clock

import (
	"runtime"
	"sync/atomic"
	"time"
)

// System is the machine's clock, counting from the moment it was made.
type System struct{ began time.Time }

// NewSystem makes a clock whose first moment is now.
func NewSystem() *System { return &System{began: time.Now()} }

// Now is the present moment.
func (s *System) Now() Instant { return Instant(time.Since(s.began)) }

// At has f called at the moment t, on a goroutine of its own.
func (s *System) At(t Instant, f func()) (cancel func()) {
	timer := time.AfterFunc(t.Sub(s.Now()), f)
	return func() { timer.Stop() }
}

// Wall is the wall time of the moment t.
func (s *System) Wall(t Instant) time.Time { return s.began.Add(time.Duration(t)) }

// nearby is how much of a wait Until spends yielding rather than asleep: a timer of the Go runtime may be late by a
// millisecond, however short its wait.
const nearby = 2 * time.Millisecond

// Until waits for the moment t and returns within microseconds of it, never before it: it yields the processor
// through the last stretch instead of sleeping. It returns early, and false, once stop is set.
func Until(c Clock, t Instant, stop *atomic.Bool) bool {
	for {
		left := t.Sub(c.Now())
		switch {
		case stop != nil && stop.Load():
			return false
		case left <= 0:
			return true
		case left > 2*nearby:
			time.Sleep(min(left-nearby, 20*time.Millisecond))
		default:
			runtime.Gosched()
		}
	}
}
