package rechecks

import (
	"slices"

	"github.com/restest/restest/messages"
)

// Errand is a request of a replay, and what is sent before it so that it finds what it is about.
type Errand struct {
	Makers  []messages.Maker
	Request *messages.Request
}

// Script is the generator of a replay: it has each of its errands run once, whenever its operations may go, and a request
// that was asked to wait sent again after that. Then there is nothing more to send.
type Script struct {
	pacer func(messages.ToPacer)
	left  []*errand
	seq   int64
	nth   map[int]int
}

// errand is one that is being run.
type errand struct {
	Errand
	// number is the errand's own, by which its finding is known.
	number int64
	// at is the request that is next, len(Makers) the last.
	at      int
	taken   []messages.Taken
	moved   moved
	refused int // how often its requests were asked to wait
	// unmade is true once one of its makers has not done what it did before: what the last request finds says less.
	unmade   bool
	underWay bool
}

// mostRefused is how often an errand is asked to wait before that is its answer.
const mostRefused = 3

// NewScript makes the generator of these errands; the Recheck of each is told by the Seq of its request's.
func NewScript(errands []Errand, pacer func(messages.ToPacer)) *Script {
	s := &Script{pacer: pacer, nth: map[int]int{}}
	for _, e := range errands {
		s.left = append(s.left, &errand{Errand: e, number: e.Request.Recheck.Seq, moved: moved{}})
	}
	return s
}

// Handle takes one message.
func (s *Script) Handle(m messages.ToGenerator) {
	switch m := m.(type) {
	case messages.Want:
		s.pacer(s.offer(m))
	case messages.Returned:
		if e := s.of(m.Request); e != nil {
			e.underWay = false
		}
	case messages.Learned:
		if e := s.of(m.Request); e != nil {
			if e.underWay = false; e.learned(m) {
				s.left = slices.DeleteFunc(s.left, func(other *errand) bool { return other == e })
			}
		}
	}
}

func (s *Script) of(r *messages.Request) *errand {
	for _, e := range s.left {
		if e.number == r.Recheck.Seq {
			return e
		}
	}
	return nil
}

func (s *Script) offer(want messages.Want) messages.Offer {
	for _, e := range s.left {
		operation := e.source().Operation
		if e.underWay || want.Resting.Has(operation) || want.Busy.Has(operation) {
			continue
		}
		e.underWay = true
		s.seq++
		s.nth[operation]++
		r := e.next()
		r.Seq, r.Nth = s.seq, s.nth[operation]
		return messages.Offer{Request: r}
	}
	why := messages.NothingMayGo
	if len(s.left) == 0 {
		why = messages.NothingEver
	}
	return messages.Offer{Why: why, Until: messages.Never}
}

func (e *errand) last() bool { return e.at == len(e.Makers) }

// source is the request that is next, as it was sent before.
func (e *errand) source() *messages.Request {
	if e.last() {
		return e.Request
	}
	return e.Makers[e.at].Request
}

// next is the request that is next, as it is to be sent now.
func (e *errand) next() *messages.Request {
	r := *e.source() // what was told before is not changed
	r.Target = e.moved.redirected(r.Target)
	r.Purpose = messages.Rechecking
	about := *e.Request.Recheck
	about.Last, about.Tentative = e.last(), e.unmade
	r.Recheck = &about
	if r.Series == nil || !e.last() {
		r.Series = nil
		return &r
	}
	place := *r.Series
	place.Nth, place.Taken, place.Disturbed = e.at+1, slices.Clone(e.taken), e.unmade
	if len(e.Makers) > 0 {
		if name, ok := e.moved.thing(e.Makers[0].Address); ok {
			place.Thing = name
		}
	}
	r.Series = &place
	return &r
}

// learned hears how the request that was next ended; it says whether the errand is over.
func (e *errand) learned(m messages.Learned) bool {
	switch {
	case m.Refused && e.refused < mostRefused:
		e.refused++
		return false
	case e.last():
		return true
	}
	if m.Outcome == messages.Answered && !m.Refused {
		e.taken = append(e.taken, messages.Taken{Request: m.Request, Reply: m.Reply, Value: m.Value})
		maker := e.Makers[e.at]
		if now := maker.Made(m.Reply, m.Value); now != "" && m.Reply.Status <= 299 {
			e.moved[maker.Address] = now
		}
		// In a series any answer is one that the next step follows.
		if m.Reply.Status <= 399 || e.Request.Series != nil && e.at > 0 {
			e.at++
			return false
		}
	}
	e.at, e.unmade = len(e.Makers), true
	return false
}
