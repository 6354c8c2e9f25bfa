// Package generator decides which operation is next and builds a request for it.
//
// It answers each Want with exactly one Offer. A request is built at that moment, from what the document says and from
// what replies have taught; each value hangs on the seed, the operation and the request's number within it alone, so
// that a turn which is skipped changes nobody else's values.
package generator

import (
	"math/rand/v2"
	"net/http"
	"slices"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/dictionary"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/settings/document/graph"
	testplan "github.com/restest/restest/settings/plan"
	"github.com/restest/restest/stages/generator/rechecks"
	"github.com/restest/restest/stages/generator/values"
)

// Config is what a generator is made from.
type Config struct {
	Document *document.Document
	Settings settings.Settings
	// Dictionaries are the user's values.
	Dictionaries []*dictionary.Dictionary
	// Keys are the credentials to send; nil for none.
	Keys *credentials.Keys
	Seed uint64
	// Deadline is the end of the run's time; 0 for none, and then nothing is deleted before it.
	Deadline clock.Instant
	// Plan says what is sent and in what shares; nil for the plan that is followed where none is given.
	Plan *testplan.Plan
	// Again are the errands of a replay, which are all that is sent; nil where requests are invented.
	Again []rechecks.Errand
	// AgainFrom is the number that the fresh texts of a replay are counted on from.
	AgainFrom uint64
}

func (c *Config) plan() *testplan.Plan {
	if c.Plan != nil {
		return c.Plan
	}
	return testplan.Default(c.Settings)
}

// Neighbours are the stages a generator tells something.
type Neighbours struct {
	Pacer func(messages.ToPacer)
	// Reporter hears what has become of the things that the run made; nil: nobody does.
	Reporter func(messages.ToReporter)
}

// Unbuildable is an operation that no valid request can be built for.
type Unbuildable struct {
	Operation int
	// Reason says in one line why, naming the place and the schema.
	Reason string
}

// Generator is the stage.
type Generator struct {
	config      Config
	clock       clock.Clock
	to          Neighbours
	plans       []*plan // by operation; nil where it cannot be tested
	unbuildable []Unbuildable
	order       order
	memory      *memory
	signIns     *signIns // nil where nobody signs in and requests have one user
	lessons     *lessons
	given       *given // nil without dictionaries
	graph       *graph.Graph
	follow      *followed
	owned       *owned
	told        []messages.Thing // what has become of things, not told yet
	unsafe      messages.Set     // the operations that may change something
	strategies  strategies
	rechecks    *rechecks.Rechecks
	replay      *rechecks.Script // nil where requests are invented

	seq int64
	// nth is how many requests of each operation were built, failed how often in a row the next one could not be.
	nth, failed []int
	// failedBefore is how often the newest request could not be built before it was.
	failedBefore int

	source *rand.PCG
	draw   *values.Draw
	target []byte // scratch
}

// New makes a generator. It works out what can be built at all, which takes a moment for a large document.
func New(cfg Config, clk clock.Clock, to Neighbours) *Generator {
	doc := cfg.Document
	relations := graph.Of(doc)
	g := &Generator{
		config: cfg, clock: clk, to: to,
		plans:   make([]*plan, len(doc.Operations)),
		graph:   relations,
		memory:  newMemory(cfg.Settings.Memory, relations),
		owned:   newOwned(cfg.Settings.Schedule, cfg.Deadline),
		lessons: newLessons(cfg.Settings.Generation.HintChance),
		nth:     make([]int, len(doc.Operations)),
		failed:  make([]int, len(doc.Operations)),
		source:  rand.NewPCG(0, 0),
	}
	g.strategies = newStrategies(cfg.plan(), len(doc.Operations))
	shapes := values.NewShapes(cfg.Settings.Generation)
	g.draw = shapes.Draw(rand.New(g.source), g.memory)
	g.memory.rand, g.memory.held = g.draw.Rand, g.held
	if g.given = newGiven(doc, cfg.Dictionaries); g.given != nil {
		g.draw.Given = g.given
	}
	leftAlone, _ := cfg.Plan.Leaves(doc) // a name that is nothing was refused before the run
	quiet := cfg.Deadline                // from when on what the run made may be deleted
	if cfg.Settings.Schedule.CleanUp {
		quiet -= clock.Instant(cfg.Settings.Schedule.CleanUpShare * float64(cfg.Deadline))
	}
	g.rechecks = rechecks.New(rechecks.Config{
		Share: cfg.Settings.Schedule.RecheckShare, Deadline: quiet, Most: cfg.Settings.Report.MostFindings, Rules: g.rules, Other: g.other,
		Kinds: g.memory.kindsAt,
	})
	var buildable []int
	for i, op := range doc.Operations {
		if op.Untestable != "" || slices.Contains(leftAlone, i) {
			continue
		}
		p, reason := newPlan(&cfg, shapes, op)
		if reason == "" {
			reason = g.tryOut(p)
		}
		if reason != "" {
			g.unbuildable = append(g.unbuildable, Unbuildable{i, reason})
			continue
		}
		g.plans[i] = p
		g.strategies.add(p, cfg.Settings.Schedule.MostCovering)
		g.memory.expect(p)
		buildable = append(buildable, i)
	}
	usable := func(operation int) bool { return g.plans[operation] != nil }
	g.order.operations = buildable
	if cfg.Again != nil {
		g.replay = rechecks.NewScript(cfg.Again, cfg.AgainFrom)
	}
	if g.signIns = newSignIns(cfg.Keys, doc, buildable); g.signIns != nil && g.replay != nil {
		g.signIns.forReplay()
	}
	g.follow = newFollowed(doc, relations, cfg.Settings.Series, cfg.plan().SeriesShare(), usable)
	g.follow.probing = g.newProbing(usable)
	g.order.schedule = newSchedule(cfg.Settings.Schedule.Learn, len(doc.Operations))
	for _, e := range relations.Edges {
		if usable(e.Producer) && usable(e.Consumer) {
			g.order.schedule.needs(e.Consumer, e.Producer, !safe(doc.Operations[e.Producer].Method))
		}
	}
	for _, i := range buildable {
		if !safe(doc.Operations[i].Method) {
			g.unsafe = g.unsafe.With(i)
		}
	}
	g.strategies.bound(len(buildable))
	if cfg.Settings.Schedule.OpeningLap {
		g.order.lap = newLap(doc.Operations, buildable, cfg.Settings.Schedule.OpeningLapPatience)
	}
	return g
}

