package pacer

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

func TestAnOperationThatSaysNothingIsLeftIsNotAskedUntilItsMoment(t *testing.T) {
	w := newWorld(2, nil, 5*time.Second, 0)
	first := true
	w.answer = func(r *messages.Request, _ clock.Instant) answer {
		if r.Operation == 1 && first {
			first = false
			return answer{after: time.Millisecond, quota: true, more: 2 * time.Second}
		}
		return answer{after: time.Millisecond}
	}
	w.run(nil)
	if n := w.sentBetween(1, 10*time.Millisecond, 2*time.Second); n != 0 {
		t.Errorf("%d requests to an operation that had said it", n)
	}
	if n := w.sentBetween(0, 10*time.Millisecond, 2*time.Second); n < 500 {
		t.Errorf("%d requests to the other", n)
	}
	if n := w.sentBetween(1, 2001*time.Millisecond, 2002*time.Millisecond); n == 0 {
		t.Error("it is not asked when the moment has come")
	}
	got := w.last.Foreseen
	if len(got) != 1 || got[0].Times != 1 || got[0].Lasted != 2*time.Second || got[0].Skipped == 0 || len(w.last.Waits) != 0 || w.last.WholeAPIForeseen.Times != 0 {
		t.Errorf("reported as %+v, with waits told %+v", got, w.last.Waits)
	}
}

func TestASecondOperationThatSaysItSpeaksForTheWholeAPI(t *testing.T) {
	w := newWorld(3, nil, 5*time.Second, 0)
	said := map[int]bool{}
	w.answer = func(r *messages.Request, _ clock.Instant) answer {
		if r.Operation < 2 && !said[r.Operation] {
			said[r.Operation] = true
			return answer{after: time.Duration(1+r.Operation) * time.Millisecond, quota: true, more: time.Second}
		}
		return answer{after: time.Millisecond}
	}
	w.run(nil)
	if n := w.sentBetween(-1, 2*time.Millisecond+1, 1002*time.Millisecond); n != 0 {
		t.Errorf("%d requests while nothing was left", n)
	}
	if got := w.last.WholeAPIForeseen; got.Times != 1 || got.Lasted != time.Second {
		t.Errorf("the hold is reported as %+v", got)
	}
	if w.last.IdleAsked != time.Second {
		t.Errorf("%v of the idle time was asked for", w.last.IdleAsked)
	}
	if n := w.sentBetween(-1, 1002*time.Millisecond, 1002*time.Millisecond+1); n < 2 {
		t.Errorf("%d requests at its end: a foreseen hold is no sign of trouble", n)
	}
}

func TestNoMoreAreUnderWayThanAreLeft(t *testing.T) {
	w := newWorld(2, nil, 3*time.Second, 0)
	underWay, most := 0, 0
	w.answer = func(r *messages.Request, at clock.Instant) answer {
		a := answer{after: 5 * time.Millisecond}
		if r.Operation == 1 {
			if underWay++; at > clock.Instant(100*time.Millisecond) {
				most = max(most, underWay)
			}
			w.clk.At(w.clk.Now().Add(a.after), func() { underWay-- })
			a.quota, a.left, a.more = true, 1, time.Hour
		}
		return a
	}
	w.run(nil)
	if most != 1 {
		t.Errorf("%d were under way with one left", most)
	}
	if n := w.sentBetween(1, 0, 3*time.Second); n < 300 {
		t.Errorf("%d were sent, one after the other", n)
	}
}

