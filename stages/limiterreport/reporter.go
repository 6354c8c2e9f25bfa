// Package limiterreport tells what was found out about a limiter: it shows the experiments as they go, and writes the
// verdict, the experiments and the findings at the end.
package limiterreport

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/stages/experimenter/inference"
)

// The names of the files an examination writes.
const (
	ReportName  = "report.json"
	PictureName = "limiter.svg"
)

// Directory is where the files go.
type Directory interface {
	Create(name string) (io.WriteCloser, error)
}

// Config is what a reporter is made of.
type Config struct {
	// Method and URL are the plain request's.
	Method, URL string
	Tool        string
	// Report says what is known. It is asked once, at the end.
	Report func() inference.Report
	Mask   *credentials.Mask
	// Out is where the files go; nil: none are written.
	Out Directory
	// Live is where the examination is told about as it goes; nil: nowhere.
	Live io.Writer
	// Width is how many columns the summary may have (0: 80), UTF8 whether it may have more than ASCII.
	Width int
	UTF8  bool
	// JSON has the summary be the report as JSON.
	JSON bool
	// Started is the wall time the run began at.
	Started time.Time
	// Done is called once, after the last file is written.
	Done func()
}

// Neighbours are the stages a reporter tells.
type Neighbours struct{ Pacer func(messages.ToPacer) }

// Reporter is the stage.
type Reporter struct {
	cfg   Config
	clock clock.Clock
	to    Neighbours

	replies  int // that came
	told     messages.Experimented
	end      messages.End
	reason   string
	finished bool
	result   Result
}

// Result is how an examination ended.
type Result struct {
	Report inference.Report
	// End is why it ended, Replies how many replies came.
	End     messages.End
	Replies int
	// Summary is what to print on the standard output.
	Summary string
	// Failure is what the tool itself failed with, nil if it did not.
	Failure error
}

// Stopped is the cause to Finish with after a second signal.
type Stopped struct{ By messages.End }

func (s Stopped) Error() string { return "stopped at once" }

// New makes a reporter.
func New(cfg Config, clk clock.Clock, to Neighbours) *Reporter {
	if cfg.Live == nil {
		cfg.Live = io.Discard
	}
	if cfg.Width <= 0 {
		cfg.Width = 80
	}
	return &Reporter{cfg: cfg, clock: clk, to: to}
}

// Handle hears one message.
func (r *Reporter) Handle(m messages.ToReporter) {
	if r.finished {
		return
	}
	switch m := m.(type) {
	case *messages.Judged:
		if m.Exchange.Reply != nil {
			r.replies++
		}
		r.to.Pacer(messages.Slot{Slot: m.Exchange.Slot, Open: m.Exchange.Open})
	case messages.Experimented:
		r.tell(m)
	case *messages.Paced:
		r.end, r.reason = m.End, m.Reason
		if m.Over {
			r.Finish(nil)
		}
	}
}

// tell shows an experiment as it goes. A single request that fared as the one before it, for the same reason, is not shown.
func (r *Reporter) tell(m messages.Experimented) {
	again := m.Sent == 1 && r.told.Sent == 1 && m.Why == r.told.Why && m.Accepted == r.told.Accepted
	if r.told = m; again {
		return
	}
	why := m.Why
	if m.Variant != "" {
		why = m.Variant + ", " + why
	}
	fmt.Fprintf(r.cfg.Live, "%9s  %s: %d of %d let through\n", offset(time.Duration(m.At)), r.cfg.Mask.Text(why), m.Accepted, m.Sent)
}

// Finish writes the report. It is called by the reporter itself when the pacer says that the run is over, and by whoever
// runs the stages once none of them runs any more. Only the first call counts; each gives the same result.
func (r *Reporter) Finish(cause error) Result {
	if r.finished {
		return r.result
	}
	r.finished = true
	if r.cfg.Done != nil {
		defer r.cfg.Done()
	}
	var stopped Stopped
	if errors.As(cause, &stopped) {
		r.end, cause = stopped.By, nil
	}
	report := r.cfg.Report()
	if r.end == messages.Interrupted || r.end == messages.Terminated {
		report.Notes = append(report.Notes, "it was stopped early; this is what was known then")
	}
	if r.end == messages.Unconnected {
		since := " any more"
		if r.replies == 0 {
			since = ""
		}
		report.Notes = append(report.Notes, "no connection could be opened"+since+": "+r.reason)
	}
	r.result = Result{Report: report, End: r.end, Replies: r.replies, Failure: cause}
	written, err := json.MarshalIndent(r.encode(report), "", "  ")
	if err == nil {
		written = append(written, '\n')
		err = errors.Join(r.write(ReportName, written), r.write(PictureName, []byte(svg(report))))
	}
	r.result.Failure = errors.Join(cause, err)
	if r.cfg.JSON {
		r.result.Summary = string(written)
	} else {
		r.result.Summary = r.cfg.Mask.Text(r.summary(report))
	}
	return r.result
}

func (r *Reporter) write(name string, content []byte) error {
	if r.cfg.Out == nil {
		return nil
	}
	w, err := r.cfg.Out.Create(name)
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return errors.Join(err, w.Close())
}
