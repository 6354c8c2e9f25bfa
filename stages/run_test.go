package stages_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
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

// files is a folder in memory. With room it is a disk that is full after so many bytes.
type files struct {
	mu   sync.Mutex
	held map[string]*bytes.Buffer
	room int
}

type file struct {
	*files
	name string
}

func newFiles() *files { return &files{held: map[string]*bytes.Buffer{}, room: 1 << 30} }

func (f *files) Create(name string) (io.WriteCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held[name] = new(bytes.Buffer)
	return file{f, name}, nil
}

func (f *files) String() string { return "memory" }

func (f file) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := min(len(p), f.room)
	f.room -= n
	f.held[f.name].Write(p[:n])
	if n < len(p) {
		return n, errors.New("no space left on device")
	}
	return n, nil
}

func (f file) Close() error { return nil }

func (f *files) report(t *testing.T) map[string]any {
	t.Helper()
	var r map[string]any
	if err := json.Unmarshal(f.held[reporter.ReportName].Bytes(), &r); err != nil {
		t.Fatalf("the report cannot be read: %v", err)
	}
	return r
}

// trial is a run against a server on loopback.
type trial struct {
	doc    *document.Document
	out    *files
	budget time.Duration
	change func(*settings.Settings)
	edge   func(sender.Transport) sender.Transport
	stops  chan messages.End
}

func (r trial) run(t *testing.T) reporter.Result {
	t.Helper()
	s := settings.Default()
	if r.change != nil {
		r.change(&s)
	}
	clk := clock.NewSystem()
	var wire *sender.Wire
	run := stages.Run{
		Document: r.doc, Settings: s, Seed: 1, Deadline: clock.Instant(r.budget), LastWrite: -1,
		Report: reporter.Config{Tool: reporter.Tool{Name: "restest", Version: "test"}, Budget: r.budget, Out: r.out, Quiet: true},
		Transport: func(tell func(messages.ToSender), fail func(error)) sender.Transport {
			var err error
			wire, err = sender.NewWire(sender.WireConfig{Origin: r.doc.Origin, Settings: s, Clock: clk, Tell: tell, Fail: fail})
			if err != nil {
				t.Fatal(err)
			}
			if r.edge != nil {
				return r.edge(wire)
			}
			return wire
		},
	}
	result := run.Live(context.Background(), clk, r.stops)
	wire.Wait()
	return result
}

const twoOperations = `{"openapi":"3.0.3","info":{"title":"Two","version":"1"},"paths":{
	"/a":{"get":{"operationId":"a","responses":{"200":{"description":"ok"}}}},
	"/b":{"post":{"operationId":"b","responses":{"200":{"description":"ok"}}}}}}`

