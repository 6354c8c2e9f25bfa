package inference

import (
	"math"
	"slices"
	"time"
)

// model is one family with its numbers. It is told batch after batch.
type model interface {
	// expect bounds how many of n requests are let through that come between lo and hi.
	expect(lo, hi Instant, n int) bounds
	// note takes in what came of them.
	note(lo, hi Instant, n, accepted int)
	clone() model
}

// ticks counts in windows that follow one another; the edge between two of them lies in edge, and a whole number of
// windows before and after it.
type ticks struct {
	limit  int
	length time.Duration
	edge   span
	own    bool // the first request of all began the first window
	begun  bool
	at     int64 // the window that low and high count in
	low    int
	high   int
}

// windows are the first and the last window that a moment between lo and hi can lie in.
func windows(lo, hi Instant, edge span, length time.Duration) (first, last int64) {
	return floorDiv(int64(lo-edge.hi), int64(length)), floorDiv(int64(hi-edge.lo), int64(length))
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func (t *ticks) windows(lo, hi Instant) (first, last int64) {
	first, last = windows(lo, hi, t.edge, t.length)
	if t.own {
		first, last = max(first, 0), max(last, 0)
	}
	return first, last
}

// before is how many were counted in a window so far.
func (t *ticks) before(window int64) (low, high int) {
	switch {
	case !t.begun || window > t.at:
		return 0, 0
	case window == t.at:
		return t.low, t.high
	default:
		return 0, t.limit
	}
}

func (t *ticks) expect(lo, hi Instant, n int) bounds {
	first, last := t.windows(lo, hi)
	low, high := t.before(first)
	b := bounds{t.limit - high, t.limit - low}
	if last > first {
		b.most += t.limit * int(min(last-first, 1<<20))
	}
	return b.within(n)
}

func (t *ticks) note(lo, hi Instant, _, accepted int) {
	first, last := t.windows(lo, hi)
	low, high := t.before(first)
	if first == last {
		low, high = low+accepted, high+accepted
	} else {
		elsewhere := t.limit - low // at most so many counted in the window before
		if last > first+1 {
			elsewhere = accepted
		}
		low, high = t.before(last)
		low, high = low+max(0, accepted-elsewhere), min(t.limit, high+accepted)
	}
	t.begun, t.at, t.low, t.high = true, last, low, high
}

func (t *ticks) clone() model { c := *t; return &c }

// opened counts in a window that the first request after the window before it opens. Where it cannot be known whether
// a batch fell into the old window or opened a new one, both are kept.
type opened struct {
	limit  int
	length time.Duration
	states []openedState // never changed once they are there; none: no window was opened yet
}

type openedState struct {
	begun     span
	low, high int
}

// mostStates bounds how many histories are kept apart.
const mostStates = 24

func (o *opened) expect(lo, hi Instant, n int) bounds {
	if len(o.states) == 0 {
		return bounds{o.limit, o.limit}.within(n)
	}
	all := bounds{math.MaxInt, 0}
	for _, s := range o.states {
		b := o.of(s, lo, hi, n)
		all.least, all.most = min(all.least, b.least), max(all.most, b.most)
	}
	return all
}

func (o *opened) of(s openedState, lo, hi Instant, n int) bounds {
	switch {
	case hi < s.begun.lo.Add(o.length):
		return bounds{o.limit - s.high, o.limit - s.low}.within(n)
	case lo >= s.begun.hi.Add(o.length):
		return bounds{o.limit, o.limit}.within(n)
	default:
		return bounds{o.limit - s.high, 2*o.limit - s.low}.within(n)
	}
}

func (o *opened) note(lo, hi Instant, n, accepted int) {
	var next []openedState
	keep := func(s openedState) {
		if len(next) < mostStates && !slices.Contains(next, s) {
			next = append(next, s)
		}
	}
	for _, s := range o.states {
		if o.of(s, lo, hi, n).miss(accepted) > 0 {
			continue
		}
		reopens := span{s.begun.lo.Add(o.length), s.begun.hi.Add(o.length)}
		if lo < reopens.hi && (bounds{o.limit - s.high, o.limit - s.low}).within(n).miss(accepted) == 0 {
			keep(openedState{s.begun, s.low + accepted, min(o.limit, s.high+accepted)})
		}
		if hi >= reopens.lo {
			low := 0
			if lo >= reopens.hi {
				low = accepted
			} else {
				low = max(0, accepted-(o.limit-s.low))
			}
			keep(openedState{span{max(lo, reopens.lo), hi}, low, min(accepted, o.limit)})
		}
	}
	if len(next) == 0 {
		next = append(next, openedState{span{lo, hi}, accepted, accepted})
	}
	o.states = next
}

func (o *opened) clone() model { c := *o; return &c }

// sliding counts in the window that ends at each request: what was let through or, if strict, what came.
type sliding struct {
	limit  int
	length time.Duration
	strict bool
	came   []counted // only ever appended to
}

type counted struct {
	span
	n int
}

func (l *sliding) expect(lo, hi Instant, n int) bounds {
	surely, perhaps := 0, 0
	for i := len(l.came) - 1; i >= 0; i-- {
		c := l.came[i]
		if c.hi.Add(l.length) < lo {
			break
		}
		perhaps += c.n
		if c.lo.Add(l.length) > hi {
			surely += c.n
		}
	}
	return bounds{l.limit - perhaps, l.limit - surely}.within(n)
}

func (l *sliding) note(lo, hi Instant, n, accepted int) {
	if !l.strict {
		n = accepted
	}
	if n > 0 {
		l.came = append(l.came[:len(l.came):len(l.came)], counted{span{lo, hi}, n})
	}
}

func (l *sliding) clone() model { c := *l; return &c }

// weighted weighs the count of the window before by how much of it the window that ends now still covers.
type weighted struct {
	limit  int
	length time.Duration
	strict bool
	edge   span
	// rounds is by how many requests its arithmetic may be off: many weigh in whole numbers.
	rounds int
	// own has its windows follow the first request after two windows without any, instead of the wall clock.
	own    bool
	begun  bool
	at     int64
	before counts
	here   counts
}

type counts struct{ low, high int }

func (w *weighted) in(window int64) (before, here counts) {
	switch {
	case !w.begun || window > w.at+1:
		return counts{}, counts{}
	case window == w.at+1:
		return w.here, counts{}
	case window == w.at:
		return w.before, w.here
	default:
		return counts{0, 2 * w.limit}, counts{0, 2 * w.limit}
	}
}

// room is how many more fit so far into a window. The sum is below the limit until it is not, so a part counts whole.
func (w *weighted) room(before, here int, at float64, up float64) int {
	return int(math.Ceil(float64(w.limit)-float64(before)*(1-at)+up)) - here
}

// anew says whether windows of its own surely begin anew with what comes between lo and hi, and whether they may.
func (w *weighted) anew(lo, hi Instant) (surely, perhaps bool) {
	if !w.own || !w.begun {
		return w.own, w.own
	}
	first, last := windows(lo, hi, w.edge, w.length)
	return first > w.at+1, last > w.at+1
}

func (w *weighted) expect(lo, hi Instant, n int) bounds {
	hair := 1e-9 + float64(w.rounds)
	switch surely, perhaps := w.anew(lo, hi); {
	case surely:
		return bounds{w.limit - w.rounds, w.limit + w.rounds}.within(n)
	case perhaps:
		return bounds{0, n}
	}
	first, last := windows(lo, hi, w.edge, w.length)
	if w.own {
		first, last = max(first, 0), max(last, 0)
	}
	before, here := w.in(first)
	length := float64(w.length)
	start := func(edge Instant, window int64) float64 { return float64(edge) + float64(window)*length }
	from := max(0, (float64(lo)-start(w.edge.hi, first))/length)
	if first == last {
		to := min(1, (float64(hi)-start(w.edge.lo, first))/length)
		return bounds{w.room(before.high, here.high, from, -hair), w.room(before.low, here.low, to, hair)}.within(n)
	}
	into := min(1, (float64(hi)-start(w.edge.lo, last))/length)
	least := min(w.room(before.high, here.high, from, -hair), w.limit-w.rounds-here.high)
	if w.strict {
		least = min(least, w.limit-w.rounds-here.high-n)
	}
	most := max(0, w.room(before.low, here.low, 1, hair)) + max(0, w.room(here.low, 0, into, hair))
	if last > first+1 {
		most = n
	}
	return bounds{least, most}.within(n)
}

func (w *weighted) note(lo, hi Instant, n, accepted int) {
	if surely, perhaps := w.anew(lo, hi); perhaps {
		w.edge, w.begun, w.at = span{lo, hi}, false, 0
		if !surely {
			w.begun, w.before, w.here = true, counts{0, 2 * w.limit}, counts{}
		}
	}
	first, last := windows(lo, hi, w.edge, w.length)
	if w.own {
		first, last = max(first, 0), max(last, 0)
	}
	before, here := w.in(first)
	added := accepted
	if w.strict {
		added = n
	}
	switch {
	case first == last:
		here = counts{here.low + added, here.high + added}
	case w.begun && w.at == last: // the batch before may have reached into it too
		before, here = w.in(last)
		before.high, here.high = before.high+added, here.high+added
	case last == first+1:
		before, here = counts{here.low, here.high + added}, counts{0, added}
	default:
		before, here = counts{0, added}, counts{0, added}
	}
	if w.strict { // some stop counting at twice the limit
		here.low = min(here.low, 2*w.limit)
	}
	w.begun, w.at, w.before, w.here = true, last, before, here
}

func (w *weighted) clone() model { c := *w; return &c }

// bucket holds from to tokens when it is full, and gains slow to fast of them in a nanosecond.
type bucket struct {
	slow, fast float64
	from, to   float64
	low, high  float64 // at the moment at
	at         Instant
}

func newBucket(slow, fast float64, from, to int) *bucket {
	return &bucket{slow: slow, fast: fast, from: float64(from), to: float64(to), low: float64(from), high: float64(to)}
}

// until is how much there is at the moment t, if nothing more is taken.
func (b *bucket) until(t Instant) (low, high float64) {
	passed := max(0, float64(t-b.at))
	return min(b.from, b.low+b.slow*passed), min(b.to, b.high+b.fast*passed)
}

func (b *bucket) expect(lo, hi Instant, n int) bounds {
	const hair = 1e-6
	low, high := b.until(lo)
	if low < b.from {
		low -= hair
	}
	high += b.fast * float64(hi-lo)
	return bounds{int(math.Floor(low)), int(math.Floor(high + hair))}.within(n)
}

func (b *bucket) note(lo, hi Instant, n, accepted int) {
	low, high := b.until(lo)
	low = min(b.from, low+b.slow*float64(max(0, hi-max(lo, b.at)))) // two batches may be blurred into each other
	during := b.fast * float64(hi-lo)
	b.low = max(0, low-float64(accepted))
	b.high = max(0, high+during-float64(accepted))
	if accepted < n {
		b.high = min(b.high, 1+during)
	}
	b.high = min(b.high, b.to)
	b.low = min(b.low, b.high)
	b.at = max(b.at, hi)
}

func (b *bucket) clone() model { c := *b; return &c }

// together lets so many be under way at once. How many of a batch are under way together is not known, but as many as
// that are let through whenever nothing else is under way.
type together struct {
	least, most int
}

func (c *together) expect(_, _ Instant, n int) bounds {
	return bounds{c.least, loosely(c.most)}.within(n)
}

// loosely is how many may be let through where so many were before, as some are over before others come.
func loosely(n int) int { return 3*n + 2 }

func (*together) note(Instant, Instant, int, int) {}
func (c *together) clone() model                  { return c }

// seconds is a clock of whole seconds, which begin within the span and a whole number of seconds before and after it.
type seconds struct{ begin span }

// read is what the clock says, at least and at most, of a moment between lo and hi.
func (s seconds) read(lo, hi Instant) (least, most Instant) {
	whole := func(t Instant) Instant { return Instant(floorDiv(int64(t), int64(time.Second)) * int64(time.Second)) }
	return whole(lo - s.begin.hi), whole(hi - s.begin.lo)
}

// bySecond is a model that reads such a clock.
type bySecond struct {
	clock seconds
	model model
}

func (b *bySecond) expect(lo, hi Instant, n int) bounds {
	lo, hi = b.clock.read(lo, hi)
	return b.model.expect(lo, hi, n)
}

func (b *bySecond) note(lo, hi Instant, n, accepted int) {
	lo, hi = b.clock.read(lo, hi)
	b.model.note(lo, hi, n, accepted)
}

func (b *bySecond) clone() model { return &bySecond{b.clock, b.model.clone()} }
