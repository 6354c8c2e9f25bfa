package stages

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/sim/limiter"
	"github.com/restest/restest/stages/experimenter"
	"github.com/restest/restest/stages/experimenter/inference"
	"github.com/restest/restest/stages/limiterreport"
	"github.com/restest/restest/stages/sender"
)

// limitedAPI is an API on paper that does nothing but limit. Its refusals are made by refuse.
type limitedAPI struct {
	clk    *clock.Fake
	tell   func(messages.ToSender)
	limits *limiter.Keyed
	key    func(*messages.Request) string
	rng    *rand.Rand
	refuse func(slot int, at clock.Instant, retryAfter time.Duration) messages.Came
	// free is the target of a route without a limiter, that answers in a third of the time.
	free string
	came int
}

func (a *limitedAPI) Open(slot int) { a.tell(messages.Opened{Slot: slot}) }
func (*limitedAPI) Recall(int)      {}
func (*limitedAPI) Abandon()        {}
func (*limitedAPI) Close()          {}

func (a *limitedAPI) Write(slot int, o sender.Outgoing) {
	now := a.clk.Now()
	a.came++
	a.tell(messages.Wrote{Slot: slot, At: now, Written: now})
	a.clk.At(now.Add(time.Duration(a.rng.Int64N(int64(time.Millisecond)))), func() {
		at := a.clk.Now()
		if o.Request.Target == a.free {
			a.answer(slot, at.Add(time.Millisecond))
			return
		}
		wall := time.Duration(a.clk.Wall(at).UnixNano())
		l := a.limits.Of(a.key(o.Request), wall)
		ok, delay, retryAfter := l.Allow(wall)
		if !ok {
			c := a.refuse(slot, at, retryAfter)
			a.clk.At(c.EndedAt, func() { a.tell(c) })
			return
		}
		over := at.Add(delay + 2*time.Millisecond + time.Duration(a.rng.Int64N(int64(time.Millisecond))))
		a.clk.At(over, func() {
			l.Done(time.Duration(a.clk.Wall(over).UnixNano()))
			a.answer(slot, over)
		})
	})
}

// answer lets a request through, at the moment at.
func (a *limitedAPI) answer(slot int, at clock.Instant) {
	a.clk.At(at, func() {
		a.tell(messages.Came{
			Slot: slot, HeardAt: at, EndedAt: at, Outcome: messages.Answered, Open: true,
			Reply: &messages.Reply{Proto: "HTTP/1.1", Status: 200, Reason: "OK"},
		})
	})
}

func answering429(slot int, at clock.Instant, retryAfter time.Duration) messages.Came {
	at = at.Add(time.Millisecond)
	seconds := int((retryAfter + time.Second - 1) / time.Second)
	return messages.Came{
		Slot: slot, HeardAt: at, EndedAt: at, Outcome: messages.Answered, Open: true,
		Reply: &messages.Reply{
			Proto: "HTTP/1.1", Status: 429, Reason: "Too Many Requests",
			Header: []messages.Field{{Name: "Retry-After", Value: strconv.Itoa(seconds)}},
		},
	}
}

var paperBegan = time.Date(2026, 11, 30, 12, 0, 0, 123e6, time.UTC)

// examine examines a limiter on paper.
func examine(rule limiter.Rule, questions []inference.Question, order Order, change func(*limitedAPI, *Limiter)) (limiterreport.Result, *limitedAPI) {
	clk := clock.NewFake(paperBegan)
	api := &limitedAPI{
		clk: clk, limits: limiter.NewKeyed(rule), key: func(*messages.Request) string { return "" },
		rng: rand.New(rand.NewPCG(1, 2)), refuse: answering429,
	}
	l := Limiter{
		Origin:   "http://limited.test",
		Settings: LimiterSettings(settings.Default(), 64),
		Requests: []experimenter.Request{{Method: "GET", Target: "/"}},
		Deadline: clock.Instant(time.Hour),
		Transport: func(tell func(messages.ToSender), _ func(error)) sender.Transport {
			api.tell = tell
			return api
		},
	}
	l.Examination = inference.NewExamination(inference.Known{
		Limit: int(rule.Limit), Window: rule.Window, Wall: paperBegan.UnixNano(),
	}, questions, inference.Variant{Name: "plain"})
	if change != nil {
		change(api, &l)
	}
	return l.OnPaper(clk, order), api
}

func family() []inference.Question { return inference.Questions()[:2] }

