package stages

import (
	"io"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/stages/classifier"
	"github.com/restest/restest/stages/reporter"
)

// Retelling makes the report of a recorded run again, without sending anything (decision 0023).
type Retelling struct {
	// Run is the recording's first line, Keys say how the run signed in; nil where it did not.
	Run  *reporter.RunLine
	Keys *credentials.Keys
	// Report is what the reporter needs to know beside this: the document, the settings, and where the files go.
	Report reporter.Config
	// Judge has the checks judge the replies again; otherwise the findings are those that the run found.
	Judge bool
}

// Tell reads the recording and tells the run again.
func (r Retelling) Tell(recording io.Reader) (reporter.Result, error) {
	r.Report.SignIns = signIns(r.Keys, r.Report.Document)
	var judge func(*messages.Exchange) *messages.Judged
	if r.Judge {
		started, err := r.Run.StartedAt()
		if err != nil {
			return reporter.Result{}, err
		}
		judge = r.judge(clock.NewFake(started))
	}
	told, err := reporter.Retell(r.Report, r.Run)
	if err != nil {
		return reporter.Result{}, err
	}
	var end *reporter.EndLine
	err = reporter.ReadRecording(recording, func(l reporter.Line) error {
		if l.End != nil {
			end = l.End
		}
		if l.Exchange == nil {
			return nil
		}
		return told.Exchange(l.Exchange, l.Judged, judge)
	})
	if err != nil {
		return reporter.Result{}, err
	}
	return told.Finish(end), nil
}

// judge asks the classifier, whose only neighbour that hears it is the one who asks.
func (r Retelling) judge(c clock.Clock) func(*messages.Exchange) *messages.Judged {
	var judged *messages.Judged
	stage := classifier.New(classifier.Config{Document: r.Report.Document, Settings: r.Report.Settings, Keys: r.Keys}, c, classifier.Neighbours{
		Generator: func(messages.ToGenerator) {}, Pacer: func(messages.ToPacer) {},
		Reporter: func(m messages.ToReporter) { judged, _ = m.(*messages.Judged) },
	})
	return func(ex *messages.Exchange) *messages.Judged {
		stage.Handle(ex)
		return judged
	}
}
