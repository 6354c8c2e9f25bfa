// Package reporter tells what a run found: it counts every exchange, records it, gathers the findings, shows how the
// run is going, and writes the summary and the report at its end.
package reporter

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
	testplan "github.com/restest/restest/settings/plan"
)

// The names of the files a run writes.
const (
	ReportName    = "report.json"
	RecordingName = "run.ndjson.zst"
)

// Config is what a reporter is given.
type Config struct {
	Document *document.Document
	Settings settings.Settings
	// Values are all the settings with where each came from.
	Values []settings.Value
	Tool   Tool
	// Source is the document as it was named on the command line; URL the API's address as it was, "" for none.
	Source string
	URL    string
	// Files are the document's files, for the recording.
	Files *Files
	// LastWrite is the moment of the last write to the API before the run; negative if there was none.
	LastWrite clock.Instant
	Seed      uint64
	Budget    time.Duration
	Mask      *credentials.Mask
	// KeysUsed and KeysMissing are names of security schemes or places, never the keys themselves.
	KeysUsed, KeysMissing []string
	// SignIns are the run's sign-ins, Plan how they go, for the recording, as credentials write it.
	SignIns []SignIn
	Plan    json.RawMessage
	// Dictionaries are those that values were taken from.
	Dictionaries []Dictionary
	// Known are findings that do not count; nil where no list of them was given.
	Known []Known
	// Probes are the kinds of security probes that are sent, nil where none are.
	Probes *Probes
	// Unbuildable are operations the document allows and the generator cannot build a request for.
	Unbuildable []Unbuildable
	// LeftAlone are the operations that the plan leaves alone, TestPlan is the plan that was given, as a file; "" for none.
	LeftAlone []int
	TestPlan  string
	// Out is where the files go; nil: none are written.
	Out Directory
	// Formats are what the report is written as besides report.json.
	Formats []Format
	// Live is where the run is told about as it goes, the standard error as a rule; nil: nowhere. LiveTTY says that
	// it is a terminal, Width how many columns that has (0: 80), Height how many lines (0: not known), Color and UTF8 what it can show.
	Live    io.Writer
	LiveTTY bool
	Width   int
	Height  int
	Color   bool
	UTF8    bool
	// Quiet keeps everything from Live; the summary is made all the same.
	Quiet bool
	// Notes are lines to say before anything is sent.
	Notes []string
	// Started is the wall time the run began at; the zero Time: that of the clock's moment 0.
	Started time.Time
	// Logger makes the logger, given where its lines go; nil: nothing is logged. Its hooks must not read the time
	// themselves: the run has a clock.
	Logger func(io.Writer) zerolog.Logger
	// Done is called once, after the last file is written.
	Done func()
	// Heard is told each exchange and what the checks say of it; nil: nobody is.
	Heard func(*messages.Judged)
	// Simulated says, at the end, what a run on paper was answered by; nil for a run that tests an API.
	Simulated func() Simulated
	// Recorded opens the recording that the run is told from, nil for a run that is told as it goes (decision 0023).
	Recorded func() (io.ReadCloser, error)
}

// Format is one more file that the report is written as.
type Format struct {
	// Name is what the settings call it, File the name of what it writes.
	Name, File string
	// Write writes all of it. Neither the report nor the exchanges hold a key.
	Write func(w io.Writer, told *Report, exchanges Exchanges) error
}

// Exchanges gives f every exchange of a run in the order they ended; those of its findings alone where the run was not
// recorded.
type Exchanges func(f func(*ExchangeTold) error) error

// Tool says what made a report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Unbuildable is an operation no request can be built for, and why.
type Unbuildable struct {
	Operation int
	Reason    string
}

// Neighbours are the addresses a reporter writes to.
type Neighbours struct {
	Pacer func(messages.ToPacer)
	Self  func(messages.ToReporter)
}

