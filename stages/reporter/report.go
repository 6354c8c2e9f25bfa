package reporter

import (
	"cmp"
	_ "embed"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/restest/restest/messages"
)

// ReportSchema is the JSON Schema (2020-12) that every report keeps to.
//
//go:embed report.schema.json
var ReportSchema string

const reportFormat = "restest-report/1"

// mostIssuesTold bounds the document's problems in the report; all are listed by `restest document`.
const mostIssuesTold = 1000

// Report is report.json. Durations are ISO 8601, moments RFC 3339.
type Report struct {
	Format            string            `json:"format"`
	Tool              Tool              `json:"tool"`
	FaultCatalogue    Catalogue         `json:"faultCatalogue"`
	CreatedAt         string            `json:"createdAt"`
	API               API               `json:"api"`
	Run               Run               `json:"run"`
	CutShort          bool              `json:"cutShort"`
	End               EndTold           `json:"end"`
	Verdict           VerdictTold       `json:"verdict"`
	Totals            Totals            `json:"totals"`
	Operations        []OperationTold   `json:"operations"`
	DocumentIssues    []IssueTold       `json:"documentIssues"`
	Dictionaries      []Dictionary      `json:"dictionaries"`
	Learned           []Learned         `json:"learned"`
	KeysUsed          []string          `json:"keysUsed"`
	KeysNotGiven      []string          `json:"keysNotGiven"`
	Unauthorized      UnauthorizedTold  `json:"unauthorized"`
	ToldToWait        *ToldToWait       `json:"toldToWait"` // null when waits are switched off
	Foreseen          *Foreseen         `json:"foreseen"`   // null when what is said of a quota is not obeyed
	Engine            Engine            `json:"engine"`
	Replies           Replies           `json:"replies"`
	ServerErrors      []ServerError     `json:"serverErrors"`
	FaultsByCategory  []CategoryFaults  `json:"faultsByCategory"`
	FaultsByStatus    []StatusFaults    `json:"faultsByStatus"`
	FaultsByOperation []OperationFaults `json:"faultsByOperation"`
	Findings          []FindingInFull   `json:"findings"`
	Baseline          *BaselineTold     `json:"baseline,omitempty"` // where known findings were given
	CurlVariables     []CurlVariable    `json:"curlVariables"`
	Unjudged          []ReasonCount     `json:"unjudged"`
	Limits            Limits            `json:"limits"`
	Settings          []SettingLine     `json:"settings"`
	OwnFailures       []OwnFailure      `json:"ownFailures"`
	Probes            *Probes           `json:"probes,omitempty"`    // where security probes were to be sent
	CleanUp           *CleanUp          `json:"cleanUp,omitempty"`   // where the run made something it knew how to delete
	Simulated         *Simulated        `json:"simulated,omitempty"` // for a run on paper alone
}

// IsReport says whether it is of the format that this tool writes.
func (told *Report) IsReport() bool { return told.Format == reportFormat }

// Catalogue names the fault catalogue, since codes mean something else in its other versions.
type Catalogue struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// API is what was tested.
type API struct {
	Title      string `json:"title"`
	Version    string `json:"version"`
	Dialect    string `json:"dialect"`
	Source     string `json:"source"`
	Address    string `json:"address"`
	Operations int    `json:"operations"`
}

// Run is when the run was, and how it went over time.
type Run struct {
	Started     string   `json:"started"`
	Ended       string   `json:"ended"`
	Budget      string   `json:"budget"`
	Seed        uint64   `json:"seed,string"`
	BucketWidth string   `json:"bucketWidth"`
	OverTime    []Bucket `json:"overTime"`
	// Waits are the times through which somebody was left alone, as the API asked or had said that nothing was left, by
	// when they began; of very many the longest.
	Waits []WaitTold `json:"waits"`
}

// Bucket counts the requests that went out in one stretch of the run, by how they ended. InFlight is how many were under
// way in it, on average.
type Bucket struct {
	At       string  `json:"at"`
	Requests int64   `json:"requests"`
	ByClass  Classes `json:"byClass"`
	NoReply  int64   `json:"noReply"`
	InFlight float64 `json:"inFlight"`
}

