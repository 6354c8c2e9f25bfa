package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/sim/limited"
	"github.com/restest/restest/sim/limiter"
)

// threeOperations is a document of as many reads.
const threeOperations = `openapi: 3.0.3
info: {title: Limited, version: "1"}
paths:
  /a:
    get: {operationId: a, tags: [some], responses: {"200": {description: ok}, "429": {description: no}}}
  /b:
    get: {operationId: b, tags: [some], responses: {"200": {description: ok}, "429": {description: no}}}
  /c:
    get: {operationId: c, responses: {"200": {description: ok}, "429": {description: no}}}
`

// limits serves an API that does nothing but limit, and returns its address and the file of its document.
func limits(t *testing.T, o limited.Options) (url, document string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	clk := clock.NewSystem()
	o.Opened = clk.Wall(0)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- demo.Serve(ctx, listener, limited.New(o), clk) }()
	t.Cleanup(func() {
		cancel()
		<-served
	})
	document = filepath.Join(t.TempDir(), "api.yaml")
	if err := os.WriteFile(document, []byte(threeOperations), 0o600); err != nil {
		t.Fatal(err)
	}
	return "http://" + listener.Addr().String(), document
}

// Decision 0012: what an API says of its quota is obeyed before it refuses. Refused are at most the requests that were
// under way when it was first said.
func TestAQuotaIsStayedInside(t *testing.T) {
	for _, family := range []limited.Headers{limited.Draft11, limited.XRateLimitEpoch} {
		t.Run(string(family), func(t *testing.T) {
			t.Parallel()
			o := limited.Options{
				Rule: limiter.Rule{Limit: 30, Window: 2 * time.Second}, RetryAfter: limited.NoRetryAfter, Headers: family,
				Key: []string{limited.Path}, Takes: time.Millisecond,
			}.Of("window-from-first-request")
			url, document := limits(t, o)
			with := test(t, document, "--url", url, "--budget", "3500ms").report
			url, document = limits(t, o)
			without := test(t, document, "--url", url, "--budget", "3500ms", "--set", "schedule.stayInsideQuota=false").report
			if without.Foreseen != nil || without.Totals.Refused < 3 {
				t.Errorf("without it %d were refused", without.Totals.Refused)
			}
			// A window's moment is told in whole seconds, so that less than each window can be used.
			if with.Totals.Refused > 0 || with.Totals.Requests < 90 {
				t.Errorf("of %d requests %d were refused; without it of %d %d", with.Totals.Requests, with.Totals.Refused, without.Totals.Requests, without.Totals.Refused)
			}
			if with.Foreseen == nil || len(with.Foreseen.Operations) < 2 || len(with.Foreseen.Unread) > 0 || len(with.ToldToWait.Operations) > 0 {
				t.Errorf("reported as %+v and %+v", with.Foreseen, with.ToldToWait)
			}
		})
	}
}

func TestOperationsKeepToRatesOfTheirOwnOverAWire(t *testing.T) {
	url, document := limits(t, limited.Options{Rule: limiter.Rule{Limit: 1e6, Window: time.Second}}.Of("gcra"))
	o := test(t, document, "--url", url, "--budget", "3s", "--set", "engine.mostRequestsPerMinuteFor=some=300, GET /b=60")
	sent := map[string]int64{}
	for _, op := range o.report.Operations {
		sent[op.ID] = op.Requests
	}
	if sent["a"] < 12 || sent["a"] > 15 || sent["b"] != 3 || sent["c"] < 100 {
		t.Errorf("%v requests", sent)
	}
	got := fmt.Sprint(len(o.report.Engine.OperationRates))
	for _, r := range o.report.Engine.OperationRates {
		got += " " + r.Operation + " " + r.PromisedInterval
	}
	if want := "2 a PT0.2S b PT1S"; got != want {
		t.Errorf("reported as %s, want %s", got, want)
	}
	if o := program("run", document, "--url", url, "--out", t.TempDir(), "--set", "engine.mostRequestsPerMinuteFor=weather=3"); o.code != 2 ||
		o.stderr != "engine.mostRequestsPerMinuteFor: weather is no operationId, METHOD /path or tag of the document\n" {
		t.Errorf("%d: %s", o.code, o.stderr)
	}
}
