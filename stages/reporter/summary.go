package reporter

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// How much of a long list the summary shows; the report has all.
const (
	mostFindingsTold = 25
	mostNames        = 10
	mostReasonsTold  = 5
	widestName       = 48
)

// summary is the account of the run for people.
func (r *Reporter) summary(v verdict) string {
	s := summary{Reporter: r}
	s.line("%s", r.headline())
	s.replies()
	s.timeSpent()
	s.signedInLines()
	s.probing()
	s.waits()
	s.foreseen()
	s.rate()
	s.ownRates()
	s.taught()
	s.findings()
	s.known()
	s.table()
	s.untested()
	s.cleanedUp(s.cleanUp())
	s.failed()
	s.simulated()
	s.next()
	s.files()
	s.section()
	s.line("%s", v.sentence)
	s.line("exit code %d (%s)", v.exit, nameOf(v.exit))
	return s.b.String()
}

type summary struct {
	*Reporter
	b strings.Builder
}

// line writes a line. What is in it may come from the API or the document.
func (s *summary) line(format string, args ...any) {
	s.b.WriteString(s.shown(fmt.Sprintf(format, args...)) + "\n")
}

// section leaves a line empty, once.
func (s *summary) section() {
	if !strings.HasSuffix(s.b.String(), "\n\n") {
		s.b.WriteString("\n")
	}
}

// headline is the first line: how much was sent in what time, and how much of that was idle and why.
func (r *Reporter) headline() string {
	touched := 0
	for i := range r.tally.operations {
		if r.tally.operations[i].sent > 0 {
			touched++
		}
	}
	idle, asked, rate := idleShares(r.paced)
	var parts []string
	if asked > 0 {
		parts = append(parts, fmt.Sprintf("%d%% waiting as the API asked", asked))
	}
	if rate > 0 {
		parts = append(parts, fmt.Sprintf("%d%% keeping to the rate it was given", rate))
	}
	line := fmt.Sprintf("%s to %s in %s, %d%% of it idle", plural(r.tally.all.sent, "request"),
		plural(int64(touched), "operation"), seconds(time.Duration(r.paced.StoppedAt)), idle)
	if len(parts) > 0 {
		line += " (" + strings.Join(parts, ", ") + ")"
	}
	return line
}

// idleShares are the idle time and its two parts in percent of the time until sending stopped. The parts can overlap
// (ADR-0043 §5); here what both claim is the API's, so that they never add up to more than the whole.
func idleShares(p *messages.Paced) (idle, asked, rate int) {
	wall := time.Duration(p.StoppedAt)
	idle = percent(p.Idle, wall)
	asked = min(percent(p.IdleAsked, wall), idle)
	rate = min(percent(p.IdleRate, wall), idle-asked)
	return idle, asked, rate
}

func (s *summary) replies() {
	all := &s.tally.all
	words := classWords(all)
	if len(words) == 0 {
		words = []string{"none"}
	}
	if all.neverSent > 0 {
		words = append(words, "never sent "+number(all.neverSent))
	}
	s.line("replies: %s", strings.Join(words, ", "))
	if s.tally.hops > 0 {
		s.line("redirects followed, besides: %s", number(s.tally.hops))
	}
	if words := stopWords(s.paced); words != "" && (s.paced.End != messages.Unauthorized || s.signInFailed() == "") {
		s.line("sending stopped after %s: %s", seconds(time.Duration(s.paced.StoppedAt)), words)
	}
}

// stopWords say why sending stopped before the run's time was up, "" if it did not.
func stopWords(p *messages.Paced) string {
	words := ""
	switch p.End {
	case messages.NotEnded, messages.DeadlineCame:
		return ""
	case messages.Interrupted:
		words = "Ctrl-C"
	case messages.Terminated:
		words = "a signal asked the run to end"
	case messages.NothingToSend:
		words = "nothing in the document can be sent"
	case messages.Unauthorized:
		words = "every request of the opening lap was answered 401"
	case messages.HeldToTheEnd:
		words = "the API asked for quiet until after the run's time"
	case messages.Unconnected:
		words = "no connection to the API could be opened any more"
	case messages.Failed:
		words = "the tool failed"
	case messages.Killed:
		words = "the run was killed, and nothing is known of what it did after that"
	}
	if p.Reason != "" {
		words += " (" + clip(p.Reason, 300) + ")"
	}
	return words
}

// waits is the line on who was told to wait.
func (s *summary) waits() {
	if who := s.whoWaited(s.paced.WholeAPI, s.paced.Waits); len(who) > 0 && s.paced.Waiting {
		s.line("told to wait: %s", strings.Join(who, "; "))
	}
}

