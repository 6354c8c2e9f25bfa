package clock

import (
	"container/heap"
	"sync"
	"time"
)

// Fake is a clock that stands still until it is told to fire the next timer. It fires one at a time, in the order
// (moment, order of asking), so that a run under it repeats exactly.
type Fake struct {
	mu     sync.Mutex
	now    Instant
	asked  uint64
	timers timers
	start  time.Time
}

// NewFake makes a clock that stands at the first moment of a run that began at start.
func NewFake(start time.Time) *Fake { return &Fake{start: start} }

// Now is the present moment.
func (f *Fake) Now() Instant {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Wall is the wall time of the moment t.
func (f *Fake) Wall(t Instant) time.Time { return f.start.Add(time.Duration(t)) }

// At has fire called when the clock gets to t. A moment already past fires at the present one.
func (f *Fake) At(t Instant, fire func()) (cancel func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	w := &timer{when: max(t, f.now), asked: f.asked, fire: fire}
	heap.Push(&f.timers, w)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if w.index >= 0 {
			heap.Remove(&f.timers, w.index)
		}
	}
}

// Next moves the clock to the earliest timer and fires it; false means that there is none.
func (f *Fake) Next() bool {
	f.mu.Lock()
	if len(f.timers) == 0 {
		f.mu.Unlock()
		return false
	}
	w := heap.Pop(&f.timers).(*timer)
	f.now = max(f.now, w.when)
	f.mu.Unlock()
	w.fire()
	return true
}

type timer struct {
	when  Instant
	asked uint64
	fire  func()
	index int
}

type timers []*timer

func (t timers) Len() int { return len(t) }

func (t timers) Less(i, j int) bool {
	if t[i].when != t[j].when {
		return t[i].when < t[j].when
	}
	return t[i].asked < t[j].asked
}

func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].index, t[j].index = i, j
}

func (t *timers) Push(x any) {
	w := x.(*timer)
	w.index = len(*t)
	*t = append(*t, w)
}

func (t *timers) Pop() any {
	old := *t
	w := old[len(old)-1]
	old[len(old)-1] = nil
	*t = old[:len(old)-1]
	w.index = -1
	return w
}
