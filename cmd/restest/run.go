package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v3"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/dictionary"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/settings/plan"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/generator/rechecks"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// runOptions are what the command line of run says.
type runOptions struct {
	document string // a file, a URL or "-"
	url      string
	budget   time.Duration
	seed     uint64
	out      string
	auth     []string
	// authFile is a file of users and their sign-ins, "" for none.
	authFile string
	// dictionaries are files and folders of values.
	dictionaries []string
	// plan is a file, "" for none; printPlan asks for the plan alone.
	plan      string
	printPlan bool
	baseline  string // a file of known findings, "" for none
	settings  settings.Input
	// printSettings asks for the settings alone: nothing is read or sent.
	printSettings bool
	quiet         bool
	logLevel      zerolog.Level
	environ       []string
}

func (a *app) runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "test an API",
		UsageText: "restest run [options] DOCUMENT [--url URL]",
		Description: strings.TrimSpace(`
Tests an API by its OpenAPI document, which is a file, a URL or - for the standard input. The API is at the URL, or
where the document's servers say. What will be done is said before anything is sent; what was found is summed up at the
end and written to the report.

A key goes where the document asks for it: KEY for its one scheme, SCHEME=KEY for one of several, basic:USER:PASSWORD
and bearer:TOKEN for schemes of that kind. header:NAME=VALUE, query:NAME=VALUE and cookie:NAME=VALUE go with every
request. SCHEME=client:ID:SECRET and SCHEME=password:USER:PASSWORD obtain a token where the document's OAuth 2.0 scheme
says (both together name the client beside the user), and renew it. RESTEST_AUTH holds a key too, or several, a line
each. --auth-file names users and how each signs in, in the format of the Web Fuzzing Commons. A run without a key signs
up a user of its own where the document says how (generation.signUp). No key is ever printed or written.

Values of your own come from dictionaries (--dictionary): YAML or JSON, by name, type, format, schema, or operation and
place. restest document DOCUMENT --dictionary-template writes one to fill in.

A setting can stand in a file (--settings), in RESTEST_GROUP_KEY or in --set; the later wins. restest settings
lists them all.`),
		Metadata: map[string]any{"Examples": []string{
			"restest run openapi.yaml --url http://localhost:8080",
			"restest run openapi.yaml --url https://staging.example.com --set engine.mostRequestsPerMinute=300",
			"restest run http://localhost:8080/openapi.json --url http://localhost:8080 --budget 5m --auth api_key=$KEY",
		}},
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "url", Usage: "`URL` of the API, instead of the document's; a path in it replaces the base path", DefaultText: "the document's first server"},
			budgetFlag("60s", "reading the document included"),
			seedFlag(), outFlag(),
			&cli.StringSliceFlag{Name: "auth", Usage: "a `KEY` in one of the forms above; may be repeated"},
			authFileFlag(),
			&cli.StringFlag{Name: "plan", Usage: "`FILE` of a test plan, YAML or JSON: the shares of the strategies, the sources of values, the operations left alone"},
			&cli.BoolFlag{Name: "print-plan", Usage: "print the plan that would be followed as a file for --plan, and end"},
			&cli.StringSliceFlag{Name: "dictionary", Usage: "a `FILE` of values to send, or a folder of them; may be repeated"},
			&cli.StringFlag{Name: "baseline", Usage: "`FILE` of known findings, which do not count (restest baseline writes it)"},
		}, settingsFlags(), []cli.Flag{
			&cli.StringFlag{Name: "proxy", Usage: "`URL` of a proxy; without it HTTPS_PROXY and HTTP_PROXY count, and NO_PROXY always does"},
			&cli.BoolFlag{Name: "print-settings", Usage: "print the settings as a file for --settings, and end"},
			quietFlag(),
			&cli.StringFlag{Name: "log-level", Value: "warn", Usage: "least `LEVEL` of what is logged: " + strings.Join(logLevels, ", ")},
		}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			o, err := a.runOptions(cmd)
			if err != nil {
				return err
			}
			a.code = doRun(ctx, o, a.streams)
			return nil
		},
	}
}

