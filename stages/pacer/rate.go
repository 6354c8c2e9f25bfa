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

// newRate keeps to so many requests a minute. lastWrite is the moment of a write to the API before the run's first,
// such as the fetch of its document; it is negative if there was none.
func newRate(s settings.Engine, lastWrite clock.Instant) rate {
	if !s.LimitTheRate {
		return rate{}
	}
	r := rate{interval: Interval(s.MostRequestsPerMinute)}
	if lastWrite >= 0 {
		r.wrote(lastWrite)
	}
	return r
}

// Interval is the least time between two writes at so many requests a minute, rounded up to the next nanosecond so
// that no interval is ever shorter than a minute divided by the rate.
func Interval(perMinute int64) time.Duration {
	if perMinute < 1 {
		return 0
	}
	return time.Duration((int64(time.Minute) + perMinute - 1) / perMinute)
}

// wrote counts the next turn from the end of a write.
func (r *rate) wrote(end clock.Instant) {
	if r.interval > 0 {
		r.turn = max(r.turn, end.Add(r.interval))
	}
}
