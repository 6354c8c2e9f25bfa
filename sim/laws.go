package sim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
)

// Law is something that holds in every run.
type Law struct {
	Name string
	// Says is the law in one sentence, and Source where that is decided.
	Says, Source string
	judge        func(*history, broken)
}

// Violation is a law that a trace breaks, and when it does.
type Violation struct {
	Law  string
	At   clock.Instant
	What string
}

func (v Violation) String() string { return string(moment([]byte(v.Law+" at "), v.At)) + ": " + v.What }

// broken notes how a law is broken.
type broken func(at clock.Instant, format string, args ...any)

// Laws are all the laws a single trace is judged by. Same judges two.
func Laws() []Law {
	return []Law{
		{"AtOnce", "The first request goes at once.", "ADR-0043 §2", (*history).atOnce},
		{"Evenly", "Never are two requests closer than a minute divided by the rate.", "ADR-0043 §2", (*history).evenly},
		{"LeavesAlone", "An operation told to wait is built nothing and sent nothing until its wait ends.", "ADR-0042 §2", (*history).leavesAlone},
		{"Holds", "When an operation is told to wait while another still waits, every request waits; and only then.", "ADR-0042 §2", (*history).holds},
		{"Guesses", "A wait lasts as long as was stated, or as guessed: a second, then twice as long each time, up to a minute.", "ADR-0042 §1", (*history).guesses},
		{"HearsLate", "A refusal of a request sent before a wait was over begins no wait.", "ADR-0042 §3", (*history).hearsLate},
		{"Reads", "A 429 asks to wait, and a 503 whose Retry-After can be read, for as long as the API means.", "ADR-0042 §1", (*history).reads},
		{"Foresees", "An operation that says nothing is left until a moment is not asked before it, and nobody is once a second one says so.", "0012 §§6–8", (*history).foresees},
		{"StaysInside", "While an operation says that few are left, no more of its requests are under way than are left.", "0012 §9", (*history).staysInside},
		{"ReadsLeft", "What a reply says is left is read as the API means it.", "0012 §§1–4", (*history).readsLeft},
		{"OwnTurns", "No two requests of an operation leave closer together than a minute divided by its own rate.", "0012 §15", (*history).ownTurns},
		{"Trial", "After a wait an operation is tried by one request until that one is answered.", "0042, beyond the decision", (*history).trial},
		{"Within", "Nothing reaches the API after the run's time is up, and everything ends by then.", "ADR-0042 §2, ADR-0043 §4", (*history).within},
		{"Conserves", "A request that was built ends once: answered, unanswered or never sent; and nobody changes it on its way.", "0001, 0003", (*history).conserves},
		{"Unasked", "No security probe is built unless probes are asked for.", "0025 §1", (*history).unasked},
		{"Bounded", "What is in flight stays within the window, and half of it for one operation.", "0010", (*history).bounded},
		{"GoesOn", "Where a slot is free, the turn has come and the generator has something, it goes at that moment.", "0001, 0043", (*history).goesOn},
		{"Accounts", "The last account is what happened, and idle time is shared out among who asked for it.", "ADR-0042 §6, ADR-0043 §5", (*history).accounts},
	}
}

// Judge says which laws the trace breaks, and where, up to a few violations of each law.
func Judge(t Trace) []Violation {
	var all []Violation
	h := readTrace(&t)
	for _, law := range Laws() {
		n := 0
		law.judge(h, func(at clock.Instant, format string, args ...any) {
			if n++; n <= 3 {
				all = append(all, Violation{law.Name, at, fmt.Sprintf(format, args...)})
			}
		})
	}
	return all
}

// Same says where two traces differ, "" if they do not. Decision 0002: the last two worlds repeat, message for message.
func Same(a, b Trace) string {
	for i := range min(len(a.Events), len(b.Events)) {
		if a.Events[i] != b.Events[i] {
			return fmt.Sprintf("event %d is\n%v\nand\n%v", i, a.Events[i], b.Events[i])
		}
	}
	switch {
	case len(a.Events) != len(b.Events):
		return fmt.Sprintf("%d events, and %d", len(a.Events), len(b.Events))
	case a.Result.Exit != b.Result.Exit || a.Result.Summary != b.Result.Summary:
		return fmt.Sprintf("it ends with\n%s\nand\n%s", a.Result.Summary, b.Result.Summary)
	}
	return ""
}

// 0025 §1: "Without being asked no probe is sent".
func (h *history) unasked(broken broken) {
	for i := range h.Events {
		if e := &h.Events[i]; e.Probe && !h.Scenario.Settings.Security.Probes {
			broken(e.At, "request %d is a probe", e.Seq)
		}
	}
}

// ADR-0043 §2: "The first request goes at once". Once a connection is open, that is; and one interval after the fetch
// of the document, where that is the first request the API was sent.
func (h *history) atOnce(broken broken) {
	ready := slices.IndexFunc(h.Events, func(e Event) bool { return e.Kind == Opened })
	nothing := slices.IndexFunc(h.Events, func(e Event) bool { return e.Kind == Nothing })
	if ready < 0 || nothing >= 0 && (len(h.writes) == 0 || nothing < h.writes[0].place) {
		return
	}
	due := h.Events[ready].At
	if h.Scenario.Fetched {
		due = max(due, clock.Instant(h.interval()))
	}
	switch {
	case due >= h.stoppedAt():
	case len(h.writes) == 0:
		broken(due, "nothing is ever sent")
	case h.writes[0].At != due:
		broken(h.writes[0].At, "the first request goes now, and could at %v", time.Duration(due))
	}
}

