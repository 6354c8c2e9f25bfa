package main

import (
	"slices"
	"testing"

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