// WaitTold is a time through which an operation, or the whole API, was left alone: how long after the run's start it
// began and ended. Operation is empty for the whole API; Foreseen is true where nobody asked for it.
type WaitTold struct {
	Operation string `json:"operation"`
	From      string `json:"from"`
	Until     string `json:"until"`
	Foreseen  bool   `json:"foreseen"`
}

// EndTold is why sending stopped.
type EndTold struct {
	Why    string `json:"why"`
	After  string `json:"after"`
	Reason string `json:"reason"`
}

// VerdictTold is how the run ended.
type VerdictTold struct {
	Word     string `json:"word"`
	ExitCode int    `json:"exitCode"`
	Meaning  string `json:"meaning"`
	Sentence string `json:"sentence"`
}

// Classes counts replies by the first digit of their status; Other are those outside 100-599.
type Classes struct {
	C1xx  int64 `json:"1xx"`
	C2xx  int64 `json:"2xx"`
	C3xx  int64 `json:"3xx"`
	C4xx  int64 `json:"4xx"`
	C5xx  int64 `json:"5xx"`
	Other int64 `json:"other"`
}

// Totals are a run's sums. Errors and Warnings count different findings, Seen each time one was seen.
type Totals struct {
	Requests  int64   `json:"requests"`
	Answered  int64   `json:"answered"`
	NoReply   int64   `json:"noReply"`
	NeverSent int64   `json:"neverSent"`
	Refused   int64   `json:"refused"`
	Redirects int64   `json:"redirects"`
	ByClass   Classes `json:"byClass"`
	// Errors and Warnings are the different ones that count. Known and Doubtful do not: those of the baseline, and errors
	// that were not certain and that no re-check showed again.
	Errors   int64 `json:"errors"`
	Warnings int64 `json:"warnings"`
	Known    int64 `json:"known"`
	Doubtful int64 `json:"doubtful"`
	Seen     int64 `json:"seen"`
}

// OperationTold is what became of an operation. State is "tested" (it was answered), "notReached", "notTestable",
// or "leftAlone" by the plan.
type OperationTold struct {
	ID        string        `json:"id"`
	Method    string        `json:"method"`
	Path      string        `json:"path"`
	State     string        `json:"state"`
	Why       string        `json:"why,omitempty"`
	Requests  int64         `json:"requests"`
	ByClass   Classes       `json:"byClass"`
	ByStatus  []StatusCount `json:"byStatus"`
	NoReply   int64         `json:"noReply"`
	NeverSent int64         `json:"neverSent"`
	Refused   int64         `json:"refused"`
	Waits     int           `json:"waits"`
	Declared  PlaceTold     `json:"declared"`
	// ResponseTimes is null where there was no reply.
	ResponseTimes *ResponseTimes `json:"responseTimes"`
}

// PlaceTold is where something stands in the document. Line and Column count from 1; 0 where they are not known.
type PlaceTold struct {
	File    string `json:"file"`
	Pointer string `json:"pointer"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

// IssueTold is a problem of the document.
type IssueTold struct {
	File     string `json:"file"`
	Pointer  string `json:"pointer"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Message  string `json:"message"`
	Severity string `json:"severity"`
}

// UnauthorizedTold says how often the API answered 401.
type UnauthorizedTold struct {
	Replies            int64    `json:"replies"`
	OpeningLap         int64    `json:"openingLap"` // replies to it
	OpeningLapRefused  int64    `json:"openingLapRefused"`
	EndedTheRun        bool     `json:"endedTheRun"`
	OperationsWithOnly []string `json:"operationsWithOnly401"`
	// SignIns are how the run's sign-ins went (decision 0019).
	SignIns []SignInTold `json:"signIns,omitempty"`
}

// ToldToWait says who was told to wait (ADR-0042 §6).
type ToldToWait struct {
	Idle       string          `json:"idle"`
	WholeAPI   Held            `json:"wholeApi"`
	Operations []OperationWait `json:"operations"`
}

