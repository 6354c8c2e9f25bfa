package main

import (
	"context"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
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

// recorded is a folder with the recording of so many exchanges with the demo's API, on paper.
func recorded(b *testing.B, exchanges int64) string {
	b.Helper()
	folder := b.TempDir()
	out, err := reporter.NewFolder(folder)
	if err != nil {
		b.Fatal(err)
	}
	var kept reporter.Files
	doc, err := document.Load(context.Background(), "bookshop.json", document.Options{
		URL:  "http://127.0.0.1:1/v1",
		Read: kept.Keep(func(context.Context, string) ([]byte, error) { return demo.Document(), nil }),
	})
	if err != nil {
		b.Fatal(err)
	}
	given, err := settings.Resolve(settings.Input{})
	if err != nil {
		b.Fatal(err)
	}
	clk := clock.NewSystem()
	edge := &counting{stops: make(chan messages.End, 1)}
	edge.left.Store(exchanges)
	run := stages.Run{
		Document: doc, Settings: given.Settings, Seed: 1, Deadline: clock.Instant(time.Hour), LastWrite: -1,
		Report: reporter.Config{
			Tool: reporter.Tool{Name: "restest", Version: "bench"}, Quiet: true, Out: out, Files: &kept, Values: given.All(),
			URL: "http://127.0.0.1:1/v1",
		},
		Transport: func(tell func(messages.ToSender), _ func(error)) sender.Transport {
			edge.Transport = sim.NewHurriedTransport(demo.New(demo.Options{WithoutLimits: true}), given.Engine, clk, tell)
			return edge
		},
	}
	if result := run.Live(context.Background(), clk, edge.stops); result.Exit != reporter.ExitInterrupted {
		b.Fatal(result.Exit, result.Summary)
	}
	return folder
}

// BenchmarkReportsOfALongRecording makes the reports of 150,000 exchanges again, in all formats. The figures to stay under
// are 10 s and 500 MB.
func BenchmarkReportsOfALongRecording(b *testing.B) {
	program := built(b)
	from := recorded(b, 150_000)
	clk := clock.NewSystem()
	for b.Loop() {
		for name, args := range map[string][]string{"all": {"--formats", strings.Join(settings.Formats, ",")}, "judged": {"--judge-again", "--formats", "junit"}} {
			cmd := exec.Command(program, append([]string{"report", from, "--quiet", "--out", b.TempDir()}, args...)...)
			began := clk.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			b.ReportMetric(clk.Now().Sub(began).Seconds(), name+"_s")
			b.ReportMetric((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), name+"_cpu_s")
			if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
				b.ReportMetric(float64(usage.Maxrss)/1000, name+"_peak_MB")
			}
		}
	}
}
