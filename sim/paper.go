// Package sim runs tests on paper: the stages of a live run, under the fake clock, against an API that is a value.
package sim

import (
	"bytes"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/stages/sender"
)

// API is an API on paper: what it answers to a request that comes at the moment now.
type API interface {
	Answer(now time.Duration, r demo.Request) demo.Reply
}

// paper is the world's edge on paper: requests are written at once, and their replies come when the API says, as the
// bytes it would send.
type paper struct {
	api   API
	clk   clock.Clock
	tell  func(messages.ToSender)
	read  *sender.Reader
	slots []sheet
	// hurried has every reply come at once, however long the API says it takes.
	hurried bool
}

// sheet is one slot: how to take back what it waits for, and how that ends if the run is over first.
type sheet struct {
	cancel  func()
	giveUp  func()
	written bool
}

// NewTransport makes the edge of a run on paper.
func NewTransport(api API, s settings.Engine, clk clock.Clock, tell func(messages.ToSender)) sender.Transport {
	return &paper{api: api, clk: clk, tell: tell, read: sender.NewReader(s, clk), slots: make([]sheet, s.MaxConcurrency)}
}

// NewHurriedTransport makes an edge whose replies come at once, to measure what the stages cost.
func NewHurriedTransport(api API, s settings.Engine, clk clock.Clock, tell func(messages.ToSender)) sender.Transport {
	p := NewTransport(api, s, clk, tell).(*paper)
	p.hurried = true
	return p
}

func (p *paper) Open(slot int) { p.tell(messages.Opened{Slot: slot}) }

func (p *paper) Write(slot int, o sender.Outgoing) {
	s := &p.slots[slot]
	if p.hurried {
		p.write(slot, o)
		return
	}
	s.giveUp = func() { p.tell(messages.Wrote{Slot: slot, Unsent: true, Reason: "recalled"}) }
	s.cancel = p.clk.At(o.At, func() { p.write(slot, o) })
}

// write is the moment the bytes go.
func (p *paper) write(slot int, o sender.Outgoing) {
	s, at := &p.slots[slot], p.clk.Now()
	if at >= o.Deadline {
		*s = sheet{}
		p.tell(messages.Wrote{Slot: slot, Unsent: true, Reason: "the run's time was up"})
		return
	}
	reply := p.api.Answer(time.Duration(at), demo.Request{
		Method: o.Method, Target: o.Target, Header: o.Request.Header, Body: content(o.Bytes),
	})
	p.tell(messages.Wrote{Slot: slot, At: at, Written: at})
	came := p.read.Read(reply.Append(nil), reply.Ends(), o.Method)
	came.Slot = slot
	arrive := func() {
		*s = sheet{}
		came.HeardAt, came.EndedAt = p.clk.Now(), p.clk.Now()
		p.tell(came)
	}
	if p.hurried {
		arrive()
		return
	}
	s.written = true
	s.giveUp = func() {
		p.tell(messages.Came{
			Slot: slot, HeardAt: p.clk.Now(), EndedAt: p.clk.Now(), Outcome: messages.NoReply,
			Failure: "the run was over before the reply came", Kind: messages.GivenUp,
		})
	}
	s.cancel = p.clk.At(at.Add(reply.After), arrive)
}

// content is what follows the header in a request's bytes.
func content(wire []byte) []byte {
	if i := bytes.Index(wire, []byte("\r\n\r\n")); i >= 0 && i+4 < len(wire) {
		return wire[i+4:]
	}
	return nil
}

// Recall takes back a write that has not come.
func (p *paper) Recall(slot int) {
	if !p.slots[slot].written {
		p.end(slot)
	}
}

// Abandon ends whatever is under way.
func (p *paper) Abandon() {
	for slot := range p.slots {
		p.end(slot)
	}
}

func (p *paper) end(slot int) {
	s := p.slots[slot]
	if s.cancel == nil {
		return
	}
	s.cancel()
	p.slots[slot] = sheet{}
	s.giveUp()
}

func (p *paper) Close() {}
