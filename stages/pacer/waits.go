package pacer

import (
	"fmt"
	"math"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// waits says who is left alone and until when (ADR-0042). It is a plain value: it is told what was heard and when,
// and answers for any moment.
type waits struct {
	on             bool
	first, longest time.Duration
	// foresees is true if what is said of a quota is obeyed (decision 0012).
	foresees bool
	// wholeAPI has any wait hold the whole API, which is what ADR-0042 decided against.
	wholeAPI   bool
	deadline   clock.Instant
	operations []rest
	testable   []int
	api        rest
	spells     spells // of the waits that are over

	// What follows from the waits, worked out again once they have changed: who rests, up to the moment at which the
	// first of them will not; and the quiet that is going.
	restingOutdated, quietOutdated bool
	resting                        messages.Set
	restingUntil                   clock.Instant
	quiet                          clock.Instant
	quietForGood                   bool
}

// rest is one party that is left alone: an operation, or the whole API.
type rest struct {
	operation int // -1 for the whole API
	// end is the end of its last wait, cut at the deadline; a wait is going while now is before it.
	begun, end clock.Instant
	// toEnd is true if the wait was stated and, uncut, lasts to the deadline or beyond it.
	toEnd bool
	// asked is the length that was stated for it.
	asked time.Duration
	// guess is the length of its next guessed wait; 0 stands for the first.
	guess time.Duration
	// told is true once it has been told to wait, and counted how often.
	times, stated int
	// lasted is the length of the waits that are over.
	lasted time.Duration
	// skipped are the turns that were passed over.
	skipped int64
	// trial is true from its being told to wait until one request sent after the wait has been answered; probe is
	// that request while it is under way.
	trial bool
	probe int64
	// alone is true if its last wait says nothing of the whole API (decision 0012).
	alone    bool
	foreseen foreseen
}

// until is the end of its last wait, told or foreseen.
func (r *rest) until() clock.Instant { return max(r.end, r.foreseen.end) }

func newWaits(s settings.Schedule, operations int, testable []int, deadline clock.Instant) *waits {
	w := &waits{
		on: s.WaitWhenToldTo, first: s.FirstGuessedWait, longest: s.LongestGuessedWait, foresees: s.StayInsideQuota,
		deadline: deadline, operations: make([]rest, operations), testable: testable, restingOutdated: true, quietOutdated: true,
	}
	w.api.operation = -1
	for i := range w.operations {
		w.operations[i].operation = i
	}
	return w
}

// refused hears that the operation's request, sent at sentAt, drew a reply at the moment at that asks to wait. It says
// whether a wait of the operation began, and whether the whole API is held from now on. Alone is a refusal that says
// nothing of the whole API.
func (w *waits) refused(operation int, sentAt, at clock.Instant, stated bool, length time.Duration, alone bool) (began, held bool) {
	if !w.on {
		return false, false
	}
	op := &w.operations[operation]
	if sentAt < op.end || sentAt < w.api.end {
		// ADR-0042 §3: "Its refusal begins no wait and doubles nothing; a moment it states only moves the end of a
		// wait still going, and only later."
		if stated {
			op.prolong(w, at, length)
			if !alone {
				w.api.prolong(w, at, length)
			}
			w.restingOutdated, w.quietOutdated = true, true
		}
		return false, false
	}
	another := !alone && w.anotherWaits(operation, at)
	op.begin(w, at, stated, length)
	op.trial, op.probe, op.alone = true, 0, alone
	w.restingOutdated, w.quietOutdated = true, true
	if w.wholeAPI {
		w.api.settle(w)
		w.api.times++
		w.api.begun, w.api.end, w.api.toEnd, w.api.asked = at, op.end, op.toEnd, op.asked
		return true, true
	}
	if another {
		// ADR-0042 §2: "When an operation is told to wait while another operation still waits, the limit is plainly
		// the whole API's. Then every request waits."
		w.api.begin(w, at, stated, length)
	}
	return true, another
}

// answered hears that a request got an answer that does not ask to wait.
func (w *waits) answered(operation int, sentAt clock.Instant) {
	op := &w.operations[operation]
	// ADR-0042 §1: the guess goes back "as soon as the operation gives any answer that does not ask it to wait … to a
	// request sent after its last wait ended"; §3: no other answer brings it back.
	if sentAt >= op.end {
		op.guess = 0
		op.trial = false
	}
	if sentAt >= w.api.end {
		w.api.guess = 0
	}
}

// begin begins a wait at the moment at.
func (r *rest) begin(w *waits, at clock.Instant, stated bool, length time.Duration) {
	r.settle(w)
	r.times++
	r.toEnd = false
	if stated {
		r.stated++
		r.asked = length
		r.toEnd = length >= w.deadline.Sub(at)
	} else {
		length = r.nextGuess(w)
	}
	r.begun, r.end = at, w.cut(at, length)
}

// nextGuess is the length to guess now; the one after it is twice as long, up to the longest.
func (r *rest) nextGuess(w *waits) time.Duration {
	guess := r.guess
	if guess == 0 {
		guess = min(w.first, w.longest)
	}
	r.guess = w.longest
	if guess < w.longest/2 {
		r.guess = 2 * guess
	}
	return guess
}

// prolong moves the end of a wait that is still going, and only later.
func (r *rest) prolong(w *waits, at clock.Instant, length time.Duration) {
	if end := w.cut(at, length); at < r.end && end >= r.end {
		r.end, r.asked = end, length
		r.toEnd = r.toEnd || length >= w.deadline.Sub(at)
	}
}

// settle adds the wait that is over to those that have been counted.
func (r *rest) settle(w *waits) {
	w.spells.add(messages.Spell{Operation: r.operation, From: r.begun, Until: r.end})
	r.lasted += r.end.Sub(r.begun)
	r.begun = r.end
}

// lastedUntil is how long the waits have lasted, counted up to the moment now.
func (r *rest) lastedUntil(now clock.Instant) time.Duration {
	return r.lasted + max(0, min(r.end, now).Sub(r.begun))
}

// cut is the moment length after at, or the deadline if that comes first; it is worked out so that no length, however
// long, overflows.
func (w *waits) cut(at clock.Instant, length time.Duration) clock.Instant {
	if length >= w.deadline.Sub(at) {
		return max(at, w.deadline)
	}
	return at.Add(length)
}

func (w *waits) anotherWaits(operation int, at clock.Instant) bool {
	for i := range w.operations {
		if i != operation && w.operations[i].end > at && !w.operations[i].alone {
			return true
		}
	}
	return false
}

// restingAt is the set of operations that rest at the moment now, and the first moment after it at which one of them
// will not.
func (w *waits) restingAt(now clock.Instant) (messages.Set, clock.Instant) {
	if !w.restingOutdated && now < w.restingUntil {
		return w.resting, w.restingUntil
	}
	w.resting, w.restingUntil, w.restingOutdated = nil, clock.Never, false
	for i := range w.operations {
		if end := w.operations[i].until(); end > now {
			w.resting = w.resting.With(i)
			w.restingUntil = min(w.restingUntil, end)
		}
	}
	return w.resting, w.restingUntil
}

// rests says whether the operation rests at the moment now.
func (w *waits) rests(operation int, now clock.Instant) bool {
	return w.operations[operation].until() > now
}

// quietUntil is the end of the quiet that is going: the whole API is held, or each operation that can be tested
// rests. It is past when none is. forGood is true if the API's own word, stated or foreseen, keeps it up to the deadline.
func (w *waits) quietUntil() (until clock.Instant, forGood bool) {
	if w.quietOutdated {
		w.quietOutdated = false
		soonest, all := clock.Never, true
		for _, i := range w.testable {
			soonest = min(soonest, w.operations[i].until())
			all = all && (w.operations[i].toEnd || w.operations[i].foreseen.toEnd)
		}
		if len(w.testable) == 0 {
			soonest, all = 0, false
		}
		w.quiet, w.quietForGood = max(w.api.until(), soonest), w.api.toEnd || w.api.foreseen.toEnd || all
	}
	return w.quiet, w.quietForGood
}

// longestAsked says how long the API asked to be left alone, in words.
func (w *waits) longestAsked(now clock.Instant) string {
	asked := time.Duration(0)
	longest := func(r *rest) {
		if r.toEnd {
			asked = max(asked, r.asked)
		}
		if r.foreseen.toEnd {
			asked = max(asked, r.foreseen.asked)
		}
	}
	longest(&w.api)
	for i := range w.operations {
		longest(&w.operations[i])
	}
	return fmt.Sprintf("it asked for %s, with %s left", words(asked), words(w.deadline.Sub(now)))
}

// words is a length of time for a person to read.
func words(d time.Duration) string {
	if d == math.MaxInt64 {
		return "longer than any clock counts"
	}
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// departing notes that the operation's request is on its way; while the operation is on trial it is its probe.
func (w *waits) departing(r *messages.Request) {
	if op := &w.operations[r.Operation]; op.trial {
		op.probe = r.Seq
	}
}

// over notes that a request has ended. A probe that was not answered leaves its operation on trial: by one again.
func (w *waits) over(r *messages.Request) {
	if op := &w.operations[r.Operation]; op.probe == r.Seq {
		op.probe = 0
	}
}

// probing says whether the operation is on trial with its one request under way.
func (w *waits) probing(operation int) bool {
	op := &w.operations[operation]
	return op.trial && op.probe != 0
}