// whoWaited are the whole API and up to three operations, the longest waits first.
func (s *summary) whoWaited(all messages.Held, waits []messages.Waited) []string {
	var who []string
	if all.Times > 0 {
		who = append(who, "the whole API "+waitWords(all.Times, all.Stated, all.Lasted))
	}
	told := slices.DeleteFunc(slices.Clone(waits), func(w messages.Waited) bool { return w.Times == 0 })
	slices.SortStableFunc(told, func(a, b messages.Waited) int {
		return cmp.Or(cmp.Compare(b.Lasted, a.Lasted), cmp.Compare(a.Operation, b.Operation))
	})
	for i, w := range told {
		if i == 3 {
			return append(who, plural(int64(len(told)-3), "more operation"))
		}
		words := s.cfg.Document.Operations[w.Operation].ID + " " + waitWords(w.Times, w.Stated, w.Lasted)
		if w.Skipped > 0 {
			words += ", " + plural(w.Skipped, "turn") + " skipped"
		}
		who = append(who, words)
	}
	return who
}

func waitWords(times, stated int, lasted time.Duration) string {
	words := plural(int64(times), "time")
	if stated > 0 {
		words += fmt.Sprintf(" (%d stated)", stated)
	}
	return words + " for " + seconds(lasted)
}

// rate says how the promise was kept.
func (s *summary) rate() {
	p := s.paced
	if p.Interval <= 0 {
		return
	}
	promise := rateWords(&s.cfg.Settings.Engine)
	switch turns := fmt.Sprintf("%s of %s used", number(p.TurnsUsed), plural(p.TurnsDue, "turn")); {
	case p.ShortestGap < 0:
		s.line("rate: at most %s; with fewer than two requests there was no gap to keep", promise)
	case p.ShortestGap < p.Interval:
		s.line("rate: %s NOT kept to: the shortest gap was %s, %s is the least; %s", promise, gap(p.ShortestGap), gap(p.Interval), turns)
	default:
		s.line("rate: %s kept to: the shortest gap was %s, %s is the least; %s", promise, gap(p.ShortestGap), gap(p.Interval), turns)
	}
}

// gap is a time between two requests, to the microsecond.
func gap(d time.Duration) string { return d.Round(time.Microsecond).String() }

func (s *summary) findings() {
	g := &s.gathered
	s.section()
	if len(g.groups) == 0 && g.left == (levels{}) {
		s.line("no faults found%s", s.butUnjudged())
		return
	}
	n := g.counted()
	s.line("%s%s:", upper(foundWords(n.errors, n.warnings)), n.besides())
	sorted := g.sorted()
	causes := byCause(sorted)
	// A cause that many operations share is shown once, where it is surest.
	shown := slices.DeleteFunc(sorted, func(f *group) bool {
		same := causes[f.shared()]
		return len(same) >= fewestShared && f != same[0]
	})
	rest := len(shown) - mostFindingsTold
	shown = shown[:min(len(shown), mostFindingsTold)]
	var commands []string
	for _, f := range shown {
		commands = append(commands, f.sent.curl.line)
	}
	if exports := s.exports(commands); len(exports) > 0 {
		s.line("  The commands below need the keys, which are not written here:")
		for _, export := range exports {
			s.line("  %s", export)
		}
	}
	for _, f := range shown {
		s.finding(f, causes[f.shared()])
	}
	if rest > 0 {
		s.section()
		where := "in the report"
		if s.cfg.Out == nil {
			where = "of which no report was written"
		}
		s.line("%s %s", plural(int64(rest), "more finding"), where)
	}
	if n := g.left.errors + g.left.warnings; n > 0 {
		s.line("%s found no room (report.mostFindings)", plural(n, "more finding"))
	}
}

// butUnjudged says how many replies were not judged, and most often why, as the end of a sentence.
func (s *summary) butUnjudged() string {
	var total int64
	for _, n := range s.tally.unjudged {
		total += n
	}
	if total == 0 {
		return ""
	}
	why := clip(commonest(s.tally.unjudged)[0], 300)
	if len(s.tally.unjudged) > 1 {
		why = "most often: " + why
	}
	return fmt.Sprintf("; %s could not be judged against the document (%s)", plural(total, "reply"), why)
}

// finding shows a group, and names the other operations of the same cause where they are not shown themselves.
func (s *summary) finding(g *group, same []*group) {
	op := s.cfg.Document.Operations[g.operation]
	status := "no reply"
	if g.status != 0 {
		status = fmt.Sprintf("status %d", g.status)
	}
	s.section()
	level := g.level()
	if g.certainty != messages.Certain {
		level = certaintyWord(g.certainty) + " " + level
		if g.certainty == messages.Opinion {
			level = "opinion"
		}
	}
	s.line("%s %s: %s", level, faultCode(g.code), clip(g.title, 300))
	s.line("  %s, %s, %s, %s", operationWords(op), status, plural(g.count, "time"), g.words())
	if len(same) >= fewestShared {
		var others []string
		for _, other := range same[1:] {
			others = append(others, s.cfg.Document.Operations[other.operation].ID)
		}
		s.line("  and %s: %s", plural(int64(len(others)), "other operation"), names(others, 5))
	}
	if k := g.known; k != nil {
		line := "  known, so it does not count"
		if k.Reason != "" {
			line += ": " + clip(k.Reason, 300)
		}
		s.line("%s", line)
	}
	if g.expected != "" {
		s.line("  expected: %s", clip(g.expected, 300))
	}
	if g.got != "" {
		s.line("  got:      %s", clip(g.got, 300))
	}
	if g.place != "" {
		s.line("  at:       %s", clip(g.place, 300))
	}
	// The command is in shell's words already and holds nothing that does not print.
	if g.sent.curl.line != "" {
		s.b.WriteString("  " + strings.ReplaceAll(g.sent.curl.line, "\n", "\n  ") + "\n") // a line a request; no text in one has a line of its own
	}
	if g.sent.curl.note != "" {
		s.line("  (%s)", g.sent.curl.note)
	}
}

