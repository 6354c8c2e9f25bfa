package sim

import (
	"slices"
	"time"
)

const (
	// longestTurnaround is the longest time between an exchange and the next request that can be the tool's work; what
	// is longer is a wait.
	longestTurnaround = 10 * time.Millisecond
	// turnaroundSpan is over how many requests a slot has to stand idle for it to be one that nothing could go in.
	turnaroundSpan = 200
)

// turnaround is the mean time from the end of an exchange to the request that followed it, of the moments at which
// requests left and exchanges ended. Which request followed which is not recorded, but slots are used again in the order
// in which their exchanges end; those that stand idle all the while, as where an operation may hold no more of them, do
// not count. Where it is mostly nothing, as on paper, it is nothing.
func turnaround(sends, ends []int64) time.Duration {
	slices.Sort(sends)
	slices.Sort(ends)
	// The slots that a request could go in as it left are those of ends[from:to].
	type idle struct{ from, to int }
	slots := make([]idle, len(sends))
	from, to := 0, 0
	for i, sent := range sends {
		for to < len(ends) && ends[to] <= sent {
			to++
		}
		slots[i] = idle{from, to}
		if from < to { // else it is a slot's first
			from++
		}
	}
	var took []int64
	for span := range slices.Chunk(slots, turnaroundSpan) {
		unused := len(ends)
		for _, s := range span {
			unused = min(unused, max(0, s.to-s.from-1))
		}
		for _, s := range span {
			if s.from+unused < s.to {
				if d := sends[0] - ends[s.from+unused]; 0 <= d && d <= int64(longestTurnaround) {
					took = append(took, d)
				}
			}
			sends = sends[1:]
		}
	}
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	if took[len(took)/2] == 0 {
		return 0
	}
	var sum int64
	for _, d := range took {
		sum += d
	}
	return time.Duration(sum / int64(len(took)))
}