// runOptions reads the command line of run.
func (a *app) runOptions(cmd *cli.Command) (o runOptions, err error) {
	o = runOptions{
		url: cmd.String("url"), out: cmd.String("out"), auth: cmd.StringSlice("auth"), authFile: cmd.String("auth-file"),
		dictionaries: cmd.StringSlice("dictionary"), plan: cmd.String("plan"), printPlan: cmd.Bool("print-plan"),
		baseline:      cmd.String("baseline"),
		printSettings: cmd.Bool("print-settings"), quiet: cmd.Bool("quiet"), environ: a.environ,
	}
	if o.settings, err = a.settingsInput(cmd); err != nil {
		return o, err
	}
	if cmd.IsSet("proxy") {
		o.settings.Flags = []settings.Flag{{Flag: "--proxy", Name: "engine.proxy", Value: cmd.String("proxy")}}
	}
	if cmd.IsSet("plan") && o.plan == "" {
		return o, usage(cmd, "--plan is empty; name a file")
	}
	if o.printSettings || o.printPlan {
		return o, nil
	}
	if cmd.IsSet("baseline") && o.baseline == "" {
		return o, usage(cmd, "--baseline is empty; name a file")
	}

	switch cmd.NArg() {
	case 0:
		return o, usage(cmd, "the DOCUMENT is missing; write restest run DOCUMENT --url URL")
	case 1:
		o.document = cmd.Args().First()
	default:
		// They are not shown: one may be a key that an option was left out before.
		return o, usage(cmd, "there are %d arguments where one DOCUMENT belongs", cmd.NArg())
	}
	if o.document == "" {
		return o, usage(cmd, "the DOCUMENT is empty; write a file, a URL or - for the standard input")
	}
	if cmd.IsSet("url") {
		if wrong := checkURL(o.url); wrong != "" {
			return o, usage(cmd, "--url %s", wrong)
		}
	}
	if o.budget, err = budget(cmd); err != nil {
		return o, err
	}
	if o.seed, err = seed(cmd); err != nil {
		return o, err
	}
	if o.out == "" {
		return o, usage(cmd, "--out is empty; name a folder for the report")
	}
	level := cmd.String("log-level")
	if !slices.Contains(logLevels, level) {
		if meant := settings.Suggest(level, logLevels); meant != "" {
			return o, usage(cmd, "--log-level %s is not a level; did you mean %s?", settings.Quote(level), meant)
		}
		return o, usage(cmd, "--log-level %s is not a level; the levels are %s", settings.Quote(level), strings.Join(logLevels, ", "))
	}
	o.logLevel, err = zerolog.ParseLevel(level)
	return o, err
}

// prepared is a run before its pipeline.
type prepared struct {
	options runOptions
	given   *settings.Given
	keys    *credentials.Keys // bound to the document
	mask    *credentials.Mask
	doc     *document.Document
	files   reporter.Files // the document's, for the recording
	// clock began when the program did: the budget counts from its moment 0.
	clock clock.Clock
	// fetcher has read the document, if it came over the network, and knows when it last wrote to the API's origin.
	fetcher *sender.Fetcher
	plan    *plan.Plan // nil where none was given
	// dictionaries are the values given, told is what the report says of them.
	dictionaries []*dictionary.Dictionary
	told         []reporter.Dictionary
	// notes are what is to be said before anything is sent.
	notes []string
	// known are the findings that do not count, nil without a baseline.
	known []reporter.Known
	// again are the requests of a replay, nil for a run, and againFrom what their fresh texts are counted on from; heard is
	// told what came of each. signedIn is how the run signed in whose findings they are.
	again     []rechecks.Errand
	againFrom uint64
	heard     func(*messages.Judged)
	signedIn  []signedIn
}

