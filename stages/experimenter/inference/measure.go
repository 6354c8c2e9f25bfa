package inference

import (
	"fmt"
	"slices"
	"time"
)

// What batches of the measurements are sent for.
const (
	whyEmptied  = "the limit and one more, to be refused"
	whyHalfway  = "one, half the time that Retry-After asks for"
	whyAsTold   = "one, when Retry-After says so"
	whyOpens    = "one that opens a window"
	whyBefore   = "what is left of the limit, just before it ends"
	whyAfter    = "the limit, just after"
	whyUnder    = "evenly at 0.9 of the limit"
	whyOver     = "evenly at 1.3 of the limit"
	whyOverOn   = "evenly at 1.3 of the limit, going on"
	whyPlain    = "the plain request, refused by now"
	whyVariant  = "another one, while the plain one is refused"
	whyFaulty   = "requests with a client error"
	whyFaultyOn = "the plain request after them"
	whyPaired   = "alone, in turn with the other"
)

const (
	// under and over are the even rates tried, as shares of the limit, for so many windows.
	under, over               = 0.9, 1.3
	underWindows, overWindows = 4, 6
	// mostPairs bounds how often two routes are compared.
	mostPairs = 30
)

// task is one measurement: a few batches, each decided when the one before it is over.
type task struct {
	question Question
	name     string
	requests int
	windows  float64
	// step is the i-th batch, false if there are no more.
	step func(i int, now Instant) (Step, bool)
}

// measuring does one task after the other, those that fit into what may be spent.
type measuring struct {
	e     *Examination
	tasks []task
	done  int // steps of the first task
}

func newMeasuring(e *Examination) *measuring {
	m := &measuring{e: e}
	v := e.Verdict()
	k := e.planner.known
	if v.Family == None || v.AtOnce == 0 || k.Limit == 0 || k.Window == 0 {
		return m
	}
	spent := v.Family != Queue && v.Family != SlowDown && v.Family != Concurrency
	tasks := []task{m.retryAfter(), m.straddle(v), m.whose(), m.even(under, underWindows, whyUnder), m.faulty(), m.evenlyOver(), m.pairs()}
	switch v.Family {
	case Queue, SlowDown: // nothing ends that could be straddled
		tasks = append(tasks[:1], tasks[2:]...)
	case Concurrency: // it has no rate
		tasks = []task{m.retryAfter(), m.pairs()}
	}
	if !slices.ContainsFunc(e.batches, func(b Batch) bool { return b.Refused() > 0 }) {
		tasks[0].step = nil // there is no rejection to read
	}
	for _, t := range tasks {
		if t.question == Whose && !spent {
			continue // what is refused now is let through in a moment, whoever asks
		}
		if t.step != nil && e.asks(t.question) {
			m.tasks = append(m.tasks, t)
		}
	}
	return m
}

func (e *Examination) asks(q Question) bool { return slices.Contains(e.questions, q) }

func (m *measuring) next(now Instant) (Step, bool) {
	for len(m.tasks) > 0 {
		t := m.tasks[0]
		if m.done == 0 && !m.fits(t, now) {
			m.tasks = m.tasks[1:]
			continue
		}
		if s, ok := t.step(m.done, now); ok {
			m.done++
			s.Question = t.question
			return s, true
		}
		m.tasks, m.done = m.tasks[1:], 0
	}
	return Step{}, false
}

// fits says whether a task can be done with what may still be spent, and notes it if not.
func (m *measuring) fits(t task, now Instant) bool {
	e := m.e
	takes := m.rested(now).Sub(now) + e.planner.part(t.windows) + 2*e.planner.width() // what is delayed comes later
	switch {
	case e.sent+t.requests > e.most:
		e.notes = append(e.notes, fmt.Sprintf("%s was left out: it takes %d requests, and of at most %d there were %d left", t.name, t.requests, e.most, e.most-e.sent))
	case e.longest > 0 && now.Add(takes).Sub(e.began) > e.longest:
		e.notes = append(e.notes, fmt.Sprintf("%s was left out: the %v it takes were not left", t.name, takes.Round(time.Millisecond)))
	default:
		return true
	}
	return false
}

