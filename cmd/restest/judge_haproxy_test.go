package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestHAProxyIsObeyed has HAProxy count requests in a stick table, those of a client or of a resource, and refuse what
// is too many in a second: at once, or after a tarpit.
func TestHAProxyIsObeyed(t *testing.T) {
	t.Parallel()
	program := installed(t, "haproxy")
	kinds := []struct {
		name, table, track, refuse string
		waits                      func(entry) (bool, time.Duration)
		whole                      bool // the whole API is to be held
	}{
		{
			"a client, nothing said", "type ip", "src",
			"http-request deny deny_status 429 if { sc_http_req_rate(0) gt 3 }", notAtAll, true,
		},
		{
			"a client, with seconds", "type ip", "src",
			"http-request return status 429 hdr Retry-After 2 if { sc_http_req_rate(0) gt 3 }", bySeconds, true,
		},
		{
			"a resource, with seconds", "type string len 128", "path",
			"http-request return status 429 hdr Retry-After 1 if { sc_http_req_rate(0) gt 1 } { path /v1/opening-hours }", bySeconds, false,
		},
		{
			"a client, after a tarpit", "type ip", "src",
			"http-request tarpit deny_status 429 if { sc_http_req_rate(0) gt 3 }", notAtAll, true,
		},
	}
	folder, addresses := t.TempDir(), freePorts(t, len(kinds))
	var b strings.Builder
	b.WriteString(`global
  log stdout format raw local0
defaults
  mode http
  log global
  option dontlognull
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tarpit 500ms
`)
	for i, k := range kinds {
		fmt.Fprintf(&b, `frontend f%[1]d
  bind %[2]s
  log-format "%[1]d:%%tr %%Ta %%ST %%HM %%HU %%[var(txn.after)]"
  stick-table %[3]s size 1k expire 1m store http_req_rate(1s)
  http-request track-sc0 %[4]s
  %[5]s
  http-after-response set-var(txn.after) res.hdr(retry-after)
  default_backend api
`, i, addresses[i], k.table, k.track, k.refuse)
	}
	fmt.Fprintf(&b, "backend api\n  server api %s\n", serveDemo(t))
	config := filepath.Join(folder, "haproxy.cfg")
	if err := os.WriteFile(config, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	says := startServer(t, folder, addresses, program, "-db", "-f", config)

	budget := sitting(5*time.Second, 25*time.Second)
	late, runs, outcomes := lateness(), make([]*running, len(kinds)), make([]*outcome, len(kinds))
	for i, address := range addresses {
		document := demoDocument(t, quick...)
		if !kinds[i].whole {
			document = demoDocument(t, "/opening-hours", "/hours") // which are asked often enough
		}
		runs[i] = begin(t, document, "http://"+address, budget, atRate(360)...)
	}
	for i, r := range runs {
		outcomes[i] = r.end(t)
	}
	stalled := late()
	for i, k := range kinds {
		o := outcomes[i]
		t.Run(k.name, func(t *testing.T) {
			log := readLog(t, says, func(fields []string) (entry, bool) {
				var mine bool
				fields[0], mine = strings.CutPrefix(fields[0], strconv.Itoa(i)+":")
				if !mine {
					return entry{}, false
				}
				return haproxyLine(fields)
			})
			arrivedAll(t, log, o, 0)
			stopped := o.stoppedAt(t)
			w := imply(t, log, o, stopped, 429, k.waits)
			w.compare(t, o, stopped, stalled)
			if refused := refusals(log, 429); refused == 0 || refused != o.report.Totals.Refused {
				t.Errorf("HAProxy refused %d requests; the report tells of %d", refused, o.report.Totals.Refused)
			}
			if k.whole != (w.api.times > 0) {
				t.Errorf("the whole API was held %d times", w.api.times)
			}
		})
	}
}
