package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/sim/limited"
	"github.com/restest/restest/sim/limiter"
)

// servedAs is what each kind that limiter serve has is called.
var servedAs = map[string]string{
	"fixed-window": wallWindow, "window-from-first-request": firstWindow, "window-ticking": tickingWindow,
	"sliding-log": "sliding log", "sliding-log-counting-refusals": "sliding log that counts refusals",
	"sliding-counter": "sliding counter", "sliding-counter-counting-refusals": countingAll,
	"token-bucket": tokenBucket, "gcra": tokenBucket, "leaky": "leaky bucket without a burst", "concurrency": "concurrency limit",
	"queue": "delaying queue", "slow-down": "slow-down", "tarpit": firstWindow, "silent-drop": firstWindow, "close": firstWindow,
}

// TestServedLimitersAreNamed has the command answer everything about each of the limiters that limiter serve has.
func TestServedLimitersAreNamed(t *testing.T) {
	if !thorough() {
		t.Skip("it takes two minutes, and is run with RESTEST_LONG=1")
	}
	clk := clock.NewSystem()
	api := limited.NewMounts(limited.Options{
		Rule: limiter.Rule{Limit: 10, Window: 2 * time.Second, Waiting: 10}, RetryAfter: limited.InSeconds, Headers: limited.Draft11,
		Delay: time.Second, Step: 50 * time.Millisecond, Opened: clk.Wall(0),
	})
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- demo.Serve(ctx, listener, api, clk) }()
	defer func() {
		cancel()
		<-served
	}()
	kinds := limited.Kinds()
	answers, problems := make([]said, len(kinds)), make([]string, len(kinds))
	turns := make(chan struct{}, atOnce)
	var group sync.WaitGroup
	for i, kind := range kinds {
		group.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			var stdout, stderr bytes.Buffer
			cmd := exec.Command("restest", "limiter", "http://"+listener.Addr().String()+"/"+kind, "--limit", "10", "--window", "2s", "--json", "--quiet")
			cmd.Env = append(plainEnvironment(), "GORACE=atexit_sleep_ms=0")
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run()
			if err := json.Unmarshal(stdout.Bytes(), &answers[i]); err != nil {
				problems[i] = stdout.String() + stderr.String()
			}
		})
	}
	group.Wait()
	unsure := 0
	for i, kind := range kinds {
		a := answers[i]
		t.Logf("%-34s %s (%s), %d requests in %.1f s", kind, a.Verdict.Family, a.Verdict.Certainty, a.Requests, a.TookSeconds)
		switch {
		case problems[i] != "":
			t.Errorf("%s: %s", kind, problems[i])
		case a.Verdict.Certainty == "not sure" && slices.Contains(a.Verdict.Candidates, servedAs[kind]):
			unsure++
		case a.Verdict.Family != servedAs[kind]:
			t.Errorf("%s is said to be a %s (%s)", kind, a.Verdict.Family, a.Verdict.Certainty)
		}
		if a.Requests > 250 || a.TookSeconds > 62 { // 25 times the limit and 30 windows, 0013 §13; the last is waited for
			t.Errorf("%s took %d requests and %.1f s", kind, a.Requests, a.TookSeconds)
		}
		for _, f := range a.Findings {
			if f.Level == "error" {
				t.Errorf("%s keeps to its limit, and was found at fault: %s: %s", kind, f.Title, f.Evidence)
			}
		}
	}
	if unsure > 1 {
		t.Errorf("of %d it was not sure", unsure)
	}
}
