package sim_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mutant is a deliberate bug: one piece of source, put another way, in a stage or in what it stands on.
type mutant struct{ bug, file, was, is string }

var mutants = []mutant{
	{"the turn is counted from the turn that was due", "pacer/rate.go", `r.turn = max(r.turn, end.Add(r.interval))`, `r.turn = r.turn.Add(r.interval)`},
	{"the interval is rounded down", "settings/rates.go", `(int64(in) + number - 1) / number`, `int64(in) / number`},
	{"the turn is counted from the beginning of the write", "pacer/pacer.go", `p.rate.wrote(m.Written)`, `p.rate.wrote(m.At)`},
	{"the fetch of the document takes no turn", "pacer/rate.go", `if lastWrite >= 0 {`, `if lastWrite > 0 {`},
	{"the first turn is an interval away", "pacer/rate.go", `r := rate{interval: s.Interval()}`, `r := rate{interval: s.Interval(), turn: clock.Instant(s.Interval())}`},
	{"two leave at once", "pacer/pacer.go", `if p.going > 0 {`, `if p.going > 1 {`},
	{"nothing wakes the pacer at its turn", "pacer/pacer.go", "\t\tp.wake(start)\n", ""},
	{"nothing wakes the pacer when the generator may have something", "pacer/pacer.go", "\t\tp.wake(p.nothing)\n", ""},
	{"a redirect that comes while its operation rests is followed", "pacer/pacer.go", `p.end != messages.NotEnded || p.waits.rests(m.Request.Operation, now) {
		p.to.Sender(`, `p.end != messages.NotEnded {
		p.to.Sender(`},
	{"a redirect that waits is followed though its operation was told to wait", "pacer/pacer.go", `rests := p.waits.rests(hop.Request.Operation, now)`, `rests := p.waits.rests(hop.Request.Operation, now) && false`},
	{"a late refusal doubles the guess", "pacer/waits.go", "\t\tif stated {\n\t\t\top.prolong", "\t\top.nextGuess(w)\n\t\tif stated {\n\t\t\top.prolong"},
	{"a refusal from before a hold begins a wait", "pacer/waits.go", `if sentAt < op.end || sentAt < w.api.end {`, `if sentAt < op.end {`},
	{"a refusal from before its operation's wait begins another", "pacer/waits.go", `if sentAt < op.end || sentAt < w.api.end {`, `if sentAt < w.api.end {`},
	{"a stated moment brings the end of a wait forward", "pacer/waits.go", `at < r.end && end >= r.end`, `at < r.end`},
	{"a stated moment begins a wait that is over anew", "pacer/waits.go", `at < r.end && end >= r.end`, `end >= r.end`},
	{"no reply brings the guess back", "pacer/pacer.go", `case m.Told || !answered:`, `case m.Told:`},
	{"a late answer brings the guess back", "pacer/waits.go", "\tif sentAt >= op.end {\n\t\top.guess = 0\n", "\top.guess = 0\n\tif sentAt >= op.end {\n"},
	{"the whole API's guess never goes back", "pacer/waits.go", `w.api.guess = 0`, `w.api.guess += 0`},
	{"a stated wait doubles the guess", "pacer/waits.go", "\t\tr.stated++\n", "\t\tr.stated++\n\t\tr.nextGuess(w)\n"},
	{"the guess doubles without end", "pacer/waits.go", `r.guess = w.longest`, `r.guess = 2 * guess`},
	{"a wait is not cut at the deadline", "pacer/waits.go", `return max(at, w.deadline)`, `return at + clock.Instant(length)`},
	{"the second refusal does not hold the whole API", "pacer/waits.go", "\tif another {\n", "\tif another = false; another {\n"},
	{"a wait that is over counts as going on", "pacer/waits.go", `w.operations[i].end > at && `, `w.operations[i].end > 0 && `},
	{"after a wait all requests go at once", "pacer/waits.go", `op.trial, op.probe, op.alone = true, 0, alone`, `op.probe, op.alone = 0, alone`},
	{"a request let go is not recalled for a rest", "pacer/pacer.go", `return held || began && r.Operation == operation || p.waits.rests(r.Operation, now)`, `return held`},
	{"what was let go is not recalled for a hold", "pacer/pacer.go", `return held || began && r.Operation == operation || p.waits.rests(r.Operation, now)`, `return began && r.Operation == operation || p.waits.rests(r.Operation, now)`},
	{"what was let go is not recalled at a stop", "pacer/pacer.go", "\tp.homeBy = now.Add(grace)\n\tp.recall(func(*messages.Request) bool { return true })", "\tp.homeBy = now.Add(grace)"},
	{"an offer for an operation that rests is taken", "pacer/pacer.go", `p.end != messages.NotEnded || p.waits.rests(m.Request.Operation, now) {
		p.to.Generator(`, `p.end != messages.NotEnded {
		p.to.Generator(`},
	{"a recalled request is kept through its operation's rest", "pacer/pacer.go", `newest && p.waits.rests(r.Operation, now):`, `newest && p.waits.rests(r.Operation, now) && false:`},
	{"a recalled request still counts as under way", "pacer/pacer.go", "\tp.out--\n\tp.holding[r.Operation]--\n", "\tp.holding[r.Operation]--\n"},
	{"an operation's share of the slots is not given back", "pacer/pacer.go", "\tp.holding[s.request.Operation]--\n", ""},
	{"a request in hand is forgotten at a stop", "pacer/pacer.go", "\t\tp.dropped++\n\t\tp.to.Sender(messages.Drop{Request: p.offered})\n", ""},
	{"a redirect that waits for its turn counts as under way", "pacer/pacer.go", "\tp.landed(m.Slot, now)\n\tif p.end", "\tif p.end"},
	{"a slot is lost when its connection ends", "pacer/pacer.go", `*s = slot{state: closed}`, `*s = slot{state: opening}`},
	{"a wait begins after sending has ended", "pacer/pacer.go", `case p.end != messages.NotEnded: //`, `case p.over: //`},
	{"a broken reply asks for nothing", "pacer/pacer.go", `answered := m.Outcome == messages.Answered || m.Outcome == messages.BrokeOff`, `answered := m.Outcome == messages.Answered`},
	{"a hold leaves the window as wide as it was", "pacer/pacer.go", "\t\t\tp.window.restart(now)\n", ""},
	{"a time-out leaves the window as wide as it was", "pacer/window.go", `w.width = max(w.width/2, w.least)`, `w.width = max(w.width, w.least)`},
	{"one operation may fill the window", "pacer/pacer.go", `half := max(1, p.window.width/2)`, `half := p.window.width`},
	{"skipped turns are not counted", "pacer/pacer.go", "\t\t\top.skipped++\n\t\t} else {", "\t\t} else {"},
	{"quiet that was asked for counts as the tool's own", "pacer/pacer.go", `p.idle.begin(max(now, p.lastAt), quiet, p.rate.turn, p.lastAt)`, `p.idle.begin(max(now, p.lastAt), quiet-quiet, p.rate.turn, p.lastAt)`},

	{"a second operation that says nothing is left holds nobody", "pacer/foreseen.go", "\tif another {\n", "\tif another = false; another {\n"},
	{"a late word of a quota begins a wait", "pacer/foreseen.go", `if sentAt < op.end || sentAt < w.api.foreseen.end {`, `if false {`},
	{"a request let go is not recalled when nothing is left", "pacer/pacer.go", `p.leaveAlone(operation, began, all, now)`, `_, _ = began, all`},
	{"a request let go is not recalled where fewer are left", "pacer/pacer.go", "\t\t\tp.recallBeyondLeft(m.Request.Operation, now)\n", ""},
	{"one more is under way than are left", "pacer/foreseen.go", `int64(underWay) >= f.left`, `int64(underWay) > f.left`},
	{"of what is left the last word counts, however late it was counted", "pacer/foreseen.go", `if sentAt < f.leftAt && f.leftUntil > at {`, `if false {`},
	{"nothing wakes the pacer when what was left counts no more", "pacer/pacer.go", `min(soonest, p.waits.operations[r.Operation].foreseen.leftUntil)`, `soonest`},
	{"quiet that was foreseen counts as the tool's own", "pacer/waits.go", `soonest = min(soonest, w.operations[i].until())`, `soonest = min(soonest, w.operations[i].end)`},
	{"turns skipped for a foreseen wait count as for one told", "pacer/pacer.go", `op.foreseen.skipped++`, `op.skipped++`},
	{"a moment of a quota is measured from the tool's clock", "clock/quota/quota.go", `r.received); ok {
		from = sent`, `r.received); ok && false {
		from = sent`},
	{"a wait for longer than its window is believed", "clock/quota/quota.go", `if window > 0 && window+slack < most {`, `if window < 0 {`},
	{"an operation's own turn is counted from the beginning of its write", "pacer/pacer.go", `own.wrote(m.At, m.Written)`, `own.wrote(m.At, m.At)`},
	{"an operation's own turn is not waited for by a redirect", "pacer/pacer.go", "keeps {\n\t\t\tp.wake(until)\n\t\t\tcontinue", "keeps && until < 0 {\n\t\t\tp.wake(until)\n\t\t\tcontinue"},
	{"two of an operation with a rate of its own leave at once", "pacer/rate.go", `case r.leaving > 0:`, `case r.leaving > 1:`},
	{"of several rates of an operation the last counts", "rates.go", `max(intervals[i], settings.Interval(time.Minute, rate.PerMinute))`, `settings.Interval(time.Minute, rate.PerMinute)`},
	{"a rate an hour is kept to as one a minute", "settings/rates.go", `return max(Interval(time.Minute, e.MostRequestsPerMinute), Interval(time.Hour, e.MostRequestsPerHour))`, `return max(Interval(time.Minute, e.MostRequestsPerMinute), Interval(time.Minute, e.MostRequestsPerHour))`},

	{"probes are sent unasked", "generator/probing.go", `share: g.config.plan().SecurityShare()`, `share: 0.2`},
	{"values do not hang on the seed alone", "generator/generator.go", `g.source.Seed(g.config.Seed, `, `g.source.Seed(g.config.Seed^rand.Uint64(), `},

	{"a 503 without Retry-After asks to wait", "classifier/refusal.go", `return refusal{asks: reply.Status == 429}`, `return refusal{asks: true}`},
	{"a 503 with a Retry-After that cannot be read asks to wait", "classifier/refusal.go", `asks: stated || reply.Status == 429,`, `asks: true,`},
	{"a date is measured from the tool's clock", "classifier/refusal.go", `messages.Get(reply.Header, "Date")`, `""`},
	{"a date is measured from the beginning of the run", "classifier/refusal.go", `c.clock.Wall(heardAt)`, `c.clock.Wall(0)`},
	{"a refusal is heard when its body is there", "classifier/classifier.go", "\tif !r.asks {\n\t\treturn\n", "\tif r.asks || !r.asks {\n\t\treturn\n"},
	{"a refusal counts at its header and again at its end", "classifier/classifier.go", `Told: r.asks && e.HeadTold,`, `Told: false,`},

	{"the moment told is the end of the write", "sender/sender.go", `c.state, c.sentAt = awaiting, m.At`, `c.state, c.sentAt = awaiting, m.Written`},
	{"a message is lent, not given away", "sender/sender.go", "\ts.to.Classifier(&e)\n}\n", "\tlent = e\n\ts.to.Classifier(&lent)\n}\n\nvar lent messages.Exchange\n"},
	{"what died on an idle connection is sent again", "sender/sender.go", "\ts.end(m.Slot, exchangeOf(m))\n}\n\n// follow", `	if m.Kind == messages.ClosedIdle && !c.hop {
		c.state, c.hop = leaving, true
		s.transport.Write(m.Slot, Outgoing{Bytes: c.wire, Request: c.request, At: s.clock.Now(), Deadline: clock.Never})
		return
	}
	s.end(m.Slot, exchangeOf(m))
}

// follow`},
	{"a redirect is followed without a turn", "sender/sender.go", "\tc.state = asking\n\ts.to.Pacer(messages.Again{Slot: slot, Request: c.request})\n", `	c.state, c.hop = leaving, true
	s.transport.Write(slot, Outgoing{
		Bytes: c.message.bytes(s.host, s.settings.UserAgent), Request: c.request, Method: c.message.method, Target: c.message.target,
		At: s.clock.Now(), Deadline: clock.Never,
	})
`},
}

