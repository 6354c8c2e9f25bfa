package pacer

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// What is told of the waits one by one adds up to what is told of them in all.
func TestTheSpellsOfWaitingAddUpToTheWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const operations = 3
		w := newWaits(settings.Default().Schedule, operations, []int{0, 1, 2}, clock.Instant(time.Hour))
		now := clock.Instant(0)
		for range rapid.IntRange(0, 60).Draw(t, "heard") {
			now = now.Add(time.Duration(rapid.IntRange(1, int(3*time.Second)).Draw(t, "later")))
			sent := now.Add(-time.Duration(rapid.IntRange(0, int(time.Second)).Draw(t, "took")))
			operation := rapid.IntRange(0, operations-1).Draw(t, "operation")
			length := time.Duration(rapid.IntRange(0, int(4*time.Second)).Draw(t, "length"))
			if rapid.Bool().Draw(t, "refused") {
				w.refused(operation, max(sent, 0), now, rapid.Bool().Draw(t, "stated"), length, false)
			} else {
				w.foresaw(operation, max(sent, 0), now, 0, length)
			}
		}
		told, left := w.spellsUntil(now)
		var lasted, foreseen [operations + 1]time.Duration
		for i, s := range told {
			if s.From >= s.Until || s.Until > now || i > 0 && s.From < told[i-1].From {
				t.Fatalf("at %d, spell %d is %+v", now, i, s)
			}
			if s.Foreseen {
				foreseen[s.Operation+1] += s.Until.Sub(s.From)
			} else {
				lasted[s.Operation+1] += s.Until.Sub(s.From)
			}
		}
		for i, r := range append([]rest{w.api}, w.operations...) {
			if lasted[i] != r.lastedUntil(now) || foreseen[i] != r.foreseen.lastedUntil(now) {
				t.Fatalf("party %d waited %v and %v, told one by one %v and %v", i-1, r.lastedUntil(now), r.foreseen.lastedUntil(now), lasted[i], foreseen[i])
			}
		}
		if left != 0 {
			t.Fatalf("%d are left out of %d", left, len(told))
		}
	})
}

func TestOfVeryManyWaitsTheLongestAreTold(t *testing.T) {
	w := newWaits(settings.Default().Schedule, 1, []int{0}, clock.Instant(time.Hour))
	const waits = 10 * mostSpells
	for i := range waits {
		length := time.Millisecond
		if i%20 == 7 {
			length = 2 * time.Millisecond
		}
		at := clock.Instant(i) * clock.Instant(10*time.Millisecond)
		w.refused(0, at, at, true, length, false)
	}
	told, left := w.spellsUntil(clock.Instant(time.Hour))
	long := 0
	for _, s := range told {
		if s.Until.Sub(s.From) == 2*time.Millisecond {
			long++
		}
	}
	if len(told) != mostSpells || left != waits-mostSpells || long != waits/20 {
		t.Errorf("%d are told, %d of them long, and %d left out", len(told), long, left)
	}
}

func TestAGapIsCountedOnTheRightSideOfThePromise(t *testing.T) {
	const interval = 200 * time.Millisecond
	g := newGaps(interval)
	for _, gap := range []time.Duration{-1, 0, interval - 1, interval, interval + interval/100, 3 * interval, 1000 * interval} {
		g.add(gap)
	}
	var early, kept int64
	for _, n := range g {
		if n.Least < interval {
			early += n.Count
		} else {
			kept += n.Count
		}
	}
	if early != 3 || kept != 4 || g[0].Count != 2 || g[5] != (messages.Gaps{Least: interval, Count: 1}) || g[len(g)-1].Count != 1 {
		t.Errorf("%d before the promise, %d not: %v", early, kept, g)
	}
	newGaps(0).add(1) // with no rate nothing is counted
}
