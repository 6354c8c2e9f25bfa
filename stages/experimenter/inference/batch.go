// Package inference says from a table of experiments which limiter stands in front of an API, how sure that is, and
// which experiment to do next.
//
// It is plain arithmetic: a table goes in, a verdict comes out. Each family of limiters is a model that says of a batch
// of requests between how many and how many of them it would have let through, whenever between the moment the first
// was sent and the moment the last was answered each of them may have come. A family whose bounds are broken is ruled
// out; what is left is the verdict. So a family is never ruled out by our own timing.
package inference

import (
	"slices"
	"time"

	"github.com/restest/restest/messages"
)

// Instant is a moment of a run.
type Instant = messages.Instant

// Step is one batch to send.
type Step struct {
	// Why is what it is sent for, in a few words; Question is the question of the examination it belongs to.
	Why      string
	Question Question
	// At is the moment it is to be sent, N how many requests it has: all at once, or evenly over Spread.
	At     Instant
	N      int
	Spread time.Duration
	// Variant is which of the requests it is that the examination was given; 0: the plain one.
	Variant int
	// Control says that it is to show that the plain request is still refused.
	Control bool
	// Whole says that all answers are waited for, even if refusals are known to come late.
	Whole bool
}

// Batch is requests that were sent together, and what came of them. The next batch is sent when this one is over.
type Batch struct {
	Step
	// Lo is the moment the first was sent, Hi that of the last answer: each came to the limiter between the two.
	Lo, Hi Instant
	// Over is when the last of it was over, which is later than Hi where refusals are held back or not answered at all.
	Over Instant
	// Accepted is how many the limiter let through.
	Accepted int
	// Answers are all of them, in the order they were sent.
	Answers []Answer
}

// Answer is how one request ended.
type Answer struct {
	Sent, Heard Instant
	Accepted    bool
	How         How
	Status      int
	// Said is what the reply said of a quota, nil if it said nothing.
	Said *Said
}

// Took is how long the answer took.
func (a Answer) Took() time.Duration { return a.Heard.Sub(a.Sent) }

// How is how an answer came.
type How int

// The ways.
const (
	Replied How = iota
	// Dropped: nothing came until the time-out.
	Dropped
	// Closed: the connection was closed or reset before a reply.
	Closed
	// Late: refusals are known to come late, and it was not waited for.
	Late
)

// Refused is how many were not let through.
func (b Batch) Refused() int { return b.N - b.Accepted }

// delays are how long the answers of those let through took, the shortest first; of those refused otherwise.
func (b Batch) delays(accepted bool) []time.Duration {
	var all []time.Duration
	for _, a := range b.Answers {
		if a.Accepted == accepted && a.How == Replied {
			all = append(all, a.Took())
		}
	}
	slices.Sort(all)
	return all
}

// blurred is the batch with the moments of its arrival further apart.
func (b Batch) blurred(by time.Duration) Batch {
	b.Lo, b.Hi = b.Lo.Add(-by), b.Hi.Add(by)
	return b
}

// bounds are the least and the most of a batch that a family lets through.
type bounds struct{ least, most int }

// miss is how many requests n lies outside of the bounds.
func (b bounds) miss(n int) int { return max(0, b.least-n, n-b.most) }

// within keeps the bounds between 0 and n.
func (b bounds) within(n int) bounds {
	return bounds{min(max(0, b.least), n), min(max(0, b.most), n)}
}

// span is a stretch of time.
type span struct{ lo, hi Instant }

// Said is what a reply says of a quota, in the fields' own words.
type Said struct {
	// Family is the name of the fields without what comes after "limit".
	Family                  string
	Limit, Remaining, Reset string
	// Left and More are what they mean: so many are left, and there will be more after so long. Read says that they can
	// be read.
	Read bool
	Left int64
	More time.Duration
	// RetryAfter is that field's words, Wait what they mean; Stated says that they can be read.
	RetryAfter string
	Stated     bool
	Wait       time.Duration
	// OffSpec labels a form of it that is not RFC 9110's.
	OffSpec string
}