// The tests a mutant is given, one after the other until one fails, and the number of cases of each.
var hunts = []string{
	"TestLawsHoldInEveryRun", "TestLawsHoldInEveryOrderOfMessages", "TestLawsHoldInTheLiveExecutorUnderTheFakeClock",
	"TestSameScenarioSameTraceInlineAgainAndInLockstep", "TestNamedRunsAreAsTheyWereRead",
}

const cases = "4000"

// TestMutantsAreCaught applies each bug alone and has the laws find it. It prints the bug, the laws that it breaks in
// the smallest scenario found, and after how many cases.
func TestMutantsAreCaught(t *testing.T) {
	if os.Getenv("RESTEST_MUTANTS") == "" {
		t.Skip("it takes minutes: `just mutants` runs it (RESTEST_MUTANTS=1)")
	}
	only := os.Getenv("RESTEST_MUTANTS")
	rows := make([]string, len(mutants))
	t.Run("bugs", func(t *testing.T) {
		for i, m := range mutants {
			if only != "1" && !strings.Contains(m.bug, only) {
				continue
			}
			t.Run(m.bug, func(t *testing.T) {
				t.Parallel() // as many at once as there are processors
				rows[i] = m.hunted(t)
				t.Log(rows[i])
			})
		}
	})
	fmt.Print("| the bug | in | breaks | found after |\n|---|---|---|---|\n", strings.Join(rows, ""), "\n")
}