// Held is how the whole API was held.
type Held struct {
	Times  int    `json:"times"`
	Stated int    `json:"stated"`
	Lasted string `json:"lasted"`
}

// OperationWait is how one operation was told to wait.
type OperationWait struct {
	Operation    string `json:"operation"`
	Waits        int    `json:"waits"`
	Stated       int    `json:"stated"`
	Lasted       string `json:"lasted"`
	TurnsSkipped int64  `json:"turnsSkipped"`
}

// Engine is how the requests went out. RequestsSent counts the redirects followed, too. ShortestGap is null with
// fewer than two requests, PromisedInterval and the turns are null with no rate.
type Engine struct {
	RequestsSent         int64   `json:"requestsSent"`
	NeverSent            int64   `json:"neverSent"`
	WallClock            string  `json:"wallClock"`
	Idle                 string  `json:"idle"`
	IdleFraction         float64 `json:"idleFraction"`
	IdleKeepingToTheRate string  `json:"idleKeepingToTheRate"`
	ShortestGap          *string `json:"shortestGap"`
	PromisedInterval     *string `json:"promisedInterval"`
	TurnsDue             *int64  `json:"turnsDue"`
	TurnsUsed            *int64  `json:"turnsUsed"`
	PeakConcurrency      int     `json:"peakConcurrency"`
	ConcurrencyLimit     int     `json:"concurrencyLimit"`
	MeanResponseTime     string  `json:"meanResponseTime"`

	// Gaps counts the times between two requests, null with no rate.
	Gaps []LengthCount `json:"gaps"`
	// ResponseTimes is null where there was no reply, and ResponseTimesSpread counts them by their length.
	ResponseTimes       *ResponseTimes `json:"responseTimes"`
	ResponseTimesSpread []LengthCount  `json:"responseTimesSpread"`

	OperationRates []OperationRate `json:"operationRates"`
}

// Replies counts the replies; ByStatus has the commonest first.
type Replies struct {
	ByClass  Classes       `json:"byClass"`
	ByStatus []StatusCount `json:"byStatus"`
}

// StatusCount is how often a status came.
type StatusCount struct {
	Status int   `json:"status"`
	Count  int64 `json:"count"`
}

// ServerError is a status of 500 to 599 that an operation answered.
type ServerError struct {
	Operation string `json:"operation"`
	Status    int    `json:"status"`
	Count     int64  `json:"count"`
}

// CategoryFaults counts what was seen of one code of the catalogue.
type CategoryFaults struct {
	Code             string `json:"code"`
	CatalogueVersion string `json:"catalogueVersion"`
	Name             string `json:"name"`
	Errors           int64  `json:"errors"`
	Warnings         int64  `json:"warnings"`
}

// StatusFaults counts what was seen in replies of one status; 0 stands for no reply.
type StatusFaults struct {
	Status   int   `json:"status"`
	Errors   int64 `json:"errors"`
	Warnings int64 `json:"warnings"`
}

// OperationFaults counts what was seen at one operation.
type OperationFaults struct {
	Operation string `json:"operation"`
	Errors    int64  `json:"errors"`
	Warnings  int64  `json:"warnings"`
	FirstSeen string `json:"firstSeen"`
	LastSeen  string `json:"lastSeen"`
}

// FindingInFull is one fault with the smallest exchange that showed it. Its id is the same in every run that finds it.
type FindingInFull struct {
	ID               string `json:"id"`
	Code             string `json:"code"`
	CatalogueVersion string `json:"catalogueVersion"`
	Title            string `json:"title"`
	Level            string `json:"level"`
	Certainty        string `json:"certainty"`
	Status           int    `json:"status"` // 0: no reply
	// Recheck says what became of it when its request was sent again; Known is set where it is known already.
	Recheck RecheckTold `json:"recheck"`
	Known   *KnownTold  `json:"known,omitempty"`
	// SharedBy counts the other operations with the same code, status and cause.
	SharedBy  int    `json:"sharedBy"`
	Count     int64  `json:"count"`
	FirstSeen string `json:"firstSeen"`
	LastSeen  string `json:"lastSeen"`
	LastSeq   int64  `json:"lastSeq"`
	Expected  string `json:"expected"`
	Got       string `json:"got"`
	Place     string `json:"place"`
	Curl      string `json:"curl"`
	CurlNote  string `json:"curlNote,omitempty"`
	Again     *Again `json:"again"`
	// Steps are to be sent before it, the first first, where it is about what they make.
	Steps []StepTold `json:"steps,omitempty"`
	// First is the exchange that showed it first, where a smaller one is shown.
	First *ExchangeTold `json:"first,omitempty"`
	*ExchangeTold
}