// Result is how a run ended.
type Result struct {
	// Exit is the exit code, Verdict its word as the report has it, Sentence what it means for this run.
	Exit     int
	Verdict  string
	Sentence string
	// Errors and Warnings count the different findings, not how often each was seen.
	Errors, Warnings int64
	// Summary is what to print on the standard output.
	Summary string
	// Report is what report.json holds, nil where none was written.
	Report *Report
	// CleanUp is what became of the things that it made, nil where it made none.
	CleanUp *CleanUp
	// SignIns are how its sign-ins went.
	SignIns []SignInTold
	// Totals are the run's sums, Paced how it went as the pacer told at its end.
	Totals Totals
	Paced  *messages.Paced
	// Simulated is what answered a run on paper, nil for a run that tests an API.
	Simulated *Simulated
}

// Stopped is the cause to Finish a run with that a signal cut short, so that it is not taken for a failure of the tool.
type Stopped struct{ By messages.End }

func (s Stopped) Error() string { return "stopped by " + endWord(s.By) }

// Reporter is the fifth stage.
type Reporter struct {
	cfg  Config
	clk  clock.Clock
	to   Neighbours
	mask *credentials.Mask
	log  zerolog.Logger

	untestable map[int]string
	signIns    []signInTally
	leftAlone  map[int]bool // those of them that the plan leaves alone

	tally      tally
	gathered   gathered
	together   together
	belongings belongings
	learned    learned
	probes     map[messages.Probe]int64 // how many were sent
	failures   failures

	recording *recording
	recorded  bool     // there is a recording, whole or not
	reported  bool     // the report was written
	written   []string // the files it was written as besides
	screen    *screen
	live      live
	paced     *messages.Paced
	asked     bool // an Ask has not been answered yet
	cancel    func()

	// retold is the recorded exchange that is being told again, variables those that its curl lines and the others' use,
	// ending the recording's last line.
	retold    *retold
	variables []VariableLine
	ending    *EndLine

	finished bool
	ended    messages.Instant
	result   Result
}

// New makes a reporter; nothing is written before Begin.
func New(cfg Config, clk clock.Clock, to Neighbours) *Reporter {
	if cfg.Started.IsZero() {
		cfg.Started = clk.Wall(0)
	}
	if cfg.Width <= 0 {
		cfg.Width = 80
	}
	if cfg.Live == nil {
		cfg.Live = io.Discard
	}
	r := &Reporter{
		cfg: cfg, clk: clk, to: to, mask: cfg.Mask,
		untestable: map[int]string{}, leftAlone: map[int]bool{}, probes: map[messages.Probe]int64{},
		signIns:  make([]signInTally, len(cfg.SignIns)),
		tally:    newTally(len(cfg.Document.Operations)),
		gathered: newGathered(cfg.Settings.Report.MostFindings),
		screen:   &screen{w: cfg.Live, tty: cfg.LiveTTY},
		cancel:   func() {},
		log:      zerolog.Nop(),
	}
	if cfg.Logger != nil {
		r.log = cfg.Logger(r.screen).Hook(zerolog.HookFunc(func(e *zerolog.Event, _ zerolog.Level, _ string) {
			e.Dur("at", time.Duration(clk.Now()))
		}))
	}
	for _, op := range cfg.Document.Operations {
		if op.Untestable != "" && !op.SignIn {
			r.untestable[op.Index] = r.mask.Text(op.Untestable)
		}
	}
	for _, u := range cfg.Unbuildable {
		r.untestable[u.Operation] = r.mask.Text(u.Reason)
	}
	for _, i := range cfg.LeftAlone {
		if r.untestable[i] == "" {
			r.untestable[i], r.leftAlone[i] = testplan.Reason, true
		}
	}
	return r
}

// Log is where log lines can be written while the run is shown: each goes above the live line instead of into it.
// Unlike the rest of a Reporter it may be used by any goroutine.
func (r *Reporter) Log() io.Writer { return r.screen }

