package inference

import (
	"math"
	"slices"
	"time"
)

// Family is a way of limiting, as far as it can be told from outside.
type Family string

// The families.
const (
	FixedWindow   Family = "fixed window on the wall clock"
	FirstWindow   Family = "fixed window from the first request"
	TickingWindow Family = "fixed window with ticks of its own"
	SlidingLog    Family = "sliding log"
	StrictLog     Family = "sliding log that counts refusals"
	Counter       Family = "sliding counter"
	StrictCounter Family = "sliding counter that counts refusals"
	// Bucket is the token bucket and GCRA: from outside they are one.
	Bucket Family = "token bucket"
	// Leaky lets one through at a time, and none ahead of its time.
	Leaky       Family = "leaky bucket without a burst"
	Concurrency Family = "concurrency limit"
	// Queue delays what comes too early.
	Queue Family = "delaying queue"
	// SlowDown delays each request by more than the one before it, by their count.
	SlowDown Family = "slow-down"
	// One stands for them all where one request is let through at a time: then they are the same limiter.
	One Family = "one request at a time"
	// None: no limiter was found.
	None Family = "no limiter"
)

// Known is what is known before the first experiment.
type Known struct {
	// Limit and Window are what is published or was found.
	Limit  int
	Window time.Duration
	// Wall is the wall time of the run's first moment, in nanoseconds since 1970: windows of the wall clock are whole
	// multiples of their length from there.
	Wall int64
	// Found says that limit and window were found by trial, not published.
	Found bool
}

// edge is a moment at which a window of that length on the wall clock begins.
func (k Known) edge(window time.Duration) Instant {
	return Instant(-(k.Wall % int64(window)))
}

// candidate is a family with numbers, told the whole table.
type candidate struct {
	family Family
	model  model
	limit  int
	window time.Duration
	// loose says that its numbers leave more open than the family itself does.
	loose bool
	// missed counts the requests whose fate lies outside of its bounds, rows are the bounds of each batch.
	missed int
	rows   []bounds
}

// tell has the candidate expect a batch and take in what came of it.
func (c *candidate) tell(b Batch) {
	e := c.model.expect(b.Lo, b.Hi, b.N)
	c.missed += e.miss(b.Accepted)
	c.rows = append(c.rows, e)
	c.model.note(b.Lo, b.Hi, b.N, b.Accepted)
}

// opening is how many requests were let through up to and with the first batch that was refused some, and the time
// from the first of them to the end of that batch.
func opening(table []Batch) (used, inBatch int, took time.Duration, refused bool) {
	for _, b := range table {
		used += b.Accepted
		inBatch = b.Accepted
		took = b.Hi.Sub(table[0].Lo)
		if b.Refused() > 0 {
			return used, inBatch, took, true
		}
	}
	return used, inBatch, took, false
}

