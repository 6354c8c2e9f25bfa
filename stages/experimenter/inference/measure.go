package inference

import (
	"fmt"
	"slices"
	"time"
)

// What batches of the measurements are sent for.
const (
	whyEmptied = "the limit and one more, to be refused"
	whyHalfway = "one, half the time that Retry-After asks for"
	whyAsTold  = "one, when Retry-After says so"
	whyOpens   = "one that opens a window"
	whyBefore  = "what is left of the limit, just before it ends"
	whyAfter   = "the limit, just after"
	whyUnder   = "evenly at 0.9 of the limit"
	whyOver    = "evenly at 1.3 of the limit"
	whyOverOn  = "evenly at 1.3 of the limit, going on"
	whyPlain   = "the plain request, refused by now"
	whyVariant = "while the plain request is refused"
	// whyVariantOn follows where a whyVariant was let through.
	whyVariantOn = "more than the limit, while the plain request is refused"
	whyFaulty    = "as many as the limit allows"
	whyFaultyOn  = "the plain request after them"
	whyPaired    = "in turn with the other route, alone"
)

const (
	// under and over are the even rates tried, as shares of the limit, for so many windows.
	under, over               = 0.9, 1.3
	underWindows, overWindows = 4, 6
	// leastPairs and mostPairs bound how often two routes are compared.
	leastPairs, mostPairs = 5, 30
)

// task is one measurement: a few batches, each decided when the one before it is over.
type task struct {
	question Question
	name     string
	requests int
	windows  float64
	// goesOn says that it needs no rest before it.
	goesOn bool
	// step is the i-th batch, false if there are no more.
	step func(i int, now Instant) (Step, bool)
	// less is the same at less cost, to be done where this does not fit; nil: there is none.
	less func() task
}

// measuring does one task after the other, those that fit into what may be spent.
type measuring struct {
	e       *Examination
	verdict Verdict
	// planner is the examination's, with the limit and the window that the verdict names where they are not published.
	planner Planner
	// delays says that what comes too early waits.
	delays bool
	tasks  []task
	done   int // steps of the first task
}

