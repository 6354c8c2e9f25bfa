package limited

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/clock/retryafter"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/sim/limiter"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// opened is off every whole second, so that rounding shows.
var opened = time.Date(2026, time.November, 30, 10, 0, 0, 250_000_000, time.UTC)

func options(kind string) Options {
	return Options{
		Rule: limiter.Rule{Limit: 2, Window: 10 * time.Second}, Delay: time.Second, Step: time.Second, Takes: 100 * time.Millisecond,
		RetryAfter: InSeconds, Headers: NoHeaders, Opened: opened,
	}.Of(kind)
}

var get = demo.Request{Method: "GET", Target: "/"}

func TestEachKindDoesWithARequestTooManyWhatItsNameSays(t *testing.T) {
	for _, kind := range Kinds() {
		a := New(options(kind))
		var replies []demo.Reply
		for range 4 {
			replies = append(replies, a.Answer(0, get))
		}
		got := ""
		for _, r := range replies {
			switch r.Break {
			case demo.Never:
				got += "silence "
			case demo.AtOnce:
				got += "close "
			default:
				got += fmt.Sprintf("%d after %v ", r.Status, r.After)
			}
		}
		want := "200 after 100ms 200 after 100ms 429 after 0s 429 after 0s "
		switch kind {
		case "leaky", "queue": // one at a time
			want = "200 after 100ms 429 after 0s 429 after 0s 429 after 0s "
		case "slow-down":
			want = "200 after 100ms 200 after 100ms 200 after 1.1s 200 after 2.1s "
		case "tarpit":
			want = "200 after 100ms 200 after 100ms 429 after 1s 429 after 1s "
		case "silent-drop":
			want = "200 after 100ms 200 after 100ms silence silence "
		case "close":
			want = "200 after 100ms 200 after 100ms close close "
		}
		if got != want {
			t.Errorf("%s: %s\nwant %s", kind, got, want)
		}
	}
}

func TestARefusalSaysWhenToComeBackInTheFormItIsSetTo(t *testing.T) {
	for form, want := range map[RetryAfter]string{
		InSeconds: "10", AsFraction: "9.999", AsEpoch: "1796032811", TooSoon: "4",
		AsDate: "Mon, 30 Nov 2026 10:00:11 GMT", AsRFC850: "Monday, 30-Nov-26 10:00:11 GMT", AsAsctime: "Mon Nov 30 10:00:11 2026",
		NoRetryAfter: "",
	} {
		o := options("window-from-first-request")
		o.RetryAfter = form
		a := New(o)
		a.Answer(0, get)
		a.Answer(0, get)
		if got := messages.Get(a.Answer(time.Millisecond, get).Header, "Retry-After"); got != want {
			t.Errorf("%s: %q, want %q", form, got, want)
		}
	}
}

func TestEachReplySaysWhatIsLeftInTheFieldsItIsSetTo(t *testing.T) {
	for family, want := range map[Headers]string{
		Draft11:         `RateLimit-Policy: "default";q=2;w=10, RateLimit: "default";r=0;t=9`,
		Draft7:          "RateLimit-Policy: 2;w=10, RateLimit: limit=2, remaining=0, reset=9",
		Draft6:          "RateLimit-Policy: 2;w=10, RateLimit-Limit: 2, RateLimit-Remaining: 0, RateLimit-Reset: 9",
		XRateLimitEpoch: "X-RateLimit-Limit: 2, X-RateLimit-Remaining: 0, X-RateLimit-Reset: 1796032811",
		XRateLimitDelta: "X-RateLimit-Limit: 2, X-RateLimit-Remaining: 0, X-RateLimit-Reset: 9",
		NoHeaders:       "",
	} {
		o := options("window-from-first-request")
		o.Headers = family
		a := New(o)
		a.Answer(0, get)
		var got []string
		for _, f := range a.Answer(1500*time.Millisecond, get).Header[1:] {
			got = append(got, f.Name+": "+f.Value)
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %s, want %s", family, text, want)
		}
	}
}

func TestABudgetBelongsToWhatTheKeyNames(t *testing.T) {
	request := func(method, target, key, from string) demo.Request {
		return demo.Request{Method: method, Target: target, From: from, Header: []messages.Field{{Name: "x-api-key", Value: key}}}
	}
	script := []demo.Request{
		request("GET", "/a", "alpha", "127.0.0.1"), request("GET", "/a", "alpha", "127.0.0.1"),
		request("GET", "/a?b", "beta", "127.0.0.1"), request("GET", "/a", "alpha", "127.0.0.2"),
		request("POST", "/a", "alpha", "127.0.0.1"), request("GET", "/b", "alpha", "127.0.0.1"),
	}
	for _, row := range []struct {
		key  []string
		want string
	}{
		{nil, "passes stays stays stays stays stays"},
		{[]string{"X-API-Key"}, "passes stays passes stays stays stays"},
		{[]string{Address}, "passes stays stays passes stays stays"},
		{[]string{"X-API-Key", Address}, "passes stays passes passes stays stays"},
		{[]string{Method}, "passes stays stays stays passes stays"},
		{[]string{Path}, "passes stays stays stays stays passes"},
	} {
		o := options("window-from-first-request")
		o.Rule.Limit, o.Key = 1, row.key
		a := New(o)
		var got []string
		for _, r := range script {
			word := "stays"
			if a.Answer(0, r).Status == 200 {
				word = "passes"
			}
			got = append(got, word)
		}
		if text := strings.Join(got, " "); text != row.want {
			t.Errorf("by %v: %s\nwant %s", row.key, text, row.want)
		}
	}
}

