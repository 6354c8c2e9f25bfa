package main

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/reporter"
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

func TestCase32ARateIsForTheRun(t *testing.T) {
	t.Parallel()
	document := caseFile(t, "32-rate-many-workers/document.yaml")
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		name      string
		perMinute int
		fetched   bool // the document comes from the API's host
		s         *standIn
		out       string
		o         *outcome
	}
	rows := []*row{
		{name: "five a second", perMinute: 300},
		{name: "one a second", perMinute: 60},
		{name: "five a second, the document among them", perMinute: 300, fetched: true},
	}
	var group sync.WaitGroup
	for _, r := range rows {
		r.s = serve(t, nil)
		r.s.answer = func(a *arrival) reply {
			if a.target == "/openapi.yaml" {
				return say(200, "application/yaml", string(content))
			}
			r.s.pause(time.Millisecond)
			return say(200, "", "")
		}
		r.out = t.TempDir()
		location := document
		if r.fetched {
			location = r.s.url + "/openapi.yaml"
		}
		group.Go(func() {
			r.o = program(append([]string{
				"run", location, "--url", r.s.url, "--out", r.out, "--budget", "3s", "--set", "engine.initialConcurrency=10",
				"--set", "engine.minConcurrency=10", "--set", fmt.Sprintf("engine.mostRequestsPerMinute=%d", r.perMinute),
			}, seeded...)...)
		})
	}
	group.Wait()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			r.o.read(t, r.out)
			arrived, interval := r.s.arrived(), time.Minute/time.Duration(r.perMinute)
			// The first opens a connection and may arrive late.
			spaced(t, arrived, interval, 50*time.Millisecond)
			perSecond := int(time.Second / interval)
			for i, a := range arrived {
				if within := until(arrived, a.at.Add(time.Second-50*time.Millisecond)) - i; within > perSecond+1 {
					t.Errorf("%d requests arrived in the second that began with number %d", within, i+1)
				}
			}
			if most := 3*perSecond + 1; len(arrived) > most || len(arrived) < most-2 {
				t.Errorf("%d requests arrived in 3 s, %d were possible", len(arrived), most)
			}
			e := r.o.report.Engine
			sent := e.RequestsSent
			if r.fetched {
				sent++
			}
			if sent != int64(len(arrived)) || e.NeverSent > 0 || len(r.o.report.Findings) > 0 {
				t.Errorf("told are %+v and %v, %d arrived", e, sums(r.o.report.Findings), len(arrived))
			}
			for _, op := range r.o.report.Operations {
				if perSecond == 5 && op.State != "tested" {
					t.Errorf("%s is %s", op.ID, op.State)
				}
			}
		})
	}
}