// Counts says whether the finding has a say in the verdict: it is none of the baseline's, no opinion, and no error that
// was not certain and that no re-check showed again (decision 0022).
func (f *FindingInFull) Counts() bool {
	doubtful := f.Level == "error" && f.Certainty != certaintyWord(messages.Certain) && f.Recheck.State == stateWords[gone]
	return f.Known == nil && f.Certainty != certaintyWord(messages.Opinion) && !doubtful
}

// Standing says how sure the finding is, what came of sending it again, and whether it is known, for a person.
func (f *FindingInFull) Standing() string {
	words := f.Certainty
	if f.Recheck.State != "" {
		words += ", " + rechecked{f.Recheck.Shown, f.Recheck.Answers}.words()
	}
	if f.Known != nil {
		words += ", known"
		if f.Known.Reason != "" {
			words += ": " + strings.Join(strings.Fields(f.Known.Reason), " ")
		}
	}
	return words
}

// StepTold is a request that makes, or changes, what a finding is about. Made is the path of what it made in the run, ""
// for nothing: where the requests after it lead there, they are to lead to what it makes now. Place is where its reply
// says that, "Location" or as a JSON pointer to the name at its end; "" where it does not.
type StepTold struct {
	Operation string `json:"operation"`
	Again
	Made  Text `json:"made,omitempty"`
	Place Text `json:"place,omitempty"`
	// Probe is the kind of security probe that it is, "" for none.
	Probe string `json:"probe,omitempty"`
	// User is whose credentials it carries, where there are several users.
	User Text `json:"user,omitempty"`
	// Ahead is true where it comes before the series that the finding's request is in, and is no step of it.
	Ahead bool `json:"ahead,omitempty"`
}

// Again is what to send to see a finding again. A key stands in it as ${NAME}, one of the report's curlVariables. Named are
// the places where names of things stand that steps before it made, Fresh those of texts that have to be new each time.
type Again struct {
	Method Text        `json:"method"`
	URL    Text        `json:"url"`
	Header [][2]Text   `json:"header"`
	Body   *Content    `json:"body,omitempty"`
	Named  []NamedTold `json:"named,omitempty"`
	Fresh  []Text      `json:"fresh,omitempty"`
}

// NamedTold is a place, such as "body.lines[].book", and the path of the thing whose name stands there.
type NamedTold struct {
	Place Text `json:"place"`
	Made  Text `json:"made"`
}

// CurlVariable is a shell variable that the curl commands take a key from.
type CurlVariable struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

// ReasonCount is how many replies could not be judged against the document for one reason.
type ReasonCount struct {
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
}

// Limits are the bounds of the report, and what they have left out.
type Limits struct {
	MostFindings          int   `json:"mostFindings"`
	LongestBodyKept       int64 `json:"longestBodyKept"`
	ErrorsLeftOut         int64 `json:"errorsLeftOut"`
	WarningsLeftOut       int64 `json:"warningsLeftOut"`
	DocumentIssuesLeftOut int   `json:"documentIssuesLeftOut"`
	WaitsLeftOut          int64 `json:"waitsLeftOut"`
}

// OwnFailure is something that went wrong in the tool itself.
type OwnFailure struct {
	Message string `json:"message"`
	Count   int64  `json:"count"`
}

