package inference

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/sim/limiter"
)

// TestTheTrueFamilyIsNeverRuledOut sends batches at any moments, of any sizes, over any latencies: what a family's bounds
// say always holds for the limiter that is there.
func TestTheTrueFamilyIsNeverRuledOut(t *testing.T) {
	algorithms := []limiter.Algorithm{
		limiter.FixedWindow, limiter.FirstWindow, limiter.TickingWindow, limiter.SlidingLog, limiter.StrictLog,
		limiter.SlidingCounter, limiter.StrictCounter, limiter.TokenBucket, limiter.GCRA, limiter.Leaky,
	}
	rapid.Check(t, func(t *rapid.T) {
		window := time.Duration(rapid.IntRange(200, 100_000).Draw(t, "window")) * time.Millisecond
		limit := rapid.IntRange(2, 40).Draw(t, "limit") // at 1 they are all alike
		d := drawn{
			rule: limiter.Rule{
				Algorithm: rapid.SampledFrom(algorithms).Draw(t, "algorithm"), Limit: int64(limit), Window: window,
			},
			known:   Known{Limit: limit, Window: window, Wall: 1_700_000_000_000_000_000 + rapid.Int64Range(0, 1e15).Draw(t, "wall")},
			latency: window * time.Duration(rapid.IntRange(0, 100).Draw(t, "latency")) / 1000,
		}
		if d.rule.Algorithm == limiter.TokenBucket || d.rule.Algorithm == limiter.GCRA {
			d.rule.Burst = rapid.Int64Range(1, 60).Draw(t, "burst")
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		l, p, now := d.rule.New(), New(d.known), Instant(0)
		for range rapid.IntRange(2, 12).Draw(t, "batches") {
			now = now.Add(window * time.Duration(rapid.IntRange(0, 1500).Draw(t, "pause")) / 1000)
			b := d.send(l, r, Step{At: now, N: rapid.IntRange(1, 2*limit+2).Draw(t, "n")})
			now = b.Hi
			p.Add(b)
		}
		all := candidates(p.known, p.table)
		if all == nil {
			return // nothing was refused yet
		}
		want := plain(d)
		for _, c := range all {
			alike := c.family == want || want == Leaky && c.family == Bucket || want == Bucket && c.family == Leaky
			if alike && c.missed == 0 {
				return
			}
		}
		for _, b := range p.table {
			t.Logf("%v to %v: %d of %d", b.Lo, b.Hi, b.Accepted, b.N)
		}
		for _, c := range all {
			t.Logf("%s %d: missed %d, %v", c.family, c.limit, c.missed, c.rows)
		}
		t.Fatalf("%+v is ruled out as a %s", d.rule, want)
	})
}

func TestNoExperimentBeginsBeforeTheAPIAllowsIt(t *testing.T) {
	d, r := draw(3) // a sliding log: it takes more than one experiment
	e := NewExamination(d.known, Questions()[:3], Variant{Name: "plain"})
	l := d.rule.New()
	now, asked, begun := Instant(0), Instant(0), 0
	for {
		s, more := e.Next(now)
		if !more {
			break
		}
		if b := s.Why; b == whyUnder || b == whyOver || b == whyOpens || b == "the first half" {
			begun++
			if s.At < asked {
				t.Errorf("%s begins at %v, and until %v the API asked to be left alone", b, s.At, asked)
			}
		}
		b := d.send(l, r, s)
		now = b.Hi
		e.Add(b)
		if b.Refused() > 0 {
			asked = now.Add(3 * d.known.Window)
			e.Quiet(asked)
		}
	}
	if begun < 3 {
		t.Errorf("only %d experiments began", begun)
	}
}

func TestThePlannedPhaseIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := Known{Limit: 10, Window: time.Duration(rapid.Int64Range(1e8, 4e12).Draw(t, "window")), Wall: rapid.Int64Range(1, 2e18).Draw(t, "wall")}
		now := Instant(rapid.Int64Range(0, 1e13).Draw(t, "now"))
		s, _ := New(k).Next(now)
		into := time.Duration((k.Wall + int64(s.At)) % int64(k.Window))
		if want := New(k).part(apart); s.At < now || s.At.Sub(now) >= k.Window || (into-want).Abs() > 1 {
			t.Fatalf("at %v, asked at %v: %v into the window, want %v", s.At, now, into, want)
		}
	})
}

