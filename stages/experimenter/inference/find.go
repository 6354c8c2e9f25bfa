package inference

import (
	"math"
	"time"
)

// finder finds how many are let through, and per how long, where neither is known: bursts that double until some are
// refused, then single requests until one is let through again.
type finder struct {
	known Known
	table []Batch
	sent  int
	// most bounds how many requests it may send.
	most int

	state   finding
	emptied Batch // the last batch that was refused some
	wait    time.Duration
	growth  float64
	again   int  // how often as many were let through again at once
	polled  span // how long after it was emptied it was certainly closed, and certainly open
	cycle   int
	first   span // the wait of the first cycle
	open    Batch

	over   bool
	found  Known
	family Family // Concurrency or None where that shows at once
	atOnce int
}

type finding int

const (
	doubling  finding = iota
	repeating         // whether as many again are let through at once
	polling           // until one is let through
	filling           // the limit, as soon as one was let through
	pacing            // how many have come back after a while
)

// What batches are sent for.
const (
	whyDouble = "twice as many as before"
	whyRepeat = "again at once"
	whyPoll   = "one, to see whether it is open again"
	whyFill   = "the limit, as soon as it is open again"
	whyPace   = "how many have come back after a while"
)

const (
	// firstPoll is how long after it was emptied it is first asked whether it is open again.
	firstPoll = 50 * time.Millisecond
	// coarsely and finely are by how much a wait grows from one poll to the next.
	coarsely, finely = 1.25, 1.08
	// precise is how exactly, as a share, a window has to be known.
	precise = 0.1
	// mostCycles bounds how often the window is looked for.
	mostCycles = 3
)

func newFinder(k Known, most int) *finder { return &finder{known: k, most: most} }

func (f *finder) next(now Instant) (Step, bool) {
	s, ok := f.step(now)
	if !ok || f.over || f.sent+s.N > f.most {
		f.over = true
		return Step{}, false
	}
	s.Question = Exists
	return s, true
}

func (f *finder) step(now Instant) (Step, bool) {
	switch f.state {
	case doubling:
		switch n := len(f.table); {
		case n == 0:
			return Step{Why: whyAlone, At: now, N: 1}, true
		case n == 1 && f.known.Limit > 0:
			return Step{Why: whyBurst, At: now, N: half(3*f.known.Limit) + 1}, true
		default:
			return Step{Why: whyDouble, At: now, N: 2 * f.table[n-1].N}, true
		}
	case repeating:
		most := 0
		for _, b := range f.table {
			most = max(most, b.Accepted)
		}
		return Step{Why: whyRepeat, At: now, N: max(2, half(most))}, true
	case polling:
		return Step{Why: whyPoll, At: max(now, f.emptied.Hi.Add(f.wait)), N: 1}, true
	case filling:
		return Step{Why: whyFill, At: now, N: f.atOnce + 1}, true
	default:
		return Step{Why: whyPace, At: max(now, f.emptied.Hi.Add(f.wait)), N: f.atOnce + 1}, true
	}
}

func (f *finder) add(b Batch) {
	f.table = append(f.table, b)
	f.sent += b.N
	switch f.state {
	case doubling:
		f.atOnce += b.Accepted
		if b.Refused() > 0 {
			f.emptied, f.state = b, repeating
			f.over = f.atOnce == 0 // even the first was refused: nothing can be measured
		}
	case repeating:
		if b.Refused() == 0 && b.N >= 2 {
			if f.again++; f.again == 3 {
				f.over, f.family, f.atOnce = true, Concurrency, f.emptied.Accepted
			}
			return
		}
		f.poll(max(firstPoll, 2*b.Hi.Sub(b.Lo)), coarsely)
	case polling:
		f.polledOnce(b)
	case filling:
		f.filled(b)
	default:
		f.paced(b)
	}
}

// poll begins to ask whether it is open again.
func (f *finder) poll(wait time.Duration, growth float64) {
	f.state, f.wait, f.growth, f.polled = polling, wait, growth, span{}
}