// Unbuildable are the operations that no valid request can be built for, in the order of the document. Those that the
// document itself marks as untestable are not among them.
func (g *Generator) Unbuildable() []Unbuildable { return g.unbuildable }

// Handle takes one message.
func (g *Generator) Handle(m messages.ToGenerator) {
	switch m := m.(type) {
	case messages.Want:
		g.to.Pacer(g.offer(m))
	case messages.Returned:
		g.takeBack(m.Request)
	case messages.Learned:
		g.learn(m)
	}
	if len(g.told) > 0 {
		g.report()
	}
}

func (g *Generator) offer(want messages.Want) messages.Offer {
	if g.replay != nil {
		return g.offerAgain(want)
	}
	if g.signIns != nil && len(g.order.operations) > 0 {
		return g.offerSignedIn(want)
	}
	return g.offerNext(want, nil)
}

// offerSignedIn is offer where requests need a sign-in: that goes first, and what needs it waits.
func (g *Generator) offerSignedIn(want messages.Want) messages.Offer {
	now := g.clock.Now()
	next, until := g.signIns.next(now, want)
	if next >= 0 {
		if r := g.signIn(next); r != nil {
			return messages.Offer{Request: r}
		}
	}
	held, barred := g.signIns.standing(now)
	want.Busy = want.Busy.Or(held)
	if g.order.lap == nil {
		want.Busy = want.Busy.Or(barred)
	}
	o := g.offerNext(want, barred)
	if o.Request == nil {
		o.Until = min(o.Until, until)
		if g.order.lap == nil && !slices.ContainsFunc(g.order.operations, func(i int) bool { return !barred.Has(i) }) {
			o.Why = messages.NothingAllowed
		}
	}
	return o
}

// offerNext offers what is next; nothing is built for those that are barred.
func (g *Generator) offerNext(want messages.Want, barred messages.Set) messages.Offer {
	now := g.clock.Now()
	switch {
	case g.order.refused:
	case g.owned.time(now, g.seq):
		for len(g.follow.running) > 0 {
			g.endSeries(0)
		}
		if r := g.tidy(want); r != nil {
			g.follow.counted(r)
			return messages.Offer{Request: r}
		}
		want.Busy = want.Busy.Or(g.unsafe) // nothing is made any more
	case len(g.follow.running) > 0:
		if r := g.nextStep(want, now); r != nil {
			g.follow.counted(r)
			return messages.Offer{Request: r}
		}
	}
	if r := g.recheck(now, want, barred); r != nil {
		return messages.Offer{Request: r}
	}
	var built *messages.Request
	t := g.order.pick(now, want, func(operation int, purpose messages.Purpose) bool {
		if barred.Has(operation) {
			return false
		}
		built = g.build(operation, purpose)
		if built == nil || !g.maySend(built) {
			return false
		}
		if purpose == messages.OpeningLap {
			g.follow.underWay(built)
			return true
		}
		return g.follows(built)
	})
	if !t.offered {
		return messages.Offer{Why: t.why, Until: t.until, Skipped: t.skipped}
	}
	return messages.Offer{Request: built, Skipped: t.skipped}
}

