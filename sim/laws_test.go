package sim_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim"
	"github.com/restest/restest/sim/limiter"
	"github.com/restest/restest/sim/paper"
	"github.com/restest/restest/stages"
)

var (
	documentsMu sync.Mutex
	documents   = map[string]*document.Document{}
)

// operations is a document of so many operations: of reads alone, or of every method, with values to fill in and replies
// to learn from.
func operations(t testing.TB, n int, rich bool) *document.Document {
	t.Helper()
	documentsMu.Lock()
	defer documentsMu.Unlock()
	key := fmt.Sprint(n, rich)
	if doc := documents[key]; doc != nil {
		return doc
	}
	var paths []string
	for i := range n {
		method, path, more := "get", fmt.Sprintf("/thing%d", i), ""
		content := ""
		if rich {
			method = []string{"get", "post", "get", "put", "delete"}[i%5]
			content = `,"content":{"application/json":{"schema":{"type":"object","required":["id","name"],"properties":{"id":{"type":"integer","readOnly":true},"name":{"type":"string","maxLength":9}}}}}`
			if i%5 >= 2 {
				path += "/{id}"
				more = `"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer","minimum":1,"maximum":99}}],`
			}
			if method == "post" || method == "put" {
				more += `"requestBody":{"required":true` + content + `},`
			}
		}
		paths = append(paths, fmt.Sprintf(`%q:{%q:{%s"responses":{"200":{"description":"done"%s}}}}`, path, method, more, content))
	}
	text := fmt.Sprintf(`{"openapi":"3.0.3","info":{"title":"Paper","version":"1"},"paths":{%s}}`, strings.Join(paths, ","))
	doc, err := document.Load(context.Background(), "paper.json", document.Options{
		URL:  "http://127.0.0.1:1",
		Read: func(context.Context, string) ([]byte, error) { return []byte(text), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	documents[key] = doc
	return doc
}

// draw draws a scenario: a document, settings, an API and how it limits, refuses, stalls and dies, and a stop.
func draw(tb testing.TB, t *rapid.T) sim.Scenario {
	ops := rapid.SampledFrom([]int{1, 1, 2, 2, 3, 4, 5, 8}).Draw(t, "operations")
	rich := rapid.IntRange(0, 3).Draw(t, "rich") == 0
	s := sim.New(operations(tb, ops, rich), paper.API{}, 0)
	s.Together = rapid.Bool().Draw(t, "together")
	s.Seed = rapid.Uint64Range(0, 3).Draw(t, "seed")
	s.Began = time.Date(2026, 11, 30, 8, 0, 0, rapid.IntRange(0, 999_999_999).Draw(t, "began"), time.UTC)

	perMinute := rapid.SampledFrom([]int64{0, 600, 3000, 30, 7, 60_000, 59_999}).Draw(t, "rate")
	interval := 10 * time.Millisecond
	if perMinute > 0 {
		interval = time.Duration((int64(time.Minute) + perMinute - 1) / perMinute)
		s.Settings.Engine.LimitTheRate, s.Settings.Engine.MostRequestsPerMinute = true, perMinute
		s.Fetched = rapid.IntRange(0, 3).Draw(t, "fetched") == 0
	}
	drawRates(t, &s, &interval)
	s.Lead = rapid.SampledFrom([]time.Duration{0, 2 * time.Millisecond, interval / 2, interval}).Draw(t, "lead")
	s.Settings.Engine.MaxConcurrency = rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "most in flight")
	s.Settings.Engine.InitialConcurrency = min(4, s.Settings.Engine.MaxConcurrency)
	s.Settings.Engine.MinConcurrency = rapid.IntRange(1, s.Settings.Engine.InitialConcurrency).Draw(t, "fewest in flight")
	s.Settings.Engine.FollowRedirects = rapid.Bool().Draw(t, "follows redirects")
	s.Settings.Engine.ReadTimeout = interval * time.Duration(rapid.SampledFrom([]int{3, 50, 10_000}).Draw(t, "read time-out"))
	s.Settings.Schedule.WaitWhenToldTo = rapid.IntRange(0, 9).Draw(t, "waits") > 0
	s.Settings.Schedule.StayInsideQuota = rapid.IntRange(0, 9).Draw(t, "stays inside") > 0
	s.Settings.Schedule.OpeningLap = rapid.Bool().Draw(t, "opening lap")
	s.Settings.Security.Probes = s.Seed%4 == 1
	s.Settings.Schedule.FirstGuessedWait = interval * time.Duration(rapid.SampledFrom([]int{1, 3, 10}).Draw(t, "first guess"))
	s.Settings.Schedule.LongestGuessedWait = interval * time.Duration(rapid.SampledFrom([]int{1, 7, 30}).Draw(t, "longest guess"))
	s.Settings.Schedule.StragglerGrace = interval * time.Duration(rapid.SampledFrom([]int{0, 5, 100}).Draw(t, "grace"))
	s.Budget = interval*time.Duration(rapid.SampledFrom([]int{5, 20, 60, 120}).Draw(t, "budget")) + time.Duration(rapid.IntRange(0, 999).Draw(t, "budget's rest"))
	if rapid.IntRange(0, 3).Draw(t, "stops") == 0 {
		s.Stop = messages.Interrupted
		s.StopAt = time.Duration(rapid.Int64Range(0, int64(s.Budget)).Draw(t, "stop"))
	}

	jitter := time.Duration(rapid.SampledFrom([]int64{0, 1, int64(interval) / 3, int64(interval)}).Draw(t, "jitter"))
	classes := rapid.SampledFrom([][]int{{0}, {1}, {3}, {0, 1, 1, 5}, {0, 5, 20, 40}, {40}}).Draw(t, "latencies")
	s.API.Latency = paper.Classes(interval, jitter, classes...)
	if perMinute == 0 {
		for i := range s.API.Latency.Classes {
			s.API.Latency.Classes[i] += interval / 3
		}
	}
	s.API.BySchema = rich
	s.API.Skew = time.Duration(rapid.SampledFrom([]int{0, 0, 1, -7, 3600}).Draw(t, "skew")) * time.Second
	if rapid.IntRange(0, 3).Draw(t, "slow writes") == 0 {
		s.API.Writes = paper.Within(interval / 4)
	}
	if rapid.IntRange(0, 3).Draw(t, "slow dials") == 0 {
		s.API.Dials = paper.Within(interval)
	}
	left := 100
	for range rapid.IntRange(0, 4).Draw(t, "kinds of answers") {
		share := paper.Share{Of100: min(left, rapid.SampledFrom([]int{2, 10, 30, 30, 60}).Draw(t, "share"))}
		left -= share.Of100
		kind := rapid.SampledFrom([]int{0, 0, 0, 3, 4, 5, 5, 6, 6}).Draw(t, "kind")
		switch kind {
		case 0:
			refusal := drawRefusal(t, interval)
			share.Refusal = &refusal
		case 3:
			share.Status = rapid.SampledFrom([]int{400, 404, 500, 503}).Draw(t, "status")
		case 4:
			share.Fate = rapid.SampledFrom([]paper.Fate{
				paper.Drips, paper.BreaksOff, paper.ClosesAfter, paper.Closes, paper.Resets, paper.Silence,
			}).Draw(t, "fate")
		case 5:
			share.Status, share.Location = 302, "/thing0"
		}
		if kind == 6 || rapid.IntRange(0, 3).Draw(t, "says what is left") == 0 {
			share.Says = paper.Announcement{
				As: drawSpelling(t), Left: rapid.Int64Range(0, 3).Draw(t, "left"), NoDate: rapid.Bool().Draw(t, "no date"),
				More:   rapid.SampledFrom([]time.Duration{0, 1, interval / 2, interval, 5 * interval, 20 * interval, 1000 * time.Hour}).Draw(t, "more"),
				Window: rapid.SampledFrom([]time.Duration{0, 0, interval, 5 * interval}).Draw(t, "named window"),
			}
		}
		if rapid.IntRange(0, 2).Draw(t, "of some") == 0 {
			share.Operations = []int{rapid.IntRange(0, ops-1).Draw(t, "of")}
		}
		s.API.Instead = append(s.API.Instead, share)
	}
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "quotas") {
		q := paper.Quota{
			Rule: limiter.Rule{
				Algorithm: rapid.SampledFrom(limiter.Algorithms()).Draw(t, "algorithm"),
				Limit:     rapid.Int64Range(1, 10).Draw(t, "limit"), Waiting: 3,
				Window: interval * time.Duration(rapid.SampledFrom([]int{1, 10, 50}).Draw(t, "window")),
			},
			Refusal: drawRefusal(t, interval), Each: rapid.Bool().Draw(t, "each"),
		}
		if rapid.Bool().Draw(t, "says what is left") {
			q.Says = drawSpelling(t)
		}
		s.API.Quotas = append(s.API.Quotas, q)
	}
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "phases") {
		from := time.Duration(rapid.Int64Range(0, int64(s.Budget)).Draw(t, "from"))
		p := paper.Stalls(from, from+interval*time.Duration(rapid.IntRange(1, 20).Draw(t, "lasts")))
		p.Times = rapid.IntRange(0, 3).Draw(t, "slower")
		p.Dead = rapid.IntRange(0, 2).Draw(t, "dead") == 0
		s.API.Phases = append(s.API.Phases, p)
	}
	return s
}

