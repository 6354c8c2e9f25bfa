package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/reporter"
)

// entry is one request as a judge's log has it, to the millisecond.
type entry struct {
	arrived, answered time.Time
	status            int
	method, target    string
	retryAfter        string // "" without one
}

// readLog reads a log of the fields that parse takes apart. A line that is none of the log's is left out.
func readLog(t *testing.T, file string, parse func(fields []string) (entry, bool)) []entry {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	for line := range strings.Lines(string(content)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 6)
		if len(fields) < 6 {
			continue
		}
		e, ok := parse(fields)
		if !ok {
			continue
		}
		e.method, e.target = fields[3], fields[4]
		if e.retryAfter = fields[5]; e.retryAfter == "-" {
			e.retryAfter = ""
		}
		if e.status, err = strconv.Atoi(fields[2]); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		entries = append(entries, e)
	}
	return entries
}

// milliseconds reads seconds with a fraction of three digits.
func milliseconds(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.Replace(text, ".", "", 1), 10, 64)
	return n, err == nil
}

// nginxLine reads the fields of nginx: the end in seconds, how long it took, and the rest.
func nginxLine(fields []string) (e entry, ok bool) {
	at, ok := milliseconds(fields[0])
	took, fine := milliseconds(fields[1])
	e.answered = time.UnixMilli(at)
	e.arrived = e.answered.Add(-time.Duration(took) * time.Millisecond)
	return e, ok && fine
}

// haproxyLine reads the fields of HAProxy: the moment of arrival, how many milliseconds it took, and the rest.
func haproxyLine(fields []string) (e entry, ok bool) {
	at, err := time.Parse("02/Jan/2006:15:04:05.000", fields[0])
	took, fine := milliseconds(fields[1])
	e.arrived, e.answered = at, at.Add(time.Duration(took)*time.Millisecond)
	return e, err == nil && fine
}

// refusals are how many requests were refused by a status.
func refusals(log []entry, status int) int64 {
	var n int64
	for _, e := range log {
		if e.status == status {
			n++
		}
	}
	return n
}

// gapsOf are the times from each request's arrival to the next.
func gapsOf(log []entry) []time.Duration {
	sorted := slices.SortedFunc(slices.Values(log), func(a, b entry) int { return a.arrived.Compare(b.arrived) })
	var gaps []time.Duration
	for i := 1; i < len(sorted); i++ {
		gaps = append(gaps, sorted[i].arrived.Sub(sorted[i-1].arrived))
	}
	return gaps
}

const (
	// onTheWire is how long after a refusal a request may arrive that was sent before the refusal was heard.
	onTheWire = 100 * time.Millisecond
	// misread is by how much a moment in a log can be off the client's.
	misread = 50 * time.Millisecond
)

// party is an operation, or the whole API, as one who must be left alone.
type party struct {
	begun, end    time.Time
	guess         time.Duration
	times, stated int
	stretches     [][2]time.Time
}

// signIn is the demo's operation whose requests carry invented passwords. Decision 0012: "the refusal of a request that
// carried an invented password to an operation that looks like a sign-in rests that operation alone. It holds nothing else,
// and another operation's refusal during that wait is not a second one."
const signIn = "signIn"

func (p *party) begin(at time.Time, stated bool, length time.Duration) {
	p.settle()
	p.times++
	if stated {
		p.stated++
	} else {
		s := settings.Default().Schedule
		length = cmp.Or(p.guess, s.FirstGuessedWait)
		p.guess = min(2*length, s.LongestGuessedWait)
	}
	p.begun, p.end = at, at.Add(length)
}

func (p *party) settle() {
	if p.end.After(p.begun) {
		p.stretches = append(p.stretches, [2]time.Time{p.begun, p.end})
	}
	p.begun = p.end
}

// lastedUntil is how long the waits lasted, those that were going at the end counted up to it.
func (p *party) lastedUntil(end time.Time) (sum time.Duration) {
	p.settle()
	for _, s := range p.stretches {
		if s[1].After(end) {
			s[1] = end
		}
		sum += max(0, s[1].Sub(s[0]))
	}
	return sum
}

// implied is what a log implies of waits, by ADR-0042: told by the server, and read by nobody of the program.
type implied struct {
	operations map[string]*party
	api        party
	// close are refusals that came within a hair of the end of another operation's wait, or of the run: whether they
	// begin a wait is then not for a log to say.
	close int
	// disturbed are the arrivals in the middle of a wait.
	disturbed []string
}

func (w *implied) of(operation string) *party {
	if w.operations[operation] == nil {
		w.operations[operation] = &party{}
	}
	return w.operations[operation]
}

