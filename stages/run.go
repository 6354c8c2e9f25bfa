// Package stages makes the five stages of a run, joins them, and waits for the run to end.
//
// A stage is an actor: one mailbox, one handler that never blocks. The same stages run live, each on a goroutine of
// its own, or on paper, one message at a time under a fake clock.
package stages

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/dictionary"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/settings/plan"
	"github.com/restest/restest/stages/classifier"
	"github.com/restest/restest/stages/generator"
	"github.com/restest/restest/stages/generator/rechecks"
	"github.com/restest/restest/stages/pacer"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// Run is one run of an API.
type Run struct {
	Document *document.Document
	Settings settings.Settings
	Keys     *credentials.Keys
	Seed     uint64
	// Plan is the test plan; nil for the one that is followed where none is given.
	Plan *plan.Plan
	// Dictionaries are the user's values.
	Dictionaries []*dictionary.Dictionary
	// Deadline is the end of the run's time.
	Deadline clock.Instant
	// LastWrite is the moment of the last write to the API before the run, such as the fetch of its document;
	// negative if there was none.
	LastWrite clock.Instant
	// WholeAPIAtOnce has every request wait as soon as one operation is told to (pacer.Config).
	WholeAPIAtOnce bool
	// Again are the errands to run, each once and no others, where the run is a replay; nil where requests are invented.
	Again []rechecks.Errand
	// AgainFrom is the number that the fresh texts of a replay are counted on from.
	AgainFrom uint64
	// Report is what the reporter needs to know beside this.
	Report reporter.Config
	// Transport makes the world's edge, given how to tell the sender and how to say that the tool itself has failed.
	Transport func(tell func(messages.ToSender), fail func(error)) sender.Transport
}

// lead is how long before its turn a live request is handed to its connection, which waits for the exact moment.
const lead = 2 * time.Millisecond

// lastMoment is how long after a second signal a run may take to account for what was under way.
const lastMoment = time.Second

// pipeline is the five stages, joined.
type pipeline struct {
	generator *mailbox[messages.ToGenerator]
	pacer     *mailbox[messages.ToPacer]
	sender    *mailbox[messages.ToSender]
	reporter  *reporter.Reporter
	transport sender.Transport
}

// join makes the stages in the world and tells each the addresses of its neighbours. What a slot can cause to be told
// is bounded, so each mailbox has room for all slots at once.
func (r Run) join(w world, c clock.Clock, lead time.Duration, done func(), fail func(error)) *pipeline {
	slots := r.Settings.Engine.MaxConcurrency
	toGenerator := spawn[messages.ToGenerator](w, "generator", slots+8)
	toPacer := spawn[messages.ToPacer](w, "pacer", pacer.Mailbox(slots))
	toSender := spawn[messages.ToSender](w, "sender", 8*slots+8)
	toClassifier := spawn[messages.ToClassifier](w, "classifier", 2*slots+8)
	// The generator tells the reporter at most one thing for each request that it hears the end of, and may be ahead of it.
	toReporter := spawn[messages.ToReporter](w, "reporter", 4*slots+16)

	var unbuildable []generator.Unbuildable
	var probes *reporter.Probes
	g := generator.New(generator.Config{
		Document: r.Document, Settings: r.Settings, Keys: r.Keys, Seed: r.Seed, Deadline: r.Deadline,
		Dictionaries: r.Dictionaries, Plan: r.Plan, Again: r.Again, AgainFrom: r.AgainFrom,
	}, c, generator.Neighbours{Pacer: toPacer.Tell, Reporter: toReporter.Tell})
	toGenerator.handle = g.Handle
	if r.Again == nil {
		unbuildable, probes = g.Unbuildable(), announced(g)
	}

	report := r.Report
	report.Probes = probes
	report.Document, report.Settings, report.Seed, report.Done = r.Document, r.Settings, r.Seed, done
	report.LastWrite = r.LastWrite
	report.SignIns, report.Plan = signIns(r.Keys, r.Document), r.Keys.Plan()
	for _, u := range unbuildable {
		report.Unbuildable = append(report.Unbuildable, reporter.Unbuildable{Operation: u.Operation, Reason: u.Reason})
	}
	report.LeftAlone, _ = r.Plan.Leaves(r.Document)
	own, _ := OwnRates(r.Document, r.Settings.Engine) // a name that is nothing was refused before the run
	p := pacer.New(pacer.Config{
		Operations: len(r.Document.Operations), Own: own, Testable: testable(r.Document, report), Settings: r.Settings,
		Deadline: r.Deadline, LastWrite: r.LastWrite, Lead: lead, WholeAPIAtOnce: r.WholeAPIAtOnce,
	}, c, pacer.Neighbours{
		Generator: toGenerator.Tell, Sender: toSender.Tell, Reporter: toReporter.Tell, Self: toPacer.Tell,
	})
	toPacer.handle = p.Handle

	transport := r.Transport(toSender.Tell, fail)
	toSender.handle = sender.New(sender.Config{Document: r.Document, Settings: r.Settings}, c, sender.Neighbours{
		Pacer: toPacer.Tell, Classifier: toClassifier.Tell,
	}, transport).Handle

	toClassifier.handle = classifier.New(classifier.Config{Document: r.Document, Settings: r.Settings, Keys: r.Keys}, c, classifier.Neighbours{
		Generator: toGenerator.Tell, Pacer: toPacer.Tell, Reporter: toReporter.Tell,
	}).Handle

	rep := reporter.New(report, c, reporter.Neighbours{Pacer: toPacer.Tell, Self: toReporter.Tell})
	toReporter.handle = rep.Handle
	return &pipeline{generator: toGenerator, pacer: toPacer, sender: toSender, reporter: rep, transport: transport}
}

