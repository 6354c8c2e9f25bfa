package pacer

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// model is ADR-0042 read once more, from its text alone, as a list of what was heard.
type model struct {
	deadline        clock.Instant
	first, longest  time.Duration
	end, apiEnd     []clock.Instant // of the last wait; apiEnd holds one
	guess           []time.Duration
	apiGuess        time.Duration
	times           []int
	held            int
	restsAt, heldAt [][2]clock.Instant
	restsOf         []int
}

func newModel(operations int, s settings.Settings, deadline clock.Instant) *model {
	m := &model{
		deadline: deadline, first: s.Schedule.FirstGuessedWait, longest: s.Schedule.LongestGuessedWait,
		end: make([]clock.Instant, operations), apiEnd: make([]clock.Instant, 1), guess: make([]time.Duration, operations),
		times: make([]int, operations), apiGuess: s.Schedule.FirstGuessedWait,
	}
	for i := range m.guess {
		m.guess[i] = m.first
	}
	return m
}

func (m *model) until(at clock.Instant, d time.Duration) clock.Instant {
	if time.Duration(m.deadline-at) <= d {
		return max(at, m.deadline)
	}
	return at + clock.Instant(d)
}

func (m *model) hear(h heard) {
	if h.answer.noReply {
		return
	}
	if !h.answer.refuses {
		if h.sentAt >= m.end[h.operation] {
			m.guess[h.operation] = m.first
		}
		if h.sentAt >= m.apiEnd[0] {
			m.apiGuess = m.first
		}
		return
	}
	if h.sentAt < m.end[h.operation] || h.sentAt < m.apiEnd[0] {
		if h.answer.stated {
			if to := m.until(h.at, h.answer.wait); h.at < m.end[h.operation] && to > m.end[h.operation] {
				m.rest(h.operation, h.at, to)
			}
			if to := m.until(h.at, h.answer.wait); h.at < m.apiEnd[0] && to > m.apiEnd[0] {
				m.hold(h.at, to)
			}
		}
		return
	}
	another := false
	for i, end := range m.end {
		another = another || i != h.operation && end > h.at
	}
	length := func(guess *time.Duration) time.Duration {
		if h.answer.stated {
			return h.answer.wait
		}
		d := *guess
		*guess = min(2*d, m.longest)
		return d
	}
	m.times[h.operation]++
	m.rest(h.operation, h.at, m.until(h.at, length(&m.guess[h.operation])))
	if another {
		m.held++
		m.hold(h.at, m.until(h.at, length(&m.apiGuess)))
	}
}

func (m *model) rest(operation int, from, to clock.Instant) {
	m.end[operation] = to
	m.restsAt = append(m.restsAt, [2]clock.Instant{from, to})
	m.restsOf = append(m.restsOf, operation)
}

func (m *model) hold(from, to clock.Instant) {
	m.apiEnd[0] = to
	m.heldAt = append(m.heldAt, [2]clock.Instant{from, to})
}

