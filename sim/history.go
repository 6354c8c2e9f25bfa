package sim

import (
	"math/bits"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
)

// history is a trace read once, event by event, with the two decisions read beside it a second time: who is told to
// wait, and until when, is worked out from what the API meant and not from what the stages made of it. What a law needs
// beside the events it finds here, as it stood right after each of them.
type history struct {
	*Trace
	rate     int64 // requests a minute, 0 for none
	deadline clock.Instant
	testable []int

	operations []party
	api        party
	// stopped is the place of the event with which sending ended, or the number of events.
	stopped int

	requests map[int64]*request
	writes   []*write
	carries  map[int]*write // by slot: the last one
}

// party is an operation, or the whole API, and every wait it was told.
type party struct {
	waits []wait
	// guessed counts the guessed waits since the guess last went back.
	guessed int
	skipped int64
}

// wait is one wait: it begins with the event at place, and ends at the moment to, which the event at moved last moved
// there.
type wait struct {
	place       int
	from, to    clock.Instant
	stated      bool
	toTheEnd    bool
	prolongedAt []int
	ends        []clock.Instant // before each of prolongedAt
}

// end is the end of the party's last wait.
func (p *party) end() clock.Instant {
	if len(p.waits) == 0 {
		return -1
	}
	return p.waits[len(p.waits)-1].to
}

// endsBy is when the party's last wait that began before the event at that place ends, as it was known then.
func (p *party) endsBy(place int) clock.Instant {
	for i := len(p.waits) - 1; i >= 0; i-- {
		w := &p.waits[i]
		if w.place >= place {
			continue
		}
		for j, at := range w.prolongedAt {
			if at >= place {
				return w.ends[j]
			}
		}
		return w.to
	}
	return -1
}

// request is what became of a request.
type request struct {
	seq                                   int64
	operation                             int
	offered, returned, learned, exchanged int
	outcome                               messages.Outcome
	writes                                []*write
	judgedAt                              clock.Instant
}

// write is one write.
type write struct {
	*Event
	place int
	// ended is when what came of it was there.
	ended clock.Instant
}

func readTrace(t *Trace) *history {
	s := t.Scenario
	r := &history{
		Trace: t, deadline: clock.Instant(s.Budget), operations: make([]party, len(s.Document.Operations)),
		requests: map[int64]*request{}, carries: map[int]*write{}, stopped: len(t.Events),
	}
	if s.Settings.Engine.LimitTheRate {
		r.rate = s.Settings.Engine.MostRequestsPerMinute
	}
	for i, op := range s.Document.Operations {
		if op.Untestable == "" {
			r.testable = append(r.testable, i)
		}
	}
	for i := range t.Events {
		r.event(i, &t.Events[i])
	}
	return r
}

func (r *history) of(e *Event) *request {
	q := r.requests[e.Seq]
	if q == nil {
		q = &request{seq: e.Seq, operation: e.Operation}
		r.requests[e.Seq] = q
	}
	return q
}

func (r *history) event(i int, e *Event) {
	pacers := false // the pacer's own: with the first at the deadline or after it, sending ends
	switch e.Kind {
	case Offered, Nothing:
		pacers = true
		for set := e.Skipped; set != 0; set &= set - 1 {
			r.operations[bits.TrailingZeros64(set)].skipped++
		}
		if e.Kind == Nothing && (e.Why == messages.NothingEver || e.Why == messages.NothingAllowed) {
			r.stop(i)
		}
		if e.Kind == Offered {
			q := r.of(e)
			if q.returned == q.offered { // the number of one that was handed back is given again
				*q = request{seq: e.Seq, operation: e.Operation, offered: q.offered, returned: q.returned}
			}
			q.offered++
		}
	case Returned:
		r.of(e).returned++
	case Learned:
		r.of(e).learned++
	case Judged:
		q := r.of(e)
		q.exchanged++
		q.outcome, q.judgedAt = e.Outcome, e.At
	case Written:
		q := r.of(e)
		w := &write{Event: e, place: i, ended: clock.Never}
		q.writes = append(q.writes, w)
		r.writes = append(r.writes, w)
		r.carries[e.Slot] = w
	case Came:
		r.carries[e.Slot].ended = e.At
	case Heard:
		pacers = true
		q := r.of(e)
		if i < r.stopped && e.At < r.deadline && !e.Told {
			r.hear(i, e, q)
		}
	case Stopped:
		r.stop(i)
	case NotOpened:
		pacers = true
		if r.Last != nil && r.Last.End == messages.Unconnected && r.Last.StoppedAt == e.At {
			r.stop(i)
		}
	case Departed, Freed, Again, Opened, Ticked:
		pacers = true
	}
	if pacers && (e.At >= r.deadline || r.toTheEnd()) {
		r.stop(i)
	}
}

