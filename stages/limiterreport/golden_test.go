package limiterreport

import (
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/clock/quota"
	"github.com/restest/restest/clock/retryafter"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/sim/limited"
	"github.com/restest/restest/sim/limiter"
	"github.com/restest/restest/stages/experimenter/inference"
)

var update = flag.Bool("update", false, "write the golden files anew")

// situation is an examination as a person sees it. Each is kept in testdata, under its name: what is said as it goes, the
// summary, and, if they are kept too, report.json and the picture.
type situation struct {
	name    string
	limited limited.Options
	// unknown says that neither limit nor window is published.
	unknown bool
	// stopped is when it is interrupted, 0 for never.
	stopped time.Duration
	files   bool
	config  func(*Config)
	// variants are sent besides the plain request.
	variants []inference.Variant
	requests []demo.Request
}

func rule(a limiter.Algorithm, limit int64) limiter.Rule {
	return limiter.Rule{Algorithm: a, Limit: limit, Window: 2 * time.Second, Waiting: limit}
}

var keyed = []inference.Variant{{Name: "plain"}, {Name: "key 2", Kind: inference.OtherKey}, {Name: "no key", Kind: inference.NoKey}, {Name: "HEAD", Kind: inference.OtherMethod}}

var keyedRequests = []demo.Request{
	{Method: "GET", Target: "/", Header: []messages.Field{{Name: "X-API-Key", Value: "alpha"}}},
	{Method: "GET", Target: "/", Header: []messages.Field{{Name: "X-API-Key", Value: "beta"}}},
	{Method: "GET", Target: "/"},
	{Method: "HEAD", Target: "/", Header: []messages.Field{{Name: "X-API-Key", Value: "alpha"}}},
}

var situations = []situation{
	{
		name: "a fixed window in full", files: true, variants: keyed, requests: keyedRequests,
		limited: limited.Options{Rule: rule(limiter.FixedWindow, 10), RetryAfter: limited.InSeconds, Headers: limited.Draft11},
	},
	{
		name: "a budget of each key in a wide terminal", variants: keyed, requests: keyedRequests,
		limited: limited.Options{Rule: rule(limiter.TokenBucket, 20), RetryAfter: limited.AsDate, Headers: limited.XRateLimitEpoch, Key: []string{"X-API-Key"}},
		config:  func(c *Config) { c.Width, c.UTF8 = 140, true },
	},
	{name: "a counter that counts refusals", limited: limited.Options{Rule: rule(limiter.StrictCounter, 40), RetryAfter: limited.TooSoon}},
	{name: "a queue", limited: limited.Options{Rule: rule(limiter.Queue, 10), RetryAfter: limited.InSeconds}},
	{name: "a silent drop", limited: limited.Options{Rule: rule(limiter.FirstWindow, 10), Manner: limited.SilentDrop}},
	{
		name:    "a tarpit that refuses with 403",
		limited: limited.Options{Rule: rule(limiter.FirstWindow, 10), Manner: limited.Tarpit, Delay: 300 * time.Millisecond, Status: 403},
	},
	{name: "concurrency", limited: limited.Options{Rule: rule(limiter.Concurrency, 8), Takes: 50 * time.Millisecond}},
	{name: "nothing published", unknown: true, limited: limited.Options{Rule: rule(limiter.SlidingLog, 10), RetryAfter: limited.InSeconds}},
	{name: "no limiter", limited: limited.Options{Rule: limiter.Rule{Algorithm: limiter.TokenBucket, Limit: 1_000_000, Window: time.Second}}},
	{
		name: "stopped early", stopped: 3 * time.Second,
		limited: limited.Options{Rule: rule(limiter.SlidingLog, 10), RetryAfter: limited.AsEpoch},
	},
	{
		name: "as JSON", variants: keyed[:2], requests: keyedRequests[:2],
		limited: limited.Options{Rule: rule(limiter.GCRA, 10), RetryAfter: limited.AsFraction},
		config: func(c *Config) {
			c.JSON, c.URL = true, "http://limited.test/items?token=open+sesame"
			keys, _, err := credentials.Parse([]string{"query:token=open sesame"}, "")
			if err != nil {
				panic(err)
			}
			c.Mask = keys.Mask()
		},
	},
}

func TestWhatAPersonSees(t *testing.T) {
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			golden(t, s.name, s.play())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s:%d\n got %s\nwant %s", file, i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Fatalf("%s has %d lines, want %d", file, len(g), len(w))
	}
}

var began = time.Date(2026, 11, 30, 12, 0, 0, 123e6, time.UTC)

