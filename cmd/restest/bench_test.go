package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// built builds the program, once a benchmark.
func built(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "restest")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return path
}

// served has the program serve the demo's API, without its limits, in a process of its own.
func served(b *testing.B, program string) (origin string) {
	b.Helper()
	cmd := exec.Command(program, "demo", "--serve", "127.0.0.1:0", "--without-limits")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSuffix(regexp.MustCompile(`http://[0-9.:]+`).FindString(line), ",")
}

// run runs the program against the API and returns the engine part of its report.
func runProgram(b *testing.B, program string, args ...string) map[string]any {
	b.Helper()
	out := b.TempDir()
	cmd := exec.Command(program, append([]string{"run", "--quiet", "--out", out}, args...)...)
	if text, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() > 1 {
		b.Fatalf("%v: %s", err, text)
	}
	content, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		b.Fatal(err)
	}
	var report struct{ Engine map[string]any }
	if err := json.Unmarshal(content, &report); err != nil {
		b.Fatal(err)
	}
	return report.Engine
}

// BenchmarkAgainstWrk compares the requests a second with those of wrk, with 16 connections, from the same server in
// the same run. The figure to reach is half of wrk's.
func BenchmarkAgainstWrk(b *testing.B) {
	if _, err := exec.LookPath("wrk"); err != nil {
		b.Skip("wrk is not installed")
	}
	program := built(b)
	origin := served(b, program)
	doc := filepath.Join(b.TempDir(), "small.json")
	text := `{"openapi":"3.0.3","info":{"title":"Small","version":"1"},"paths":{"/v1/opening-hours":{"get":{"responses":{"200":{"description":"ok"}}}}}}`
	if err := os.WriteFile(doc, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	var wrk, own float64
	for b.Loop() {
		out, err := exec.Command("wrk", "-c16", "-t2", "-d5s", origin+"/v1/opening-hours").CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		perSecond := regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`).FindSubmatch(out)
		wrk, _ = strconv.ParseFloat(string(perSecond[1]), 64)
		engine := runProgram(b, program, doc, "--url", origin, "--budget", "5s", "--set", "report.recording=false",
			"--set", "engine.initialConcurrency=16")
		own = engine["requestsSent"].(float64) / 5
	}
	b.ReportMetric(wrk, "wrk_requests/s")
	b.ReportMetric(own, "restest_requests/s")
	b.ReportMetric(own/wrk, "ratio")
}

// BenchmarkTheRateKept tells, at each rate, the shortest gap between two writes against the promised one, and how many
// of the turns were used.
func BenchmarkTheRateKept(b *testing.B) {
	program := built(b)
	origin := served(b, program)
	for _, perMinute := range []int{300, 600, 3000, 60_000} {
		b.Run(fmt.Sprint(perMinute), func(b *testing.B) {
			var engine map[string]any
			for b.Loop() {
				engine = runProgram(b, program, origin+"/openapi.json", "--url", origin, "--budget", "20s",
					"--set", fmt.Sprintf("engine.mostRequestsPerMinute=%d", perMinute))
			}
			gap, err := time.ParseDuration(strings.ToLower(strings.TrimPrefix(engine["shortestGap"].(string), "PT")))
			if err != nil {
				b.Fatal(err)
			}
			interval := time.Minute / time.Duration(perMinute)
			b.ReportMetric(float64(gap)/float64(interval), "shortest_gap/interval")
			b.ReportMetric(100*engine["turnsUsed"].(float64)/engine["turnsDue"].(float64), "%_of_turns")
		})
	}
}
