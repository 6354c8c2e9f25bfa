package sender

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/panics"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

const (
	// firstPart is how much of a request is written at its turn; a longer one goes on after it was told.
	firstPart = 64 << 10
	// patience is how long after its turn a request may still wait for its connection to be opened again.
	patience = 900 * time.Millisecond
)

// WireConfig is what a Wire goes by.
type WireConfig struct {
	// Origin is scheme, host and port of the API.
	Origin   string
	Settings settings.Settings
	// Environ names proxies as HTTPS_PROXY and its like do, in the form of os.Environ; nil: none.
	Environ []string
	// From is the address of this machine to connect from; nil: the system chooses.
	From  net.IP
	Clock clock.Clock
	// Tell tells the Sender. It is called from the slots' goroutines and must not block.
	Tell func(messages.ToSender)
	// Fail is told of a panic in a slot's goroutine; that slot is lost.
	Fail func(error)
}

// Wire is the Transport over sockets: one goroutine for each slot, and it alone uses the slot's HTTP/1.1 connection.
type Wire struct {
	cfg   WireConfig
	route route
	ctx   context.Context // ends what is being dialled
	end   context.CancelFunc

	slots        []*slot // nil until they are used
	over, closed bool
	running      sync.WaitGroup
}

// NewWire makes a Wire. It opens nothing yet. The error says which setting is wrong.
func NewWire(cfg WireConfig) (*Wire, error) {
	o, err := parseOrigin(cfg.Origin)
	if err != nil {
		return nil, err
	}
	e := cfg.Settings.Engine
	p, err := proxyFor(o, e.Proxy, cfg.Environ)
	if err != nil {
		return nil, err
	}
	w := &Wire{
		cfg: cfg,
		route: route{
			origin: o, proxy: p, verify: e.VerifyCertificates, from: cfg.From, clock: cfg.Clock,
			connect: e.ConnectTimeout, read: e.ReadTimeout, write: e.WriteTimeout,
			most: e.MaxRetainedResponseBytes, brotli: new(sync.Mutex),
		},
		slots: make([]*slot, max(1, e.MaxConcurrency)),
	}
	w.ctx, w.end = context.WithCancel(context.Background())
	return w, nil
}

// Open has the slot's connection open. One that is open is looked at and kept.
func (w *Wire) Open(slot int) { w.slot(slot).ask(wish{}) }

// Write writes a request at its moment and reads its reply.
func (w *Wire) Write(slot int, o Outgoing) {
	s := w.slot(slot)
	s.stop.Store(w.over) // which forgets a Recall that came too late for the Write before
	s.ask(wish{write: true, out: o})
}

// Recall takes the slot's Write back if its bytes have not begun to go.
func (w *Wire) Recall(slot int) { w.slot(slot).stop.Store(true) }

// Abandon ends whatever is under way. Nothing is opened or written any more.
func (w *Wire) Abandon() {
	w.over = true
	w.end()
	for _, s := range w.slots {
		if s != nil {
			s.stop.Store(true)
			s.conn.cut()
		}
	}
}

// Close ends the connections and, once they have told what was under way, the slots' goroutines.
func (w *Wire) Close() {
	if w.closed {
		return
	}
	w.Abandon()
	w.closed = true
	for _, s := range w.slots {
		if s != nil {
			close(s.wishes)
		}
	}
}

// Wait waits until the slots' goroutines have ended, after Close.
func (w *Wire) Wait() { w.running.Wait() }

// slot is the slot of that number, started when it is first used.
func (w *Wire) slot(number int) *slot {
	if w.slots[number] == nil {
		s := &slot{wire: w, number: number, wishes: make(chan wish, 2), conn: newConn(w.route)}
		s.conn.onHead = s.headed
		if w.over {
			s.stop.Store(true)
			s.conn.cut()
		}
		w.slots[number] = s
		w.running.Go(s.run)
	}
	return w.slots[number]
}

// slot is one connection and the goroutine that uses it.
type slot struct {
	wire   *Wire
	number int
	wishes chan wish
	stop   atomic.Bool // the Write is recalled, or everything is over
	conn   *conn
}

// wish asks a slot to write a request, or else to have its connection open.
type wish struct {
	write bool
	out   Outgoing
}

func (s *slot) ask(w wish) {
	select {
	case s.wishes <- w:
	default:
		panic(fmt.Sprintf("sender: slot %d was asked for more than one thing at a time", s.number))
	}
}

func (s *slot) run() {
	defer s.conn.shut()
	if p := panics.Try(s.serve); p != nil {
		s.wire.cfg.Fail(fmt.Errorf("slot %d of the sender: %w", s.number, p.AsError()))
	}
}