// ADR-0043 §2: "At 600, never two closer than a tenth of a second … each turn is counted from the request before it,
// never from the turn that was due". From the end of its write; integers are multiplied, not divided.
func (h *history) evenly(broken broken) {
	before := clock.Instant(0)
	for i, w := range h.writes {
		if gap := w.At - before; (i > 0 || h.Scenario.Fetched) && int64(gap)*h.rate < int64(h.per) && h.rate > 0 {
			broken(w.At, "request #%d goes %v after the one before it, at %d in %v", w.Seq, time.Duration(gap), h.rate, h.per)
		}
		before = w.Moment
	}
}

// ADR-0042 §2: "The operation whose request drew the reply has its turns skipped until its wait ends: nothing is built
// for it and nothing is sent."
func (h *history) leavesAlone(broken broken) {
	offered := map[int64]int{}
	for i, e := range h.Events {
		switch e.Kind {
		case Offered:
			offered[e.Seq] = i
		case Written:
			op := &h.operations[e.Operation]
			if end := op.endsBy(i); end > e.At {
				broken(e.At, "operation %d rests until %v and is sent #%d", e.Operation, time.Duration(end), e.Seq)
			}
			for _, w := range op.waits {
				if !e.Hop && offered[e.Seq] < w.place && w.place < i && w.to > w.from {
					broken(e.At, "#%d was built before operation %d was told to wait, and goes after it", e.Seq, e.Operation)
				}
			}
		}
	}
}

// "With schedule.stayInsideQuota (on), an operation that says nothing is left until a moment is not asked before that
// moment … An operation that says it while another's foreseen wait is going speaks for the whole API: then every request
// waits … A request sent before the foreseen wait it belongs to was over had not heard of it. What its reply says begins no
// wait".
func (h *history) foresees(broken broken) {
	offered := map[int64]int{}
	for i, e := range h.Events {
		switch e.Kind {
		case Offered:
			offered[e.Seq] = i
		case Written:
			all, op := h.api.foreseen, h.operations[e.Operation].foreseen
			if end := all.endsBy(i); end > e.At {
				broken(e.At, "nothing is left for the whole API until %v, and #%d is sent", time.Duration(end), e.Seq)
			}
			if end := op.endsBy(i); end > e.At {
				broken(e.At, "operation %d says nothing is left until %v, and is sent #%d", e.Operation, time.Duration(end), e.Seq)
			}
			for _, w := range op.waits {
				if !e.Hop && offered[e.Seq] < w.place && w.place < i && w.first() > h.Events[w.place].At {
					broken(e.At, "#%d was built before operation %d said that nothing is left, and goes after it", e.Seq, e.Operation)
				}
			}
		}
	}
	l := h.Last
	if l == nil {
		return
	}
	if got, want := l.WholeAPIForeseen, (messages.Held{Times: len(h.api.foreseen.waits), Lasted: h.lasted(h.api.foreseen)}); got != want {
		broken(l.At, "of the whole API's foreseen waits %+v is said, and it is %+v", got, want)
	}
	said := make([]messages.Waited, len(h.operations))
	for _, w := range l.Foreseen {
		said[w.Operation] = w
	}
	for i := range h.operations {
		op := h.operations[i].foreseen
		if len(op.waits) != said[i].Times || len(op.waits) > 0 && (said[i].Lasted != h.lasted(op) || said[i].Skipped != op.skipped) {
			broken(l.At, "operation %d is said to have had %d foreseen waits for %v with %d turns skipped; they were %d for %v with %d",
				i, said[i].Times, said[i].Lasted, said[i].Skipped, len(op.waits), h.lasted(op), op.skipped)
		}
	}
}

// "While an operation says that few are left until a moment, no more of its requests are under way than are left … A
// request counts from when it is let go to its end, with the redirect that it leads on to … at most what is on the wire by
// then follows".
func (h *history) staysInside(broken broken) {
	under := make([]map[int64]bool, len(h.operations))
	for i := range under {
		under[i] = map[int64]bool{}
	}
	for i, e := range h.Events {
		switch {
		case e.Kind == Heard && e.Final:
			delete(under[e.Operation], e.Seq)
		case e.Kind == Written && !e.Hop:
			under[e.Operation][e.Seq] = true
			if left, until := h.leaves(e.Operation, i, e.At); int64(len(under[e.Operation])) > left {
				broken(e.At, "operation %d says %d left until %v, and with #%d has %d under way", e.Operation, left, time.Duration(until), e.Seq, len(under[e.Operation]))
			}
		}
	}
}

