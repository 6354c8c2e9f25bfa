package inference

import (
	"math"
	"time"
)

// Planner holds the table and says what to send next. It is a plain value: it is given the time and waits for nothing.
type Planner struct {
	known Known
	table []Batch
	queue []Step
	sent  int
	// MostRequests and MostTime bound what may be spent.
	MostRequests int
	MostTime     time.Duration
	// quiet is how long the API has asked to be left alone: no experiment begins before it.
	quiet Instant
	over  bool
	// asked says that the single request after the queue has emptied was sent, ramped that it was because answers came
	// one after the other.
	asked, ramped bool
}

// New makes a planner for a limit of so many in a window, both known.
func New(k Known) *Planner {
	return &Planner{known: k, MostRequests: 14 * k.Limit, MostTime: 16 * k.Window}
}

// Table is what was sent so far and what came of it.
func (p *Planner) Table() []Batch { return p.table }

// coarse is how far from ours a server's reading of time may be: many count in whole milliseconds.
const coarse = time.Millisecond

// What batches are sent for.
const (
	whyAlone  = "one alone"
	whyBurst  = "a burst of half as many again as the limit"
	whyTwice  = "twice as many, as none was refused"
	whyFew    = "as many as were let through at once before"
	whyWhole  = "the limit, when all of it should be back"
	whyEmpty  = "one alone, once the queue has emptied"
	whySecond = "the burst once more"
)

// Add takes in what came of the step that Next gave last.
func (p *Planner) Add(b Batch) {
	p.table = append(p.table, b.blurred(min(coarse, p.known.Window/400)))
	p.sent += b.N
}

// part is a share of the window.
func (p *Planner) part(share float64) time.Duration {
	return time.Duration(share * float64(p.known.Window))
}

// apart is how far from a multiple of the wall clock's window the first request of all is sent: windows of the wall
// clock and windows from the first request then never begin together.
const apart = 0.37

// Next is the next batch, false if nothing more is worth sending.
func (p *Planner) Next(now Instant) (Step, bool) {
	if p.over {
		return Step{}, false
	}
	s, ok := p.next(now)
	if !ok || p.sent+s.N > p.MostRequests {
		p.over = true
		return Step{}, false
	}
	s.At = max(s.At, now)
	return s, true
}

func (p *Planner) next(now Instant) (Step, bool) {
	if len(p.queue) > 0 {
		s := p.queue[0]
		p.queue = p.queue[1:]
		return s, true
	}
	limit := p.known.Limit
	switch _, _, _, refused := opening(p.table); {
	case len(p.table) == 0:
		return Step{Why: whyAlone, At: p.at(max(now, p.quiet), apart), N: 1}, true
	case len(p.table) == 1:
		return Step{Why: whyBurst, At: now, N: half(3*limit) + 1}, true
	case !p.known.Found && p.delaying():
		return p.nextOfStairs(now)
	case !refused && p.ramps() && !p.asked:
		p.ramped = true
		return p.nextOfStairs(now)
	case !refused && p.slowsDown():
		return Step{}, false
	case !refused && p.sent < 5*limit:
		return Step{Why: whyTwice, At: now, N: min(2*p.table[len(p.table)-1].N, p.MostRequests-p.sent)}, true
	case !refused:
		return Step{}, false
	}
	switch v := p.Verdict(); {
	case v.shut && p.table[len(p.table)-1].Why != whyWhole:
		return Step{Why: whyWhole, At: max(now.Add(p.rest(p.alive())), p.quiet), N: max(limit, v.AtOnce)}, true
	case v.Certainty > NotSure:
		return Step{}, false
	}
	return p.best(now)
}

// at is the first moment from now on that lies so far into a window of the wall clock.
func (p *Planner) at(now Instant, share float64) Instant {
	w := int64(p.known.Window)
	into := floorMod(int64(now-p.known.edge(p.known.Window))-int64(p.part(share)), w)
	if into == 0 {
		return now
	}
	return now.Add(time.Duration(w - into))
}

func floorMod(a, b int64) int64 { return (a%b + b) % b }

func half(n int) int { return (n + 1) / 2 }

// script is a few batches, at moments counted in windows from a beginning.
type script struct {
	why   string
	rest  bool    // everything has to be as new first
	phase float64 // where in a window of the wall clock it begins; negative: anywhere
	steps []rel
}

type rel struct {
	why string
	at  float64
	n   int
}

// scripts are the experiments there are.
func (p *Planner) scripts() []script {
	used, _, _, _ := opening(p.table)
	most := max(p.known.Limit, used)
	full, few, some := most+1, max(2, half(half(most))), max(1, half(most))
	var all []script
	for _, d := range []float64{0, 0.12, 0.3, 0.5, 0.7, 0.9, 1.1, 1.35} {
		for _, n := range []int{few, full} {
			all = append(all, script{"", false, -1, []rel{{"again after a while", d, n}}})
		}
	}
	for _, phase := range []float64{0.05, 0.2, 0.37, 0.55, 0.7, 0.92} {
		all = append(all, script{"", true, phase, []rel{
			{"the first half", 0, some}, {"the other half later", 0.6, some}, {"the limit, as the first half is a window old", 1.08, full},
		}}, script{"", true, phase, []rel{
			{"the limit", 0, most}, {"again soon", 0.16, most},
		}}, script{"", true, phase, []rel{
			{"the limit", 0, most}, {"again a while later", 0.5, full}, {"again a window later", 1.1, full},
		}}, script{"", true, phase, []rel{
			{"one that opens a window", 0, 1}, {"the limit just before it ends", 0.88, max(1, most-1)}, {"the limit just after", 1.08, full},
		}})
	}
	return all
}