// Begin says what will be done, opens the recording, and starts the ticks.
func (r *Reporter) Begin() {
	r.say(r.opening())
	if r.cfg.Out != nil && r.cfg.Settings.Report.Recording {
		rec, err := newRecording(r.cfg.Out, r.teller(), r.runLine())
		if err != nil {
			r.failures.add(r.mask.Text(err.Error()))
		} else {
			r.recording, r.recorded = rec, true
		}
	}
	r.plan()
}

// Handle hears one message. It waits for nothing but the disk, which is meant to slow the run down when it is slow.
func (r *Reporter) Handle(m messages.ToReporter) {
	if r.finished {
		return
	}
	switch m := m.(type) {
	case *messages.Judged:
		r.judged(m)
	case *messages.Paced:
		r.paced, r.asked = m, false
		if m.Over {
			r.Finish(nil)
			return
		}
		r.show()
	case messages.Things:
		r.belongings.add(m)
	case messages.Tick:
		r.tick()
	}
}

// judged accounts for an exchange, and gives its slot back when nothing is left to do for it.
func (r *Reporter) judged(j *messages.Judged) {
	r.signedIn(j)
	r.tally.add(j)
	r.probed(j.Exchange)
	r.listen(j.Exchange)
	r.learned.add(r.cfg.Dictionaries, j.Exchange)
	r.belongings.judged(j.Exchange)
	for i := range j.Findings {
		r.found(j.Exchange, &j.Findings[i])
	}
	r.together.add(j)
	r.rechecked(j)
	if r.cfg.Heard != nil {
		r.cfg.Heard(j)
	}
	for _, line := range j.Broken {
		line = r.mask.Text(line)
		r.failures.add(line)
		r.log.Error().Msg(line)
	}
	if e := r.log.Debug(); e.Enabled() {
		r.logExchange(e, j)
	}
	if r.recording != nil {
		r.keepRecording(r.recording.add(j, r.sent, r.clk.Now()))
	}
	r.to.Pacer(messages.Slot{Slot: j.Exchange.Slot, Open: j.Exchange.Open})
}

// logExchange logs how a request ended.
func (r *Reporter) logExchange(e *zerolog.Event, j *messages.Judged) {
	ex := j.Exchange
	e = e.Int64("seq", ex.Request.Seq).Str("operation", r.cfg.Document.Operations[ex.Request.Operation].ID).
		Str("method", ex.Request.Method).Str("target", r.mask.Text(ex.Request.Target))
	if ex.Reply != nil {
		e = e.Int("status", ex.Reply.Status)
	}
	if ex.Failure != "" {
		e = e.Str("failure", r.mask.Text(ex.Failure))
	}
	if ex.Outcome != messages.NeverSent {
		e = e.Dur("took", ex.EndedAt.Sub(ex.SentAt))
	}
	e.Int("findings", len(j.Findings)).Msg("exchange")
}

// found gathers a finding, and shows one that is seen for the first time.
func (r *Reporter) found(ex *messages.Exchange, f *messages.Finding) {
	g := r.gathered.add(ex, f)
	if g == nil {
		return
	}
	g.tell(r.teller(), ex, f, r.sent(ex))
	r.know(g)
	if line := r.live.finding(g, r.cfg.Document.Operations[g.operation], r.cfg); line != "" {
		r.say(line)
	}
}

// say writes whole lines where the run is told about as it goes.
func (r *Reporter) say(text string) {
	if !r.cfg.Quiet {
		r.screen.print(text)
	}
}

// keepRecording ends the recording at its first error; what was written stays.
func (r *Reporter) keepRecording(err error) {
	if err == nil {
		return
	}
	r.recording = nil
	line := r.mask.Text("the recording stopped: " + err.Error())
	r.failures.add(line)
	r.log.Error().Msg(line)
}

// tick puts the recording on the disk and asks the pacer how things stand, which is shown when it has answered.
func (r *Reporter) tick() {
	if r.recording != nil {
		r.keepRecording(r.recording.flushIfDue(r.clk.Now()))
	}
	if r.asked {
		r.show() // what was known last is better than nothing
	} else {
		r.asked = true
		r.to.Pacer(messages.Ask{})
	}
	r.plan()
}