// rested is the moment from which on everything is as new, and the API does not ask to be left alone.
func (m *measuring) rested(now Instant) Instant {
	p := m.e.planner
	return max(now.Add(p.rest(p.alive())), m.e.quiet)
}

// last is the newest batch.
func (m *measuring) last() Batch { return m.e.batches[len(m.e.batches)-1] }

// limit is how many are let through at once.
func (m *measuring) limit() int { return max(1, min(m.e.planner.known.Limit, m.e.Verdict().AtOnce)) }

// few is enough requests to see whether they are refused.
func (m *measuring) few() int { return max(2, (m.limit()+7)/8) }

// retryAfter asks halfway to the moment that a refusal names, and at it.
func (m *measuring) retryAfter() task {
	var wait time.Duration
	var told Instant
	n := m.limit() + 1
	f := m.e.Verdict().Family
	counts := f == StrictLog || f == StrictCounter // asking too early would itself keep it shut
	return task{Rejection, "whether Retry-After is true", n + 2, 2, func(i int, now Instant) (Step, bool) {
		switch i {
		case 0:
			return Step{Why: whyEmptied, At: m.rested(now), N: n}, true
		case 1:
			for _, a := range m.last().Answers {
				if !a.Accepted && a.Said != nil && a.Said.Stated {
					wait, told = a.Said.Wait, a.Heard
				}
			}
			if told == 0 || wait <= 0 || wait > m.e.planner.part(4) {
				return Step{}, false
			}
			if counts {
				return Step{Why: whyAsTold, At: told.Add(wait), N: 1}, true
			}
			return Step{Why: whyHalfway, At: told.Add(wait / 2), N: 1}, true
		case 2:
			if counts {
				return Step{}, false
			}
			return Step{Why: whyAsTold, At: told.Add(wait), N: 1}, true
		}
		return Step{}, false
	}}
}

// straddle sends the limit just before a window ends and again just after.
func (m *measuring) straddle(v Verdict) task {
	p := m.e.planner
	w := p.known.Window
	limit := p.known.Limit
	gap := max(w/20, 2*p.width())
	edge := span{p.known.edge(w), p.known.edge(w)}
	if v.Family == TickingWindow {
		edge = span{p.table[0].Lo, p.table[0].Hi}
	}
	var opened Batch
	return task{Through, "the straddle of a window's end", 2*limit + 1, 2.2, func(i int, now Instant) (Step, bool) {
		onClock := v.Family == FixedWindow || v.Family == TickingWindow
		if onClock {
			i++
		}
		switch i {
		case 0:
			return Step{Why: whyOpens, At: m.rested(now), N: 1}, true
		case 1:
			if onClock {
				first := m.rested(now).Add(gap)
				ends := edge.lo.Add(time.Duration(floorDiv(int64(first-edge.lo), int64(w))+1) * w)
				return Step{Why: whyBefore, At: ends.Add(-gap), N: limit}, true
			}
			opened = m.last()
			return Step{Why: whyBefore, At: opened.Lo.Add(w - gap), N: max(1, limit-1)}, true
		case 2:
			ends := opened.Hi.Add(w)
			if onClock {
				before := m.last()
				ends = edge.hi.Add(time.Duration(floorDiv(int64(before.At-edge.lo), int64(w))+1) * w)
			}
			return Step{Why: whyAfter, At: ends.Add(min(coarse, w/400) * 2), N: limit}, true
		}
		return Step{}, false
	}}
}