// rest is how long nothing has to be sent for every model that is left to be as new.
func (p *Planner) rest(alive []*candidate) time.Duration {
	share := 1.1
	for _, c := range alive {
		m := c.model
		if b, is := m.(*bySecond); is {
			m = b.model
		}
		switch m := m.(type) {
		case *weighted:
			share = max(share, 2.1)
		case *bucket:
			share = max(share, 1.05*m.to/m.slow/float64(p.known.Window))
		}
	}
	return p.part(min(share, 4))
}

// width is how far apart the arrivals of a batch may be.
func (p *Planner) width() time.Duration {
	var widest time.Duration
	for _, b := range p.table {
		widest = max(widest, b.Hi.Sub(b.Lo))
	}
	return widest + widest/8
}

// mostCompared bounds how many candidates are played through the scripts.
const mostCompared = 40

// lag is how much longer a batch takes that is refused some.
func (p *Planner) lag() (longest time.Duration) {
	for _, b := range p.table {
		longest = max(longest, b.Over.Sub(b.Hi))
	}
	return longest
}

// best is the first step of the script that tells most of what is left apart, for what it costs; its other steps are
// put into the queue.
func (p *Planner) best(now Instant) (Step, bool) {
	alive := p.alive()
	if len(families(alive)) < 2 {
		return p.few(alive, now)
	}
	if len(alive) > mostCompared {
		alive = alive[:mostCompared]
	}
	width := p.width()
	var best script
	var from Instant
	most := 0.0
	for _, s := range p.scripts() {
		start := now
		if s.rest {
			start = max(start.Add(p.rest(alive)), p.quiet)
		}
		if s.phase >= 0 {
			start = p.at(start, s.phase)
		}
		requests := 0
		for _, r := range s.steps {
			requests += r.n
		}
		end := start.Add(p.part(s.steps[len(s.steps)-1].at))
		if p.sent+requests > p.MostRequests || end.Sub(p.table[0].Lo) > p.MostTime-p.part(0.1) {
			continue
		}
		cost := float64(requests)/float64(p.known.Limit) + end.Sub(now).Seconds()/p.known.Window.Seconds()
		worth := p.separates(alive, s, start, width)
		if worth == 0 {
			continue
		}
		if score := worth / (3 + cost); score > most {
			best, from, most = s, start, score
		}
	}
	if most == 0 {
		return p.few(alive, now)
	}
	for _, r := range best.steps {
		p.queue = append(p.queue, Step{Why: r.why, At: from.Add(p.part(r.at)), N: r.n})
	}
	s := p.queue[0]
	p.queue = p.queue[1:]
	return s, true
}

// fewTries is how often a few are sent at once to see whether as many as before are let through each time.
const fewTries = 8

// few sends as many at once as were let through at least, to tell what counts requests under way from what hands them
// out so fast that the answers' own time hides it: the first lets all of them through each time.
func (p *Planner) few(alive []*candidate, now Instant) (Step, bool) {
	tries := 0
	for _, b := range p.table {
		if b.Why == whyFew {
			tries++
		}
	}
	for _, c := range alive {
		if c.family == Concurrency && tries < fewTries {
			n := c.model.(*together).least
			if len(alive) == 1 {
				n = 2 * n // to be refused some, so that the next shows whether as many are let through again
			}
			return Step{Why: whyFew, At: now, N: n}, true
		}
	}
	return Step{}, false
}

// separates is how many pairs of families a script is expected to tell apart: one for a pair whose bounds do not
// meet, a part of one where they may not.
func (p *Planner) separates(alive []*candidate, s script, start Instant, width time.Duration) float64 {
	paths := make([][]bounds, len(alive))
	lag := p.lag()
	for i, c := range alive {
		m := c.model.clone()
		free := start
		for _, r := range s.steps {
			at := max(free, start.Add(p.part(r.at)))
			b := m.expect(at, at.Add(width), r.n)
			paths[i] = append(paths[i], b)
			m.note(at, at.Add(width), r.n, (b.least+b.most)/2)
			if free = at.Add(width); b.least < r.n {
				free = free.Add(lag)
			}
		}
	}
	sum := 0.0
	enough := p.enough()
	for i := range alive {
		for j := range i {
			if alive[i].family == alive[j].family {
				continue
			}
			pair := 0.0
			for k := range s.steps {
				a, b := paths[i][k], paths[j][k]
				gap := max(a.least-b.most, b.least-a.most)
				apart := math.Abs(float64(a.least+a.most-b.least-b.most)) / 2
				switch {
				case gap >= enough:
					pair = max(pair, 1)
				case gap > 0:
					pair = max(pair, 0.5)
				case apart >= max(1, 0.2*float64(s.steps[k].n)):
					pair = max(pair, 0.25)
				}
			}
			sum += pair
		}
	}
	return sum
}
