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
	"strconv"
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

// said is what the command says of a limiter.
type said struct {
	Verdict struct {
		Family     string
		Certainty  string
		Candidates []string
	}
	Findings    []struct{ Level, Title, Evidence string }
	Requests    int
	TookSeconds float64
}

// twice is one of them that does not count, since it has another inside.
const twice = "echo"

// atOnce is how many limiters are examined at once, so that the machine is busy: they mostly wait.
const atOnce = 6

// TestRealLimitersAreNamed has the command name limiters that somebody else wrote. Those that are not installed are
// skipped. Of the others at most two may be named wrongly, and none if it is said to be sure. RESTEST_NAMED is how many
// have to be named rightly, whatever is installed.
func TestRealLimitersAreNamed(t *testing.T) {
	if !thorough() {
		t.Skip("it takes a minute, and is run with RESTEST_LONG=1")
	}
	at, missing := serveRealLimiters(t)
	answers := make([]said, len(realLimiters))
	failures := make([]string, len(realLimiters))
	turns := make(chan struct{}, atOnce)
	var group sync.WaitGroup
	for i, l := range realLimiters {
		if at[l.name] == "" {
			continue
		}
		group.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			var stdout, stderr bytes.Buffer
			cmd := exec.Command("restest", "limiter", at[l.name], "--limit", "10", "--window", "2s", "--experiments", "family", "--json", "--quiet")
			cmd.Env = append(plainEnvironment(), "GORACE=atexit_sleep_ms=0")
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run()
			if err := json.Unmarshal(stdout.Bytes(), &answers[i]); err != nil {
				failures[i] = fmt.Sprintf("it ended with %d: %v\n%s%s", cmd.ProcessState.ExitCode(), err, &stdout, &stderr)
			}
		})
	}
	group.Wait()
	present, named := 0, 0
	for i, l := range realLimiters {
		t.Run(l.name, func(t *testing.T) {
			if at[l.name] == "" {
				t.Skip(missing[l.server])
			}
			if failures[i] != "" {
				t.Fatal(failures[i])
			}
			v := answers[i].Verdict
			right := slices.Contains(l.is, v.Family) && v.Certainty != "not sure"
			t.Logf("%s: %s (%s), %d requests in %.1f s", l.is[0], cmp.Or(v.Family, "nothing"), v.Certainty, answers[i].Requests, answers[i].TookSeconds)
			if l.name != twice {
				present++
			}
			if right && l.name != twice {
				named++
			}
			if !right && v.Certainty == "sure" {
				t.Errorf("it is a %s, and is said to be a %s for sure", l.is[0], v.Family)
			}
			if !right {
				t.Logf("NOT NAMED: %v", v.Candidates)
			}
		})
	}
	t.Logf("%d of %d were named rightly", named, present)
	if present-named > 2 {
		t.Errorf("%d of %d were not named rightly", present-named, present)
	}
	if least, _ := strconv.Atoi(os.Getenv("RESTEST_NAMED")); named < least {
		t.Errorf("%d were named rightly, and %d have to be", named, least)
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

// serveRealLimiters starts the servers that are installed, and returns where each limiter is by its name, and why those of
// the other servers are missing.
func serveRealLimiters(t *testing.T) (at, missing map[string]string) {
	t.Helper()
	at, missing = map[string]string{}, map[string]string{}
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
		missing["node"] = "node is not installed"
	case modules == "" || lacks != nil:
		missing["node"] = "RESTEST_NODE_MODULES does not name a folder that has it"
	default:
		address := freePorts(t, 1)
		startServer(t, t.TempDir(), address, node, filepath.Join(files, "server.cjs"), modules, address[0])
		place("node", address[0])
	}
	program := filepath.Join(t.TempDir(), "limiters")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir, build.Env = files, append(os.Environ(), "GOFLAGS=-buildvcs=false")
	if text, err := build.CombinedOutput(); err != nil {
		missing["go"] = strings.TrimSpace(fmt.Sprintf("it cannot be built: %v %s", err, firstLine(text)))
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
		missing["nginx"] = "nginx is not installed"
	} else {
		address := freePorts(t, 1)
		config, folder := configured("nginx.conf", "ADDRESS", address[0], "API", backend)
		startServer(t, folder, address, program, "-p", folder, "-c", config, "-e", filepath.Join(folder, "error.log"))
		place("nginx", address[0])
	}
	if program, err := exec.LookPath("haproxy"); err != nil {
		missing["haproxy"] = "HAProxy is not installed"
	} else {
		a := freePorts(t, 4)
		config, folder := configured("haproxy.cfg", "RATE", a[0], "TARPIT", a[1], "DROP", a[2], "QUEUE", a[3], "API", backend)
		startServer(t, folder, a, program, "-db", "-f", config)
		for i, name := range []string{"haproxy-rate", "haproxy-tarpit", "haproxy-silent-drop", "haproxy-queue"} {
			at[name] = "http://" + a[i] + "/"
		}
	}
	return at, missing
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
