package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/stages/reporter"
)

// truthSeeds is how many runs the judgement is held against (decision 0024).
const truthSeeds = 5

// truth is what one run found of what is planted.
type truth struct {
	// errors and warnings count the planted ones, found those that were found and confirmed among them.
	errors, warnings           int
	errorsFound, warningsFound int
	falseErrors, falseWarnings []string
	missed                     []string
	findings, causes           int
	requests                   int64
}

// compare holds the findings of a report against what is planted.
func compare(findings []reporter.FindingInFull) truth {
	t := truth{findings: len(findings)}
	planted := map[string]demo.Fault{}
	for _, f := range demo.Planted() {
		planted[fmt.Sprintf("%s F%d", f.Operation, f.Code)] = f
	}
	seen, unsure := map[string]bool{}, map[string]string{}
	for _, f := range findings {
		name := f.Operation + " " + f.Code
		fault, is := planted[name]
		// A refusal is not provoked once more to confirm it (decision 0022).
		confirmed := f.Recheck.State == "confirmed" || f.Status == 503 && f.Recheck.State == "notRechecked"
		switch {
		case !is || seen[name] && !confirmed:
			what := fmt.Sprintf("%s (%s): %s", name, f.Recheck.State, f.Title)
			if f.Level == "error" {
				t.falseErrors = append(t.falseErrors, what)
			} else {
				t.falseWarnings = append(t.falseWarnings, what)
			}
		case !confirmed:
			unsure[name] = " (" + f.Recheck.State + ")"
		case seen[name]: // told twice, which only the number of findings shows
		case fault.Level == demo.Error:
			seen[name] = true
			t.errorsFound++
		default:
			seen[name] = true
			t.warningsFound++
		}
	}
	for _, f := range demo.Planted() {
		if f.Level == demo.Error {
			t.errors++
		} else {
			t.warnings++
		}
		if name := fmt.Sprintf("%s F%d", f.Operation, f.Code); !seen[name] {
			t.missed = append(t.missed, name+unsure[name])
		}
	}
	t.causes = t.errors + t.warnings
	return t
}

func (t *truth) add(o truth) {
	t.errors += o.errors
	t.warnings += o.warnings
	t.errorsFound += o.errorsFound
	t.warningsFound += o.warningsFound
	t.falseErrors = append(t.falseErrors, o.falseErrors...)
	t.falseWarnings = append(t.falseWarnings, o.falseWarnings...)
	t.findings += o.findings
	t.causes += o.causes
	t.requests += o.requests
}

func (t *truth) line(name string) string {
	return fmt.Sprintf("%-6s %6d requests: %3d of %3d errors, %3d of %3d warnings found and confirmed; %d false errors, %d false warnings; %d findings of %d causes",
		name, t.requests, t.errorsFound, t.errors, t.warningsFound, t.warnings, len(t.falseErrors), len(t.falseWarnings), t.findings, t.causes)
}

// holds says what of it does not hold.
func (t *truth) holds() (broken []string) {
	off := func(format string, values ...any) { broken = append(broken, fmt.Sprintf(format, values...)) }
	if 100*t.errorsFound < 95*t.errors {
		off("%d of %d planted errors were found and confirmed, fewer than 95%%", t.errorsFound, t.errors)
	}
	if len(t.falseErrors) > 0 {
		off("%d errors are false", len(t.falseErrors))
	}
	if len(t.falseWarnings) > 1 {
		off("%d warnings are false, more than one", len(t.falseWarnings))
	}
	if more := t.findings - t.causes; 100*max(more, -more) > 5*t.causes {
		off("%d findings are told of %d causes, more than 5%% off", t.findings, t.causes)
	}
	return broken
}

// The product's judgement is held against the demo, of which it is known what is wrong with it: five runs of 30 s.
func TestTheGroundTruthHolds(t *testing.T) {
	if os.Getenv("RESTEST_TRUTH") == "" {
		t.Skip("it runs the demo for half a minute five times; just truth does it")
	}
	budget, err := time.ParseDuration(cmp.Or(os.Getenv("RESTEST_TRUTH_BUDGET"), "30s"))
	if err != nil {
		t.Fatal(err)
	}
	var first uint64 = 1
	if text := os.Getenv("RESTEST_TRUTH_SEED"); text != "" {
		if first, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	runs := make([]truth, truthSeeds)
	failed := make([]error, truthSeeds)
	var group sync.WaitGroup
	turns := make(chan struct{}, runtime.NumCPU()) // more at once would find less each
	for i := range runs {
		out := t.TempDir()
		group.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			runs[i], failed[i] = runForTruth(t, first+uint64(i), budget, out)
		})
	}
	group.Wait()
	var all truth
	for i, run := range runs {
		if failed[i] != nil {
			t.Fatalf("seed %d: %v", first+uint64(i), failed[i])
		}
		fmt.Println(run.line(fmt.Sprint("seed ", first+uint64(i))))
		for label, list := range map[string][]string{"missed": run.missed, "false": append(run.falseErrors, run.falseWarnings...)} {
			if len(list) > 0 {
				fmt.Printf("       %s: %s\n", label, strings.Join(list, "; "))
			}
		}
		all.add(run)
	}
	fmt.Println(all.line("all"))
	for _, broken := range all.holds() {
		t.Error(broken)
	}
}

// runForTruth tests a demo of its own and reads the report.
func runForTruth(t *testing.T, seed uint64, budget time.Duration, out string) (truth, error) {
	var said strings.Builder
	o := demoOptions{budget: budget, seed: seed, out: out, quiet: true}
	if code := doDemo(t.Context(), o, streams{in: strings.NewReader(""), out: io.Discard, err: &said}); code != reporter.ExitClean {
		return truth{}, fmt.Errorf("the demo ended with %d: %s", code, said.String())
	}
	text, err := os.ReadFile(filepath.Join(out, reporter.ReportName))
	if err != nil {
		return truth{}, err
	}
	var report struct {
		Totals   struct{ Requests int64 }
		Findings []reporter.FindingInFull
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return truth{}, err
	}
	told := compare(report.Findings)
	told.requests = report.Totals.Requests
	return told, nil
}

// A truth that always holds would hold of nothing.
func TestTheGroundTruthIsMissedByWhatItForbids(t *testing.T) {
	told := func(operation, code, level string) reporter.FindingInFull {
		f := reporter.FindingInFull{Code: code, Level: level, ExchangeTold: &reporter.ExchangeTold{Operation: operation}}
		f.Recheck.State = "confirmed"
		return f
	}
	var right []reporter.FindingInFull
	for _, f := range demo.Planted() {
		finding := told(f.Operation, fmt.Sprint("F", f.Code), "warning")
		if f.Level == demo.Error {
			finding.Level = "error"
		}
		right = append(right, finding)
	}
	for _, c := range []struct {
		name     string
		findings []reporter.FindingInFull
		holds    bool
	}{
		{"all that is planted", right, true},
		{"one false warning", append(right[:len(right):len(right)], told("readBook", "F999", "warning")), true},
		{"two false warnings", append(right[:len(right):len(right)], told("readBook", "F999", "warning"), told("readBook", "F999", "warning")), false},
		{"a false error", append(right[:len(right):len(right)], told("readBook", "F999", "error")), false},
		{"two errors missed", right[2:], false},
		{"each told twice", append(right[:len(right):len(right)], right...), false},
		{"nothing", nil, false},
	} {
		got := compare(c.findings)
		if broken := got.holds(); (len(broken) == 0) != c.holds {
			t.Errorf("%s: %s, %v", c.name, got.line(""), broken)
		}
	}
}
