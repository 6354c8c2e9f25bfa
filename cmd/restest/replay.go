package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/urfave/cli/v3"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim"
	"github.com/restest/restest/stages/generator/rechecks"
	"github.com/restest/restest/stages/reporter"
)

// replayOptions are what the command line of replay says.
type replayOptions struct {
	subject  string // a report, a recording, or the folder they are in
	findings []string
	document string
	url      string
	auth     []string
	authFile string
	budget   time.Duration
	settings settings.Input
	environ  []string
}

func (a *app) replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "see whether findings are still there",
		UsageText: "restest replay [options] REPORT|RECORDING",
		Description: strings.TrimSpace(`
Sends the request of each finding once more and says what came of it: fixed, still there, changed (another finding is
there instead), or could not be repeated. REPORT is a report.json or the folder it is in, RECORDING a run.ndjson.zst. The
document is the recording's own where there is one, else the one that the report names, and --document wins. What a
finding is about is made anew; what the replay has made is deleted at its end (schedule.cleanUp), and what could not be
is listed.

It ends with 0 if all are fixed, with 1 if some are still there or changed, else with 3 if some could not be repeated, and
with 2 for bad input. Keys, users and how they sign in are given as to restest run (--auth, RESTEST_AUTH, --auth-file), or in
the variables that the report's curl lines name; it signs in as a run does, for what it sends. No key is ever printed.`),
		Metadata: map[string]any{"Examples": []string{
			"restest replay restest-out",
			"restest replay restest-out --finding 0123456789ab --url http://localhost:8081",
			"restest replay restest-out/run.ndjson.zst --rate 60",
			"restest replay restest-out --auth-file users.yaml",
		}},
		Flags: slices.Concat([]cli.Flag{
			&cli.StringSliceFlag{Name: "finding", Usage: "`ID` of a finding to look at; may be repeated", DefaultText: "all of them"},
			&cli.StringFlag{Name: "url", Usage: "`URL` of the API", DefaultText: "where it was"},
			&cli.StringFlag{Name: "document", Usage: "`FILE` or URL of the document"},
			&cli.StringSliceFlag{Name: "auth", Usage: "a `KEY`, as for restest run; may be repeated"},
			authFileFlag(),
			&cli.StringFlag{Name: "rate", Value: "600", Usage: "most requests a `MINUTE`"},
			budgetFlag("60s", "in all"),
		}, settingsFlags()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			o := replayOptions{
				findings: cmd.StringSlice("finding"), document: cmd.String("document"), url: cmd.String("url"),
				auth: cmd.StringSlice("auth"), authFile: cmd.String("auth-file"), environ: a.environ,
			}
			if cmd.NArg() != 1 || cmd.Args().First() == "" {
				return usage(cmd, "one REPORT or RECORDING belongs here; write the folder of a run")
			}
			o.subject = cmd.Args().First()
			if cmd.IsSet("url") {
				if wrong := checkURL(o.url); wrong != "" {
					return usage(cmd, "--url %s", wrong)
				}
			}
			var err error
			if o.budget, err = budget(cmd); err != nil {
				return err
			}
			if o.settings, err = a.settingsInput(cmd); err != nil {
				return err
			}
			o.settings.Flags = []settings.Flag{{Flag: "--rate", Name: "engine.mostRequestsPerMinute", Value: cmd.String("rate")}}
			code, err := replay(ctx, o, a.streams)
			var failed *failure
			if errors.As(err, &failed) {
				return err
			}
			if err != nil {
				return usage(cmd, "%v", err)
			}
			a.code = code
			return nil
		},
	}
}

// again is one finding that is looked at once more.
type again struct {
	id, code, title string
	// Errand has no request where it cannot be sent; why says why, then or after it was sent.
	rechecks.Errand
	operations []string // of the makers, and last of the request
	status     int
	// hidden is the header field of which the report holds no more than its form, "" for none.
	hidden  string
	outcome string
	// answered is true once it was sent and its answer looked at.
	answered bool
	// sentAgain is how much a recording knows of what it takes.
	sentAgain int
	why       string
}