// whose empties the budget of the plain request and tries the others while it is refused.
func (m *measuring) whose() task {
	var tried []int
	for i, v := range m.e.variants {
		if v.Kind != Plain && v.Kind != Compared {
			tried = append(tried, i)
		}
	}
	if len(tried) == 0 {
		return task{}
	}
	few, limit := m.few(), m.limit()
	// Every third of a window the budget is emptied anew, as some of it may have come back.
	steps := []Step{{Why: whyEmptied, N: limit + 1}}
	requests := limit + 1
	for _, v := range tried {
		n := few
		if m.e.variants[v].Kind == NoKey { // that it has a budget of its own is as it should be
			n = limit + 1
		}
		steps = append(steps, Step{Why: whyPlain, N: 1}, Step{Why: whyVariant, N: n, Variant: v})
		requests += 1 + n
	}
	steps = append(steps, Step{Why: whyPlain, N: 1})
	var emptied Instant
	return task{Whose, "whose budget it is", requests + 1 + limit, 0.6, func(i int, now Instant) (Step, bool) {
		if i >= len(steps) {
			return Step{}, false
		}
		s := steps[i]
		s.At = now
		switch {
		case i == 0:
			s.At = m.rested(now)
			emptied = s.At
		case s.Why == whyPlain && now.Sub(emptied) > m.e.planner.part(0.3):
			s.N, emptied = limit+1, now
		}
		return s, true
	}}
}

// faulty spends the limit on requests with a client error, and looks whether the plain one is still let through.
func (m *measuring) faulty() task {
	for i, v := range m.e.variants {
		if v.Kind == Faulty {
			limit, few := m.limit(), m.few()
			return task{Whose, "whether client errors spend the budget", limit + few, 0.2, func(step int, now Instant) (Step, bool) {
				switch step {
				case 0:
					return Step{Why: whyFaulty, At: m.rested(now), N: limit, Variant: i}, true
				case 1:
					return Step{Why: whyFaultyOn, At: now, N: few}, true
				}
				return Step{}, false
			}}
		}
	}
	return task{}
}

// even sends evenly at a share of the limit.
func (m *measuring) even(share float64, windows int, why string) task {
	p := m.e.planner
	apart := time.Duration(float64(p.known.Window) / (share * float64(p.known.Limit)))
	n := max(1, int(share*float64(windows)*float64(p.known.Limit)))
	return task{Through, why, n, float64(windows), func(i int, now Instant) (Step, bool) {
		if i > 0 {
			return Step{}, false
		}
		return Step{Why: why, At: m.rested(now), N: n, Spread: apart * time.Duration(n-1)}, true
	}}
}

// evenlyOver sends evenly above the limit, in two halves.
func (m *measuring) evenlyOver() task {
	first := m.even(over, overWindows/2, whyOver)
	first.name = "what comes through at 1.3 of the limit"
	second := m.even(over, overWindows/2, whyOverOn)
	step := first.step
	first.requests *= 2
	first.windows += overWindows / 2
	first.step = func(i int, now Instant) (Step, bool) {
		if i != 1 {
			return step(i, now)
		}
		s, _ := second.step(0, now)
		s.At = now
		return s, true
	}
	return first
}

// pairs compares the route with one without a limiter, in turn, within the limit.
func (m *measuring) pairs() task {
	other := -1
	for i, v := range m.e.variants {
		if v.Kind == Compared {
			other = i
		}
	}
	if other < 0 {
		return task{}
	}
	each := max(1, m.limit()*4/5)
	pairs := min(mostPairs, max(each, min(10, 2*each)))
	return task{Costs, "what the limiter costs", 2 * pairs, 2.2 * float64((pairs+each-1)/each), func(i int, now Instant) (Step, bool) {
		if i == 2*pairs {
			return Step{}, false
		}
		s := Step{Why: whyPaired, At: now, N: 1}
		if (i+i/2)%2 == 1 { // whichever goes first alternates too
			s.Variant = other
		}
		if i%(2*each) == 0 {
			s.At = m.rested(now)
		}
		return s, true
	}}
}
