package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/sim/limited"
	"github.com/restest/restest/sim/limiter"
	"github.com/restest/restest/stages/reporter"
)

// limiting serves an API that does nothing but limit, and returns its address.
func limiting(t *testing.T, o limited.Options) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- demo.Serve(ctx, listener, limited.New(o), clock.NewSystem()) }()
	t.Cleanup(func() {
		cancel()
		<-served
	})
	return "http://" + listener.Addr().String() + "/items"
}

func TestALimiterOnTheWireIsNamed(t *testing.T) {
	url := limiting(t, limited.Options{
		Rule: limiter.Rule{Algorithm: limiter.TokenBucket, Limit: 10, Window: 500 * time.Millisecond}, RetryAfter: limited.InSeconds,
		Headers: limited.Draft11,
	})
	var out, err bytes.Buffer
	code := run([]string{"restest", "limiter", url, "--limit", "10", "--window", "500ms", "--experiments", "rejection,headers"}, nil, nil, &out, &err)
	if code != reporter.ExitClean {
		t.Errorf("it ended with %d: %s", code, err.String())
	}
	for _, want := range []string{
		"Token bucket (sure).", "a 429 with Retry-After: 1", "RateLimit fields", "Experiments\n", "Accepted (#) and refused (.) over time",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not said:\n%s", want, out.String())
		}
	}
	if want := "At most 250 requests will be sent to GET " + url; !strings.HasPrefix(err.String(), want) {
		t.Errorf("beforehand was said: %s", err.String())
	}
}

func TestWhatIsSaidOfALimiterAsJSON(t *testing.T) {
	url := limiting(t, limited.Options{Rule: limiter.Rule{Algorithm: limiter.Concurrency, Limit: 5}, Takes: 20 * time.Millisecond})
	var out, err bytes.Buffer
	code := run([]string{"restest", "limiter", url, "--limit", "5", "--window", "1s", "--experiments", "family", "--json", "--quiet", "--key", "topsecret"}, nil, nil, &out, &err)
	var said struct {
		Verdict struct{ Family, Certainty string }
	}
	if wrong := json.Unmarshal(out.Bytes(), &said); wrong != nil || code != reporter.ExitClean || err.Len() > 0 {
		t.Fatalf("it ended with %d, %v: %s%s", code, wrong, out.String(), err.String())
	}
	if said.Verdict.Family != "concurrency limit" || said.Verdict.Certainty != "sure" {
		t.Errorf("%+v", said.Verdict)
	}
	if strings.Contains(out.String(), "topsecret") {
		t.Error("the key is shown")
	}
}

func TestWhatDeliversSomething(t *testing.T) {
	for _, row := range []struct{ method, words, want string }{
		{"GET", "/messages", ""},
		{"GET", "/orders/7", ""},
		{"GET", "/mail/send?to=me", "send"},
		{"POST", "/items", ""},
		{"POST", "/v1/sms", "sms"},
		{"POST", "/notifications", "notifications"},
		{"POST", "/accounts/passwordReset", "reset"},
		{"PUT", "/paymentMethods", "payment"},
		{"POST", "/repayments", ""},
		{"POST", "/users createUser Invites a user", "invites"},
		{"DELETE", "/emails/7", "emails"},
	} {
		if got := delivers(row.method, row.words); got != row.want {
			t.Errorf("%s %s: %q, want %q", row.method, row.words, got, row.want)
		}
	}
}
