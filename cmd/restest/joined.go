package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/rs/zerolog"
	"golang.org/x/term"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// joined joins the pipeline and runs it, prints the summary, and returns what the program ends with.
func joined(ctx context.Context, p *prepared, s streams) int {
	result, err := live(ctx, p, s)
	if err != nil {
		fmt.Fprintln(s.err, err)
		return reporter.ExitUsage
	}
	fmt.Fprint(s.out, result.Summary)
	if err := tellGitHub(result.Report, p.options.environ, s.out); err != nil {
		fmt.Fprintln(s.err, err)
	}
	return result.Exit
}

// live runs the pipeline against the API. An error says why nothing was sent.
func live(ctx context.Context, p *prepared, s streams) (reporter.Result, error) {
	var none reporter.Result
	if err := p.doc.Reachable(); err != nil {
		return none, err
	}
	var out reporter.Directory // none for a replay
	if p.again == nil {
		folder, err := reporter.NewFolder(p.options.out, formatFiles()...)
		if err != nil {
			return none, err
		}
		out = folder
	}
	// The world's edge is made before the stages, as its settings can be at fault; it is told whom to tell after.
	var tell func(messages.ToSender)
	var fail func(error)
	wire, err := sender.NewWire(sender.WireConfig{
		Origin: p.doc.Origin, Settings: p.given.Settings, Environ: p.options.environ, Clock: p.clock,
		Tell: func(m messages.ToSender) { tell(m) }, Fail: func(err error) { fail(err) },
	})
	if err != nil {
		return none, errors.New(p.mask.Text(err.Error()))
	}
	lastWrite, wrote := p.fetcher.LastWrite(p.doc.Origin)
	if !wrote {
		lastWrite = -1
	}
	run := stages.Run{
		Document: p.doc, Settings: p.given.Settings, Keys: p.keys, Seed: p.options.seed, Dictionaries: p.dictionaries, Plan: p.plan, Again: p.again, AgainFrom: p.againFrom,
		Deadline: clock.Instant(0).Add(p.options.budget), LastWrite: lastWrite,
		Report: reporter.Config{
			Values: p.given.All(), Tool: reporter.Tool{Name: "restest", Version: version()},
			Source: p.options.document, Budget: p.options.budget, Mask: p.mask,
			KeysUsed: p.keys.Used(p.doc), KeysMissing: p.keys.Missing(p.doc), Out: out, Heard: p.heard, Quiet: p.options.quiet,
			Notes: p.notes, Known: p.known, Started: p.clock.Wall(0), URL: p.options.url, Files: &p.files,
			Formats: formatsNamed(p.given.Report.Formats), Dictionaries: p.told,
		},
		Transport: func(t func(messages.ToSender), f func(error)) sender.Transport {
			tell, fail = t, f
			return wire
		},
	}
	if p.plan != nil {
		run.Report.TestPlan = p.plan.Print()
	}
	describe(&run.Report, s.err, p.options.environ)
	run.Report.Logger = func(to io.Writer) zerolog.Logger {
		return zerolog.New(zerolog.ConsoleWriter{
			Out: to, NoColor: !run.Report.Color, PartsExclude: []string{zerolog.TimestampFieldName},
		}).Level(p.options.logLevel)
	}
	listening, done := context.WithCancel(ctx)
	defer done() // a signal that comes later is not the run's
	if environment(p.options.environ, "GOGC") == "" {
		// What a run keeps is small and what it passes on is much: collecting a quarter as often costs some 40 MiB and
		// makes it faster by a quarter.
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	result := run.Live(ctx, p.clock, signals(listening))
	wire.Wait()
	return result, nil
}

// describe tells the report what the place it speaks to as it goes can show.
func describe(r *reporter.Config, to io.Writer, environ []string) {
	r.Live = to
	r.UTF8 = saysUTF8(environ)
	f, ok := to.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || environment(environ, "CI") != "" || environment(environ, "TERM") == "dumb" {
		return
	}
	r.LiveTTY = true
	r.Color = environment(environ, "NO_COLOR") == ""
	if width, height, err := term.GetSize(int(f.Fd())); err == nil {
		r.Width, r.Height = width, height
	}
}

// saysUTF8 says whether the environment's locale is one of UTF-8.
func saysUTF8(environ []string) bool {
	locale := environment(environ, "LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = environment(environ, name)
		}
	}
	locale = strings.ToUpper(locale)
	return strings.Contains(locale, "UTF-8") || strings.Contains(locale, "UTF8")
}