func TestAWindowIsTakenForTheRoundestItCanBe(t *testing.T) {
	for _, row := range []struct {
		lo, hi, want time.Duration
		round        bool
	}{
		{950 * time.Millisecond, 1100 * time.Millisecond, time.Second, true},
		{50 * time.Second, 70 * time.Second, time.Minute, true},
		{1900 * time.Millisecond, 2100 * time.Millisecond, 2 * time.Second, true},
		{220 * time.Millisecond, 260 * time.Millisecond, 250 * time.Millisecond, true},
		{3500 * time.Second, 3700 * time.Second, time.Hour, true},
		{7300 * time.Millisecond, 7500 * time.Millisecond, 7400 * time.Millisecond, false},
	} {
		if got, round := roundest(row.lo, row.hi); got != row.want || round != row.round {
			t.Errorf("%v to %v: %v, %v, want %v", row.lo, row.hi, got, round, row.want)
		}
	}
}

func TestTheUnitOfAResetIsToldByHowItMoves(t *testing.T) {
	for _, row := range []struct {
		values []string
		want   string
	}{
		{[]string{"60", "58", "56"}, "a length, in seconds, as it falls while time passes"},
		{[]string{"1796011137", "1796011137"}, "a moment, in seconds since 1970, as it stays while time passes"},
		{[]string{"1796011137000", "1796011137000"}, "a moment, in milliseconds since 1970, as it stays while time passes"},
		{[]string{"60000", "58000"}, "a length, in milliseconds, as it falls while time passes"},
		{[]string{"1"}, "a length, in seconds, by its size"},
		{[]string{"Mon, 30 Nov 2026 00:05:26 UTC"}, "not a number, and read as a date or a length with its unit"},
	} {
		var all []Answer
		for i, v := range row.values {
			all = append(all, Answer{Heard: Instant(i) * Instant(2*time.Second), Said: &Said{Reset: v}})
		}
		if got := resetUnit(all); got != row.want {
			t.Errorf("%q: %q, want %q", row.values, got, row.want)
		}
	}
}

func TestTheFieldsOnAQuotaAreFoundInEachSpelling(t *testing.T) {
	for _, row := range []struct {
		header []messages.Field
		want   Said
		limit  int
	}{
		{[]messages.Field{{Name: "x-ratelimit-limit", Value: "100, 100;window=60"}, {Name: "x-ratelimit-remaining", Value: "98"}}, Said{Family: "X-RateLimit", Limit: "100, 100;window=60", Remaining: "98"}, 100},
		{[]messages.Field{{Name: "X-Rate-Limit-Limit", Value: "50"}}, Said{Family: "X-Rate-Limit", Limit: "50"}, 50},
		{[]messages.Field{{Name: "RateLimit-Limit", Value: "100;w=21600"}}, Said{Family: "RateLimit", Limit: "100;w=21600"}, 100},
		{[]messages.Field{{Name: "RateLimit", Value: `"a";r=9;t=2`}, {Name: "RateLimit-Policy", Value: `"a"; q=10; w=2`}}, Said{Family: "RateLimit", Limit: `"a"; q=10; w=2`, Remaining: `"a";r=9;t=2`}, 10},
	} {
		got := FieldsOf(row.header)
		if got == nil || *got != row.want {
			t.Errorf("%v: %+v", row.header, got)
			continue
		}
		if n := leading(got.Limit, got.Family); n != row.limit {
			t.Errorf("%q: limit %d, want %d", got.Limit, n, row.limit)
		}
	}
	if got := FieldsOf([]messages.Field{{Name: "Retry-After", Value: "1"}}); got != nil {
		t.Errorf("found %+v", got)
	}
}

// examined is an examination whose every batch came to nothing but what the row says.
func answersOf(n, accepted, status int, said func(i int) *Said) []Answer {
	var all []Answer
	for i := range n {
		a := Answer{Sent: Instant(i), Heard: Instant(i + 1000), Accepted: i < accepted, Status: status}
		if !a.Accepted {
			a.Status = 429
		}
		if said != nil {
			a.Said = said(i)
		}
		all = append(all, a)
	}
	return all
}

