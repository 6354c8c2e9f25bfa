package generator

import (
	"cmp"
	"slices"
	"time"

	"github.com/restest/restest/messages"
)

// downs say which operations may be what brings the API down: of an API that is down the others find nothing (decision 0017).
type downs struct {
	// last are the operations that were answered last, the newest first; -1 for none.
	last []int
	// gone is true from the first broken connection to the next answer. Since is when that was heard, lost are as many of the
	// requests that were not answered, the earliest sent first.
	gone  bool
	since messages.Instant
	lost  []lost
	// times counts how often the API went away and no suspect had been asked, before how often each operation had been, and
	// near how shortly before; all of them count half for each suspect that there was since. Anew are those times since then.
	times, anew  int
	before, near []int
	// suspects are asked in turns, each when the API has been up for long enough since quiet. Lasted is how long it was away
	// last.
	suspects []suspect
	turn     int
	quiet    messages.Instant
	lasted   time.Duration
}

// lost is a request that was not answered.
type lost struct {
	operation int
	sentAt    messages.Instant
}

// suspect is an operation that may be what brings the API down; calm counts the answers in its turns, in a row, that did not.
type suspect struct{ operation, calm int }

const (
	// mostLast is how many of those answered last are kept at most: half as many as there are operations, so that one that
	// has nothing to do with it is there every second time. A server that dies of what it has answered answers some more.
	mostLast = 16
	// leastDown is how long an API is away at least before it counts: connections are closed for other reasons, too.
	leastDown = 50 * time.Millisecond
	// enoughDowns is how often it has to have gone away before one is suspected, and how often in a row one is answered that
	// is suspected no more.
	enoughDowns = 5
	// upAsLong is how many times as long as it was away the API is up before one that is suspected is asked again.
	upAsLong = 8
)

func newDowns(operations int) downs {
	d := downs{before: make([]int, operations), near: make([]int, operations), last: make([]int, min(max(1, operations/2), mostLast))}
	for i := range d.last {
		d.last[i] = -1
	}
	return d
}

// holds says whether the operation is left alone for now.
func (d *downs) holds(operation int, now messages.Instant) bool {
	i := d.suspected(operation)
	return i >= 0 && (d.gone || i != d.turn%len(d.suspects) || d.early(now))
}

// early says whether the API has not been up for long enough to ask a suspect.
func (d *downs) early(now messages.Instant) bool { return now < d.quiet.Add(upAsLong*d.lasted) }

// suspected is the operation's place among the suspects, -1 if it is none.
func (d *downs) suspected(operation int) int {
	return slices.IndexFunc(d.suspects, func(s suspect) bool { return s.operation == operation })
}

// learn takes in how a request ended.
func (d *downs) learn(l *messages.Learned) {
	operation := l.Request.Operation
	switch {
	case l.Outcome == messages.Answered || l.Outcome == messages.BrokeOff:
		if d.gone && l.SentAt < d.since {
			return // on its way when the API went
		}
		if d.gone && l.SentAt >= d.since.Add(leastDown) {
			d.quiet, d.lasted = l.SentAt, time.Duration(l.SentAt-d.since)
			d.wentAway()
		}
		d.gone = false
		copy(d.last[1:], d.last)
		d.last[0] = operation
		if i := d.suspected(operation); i >= 0 && !d.early(l.SentAt) {
			d.turn, d.quiet = i+1, l.SentAt
			if d.suspects[i].calm++; d.suspects[i].calm > enoughDowns {
				d.suspects = slices.Delete(d.suspects, i, i+1)
			}
		}
	case l.Outcome != messages.NoReply || l.Kind != messages.WasReset && l.Kind != messages.ClosedIdle && l.Kind != messages.ClosedEarly:
	default:
		if !d.gone {
			d.gone, d.since, d.lost = true, l.HeardAt, d.lost[:0]
		}
		at, _ := slices.BinarySearchFunc(d.lost, l.SentAt, func(o lost, sent messages.Instant) int { return cmp.Compare(o.sentAt, sent) })
		d.lost = slices.Insert(d.lost, at, lost{operation, l.SentAt})
		d.lost = d.lost[:min(len(d.lost), len(d.last))]
	}
}

// wentAway notes that the API has been away, and suspects the one that was nearest before it, as long as it was mostly there.
func (d *downs) wentAway() {
	var there []int // the nearest first
	for i, operation := range d.last {
		if operation >= 0 {
			there = append(there, operation)
		}
		if i < len(d.lost) {
			there = append(there, d.lost[i].operation)
		}
	}
	explained := false
	for i := range d.suspects {
		if slices.Contains(there, d.suspects[i].operation) {
			d.suspects[i].calm, explained = 0, true
		}
	}
	if explained {
		return
	}
	d.times++
	d.anew++
	most := d.lost[0].operation
	for i, operation := range there {
		if slices.Contains(there[:i], operation) {
			continue
		}
		d.before[operation]++
		if d.near[operation] += 2*len(d.last) - i; d.near[operation] > d.near[most] {
			most = operation
		}
	}
	switch {
	case d.anew < enoughDowns:
		return
	case 4*d.before[most] >= 3*d.times:
		d.suspects = append(d.suspects, suspect{operation: most})
		d.before[most], d.near[most] = 0, 0
	case d.times < 4*enoughDowns:
		return
	}
	d.times, d.anew = d.times/2, 0 // what others have to do with it may have been that one's doing, or not
	for i := range d.before {
		d.before[i], d.near[i] = d.before[i]/2, d.near[i]/2
	}
}
