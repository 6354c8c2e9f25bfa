package main

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/reporter"
)

// demoOptions are what the command line of demo says.
type demoOptions struct {
	serve    string // the address to serve the API at and do nothing else, "" to test it
	budget   time.Duration
	seed     uint64
	out      string
	settings settings.Input
	quiet    bool
	environ  []string
	// withoutLimits serves it without its quota and its maintenance.
	withoutLimits bool
}

func (a *app) demoCommand() *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Usage: "see it work on an API of its own",
		Description: strings.TrimSpace(`
Starts a small bookshop's API on this machine, with faults planted in it and things that only look like faults, tests
it for ten seconds and shows what was found. It ends with 0, and says what run would have ended with.

With --serve it only serves the API, whose document is at /openapi.json, until it is stopped.`),
		Metadata: map[string]any{"Examples": []string{
			"restest demo",
			"restest demo --budget 30s --set engine.mostRequestsPerMinute=600",
			"restest demo --serve 127.0.0.1:8080",
		}},
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "serve", Usage: "only serve the API, at `ADDRESS`, such as 127.0.0.1:8080"},
			&cli.BoolFlag{Name: "without-limits", Usage: "the API never answers 429, nor 503 with Retry-After: for measuring"},
			budgetFlag("10s", "in all"), seedFlag(), outFlag(),
		}, settingsFlags(), []cli.Flag{quietFlag()}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			o, err := a.demoOptions(cmd)
			if err != nil {
				return err
			}
			a.code = doDemo(ctx, o, a.streams)
			return nil
		},
	}
}

// demoOptions reads the command line of demo.
func (a *app) demoOptions(cmd *cli.Command) (o demoOptions, err error) {
	o = demoOptions{serve: cmd.String("serve"), out: cmd.String("out"), quiet: cmd.Bool("quiet"), environ: a.environ, withoutLimits: cmd.Bool("without-limits")}
	if cmd.Args().Present() {
		return o, usage(cmd, "takes no arguments; restest run tests an API of yours")
	}
	if cmd.IsSet("serve") {
		if _, port, err := net.SplitHostPort(o.serve); err != nil || port == "" {
			return o, usage(cmd, "--serve %s is not an address to listen at; write host:port, such as 127.0.0.1:8080", settings.Quote(o.serve))
		}
	}
	if o.settings, err = a.settingsInput(cmd); err != nil {
		return o, err
	}
	if o.budget, err = budget(cmd); err != nil {
		return o, err
	}
	if o.out == "" {
		return o, usage(cmd, "--out is empty; name a folder for the report")
	}
	o.seed, err = seed(cmd)
	return o, err
}

// doDemo serves the demo's API or tests it, and returns what the program ends with.
func doDemo(ctx context.Context, o demoOptions, s streams) int {
	given, err := settings.Resolve(o.settings)
	if err != nil {
		fmt.Fprintln(s.err, err)
		return reporter.ExitUsage
	}
	return joinedDemo(ctx, o, given, s)
}
