package sim_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

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

// counting ends a run after so many writes.
type counting struct {
	sender.Transport
	left  atomic.Int64
	stops chan messages.End
}

func (c *counting) Write(slot int, o sender.Outgoing) {
	c.Transport.Write(slot, o)
	if c.left.Add(-1) == 0 {
		c.stops <- messages.Interrupted
	}
}

// through sends n requests through all five stages, live, against the API on paper, and returns how long that took.
func through(b *testing.B, doc *document.Document, n int, api sim.API) time.Duration {
	b.Helper()
	s := settings.Default()
	s.Report.Recording = false
	clk := clock.NewSystem()
	edge := &counting{stops: make(chan messages.End, 1)}
	edge.left.Store(int64(n))
	run := stages.Run{
		Document: doc, Settings: s, Seed: 1, Deadline: clock.Instant(time.Hour), LastWrite: -1,
		Report: reporter.Config{Tool: reporter.Tool{Name: "restest", Version: "bench"}, Quiet: true},
		Transport: func(tell func(messages.ToSender), _ func(error)) sender.Transport {
			edge.Transport = sim.NewHurriedTransport(api, s.Engine, clk, tell)
			return edge
		},
	}
	began := clk.Now()
	if result := run.Live(context.Background(), clk, edge.stops); result.Exit != reporter.ExitInterrupted {
		b.Fatal(result.Exit, result.Summary)
	}
	return clk.Now().Sub(began)
}

// BenchmarkPipelineDemo is the cost of a request through all five stages with the demo's document and replies, no
// recording. The figure to reach is 15,000 requests a second on two cores.
func BenchmarkPipelineDemo(b *testing.B) {
	doc := bookshop(b)
	b.ReportAllocs()
	b.ResetTimer()
	took := through(b, doc, b.N, demo.New(demo.Options{WithoutLimits: true}))
	b.ReportMetric(float64(b.N)/took.Seconds(), "requests/s")
}

// BenchmarkMemoryOverAMillionRequests tells the memory in use after 100,000 requests and after a million: it is to
// stay flat.
func BenchmarkMemoryOverAMillionRequests(b *testing.B) {
	doc := bookshop(b)
	inUse := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.Sys-m.HeapReleased) / (1 << 20)
	}
	for b.Loop() {
		through(b, doc, 100_000, demo.New(demo.Options{WithoutLimits: true}))
		b.ReportMetric(inUse(), "MiB_after_100k")
		through(b, doc, 1_000_000, demo.New(demo.Options{WithoutLimits: true}))
		b.ReportMetric(inUse(), "MiB_after_1M")
	}
}