// hunted has the laws find the bug, and is its row of the table.
func (m mutant) hunted(t *testing.T) string {
	t.Helper()
	overlay := m.apply(t)
	laws, after := "", 0
	for _, test := range hunts {
		found, n := hunt(t, overlay, test)
		after += n
		if laws = found; laws != "" {
			break
		}
	}
	if laws == "" {
		t.Errorf("no law is broken, after %d cases: %s", after, m.bug)
		laws = "nothing"
	}
	return fmt.Sprintf("| %s | `%s` | %s | %d |\n", m.bug, m.file, laws, after)
}

// The sources change, and a bug whose place is gone says nothing any more.
func TestEachMutantHasItsPlace(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.bug, func(t *testing.T) { m.mutate(t) })
	}
}

// mutate reads the file, which is one of the stages' or of what stands beside them, and has the bug in it.
func (m mutant) mutate(t *testing.T) (path, source string) {
	t.Helper()
	for _, folder := range []string{filepath.Join("..", "stages"), ".."} {
		var err error
		if path, err = filepath.Abs(filepath.Join(folder, filepath.FromSlash(m.file))); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if n := strings.Count(string(text), m.was); n != 1 {
			t.Fatalf("%s: what it changes is in %s %d times", m.bug, m.file, n)
		}
		return path, strings.Replace(string(text), m.was, m.is, 1)
	}
	t.Fatalf("%s: there is no %s", m.bug, m.file)
	return "", ""
}

