package reporter

import (
	"time"

	"github.com/restest/restest/messages"
)

// counts are requests by how they ended. Each request is in exactly one of sent and neverSent, and each that was sent
// in exactly one of the classes or in noReply.
type counts struct {
	sent      int64
	neverSent int64
	noReply   int64
	// classes counts the replies by the first digit of their status; 0 stands for a status outside 100-599.
	classes [6]int64
	// refused counts those among the replies that ask for a wait: 429, or 503 with a readable Retry-After.
	refused int64
}

func (c *counts) add(ex *messages.Exchange, refused bool) {
	switch ex.Outcome {
	case messages.NeverSent:
		c.neverSent++
	case messages.NoReply:
		c.sent++
		c.noReply++
	default:
		c.sent++
		c.classes[class(ex.Reply.Status)]++
		if refused {
			c.refused++
		}
	}
}

// answered counts the replies: a status line came, and perhaps not the whole body.
func (c *counts) answered() int64 {
	var n int64
	for _, k := range c.classes {
		n += k
	}
	return n
}

// onlyRefused says that there were replies, and that each asked for a wait.
func (c *counts) onlyRefused() bool { return c.refused > 0 && c.refused == c.answered() }

func class(status int) int {
	if status < 100 || status > 599 {
		return 0
	}
	return status / 100
}

// tally counts what became of every request.
type tally struct {
	all        counts
	operations []operationTally
	statuses   map[int]int64
	hops       int64

	lap, lapUnauthorized int64 // replies to the opening lap, and those of them that were 401
	unauthorized         int64
	signIns              int64 // replies to sign-ins

	answeredIn lengths // of the replies that were not redirected

	time     series
	unjudged map[string]int64
	// unread are the fields on a quota that were ignored or capped, of a few names and reasons of our own.
	unread map[string]int64
}

type operationTally struct {
	counts
	statuses   map[int]int64
	answeredIn lengths
	// said is how the operation first refused a request for what was in it.
	said string
}

func newTally(operations int) tally {
	return tally{
		operations: make([]operationTally, operations),
		statuses:   map[int]int64{},
		time:       newSeries(),
		unjudged:   map[string]int64{},
		unread:     map[string]int64{},
	}
}

func (t *tally) add(j *messages.Judged) {
	ex := j.Exchange
	op := &t.operations[ex.Request.Operation]
	t.all.add(ex, j.Refused)
	op.add(ex, j.Refused)
	if ex.Outcome != messages.NeverSent {
		t.time.add(ex, j.Refused)
	}
	t.hops += int64(len(ex.Hops))
	if j.Unjudged != "" {
		t.leftUnjudged(j.Unjudged)
	}
	for _, what := range j.Unread {
		t.unread[what]++
	}
	if ex.Reply == nil {
		return
	}
	status := ex.Reply.Status
	if ex.Request.SignIn != nil {
		t.signIns++
	}
	t.statuses[status]++
	if op.statuses == nil {
		op.statuses = map[int]int64{}
	}
	op.statuses[status]++
	if status == 401 {
		t.unauthorized++
	}
	if ex.Request.Purpose == messages.OpeningLap {
		t.lap++
		if status == 401 {
			t.lapUnauthorized++
		}
	}
	// What lies between the first write and the last reply of a redirect is not one answer's time.
	if len(ex.Hops) == 0 && ex.HeardAt >= ex.SentAt {
		t.answeredIn.add(ex.HeardAt.Sub(ex.SentAt))
		op.answeredIn.add(ex.HeardAt.Sub(ex.SentAt))
	}
}

// mostReasons bounds the different reasons kept for replies that could not be judged.
const mostReasons = 100

func (t *tally) leftUnjudged(reason string) {
	reason = clip(reason, 300)
	if _, ok := t.unjudged[reason]; !ok && len(t.unjudged) >= mostReasons {
		reason = "other reasons"
	}
	t.unjudged[reason]++
}

// mostBuckets bounds the series of a run over time.
const mostBuckets = 600

// series counts the requests of a run by when they went out. Its buckets are a second wide, and wider for a run of
// more than ten minutes.
type series struct {
	width   time.Duration
	buckets []stretch
}

// stretch is one bucket: the requests that went out in it, and the time that requests were under way in it, summed over
// them all.
type stretch struct {
	counts
	underWay time.Duration
}

func newSeries() series {
	return series{width: time.Second, buckets: make([]stretch, 0, mostBuckets)}
}

func (s *series) add(ex *messages.Exchange, refused bool) {
	s.at(ex.SentAt).add(ex, refused)
	// A request can be under way through many buckets, and the later ones may not be there yet.
	for from := max(ex.SentAt, 0); from < ex.EndedAt; {
		b := s.at(from)
		next := messages.Instant(int64(from)/int64(s.width)+1) * messages.Instant(s.width)
		until := min(next, ex.EndedAt)
		b.underWay += until.Sub(from)
		from = until
	}
}

func (s *series) at(t messages.Instant) *stretch {
	t = max(t, 0)
	for int64(t)/int64(s.width) >= mostBuckets {
		s.halve()
	}
	i := int(int64(t) / int64(s.width))
	for len(s.buckets) <= i {
		s.buckets = append(s.buckets, stretch{})
	}
	return &s.buckets[i]
}

// halve makes each two buckets one.
func (s *series) halve() {
	s.width *= 2
	n := (len(s.buckets) + 1) / 2
	for i := range n {
		b := s.buckets[2*i]
		if 2*i+1 < len(s.buckets) {
			b.plus(&s.buckets[2*i+1].counts)
			b.underWay += s.buckets[2*i+1].underWay
		}
		s.buckets[i] = b
	}
	s.buckets = s.buckets[:n]
}

func (c *counts) plus(d *counts) {
	c.sent += d.sent
	c.neverSent += d.neverSent
	c.noReply += d.noReply
	c.refused += d.refused
	for i, k := range d.classes {
		c.classes[i] += k
	}
}
