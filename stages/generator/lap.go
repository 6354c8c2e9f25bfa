package generator

import (
	"strings"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// lap is the opening lap: each operation once, in steps, so that what the first replies give can be used by the later
// requests. A step waits for the answers of its requests, but no longer than patience.
type lap struct {
	patience time.Duration
	steps    [lapSteps][]int
	step     int
	// turns are what has become of each operation's turn, by its index; stepOf is the step it belongs to.
	turns  []lapTurn
	stepOf []int
	// waiting counts the requests of this step that have not ended, last is when the newest of them was offered.
	waiting int
	last    messages.Instant
	// sent counts the requests of the lap, refused those answered 401.
	sent, refused int
}

type lapTurn byte

const (
	toCome lapTurn = iota
	underWay
	over
)

// The steps: reads without a gap in the path, POST without one, POST with one, reads with one, PUT and PATCH, DELETE.
const lapSteps = 6

func newLap(operations []*document.Operation, buildable []int, patience time.Duration) *lap {
	l := &lap{patience: patience, turns: make([]lapTurn, len(operations)), stepOf: make([]int, len(operations))}
	for _, i := range buildable {
		step := stepOf(operations[i])
		l.stepOf[i] = step
		l.steps[step] = append(l.steps[step], i)
	}
	return l
}

func stepOf(op *document.Operation) int {
	switch strings.ToUpper(op.Method) {
	case "POST":
		if strings.Contains(op.Path, "{") {
			return 2
		}
		return 1
	case "PUT", "PATCH":
		return 4
	case "DELETE":
		return 5
	}
	if strings.Contains(op.Path, "{") {
		return 3
	}
	return 0
}

// pick is as order's; over says that the lap is.
func (l *lap) pick(now messages.Instant, want messages.Want, build func(int, messages.Purpose) bool) (t turn, done bool) {
	var skipped []int
	for ; l.step < lapSteps; l.step, l.waiting = l.step+1, 0 {
		busy := false
		for _, operation := range l.steps[l.step] {
			switch {
			case l.turns[operation] != toCome:
			case want.Resting.Has(operation):
				l.turns[operation] = over
				skipped = append(skipped, operation)
			case want.Busy.Has(operation):
				busy = true
			case build(operation, messages.OpeningLap):
				l.turns[operation] = underWay
				l.sent++
				l.waiting++
				l.last = now
				return turn{offered: true, operation: operation, skipped: skipped}, false
			default:
				l.turns[operation] = over
			}
		}
		if busy {
			return turn{why: messages.NothingMayGo, until: messages.Never, skipped: skipped}, false
		}
		if end := l.last.Add(l.patience); l.waiting > 0 && now < end {
			return turn{why: messages.NothingYet, until: end, skipped: skipped}, false
		}
	}
	return turn{skipped: skipped}, true
}

func (l *lap) undo(operation int) {
	if l.turns[operation] != underWay {
		return
	}
	l.turns[operation] = toCome
	l.sent--
	if l.stepOf[operation] == l.step {
		l.waiting--
	}
}

func (l *lap) settle(operation int, refused bool) {
	if l.turns[operation] != underWay {
		return
	}
	l.turns[operation] = over
	if refused {
		l.refused++
	}
	if l.stepOf[operation] == l.step {
		l.waiting--
	}
}

// allRefused says whether there was a request, and each was answered 401.
func (l *lap) allRefused() bool { return l.sent > 0 && l.refused == l.sent }
