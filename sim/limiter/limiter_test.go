package limiter

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const (
	most   = 20
	length = 2 * time.Second
)

func rule(a Algorithm) Rule { return Rule{Algorithm: a, Limit: most, Window: length} }

// times is so many windows.
func times(hundredths int) time.Duration { return time.Duration(hundredths) * length / 100 }

// passed is how many of n at once pass.
func passed(l Limiter, now time.Duration, n int) (count int) {
	for range n {
		if ok, _, _ := l.Allow(now); ok {
			count++
		}
	}
	return count
}

// The experiments, each with a phase: how far into a window of the wall clock it begins.
var experiments = map[string]func(l Limiter, phase time.Duration) string{
	"burst": func(l Limiter, phase time.Duration) string { return fmt.Sprint(passed(l, phase, 2*most)) },
	"halves": func(l Limiter, phase time.Duration) string {
		return fmt.Sprint(passed(l, phase, most/2), passed(l, phase+times(75), most/2), passed(l, phase+times(105)+1, 2*most))
	},
	"straddle": func(l Limiter, _ time.Duration) string {
		return fmt.Sprint(passed(l, 5*length-150*time.Millisecond, most), passed(l, 5*length+10*time.Millisecond, most))
	},
	"anchored": func(l Limiter, phase time.Duration) string {
		return fmt.Sprint(passed(l, phase, 1), passed(l, phase+times(92), most-1), passed(l, phase+times(103), most))
	},
	"hammer": func(l Limiter, phase time.Duration) string {
		passed(l, phase, most)
		n := 0
		for i := 1; i <= 20; i++ {
			n += passed(l, phase+times(10*i), 1)
		}
		return fmt.Sprint(n)
	},
	"1.3 times": func(l Limiter, phase time.Duration) string {
		n := 0
		for i := range 156 {
			if ok := passed(l, phase+6*length*time.Duration(i)/156, 1); i >= 78 {
				n += ok
			}
		}
		return fmt.Sprint(n)
	},
}

func later(hundredths int) func(Limiter, time.Duration) string {
	return func(l Limiter, phase time.Duration) string {
		passed(l, phase, 2*most)
		return fmt.Sprint(passed(l, phase+times(hundredths), 2*most))
	}
}

// The signatures of the algorithms as they were measured from outside, 20 in 2 s; those that hang on the wall clock
// each at a phase that shows them.
func TestEachAlgorithmHasItsSignature(t *testing.T) {
	for i, hundredths := range []int{10, 25, 50, 75, 102, 150} {
		experiments[[]string{"0.1", "0.25", "0.5", "0.75", "1.02", "1.5"}[i]] = later(hundredths)
	}
	capacity5 := rule(TokenBucket)
	capacity5.Burst = 5
	for _, row := range []struct {
		rule Rule
		want string // experiment@phase: result; the phase in hundredths of a window
	}{
		{rule(FixedWindow), "burst 20; 0.1 0; 0.25@80 20; 0.5 0; 0.75 0; 1.02 20; 1.5 20; halves 10 10 20; straddle 20 20; anchored@10 1 19 1; hammer@25 13; 1.3 times 60"},
		{rule(FirstWindow), "burst 20; 0.1 0; 0.25 0; 0.5 0; 0.75 0; 1.02 20; 1.5 20; halves 10 10 20; straddle 20 0; anchored 1 19 20; hammer 11; 1.3 times 60"},
		{rule(TickingWindow), "burst 20; 0.1 0; 0.25 0; 0.5 0; 0.75 0; 1.02 20; 1.5 20; halves 10 10 20; straddle 20 0; anchored 1 19 20; hammer 11; 1.3 times 60"},
		{rule(SlidingLog), "burst 20; 0.1 0; 0.25 0; 0.5 0; 0.75 0; 1.02 20; 1.5 20; halves 10 10 10; straddle 20 0; anchored 1 19 1; hammer 11; 1.3 times 60"},
		{rule(StrictLog), "burst 20; 0.1 0; 0.25 0; 0.5 0; 0.75 0; 1.02 20; 1.5 20; halves 10 10 10; straddle 20 0; anchored 1 19 1; hammer 11; 1.3 times 0"},
		{rule(SlidingCounter), "burst 20; 0.1 0; 0.25 0; 0.5 0; 0.75 0; 1.02 1; 1.5@30 16; halves 10 10 2; straddle 20 1; hammer@25 13; 1.3 times 60"},
		{rule(StrictCounter), "burst 20; 1.3 times 0"},
		{rule(TokenBucket), "burst 20; 0.1 2; 0.25 5; 0.5 10; 0.75 15; 1.02 20; 1.5 20; halves 10 10 16; straddle 20 1; anchored 1 19 3; hammer 20; 1.3 times 61"},
		{capacity5, "burst 5; 0.1 2; 0.25 5; 0.5 5; 0.75 5; 1.02 5; 1.5 5; halves 5 5 5; straddle 5 1; anchored 1 5 2; hammer 20; 1.3 times 60"},
		{rule(GCRA), "burst 20; 0.1 2; 0.25 5; 0.5 10; 0.75 15; 1.02 20; 1.5 20; halves 10 10 16; straddle 20 1; hammer 20"},
		{rule(Leaky), "burst 1; 0.1 1; 0.25 1; 0.5 1; 0.75 1; 1.02 1; 1.5 1; halves 1 1 1; straddle 1 1; anchored 1 1 1; hammer 20; 1.3 times 39"},
	} {
		for cell := range strings.SplitSeq(row.want, "; ") {
			name, want, _ := strings.Cut(cell, " ")
			if rest, is := strings.CutPrefix(cell, "1.3 times "); is {
				name, want = "1.3 times", rest
			}
			name, at, _ := strings.Cut(name, "@")
			phase := 0
			if at != "" {
				if _, err := fmt.Sscan(at, &phase); err != nil {
					t.Fatal(err)
				}
			}
			if got := experiments[name](row.rule.New(), 4*length+times(phase)); got != want {
				t.Errorf("%s, burst %d: %s at phase %d: %s passed, want %s", row.rule.Algorithm, row.rule.Burst, name, phase, got, want)
			}
		}
	}
}