// drawRates draws the rates of operations and, now and then, one an hour in place of that a minute, or beside it.
func drawRates(t *rapid.T, s *sim.Scenario, interval *time.Duration) {
	engine := &s.Settings.Engine
	if perHour := rapid.SampledFrom([]int64{0, 0, 0, 0, 0, 50, 7199}).Draw(t, "rate an hour"); perHour > 0 && engine.LimitTheRate {
		engine.MostRequestsPerHour = perHour
		apart := time.Duration((int64(time.Hour) + perHour - 1) / perHour)
		if rapid.Bool().Draw(t, "alone") {
			engine.MostRequestsPerMinute, *interval = 0, 0
		}
		*interval = max(*interval, apart)
	}
	var own []string
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "rates of operations") {
		op := s.Document.Operations[rapid.IntRange(0, len(s.Document.Operations)-1).Draw(t, "rated")]
		perMinute := max(1, int64(time.Minute / *interval))
		perMinute = rapid.SampledFrom([]int64{perMinute, perMinute/2 + 1, perMinute/7 + 1, 2 * perMinute, 1}).Draw(t, "its rate")
		own = append(own, fmt.Sprintf("%s %s=%d", op.Method, op.Path, perMinute))
	}
	engine.MostRequestsPerMinuteFor = strings.Join(own, ", ")
}

