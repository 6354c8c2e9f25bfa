package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// inTurns wants each request in the log to have had its turn. What goes out without one arrives at once. A busy machine
// has a server notice a request late, and the next in less than an interval: now and then, and never more requests than
// there were turns. Late is how late the machine itself was.
func inTurns(t *testing.T, log []entry, perMinute int, late time.Duration) {
	t.Helper()
	var complaints []string
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	interval := time.Minute / time.Duration(perMinute)
	var near int
	gaps := gapsOf(log)
	for _, gap := range gaps {
		if gap < interval/2 {
			near++
		}
	}
	t.Logf("%d requests, the shortest gap %s of %s", len(log), slices.Min(gaps), interval)
	if near > len(gaps)/20 {
		complain("%d of %d gaps are less than half of %s", near, len(gaps), interval)
	}
	first, last := log[0].arrived, log[0].arrived
	for _, e := range log {
		if e.arrived.Before(first) {
			first = e.arrived
		}
		if e.arrived.After(last) {
			last = e.arrived
		}
	}
	if turns := int((last.Sub(first)+interval/2)/interval) + 1; len(log) > turns {
		complain("%d requests arrived in the time of %d turns", len(log), turns)
	}
	judge(t, complaints, late)
}

// TestRedirectsAndTheDocumentTakeTurns reads a document, in two files, over a redirect from the server that is then
// tested, which sends each request on once more. nginx refuses what comes two thirds of an interval after another.
func TestRedirectsAndTheDocumentTakeTurns(t *testing.T) {
	const perMinute = 600
	t.Parallel()
	folder := t.TempDir()
	if err := os.Rename(demoDocument(t, quick...), filepath.Join(folder, "whole.json")); err != nil {
		t.Fatal(err)
	}
	const root = `{"openapi": "3.0.3", "info": {"title": "In parts", "version": "1"}, "servers": [{"url": "/v1"}], "paths": {
  "/opening-hours": {"$ref": "whole.json#/paths/~1opening-hours"}, "/hours": {"$ref": "whole.json#/paths/~1hours"},
  "/books": {"$ref": "whole.json#/paths/~1books"}}}`
	if err := os.WriteFile(filepath.Join(folder, "root.json"), []byte(root), 0o600); err != nil {
		t.Fatal(err)
	}
	behind := freePorts(t, 1)[0]
	outside := fmt.Sprintf(`server { listen %s; access_log off;
    location = /documents/start { return 302 /documents/root.json; }
    location /documents/ { alias %s/; }
    location / { if ($arg_again = "") { return 307 $uri?again=1; } proxy_pass http://api; }
  }`, behind, folder)
	s := &site{zone: fmt.Sprintf("$server_name %dr/m", perMinute*3/2), behind: behind}
	nginx(t, outside, s)
	late := lateness()
	o := begin(t, s.url+"/documents/start", s.url, sitting(4*time.Second, 20*time.Second),
		append(atRate(perMinute), "--set", "engine.followRedirects=true")...).end(t)
	stalled := late()
	log := readLog(t, s.log, nginxLine)
	arrivedAll(t, log, o, 3)
	for i, target := range []string{"/documents/start", "/documents/root.json", "/documents/whole.json"} {
		if log[i].target != target {
			t.Errorf("request %d was for %s, not %s", i, log[i].target, target)
		}
	}
	if r := o.report.Totals; r.Redirects < 10 || r.ByClass.C2xx < 5 {
		t.Errorf("%d redirects were followed, to %d successes", r.Redirects, r.ByClass.C2xx)
	}
	inTurns(t, log, perMinute, stalled)
	if refused := refusals(log, 429); refused > 2 {
		judge(t, []string{fmt.Sprintf("nginx refused %d requests", refused)}, stalled)
	}
}

// TestNothingIsResentToAServerThatEndsItsConnections has nginx end connections: without a word instead of each third
// reply, after the sixth, and when they are idle for a moment.
func TestNothingIsResentToAServerThatEndsItsConnections(t *testing.T) {
	const perMinute = 600
	t.Parallel()
	s := &site{more: "if ($unlucky) { return 444; } keepalive_requests 6; keepalive_timeout 250ms;"}
	nginx(t, "map $connection_requests $unlucky { 3 1; default 0; }", s)
	late := lateness()
	o := begin(t, demoDocument(t, quick...), s.url, sitting(4*time.Second, 20*time.Second), atRate(perMinute)...).end(t)
	stalled := late()
	log := readLog(t, s.log, nginxLine)

	type asked struct{ method, target string }
	sent, arrived := map[asked]int{}, map[asked]int{}
	var silent int64
	for _, e := range o.exchanges {
		sent[asked{string(e.Request.Method), string(e.Request.Target)}]++
		if e.Outcome == "noReply" {
			silent++
		}
	}
	var dropped int64
	for _, e := range log {
		arrived[asked{e.method, e.target}]++
		if e.status == 444 {
			dropped++
		}
	}
	for a, n := range arrived {
		if n > sent[a] {
			t.Errorf("%s %s was sent %d times and arrived %d times", a.method, a.target, sent[a], n)
		}
	}
	// A request may have crossed the end of its connection: that one alone is sent and does not arrive.
	if missing := o.report.Engine.RequestsSent - int64(len(log)); missing < 0 || missing > silent-dropped {
		t.Errorf("%d requests were sent and %d arrived; %d drew no reply, of which nginx dropped %d",
			o.report.Engine.RequestsSent, len(log), silent, dropped)
	}
	if dropped < 2 {
		t.Errorf("nginx dropped %d requests", dropped)
	}
	for _, f := range o.report.Findings {
		if f.Status == 0 && strings.Contains(f.Title, "no reply") {
			t.Errorf("a connection that ended is a finding: %s %s", f.Code, f.Title)
		}
	}
	inTurns(t, log, perMinute, stalled)
}
