package generator

import (
	"slices"

	"github.com/restest/restest/messages"
)

// schedule is what answers have taught of whose turn it should be (decision 0017). Each operation has a turn in every
// round, in every second, fourth or eighth: never fewer, so that none is starved.
type schedule struct {
	on         bool
	operations []standing
	// consumers are, by operation, those that need what it makes or lists, makers those that make it; due are operations
	// whose turn comes first.
	consumers map[int][]int
	makers    map[int]bool
	due       []int
	downs     downs
}

// standing is what is known of one operation.
type standing struct {
	every    int // a turn in so many rounds; 0 is 1
	good     bool
	statuses uint64 // those seen, by their hash
	stale    int    // answers since one that was new
	hurried  int    // how often it came next as what it needs was made
}

const (
	// staleAfter is how many answers in a row bring nothing new before an operation has half as many turns; one that was
	// never answered 2xx is given longer.
	staleAfter, staleNeverGood = 8, 64
	rarest                     = 8
	mostDue                    = 64
	// mostHurried is how often an operation comes next since what it needs was made: it may be refused for another reason.
	mostHurried = 4
)

func newSchedule(on bool, operations int) schedule {
	return schedule{
		on: on, operations: make([]standing, operations), consumers: map[int][]int{}, makers: map[int]bool{}, downs: newDowns(operations),
	}
}

// needs notes that an operation needs what another one makes, or only lists.
func (s *schedule) needs(consumer, producer int, makes bool) {
	if !s.on || consumer == producer {
		return
	}
	if !slices.Contains(s.consumers[producer], consumer) {
		s.consumers[producer] = append(s.consumers[producer], consumer)
	}
	s.makers[producer] = s.makers[producer] || makes
}

// needed says whether what the operation makes or lists may help one that was never answered 2xx.
func (s *schedule) needed(operation int) bool {
	return slices.ContainsFunc(s.consumers[operation], func(c int) bool {
		return !s.operations[c].good && s.operations[c].every < rarest
	})
}

// holds says whether the operation is left alone for now, since it may be what brings the API down. One whose things others
// may need for their first 2xx is not.
func (s *schedule) holds(operation int, now messages.Instant) bool {
	return s.downs.holds(operation, now) && !s.needed(operation)
}

// longest is how many rounds it takes at most until each operation has had a turn.
func (s *schedule) longest() int {
	if s.on {
		return rarest
	}
	return 1
}

// passes says whether the operation has no turn in the round.
func (s *schedule) passes(operation int, round int) bool {
	if !s.on {
		return false
	}
	every := s.operations[operation].every
	return every > 1 && (round+operation)%every != 0
}

// bad says whether the operation was answered, and never 2xx.
func (s *schedule) bad(operation int) bool {
	o := &s.operations[operation]
	return s.on && !o.good && o.statuses != 0
}

// learn takes in how a request ended. An answer is new if its operation never had the status before.
func (s *schedule) learn(l messages.Learned) {
	if !s.on || l.Request.Operation >= len(s.operations) {
		return
	}
	s.downs.learn(&l)
	if l.Outcome != messages.Answered || l.Reply == nil || l.Refused {
		return
	}
	o := &s.operations[l.Request.Operation]
	status := l.Reply.Status
	good := status >= 200 && status <= 299
	bit := uint64(1) << (uint(status) % 64)
	if o.statuses&bit == 0 {
		o.statuses |= bit
		o.stale, o.every = 0, 1
	}
	if good && !o.good {
		o.good = true
		o.stale, o.every = 0, 1
	}
	limit := staleAfter
	if !o.good {
		limit = staleNeverGood
	}
	if o.stale++; o.stale >= limit && o.every < rarest && !s.needed(l.Request.Operation) {
		o.stale, o.every = 0, max(1, o.every)*2
	}
	if good && s.makers[l.Request.Operation] {
		for _, c := range s.consumers[l.Request.Operation] {
			if o := &s.operations[c]; len(s.due) < mostDue && !o.good && o.hurried < mostHurried && !slices.Contains(s.due, c) {
				o.hurried++
				s.due = append(s.due, c)
			}
		}
	}
}
