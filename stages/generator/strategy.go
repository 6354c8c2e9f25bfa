package generator

import (
	"net/http"
	"slices"

	"github.com/restest/restest/messages"
	testplan "github.com/restest/restest/settings/plan"
	"github.com/restest/restest/stages/generator/coverage"
	"github.com/restest/restest/stages/generator/draft"
	"github.com/restest/restest/stages/generator/fuzzing"
	"github.com/restest/restest/stages/generator/mutations"
	"github.com/restest/restest/stages/generator/values"
)

// strategy builds requests to one end.
type strategy interface {
	// next is the operation's nth request, nil if there is none to that end now: its share goes to the others then. It
	// changes nothing that would have to be undone for a request that is never sent.
	next(g *Generator, p *plan, nth int) *messages.Request
}

// strategies say to which end an operation's next request is built: after the opening lap the rules of the document one
// by one, then the plan's strategies by their shares (decision 0016).
type strategies struct {
	shares []share
	total  uint64
	// cover is the coverage of each operation, before where the newest request found it.
	cover  []coverage.Coverage
	before coverage.Cursor
	// covers is true if the coverage was asked for the newest request: what could not be sent is passed over there even
	// where nothing came of it. Of is that request's number: a step of a series may be newer, and is not theirs.
	covers bool
	of     int64
	// accepted are requests that were accepted, by operation, and under way those that may be.
	accepted []ring
	underWay map[int64]draft.Draft
	mutates  bool
}

// share is a strategy of the plan.
type share struct {
	of      strategy
	purpose messages.Purpose
	size    uint64
}

func newStrategies(p *testplan.Plan, operations int) strategies {
	s := strategies{
		cover: make([]coverage.Coverage, operations), accepted: make([]ring, operations), underWay: map[int64]draft.Draft{},
	}
	for _, planned := range p.Strategies {
		size := uint64(planned.Share)
		if size == 0 {
			continue
		}
		switch planned.Name {
		case testplan.Nominal:
			s.shares = append(s.shares, share{nominal{groupsOf(planned)}, messages.Nominal, size})
		case testplan.Mutation:
			s.shares = append(s.shares, share{mutating{}, messages.Mutating, size})
			s.mutates = true
		case testplan.Fuzzing:
			s.shares = append(s.shares, share{fuzzed{groupsOf(planned)}, messages.Fuzzing, size})
		default:
			continue // nobody follows it here, and its share goes to the others
		}
		s.total += size
	}
	return s
}

// add begins the coverage of an operation.
func (s *strategies) add(p *plan, most int) {
	codes := make([]string, len(p.op.Responses))
	for i, r := range p.op.Responses {
		codes[i] = r.Code
	}
	s.cover[p.op.Index] = coverage.New(&p.form, codes, most)
}

// byStrategy builds the operation's nth request to the end whose turn it is.
func (g *Generator) byStrategy(p *plan, nth int) (*messages.Request, messages.Purpose) {
	s := &g.strategies
	s.before, s.covers = s.cover[p.op.Index].Cursor(), true
	if r := g.cover(p, nth); r != nil {
		return r, messages.Covering
	}
	if p.isBare() && len(s.shares) > 0 {
		return p.request(g, nth, g.failed[p.op.Index], asked{}), messages.Nominal
	}
	var few [8]share
	left, total := append(few[:0], s.shares...), s.total
	number := scatter(g.config.Seed, p.op.Index, nth, g.failed[p.op.Index])
	for len(left) > 0 {
		at, i := number%total, 0
		for ; at >= left[i].size; i++ {
			at -= left[i].size
		}
		if r := left[i].of.next(g, p, nth); r != nil {
			return r, left[i].purpose
		}
		total -= left[i].size
		left = slices.Delete(left, i, i+1)
		number = scatter(number, p.op.Index, nth, len(left))
	}
	return p.request(g, nth, g.failed[p.op.Index], asked{}), messages.Nominal
}

// isBare says whether each request of the operation is like the other.
func (p *plan) isBare() bool { return len(p.form.Parts) == 0 && p.body == nil }

// scatter is a number that hangs on the seed, the operation and the request, and on nothing else.
func scatter(seed uint64, operation, nth, more int) uint64 {
	x := seed ^ uint64(operation)<<40 ^ uint64(nth)<<8 ^ uint64(more)
	for _, m := range [...]uint64{0xbf58476d1ce4e5b9, 0x94d049bb133111eb} { // the mixing of SplitMix64
		x += 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * m
	}
	return x ^ x>>31
}

// built notes a request that may be accepted, to be changed later.
func (s *strategies) built(p *plan, r *messages.Request) {
	s.of = r.Seq
	if !s.mutates || p.isBare() {
		return
	}
	switch r.Purpose {
	case messages.OpeningLap, messages.Nominal, messages.Covering:
		if r.Valid || r.ByDiscriminator {
			s.underWay[r.Seq] = p.drawn
		}
	}
}

func (s *strategies) takeBack(r *messages.Request) {
	if r.Seq != s.of {
		return
	}
	s.of = 0
	delete(s.underWay, r.Seq)
	if s.covers {
		s.cover[r.Operation].Back(s.before)
		s.covers = false
	}
}

func (s *strategies) learn(l *messages.Learned) {
	d, known := s.underWay[l.Request.Seq]
	if !known {
		return
	}
	delete(s.underWay, l.Request.Seq)
	if l.Outcome == messages.Answered && l.Reply != nil && l.Reply.Status/100 == 2 {
		d.Origins = nil
		s.accepted[l.Request.Operation].keep(d, len(l.Request.Target)+len(l.Request.Body))
	}
}

