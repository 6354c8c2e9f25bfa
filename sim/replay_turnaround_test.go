package sim

import (
	"testing"
	"time"
)

func TestTheTurnaroundIsTheToolsWorkAndNoWait(t *testing.T) {
	const reply = 5 * time.Millisecond
	// run is the moments of a run whose slots send, have their reply, and send again after the tool's work, with a wait
	// of a second after every hundredth request; others stand idle from their first request on.
	run := func(slots, idle int, work time.Duration) (sends, ends []int64) {
		for s := range slots {
			at := time.Duration(s) * 300 * time.Microsecond
			for n := range 10_000 {
				sends, ends = append(sends, int64(at)), append(ends, int64(at+reply))
				at += reply + work
				if n%100 == 99 {
					at += time.Second
				}
			}
		}
		for s := range idle {
			sends, ends = append(sends, int64(s)), append(ends, int64(s)+int64(reply))
		}
		return sends, ends
	}
	for _, row := range []struct {
		slots, idle int
		work        time.Duration
	}{{1, 0, time.Millisecond}, {4, 0, 400 * time.Microsecond}, {4, 0, 0}, {2, 2, 0}, {3, 5, 200 * time.Microsecond}} {
		sends, ends := run(row.slots, row.idle, row.work)
		// Before the idle slots are known for that, a little too much is counted.
		if got := turnaround(sends, ends); got < row.work || got > row.work*11/10 {
			t.Errorf("with %d slots at work and %d idle it is %s instead of %s", row.slots, row.idle, got, row.work)
		}
	}
	if got := turnaround([]int64{1, 2, 3}, nil); got != 0 {
		t.Errorf("of nothing it is %s", got)
	}
}