// leaves is how many the operation said are left, as known to who writes at the event in that place, at the moment now: of
// what it said at that very moment, a write may have been on the wire already.
func (h *history) leaves(operation, place int, now clock.Instant) (left int64, until clock.Instant) {
	said := h.operations[operation].said
	for i := len(said) - 1; i >= 0; i-- {
		s := &said[i]
		if s.place >= place {
			continue
		}
		few := s.left > 0 && s.until > now
		if !few {
			return math.MaxInt64, 0
		}
		if s.left > left {
			left, until = s.left, s.until
		}
		if h.Events[s.place].At < now {
			return left, until
		}
	}
	return math.MaxInt64, 0
}

// "RateLimit and RateLimit-Policy in the forms of draft-ietf-httpapi-ratelimit-headers …; X-RateLimit-… of the first family
// that says how many are left and until when … A moment is measured from the reply's own Date where that can be read, else
// from the run's clock … No wait is longer than the window that the policy names, or than a day".
func (h *history) readsLeft(broken broken) {
	for _, e := range h.Events {
		q := h.requests[e.Seq]
		if e.Kind != Heard || len(q.writes) == 0 {
			continue
		}
		var said *write
		for _, w := range q.writes {
			if w.At == e.Sent {
				said = w
			}
		}
		if said == nil {
			continue // Reads says so
		}
		says := said.Quota && h.Scenario.Settings.Schedule.StayInsideQuota && (e.Outcome == messages.Answered || e.Outcome == messages.BrokeOff)
		switch more := said.opens(e.Moment); {
		case e.Quota != says:
			broken(e.At, "#%d is read as saying how many are left: %v; it does: %v", e.Seq, e.Quota, says)
		case says && (e.Left != said.Left || e.More != more):
			broken(e.At, "#%d is read as saying that %d are left for %v; it means %d for %v", e.Seq, e.Left, e.More, said.Left, more)
		}
	}
}

// "No two requests of such an operation leave closer together than a minute divided by it, counted as 0043 counts."
func (h *history) ownTurns(broken broken) {
	before := make([]*write, len(h.operations))
	for _, w := range h.writes {
		last, rate := before[w.Operation], h.own[w.Operation]
		if last != nil && rate > 0 {
			if gap := w.At - last.Moment; int64(gap)*rate < int64(time.Minute) {
				broken(w.At, "#%d goes %v after the request of operation %d before it, at %d a minute", w.Seq, time.Duration(gap), w.Operation, rate)
			}
		}
		before[w.Operation] = w
	}
}

// ADR-0042 §2: "When an operation is told to wait while another operation still waits, the limit is plainly the whole
// API's. Then every request waits, both kinds".
func (h *history) holds(broken broken) {
	for _, w := range h.writes {
		if end := h.api.endsBy(w.place); end > w.At {
			broken(w.At, "the whole API is held until %v and is sent #%d", time.Duration(end), w.Seq)
		}
	}
	if l := h.Last; l != nil && l.WholeAPI.Times != len(h.api.waits) {
		broken(l.At, "the whole API was held %d times; it is to be %d times", l.WholeAPI.Times, len(h.api.waits))
	}
}

// ADR-0042 §1: "the operation waits schedule.firstGuessedWait, one second. Each time the same operation is given a guessed
// wait again it doubles, up to schedule.longestGuessedWait, a minute"; §2: "The whole API has a guessed wait of its own".
func (h *history) guesses(broken broken) {
	if h.Last == nil {
		return
	}
	if got, want := h.Last.WholeAPI.Lasted, h.lasted(&h.api); got != want {
		broken(h.Last.At, "the whole API is said to have waited %v; it was to wait %v", got, want)
	}
	for _, w := range h.Last.Waits {
		if want := h.lasted(&h.operations[w.Operation]); w.Lasted != want {
			broken(h.Last.At, "operation %d is said to have waited %v; it was to wait %v", w.Operation, w.Lasted, want)
		}
	}
}

// lasted is how long the party's waits lasted, up to the end of sending.
func (h *history) lasted(p *party) (d time.Duration) {
	for _, w := range p.waits {
		d += max(0, min(w.to, h.stoppedAt()).Sub(w.from))
	}
	return d
}

// ADR-0042 §3: "One sent before the wait it belongs to was over had not heard of that wait. Its refusal begins no wait
// and doubles nothing".
func (h *history) hearsLate(broken broken) {
	if h.Last == nil {
		return
	}
	told := make([]messages.Waited, len(h.operations))
	for _, w := range h.Last.Waits {
		told[w.Operation] = w
	}
	for i := range h.operations {
		if want := len(h.operations[i].waits); told[i].Times != want {
			broken(h.Last.At, "operation %d was told to wait %d times; by what was sent and heard it was %d times", i, told[i].Times, want)
		}
		if want := stated(&h.operations[i]); told[i].Stated != want {
			broken(h.Last.At, "%d waits of operation %d are said to be stated; %d were", told[i].Stated, i, want)
		}
	}
}

func stated(p *party) (n int) {
	for _, w := range p.waits {
		if w.stated {
			n++
		}
	}
	return n
}