// A ticking window's phase comes from the first request of all, one from the first request's does not.
func TestATickingWindowDoesNotBeginAnewWithTheNextRequest(t *testing.T) {
	for a, want := range map[Algorithm]string{TickingWindow: "19 20", FirstWindow: "19 1"} {
		l := rule(a).New()
		passed(l, times(0), 1)
		if got := fmt.Sprint(passed(l, times(190), most-1), passed(l, times(205), 2*most)); got != want {
			t.Errorf("%s: %s passed, want %s", a, got, want)
		}
	}
}

func TestAQueueDelaysByItsRateAndRefusesBeyondItsBound(t *testing.T) {
	for _, row := range []struct {
		burst, waiting int64
		n, passed      int
		last           time.Duration
	}{
		{1, 20, 15, 15, 280 * time.Millisecond},
		{1, 20, 40, 21, 400 * time.Millisecond},
		{10, 100, 15, 15, 100 * time.Millisecond},
		{0, 0, 3, 1, 0},
	} {
		l := Rule{Algorithm: Queue, Limit: 50, Window: time.Second, Burst: row.burst, Waiting: row.waiting}.New()
		n, last := 0, time.Duration(0)
		for range row.n {
			if ok, delay, _ := l.Allow(0); ok {
				n, last = n+1, delay
			}
		}
		if n != row.passed || last != row.last {
			t.Errorf("%+v: %d passed, the last after %v", row, n, last)
		}
	}
}

func TestAConcurrencyLimitLetsTheNextPassWhenOneIsDone(t *testing.T) {
	l := Rule{Algorithm: Concurrency, Limit: 5}.New()
	if n := passed(l, 0, 15); n != 5 {
		t.Errorf("%d passed at once", n)
	}
	l.Done(0)
	l.Done(0)
	if n := passed(l, 0, 15); n != 2 {
		t.Errorf("%d passed after two were done", n)
	}
}

func TestKeysDoNotShareALimitAndTheOldestIsForgotten(t *testing.T) {
	k := NewKeyed(Rule{Algorithm: FirstWindow, Limit: 1, Window: time.Hour})
	for i := range mostKeys {
		if n := passed(k.Of(fmt.Sprint(i), time.Duration(i)), 0, 2); n != 1 {
			t.Fatalf("%d of key %d passed", n, i)
		}
	}
	if n := passed(k.Of("0", time.Duration(mostKeys)), 0, 1); n != 0 {
		t.Error("the first key was forgotten before there were too many")
	}
	passed(k.Of("one more", time.Duration(mostKeys)), 0, 1)
	if len(k.keys) != mostKeys || k.keys["1"] != nil || k.keys["0"] == nil {
		t.Errorf("of %d keys another than the oldest was forgotten", len(k.keys))
	}
}

