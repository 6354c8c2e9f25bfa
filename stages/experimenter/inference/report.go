package inference

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/restest/restest/messages"
)

// Report is what an examination has found out.
type Report struct {
	Verdict Verdict
	Known   Known
	// Lines are the verdict in three lines.
	Lines [3]string
	// Answers are those to the questions, Findings what is wrong, the worst first.
	Answers  []Answered
	Findings []Finding
	Rows     []Row
	// Compared are the families whose bounds the rows have, the likeliest first.
	Compared []Family
	Notes    []string
	Sent     int
	Took     time.Duration
	Load     []Load
}

// Answered is one question and what was found out.
type Answered struct {
	Question  Question
	Text      string
	Certainty Certainty
	Evidence  []string
}

// Level is how bad a finding is.
type Level int

// The levels.
const (
	Note Level = iota
	Warning
	Error
)

func (l Level) String() string { return [...]string{"note", "warning", "error"}[l] }

// Finding is something that is wrong, or that one has to know.
type Finding struct {
	Level    Level
	Question Question
	Title    string
	Evidence string
	// Advice says what to do.
	Advice string
}

// Row is one experiment.
type Row struct {
	Batch
	// At is the moment it was sent, from the first.
	At      time.Duration
	Variant string
	// Expected are the least and the most that each family in Compared would have let through; nil for a measurement.
	Expected [][2]int
}

// Load is how even requests fared: at the same offered load a limiter that rejects and one that delays look opposite.
type Load struct {
	Name                    string
	Offered, Served         int
	MedianServed, MedianAll time.Duration
}

// Whole is the replies that were kept whole.
type Whole struct{ Accepted, Rejected *messages.Reply }

// Report says what is known so far.
func (e *Examination) Report(whole Whole) Report {
	r := &reporting{e: e, whole: whole, Report: Report{Verdict: e.Verdict(), Known: e.Known(), Sent: e.sent, Notes: slices.Clone(e.notes)}}
	if n := len(e.batches); n > 0 {
		r.Took = e.batches[n-1].Hi.Sub(e.batches[0].Lo)
	}
	r.rows()
	answers := map[Question]func(){
		Exists: r.exists, Which: r.which, Through: r.through, Rejection: r.rejection, Whose: r.whose, Costs: r.costs, Headers: r.headers,
	}
	for _, q := range e.questions {
		answers[q]()
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return int(b.Level) - int(a.Level) })
	r.Lines = r.lines()
	return r.Report
}

type reporting struct {
	e     *Examination
	whole Whole
	Report
	// across says how many came through across a window's end, "" if that was not tried.
	across string
}

func (r *reporting) answer(q Question, c Certainty, text string, evidence ...string) {
	r.Answers = append(r.Answers, Answered{q, text, c, evidence})
}

func (r *reporting) find(l Level, q Question, title, evidence, advice string) {
	r.Findings = append(r.Findings, Finding{l, q, title, evidence, advice})
}

// mostFamilies is how many families the table of experiments has a column for.
const mostFamilies = 5

func (r *reporting) rows() {
	var best []*candidate
	if p := r.e.planner; p != nil && !p.delaying() {
		all := candidates(p.known, p.table)
		slices.SortStableFunc(all, func(a, b *candidate) int { return a.missed - b.missed })
		for _, c := range all {
			if len(best) < mostFamilies && !slices.Contains(r.Compared, c.family) {
				r.Compared, best = append(r.Compared, c.family), append(best, c)
			}
		}
	}
	for i, b := range r.e.batches {
		if b.Why == whyPaired {
			r.pair(b)
			continue
		}
		row := Row{Batch: b, At: b.Lo.Sub(r.e.batches[0].Lo), Variant: r.e.Variant(b.Step)}
		if r.e.planner != nil && i < len(r.e.planner.table) {
			for _, c := range best {
				row.Expected = append(row.Expected, [2]int{c.rows[i].least, c.rows[i].most})
			}
		}
		r.Rows = append(r.Rows, row)
	}
}

// pair adds one of a pair to the row of all that are like it.
func (r *reporting) pair(b Batch) {
	name := r.e.Variant(b.Step)
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Why == b.Why && row.Variant == name {
			row.N, row.Accepted = row.N+b.N, row.Accepted+b.Accepted
			row.Hi, row.Answers = b.Hi, append(row.Answers[:len(row.Answers):len(row.Answers)], b.Answers...)
			return
		}
	}
	r.Rows = append(r.Rows, Row{Batch: b, At: b.Lo.Sub(r.e.batches[0].Lo), Variant: name})
}