// ADR-0042 §1: "A reply of 429, with or without Retry-After. A reply of 503 that carries a Retry-After the run can read …
// A reply whose body broke off counts the same, since its headers came with its status line."
func (h *history) reads(broken broken) {
	told := map[int64]bool{}
	for _, e := range h.Events {
		q := h.requests[e.Seq]
		if e.Kind != Heard || len(q.writes) == 0 {
			continue
		}
		var said *write
		for _, w := range q.writes {
			if w.At <= e.Sent {
				said = w
			}
		}
		if said == nil || e.Sent != said.At {
			broken(e.At, "#%d is said to have been sent at %v", e.Seq, time.Duration(e.Sent))
			continue
		}
		asks := said.Asks && e.Outcome != messages.NoReply && e.Outcome != messages.NeverSent
		length := said.Wait
		if said.Until != 0 {
			length = max(0, said.Until.Sub(e.Moment))
		}
		switch {
		case e.Asks != asks || asks && e.Stated != said.Stated:
			broken(e.At, "#%d is read as asking to wait: %v, stated: %v; it is %v and %v", e.Seq, e.Asks, e.Stated, asks, said.Stated)
		case asks && said.Stated && e.Wait != length:
			broken(e.At, "#%d is read as asking to wait for %v; it means %v", e.Seq, e.Wait, length)
		case asks && !e.Told && e.At != e.Moment:
			broken(e.At, "the refusal of #%d came at %v and is heard only now", e.Seq, time.Duration(e.Moment))
		case asks && e.Told != told[e.Seq]:
			broken(e.At, "the refusal of #%d was heard before: %v; by what is told: %v", e.Seq, told[e.Seq], e.Told)
		}
		told[e.Seq] = told[e.Seq] || asks && !e.Told
	}
}

// "After a wait an operation is tried by one request until that one is answered; unanswered or unsent, by one again." A
// request that was built before a wait of no time is not of the trial.
func (h *history) trial(broken broken) {
	under := make([]map[int64]bool, len(h.operations)) // the requests of a trial; nil without one
	begun := map[int]bool{}
	for i := range h.operations {
		for _, w := range h.operations[i].waits {
			begun[w.place] = true
		}
	}
	built := map[int64]int{}
	since := make([]int, len(h.operations))
	for i, e := range h.Events {
		op := e.Operation
		if begun[i] {
			under[op], since[op] = map[int64]bool{}, i
		}
		switch {
		case e.Kind == Offered:
			built[e.Seq] = i
		case e.Kind == Heard && e.Final:
			delete(under[op], e.Seq)
			answered := e.Outcome == messages.Answered || e.Outcome == messages.BrokeOff
			if answered && !e.Asks && e.Sent >= h.operations[op].endsBy(i) && i < h.stopped {
				under[op] = nil
			}
		case e.Kind == Written && !e.Hop && under[op] != nil && built[e.Seq] > since[op]:
			if len(under[op]) > 0 {
				broken(e.At, "operation %d is on trial by one request, and #%d is another", op, e.Seq)
			}
			under[op][e.Seq] = true
		}
	}
}

// ADR-0042 §2: "nothing reaches the API after the run's time is up"; ADR-0043 §4: "nothing the rate held back reaches
// the API after the run's time is up". What is in flight comes home within its grace.
func (h *history) within(broken broken) {
	for _, w := range h.writes {
		if w.At >= h.deadline || w.place > h.stopped {
			broken(w.At, "#%d goes after the end of sending", w.Seq)
		}
	}
	l := h.Last
	if l == nil {
		broken(h.deadline, "the pacer never said that the run is over: %s", h.Result.Sentence)
		return
	}
	if l.End == messages.HeldToTheEnd && !h.toTheEnd() {
		broken(l.StoppedAt, "the run ends as held to its end, and the API has not asked for that")
	}
	if l.StoppedAt != h.stoppedAt() {
		broken(l.StoppedAt, "sending is said to have ended now; it was to end at %v", time.Duration(h.stoppedAt()))
	}
	home := h.homeBy()
	if l.At > home {
		broken(l.At, "the run is over only now, and was to be at %v", time.Duration(home))
	}
}

// homeBy is when the run is to be over: the grace is a person's who asked for the end, or the run's own; one who asks once
// more gives none.
func (h *history) homeBy() clock.Instant {
	if h.stopped == len(h.Events) {
		return h.deadline
	}
	grace := h.Scenario.Settings.Schedule.StragglerGrace
	if h.Events[h.stopped].Kind == Stopped {
		grace = h.Scenario.Settings.Schedule.InterruptGrace
	}
	home := h.stoppedAt().Add(grace)
	for _, e := range h.Events[h.stopped+1:] {
		if e.Kind == Stopped {
			home = min(home, e.At)
		}
	}
	return home
}