// At 600 a minute, and let go a millisecond early: the reply to the first request comes when the third has been let go
// and has not gone.
func TestWhatWasLetGoIsTakenBackWhenFewerAreLeft(t *testing.T) {
	for name, row := range map[string]struct {
		left int64
		want []time.Duration
	}{
		"one is left, and one is under way": {1, []time.Duration{0, 100 * time.Millisecond, 400 * time.Millisecond}},
		"two are left":                      {2, []time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(1, func(s *settings.Settings) {
				s.Engine.LimitTheRate, s.Engine.MostRequestsPerMinute = true, 600
			}, 450*time.Millisecond, time.Millisecond)
			w.answer = func(r *messages.Request, _ clock.Instant) answer {
				if r.Seq == 1 {
					return answer{after: 199_500 * time.Microsecond, quota: true, left: row.left, more: time.Hour}
				}
				return answer{after: 300 * time.Millisecond}
			}
			w.run(nil)
			var got []time.Duration
			for _, s := range w.sends {
				got = append(got, time.Duration(s.at))
			}
			if !slices.Equal(got[:3], row.want) {
				t.Errorf("requests go at %v", got)
			}
		})
	}
}

func TestOfWhatWasLetGoTheLatestAreTakenBack(t *testing.T) {
	var recalled []int
	p := New(Config{
		Operations: 2, Testable: []int{0, 1}, Settings: settings.Default(), Deadline: clock.Instant(time.Hour), LastWrite: -1,
	}, clock.NewFake(time.Time{}), Neighbours{
		Generator: func(messages.ToGenerator) {},
		Sender: func(m messages.ToSender) {
			if m, is := m.(messages.Recall); is {
				recalled = append(recalled, m.Slot)
			}
		},
		Self: func(messages.ToPacer) {},
	})
	request := func(seq int64, operation int) *messages.Request {
		return &messages.Request{Seq: seq, Operation: operation}
	}
	p.slots = []slot{
		{state: flying, request: request(1, 0)}, // has just been answered
		{state: going, request: request(7, 0)},
		{state: flying, request: request(2, 0), written: true},
		{state: going, request: request(8, 1)},
		{state: going, request: request(4, 0)},
		{state: going, request: request(6, 0)},
		{state: going, request: request(3, 0), written: true}, // a redirect leads it on
		{state: going, request: request(9, 0), recalled: true},
	}
	p.out, p.holding = 8, []int{7, 1}
	p.waits.operations[0].foreseen.say(0, 0, clock.Instant(time.Minute), 3)
	p.recallBeyondLeft(0, 0)
	if want := []int{1, 5}; !slices.Equal(recalled, want) {
		t.Errorf("slots %v are recalled, want %v: five under way, of which three were let go, and three left", recalled, want)
	}
	p.recallBeyondLeft(0, 0)
	if len(recalled) != 2 {
		t.Error("what has been recalled is recalled again")
	}
}

func TestWhatAnOperationSaidIsLeftCountsUntilItsMomentAlone(t *testing.T) {
	w := newWorld(1, nil, time.Second, 0)
	w.answer = func(r *messages.Request, _ clock.Instant) answer {
		if r.Seq <= 4 {
			return answer{after: time.Millisecond, quota: true, left: 1, more: 200 * time.Millisecond}
		}
		return answer{after: 800 * time.Millisecond}
	}
	w.run(nil)
	if n := w.sentBetween(0, 2*time.Millisecond, 201*time.Millisecond); n != 0 {
		t.Errorf("%d requests with one left and one under way", n)
	}
	if n := w.sentBetween(0, 201*time.Millisecond, 201*time.Millisecond+1); n != 3 {
		t.Errorf("%d requests when that is over, with room for three", n)
	}
}

func TestANothingLeftPastTheDeadlineForEverythingEndsTheRun(t *testing.T) {
	w := newWorld(1, nil, time.Minute, 0)
	w.answer = func(*messages.Request, clock.Instant) answer {
		return answer{after: time.Millisecond, quota: true, more: time.Hour}
	}
	w.run(nil)
	if w.last.End != messages.HeldToTheEnd || w.last.StoppedAt != clock.Instant(time.Millisecond) || w.last.Reason != "it asked for 1h0m0s, with 1m0s left" {
		t.Errorf("ended by %v at %v: %s", w.last.End, time.Duration(w.last.StoppedAt), w.last.Reason)
	}
}