// doRun runs a test and returns what the program ends with.
func doRun(ctx context.Context, o runOptions, s streams) int {
	if o.printSettings {
		given, err := settings.Resolve(o.settings)
		if err != nil {
			fmt.Fprintln(s.err, err)
			return reporter.ExitUsage
		}
		fmt.Fprint(s.out, given.Print())
		return reporter.ExitClean
	}
	if o.printPlan {
		given, err := settings.Resolve(o.settings)
		var p *plan.Plan
		if err == nil {
			p, err = readPlan(o.plan, given.Settings)
		}
		if err != nil {
			fmt.Fprintln(s.err, err)
			return reporter.ExitUsage
		}
		fmt.Fprint(s.out, p.Print())
		return reporter.ExitClean
	}
	p, err := ready(ctx, o, s)
	if err != nil {
		fmt.Fprintln(s.err, err)
		var failed *failure
		if errors.As(err, &failed) {
			return failed.code
		}
		return reporter.ExitUsage
	}
	return joined(ctx, p, s)
}

// ready does everything that comes before the pipeline: the settings, the keys, the document.
func ready(ctx context.Context, o runOptions, s streams) (*prepared, error) {
	p := &prepared{options: o, clock: clock.NewSystem()}
	var err error
	if p.given, err = settings.Resolve(o.settings); err != nil {
		return nil, err
	}
	p.notes = p.given.Notes()
	if o.plan != "" {
		if p.plan, err = readPlan(o.plan, p.given.Settings); err != nil {
			return nil, err
		}
	}
	if o.baseline != "" {
		entries, err := readBaseline(o.baseline)
		if err != nil {
			return nil, fmt.Errorf("--baseline %w", err)
		}
		p.known = knownBy(entries)
	}
	if p.dictionaries, err = readDictionaries(o.dictionaries); err != nil {
		return nil, err
	}
	keys, warnings, err := readKeys(o.auth, o.authFile, o.environ)
	if err != nil {
		return nil, err
	}
	p.keys = keys

	p.fetcher = newFetcher(p.given, o.environ, p.clock)
	r := newReader(s.in, p.fetcher, o.document)
	spent := fmt.Errorf("the budget, %s, was over before %s was read", settings.FormatDuration(o.budget), settings.Quote(r.location))
	reading, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer p.clock.At(clock.Instant(0).Add(o.budget), func() { stop(spent) })()
	r.find(reading)
	p.options.document = r.location
	p.doc, err = document.Load(reading, r.location, document.Options{URL: o.url, Read: p.files.Keep(r.read)})
	if context.Cause(reading) == spent {
		return nil, &failure{reporter.ExitNothing, spent.Error()}
	}
	if err != nil {
		return nil, errors.New(p.keys.Mask().Text(err.Error()))
	}

	if _, err := stages.OwnRates(p.doc, p.given.Engine); err != nil {
		return nil, err
	}
	if _, err := p.plan.Leaves(p.doc); err != nil {
		return nil, err
	}
	if p.given.Generation.SignUp && p.keys.None() {
		if how := p.keys.SignUpOwn(p.doc); how != "" {
			warnings = append(warnings, "no key was given, so the run will sign up a user of its own ("+how+"); generation.signUp=false keeps it from that")
		}
	}
	if err := p.keys.Bind(p.doc); err != nil {
		return nil, err
	}
	p.mask = p.keys.Mask()
	if p.given.Security.Probes && p.plan != nil && p.plan.SecurityShare() == 0 {
		warnings = append(warnings, "security.probes is on, but the plan gives security no share, so no probe is sent")
	}
	p.notes = slices.Concat(warnings, p.keys.Warnings(), p.notes, p.fitDictionaries())
	return p, nil
}

// readKeys reads the credentials that are given, and returns with them what is to be said of them.
func readKeys(auth []string, authFile string, environ []string) (keys *credentials.Keys, warnings []string, err error) {
	if keys, warnings, err = credentials.Parse(auth, environment(environ, "RESTEST_AUTH")); err != nil || authFile == "" {
		return keys, warnings, err
	}
	content, err := readFile(authFile, mostSettings)
	if err != nil {
		return nil, nil, fmt.Errorf("--auth-file %s: %w", settings.Quote(authFile), err)
	}
	file, err := credentials.ParseAuthFile(authFile, content)
	if err != nil {
		return nil, nil, err
	}
	keys.Include(file)
	return keys, append(warnings, file.Notes()...), nil
}