// report is the run as it stands, for report.json.
func (r *Reporter) report() *Report {
	doc, now, v, p := r.cfg.Document, r.ended, r.verdict(), r.paced
	rep := &Report{
		Format:         reportFormat,
		Tool:           r.cfg.Tool,
		FaultCatalogue: Catalogue{catalogueName, catalogueVersion},
		CreatedAt:      timestamp(r.clk.Wall(now)),
		API: API{
			Title: doc.Title, Version: doc.Version, Dialect: doc.Dialect,
			Source: r.mask.Text(r.source()), Address: r.mask.Text(doc.Address), Operations: doc.Declared(),
		},
		Run: Run{
			Started: timestamp(r.cfg.Started), Ended: timestamp(r.clk.Wall(now)),
			Budget: iso(r.cfg.Budget), Seed: r.cfg.Seed,
			BucketWidth: iso(r.tally.time.width), OverTime: []Bucket{}, Waits: []WaitTold{},
		},
		CutShort: r.cutShort(),
		End: EndTold{
			Why: endWord(p.End), After: iso(time.Duration(p.StoppedAt)),
			Reason: r.mask.Text(clip(p.Reason, longestWords)),
		},
		Verdict:           VerdictTold{v.word, v.exit, Meaning(v.exit), v.sentence},
		Totals:            r.totals(),
		Operations:        []OperationTold{},
		DocumentIssues:    []IssueTold{},
		Dictionaries:      r.dictionariesTold(),
		Learned:           r.learnedTold(),
		KeysUsed:          append([]string{}, r.cfg.KeysUsed...),
		KeysNotGiven:      append([]string{}, r.cfg.KeysMissing...),
		ToldToWait:        r.toldToWait(),
		Foreseen:          r.foreseen(),
		Engine:            r.engine(),
		Replies:           Replies{classesOf(&r.tally.all), statusesOf(r.tally.statuses)},
		ServerErrors:      []ServerError{},
		FaultsByCategory:  []CategoryFaults{},
		FaultsByStatus:    []StatusFaults{},
		FaultsByOperation: []OperationFaults{},
		Findings:          []FindingInFull{},
		Baseline:          r.baseline(),
		CurlVariables:     []CurlVariable{},
		Unjudged:          []ReasonCount{},
		Limits: Limits{
			MostFindings:          r.gathered.most,
			LongestBodyKept:       r.cfg.Settings.Report.LongestBodyKept,
			ErrorsLeftOut:         r.gathered.left.errors,
			WarningsLeftOut:       r.gathered.left.warnings,
			DocumentIssuesLeftOut: max(len(doc.Issues)-mostIssuesTold, 0),
			WaitsLeftOut:          p.SpellsLeft,
		},
		Settings:    r.settingLines(),
		OwnFailures: r.ownFailures(),
		Unauthorized: UnauthorizedTold{
			Replies: r.tally.unauthorized, OpeningLap: r.tally.lap, OpeningLapRefused: r.tally.lapUnauthorized,
			EndedTheRun: p.End == messages.Unauthorized, OperationsWithOnly: []string{},
			SignIns: r.signInTold(),
		},
	}
	rep.CleanUp, rep.Probes = r.cleanUp(), r.probesTold()
	if r.cfg.Simulated != nil {
		told := r.cfg.Simulated()
		rep.Simulated = &told
	}
	for i, b := range r.tally.time.buckets {
		rep.Run.OverTime = append(rep.Run.OverTime, Bucket{
			At: iso(time.Duration(i) * r.tally.time.width), Requests: b.sent, ByClass: classesOf(&b.counts), NoReply: b.noReply,
			InFlight: math.Round(1000*b.underWay.Seconds()/r.tally.time.width.Seconds()) / 1000,
		})
	}
	for _, s := range p.Spells {
		told := WaitTold{From: iso(time.Duration(s.From)), Until: iso(time.Duration(s.Until)), Foreseen: s.Foreseen}
		if s.Operation >= 0 {
			told.Operation = doc.Operations[s.Operation].ID
		}
		rep.Run.Waits = append(rep.Run.Waits, told)
	}
	r.reportOperations(rep)
	for _, issue := range doc.Issues[:min(len(doc.Issues), mostIssuesTold)] {
		at := issue.Place
		rep.DocumentIssues = append(rep.DocumentIssues, IssueTold{
			r.mask.Text(at.File), at.Pointer, at.Line, at.Column, r.mask.Text(issue.Message), issue.Severity,
		})
	}
	r.reportFaults(rep)
	var commands strings.Builder
	for _, f := range r.gathered.groups {
		commands.WriteString(f.sent.keys())
	}
	rep.CurlVariables = append(rep.CurlVariables, r.variablesIn(commands.String())...)
	for _, reason := range commonest(r.tally.unjudged) {
		rep.Unjudged = append(rep.Unjudged, ReasonCount{r.mask.Text(reason), r.tally.unjudged[reason]})
	}
	return rep
}

