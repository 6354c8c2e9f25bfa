package generator

import (
	"slices"
	"time"

	"github.com/restest/restest/messages"
)

// lookAgain is how long after a round in which a request could not be built it is looked at again (ADR-0042 §5).
const lookAgain = 50 * time.Millisecond

// order says whose turn it is: the opening lap's, then round and round over the operations in document order.
type order struct {
	operations []int // those that requests can be built for
	next       int   // a place in operations
	lap        *lap  // nil once it is over
	refused    bool  // every request of the lap was answered 401
	schedule   schedule
	rounds     int // those that have ended
	// began is the round of the newest turn; early is true if it was no turn of the round, but of an operation that was due.
	began int
	early bool
}

// turn is what order decided.
type turn struct {
	offered   bool
	operation int
	why       messages.Nothing
	until     messages.Instant
	skipped   []int
}

// pick finds the next operation that may go and that build can build a request for.
func (o *order) pick(now messages.Instant, want messages.Want, build func(operation int, purpose messages.Purpose) bool) turn {
	if len(o.operations) == 0 {
		return turn{why: messages.NothingEver, until: messages.Never}
	}
	var skipped []int
	if o.lap != nil {
		t, over := o.lap.pick(now, want, build)
		if !over {
			return t
		}
		o.refused = o.lap.allRefused()
		o.lap = nil
		skipped = t.skipped
	}
	if o.refused {
		return turn{why: messages.NothingAllowed, until: messages.Never, skipped: skipped}
	}
	return o.round(now, want, build, skipped)
}

// round goes over the operations, from the next on, until one has a turn: those that are due come first. What may bring the
// API down goes where nothing else may.
func (o *order) round(now messages.Instant, want messages.Want, build func(int, messages.Purpose) bool, skipped []int) turn {
	held := false
	t := o.over(now, want, func(operation int, purpose messages.Purpose) bool {
		if o.schedule.holds(operation, now) {
			held = true
			return false
		}
		return build(operation, purpose)
	}, skipped)
	if held && !t.offered {
		return o.over(now, want, build, t.skipped)
	}
	return t
}

// over is one go over the operations.
func (o *order) over(now messages.Instant, want messages.Want, build func(int, messages.Purpose) bool, skipped []int) turn {
	for i, operation := range o.schedule.due {
		if !want.Resting.Has(operation) && !want.Busy.Has(operation) && build(operation, messages.Nominal) {
			o.schedule.due = slices.Delete(o.schedule.due, i, i+1)
			o.early = true
			return turn{offered: true, operation: operation, skipped: skipped}
		}
	}
	unbuilt := false
	for range len(o.operations) * o.schedule.longest() {
		operation := o.operations[o.next]
		o.began, o.early = o.rounds, false
		if o.next++; o.next == len(o.operations) {
			o.next = 0
			o.rounds++
		}
		switch {
		case o.schedule.passes(operation, o.began):
		case want.Resting.Has(operation):
			if !slices.Contains(skipped, operation) {
				skipped = append(skipped, operation)
			}
		case want.Busy.Has(operation):
		case build(operation, messages.Nominal):
			return turn{offered: true, operation: operation, skipped: skipped}
		default:
			unbuilt = true
		}
	}
	if unbuilt {
		return turn{why: messages.NothingBuilt, until: now.Add(lookAgain), skipped: skipped}
	}
	return turn{why: messages.NothingMayGo, until: messages.Never, skipped: skipped}
}

// undo makes it the operation's turn again, as if it had not been offered.
func (o *order) undo(operation int, purpose messages.Purpose) {
	if purpose == messages.OpeningLap {
		if o.lap != nil {
			o.lap.undo(operation)
		}
		return
	}
	if o.early {
		o.schedule.due = slices.Insert(o.schedule.due, 0, operation)
	} else if at := slices.Index(o.operations, operation); at >= 0 {
		o.next, o.rounds = at, o.began
	}
}

// settle notes how a request of the opening lap ended.
func (o *order) settle(operation int, refused bool) {
	if o.lap != nil {
		o.lap.settle(operation, refused)
	}
}
