package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
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
	"github.com/restest/restest/sim/demo"
)

// The judges are servers that somebody else wrote, in front of the demo's API. The program tests them as a process of
// its own, and their logs say whether it kept its promises. A judge that is not installed has its tests skipped.

// thorough says whether the judges sit for half a minute rather than for a few seconds.
func thorough() bool { return os.Getenv("RESTEST_LONG") == "1" && !testing.Short() }

// sitting is how long a run before a judge takes.
func sitting(short, long time.Duration) time.Duration {
	if thorough() {
		return long
	}
	return short
}

// installed is the path of a server's program.
func installed(t testing.TB, name string) string {
	t.Helper()
	for _, file := range []string{name, "/usr/sbin/" + name} {
		if path, err := exec.LookPath(file); err == nil {
			return path
		}
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// plainEnvironment is this process's environment without what would change a run.
func plainEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(entry), "=")
		return strings.HasPrefix(name, "RESTEST_") || strings.HasSuffix(name, "_PROXY")
	})
}

// running is a run of the program that goes on.
type running struct {
	cmd            *exec.Cmd
	out            string
	stdout, stderr bytes.Buffer
}

// begin begins a run.
func begin(t *testing.T, document, url string, budget time.Duration, args ...string) *running {
	t.Helper()
	r := &running{out: t.TempDir()}
	r.cmd = exec.Command("restest", slices.Concat([]string{
		"run", document, "--url", url, "--budget", budget.String(), "--out", r.out,
	}, seeded, args)...)
	r.cmd.Env = append(plainEnvironment(), "GORACE=atexit_sleep_ms=0")
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	t.Cleanup(func() { once.Do(func() { _ = r.cmd.Process.Kill(); _ = r.cmd.Wait() }) })
	return r
}

// end waits for the run's end and reads what it has written.
func (r *running) end(t *testing.T) *outcome {
	t.Helper()
	_ = r.cmd.Wait()
	o := &outcome{code: r.cmd.ProcessState.ExitCode(), stdout: r.stdout.String(), stderr: r.stderr.String()}
	o.read(t, r.out)
	return o
}

// freePorts are ports of the loopback that nobody listened at a moment ago.
func freePorts(t testing.TB, n int) []string {
	t.Helper()
	var addresses []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // once all are known, so that they differ
		addresses = append(addresses, l.Addr().String())
	}
	return addresses
}

// startServer starts a server's program in a folder, as a child that ends with the test. It returns once all the
// addresses take connections. What the program says is in the file that is returned.
func startServer(t testing.TB, folder string, addresses []string, program string, args ...string) (says string) {
	t.Helper()
	says = filepath.Join(folder, filepath.Base(program)+".log")
	file, err := os.Create(says)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = folder, append(plainEnvironment(), "TZ=UTC")
	cmd.Stdout, cmd.Stderr = file, file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var ended atomic.Bool
	waited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		ended.Store(true)
		close(waited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-waited
		_ = file.Close()
	})
	clk := clock.NewSystem()
	for _, address := range addresses {
		for {
			conn, err := net.Dial("tcp", address)
			if err == nil {
				_ = conn.Close()
				break
			}
			if ended.Load() || clk.Now() > clock.Instant(2*time.Minute) {
				text, _ := os.ReadFile(says)
				t.Fatalf("%s does not serve at %s: %v\n%s", program, address, err, text)
			}
			clock.Until(clk, clk.Now().Add(20*time.Millisecond), nil)
		}
	}
	return says
}

// serveDemo serves the demo's API, without limits of its own, until the test ends.
func serveDemo(t testing.TB) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- demo.Serve(ctx, listener, demo.New(demo.Options{WithoutLimits: true}), clock.NewSystem())
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// demoDocument is a file that holds the demo's document, or so much of it as is about the paths.
func demoDocument(t testing.TB, paths ...string) string {
	t.Helper()
	content := demo.Document()
	if len(paths) > 0 {
		var document map[string]any
		if err := json.Unmarshal(content, &document); err != nil {
			t.Fatal(err)
		}
		all, part := document["paths"].(map[string]any), map[string]any{}
		for _, path := range paths {
			part[path] = all[path]
		}
		document["paths"] = part
		var err error
		if content, err = json.Marshal(document); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// quick are paths of the demo whose operations answer at once.
var quick = []string{"/books", "/reviews", "/search", "/members", "/basket", "/opening-hours", "/hours"}
