package sender

import "github.com/restest/restest/messages"

// Split is two Transports in the place of one: the second takes the requests that Second says, over connections of its
// own, such as those from another address. Both tell of the same slots, which carry one request at a time. A slot's
// connection on the second is opened when it is first written to.
type Split struct {
	Transport
	Other  Transport
	Second func(*messages.Request) bool

	at map[int]Transport // where a slot's Write went
}

// Write writes a request over one of the two.
func (s *Split) Write(slot int, o Outgoing) {
	to := s.Transport
	if s.Second(o.Request) {
		to = s.Other
	}
	if s.at == nil {
		s.at = make(map[int]Transport)
	}
	s.at[slot] = to
	to.Write(slot, o)
}

// Recall takes the slot's Write back where it went.
func (s *Split) Recall(slot int) {
	if to := s.at[slot]; to != nil {
		to.Recall(slot)
	}
}

// Abandon ends whatever is under way on both.
func (s *Split) Abandon() {
	s.Transport.Abandon()
	s.Other.Abandon()
}

// Close ends the connections of both.
func (s *Split) Close() {
	s.Transport.Close()
	s.Other.Close()
}