func (r *history) stop(place int) { r.stopped = min(r.stopped, place) }

// hear is ADR-0042 §§1 to 3, from its text.
func (r *history) hear(place int, e *Event, q *request) {
	if len(q.writes) == 0 || e.Outcome != messages.Answered && e.Outcome != messages.BrokeOff || !r.Scenario.Settings.Schedule.WaitWhenToldTo {
		return
	}
	said := q.writes[len(q.writes)-1]
	op := &r.operations[q.operation]
	// "One sent before the wait it belongs to was over had not heard of that wait."
	late := said.At < op.end() || said.At < r.api.end()
	if !said.Asks {
		if said.At >= op.end() {
			op.guessed = 0
		}
		if said.At >= r.api.end() {
			r.api.guessed = 0
		}
		return
	}
	length := said.Wait
	if said.Until != 0 {
		length = max(0, said.Until.Sub(e.At))
	}
	if late {
		if said.Stated {
			r.prolong(op, place, e.At, length)
			r.prolong(&r.api, place, e.At, length)
		}
		return
	}
	another := false
	for i := range r.operations {
		another = another || i != q.operation && r.operations[i].end() > e.At
	}
	r.begin(op, place, e.At, said.Stated, length)
	if another {
		r.begin(&r.api, place, e.At, said.Stated, length)
	}
}

func (r *history) begin(p *party, place int, at clock.Instant, stated bool, length time.Duration) {
	if !stated {
		// "one second. Each time the same operation is given a guessed wait again it doubles, up to" a minute.
		s := r.Scenario.Settings.Schedule
		length = s.FirstGuessedWait
		for range p.guessed {
			if length < s.LongestGuessedWait {
				length *= 2
			}
		}
		length = min(length, s.LongestGuessedWait)
		p.guessed++
	}
	p.waits = append(p.waits, wait{
		place: place, from: at, to: r.cut(at, length), stated: stated,
		toTheEnd: stated && r.cut(at, length) >= r.deadline,
	})
}

// prolong is: "a moment it states only moves the end of a wait still going, and only later".
func (r *history) prolong(p *party, place int, at clock.Instant, length time.Duration) {
	if p.end() <= at {
		return
	}
	w := &p.waits[len(p.waits)-1]
	to := r.cut(at, length)
	if to >= r.deadline {
		w.toTheEnd = true
	}
	if to > w.to {
		w.prolongedAt, w.ends = append(w.prolongedAt, place), append(w.ends, w.to)
		w.to = to
	}
}

// cut is: "Every end is cut at the run's deadline before anything is worked out on the clock."
func (r *history) cut(at clock.Instant, length time.Duration) clock.Instant {
	if left := r.deadline.Sub(at); length >= left {
		return max(at, r.deadline)
	}
	return at.Add(length)
}

// toTheEnd says whether the API's own stated word keeps everything to the deadline.
func (r *history) toTheEnd() bool {
	last := func(p *party) bool { return len(p.waits) > 0 && p.waits[len(p.waits)-1].toTheEnd }
	all := len(r.testable) > 0
	for _, i := range r.testable {
		all = all && last(&r.operations[i])
	}
	return all || last(&r.api)
}

// quiet is the end of the quiet the API asks for, as known with the event at that place: the whole API is held, or each
// operation rests.
func (r *history) quiet(place int) clock.Instant {
	soonest := clock.Never
	for _, i := range r.testable {
		soonest = min(soonest, r.operations[i].endsBy(place))
	}
	return max(r.api.endsBy(place), soonest)
}

// interval is the least time between two writes, 0 with no rate.
func (r *history) interval() time.Duration {
	if r.rate == 0 {
		return 0
	}
	d := time.Minute / time.Duration(r.rate)
	if int64(d)*r.rate < int64(time.Minute) {
		d++
	}
	return d
}

// stoppedAt is when sending ended.
func (r *history) stoppedAt() clock.Instant {
	if r.stopped == len(r.Events) {
		return r.deadline
	}
	return min(r.Events[r.stopped].At, r.deadline)
}
