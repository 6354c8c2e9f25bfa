// Package sender lets requests leave over connections of its own, each at the moment it was given, and tells what
// came back.
//
// The Sender is the stage: it builds a request's bytes, follows redirects and accounts for each request. A
// Transport below it is the world's edge; Wire is the one over sockets. Nothing is ever sent twice.
package sender

import (
	"fmt"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// mostRequests is how many requests one call may take, redirects followed among them.
const mostRequests = 10

// Config is what a Sender goes by.
type Config struct {
	// Document names the API's origin.
	Document *document.Document
	Settings settings.Settings
}

// Neighbours are the stages a Sender tells.
type Neighbours struct {
	Pacer      func(messages.ToPacer)
	Classifier func(messages.ToClassifier)
}

// Transport is the world's edge. None of its methods blocks; what becomes of a wish is told to the Sender later.
// At most one Open or Write of a slot is under way at a time.
type Transport interface {
	// Open has the slot's connection open. Told later: Opened or NotOpened.
	Open(slot int)
	// Write writes the bytes at their moment. Told later: Wrote, then, unless that says Unsent, at most one Headed
	// and exactly one Came.
	Write(slot int, o Outgoing)
	// Recall takes the slot's Write back if its bytes have not begun to go; Wrote says which it was.
	Recall(slot int)
	// Abandon ends whatever is under way: an Open is told NotOpened, a Write that has not begun Wrote with Unsent,
	// and a reply that is awaited Came with GivenUp.
	Abandon()
	// Close ends the connections.
	Close()
}

// Outgoing is one request on its way.
type Outgoing struct {
	// Bytes are the whole request, as it goes on the wire. They are not changed any more.
	Bytes []byte
	// Request is what the bytes were built from; Method and Target differ from its own once a redirect was followed.
	Request        *messages.Request
	Method, Target string
	// Elsewhere is the origin to go to where it is not the API's (decision 0019), "" else.
	Elsewhere string
	// At is the moment not to be written before, Deadline the one to be written before.
	At, Deadline clock.Instant
}

// Sender is the stage.
type Sender struct {
	settings  settings.Engine
	origin    origin
	host      string
	clock     clock.Clock
	to        Neighbours
	transport Transport
	calls     []call // one for each slot
}

// state is where a slot's call stands.
type state int

const (
	free      state = iota
	leaving         // handed to the transport: Wrote is awaited
	awaiting        // written: Came is awaited
	reopening       // a redirect is to be followed and the connection has to be opened for it
	asking          // a redirect is to be followed and a turn was asked for
)

// call is the request a slot carries, from its Go to its Exchange.
type call struct {
	state    state
	request  *messages.Request
	message  message // what goes next, or went last
	hop      bool    // the message is a redirect's
	wire     []byte
	sentAt   clock.Instant
	headTold bool
	hops     []messages.Hop
	redirect messages.Came // the redirect that is being followed,
	from     messages.Hop  // and the request it answered
}

// New makes a Sender. The document's origin has to be one.
func New(cfg Config, clk clock.Clock, to Neighbours, t Transport) *Sender {
	o, err := parseOrigin(cfg.Document.Origin)
	if err != nil {
		panic("sender: " + err.Error())
	}
	return &Sender{
		settings: cfg.Settings.Engine, origin: o, host: o.authority(), clock: clk, to: to, transport: t,
		calls: make([]call, max(1, cfg.Settings.Engine.MaxConcurrency)),
	}
}

// Handle takes one message. It does not block.
func (s *Sender) Handle(m messages.ToSender) {
	switch m := m.(type) {
	case messages.Open:
		s.transport.Open(m.Slot)
	case messages.Go:
		s.leave(m)
	case messages.Recall:
		s.recall(m.Slot)
	case messages.Drop:
		s.to.Classifier(&messages.Exchange{
			Slot: -1, Request: m.Request, Outcome: messages.NeverSent, Kind: messages.Kept,
			Failure: "kept by the rate, a hold or the end of the run", EndedAt: s.clock.Now(),
		})
	case messages.Abandon:
		s.abandon()
	case messages.Close:
		s.transport.Close()
	case messages.Opened:
		s.opened(m.Slot)
	case messages.NotOpened:
		s.notOpened(m)
	case messages.Wrote:
		s.wrote(m)
	case messages.Headed:
		s.headed(m)
	case messages.Came:
		s.came(m)
	default:
		panic(fmt.Sprintf("sender: told a %T", m))
	}
}

// leave hands a Go's request, or the hop it grants, to the transport.
func (s *Sender) leave(g messages.Go) {
	c := &s.calls[g.Slot]
	switch {
	case g.Hop && c.state != asking:
		// The call ended while its turn was on the way.
		s.depart(g.Slot, g.Request, messages.Wrote{At: s.clock.Now(), Written: s.clock.Now(), Unsent: true}, true)
		return
	case g.Hop:
		c.hop = true
	case c.state != free:
		panic(fmt.Sprintf("sender: slot %d was given a request while it carries another", g.Slot))
	default:
		*c = call{request: g.Request, message: messageOf(g.Request)}
	}
	c.state = leaving
	host, elsewhere, flaw := s.host, elsewhere(g.Request), c.message.flaw()
	if elsewhere != "" {
		if o, err := parseOrigin(elsewhere); err == nil {
			host = o.authority()
		} else {
			flaw = err.Error()
		}
	}
	if flaw != "" {
		now := s.clock.Now()
		s.depart(g.Slot, g.Request, messages.Wrote{At: now, Written: now, Unsent: true}, false)
		s.end(g.Slot, messages.Exchange{
			Outcome: messages.NeverSent, Kind: messages.NotWritten, EndedAt: now,
			Failure: "it cannot be written as an HTTP request: " + flaw,
		})
		return
	}
	bytes := c.message.bytes(host, s.settings.UserAgent)
	if !c.hop {
		c.wire = bytes
	}
	s.transport.Write(g.Slot, Outgoing{
		Bytes: bytes, Request: g.Request, Method: c.message.method, Target: c.message.target, Elsewhere: elsewhere,
		At: g.At, Deadline: g.Deadline,
	})
}

func (s *Sender) recall(slot int) {
	switch c := &s.calls[slot]; c.state {
	case leaving:
		s.transport.Recall(slot)
	case asking:
		s.endWithRedirect(slot)
	default:
		// The bytes had gone before the Recall came.
	}
}

func (s *Sender) abandon() {
	for slot := range s.calls {
		if s.calls[slot].state == asking {
			s.endWithRedirect(slot)
		}
	}
	s.transport.Abandon()
}

func (s *Sender) opened(slot int) {
	c := &s.calls[slot]
	if c.state != reopening {
		s.to.Pacer(messages.Ready{Slot: slot})
		return
	}
	c.redirect.Open = true
	s.ask(slot)
}

func (s *Sender) notOpened(m messages.NotOpened) {
	if s.calls[m.Slot].state != reopening {
		s.to.Pacer(messages.Unreachable(m))
		return
	}
	s.endWithRedirect(m.Slot)
}

func (s *Sender) wrote(m messages.Wrote) {
	c := s.expect(m.Slot, leaving)
	if m.Recalled && !c.hop {
		r := c.request
		*c = call{}
		s.depart(m.Slot, r, m, false)
		return
	}
	m.Recalled = false
	s.depart(m.Slot, c.request, m, c.hop)
	switch {
	case !m.Unsent:
		if c.hop {
			c.hops = append(c.hops, c.from)
		}
		c.state, c.sentAt = awaiting, m.At
	case c.hop:
		c.redirect.Open = false
		s.endWithRedirect(m.Slot)
	default:
		c.wire = nil
		s.end(m.Slot, messages.Exchange{
			Outcome: messages.NeverSent, Kind: max(m.Kind, messages.Kept), Failure: m.Reason, EndedAt: s.clock.Now(),
		})
	}
}

func (s *Sender) headed(m messages.Headed) {
	c := s.expect(m.Slot, awaiting)
	if _, follows := s.next(c, m.Reply); follows {
		return // it is not the call's reply
	}
	c.headTold = true
	s.to.Classifier(messages.Head{
		Slot: m.Slot, Request: c.request, SentAt: c.sentAt, HeardAt: m.At, Reply: m.Reply,
	})
}

func (s *Sender) came(m messages.Came) {
	c := s.expect(m.Slot, awaiting)
	if m.Outcome == messages.Answered {
		if next, follows := s.next(c, m.Reply); follows {
			s.follow(m, next)
			return
		}
	}
	s.end(m.Slot, exchangeOf(m))
}

// follow makes the next request of a redirected call and asks for its turn, with its connection open.
func (s *Sender) follow(m messages.Came, next message) {
	c := &s.calls[m.Slot]
	if len(c.hops)+1 == mostRequests {
		m.Outcome, m.Failure = messages.BrokeOff, "still redirected after ten requests"
		s.end(m.Slot, exchangeOf(m))
		return
	}
	c.from = messages.Hop{
		Method: c.message.method, Target: c.message.target, SentAt: c.sentAt,
		Status: m.Reply.Status, Location: messages.Get(m.Reply.Header, "Location"),
	}
	c.message, c.redirect = next, m
	if !m.Open {
		c.state = reopening
		s.transport.Open(m.Slot)
		return
	}
	s.ask(m.Slot)
}

func (s *Sender) ask(slot int) {
	c := &s.calls[slot]
	c.state = asking
	s.to.Pacer(messages.Again{Slot: slot, Request: c.request})
}

// endWithRedirect ends a call whose redirect is not followed any further: the redirect is its reply.
func (s *Sender) endWithRedirect(slot int) { s.end(slot, exchangeOf(s.calls[slot].redirect)) }

func exchangeOf(m messages.Came) messages.Exchange {
	return messages.Exchange{
		Outcome: m.Outcome, HeardAt: m.HeardAt, EndedAt: m.EndedAt,
		Reply: m.Reply, Failure: m.Failure, Kind: m.Kind, Open: m.Open,
	}
}

func (s *Sender) depart(slot int, r *messages.Request, m messages.Wrote, hop bool) {
	s.to.Pacer(messages.Departed{
		Slot: slot, Request: r, At: m.At, Written: m.Written, Unsent: m.Unsent, Recalled: m.Recalled, Hop: hop,
	})
}

// end tells the one Exchange of a slot's request and frees the slot.
func (s *Sender) end(slot int, e messages.Exchange) {
	c := &s.calls[slot]
	e.Slot, e.Request, e.SentAt = slot, c.request, c.sentAt
	e.HeadTold, e.Hops, e.Wire = c.headTold, c.hops, c.wire
	*c = call{}
	s.to.Classifier(&e)
}

// expect is the slot's call, which has to stand where what the transport tells needs it to.
func (s *Sender) expect(slot int, want state) *call {
	c := &s.calls[slot]
	if c.state != want {
		panic(fmt.Sprintf("sender: the transport told something of slot %d out of turn", slot))
	}
	return c
}