func TestARuleThatCannotBeKeptIsRefused(t *testing.T) {
	for _, r := range []Rule{
		{Algorithm: "sieve", Limit: 1, Window: 1},
		{Algorithm: FixedWindow, Window: time.Second},
		{Algorithm: FixedWindow, Limit: 1},
		{Algorithm: GCRA, Limit: 1 << 40, Window: time.Hour},
		{Algorithm: Queue, Limit: 1, Window: 1, Waiting: -1},
		{Algorithm: TokenBucket, Limit: 1, Window: time.Hour, Burst: 1 << 62},
	} {
		if r.Check() == nil {
			t.Errorf("%+v is accepted", r)
		}
	}
	for _, a := range Algorithms() {
		if err := rule(a).Check(); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
}

func drawRule(t *rapid.T, algorithms ...Algorithm) Rule {
	return Rule{
		Algorithm: rapid.SampledFrom(algorithms).Draw(t, "algorithm"),
		Limit:     rapid.Int64Range(1, 30).Draw(t, "limit"),
		Window:    time.Duration(rapid.SampledFrom([]int64{1, 7, 1000, 999_999_937, int64(time.Second), int64(time.Hour)}).Draw(t, "window")),
		Burst:     rapid.Int64Range(0, 9).Draw(t, "burst"),
		Waiting:   rapid.Int64Range(0, 3).Draw(t, "waiting"),
	}
}

// drawGap is a while between two requests, of one of the scales at which a limiter changes its mind.
func drawGap(t *rapid.T, r Rule) time.Duration {
	return time.Duration(rapid.SampledFrom([]int64{0, 0, 1, int64(r.Window) / r.Limit, int64(r.Window) / 3, int64(r.Window), 3 * int64(r.Window)}).Draw(t, "gap")) +
		time.Duration(rapid.Int64Range(0, 2).Draw(t, "more"))
}

func TestPropertyATokenBucketAndAGCRAAreTheSameFromOutside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRule(t, TokenBucket)
		bucket := r.New()
		r.Algorithm = GCRA
		gcra := r.New()
		now := time.Duration(0)
		for range rapid.IntRange(1, 100).Draw(t, "requests") {
			now += drawGap(t, r)
			ok, _, after := bucket.Allow(now)
			if also, _, afterToo := gcra.Allow(now); ok != also || after != afterToo {
				t.Fatalf("at %v the bucket says %v, %v and the GCRA %v, %v", now, ok, after, also, afterToo)
			}
		}
	})
}

func TestPropertyTheNextPassesAsSoonAsItWasToldAndNotBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRule(t, FixedWindow, FirstWindow, TickingWindow, SlidingLog, StrictLog, SlidingCounter, StrictCounter, TokenBucket, GCRA, Leaky, Queue)
		script := make([]time.Duration, rapid.IntRange(1, 60).Draw(t, "requests"))
		for i := range script {
			script[i] = drawGap(t, r)
		}
		play := func() (l Limiter, now, after time.Duration, ok bool) {
			l = r.New()
			for _, gap := range script {
				now += gap
				ok, _, after = l.Allow(now)
			}
			return l, now, after, ok
		}
		l, now, after, ok := play()
		if ok {
			return
		}
		if after <= 0 {
			t.Fatalf("refused, and told to come back after %v", after)
		}
		if ok, _, _ := l.Allow(now + after); !ok {
			t.Fatalf("told to come back after %v, and refused then", after)
		}
		l, now, after, _ = play()
		if ok, _, _ := l.Allow(now + after - 1); ok {
			t.Fatalf("told to come back after %v, and let pass before", after)
		}
	})
}

func TestPropertyAsManyPassAsAreLeftAndOneMoreWhenThereIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRule(t, Algorithms()...)
		l, again, now := r.New(), r.New(), time.Duration(0)
		for range rapid.IntRange(0, 60).Draw(t, "requests") {
			now += drawGap(t, r)
			l.Left(now)
			ok, delay, after := l.Allow(now)
			if okToo, delayToo, afterToo := again.Allow(now); ok != okToo || delay != delayToo || after != afterToo {
				t.Fatalf("asking what is left changes the answer from %v, %v, %v to %v, %v, %v", okToo, delayToo, afterToo, ok, delay, after)
			}
		}
		now += drawGap(t, r)
		left, more := l.Left(now)
		for i := range left + 1 {
			ok, _, after := l.Allow(now)
			if ok != (i < left) {
				t.Fatalf("%d are left, and number %d passes: %v", left, i+1, ok)
			}
			if more > 0 && !ok && r.Algorithm != StrictLog && r.Algorithm != StrictCounter && after != more {
				t.Fatalf("there is more after %v, and who is refused is told %v", more, after)
			}
		}
	})
}

// The most that may pass in any one window, by the algorithm: a law that no phase, burst or pattern escapes.
func TestPropertyNoMoreThanTheAlgorithmAllowsPassInAnyWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRule(t, FixedWindow, FirstWindow, TickingWindow, SlidingLog, StrictLog, TokenBucket, GCRA, Leaky)
		burst := r.Burst
		if burst == 0 {
			burst = r.Limit
		}
		bound := map[Algorithm]int64{
			FixedWindow: 2 * r.Limit, FirstWindow: 2 * r.Limit, TickingWindow: 2 * r.Limit, SlidingLog: r.Limit, StrictLog: r.Limit,
			TokenBucket: burst + r.Limit, GCRA: burst + r.Limit, Leaky: 1 + r.Limit,
		}[r.Algorithm]
		l, now := r.New(), time.Duration(0)
		var let []time.Duration
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			now += drawGap(t, r)
			if ok, _, _ := l.Allow(now); ok {
				let = append(let, now)
			}
		}
		for i := range let {
			n := int64(0)
			for _, at := range let[i:] {
				if at-let[i] < r.Window {
					n++
				}
			}
			if n > bound {
				t.Fatalf("%d passed in one window, at most %d may", n, bound)
			}
		}
	})
}