// Decision 0003: "Nothing is sent twice"; 0001: "what a message points to is never changed once it has been told". So a
// request that was built ends once, and is judged as it was built.
func (h *history) conserves(broken broken) {
	for _, q := range h.requests {
		kept, learned := q.offered-q.returned, q.learned
		if h.Last != nil && q.judgedAt == h.Last.At && learned == 0 {
			learned = kept // live, a run can be over before the generator has heard of the last ones
		}
		switch {
		case kept != q.exchanged || kept != learned:
			broken(h.deadline, "#%d was built %d times, handed back %d times, ended %d times and was learned of %d times", q.seq, q.offered, q.returned, q.exchanged, q.learned)
		case kept > 0 && (q.outcome == messages.NeverSent) != (len(q.writes) == 0):
			broken(h.deadline, "#%d was written %d times, and is said to have ended as %d", q.seq, len(q.writes), q.outcome)
		}
		for i, w := range q.writes {
			if w.Hop != (i > 0) {
				broken(w.At, "#%d is sent again without a redirect", q.seq)
			}
		}
	}
	h.givenAway(broken)
}

func (h *history) givenAway(broken broken) {
	came := map[int]uint64{}      // by slot
	offered := map[int64]uint64{} // by number: that of a request handed back is given again
	for _, e := range h.Events {
		switch {
		case e.Kind == Came:
			came[e.Slot] = e.Reply
		case e.Kind == Offered:
			offered[e.Seq] = e.Request
		case e.Seq > 0 && e.Request != offered[e.Seq]:
			broken(e.At, "#%d is another request than the one that was built (%v)", e.Seq, e.Kind)
		case e.Kind == Judged && e.Slot >= 0 && e.Reply != 0 && e.Reply != came[e.Slot]:
			broken(e.At, "the reply to #%d is another than the one that came", e.Seq)
		}
	}
}

// "Between engine.minConcurrency and engine.maxConcurrency, starting at engine.initialConcurrency … A time-out or a reset
// halves the window … It widens by one after twice as many ordinary answers as it is wide … A hold of the whole API starts
// again from the fewest. At most half of the slots wait on one operation, where there are several, and one of whose
// requests has waited for a second is given no more. If everything under way has waited for a second, and that is no more
// than half of the slots, another operation may have one slot more".
func (h *history) bounded(broken broken) {
	w := newWidths(h)
	out := map[int]*Event{} // by slot
	// Slots whose request waits for nobody but us, for its redirect's turn, and since when; who goes at that very moment may
	// have been let go before it.
	ours := map[int]clock.Instant{}
	wanted, slots := clock.Instant(0), h.Scenario.Settings.Engine.MaxConcurrency
	for i := range h.Events {
		e := &h.Events[i]
		w.event(i, e)
		switch {
		case e.Kind == Wanted:
			wanted = e.At
		case e.Kind == Freed, e.Recalled:
			delete(out, e.Slot)
			delete(ours, e.Slot)
		case e.Kind == Again:
			ours[e.Slot] = e.At
		case e.Kind == Departed:
			delete(ours, e.Slot)
		case e.Kind == Going && !e.Hop:
			if out[e.Slot] != nil || e.Slot >= slots {
				broken(e.At, "slot %d is given #%d and carries another", e.Slot, e.Seq)
			}
			same, hang, sameHang := 0, 0, 0
			for _, o := range out {
				since, isOurs := ours[o.Slot]
				if (!isOurs || since == e.At) && h.waited(o.Seq, i, e.At) {
					hang++
				}
				if o.Operation == e.Operation {
					same++
					if !isOurs && h.waited(o.Seq, i, wanted) {
						sameHang++
					}
				}
			}
			if n := len(out); n >= w.room && (hang < n || n > slots/2) {
				broken(e.At, "#%d goes with %d under way, in a window of %d at most", e.Seq, n, w.room)
			}
			if half := max(1, w.room/2); len(h.testable) > 1 && (same >= half || sameHang > 0) {
				broken(e.At, "#%d goes with %d of operation %d under way, in a window of %d at most", e.Seq, same, e.Operation, w.room)
			}
			out[e.Slot] = e
		}
	}
}

// waited says whether a request that is under way at the event in that place has waited for a second at the moment now.
func (h *history) waited(seq int64, place int, now clock.Instant) bool {
	sent := clock.Never
	for _, w := range h.requests[seq].writes {
		if w.place < place {
			sent = w.At
		}
	}
	return sent.Add(time.Second) <= now
}

// widths are two bounds of the window: it widens only where a request lacked a slot, which a trace does not show.
type widths struct {
	h *history
	// most and least are the bounds; room is the largest that most was since the request that goes now was asked for.
	most, least, room int
	answers           int
	narrowed, now     clock.Instant
	instant           int // the largest that most was in this instant
	held              int
}

func newWidths(h *history) *widths {
	n := h.Scenario.Settings.Engine.InitialConcurrency
	return &widths{h: h, most: n, least: n, room: n, instant: n, narrowed: -1}
}

func (w *widths) event(place int, e *Event) {
	engine := &w.h.Scenario.Settings.Engine
	if e.At > w.now {
		w.now, w.instant = e.At, w.most
	}
	for w.held < len(w.h.api.waits) && w.h.api.waits[w.held].place <= place {
		w.held++
		w.most, w.least, w.answers, w.narrowed = engine.MinConcurrency, engine.MinConcurrency, 0, e.At
	}
	switch {
	case e.Kind == Wanted:
		w.room = w.instant
	case e.Kind != Heard || !e.Final:
	case e.Overloaded && e.Sent >= w.narrowed:
		w.most, w.least = max(w.most/2, engine.MinConcurrency), max(w.least/2, engine.MinConcurrency)
		w.answers, w.narrowed = 0, e.At
	case e.Overloaded:
	case (e.Outcome == messages.Answered || e.Outcome == messages.BrokeOff) && !e.Asks:
		if w.answers++; w.answers >= 2*w.most {
			w.most, w.answers = min(w.most+1, engine.MaxConcurrency), 0
		}
	}
	w.instant = max(w.instant, w.most)
	w.room = max(w.room, w.instant)
}