func TestAHoldPastTheDeadlineEndsTheRunThoughAnotherOperationSaidNothing(t *testing.T) {
	w := newWorld(3, nil, time.Minute, 0)
	w.answer = func(r *messages.Request, _ clock.Instant) answer {
		return answer{after: time.Millisecond, quota: r.Operation < 2, more: time.Hour}
	}
	w.run(nil)
	if w.last.End != messages.HeldToTheEnd || w.last.StoppedAt != clock.Instant(time.Millisecond) {
		t.Errorf("ended by %v at %v", w.last.End, time.Duration(w.last.StoppedAt))
	}
}

func TestWithTheSwitchOffWhatIsSaidOfAQuotaChangesNothing(t *testing.T) {
	w := newWorld(2, func(s *settings.Settings) { s.Schedule.StayInsideQuota = false }, time.Second, 0)
	w.answer = func(*messages.Request, clock.Instant) answer {
		return answer{after: time.Millisecond, quota: true, more: time.Hour}
	}
	w.run(nil)
	if len(w.sends) < 1000 || w.last.Foreseeing || len(w.last.Foreseen) > 0 {
		t.Errorf("%d requests, reported as %+v", len(w.sends), w.last.Foreseen)
	}
}

func TestARefusedPasswordRestsItsOperationAlone(t *testing.T) {
	w := newWorld(3, nil, 5*time.Second, 0)
	refused := map[int]bool{}
	w.answer = func(r *messages.Request, at clock.Instant) answer {
		// The sign-in, 0, is refused first, then 1, while the sign-in rests; 0 is refused again while 1 rests.
		if !refused[r.Operation] && r.Operation < 2 {
			refused[r.Operation] = true
			return answer{
				after: time.Duration(1+r.Operation) * time.Millisecond, refuses: true, stated: true,
				wait: time.Duration(1+r.Operation) * time.Second, alone: r.Operation == 0,
			}
		}
		if r.Operation == 0 && at < clock.Instant(1100*time.Millisecond) {
			return answer{after: time.Millisecond, refuses: true, stated: true, wait: time.Second, alone: true}
		}
		return answer{after: time.Millisecond}
	}
	w.run(nil)
	if w.last.WholeAPI.Times != 0 {
		t.Errorf("the whole API was held: %+v", w.last.WholeAPI)
	}
	if n := w.sentBetween(0, 10*time.Millisecond, time.Second); n != 0 {
		t.Errorf("%d requests to the sign-in while it rested", n)
	}
	if n := w.sentBetween(2, 10*time.Millisecond, 2*time.Second); n < 1000 {
		t.Errorf("%d requests to the third operation", n)
	}
}

func TestAnOperationsOwnRateIsKeptWithinTheRuns(t *testing.T) {
	for _, perMinute := range []int64{0, 600} {
		w := newWorld(3, func(s *settings.Settings) {
			s.Engine.LimitTheRate, s.Engine.MostRequestsPerMinute = perMinute > 0, max(1, perMinute)
		}, 10*time.Second, 0, 0, time.Second)
		w.run(nil)
		if n := w.sentBetween(1, 0, 10*time.Second); n < 9 || n > 10 {
			t.Errorf("at %d a minute %d requests to an operation with one a second", perMinute, n)
		}
		if n := w.sentBetween(0, 0, 10*time.Second); n < 40 {
			t.Errorf("at %d a minute %d requests to another", perMinute, n)
		}
		if got := w.last.Rates; len(got) != 1 || got[0].Operation != 1 || got[0].Interval != time.Second || got[0].ShortestGap < time.Second {
			t.Errorf("reported as %+v", got)
		}
	}
}

func TestAnOperationWithARateOfItsOwnIsAskedAtItsTurnThoughItIsTheOnlyOne(t *testing.T) {
	w := newWorld(1, nil, 5500*time.Millisecond, 0, time.Second)
	w.run(nil)
	for i, s := range w.sends {
		if want := clock.Instant(i) * clock.Instant(time.Second); s.at != want {
			t.Fatalf("request %d goes at %v", i+1, time.Duration(s.at))
		}
	}
	if len(w.sends) != 6 {
		t.Errorf("%d requests", len(w.sends))
	}
}

