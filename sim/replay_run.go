package sim

import (
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim/paper"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// Simulation is a run on paper that is reported as a run is: a recorded run once more, with the settings it was made
// with or with others to see what it would have been with them, or a run against an API on paper.
type Simulation struct {
	// Recording is what answers; nil: the API does.
	Recording *Recording
	API       paper.API
	// Document is the one to test; that of a recorded run is, as a rule, in the recording.
	Document *document.Document
	Settings settings.Settings
	Seed     uint64
	Budget   time.Duration
	// WholeAPIAtOnce has every request wait as soon as one operation is told to (pacer.Config).
	WholeAPIAtOnce bool
	// Keys say how the run signs in; nil where it does not.
	Keys *credentials.Keys
	// Report is what the reporter needs to know beside this; From names in it what answers.
	Report reporter.Config
	From   string
}

// Run runs it. The same Simulation gives the same report, to the byte, on any machine.
func (s Simulation) Run(order stages.Order) reporter.Result {
	run := stages.Run{
		Document: s.Document, Settings: s.Settings, Keys: s.Keys, Seed: s.Seed, Deadline: clock.Instant(s.Budget), LastWrite: -1,
		WholeAPIAtOnce: s.WholeAPIAtOnce, Report: s.Report,
	}
	run.Report.Source, run.Report.Budget = s.Document.Source, s.Budget
	if s.Recording == nil {
		return s.onPaper(run, order)
	}
	return s.replay(run, order)
}

func (s Simulation) replay(run stages.Run, order stages.Order) reporter.Result {
	was := s.Recording.Run
	run.Plan, run.Report.TestPlan = s.Recording.Plan, was.TestPlan
	c := clock.NewFake(s.Recording.Started)
	begun := min(max(clock.Instant(was.Begun), 0), run.Deadline)
	c.At(begun, func() {})
	c.Next() // reading the document took its time then
	if last := clock.Instant(was.LastWrite); last <= begun {
		run.LastWrite = last
	}
	run.Report.Source, run.Report.URL = was.Document.Source, was.URL
	run.Report.KeysUsed, run.Report.KeysMissing = was.Keys, was.KeysNotGiven
	var replay *Replay
	run.Report.Simulated = func() reporter.Simulated { return replay.Told(s.From) }
	run.Transport = func(tell func(messages.ToSender), _ func(error)) sender.Transport {
		replay = NewReplay(s.Recording, s.Document, s.Settings.Engine, c, tell)
		return replay
	}
	return run.OnPaper(c, order)
}

func (s Simulation) onPaper(run stages.Run, order stages.Order) reporter.Result {
	c := clock.NewFake(someDay)
	world := &counted{World: s.API.New(s.Document, s.Seed, c.Wall(0))}
	run.Report.Simulated = func() reporter.Simulated {
		return reporter.Simulated{
			From: s.From, Replies: world.answers, Invented: world.answers,
			Notes: []string{"The API is the one that the scenario describes. The tool itself takes no time here."},
		}
	}
	run.Transport = func(tell func(messages.ToSender), _ func(error)) sender.Transport {
		return newEdge(world, s.Settings.Engine, c, tell)
	}
	return run.OnPaper(c, order)
}

// counted counts what a world answers.
type counted struct {
	World
	answers int64
}

func (w *counted) Answer(now time.Duration, r paper.Request) paper.Answer {
	w.answers++
	return w.World.Answer(now, r)
}