func newMeasuring(e *Examination) *measuring {
	m := &measuring{e: e, verdict: e.Verdict(), planner: *e.planner, delays: e.planner.delaying()}
	v, k := m.verdict, &m.planner.known
	if k.Found && v.Certainty > NotSure && v.Limit > 0 && v.Window > 0 {
		k.Limit, k.Window = v.Limit, v.Window
	}
	if e.longest == 0 { // it was not known how long a window is
		e.longest = e.now().Sub(e.began) + allWindows*k.Window
	}
	if v.Family == None || v.AtOnce == 0 || k.Limit == 0 || k.Window == 0 {
		return m
	}
	spent := v.Family != Queue && v.Family != SlowDown && v.Family != Concurrency
	tasks := []task{
		m.retryAfter(), m.straddle(v), m.whose(), m.even(under, underWindows, whyUnder), m.evenlyOver(overWindows), m.pairs(mostPairs), m.faulty(),
	}
	switch v.Family {
	case Queue, SlowDown: // nothing ends that could be straddled
		tasks = append(tasks[:1], tasks[2:]...)
	case Concurrency: // it has no rate
		tasks = []task{m.retryAfter(), m.pairs(mostPairs)}
	}
	if !slices.ContainsFunc(e.batches, func(b Batch) bool { return len(b.delays(false)) > 0 }) {
		tasks[0].step = nil // there is no rejection to read
	}
	for _, t := range tasks {
		if t.question == Whose && !spent {
			continue // what is refused now is let through in a moment, whoever asks
		}
		if t.question == Through && k.Limit == 1 {
			continue // one request more or less is all that could be seen
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
		if m.done == 0 && !m.fit(now) {
			m.tasks = m.tasks[1:]
			continue
		}
		t := m.tasks[0]
		if s, ok := t.step(m.done, now); ok {
			m.done++
			s.Question = t.question
			return s, true
		}
		m.tasks, m.done = m.tasks[1:], 0
	}
	return Step{}, false
}

// fit says whether the first task can be done with what may still be spent, and notes it if not. Of one that can be
// done at less cost less is done, if those after it would not fit otherwise.
func (m *measuring) fit(now Instant) bool {
	t := &m.tasks[0]
	for t.less != nil && !m.fits(m.tasks, now) {
		*t = t.less()
	}
	if !m.fits(m.tasks[:1], now) {
		m.leftOut(*t, now)
		return false
	}
	return true
}

// fits says whether tasks can be done with what may still be spent: the first as it is, of the others the least.
func (m *measuring) fits(tasks []task, now Instant) bool {
	requests, took := 0, time.Duration(0)
	for i, t := range tasks {
		for i > 0 && t.less != nil {
			t = t.less()
		}
		requests += t.requests
		took += m.takes(t, now)
	}
	return m.e.sent+requests <= m.e.most && now.Add(took).Sub(m.e.began) <= m.e.longest
}

// takes is how long a task takes, with the rest before it.
func (m *measuring) takes(t task, now Instant) time.Duration {
	took := m.planner.part(t.windows) + 2*m.planner.width() // what is delayed comes later
	if m.delays {                                           // and what waits even more so
		took += m.planner.part(float64(m.verdict.AtOnce+1) / float64(m.planner.known.Limit))
	}
	if !t.goesOn {
		took += m.rested(now).Sub(now)
	}
	return took
}

func (m *measuring) leftOut(t task, now Instant) {
	why := fmt.Sprintf("it takes %s, and of at most %d there were %d left", requests(t.requests), m.e.most, m.e.most-m.e.sent)
	if m.e.sent+t.requests <= m.e.most {
		why = fmt.Sprintf("the %s it takes were not left", length(m.takes(t, now)))
	}
	m.e.notes = append(m.e.notes, t.name+" was left out: "+why)
}

// rested is the moment from which on everything is as new, and the API does not ask to be left alone.
func (m *measuring) rested(now Instant) Instant {
	p := &m.planner
	rest := p.rest(p.alive())
	if longer := m.verdict.Window; longer > p.known.Window {
		rest = time.Duration(float64(rest) * min(4, float64(longer)/float64(p.known.Window)))
	}
	return max(now.Add(rest), m.e.quiet)
}

// last is the newest batch.
func (m *measuring) last() Batch { return m.e.batches[len(m.e.batches)-1] }

// limit is how many are let through at once.
func (m *measuring) limit() int { return max(1, min(m.planner.known.Limit, m.verdict.AtOnce)) }

// few is enough requests to see whether they are refused.
func (m *measuring) few() int { return max(2, (m.limit()+7)/8) }

// retryAfter asks halfway to the moment that a refusal names, and at it.
func (m *measuring) retryAfter() task {
	var wait time.Duration
	var told Instant
	n := m.limit() + 1
	f := m.verdict.Family
	if f == Queue { // besides those that wait, one goes ahead
		n = m.verdict.AtOnce + 2
	}
	counts := f == StrictLog || f == StrictCounter // asking too early would itself keep it shut
	return task{question: Rejection, name: "whether Retry-After is true", requests: n + 2, windows: 2, step: func(i int, now Instant) (Step, bool) {
		switch i {
		case 0:
			return Step{Why: whyEmptied, At: m.rested(now), N: n, Whole: true}, true
		case 1:
			for _, a := range m.last().Answers {
				if !a.Accepted && a.Said != nil && a.Said.Stated {
					wait, told = a.Said.Wait, a.Heard
				}
			}
			if told == 0 || wait > m.planner.part(4) {
				return Step{}, false
			}
			if counts || wait == 0 {
				return Step{Why: whyAsTold, At: told.Add(wait), N: 1}, true
			}
			return Step{Why: whyHalfway, At: told.Add(wait / 2), N: 1}, true
		case 2:
			if counts || wait == 0 {
				return Step{}, false
			}
			return Step{Why: whyAsTold, At: told.Add(wait), N: 1}, true
		}
		return Step{}, false
	}}
}

// straddle sends the limit just before a window ends and again just after.
func (m *measuring) straddle(v Verdict) task {
	p := &m.planner
	w := p.known.Window
	if v.Window > 0 {
		w = v.Window
	}
	limit := p.known.Limit
	gap := max(w/20, 2*p.width())
	edge := span{p.known.edge(w), p.known.edge(w)}
	if v.Family == TickingWindow {
		edge = span{p.table[0].Lo, p.table[0].Hi}
	}
	var opened Batch
	windows := 2.2 * float64(w) / float64(p.known.Window)
	return task{question: Through, name: "the straddle of a window's end", requests: 2*limit + 1, windows: windows, step: func(i int, now Instant) (Step, bool) {
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
	steps := []Step{{Why: whyEmptied, N: limit + 1}}
	most := limit + 1
	for _, v := range tried {
		steps = append(steps, Step{Why: whyPlain, N: 1, Control: true}, Step{Why: whyVariant, N: few, Variant: v})
		most += 1 + few
		if m.e.variants[v].Kind == NoKey { // that it has a budget of its own is as it should be: whether it has one at all
			steps = append(steps, Step{Why: whyPlain, N: 1, Control: true}, Step{Why: whyVariantOn, N: limit + 1, Variant: v})
			most += 2 + limit
		}
	}
	steps = append(steps, Step{Why: whyPlain, N: 1, Control: true})
	var emptied Instant
	return task{question: Whose, name: "whose budget it is", requests: most + 1 + limit, windows: 0.6, step: func(i int, now Instant) (Step, bool) {
		if i > 0 && m.last().Why == whyVariant && 2*m.last().Accepted < m.last().N {
			steps = slices.DeleteFunc(steps, func(s Step) bool { return s.Why == whyVariantOn && s.Variant == m.last().Variant })
		}
		if i >= len(steps) {
			return Step{}, false
		}
		s := steps[i]
		s.At = now
		switch {
		case i == 0:
			s.At = m.rested(now)
			emptied = s.At
		case s.Why == whyPlain && now.Sub(emptied) > m.planner.part(0.3): // some of it may have come back
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
			return task{question: Whose, name: "whether client errors spend the budget", requests: limit + few, windows: 0.2, step: func(step int, now Instant) (Step, bool) {
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
	k := m.planner.known
	apart := time.Duration(float64(k.Window) / (share * float64(k.Limit)))
	n := max(1, int(share*float64(windows)*float64(k.Limit)))
	return task{question: Through, name: why, requests: n, windows: float64(windows), step: func(i int, now Instant) (Step, bool) {
		if i > 0 {
			return Step{}, false
		}
		return Step{Why: why, At: m.rested(now), N: n, Spread: apart * time.Duration(n-1)}, true
	}}
}

// evenlyOver sends evenly above the limit, in two halves: for so many windows, or fewer where those do not fit. It goes on
// from what was sent evenly under the limit: the second half is what counts.
func (m *measuring) evenlyOver(windows int) task {
	first, second := m.even(over, windows/2, whyOver), m.even(over, windows/2, whyOverOn)
	t := task{
		question: Through, name: "what comes through at 1.3 of the limit", requests: first.requests + second.requests, windows: float64(windows),
		goesOn: true,
		step: func(i int, now Instant) (Step, bool) {
			if i == 0 {
				s, ok := first.step(0, now)
				if m.last().Why == whyUnder {
					s.At = max(now, m.e.quiet)
				}
				return s, ok
			}
			s, ok := second.step(i-1, now)
			s.At = now
			return s, ok
		},
	}
	if windows > 2 {
		t.less = func() task { return m.evenlyOver(windows - 2) }
	}
	return t
}

// pairs compares the route with one without a limiter, in turn, within the limit: so many times at most.
func (m *measuring) pairs(most int) task {
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
	pairs := min(most, max(each, leastPairs))
	t := task{question: Costs, name: "what the limiter costs", requests: 2 * pairs, windows: 2.2 * float64((pairs+each-1)/each)}
	t.step = func(i int, now Instant) (Step, bool) {
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
	}
	if pairs > leastPairs {
		t.less = func() task { return m.pairs(pairs / 2) }
	}
	return t
}