// operation is the id of the operation that shows it.
func (a *again) operation() string { return a.operations[len(a.operations)-1] }

// What can come of a finding.
const (
	isFixed    = "fixed"
	isThere    = "still there"
	isChanged  = "changed"
	unrepeated = "could not be repeated"
)

// replay sends the requests once more and tells what came of each. An error is bad input.
func replay(ctx context.Context, o replayOptions, s streams) (int, error) {
	p := &prepared{
		options: runOptions{document: o.subject, url: o.url, budget: o.budget, environ: o.environ, quiet: true, logLevel: zerolog.WarnLevel},
		clock:   clock.NewSystem(),
	}
	p.againFrom = uint64(p.clock.Wall(0).Unix()) // so that its fresh texts are none of an earlier replay's
	var err error
	if p.given, err = settings.Resolve(o.settings); err != nil {
		return 0, errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	keys, warnings, err := readKeys(o.auth, o.authFile, o.environ)
	if err != nil {
		return 0, &failure{reporter.ExitUsage, err.Error()}
	}
	p.keys = keys
	p.fetcher = newFetcher(p.given, o.environ, p.clock)
	list, err := p.readSubject(ctx, o, s)
	if err != nil {
		return 0, err
	}
	more, err := p.bindKeys()
	if err != nil {
		return 0, &failure{reporter.ExitUsage, err.Error()}
	}
	for _, warning := range append(warnings, more...) {
		fmt.Fprintln(s.err, printable(warning))
	}
	p.mask = p.keys.Mask()
	if list, err = choose(list, o.findings); err != nil {
		return 0, err
	}
	for i := range list {
		list[i].ready(p, o.environ)
		if r := list[i].Request; r != nil {
			r.Recheck = &messages.Recheck{Seq: int64(i), Last: true}
			r.Recheck.Finding.Status = list[i].status
			p.again = append(p.again, list[i].Errand)
		}
	}
	p.heard = func(j *messages.Judged) {
		if step := j.Exchange.Request.SignIn; step != nil && j.SignedIn != nil {
			p.mask = p.mask.With(step.Login, "", j.SignedIn.Secrets) // it may stand in what a finding says
		}
		if about := j.Exchange.Request.Recheck; about != nil { // what deletes things is for none of them
			list[about.Seq].heard(j, p.doc)
		}
	}
	var left *reporter.CleanUp
	if len(p.again) > 0 {
		result, err := live(ctx, p, s)
		if err != nil {
			return 0, err
		}
		left = result.CleanUp
		for i := range list {
			if a := &list[i]; a.Request != nil && !a.answered {
				a.why = p.unsent(a, result.SignIns)
			}
		}
	}
	return tellReplay(list, left, p.mask, s), nil
}

// tellReplay says what came of each finding, and what the replay has made and left, and returns what the program ends with.
func tellReplay(list []again, made *reporter.CleanUp, mask *credentials.Mask, s streams) int {
	count := map[string]int{}
	for _, f := range list {
		line := fmt.Sprintf("%-21s  %s  %s %s: %s", f.outcome, f.id, f.code, f.operation(), f.title)
		if f.why != "" {
			line += " (" + f.why + ")"
		}
		fmt.Fprintln(s.out, printable(mask.Text(line)))
		count[f.outcome]++
	}
	fmt.Fprintf(s.out, "%d fixed, %d still there, %d changed, %d could not be repeated\n", count[isFixed], count[isThere], count[isChanged], count[unrepeated])
	if made != nil {
		fmt.Fprintf(s.out, "%d of the %d things that the replay made were deleted\n", made.Deleted, made.Made)
		for _, t := range made.Left {
			fmt.Fprintln(s.out, printable(mask.Text(fmt.Sprintf("left: %s, made by %s: %s", t.Address, t.MadeBy, t.Why))))
		}
		if made.More > 0 {
			fmt.Fprintf(s.out, "left: %d more\n", made.More)
		}
	}
	switch {
	case count[isThere]+count[isChanged] > 0:
		return reporter.ExitErrors
	case count[unrepeated] > 0:
		return reporter.ExitNothing
	}
	return reporter.ExitClean
}

// readSubject reads the findings and the document they are of.
func (p *prepared) readSubject(ctx context.Context, o replayOptions, s streams) ([]again, error) {
	recording := o.subject
	var report *reporter.Report
	if !strings.HasSuffix(o.subject, ".zst") {
		var err error
		if report, err = readReport(o.subject); err != nil {
			return nil, err
		}
		if at, err := os.Stat(o.subject); err == nil && at.IsDir() {
			recording = filepath.Join(o.subject, reporter.RecordingName)
		} else {
			recording = filepath.Join(filepath.Dir(o.subject), reporter.RecordingName)
		}
	}
	rec, found, err := readFound(recording)
	if err != nil && report == nil {
		return nil, err
	}
	if report != nil {
		p.options.seed = report.Run.Seed
		for _, s := range report.Unauthorized.SignIns {
			p.signedIn = append(p.signedIn, signedIn{s.User, s.Request})
		}
	}
	url := o.url
	if url == "" && report != nil {
		url = report.API.Address
	}
	switch {
	case o.document != "" || rec == nil || len(rec.Run.Files) == 0:
		source := o.document
		if source == "" && report != nil {
			source = report.API.Source
		}
		r := newReader(s.in, p.fetcher, source)
		r.find(ctx)
		p.doc, err = document.Load(ctx, r.location, document.Options{URL: url, Read: p.files.Keep(r.read)})
	default:
		if url != "" {
			rec.Run.URL = url
		}
		p.doc, err = rec.Document(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("the document cannot be read; name it with --document: %w", err)
	}
	if report == nil {
		p.options.seed = rec.Run.Seed
		return found, p.signedInBy(rec)
	}
	list := make([]again, len(report.Findings))
	for i := range report.Findings {
		list[i] = fromReport(&report.Findings[i])
	}
	return list, nil
}

// readFound reads, for each finding of a recording, the first exchange that showed it of those of which it is known best
// what has to be sent before it.
func readFound(name string) (*sim.Recording, []again, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s cannot be read: %w", settings.Quote(name), reason(err))
	}
	defer file.Close()
	var list []again
	seen := map[string]int{}
	err = reporter.ReadRecording(file, func(l reporter.Line) error {
		if l.Exchange == nil {
			return nil
		}
		for _, f := range l.Exchange.Findings {
			at, known := seen[f.ID]
			switch {
			case f.ID == "":
			case !known:
				seen[f.ID] = len(list)
				list = append(list, fromExchange(&l, f))
			case list[at].sentAgain < takes(&l):
				list[at] = fromExchange(&l, f)
			}
		}
		return nil
	})
	if err == nil {
		_, err = file.Seek(0, 0)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", settings.Quote(name), err)
	}
	rec, err := sim.ReadRecording(file)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", settings.Quote(name), err)
	}
	return rec, list, nil
}

