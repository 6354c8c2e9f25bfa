package rechecks

import (
	"slices"

	"github.com/restest/restest/messages"
)

// Script is the generator of a replay: it has each of its requests sent once, whenever its operation may go, and one that
// was asked to wait again after that. Then there is nothing more to send.
type Script struct {
	pacer func(messages.ToPacer)
	left  []*messages.Request
	// underWay counts those that were offered and have not ended; seq numbers them.
	underWay int
	seq      int64
	nth      map[int]int
	refused  map[int64]int // how often the request of that finding was asked to wait
}

// mostRefused is how often one request is asked to wait before that is its answer.
const mostRefused = 3

// NewScript makes the generator of these requests; the Seq of the Recheck of each is its own.
func NewScript(requests []*messages.Request, pacer func(messages.ToPacer)) *Script {
	return &Script{pacer: pacer, left: slices.Clone(requests), nth: map[int]int{}, refused: map[int64]int{}}
}

// Handle takes one message.
func (s *Script) Handle(m messages.ToGenerator) {
	switch m := m.(type) {
	case messages.Want:
		s.pacer(s.offer(m))
	case messages.Returned:
		s.underWay--
		s.left = slices.Insert(s.left, 0, m.Request)
	case messages.Learned:
		s.underWay--
		if m.Refused {
			if n := m.Request.Recheck.Seq; s.refused[n] < mostRefused {
				s.refused[n]++
				s.left = append(s.left, m.Request)
			}
		}
	}
}

func (s *Script) offer(want messages.Want) messages.Offer {
	for i, r := range s.left {
		if want.Resting.Has(r.Operation) || want.Busy.Has(r.Operation) {
			continue
		}
		s.left = slices.Delete(s.left, i, i+1)
		s.underWay++
		s.seq++
		s.nth[r.Operation]++
		again := *r // what was told before is not changed
		again.Seq, again.Nth = s.seq, s.nth[r.Operation]
		return messages.Offer{Request: &again}
	}
	why := messages.NothingMayGo
	if len(s.left)+s.underWay == 0 {
		why = messages.NothingEver
	}
	return messages.Offer{Why: why, Until: messages.Never}
}