// play plays an examination against a limiter on paper, and returns what is printed and written.
func (s situation) play() string {
	s.limited.Opened = began
	if s.variants == nil {
		s.variants, s.requests = []inference.Variant{{Name: "plain"}}, []demo.Request{{Method: "GET", Target: "/"}}
	}
	known := inference.Known{Limit: min(100, int(s.limited.Rule.Limit)), Window: s.limited.Rule.Window, Wall: began.UnixNano()}
	if s.unknown {
		known.Limit, known.Window = 0, 0
	}
	exam := inference.NewExamination(known, inference.Questions(), s.variants...)
	api, r := limited.New(s.limited), rand.New(rand.NewPCG(4, 2))
	var rejected *messages.Reply

	var live strings.Builder
	written := files{}
	cfg := Config{
		Method: "GET", URL: "http://limited.test/items", Tool: "restest 1.0", Started: began, Out: written, Live: &live, Mask: &credentials.Mask{},
		Report: func() inference.Report { return exam.Report(inference.Whole{Rejected: rejected}) },
	}
	if s.config != nil {
		s.config(&cfg)
	}
	reporter := New(cfg, clock.NewFake(began), Neighbours{Pacer: func(messages.ToPacer) {}})
	end := messages.DeadlineCame
	for now := messages.Instant(0); ; {
		step, more := exam.Next(now)
		if !more {
			break
		}
		if s.stopped > 0 && step.At > messages.Instant(s.stopped) {
			end = messages.Interrupted
			break
		}
		b, refusal := s.send(api, r, step)
		if rejected == nil {
			rejected = refusal
		}
		now = b.Over
		exam.Add(b)
		reporter.Handle(messages.Experimented{At: b.Lo, Why: b.Why, Variant: exam.Variant(step), Sent: b.N, Accepted: b.Accepted})
	}
	reporter.Handle(&messages.Paced{End: end, Over: true})
	result := reporter.Finish(nil)
	text := "-- as it goes --\n" + live.String() + "-- at the end --\n" + result.Summary
	if s.files {
		text += "-- report.json --\n" + written[ReportName].String() + "-- limiter.svg --\n" + written[PictureName].String()
	}
	return text
}

// send sends a batch to the limiter, and returns one of the refusals too, if there was any.
func (s situation) send(api *limited.API, r *rand.Rand, step inference.Step) (b inference.Batch, refusal *messages.Reply) {
	b = inference.Batch{Step: step, Lo: step.At}
	for i := range step.N {
		sent := step.At
		if step.N > 1 {
			sent = sent.Add(step.Spread / time.Duration(step.N-1) * time.Duration(i))
		}
		came := sent.Add(time.Duration(i) * 10 * time.Microsecond)
		reply := api.Answer(time.Duration(came), s.requests[step.Variant])
		a := inference.Answer{Sent: sent, Heard: came.Add(reply.After + time.Millisecond + time.Duration(r.IntN(100))*time.Microsecond)}
		switch reply.Break {
		case demo.Never:
			a.How, a.Heard = inference.Dropped, came.Add(4*time.Second)
			b.Hi = max(b.Hi, came)
		default:
			a.Status, a.Accepted = reply.Status, reply.Status < 400
			if !a.Accepted {
				refusal = &messages.Reply{Status: reply.Status, Reason: "Refused", Header: reply.Header, Body: reply.Body, Length: int64(len(reply.Body))}
			}
			a.Said = said(reply.Header, began.Add(time.Duration(a.Heard)))
			b.Hi = max(b.Hi, came.Add(2*time.Millisecond))
		}
		if a.Accepted {
			b.Accepted++
			b.Hi = max(b.Hi, a.Heard)
		}
		b.Over = max(b.Over, a.Heard)
		b.Answers = append(b.Answers, a)
	}
	return b, refusal
}

func said(header []messages.Field, received time.Time) *inference.Said {
	said := inference.FieldsOf(header)
	lines := messages.Values(header, "Retry-After")
	if said == nil && lines == nil {
		return nil
	}
	if said == nil {
		said = &inference.Said{}
	}
	if reading, ok, _ := quota.Read(header, received); ok {
		said.Read, said.Left, said.More = true, reading.Left, reading.More
	}
	if lines != nil {
		said.RetryAfter = lines[0]
		reading, ok := retryafter.Read(lines, "", received)
		said.Stated, said.Wait, said.OffSpec = ok, reading.Wait, reading.OffSpec
	}
	return said
}

// files is a Directory in memory.
type files map[string]*strings.Builder

type file struct{ *strings.Builder }

func (file) Close() error { return nil }

func (f files) Create(name string) (io.WriteCloser, error) {
	f[name] = &strings.Builder{}
	return file{f[name]}, nil
}