// foresight is decision 0012 read once more, from its text alone.
type foresight struct {
	deadline clock.Instant
	end      []clock.Instant
	apiEnd   clock.Instant
	times    []int
	begun    []clock.Instant
	lasted   []time.Duration // of the waits before the last
	held     int
	rests    []stretch
}

// stretch is a time in which an operation, or with -1 every one, is not asked.
type stretch struct {
	operation int
	from, to  clock.Instant
}

func (f *foresight) hear(h heard) {
	if h.answer.noReply || !h.answer.quota || h.answer.left > 0 || h.answer.more == 0 {
		return
	}
	until := max(h.at, f.deadline)
	if h.answer.more < time.Duration(f.deadline-h.at) {
		until = h.at + clock.Instant(h.answer.more)
	}
	if h.sentAt < f.end[h.operation] || h.sentAt < f.apiEnd {
		if f.end[h.operation] > h.at && until > f.end[h.operation] {
			f.rest(h.operation, h.at, until)
		}
		if f.apiEnd > h.at && until > f.apiEnd {
			f.hold(h.at, until)
		}
		return
	}
	another := false
	for i, end := range f.end {
		another = another || i != h.operation && end > h.at
	}
	f.times[h.operation]++
	f.lasted[h.operation] += f.end[h.operation].Sub(f.begun[h.operation])
	f.begun[h.operation] = h.at
	f.rest(h.operation, h.at, until)
	if another {
		f.held++
		f.hold(h.at, until)
	}
}

func (f *foresight) rest(operation int, from, to clock.Instant) {
	f.end[operation] = to
	f.rests = append(f.rests, stretch{operation, from, to})
}

func (f *foresight) hold(from, to clock.Instant) {
	f.apiEnd = to
	f.rests = append(f.rests, stretch{-1, from, to})
}

// TestQuotaLaws draws runs against APIs that say what is left, refuse, redirect and are kept to rates of their own, and
// judges them by the sentences of decisions 0012, 0042 and 0043.
func TestQuotaLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		operations := rapid.IntRange(1, 5).Draw(t, "operations")
		perMinute := rapid.SampledFrom([]int64{0, 600, 6000}).Draw(t, "rate")
		budget := rapid.SampledFrom([]time.Duration{time.Second, 5 * time.Second}).Draw(t, "budget")
		stays := rapid.IntRange(0, 9).Draw(t, "stays inside") > 0
		own := make([]time.Duration, operations)
		for i := range own {
			own[i] = rapid.SampledFrom([]time.Duration{0, 0, 10 * time.Millisecond, 200 * time.Millisecond, time.Minute}).Draw(t, "own")
		}
		w := newWorld(operations, func(s *settings.Settings) {
			s.Engine.LimitTheRate = perMinute > 0
			s.Engine.MostRequestsPerMinute = max(1, perMinute)
			s.Schedule.StayInsideQuota = stays
			s.Schedule.FirstGuessedWait = 300 * time.Millisecond
			s.Schedule.LongestGuessedWait = 2 * time.Second
		}, budget, rapid.SampledFrom([]time.Duration{0, time.Millisecond}).Draw(t, "lead"), own...)
		refusing := rapid.SampledFrom([]int{0, 0, 5, 30}).Draw(t, "refusals in a hundred")
		saying := rapid.SampledFrom([]int{0, 5, 50, 100}).Draw(t, "of a quota in a hundred")
		w.answer = func(*messages.Request, clock.Instant) answer {
			a := answer{after: time.Duration(rapid.IntRange(1, 40_000).Draw(t, "latency")) * time.Microsecond}
			a.redirects = rapid.IntRange(0, 9).Draw(t, "redirects") == 0
			if rapid.IntRange(0, 99).Draw(t, "refuses") < refusing {
				a.refuses = true
				a.stated, a.wait = rapid.Bool().Draw(t, "stated"), 500*time.Millisecond
				a.alone = rapid.IntRange(0, 2).Draw(t, "alone") == 0
			}
			if rapid.IntRange(0, 99).Draw(t, "says") < saying {
				a.quota = true
				a.left = rapid.Int64Range(0, 2).Draw(t, "left")
				a.more = rapid.SampledFrom([]time.Duration{0, time.Millisecond, 300 * time.Millisecond, time.Second, time.Hour, 1<<63 - 1}).Draw(t, "more")
			}
			return a
		}
		w.run(func() {
			if s := w.stuck(); s != "" {
				t.Fatal(s)
			}
		})
		judgeEndsOnce(t, w)
		judgeGaps(t, w, perMinute)
		judgeOwn(t, w, own)
		judgeForesight(t, w, stays, clock.Instant(budget))
		judgeWithin(t, w, clock.Instant(budget), -1)
	})
}

