package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/reporter"
)

func (a *app) compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "say what changed from one run to another",
		UsageText: "restest compare [options] A B",
		Description: strings.TrimSpace(`
Says what changed from A to B: findings that are new, fixed and still there, operations that are answered 2xx now and were
not before, or the other way round, and how fast the two went. Each of the two is a report.json, a recording, or the folder
of a run.

It ends with 0 if no error is new, with 1 if one is, and with 2 if one of the two cannot be read.`),
		Metadata: map[string]any{"Examples": []string{
			"restest compare before/report.json restest-out",
			"restest compare before after --json",
		}},
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print it as JSON"}},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 2 {
				return usage(cmd, "two runs belong here; write two reports, recordings or folders of runs")
			}
			var told [2]*reporter.Report
			for i, path := range cmd.Args().Slice() {
				var err error
				if told[i], err = reportAt(ctx, path); err != nil {
					return usage(cmd, "%v", err)
				}
			}
			c := reporter.Compare(told[0], told[1])
			if c.NewErrors() > 0 {
				a.code = reporter.ExitErrors
			}
			if cmd.Bool("json") {
				encoder := json.NewEncoder(a.out)
				encoder.SetEscapeHTML(false)
				encoder.SetIndent("", "  ")
				return encoder.Encode(&c)
			}
			fmt.Fprint(a.out, c.Text(saysUTF8(a.environ)))
			return nil
		},
	}
}

// mostReport bounds what is read of a report.
const mostReport = 1 << 30

// reportAt is the report of a run: a report.json, a recording, or the folder of one or the other.
func reportAt(ctx context.Context, path string) (*reporter.Report, error) {
	named := path
	if at, err := os.Stat(path); err == nil && at.IsDir() {
		path = filepath.Join(named, reporter.ReportName)
		if _, err := os.Stat(path); err != nil {
			path = filepath.Join(named, reporter.RecordingName)
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", settings.Quote(path), reason(err))
	}
	defer file.Close()
	var magic [4]byte
	if n, _ := io.ReadFull(file, magic[:]); bytes.Equal(magic[:n], []byte{0x28, 0xb5, 0x2f, 0xfd}) { // Zstandard (RFC 8878 §3.1.1)
		result, err := retelling{path: path, aside: true}.tell(ctx)
		if err == nil && result.Report == nil {
			err = errors.New("no report could be made of the recording")
		}
		return result.Report, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	told := &reporter.Report{}
	if err := json.NewDecoder(io.LimitReader(file, mostReport)).Decode(told); err != nil {
		return nil, fmt.Errorf("%s is neither a report nor a recording: %w", settings.Quote(path), err)
	}
	if !strings.HasPrefix(told.Format, "restest-report/") {
		return nil, fmt.Errorf("%s is no report.json of restest: it does not say that it is", settings.Quote(path))
	}
	return told, nil
}

// unkept is a folder whose files are not kept.
type unkept struct{}

func (unkept) Create(string) (io.WriteCloser, error) { return unkept{}, nil }
func (unkept) Write(p []byte) (int, error)           { return len(p), nil }
func (unkept) Close() error                          { return nil }
