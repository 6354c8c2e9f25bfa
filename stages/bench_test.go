package stages_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// instant is a transport that answers at once, with an empty 204, and ends the run after so many requests.
type instant struct {
	clk   clock.Clock
	tell  func(messages.ToSender)
	left  atomic.Int64
	stops chan messages.End
}

func (t *instant) Open(slot int) { t.tell(messages.Opened{Slot: slot}) }

var empty = &messages.Reply{Proto: "HTTP/1.1", Status: 204, Reason: "No Content"}

func (t *instant) Write(slot int, _ sender.Outgoing) {
	at := t.clk.Now()
	t.tell(messages.Wrote{Slot: slot, At: at, Written: at})
	t.tell(messages.Came{
		Slot: slot, HeardAt: at, EndedAt: at, Outcome: messages.Answered, Reply: empty, Open: true,
	})
	if t.left.Add(-1) == 0 {
		t.stops <- messages.Interrupted
	}
}

func (t *instant) Recall(int) {}
func (t *instant) Abandon()   {}
func (t *instant) Close()     {}

const oneOperation = `{"openapi":"3.0.3","info":{"title":"Small","version":"1"},"paths":{"/ping":{"get":{"responses":{"204":{"description":"pong"}}}}}}`

func load(t testing.TB, text string) *document.Document {
	t.Helper()
	doc, err := document.Load(context.Background(), "small.json", document.Options{
		URL:  "http://127.0.0.1:1",
		Read: func(context.Context, string) ([]byte, error) { return []byte(text), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// BenchmarkPipelineSmall is the cost of a request through all five stages: one small operation, empty replies, no
// recording. The figure to reach is 100,000 requests a second on two cores.
func BenchmarkPipelineSmall(b *testing.B) {
	doc := load(b, oneOperation)
	s := settings.Default()
	s.Report.Recording = false
	b.ReportAllocs()
	clk := clock.NewSystem()
	edge := &instant{clk: clk, stops: make(chan messages.End, 1)}
	edge.left.Store(int64(b.N))
	run := stages.Run{
		Document: doc, Settings: s, Seed: 1, Deadline: clock.Instant(time.Hour), LastWrite: -1,
		Report: reporter.Config{Tool: reporter.Tool{Name: "restest", Version: "bench"}, Quiet: true},
		Transport: func(tell func(messages.ToSender), _ func(error)) sender.Transport {
			edge.tell = tell
			return edge
		},
	}
	b.ResetTimer()
	result := run.Live(context.Background(), clk, edge.stops)
	b.StopTimer()
	if result.Exit != 130 {
		b.Fatal(result.Exit, result.Summary)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}