// announced are the security probes that the generator will send, nil where it sends none.
func announced(g *generator.Generator) *reporter.Probes {
	share := g.ProbesShare()
	if share <= 0 {
		return nil
	}
	told := &reporter.Probes{Share: share, Kinds: []reporter.ProbeTold{}}
	for _, p := range g.Probes() {
		told.Kinds = append(told.Kinds, reporter.ProbeTold{Kind: string(p.Kind), Operations: p.Operations, Why: p.Why})
	}
	return told
}

// signIns are the run's sign-ins and who needs them.
func signIns(keys *credentials.Keys, doc *document.Document) []reporter.SignIn {
	var all []reporter.SignIn
	users := keys.Users()
	for i, l := range keys.Logins() {
		s := reporter.SignIn{Label: l.Label(doc), Own: keys.Own()}
		user := max(0, l.User)
		if l.User >= 0 {
			s.User = users[l.User]
		}
		for _, op := range doc.Operations {
			if op.Untestable == "" && slices.Contains(keys.Needs(doc, op, user), i) {
				s.Operations = append(s.Operations, op.Index)
			}
		}
		all = append(all, s)
	}
	return all
}

// testable are the operations that requests can be built for.
func testable(d *document.Document, told reporter.Config) []int {
	without := map[int]bool{}
	for _, u := range told.Unbuildable {
		without[u.Operation] = true
	}
	for _, i := range told.LeftAlone {
		without[i] = true
	}
	var operations []int
	for i, op := range d.Operations {
		if op.Untestable == "" && !without[i] {
			operations = append(operations, i)
		}
	}
	return operations
}

// Live runs it against the API. The first end told on stops ends the sending, the second ends everything at once; the
// report is written in either case, and also if a stage fails. A fake clock is moved on, timer by timer, whenever no
// message is under way.
func (r Run) Live(ctx context.Context, c clock.Clock, stops <-chan messages.End) reporter.Result {
	return r.live(ctx, c, stops, Order{})
}

func (r Run) live(ctx context.Context, c clock.Clock, stops <-chan messages.End, order Order) reporter.Result {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	fake, onPaper := c.(*clock.Fake)
	w := newLive(onPaper)
	w.watch = order.Watch
	p := r.join(w, c, lead, func() { cancel(nil) }, func(err error) { cancel(err) })
	p.reporter.Begin()
	p.begin(c, order)
	more := []func(context.Context) error{func(ctx context.Context) error {
		heed(ctx, c, stops, p.pacer.Tell, func(end messages.End) { cancel(reporter.Stopped{By: end}) })
		return nil
	}}
	if onPaper {
		more = append(more, func(ctx context.Context) error {
			if w.drive(ctx, fake); ctx.Err() == nil {
				cancel(errStill)
			}
			return nil
		})
	}
	err := w.run(ctx, more...)
	if cause := context.Cause(ctx); err == nil && cause != context.Canceled {
		err = cause
	}
	p.transport.Abandon()
	p.transport.Close()
	return p.reporter.Finish(err)
}

// begin starts the pacer, and arranges for the stop that the order has.
func (p *pipeline) begin(c clock.Clock, order Order) {
	if order.Stop != messages.NotEnded {
		c.At(order.StopAt, func() { p.pacer.Tell(messages.Stop{Reason: order.Stop}) })
	}
	p.pacer.Tell(messages.Tick{})
}

var errStill = errors.New("the run stands still: nothing is under way and nobody is waiting")

// Order says how a run on paper goes.
type Order struct {
	// Lockstep runs the stages on goroutines, through channels, one message in the world at a time. Live runs them as
	// Live does, freely: messages of one moment race, so that such a run does not repeat.
	Lockstep, Live bool
	// Lead is how long before its turn a request is handed to its connection; a Live run has its own.
	Lead time.Duration
	// Pick chooses which of n waiting messages is handled next; nil means the one told first. A Live run has no choice.
	Pick func(n int) int
	// Watch sees each message just before it is handled, and the stage it was told to: the trace of the run. In a Live
	// run several goroutines call it at once.
	Watch func(stage string, message any)
	// Stop asks the run to stop sending, at the moment StopAt; NotEnded does not.
	Stop   messages.End
	StopAt clock.Instant
}

// OnPaper runs it under the fake clock, one message at a time. The same run gives the same messages in the same order,
// inline and in lockstep.
func (r Run) OnPaper(c *clock.Fake, order Order) reporter.Result {
	if order.Live {
		return r.live(context.Background(), c, nil, order)
	}
	w := &paper{lockstep: order.Lockstep, pick: order.Pick, watch: order.Watch}
	defer w.stop()
	var over bool
	var failure error
	p := r.join(w, c, order.Lead, func() { over = true }, func(err error) { failure = err })
	p.reporter.Begin()
	p.begin(c, order)
	w.settle()
	for !over && failure == nil && c.Next() {
		w.settle()
	}
	if !over && failure == nil {
		failure = errStill
	}
	return p.reporter.Finish(failure)
}