// takes says how much is known of what has to be sent before an exchange's request: nothing, its steps, or steps with which
// it was sent again.
func takes(l *reporter.Line) int {
	switch {
	case l.Judged == nil || l.Judged.Again == nil || len(l.Judged.Again.Steps)+len(l.Judged.Again.Request.Fresh) == 0:
		return 0
	case l.Judged.Recheck == nil:
		return 1
	}
	return 2
}

// choose keeps the findings that were asked for.
func choose(list []again, ids []string) ([]again, error) {
	for _, id := range ids {
		if !slices.ContainsFunc(list, func(f again) bool { return f.id == id }) {
			return nil, fmt.Errorf("--finding %s is none of the %d findings; the report has their ids", settings.Quote(id), len(list))
		}
	}
	return slices.DeleteFunc(list, func(f again) bool { return len(ids) > 0 && !slices.Contains(ids, f.id) }), nil
}

func fromReport(f *reporter.FindingInFull) again {
	a := again{id: f.ID, code: f.Code, title: f.Title, status: f.Status}
	if f.Again == nil {
		a.operations, a.why = []string{f.Operation}, "the report does not hold its request"
		return a
	}
	a.take(f.ExchangeTold, f.Again, f.Steps)
	return a
}

func fromExchange(l *reporter.Line, f reporter.FindingTold) again {
	e := l.Exchange
	a := again{id: f.ID, code: fmt.Sprintf("F%03d", f.Code), sentAgain: takes(l), title: reporter.FaultOf(fmt.Sprintf("F%d", f.Code)).Name}
	if e.Reply != nil {
		a.status = e.Reply.Status
	}
	if l.Judged != nil && l.Judged.Again != nil {
		a.take(e, l.Judged.Again.Request, l.Judged.Again.Steps)
		return a
	}
	if slices.ContainsFunc(e.Masked, func(place string) bool { return place == "target" || place == "body" }) {
		a.operations, a.why = []string{e.Operation}, "the recording does not hold the key in it; replay the report"
		return a
	}
	a.take(e, &reporter.Again{Method: e.Request.Method, URL: e.Request.Target, Header: e.Request.Header, Body: e.Request.Body}, nil)
	return a
}

