package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
	"go.yaml.in/yaml/v4"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/reporter"
)

// baselineFile is a file of known findings (decision 0022).
type baselineFile struct {
	Findings []baselineEntry `yaml:"findings"`
}

// baselineEntry is one known finding. What is for people alone.
type baselineEntry struct {
	ID     string `yaml:"id"`
	What   string `yaml:"what,omitempty"`
	Reason string `yaml:"reason,omitempty"`
	Until  string `yaml:"until,omitempty"`
}

const baselineHead = `# Findings that are known: restest run --baseline lists them and does not count them. Written by restest baseline,
# which keeps the reasons and dates given here. After its last day, until, a finding counts again.
`

func (a *app) baselineCommand() *cli.Command {
	return &cli.Command{
		Name:      "baseline",
		Usage:     "write down the findings that are known",
		UsageText: "restest baseline [options] REPORT",
		Description: strings.TrimSpace(`
Writes the findings of a report to a file for restest run --baseline, which lists them as known and does not count
them, so that only new ones fail. REPORT is a report.json or the folder it is in. A file that is there already keeps its
entries, with their reasons and dates.`),
		Metadata: map[string]any{"Examples": []string{
			"restest baseline restest-out",
			"restest baseline restest-out --reason 'known before the rewrite' --until 2027-03-31",
			"restest run openapi.yaml --url http://localhost:8080 --baseline restest-baseline.yaml",
		}},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "file", Value: "restest-baseline.yaml", Usage: "`FILE` to write"},
			&cli.StringFlag{Name: "reason", Usage: "`WHY` the new entries are known"},
			&cli.StringFlag{Name: "until", Usage: "last `DAY` the new entries are known on, such as 2027-03-31", DefaultText: "always"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 || cmd.Args().First() == "" {
				return usage(cmd, "one REPORT belongs here; write a report.json or the folder it is in")
			}
			until := cmd.String("until")
			if until != "" {
				if _, err := time.Parse(time.DateOnly, until); err != nil {
					return usage(cmd, "--until %s is not a day; write it like 2027-03-31", settings.Quote(until))
				}
			}
			report, err := readReport(cmd.Args().First())
			if err != nil {
				return usage(cmd, "%v", err)
			}
			file := cmd.String("file")
			entries, err := readBaseline(file)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return usage(cmd, "%v", err)
			}
			kept := len(entries)
			entries = mergeBaseline(entries, report.Findings, cmd.String("reason"), until)
			var b bytes.Buffer
			b.WriteString(baselineHead)
			if err := yaml.NewEncoder(&b).Encode(baselineFile{entries}); err != nil {
				return err
			}
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				return usage(cmd, "%s cannot be written: %v", settings.Quote(file), reason(err))
			}
			fmt.Fprintf(a.out, "%s: known findings: %d, of them new: %d\n", file, len(entries), len(entries)-kept)
			return nil
		},
	}
}

// mergeBaseline adds the findings that the entries lack, and orders all by what they are.
func mergeBaseline(entries []baselineEntry, findings []reporter.FindingInFull, why, until string) []baselineEntry {
	for i := range findings {
		f := &findings[i]
		if !slices.ContainsFunc(entries, func(e baselineEntry) bool { return e.ID == f.ID }) {
			what := fmt.Sprintf("%s %s: %s", f.Code, f.Operation, strings.Join(strings.Fields(f.Title), " "))
			entries = append(entries, baselineEntry{ID: f.ID, What: what, Reason: why, Until: until})
		}
	}
	slices.SortStableFunc(entries, func(a, b baselineEntry) int { return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.ID, b.ID)) })
	return entries
}

var findingID = regexp.MustCompile(`^[0-9a-f]{12}$`)

// readBaseline reads a file of known findings. An error is one line that says what is wrong, and where.
func readBaseline(name string) ([]baselineEntry, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", settings.Quote(name), reason(err))
	}
	var file baselineFile
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is no baseline: %s", settings.Quote(name), strings.Join(strings.Fields(err.Error()), " "))
	}
	seen := map[string]bool{}
	for i, e := range file.Findings {
		switch {
		case !findingID.MatchString(e.ID):
			return nil, fmt.Errorf("%s: entry %d has the id %s, which is none; write the id that the report gives the finding", settings.Quote(name), i+1, settings.Quote(e.ID))
		case seen[e.ID]:
			return nil, fmt.Errorf("%s: entry %d repeats the id %s; leave it out", settings.Quote(name), i+1, e.ID)
		}
		seen[e.ID] = true
		if _, err := time.Parse(time.DateOnly, e.Until); e.Until != "" && err != nil {
			return nil, fmt.Errorf("%s: entry %d is known until %s, which is no day; write it like 2027-03-31", settings.Quote(name), i+1, settings.Quote(e.Until))
		}
	}
	return file.Findings, nil
}

// knownBy are the entries as the reporter takes them; never nil.
func knownBy(entries []baselineEntry) []reporter.Known {
	known := make([]reporter.Known, len(entries))
	for i, e := range entries {
		until, _ := time.Parse(time.DateOnly, e.Until) // looked at when it was read
		known[i] = reporter.Known{ID: e.ID, Reason: e.Reason, Until: until}
	}
	return known
}

// readReport reads a report.json, which may be named by its folder.
func readReport(name string) (*reporter.Report, error) {
	if at, err := os.Stat(name); err == nil && at.IsDir() {
		name = filepath.Join(name, reporter.ReportName)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", settings.Quote(name), reason(err))
	}
	var report reporter.Report
	if err := json.Unmarshal(data, &report); err != nil || !report.IsReport() {
		return nil, fmt.Errorf("%s is no report of this tool; write a report.json or the folder it is in", settings.Quote(name))
	}
	return &report, nil
}