func TestTheStagesNameEachLimiter(t *testing.T) {
	for algorithm, want := range map[limiter.Algorithm]inference.Family{
		limiter.FixedWindow:    inference.FixedWindow,
		limiter.FirstWindow:    inference.FirstWindow,
		limiter.TickingWindow:  inference.TickingWindow,
		limiter.SlidingLog:     inference.SlidingLog,
		limiter.StrictLog:      inference.StrictLog,
		limiter.SlidingCounter: inference.Counter,
		limiter.StrictCounter:  inference.StrictCounter,
		limiter.TokenBucket:    inference.Bucket,
		limiter.GCRA:           inference.Bucket,
		limiter.Leaky:          inference.Leaky,
		limiter.Concurrency:    inference.Concurrency,
		limiter.Queue:          inference.Queue,
	} {
		rule := limiter.Rule{Algorithm: algorithm, Limit: 20, Window: 2 * time.Second, Waiting: 15}
		got, _ := examine(rule, family(), Order{}, nil)
		if v := got.Report.Verdict; v.Family != want || v.Certainty != inference.Sure || got.Failure != nil {
			t.Errorf("%s: %+v (%v)", algorithm, v, got.Failure)
		}
	}
}

func TestHoweverRefusalsComeTheFamilyIsNamed(t *testing.T) {
	late := func(slot int, at clock.Instant, retryAfter time.Duration) messages.Came {
		c := answering429(slot, at, retryAfter)
		c.HeardAt, c.EndedAt = c.HeardAt.Add(time.Second), c.EndedAt.Add(time.Second)
		return c
	}
	forbidden := func(slot int, at clock.Instant, retryAfter time.Duration) messages.Came {
		c := answering429(slot, at, retryAfter)
		c.Reply = &messages.Reply{Proto: "HTTP/1.1", Status: 403, Reason: "Forbidden"}
		return c
	}
	dropped := func(slot int, at clock.Instant, _ time.Duration) messages.Came {
		return messages.Came{Slot: slot, EndedAt: at.Add(3 * time.Second), Outcome: messages.NoReply, Kind: messages.TimedOut}
	}
	closed := func(slot int, at clock.Instant, _ time.Duration) messages.Came {
		return messages.Came{Slot: slot, EndedAt: at, Outcome: messages.NoReply, Kind: messages.WasReset}
	}
	rule := limiter.Rule{Algorithm: limiter.FirstWindow, Limit: 20, Window: 2 * time.Second}
	for _, row := range []struct {
		name   string
		refuse func(int, clock.Instant, time.Duration) messages.Came
		title  string
		// Each refusal that is waited for in vain costs more than a window, so that not all of the others are ruled out.
		unsure bool
	}{
		{"held back", late, "It holds each refusal for about 1s", false},
		{"as forbidden", forbidden, "It refuses with 403", false},
		{"not at all", dropped, "It refuses by not answering", true},
		{"by closing", closed, "It refuses by closing the connection", false},
	} {
		got, _ := examine(rule, append(family(), inference.Rejection), Order{}, func(a *limitedAPI, _ *Limiter) { a.refuse = row.refuse })
		if v := got.Report.Verdict; v.Family != inference.FirstWindow || v.Certainty != inference.Sure && !row.unsure {
			t.Errorf("%s: %+v", row.name, v)
		}
		found := false
		for _, f := range got.Report.Findings {
			found = found || f.Title == row.title
		}
		if !found {
			t.Errorf("%s: found %+v, want %q", row.name, got.Report.Findings, row.title)
		}
	}
}

