package inference

import (
	"math"
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

// modelled are the families that have a model, in the order of every table.
var modelled = []Family{
	FixedWindow, FirstWindow, TickingWindow, SlidingLog, StrictLog, Counter, StrictCounter, Bucket, Leaky, Concurrency,
}

// Known is what is known before the first experiment.
type Known struct {
	// Limit and Window are what is published or was found.
	Limit  int
	Window time.Duration
	// Wall is the wall time of the run's first moment, in nanoseconds since 1970: windows of the wall clock are whole
	// multiples of their length from there.
	Wall int64
}

// edge is a moment at which a window of the wall clock begins.
func (k Known) edge() Instant {
	return Instant(-(k.Wall % int64(k.Window)))
}

// candidate is a family with numbers, told the whole table.
type candidate struct {
	family Family
	model  model
	limit  int
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
	if !refused {
		return nil
	}
	var all []*candidate
	add := func(f Family, limit int, m model) {
		c := &candidate{family: f, model: m, limit: limit}
		for _, b := range table {
			c.tell(b)
		}
		all = append(all, c)
	}
	w := k.Window
	wall := span{k.edge(), k.edge()}
	first := span{table[0].Lo, table[0].Hi}
	limits := []int{k.Limit}
	if used != k.Limit && used > 0 {
		limits = append(limits, used)
	}
	for _, limit := range limits {
		add(FixedWindow, limit, &ticks{limit: limit, length: w, edge: wall})
		add(FirstWindow, limit, &opened{limit: limit, length: w})
		add(TickingWindow, limit, &ticks{limit: limit, length: w, edge: first, own: true})
		add(SlidingLog, limit, &sliding{limit: limit, length: w})
		add(StrictLog, limit, &sliding{limit: limit, length: w, strict: true})
		add(Counter, limit, &weighted{limit: limit, length: w, edge: wall})
		add(StrictCounter, limit, &weighted{limit: limit, length: w, edge: wall, strict: true})
		rate := float64(limit) / float64(w)
		from := max(1, int(math.Ceil(float64(used)-rate*float64(took)-1e-6)))
		if from == 1 && limit > 1 {
			add(Leaky, limit, newBucket(rate, 1, 1))
		}
		if used > 1 {
			add(Bucket, limit, newBucket(rate, max(2, from), used))
		}
	}
	if least, most := concurrent(table, inBatch); least > 0 {
		add(Concurrency, least, &together{least, most})
	}
	return all
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
