package pacer

import (
	"github.com/restest/restest/clock"
	"github.com/restest/restest/settings"
)

// window bounds the requests in flight: it widens by one while answers come and room is wanted, and halves when a
// request times out or its connection is reset. A refusal is no sample of it; neither is how long an answer took.
type window struct {
	least, most, width int
	answers            int
	lacked             bool
	narrowed           clock.Instant
}

func newWindow(s settings.Engine) window {
	return window{least: s.MinConcurrency, most: s.MaxConcurrency, width: s.InitialConcurrency, narrowed: -1}
}

// answered counts an ordinary answer: after twice as many as the window is wide it widens by one, if a request whose
// turn had come lacked a slot meanwhile.
func (w *window) answered() {
	w.answers++
	if w.answers < 2*w.width {
		return
	}
	if w.lacked {
		w.width = min(w.width+1, w.most)
	}
	w.answers, w.lacked = 0, false
}

// overloaded halves the window, once for all requests that were on their way when it was halved before.
func (w *window) overloaded(sentAt, now clock.Instant) {
	if sentAt < w.narrowed {
		return
	}
	w.width = max(w.width/2, w.least)
	w.answers, w.lacked, w.narrowed = 0, false, now
}

// restart begins again from the fewest.
func (w *window) restart(now clock.Instant) {
	w.width = w.least
	w.answers, w.lacked, w.narrowed = 0, false, now
}
