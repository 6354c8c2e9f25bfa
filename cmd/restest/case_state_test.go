package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/reporter"
)

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
		o := s.test(t, 5, append([]string{document, "--url", s.url}, row.args...)...)
		logins := 0
		for _, a := range s.arrived() {
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

// things is the server of case 39, which behaves in one of its ways.
func things(t *testing.T, way string) *standIn {
	var mu sync.Mutex
	made, count := map[string]clock.Instant{}, 0
	return serve(t, func(a *arrival) reply {
		mu.Lock()
		defer mu.Unlock()
		id := strings.TrimPrefix(a.path(), "/things/")
		since, there := made[id]
		if view := a.pairs(t, "view"); way == "C" && len(view) > 0 && view[0] != "short" && view[0] != "long" {
			return say(400, "", "")
		}
		switch {
		case a.method == "POST":
			count++
			id = fmt.Sprintf("t%d", count)
			if way != "F" {
				made[id] = a.at
			}
			return sayJSON(201, fmt.Sprintf(`{"id":%q}`, id))
		case !there, way == "E" && a.at < since.Add(300*time.Millisecond):
			return say(404, "", "")
		case a.method == "GET":
			return say(200, "", "")
		case way == "D":
			return say(409, "", "")
		case way != "B":
			delete(made, id)
		}
		return say(204, "", "")
	})
}

func TestCase39GoneMeansGone(t *testing.T) {
	t.Parallel()
	for way, want := range map[string]string{"A": "", "B": "F113 200", "C": "", "D": "", "F": "F122 404"} {
		s := things(t, way)
		o := s.test(t, 100, caseFile(t, "39-delete-then-get/document.yaml"), "--url", s.url, "--plan", "testdata/series.yaml")
		if got := strings.Join(sums(o.report.Findings), ", "); got != want {
			t.Errorf("server %s shows %q, want %q", way, got, want)
		}
	}
	s := things(t, "E")
	o := s.test(t, 100, caseFile(t, "39-delete-then-get/document.yaml"), "--url", s.url, "--plan", "testdata/series.yaml")
	for _, f := range o.report.Findings {
		if f.Code != "F122" {
			t.Errorf("server E shows %v", sums(o.report.Findings))
		}
	}
}