// take has it send the request again, after the steps. What the request claims, where its values came from and its place in
// a series are as the exchange had them.
func (a *again) take(e *reporter.ExchangeTold, to *reporter.Again, steps []reporter.StepTold) {
	for i := range steps {
		r := a.requestOf(&steps[i].Again)
		r.Probe, r.User = messages.Probe(steps[i].Probe), string(steps[i].User)
		a.Makers = append(a.Makers, messages.Maker{Request: r, Address: string(steps[i].Made), Place: string(steps[i].Place), Ahead: steps[i].Ahead})
		a.operations = append(a.operations, steps[i].Operation)
	}
	r := a.requestOf(to)
	r.Valid, r.Breaks, r.Probe = e.Request.Valid, string(e.Request.Breaks), messages.Probe(e.Request.Probe)
	r.User = string(e.Request.User)
	for _, o := range e.Request.Origins {
		r.Origins = append(r.Origins, messages.Origin{Place: string(o.Place), Source: string(o.Source)})
	}
	for _, field := range to.Header {
		if slices.Contains(e.Masked, "header."+string(field[0])) && !strings.Contains(string(field[1]), "${") {
			a.hidden = string(field[0])
		}
	}
	if s := e.Request.Series; s != nil && len(steps) > 0 {
		r.Series = &messages.Step{Kind: s.Kind, Thing: string(s.Thing)}
	}
	a.operations = append(a.operations, e.Operation)
	a.Request = r
}

// requestOf is the request as it is told; where not all of it is, it is said why.
func (a *again) requestOf(told *reporter.Again) *messages.Request {
	body, err := told.Body.Bytes()
	switch {
	case told.Body != nil && told.Body.Shortened:
		a.why = "only a part of its body is held"
	case err != nil:
		a.why = "its body cannot be read"
	}
	r := &messages.Request{
		Method: string(told.Method), Target: originForm(string(told.URL)), Header: fieldsOf(told.Header), Body: body, Purpose: messages.Rechecking,
	}
	for _, n := range told.Named {
		r.Named = append(r.Named, messages.Named{Place: string(n.Place), Address: string(n.Made)})
	}
	for _, place := range told.Fresh {
		r.Fresh = append(r.Fresh, string(place))
	}
	return r
}

func fieldsOf(told [][2]reporter.Text) []messages.Field {
	fields := make([]messages.Field, len(told))
	for i, f := range told {
		fields[i] = messages.Field{Name: string(f[0]), Value: string(f[1])}
	}
	return fields
}

// originForm is the target of an address: all of it from the path on.
func originForm(address string) string {
	if strings.HasPrefix(address, "/") {
		return address
	}
	if at := strings.Index(address, "://"); at >= 0 {
		if slash := strings.IndexByte(address[at+3:], '/'); slash >= 0 {
			return address[at+3+slash:]
		}
	}
	return "/"
}

