package pacer

import (
	"time"

	"github.com/restest/restest/messages"
)

// gapPercents are where the counts of gaps part, in percent of the promised interval: finely about the promise, so that
// it can be seen that nothing lies before it and how close behind it the run went.
var gapPercents = []time.Duration{0, 50, 90, 95, 99, 100, 101, 102, 105, 110, 120, 150, 200, 300, 500, 1000, 2000, 5000, 10000}

// gaps counts the times between two writes; it is nil with no rate.
type gaps []messages.Gaps

func newGaps(interval time.Duration) gaps {
	if interval <= 0 {
		return nil
	}
	g := make(gaps, len(gapPercents))
	for i, percent := range gapPercents {
		g[i].Least = interval * percent / 100
	}
	return g
}

func (g gaps) add(gap time.Duration) {
	for i := len(g) - 1; i >= 0; i-- {
		if gap >= g[i].Least || i == 0 {
			g[i].Count++
			return
		}
	}
}
