package stages

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/sim/limiter"
	"github.com/restest/restest/stages/experimenter"
	"github.com/restest/restest/stages/experimenter/inference"
)

// The figures that a burst test by hand finds of limiters of a hundred in a second, found by an examination.

func hundred(a limiter.Algorithm) limiter.Rule {
	return limiter.Rule{Algorithm: a, Limit: 100, Window: time.Second}
}

// wide has room for the bursts of a hundred.
func wide(_ *limitedAPI, l *Limiter) { l.Settings = LimiterSettings(settings.Default(), 152) }

// answered is the answer to a question.
func answered(t *testing.T, r inference.Report, q inference.Question) inference.Answered {
	t.Helper()
	for _, a := range r.Answers {
		if a.Question == q {
			return a
		}
	}
	t.Fatalf("%s is not answered", q)
	return inference.Answered{}
}

// row is the experiment that was sent for a reason.
func row(t *testing.T, r inference.Report, why string) inference.Row {
	t.Helper()
	for _, row := range r.Rows {
		if row.Why == why {
			return row
		}
	}
	t.Fatalf("nothing was sent as %q", why)
	return inference.Row{}
}

func TestABurstInsideAWindowIsCutToTheLimitWhicheverLimiterItIs(t *testing.T) {
	for _, a := range []limiter.Algorithm{limiter.FixedWindow, limiter.TokenBucket} {
		got, _ := examine(hundred(a), family(), Order{}, wide)
		b := row(t, got.Report, "a burst of half as many again as the limit")
		if through := 1 + b.Accepted; through != 100 || b.N-b.Accepted < 50 { // with the one alone before it
			t.Errorf("%s: %d of %d, and one before", a, b.Accepted, b.N)
		}
	}
}

func TestTwiceTheLimitComesThroughAcrossTheEndOfAFixedWindowAndNotThroughABucket(t *testing.T) {
	through := func(a limiter.Algorithm) (int, time.Duration, inference.Report) {
		got, _ := examine(hundred(a), append(family(), inference.Through), Order{}, wide)
		before, after := row(t, got.Report, "what is left of the limit, just before it ends"), row(t, got.Report, "the limit, just after")
		return before.Accepted + after.Accepted, after.Hi.Sub(before.Lo), got.Report
	}
	if n, took, report := through(limiter.FixedWindow); n != 200 || took > 150*time.Millisecond ||
		!strings.HasPrefix(report.Findings[0].Title, "200 requests come through in ") {
		t.Errorf("a fixed window: %d in %v, %+v", n, took, report.Findings)
	}
	n, took, report := through(limiter.TokenBucket)
	if refilled := int(took * 100 / time.Second); n < 100 || n > 101+refilled || took > 150*time.Millisecond || len(report.Findings) > 0 {
		t.Errorf("a bucket: %d in %v, %+v", n, took, report.Findings)
	}
}

func TestRejectingAndDelayingLookOppositeAtTheSameLoad(t *testing.T) {
	load := func(a limiter.Algorithm) (inference.Load, string) {
		rule := hundred(a)
		rule.Waiting = 200
		asked := append(family(), inference.Through, inference.Costs)
		got, _ := examine(rule, asked, Order{}, wide)
		over := got.Report.Load[len(got.Report.Load)-1]
		return over, answered(t, got.Report, inference.Costs).Text
	}
	rejecting, says := load(limiter.TokenBucket)
	if says != "it rejects" || 10*rejecting.Served > 9*rejecting.Offered || rejecting.MedianServed > 5*time.Millisecond {
		t.Errorf("rejecting: %q, %+v", says, rejecting)
	}
	delaying, says := load(limiter.Queue)
	if says != "it delays" || delaying.Served != delaying.Offered || delaying.MedianServed < 100*time.Millisecond || delaying.Offered != rejecting.Offered {
		t.Errorf("delaying: %q, %+v", says, delaying)
	}
}

func TestWhatALimiterCostsIsARatio(t *testing.T) {
	asked := append(family(), inference.Costs)
	got, _ := examine(hundred(limiter.FirstWindow), asked, Order{}, func(a *limitedAPI, l *Limiter) {
		wide(a, l)
		a.free = "/open"
		l.Requests = append(l.Requests, experimenter.Request{Method: "GET", Target: "/open"})
		l.Examination = inference.NewExamination(inference.Known{Limit: 100, Window: time.Second, Wall: paperBegan.UnixNano()}, asked,
			inference.Variant{Name: "plain"}, inference.Variant{Name: "the route compared", Kind: inference.Compared})
	})
	var times float64
	if _, err := fmt.Sscanf(answered(t, got.Report, inference.Costs).Text, "it rejects, and takes %f times as long as the route compared", &times); err != nil || times < 1.5 || times > 3 {
		t.Errorf("%v times as long (%v): %+v", times, err, got.Report.Answers)
	}
	limited, open := 0, 0
	for _, r := range got.Report.Rows {
		if r.Variant == "the route compared" {
			open += r.N
		} else if r.Question == inference.Costs {
			limited += r.N
		}
	}
	if limited != 30 || open != 30 {
		t.Errorf("%d of the limited route and %d of the other were paired", limited, open)
	}
}

// A window that is shorter than refusals are held must not look like a way around the limit.
func TestATarpitIsNotEscapedByItsWindowsEnding(t *testing.T) {
	asked := append(family(), inference.Whose)
	for _, held := range []time.Duration{300 * time.Millisecond, 700 * time.Millisecond, time.Second, 1900 * time.Millisecond} {
		got, _ := examine(limiter.Rule{Algorithm: limiter.FirstWindow, Limit: 10, Window: 2 * time.Second}, asked, Order{}, func(a *limitedAPI, l *Limiter) {
			a.refuse = func(slot int, at clock.Instant, retryAfter time.Duration) messages.Came {
				c := answering429(slot, at, retryAfter)
				c.HeardAt, c.EndedAt = c.HeardAt.Add(held), c.EndedAt.Add(held)
				return c
			}
			variants := []inference.Variant{{Name: "plain"}}
			for _, name := range []string{"HEAD", "OPTIONS", "forged", "no key"} {
				kind := map[string]inference.VariantKind{"forged": inference.Forged, "no key": inference.NoKey}[name]
				if kind == 0 {
					kind = inference.OtherMethod
				}
				variants = append(variants, inference.Variant{Name: name, Kind: kind})
				l.Requests = append(l.Requests, experimenter.Request{Method: "GET", Target: "/"})
			}
			l.Examination = inference.NewExamination(inference.Known{Limit: 10, Window: 2 * time.Second, Wall: paperBegan.UnixNano()}, asked, variants...)
		})
		for _, f := range got.Report.Findings {
			if f.Question == inference.Whose {
				t.Errorf("held for %v: %+v", held, f)
			}
		}
	}
}
