package reporter

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// live is what is shown while the run goes on.
type live struct {
	shownAt messages.Instant
	shown   int // findings
	samples []sample
}

// sample is how many requests had gone out at a moment.
type sample struct {
	at   messages.Instant
	sent int64
}

// The colours of a terminal (ECMA-48 SGR).
const (
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// shortestTick bounds how often anything is shown, whatever the settings say.
const shortestTick = 50 * time.Millisecond

func (l *live) every(cfg Config) time.Duration {
	if cfg.LiveTTY {
		return max(cfg.Settings.Report.LiveEvery, shortestTick)
	}
	return max(cfg.Settings.Report.PlainEvery, shortestTick)
}

// due says whether a line is to be shown now, and counts it as shown.
func (l *live) due(now messages.Instant, cfg Config) bool {
	if cfg.Quiet || cfg.Simulated != nil || now.Sub(l.shownAt) < l.every(cfg) {
		return false
	}
	l.shownAt = now
	return true
}

// line is how things stand, in one line.
func (l *live) line(now messages.Instant, r *Reporter) string {
	p := r.paced
	if p == nil {
		p = &messages.Paced{At: now, Sent: r.tally.all.sent}
	}
	parts := []part{
		{5, seconds(time.Duration(now))},
		{0, plural(p.Sent, "request")},
		{3, l.pace(now, p, r)},
		{6, fmt.Sprintf("%d of %d in flight", p.InFlight, p.Window)},
	}
	for _, words := range classWords(&r.tally.all) {
		parts = append(parts, part{4, words})
	}
	if g := &r.gathered; g.errors > 0 || g.warnings > 0 {
		parts = append(parts, part{1, plural(g.errors, "error") + ", " + plural(g.warnings, "warning")})
	}
	if w := waiting(now, p, r.cfg.Document); w != "" {
		parts = append(parts, part{2, w})
	}
	left := "ending"
	if d := r.cfg.Budget - time.Duration(now); d > 0 && p.End == messages.NotEnded {
		left = countdown(d) + " left"
	}
	parts = append(parts, part{0, left})
	separator := " | "
	if r.cfg.UTF8 {
		separator = " · "
	}
	if !r.cfg.LiveTTY {
		return joined(parts, separator, r.cfg.UTF8)
	}
	width := r.cfg.Width - 1 // a line that fills the last column wraps on some terminals
	for rank := 6; rank > 0; rank-- {
		if line := joined(parts, separator, r.cfg.UTF8); utf8.RuneCountInString(line) <= width {
			return line
		}
		parts = slices.DeleteFunc(parts, func(p part) bool { return p.rank == rank })
	}
	return cut(joined(parts, separator, r.cfg.UTF8), width)
}

// part is a part of the live line. Where the line has no room for all, those of the highest rank are left out first.
type part struct {
	rank int
	text string
}

func joined(parts []part, separator string, utf8OK bool) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return clean(strings.Join(texts, separator), utf8OK)
}

// pace is the rate that is promised and how it was kept or, with none, how many requests a second went out of late.
func (l *live) pace(now messages.Instant, p *messages.Paced, r *Reporter) string {
	if p.Interval > 0 {
		words := "at most " + shortRate(&r.cfg.Settings.Engine)
		if p.Sent > 1 && p.LastSentAt > p.FirstSentAt {
			words += ", " + keptWords(&r.cfg.Settings.Engine, p)
		}
		return words
	}
	const lately = 3 * time.Second
	for len(l.samples) > 1 && now.Sub(l.samples[1].at) >= lately {
		l.samples = l.samples[1:]
	}
	rate := 0.0
	if n := len(l.samples); n > 0 && now > l.samples[0].at {
		rate = float64(p.Sent-l.samples[0].sent) / now.Sub(l.samples[0].at).Seconds()
	} else if now > 0 {
		rate = float64(p.Sent) / time.Duration(now).Seconds()
	}
	if n := len(l.samples); n == 0 || now.Sub(l.samples[n-1].at) >= lately/6 {
		l.samples = append(l.samples, sample{now, p.Sent})
	}
	return number(int64(rate+0.5)) + "/s"
}