func TestCase35RetryAfterAsADate(t *testing.T) {
	t.Parallel()
	document := caseFile(t, "35-retry-after-dates/document.yaml")
	const ansiC, rfc850 = "Mon Jan _2 15:04:05 2006", "Monday, 02-Jan-06 15:04:05 GMT"
	const ahead = time.Second
	type row struct {
		name   string
		status int
		// clock is how far the server's clock is ahead; until how far behind its Date its Retry-After is.
		clock, until time.Duration
		form         string
		date         string // instead of the clock's
		seconds      string // instead of a date
		// least and most are when the next request to /o1 may arrive and has to have arrived.
		least, most time.Duration
		s           *standIn
		out         string
		o           *outcome
	}
	rows := []*row{
		{name: "1, a date", status: 429, until: ahead, form: http.TimeFormat, least: ahead, most: 1800 * time.Millisecond},
		{name: "2, a date of RFC 850", status: 429, until: ahead, form: rfc850, least: ahead, most: 1800 * time.Millisecond},
		{name: "3, a date of asctime", status: 429, until: ahead, form: ansiC, least: ahead, most: 1800 * time.Millisecond},
		{name: "4, a clock that is behind", status: 429, clock: -time.Hour, until: ahead, form: http.TimeFormat, least: ahead, most: 1800 * time.Millisecond},
		{name: "5, a clock that is ahead", status: 429, clock: time.Hour, until: ahead, form: http.TimeFormat, least: ahead, most: 1800 * time.Millisecond},
		{name: "6, a date in the past", status: 429, until: -time.Minute, form: http.TimeFormat, most: 800 * time.Millisecond},
		// A date has whole seconds: two of them ahead is between one and two from now.
		{name: "7, an unreadable Date", status: 429, until: 2 * ahead, form: http.TimeFormat, date: "yesterday", least: ahead, most: 2800 * time.Millisecond},
		{name: "8, maintenance", status: 503, seconds: "1", least: ahead, most: 1800 * time.Millisecond},
		{name: "9, a server error", status: 503, most: 800 * time.Millisecond},
	}
	var group sync.WaitGroup
	for _, r := range rows {
		r.s = serve(t, nil)
		first := sync.OnceValue(func() reply {
			now := r.s.clock.Wall(r.s.clock.Now()).UTC().Add(r.clock)
			fields := []string{"Date", now.Format(http.TimeFormat)}
			if r.date != "" {
				fields[1] = r.date
			}
			switch {
			case r.seconds != "":
				fields = append(fields, "Retry-After", r.seconds)
			case r.form != "":
				fields = append(fields, "Retry-After", now.Add(r.until).Format(r.form))
			}
			return say(r.status, "", "", fields...)
		})
		var refused sync.Once
		r.s.answer = func(a *arrival) reply {
			answered := say(200, "", "")
			if a.target == "/o1" {
				refused.Do(func() { answered = first() })
			}
			return answered
		}
		r.out = t.TempDir()
		group.Go(func() {
			r.o = program(append([]string{
				"run", document, "--url", r.s.url, "--out", r.out, "--budget", "3s", "--set", "engine.mostRequestsPerMinute=1200",
			}, seeded...)...)
		})
	}
	group.Wait()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			r.o.read(t, r.out)
			arrived := r.s.arrived("GET /o1")
			if len(arrived) < 2 {
				t.Fatalf("%d requests arrived at /o1", len(arrived))
			}
			// The wait begins when the reply is read, which is after the request arrived.
			if gap := arrived[1].at.Sub(arrived[0].at); gap < r.least || gap > r.most {
				t.Errorf("the second request came after %s, want %s to %s", gap, r.least, r.most)
			}
			if others := until(r.s.arrived("GET /o2"), arrived[1].at); r.least > 0 && others < 5 {
				t.Errorf("only %d requests went to the other operation meanwhile", others)
			}
			want := []string{fmt.Sprintf("F%d %d", map[int]int{429: 920, 503: 121}[r.status], r.status)}
			if got := sums(r.o.report.Findings); !slices.Equal(got, want) {
				t.Errorf("found %q, want %q", got, want)
			}
			waits := r.o.report.ToldToWait.Operations
			if waited := r.status == 429 || r.seconds != ""; waited != (len(waits) == 1 && waits[0].Stated == 1) || !waited && len(waits) > 0 {
				t.Errorf("told to wait: %+v", waits)
			}
		})
	}
}

// stormy are the settings of a run in which a second stands for twenty.
var stormy = []string{"--set", "schedule.firstGuessedWait=50ms", "--set", "schedule.longestGuessedWait=3s"}

func TestCase36AnAPIThatHasHadEnough(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var stormAt clock.Instant
	count := 0
	s := serve(t, nil)
	s.answer = func(*arrival) reply {
		mu.Lock()
		defer mu.Unlock()
		if count++; count <= 5 {
			return say(200, "", "")
		}
		if count == 6 {
			stormAt = s.clock.Now()
		}
		return say(429, "", "")
	}
	o := test(t, caseFile(t, "36-storm-of-429/document.yaml"), append([]string{"--url", s.url, "--budget", "3100ms"}, stormy...)...)
	for _, f := range o.report.Findings {
		if f.Code != "F920" || f.Status != 429 {
			t.Errorf("found %v", sums(o.report.Findings))
		}
	}
	for _, op := range o.report.Operations {
		if n := len(o.found(op.ID)); n > 1 {
			t.Errorf("%s has %d findings", op.ID, n)
		}
	}
	arrived := s.arrived()
	total := until(arrived, stormAt.Add(3*time.Second)) - until(arrived, stormAt)
	first := until(arrived, stormAt.Add(time.Second)) - until(arrived, stormAt)
	last := until(arrived, stormAt.Add(3*time.Second)) - until(arrived, stormAt.Add(2*time.Second))
	if total > 60 || last >= first || total < 5 {
		t.Errorf("%d requests arrived in the storm, %d in its first third and %d in its last", total, first, last)
	}
	refused := o.report.Totals.Refused
	if want := fmt.Sprintf("%d of the %d replies asked to wait", refused, o.report.Totals.Answered); o.report.Verdict.Word == "noErrorsFound" ||
		!strings.Contains(o.report.Verdict.Sentence, want) || !strings.Contains(o.stdout, want) {
		t.Errorf("the verdict is %+v\n%s", o.report.Verdict, o.stdout)
	}
}

