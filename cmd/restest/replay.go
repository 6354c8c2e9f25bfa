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
	"github.com/restest/restest/stages/reporter"
)

// replayOptions are what the command line of replay says.
type replayOptions struct {
	subject  string // a report, a recording, or the folder they are in
	findings []string
	document string
	url      string
	auth     []string
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
document is the recording's own where there is one, else the one that the report names, and --document wins.

It ends with 0 if all are fixed, with 1 if some are still there or changed, else with 3 if some could not be repeated, and
with 2 for bad input. Keys are given as to restest run, or in the variables that the report's curl lines name.`),
		Metadata: map[string]any{"Examples": []string{
			"restest replay restest-out",
			"restest replay restest-out --finding 0123456789ab --url http://localhost:8081",
			"restest replay restest-out/run.ndjson.zst --rate 60",
		}},
		Flags: slices.Concat([]cli.Flag{
			&cli.StringSliceFlag{Name: "finding", Usage: "`ID` of a finding to look at; may be repeated", DefaultText: "all of them"},
			&cli.StringFlag{Name: "url", Usage: "`URL` of the API", DefaultText: "where it was"},
			&cli.StringFlag{Name: "document", Usage: "`FILE` or URL of the document"},
			&cli.StringSliceFlag{Name: "auth", Usage: "a `KEY`, as for restest run; may be repeated"},
			&cli.StringFlag{Name: "rate", Value: "600", Usage: "most requests a `MINUTE`"},
			budgetFlag("60s", "in all"),
		}, settingsFlags()),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			o := replayOptions{
				findings: cmd.StringSlice("finding"), document: cmd.String("document"), url: cmd.String("url"),
				auth: cmd.StringSlice("auth"), environ: a.environ,
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
	id, operation, code, title string
	// request is nil where it cannot be sent; why says why, then or after it was sent.
	request *messages.Request
	status  int
	outcome string
	why     string
}

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
	var err error
	if p.given, err = settings.Resolve(o.settings); err != nil {
		return 0, errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if p.keys, _, err = credentials.Parse(o.auth, environment(o.environ, "RESTEST_AUTH")); err != nil {
		return 0, err
	}
	p.fetcher = newFetcher(p.given, o.environ, p.clock)
	list, err := p.readSubject(ctx, o, s)
	if err != nil {
		return 0, err
	}
	if err := p.keys.Bind(p.doc); err != nil {
		return 0, err
	}
	p.mask = p.keys.Mask()
	if list, err = choose(list, o.findings); err != nil {
		return 0, err
	}
	for i := range list {
		list[i].ready(p, o.environ)
		if r := list[i].request; r != nil {
			r.Recheck = &messages.Recheck{Seq: int64(i), Last: true}
			r.Recheck.Finding.Status = list[i].status
			p.again = append(p.again, r)
		}
	}
	p.heard = func(j *messages.Judged) { list[j.Exchange.Request.Recheck.Seq].heard(j, p.doc) }
	if len(p.again) > 0 {
		if _, err := live(ctx, p, s); err != nil {
			return 0, err
		}
	}
	return tellReplay(list, p.mask, s), nil
}

// tellReplay says what came of each finding, and returns what the program ends with.
func tellReplay(list []again, mask *credentials.Mask, s streams) int {
	count := map[string]int{}
	for _, f := range list {
		line := fmt.Sprintf("%-21s  %s  %s %s: %s", f.outcome, f.id, f.code, f.operation, f.title)
		if f.why != "" {
			line += " (" + f.why + ")"
		}
		fmt.Fprintln(s.out, printable(mask.Text(line)))
		count[f.outcome]++
	}
	fmt.Fprintf(s.out, "%d fixed, %d still there, %d changed, %d could not be repeated\n", count[isFixed], count[isThere], count[isChanged], count[unrepeated])
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
		return found, nil
	}
	list := make([]again, len(report.Findings))
	for i := range report.Findings {
		list[i] = fromReport(&report.Findings[i])
	}
	return list, nil
}

