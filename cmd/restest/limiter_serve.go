package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/sim/limited"
	"github.com/restest/restest/sim/limiter"
	"github.com/restest/restest/stages/reporter"
)

// limiterServeOptions are what the command line of limiter serve says.
type limiterServeOptions struct {
	listen string
	// all serves every kind, each at a path of its name.
	all     bool
	kind    string
	limited limited.Options
}

// limiterServeCommand is mounted beneath limiter.
func (a *app) limiterServeCommand() *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "serve an API that does nothing but limit",
		Description: strings.TrimSpace(`
Serves an API on which each request passes or is kept back, for trying clients and limiter tests on. Every path is
answered alike; with --all each algorithm is served at a path of its own, such as /token-bucket, all of them at /. It
goes on until it is stopped.

` + strings.Join(settings.Wrap("The algorithms that refuse: "+listed(limiter.Algorithms())+". And a window from the first "+
			"request that does something else than refuse: slow-down, tarpit, silent-drop, close.", helpWidth-5), "\n") + `

A budget is everybody's, or belongs to what --key names: a header, address, method or path; several together.`),
		Metadata: map[string]any{"Examples": []string{
			"restest limiter serve --listen 127.0.0.1:8080 --algorithm token-bucket --limit 100 --window 1s",
			"restest limiter serve --all --limit 10 --window 2s --headers draft-11",
			"restest limiter serve --algorithm window-from-first-request --limit 10 --window 1m --key X-API-Key --retry-after date",
		}},
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:0", Usage: "`ADDRESS` to serve at; port 0 is any that is free"},
			&cli.StringFlag{Name: "algorithm", Usage: "`NAME` of the algorithm", DefaultText: "none: name one, or --all"},
			&cli.BoolFlag{Name: "all", Usage: "serve every algorithm"},
			&cli.StringFlag{Name: "limit", Value: "10", Usage: "`NUMBER` of requests that pass in a window, or are under way at once"},
			&cli.StringFlag{Name: "window", Value: "1s", Usage: "`TIME` a window lasts"},
			&cli.StringFlag{Name: "burst", Usage: "`NUMBER` that pass at once: of a token bucket, a GCRA or a queue", DefaultText: "the limit, and 1 of a queue"},
			&cli.StringFlag{Name: "queue", Value: "10", Usage: "`NUMBER` that a queue keeps waiting"},
			&cli.StringSliceFlag{Name: "key", Usage: "`NAME` of what a budget belongs to; may be repeated", DefaultText: "everybody"},
			&cli.StringFlag{Name: "retry-after", Value: "seconds", Usage: "`FORM` of the Retry-After: " + listed(limited.RetryAfters())},
			&cli.StringFlag{Name: "headers", Value: "none", Usage: "`FAMILY` of fields on what is left: " + listed(limited.HeaderFamilies())},
			&cli.StringFlag{Name: "status", Value: "429", Usage: "`CODE` of a refusal"},
			&cli.StringFlag{Name: "delay", Value: "1s", Usage: "`TIME` a tarpit holds a refusal"},
			&cli.StringFlag{Name: "step", Value: "50ms", Usage: "`TIME` by which slow-down delays each request more than the one before"},
			&cli.StringFlag{Name: "takes", Value: "0s", Usage: "`TIME` the answer to a request that passes takes", DefaultText: "0s, and 50ms of concurrency"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			o, err := limiterServeOptionsOf(cmd)
			if err != nil {
				return err
			}
			a.code = doLimiterServe(ctx, o, a.streams)
			return nil
		},
	}
}

// listed are words in a row.
func listed[T ~string](words []T) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return strings.Join(list, ", ")
}

