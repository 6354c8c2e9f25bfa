package classifier

import (
	"time"

	"github.com/restest/restest/clock/retryafter"
	"github.com/restest/restest/messages"
)

// refusal is whether a reply asks to wait, and for how long (ADR-0042 §1).
type refusal struct {
	asks   bool
	stated bool
	wait   time.Duration
}

// refusal reads a reply whose header came at that moment. A 429 asks to wait, whether it says how long or not; a 503
// does only if it carries a Retry-After that can be read, and is a server error like any other if not.
func (c *Classifier) refusal(reply *messages.Reply, heardAt messages.Instant) refusal {
	if reply == nil || reply.Status != 429 && reply.Status != 503 {
		return refusal{}
	}
	lines := messages.Values(reply.Header, "Retry-After")
	if lines == nil {
		return refusal{asks: reply.Status == 429}
	}
	reading, stated := retryafter.Read(lines, messages.Get(reply.Header, "Date"), c.clock.Wall(heardAt))
	return refusal{asks: stated || reply.Status == 429, stated: stated, wait: reading.Wait}
}
