package pacer

import (
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/settings"
)

// rate keeps the turns of ADR-0043: "each turn is counted from the request before it, never from the turn that was
// due", so a quiet spell is never made up for.
type rate struct {
	interval time.Duration // 0: no rate
	turn     clock.Instant // no write may begin before it
}

// newRate keeps to the run's rate. lastWrite is the moment of a write to the API before the run's first, such as the
// fetch of its document; it is negative if there was none.
func newRate(s settings.Engine, lastWrite clock.Instant) rate {
	r := rate{interval: s.Interval()}
	if lastWrite >= 0 {
		r.wrote(lastWrite)
	}
	return r
}

// wrote counts the next turn from the end of a write.
func (r *rate) wrote(end clock.Instant) {
	if r.interval > 0 {
		r.turn = max(r.turn, end.Add(r.interval))
	}
}

// ownRate is the rate of one operation (decision 0012), which it keeps as the run keeps its own.
type ownRate struct {
	rate
	// leaving counts its Gos that have not departed: until they have, its next turn is not known.
	leaving  int
	written  bool
	lastAt   clock.Instant
	shortest time.Duration // negative with fewer than two writes
}

// newOwnRates are the rates of the operations, by their index; no interval, no rate.
func newOwnRates(intervals []time.Duration, operations int) []ownRate {
	rates := make([]ownRate, operations)
	for i := range rates {
		rates[i].shortest = -1
		if i < len(intervals) {
			rates[i].interval = intervals[i]
		}
	}
	return rates
}

// wrote notes a write.
func (r *ownRate) wrote(at, end clock.Instant) {
	r.rate.wrote(end)
	if gap := max(0, at.Sub(r.lastAt)); r.written && (r.shortest < 0 || gap < r.shortest) {
		r.shortest = gap
	}
	r.written, r.lastAt = true, max(r.lastAt, at)
}

// keeps says whether the rate keeps the operation from being asked at the moment now, and until when; Never while that
// is not known.
func (r *ownRate) keeps(now clock.Instant) (until clock.Instant, keeps bool) {
	switch {
	case r.interval == 0:
		return 0, false
	case r.leaving > 0:
		return clock.Never, true
	}
	return r.turn, r.turn > now
}