// requests are all that it sends.
func (a *again) requests() []*messages.Request {
	requests := make([]*messages.Request, 0, len(a.Makers)+1)
	for _, m := range a.Makers {
		requests = append(requests, m.Request)
	}
	if a.Request != nil {
		requests = append(requests, a.Request)
	}
	return requests
}

// ready has the requests carry their keys and lead to the document's operations; where one cannot it says why.
func (a *again) ready(p *prepared, environ []string) {
	a.outcome = unrepeated
	for i, r := range a.requests() {
		if a.why == "" {
			a.why = dress(r, a.operations[i], p, environ)
		}
	}
	if a.Request != nil && a.why == "" {
		user, _ := p.userOf(a.Request)
		if slices.ContainsFunc(p.keysOf(a.Request, user), func(k credentials.Placed) bool {
			return k.In == "header" && strings.EqualFold(k.Name, a.hidden) || k.In == "cookie" && strings.EqualFold("Cookie", a.hidden)
		}) {
			a.hidden = ""
		}
	}
	if a.why != "" {
		a.Request = nil
	}
}

// dress has the request carry its keys, and says why it cannot.
func dress(r *messages.Request, operation string, p *prepared, environ []string) string {
	at := slices.IndexFunc(p.doc.Operations, func(op *document.Operation) bool { return op.ID == operation })
	if at < 0 {
		return "the document has no operation " + settings.Quote(operation)
	}
	missing := ""
	fill := func(text string) string {
		filled, lacking := p.mask.Fill(text, func(name string) string { return environment(environ, name) })
		if lacking != "" {
			missing = lacking
		}
		return filled
	}
	r.Operation = at
	user, why := p.userOf(r)
	if why != "" {
		return why
	}
	p.carry(r, user)
	if users := p.keys.Users(); len(users) > 1 && user >= 0 && !r.Probe.Unauthenticated() {
		r.User = users[user]
	}
	r.Target = fill(r.Target)
	for i := range r.Header {
		r.Header[i].Value = fill(r.Header[i].Value)
	}
	if r.Body != nil {
		r.Body = []byte(fill(string(r.Body)))
	}
	if missing != "" {
		return p.lacking(missing)
	}
	return ""
}

// heard says what came of it.
func (a *again) heard(j *messages.Judged, doc *document.Document) {
	ex := j.Exchange
	if !ex.Request.Recheck.Last {
		return
	}
	a.why, a.answered = "", true
	for i := range j.Findings {
		if reporter.FindingID(doc, messages.KeyOf(ex.Request, ex.Reply, &j.Findings[i])) == a.id {
			a.outcome = isThere
			return
		}
	}
	answer := ex.Request.Recheck.Says(ex.Request, ex.Outcome, ex.Reply, j.Refused, nil)
	switch {
	case answer == messages.ShowsNot && a.code == "F207" && ex.Reply != nil && ex.Reply.Status == a.status:
		a.outcome, a.why = unrepeated, "it was refused again, and a request like it that was accepted is not known"
	case answer == messages.ShowsNot && a.hidden != "":
		a.outcome, a.why = unrepeated, "what its "+a.hidden+" held is hidden"
	case answer == messages.ShowsNot && len(j.Findings) == 0:
		a.outcome = isFixed
	case answer == messages.ShowsNot:
		a.outcome, a.why = isChanged, "now: "+j.Findings[0].Title
	case j.Refused:
		a.outcome, a.why = unrepeated, "it was asked to wait"
	case ex.Reply != nil && ex.Request.Recheck.Tentative:
		a.outcome, a.why = unrepeated, fmt.Sprintf("what it is about could not be made anew, and it was answered %d", ex.Reply.Status)
	case ex.Reply != nil:
		a.outcome, a.why = unrepeated, fmt.Sprintf("it was answered %d", ex.Reply.Status)
	default:
		a.outcome, a.why = unrepeated, ex.Failure
	}
}