// follows takes an ordinary request in: it may be the first of a series. It is false for one that could change what is
// the own of a running series or a re-check, which counts as never built.
func (g *Generator) follows(r *messages.Request) bool {
	if !safe(r.Method) && (len(g.follow.running) > 0 && g.follow.owns(r.Target) || g.rechecks.Owns(r.Target)) {
		g.unbuild(r)
		return false
	}
	if r.Valid || r.ByDiscriminator || r.Purpose == messages.Probing {
		g.follow.begin(r)
	}
	g.follow.counted(r)
	return true
}

// maySend is false for a request that could lock the run out, which counts as never built.
func (g *Generator) maySend(r *messages.Request) bool {
	if g.locksOut(r) {
		g.strategies.covers = false // what the coverage asked for is passed over
		g.unbuild(r)
		return false
	}
	return true
}

// unbuild undoes the newest request, which will not be sent.
func (g *Generator) unbuild(r *messages.Request) {
	g.seq--
	g.nth[r.Operation]--
	g.failed[r.Operation] = g.failedBefore + 1 // the same numbers would give it again
	g.strategies.takeBack(r)
}

// build builds the operation's next request, with the credentials of the first user; nil if that fails this time.
func (g *Generator) build(operation int, purpose messages.Purpose) *messages.Request {
	return g.buildAs(operation, purpose, 0)
}

// Users is how many users requests can be built for: 1, or as many as the authentication file has.
func (g *Generator) Users() int {
	if g.signIns == nil {
		return 1
	}
	return len(g.signIns.users)
}

// userOf is whose credentials the request carries, counted from 0.
func (g *Generator) userOf(r *messages.Request) int {
	if g.signIns == nil {
		return 0
	}
	return max(0, slices.Index(g.signIns.users, r.User))
}

// mayAs says whether a request of the user's, counted from 0, may be built for the operation now: what it needs is
// obtained. What it lacks is signed in for, so that it is worth asking again; never is true if that has failed.
func (g *Generator) mayAs(operation, user int) (may, never bool) {
	if g.signIns == nil {
		return user == 0, user > 0
	}
	return g.signIns.ready(user, operation, g.clock.Now())
}

// buildAs is build with the credentials of one of the users, counted from 0; mayAs says when that may be asked.
func (g *Generator) buildAs(operation int, purpose messages.Purpose, user int) *messages.Request {
	p := g.plans[operation]
	p.carried = g.carriedBy(p, user)
	nth := g.nth[operation] + 1
	var r *messages.Request
	g.strategies.covers = false
	if purpose == messages.Nominal {
		if r = g.probe(p, nth); r != nil {
			purpose = messages.Probing
		}
	}
	switch {
	case r != nil:
	case purpose != messages.Nominal:
		// Every second PUT of a series leaves out what it may: what is there all the same shows that it does not replace.
		least := purpose == messages.InSeries && p.op.Method == http.MethodPut && nth%2 == 0
		r = p.request(g, nth, g.failed[operation], asked{likeliest: purpose == messages.OpeningLap || least})
	case nth%3 == 0 && g.order.schedule.bad(operation):
		// Of an operation that was never answered 2xx, every third request is the likeliest: in turns with the least, and
		// with what the document shows; of that, two in three times, with less.
		r = p.request(g, nth, g.failed[operation], asked{likeliest: true, shown: nth%2 == 0, thinned: nth%18 != 6})
	default:
		r, purpose = g.byStrategy(p, nth)
	}
	if r == nil {
		// The same numbers would fail again, so the next attempt gets others.
		g.failed[operation]++
		return nil
	}
	g.failedBefore, g.failed[operation] = g.failed[operation], 0
	g.nth[operation] = nth
	g.seq++
	r.Seq, r.Nth, r.Purpose = g.seq, nth, purpose
	if g.signIns != nil && len(g.signIns.users) > 1 {
		r.User = g.signIns.users[user]
	}
	g.strategies.built(p, r)
	return r
}

// takeBack undoes the newest offer.
func (g *Generator) takeBack(r *messages.Request) {
	if g.replay != nil {
		g.takeBackAgain(r)
		return
	}
	g.follow.ended(r)
	if r.SignIn != nil {
		g.signIns.takeBack(r)
	}
	g.rechecks.TakeBack(r)
	if r.Seq != g.seq {
		return // only the newest can be as if it had never been built
	}
	g.seq--
	g.nth[r.Operation]--
	if r.SignIn != nil || r.Recheck != nil {
		return
	}
	g.failed[r.Operation] = g.failedBefore
	g.strategies.takeBack(r)
	if r.Purpose != messages.OpeningLap {
		g.follow.takeBack(r)
	}
	switch {
	case r.Purpose == messages.CleaningUp:
		g.owned.takeBack(r)
	case r.Series == nil || r.Seq != g.follow.stepped:
		g.order.undo(r.Operation, r.Purpose)
	}
}