// candidates are the families with all the numbers worth trying, told the table.
func candidates(k Known, table []Batch) []*candidate {
	used, inBatch, took, refused := opening(table)
	if !refused || used == 0 {
		return nil
	}
	var all []*candidate
	loose := false
	add := func(f Family, limit int, window time.Duration, m model) {
		c := &candidate{family: f, model: m, limit: limit, window: window, loose: loose}
		for _, b := range table {
			c.tell(b)
		}
		all = append(all, c)
	}
	addBucket := func(limit int, window time.Duration, slow, fast float64) {
		from := max(1, int(math.Ceil(float64(used)-fast*float64(took)-1e-6)))
		if from == 1 && limit > 1 {
			add(Leaky, limit, window, newBucket(slow, fast, 1, 1))
		}
		if used > 1 {
			add(Bucket, limit, window, newBucket(slow, fast, max(2, from), used))
		}
	}
	first := span{table[0].Lo, table[0].Hi}
	limits, windows := []int{k.Limit}, []time.Duration{k.Window}
	if k.Found {
		limits, windows = foundLimits(table, used), roundAround(k.Window)
	} else if used != k.Limit {
		limits = append(limits, used)
	}
	wall := func(w time.Duration) span { return span{k.edge(w), k.edge(w)} }
	try := func(w time.Duration, limit int) {
		add(FixedWindow, limit, w, &ticks{limit: limit, length: w, edge: wall(w)})
		add(FirstWindow, limit, w, &opened{limit: limit, length: w})
		add(TickingWindow, limit, w, &ticks{limit: limit, length: w, edge: first, own: true})
		add(SlidingLog, limit, w, &sliding{limit: limit, length: w})
		add(StrictLog, limit, w, &sliding{limit: limit, length: w, strict: true})
		add(Counter, limit, w, &weighted{limit: limit, length: w, edge: wall(w)})
		add(StrictCounter, limit, w, &weighted{limit: limit, length: w, edge: wall(w), strict: true})
	}
	// asWritten tries counters in whole numbers, some of whose windows began with the server or the first request.
	asWritten := func(w time.Duration, limit int) {
		if limit < leastRounded {
			return
		}
		loose = true
		defer func() { loose = false }()
		for _, family := range []Family{Counter, StrictCounter} {
			strict := family == StrictCounter
			add(family, limit, w, &weighted{limit: limit, length: w, edge: wall(w), strict: strict, rounds: 1})
			add(family, limit, w, &weighted{limit: limit, length: w, strict: strict, rounds: 1, own: true})
			for i := range time.Duration(phases) {
				edge := span{Instant(0).Add(w * i / phases), Instant(0).Add(w * (i + 1) / phases)}
				add(family, limit, w, &weighted{limit: limit, length: w, edge: edge, strict: strict, rounds: 1})
			}
		}
	}
	// bySeconds tries those whose clock has whole seconds only, wherever its seconds begin.
	bySeconds := func(w time.Duration, limit int) {
		if limit < leastRounded || w < 2*time.Second || w%time.Second != 0 {
			return
		}
		for i := range time.Duration(phases / 2) {
			clock := seconds{span{Instant(0).Add(time.Second * 2 * i / phases), Instant(0).Add(time.Second * 2 * (i + 1) / phases)}}
			lo, hi := clock.read(first.lo, first.hi)
			add(FirstWindow, limit, w, &bySecond{clock, &opened{limit: limit, length: w}})
			add(TickingWindow, limit, w, &bySecond{clock, &ticks{limit: limit, length: w, edge: span{lo, hi}, own: true}})
			add(Counter, limit, w, &bySecond{clock, &weighted{limit: limit, length: w, rounds: 1, own: true}})
			add(StrictCounter, limit, w, &bySecond{clock, &weighted{limit: limit, length: w, strict: true, rounds: 1, own: true}})
		}
	}
	for _, w := range windows {
		for _, limit := range limits {
			try(w, limit)
			if !k.Found {
				asWritten(w, limit)
				rate := float64(limit) / float64(w)
				addBucket(limit, w, rate, rate)
			}
		}
	}
	// What is published may be wrong; but at one request at a time all families are alike, whichever window they have.
	if !k.Found && used > 1 {
		for _, times := range rivals {
			try(time.Duration(times*float64(k.Window)), used)
		}
	}
	if slow, fast := rates(table, used); slow <= fast && (k.Found || used > 1) {
		limit := max(used, k.Limit)
		window := time.Duration(2 * float64(limit) / (slow + fast))
		if k.Found {
			addBucket(limit, window, slow, fast)
		} else {
			from := max(2, int(math.Ceil(float64(used)-fast*float64(took)-1e-6)))
			add(Bucket, limit, window, newBucket(slow, fast, from, used))
		}
	}
	if least, most := concurrent(table, inBatch); least > 0 {
		add(Concurrency, least, 0, &together{least, most})
	}
	// What no exact one explains is held against those that are less so.
	explains := func(c *candidate) bool {
		return c.missed == 0 && !c.loose && (k.Found || c.window == 0 || c.window == k.Window)
	}
	if !slices.ContainsFunc(all, explains) {
		for _, w := range windows {
			for _, limit := range limits {
				if k.Found {
					asWritten(w, limit)
				}
				bySeconds(w, limit)
			}
		}
	}
	return all
}

// rivals are the windows beside the published one that a family is held against, as shares of it: it is not surely that
// family while another explains the same with one of them.
var rivals = []float64{0.25, 0.5, 0.75, 1.5, 2, 4, 10, 60}

// leastRounded is the least limit at which one request more or less still leaves a counter to be told from the others.
const leastRounded = 8

// phases is how many parts of a window are tried for where the windows of a counter begin.
const phases = 24

// foundLimits are the limits that the batches that were refused some can be taken for.
func foundLimits(table []Batch, used int) []int {
	limits := []int{used}
	for _, b := range table {
		for _, n := range []int{b.Accepted, b.Accepted + 1} {
			if b.Refused() > 0 && 2*n > used && len(limits) < 5 && !slices.Contains(limits, n) {
				limits = append(limits, n)
			}
		}
	}
	return limits
}

// rates bound how many come back in a nanosecond, if they come back one by one, by what came back from one batch that
// was refused some to the next. The lower is above the upper if they do not.
func rates(table []Batch, used int) (slow, fast float64) {
	slow, fast = 0, math.Inf(1)
	emptied := -1
	came := 0
	for i, b := range table {
		came += b.Accepted
		if b.Refused() == 0 {
			continue
		}
		if emptied >= 0 {
			longest, shortest := b.Hi.Sub(table[emptied].Lo), b.Lo.Sub(table[emptied].Hi)
			slow = max(slow, float64(came-1)/float64(longest))
			if i == emptied+1 && came < used-1 && shortest > 0 { // it was never full in between
				fast = min(fast, float64(came+1)/float64(shortest))
			}
		}
		emptied, came = i, 0
	}
	if math.IsInf(fast, 1) {
		return 1, 0
	}
	return slow, fast
}

// concurrent is how many a limit of what is under way at once lets through each time, at least and at most: those of
// the batches that were refused some. They do not vary by more than our timing can make them; 0 if they do.
func concurrent(table []Batch, inBatch int) (least, most int) {
	least, most = inBatch, inBatch
	for _, b := range table {
		if b.Refused() > 0 {
			least, most = min(least, b.Accepted), max(most, b.Accepted)
		}
	}
	if least == 0 || most > loosely(least) {
		return 0, 0
	}
	return least, most
}
