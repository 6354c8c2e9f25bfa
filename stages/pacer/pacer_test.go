package pacer

import (
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// sentBetween counts the requests written from one moment up to, not including, another; operation -1 counts all.
func (w *world) sentBetween(operation int, from, to time.Duration) (n int) {
	for _, s := range w.sends {
		if (operation < 0 || s.operation == operation) && s.at >= clock.Instant(from) && s.at < clock.Instant(to) {
			n++
		}
	}
	return n
}

func TestAnOperationToldToWaitIsSentNothingAndTheOthersGoOn(t *testing.T) {
	w := newWorld(3, nil, 4*time.Second, 0)
	told := false
	w.answer = func(r *messages.Request, at clock.Instant) answer {
		if r.Operation == 1 && !told {
			told = true
			return answer{after: time.Millisecond, refuses: true, stated: true, wait: 2 * time.Second}
		}
		return answer{after: time.Millisecond}
	}
	w.run(nil)
	// What was on the wire when the refusal came is all that follows it.
	if n := w.sentBetween(1, 10*time.Millisecond, 2*time.Second); n != 0 {
		t.Errorf("%d requests to an operation at rest", n)
	}
	if n := w.sentBetween(0, 10*time.Millisecond, 2*time.Second); n < 1000 {
		t.Errorf("%d requests to an operation that was told nothing", n)
	}
	if n := w.sentBetween(1, 2*time.Second, 4*time.Second); n < 1000 {
		t.Errorf("%d requests after the wait", n)
	}
	if got := w.last.Waits; len(got) != 1 || got[0].Times != 1 || got[0].Stated != 1 || got[0].Lasted != 2*time.Second || got[0].Skipped == 0 {
		t.Errorf("reported as %+v", got)
	}
	if w.last.WholeAPI.Times != 0 {
		t.Error("the whole API was held for one operation")
	}
}

func TestASecondOperationToldToWaitHoldsTheWholeAPI(t *testing.T) {
	w := newWorld(3, nil, 5*time.Second, 0)
	refused := map[int]bool{}
	w.answer = func(r *messages.Request, _ clock.Instant) answer {
		if r.Operation < 2 && !refused[r.Operation] {
			refused[r.Operation] = true
			return answer{after: time.Duration(1+r.Operation) * time.Millisecond, refuses: true, stated: r.Operation == 1, wait: 3 * time.Second}
		}
		return answer{after: time.Millisecond}
	}
	w.run(nil)
	if n := w.sentBetween(-1, 2*time.Millisecond+1, 3002*time.Millisecond); n != 0 {
		t.Errorf("%d requests while the whole API was held", n)
	}
	if got := w.last.WholeAPI; got.Times != 1 || got.Stated != 1 || got.Lasted != 3*time.Second {
		t.Errorf("the hold is reported as %+v", got)
	}
	if w.last.IdleAsked != 3*time.Second {
		t.Errorf("%v of the idle time was asked for", w.last.IdleAsked)
	}
	// "The engine then starts again from its fewest requests in flight": one at first, more as answers come.
	if n := w.sentBetween(-1, 3002*time.Millisecond, 3002*time.Millisecond+1); n != 1 {
		t.Errorf("%d requests at the end of the hold", n)
	}
}

func TestGuessesDoubleUpToTheLongestAndGoBackOnAnAnswer(t *testing.T) {
	w := newWorld(1, func(s *settings.Settings) {
		s.Schedule.FirstGuessedWait, s.Schedule.LongestGuessedWait = time.Second, 5*time.Second
	}, 40*time.Second, 0)
	tries := 0
	w.answer = func(*messages.Request, clock.Instant) answer {
		tries++
		return answer{after: 0, refuses: tries != 9}
	}
	w.run(nil)
	// Four connections are open: four requests meet the first refusal. Then one request ends each wait, of 1, 2, 4, 5,
	// 5 s; the answer of the ninth brings the guess back to a second.
	var ends []time.Duration
	for _, s := range w.sends[4:] {
		ends = append(ends, time.Duration(s.at))
	}
	want := []time.Duration{1, 3, 7, 12, 17}
	for i := range want {
		if ends[i] != want[i]*time.Second {
			t.Fatalf("tried again at %v", ends)
		}
	}
	for _, at := range ends {
		if at > 17*time.Second {
			if at != 18*time.Second {
				t.Errorf("after an answer the guess is %v", at-17*time.Second)
			}
			break
		}
	}
}

func TestAStatedWaitLeavesTheGuessAsItWas(t *testing.T) {
	w := newWaits(settings.Default().Schedule, 1, []int{0}, clock.Instant(time.Hour))
	at := clock.Instant(0)
	refuse := func(stated bool, d time.Duration) time.Duration {
		w.refused(0, at, at, stated, d, false)
		length := w.operations[0].end.Sub(at)
		at = w.operations[0].end
		return length
	}
	for i, step := range []struct {
		stated     bool
		wait, want time.Duration
	}{
		{false, 0, time.Second},
		{true, 7 * time.Second, 7 * time.Second},
		{false, 0, 2 * time.Second},
		{true, 0, 0},
		{false, 0, 4 * time.Second},
	} {
		if got := refuse(step.stated, step.wait); got != step.want {
			t.Errorf("wait %d lasts %v, want %v", i+1, got, step.want)
		}
	}
}

func TestNoStatedLengthOverflows(t *testing.T) {
	deadline := clock.Instant(time.Minute)
	for _, d := range []time.Duration{time.Minute - 1, time.Minute, time.Hour, 1<<63 - 1} {
		w := newWaits(settings.Default().Schedule, 1, []int{0}, deadline)
		w.refused(0, 1, 1, true, d, false)
		if end := w.operations[0].end; end != min(deadline, clock.Instant(1).Add(d)) {
			t.Errorf("a wait of %v from 1 ns on ends at %v", d, time.Duration(end))
		}
	}
}

func TestAWaitStatedPastTheDeadlineForEverythingEndsTheRun(t *testing.T) {
	w := newWorld(1, nil, time.Minute, 0)
	w.answer = func(*messages.Request, clock.Instant) answer {
		return answer{after: time.Millisecond, refuses: true, stated: true, wait: time.Hour}
	}
	w.run(nil)
	if w.last.End != messages.HeldToTheEnd || w.last.StoppedAt != clock.Instant(time.Millisecond) {
		t.Errorf("ended by %v at %v", w.last.End, time.Duration(w.last.StoppedAt))
	}
}

func TestAGuessedWaitCutAtTheDeadlineLastsToIt(t *testing.T) {
	w := newWorld(1, func(s *settings.Settings) { s.Schedule.FirstGuessedWait = 40 * time.Second }, 30*time.Second, 0)
	w.answer = func(*messages.Request, clock.Instant) answer { return answer{refuses: true} }
	w.run(nil)
	if w.last.End != messages.DeadlineCame || w.last.StoppedAt != clock.Instant(30*time.Second) {
		t.Errorf("ended by %v at %v", w.last.End, time.Duration(w.last.StoppedAt))
	}
	if w.last.IdleAsked != 30*time.Second {
		t.Errorf("%v of the idle time was asked for", w.last.IdleAsked)
	}
}

func TestWithTheSwitchOffARefusalIsAnOrdinaryAnswer(t *testing.T) {
	w := newWorld(1, func(s *settings.Settings) { s.Schedule.WaitWhenToldTo = false }, time.Second, 0)
	w.answer = func(*messages.Request, clock.Instant) answer {
		return answer{after: time.Millisecond, refuses: true, stated: true, wait: time.Hour}
	}
	w.run(nil)
	if len(w.sends) < 1000 || w.last.Waiting {
		t.Errorf("%d requests", len(w.sends))
	}
}

func TestAtLeast99PercentOfTheTurnsAreUsedOnPaper(t *testing.T) {
	for _, perMinute := range []int64{30, 300, 600, 3000, 60_000} {
		w := newWorld(5, func(s *settings.Settings) {
			s.Engine.LimitTheRate, s.Engine.MostRequestsPerMinute = true, perMinute
		}, 20*time.Second, 0)
		w.answer = func(*messages.Request, clock.Instant) answer { return answer{after: 3 * time.Millisecond} }
		w.run(nil)
		if w.last.TurnsUsed*100 < w.last.TurnsDue*99 {
			t.Errorf("at %d a minute %d of %d turns were used", perMinute, w.last.TurnsUsed, w.last.TurnsDue)
		}
		if w.last.ShortestGap < settings.Interval(time.Minute, perMinute) {
			t.Errorf("at %d a minute the shortest gap is %v", perMinute, w.last.ShortestGap)
		}
	}
}

func TestAStallIsNotMadeUpFor(t *testing.T) {
	w := newWorld(2, func(s *settings.Settings) {
		s.Engine.LimitTheRate, s.Engine.MostRequestsPerMinute = true, 600
	}, 5*time.Second, 0)
	w.answer = func(_ *messages.Request, at clock.Instant) answer {
		if at > clock.Instant(time.Second) && at < clock.Instant(2*time.Second) {
			return answer{after: clock.Instant(2 * time.Second).Sub(at)}
		}
		return answer{after: time.Millisecond}
	}
	w.run(nil)
	for i := 1; i < len(w.sends); i++ {
		if gap := w.sends[i].at.Sub(w.sends[i-1].at); gap < 100*time.Millisecond {
			t.Fatalf("requests %d and %d are %v apart", i, i+1, gap)
		}
	}
}

func TestAFetchFromTheAPIsOwnOriginTakesTheFirstTurn(t *testing.T) {
	s := settings.Default().Engine
	s.LimitTheRate, s.MostRequestsPerMinute = true, 600
	if r := newRate(s, clock.Instant(30*time.Millisecond)); r.turn != clock.Instant(130*time.Millisecond) {
		t.Errorf("the first turn is at %v", time.Duration(r.turn))
	}
	if r := newRate(s, -1); r.turn != 0 {
		t.Errorf("with no fetch the first turn is at %v", time.Duration(r.turn))
	}
}

func TestAnOperationThatHangsDoesNotStopTheRun(t *testing.T) {
	w := newWorld(3, nil, 2*time.Minute, 0)
	w.answer = func(r *messages.Request, _ clock.Instant) answer {
		if r.Operation == 1 {
			return answer{after: 30 * time.Second, noReply: true, overloaded: true}
		}
		return answer{after: 10 * time.Millisecond}
	}
	w.run(nil)
	for from := time.Duration(0); from < 2*time.Minute; from += 2 * time.Second {
		if n := w.sentBetween(0, from, from+2*time.Second); n == 0 {
			t.Fatalf("nothing was sent to another operation from %v on", from)
		}
	}
}

func TestAnAPIThatIsNotThereIsGivenUp(t *testing.T) {
	w := newWorld(1, nil, time.Minute, 0)
	w.dial = func(int) (time.Duration, string) { return time.Millisecond, "connection refused" }
	w.run(nil)
	if w.last.End != messages.Unconnected || w.last.Reason != "connection refused" {
		t.Errorf("ended by %v: %q", w.last.End, w.last.Reason)
	}
	if at := time.Duration(w.last.StoppedAt); at < 2*time.Second || at > 4*time.Second {
		t.Errorf("given up at %v", at)
	}
}

func TestAnAPIThatDiesAndComesBackIsTestedFurther(t *testing.T) {
	w := newWorld(2, nil, 20*time.Second, 0)
	dead := func() bool {
		now := w.clk.Now()
		return now > clock.Instant(5*time.Second) && now < clock.Instant(9*time.Second)
	}
	w.dial = func(int) (time.Duration, string) {
		if dead() {
			return 0, "connection refused"
		}
		return time.Millisecond, ""
	}
	w.answer = func(*messages.Request, clock.Instant) answer {
		return answer{after: time.Millisecond, noReply: dead(), overloaded: dead(), closes: dead()}
	}
	w.run(nil)
	if w.last.End != messages.DeadlineCame || w.sentBetween(-1, 10*time.Second, 20*time.Second) < 1000 {
		t.Errorf("ended by %v; %d requests after it had come back", w.last.End, w.sentBetween(-1, 10*time.Second, 20*time.Second))
	}
}

func TestARequestThatTheRateKeepsAtTheEndIsCountedAsNeverSent(t *testing.T) {
	w := newWorld(1, func(s *settings.Settings) {
		s.Engine.LimitTheRate, s.Engine.MostRequestsPerMinute = true, 60
	}, 10*time.Second, 50*time.Millisecond)
	w.write = func() time.Duration { return time.Millisecond }
	w.clk.At(clock.Instant(2*time.Second-20*time.Millisecond), func() { w.tellPacer(messages.Stop{Reason: messages.Terminated}) })
	w.run(nil)
	if w.last.Sent != 2 || w.last.Dropped != 1 || w.last.End != messages.Terminated {
		t.Errorf("%d sent, %d never sent, ended by %v", w.last.Sent, w.last.Dropped, w.last.End)
	}
}

func TestTheWindowWidensOnlyWhenRoomIsWanted(t *testing.T) {
	w := newWindow(settings.Default().Engine)
	for range 100 {
		w.answered()
	}
	if w.width != 4 {
		t.Errorf("with room to spare it is %d wide", w.width)
	}
	w.lacked = true
	for range 8 {
		w.answered()
	}
	if w.width != 5 {
		t.Errorf("after twice as many answers as it was wide, with room wanted, it is %d wide", w.width)
	}
	w.overloaded(10, 20)
	w.overloaded(15, 21) // was on its way when the window was halved
	if w.width != 2 {
		t.Errorf("halved once it is %d wide", w.width)
	}
	w.overloaded(25, 30)
	w.overloaded(35, 40)
	if w.width != 1 {
		t.Errorf("it is %d wide, less than the fewest", w.width)
	}
}

func TestAnIntervalIsRoundedUp(t *testing.T) {
	for perMinute := int64(1); perMinute < 1_000_000; perMinute += 997 {
		d := settings.Interval(time.Minute, perMinute)
		if int64(d)*perMinute < int64(time.Minute) || int64(d-1)*perMinute >= int64(time.Minute) {
			t.Fatalf("at %d a minute the interval is %v", perMinute, d)
		}
	}
}

func TestThePolicyOfTheSimulatorHoldsTheWholeAPIAtTheFirstRefusal(t *testing.T) {
	for _, policy := range []bool{false, true} {
		w := newWaits(settings.Default().Schedule, 2, []int{0, 1}, clock.Instant(time.Hour))
		w.wholeAPI = policy
		if _, held := w.refused(0, 1, 2, true, time.Second, false); held != policy {
			t.Errorf("held is %v where the policy is %v", held, policy)
		}
		if quiet, _ := w.quietUntil(); (quiet == clock.Instant(2).Add(time.Second)) != policy {
			t.Errorf("it is quiet until %v where the policy is %v", quiet, policy)
		}
	}
}