// drawSpelling draws one of the spellings, most often the one that has no whole seconds.
func drawSpelling(t *rapid.T) paper.Spelling {
	return rapid.SampledFrom(append(paper.Spellings(), paper.ResetAfter, paper.ResetAfter, paper.ResetAfter)).Draw(t, "spelling")
}

func drawRefusal(t *rapid.T, interval time.Duration) paper.Refusal {
	return paper.Refusal{
		Status: rapid.SampledFrom([]int{429, 429, 503}).Draw(t, "refused with"),
		Form:   rapid.SampledFrom(append(paper.Forms(), paper.Unstated, paper.Unstated, paper.Fraction, paper.Fraction)).Draw(t, "form"),
		Wait:   interval * time.Duration(rapid.SampledFrom([]int{0, 1, 5, 20}).Draw(t, "asks for")),
		NoDate: rapid.Bool().Draw(t, "no date"),
		Fate:   rapid.SampledFrom([]paper.Fate{paper.Replies, paper.Replies, paper.Replies, paper.Drips, paper.BreaksOff, paper.ClosesAfter}).Draw(t, "refusal's fate"),
	}
}

// judge fails the test with the laws that a trace breaks.
func judge(t interface {
	Helper()
	Fatalf(string, ...any)
}, trace sim.Trace,
) {
	t.Helper()
	if broken := sim.Judge(trace); len(broken) > 0 {
		lines := make([]string, len(broken))
		for i, v := range broken {
			lines[i] = v.String()
		}
		t.Fatalf("%s\nin\n%s", strings.Join(lines, "\n"), excerpt(trace, broken[0].At))
	}
}

// excerpt is what came before a moment, and a little of what came after it.
func excerpt(t sim.Trace, at clock.Instant) string {
	lines := strings.SplitAfter(t.String(), "\n")
	upTo := 0
	for i := range t.Events {
		if t.Events[i].Kind != sim.Ticked {
			if upTo++; t.Events[i].At > at {
				break
			}
		}
	}
	return strings.Join(lines[max(0, upTo-60):min(len(lines), upTo+10)], "")
}

func TestLawsHoldInEveryRun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := draw(t, rt)
		judge(rt, s.Run(stages.Order{}))
	})
}

// What is handled next makes no difference to a law, though it may to a run.
func TestLawsHoldInEveryOrderOfMessages(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := draw(t, rt)
		s.Together = true
		picks := rapid.SliceOfN(rapid.IntRange(0, 7), 1, 40).Draw(rt, "picks")
		i := 0
		judge(rt, s.Run(stages.Order{Pick: func(n int) int {
			i++
			return picks[i%len(picks)] % n
		}}))
	})
}

func TestSameScenarioSameTraceInlineAgainAndInLockstep(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := draw(t, rt)
		first := s.Run(stages.Order{})
		for _, order := range []stages.Order{{}, {Lockstep: true}} {
			if differs := sim.Same(first, s.Run(order)); differs != "" {
				rt.Fatalf("lockstep %v: %s", order.Lockstep, differs)
			}
		}
	})
}

func TestLawsHoldInTheLiveExecutorUnderTheFakeClock(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := draw(t, rt)
		judge(rt, s.Run(stages.Order{Live: true}))
	})
}
