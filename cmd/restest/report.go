package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
)

func (a *app) reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "make the report of a recorded run again",
		UsageText: "restest report [options] RECORDING",
		Description: strings.TrimSpace(`
Makes report.json and the other formats again from a recording alone, and prints the summary; nothing is sent. RECORDING
is a run.ndjson.zst or the folder it is in; that of a run that was killed will do. The report is the run's own, to the
byte; of a run that was killed it holds all but what only the run itself knew, such as how long it waited as it was asked.

It ends with 0 once the report is written, whatever the run found: the report's verdict says what the run ended with.

With --judge-again the checks of this version judge the replies, and the findings are theirs. A step of a
series, and a reply in which a key was hidden or of which only the beginning was recorded, keep the run's findings.`),
		Metadata: map[string]any{"Examples": []string{
			"restest report restest-out",
			"restest report run.ndjson.zst --out again --formats junit,sarif",
			"restest report restest-out --judge-again --out judged",
		}},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "`FOLDER` for the report", DefaultText: "where the recording is"},
			&cli.StringFlag{Name: "formats", Usage: "`FORMATS` besides report.json: " + strings.Join(settings.Formats, ", ") + ", with commas between", DefaultText: "the run's"},
			&cli.StringFlag{Name: "document", Usage: "`FILE` with the document, instead of the recording's"},
			&cli.BoolFlag{Name: "judge-again", Usage: "have the checks judge the replies again"},
			&cli.BoolFlag{Name: "quiet", Usage: "print no summary"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 || cmd.Args().First() == "" {
				return usage(cmd, "one RECORDING belongs here; write a run.ndjson.zst or the folder it is in")
			}
			for _, option := range []string{"out", "document"} {
				if cmd.IsSet(option) && cmd.String(option) == "" {
					return usage(cmd, "--%s is empty; leave it out, or name one", option)
				}
			}
			r := retelling{path: recordingAt(cmd.Args().First()), document: cmd.String("document"), out: cmd.String("out"), judge: cmd.Bool("judge-again"), environ: a.environ}
			if cmd.IsSet("formats") {
				r.formats = []settings.Flag{{Flag: "--formats", Name: "report.formats", Value: cmd.String("formats")}}
			}
			result, err := r.tell(ctx)
			if err != nil {
				return usage(cmd, "%v", err)
			}
			if result.Report == nil {
				a.code = reporter.ExitFailed
			}
			if !cmd.Bool("quiet") || result.Report == nil {
				fmt.Fprint(a.out, result.Summary)
			}
			return nil
		},
	}
}

// retelling is a recorded run whose report is made again.
type retelling struct {
	path, document, out string
	formats             []settings.Flag
	judge               bool
	environ             []string
	// aside keeps the report from being written.
	aside bool
}

// recordingAt is where a recording is that is named by its path or by its folder's.
func recordingAt(path string) string {
	if at, err := os.Stat(path); err == nil && at.IsDir() {
		return filepath.Join(path, reporter.RecordingName)
	}
	return path
}

// tell makes the report. An error is bad input.
func (r retelling) tell(ctx context.Context) (none reporter.Result, err error) {
	run, err := r.run()
	if err != nil {
		return none, err
	}
	given, err := settings.Resolve(settings.Input{Simulated: run.Given(), Flags: r.formats})
	if err != nil {
		return none, errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	t := stages.Retelling{Run: run, Judge: r.judge}
	t.Report.Settings, t.Report.UTF8, t.Report.Recorded = given.Settings, saysUTF8(r.environ), r.open
	if r.document == "" {
		t.Report.Document, err = run.ReadDocument(ctx)
	} else {
		t.Report.Document, err = document.Load(ctx, r.document, document.Options{URL: run.Address(), Read: readLocal})
	}
	if err != nil {
		return none, err
	}
	if t.Keys, err = credentials.ReadPlan(run.SignIn, t.Report.Document); err != nil {
		return none, err
	}
	if r.aside {
		t.Report.Out = unkept{}
	} else {
		if r.out == "" {
			r.out = filepath.Dir(r.path)
		}
		if t.Report.Out, err = reporter.ReopenFolder(r.out, formatFiles()...); err != nil {
			return none, err
		}
		t.Report.Formats = formatsNamed(given.Report.Formats)
	}
	file, err := r.open()
	if err != nil {
		return none, err
	}
	defer file.Close()
	result, err := t.Tell(file)
	if err != nil {
		return none, fmt.Errorf("%s: %w", settings.Quote(r.path), err)
	}
	return result, nil
}

func (r retelling) open() (io.ReadCloser, error) {
	file, err := os.Open(r.path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", settings.Quote(r.path), reason(err))
	}
	return file, nil
}

var errEnough = errors.New("enough was read")

// run reads the recording's first line.
func (r retelling) run() (run *reporter.RunLine, err error) {
	file, err := r.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	err = reporter.ReadRecording(file, func(l reporter.Line) error {
		run = l.Run
		return errEnough
	})
	switch {
	case err != nil && !errors.Is(err, errEnough):
		return nil, fmt.Errorf("%s: %w", settings.Quote(r.path), err)
	case run == nil:
		return nil, fmt.Errorf("%s: the recording is empty", settings.Quote(r.path))
	}
	return run, nil
}