// imply works out the waits of a log. The recording names the operation of each target; stopped is the end of sending.
func imply(t *testing.T, log []entry, o *outcome, stopped time.Time, status int, wait func(entry) (stated bool, length time.Duration)) *implied {
	t.Helper()
	names := map[string]string{}
	for _, e := range o.exchanges {
		names[string(e.Request.Method)+" "+string(e.Request.Target)] = e.Operation
	}
	w := &implied{operations: map[string]*party{}}
	heardUntil := stopped.Add(-misread)
	if o.report.End.Why == "heldToTheEnd" {
		heardUntil = stopped.Add(misread) // a refusal was the end
	}
	for _, e := range slices.SortedStableFunc(slices.Values(log), func(a, b entry) int { return a.answered.Compare(b.answered) }) {
		name, known := names[e.method+" "+e.target]
		if !known {
			t.Errorf("%s %s arrived and is not in the recording", e.method, e.target)
			continue
		}
		op := w.of(name)
		for who, p := range map[string]*party{"operation": op, "whole API": &w.api} {
			if e.arrived.After(p.begun.Add(onTheWire)) && e.arrived.Before(p.end.Add(-2*time.Millisecond)) {
				w.disturbed = append(w.disturbed, fmt.Sprintf("%s %s arrived %s after the %s was asked to wait for %s",
					e.method, e.target, e.arrived.Sub(p.begun), who, p.end.Sub(p.begun)))
			}
		}
		stated, length, asks := false, time.Duration(0), false
		if e.status == status {
			stated, length = wait(e)
			// ADR-0042 §1: a 503 asks to wait only where it says for how long.
			asks = stated || status == 429
		}
		switch {
		case e.answered.After(heardUntil):
			if asks && e.answered.Before(stopped.Add(misread)) {
				w.close++
			}
		case !asks:
			if !e.arrived.Before(op.end) {
				op.guess = 0
			}
			if !e.arrived.Before(w.api.end) {
				w.api.guess = 0
			}
		case e.arrived.Before(op.end) || e.arrived.Before(w.api.end):
			for _, p := range []*party{op, &w.api} {
				if name == signIn && p == &w.api {
					continue
				}
				if end := e.answered.Add(length); stated && e.answered.Before(p.end) && end.After(p.end) {
					p.end = end
				}
			}
		default:
			var another time.Duration // how much longer another operation rests
			for i, other := range w.operations {
				if i == name || i == signIn || name == signIn {
					continue
				}
				left := other.end.Sub(e.answered)
				another = max(another, left)
				if left > -misread && left < misread {
					w.close++
				}
			}
			op.begin(e.answered, stated, length)
			if another > misread {
				w.api.begin(e.answered, stated, length)
			}
		}
	}
	return w
}

// compare wants the report to tell of the waits that the log implies, and none of them to have been disturbed, as far as
// logs can tell that were written on a machine that was late by so much itself.
func (w *implied) compare(t *testing.T, o *outcome, stopped time.Time, late time.Duration) {
	t.Helper()
	complaints := slices.Clone(w.disturbed)
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	told := o.report.ToldToWait
	if told == nil {
		t.Fatal("the report tells of no waits")
	}
	check := func(who string, p *party, times, stated int, lasted string) {
		t.Helper()
		want := p.lastedUntil(stopped)
		if times == 0 && p.times == 0 {
			return
		}
		t.Logf("%s: %d waits (%d stated) for %s; by the log %d (%d) for %s", who, times, stated, lasted, p.times, p.stated, want)
		if off := times - p.times; max(off, -off) > w.close {
			complain("%s: the report tells of %d waits, the log of %d", who, times, p.times)
		} else if off != 0 {
			return
		}
		if stated != p.stated {
			complain("%s: the report tells of %d stated waits, the log of %d", who, stated, p.stated)
		}
		off := isoDuration(t, lasted) - want
		if slack := time.Duration(times+1) * misread; max(off, -off) > slack {
			complain("%s: the waits lasted %s in the report, %s in the log", who, lasted, want)
		}
	}
	check("the whole API", &w.api, told.WholeAPI.Times, told.WholeAPI.Stated, told.WholeAPI.Lasted)
	ops := map[string]reporter.OperationWait{}
	for _, op := range told.Operations {
		ops[op.Operation] = op
		w.of(op.Operation)
	}
	for _, name := range slices.Sorted(maps.Keys(w.operations)) {
		op := ops[name]
		check(name, w.operations[name], op.Waits, op.Stated, cmp.Or(op.Lasted, "PT0S"))
	}
	judge(t, complaints, late)
}

// stoppedAt is the wall time at which the run stopped sending.
func (o *outcome) stoppedAt(t *testing.T) time.Time {
	t.Helper()
	began, err := time.Parse(time.RFC3339, o.report.Run.Started)
	if err != nil {
		t.Fatal(err)
	}
	return began.Add(isoDuration(t, o.report.End.After))
}

// isoDuration reads a duration as a report has it, such as PT1.5S.
func isoDuration(t testing.TB, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(strings.ToLower(strings.TrimPrefix(text, "PT")))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The ways a refusal says how long to wait.
var (
	// bySeconds reads Retry-After as seconds.
	bySeconds = func(e entry) (bool, time.Duration) {
		n, err := strconv.Atoi(e.retryAfter)
		return err == nil, time.Duration(n) * time.Second
	}
	// byDate reads it as a date, counted from the second in which the reply was written, which is its Date.
	byDate = func(layout string) func(entry) (bool, time.Duration) {
		return func(e entry) (bool, time.Duration) {
			at, err := time.Parse(layout, e.retryAfter)
			return err == nil, max(0, at.Sub(e.answered.Truncate(time.Second)))
		}
	}
	// notAtAll finds nothing in it.
	notAtAll = func(entry) (bool, time.Duration) { return false, 0 }
)
