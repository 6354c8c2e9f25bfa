package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock"
)

// TestSoulIsLeftAloneAsItAsks tests soul, which answers five requests a minute, whatever they are to, and then asks for
// quiet until the minute is over. It also says beforehand that nothing is left: a run that heeds that may hold the API
// before it is refused.
func TestSoulIsLeftAloneAsItAsks(t *testing.T) {
	t.Parallel()
	t.Run("told", func(t *testing.T) { soulIsLeftAlone(t, false) })
	t.Run("told or foreseen", func(t *testing.T) { soulIsLeftAlone(t, true) })
}

func soulIsLeftAlone(t *testing.T, foresees bool) {
	t.Helper()
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

	o := begin(t, filepath.Join(soul, "swagger", "swagger.json"), "http://"+address, 20*time.Second,
		"--set", fmt.Sprintf("schedule.stayInsideQuota=%v", foresees)).end(t)
	r := o.report
	if r.Totals.Requests-r.Totals.Refused != 5 || !foresees && r.Totals.Refused < 2 {
		t.Errorf("%d requests, %d of them refused; soul answers five", r.Totals.Requests, r.Totals.Refused)
	}
	held, before := r.ToldToWait.WholeAPI, 0
	if foresees {
		before = r.Foreseen.WholeAPI.Times
	}
	if held.Times != held.Stated || held.Times+before < 1 || held.Times+before > 2 || !foresees && held.Times != 1 || r.End.Why != "heldToTheEnd" {
		t.Errorf("the whole API was held %+v, and %d times before it had asked, and the end was %+v", held, before, r.End)
	}
	for _, op := range r.ToldToWait.Operations {
		if op.Waits != 1 || op.Stated != 1 {
			t.Errorf("an operation was told to wait %+v", op)
		}
	}
	// What was under way when the second refusal came may still have arrived, at most a request a connection.
	// Its log is written a little after its answers.
	clk, arrived := clock.NewSystem(), 0
	for range 100 {
		content, err := os.ReadFile(says)
		if err != nil {
			t.Fatal(err)
		}
		if arrived = len(regexp.MustCompile(`"message":"[A-Z]+ /`).FindAll(content, -1)); arrived >= int(r.Engine.RequestsSent) {
			break
		}
		clock.Until(clk, clk.Now().Add(20*time.Millisecond), nil)
	}
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
	why := "told to wait: the whole API 1 time (1 stated)"
	if held.Times == 0 {
		why = "nothing was left, so not asked: the whole API 1 time"
	}
	for _, words := range []string{
		"sending stopped after 0.", "the API asked for quiet until after the run's time", why, "never answered: ", "answered nothing but refusals (429, or 503 with Retry-After)",
		"so the run ended early",
	} {
		if !strings.Contains(o.stdout, words) {
			t.Errorf("the summary does not say %q:\n%s", words, o.stdout)
		}
	}
}
