package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

func TestMain(m *testing.M) {
	// regexp2 ends its clock a moment after its last match.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// files is a folder in memory.
type files map[string]*bytes.Buffer

type file struct{ *bytes.Buffer }

func (file) Close() error { return nil }

func (f files) Create(name string) (io.WriteCloser, error) {
	f[name] = new(bytes.Buffer)
	return file{f[name]}, nil
}

func (files) String() string { return "paper" }

func bookshop(t testing.TB) *document.Document {
	t.Helper()
	doc, err := document.Load(t.Context(), "openapi.json", document.Options{
		URL:  "http://127.0.0.1:1",
		Read: func(context.Context, string) ([]byte, error) { return demo.Document(), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// onPaper runs the stages against the demo's API on paper and returns what was written.
func onPaper(t testing.TB, doc *document.Document, options demo.Options, budget time.Duration, seed uint64, order stages.Order, change func(*settings.Settings)) (reporter.Result, files) {
	t.Helper()
	s := settings.Default()
	if change != nil {
		change(&s)
	}
	c := clock.NewFake(time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC))
	out := files{}
	run := stages.Run{
		Document: doc, Settings: s, Seed: seed, Deadline: clock.Instant(budget), LastWrite: -1,
		Report: reporter.Config{
			Tool: reporter.Tool{Name: "restest", Version: "paper"}, Source: "openapi.json", Budget: budget, Out: out, Quiet: true,
		},
		Transport: func(tell func(messages.ToSender), _ func(error)) sender.Transport {
			return sim.NewTransport(slow{demo.New(options)}, s.Engine, c, tell)
		},
	}
	return run.OnPaper(c, order), out
}

// slow answers after at least a millisecond, as a run on paper would otherwise never end its first instant.
type slow struct{ *demo.API }

func (s slow) Answer(now time.Duration, r demo.Request) demo.Reply {
	reply := s.API.Answer(now, r)
	reply.After = max(reply.After, time.Millisecond)
	return reply
}

// found lists the findings of a report as "operation code".
func found(t *testing.T, out files) (list []string, report map[string]any) {
	t.Helper()
	if err := json.Unmarshal(out[reporter.ReportName].Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range report["findings"].([]any) {
		f := f.(map[string]any)
		key := fmt.Sprintf("%v %v", f["operation"], f["code"])
		if !seen[key] {
			seen[key] = true
			list = append(list, key)
		}
	}
	sort.Strings(list)
	return list, report
}

func TestTheDemosFaultsAreFoundAndNothingElse(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	planted := map[string]bool{}
	for _, f := range demo.Planted() {
		planted[fmt.Sprintf("%s F%d", f.Operation, f.Code)] = true
	}
	_, out := onPaper(t, bookshop(t), demo.Options{}, 10*time.Second, 1, stages.Order{}, nil)
	list, report := found(t, out)
	for _, f := range list {
		if !planted[f] {
			t.Errorf("%s is reported, and was not planted", f)
		}
		delete(planted, f)
	}
	for f := range planted {
		t.Errorf("%s was planted and is not found", f)
	}
	if n := len(report["findings"].([]any)); n != len(demo.Planted()) {
		t.Errorf("%d findings are reported of %d causes", n, len(demo.Planted()))
	}
	told := report["toldToWait"].(map[string]any)
	whole := told["wholeApi"].(map[string]any)
	if whole["times"] != 1.0 {
		t.Errorf("the whole API was held %v times", whole["times"])
	}
}

func TestTheDemoWithoutItsFaultsIsClean(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	result, out := onPaper(t, bookshop(t), demo.Options{WithoutFaults: true, WithoutLimits: true}, 5*time.Second, 3, stages.Order{}, nil)
	if list, _ := found(t, out); len(list) > 0 || result.Exit != reporter.ExitClean {
		t.Errorf("it ends with %d and reports %s", result.Exit, strings.Join(list, ", "))
	}
}

func TestARunOnPaperRepeatsToTheByteInlineAndInLockstep(t *testing.T) {
	doc := bookshop(t)
	_, first := onPaper(t, doc, demo.Options{}, time.Second, 7, stages.Order{}, nil)
	for _, order := range []stages.Order{{}, {Lockstep: true}} {
		_, again := onPaper(t, doc, demo.Options{}, time.Second, 7, order, nil)
		for name, want := range first {
			if !bytes.Equal(want.Bytes(), again[name].Bytes()) {
				t.Errorf("%s differs (lockstep %v)", name, order.Lockstep)
			}
		}
	}
	if len(first) != 2 {
		t.Errorf("%d files were written", len(first))
	}
}

func TestNinetyNineTurnsInAHundredAreUsedOnPaper(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	doc := bookshop(t)
	for _, perMinute := range []int64{300, 600, 3000, 60_000} {
		_, out := onPaper(t, doc, demo.Options{WithoutLimits: true}, 20*time.Second, 1, stages.Order{}, func(s *settings.Settings) {
			s.Engine.LimitTheRate, s.Engine.MostRequestsPerMinute = true, perMinute
		})
		_, report := found(t, out)
		engine := report["engine"].(map[string]any)
		due, used := engine["turnsDue"].(float64), engine["turnsUsed"].(float64)
		if used < 0.99*due {
			t.Errorf("at %d a minute %v of %v turns were used", perMinute, used, due)
		}
	}
}
