package inference

import (
	"slices"
	"time"
)

// Certainty is how sure a verdict is.
type Certainty int

// The certainties.
const (
	NotSure Certainty = iota
	Likely
	Sure
)

func (c Certainty) String() string { return [...]string{"not sure", "likely", "sure"}[c] }

// Verdict is what a table says.
type Verdict struct {
	Family    Family
	Certainty Certainty
	// Candidates are the families that are not ruled out, the likeliest first.
	Candidates []Family
	// AtOnce is how many were let through at once (B).
	AtOnce int
	// Limit is how many in a Window the family's numbers say.
	Limit  int
	Window time.Duration
	// shut says that it has hardly been seen to open again.
	shut bool
}

// enough is how many requests a family has to be wrong by to be ruled out.
func (p *Planner) enough() int {
	used, _, _, _ := opening(p.table)
	return max(1, min(used, p.known.Limit)/20)
}

// alive are the candidates that are not ruled out, the best first.
func (p *Planner) alive() []*candidate {
	all := candidates(p.known, p.table)
	slices.SortStableFunc(all, func(a, b *candidate) int { return a.missed - b.missed })
	for i, c := range all {
		if c.missed >= all[0].missed+p.enough() {
			return all[:i]
		}
	}
	return all
}

// unproven says whether a limit of what is under way is all that is left, and has not shown itself: it lets through
// about as many each time, and as many again at once after it has refused some.
func (p *Planner) unproven(c *candidate) bool {
	m, is := c.model.(*together)
	if !is {
		return false
	}
	if 10*m.least < 7*m.most {
		return true
	}
	for i := 1; i < len(p.table); i++ {
		before, b := p.table[i-1], p.table[i]
		if before.Refused() > 0 && b.Accepted >= m.least && b.Lo.Sub(before.Hi) <= p.width() {
			return false
		}
	}
	return true
}

// reopened is how many were let through after some had been refused.
func (p *Planner) reopened() (n int) {
	shut := false
	for _, b := range p.table {
		if shut {
			n += b.Accepted
		}
		shut = shut || b.Refused() > 0
	}
	return n
}

// families are those of the candidates, in their order.
func families(all []*candidate) []Family {
	var fs []Family
	for _, c := range all {
		if !slices.Contains(fs, c.family) {
			fs = append(fs, c.family)
		}
	}
	return fs
}

// Verdict is what the table says so far.
func (p *Planner) Verdict() Verdict {
	used, _, _, refused := opening(p.table)
	v := Verdict{AtOnce: used}
	switch {
	case p.delaying():
		return p.verdictOfStairs()
	case !refused && p.slowsDown():
		v.Family, v.Certainty, v.Candidates, v.Limit = SlowDown, Likely, []Family{SlowDown}, p.known.Limit
		return v
	case !refused && p.ramped:
		v.Family, v.Candidates, v.Limit = SlowDown, []Family{SlowDown, Queue}, p.known.Limit
		return v
	case !refused:
		v.Family, v.Certainty = None, Likely
		v.Candidates = []Family{None}
		return v
	case used == 0:
		return v
	case used == 1 && (p.known.Limit == 1 || p.known.Found):
		v.Family, v.Certainty, v.Candidates, v.Limit = One, Sure, []Family{One}, 1
		return v
	}
	alive := p.alive()
	if len(alive) == 0 {
		return v
	}
	best := alive[0]
	v.Candidates = families(alive)
	v.Family, v.Limit, v.Window = v.Candidates[0], best.limit, best.window
	if b, is := best.model.(*bucket); is {
		v.AtOnce = int(b.from) // what came back meanwhile was let through too
	}
	if v.Family == Concurrency {
		v.AtOnce = best.limit // what was over before does not count
	}
	switch {
	case len(v.Candidates) > 1 && p.hides(alive):
		v.Family, v.Certainty = Leaky, Likely
	case len(v.Candidates) > 1:
		v.Certainty = NotSure
	case p.known.Found && best.missed > 0 || p.unproven(best) && !p.over:
		v.Certainty = NotSure
	case p.known.Found || best.missed > 0 || p.unproven(best) || best.window != 0 && best.window != p.known.Window:
		v.Certainty = Likely // found, and not what is published
	case best.loose && best.limit != p.known.Limit:
		v.Certainty = Likely // nor what leaves much open, with a limit of its own
	case 2*p.reopened() < used:
		v.Certainty, v.shut = Likely, true
	default:
		v.Certainty = Sure
	}
	return v
}

// hides says whether what is left beside a bucket without a burst is what our own timing cannot tell from it: a bucket
// with a burst no larger than what is handed out during a batch, and a limit of what is under way that either does not
// let through as many each time or has nothing to do with the limit that is known.
func (p *Planner) hides(alive []*candidate) bool {
	leaky := false
	for _, c := range alive {
		switch m := c.model.(type) {
		case *together:
			if m.least == m.most && 4*m.least > p.known.Limit {
				return false
			}
		case *bucket:
			leaky = leaky || c.family == Leaky
			if m.to > 2+m.fast*float64(p.width()) {
				return false
			}
		default:
			return false
		}
	}
	return leaky
}
