package main

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/restest/restest/clock"
)

// until are the requests that arrived before the moment.
func until(arrived []*arrival, t clock.Instant) int {
	n := 0
	for _, a := range arrived {
		if a.at < t {
			n++
		}
	}
	return n
}

// wantSpaced wants requests to have arrived no closer than the interval. Each may be late by the slack, by which the
// next is closer to it.
func wantSpaced(arrived []*arrival, interval, slack time.Duration, complain complain) {
	moments := make([]clock.Instant, 0, len(arrived))
	for _, a := range arrived {
		moments = append(moments, a.at)
	}
	slices.Sort(moments)
	for i := range moments {
		for j := i + 1; j < len(moments); j++ {
			if least, was := time.Duration(j-i)*interval-slack, moments[j].Sub(moments[i]); was < least {
				complain("requests %d and %d of %d were %s apart, which is less than %s", i+1, j+1, len(moments), was, least)
				return
			}
		}
	}
}

func TestCase32ARateIsForTheRun(t *testing.T) {
	t.Parallel()
	document := caseFile(t, "32-rate-many-workers/document.yaml")
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	claims := make([]claim, 0, 3)
	for _, row := range []struct {
		name      string
		perSecond int
		fetched   bool // the document comes from the API's host, which takes a turn
	}{
		{"five a second", 5, false},
		{"one a second", 1, false},
		{"five a second, the document among them", 5, true},
	} {
		claims = append(claims, claim{
			name: row.name,
			answers: func(s *standIn) answerer {
				return func(a *arrival) reply {
					if a.target == "/openapi.yaml" {
						return say(200, "application/yaml", string(content))
					}
					s.pause(time.Millisecond)
					return say(200, "", "")
				}
			},
			args: func(s *standIn) []string {
				location := document
				if row.fetched {
					location = s.url + "/openapi.yaml"
				}
				return []string{
					location, "--url", s.url, "--budget", "3s", "--set", "engine.initialConcurrency=10", "--set", "engine.minConcurrency=10",
					"--set", fmt.Sprintf("engine.mostRequestsPerMinute=%d", 60*row.perSecond),
				}
			},
			check: func(s *standIn, o *outcome, complain complain) {
				arrived := s.arrived()
				wantSpaced(arrived, time.Second/time.Duration(row.perSecond), 50*time.Millisecond, complain)
				for i, a := range arrived {
					// The first opens a connection, and may arrive late by 50 ms.
					if within := until(arrived, a.at.Add(950*time.Millisecond)) - i; within > row.perSecond+1 {
						complain("%d requests arrived in the second that began with number %d", within, i+1)
					}
				}
				if most := 3*row.perSecond + 1; len(arrived) > most || len(arrived) < most-2 {
					complain("%d requests arrived in 3 s, %d were possible", len(arrived), most)
				}
				sent := o.report.Engine.RequestsSent
				if row.fetched {
					sent++
				}
				if sent != int64(len(arrived)) || o.report.Engine.NeverSent > 0 || len(o.report.Findings) > 0 {
					complain("told are %+v and %v, %d arrived", o.report.Engine, sums(o.report.Findings), len(arrived))
				}
				for _, op := range o.report.Operations {
					if row.perSecond == 5 && op.State != "tested" {
						complain("%s is %s", op.ID, op.State)
					}
				}
			},
		})
	}
	hold(t, claims...)
}

func TestCase35RetryAfterAsADate(t *testing.T) {
	t.Parallel()
	document := caseFile(t, "35-retry-after-dates/document.yaml")
	const (
		asctime, rfc850 = "Mon Jan _2 15:04:05 2006", "Monday, 02-Jan-06 15:04:05 GMT"
		// A second stands for the case's five.
		ahead, early, late = time.Second, 990 * time.Millisecond, 1800 * time.Millisecond
	)
	var claims []claim
	for _, row := range []struct {
		name   string
		status int
		// off is how far the server's clock is ahead, until how far behind its Date its Retry-After is.
		off, until time.Duration
		form       string
		date       string // instead of the clock's
		seconds    string // instead of a date
		// least and most are when the next request to /o1 may arrive, and has to have arrived.
		least, most time.Duration
	}{
		{name: "1, a date", status: 429, until: ahead, form: http.TimeFormat, least: early, most: late},
		{name: "2, a date of RFC 850", status: 429, until: ahead, form: rfc850, least: early, most: late},
		{name: "3, a date of asctime", status: 429, until: ahead, form: asctime, least: early, most: late},
		{name: "4, a clock that is behind", status: 429, off: -time.Hour, until: ahead, form: http.TimeFormat, least: early, most: late},
		{name: "5, a clock that is ahead", status: 429, off: time.Hour, until: ahead, form: http.TimeFormat, least: early, most: late},
		{name: "6, a date in the past", status: 429, until: -time.Minute, form: http.TimeFormat, most: 800 * time.Millisecond},
		// A date has whole seconds: two of them ahead is between one and two from now.
		{name: "7, an unreadable Date", status: 429, until: 2 * ahead, form: http.TimeFormat, date: "yesterday", least: early, most: late + ahead},
		{name: "8, maintenance", status: 503, seconds: "1", least: early, most: late},
		{name: "9, a server error", status: 503, most: 800 * time.Millisecond},
	} {
		claims = append(claims, claim{
			name: row.name,
			answers: func(s *standIn) answerer {
				refusal := func() reply {
					now := s.clock.Wall(s.clock.Now()).UTC().Add(row.off)
					fields := []string{"Date", cmp.Or(row.date, now.Format(http.TimeFormat))}
					switch {
					case row.seconds != "":
						fields = append(fields, "Retry-After", row.seconds)
					case row.form != "":
						fields = append(fields, "Retry-After", now.Add(row.until).Format(row.form))
					}
					return say(row.status, "", "", fields...)
				}
				var refused atomic.Bool
				return func(a *arrival) reply {
					if a.target == "/o1" && !refused.Swap(true) {
						return refusal()
					}
					return say(200, "", "")
				}
			},
			args: func(s *standIn) []string {
				return []string{document, "--url", s.url, "--budget", "3s", "--set", "engine.mostRequestsPerMinute=1200"}
			},
			check: func(s *standIn, o *outcome, complain complain) {
				arrived := s.arrived("GET /o1")
				if len(arrived) < 2 {
					complain("%d requests arrived at /o1", len(arrived))
					return
				}
				if gap := arrived[1].at.Sub(arrived[0].at); gap < row.least || gap > row.most {
					complain("the second request came after %s, want %s to %s", gap, row.least, row.most)
				}
				if others := until(s.arrived("GET /o2"), arrived[1].at); row.least > 0 && others < 5 {
					complain("only %d requests went to the other operation meanwhile", others)
				}
				want := fmt.Sprintf("F%d %d", map[int]int{429: 920, 503: 121}[row.status], row.status)
				if got := sums(o.report.Findings); !slices.Equal(got, []string{want}) {
					complain("found %q, want %q", got, want)
				}
				waits := o.report.ToldToWait.Operations
				stated := len(waits) == 1 && waits[0].Stated == 1
				if asks := row.status == 429 || row.seconds != ""; asks != stated || !asks && len(waits) > 0 {
					complain("told to wait: %+v", waits)
				}
			},
		})
	}
	hold(t, claims...)
}