// limiterServeOptionsOf reads the command line of limiter serve.
func limiterServeOptionsOf(cmd *cli.Command) (o limiterServeOptions, err error) {
	o = limiterServeOptions{listen: cmd.String("listen"), all: cmd.Bool("all"), kind: cmd.String("algorithm")}
	switch {
	case cmd.Args().Present():
		return o, usage(cmd, "takes no arguments")
	case o.all == cmd.IsSet("algorithm"):
		return o, usage(cmd, "name one --algorithm, or --all; there are %s", strings.Join(limited.Kinds(), ", "))
	case !o.all && !slices.Contains(limited.Kinds(), o.kind):
		return o, usage(cmd, "--algorithm %s", notOneOf(o.kind, "an algorithm", limited.Kinds()))
	}
	if _, port, err := net.SplitHostPort(o.listen); err != nil || port == "" {
		return o, usage(cmd, "--listen %s is not an address to listen at; write host:port, such as 127.0.0.1:8080", settings.Quote(o.listen))
	}
	l := &o.limited
	number := func(name string, least int64) (n int64) {
		text := cmd.String(name)
		if err != nil || text == "" {
			return 0
		}
		n, wrong := strconv.ParseInt(text, 10, 64)
		if wrong != nil || n < least {
			err = usage(cmd, "--%s %s is not a whole number of at least %d", name, settings.Quote(text), least)
		}
		return n
	}
	length := func(name string, least time.Duration) (d time.Duration) {
		if err != nil {
			return 0
		}
		d, wrong := settings.ParseDuration(cmd.String(name))
		switch {
		case wrong != nil:
			err = usage(cmd, "--%s %v", name, wrong)
		case d < least:
			err = usage(cmd, "--%s %s is too short; write at least %s", name, settings.Quote(cmd.String(name)), settings.FormatDuration(least))
		}
		return d
	}
	l.Rule = limiter.Rule{
		Limit: number("limit", 1), Window: length("window", time.Millisecond), Burst: number("burst", 1), Waiting: number("queue", 0),
	}
	l.Status = int(number("status", 400))
	l.Delay, l.Step, l.Takes = length("delay", 0), length("step", 0), length("takes", 0)
	if err != nil {
		return o, err
	}
	l.Key = cmd.StringSlice("key")
	if slices.Contains(l.Key, "") {
		return o, usage(cmd, "--key is empty; name a header, address, method or path")
	}
	l.RetryAfter, l.Headers = limited.RetryAfter(cmd.String("retry-after")), limited.Headers(cmd.String("headers"))
	if !slices.Contains(limited.RetryAfters(), l.RetryAfter) {
		return o, usage(cmd, "--retry-after %s", notOneOf(string(l.RetryAfter), "a form", strings.Split(listed(limited.RetryAfters()), ", ")))
	}
	if !slices.Contains(limited.HeaderFamilies(), l.Headers) {
		return o, usage(cmd, "--headers %s", notOneOf(string(l.Headers), "a family of fields", strings.Split(listed(limited.HeaderFamilies()), ", ")))
	}
	for _, kind := range limited.Kinds() {
		if o.all || kind == o.kind {
			if wrong := l.Of(kind).Check(); wrong != nil {
				return o, usage(cmd, "%v", wrong)
			}
		}
	}
	return o, nil
}

// notOneOf says that a word is none of those it has to be one of.
func notOneOf(word, thing string, words []string) string {
	if meant := settings.Suggest(word, words); meant != "" {
		return settings.Quote(word) + " is not " + thing + "; did you mean " + meant + "?"
	}
	return settings.Quote(word) + " is not " + thing + "; there are " + strings.Join(words, ", ")
}

// doLimiterServe serves until a signal comes, and returns what the program ends with.
func doLimiterServe(ctx context.Context, o limiterServeOptions, s streams) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.listen)
	if err != nil {
		fmt.Fprintf(s.err, "nothing can be served at %s: %v\n", settings.Quote(o.listen), err)
		return reporter.ExitUsage
	}
	clk := clock.NewSystem()
	o.limited.Opened = clk.Wall(0)
	served := make(chan error, 1)
	origin := "http://" + reachable(listener.Addr())
	rule := fmt.Sprintf("%d in %s, answering %d %s", o.limited.Rule.Limit, settings.FormatDuration(o.limited.Rule.Window),
		o.limited.Status, http.StatusText(o.limited.Status))
	if o.all {
		go func() { served <- demo.Serve(ctx, listener, limited.NewMounts(o.limited), clk) }()
		for _, kind := range limited.Kinds() {
			fmt.Fprintf(s.out, "%s/%s\n", origin, kind)
		}
	} else {
		go func() { served <- demo.Serve(ctx, listener, limited.New(o.limited.Of(o.kind)), clk) }()
		fmt.Fprintf(s.out, "%s/\n", origin)
		rule = o.kind + ", " + rule
	}
	fmt.Fprintf(s.err, "Limiting: %s. Ctrl-C ends it.\n", rule)
	select {
	case <-signals(ctx):
		cancel()
		<-served
		return reporter.ExitClean
	case err := <-served:
		if err == nil {
			return reporter.ExitClean
		}
		fmt.Fprintf(s.err, "the API: %v\n", err)
		return reporter.ExitFailed
	}
}
