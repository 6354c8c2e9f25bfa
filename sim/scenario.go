package sim

import (
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim/paper"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// Scenario is a run on paper: what is tested, how, and what the API does. It is a plain value, and can be run again.
type Scenario struct {
	Document *document.Document
	Settings settings.Settings
	API      paper.API
	Seed     uint64
	Budget   time.Duration
	// Fetched says that the document was fetched from the API itself, at the run's first moment.
	Fetched bool
	// Stop asks the run to stop at the moment StopAt, unless it is NotEnded.
	Stop   messages.End
	StopAt time.Duration
	// Began is the wall time the run begins at; the zero Time stands for one of no meaning.
	Began time.Time
	// Together has everything that comes over the connections at one moment happen before any of it is handled. In a
	// Live run it makes no difference.
	Together bool
	// Lead is how long before its turn a request is handed to its connection, as a live run does.
	Lead time.Duration
	// World, unless nil, makes what answers in place of the API.
	World func() World
}

var someDay = time.Date(2026, time.November, 30, 8, 0, 0, 0, time.UTC)

// New is a scenario with the default settings, in which the document is not fetched from the API.
func New(doc *document.Document, api paper.API, budget time.Duration) Scenario {
	return Scenario{Document: doc, Settings: settings.Default(), API: api, Seed: 1, Budget: budget}
}

// Run runs it in that order. The order's own Watch sees the messages too; its stop and its
// lead are the scenario's.
func (s Scenario) Run(order stages.Order) Trace {
	began := s.Began
	if began.IsZero() {
		began = someDay
	}
	c := clock.NewFake(began)
	t := newTracer(c)
	watch := order.Watch
	order.Watch = func(stage string, m any) {
		t.watch(stage, m)
		if watch != nil {
			watch(stage, m)
		}
	}
	result := s.play(c, order, t)
	return Trace{Scenario: s, Events: t.events, Last: t.last, Result: result}
}

// Play runs it without a trace, as fast as can be.
func (s Scenario) Play(order stages.Order) reporter.Result {
	began := s.Began
	if began.IsZero() {
		began = someDay
	}
	return s.play(clock.NewFake(began), order, nil)
}

func (s Scenario) play(c *clock.Fake, order stages.Order, t *tracer) reporter.Result {
	order.Stop, order.StopAt, order.Lead = s.Stop, clock.Instant(s.StopAt), s.Lead
	lastWrite := clock.Instant(-1)
	if s.Fetched {
		lastWrite = 0
	}
	var world World
	if s.World != nil {
		world = s.World()
	} else {
		world = s.API.New(s.Document, s.Seed, c.Wall(0))
	}
	run := stages.Run{
		Document: s.Document, Settings: s.Settings, Seed: s.Seed, Deadline: clock.Instant(s.Budget), LastWrite: lastWrite,
		Report: reporter.Config{
			Tool: reporter.Tool{Name: "restest", Version: "paper"}, Source: s.Document.Source, Budget: s.Budget, Quiet: true,
		},
		Transport: func(tell func(messages.ToSender), _ func(error)) sender.Transport {
			e := newEdge(world, s.Settings.Engine, c, tell)
			e.together = s.Together && !order.Live
			if t != nil {
				e.saw = t.saw
			}
			return e
		},
	}
	return run.OnPaper(c, order)
}
