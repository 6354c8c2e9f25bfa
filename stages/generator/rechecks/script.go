package rechecks

import (
	"net/http"
	"slices"

	"github.com/restest/restest/messages"
)

// Errand is a request of a replay, and what is sent before it so that it finds what it is about.
type Errand struct {
	Makers  []messages.Maker
	Request *messages.Request
}

// Script has each of its errands run once, whenever its operations may go, and a request that was asked to wait sent again
// after that. Like a list of re-checks it is a plain value.
type Script struct {
	left []*errand
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
	// renewed is true once it has met a 401 with credentials that were good no more.
	renewed bool
	// twin counts the fresh texts, from a number that another replay does not begin with; taken names gave it more.
	twin, twins int
}

const (
	// mostRefused is how often an errand is asked to wait before that is its answer.
	mostRefused = 3
	// mostTwins is how often it is begun anew with other texts where a name is taken.
	mostTwins = 3
	// twinsApart keeps the texts of an errand's twins from those of the others.
	twinsApart = 1009
)

// NewScript makes a script of these errands; the Recheck of each is told by the Seq of its request's. The texts that have to
// be new each time are counted on from the seed.
func NewScript(errands []Errand, seed uint64) *Script {
	s := &Script{}
	for i, e := range errands {
		s.left = append(s.left, &errand{Errand: e, number: e.Request.Recheck.Seq, moved: moved{}, twin: 1 + int(seed%1e9)*mostTwins + i*twinsApart})
	}
	return s
}

// Over says whether there is nothing more to send.
func (s *Script) Over() bool { return len(s.left) == 0 }

// TakeBack undoes a request that Next gave: it was not sent, and is offered again.
func (s *Script) TakeBack(r *messages.Request) {
	if e := s.of(r); e != nil {
		e.underWay = false
	}
}

// Learn hears how a request ended; outdated is true where it was refused for credentials that others have taken the place
// of.
func (s *Script) Learn(m messages.Learned, outdated bool) {
	if e := s.of(m.Request); e != nil {
		if e.underWay = false; e.learned(m, outdated) {
			s.left = slices.DeleteFunc(s.left, func(other *errand) bool { return other == e })
		}
	}
}

func (s *Script) of(r *messages.Request) *errand {
	if r.Recheck == nil {
		return nil
	}
	for _, e := range s.left {
		if e.number == r.Recheck.Seq {
			return e
		}
	}
	return nil
}

// Next is the request to send now, nil if there is none. May says of one whether it may go by now, and whether it never
// may: then its errand is given up.
func (s *Script) Next(want messages.Want, may func(*messages.Request) (may, never bool)) *messages.Request {
	for i := 0; i < len(s.left); i++ {
		e := s.left[i]
		operation := e.source().Operation
		if e.underWay || want.Resting.Has(operation) || want.Busy.Has(operation) {
			continue
		}
		switch may, never := may(e.source()); {
		case never:
			s.left = slices.Delete(s.left, i, i+1)
			i--
		case may:
			e.underWay = true
			return e.next()
		}
	}
	return nil
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
	r := *anew(e.source(), e.twin) // what was told before is not changed
	e.moved.follow(&r)
	r.Purpose = messages.Rechecking
	about := *e.Request.Recheck
	about.Last, about.Tentative = e.last(), e.unmade
	r.Recheck = &about
	if r.Series == nil || !e.last() {
		r.Series = nil
		return &r
	}
	place := *r.Series
	place.Nth, place.Taken, place.Disturbed = len(e.taken)+1, slices.Clone(e.taken), e.unmade
	if first := firstStep(e.Makers); first < len(e.Makers) {
		if name, ok := e.moved.thing(e.Makers[first].Address); ok {
			place.Thing = name
		}
	}
	r.Series = &place
	return &r
}

// firstStep is the first of the makers that is a step of the series, and not before it.
func firstStep(makers []messages.Maker) int {
	for i := range makers {
		if !makers[i].Ahead {
			return i
		}
	}
	return len(makers)
}

// learned hears how the request that was next ended; it says whether the errand is over.
func (e *errand) learned(m messages.Learned, outdated bool) bool {
	switch {
	case outdated && !e.renewed && (!e.last() || e.Request.Recheck.Finding.Status != http.StatusUnauthorized):
		e.renewed = true
		return false
	case m.Refused && e.refused < mostRefused:
		e.refused++
		return false
	case e.twins < mostTwins && len(e.source().Fresh) > 0 && m.Outcome == messages.Answered && e.Request.Recheck.Finding.InTheWay(m.Request, m.Reply):
		e.twins++
		e.twin++
		e.at, e.taken, e.moved = 0, nil, moved{}
		return false
	case e.last():
		return true
	}
	if m.Outcome == messages.Answered && !m.Refused {
		maker := e.Makers[e.at]
		if !maker.Ahead {
			e.taken = append(e.taken, messages.Taken{Request: m.Request, Reply: m.Reply, Value: m.Value})
		}
		was := maker.Address
		maker.Address = e.moved.redirected(was) // what it is below may be elsewhere
		if now := maker.Made(m.Reply, m.Value); now != "" && m.Reply.Status <= 299 {
			e.moved[was] = now
		}
		// In a series any answer is one that the next step follows.
		if m.Reply.Status <= 399 || e.Request.Series != nil && e.at > firstStep(e.Makers) {
			e.at++
			return false
		}
	}
	e.at, e.unmade = len(e.Makers), true
	return false
}