// classWords are the requests by how they ended, those ways alone that there were.
func classWords(c *counts) []string {
	var words []string
	for i, name := range classNames {
		if n := c.classes[i]; n > 0 {
			words = append(words, name+" "+number(n))
		}
	}
	// A status outside 100-599 comes last.
	if n := c.classes[0]; n > 0 {
		words = append(words[1:], words[0])
	}
	if c.noReply > 0 {
		words = append(words, "no reply "+number(c.noReply))
	}
	return words
}

var classNames = [6]string{"other", "1xx", "2xx", "3xx", "4xx", "5xx"}

// waiting says who waits as the API asked, and for how long still.
func waiting(now messages.Instant, p *messages.Paced, doc *document.Document) string {
	var who []string
	more := 0
	if p.HeldUntil > now {
		who = append(who, "the whole API "+countdown(p.HeldUntil.Sub(now)))
	}
	for _, w := range slices.Concat(p.Waits, p.Foreseen) {
		switch {
		case w.Until <= now:
		case len(who) < 2:
			who = append(who, doc.Operations[w.Operation].ID+" "+countdown(w.Until.Sub(now)))
		default:
			more++
		}
	}
	if len(who) == 0 {
		return ""
	}
	words := "waiting as asked: " + strings.Join(who, ", ")
	if more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}

// countdown is a time still to go, in whole seconds that are begun.
func countdown(d time.Duration) string {
	return length((d + time.Second - 1).Truncate(time.Second))
}

// mostShown is how many findings are shown while the run goes on.
const mostShown = 25

// finding is the line for a fault seen for the first time, "" when enough were shown.
func (l *live) finding(g *group, op *document.Operation, cfg Config) string {
	l.shown++
	if l.shown > mostShown {
		if l.shown == mostShown+1 {
			return "more findings: see the end\n"
		}
		return ""
	}
	level := fmt.Sprintf("%-7s", g.level())
	if cfg.Color {
		color := yellow
		if g.error {
			color = red
		}
		level = color + level + plain
	}
	status := "no reply"
	if g.status != 0 {
		status = fmt.Sprint(g.status)
	}
	return level + clean(fmt.Sprintf(" %s %s: %s (%s)", faultCode(g.code), op.ID, clip(g.title, 200), status), cfg.UTF8) + "\n"
}

// opening says what will be done, before anything is sent.
func (r *Reporter) opening() string {
	cfg, doc := &r.cfg, r.cfg.Document
	var b strings.Builder
	say := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "  %-11s%s\n", label, r.shown(fmt.Sprintf(format, args...)))
	}
	doing := "Testing"
	if cfg.Simulated != nil {
		doing = "Simulating a test of"
	}
	fmt.Fprintf(&b, "%s\n", r.shown(fmt.Sprintf("%s %s at %s", doing, titled(doc), doc.Address)))
	testable := doc.Declared() - len(r.untestable)
	operations := fmt.Sprintf("%d of %d can be tested", testable, doc.Declared())
	if left := len(r.leftAlone); left > 0 {
		operations = fmt.Sprintf("%d of %d are tested, %d left alone by the plan", testable, doc.Declared(), left)
	}
	if testable+len(r.leftAlone) < doc.Declared() {
		operations += fmt.Sprintf("; for the others see: restest document %s", r.source())
	}
	say("operations", "%s", operations)
	r.leftOut(say)
	say("time", "%s", length(cfg.Budget))
	seed := fmt.Sprint(cfg.Seed)
	if (cfg.Settings.Schedule.WaitWhenToldTo || cfg.Settings.Schedule.StayInsideQuota) && cfg.Simulated == nil {
		seed += "; it alone does not repeat the run, which waits when the API asks (schedule.waitWhenToldTo)"
	}
	say("seed", "%s", seed)
	say("rate", "%s", r.promise())
	if len(cfg.KeysUsed) > 0 {
		say("keys", "%s", names(cfg.KeysUsed, 10))
	}
	if len(cfg.KeysMissing) > 0 {
		say("no key for", "%s; operations that need one may answer 401", names(cfg.KeysMissing, 10))
	}
	for i, line := range cfg.Probes.announced() {
		say([]string{"probes", ""}[min(i, 1)], "%s", line)
	}
	if cfg.Out == nil {
		say("report", "none is written")
	} else {
		files := []string{r.path(ReportName)}
		for _, f := range cfg.Formats {
			if !slices.Contains(files, r.path(f.File)) {
				files = append(files, r.path(f.File))
			}
		}
		if cfg.Settings.Report.Recording {
			files = append(files, "every exchange in "+r.path(RecordingName))
		}
		say("report", "%s", strings.Join(files, ", "))
	}
	for _, note := range cfg.Notes {
		say("note", "%s", note)
	}
	if note := cfg.Files.note(); note != "" && cfg.Out != nil && cfg.Settings.Report.Recording {
		say("note", "%s", note)
	}
	return b.String()
}

