package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/sim/demo"
)

// realLimiter is a limiter that somebody else wrote, and what it is by its source: ten requests in two seconds.
type realLimiter struct {
	name string
	// server is where it runs: node, go, nginx or haproxy.
	server string
	// is are the names that are right for it, the best first.
	is []string
	// doc is what the table says of it besides.
	doc string
}

const (
	firstWindow   = "fixed window from the first request"
	tickingWindow = "fixed window with ticks of its own"
	wallWindow    = "fixed window on the wall clock"
	countingAll   = "sliding counter that counts refusals"
	tokenBucket   = "token bucket"
)

var realLimiters = []realLimiter{
	{"express-rate-limit", "node", []string{firstWindow}, ""},
	{"express-slow-down", "node", []string{"slow-down"}, "20 ms more for each request above ten"},
	{"rate-limiter-flexible", "node", []string{firstWindow}, ""},
	{"fastify-rate-limit", "node", []string{firstWindow}, ""},
	{"koa-ratelimit", "node", []string{firstWindow}, ""},
	{"hono-rate-limiter", "node", []string{firstWindow}, ""},
	{"httprate", "go", []string{"sliding counter"}, "windows begin at multiples of its start, not of the wall clock's; the weighed count is rounded"},
	{"ulule", "go", []string{firstWindow}, ""},
	{"throttled", "go", []string{tokenBucket}, "GCRA"},
	{"go-limiter", "go", []string{tickingWindow}, "ticks from the key's creation"},
	{"tollbooth", "go", []string{tokenBucket}, ""},
	{"fiber-fixed", "go", []string{firstWindow, tickingWindow, wallWindow}, "its clock has whole seconds, at one of which the window begins"},
	{"fiber-sliding", "go", []string{countingAll}, "its clock has whole seconds"},
	{"x-time-rate", "go", []string{tokenBucket}, ""},
	{"echo", "go", []string{tokenBucket}, "x/time/rate inside"},
	{"nginx-burst-0", "nginx", []string{"leaky bucket without a burst"}, ""},
	{"nginx-nodelay", "nginx", []string{tokenBucket}, "a leaky bucket as a meter is one from outside"},
	{"nginx-delay", "nginx", []string{"delaying queue"}, "nine wait"},
	{"nginx-limit-conn", "nginx", []string{"concurrency limit"}, "ten at once"},
	{"haproxy-rate", "haproxy", []string{countingAll}, ""},
	{"haproxy-tarpit", "haproxy", []string{countingAll}, "refuses 300 ms later"},
	{"haproxy-silent-drop", "haproxy", []string{countingAll}, "never answers what it refuses"},
	{"haproxy-queue", "haproxy", []string{"concurrency limit", "delaying queue"}, "five at once, the others wait up to 150 ms"},
}

// mostWrong is how many of the limiters may be named wrongly, as long as it is not said to be sure.
const mostWrong = 2

// said is what the command says of a limiter.
type said struct {
	Verdict struct {
		Family     string
		Certainty  string
		Candidates []string
	}
	Requests    int
	TookSeconds float64
}

// TestRealLimitersAreNamed has the command name limiters that somebody else wrote, several at a time so that the machine
// is busy. Those that are not installed are left out, and said.
func TestRealLimitersAreNamed(t *testing.T) {
	if !thorough() {
		t.Skip("it takes a minute, and is run with RESTEST_LONG=1")
	}
	at := serveRealLimiters(t)
	answers := make([]said, len(realLimiters))
	turns := make(chan struct{}, 4)
	var group sync.WaitGroup
	for i, l := range realLimiters {
		url := at[l.name]
		if url == "" {
			continue
		}
		group.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			var stdout, stderr bytes.Buffer
			cmd := exec.Command("restest", "limiter", url, "--limit", "10", "--window", "2s", "--experiments", "family", "--json", "--quiet",
				"--set", "engine.readTimeout=3s")
			cmd.Env = append(plainEnvironment(), "GORACE=atexit_sleep_ms=0")
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run()
			if err := json.Unmarshal(stdout.Bytes(), &answers[i]); err != nil {
				t.Errorf("%s: it ended with %d: %v\n%s%s", l.name, cmd.ProcessState.ExitCode(), err, &stdout, &stderr)
			}
		})
	}
	group.Wait()
	present, wrong := 0, 0
	for i, l := range realLimiters {
		if at[l.name] == "" {
			continue
		}
		present++
		v := answers[i].Verdict
		right := slices.Contains(l.is, v.Family) && v.Certainty != "not sure"
		t.Logf("%-22s %v: %s (%s), %d requests in %.1f s", l.name, right, cmp.Or(v.Family, "nothing"), v.Certainty, answers[i].Requests, answers[i].TookSeconds)
		if !right {
			wrong++
			if v.Certainty == "sure" {
				t.Errorf("%s is a %s, and is said to be a %s for sure", l.name, l.is[0], v.Family)
			}
		}
	}
	if wrong > mostWrong {
		t.Errorf("%d of %d were not named rightly", wrong, present)
	}
	if present < len(realLimiters) {
		t.Logf("%d of %d were there", present, len(realLimiters))
	}
}