// show draws the live line, if it is time to.
func (r *Reporter) show() {
	now := r.clk.Now()
	if !r.live.due(now, r.cfg) {
		return
	}
	line := r.live.line(now, r)
	if r.cfg.LiveTTY {
		r.screen.draw(line)
	} else {
		r.screen.print(line + "\n")
	}
}

// plan asks for the next tick: often enough to show the run and to put the recording on the disk each second.
func (r *Reporter) plan() {
	every := r.live.every(r.cfg)
	r.cancel = r.clk.At(r.clk.Now().Add(min(every, time.Second)), func() { r.to.Self(messages.Tick{}) })
}

// Finish ends the account: the recording and the report are written and the summary is made. It is called by the
// reporter itself when the pacer says that the run is over, and may be called by whoever runs the stages once none of
// them runs any more: with a Stopped after a signal, with any other error after a crash. Only the first call counts;
// each gives the same result.
func (r *Reporter) Finish(cause error) Result {
	if r.finished {
		return r.result
	}
	r.finished, r.ended = true, r.clk.Now()
	r.cancel()
	r.screen.draw("")
	if r.cfg.Done != nil {
		defer r.cfg.Done()
	}
	defer func() {
		if p := recover(); p != nil {
			v := judge(facts{failures: 1, counted: r.gathered.counted()})
			r.result = r.resultOf(v, r.shown(fmt.Sprintf("the summary could not be made: %v", p))+"\n"+v.sentence+"\n")
		}
	}()
	r.blame()
	r.settle(cause)
	if r.recording != nil {
		r.keepRecording(r.recording.end(r.endLine()))
	}
	if r.cfg.Out != nil {
		if err := r.writeReport(); err != nil {
			r.failures.add(r.mask.Text("the report could not be written: " + err.Error()))
		}
	}
	v := r.verdict()
	r.result = r.resultOf(v, r.summary(v))
	return r.result
}

func (r *Reporter) resultOf(v verdict, summary string) Result {
	if r.paced == nil {
		r.paced = &messages.Paced{ShortestGap: -1}
	}
	var told *Simulated
	if r.cfg.Simulated != nil {
		s := r.cfg.Simulated()
		told = &s
	}
	n := r.gathered.counted()
	return Result{
		Exit: v.exit, Verdict: v.word, Sentence: v.sentence,
		Errors: n.errors, Warnings: n.warnings,
		Summary: summary, Report: r.result.Report, CleanUp: r.cleanUp(), SignIns: r.signInTold(), Totals: r.totals(), Paced: r.paced, Simulated: told,
	}
}

// settle makes sure that there is an account of the pacer to report from, and notes what went wrong with the run.
func (r *Reporter) settle(cause error) {
	if r.paced == nil {
		r.paced = &messages.Paced{
			At: r.ended, Sent: r.tally.all.sent, Dropped: r.tally.all.neverSent, ShortestGap: -1,
			Waiting: r.cfg.Settings.Schedule.WaitWhenToldTo,
		}
	} else {
		p := *r.paced
		r.paced = &p
	}
	var stopped Stopped
	switch {
	case errors.As(cause, &stopped):
		r.paced.End = stopped.By
	case cause != nil:
		r.failures.add(r.mask.Text(cause.Error()))
		r.paced.End = messages.Failed
	case !r.paced.Over && !interrupted(r.paced.End):
		r.failures.add("the run ended before every request had been accounted for")
		r.paced.End = messages.Failed
	case r.paced.End == messages.Failed:
		reason := r.paced.Reason
		if reason == "" {
			reason = "a part of the tool failed"
		}
		r.failures.add(r.mask.Text(reason))
	}
	if r.paced.StoppedAt <= 0 {
		r.paced.StoppedAt = r.ended
		if r.paced.Over && r.paced.At > 0 {
			r.paced.StoppedAt = r.paced.At
		}
	}
}

// cutShort says that the run did not go to its own end.
func (r *Reporter) cutShort() bool {
	return !r.paced.Over || interrupted(r.paced.End) || r.paced.End == messages.Killed || r.paced.End == messages.Failed
}

