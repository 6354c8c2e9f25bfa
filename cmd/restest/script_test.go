package main

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/sim/demo"
)

// signalled is the program in the background of a script that when has sent a signal to.
type signalled struct{ cmd *exec.Cmd }

// when is a command of scripts: "when FILE SIGNAL..." sends the signals, INT, TERM or KILL, to the program in the
// background once there is such a file.
func when(ts *testscript.TestScript, neg bool, args []string) {
	background := ts.BackgroundCmds()
	if neg || len(args) < 2 || len(background) != 1 {
		ts.Fatalf("usage: when FILE SIGNAL..., with one program in the background")
	}
	cmd := background[0]
	clk := clock.NewSystem()
	for {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			break
		}
		if clk.Now() > clock.Instant(2*time.Minute) {
			ts.Fatalf("%s did not appear", args[0])
		}
		clock.Until(clk, clk.Now().Add(5*time.Millisecond), nil)
	}
	named := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}
	for _, name := range args[1:] {
		signal, known := named[name]
		if !known {
			ts.Fatalf("%s is not a signal", name)
		}
		ts.Check(cmd.Process.Signal(signal))
	}
	ts.Value(signalled{}).(*signalled).cmd = cmd
}

// ended is a command of scripts: after "wait", "ended CODE" wants the program that when has signalled to have ended
// with the code.
func ended(ts *testscript.TestScript, neg bool, args []string) {
	cmd := ts.Value(signalled{}).(*signalled).cmd
	if neg || len(args) != 1 || cmd == nil || cmd.ProcessState == nil {
		ts.Fatalf("usage: ended CODE, after when and wait")
	}
	if code := cmd.ProcessState.ExitCode(); strconv.Itoa(code) != args[0] {
		ts.Fatalf("it ended with %d, not %s", code, args[0])
	}
}

// silent is a command of scripts: "silent VARIABLE FILE" listens at the loopback address it puts in the variable, and
// answers nothing; the file tells that a request has come.
func silent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: silent VARIABLE FILE")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], "http://"+listener.Addr().String())
	file := ts.MkAbs(args[1])
	over := make(chan struct{})
	go func() {
		defer close(over)
		var open []net.Conn
		defer func() {
			for _, c := range open {
				c.Close()
			}
		}()
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			open = append(open, c)
			go func() {
				if n, _ := c.Read(make([]byte, 1)); n == 1 {
					os.WriteFile(file, nil, 0o600) // the script fails without it
				}
				io.Copy(io.Discard, c)
			}()
		}
	}()
	ts.Defer(func() {
		listener.Close()
		<-over
	})
}

// bookshop is a command of scripts: "bookshop VARIABLE" serves the demo's API, without its limits, at the loopback
// address it puts in the variable.
func bookshop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: bookshop VARIABLE")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], listener.Addr().String())
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- demo.Serve(ctx, listener, demo.New(demo.Options{WithoutLimits: true}), clock.NewSystem())
	}()
	ts.Defer(func() {
		cancel()
		<-served
	})
}