// signals are the wishes to stop that the system hands on: Ctrl-C, and what kill sends.
func signals(ctx context.Context) <-chan messages.End {
	heard := make(chan os.Signal, 2)
	signal.Notify(heard, syscall.SIGINT, syscall.SIGTERM)
	stops := make(chan messages.End, 2)
	go func() {
		defer signal.Stop(heard)
		for {
			select {
			case s := <-heard:
				end := messages.Interrupted
				if s == syscall.SIGTERM {
					end = messages.Terminated
				}
				select {
				case stops <- end:
				default: // two were enough
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return stops
}

// joinedDemo serves the demo's API and, unless it is to do nothing else, runs the pipeline against it.
func joinedDemo(ctx context.Context, o demoOptions, _ *settings.Given, s streams) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	address := "127.0.0.1:0"
	if o.serve != "" {
		address = o.serve
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		fmt.Fprintf(s.err, "the demo API cannot listen at %s: %v\n", address, err)
		return reporter.ExitUsage
	}
	system := clock.NewSystem()
	api := demo.New(demo.Options{WithoutLimits: o.withoutLimits})
	served := make(chan error, 1)
	go func() { served <- demo.Serve(ctx, listener, api, system) }()
	origin := "http://" + reachable(listener.Addr())
	if o.serve != "" {
		return serveUntilStopped(ctx, cancel, origin, served, s)
	}

	fmt.Fprintf(s.err, "A small bookshop's API is started at %s, with %d faults planted in it and %d things that only look like faults.\n",
		origin, len(demo.Planted()), len(demo.Traps()))
	code := demonstrate(ctx, o, origin, s)
	cancel()
	if err := <-served; err != nil {
		fmt.Fprintf(s.err, "the demo API: %v\n", err)
		return reporter.ExitFailed
	}
	return code
}

// reachable is how to get at what listens at the address from this machine: a listener at every address is at the
// loopback one too.
func reachable(a net.Addr) string {
	host, port, err := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return a.String()
	}
	return net.JoinHostPort("127.0.0.1", port)
}

// serveUntilStopped serves the demo's API until a signal comes.
func serveUntilStopped(ctx context.Context, cancel func(), origin string, served <-chan error, s streams) int {
	fmt.Fprintf(s.err, "The demo API is at %s, its document at %s/openapi.json. Ctrl-C ends it.\n", origin, origin)
	select {
	case <-signals(ctx):
		cancel()
		<-served
		return reporter.ExitClean
	case err := <-served:
		fmt.Fprintf(s.err, "the demo API: %v\n", err)
		return reporter.ExitFailed
	}
}

// demonstrate tests the demo's API just as run would, and ends with 0 where run would have told of the API.
func demonstrate(ctx context.Context, o demoOptions, origin string, s streams) int {
	p, err := ready(ctx, runOptions{
		document: origin + "/openapi.json", url: origin, budget: o.budget, seed: o.seed, out: o.out,
		settings: o.settings, quiet: o.quiet, environ: withoutKeys(o.environ), logLevel: zerolog.WarnLevel,
	}, s)
	if err != nil {
		fmt.Fprintln(s.err, err)
		return reporter.ExitUsage
	}
	result, err := live(ctx, p, s)
	if err != nil {
		fmt.Fprintln(s.err, err)
		return reporter.ExitUsage
	}
	fmt.Fprint(s.out, result.Summary)
	switch result.Exit {
	case reporter.ExitFailed, reporter.ExitInterrupted, reporter.ExitTerminated:
		return result.Exit
	}
	fmt.Fprintf(s.out, "\nThis was the demo, so it ends with 0; restest run would have ended with %d: %s.\n", result.Exit, reporter.Meaning(result.Exit))
	fmt.Fprintf(s.out, "To try the curl lines, have the API back: restest demo --serve %s\n", strings.TrimPrefix(origin, "http://"))
	return reporter.ExitClean
}

// withoutKeys is the environment without a key that was meant for another API.
func withoutKeys(environ []string) []string {
	var rest []string
	for _, e := range environ {
		if !strings.HasPrefix(e, "RESTEST_AUTH=") {
			rest = append(rest, e)
		}
	}
	return rest
}