func (r *Reporter) ownFailures() []OwnFailure {
	told := []OwnFailure{}
	for _, f := range r.failures.lines {
		told = append(told, OwnFailure{f.text, f.count})
	}
	if n := r.failures.more; n > 0 {
		told = append(told, OwnFailure{"other failures", n})
	}
	return told
}

// reportOperations tells what became of each operation.
func (r *Reporter) reportOperations(rep *Report) {
	waits := map[int]int{}
	for _, w := range r.paced.Waits {
		waits[w.Operation] = w.Times
	}
	for _, op := range r.cfg.Document.Operations {
		if op.SignIn {
			continue
		}
		t := &r.tally.operations[op.Index]
		told := OperationTold{
			ID: op.ID, Method: op.Method, Path: op.Path, State: "tested",
			Requests: t.sent, ByClass: classesOf(&t.counts), ByStatus: statusesOf(t.statuses),
			NoReply: t.noReply, NeverSent: t.neverSent, Refused: t.refused, Waits: waits[op.Index],
			Declared:      PlaceTold{r.mask.Text(op.Place.File), op.Place.Pointer, op.Place.Line, op.Place.Column},
			ResponseTimes: t.answeredIn.told(),
		}
		if t.answered() == 0 {
			told.State = "notReached"
			if told.Why = r.untestable[op.Index]; told.Why != "" {
				told.State = "notTestable"
				if r.leftAlone[op.Index] {
					told.State = "leftAlone"
				}
			}
		}
		rep.Operations = append(rep.Operations, told)
		for _, status := range slices.Sorted(maps.Keys(t.statuses)) {
			if class(status) == 5 {
				rep.ServerErrors = append(rep.ServerErrors, ServerError{op.ID, status, t.statuses[status]})
			}
		}
		if n := t.statuses[401]; n > 0 && n == t.answered() {
			rep.Unauthorized.OperationsWithOnly = append(rep.Unauthorized.OperationsWithOnly, op.ID)
		}
	}
}

// reportFaults tells the findings, and their sums.
func (r *Reporter) reportFaults(rep *Report) {
	g := &r.gathered
	id := func(operation int) string { return r.cfg.Document.Operations[operation].ID }
	for _, code := range slices.Sorted(maps.Keys(g.byCode)) {
		n := g.byCode[code]
		rep.FaultsByCategory = append(rep.FaultsByCategory, CategoryFaults{
			faultCode(code), catalogueVersion, faultName(code), n.errors, n.warnings,
		})
	}
	for _, status := range slices.Sorted(maps.Keys(g.byStatus)) {
		n := g.byStatus[status]
		rep.FaultsByStatus = append(rep.FaultsByStatus, StatusFaults{status, n.errors, n.warnings})
	}
	for _, operation := range slices.Sorted(maps.Keys(g.byOperation)) {
		s := g.byOperation[operation]
		rep.FaultsByOperation = append(rep.FaultsByOperation, OperationFaults{
			id(operation), s.errors, s.warnings, r.moment(s.first), r.moment(s.last),
		})
	}
	sorted := g.sorted()
	causes := byCause(sorted)
	for _, f := range sorted {
		rep.Findings = append(rep.Findings, FindingInFull{
			ID: f.id(id(f.operation)), Code: faultCode(f.code), CatalogueVersion: catalogueVersion,
			Title: f.title, Level: f.level(), Certainty: certaintyWord(f.certainty),
			Recheck: RecheckTold{stateWords[f.state()], f.shown, f.answers, f.firstExchange != nil},
			Known:   f.known.told(), SharedBy: len(causes[f.shared()]) - 1,
			Status: f.status, Count: f.count,
			FirstSeen: r.moment(f.first), LastSeen: r.moment(f.last), LastSeq: f.lastSeq,
			Expected: f.expected, Got: f.got, Place: f.place,
			Curl: f.sent.curl.line, CurlNote: f.sent.curl.note, Again: f.sent.again, Steps: f.sent.steps,
			First: f.firstExchange, ExchangeTold: f.exchange,
		})
	}
}

