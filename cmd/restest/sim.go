package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
)

// simOptions are what the command line of sim says.
type simOptions struct {
	subject  string // a recording, the folder it is in, or a scenario
	document string // "" for the subject's own
	out      string
	// budget and seed are the subject's where they are nil.
	budget   *time.Duration
	seed     *uint64
	settings settings.Input
	policy   string
	// against are the changes for a second run.
	against       []settings.Flag
	againstPolicy string
	quiet         bool
	environ       []string
}

// The policies: who waits when an operation is told to.
const (
	// byOperation is ADR-0042's rule: the operation, and the whole API once a second one is told.
	byOperation = "operation"
	// byWholeAPI has every request wait.
	byWholeAPI = "whole-api"
)

var policies = []string{byOperation, byWholeAPI}

func (a *app) simCommand() *cli.Command {
	return &cli.Command{
		Name:      "sim",
		Usage:     "say what a run would have been with other settings",
		UsageText: "restest sim [options] RECORDING|SCENARIO",
		Description: strings.TrimSpace(`
Runs a recorded run once more, on paper: nothing is sent, and the nth request to an operation gets the nth reply that
was recorded for it, after as long as that took. RECORDING is a run.ndjson.zst or the folder it is in. Prints the summary
and writes the report of the run as it would have been, in a fraction of its time. The same command gives the same
report, byte for byte, on any machine: neither the clock nor the environment is looked at.

A SCENARIO is a YAML file that describes an API on paper instead: document, seed, budget, settings in their groups, and
api with latency, jitter, bySchema, instead (of100, operations, status, fate), quotas (operations, per, limiter, limit,
window, burst, status, retryAfter, wait) and phases (from, to, it, times).

The settings are those of the recording or the scenario, changed by --settings and --set. With --against a second run is
simulated, with these changes and the ones given there, and both are shown side by side; the exit code is the first's.
--policy whole-api has every request wait as soon as one operation is told to; no real run does. It can stand in
--against too: policy=whole-api.`),
		Metadata: map[string]any{"Examples": []string{
			"restest sim restest-out",
			"restest sim run.ndjson.zst --set engine.mostRequestsPerMinute=300 --budget 10m",
			"restest sim run.ndjson.zst --against schedule.waitWhenToldTo=false",
			"restest sim run.ndjson.zst --against schedule.firstGuessedWait=5s,engine.maxConcurrency=4",
			"restest sim run.ndjson.zst --policy whole-api --against policy=operation",
			"restest sim scenario.yaml",
		}},
		Flags: slices.Concat(settingsFlags(), []cli.Flag{
			&cli.StringSliceFlag{Name: "against", Usage: "`CHANGES` for a second run, as GROUP.KEY=VALUE,GROUP.KEY=VALUE; may be repeated"},
			&cli.StringFlag{Name: "policy", Value: byOperation, Usage: "`WHO` waits when an operation is told to: operation or whole-api"},
			&cli.StringFlag{Name: "budget", Usage: "`TIME` the run has", DefaultText: "the recording's or the scenario's"},
			&cli.StringFlag{Name: "seed", Usage: "whole `NUMBER` that the invented values hang on", DefaultText: "the recording's or the scenario's"},
			&cli.StringFlag{Name: "document", Usage: "`FILE` with the document, instead of the recording's or the scenario's"},
			&cli.StringFlag{Name: "out", Value: "restest-sim", Usage: "`FOLDER` for the report; that of --against goes to against in it"},
			quietFlag(),
		}),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			o, err := a.simOptions(cmd)
			if err != nil {
				return err
			}
			code, err := simulate(ctx, o, a.streams)
			if err != nil {
				return usage(cmd, "%v", err)
			}
			a.code = code
			return nil
		},
	}
}