func (g *Generator) learn(m messages.Learned) {
	if g.replay != nil {
		g.learnAgain(m)
		return
	}
	g.follow.ended(m.Request)
	if m.Request.SignIn != nil {
		g.signIns.signedIn(m, g.seq)
		return // what it gave is nothing to invent values from
	}
	if g.signIns != nil && m.Reply != nil && !m.Request.Probe.Unauthenticated() {
		g.signIns.answered(m, g.signIns.needs[g.userOf(m.Request)][m.Request.Operation])
	}
	if m.Request.Purpose == messages.OpeningLap {
		refused := m.Outcome == messages.Answered && m.Reply != nil && m.Reply.Status == http.StatusUnauthorized
		g.order.settle(m.Request.Operation, refused)
	}
	if m.Request.Operation >= len(g.plans) || g.plans[m.Request.Operation] == nil {
		return
	}
	p := g.plans[m.Request.Operation]
	g.strategies.learn(&m)
	g.rechecks.Learn(m, g.made(&m))
	if m.Request.Probe == messages.NoProbe {
		g.order.schedule.learn(m)
	}
	g.memory.account.learn(p, &m)
	var made thing
	if m.Request.Probe != messages.HiddenMethod { // what that is answered is not the operation's
		made = g.discover(m)
	}
	switch m.Request.Purpose {
	case messages.InSeries:
		g.answered(m, made)
	case messages.Probing:
		if m.Request.Series != nil {
			g.answered(m, made)
		}
	case messages.CleaningUp:
		g.tidied(m)
	default:
		// A reply to a request that does not fit the document says nothing of what does; but what it deleted is gone.
		if (m.Request.Valid || m.Request.ByDiscriminator) && m.Request.Probe == messages.NoProbe || p.op.Method == http.MethodDelete {
			g.memory.learn(p, m)
		}
	}
	// What a later step of a series is refused for is often that its thing is gone, and says nothing of values.
	if r := m.Request; (r.Valid || r.ByDiscriminator) && r.Probe == messages.NoProbe && r.Purpose != messages.CleaningUp && (r.Series == nil || r.Series.Nth == 1) {
		g.lessons.learn(p, m)
	}
}

// discover is the thing that the request has made, nil if it made none or that is not known. What the run owns is kept
// up with it.
func (g *Generator) discover(m messages.Learned) thing {
	if m.Outcome != messages.Answered || m.Reply == nil || m.Refused || m.Reply.Status < 200 || m.Reply.Status > 299 {
		return nil
	}
	p := g.plans[m.Request.Operation]
	if p.op.Method == http.MethodDelete {
		g.memory.deleted[p.op.Index] = true
	}
	if p.op.Method == http.MethodDelete && m.Request.Purpose != messages.CleaningUp {
		g.owned.gone(m.Request.Target, g.tell)
		return nil
	}
	resources := g.graph.Makes(m.Request.Operation)
	if len(resources) == 0 {
		return nil
	}
	sent := p.path.values(m.Request.Target)
	var first thing
	for _, r := range resources {
		t, ok := g.memory.madeThing(p, r, sent, &m)
		if !ok {
			continue
		}
		if g.owned.on && g.memory.isNew(r, t, &m) {
			g.owned.made(r, t, g.address(r, t), m.Request.Operation, g.tell)
		}
		if first == nil {
			first = t
		}
	}
	return first
}

// tries is how often a request is begun anew before it counts as one that cannot be built this time.
const tries = 4

// tryOut says why no request can be built for the plan, "" if one was.
func (g *Generator) tryOut(p *plan) string {
	for failed := range 3 {
		for _, likeliest := range []bool{true, false} {
			if p.request(g, 1, failed, asked{likeliest: likeliest}) != nil {
				return ""
			}
		}
	}
	return p.reason
}

// sow makes the draw's numbers those of the operation's nth request, and of the attempt at it.
func (g *Generator) sow(operation, nth, attempt int) {
	g.source.Seed(g.config.Seed, uint64(operation)<<32|uint64(mix(uint32(nth), uint32(attempt))))
}

// mix keeps the numbers of different requests apart: it is one to one in nth for each attempt.
func mix(nth, attempt uint32) uint32 { return (nth ^ attempt<<24) * 0x9e3779b1 }
