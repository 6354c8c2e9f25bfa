// Package pacer decides when a request may go. It holds the run's one schedule: the rate's turn (ADR-0043), each
// operation's rest and the whole API's hold (ADR-0042), and the window of requests in flight. Nobody else bounds,
// delays or drops anything.
package pacer

import (
	"cmp"
	"slices"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// Config is what the pacer is given.
type Config struct {
	// Operations is how many the document has; Testable are those that requests can be built for.
	Operations int
	Testable   []int
	Settings   settings.Settings
	// Deadline is the end of the run's time: nothing is written at it or after it.
	Deadline clock.Instant
	// LastWrite is the moment of the last write to the API's origin before the run, such as the fetch of its
	// document; negative if there was none.
	LastWrite clock.Instant
	// Own are the least times between two requests of one operation, by its index; 0, or none, for no rate of its own.
	Own []time.Duration
	// Lead is how long before its turn a request is handed to the sender, which waits for the exact moment: a
	// millisecond or two where timers are late, 0 on paper.
	Lead time.Duration
	// WholeAPIAtOnce has every request wait as soon as one operation is told to. Only the simulator sets it, to show
	// what the rule of ADR-0042 §2 is worth.
	WholeAPIAtOnce bool
}

// Neighbours are the stages the pacer tells.
type Neighbours struct {
	Generator func(messages.ToGenerator)
	Sender    func(messages.ToSender)
	Reporter  func(messages.ToReporter)
	Self      func(messages.ToPacer)
}

// Mailbox is how many messages can be in the pacer's mailbox at once, with so many slots: for each slot a Departed, an
// Again, two Heards, a Slot and a Ready or Unreachable; and an Offer, the Slot of a dropped request, ticks, asks and stops.
func Mailbox(slots int) int { return 6*slots + 16 }

const (
	// A second connection attempt follows a failed one after firstRedial, and then after twice as long each time, up to
	// longestRedial.
	firstRedial, longestRedial = 50 * time.Millisecond, time.Second
	// An API that never accepted a connection is given up after neverConnected; one that did, after the connect time-out.
	neverConnected = 2 * time.Second
	// Requests that have waited so long, and are all that is under way, do not keep other operations from one more slot.
	hanging = time.Second
	// What has not come home so long after it was abandoned never will.
	abandoned = 2 * time.Second
)

// Pacer is the stage.
type Pacer struct {
	cfg Config
	clk clock.Clock
	to  Neighbours

	waits  *waits
	rate   rate
	own    []ownRate // by operation
	rated  []int     // those with a rate of their own
	window window
	idle   idle

	slots    []slot
	out      int   // slots whose credit is away
	holding  []int // of them, those that each operation has
	halved   bool  // an operation was passed over as it has its half of the slots
	newest   int64 // the number of the request that was offered last
	dropped  int   // dropped requests not reported yet
	inFlight int   // requests written and not ended
	going    int   // Gos that have not departed yet
	wanting  bool
	offered  *messages.Request // an offer that may not go yet
	hops     []messages.Again  // redirects waiting for a turn, in order
	nothing  clock.Instant     // the generator has nothing before this moment

	connected   bool // a connection was ever open
	failingFrom clock.Instant
	redial      time.Duration
	redialAt    clock.Instant
	unreachable string // why no connection can be opened at present

	armed  clock.Instant
	disarm func()

	end       messages.End
	stoppedAt clock.Instant
	homeBy    clock.Instant
	abandoned bool
	over      bool

	sent, neverSent int64
	peak            int
	firstAt, lastAt clock.Instant
	shortest        time.Duration
	gaps            gaps
	several         bool // there has been more than one write
	reason          string
}

type slot struct {
	state   slotState
	request *messages.Request
	sentAt  clock.Instant // when it was written; for one that is being opened, when that began
	// written is true once something of its request was; onWire while a reply to it is awaited; recalled once its Go was.
	written, onWire, recalled bool
}

type slotState int

const (
	closed  slotState = iota // its connection is not open
	opening                  // it is being opened
	free                     // it can take a request
	going                    // a Go was given and has not departed
	flying                   // its request is under way or being judged and reported
	asking                   // it waits for a redirect's turn
)

// New makes the pacer; the first Tick starts it.
func New(cfg Config, clk clock.Clock, to Neighbours) *Pacer {
	p := &Pacer{
		cfg: cfg, clk: clk, to: to,
		waits:       newWaits(cfg.Settings.Schedule, cfg.Operations, cfg.Testable, cfg.Deadline),
		rate:        newRate(cfg.Settings.Engine, cfg.LastWrite),
		own:         newOwnRates(cfg.Own, cfg.Operations),
		window:      newWindow(cfg.Settings.Engine),
		slots:       make([]slot, cfg.Settings.Engine.MaxConcurrency),
		holding:     make([]int, cfg.Operations),
		failingFrom: clock.Never,
		armed:       clock.Never,
		redial:      firstRedial,
		shortest:    -1,
	}
	p.gaps = newGaps(p.rate.interval)
	p.waits.wholeAPI = cfg.WholeAPIAtOnce
	for i := range p.own {
		if p.own[i].interval > 0 {
			p.rated = append(p.rated, i)
		}
	}
	p.idle.begin(0, 0, p.rate.turn, max(0, cfg.LastWrite))
	return p
}

// Handle takes one message.
func (p *Pacer) Handle(m messages.ToPacer) {
	now := p.clk.Now()
	if p.end == messages.NotEnded && now >= p.cfg.Deadline {
		// What is heard from now on, a timer's tick that is late among it, begins nothing.
		p.stop(messages.DeadlineCame, p.whyUnconnected(), now)
	}
	switch m := m.(type) {
	case messages.Offer:
		p.hearOffer(m, now)
	case messages.Departed:
		p.hearDeparted(m, now)
	case messages.Heard:
		p.hear(m, now)
		if m.Quota {
			p.recallBeyondLeft(m.Request.Operation, now)
		}
	case messages.Slot:
		p.takeBack(m)
	case messages.Again:
		p.hearAgain(m, now)
	case messages.Ready:
		p.slots[m.Slot].state = free
		p.connected, p.failingFrom, p.redial, p.redialAt, p.unreachable = true, clock.Never, firstRedial, 0, ""
	case messages.Unreachable:
		p.hearUnreachable(m, now)
	case messages.Stop:
		p.stop(m.Reason, "", now)
	case messages.Ask:
		p.to.Reporter(p.paced(now))
		return
	case messages.Tick:
		if now >= p.armed {
			p.armed, p.disarm = clock.Never, nil
		}
	}
	p.proceed(now)
}

// proceed does whatever can be done at the moment now, and arranges to be woken when more can.
func (p *Pacer) proceed(now clock.Instant) {
	if p.over {
		return
	}
	if _, forGood := p.waits.quietUntil(); forGood {
		p.stop(messages.HeldToTheEnd, p.waits.longestAsked(now), now)
	}
	if p.end != messages.NotEnded {
		p.comeHome(now)
		return
	}
	p.wake(p.cfg.Deadline)
	p.connect(now)
	for p.mayGo(now) && p.dispatch(now) {
	}
}

// dispatch gives the turn that has come: to a redirect first, then to the request that waits for it. Where none does
// it asks for one, and returns false.
func (p *Pacer) dispatch(now clock.Instant) bool {
	for i := 0; i < len(p.hops) && p.out-len(p.hops) < p.window.width; i++ {
		hop := p.hops[i]
		if until, keeps := p.own[hop.Request.Operation].keeps(now); keeps {
			p.wake(until)
			continue
		}
		p.hops = slices.Delete(p.hops, i, i+1)
		p.launch(hop.Slot, hop.Request, true, now)
		return true
	}
	if p.wanting {
		return false
	}
	if p.offered == nil && now < p.nothing {
		p.wake(p.nothing)
		return false
	}
	s := p.room(now)
	if s < 0 {
		return false
	}
	if r := p.offered; r != nil {
		p.offered = nil
		if _, keeps := p.own[r.Operation].keeps(now); !keeps && !p.waits.few(r.Operation, p.holding[r.Operation], now) {
			p.launch(s, r, false, now)
			return true
		}
		p.to.Generator(messages.Returned{Request: r}) // a redirect of its operation took the turn, or few are left
	}
	resting, until := p.waits.restingAt(now)
	busy, soonest := p.busy(now)
	busy, soonest = p.kept(now, busy, soonest)
	p.nothing = min(until, soonest)
	p.wanting = true
	p.to.Generator(messages.Want{Resting: resting, Busy: busy})
	return false
}

// kept adds to a set the operations that their own rates keep from being asked at the moment now; soonest is brought
// forward to the first moment at which one of them is not.
func (p *Pacer) kept(now clock.Instant, set messages.Set, soonest clock.Instant) (messages.Set, clock.Instant) {
	for _, i := range p.rated {
		if until, keeps := p.own[i].keeps(now); keeps {
			set, soonest = set.With(i), min(soonest, until)
		}
	}
	return set, soonest
}

// mayGo says whether the rate and the hold let something leave at the moment now, and if not arranges to be woken.
func (p *Pacer) mayGo(now clock.Instant) bool {
	if until := p.waits.api.until(); until > now {
		p.wake(until)
		return false
	}
	if p.rate.interval == 0 {
		return true
	}
	if p.going > 0 {
		return false // nobody leaves while somebody is leaving
	}
	if start := p.rate.turn.Add(-p.cfg.Lead); start > now {
		p.wake(start)
		return false
	}
	return p.rate.turn < p.cfg.Deadline
}

// room is a free slot within the window, or one more where everything under way hangs; -1 if there is none.
func (p *Pacer) room(now clock.Instant) int {
	if p.out >= p.window.width {
		p.window.lacked = true
		if !p.hangs(now) {
			return -1
		}
	}
	for i := range p.slots {
		if p.slots[i].state == free {
			return i
		}
	}
	return -1
}

// hangs says whether everything under way has waited for long, and fills no more than half of the slots: what hangs
// must not stop the run, so another operation may have one slot more.
func (p *Pacer) hangs(now clock.Instant) bool {
	if p.out == 0 || p.out > len(p.slots)/2 {
		return false
	}
	due := clock.Instant(0)
	for i := range p.slots {
		switch s := &p.slots[i]; s.state {
		case going, asking:
			return false
		case flying:
			due = max(due, s.sentAt.Add(hanging))
		}
	}
	if due > now {
		p.wake(due)
		return false
	}
	return true
}

// busy is the set of operations that may not have one more request under way: on trial with its one request, holding
// half of the slots, with a request that hangs, or with as many as it said are left; soonest is the first moment at which
// what it said is over.
func (p *Pacer) busy(now clock.Instant) (set messages.Set, soonest clock.Instant) {
	soonest = clock.Never
	if p.out == 0 {
		return nil, soonest
	}
	half := max(1, p.window.width/2)
	p.halved = false
	for i := range p.slots {
		r := p.slots[i].request
		if r == nil || set.Has(r.Operation) {
			continue
		}
		switch {
		case p.waits.probing(r.Operation):
			set = set.With(r.Operation)
		case p.waits.few(r.Operation, p.holding[r.Operation], now):
			set, soonest = set.With(r.Operation), min(soonest, p.waits.operations[r.Operation].foreseen.leftUntil)
		case len(p.cfg.Testable) < 2:
		case p.slots[i].state == flying && p.slots[i].sentAt.Add(hanging) <= now:
			set = set.With(r.Operation)
		case p.holding[r.Operation] >= half:
			set = set.With(r.Operation)
			p.halved = true
		}
	}
	return set, soonest
}

// launch hands a request to the sender, for the moment of its turn.
func (p *Pacer) launch(at int, r *messages.Request, hop bool, now clock.Instant) {
	s := &p.slots[at]
	if !hop {
		p.out++
		p.holding[r.Operation]++
		p.waits.departing(r)
	}
	s.state, s.request, s.recalled = going, r, false
	p.going++
	p.own[r.Operation].leaving++
	p.to.Sender(messages.Go{Slot: at, Request: r, At: max(now, p.rate.turn), Deadline: p.cfg.Deadline, Hop: hop})
}

func (p *Pacer) hearOffer(m messages.Offer, now clock.Instant) {
	p.wanting = false
	for _, i := range m.Skipped {
		if op := &p.waits.operations[i]; op.end > now || op.foreseen.end <= now {
			op.skipped++
		} else {
			op.foreseen.skipped++
		}
	}
	if m.Request == nil {
		switch m.Why {
		case messages.NothingEver:
			p.stop(messages.NothingToSend, "", now)
		case messages.NothingAllowed:
			p.stop(messages.Unauthorized, "", now)
		case messages.NothingMayGo:
			// A request whose turn had come lacked a slot of its operation's half.
			p.window.lacked = p.window.lacked || p.halved
			p.nothing = min(p.nothing, m.Until)
		default:
			// The end of the soonest rest was put there when it was asked.
			p.nothing = min(p.nothing, m.Until)
		}
		return
	}
	p.nothing, p.newest = 0, m.Request.Seq
	if p.end != messages.NotEnded || p.waits.rests(m.Request.Operation, now) {
		p.to.Generator(messages.Returned{Request: m.Request})
		return
	}
	p.offered = m.Request
}

func (p *Pacer) hearDeparted(m messages.Departed, now clock.Instant) {
	s := &p.slots[m.Slot]
	p.going--
	own := &p.own[m.Request.Operation]
	own.leaving--
	if !m.Unsent {
		own.wrote(m.At, m.Written)
	}
	if until, keeps := own.keeps(now); own.interval > 0 {
		p.nothing = min(p.nothing, until)
		if !keeps {
			p.nothing = 0
		}
	}
	if s.request != m.Request {
		return // a recall crossed its redirect, and the slot has come back since
	}
	if m.Recalled {
		p.hearRecalled(m, now)
		return
	}
	s.state, s.sentAt = flying, m.At
	if m.Unsent {
		s.sentAt = now
		return
	}
	s.written, s.onWire = true, true
	p.inFlight++
	p.peak = max(p.peak, p.inFlight)
	p.idle.end(m.At)
	if p.sent == 0 {
		p.firstAt = m.At
	} else {
		gap := m.At.Sub(p.lastAt)
		if !p.several || gap < p.shortest {
			p.shortest, p.several = max(0, gap), true
		}
		p.gaps.add(gap)
	}
	p.sent++
	p.lastAt = max(p.lastAt, m.At)
	p.rate.wrote(m.Written)
}

func (p *Pacer) hear(m messages.Heard, now clock.Instant) {
	operation := m.Request.Operation
	answered := m.Outcome == messages.Answered || m.Outcome == messages.BrokeOff
	switch {
	case m.Told || !answered:
	case p.end != messages.NotEnded: // a wait that begins after the run stopped sending is not counted
	case m.AsksToWait:
		began, held := p.waits.refused(operation, m.SentAt, m.At, m.Stated, m.Wait, m.Alone)
		if held {
			p.window.restart(now)
		}
		foreseen, all := p.foresaw(m)
		p.leaveAlone(operation, began || foreseen, held || all, now)
	default:
		p.waits.answered(operation, m.SentAt)
		if m.Quota {
			began, all := p.foresaw(m)
			p.leaveAlone(operation, began, all, now)
		}
	}
	if !m.Final {
		return
	}
	p.waits.over(m.Request)
	switch {
	case m.Overloaded:
		p.window.overloaded(m.SentAt, now)
	case answered && !m.AsksToWait:
		p.window.answered()
	}
	if m.Slot < 0 || !p.slots[m.Slot].written {
		p.neverSent++
		return
	}
	p.slots[m.Slot].written = false
	if p.slots[m.Slot].onWire {
		p.landed(m.Slot, m.EndedAt)
	}
}

// landed notes that a slot has nothing on the wire any more.
func (p *Pacer) landed(at int, now clock.Instant) {
	p.slots[at].onWire = false
	if p.inFlight--; p.inFlight == 0 {
		quiet, _ := p.waits.quietUntil()
		p.idle.begin(max(now, p.lastAt), quiet, p.rate.turn, p.lastAt)
	}
}

// hearAgain notes that a redirect waits for a turn. Where none can be given any more, or its operation rests, the
// redirect is the call's reply.
func (p *Pacer) hearAgain(m messages.Again, now clock.Instant) {
	p.slots[m.Slot].state = asking
	p.landed(m.Slot, now)
	if p.end != messages.NotEnded || p.waits.rests(m.Request.Operation, now) {
		p.to.Sender(messages.Recall{Slot: m.Slot})
		return
	}
	p.hops = append(p.hops, m)
}

// hearRecalled takes back a request that was let go and had not gone. One whose operation rests is handed back as never
// built; one that a hold keeps goes when that is over.
func (p *Pacer) hearRecalled(m messages.Departed, now clock.Instant) {
	r := m.Request
	p.slots[m.Slot] = slot{state: free}
	p.out--
	p.holding[r.Operation]--
	p.waits.over(r)
	newest := r.Seq == p.newest && !p.wanting && p.offered == nil
	switch {
	case p.end == messages.NotEnded && newest && p.waits.rests(r.Operation, now):
		p.to.Generator(messages.Returned{Request: r})
	case p.end == messages.NotEnded && newest:
		p.offered = r
	default:
		p.dropped++
		p.to.Sender(messages.Drop{Request: r})
	}
}

// foresaw hears what a reply says of a quota: whether a wait of the operation began, and whether the whole API is held
// for it from now on.
func (p *Pacer) foresaw(m messages.Heard) (began, held bool) {
	if !m.Quota {
		return false, false
	}
	return p.waits.foresaw(m.Request.Operation, m.SentAt, m.At, m.Left, m.More)
}

// leaveAlone takes back what has not gone when a wait of the operation has begun, or a hold: at most what is on the wire
// follows. A wait that was over when its end was moved is one again, with all that was let go since. The redirects of who
// rests have had their reply.
func (p *Pacer) leaveAlone(operation int, began, held bool, now clock.Instant) {
	held = held || p.waits.api.until() > now
	p.recall(func(r *messages.Request) bool {
		return held || began && r.Operation == operation || p.waits.rests(r.Operation, now)
	})
	if p.inFlight == 0 {
		quiet, _ := p.waits.quietUntil()
		p.idle.hush(quiet)
	}
	if r := p.offered; r != nil && p.waits.rests(r.Operation, now) {
		p.offered = nil
		p.to.Generator(messages.Returned{Request: r})
	}
	p.hops = slices.DeleteFunc(p.hops, func(hop messages.Again) bool {
		rests := p.waits.rests(hop.Request.Operation, now)
		if rests {
			p.to.Sender(messages.Recall{Slot: hop.Slot})
		}
		return rests
	})
}

// recall takes back those requests that were let go and have not gone: a rest, a hold or a stop came.
func (p *Pacer) recall(which func(*messages.Request) bool) {
	for i := range p.slots {
		if s := &p.slots[i]; s.state == going && !s.recalled && which(s.request) {
			s.recalled = true
			p.to.Sender(messages.Recall{Slot: i})
		}
	}
}

// recallBeyondLeft takes back the latest requests of an operation that were let go and have not gone, where with them
// more would be under way than it has just said are left. One that a redirect leads on was counted when it first went.
func (p *Pacer) recallBeyondLeft(operation int, now clock.Instant) {
	goes := max(now, p.rate.turn)
	if p.waits.beyondLeft(operation, p.holding[operation], goes) == 0 {
		return
	}
	underWay := 0
	var let []int
	for i := range p.slots {
		switch s := &p.slots[i]; {
		case s.request == nil || s.request.Operation != operation:
		case s.written:
			underWay++
		case s.state == going && !s.recalled:
			underWay++
			let = append(let, i)
		}
	}
	slices.SortFunc(let, func(a, b int) int { return cmp.Compare(p.slots[b].request.Seq, p.slots[a].request.Seq) })
	for _, i := range let[:min(len(let), p.waits.beyondLeft(operation, underWay, goes))] {
		p.slots[i].recalled = true
		p.to.Sender(messages.Recall{Slot: i})
	}
}

func (p *Pacer) takeBack(m messages.Slot) {
	p.nothing = 0
	if m.Slot < 0 {
		p.dropped--
		return
	}
	p.out--
	p.hops = slices.DeleteFunc(p.hops, func(hop messages.Again) bool { return hop.Slot == m.Slot })
	s := &p.slots[m.Slot]
	p.holding[s.request.Operation]--
	*s = slot{state: closed}
	if m.Open {
		s.state = free
	}
}

// connect opens connections up to the window's width, or tries one again after a pause where none could be opened.
func (p *Pacer) connect(now clock.Instant) {
	if until, _ := p.waits.quietUntil(); until > now {
		// An API that asked to be left alone is not knocked at either, and need not be there meanwhile.
		p.failingFrom, p.redialAt = clock.Never, 0
		p.wake(until)
		return
	}
	want := p.window.width
	if p.out >= want && p.hangs(now) {
		want = p.out + 1
	}
	if now < p.redialAt {
		p.wake(p.redialAt)
		return
	}
	if p.failingFrom != clock.Never {
		want = 1
	}
	for i := range p.slots {
		if p.slots[i].state != closed {
			want--
		}
	}
	for i := 0; i < len(p.slots) && want > 0; i++ {
		if p.slots[i].state == closed {
			p.slots[i].state, p.slots[i].sentAt = opening, now
			want--
			p.to.Sender(messages.Open{Slot: i})
		}
	}
}

func (p *Pacer) hearUnreachable(m messages.Unreachable, now clock.Instant) {
	p.slots[m.Slot].state = closed
	if until, _ := p.waits.quietUntil(); until > now {
		return
	}
	p.redialAt = now.Add(p.redial)
	p.redial = min(2*p.redial, longestRedial)
	for i := range p.slots {
		if s := p.slots[i].state; s != closed && s != opening {
			return // others are connected
		}
	}
	p.failingFrom, p.unreachable = min(p.failingFrom, p.slots[m.Slot].sentAt), m.Reason
	patience := p.cfg.Settings.Engine.ConnectTimeout
	if !p.connected {
		patience = min(patience, neverConnected)
	}
	if now.Sub(p.failingFrom) >= patience {
		p.stop(messages.Unconnected, m.Reason, now)
	}
}

// whyUnconnected says why there is no connection, "" if there is one or was.
func (p *Pacer) whyUnconnected() string {
	if p.unreachable == "" && !p.connected {
		return "none was open in time"
	}
	return p.unreachable
}

// stop stops sending: what the rate or a hold kept never goes out, and what is under way may still come home.
func (p *Pacer) stop(reason messages.End, because string, now clock.Instant) {
	if p.end != messages.NotEnded {
		if signal(reason) {
			p.homeBy = min(p.homeBy, now) // nothing under way is waited for any longer
			if signal(p.end) {
				p.end = reason
			}
		}
		return
	}
	p.end, p.reason, p.stoppedAt = reason, because, min(now, p.cfg.Deadline)
	grace := p.cfg.Settings.Schedule.StragglerGrace
	if signal(reason) {
		grace = p.cfg.Settings.Schedule.InterruptGrace
	}
	p.homeBy = now.Add(grace)
	p.recall(func(*messages.Request) bool { return true })
	for _, hop := range p.hops {
		p.to.Sender(messages.Recall{Slot: hop.Slot})
	}
	p.hops = nil
	if p.offered != nil {
		p.dropped++
		p.to.Sender(messages.Drop{Request: p.offered})
		p.offered = nil
	}
}

// signal says whether a person's or the system's wish ended the sending.
func signal(end messages.End) bool { return end == messages.Interrupted || end == messages.Terminated }

// comeHome waits for what is under way, for as long as its grace lasts, and ends the run.
func (p *Pacer) comeHome(now clock.Instant) {
	home := p.out == 0 && p.dropped == 0 && !p.wanting
	switch {
	case home || p.abandoned && now >= p.homeBy:
		p.over = true
		if p.disarm != nil {
			p.disarm()
		}
		p.to.Sender(messages.Close{})
		p.to.Reporter(p.paced(now))
	case now >= p.homeBy:
		p.abandoned = true
		p.homeBy = now.Add(abandoned)
		p.to.Sender(messages.Abandon{})
		p.wake(p.homeBy)
	default:
		p.wake(p.homeBy)
	}
}

// wake arranges for a Tick at the moment t, if none comes before it.
func (p *Pacer) wake(t clock.Instant) {
	if t >= p.armed {
		return
	}
	if p.disarm != nil {
		p.disarm()
	}
	p.armed = t
	p.disarm = p.clk.At(t, func() { p.to.Self(messages.Tick{}) })
}

// paced says how the run is going.
func (p *Pacer) paced(now clock.Instant) *messages.Paced {
	upTo := now
	if p.end != messages.NotEnded {
		upTo = p.stoppedAt
	}
	s := &messages.Paced{
		At: now, Over: p.over, End: p.end, StoppedAt: p.stoppedAt, Reason: p.reason,
		Sent: p.sent, Dropped: p.neverSent, InFlight: p.inFlight, Window: p.window.width, PeakInFlight: p.peak,
		FirstSentAt: p.firstAt, LastSentAt: p.lastAt,
		Interval: p.rate.interval, ShortestGap: p.shortest, Gaps: slices.Clone(p.gaps),
	}
	if p.rate.interval > 0 && p.sent > 0 {
		// A turn that comes at the very end of sending could not have been used.
		s.TurnsDue = int64(max(0, max(upTo, p.lastAt+1).Sub(p.firstAt)-1)/p.rate.interval) + 1
		s.TurnsUsed = p.sent
	}
	s.Idle, s.IdleAsked, s.IdleRate = p.idle.until(upTo)
	s.Spells, s.SpellsLeft = p.waits.spellsUntil(upTo)
	for _, i := range p.rated {
		s.Rates = append(s.Rates, messages.OperationRate{Operation: i, Interval: p.own[i].interval, ShortestGap: p.own[i].shortest})
	}
	s.Waiting, s.Foreseeing = p.waits.on, p.waits.foresees
	api := &p.waits.api
	s.WholeAPI = messages.Held{Times: api.times, Stated: api.stated, Lasted: api.lastedUntil(upTo)}
	s.WholeAPIForeseen = messages.Held{Times: api.foreseen.times, Lasted: api.foreseen.lastedUntil(upTo)}
	if until := api.until(); until > now {
		s.HeldUntil = until
	}
	still := func(end clock.Instant) clock.Instant {
		if end > now {
			return end
		}
		return 0
	}
	for i := range p.waits.operations {
		if op := &p.waits.operations[i]; op.times > 0 {
			s.Waits = append(s.Waits, messages.Waited{
				Operation: i, Times: op.times, Stated: op.stated, Lasted: op.lastedUntil(upTo), Skipped: op.skipped, Until: still(op.end),
			})
		}
		if f := &p.waits.operations[i].foreseen; f.times > 0 {
			s.Foreseen = append(s.Foreseen, messages.Waited{
				Operation: i, Times: f.times, Lasted: f.lastedUntil(upTo), Skipped: f.skipped, Until: still(f.end),
			})
		}
	}
	return s
}
