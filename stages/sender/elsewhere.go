package sender

import (
	"context"
	"sync"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
)

// elsewherePatience is how long a connection to another origin may take to open: nobody leaves meanwhile where a rate is
// kept to.
const elsewherePatience = 3 * time.Second

// elsewhere is the origin of an identity provider that the request goes to, "" for the API's own.
func elsewhere(r *messages.Request) string {
	if r.SignIn == nil {
		return ""
	}
	return r.SignIn.Elsewhere
}

// elsewhere sends a request to another origin than the API's, over a connection of its own that ends with it. The slot's
// connection stays as it is.
func (s *slot) elsewhere(o *Outgoing) {
	clk, cfg := s.wire.cfg.Clock, &s.wire.cfg
	unsent := func(why error, kind messages.Failure) {
		now := clk.Now()
		cfg.Tell(messages.Wrote{
			Slot: s.number, At: now, Written: now, Unsent: true, Recalled: why == errRecalled, Reason: why.Error(), Kind: kind,
		})
	}
	to, err := parseOrigin(o.Elsewhere)
	if err != nil {
		unsent(err, messages.NotWritten)
		return
	}
	through, err := proxyFor(to, cfg.Settings.Engine.Proxy, cfg.Environ)
	if err != nil {
		unsent(err, messages.NotWritten)
		return
	}
	way := s.wire.route
	way.origin, way.proxy, way.brotli, way.from = to, through, new(sync.Mutex), nil
	way.read, way.write = min(way.read, fetchTimeout), min(way.write, fetchTimeout)
	c := newConn(way)
	released := context.AfterFunc(s.wire.ctx, c.cut)
	defer released()
	defer c.shut()

	if why := s.kept(o, clk.Now()); why != nil {
		unsent(why, messages.Kept)
		return
	}
	if err := c.open(s.wire.ctx, min(max(clk.Now(), o.At).Add(elsewherePatience), o.Deadline)); err != nil {
		unsent(goneError(c.reason(err)), messages.NotWritten)
		return
	}
	clock.Until(clk, o.At, &s.stop)
	if err := c.readyToWrite(); err != nil {
		unsent(goneError(c.reason(err)), messages.NotWritten)
		return
	}
	at := clk.Now()
	if why := s.kept(o, at); why != nil {
		unsent(why, messages.Kept)
		return
	}
	begun, err := c.put(o.Bytes)
	if err != nil && !begun {
		unsent(goneError(c.reason(err)), messages.NotWritten)
		return
	}
	cfg.Tell(messages.Wrote{Slot: s.number, At: at, Written: clk.Now()})
	a := c.finish(o.Method, at.Add(fetchTimeout), err)
	cfg.Tell(messages.Came{
		Slot: s.number, HeardAt: a.heardAt, EndedAt: clk.Now(), Outcome: a.outcome, Reply: a.reply,
		Failure: a.failure, Kind: a.kind, Open: s.conn.alive(),
	})
}
