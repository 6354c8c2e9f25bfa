package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestSoulIsLeftAloneAsItAsks tests soul, which answers five requests a minute, whatever they are to, and then asks for
// quiet until the minute is over.
func TestSoulIsLeftAloneAsItAsks(t *testing.T) {
	t.Parallel()
	modules := os.Getenv("RESTEST_NODE_MODULES")
	if modules == "" {
		t.Skip("RESTEST_NODE_MODULES does not name a folder of packages with soul-cli in it")
	}
	soul := filepath.Join(modules, "soul-cli", "src")
	if _, err := os.Stat(filepath.Join(soul, "server.js")); err != nil {
		t.Skip("soul-cli is not installed: ", err)
	}
	node := installed(t, "node")
	folder, address := t.TempDir(), freePorts(t, 1)[0]
	_, port, _ := strings.Cut(address, ":")
	says := startServer(t, folder, []string{address}, node, filepath.Join(soul, "server.js"),
		"-d", filepath.Join(folder, "soul.sqlite"), "-p", port, "--rate-limit-enabled", "--verbose", "console")

	o := begin(t, filepath.Join(soul, "swagger", "swagger.json"), "http://"+address, 20*time.Second).end(t)
	r := o.report
	if r.Totals.Requests-r.Totals.Refused != 5 || r.Totals.Refused < 2 {
		t.Errorf("%d requests, %d of them refused; soul answers five", r.Totals.Requests, r.Totals.Refused)
	}
	if held := r.ToldToWait.WholeAPI; held.Times != 1 || held.Stated != 1 || r.End.Why != "heldToTheEnd" {
		t.Errorf("the whole API was held %+v, and the end was %+v", held, r.End)
	}
	for _, op := range r.ToldToWait.Operations {
		if op.Waits != 1 || op.Stated != 1 {
			t.Errorf("an operation was told to wait %+v", op)
		}
	}
	// What was under way when the second refusal came may still have arrived, at most a request a connection.
	content, err := os.ReadFile(says)
	if err != nil {
		t.Fatal(err)
	}
	arrived := len(regexp.MustCompile(`"message":"[A-Z]+ /`).FindAll(content, -1))
	if arrived != int(r.Engine.RequestsSent) || arrived > 5+2+4 {
		t.Errorf("%d requests arrived, and the report tells of %d", arrived, r.Engine.RequestsSent)
	}

	for _, f := range r.Findings {
		if f.Status == 429 && (f.Code != "F920" || f.Level != "warning") {
			t.Errorf("a refusal was taken for %s %s: %s", f.Level, f.Code, f.Title)
		}
	}
	if o.code != 5 || r.Verdict.Word != "refused" {
		t.Errorf("it ended with %d, %s", o.code, r.Verdict.Word)
	}
	for _, words := range []string{
		"sending stopped after 0.", "the API asked for quiet until after the run's time",
		"told to wait: the whole API 1 time (1 stated)", "never answered: ", "answered nothing but refusals (429, or 503 with Retry-After)",
		"so the run ended early",
	} {
		if !strings.Contains(o.stdout, words) {
			t.Errorf("the summary does not say %q:\n%s", words, o.stdout)
		}
	}
}