func (s *slot) serve() {
	for w := range s.wishes {
		switch {
		case w.out.Elsewhere != "":
			s.elsewhere(&w.out)
		case w.write:
			s.exchange(&w.out)
		default:
			s.open()
		}
	}
}

func (s *slot) open() {
	if !s.conn.alive() {
		now := s.wire.cfg.Clock.Now()
		if err := s.conn.open(s.wire.ctx, now.Add(s.conn.connect)); err != nil {
			s.wire.cfg.Tell(messages.NotOpened{Slot: s.number, Reason: s.conn.reason(err)})
			return
		}
	}
	s.wire.cfg.Tell(messages.Opened{Slot: s.number})
}

// exchange writes a request and reads its reply.
func (s *slot) exchange(o *Outgoing) {
	first := o.Bytes[:min(len(o.Bytes), firstPart)]
	at, unsent, err := s.leave(o, first)
	wrote := messages.Wrote{Slot: s.number, At: at, Written: s.wire.cfg.Clock.Now()}
	if unsent != nil {
		wrote.Unsent, wrote.Recalled, wrote.Reason, wrote.Kind = true, unsent == errRecalled, unsent.Error(), messages.Kept
		if _, gone := unsent.(goneError); gone {
			wrote.Kind = messages.NotWritten
		}
	}
	s.wire.cfg.Tell(wrote)
	if unsent != nil {
		return
	}
	callBy := at.Add(s.wire.cfg.Settings.Engine.CallTimeout)
	if err == nil {
		err = s.conn.putRest(o.Bytes[len(first):], min(callBy, o.Deadline))
	}
	// Whoever can go on goes first: a reply that has come by then is read without asking in vain.
	runtime.Gosched()
	a := s.conn.finish(o.Method, callBy, err)
	s.wire.cfg.Tell(messages.Came{
		Slot: s.number, HeardAt: a.heardAt, EndedAt: s.wire.cfg.Clock.Now(), Outcome: a.outcome, Reply: a.reply,
		Failure: a.failure, Kind: a.kind, Open: a.open,
	})
}

// leave waits for a request's moment and writes its first part, at the moment it returns. unsent says why nothing
// was written, nil if something was; err says what kept the part from being written whole.
func (s *slot) leave(o *Outgoing, first []byte) (at clock.Instant, unsent, err error) {
	clk := s.wire.cfg.Clock
	for waited := false; ; waited = true {
		now := clk.Now()
		if reason := s.kept(o, now); reason != nil {
			return now, reason, nil
		}
		// Once more after the wait, which may have outlasted the connection.
		if err := s.ready(o); err != nil {
			return now, s.gone(err), nil
		}
		if waited || clk.Now() >= o.At {
			break
		}
		clock.Until(clk, o.At, &s.stop)
	}
	if err := s.conn.readyToWrite(); err != nil {
		return clk.Now(), s.gone(err), nil
	}
	at = clk.Now()
	if reason := s.kept(o, at); reason != nil {
		return at, reason, nil
	}
	begun, err := s.conn.put(first)
	if err != nil && !begun {
		reason := s.gone(err)
		s.conn.shut()
		return at, reason, nil
	}
	return at, nil, err
}

var (
	errRecalled = errors.New("recalled before its turn")
	errTooLate  = errors.New("its turn came after the deadline")
)

// kept says why a request may not go any more, nil if it may.
func (s *slot) kept(o *Outgoing, now clock.Instant) error {
	switch {
	case s.conn.isCut():
		return errGivenUp
	case s.stop.Load():
		return errRecalled
	case max(now, o.At) >= o.Deadline:
		return errTooLate
	}
	return nil
}

// ready has the slot's connection open and quiet. One that has ended since it was last used is opened again: the
// turn is at hand, so this may not take long.
func (s *slot) ready(o *Outgoing) error {
	if s.conn.alive() {
		return nil
	}
	now := s.wire.cfg.Clock.Now()
	return s.conn.open(s.wire.ctx, min(max(now, o.At).Add(patience), now.Add(s.conn.connect), o.Deadline))
}

// goneError says why a request could not be written: its connection was gone.
type goneError string

func (e goneError) Error() string { return "its connection was gone: " + string(e) }

func (s *slot) gone(err error) error { return goneError(s.conn.reason(err)) }

func (s *slot) headed(at clock.Instant, r *messages.Reply) {
	s.wire.cfg.Tell(messages.Headed{Slot: s.number, At: at, Reply: r})
}