// simOptions reads the command line of sim.
func (a *app) simOptions(cmd *cli.Command) (o simOptions, err error) {
	o = simOptions{
		document: cmd.String("document"), out: cmd.String("out"), policy: cmd.String("policy"),
		quiet: cmd.Bool("quiet"), environ: a.environ,
	}
	if cmd.NArg() != 1 || cmd.Args().First() == "" {
		return o, usage(cmd, "one RECORDING or SCENARIO belongs here; write a run.ndjson.zst, the folder it is in, or a YAML file")
	}
	o.subject = cmd.Args().First()
	if o.settings, err = a.settingsInput(cmd); err != nil {
		return o, err
	}
	o.settings.Environ = nil // the same simulation is the same on any machine
	if cmd.IsSet("budget") {
		d, err := budget(cmd)
		if err != nil {
			return o, err
		}
		o.budget = &d
	}
	if cmd.IsSet("seed") {
		n, err := seed(cmd)
		if err != nil {
			return o, err
		}
		o.seed = &n
	}
	if cmd.IsSet("document") && o.document == "" {
		return o, usage(cmd, "--document is empty; name a file")
	}
	if o.out == "" {
		return o, usage(cmd, "--out is empty; name a folder for the report")
	}
	if wrong := checkPolicy(o.policy); wrong != "" {
		return o, usage(cmd, "--policy %s", wrong)
	}
	o.againstPolicy = o.policy
	for _, text := range cmd.StringSlice("against") {
		for _, change := range changes(text) {
			name, value, assigned := strings.Cut(change, "=")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			switch {
			case !assigned:
				return o, usage(cmd, "--against %s has no value; write GROUP.KEY=VALUE", settings.Quote(name))
			case name == "policy":
				if wrong := checkPolicy(value); wrong != "" {
					return o, usage(cmd, "--against policy=%s", wrong)
				}
				o.againstPolicy = value
			case !slices.Contains(settings.Names(), name):
				if meant := settings.SuggestName(name); meant != "" {
					return o, usage(cmd, "--against %s is not a setting; did you mean %s?", settings.Quote(name), meant)
				}
				return o, usage(cmd, "--against %s is not a setting; restest settings lists them all", settings.Quote(name))
			}
			if name != "policy" {
				o.against = append(o.against, settings.Flag{Flag: "--against " + name, Name: name, Value: value})
			}
		}
	}
	if cmd.IsSet("against") && o.against == nil && o.againstPolicy == o.policy {
		return o, usage(cmd, "--against changes nothing; write GROUP.KEY=VALUE")
	}
	return o, nil
}

func checkPolicy(name string) string {
	if slices.Contains(policies, name) {
		return ""
	}
	if meant := settings.Suggest(name, policies); meant != "" {
		return settings.Quote(name) + " is not a policy; did you mean " + meant + "?"
	}
	return settings.Quote(name) + " is not a policy; write " + strings.Join(policies, " or ")
}

var beginsAChange = regexp.MustCompile(`^\s*[A-Za-z]+(\.[A-Za-z]+)?\s*=`)

// changes takes "name=value,name=value" apart. A comma that no name follows belongs to the value.
func changes(text string) []string {
	var list []string
	for i, part := range strings.Split(text, ",") {
		if i > 0 && !beginsAChange.MatchString(part) {
			list[len(list)-1] += "," + part
			continue
		}
		list = append(list, part)
	}
	return list
}

// simulate runs the simulation, once or twice, and returns what the program ends with. An error is bad input.
func simulate(ctx context.Context, o simOptions, s streams) (int, error) {
	r := simulator{simOptions: o, live: s.err}
	if err := r.read(ctx); err != nil {
		return 0, err
	}
	first, err := r.prepare(o.out, nil, o.policy)
	if err != nil {
		return 0, err
	}
	if o.against == nil && o.againstPolicy == o.policy {
		result := first.Run(stages.Order{})
		fmt.Fprint(s.out, result.Summary)
		return result.Exit, nil
	}
	second, err := r.prepare(filepath.Join(o.out, "against"), o.against, o.againstPolicy)
	if err != nil {
		return 0, err
	}
	second.Report.Quiet = true
	results := []reporter.Result{first.Run(stages.Order{}), second.Run(stages.Order{})}
	fmt.Fprintf(s.out, "%s\n", results[0].Summary)
	fmt.Fprintf(s.out, "A is the run above; B is A with %s, its report is in %s\n\n",
		strings.Join(o.changed(), ", "), filepath.Join(o.out, "against"))
	fmt.Fprint(s.out, reporter.SideBySide([]string{"A", "B"}, results))
	return results[0].Exit, nil
}