func TestWhatARejectionSaysIsHeldAgainstWhatHappens(t *testing.T) {
	rejected := func(status int, fields ...string) *messages.Reply {
		r := &messages.Reply{Status: status, Reason: "no", Body: []byte("no")}
		for i := 0; i < len(fields); i += 2 {
			r.Header = append(r.Header, messages.Field{Name: fields[i], Value: fields[i+1]})
		}
		return r
	}
	told := func(text string, wait time.Duration, off string) func(int) *Said {
		return func(int) *Said { return &Said{RetryAfter: text, Stated: wait >= 0, Wait: wait, OffSpec: off} }
	}
	batch := func(why string, n, accepted int, said func(int) *Said) Batch {
		return Batch{Step: Step{Why: why, N: n, Question: Rejection}, Accepted: accepted, Answers: answersOf(n, accepted, 200, said)}
	}
	for _, row := range []struct {
		name    string
		reply   *messages.Reply
		batches []Batch
		want    []string
	}{
		{"a plain 429", rejected(429, "Retry-After", "1"), []Batch{batch(whyEmptied, 11, 10, told("1", time.Second, "")), batch(whyAsTold, 1, 1, nil)}, nil},
		{"too short", rejected(429, "Retry-After", "1"), []Batch{batch(whyEmptied, 11, 10, told("1", time.Second, "")), batch(whyAsTold, 1, 0, told("1", time.Second, ""))}, []string{"Retry-After is too short"}},
		{"longer than needed", rejected(429, "Retry-After", "60"), []Batch{batch(whyEmptied, 11, 10, told("60", time.Minute, "")), batch(whyHalfway, 1, 1, nil), batch(whyAsTold, 1, 1, nil)}, []string{"Retry-After is longer than it has to be"}},
		{"none", rejected(429), []Batch{batch(whyEmptied, 11, 10, nil)}, []string{"A refusal does not say when to come back"}},
		{"503", rejected(503, "Retry-After", "1"), []Batch{batch(whyEmptied, 11, 10, told("1", time.Second, ""))}, []string{"It refuses with 503"}},
		{"unreadable", rejected(429, "Retry-After", "soon"), []Batch{batch(whyEmptied, 11, 10, told("soon", -1, ""))}, []string{"Retry-After cannot be read"}},
		{"off the RFC", rejected(429, "Retry-After", "1.5"), []Batch{batch(whyEmptied, 11, 10, told("1.5", time.Second, "fraction"))}, []string{"Retry-After is not written as RFC 9110 has it"}},
		{"no JSON", rejected(429, "Retry-After", "1", "Content-Type", "application/json"), nil, []string{"A refusal's content is not the JSON it says it is"}},
	} {
		e := NewExamination(Known{Limit: 10, Window: time.Second}, []Question{Rejection}, Variant{Name: "plain"})
		e.batches = row.batches
		report := e.Report(Whole{Rejected: row.reply})
		var got []string
		for _, f := range report.Findings {
			got = append(got, f.Title)
			if f.Advice == "" || f.Evidence == "" {
				t.Errorf("%s: %q comes without evidence or advice", row.name, f.Title)
			}
		}
		if strings.Join(got, "|") != strings.Join(row.want, "|") {
			t.Errorf("%s: found %q, want %q", row.name, got, row.want)
		}
	}
}

func TestAContentThatSaysWhenToComeBackIsHeldAgainstRetryAfter(t *testing.T) {
	for _, row := range []struct {
		body  string
		wait  time.Duration
		found bool
	}{
		{"Rate limit exceeded, retry in 2 seconds", 2 * time.Second, true},
		{`{"retry_after": 1.0}`, time.Second, false},
		{`{"retry_after_ms": 3500}`, 3500 * time.Millisecond, true},
		{`{"retryAfter":"60"}`, time.Minute, true},
		{"Try again after 1 minute.", time.Minute, true},
		{"Too many requests", 0, false},
		{"limit 10 for 5 users", 0, false},
	} {
		if _, wait, ok := contentSays([]byte(row.body)); wait != row.wait || ok != (row.wait > 0) {
			t.Errorf("%s: %v, %v", row.body, wait, ok)
		}
		e := NewExamination(Known{Limit: 10, Window: time.Second}, []Question{Rejection}, Variant{Name: "plain"})
		told := func(int) *Said { return &Said{RetryAfter: "1", Stated: true, Wait: time.Second} }
		e.batches = []Batch{{Step: Step{Why: whyEmptied, N: 11, Question: Rejection}, Accepted: 10, Answers: answersOf(11, 10, 200, told)}}
		report := e.Report(Whole{Rejected: &messages.Reply{Status: 429, Body: []byte(row.body), Header: []messages.Field{{Name: "Retry-After", Value: "1"}}}})
		if found := len(report.Findings) == 1 && report.Findings[0].Title == "Retry-After and the content disagree"; found != row.found {
			t.Errorf("%s: found %+v", row.body, report.Findings)
		}
	}
}

func TestEachQuestionHasAName(t *testing.T) {
	seen := map[string]bool{}
	for i, q := range Questions() {
		if int(q) != i+1 || q.String() == "" || seen[q.String()] {
			t.Errorf("question %s is %q", strconv.Itoa(i+1), q)
		}
		seen[q.String()] = true
	}
}