// readFound reads the exchanges that showed each finding of a recording first.
func readFound(name string) (*sim.Recording, []again, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s cannot be read: %w", settings.Quote(name), reason(err))
	}
	defer file.Close()
	var list []again
	seen := map[string]bool{}
	err = reporter.ReadRecording(file, func(l reporter.Line) error {
		if l.Exchange == nil {
			return nil
		}
		for _, f := range l.Exchange.Findings {
			if f.ID != "" && !seen[f.ID] {
				seen[f.ID] = true
				list = append(list, fromExchange(l.Exchange, f))
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
	a := again{id: f.ID, operation: f.Operation, code: f.Code, title: f.Title, status: f.Status}
	switch {
	case f.Again == nil:
		a.why = "the report does not hold its request"
		return a
	case f.Again.Body != nil && f.Again.Body.Shortened:
		a.why = "the report holds only a part of its body"
		return a
	}
	body, err := f.Again.Body.Bytes()
	if err != nil {
		a.why = "its body cannot be read"
		return a
	}
	a.request = &messages.Request{Method: string(f.Again.Method), Target: originForm(string(f.Again.URL)), Header: fieldsOf(f.Again.Header), Body: body}
	return a
}

func fromExchange(e *reporter.ExchangeTold, f reporter.FindingTold) again {
	a := again{id: f.ID, operation: e.Operation, code: fmt.Sprintf("F%03d", f.Code), title: reporter.FaultOf(fmt.Sprintf("F%d", f.Code)).Name}
	if e.Reply != nil {
		a.status = e.Reply.Status
	}
	body, err := e.Request.Body.Bytes()
	switch {
	case err != nil:
		a.why = "its body cannot be read"
		return a
	case e.Request.Body != nil && e.Request.Body.Shortened:
		a.why = "the recording holds only a part of its body"
		return a
	case slices.ContainsFunc(e.Masked, func(place string) bool { return place == "target" || place == "body" }):
		a.why = "the recording does not hold the key in it; replay the report"
		return a
	}
	a.request = &messages.Request{Method: string(e.Request.Method), Target: string(e.Request.Target), Header: fieldsOf(e.Request.Header), Body: body}
	return a
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
	if at := strings.Index(address, "://"); at >= 0 {
		if slash := strings.IndexByte(address[at+3:], '/'); slash >= 0 {
			return address[at+3+slash:]
		}
	}
	return "/"
}

// ready has the request carry its keys and lead to the document's address; where it cannot it says why.
func (a *again) ready(p *prepared, environ []string) {
	a.outcome = unrepeated
	r := a.request
	if r == nil {
		return
	}
	a.request = nil
	at := slices.IndexFunc(p.doc.Operations, func(op *document.Operation) bool { return op.ID == a.operation })
	if at < 0 {
		a.why = "the document has no such operation"
		return
	}
	missing := ""
	fill := func(text string) string {
		filled, lacking := p.mask.Fill(text, func(name string) string { return environment(environ, name) })
		if lacking != "" {
			missing = lacking
		}
		return filled
	}
	r.Operation, r.Purpose, r.Valid = at, messages.Rechecking, true
	r.Target = fill(r.Target)
	for i := range r.Header {
		r.Header[i].Value = fill(r.Header[i].Value)
	}
	if r.Body != nil {
		r.Body = []byte(fill(string(r.Body)))
	}
	for _, k := range p.keys.For(p.doc, p.doc.Operations[at], 0, func(int) []credentials.Placed { return nil }) {
		for i := range r.Header {
			if k.In == "header" && strings.EqualFold(r.Header[i].Name, k.Name) {
				r.Header[i].Value = k.Value
			}
		}
	}
	if missing != "" {
		a.why = "the key in " + missing + " is not given; set it, or write --auth"
		return
	}
	a.request = r
}

// heard says what came of it.
func (a *again) heard(j *messages.Judged, doc *document.Document) {
	ex := j.Exchange
	a.why = ""
	for i := range j.Findings {
		if reporter.FindingID(doc, messages.KeyOf(ex.Request, ex.Reply, &j.Findings[i])) == a.id {
			a.outcome = isThere
			return
		}
	}
	answer := ex.Request.Recheck.Says(ex.Request, ex.Outcome, ex.Reply, j.Refused, nil)
	switch {
	case answer == messages.ShowsNot && len(j.Findings) == 0:
		a.outcome = isFixed
	case answer == messages.ShowsNot:
		a.outcome, a.why = isChanged, "now: "+j.Findings[0].Title
	case j.Refused:
		a.outcome, a.why = unrepeated, "it was asked to wait"
	case ex.Reply != nil:
		a.outcome, a.why = unrepeated, fmt.Sprintf("it was answered %d", ex.Reply.Status)
	default:
		a.outcome, a.why = unrepeated, ex.Failure
	}
}