// Decision 0001: a request is asked for "when one could go", and 0043 §3: "built when it can go". A pacer that never sends
// keeps every other law; this one has what can go leave at that moment, and at the moment it was given.
func (h *history) goesOn(broken broken) {
	s := progress{h: h, widths: newWidths(h), free: map[int]bool{}, refusedAt: -1 << 62, given: map[int]clock.Instant{}, carries: map[int]int{}, sent: map[int]clock.Instant{}}
	s.holds, s.held = make([]int, len(h.operations)), make([]int, len(h.operations))
	s.hung, s.arrived = make([]clock.Instant, len(h.operations)), make([]clock.Instant, len(h.operations))
	s.own = make([]clock.Instant, len(h.operations))
	s.letGo, s.inHand = make([]int, len(h.operations)), make([]int, len(h.operations))
	if h.Scenario.Fetched {
		s.turn = clock.Instant(h.interval())
	}
	for i := range h.Events[:h.stopped] {
		e := &h.Events[i]
		s.event(i, e)
		for op := range h.operations {
			if e.Kind == Wanted && e.Busy&(1<<op) != 0 && !s.busy(op, i) {
				broken(e.At, "operation %d is passed over as busy, with at most %d of it under way", op, s.held[op])
			}
		}
		if e.Kind == Written && e.At != s.given[e.Slot] {
			broken(e.At, "#%d goes now, and was to go at %v", e.Seq, time.Duration(s.given[e.Slot]))
		}
		next := h.stoppedAt()
		if i+1 < len(h.Events) {
			next = min(next, h.Events[i+1].At)
		}
		if next == e.At {
			continue
		}
		if due := s.due(i, e.At); due < next {
			broken(due, "something could go, and nothing happens until %v", time.Duration(next))
		}
		if n := s.open(); n < s.connections() && next > max(e.At, s.refusedAt.Add(time.Second), h.quiet(i+1)) {
			broken(e.At, "%d connections are open, and no more are opened until %v", n, time.Duration(next))
		}
	}
}

// progress is what there is to go with.
type progress struct {
	h      *history
	widths *widths
	// free are the slots with an open connection and no request.
	free          map[int]bool
	given         map[int]clock.Instant // the turn of a slot's Going,
	carries       map[int]int           // its operation,
	sent          map[int]clock.Instant // and when its request was written
	out, leaving  int
	opening       int
	hops          []*Event
	turn, nothing clock.Instant
	resting       uint64
	// failing is true from a connection that could not be opened, at refusedAt, to one that could.
	failing   bool
	refusedAt clock.Instant
	// holds counts the requests of each operation that are in hand or under way, held is the most of them in this instant.
	holds, held []int
	// hung is when each operation last got a slot back from a request that had waited for a second.
	hung []clock.Instant
	// own are the turns of the operations that have rates of their own, letGo how many of their requests were let go and
	// have not departed, inHand how many were offered and have not, and arrived when the last of them departed.
	own, arrived  []clock.Instant
	letGo, inHand []int
	now           clock.Instant
}

func (s *progress) hold(operation, more int) {
	s.holds[operation] += more
	s.held[operation] = max(s.held[operation], s.holds[operation])
}

// waited says whether the slot's request has waited for a second.
func (s *progress) waited(slot int) bool {
	sent, under := s.sent[slot]
	return under && sent.Add(time.Second) <= s.now
}

// ownTurn is when an operation's own rate lets it go, which is not known while one of its requests is leaving.
func (s *progress) ownTurn(operation int) clock.Instant {
	switch {
	case s.h.own[operation] == 0:
		return 0
	case s.letGo[operation] > 0:
		return clock.Never
	}
	return s.own[operation]
}

// keptByOwn says whether the operation's own rate may keep it now: a request of it is about to go or has just gone, or its
// turn has not come.
func (s *progress) keptByOwn(operation int) bool {
	return s.inHand[operation] > 0 || s.arrived[operation] == s.now || s.ownTurn(operation) > s.now ||
		slices.ContainsFunc(s.hops, func(o *Event) bool { return o.Operation == operation })
}

// few is the moment up to which what the operation said last, or since the beginning of this instant, keeps it from having
// one more request under way; 0 if nothing does.
func (s *progress) few(operation, place int, sinceNow bool) clock.Instant {
	said, held := s.h.operations[operation].said, s.holds[operation]
	if sinceNow {
		held = s.held[operation]
	}
	for i := len(said) - 1; i >= 0; i-- {
		o := &said[i]
		switch {
		case o.place > place:
			continue
		case o.left > 0 && o.until > s.now && int64(held) >= o.left:
			return o.until
		case !sinceNow || s.h.Events[o.place].At < s.now:
			return 0
		}
	}
	return 0
}

