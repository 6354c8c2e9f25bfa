package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock"
)

// site is one server of nginx in front of the demo's API.
type site struct {
	zone     string // what limit_req_zone is given: the key and the rate; none without it
	place    string // the location that is limited, "/" without it
	status   int    // of a refusal, 429 without it
	more     string // directives of the server
	url, log string // filled in by nginx
}

// nginx starts one nginx with the sites. It is one process, and logs each request as its answer is over.
func nginx(t *testing.T, outside string, sites ...*site) {
	t.Helper()
	program := installed(t, "nginx")
	folder := t.TempDir()
	addresses := freePorts(t, len(sites))
	var b strings.Builder
	fmt.Fprintf(&b, `daemon off; master_process off; pid %[1]s/nginx.pid; error_log %[1]s/error.log;
events { worker_connections 512; }
http {
  log_format judge escape=none '$msec $request_time $status $request_method $request_uri $sent_http_retry_after';
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
  proxy_http_version 1.1; proxy_set_header Connection "";
  upstream api { server %[2]s; keepalive 16; }
  %[3]s
`, folder, serveDemo(t), outside)
	for i, s := range sites {
		s.url, s.log = "http://"+addresses[i], filepath.Join(folder, fmt.Sprintf("%d.log", i))
		limit, place, status := "", s.place, s.status
		if place == "" {
			place = "/"
		}
		if status == 0 {
			status = http.StatusTooManyRequests
		}
		if s.zone != "" {
			key, rate, _ := strings.Cut(s.zone, " ")
			fmt.Fprintf(&b, "  limit_req_zone %s zone=z%d:1m rate=%s;\n", key, i, rate)
			limit = fmt.Sprintf("limit_req zone=z%d; limit_req_status %d; limit_req_log_level info;", i, status)
		}
		fmt.Fprintf(&b, "  server {\n    listen %s; server_name n%d; access_log %s judge;\n", addresses[i], i, s.log)
		if !strings.Contains(s.more, "location "+place+" ") {
			fmt.Fprintf(&b, "    location %s { %s proxy_pass http://api; }\n", place, limit)
		}
		if place != "/" {
			b.WriteString("    location / { proxy_pass http://api; }\n")
		}
		fmt.Fprintf(&b, "    %s\n  }\n", strings.ReplaceAll(s.more, "LIMIT", limit))
	}
	b.WriteString("}\n")
	config := filepath.Join(folder, "nginx.conf")
	if err := os.WriteFile(config, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	startServer(t, folder, addresses, program, "-p", folder, "-c", config, "-e", filepath.Join(folder, "error.log"))
}

// atRate are options that keep to so many requests a minute, and wait for no reply when the time is up.
func atRate(perMinute int) []string {
	return []string{"--set", fmt.Sprintf("engine.mostRequestsPerMinute=%d", perMinute), "--set", "schedule.stragglerGrace=500ms"}
}

// arrivedAll wants each request that was sent to be in the log, and no other, but for so many that came before the run.
func arrivedAll(t *testing.T, log []entry, o *outcome, before int64) {
	t.Helper()
	if n := int64(len(log)); n != o.report.Engine.RequestsSent+before {
		t.Errorf("%d requests arrived; the report tells of %d, and %d went before", n, o.report.Engine.RequestsSent, before)
	}
}

// TestNginxWithoutBurstAcceptsARunAtItsRate has nginx refuse whatever comes earlier than an interval after what it last
// accepted. A machine that is busy has nginx notice a request late, and take the next for early; as that only ever adds
// refusals, the best of three runs counts.
func TestNginxWithoutBurstAcceptsARunAtItsRate(t *testing.T) {
	for _, perMinute := range []int{600, 3000} {
		t.Run(fmt.Sprint(perMinute), func(t *testing.T) {
			least := int64(1 << 32)
			for run := 0; run < 3 && least > 2; run++ {
				least = min(least, refusedAtItsRate(t, perMinute, sitting(4*time.Second, 30*time.Second)))
			}
			if least > 2 {
				t.Errorf("nginx refused %d requests in the best of three runs", least)
			}
		})
	}
}

// refusedAtItsRate is how many requests nginx refused of a run at the rate that it allows.
func refusedAtItsRate(t *testing.T, perMinute int, budget time.Duration) int64 {
	t.Helper()
	s := &site{zone: fmt.Sprintf("$server_name %dr/m", perMinute)}
	nginx(t, "", s)
	o := begin(t, demoDocument(t), s.url, budget, atRate(perMinute)...).end(t)
	log := readLog(t, s.log, nginxLine)
	arrivedAll(t, log, o, 0)
	refused, e := refusals(log, 429), o.report.Engine
	t.Logf("%d requests, %d refused; the shortest gap between writes %s, in the log %s; %d of %d turns",
		len(log), refused, *e.ShortestGap, closest(log), *e.TurnsUsed, *e.TurnsDue)
	if o.report.Totals.Refused != refused {
		t.Errorf("the report tells of %d refusals, the log of %d", o.report.Totals.Refused, refused)
	}
	interval := time.Minute / time.Duration(perMinute)
	if gap := isoDuration(t, *e.ShortestGap); gap < interval || isoDuration(t, *e.PromisedInterval) != interval {
		t.Errorf("two requests were %s apart, and %s was promised", gap, *e.PromisedInterval)
	}
	// A third leaves room for the opening lap, which waits for answers.
	if least := int64(budget/interval) / 3; *e.TurnsUsed < least {
		t.Errorf("only %d turns were used", *e.TurnsUsed)
	}
	return refused
}

func TestNginxWithoutBurstRefusesAFasterRunAndIsObeyed(t *testing.T) {
	for limit, perMinute := range map[int]int{600: 900, 3000: 4500} {
		t.Run(fmt.Sprint(perMinute), func(t *testing.T) {
			t.Parallel()
			s := &site{zone: fmt.Sprintf("$server_name %dr/m", limit)}
			nginx(t, "", s)
			budget := sitting(5*time.Second, 30*time.Second)
			o := begin(t, demoDocument(t), s.url, budget, atRate(perMinute)...).end(t)
			log := readLog(t, s.log, nginxLine)
			arrivedAll(t, log, o, 0)
			refused := refusals(log, 429)
			t.Logf("%d requests, %d refused", len(log), refused)
			if refused < int64(budget.Seconds()) || o.report.Totals.Refused != refused {
				t.Errorf("nginx refused %d requests; the report tells of %d", refused, o.report.Totals.Refused)
			}
			stopped := o.stoppedAt(t)
			w := imply(t, log, o, stopped, 429, notAtAll)
			w.compare(t, o, stopped)
			if w.api.times == 0 {
				t.Error("the whole API was never held")
			}
		})
	}
}

// slow is a refusal of nginx with a Retry-After.
func slow(status int, retryAfter string) string {
	return fmt.Sprintf(`error_page %[1]d = @slow; location @slow { add_header Retry-After "%[2]s" always; return %[1]d; }`, status, retryAfter)
}

// TestTheWaitsInTheReportAreThoseInTheLogOfNginx has one nginx limit each resource, the whole server, or one resource
// alone, and say how long to wait in each way there is.
func TestTheWaitsInTheReportAreThoseInTheLogOfNginx(t *testing.T) {
	budget := sitting(5*time.Second, 25*time.Second)
	clk := clock.NewSystem()
	// It comes in the middle of the run: before it a wait lasts until then, after it no time at all.
	middle := clk.Wall(clk.Now().Add(budget / 2)).UTC().Truncate(time.Second)
	const rfc850 = "Monday, 02-Jan-06 15:04:05 GMT"
	kinds := []struct {
		name   string
		status int
		more   string
		reads  func(entry) (stated bool, length time.Duration)
		asks   bool
	}{
		{"seconds", 429, slow(429, "2"), bySeconds, true},
		{"nothing said", 429, "", notAtAll, true},
		{"a date", 429, slow(429, middle.Format(http.TimeFormat)), byDate(http.TimeFormat), true},
		{"a date of RFC 850", 429, slow(429, middle.Format(rfc850)), byDate(rfc850), true},
		{"malformed", 429, slow(429, "soon"), notAtAll, true},
		{"503 with seconds", 503, slow(503, "2"), bySeconds, true},
		{"503 alone", 503, "", notAtAll, false},
		{"503, malformed", 503, slow(503, "soon"), notAtAll, false},
	}
	zones := []struct{ name, zone, place string }{
		{"each resource", "$uri 30r/m", ""},
		{"the whole server", "$server_name 240r/m", ""},
		{"one resource", "$uri 30r/m", "= /v1/opening-hours"},
	}
	var sites []*site
	for _, z := range zones {
		for _, k := range kinds {
			sites = append(sites, &site{zone: z.zone, place: z.place, status: k.status, more: k.more})
		}
	}
	nginx(t, "", sites...)
	document := demoDocument(t, quick...)
	runs := make([]*running, len(sites))
	for i, s := range sites {
		runs[i] = begin(t, document, s.url, budget, atRate(360)...)
	}
	for i, s := range sites {
		o := runs[i].end(t)
		kind := kinds[i%len(kinds)]
		t.Run(zones[i/len(kinds)].name+", "+kind.name, func(t *testing.T) {
			log := readLog(t, s.log, nginxLine)
			arrivedAll(t, log, o, 0)
			stopped := o.stoppedAt(t)
			w := imply(t, log, o, stopped, s.status, kind.reads)
			w.compare(t, o, stopped)
			var times int
			for _, p := range w.operations {
				times += p.times
			}
			alone := s.place != "" // an operation is asked seldom, and in a few seconds maybe not often enough
			switch refused := refusals(log, s.status); {
			case refused == 0 && alone && !thorough():
			case refused == 0:
				t.Error("nothing was refused")
			case kind.asks != (times > 0):
				t.Errorf("%d waits of %d refusals", times, refused)
			case s.status == 503 && !o.hasFault("F121", 503):
				t.Error("a 503 is a fault, and none was found")
			}
			if alone && w.api.times > 0 {
				t.Error("the whole API was held for one operation")
			}
		})
	}
}

// hasFault says whether there is a finding of that code and status.
func (o *outcome) hasFault(code string, status int) bool {
	for _, f := range o.report.Findings {
		if f.Code == code && f.Status == status {
			return true
		}
	}
	return false
}