// "No two requests of such an operation leave closer together than a minute divided by it, counted as 0043 counts."
func judgeOwn(t *rapid.T, w *world, own []time.Duration) {
	last := make(map[int]send)
	for _, s := range w.sends {
		if before, sent := last[s.operation]; sent && own[s.operation] > 0 && s.at.Sub(before.written) < own[s.operation] {
			t.Fatalf("operation %d, with %v between its requests, is sent one at %v and at %v", s.operation, own[s.operation], time.Duration(before.written), time.Duration(s.at))
		}
		last[s.operation] = s
	}
}

func judgeGaps(t *rapid.T, w *world, perMinute int64) {
	for i := 1; i < len(w.sends) && perMinute > 0; i++ {
		if gap := w.sends[i].at - w.sends[i-1].written; int64(gap)*perMinute < int64(time.Minute) {
			t.Fatalf("requests %d and %d are %v apart at %d a minute", i, i+1, time.Duration(gap), perMinute)
		}
	}
}

// Each request ends exactly once, redirects or not.
func judgeEndsOnce(t *rapid.T, w *world) {
	for seq := range w.built {
		if w.ended[seq] != 1 {
			t.Fatalf("request %d ended %d times", seq, w.ended[seq])
		}
	}
	if w.last == nil || !w.last.Over || !w.closed || w.last.InFlight != 0 || w.last.Sent != int64(len(w.sends)) {
		t.Fatalf("the run ends as %+v, with %d sent", w.last, len(w.sends))
	}
}