// busy says whether an operation may be passed over: it has its half of the slots, has waited a second for one of its
// requests, is on trial by one request, is kept by its own rate, or has as many under way as it said are left.
func (s *progress) busy(operation, place int) bool {
	if s.few(operation, place, true) > 0 || s.h.own[operation] > 0 && s.keptByOwn(operation) {
		return true
	}
	for slot, carried := range s.carries {
		if carried == operation && s.waited(slot) {
			return true
		}
	}
	if s.hung[operation] == s.now {
		return true
	}
	if len(s.h.operations[operation].waits) > 0 {
		return s.held[operation] > 0
	}
	return s.held[operation] >= max(1, s.widths.least/2)
}

// open counts the connections that are open or being opened; connections is how many there are to be at least.
func (s *progress) open() int { return len(s.free) + s.out + s.opening }

func (s *progress) connections() int {
	if s.failing {
		return 1
	}
	return s.widths.least
}

func (s *progress) event(place int, e *Event) {
	s.widths.event(place, e)
	if e.At > s.now {
		s.now = e.At
		copy(s.held, s.holds)
	}
	switch e.Kind {
	case Opening:
		s.opening++
	case Opened:
		s.free[e.Slot] = true
		s.opening--
		s.failing, s.refusedAt = false, -1<<62
	case NotOpened:
		s.opening--
		s.failing, s.refusedAt = true, e.At
	case Going:
		s.given[e.Slot] = e.Moment
		s.leaving++
		s.letGo[e.Operation]++
		if e.Hop {
			s.unhop(e.Slot)
			return
		}
		delete(s.free, e.Slot)
		s.out++
		s.carries[e.Slot] = e.Operation
	case Departed:
		s.leaving--
		s.letGo[e.Operation]--
		s.arrived[e.Operation] = e.At
		if !e.Hop && !e.Recalled { // one that was recalled is in hand again
			s.inHand[e.Operation]--
		}
		if e.Recalled {
			s.out--
			s.free[e.Slot] = true
		}
		if s.h.own[e.Operation] > 0 {
			s.nothing = min(s.nothing, max(e.At, s.ownTurn(e.Operation)))
		}
	case Dropped:
		s.hold(e.Operation, -1)
		s.inHand[e.Operation]--
	case Again:
		s.hops = append(s.hops, e)
	case Freed:
		s.nothing = 0
		if e.Slot < 0 {
			return
		}
		s.out--
		s.unhop(e.Slot)
		s.hold(s.carries[e.Slot], -1)
		if s.waited(e.Slot) {
			s.hung[s.carries[e.Slot]] = s.now
		}
		delete(s.sent, e.Slot)
		if e.Open {
			s.free[e.Slot] = true
		}
	case Written:
		s.sent[e.Slot] = e.At
		s.own[e.Operation] = e.Moment.Add(interval(time.Minute, s.h.own[e.Operation]))
		s.turn = e.Moment.Add(s.h.interval())
		if s.h.rate == 0 {
			s.turn = 0
		}
	case Wanted:
		s.resting = e.Resting
	case Offered:
		s.hold(e.Operation, 1)
		s.inHand[e.Operation]++
		s.nothing = 0
	case Returned:
		s.hold(e.Operation, -1)
		s.inHand[e.Operation]--
	case Nothing:
		s.nothing = e.Moment
		for i := range s.h.operations {
			if s.resting&(1<<i) != 0 {
				s.nothing = min(s.nothing, max(e.At, s.h.operations[i].restsUntil(place+1)))
			}
			until := s.ownTurn(i)
			if onTrial := len(s.h.operations[i].waits) > 0 && s.held[i] > 0; !onTrial {
				until = max(until, s.few(i, place, false))
			}
			if until > e.At {
				s.nothing = min(s.nothing, until)
			}
		}
	}
}

// unhop forgets the slot's redirect: it goes, or is not followed.
func (s *progress) unhop(slot int) {
	s.hops = slices.DeleteFunc(s.hops, func(o *Event) bool { return o.Slot == slot })
}

// due is the first moment at which something may go, if nothing happens meanwhile.
func (s *progress) due(place int, now clock.Instant) clock.Instant {
	if s.leaving > 0 && s.h.rate > 0 {
		return clock.Never
	}
	turn := max(now, s.turn, s.h.api.restsUntil(place+1))
	due := clock.Never
	if len(s.free) > 0 && s.out < s.widths.least {
		due = max(turn, s.nothing)
	}
	for _, hop := range s.hops {
		if s.out-len(s.hops) < s.widths.least {
			due = min(due, max(turn, s.ownTurn(hop.Operation)))
		}
	}
	return due
}

