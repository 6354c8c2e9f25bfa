package pacer

import (
	"time"

	"github.com/restest/restest/clock"
)

// idle adds up the time with nothing in flight, and the parts of it that somebody asked for: idle time exists to
// catch a slow tool, and quiet that was asked for is not that.
type idle struct {
	since  clock.Instant // when nothing was in flight any more
	busy   bool
	quiet  clock.Instant // the end of the quiet the API asked for, as known when this idle time began
	turn   clock.Instant // the turn of the next request, as known then,
	wrote  clock.Instant // which is counted from this write
	all    time.Duration
	asked  time.Duration
	byRate time.Duration
}

// begin begins idle time at the moment since.
func (i *idle) begin(since, quietUntil, turn, wrote clock.Instant) {
	i.busy, i.since, i.quiet, i.turn, i.wrote = false, since, quietUntil, turn, wrote
}

// hush notes the end of the quiet that is asked for now: a redirect that is not followed is heard after it has landed.
func (i *idle) hush(until clock.Instant) { i.quiet = max(i.quiet, until) }

// end ends it at the moment at.
func (i *idle) end(at clock.Instant) {
	if i.busy {
		return
	}
	all, asked, byRate := i.parts(at)
	i.all += all
	i.asked += asked
	i.byRate += byRate
	i.busy = true
}

// until is what has added up by the moment at.
func (i *idle) until(at clock.Instant) (all, asked, byRate time.Duration) {
	if i.busy {
		return i.all, i.asked, i.byRate
	}
	all, asked, byRate = i.parts(at)
	return i.all + all, i.asked + asked, i.byRate + byRate
}

func (i *idle) parts(at clock.Instant) (all, asked, byRate time.Duration) {
	part := func(from, end clock.Instant) time.Duration { return max(0, min(at, end).Sub(from)) }
	return part(i.since, at), part(i.since, i.quiet), part(max(i.since, i.wrote), i.turn)
}
