package inference

import (
	"slices"
	"time"
)

// delaying says whether the answers of the first burst came one after the other at the pace that the limit allows, and
// those of the second, if there was one: once may be chance.
func (p *Planner) delaying() bool {
	if len(p.table) < 2 {
		return false
	}
	for i, b := range p.table {
		if i == 1 || b.Why == whySecond {
			if _, ok := p.pace(b); !ok {
				return false
			}
		}
	}
	return true
}

// pace is the time between the answers of a batch that were delayed, false if they were not delayed as a limiter of
// this limit would do it. It is measured where the delays are long: the short ones may be the server's own.
func (p *Planner) pace(b Batch) (time.Duration, bool) {
	alone := p.table[0].Hi.Sub(p.table[0].Lo)
	step := float64(p.known.Window) / float64(p.known.Limit)
	delayed := b.delays(true)
	i, _ := slices.BinarySearch(delayed, alone+time.Duration(step/4))
	delayed = delayed[i:]
	n := len(delayed)
	if n == 0 || delayed[n-1]-alone < p.part(0.06) {
		return 0, false
	}
	longest := delayed[n-1]
	pace := float64(longest-alone) / float64(n)
	if from, _ := slices.BinarySearch(delayed, longest/2); n-1-from > 1 {
		pace = float64(longest-delayed[from]) / float64(n-1-from)
	}
	return time.Duration(pace), pace > 0.7*step && pace < 1.4*step
}

// nextOfStairs asks, once what waited is through, whether one alone is answered at once: a queue is empty then, and a
// slow-down has not forgotten. Then there is another burst, if the first looked like a queue's.
func (p *Planner) nextOfStairs(now Instant) (Step, bool) {
	step := p.known.Window / time.Duration(p.known.Limit)
	at := now.Add(max(step+step/4, p.part(0.1)))
	switch last := p.table[len(p.table)-1]; {
	case !p.asked:
		p.asked = true
		return Step{Why: whyEmpty, At: at, N: 1}, true
	case last.Why == whyEmpty && !p.slowsDown():
		return Step{Why: whySecond, At: at, N: p.table[1].N}, true
	}
	return Step{}, false
}

// ramps says whether the answers of the last burst came one after the other, evenly, at whichever pace.
func (p *Planner) ramps() bool {
	alone := p.table[0].Hi.Sub(p.table[0].Lo)
	delayed := p.table[len(p.table)-1].delays(true)
	i, _ := slices.BinarySearch(delayed, 4*alone+5*time.Millisecond)
	delayed = delayed[i:]
	n := len(delayed)
	if n < 3 || delayed[n-1] < 60*time.Millisecond {
		return false
	}
	rise := float64(delayed[n-1]-delayed[0]) / float64(n-1)
	loosely := max(2*rise, float64(delayed[n-1])/8)
	for i, d := range delayed {
		if off := float64(d-delayed[0]) - rise*float64(i); off > loosely || off < -loosely {
			return false
		}
	}
	return rise > 0
}

// slowsDown says whether one alone, after all of the burst was answered, was still delayed as the last of them was:
// what is delayed by its count, not by those before it.
func (p *Planner) slowsDown() bool {
	i := slices.IndexFunc(p.table, func(b Batch) bool { return b.Why == whyEmpty })
	if i < 1 {
		return false
	}
	burst, alone := p.table[i-1].delays(true), p.table[i].delays(true)
	return len(burst) > 0 && len(alone) == 1 && alone[0] > 30*time.Millisecond && alone[0] > burst[len(burst)-1]/2
}

func (p *Planner) verdictOfStairs() Verdict {
	b := p.table[1]
	v := Verdict{Family: Queue, Certainty: Likely, Candidates: []Family{Queue, SlowDown}, AtOnce: b.Accepted, Limit: p.known.Limit}
	if p.known.Limit == 1 {
		v.Family, v.Candidates = One, []Family{One}
	}
	if len(p.table) < 3 {
		return v
	}
	if p.slowsDown() {
		v.Family, v.Candidates = SlowDown, []Family{SlowDown}
		return v
	}
	second := slices.ContainsFunc(p.table, func(b Batch) bool { return b.Why == whySecond })
	if burst := b.delays(true); second && len(burst) > 0 && 4*p.table[0].Hi.Sub(p.table[0].Lo) < burst[len(burst)-1] {
		v.Certainty = Sure // they were delayed by far more than one alone
	}
	if v.Family == Queue {
		v.Candidates = []Family{Queue}
	}
	return v
}
