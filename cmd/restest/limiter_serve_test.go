package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/sim/limited"
	"github.com/restest/restest/sim/limiter"
	"github.com/restest/restest/stages/reporter"
)

func TestLimiterServeServesEachAlgorithmAtItsPathUntilItIsStopped(t *testing.T) {
	o := limiterServeOptions{listen: "127.0.0.1:0", all: true, limited: limited.Options{
		Rule: limiter.Rule{Limit: 3, Window: time.Hour}, Status: 429, RetryAfter: limited.InSeconds, Headers: limited.Draft11,
	}}
	ctx, cancel := context.WithCancel(t.Context())
	out, printed := io.Pipe()
	code := make(chan int, 1)
	go func() { code <- doLimiterServe(ctx, o, streams{out: printed, err: io.Discard}) }()
	lines := bufio.NewScanner(out)
	transport := &http.Transport{}
	for _, kind := range limited.Kinds() {
		if !lines.Scan() || !strings.HasSuffix(lines.Text(), "/"+kind) {
			t.Fatalf("%q is printed for %s", lines.Text(), kind)
		}
		if kind != "sliding-log" {
			continue
		}
		got := ""
		for range 4 {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, lines.Text(), nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := transport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
			got += fmt.Sprintf("%d %s %s; ", r.StatusCode, r.Header.Get("RateLimit"), r.Header.Get("Retry-After"))
		}
		if want := `200 "default";r=2;t=3600 ; 200 "default";r=1;t=3600 ; 200 "default";r=0;t=3600 ; 429 "default";r=0;t=3600 3600; `; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	transport.CloseIdleConnections()
	cancel()
	if got := <-code; got != reporter.ExitClean {
		t.Errorf("it ended with %d", got)
	}
}