// TestLaws draws runs and judges them by the sentences of the two decisions.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		operations := rapid.IntRange(1, 5).Draw(t, "operations")
		perMinute := rapid.SampledFrom([]int64{0, 30, 600, 3000, 7, 60_000, 59_999}).Draw(t, "rate")
		budget := rapid.SampledFrom([]time.Duration{time.Second, 5 * time.Second, 20 * time.Second}).Draw(t, "budget")
		lead := rapid.SampledFrom([]time.Duration{0, time.Millisecond}).Draw(t, "lead")
		waits := rapid.IntRange(0, 9).Draw(t, "waits") > 0
		w := newWorld(operations, func(s *settings.Settings) {
			s.Engine.LimitTheRate = perMinute > 0
			s.Engine.MostRequestsPerMinute = max(1, perMinute)
			s.Schedule.WaitWhenToldTo = waits
			s.Schedule.FirstGuessedWait = 300 * time.Millisecond
			s.Schedule.LongestGuessedWait = 2 * time.Second
		}, budget, lead)
		interval := max(settings.Interval(time.Minute, perMinute), 10*time.Millisecond)
		latency := func(name string) time.Duration {
			class := rapid.SampledFrom([]int{0, 1, 1, 5, 20, 40}).Draw(t, name)
			return time.Duration(class)*interval + time.Duration(rapid.IntRange(0, 5_000_000).Draw(t, name+" jitter"))
		}
		refusing := rapid.SampledFrom([]int{0, 2, 10, 50, 100}).Draw(t, "refusals in a hundred")
		w.answer = func(*messages.Request, clock.Instant) answer {
			a := answer{after: max(time.Millisecond, latency("latency"))}
			if rapid.IntRange(0, 99).Draw(t, "refuses") < refusing {
				a.refuses = true
				if a.stated = rapid.Bool().Draw(t, "stated"); a.stated {
					a.wait = rapid.SampledFrom([]time.Duration{0, time.Millisecond, time.Second, 3 * time.Second, time.Hour, 1<<63 - 1}).Draw(t, "wait")
				}
			} else if rapid.IntRange(0, 19).Draw(t, "no reply") == 0 {
				a.noReply = true
				a.overloaded = rapid.Bool().Draw(t, "overloaded")
			}
			a.closes = rapid.IntRange(0, 9).Draw(t, "closes") == 0
			return a
		}
		w.write = func() time.Duration { return time.Duration(rapid.IntRange(0, 200_000).Draw(t, "write")) }
		w.builds = func() bool { return rapid.IntRange(0, 19).Draw(t, "builds") > 0 }
		var stopAt clock.Instant = -1
		if rapid.IntRange(0, 3).Draw(t, "stops") == 0 {
			stopAt = clock.Instant(rapid.Int64Range(0, int64(budget)).Draw(t, "stop"))
			w.clk.At(stopAt, func() { w.tellPacer(messages.Stop{Reason: messages.Interrupted}) })
		}
		w.run(func() {
			// GoesOn: if something may go, something goes at that instant, unless the generator said it has nothing.
			if s := w.stuck(); s != "" {
				t.Fatal(s)
			}
		})

		judgeEvenly(t, w, perMinute)
		judgeWithin(t, w, clock.Instant(budget), stopAt)
		judgeEnds(t, w)
		if waits {
			judgeWaits(t, w, clock.Instant(budget))
		} else if len(w.last.Waits) > 0 || w.last.Waiting || w.last.WholeAPI.Times > 0 {
			t.Fatal("waits are switched off, and one was kept")
		}
		judgeIdle(t, w, waits)
	})
}

// ADR-0043 §2: "At 600, never two closer than a tenth of a second. The first request goes at once, and each turn is
// counted from the request before it, never from the turn that was due, so a quiet spell is never made up for with a burst."
func judgeEvenly(t *rapid.T, w *world, perMinute int64) {
	for i := 1; i < len(w.sends) && perMinute > 0; i++ {
		gap := w.sends[i].at - w.sends[i-1].at
		if int64(gap)*perMinute < int64(time.Minute) {
			t.Fatalf("requests %d and %d are %v apart at %d a minute", i, i+1, time.Duration(gap), perMinute)
		}
		if since := w.sends[i].at - w.sends[i-1].written; int64(since)*perMinute < int64(time.Minute) {
			t.Fatalf("request %d goes %v after the end of the one before it", i+1, time.Duration(since))
		}
	}
	if perMinute > 0 && w.last.ShortestGap >= 0 && int64(w.last.ShortestGap)*perMinute < int64(time.Minute) {
		t.Fatalf("the shortest gap is reported as %v", w.last.ShortestGap)
	}
	if len(w.sends) > 0 && w.builds() && w.sends[0].at%clock.Instant(50*time.Millisecond) != 0 {
		t.Fatalf("the first request goes at %v, not at once", time.Duration(w.sends[0].at))
	}
}

// ADR-0042 §2: "nothing reaches the API after the run's time is up".
func judgeWithin(t *rapid.T, w *world, deadline, stopAt clock.Instant) {
	for _, s := range w.sends {
		if s.at >= deadline || stopAt >= 0 && s.at > stopAt {
			t.Fatalf("a request goes at %v, after the end of sending", time.Duration(s.at))
		}
	}
}

// Each request ends exactly once: sent and answered, sent and not answered, or never sent; and the run ends.
func judgeEnds(t *rapid.T, w *world) {
	for seq := range w.built {
		if w.ended[seq] != 1 {
			t.Fatalf("request %d ended %d times", seq, w.ended[seq])
		}
	}
	for seq := range w.ended {
		if !w.built[seq] {
			t.Fatalf("request %d ended and was handed back", seq)
		}
	}
	if w.last == nil || !w.last.Over || !w.closed {
		t.Fatal("the run never said that it is over")
	}
	if w.last.Sent != int64(len(w.sends)) || w.last.InFlight != 0 {
		t.Fatalf("%d were sent, %d in flight; reported %d", len(w.sends), w.last.InFlight, w.last.Sent)
	}
	if int64(len(w.built)) != w.last.Sent+w.last.Dropped {
		t.Fatalf("%d built, %d sent, %d never sent", len(w.built), w.last.Sent, w.last.Dropped)
	}
}