// The table of the documentation has each of the limiters with its family.
func TestTheTableOfLimitersHasThemAll(t *testing.T) {
	const file = "../../docs/limiters.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range realLimiters {
		row := fmt.Sprintf("| %s | %s | %s |", l.name, l.is[0], l.doc)
		if !strings.Contains(string(text), row+"\n") {
			t.Errorf("%s has no row %q", file, row)
		}
	}
}

// serveRealLimiters starts the servers that are installed, and returns where each limiter is by its name.
func serveRealLimiters(t *testing.T) map[string]string {
	t.Helper()
	at := map[string]string{}
	missing := func(server, why string) { t.Logf("the limiters of %s are left out: %s", server, why) }
	files, err := filepath.Abs("../../sim/limiter/testdata/real")
	if err != nil {
		t.Fatal(err)
	}
	backend := serveSlowAndQuick(t)
	place := func(server, address string) {
		for _, l := range realLimiters {
			if l.server == server {
				at[l.name] = "http://" + address + "/" + l.name
			}
		}
	}
	node, err := exec.LookPath("node")
	modules := os.Getenv("RESTEST_NODE_MODULES")
	switch _, lacks := os.Stat(filepath.Join(modules, "express-rate-limit")); {
	case err != nil:
		missing("node", "node is not installed")
	case modules == "" || lacks != nil:
		missing("node", "RESTEST_NODE_MODULES does not name a folder that has them")
	default:
		address := freePorts(t, 1)
		startServer(t, t.TempDir(), address, node, filepath.Join(files, "server.cjs"), modules, address[0])
		place("node", address[0])
	}
	program := filepath.Join(t.TempDir(), "limiters")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir, build.Env = files, append(os.Environ(), "GOFLAGS=-buildvcs=false")
	if text, err := build.CombinedOutput(); err != nil {
		missing("Go", "they cannot be built: "+firstLine(text))
	} else {
		address := freePorts(t, 1)
		startServer(t, t.TempDir(), address, program, address[0])
		place("go", address[0])
	}
	configured := func(name string, replace ...string) (file, folder string) {
		text, err := os.ReadFile(filepath.Join(files, name))
		if err != nil {
			t.Fatal(err)
		}
		folder = t.TempDir()
		file = filepath.Join(folder, name)
		_, body, _ := strings.Cut(string(text), ".\n") // the comment names what is replaced
		if err := os.WriteFile(file, []byte(strings.NewReplacer(append(replace, "FOLDER", folder)...).Replace(body)), 0o600); err != nil {
			t.Fatal(err)
		}
		return file, folder
	}
	if program, err := exec.LookPath("nginx"); err != nil {
		missing("nginx", "it is not installed")
	} else {
		address := freePorts(t, 1)
		config, folder := configured("nginx.conf", "ADDRESS", address[0], "API", backend)
		startServer(t, folder, address, program, "-p", folder, "-c", config, "-e", filepath.Join(folder, "error.log"))
		place("nginx", address[0])
	}
	if program, err := exec.LookPath("haproxy"); err != nil {
		missing("HAProxy", "it is not installed")
	} else {
		a := freePorts(t, 4)
		config, folder := configured("haproxy.cfg", "RATE", a[0], "TARPIT", a[1], "DROP", a[2], "QUEUE", a[3], "API", backend)
		startServer(t, folder, a, program, "-db", "-f", config)
		for i, name := range []string{"haproxy-rate", "haproxy-tarpit", "haproxy-silent-drop", "haproxy-queue"} {
			at[name] = "http://" + a[i] + "/"
		}
	}
	if len(at) == 0 {
		t.Skip("none of the servers is installed")
	}
	return at
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}

// slowAndQuick answers at once, and at /slow after a while: only what is under way together can be limited.
type slowAndQuick struct{}

func (slowAndQuick) Answer(_ time.Duration, r demo.Request) demo.Reply {
	reply := demo.Reply{Status: 200, Header: []messages.Field{{Name: "Content-Type", Value: "text/plain"}}, Body: []byte("passed")}
	if strings.HasPrefix(r.Target, "/slow") {
		reply.After = 100 * time.Millisecond
	}
	return reply
}

func serveSlowAndQuick(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- demo.Serve(ctx, listener, slowAndQuick{}, clock.NewSystem()) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}
