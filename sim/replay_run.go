package sim

import (
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// Rerun is a recorded run, run once more on paper: with the settings it was made with, or with others to see what it
// would have been with them.
type Rerun struct {
	Recording *Recording
	// Document is the one that was tested, as a rule from the recording itself.
	Document *document.Document
	Settings settings.Settings
	Seed     uint64
	Budget   time.Duration
	// WholeAPIAtOnce has every request wait as soon as one operation is told to (pacer.Config).
	WholeAPIAtOnce bool
	// Report is what the reporter needs to know beside this; From names the recording in it.
	Report reporter.Config
	From   string
}

// Run runs it. The same Rerun gives the same report, to the byte, on any machine.
func (r Rerun) Run(order stages.Order) reporter.Result {
	run := r.Recording.Run
	c := clock.NewFake(r.Recording.Started)
	begun := min(max(clock.Instant(run.Begun), 0), clock.Instant(r.Budget))
	c.At(begun, func() {})
	c.Next() // reading the document took its time then
	lastWrite := clock.Instant(run.LastWrite)
	if lastWrite > begun {
		lastWrite = -1
	}
	var replay *Replay
	config := r.Report
	config.Source, config.URL, config.Budget = run.Document.Source, run.URL, r.Budget
	config.KeysUsed, config.KeysMissing = run.Keys, run.KeysNotGiven
	config.Simulated = func() reporter.Simulated { return replay.Told(r.From) }
	return stages.Run{
		Document: r.Document, Settings: r.Settings, Seed: r.Seed,
		Deadline: clock.Instant(r.Budget), LastWrite: lastWrite, WholeAPIAtOnce: r.WholeAPIAtOnce, Report: config,
		Transport: func(tell func(messages.ToSender), _ func(error)) sender.Transport {
			replay = NewReplay(r.Recording, r.Document, r.Settings.Engine, c, tell)
			return replay
		},
	}.OnPaper(c, order)
}
