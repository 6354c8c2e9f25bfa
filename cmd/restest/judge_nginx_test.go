package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/restest/restest/clock"
)

// site is one server of nginx in front of the demo's API.
type site struct {
	zone     string // what limit_req_zone is given: the key and the rate; none without it
	place    string // the location that is limited, "/" without it
	status   int    // of a refusal, 429 without it
	behind   string // the server that it passes requests to, the demo's API without it
	more     string // directives of the server
	url, log string // filled in by nginx
}

// nginx starts one nginx with the sites, and with what else its http block is to hold. It is one process, and logs each
// request as its answer is over.
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
  keepalive_requests 100000; proxy_http_version 1.1; proxy_set_header Connection "";
  upstream api { server %[2]s; keepalive 16; }
  %[3]s
`, folder, serveDemo(t), outside)
	for i, s := range sites {
		s.url, s.log = "http://"+addresses[i], filepath.Join(folder, fmt.Sprintf("%d.log", i))
		limit, place := "", cmp.Or(s.place, "/")
		if s.zone != "" {
			key, rate, _ := strings.Cut(s.zone, " ")
			fmt.Fprintf(&b, "  limit_req_zone %s zone=z%d:1m rate=%s;\n", key, i, rate)
			limit = fmt.Sprintf("limit_req zone=z%d; limit_req_status %d; limit_req_log_level info;", i, cmp.Or(s.status, 429))
		}
		fmt.Fprintf(&b, "  server {\n    listen %s; server_name n%d; access_log %s judge;\n", addresses[i], i, s.log)
		pass := "proxy_pass http://" + cmp.Or(s.behind, "api") + ";"
		fmt.Fprintf(&b, "    location %s { %s %s }\n", place, limit, pass)
		if place != "/" {
			fmt.Fprintf(&b, "    location / { %s }\n", pass)
		}
		fmt.Fprintf(&b, "    %s\n  }\n", s.more)
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
// accepted: of a run that gets the processor when it needs it, at most two. A busy machine has nginx notice a request late,
// and take the next for early. So program, API and nginx go before other processes where the system lets them, and a control
// shows how often it happens all the same, a plain metronome before the same nginx. Since chance has a part in it, and the
// control is in the way itself, the first run is alone, and the best of it and of three more counts.
func TestNginxWithoutBurstAcceptsARunAtItsRate(t *testing.T) {
	if testing.Short() {
		t.Skip("a program that is slowed down for other reasons keeps nobody's time")
	}
	installed(t, "nginx")
	if goesAhead(t) {
		return
	}
	for _, perMinute := range []int{600, 3000} {
		t.Run(fmt.Sprint(perMinute), func(t *testing.T) {
			for i := range 4 {
				refused, noise := refusedAtItsRate(t, perMinute, sitting(4*time.Second, 30*time.Second), i > 0)
				if refused <= 2+2*noise {
					return
				}
			}
			t.Error("nginx refused too many requests in each of four runs")
		})
	}
}

// isAhead is set for a test that goes before other processes.
const isAhead = "RESTEST_AHEAD"

// goesAhead runs the test once more, so that it and all that it starts get the processor first, and says whether it did. The
// rest still gets its share: with real-time priority, programs that yield until a moment comes can wait for one another
// without end, and leave the machine a twentieth of its time.
func goesAhead(t *testing.T) bool {
	t.Helper()
	nice, err := exec.LookPath("nice")
	if os.Getenv(isAhead) != "" || err != nil {
		return false
	}
	// It warns, and goes on, where the system does not let it.
	if says, err := exec.Command(nice, "-n", "-20", nice).Output(); err != nil || strings.TrimSpace(string(says)) != "-20" {
		return false
	}
	again := exec.Command(nice, "-n", "-20", os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v", "-test.count", "1")
	again.Env = append(os.Environ(), isAhead+"=1")
	out, err := again.CombinedOutput()
	t.Logf("before other processes: %v\n%s", err, out)
	if err != nil {
		t.Fail()
	}
	return true
}

// refusedAtItsRate is how many requests nginx refused of a run at the rate that it allows, and how many it would have
// refused of the control in as many.
func refusedAtItsRate(t *testing.T, perMinute int, budget time.Duration, controlled bool) (refused, noise int64) {
	t.Helper()
	zone := fmt.Sprintf("$server_name %dr/m", perMinute)
	s, c := &site{zone: zone}, &site{zone: zone}
	nginx(t, "", s, c)
	interval := time.Minute / time.Duration(perMinute)
	stop := func() {}
	if controlled {
		stop = metronome(t, c.url, interval)
	}
	o := begin(t, demoDocument(t), s.url, budget, atRate(perMinute)...).end(t)
	stop()
	log := readLog(t, s.log, nginxLine)
	arrivedAll(t, log, o, 0)
	refused = refusals(log, 429)
	if controlled {
		beats := readLog(t, c.log, nginxLine)
		noise = refusals(beats, 429) * int64(len(log)) / int64(len(beats))
	}
	e := o.report.Engine
	t.Logf("%d requests, %d refused (of as many of the control %d); the shortest gap between writes %s, in the log %s; %d of %d turns",
		len(log), refused, noise, *e.ShortestGap, slices.Min(gapsOf(log)), *e.TurnsUsed, *e.TurnsDue)
	if o.report.Totals.Refused != refused {
		t.Errorf("the report tells of %d refusals, the log of %d", o.report.Totals.Refused, refused)
	}
	if gap := isoDuration(t, *e.ShortestGap); gap < interval || isoDuration(t, *e.PromisedInterval) != interval {
		t.Errorf("two requests were %s apart, and %s was promised", gap, *e.PromisedInterval)
	}
	// A third leaves room for the opening lap, which waits for answers. A refusal may hold the whole API.
	if least := int64(budget/interval) / 3; refused == 0 && *e.TurnsUsed < least {
		t.Errorf("only %d turns were used", *e.TurnsUsed)
	}
	return refused, noise
}

// metronome sends a request each interval, over one connection, until it is stopped.
func metronome(t *testing.T, url string, interval time.Duration) (stop func()) {
	t.Helper()
	address := strings.TrimPrefix(url, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	var stopped atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		defer conn.Close()
		clk, in := clock.NewSystem(), bufio.NewReader(conn)
		for next := clk.Now(); clock.Until(clk, next, &stopped); {
			if _, err := io.WriteString(conn, "GET /v1/opening-hours HTTP/1.1\r\nHost: "+address+"\r\n\r\n"); err != nil {
				t.Error(err)
				return
			}
			next = clk.Now().Add(interval)
			reply, err := http.ReadResponse(in, nil)
			if err == nil {
				_, err = io.Copy(io.Discard, reply.Body)
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	})
	stop = func() { stopped.Store(true); group.Wait() }
	t.Cleanup(stop)
	return stop
}

func TestNginxWithoutBurstRefusesAFasterRunAndIsObeyed(t *testing.T) {
	for limit, perMinute := range map[int]int{600: 900, 3000: 4500} {
		t.Run(fmt.Sprint(perMinute), func(t *testing.T) {
			t.Parallel()
			s := &site{zone: fmt.Sprintf("$server_name %dr/m", limit)}
			nginx(t, "", s)
			budget := sitting(5*time.Second, 30*time.Second)
			late := lateness()
			o := begin(t, demoDocument(t), s.url, budget, atRate(perMinute)...).end(t)
			stalled := late()
			log := readLog(t, s.log, nginxLine)
			arrivedAll(t, log, o, 0)
			refused := refusals(log, 429)
			t.Logf("%d requests, %d refused", len(log), refused)
			if refused < int64(budget.Seconds()) || o.report.Totals.Refused != refused {
				t.Errorf("nginx refused %d requests; the report tells of %d", refused, o.report.Totals.Refused)
			}
			stopped := o.stoppedAt(t)
			w := imply(t, log, o, stopped, 429, notAtAll)
			w.compare(t, o, stopped, stalled)
			if w.api.times == 0 {
				t.Error("the whole API was never held")
			}
		})
	}
}

func TestAJudgeNoticesARunThatDoesNotWait(t *testing.T) {
	t.Parallel()
	s := &site{zone: "$server_name 300r/m"}
	nginx(t, "", s)
	o := begin(t, demoDocument(t, quick...), s.url, 2*time.Second, append(atRate(600), "--set", "schedule.waitWhenToldTo=false")...).end(t)
	log := readLog(t, s.log, nginxLine)
	if w := imply(t, log, o, o.stoppedAt(t), 429, notAtAll); len(w.disturbed) < 5 {
		t.Errorf("of %d refusals in %d requests the log implies %d disturbed waits", refusals(log, 429), len(log), len(w.disturbed))
	}
}

// slow is a refusal of nginx with a Retry-After.
func slow(status int, retryAfter string) string {
	return fmt.Sprintf(`error_page %[1]d = @slow; location @slow { add_header Retry-After "%[2]s" always; return %[1]d; }`, status, retryAfter)
}

// TestTheWaitsInTheReportAreThoseInTheLogOfNginx has one nginx limit each resource, the whole server, or one resource
// alone, and say how long to wait in each way there is.
func TestTheWaitsInTheReportAreThoseInTheLogOfNginx(t *testing.T) {
	t.Parallel()
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
		{"one resource", "$uri 6r/m", "= /v1/opening-hours"},
	}
	var sites []*site
	for _, z := range zones {
		for _, k := range kinds {
			sites = append(sites, &site{zone: z.zone, place: z.place, status: k.status, more: k.more})
		}
	}
	nginx(t, "", sites...)
	document := demoDocument(t, quick...)
	late, runs, outcomes := lateness(), make([]*running, len(sites)), make([]*outcome, len(sites))
	for i, s := range sites {
		runs[i] = begin(t, document, s.url, budget, atRate(360)...)
	}
	for i, r := range runs {
		outcomes[i] = r.end(t)
	}
	stalled := late()
	for i, s := range sites {
		o := outcomes[i]
		kind := kinds[i%len(kinds)]
		t.Run(zones[i/len(kinds)].name+", "+kind.name, func(t *testing.T) {
			log := readLog(t, s.log, nginxLine)
			arrivedAll(t, log, o, 0)
			stopped := o.stoppedAt(t)
			w := imply(t, log, o, stopped, s.status, kind.reads)
			w.compare(t, o, stopped, stalled)
			var times int
			for _, p := range w.operations {
				times += p.times
			}
			switch refused := refusals(log, s.status); {
			case refused == 0:
				t.Error("nothing was refused")
			case kind.asks != (times > 0):
				t.Errorf("%d waits of %d refusals", times, refused)
			case s.status == 503 && !o.hasFault("F121", 503):
				t.Error("a 503 is a fault, and none was found")
			}
			if s.place != "" && w.api.times > 0 {
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