// changed is what --against changes, as it is shown.
func (o simOptions) changed() []string {
	var list []string
	for _, c := range o.against {
		list = append(list, c.Name+"="+settings.Quote(c.Value))
	}
	if o.againstPolicy != o.policy {
		list = append(list, "policy="+o.againstPolicy)
	}
	return list
}

// simulator is what the runs of one simulation share.
type simulator struct {
	simOptions
	sim.Simulation
	// live is where a run is told about as it goes.
	live io.Writer
	// based are the settings it is based on.
	based []settings.Flag
}

// read reads what is to be simulated.
func (r *simulator) read(ctx context.Context) error {
	if extension := filepath.Ext(r.subject); slices.Contains([]string{".yaml", ".yml", ".json"}, extension) {
		s, err := readScenario(ctx, r.subject, r.document)
		if err != nil {
			return err
		}
		r.Document, r.API, r.Seed, r.Budget, r.based = s.doc, s.api, s.seed, s.budget, s.settings
		r.Report.URL, r.Report.Files = s.url, &s.files
	} else if err := r.readRecording(ctx); err != nil {
		return err
	}
	if r.seed != nil {
		r.Seed = *r.seed
	}
	if r.budget != nil {
		r.Budget = *r.budget
	}
	r.From = r.subject
	return r.Document.Reachable()
}

// readRecording reads the recording, which may be named by its folder, and the document.
func (r *simulator) readRecording(ctx context.Context) error {
	if at, err := os.Stat(r.subject); err == nil && at.IsDir() {
		r.subject = filepath.Join(r.subject, reporter.RecordingName)
	}
	file, err := os.Open(r.subject)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", settings.Quote(r.subject), reason(err))
	}
	defer file.Close()
	if err := r.wouldLose(file); err != nil {
		return err
	}
	rec, err := sim.ReadRecording(file)
	if err != nil {
		return fmt.Errorf("%s: %w", settings.Quote(r.subject), err)
	}
	if r.document == "" {
		r.Document, err = rec.Document(ctx)
	} else {
		r.Document, err = document.Load(ctx, r.document, document.Options{URL: rec.Address(), Read: readLocal})
	}
	if err != nil {
		return err
	}
	if r.Keys, err = rec.Keys(r.Document); err != nil {
		return err
	}
	// What is recorded already need not be recorded again, unless it is asked for.
	r.based = append(rec.Run.Given(), settings.Flag{Flag: "the simulation", Name: "report.recording", Value: "false"})
	r.Recording, r.Seed, r.Budget = rec, rec.Run.Seed, rec.Budget
	return nil
}

// wouldLose refuses to write where the recording is: what an earlier run wrote there is removed first.
func (r *simulator) wouldLose(recording *os.File) error {
	read, err := recording.Stat()
	if err != nil {
		return err
	}
	for _, out := range []string{r.out, filepath.Join(r.out, "against")} {
		if removed, err := os.Stat(filepath.Join(out, reporter.RecordingName)); err == nil && os.SameFile(read, removed) {
			return fmt.Errorf("--out %s is where the recording is, which would be lost; name another folder", settings.Quote(out))
		}
	}
	return nil
}

// prepare makes one run of the simulation.
func (r *simulator) prepare(out string, changed []settings.Flag, policy string) (sim.Simulation, error) {
	run := r.Simulation
	in := r.settings
	in.Simulated, in.Flags = r.based, changed
	given, err := settings.Resolve(in)
	if err != nil {
		return run, errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if _, err := stages.OwnRates(r.Document, given.Engine); err != nil {
		return run, err
	}
	folder, err := reporter.NewFolder(out)
	if err != nil {
		return run, err
	}
	run.Settings, run.WholeAPIAtOnce = given.Settings, policy == byWholeAPI
	run.Report.Values, run.Report.Tool = given.All(), reporter.Tool{Name: "restest", Version: version()}
	run.Report.Out, run.Report.Quiet, run.Report.Notes = folder, r.quiet, given.Notes()
	if run.WholeAPIAtOnce {
		run.Report.Notes = append(run.Report.Notes, "every request waits as soon as one operation is told to, which only a simulation does")
	}
	describe(&run.Report, r.live, r.environ)
	run.Report.LiveTTY = false // there is nothing to watch
	return run, nil
}