// operationWords name an operation by its id and by what it is.
func operationWords(op *document.Operation) string {
	is := op.Method + " " + op.Path
	if op.ID == is || op.ID == "" {
		return is
	}
	return fmt.Sprintf("%s (%s)", op.ID, is)
}

// aligned are the lines of a table: the first column to the left, numbers to the right.
func aligned(cells [][]string) []string {
	widths := make([]int, len(cells[0]))
	for _, row := range cells {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, 0, len(cells))
	for _, row := range cells {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

// untested names what the run says little or nothing of.
func (s *summary) untested() {
	c := s.coverage()
	s.section()
	list := func(what string, all []string) {
		if len(all) > 0 {
			s.line("%s: %s: %s", what, plural(int64(len(all)), "operation"), names(all, mostNames))
		}
	}
	if s.tally.all.classes[2] == 0 && s.tally.all.answered() > 0 {
		s.line("no operation was ever answered with success (2xx)")
	}
	list("never answered", c.unreached)
	list("answered nothing but refusals (429, or 503 with Retry-After)", c.refused)
	list("never answered 2xx", c.unsuccessful)
	s.reasons("cannot be tested", "operation", s.untestableReasons())
	if n := len(s.leftAlone); n > 0 {
		s.line("left alone by the plan: %s", plural(int64(n), "operation"))
	}
	s.reasons("replies not judged against the document", "reply", s.tally.unjudged)
	if len(s.cfg.KeysMissing) > 0 {
		s.line("no key was given for: %s", names(s.cfg.KeysMissing, mostNames))
	}
	if n := len(s.cfg.Document.Issues); n > 0 {
		s.line("%s found in the document; to see them: restest document %s", plural(int64(n), "problem"), s.source())
	}
}

// coverage is what became of the operations that could be tested, by their ids.
type coverage struct {
	answered                         int
	unreached, refused, unsuccessful []string
}

func (r *Reporter) coverage() coverage {
	var c coverage
	for _, op := range r.cfg.Document.Operations {
		if op.SignIn {
			continue
		}
		t := &r.tally.operations[op.Index]
		if t.answered() > 0 {
			c.answered++
		}
		switch {
		case t.answered() == 0 && r.untestable[op.Index] == "":
			c.unreached = append(c.unreached, op.ID)
		case t.onlyRefused():
			c.refused = append(c.refused, op.ID)
		case t.answered() > 0 && t.classes[2] == 0:
			c.unsuccessful = append(c.unsuccessful, op.ID)
		}
	}
	return c
}

func (r *Reporter) untestableReasons() map[string]int64 {
	reasons := map[string]int64{}
	for operation, why := range r.untestable {
		if !r.leftAlone[operation] {
			reasons[why]++
		}
	}
	return reasons
}

// reasons lists how many there are of something, and why, the commonest reason first.
func (s *summary) reasons(what, thing string, byReason map[string]int64) {
	if len(byReason) == 0 {
		return
	}
	var total int64
	for _, n := range byReason {
		total += n
	}
	s.line("%s: %s", what, plural(total, thing))
	for i, reason := range commonest(byReason) {
		if i == mostReasonsTold {
			s.line("  and %s", plural(int64(len(byReason)-i), "more reason"))
			break
		}
		s.line("  %s: %s", number(byReason[reason]), clip(reason, 300))
	}
}

// commonest are the keys, those of the largest numbers first.
func commonest(m map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	})
}

func (s *summary) failed() {
	if len(s.failures.lines) == 0 {
		return
	}
	s.section()
	s.line("the tool's own failures:")
	for _, f := range s.failures.lines {
		if f.count > 1 {
			s.line("  %s (%s)", f.text, plural(f.count, "time"))
		} else {
			s.line("  %s", f.text)
		}
	}
	if s.failures.more > 0 {
		s.line("  and %s", plural(s.failures.more, "other failure"))
	}
}

func (s *summary) files() {
	if !s.reported && !s.recorded && len(s.written) == 0 {
		return
	}
	s.section()
	if s.reported {
		s.line("report: %s", s.path(ReportName))
	}
	for _, name := range s.written {
		s.line("        %s", s.path(name))
	}
	if s.recorded {
		s.line("recording: %s", s.path(RecordingName))
	}
}