// stormy are the settings of a run in which a second stands for twenty.
var stormy = []string{"--set", "schedule.firstGuessedWait=50ms", "--set", "schedule.longestGuessedWait=3s"}

func TestCase36AnAPIThatHasHadEnough(t *testing.T) {
	t.Parallel()
	document := caseFile(t, "36-storm-of-429/document.yaml")
	hold(t, claim{
		name: "the pauses grow, and the run is no pass",
		answers: func(*standIn) answerer {
			var count atomic.Int64
			return func(*arrival) reply {
				if count.Add(1) <= 5 {
					return say(200, "", "")
				}
				return say(429, "", "")
			}
		},
		args: func(s *standIn) []string {
			return append([]string{document, "--url", s.url, "--budget", "3100ms"}, stormy...)
		},
		check: func(s *standIn, o *outcome, complain complain) {
			for _, op := range o.report.Operations {
				if got := sums(o.found(op.ID)); len(got) > 1 || len(got) == 1 && got[0] != "F920 429" {
					complain("%s: found %v", op.ID, got)
				}
			}
			arrived := s.arrived()
			if len(arrived) < 10 {
				complain("%d requests arrived", len(arrived))
				return
			}
			storm := arrived[5].at
			thirds := [3]int{}
			for i := range thirds {
				thirds[i] = until(arrived, storm.Add(time.Duration(i+1)*time.Second)) - until(arrived, storm.Add(time.Duration(i)*time.Second))
			}
			if thirds[0]+thirds[1]+thirds[2] > 60 || thirds[2] >= thirds[0] {
				complain("%v requests arrived in the thirds of the storm", thirds)
			}
			v, want := o.report.Verdict, fmt.Sprintf("%d of the %d replies asked to wait", o.report.Totals.Refused, o.report.Totals.Answered)
			if v.Word == "noErrorsFound" || !strings.Contains(v.Sentence, want) || !strings.Contains(o.stdout, v.Sentence) {
				complain("the verdict is %+v\n%s", v, o.stdout)
			}
		},
	})
}

func TestCase36WhoAnsweredNothingButRefusals(t *testing.T) {
	t.Parallel()
	s := serve(t, func(a *arrival) reply {
		if a.path() == "/o4" || a.path() == "/o5" {
			return say(429, "", "")
		}
		return say(200, "", "")
	})
	o := s.test(t, 1, append([]string{caseFile(t, "36-storm-of-429/document.yaml"), "--url", s.url}, stormy...)...)
	if v := o.report.Verdict; v.Word == "noErrorsFound" || !strings.Contains(v.Sentence, "this is no pass") ||
		!strings.Contains(v.Sentence, "2 operations answered nothing but refusals (o4, GET /o5)") || !strings.Contains(o.stdout, v.Sentence) {
		t.Errorf("the verdict is %+v\n%s", v, o.stdout)
	}
}

func TestCase36WhereNothingEverSucceeded(t *testing.T) {
	t.Parallel()
	s := serve(t, func(*arrival) reply { return say(400, "", "") })
	o := s.test(t, 1, caseFile(t, "36-storm-of-429/document.yaml"), "--url", s.url)
	if v := o.report.Verdict; v.Word == "noErrorsFound" || !strings.Contains(v.Sentence, "this is no pass: no operation ever answered with success") ||
		!strings.Contains(o.stdout, v.Sentence) {
		t.Errorf("the verdict is %+v\n%s", v, o.stdout)
	}
}