func (r *Reporter) moment(t messages.Instant) string { return timestamp(r.clk.Wall(t)) }

func (r *Reporter) totals() Totals {
	all, n := &r.tally.all, r.gathered.counted()
	return Totals{
		Requests: all.sent, Answered: all.answered(), NoReply: all.noReply, NeverSent: all.neverSent,
		Refused: all.refused, Redirects: r.tally.hops, ByClass: classesOf(all),
		Errors: n.errors, Warnings: n.warnings, Known: n.known, Doubtful: n.doubtful,
		Seen: r.gathered.total.errors + r.gathered.total.warnings,
	}
}

func (r *Reporter) toldToWait() *ToldToWait {
	p := r.paced
	if !p.Waiting {
		return nil
	}
	told := &ToldToWait{
		Idle:       iso(p.IdleAsked),
		WholeAPI:   Held{p.WholeAPI.Times, p.WholeAPI.Stated, iso(p.WholeAPI.Lasted)},
		Operations: []OperationWait{},
	}
	for _, w := range p.Waits {
		if w.Times > 0 {
			told.Operations = append(told.Operations, OperationWait{
				r.cfg.Document.Operations[w.Operation].ID, w.Times, w.Stated, iso(w.Lasted), w.Skipped,
			})
		}
	}
	return told
}

func (r *Reporter) engine() Engine {
	p := r.paced
	wall := time.Duration(p.StoppedAt)
	e := Engine{
		RequestsSent: p.Sent, NeverSent: p.Dropped,
		WallClock: iso(wall), Idle: iso(p.Idle), IdleKeepingToTheRate: iso(p.IdleRate),
		PeakConcurrency: p.PeakInFlight, ConcurrencyLimit: r.cfg.Settings.Engine.MaxConcurrency,
		MeanResponseTime: iso(r.tally.answeredIn.mean()), OperationRates: r.operationRates(),
		ResponseTimes: r.tally.answeredIn.told(), ResponseTimesSpread: r.tally.answeredIn.spread(),
	}
	for i, g := range p.Gaps {
		told := LengthCount{From: iso(g.Least), Count: g.Count}
		if i+1 < len(p.Gaps) {
			told.Until = iso(p.Gaps[i+1].Least)
		}
		e.Gaps = append(e.Gaps, told)
	}
	if wall > 0 {
		e.IdleFraction = min(max(p.Idle.Seconds()/wall.Seconds(), 0), 1)
	}
	if p.ShortestGap >= 0 {
		shortest := iso(p.ShortestGap)
		e.ShortestGap = &shortest
	}
	if p.Interval > 0 {
		promised := iso(p.Interval)
		e.PromisedInterval, e.TurnsDue, e.TurnsUsed = &promised, &p.TurnsDue, &p.TurnsUsed
	}
	return e
}

func classesOf(c *counts) Classes {
	return Classes{
		C1xx: c.classes[1], C2xx: c.classes[2], C3xx: c.classes[3], C4xx: c.classes[4], C5xx: c.classes[5],
		Other: c.classes[0],
	}
}

// statusesOf lists the statuses, the commonest first.
func statusesOf(m map[int]int64) []StatusCount {
	told := make([]StatusCount, 0, len(m))
	for _, status := range slices.Sorted(maps.Keys(m)) {
		told = append(told, StatusCount{status, m[status]})
	}
	slices.SortStableFunc(told, func(a, b StatusCount) int { return cmp.Compare(b.Count, a.Count) })
	return told
}