// Bounds on the accepted requests that are kept: their number for one operation, and the bytes of them all.
const (
	mostKept      = 16
	mostKeptBytes = 16 << 20
	leastRing     = 4 << 10
)

// bound shares the bytes out among the operations.
func (s *strategies) bound(operations int) {
	for i := range s.accepted {
		s.accepted[i].most = max(leastRing, mostKeptBytes/max(operations, 1))
	}
}

// ring is the newest accepted requests of an operation.
type ring struct {
	drafts      []draft.Draft // the oldest first
	sizes       []int
	bytes, most int
}

// keep keeps the draft, the oldest making room; one that is too large by itself is not kept.
func (r *ring) keep(d draft.Draft, size int) {
	if size > r.most {
		return
	}
	r.drafts, r.sizes, r.bytes = append(r.drafts, d), append(r.sizes, size), r.bytes+size
	for len(r.drafts) > mostKept || r.bytes > r.most {
		r.bytes -= r.sizes[0]
		r.drafts, r.sizes = slices.Delete(r.drafts, 0, 1), slices.Delete(r.sizes, 0, 1)
	}
}

// cover builds the next request that goes through the rules of the document, nil when all have been gone through. A wish
// that cannot be sent is passed over.
func (g *Generator) cover(p *plan, nth int) *messages.Request {
	c := &g.strategies.cover[p.op.Index]
	for !c.Over() {
		g.begin(p.op.Index)
		w, ok := c.Next(g.draw, func(place int) { g.source.Seed(g.config.Seed^coverageSeed, uint64(p.op.Index)<<32|uint64(place)) })
		if !ok {
			break
		}
		// The rest is as likely accepted as can be, so that the value itself is looked at; but what is made anew wants new values.
		likeliest := w.AtParameter() && p.op.Method != http.MethodPost
		if p.request(g, nth, g.failed[p.op.Index], asked{likeliest: likeliest, parts: w.Parts, media: w.Media}) == nil {
			continue
		}
		change, ok := w.Apply(g.draw, &p.form, p.drawn)
		if !ok {
			continue
		}
		if r := p.write(g, &change); r != nil {
			c.Built()
			p.drawn = change.Draft
			return r
		}
	}
	return nil
}

// begin has what values are drawn with forget the request before: the next ones are the operation's, and follow no hints.
func (g *Generator) begin(operation int) {
	g.draw.Reset(0)
	g.draw.Likeliest, g.draw.Leans = false, nil
	g.memory.building, g.memory.silent, g.memory.anew = operation, false, false
	if g.given != nil {
		g.given.operation = operation
	}
}

// coverageSeed keeps the numbers of the values on the bounds apart from those of requests.
const coverageSeed = 0x636f766572696e67

// groups are the groups of sources that a strategy takes values from, none for those of the settings.
type groups []values.Weights

func groupsOf(s testplan.Strategy) groups {
	var all groups
	for _, group := range s.Sources {
		var w values.Weights
		for _, source := range group {
			switch source.Source {
			case testplan.Example:
				w.Example = source.Weight
			case testplan.DefaultOf:
				w.Default = source.Weight
			case testplan.Observed:
				w.Observed = source.Weight
			case testplan.Random:
				w.Random = source.Weight
			case testplan.Dictionary:
				w.Dictionary = source.Weight
			}
		}
		if w != (values.Weights{}) { // of enum there is nothing to say: what is listed comes first
			all = append(all, w)
		}
	}
	return all
}

// request builds a request with values from the sources.
func (s groups) request(g *Generator, p *plan, nth int) *messages.Request {
	if len(s) == 0 {
		return p.request(g, nth, g.failed[p.op.Index], asked{})
	}
	before := g.draw.Weights
	g.draw.Weights, g.draw.Then = s[0], s[1:]
	r := p.request(g, nth, g.failed[p.op.Index], asked{})
	g.draw.Weights, g.draw.Then = before, nil
	return r
}

// nominal builds ordinary requests.
type nominal struct{ groups }

func (n nominal) next(g *Generator, p *plan, nth int) *messages.Request { return n.request(g, p, nth) }

// mutating builds requests that were accepted with one thing changed.
type mutating struct{}

func (mutating) next(g *Generator, p *plan, nth int) (r *messages.Request) {
	accepted := g.strategies.accepted[p.op.Index].drafts
	if len(accepted) == 0 {
		return nil
	}
	g.sow(p.op.Index, nth, g.failed[p.op.Index]*tries)
	g.begin(p.op.Index)
	d := accepted[g.draw.Rand.IntN(len(accepted))]
	d.Origins = nil
	for _, v := range d.Values {
		d.Origins = append(d.Origins, messages.Origin{Place: p.form.Parts[v.Part].Place, Source: fromAccepted})
	}
	if d.Content >= 0 {
		d.Origins = append(d.Origins, messages.Origin{Place: "body", Source: fromAccepted})
	}
	mutations.Mutate(g.draw, &p.form, d, g.config.Settings.Mutation, func(c *draft.Change) bool {
		r = p.write(g, c)
		return r != nil
	})
	return r
}

// fromAccepted is the origin of a value that an accepted request had.
const fromAccepted = "accepted"

// fuzzed builds ordinary requests with a troublesome value.
type fuzzed struct{ groups }

func (f fuzzed) next(g *Generator, p *plan, nth int) (r *messages.Request) {
	if f.request(g, p, nth) == nil {
		return nil
	}
	g.draw.Leans = nil
	fuzzing.Fuzz(g.draw, &p.form, p.drawn, func(c *draft.Change) bool {
		r = p.write(g, c)
		return r != nil
	})
	return r
}