func judgeForesight(t *rapid.T, w *world, stays bool, deadline clock.Instant) {
	if !stays {
		if len(w.last.Foreseen) > 0 || w.last.Foreseeing || w.last.WholeAPIForeseen.Times > 0 {
			t.Fatal("what is said of a quota is not to be obeyed, and a wait was foreseen")
		}
		return
	}
	f := &foresight{deadline: deadline, end: make([]clock.Instant, w.operations), times: make([]int, w.operations)}
	f.begun, f.lasted = make([]clock.Instant, w.operations), make([]time.Duration, w.operations)
	// What comes at the deadline begins nothing. Any other end comes of what was heard, and what else is heard at that very
	// moment may count or not.
	open := false
	for _, h := range w.heard {
		if h.at > w.last.StoppedAt || h.at >= deadline {
			break
		}
		open = h.at == w.last.StoppedAt
		f.hear(h)
	}
	for _, r := range f.rests {
		for _, s := range w.sends {
			if (r.operation < 0 || s.operation == r.operation) && s.at > r.from && s.at < r.to {
				t.Fatalf("operation %d (-1: all) is not to be asked from %v to %v, and is sent something at %v", r.operation, time.Duration(r.from), time.Duration(r.to), time.Duration(s.at))
			}
		}
	}
	if open {
		return
	}
	if w.last.WholeAPIForeseen.Times != f.held {
		t.Fatalf("the whole API was held %d times, by the decision %d", w.last.WholeAPIForeseen.Times, f.held)
	}
	times := make([]int, w.operations)
	for _, x := range w.last.Foreseen {
		times[x.Operation] = x.Times
		want := f.lasted[x.Operation] + max(0, min(f.end[x.Operation], w.last.StoppedAt).Sub(f.begun[x.Operation]))
		if x.Lasted != want {
			t.Fatalf("operation %d is said to have been left alone for %v, by the decision %v", x.Operation, x.Lasted, want)
		}
	}
	for i := range times {
		if times[i] != f.times[i] {
			t.Fatalf("operation %d was foreseen to wait %d times, by the decision %d", i, times[i], f.times[i])
		}
	}
	// "While an operation says that few are left until a moment, no more of its requests are under way than are left."
	// What it says takes back what has been let go; "what is on the wire by then follows": here what goes at that moment.
	left, until, said := make([]int64, w.operations), make([]clock.Instant, w.operations), make([]clock.Instant, w.operations)
	under, next := make([]int64, w.operations), 0
	for _, s := range w.sends {
		for ; next < len(w.heard) && w.heard[next].at < s.at; next++ {
			h := w.heard[next]
			under[h.operation]--
			if !h.answer.quota || h.answer.noReply {
				continue
			}
			// "Of replies to requests that were under way at once the fewest counts."
			n, to := h.answer.left, min(h.at.Add(h.answer.more), deadline)
			if h.sentAt < said[h.operation] && until[h.operation] > h.at {
				n, to = min(n, left[h.operation]), max(to, until[h.operation])
			}
			left[h.operation], until[h.operation], said[h.operation] = n, to, h.at
		}
		if s.hop {
			continue
		}
		if under[s.operation]++; until[s.operation] > s.at && left[s.operation] > 0 && under[s.operation] > left[s.operation] && !arrives(w, next, s.at) {
			t.Fatalf("operation %d has %d left until %v, and %d under way at %v", s.operation, left[s.operation], time.Duration(until[s.operation]), under[s.operation], time.Duration(s.at))
		}
	}
}

// arrives says whether an answer comes at the very moment of a write: the write may be on the wire when it is heard.
func arrives(w *world, next int, at clock.Instant) bool {
	return next < len(w.heard) && w.heard[next].at == at
}

// A request can be kept while something else of its operation happens: it is handed back then, as one never built.
func TestARequestThatWasKeptIsHandedBackIfItsTurnIsGone(t *testing.T) {
	first, second := &messages.Request{Seq: 1, Nth: 1}, &messages.Request{Seq: 2, Nth: 2}
	for name, arrange := range map[string]func(p *Pacer) (goes bool){
		"nothing happened":                          func(*Pacer) bool { return true },
		"a redirect of its operation took the turn": func(p *Pacer) bool { p.hops = []messages.Again{{Slot: 0, Request: first}}; return false },
		"its operation has said that one is left": func(p *Pacer) bool {
			p.waits.operations[0].foreseen.say(0, 0, clock.Instant(time.Minute), 1)
			return false
		},
	} {
		var told []messages.ToGenerator
		var goes []*messages.Request
		p := New(Config{
			Operations: 1, Testable: []int{0}, Settings: settings.Default(), Deadline: clock.Instant(time.Hour), LastWrite: -1,
			Own: []time.Duration{time.Second},
		}, clock.NewFake(time.Time{}), Neighbours{
			Generator: func(m messages.ToGenerator) { told = append(told, m) },
			Sender: func(m messages.ToSender) {
				if m, is := m.(messages.Go); is {
					goes = append(goes, m.Request)
				}
			},
			Self: func(messages.ToPacer) {},
		})
		p.slots[0], p.slots[1] = slot{state: asking, request: first}, slot{state: free}
		p.out, p.holding[0], p.offered = 1, 1, second
		want := arrange(p)
		p.proceed(0)
		went := len(goes) > 0 && goes[len(goes)-1] == second
		returned := len(told) > 0 && told[0] == messages.ToGenerator(messages.Returned{Request: second})
		if went != want || returned == want {
			t.Errorf("%s: it goes: %v, it is handed back: %v", name, went, returned)
		}
	}
}