func TestAConcurrencyLimitIsFreeAgainWhenAnAnswerIsOver(t *testing.T) {
	a := New(options("concurrency"))
	status := func(at time.Duration) int { return a.Answer(at, get).Status }
	got := fmt.Sprint(status(0), status(50*time.Millisecond), status(99*time.Millisecond), status(100*time.Millisecond), status(149*time.Millisecond), status(150*time.Millisecond))
	if want := "200 200 429 200 429 200"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTheWallClocksWindowsAreCountedFrom1970(t *testing.T) {
	a := New(options("fixed-window")) // opened 250 ms into a window
	a.Answer(0, get)
	a.Answer(0, get)
	if a.Answer(9749*time.Millisecond, get).Status != 429 || a.Answer(9750*time.Millisecond, get).Status != 200 {
		t.Error("the window does not end where the wall clock's ten seconds do")
	}
}

// Whoever waits as long as a refusal says, as a client would read it, passes then.
func TestPropertyWhoWaitsAsToldPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := Kinds()
		o := Options{
			Rule: limiter.Rule{
				Limit: rapid.Int64Range(1, 9).Draw(t, "limit"), Window: time.Duration(rapid.Int64Range(1, int64(time.Minute)).Draw(t, "window")),
			},
			Takes:      time.Duration(rapid.Int64Range(1, int64(time.Second)).Draw(t, "takes")),
			Delay:      time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "delay")),
			RetryAfter: rapid.SampledFrom([]RetryAfter{InSeconds, AsDate, AsRFC850, AsAsctime, AsFraction, AsEpoch}).Draw(t, "form"),
			Opened:     opened,
		}.Of(rapid.SampledFrom(kinds).Draw(t, "kind"))
		a, now := New(o), time.Duration(0)
		for range rapid.IntRange(1, 40).Draw(t, "requests") {
			now += time.Duration(rapid.Int64Range(0, int64(o.Rule.Window)/4).Draw(t, "gap"))
			r := a.Answer(now, get)
			if r.Status == 200 || r.Break != demo.Whole {
				continue
			}
			heard := now + r.After
			reading, ok := retryafter.Read(messages.Values(r.Header, "Retry-After"), "", opened.Add(heard))
			if !ok {
				t.Fatalf("%q cannot be read", messages.Get(r.Header, "Retry-After"))
			}
			now = heard + reading.Wait
			if r := a.Answer(now, get); r.Status != 200 {
				t.Fatalf("%s: told to wait %q, and refused after it", o.Rule.Algorithm, messages.Get(r.Header, "Retry-After"))
			}
		}
	})
}

func TestEachMountHasABudgetOfItsOwn(t *testing.T) {
	m := NewMounts(options("fixed-window"))
	for _, kind := range Kinds() {
		if r := m.Answer(0, demo.Request{Method: "GET", Target: "/" + kind}); r.Status != 200 {
			t.Errorf("%s is answered %d", kind, r.Status)
		}
	}
	for target, status := range map[string]int{"/": 200, "/sieve": 404, "http://host/sieve/more?x": 404} {
		r := m.Answer(0, demo.Request{Method: "GET", Target: target})
		if r.Status != status || !strings.Contains(string(r.Body), "/token-bucket\n") {
			t.Errorf("%s is answered %d, %s", target, r.Status, r.Body)
		}
	}
}

func TestOptionsThatMeanNothingAreRefused(t *testing.T) {
	for _, change := range []func(*Options){
		func(o *Options) { o.Rule.Limit = 0 }, func(o *Options) { o.Delay = -1 }, func(o *Options) { o.Step = -1 }, func(o *Options) { o.Takes = -1 }, func(o *Options) { o.Status = 200 },
		func(o *Options) { o.RetryAfter = "soonish" }, func(o *Options) { o.Headers = "draft-12" },
	} {
		o := options("gcra")
		if change(&o); o.Check() == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// What breaks off, breaks off over a socket too.
func TestSilenceAndAClosedConnectionOverASocket(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	o := options("gcra")
	o.Takes, o.Rule.Limit, o.Key = 0, 1, []string{Address}
	clk := clock.NewSystem()
	go func() { served <- demo.Serve(ctx, listener, NewMounts(o), clk) }()
	defer func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	ask := func(path string) (net.Conn, *bufio.Reader) {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, _ = io.WriteString(c, "GET /"+path+" HTTP/1.1\r\nHost: h\r\n\r\n")
		return c, bufio.NewReader(c)
	}
	for _, kind := range []string{"close", "silent-drop"} {
		_, in := ask(kind)
		if r, err := http.ReadResponse(in, nil); err != nil || r.StatusCode != 200 {
			t.Fatalf("%s: the first is answered %v, %v", kind, r, err)
		}
		c, in := ask(kind)
		_ = c.SetReadDeadline(clk.Wall(clk.Now().Add(300 * time.Millisecond)))
		_, err := in.ReadByte()
		var timeout net.Error
		switch {
		case kind == "close" && !errors.Is(err, io.EOF):
			t.Errorf("close: %v", err)
		case kind == "silent-drop" && (!errors.As(err, &timeout) || !timeout.Timeout()):
			t.Errorf("silent-drop: %v", err)
		}
	}
}
