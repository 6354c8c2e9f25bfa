package sim

import (
	"math/bits"
	"slices"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// history is a trace read once, event by event, with the two decisions read beside it a second time: who is told to
// wait, and until when, is worked out from what the API meant and not from what the stages made of it. What a law needs
// beside the events it finds here, as it stood right after each of them.
type history struct {
	*Trace
	rate     int64         // requests in per, 0 for none
	per      time.Duration // a minute, or an hour
	own      []int64       // requests a minute of each operation, 0 for none
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

// party is an operation, or the whole API, and every wait it was told; with foreseen, every wait that was foreseen.
type party struct {
	waits []wait
	// guessed counts the guessed waits since the guess last went back.
	guessed int
	skipped int64

	foreseen *party
	// said is what it said is left, each time.
	said []saying
}

// saying is what an operation said is left, at the event in that place, up to a moment.
type saying struct {
	place int
	at    clock.Instant
	left  int64
	until clock.Instant
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

// first is the end that the wait had when it began.
func (w *wait) first() clock.Instant {
	if len(w.ends) > 0 {
		return w.ends[0]
	}
	return w.to
}

// end is the end of the party's last wait.
func (p *party) end() clock.Instant {
	if len(p.waits) == 0 {
		return -1
	}
	return p.waits[len(p.waits)-1].to
}

// restsUntil is, as endsBy is, when its last wait ends, told or foreseen.
func (p *party) restsUntil(place int) clock.Instant {
	return max(p.endsBy(place), p.foreseen.endsBy(place))
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
	r.api.foreseen = &party{}
	for i := range r.operations {
		r.operations[i].foreseen = &party{}
	}
	r.rates(&s.Settings.Engine)
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

// rates are the run's own, the slower of the one a minute and the one an hour, and those of its operations: of several
// numbers that name one the smallest.
func (r *history) rates(e *settings.Engine) {
	r.per = time.Minute
	if e.LimitTheRate {
		r.rate = e.MostRequestsPerMinute
		if e.MostRequestsPerHour > 0 && (r.rate == 0 || e.MostRequestsPerHour < 60*r.rate) {
			r.rate, r.per = e.MostRequestsPerHour, time.Hour
		}
	}
	r.own = make([]int64, len(r.operations))
	for _, rate := range e.RatesFor() {
		for i, op := range r.Scenario.Document.Operations {
			if rate.Name != op.ID && rate.Name != op.Method+" "+op.Path && !slices.Contains(op.Tags, rate.Name) {
				continue
			}
			if r.own[i] == 0 || rate.PerMinute < r.own[i] {
				r.own[i] = rate.PerMinute
			}
		}
	}
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
			op := &r.operations[bits.TrailingZeros64(set)]
			if op.end() <= e.At && op.foreseen.end() > e.At {
				op = op.foreseen // for this alone
			}
			op.skipped++
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
			r.foresee(i, e, q)
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

// foresee is decision 0012 §§6 to 9, from its text.
func (r *history) foresee(place int, e *Event, q *request) {
	if len(q.writes) == 0 || e.Outcome != messages.Answered && e.Outcome != messages.BrokeOff || !r.Scenario.Settings.Schedule.StayInsideQuota {
		return
	}
	said := q.writes[len(q.writes)-1]
	if !said.Quota {
		return
	}
	op, all, at, more := &r.operations[q.operation], r.api.foreseen, e.Moment, said.opens(e.Moment)
	left, until := said.Left, r.cut(at, more)
	// "Of replies to requests that were under way at once the fewest counts".
	if n := len(op.said); n > 0 && said.At < op.said[n-1].at && op.said[n-1].until > at {
		left, until = min(left, op.said[n-1].left), max(until, op.said[n-1].until)
	}
	op.said = append(op.said, saying{place, at, left, until})
	if said.Left > 0 || more == 0 {
		return
	}
	// "A request sent before the foreseen wait it belongs to was over had not heard of it."
	if said.At < op.foreseen.end() || said.At < all.end() {
		r.prolong(op.foreseen, place, at, more)
		r.prolong(all, place, at, more)
		return
	}
	// "An operation that says it while another's foreseen wait is going speaks for the whole API".
	another := false
	for i := range r.operations {
		another = another || i != q.operation && r.operations[i].foreseen.end() > at
	}
	r.begin(op.foreseen, place, at, true, more)
	if another {
		r.begin(all, place, at, true, more)
	}
}

// opens is how long after the moment its header came an answer says there will be more.
func (w *write) opens(came clock.Instant) time.Duration {
	more := w.More
	if w.MoreBy != 0 {
		more = max(0, w.MoreBy.Sub(came))
	}
	return min(more, w.MoreAtMost)
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

// toTheEnd says whether the API's own stated word, told or foreseen, keeps everything to the deadline.
func (r *history) toTheEnd() bool {
	toTheEnd := func(p *party) bool { return len(p.waits) > 0 && p.waits[len(p.waits)-1].toTheEnd }
	last := func(p *party) bool { return toTheEnd(p) || toTheEnd(p.foreseen) }
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
		soonest = min(soonest, r.operations[i].restsUntil(place))
	}
	return max(r.api.restsUntil(place), soonest)
}

// interval is the least time between two writes, 0 with no rate.
func (r *history) interval() time.Duration {
	return interval(r.per, r.rate)
}

// interval is the least time between two of so many in a time, 0 for none.
func interval(per time.Duration, number int64) time.Duration {
	if number == 0 {
		return 0
	}
	d := per / time.Duration(number)
	if int64(d)*number < int64(per) {
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
