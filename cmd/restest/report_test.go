package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/stages/reporter"
)

// called runs the program and returns what it ended with and wrote to each stream.
func called(args ...string) (code int, out, said string) {
	var o, e bytes.Buffer
	code = run(append([]string{"restest"}, args...), []string{"LC_ALL=C.UTF-8"}, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

func content(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func reportIn(t testing.TB, folder string) *reporter.Report {
	t.Helper()
	var told reporter.Report
	if err := json.Unmarshal(content(t, folder, "report.json"), &told); err != nil {
		t.Fatal(err)
	}
	return &told
}

// files are all the files of a folder by their names, with slashes.
func files(t testing.TB, folder string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	root := os.DirFS(folder)
	names := []string{"report.json", reporter.RecordingName}
	for _, name := range append(names, formatFiles()...) {
		file, err := root.Open(name)
		if err != nil {
			continue
		}
		b, err := io.ReadAll(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		all[name] = b
	}
	return all
}

// Decision 0023: "The report made again is the run's own, to the byte."
func TestTheReportMadeAgainIsTheRunsOwn(t *testing.T) {
	out, again := testedInEveryFormat(t), t.TempDir()
	code, summary, said := called("report", out, "--out", again)
	if code != reporter.ExitClean || said != "" || !strings.Contains(summary, "exit code 1 (errors)") {
		t.Fatalf("it ended with %d and said %q:\n%s", code, said, summary)
	}
	want, got := files(t, out), files(t, again)
	delete(want, reporter.RecordingName)
	if len(want) < 7 || len(got) != len(want) {
		t.Errorf("%d files made again of %d", len(got), len(want))
	}
	for name := range want {
		if !bytes.Equal(got[name], want[name]) {
			t.Errorf("%s is another one", name)
		}
	}
}

// Decision 0023: "A run that was killed has a report, too."
func TestAKilledRunHasAReport(t *testing.T) {
	out, cut := testedInEveryFormat(t), t.TempDir()
	recording := content(t, out, reporter.RecordingName)
	if err := os.WriteFile(filepath.Join(cut, reporter.RecordingName), recording[:len(recording)*3/4], 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, said := called("report", cut, "--quiet"); code != reporter.ExitClean {
		t.Fatalf("it ended with %d: %s", code, said)
	}
	whole, told := reportIn(t, out), reportIn(t, cut)
	if !told.CutShort || told.End.Why != "killed" || told.Verdict.ExitCode != reporter.ExitTerminated {
		t.Errorf("cut short %t, ended by %q, verdict %+v", told.CutShort, told.End.Why, told.Verdict)
	}
	if n, all := told.Totals.Requests, whole.Totals.Requests; n == 0 || n >= all {
		t.Errorf("%d of %d requests", n, all)
	}
	if told.Engine.RequestsSent != told.Totals.Requests+told.Totals.Redirects || told.Engine.PeakConcurrency == 0 || told.Engine.ShortestGap == nil {
		t.Errorf("engine: %+v", told.Engine)
	}
	// The run may have found a smaller request later, and so another command.
	for _, f := range told.Findings {
		if !slices.ContainsFunc(whole.Findings, func(w reporter.FindingInFull) bool { return w.ID == f.ID && (w.Curl == "") == (f.Curl == "") }) {
			t.Errorf("finding %s is not the run's", f.ID)
		}
	}
	if len(told.Findings) == 0 {
		t.Error("no findings")
	}
	if _, err := os.Stat(filepath.Join(cut, "report.sarif")); err != nil {
		t.Error(err)
	}
}

// Judged by the same checks, the replies show the same.
func TestRepliesCanBeJudgedAgain(t *testing.T) {
	out, again := testedInEveryFormat(t), t.TempDir()
	if code, _, said := called("report", out, "--out", again, "--judge-again", "--quiet", "--formats", "markdown"); code != reporter.ExitClean {
		t.Fatalf("it ended with %d: %s", code, said)
	}
	if was, is := reportIn(t, out), reportIn(t, again); was.Totals != is.Totals || len(was.Findings) != len(is.Findings) {
		t.Errorf("totals %+v, were %+v", is.Totals, was.Totals)
	}
	if _, err := os.Stat(filepath.Join(again, "junit.xml")); err == nil {
		t.Error("junit.xml was not asked for")
	}
}

func TestReportsAndRecordingsAreComparedInAnyMix(t *testing.T) {
	out := testedInEveryFormat(t)
	other := t.TempDir()
	told := reportIn(t, out)
	// The other report lacks an error and an operation, and has a finding of its own.
	missing := told.Findings[0]
	changed := *told
	changed.Findings = slices.Clone(told.Findings[1:])
	own := told.Findings[1]
	own.ID = "0123456789ab"
	changed.Findings = append(changed.Findings, own)
	changed.Operations = slices.Clone(told.Operations)
	lost := slices.IndexFunc(changed.Operations, func(op reporter.OperationTold) bool { return op.ByClass.C2xx > 0 && op.ID != missing.Operation })
	changed.Operations[lost].ByClass.C2xx = 0
	var b bytes.Buffer
	if err := changed.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "report.json"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	recording := filepath.Join(out, reporter.RecordingName)

	if code, text, said := called("compare", out, recording); code != reporter.ExitClean || !strings.HasPrefix(text, "new: 0 findings\nfixed: 0 findings\n") {
		t.Errorf("a run and itself: %d\n%s%s", code, text, said)
	}
	code, text, said := called("compare", other, recording, "--json")
	var c reporter.Comparison
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err, text, said)
	}
	if code != reporter.ExitErrors || len(c.Findings.New) != 1 || c.Findings.New[0].ID != missing.ID || c.NewErrors() != 1 {
		t.Errorf("%d, new: %+v", code, c.Findings.New)
	}
	if len(c.Findings.Fixed) != 1 || c.Findings.Fixed[0].ID != own.ID || len(c.Findings.StillThere) != len(told.Findings)-1 {
		t.Errorf("fixed: %+v", c.Findings.Fixed)
	}
	if !slices.Equal(c.Operations.Gained, []string{changed.Operations[lost].ID}) || len(c.Operations.Lost) != 0 {
		t.Errorf("operations: %+v", c.Operations)
	}
	if c.Speed.RequestsPerSecond.A <= 0 || c.Speed.RequestsPerSecond.A != c.Speed.RequestsPerSecond.B {
		t.Errorf("speed: %+v", c.Speed)
	}
}

// What a sign-in gave is in the recording no more than in the report, and how it went is.
func TestTheReportOfARunThatSignsInIsMadeAgain(t *testing.T) {
	t.Parallel()
	g, document := guard(t, func(g *guarded) { g.tells, g.lasts = true, time.Second })
	was := test(t, document, "--url", g.url, "--budget", "2500ms", "--auth-file", write(t, "auth.yaml", tokenLogin))
	again := t.TempDir()
	if code, _, said := called("report", was.out, "--out", again); code != reporter.ExitClean {
		t.Fatalf("it ended with %d: %s", code, said)
	}
	want, got := content(t, was.out, "report.json"), content(t, again, "report.json")
	if !bytes.Equal(got, want) {
		t.Error("the report is another one")
	}
	if told := reportIn(t, again); len(told.Unauthorized.SignIns) != 1 || told.Unauthorized.SignIns[0].Obtained < 2 ||
		!slices.ContainsFunc(told.CurlVariables, func(v reporter.CurlVariable) bool { return strings.HasPrefix(v.Name, "RESTEST_TOKEN_") }) {
		t.Errorf("signed in: %+v, variables: %+v", told.Unauthorized.SignIns, told.CurlVariables)
	}
}