func at(t *testing.T, url, text string) *document.Document {
	t.Helper()
	doc, err := document.Load(context.Background(), "two.json", document.Options{
		URL: url, Read: func(context.Context, string) ([]byte, error) { return []byte(text), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// serve starts a server and counts what arrives.
func serve(t *testing.T, h http.HandlerFunc) (url string, arrived *atomic.Int64) {
	t.Helper()
	arrived = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, arrived
}

func TestARunTellsOfEveryRequestThatArrived(t *testing.T) {
	url, arrived := serve(t, func(http.ResponseWriter, *http.Request) {})
	out := newFiles()
	result := trial{doc: at(t, url, twoOperations), out: out, budget: 300 * time.Millisecond}.run(t)
	if result.Exit != reporter.ExitClean {
		t.Errorf("it ends with %d: %s", result.Exit, result.Sentence)
	}
	engine := out.report(t)["engine"].(map[string]any)
	if sent := int64(engine["requestsSent"].(float64)); sent != arrived.Load() || sent == 0 {
		t.Errorf("%d were sent, %d arrived", sent, arrived.Load())
	}
}

func TestAFirstSignalLetsWhatIsUnderWayComeHome(t *testing.T) {
	stops := make(chan messages.End, 2)
	var once sync.Once
	url, arrived := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() { stops <- messages.Interrupted })
		w.WriteHeader(200)
	})
	out := newFiles()
	result := trial{doc: at(t, url, twoOperations), out: out, budget: time.Hour, stops: stops}.run(t)
	if result.Exit != reporter.ExitInterrupted {
		t.Errorf("it ends with %d", result.Exit)
	}
	r := out.report(t)
	if r["cutShort"] != true {
		t.Error("the report is not marked as cut short")
	}
	if sent := int64(r["engine"].(map[string]any)["requestsSent"].(float64)); sent != arrived.Load() {
		t.Errorf("%d were sent, %d arrived", sent, arrived.Load())
	}
}

func TestASecondSignalEndsEverythingAtOnce(t *testing.T) {
	stops := make(chan messages.End, 2)
	var once sync.Once
	release := make(chan struct{})
	url, _ := serve(t, func(http.ResponseWriter, *http.Request) {
		once.Do(func() { stops <- messages.Terminated; stops <- messages.Terminated })
		<-release
	})
	defer close(release)
	out := newFiles()
	result := trial{
		doc: at(t, url, twoOperations), out: out, budget: time.Hour, stops: stops,
		change: func(s *settings.Settings) { s.Schedule.InterruptGrace = time.Hour },
	}.run(t)
	if result.Exit != reporter.ExitTerminated || out.report(t)["cutShort"] != true {
		t.Errorf("it ends with %d", result.Exit)
	}
}

// tripping is a transport at which a stage trips: it panics at its tenth write.
type tripping struct {
	sender.Transport
	writes int
}

func (f *tripping) Write(slot int, o sender.Outgoing) {
	if f.writes++; f.writes == 10 {
		panic("a fault of ours")
	}
	f.Transport.Write(slot, o)
}

func TestAStageThatPanicsStillLeavesAReport(t *testing.T) {
	url, _ := serve(t, func(http.ResponseWriter, *http.Request) {})
	out := newFiles()
	result := trial{
		doc: at(t, url, twoOperations), out: out, budget: time.Hour,
		edge: func(w sender.Transport) sender.Transport { return &tripping{Transport: w} },
	}.run(t)
	if result.Exit != reporter.ExitFailed {
		t.Errorf("it ends with %d: %s", result.Exit, result.Sentence)
	}
	r := out.report(t)
	if r["cutShort"] != true || !strings.Contains(out.held[reporter.ReportName].String(), "a fault of ours") {
		t.Error("the report does not tell of the failure")
	}
}

func TestAFullDiskLeavesTheSummaryAndExitFour(t *testing.T) {
	url, _ := serve(t, func(http.ResponseWriter, *http.Request) {})
	out := newFiles()
	out.room = 2000
	result := trial{doc: at(t, url, twoOperations), out: out, budget: 300 * time.Millisecond}.run(t)
	if result.Exit != reporter.ExitFailed || !strings.Contains(result.Summary, "no space left on device") {
		t.Errorf("it ends with %d: %s", result.Exit, result.Summary)
	}
	lines := 0
	if err := reporter.ReadRecording(bytes.NewReader(out.held[reporter.RecordingName].Bytes()), func(reporter.Line) error {
		lines++
		return nil
	}); err != nil {
		t.Errorf("what was written cannot be read: %v", err)
	}
}

func TestAnAPIThatDiesEndsTheRunWithItsReport(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served atomic.Int64
	server := &http.Server{}
	server.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if served.Add(1) == 50 {
			go func() { _ = server.Shutdown(context.Background()) }() // what is being answered is answered
		}
	})
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	out := newFiles()
	result := trial{
		doc: at(t, "http://"+listener.Addr().String(), twoOperations), out: out, budget: time.Hour,
		change: func(s *settings.Settings) { s.Engine.ConnectTimeout = 100 * time.Millisecond },
	}.run(t)
	<-done
	// Connections that were opened and ended without a word are faults it may have found, and those win.
	if result.Exit != reporter.ExitRefused && result.Exit != reporter.ExitErrors {
		t.Errorf("it ends with %d: %s", result.Exit, result.Sentence)
	}
	if !strings.Contains(result.Summary, "connection refused") {
		t.Errorf("it does not say why it ended: %s", result.Summary)
	}
	if end := out.report(t)["end"]; end == nil {
		t.Error("the report does not say how sending ended")
	}
}

func TestAnAPIThatIsNotThereIsNothingTested(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	listener.Close()
	out := newFiles()
	result := trial{
		doc: at(t, url, twoOperations), out: out, budget: time.Hour,
		change: func(s *settings.Settings) { s.Engine.ConnectTimeout = 100 * time.Millisecond },
	}.run(t)
	if result.Exit != reporter.ExitNothing || !strings.Contains(result.Sentence, "connection refused") {
		t.Errorf("it ends with %d: %s", result.Exit, result.Sentence)
	}
}

func TestLiveKeepsTheRateBetweenWrites(t *testing.T) {
	url, _ := serve(t, func(http.ResponseWriter, *http.Request) {})
	out := newFiles()
	trial{
		doc: at(t, url, twoOperations), out: out, budget: 300 * time.Millisecond,
		change: func(s *settings.Settings) { s.Engine.LimitTheRate, s.Engine.MostRequestsPerMinute = true, 6000 },
	}.run(t)
	times := []int64{}
	err := reporter.ReadRecording(bytes.NewReader(out.held[reporter.RecordingName].Bytes()), func(l reporter.Line) error {
		if l.Exchange != nil && l.Exchange.SentAt > 0 {
			times = append(times, l.Exchange.SentAt)
		}
		return nil
	})
	if err != nil || len(times) < 5 {
		t.Fatalf("%d requests were recorded: %v", len(times), err)
	}
	slices.Sort(times) // exchanges are recorded as they end
	for i := 1; i < len(times); i++ {
		if gap := times[i] - times[i-1]; gap*6000 < int64(time.Minute) {
			t.Errorf("requests %d and %d are %v apart", i, i+1, time.Duration(gap))
		}
	}
}
