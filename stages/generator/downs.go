package generator

import (
	"slices"
	"time"

	"github.com/restest/restest/messages"
)

// downs say which operations were asked last before the API went away: one that nearly always was may be what brings it
// down, and of an API that is down the others find nothing (decision 0017).
type downs struct {
	// last are the operations that were answered last, the newest first; -1 for none.
	last []int
	// gone is true from the first broken connection to the next answer. Since is when that was heard, first the earliest sent
	// of the requests that were not answered, firstAt when it was sent.
	gone    bool
	since   messages.Instant
	first   int
	firstAt messages.Instant
	// back is when the first request went that was answered since, lasted how long the API was away.
	back   messages.Instant
	lasted time.Duration
	// times counts how often the API went away, before how often each operation was among those asked last.
	times  int
	before []int
}

const (
	// mostLast is how many of them are kept at most: half as many as there are operations, so that one that has nothing to do
	// with it is there every second time at most. A server that dies of what it has answered answers some more.
	mostLast = 16
	// leastDown is how long an API is away at least before it counts: connections are closed for other reasons, too.
	leastDown = 50 * time.Millisecond
	// enoughDowns is how often it has to have gone away, and an operation is suspected that was asked last three times in four.
	enoughDowns = 5
	// upAsLong is how many times as long as it was away the API is up before one that is suspected is asked again.
	upAsLong = 8
)

func newDowns(operations int) downs {
	d := downs{before: make([]int, operations), last: make([]int, min(max(1, operations/2), mostLast))}
	for i := range d.last {
		d.last[i] = -1
	}
	return d
}

// suspects says whether the operation may be what brings the API down.
func (d *downs) suspects(operation int) bool {
	return d.times >= enoughDowns && 4*d.before[operation] >= 3*d.times
}

// holds says whether the operation is left alone for now.
func (d *downs) holds(operation int, now messages.Instant) bool {
	return d.suspects(operation) && (d.gone || now < d.back.Add(upAsLong*d.lasted))
}

// learn takes in how a request ended.
func (d *downs) learn(l *messages.Learned) {
	operation := l.Request.Operation
	switch {
	case l.Outcome == messages.Answered || l.Outcome == messages.BrokeOff:
		if d.gone && l.SentAt < d.since {
			return // on its way when the API went
		}
		if d.gone && l.SentAt >= d.since.Add(leastDown) {
			d.back, d.lasted = l.SentAt, time.Duration(l.SentAt-d.since)
			d.count()
		}
		d.gone = false
		copy(d.last[1:], d.last)
		d.last[0] = operation
	case l.Outcome != messages.NoReply || l.Kind != messages.WasReset && l.Kind != messages.ClosedIdle && l.Kind != messages.ClosedEarly:
	case !d.gone:
		d.gone, d.since, d.first, d.firstAt = true, l.HeardAt, operation, l.SentAt
	case l.SentAt < d.firstAt:
		d.first, d.firstAt = operation, l.SentAt
	}
}

// count notes that the API has gone away.
func (d *downs) count() {
	d.times++
	d.before[d.first]++
	for i, operation := range d.last {
		if operation >= 0 && operation != d.first && !slices.Contains(d.last[:i], operation) {
			d.before[operation]++
		}
	}
}