func TestCase36WhoAnsweredNothingButRefusals(t *testing.T) {
	t.Parallel()
	s := serve(t, func(a *arrival) reply {
		if a.path() == "/o4" || a.path() == "/o5" {
			return say(429, "", "")
		}
		return say(200, "", "")
	})
	o := test(t, caseFile(t, "36-storm-of-429/document.yaml"), append([]string{"--url", s.url, "--budget", "1s"}, stormy...)...)
	if v := o.report.Verdict; v.Word == "noErrorsFound" || !strings.Contains(v.Sentence, "this is no pass") ||
		!strings.Contains(v.Sentence, "2 operations answered nothing but refusals (o4, GET /o5)") || !strings.Contains(o.stdout, v.Sentence) {
		t.Errorf("the verdict is %+v\n%s", v, o.stdout)
	}
}

func TestCase36WhereNothingEverSucceeded(t *testing.T) {
	t.Parallel()
	s := serve(t, func(*arrival) reply { return say(400, "", "") })
	o := test(t, caseFile(t, "36-storm-of-429/document.yaml"), "--url", s.url, "--budget", "300ms", "--set", brisk)
	if v := o.report.Verdict; v.Word == "noErrorsFound" || !strings.Contains(v.Sentence, "this is no pass: no operation ever answered with success") ||
		!strings.Contains(o.stdout, v.Sentence) {
		t.Errorf("the verdict is %+v\n%s", v, o.stdout)
	}
}

func TestCase37ACookieOpensNoDoorForTheNext(t *testing.T) {
	t.Parallel()
	document := caseFile(t, "37-cookie-leak/document.yaml")
	s := serve(t, func(a *arrival) reply {
		switch {
		case a.target == "/login":
			return say(204, "", "", "Set-Cookie", "sid=s1; Path=/")
		case a.target == "/vault" && messages.Get(a.header, "Cookie") == "":
			return say(401, "", "")
		}
		return say(200, "", "")
	})
	for _, row := range []struct {
		name, sent, told string
		args             []string
	}{
		{name: "without a key"},
		{"with a key", "sid=k3y-of-the-vault", "sid=x0x-xx-xxx-xxxxx", []string{"--auth", "sid=k3y-of-the-vault"}},
	} {
		before := len(s.arrived())
		o := test(t, document, append([]string{"--url", s.url, "--budget", "300ms", "--set", brisk}, row.args...)...)
		logins := 0
		for _, a := range s.arrived()[before:] {
			if a.target == "/login" {
				logins++
			}
			var want []string
			if a.target == "/vault" && row.sent != "" {
				want = []string{row.sent}
			}
			if got := messages.Values(a.header, "Cookie"); !slices.Equal(got, want) {
				t.Errorf("%s: %s was sent the cookies %q, want %q", row.name, a.target, got, want)
			}
		}
		if logins < 5 {
			t.Errorf("%s: only %d logins", row.name, logins)
		}
		for _, e := range o.exchanges {
			want := ""
			if e.Request.Target == "/vault" {
				want = row.told
			}
			if got := field(e.Request.Header, "Cookie"); got != want || (want != "") != slices.Contains(e.Masked, "header.Cookie") {
				t.Errorf("%s: %s is told with the cookies %q, want %q (masked: %v)", row.name, e.Request.Target, got, want, e.Masked)
			}
		}
		if errors := o.report.Totals.Errors; errors > 0 || o.code == reporter.ExitErrors {
			t.Errorf("%s: found %v", row.name, sums(o.report.Findings))
		}
	}
}