// leftOut says of the first operations that cannot be tested why; the plan's own are the user's to know.
func (r *Reporter) leftOut(say func(label, format string, args ...any)) {
	told, more := 0, 0
	for _, op := range r.cfg.Document.Operations {
		why := r.untestable[op.Index]
		switch {
		case why == "" || r.leftAlone[op.Index]:
		case told == mostLeftOut:
			more++
		default:
			told++
			say("left out", "%s: %s", op.ID, clip(why, 100))
		}
	}
	if more > 0 {
		say("left out", "and %s more", plural(int64(more), "operation"))
	}
}

// mostLeftOut is how many operations that cannot be tested are named before a run.
const mostLeftOut = 3

// promise is the rate as it is promised, and how long the opening lap takes at it.
func (r *Reporter) promise() string {
	e := &r.cfg.Settings.Engine
	words := fmt.Sprintf("none is kept to; at most %d in flight", e.MaxConcurrency)
	if interval := e.Interval(); interval > 0 {
		words = fmt.Sprintf("at most %s, never two closer than %s", rateWords(e), length(interval))
		if n := r.cfg.Document.Declared() - len(r.untestable); r.cfg.Settings.Schedule.OpeningLap && n > 1 {
			lap := time.Duration(n-1) * interval
			words += fmt.Sprintf("; one request to each operation takes %s at least", length(lap))
			if lap > r.cfg.Budget && r.cfg.Budget > 0 {
				words += ", which is longer than the run: see --budget"
			}
		}
	}
	if own := e.RatesFor(); len(own) > 0 {
		var list []string
		for _, o := range own {
			list = append(list, fmt.Sprintf("%s %s a minute", o.Name, number(o.PerMinute)))
		}
		words += "; besides, " + strings.Join(list, ", ")
	}
	return words
}

// shown is a line of ours, in which words of the document or of the user may stand, as it may be shown.
func (r *Reporter) shown(s string) string { return clean(r.mask.Text(s), r.cfg.UTF8) }

func titled(doc *document.Document) string {
	title := strings.TrimSpace(clip(doc.Title, 200) + " " + clip(doc.Version, 50))
	if title == "" {
		return "the API"
	}
	return title
}

// source is the document as it was named.
func (r *Reporter) source() string {
	if r.cfg.Source != "" {
		return r.cfg.Source
	}
	return r.cfg.Document.Source
}

// path is where a file lies, as far as it is known.
func (r *Reporter) path(name string) string {
	if s, ok := r.cfg.Out.(fmt.Stringer); ok {
		return strings.TrimSuffix(s.String(), "/") + "/" + name
	}
	return name
}