func TestABudgetOfEachKeyIsToldFromOneOfEverybody(t *testing.T) {
	rule := limiter.Rule{Algorithm: limiter.FirstWindow, Limit: 20, Window: 2 * time.Second}
	variants := []inference.Variant{{Name: "plain"}, {Name: "key 2", Kind: inference.OtherKey}, {Name: "forged", Kind: inference.Forged}}
	asked := append(family(), inference.Whose)
	for _, row := range []struct {
		name    string
		key     func(*messages.Request) string
		whose   string
		forging bool
	}{
		{"each key's", func(r *messages.Request) string { return r.Header[0].Value }, "each key's", false},
		{"everybody's", func(*messages.Request) string { return "" }, "not the key's", false},
		{"a forged header's", func(r *messages.Request) string { return messages.Get(r.Header, "X-Forwarded-For") }, "not the key's", true},
	} {
		got, _ := examine(rule, asked, Order{}, func(a *limitedAPI, l *Limiter) {
			a.key = row.key
			field := func(k string) messages.Field { return messages.Field{Name: "X-API-Key", Value: k} }
			l.Requests = []experimenter.Request{
				{Method: "GET", Target: "/", Header: []messages.Field{field("alpha")}},
				{Method: "GET", Target: "/", Header: []messages.Field{field("beta")}},
				{Method: "GET", Target: "/", Header: []messages.Field{field("alpha"), {Name: "X-Forwarded-For", Value: "203.0.113.7"}}},
			}
			l.Examination = inference.NewExamination(inference.Known{
				Limit: 20, Window: rule.Window, Wall: paperBegan.UnixNano(),
			}, asked, variants...)
		})
		answers := got.Report.Answers
		if last := answers[len(answers)-1]; last.Question != inference.Whose || !strings.HasPrefix(last.Text, row.whose) {
			t.Errorf("%s: %+v", row.name, last)
		}
		forging := false
		for _, f := range got.Report.Findings {
			forging = forging || f.Title == "The limit can be escaped with a header anyone can write"
		}
		if forging != row.forging {
			t.Errorf("%s: forging found %v", row.name, forging)
		}
	}
}

func TestAnExaminationStoppedEarlyReportsWhatIsKnown(t *testing.T) {
	rule := limiter.Rule{Algorithm: limiter.SlidingLog, Limit: 20, Window: 2 * time.Second}
	got, _ := examine(rule, inference.Questions(), Order{Stop: messages.Interrupted, StopAt: clock.Instant(4 * time.Second)}, nil)
	r := got.Report
	if got.End != messages.Interrupted || len(r.Rows) < 2 || len(r.Notes) == 0 || r.Verdict.AtOnce != 20 {
		t.Errorf("ended with %v, %d experiments, notes %q, verdict %+v", got.End, len(r.Rows), r.Notes, r.Verdict)
	}
}

func TestAnExaminationSendsNoMoreThanItMay(t *testing.T) {
	rule := limiter.Rule{Algorithm: limiter.SlidingLog, Limit: 20, Window: 2 * time.Second}
	for _, most := range []int{1, 10, 31, 32, 60, 200} {
		_, api := examine(rule, inference.Questions(), Order{}, func(_ *limitedAPI, l *Limiter) { l.Examination.AtMost(most) })
		if api.came > most || most >= 32 && api.came == 0 {
			t.Errorf("%d requests came, at most %d may", api.came, most)
		}
	}
}

func TestTheSameExaminationGivesTheSameReport(t *testing.T) {
	rule := limiter.Rule{Algorithm: limiter.SlidingCounter, Limit: 12, Window: time.Second}
	report := func(order Order) string {
		got, _ := examine(rule, inference.Questions(), order, func(_ *limitedAPI, l *Limiter) { l.Report.JSON = true })
		return got.Summary
	}
	first := report(Order{})
	if again := report(Order{Lockstep: true}); again != first {
		t.Errorf("inline:\n%s\nlockstep:\n%s", first, again)
	}
	if !json.Valid([]byte(first)) {
		t.Errorf("not JSON:\n%s", first)
	}
}

// files is a limiterreport.Directory in memory.
type files map[string]*strings.Builder

type file struct{ *strings.Builder }

func (file) Close() error { return nil }

func (f files) Create(name string) (io.WriteCloser, error) {
	f[name] = &strings.Builder{}
	return file{f[name]}, nil
}

func TestTheReportAndThePictureAreWritten(t *testing.T) {
	written := files{}
	rule := limiter.Rule{Algorithm: limiter.FixedWindow, Limit: 20, Window: 2 * time.Second}
	got, _ := examine(rule, inference.Questions(), Order{}, func(_ *limitedAPI, l *Limiter) { l.Report.Out = written })
	if got.Failure != nil || !json.Valid([]byte(written[limiterreport.ReportName].String())) {
		t.Errorf("%v, report:\n%s", got.Failure, written[limiterreport.ReportName])
	}
	if picture := written[limiterreport.PictureName].String(); !strings.HasPrefix(picture, "<svg ") || !strings.HasSuffix(picture, "</svg>\n") {
		t.Errorf("picture:\n%s", picture)
	}
	passed := false
	for _, f := range got.Report.Findings {
		passed = passed || strings.HasPrefix(f.Title, "40 requests come through in ")
	}
	if !passed {
		t.Errorf("twice the limit across the window's end was not found: %+v", got.Report.Findings)
	}
}
