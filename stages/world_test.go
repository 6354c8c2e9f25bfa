package stages

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/restest/restest/clock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ring is a few stages that pass numbers around, each noting what it was told and when; some messages are told at
// once and some after a while.
type ring struct {
	boxes []*mailbox[int]
}

func newRing(w world, c clock.Clock, stages int, script []int) (*ring, []*[]int) {
	r := &ring{}
	var told []*[]int
	for i := range stages {
		b := spawn[int](w, "stage", 1000)
		heard := new([]int)
		told = append(told, heard)
		b.handle = func(m int) {
			*heard = append(*heard, m, int(c.Now()))
			if m == 0 {
				return
			}
			next := r.boxes[(i+script[m%len(script)])%stages]
			if delay := script[(m+1)%len(script)]; delay%3 == 0 {
				next.Tell(m - 1)
			} else {
				c.At(c.Now().Add(time.Duration(delay)), func() { next.Tell(m - 1) })
			}
		}
		r.boxes = append(r.boxes, b)
	}
	return r, told
}

func onPaper(lockstep bool, pick func(int) int, stages int, script, first []int) [][]int {
	p, c := &paper{lockstep: lockstep, pick: pick}, clock.NewFake(time.Time{})
	r, told := newRing(p, c, stages, script)
	for i, m := range first {
		r.boxes[i%stages].Tell(m)
	}
	p.settle()
	for c.Next() {
		p.settle()
	}
	p.stop()
	var all [][]int
	for _, t := range told {
		all = append(all, *t)
	}
	return all
}

func TestInlineAndLockstepAreTheSameRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stages := rapid.IntRange(1, 5).Draw(t, "stages")
		script := rapid.SliceOfN(rapid.IntRange(0, 9), 3, 10).Draw(t, "script")
		first := rapid.SliceOfN(rapid.IntRange(0, 30), 1, 6).Draw(t, "first")
		inline := onPaper(false, nil, stages, script, first)
		lockstep := onPaper(true, nil, stages, script, first)
		for i := range inline {
			if len(inline[i]) != len(lockstep[i]) {
				t.Fatalf("stage %d was told %d numbers inline and %d in lockstep", i, len(inline[i]), len(lockstep[i]))
			}
			for j := range inline[i] {
				if inline[i][j] != lockstep[i][j] {
					t.Fatalf("stage %d differs at %d", i, j)
				}
			}
		}
	})
}

func TestPickingAnotherOrderLosesNoMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		script := rapid.SliceOfN(rapid.IntRange(0, 9), 3, 10).Draw(t, "script")
		count := func(told [][]int) (n int) {
			for _, x := range told {
				n += len(x)
			}
			return n
		}
		first := []int{9, 8, 7}
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
		if a, b := count(onPaper(false, nil, 3, script, first)), count(onPaper(false, pick, 3, script, first)); a != b {
			t.Fatalf("%d messages in the order told, %d in another", a, b)
		}
	})
}

func TestLiveUnderTheFakeClockHandlesEveryMessage(t *testing.T) {
	l, c := newLive(true), clock.NewFake(time.Time{})
	r, told := newRing(l, c, 3, []int{1, 2, 4, 3, 5})
	for i := range 3 {
		r.boxes[i].Tell(50)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err := l.run(ctx, func(ctx context.Context) error {
		defer cancel()
		l.drive(ctx, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, x := range told {
		n += len(*x) / 2
	}
	if n != 3*51 {
		t.Errorf("%d messages were handled, want %d", n, 3*51)
	}
}

func TestAStageThatPanicsEndsTheRunWithItsStack(t *testing.T) {
	l := newLive(false)
	b := spawn[int](l, "reporter", 4)
	b.handle = func(int) { panic("a fault of ours") }
	other := spawn[int](l, "pacer", 4)
	other.handle = func(int) {}
	b.Tell(1)
	err := l.run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "a fault of ours") || !strings.Contains(err.Error(), "world_test.go") {
		t.Errorf("it ended with %v", err)
	}
	for range 10 {
		other.Tell(1) // the run is over: nobody reads it, and it does not panic
	}
}

func TestAFullMailboxPanicsWithItsName(t *testing.T) {
	for _, w := range []world{newLive(false), &paper{}} {
		b := spawn[int](w, "pacer", 2)
		b.handle = func(int) {}
		func() {
			defer func() {
				if r, _ := recover().(string); !strings.Contains(r, "mailbox of the pacer is full") {
					t.Errorf("it panicked with %q", r)
				}
			}()
			for range 3 {
				b.Tell(1)
			}
		}()
	}
}