func interrupted(e messages.End) bool { return e == messages.Interrupted || e == messages.Terminated }

// writeReport writes report.json, and what else it is asked for as. A panic while one is made is an error like another, so that the summary is still told.
func (r *Reporter) writeReport() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it could not be made: %v", p)
		}
	}()
	told := r.report()
	err = r.write(ReportName, func(w io.Writer) error { return told.Write(w) })
	if r.reported = err == nil; r.reported {
		r.result.Report = told
	}
	for _, f := range r.cfg.Formats {
		if e := r.write(f.File, func(w io.Writer) error { return f.Write(w, told, r.exchanges(told)) }); e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", f.File, e))
		} else {
			r.written = append(r.written, f.File)
		}
	}
	return err
}

// Write writes the report as JSON.
func (told *Report) Write(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(told)
}

// exchanges are those of the recording, read back, or else those that show the findings.
func (r *Reporter) exchanges(told *Report) Exchanges {
	return func(f func(*ExchangeTold) error) error {
		open := r.cfg.Recorded
		if folder, ok := r.cfg.Out.(interface {
			Open(name string) (io.ReadCloser, error)
		}); ok && r.recorded {
			open = func() (io.ReadCloser, error) { return folder.Open(RecordingName) }
		}
		if open == nil {
			for i := range told.Findings {
				if err := f(told.Findings[i].ExchangeTold); err != nil {
					return err
				}
			}
			return nil
		}
		file, err := open()
		if err != nil {
			return err
		}
		defer file.Close()
		return ReadRecording(file, func(l Line) error {
			if l.Exchange == nil {
				return nil
			}
			return f(l.Exchange)
		})
	}
}

// write writes a file whole, or none: a part of one would be taken for it.
func (r *Reporter) write(name string, content func(io.Writer) error) (err error) {
	file, err := r.cfg.Out.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it could not be made: %v", p)
		}
		err = errors.Join(err, file.Close())
		if d, ok := r.cfg.Out.(interface{ Remove(name string) error }); ok && err != nil {
			err = errors.Join(err, d.Remove(name))
		}
	}()
	w := bufio.NewWriterSize(file, 64<<10)
	return errors.Join(content(w), w.Flush())
}

func (r *Reporter) teller() teller {
	return teller{doc: r.cfg.Document, mask: r.mask, longest: r.cfg.Settings.Report.LongestBodyKept, retold: r.retold}
}

// failures are the tool's own, each once with how often it came.
type failures struct {
	lines []failure
	more  int64 // that came when lines was full
}

type failure struct {
	text  string
	count int64
}

// mostFailures bounds how many different failures of the tool's own are kept.
const mostFailures = 100

func (f *failures) add(text string) {
	text = clip(text, 2000)
	for i := range f.lines {
		if f.lines[i].text == text {
			f.lines[i].count++
			return
		}
	}
	if len(f.lines) == mostFailures {
		f.more++
		return
	}
	f.lines = append(f.lines, failure{text, 1})
}

// screen is where the run is shown: lines that stay, and on a terminal one at its foot that is drawn over and over.
type screen struct {
	mu   sync.Mutex
	w    io.Writer
	tty  bool
	foot string
}

const eraseLine = "\r\x1b[K"

// print writes whole lines above the foot.
func (s *screen) print(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.above(text)
}

// Write is print for log lines.
func (s *screen) Write(p []byte) (int, error) {
	s.print(string(p))
	return len(p), nil
}

func (s *screen) above(text string) {
	if text == "" {
		return
	}
	if s.foot != "" {
		text = eraseLine + text + s.foot
	}
	io.WriteString(s.w, text) // there is nowhere to say that this failed
}

// draw puts the line at the foot, in the place of the one before; an empty one clears it.
func (s *screen) draw(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if line == s.foot || !s.tty {
		return
	}
	s.foot = line
	io.WriteString(s.w, eraseLine+line)
}
