package demo

import "time"

// limits are what makes the API ask its callers to wait: one operation has a quota, and once, while a caller is
// waiting for that quota, another operation asks for a moment too. A caller that holds the whole API when a second
// operation asks it to wait does so exactly once.
type limits struct {
	quota quota
	// refusedAt is the moment of the last refusal that can have begun a wait.
	refusedAt time.Duration
	refused   bool
	asked     bool
}

const (
	// A caller that is told no length waits a second at first, then two, then four. The quota gives nothing back
	// within the first three of these seven seconds and something within all of them, so that all three waits are seen.
	quotaMost  = 5
	quotaEvery = 5 * time.Second
	// A wait of a second that began with a refusal is still going this long after it.
	stillWaiting = 900 * time.Millisecond
)

func newLimits() limits {
	return limits{quota: quota{most: quotaMost, every: quotaEvery, left: quotaMost}}
}

// exceeded takes one from the quota, and says whether there was none.
func (l *limits) exceeded(now time.Duration) bool {
	if l.quota.take(now) {
		return false
	}
	// Requests that were under way when the first refusal left are refused as well, and prolong no wait.
	if !l.refused || now-l.refusedAt >= stillWaiting {
		l.refused, l.refusedAt = true, now
	}
	return true
}

// asks says, once, that now is a moment to ask for a wait: a caller is in the middle of another.
func (l *limits) asks(now time.Duration) bool {
	if l.asked || !l.refused || now-l.refusedAt >= stillWaiting {
		return false
	}
	l.asked = true
	return true
}

// quota allows so many at once, and one more each time a length of time is over.
type quota struct {
	most  int
	every time.Duration
	left  int
	// since is the moment from which the next one is counted, while some are missing.
	since time.Duration
}

// take takes one if there is one left.
func (q *quota) take(now time.Duration) bool {
	if q.left < q.most && now > q.since {
		n := (now - q.since) / q.every
		q.since += n * q.every
		q.left = int(min(int64(q.most), int64(q.left)+int64(n)))
	}
	if q.left == q.most {
		q.since = now
	}
	if q.left == 0 {
		return false
	}
	q.left--
	return true
}