// of are the batches sent for a reason.
func (r *reporting) of(why string) []Batch {
	var all []Batch
	for _, b := range r.e.batches {
		if b.Why == why {
			all = append(all, b)
		}
	}
	return all
}

// per is "100 per 1s".
func per(limit int, window time.Duration) string {
	return fmt.Sprintf("%d per %s", limit, length(window))
}

// length is a duration in few digits.
func length(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		d = d.Round(time.Second)
	case d >= time.Second:
		d = d.Round(10 * time.Millisecond)
	case d >= 10*time.Millisecond:
		d = d.Round(time.Millisecond)
	default:
		d = d.Round(10 * time.Microsecond)
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

func named(fs []Family) string {
	words := make([]string, len(fs))
	for i, f := range fs {
		words[i] = string(f)
	}
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return strings.Join(words, "")
}

// burst is the first batch that was refused some, or else the largest that was not.
func (r *reporting) burst() (Batch, bool) {
	var largest Batch
	for _, b := range r.e.batches {
		if b.Question > Which {
			break // it was measured, not tried
		}
		if b.Refused() > 0 {
			return b, true
		}
		if b.N > largest.N {
			largest = b
		}
	}
	return largest, false
}

func (r *reporting) exists() {
	v, k := r.Verdict, r.Known
	b, refused := r.burst()
	at := fmt.Sprintf("of %s at once %d were let through", requests(b.N), b.Accepted)
	if before := v.AtOnce - b.Accepted; refused && before > 0 && v.Family != Concurrency {
		at += fmt.Sprintf(", right after %d", before)
	}
	switch {
	case len(r.e.batches) == 0:
		r.answer(Exists, NotSure, "nothing was answered")
	case v.AtOnce == 0 && refused:
		r.answer(Exists, NotSure, "even the first request was refused, so nothing can be measured", at)
		r.find(Error, Exists, "The first request of all was refused", at, "Wait until the budget is whole again, and begin anew.")
	case v.Family == "" && !refused:
		r.answer(Exists, NotSure, fmt.Sprintf("not known: none of %s was refused, and no more were sent", requests(r.Sent)), at)
	case v.Family == None:
		r.answer(Exists, Likely, fmt.Sprintf("no limiter was found up to %s at once", requests(b.N)), at)
		if r.e.published.Limit > 0 {
			r.find(Error, Exists, "The published limit is not kept", at, "See that this route is behind the limiter at all.")
		}
	case v.Family == Queue || v.Family == SlowDown:
		r.delays(b, refused, at)
	case v.Family == Concurrency:
		r.answer(Exists, max(v.Certainty, Likely), fmt.Sprintf("yes: %d under way at once", v.AtOnce), at)
	case k.Window == 0:
		r.answer(Exists, v.Certainty, fmt.Sprintf("yes: %d at once; per how long was not found", v.AtOnce), at)
	default:
		if p := r.e.published.Window; p > 0 && !k.Found && v.Certainty > NotSure && v.Window > 0 && (v.Window < p*4/5 || v.Window > p*5/4) {
			r.find(Error, Exists, fmt.Sprintf("The published window is %s, the one that is kept about %s", length(p), length(v.Window)), at, "Publish what is kept, or keep what is published.")
		}
		if v.Window == 0 {
			v.Window = k.Window
		}
		r.answer(Exists, max(v.Certainty, Likely), fmt.Sprintf("yes: %d at once, %s", v.AtOnce, per(v.Limit, v.Window)), at)
		if p := r.e.published.Limit; p > 0 && !k.Found && v.Family != Bucket && v.Family != Leaky && v.Certainty > NotSure && v.Limit != p {
			r.find(Error, Exists, fmt.Sprintf("The published limit is %d, the one that is kept %d", p, v.Limit), at, "Publish what is kept, or keep what is published.")
		}
	}
}

// delays answers whether there is a limiter where it delays: how many wait, and for how long.
func (r *reporting) delays(b Batch, refused bool, at string) {
	k := r.Known
	delays := b.delays(true)
	alone := r.e.batches[0].Hi.Sub(r.e.batches[0].Lo)
	first, _ := slices.BinarySearch(delays, 4*alone+5*time.Millisecond)
	waited := len(delays) - first
	text, evidence := fmt.Sprintf("yes: it delays, to %s", per(k.Limit, k.Window)), "none of them was delayed"
	if waited > 0 {
		longest := length(delays[len(delays)-1])
		evidence = fmt.Sprintf("%d of them were delayed, the last by %s", waited, longest)
		if r.Verdict.Family == SlowDown {
			text = fmt.Sprintf("yes: it delays from %s on, each by more than the one before", per(k.Limit, k.Window))
		} else if refused {
			text += fmt.Sprintf("; %d wait, and what comes then is refused", waited)
		} else {
			text += fmt.Sprintf("; at least %d wait", waited)
		}
		r.find(Note, Exists, fmt.Sprintf("A request may wait for %s", longest), evidence, "Compare it with the time-outs of the callers: a longer wait is a failure to them.")
	}
	r.answer(Exists, r.Verdict.Certainty, text, at, evidence)
}

func (r *reporting) which() {
	v := r.Verdict
	switch {
	case v.Family == "" || v.Family == None:
		return
	case v.Certainty == NotSure:
		r.answer(Which, NotSure, "one of: "+named(v.Candidates), r.evidence()...)
	default:
		r.answer(Which, v.Certainty, string(v.Family), r.evidence()...)
	}
	if v.Family == StrictLog || v.Family == StrictCounter {
		r.find(Warning, Which, "Refusals count against the client", "requests that were refused kept it shut",
			"Say so, and send Retry-After: a client that asks again too soon shuts itself out.")
	}
	dropped, closed := 0, 0
	for _, b := range r.e.batches {
		for _, a := range b.Answers {
			switch a.How {
			case Dropped:
				dropped++
			case Closed:
				closed++
			}
		}
	}
	if dropped > 0 {
		r.find(Warning, Which, "It refuses by not answering", requests(dropped)+" had no answer", "Answer 429 with Retry-After: a client that hears nothing waits for its time-out and asks again.")
	}
	if closed > 0 {
		r.find(Warning, Which, "It refuses by closing the connection", requests(closed)+" ended without a reply", "Answer 429 with Retry-After: a closed connection looks like a failure, and is tried again at once.")
	}
	if late := r.tarpit(); late > 0 {
		r.find(Note, Which, fmt.Sprintf("It holds each refusal for about %s", length(late)), "refused requests were answered that late, each by as much",
			"Clients hold a connection meanwhile, and so does the server: see that it has enough.")
	}
}

// tarpit is how much later than those let through refusals are answered, if it is always about as much, 0 if not.
func (r *reporting) tarpit() time.Duration {
	var served, refused []time.Duration
	for _, b := range r.e.batches {
		served, refused = append(served, b.delays(true)...), append(refused, b.delays(false)...)
	}
	if len(served) == 0 || len(refused) < 3 {
		return 0
	}
	slices.Sort(served)
	slices.Sort(refused)
	usual, low, high := served[len(served)/2], refused[len(refused)/10], refused[len(refused)*9/10]
	if low < 50*time.Millisecond+5*usual || high-low > low/2 {
		return 0
	}
	return refused[len(refused)/2]
}

// evidence says, for each family that was ruled out, by which experiment.
func (r *reporting) evidence() []string {
	p := r.e.planner
	if p == nil {
		return nil
	}
	if p.delaying() {
		pace, _ := p.pace(p.table[1])
		return []string{fmt.Sprintf("the answers to %s at once came %s apart, one after the other", requests(p.table[1].N), length(pace))}
	}
	all := candidates(p.known, p.table)
	slices.SortStableFunc(all, func(a, b *candidate) int { return a.missed - b.missed })
	var lines []string
	told := slices.Clone(r.Verdict.Candidates)
	for _, c := range all {
		if slices.Contains(told, c.family) {
			continue
		}
		told = append(told, c.family)
		most, at := 0, 0
		for i, b := range p.table {
			if m := c.rows[i].miss(b.Accepted); m > most {
				most, at = m, i
			}
		}
		if most > 0 {
			b, x := p.table[at], c.rows[at]
			lines = append(lines, fmt.Sprintf("not a %s: of %d at +%s it would have let through %s, and %d were", c.family, b.N, length(b.Lo.Sub(p.table[0].Lo)), between(x.least, x.most), b.Accepted))
		}
	}
	return lines
}

func between(least, most int) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func (r *reporting) through() {
	v, k := r.Verdict, r.Known
	var lines []string
	if b, refused := r.burst(); refused {
		lines = append(lines, fmt.Sprintf("inside a window: %d of %d at once, within %s", b.Accepted, b.N, length(b.Hi.Sub(b.Lo))))
	}
	text := fmt.Sprintf("at most %d at once", v.AtOnce)
	if b, refused := r.burst(); !refused {
		text = fmt.Sprintf("none of %d at once was refused", b.N)
	}
	before, after := r.of(whyBefore), r.of(whyAfter)
	if len(before) > 0 && len(after) > 0 {
		b, a := before[0], after[0]
		n, took := b.Accepted+a.Accepted, a.Hi.Sub(b.Lo)
		lines = append(lines, fmt.Sprintf("across a window's end: %d + %d in %s, against %s", b.Accepted, a.Accepted, length(took), per(k.Limit, k.Window)))
		r.across = "no more across a window's end"
		if n > v.AtOnce {
			r.across = fmt.Sprintf("%d in %s across a window's end", n, length(took))
		}
		text += ", " + r.across
		if 10*n > 13*k.Limit && k.Limit > 1 {
			r.find(Warning, Through, fmt.Sprintf("%s come through in %s", requests(n), length(took)),
				fmt.Sprintf("%d before the window's end and %d after it; the limit is %s", b.Accepted, a.Accepted, per(k.Limit, k.Window)),
				"Size the handler for twice the limit, or use a token bucket or a sliding window.")
		}
	}
	if b := r.of(whyUnder); len(b) > 0 {
		lines = append(lines, fmt.Sprintf("evenly at 0.9 of the limit: %d of %d", b[0].Accepted, b[0].N))
		r.load("evenly at 0.9 of the limit", b)
		if n := tooSoon(b[0], k); n > 0 {
			r.find(Error, Through, "A client that stays under the limit is refused", fmt.Sprintf("%d of %d sent evenly at 0.9 of the limit", n, b[0].N),
				"Keep what is published: count over the whole window, and do not count what was refused.")
		}
	}
	if b := append(r.of(whyOver), r.of(whyOverOn)...); len(b) == 2 {
		lines = append(lines, fmt.Sprintf("evenly at 1.3 of the limit: %d of %d, then %d of %d", b[0].Accepted, b[0].N, b[1].Accepted, b[1].N))
		r.load("evenly at 1.3 of the limit, its second half", b[1:])
		if 10*b[1].Accepted < 3*b[1].N && b[1].N >= 5 {
			r.find(Warning, Through, "A client a little above the limit is shut out", fmt.Sprintf("%d of %d sent evenly at 1.3 of the limit came through in the second half", b[1].Accepted, b[1].N),
				"Do not count refused requests, or tell clients with Retry-After when to come back.")
		}
	}
	if len(lines) > 0 {
		r.answer(Through, Sure, text, lines...)
	}
}

// tooSoon is how many of evenly sent requests were refused although there was no reason to: what came shortly after the
// one before it, or after too many in a window, may have been late on its way or sent too late.
func tooSoon(b Batch, k Known) (n int) {
	apart := k.Window / time.Duration(k.Limit)
	for i, a := range b.Answers {
		if a.Accepted {
			continue
		}
		inWindow, last := 1, Instant(math.MinInt64)
		for _, before := range b.Answers[:i] {
			if last = max(last, before.Heard); before.Heard > a.Sent.Add(-k.Window) {
				inWindow++
			}
		}
		if inWindow <= k.Limit && (i == 0 || a.Sent >= last.Add(apart)) {
			n++
		}
	}
	return n
}

// load adds how even requests fared.
func (r *reporting) load(name string, batches []Batch) {
	l := Load{Name: name}
	var served, all []time.Duration
	for _, b := range batches {
		l.Offered += b.N
		l.Served += b.Accepted
		served = append(served, b.delays(true)...)
		all = append(append(all, b.delays(true)...), b.delays(false)...)
	}
	l.MedianServed, l.MedianAll = median(served), median(all)
	r.Load = append(r.Load, l)
}

func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	d = slices.Sorted(slices.Values(d))
	return (d[(len(d)-1)/2] + d[len(d)/2]) / 2
}

// lines are the verdict in three lines.
func (r *reporting) lines() [3]string {
	v := r.Verdict
	var lines [3]string
	switch {
	case v.Family == "":
		lines[0] = "It is not known which limiter this is."
		if len(v.Candidates) > 0 {
			lines[0] = "It is not sure which limiter this is: " + named(v.Candidates) + "."
		}
	case v.Certainty == NotSure:
		lines[0] = "It is not sure which limiter this is: " + named(v.Candidates) + "."
	default:
		lines[0] = fmt.Sprintf("%s (%s).", upper(string(v.Family)), v.Certainty)
	}
	for _, a := range r.Answers {
		if a.Question == Exists {
			lines[1] = upper(strings.TrimPrefix(a.Text, "yes: "))
		}
	}
	if r.across != "" {
		lines[1] += "; " + r.across
	}
	lines[1] += "."
	counts := [3]int{}
	for _, f := range r.Findings {
		counts[f.Level]++
	}
	lines[2] = fmt.Sprintf("%s and %s, by %s in %s.", count(counts[Error], "error"), count(counts[Warning], "warning"), requests(r.Sent), length(r.Took))
	return lines
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