// ADR-0042 §3: the refusal of a request sent before the wait it belongs to was over "begins no wait and doubles
// nothing; a moment it states only moves the end of a wait still going, and only later. Any other answer of such a
// request does not bring the guess back to the start either." §2: "nothing is built for it and nothing is sent."
func judgeWaits(t *rapid.T, w *world, deadline clock.Instant) {
	m := newModel(w.operations, w.p.cfg.Settings, deadline)
	for _, h := range w.heard {
		if w.last.End != messages.NotEnded && h.at > w.last.StoppedAt {
			break
		}
		m.hear(h)
	}
	for i, from := range m.restsAt {
		for _, s := range w.sends {
			if s.operation == m.restsOf[i] && s.at > from[0] && s.at < from[1] {
				t.Fatalf("operation %d rests from %v to %v and is sent something at %v", s.operation, time.Duration(from[0]), time.Duration(from[1]), time.Duration(s.at))
			}
		}
	}
	for _, from := range m.heldAt {
		for _, s := range w.sends {
			if s.at > from[0] && s.at < from[1] {
				t.Fatalf("the whole API is held from %v to %v and is sent something at %v", time.Duration(from[0]), time.Duration(from[1]), time.Duration(s.at))
			}
		}
	}
	if stoppedEarly := w.heard; len(stoppedEarly) > 0 && stoppedEarly[len(stoppedEarly)-1].at == w.last.StoppedAt {
		return // what was heard at the very moment of stopping may count or not
	}
	if w.last.WholeAPI.Times != m.held {
		t.Fatalf("the whole API was held %d times, by the decision %d", w.last.WholeAPI.Times, m.held)
	}
	times := make([]int, w.operations)
	for _, x := range w.last.Waits {
		times[x.Operation] = x.Times
		if x.Lasted > time.Duration(w.last.StoppedAt) {
			t.Fatalf("operation %d is said to have waited %v of %v", x.Operation, x.Lasted, time.Duration(w.last.StoppedAt))
		}
	}
	for i := range times {
		if times[i] != m.times[i] {
			t.Fatalf("operation %d was told to wait %d times, by the decision %d", i, times[i], m.times[i])
		}
		want := m.guess[i]
		got := w.p.waits.operations[i].guess
		if got == 0 {
			got = m.first
		}
		if got != want {
			t.Fatalf("the next guess for operation %d is %v, by the decision %v", i, got, want)
		}
	}
	// After a wait an operation is tried by one request until that one is answered.
	for i, from := range m.restsAt {
		if from[1] >= deadline || from[1] == from[0] {
			continue
		}
		first := clock.Instant(-1)
		for _, s := range w.sends {
			if s.operation != m.restsOf[i] || s.at < from[1] {
				continue
			}
			if first < 0 {
				first = s.at
				continue
			}
			answered := false
			for _, h := range w.heard {
				answered = answered || h.operation == s.operation && h.sentAt == first && h.at <= s.at
			}
			if !answered {
				t.Fatalf("operation %d is on trial with the request of %v and is sent another at %v", s.operation, time.Duration(first), time.Duration(s.at))
			}
			break
		}
	}
}

// ADR-0043 §5: "The two parts can overlap, by at most one turn for each time the run sits out the API's asking."
func judgeIdle(t *rapid.T, w *world, waits bool) {
	p := w.last
	if p.Idle < 0 || p.IdleAsked < 0 || p.IdleRate < 0 || p.Idle > time.Duration(p.StoppedAt) {
		t.Fatalf("idle %v, asked %v, rate %v of %v", p.Idle, p.IdleAsked, p.IdleRate, time.Duration(p.StoppedAt))
	}
	told := p.WholeAPI.Times
	for _, x := range p.Waits {
		told += x.Times
	}
	if over := p.IdleAsked + p.IdleRate - p.Idle; over > time.Duration(told)*p.Interval {
		t.Fatalf("the parts of the idle time overlap by %v in %d waits at an interval of %v", over, told, p.Interval)
	}
	if !waits && p.IdleAsked > 0 || p.Interval == 0 && p.IdleRate > 0 {
		t.Fatal("a part of the idle time is put on somebody who asked for nothing")
	}
}
