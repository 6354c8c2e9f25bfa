package pacer

import (
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
)

// foreseen is what one party, an operation or the whole API, said of its quota before it refused (decision 0012).
type foreseen struct {
	// end is the end of its last wait, cut at the deadline; a wait is going while now is before it.
	begun, end clock.Instant
	// toEnd is true if the wait, uncut, lasts to the deadline or beyond it; asked is its length.
	toEnd bool
	asked time.Duration
	times int
	// lasted is the length of the waits that are over, skipped the turns that were passed over for this alone.
	lasted  time.Duration
	skipped int64
	// left is how many more may come before leftUntil; 0 where nothing was said, or that nothing is left. It was said at
	// leftAt.
	left              int64
	leftUntil, leftAt clock.Instant
}

// foresaw hears that the operation's request, sent at sentAt, drew a reply at the moment at that says how many are left
// and when there will be more. It says whether a wait of the operation began, and whether the whole API is held from now on.
func (w *waits) foresaw(operation int, sentAt, at clock.Instant, left int64, more time.Duration) (began, held bool) {
	if !w.foresees {
		return false, false
	}
	op := &w.operations[operation].foreseen
	op.say(sentAt, at, w.cut(at, more), left)
	if left > 0 || more == 0 {
		return false, false
	}
	w.restingOutdated, w.quietOutdated = true, true
	if sentAt < op.end || sentAt < w.api.foreseen.end {
		// "What its reply says begins no wait: it moves the end of a wait still going, and only later."
		op.prolong(w, at, more)
		w.api.foreseen.prolong(w, at, more)
		return false, false
	}
	another := false
	for i := range w.operations {
		another = another || i != operation && w.operations[i].foreseen.end > at
	}
	op.begin(w, operation, at, more)
	if another {
		// "An operation that says it while another's foreseen wait is going speaks for the whole API".
		w.api.foreseen.begin(w, -1, at, more)
	}
	return true, another
}

// say notes how many are left. Replies to requests that were under way at once may come in another order than the API
// counted them in: of these the fewest counts.
func (f *foreseen) say(sentAt, at, until clock.Instant, left int64) {
	if sentAt < f.leftAt && f.leftUntil > at {
		left, until = min(f.left, left), max(f.leftUntil, until)
	}
	f.left, f.leftUntil, f.leftAt = left, until, at
}

func (f *foreseen) begin(w *waits, operation int, at clock.Instant, length time.Duration) {
	w.spells.add(messages.Spell{Operation: operation, From: f.begun, Until: f.end, Foreseen: true})
	f.lasted += f.end.Sub(f.begun)
	f.times++
	f.begun, f.end, f.asked = at, w.cut(at, length), length
	f.toEnd = length >= w.deadline.Sub(at)
}

func (f *foreseen) prolong(w *waits, at clock.Instant, length time.Duration) {
	if end := w.cut(at, length); at < f.end && end >= f.end {
		f.end, f.asked = end, length
		f.toEnd = f.toEnd || length >= w.deadline.Sub(at)
	}
}

// lastedUntil is how long the waits have lasted, counted up to the moment now.
func (f *foreseen) lastedUntil(now clock.Instant) time.Duration {
	return f.lasted + max(0, min(f.end, now).Sub(f.begun))
}

// few says whether so many requests under way are as many as the operation said are left: "While an operation says that
// few are left until a moment, no more of its requests are under way than are left."
func (w *waits) few(operation, underWay int, now clock.Instant) bool {
	f := &w.operations[operation].foreseen
	return f.left > 0 && f.leftUntil > now && int64(underWay) >= f.left
}

// beyondLeft is how many of so many requests under way are more than the operation said are left.
func (w *waits) beyondLeft(operation, underWay int, now clock.Instant) int {
	if !w.few(operation, underWay, now) {
		return 0
	}
	return underWay - int(w.operations[operation].foreseen.left)
}
