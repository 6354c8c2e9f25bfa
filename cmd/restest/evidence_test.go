package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/stages/reporter"
)

// The benchmarks here repeat, live, what the decisions 0042 and 0043 measured; docs/evidence.md shows both.

// witness is a stand-in that notes when each request arrives.
type witness struct {
	url      string
	document string
	clock    clock.Clock
	mu       sync.Mutex
	arrivals []clock.Instant
}

// newWitness serves so many operations, each of which answers once answer returns.
func newWitness(b *testing.B, operations int, answer func(n int)) *witness {
	b.Helper()
	w := &witness{clock: clock.NewSystem()}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		w.mu.Lock()
		w.arrivals = append(w.arrivals, w.clock.Now())
		n := len(w.arrivals)
		w.mu.Unlock()
		answer(n)
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out, "{}")
	}))
	b.Cleanup(server.Close)
	paths := map[string]any{}
	for i := range operations {
		paths[fmt.Sprintf("/%d", i)] = map[string]any{"get": map[string]any{
			"responses": map[string]any{"200": map[string]any{"description": "ok"}},
		}}
	}
	content, err := json.Marshal(map[string]any{
		"openapi": "3.0.3", "info": map[string]any{"title": "Witness", "version": "1"}, "paths": paths,
	})
	if err != nil {
		b.Fatal(err)
	}
	w.url, w.document = server.URL, filepath.Join(b.TempDir(), "openapi.json")
	if err := os.WriteFile(w.document, content, 0o600); err != nil {
		b.Fatal(err)
	}
	return w
}

// watch has the program test the witness, and returns the engine's part of the report and the gaps between writes, as
// recorded, and between arrivals.
func (w *witness) watch(b *testing.B, budget time.Duration, perMinute int, args ...string) (engine reporter.Engine, writes, arrivals []time.Duration) {
	b.Helper()
	w.mu.Lock()
	w.arrivals = nil
	w.mu.Unlock()
	out := b.TempDir()
	cmd := exec.Command("restest", slices.Concat([]string{
		"run", w.document, "--url", w.url, "--budget", budget.String(), "--out", out, "--quiet",
		"--set", fmt.Sprintf("engine.mostRequestsPerMinute=%d", perMinute),
	}, args)...)
	cmd.Env = plainEnvironment()
	if text, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, text)
	}
	content, err := os.ReadFile(filepath.Join(out, reporter.ReportName))
	if err != nil {
		b.Fatal(err)
	}
	var report reporter.Report
	if err := json.Unmarshal(content, &report); err != nil {
		b.Fatal(err)
	}
	recording, err := os.Open(filepath.Join(out, reporter.RecordingName))
	if err != nil {
		b.Fatal(err)
	}
	defer recording.Close()
	var sent []clock.Instant
	if err := reporter.ReadRecording(recording, func(l reporter.Line) error {
		if l.Exchange != nil {
			sent = append(sent, clock.Instant(l.Exchange.SentAt))
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(sent) < 2 || len(sent) != len(w.arrivals) {
		b.Fatalf("%d requests were sent, %d arrived", len(sent), len(w.arrivals))
	}
	return report.Engine, gaps(sent), gaps(w.arrivals)
}

// gaps are the times from each moment to the next.
func gaps(moments []clock.Instant) []time.Duration {
	slices.Sort(moments)
	var gaps []time.Duration
	for i := 1; i < len(moments); i++ {
		gaps = append(gaps, moments[i].Sub(moments[i-1]))
	}
	return gaps
}

func toMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// measure reports the least and the median of some gaps.
func measure(b *testing.B, where string, gaps []time.Duration) {
	b.Helper()
	sorted := slices.Sorted(slices.Values(gaps))
	b.ReportMetric(toMilliseconds(sorted[0]), "least_ms_"+where)
	b.ReportMetric(toMilliseconds(sorted[len(sorted)/2]), "median_ms_"+where)
}

// BenchmarkEvidenceRates runs for 20 s at each rate of decision 0043's table.
func BenchmarkEvidenceRates(b *testing.B) {
	for _, perMinute := range []int{30, 300, 3000} {
		b.Run(fmt.Sprint(perMinute), func(b *testing.B) {
			w := newWitness(b, 5, func(int) {})
			var engine reporter.Engine
			var writes, arrivals []time.Duration
			for b.Loop() {
				engine, writes, arrivals = w.watch(b, 20*time.Second, perMinute)
			}
			measure(b, "between_writes", writes)
			measure(b, "at_the_server", arrivals)
			b.ReportMetric(float64(engine.RequestsSent), "requests")
			b.ReportMetric(100*float64(*engine.TurnsUsed)/float64(*engine.TurnsDue), "%_of_turns")
		})
	}
}

// BenchmarkEvidenceStall has each four requests wait for one another and 0.3 s more, and answers them together.
func BenchmarkEvidenceStall(b *testing.B) {
	const together, stall = 4, 300 * time.Millisecond
	var mu sync.Mutex
	var held int
	release := make(chan struct{})
	clk := clock.NewSystem()
	w := newWitness(b, 1, func(int) {
		mu.Lock()
		wait := release
		if held++; held == together {
			held, release = 0, make(chan struct{})
			clk.At(clk.Now().Add(stall), func() { close(wait) })
		}
		mu.Unlock()
		<-wait
	})
	var writes, arrivals []time.Duration
	for b.Loop() {
		_, writes, arrivals = w.watch(b, 6500*time.Millisecond, 600, "--set", "schedule.stragglerGrace=1s",
			"--set", "engine.minConcurrency=4", "--set", "engine.initialConcurrency=4", "--set", "engine.maxConcurrency=4")
	}
	// The gaps in which all four were held are no gaps between requests that could go.
	stalled := func(gap time.Duration) bool { return gap > 250*time.Millisecond }
	measure(b, "between_writes", slices.DeleteFunc(writes, stalled))
	measure(b, "at_the_server", slices.DeleteFunc(arrivals, stalled))
}

// BenchmarkEvidenceFirstTwo runs ten times for half a second, and looks at the first two requests of each run.
func BenchmarkEvidenceFirstTwo(b *testing.B) {
	w := newWitness(b, 5, func(int) {})
	var first, all []time.Duration
	for b.Loop() {
		first, all = nil, nil
		for range 10 {
			_, _, arrivals := w.watch(b, 500*time.Millisecond, 600)
			first, all = append(first, arrivals[0]), append(all, arrivals...)
		}
	}
	measure(b, "first_pair_at_the_server", first)
	measure(b, "any_pair_at_the_server", all)
}