// apply writes the mutated file, and returns the overlay that puts it in the place of the true one.
func (m mutant) apply(t *testing.T) string {
	t.Helper()
	path, source := m.mutate(t)
	dir := t.TempDir()
	mutated := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(mutated, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: mutated}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

var (
	failedAfter = regexp.MustCompile(`\[rapid\] (?:failed|panic) after (\d+) tests: (.*)|flaky test`)
	lawBroken   = regexp.MustCompile(`(\w+) at \d+\.\d{9}: `)
)

// hunt runs one of the tests with the overlay, and says which laws broke and after how many cases.
func hunt(t *testing.T, overlay, test string) (laws string, after int) {
	t.Helper()
	out, err := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-count=1", "-run", "^"+test+"$", "-timeout", "20m", ".",
		"-rapid.checks", cases, "-rapid.seed", "1", "-rapid.shrinktime", "2s", "-rapid.nofailfile").CombinedOutput()
	if err == nil {
		if _, err := fmt.Sscan(cases, &after); err != nil {
			t.Fatal(err)
		}
		return "", after
	}
	failed := failedAfter.FindStringSubmatch(string(out))
	if strings.HasPrefix(test, "TestNamed") { // a run that was shrunk once, and is no random one
		if law := lawBroken.FindStringSubmatch(string(out)); law != nil {
			return law[1], 1
		}
		return "", 1
	}
	if failed == nil {
		t.Fatalf("%s does not run:\n%s", test, out)
	}
	// A live run does not repeat, so that rapid cannot tell how many cases it took.
	if _, err := fmt.Sscan(cmp.Or(failed[1], cases), &after); err != nil {
		t.Fatal(err)
	}
	_, message, _ := strings.Cut(string(out), failed[0])
	message, _, _ = strings.Cut(failed[0]+message, "\n        in\n")
	var names []string
	for _, law := range lawBroken.FindAllStringSubmatch(message, -1) {
		if len(names) == 0 || names[len(names)-1] != law[1] {
			names = append(names, law[1])
		}
	}
	switch {
	case len(names) > 0:
		return strings.Join(names, ", "), after + 1
	case strings.HasPrefix(test, "TestSame"):
		return "Same", after + 1
	default:
		return "a panic: " + cmp.Or(failed[2], "another each time"), after + 1
	}
}
