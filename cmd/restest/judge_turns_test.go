package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// inTurns wants each request in the log to have had its turn. A quarter of the interval is left for what the way and a
// busy machine take from a gap; what goes out without a turn arrives at once.
func inTurns(t *testing.T, log []entry, perMinute int) {
	t.Helper()
	interval := time.Minute / time.Duration(perMinute)
	if gap := closest(log); gap < interval*3/4 {
		t.Errorf("two requests arrived %s apart, and %s was promised", gap, interval)
	} else {
		t.Logf("%d requests, the shortest gap %s", len(log), gap)
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
	if turns := int((last.Sub(first)+interval/4)/interval) + 1; len(log) > turns {
		t.Errorf("%d requests arrived in the time of %d turns", len(log), turns)
	}
}

// TestRedirectsAndTheDocumentTakeTurns reads a document, in two files, over a redirect from the server that is then
// tested, which sends each request on once more. nginx allows what is promised, without burst.
func TestRedirectsAndTheDocumentTakeTurns(t *testing.T) {
	const perMinute = 600
	folder := t.TempDir()
	if err := os.Rename(demoDocument(t, quick...), filepath.Join(folder, "whole.json")); err != nil {
		t.Fatal(err)
	}
	root := fmt.Sprintf(`{"openapi": "3.0.3", "info": {"title": "In parts", "version": "1"}, "servers": [{"url": "/v1"}], "paths": {
  "/opening-hours": {"$ref": "whole.json#/paths/~1opening-hours"}, "/hours": {"$ref": "whole.json#/paths/~1hours"},
  "/books": {"$ref": "whole.json#/paths/~1books"}}}`)
	if err := os.WriteFile(filepath.Join(folder, "root.json"), []byte(root), 0o600); err != nil {
		t.Fatal(err)
	}
	behind := freePorts(t, 1)[0]
	outside := fmt.Sprintf(`server { listen %s; access_log off;
    location = /start { return 302 /documents/root.json; }
    location /documents/ { alias %s/; }
    location / { if ($arg_again = "") { return 307 $uri?again=1; } proxy_pass http://api; }
  }`, behind, folder)
	s := &site{
		zone: fmt.Sprintf("$server_name %dr/m", perMinute),
		more: fmt.Sprintf("location / { LIMIT proxy_pass http://%s; }", behind),
	}
	nginx(t, outside, s)
	o := begin(t, s.url+"/start", s.url, sitting(4*time.Second, 20*time.Second),
		append(atRate(perMinute), "--set", "engine.followRedirects=true")...).end(t)
	log := readLog(t, s.log, nginxLine)
	arrivedAll(t, log, o, 3)
	inTurns(t, log, perMinute)
	for i, target := range []string{"/start", "/documents/root.json", "/documents/whole.json"} {
		if log[i].target != target {
			t.Errorf("request %d was for %s, not %s", i, log[i].target, target)
		}
	}
	if r := o.report.Totals; r.Redirects < 10 || r.ByClass.C2xx < 5 {
		t.Errorf("%d redirects were followed, to %d successes", r.Redirects, r.ByClass.C2xx)
	}
	// What a busy machine makes of a gap may have nginx refuse a request.
	if refused := refusals(log, 429); refused > 2 {
		t.Errorf("nginx refused %d requests", refused)
	}
}

// TestNothingIsResentToAServerThatEndsItsConnections has nginx end connections: without a word instead of each third
// reply, after the sixth, and when they are idle for a moment.
func TestNothingIsResentToAServerThatEndsItsConnections(t *testing.T) {
	const perMinute = 1200
	s := &site{more: "if ($unlucky) { return 444; } keepalive_requests 6; keepalive_timeout 120ms;"}
	nginx(t, "map $connection_requests $unlucky { 3 1; default 0; }", s)
	o := begin(t, demoDocument(t, quick...), s.url, sitting(4*time.Second, 20*time.Second), atRate(perMinute)...).end(t)
	log := readLog(t, s.log, nginxLine)
	inTurns(t, log, perMinute)

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
	if dropped < 3 {
		t.Errorf("nginx dropped %d requests", dropped)
	}
	for _, f := range o.report.Findings {
		if f.Status == 0 && strings.Contains(f.Title, "no reply") {
			t.Errorf("a connection that ended is a finding: %s %s", f.Code, f.Title)
		}
	}
}