// readPlan reads a test plan; without a file it is the one that is followed where none is given.
func readPlan(file string, given settings.Settings) (*plan.Plan, error) {
	if file == "" {
		return plan.Default(given), nil
	}
	content, err := readFile(file, mostSettings)
	if err != nil {
		return nil, fmt.Errorf("--plan %s cannot be read: %w", settings.Quote(file), err)
	}
	return plan.Read(file, content, given)
}

// newFetcher makes what reads documents over the network by the settings, keeping to their rate.
func newFetcher(given *settings.Given, environ []string, c clock.Clock) *sender.Fetcher {
	return sender.NewFetcher(sender.FetchConfig{
		Settings: given.Settings, Environ: environ, Clock: c, Interval: given.Engine.Interval(),
	})
}

// environment is the value of an environment variable, "" if there is none.
func environment(environ []string, name string) string {
	for _, entry := range environ {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}

// checkURL says what is wrong with the API's address, and what to do; "" if nothing is. It does not show the address,
// which may hold a password.
func checkURL(text string) string {
	if text == "" {
		return "is empty; write the API's address, such as --url http://localhost:8080"
	}
	const advice = "; write it like http://localhost:8080 or https://api.example.com/v1"
	u, err := url.Parse(text)
	switch {
	case !strings.Contains(text, "://"):
		return "does not begin with http:// or https://" + advice
	case err != nil:
		return "is not an address" + advice
	case u.Scheme != "http" && u.Scheme != "https":
		return "is neither http nor https" + advice
	case u.Hostname() == "":
		return "names no host" + advice
	case !validPort(u.Port()):
		return "names a port that is none, from 1 to 65535" + advice
	case u.User != nil:
		return "holds a user; write --auth basic:user:password instead"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "holds a query or a fragment; leave it out, or write --auth query:name=value for a key"
	}
	return ""
}

// validPort says whether a port, or none, is given as one.
func validPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return text == "" || err == nil && n > 0
}

var logLevels = []string{"trace", "debug", "info", "warn", "error", "fatal", "panic", "disabled"}

func budgetFlag(value, more string) cli.Flag {
	text := "`TIME` it may take, " + more + ": 500ms, 30s, 5m, 2h or bare seconds"
	return &cli.StringFlag{Name: "budget", Value: value, Usage: text}
}

func seedFlag() cli.Flag {
	return &cli.StringFlag{Name: "seed", Usage: "whole `NUMBER` that the invented values hang on", DefaultText: "drawn anew, and said"}
}

func outFlag() cli.Flag {
	return &cli.StringFlag{Name: "out", Value: "restest-out", Usage: "`FOLDER` for the report"}
}

func quietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Usage: "say nothing while it runs; the summary is written all the same"}
}

func authFileFlag() cli.Flag {
	return &cli.StringFlag{Name: "auth-file", Usage: "`FILE` of users and how they sign in, YAML or JSON (Web Fuzzing Commons)"}
}

func settingsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "settings", Usage: "`FILE` of settings, YAML or JSON"},
		&cli.StringSliceFlag{Name: "set", Usage: "a setting, as `GROUP.KEY=VALUE`; may be repeated"},
	}
}

// budget reads --budget.
func budget(cmd *cli.Command) (time.Duration, error) {
	d, err := settings.ParseDuration(cmd.String("budget"))
	switch {
	case err != nil:
		return 0, usage(cmd, "--budget %v", err)
	case d < time.Millisecond:
		return 0, usage(cmd, "--budget %s is too short; write at least 1ms", settings.Quote(cmd.String("budget")))
	}
	return d, nil
}

// seed reads --seed, or draws one: of few enough digits that whatever reads the report keeps them all.
func seed(cmd *cli.Command) (uint64, error) {
	if !cmd.IsSet("seed") {
		var b [8]byte
		rand.Read(b[:]) // never fails (crypto/rand)
		return binary.LittleEndian.Uint64(b[:]) >> 24, nil
	}
	text := cmd.String("seed")
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, usage(cmd, "--seed %s is not a whole number from 0 to %d", settings.Quote(text), uint64(math.MaxUint64))
	}
	return n, nil
}