func (f *finder) polledOnce(b Batch) {
	if b.Accepted == 0 {
		f.polled.lo = Instant(b.Lo.Sub(f.emptied.Hi))
		f.wait = time.Duration(float64(f.wait) * f.growth)
		if f.wait > longestWindow {
			f.over = true
		}
		return
	}
	f.polled.hi = Instant(b.Hi.Sub(f.emptied.Lo))
	f.open, f.state = b, filling
}

// longestWindow is the longest window that is looked for.
const longestWindow = 2 * time.Hour

// filled looks at how many came through once one had: nearly all means a window, and its length is looked for once
// more; a few means that they come back one by one, and their pace is measured.
func (f *finder) filled(b Batch) {
	came := b.Accepted + 1
	f.emptied = b
	if came < max(2, half(f.atOnce)) {
		f.state = pacing
		f.wait = time.Duration(f.polled.hi) * time.Duration(max(1, half(f.atOnce))) / time.Duration(came)
		return
	}
	f.cycle++
	width := float64(f.polled.hi-f.polled.lo) / float64(f.polled.hi)
	changed := f.cycle == 1 || float64(f.polled.lo) > 1.3*float64(f.first.hi)
	if f.cycle == 1 || changed {
		f.first = f.polled
	}
	if !changed && (width <= precise || f.cycle >= mostCycles) {
		f.settle(f.polled, f.atOnce)
		return
	}
	growth := finely
	if width < 2*(finely-1) {
		growth = 1.04
	}
	f.poll(max(firstPoll, time.Duration(0.97*float64(f.polled.lo))), growth)
}

// paced works the window out from how many came back in a while.
func (f *finder) paced(b Batch) {
	switch {
	case b.Accepted == 0:
		f.wait *= 2
		if f.wait > longestWindow {
			f.over = true
		}
		return
	case b.Accepted >= f.atOnce && f.atOnce > 2 && f.cycle < mostCycles:
		f.cycle++
		f.emptied = b
		f.wait /= 2
		return
	}
	limit := f.atOnce
	if f.known.Limit > 0 {
		limit = f.known.Limit
	}
	least := float64(b.Lo.Sub(f.emptied.Hi)) / float64(b.Accepted+1)
	most := float64(b.Hi.Sub(f.emptied.Lo)) / math.Max(1, float64(b.Accepted)-1)
	f.settle(span{Instant(least * float64(limit)), Instant(most * float64(limit))}, limit)
}

// settle ends with a window within the bounds, the roundest there is.
func (f *finder) settle(window span, limit int) {
	f.over = true
	if f.known.Limit > 0 {
		limit = f.known.Limit
	}
	length, _ := roundest(time.Duration(window.lo), time.Duration(window.hi))
	f.found = Known{Limit: limit, Window: length, Wall: f.known.Wall, Found: true}
}

// roundest is the roundest length between the two, and whether there is a round one: people choose windows.
func roundest(lo, hi time.Duration) (time.Duration, bool) {
	units := []struct {
		unit  time.Duration
		times []int64
	}{
		{time.Hour, []int64{1, 2}},
		{time.Minute, []int64{1, 10, 5, 30, 15, 2, 20, 3, 45, 90}},
		{time.Second, []int64{1, 10, 60, 5, 30, 2, 15, 20, 3, 90, 100, 4, 6, 12, 8, 40, 50, 45, 25}},
		{100 * time.Millisecond, []int64{5, 2, 1, 15, 25, 3, 4, 6, 8, 12}},
		{50 * time.Millisecond, []int64{5, 15, 1, 3, 7, 9, 11}},
	}
	for _, u := range units {
		for _, n := range u.times {
			if d := time.Duration(n) * u.unit; d >= lo && d <= hi {
				return d, true
			}
		}
	}
	return lo + (hi-lo)/2, false
}

// roundAround are the round lengths near one, and it itself.
func roundAround(d time.Duration) []time.Duration {
	all := []time.Duration{d}
	for lo := d / 8; lo < 4*d; {
		hi := lo + lo/40
		if r, round := roundest(lo, hi); round && r != all[len(all)-1] && r != d {
			all = append(all, r)
		}
		lo = hi + 1
	}
	return all
}
