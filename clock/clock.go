// Package clock is the only place where time is read or waited for.
package clock

import (
	"time"

	"github.com/restest/restest/messages"
)

// Instant is a moment of a run, nanoseconds since it began.
type Instant = messages.Instant

// Never is later than every moment of a run.
const Never = messages.Never

// Clock is what a stage knows of time.
type Clock interface {
	// Now is the present moment.
	Now() Instant
	// At has f called once, at the moment t or, if that is past, at once; f may only tell a message. The function
	// returned takes the wish back if it has not been fulfilled; taking it back twice, or late, does nothing.
	At(t Instant, f func()) (cancel func())
	// Wall is the wall time of the moment t.
	Wall(t Instant) time.Time
}
