package stages

import (
	"context"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/classifier"
	"github.com/restest/restest/stages/experimenter"
	"github.com/restest/restest/stages/experimenter/inference"
	"github.com/restest/restest/stages/limiterreport"
	"github.com/restest/restest/stages/pacer"
	"github.com/restest/restest/stages/sender"
)

// MostAtOnce is how many requests of an experiment can be under way at once.
const MostAtOnce = 1024

// leastSlots is how many it can have at least, since small limits are refused more often before a refusal times out.
const leastSlots = 64

// Limiter is one examination of a limiter. It goes through the stages of a run, with an experimenter for the generator
// and a reporter of its own: the pacer keeps no rate and waits for nobody, since the experiments are the schedule.
type Limiter struct {
	// Origin is scheme, host and port of the API.
	Origin      string
	Settings    settings.Settings
	Examination *inference.Examination
	// Requests are the examination's variants, in their order.
	Requests []experimenter.Request
	Deadline clock.Instant
	Report   limiterreport.Config
	// Transport makes the world's edge, as Run's does.
	Transport func(tell func(messages.ToSender), fail func(error)) sender.Transport
}

// LimiterSettings are the settings of an examination whose bursts have at most so many requests: as many connections,
// and as many again for refusals that come late; no rate, no waits, no checks.
func LimiterSettings(s settings.Settings, burst int) settings.Settings {
	slots := min(max(2*burst, leastSlots), MostAtOnce)
	s.Engine.MinConcurrency, s.Engine.InitialConcurrency, s.Engine.MaxConcurrency = slots, slots, slots
	s.Engine.LimitTheRate, s.Engine.FollowRedirects = false, false
	s.Schedule.WaitWhenToldTo, s.Schedule.StayInsideQuota = false, false
	s.Engine.MostRequestsPerHour, s.Engine.MostRequestsPerMinuteFor = 0, ""
	s.Checks = settings.Checks{}
	return s
}

// Live examines the API's limiter. The first end told on stops stops the sending, the second ends everything at once;
// what is known is reported in either case.
func (l Limiter) Live(ctx context.Context, c clock.Clock, stops <-chan messages.End) limiterreport.Result {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	fake, onPaper := c.(*clock.Fake)
	w := newLive(onPaper)
	p, reporter := l.join(w, c, func() { cancel(nil) }, func(err error) { cancel(err) })
	p.begin(c, Order{})
	more := []func(context.Context) error{func(ctx context.Context) error {
		heed(ctx, c, stops, p.pacer.Tell, func(end messages.End) { cancel(limiterreport.Stopped{By: end}) })
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
	return reporter.Finish(err)
}

// heed tells the pacer of the first wish to stop, and cuts everything short a moment after the second: what was under
// way then is abandoned, and has that moment to be accounted for.
func heed(ctx context.Context, c clock.Clock, stops <-chan messages.End, pacer func(messages.ToPacer), cut func(messages.End)) {
	stopping := false
	for {
		select {
		case end := <-stops:
			if stopping {
				c.At(c.Now().Add(lastMoment), func() { cut(end) })
			}
			stopping = true
			pacer(messages.Stop{Reason: end})
		case <-ctx.Done():
			return
		}
	}
}

// OnPaper examines it under the fake clock, one message at a time.
func (l Limiter) OnPaper(c *clock.Fake, order Order) limiterreport.Result {
	w := &paper{lockstep: order.Lockstep, pick: order.Pick, watch: order.Watch}
	defer w.stop()
	over := false
	var failure error
	p, reporter := l.join(w, c, func() { over = true }, func(err error) { failure = err })
	p.begin(c, order)
	w.settle()
	for !over && failure == nil && c.Next() {
		w.settle()
	}
	if !over && failure == nil {
		failure = errStill
	}
	return reporter.Finish(failure)
}

func (l Limiter) join(w world, c clock.Clock, done func(), fail func(error)) (*pipeline, *limiterreport.Reporter) {
	slots := l.Settings.Engine.MaxConcurrency
	toGenerator := spawn[messages.ToGenerator](w, "experimenter", slots+8)
	toPacer := spawn[messages.ToPacer](w, "pacer", pacer.Mailbox(slots))
	toSender := spawn[messages.ToSender](w, "sender", 8*slots+8)
	toClassifier := spawn[messages.ToClassifier](w, "classifier", 2*slots+8)
	toReporter := spawn[messages.ToReporter](w, "reporter", 2*slots+16)

	doc := &document.Document{Origin: l.Origin, Address: l.Origin}
	for i, r := range l.Requests {
		doc.Operations = append(doc.Operations, &document.Operation{Index: i, ID: r.Method + " " + r.Target, Method: r.Method, Path: r.Target})
	}
	e := experimenter.New(experimenter.Config{Examination: l.Examination, Requests: l.Requests}, c, experimenter.Neighbours{
		Pacer: toPacer.Tell, Reporter: toReporter.Tell,
	})
	toGenerator.handle = e.Handle

	// To the pacer all variants are one operation: no two of them wait for each other.
	toPacer.handle = pacer.New(pacer.Config{
		Operations: len(l.Requests), Testable: []int{0}, Settings: l.Settings, Deadline: l.Deadline, LastWrite: -1,
	}, c, pacer.Neighbours{
		Generator: toGenerator.Tell, Sender: toSender.Tell, Reporter: toReporter.Tell, Self: toPacer.Tell,
	}).Handle

	transport := l.Transport(toSender.Tell, fail)
	toSender.handle = sender.New(sender.Config{Document: doc, Settings: l.Settings}, c, sender.Neighbours{
		Pacer: toPacer.Tell, Classifier: toClassifier.Tell,
	}, transport).Handle
	toClassifier.handle = classifier.New(classifier.Config{Document: doc, Settings: l.Settings}, c, classifier.Neighbours{
		Generator: toGenerator.Tell, Pacer: toPacer.Tell, Reporter: toReporter.Tell,
	}).Handle

	report := l.Report
	report.Done = done
	report.Report = func() inference.Report {
		kept := e.Evidence()
		return l.Examination.Report(inference.Whole{Accepted: kept.Accepted, Rejected: kept.Rejected})
	}
	rep := limiterreport.New(report, c, limiterreport.Neighbours{Pacer: toPacer.Tell})
	toReporter.handle = rep.Handle
	return &pipeline{generator: toGenerator, pacer: toPacer, sender: toSender, transport: transport}, rep
}