// ADR-0042 §6: "Lengths are counted up to the moment the run stopped sending"; ADR-0043 §5: "the time with nothing in flight
// after a request went out and before the next was allowed to … The two parts can overlap, by at most one turn for
// each time the run sits out the API's asking."
func (h *history) accounts(broken broken) {
	l := h.Last
	if l == nil {
		return
	}
	same := func(what string, got, want any) {
		if got != want {
			broken(l.At, "%s: %v is said, and it is %v", what, got, want)
		}
	}
	never, built := int64(0), int64(0)
	for _, q := range h.requests {
		built += int64(q.offered - q.returned)
		if q.exchanged > 0 && q.outcome == messages.NeverSent {
			never++
		}
	}
	same("requests sent", l.Sent, int64(len(h.writes)))
	same("requests never sent", l.Dropped, never)
	same("requests in flight at the end", l.InFlight, 0)
	same("waiting when told to", l.Waiting, h.Scenario.Settings.Schedule.WaitWhenToldTo)
	same("the interval", l.Interval, h.interval())
	same("the most in flight", l.PeakInFlight, h.peak())
	for _, w := range l.Waits {
		same(fmt.Sprintf("turns of operation %d skipped", w.Operation), w.Skipped, h.operations[w.Operation].skipped)
	}
	same("holds stated", l.WholeAPI.Stated, stated(&h.api))
	apart := h.apart()
	if apart {
		same("the shortest gap", l.ShortestGap, shortestGap(h.writes))
	}
	same("obeying what is said is left", l.Foreseeing, h.Scenario.Settings.Schedule.StayInsideQuota)
	h.accountsOfRates(same)
	due, used := int64(0), int64(0)
	if len(h.writes) > 0 {
		first := h.writes[0].At
		if apart {
			same("the first write", l.FirstSentAt, first)
		}
		same("the last write", l.LastSentAt, h.writes[len(h.writes)-1].At)
		for turn := first; h.rate > 0 && turn < max(l.StoppedAt, l.LastSentAt+1); turn = turn.Add(h.interval()) {
			due++
		}
		if h.rate > 0 {
			used = int64(len(h.writes))
		}
	}
	same("turns due", l.TurnsDue, due)
	same("turns used", l.TurnsUsed, used)
	if idle, asked, rate := h.idle(l.StoppedAt); apart {
		same("idle time", l.Idle, idle)
		same("idle time asked for", l.IdleAsked, asked)
		same("idle time kept to the rate", l.IdleRate, rate)
	}
	waits := len(h.api.waits) + len(h.api.foreseen.waits)
	for i := range h.operations {
		waits += len(h.operations[i].waits) + len(h.operations[i].foreseen.waits)
	}
	if over := l.IdleAsked + l.IdleRate - l.Idle; over > time.Duration(waits)*h.interval() {
		broken(l.At, "the parts of the idle time overlap by %v in %d waits", over, waits)
	}
}

// accountsOfRates are those of the operations that have rates of their own.
func (h *history) accountsOfRates(same func(what string, got, want any)) {
	writes := make([][]*write, len(h.operations))
	for _, w := range h.writes {
		writes[w.Operation] = append(writes[w.Operation], w)
	}
	var want []messages.OperationRate
	for i, rate := range h.own {
		if rate > 0 {
			want = append(want, messages.OperationRate{Operation: i, Interval: interval(time.Minute, rate), ShortestGap: shortestGap(writes[i])})
		}
	}
	same("the operations' own rates", fmt.Sprint(h.Last.Rates), fmt.Sprint(want))
}

// shortestGap is the least time from one write to the next, negative with fewer than two.
func shortestGap(writes []*write) time.Duration {
	least := time.Duration(-1)
	for i := 1; i < len(writes); i++ {
		if gap := writes[i].At.Sub(writes[i-1].At); i == 1 || gap < least {
			least = gap
		}
	}
	return least
}

// apart says whether each write ended before the next began. Without a rate they may overlap, and the pacer is told of
// each when it has ended: it then knows the order and the gaps only roughly.
func (h *history) apart() bool {
	for i := 1; i < len(h.writes); i++ {
		if h.writes[i].At < h.writes[i-1].Moment {
			return false
		}
	}
	return true
}

// peak is the most requests that were on the wire at once.
func (h *history) peak() (most int) {
	on := map[int]bool{} // by slot
	for _, e := range h.Events {
		switch {
		case e.Kind == Departed && !e.Unsent:
			on[e.Slot] = true
		case e.Kind == Again, e.Kind == Heard && e.Final:
			delete(on, e.Slot)
		}
		most = max(most, len(on))
	}
	return most
}

// idle is the time with nothing in flight up to that moment, the part of it in which the API asked for quiet, and the
// part in which the rate let nothing go.
func (h *history) idle(upTo clock.Instant) (all, asked, rate time.Duration) {
	since, turn := clock.Instant(0), clock.Instant(0)
	if h.Scenario.Fetched {
		turn = clock.Instant(h.interval())
	}
	add := func(at clock.Instant, place int) {
		part := func(end clock.Instant) time.Duration { return max(0, min(at, end, upTo).Sub(since)) }
		all += part(at)
		asked += part(h.quiet(place))
		rate += part(turn)
	}
	for _, w := range h.writes {
		add(w.At, w.place)
		if h.rate > 0 {
			turn = w.Moment.Add(h.interval())
		}
		since = max(since, w.ended)
	}
	add(upTo, len(h.Events))
	return all, asked, rate
}
