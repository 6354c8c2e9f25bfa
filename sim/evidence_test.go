package sim_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/sim/limiter"
	"github.com/restest/restest/sim/paper"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// What is here repeats, on paper, what the decisions 0042 and 0043 measured; docs/evidence.md shows both.

// seeds are how many seeds a table is measured over: a few, or 200 with RESTEST_LONG=1.
func seeds(few int) int {
	if os.Getenv("RESTEST_LONG") == "1" {
		return 200
	}
	return few
}

// spread is how some figures are distributed, in words.
func spread[N int | float64 | time.Duration](figures []N) string {
	s := slices.Sorted(slices.Values(figures))
	at := func(hundredths int) string {
		n := s[(len(s)-1)*hundredths/100]
		if f, ok := any(n).(float64); ok {
			return strconv.FormatFloat(f, 'f', 2, 64)
		}
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s to %s, 5th of a hundred %s, 25th %s, median %s, 75th %s, 95th %s", at(0), at(100), at(5), at(25), at(50), at(75), at(95))
}

func median[N int | float64 | time.Duration](figures []N) N {
	return slices.Sorted(slices.Values(figures))[(len(figures)-1)/2]
}

func mean(figures []int) float64 {
	sum := 0
	for _, n := range figures {
		sum += n
	}
	return float64(sum) / float64(len(figures))
}

// register counts what its world answers, by operation and status.
type register struct {
	sim.World
	answers map[[2]int]int
	sent    int
}

func (r *register) Answer(now time.Duration, q paper.Request) paper.Answer {
	a := r.World.Answer(now, q)
	status := a.Status
	if a.Ready != nil {
		status = a.Ready.Status
	}
	r.answers[[2]int{q.Operation, status}]++
	r.sent++
	return a
}

// account runs a scenario against a world, without a trace, and returns what was counted there and the pacer's account.
func account(t testing.TB, s sim.Scenario, world sim.World) (*register, *messages.Paced) {
	t.Helper()
	seen := &register{World: world, answers: map[[2]int]int{}}
	s.World = func() sim.World { return seen }
	result := s.Play(stages.Order{})
	if result.Exit == reporter.ExitFailed {
		t.Fatal(result.Summary)
	}
	return seen, result.Paced
}

// createTeleTan is an API of five operations, of which the first has a quota of 1,000 an hour. It finds fault with the
// values of a quarter of that one's requests, before it counts them.
type createTeleTan struct{ quota, faults *paper.Served }

func newCreateTeleTan(doc *document.Document, seed uint64) createTeleTan {
	takes := paper.Classes(time.Millisecond, 0, 4, 5, 6, 7, 8) // with which the quota lasts for 2.6 s, as theirs did
	quota := paper.API{Latency: takes, Quotas: []paper.Quota{{
		Operations: []int{0}, Rule: limiter.Rule{Algorithm: limiter.FirstWindow, Limit: 1000, Window: time.Hour},
		Refusal: paper.Refusal{NoDate: true, After: takes},
	}}}
	faults := paper.API{Latency: takes, Instead: []paper.Share{{Of100: 25, Operations: []int{0}, Status: 400}}}
	return createTeleTan{quota.New(doc, seed, time.Time{}), faults.New(doc, ^seed, time.Time{})}
}

func (createTeleTan) Dial(time.Duration, int) (time.Duration, string) { return 0, "" }

func (c createTeleTan) Answer(now time.Duration, r paper.Request) paper.Answer {
	if a := c.faults.Answer(now, r); a.Status == 400 {
		return a
	}
	return c.quota.Answer(now, r)
}

// handedOver is how RESTest 2 waits for its first operation: by the same rules, but what had been handed to its engine
// goes out all the same. It hands over 32 requests at most, schedule.workAheadFactor times engine.maxConcurrency, of
// which 16 are in flight.
func handedOver(world sim.World, operations int, budget time.Duration) (waits, refusals int) {
	type flight struct {
		operation, status int
		sent, ends        time.Duration
	}
	var (
		queue    []int
		flights  []flight
		now, end time.Duration
		guess    = time.Second
		turn     int
		sent     = make([]int, operations)
	)
	for {
		for ; len(queue)+len(flights) < 32; turn++ {
			if operation := turn % operations; operation != 0 || now >= end {
				queue = append(queue, operation)
			}
		}
		for ; len(flights) < 16; queue = queue[1:] {
			operation := queue[0]
			a := world.Answer(now, paper.Request{Operation: operation, Nth: sent[operation]})
			sent[operation]++
			flights = append(flights, flight{operation, a.Status, now, now + a.After})
		}
		first := 0
		for i := range flights {
			if flights[i].ends < flights[first].ends {
				first = i
			}
		}
		f := flights[first]
		flights = slices.Delete(flights, first, first+1)
		if now = f.ends; now >= budget {
			return waits, refusals
		}
		switch heard := f.sent >= end; {
		case f.operation != 0:
		case f.status != 429:
			if heard {
				guess = time.Second
			}
		default:
			if refusals++; heard {
				waits, end, guess = waits+1, now+guess, min(2*guess, time.Minute)
			}
		}
	}
}

// ADR-0042: 34,699 refusals of createTeleTan in 60 s became 62, in 12 waits.
func TestEvidenceAnOperationWithASpentQuotaIsLeftAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	const budget = time.Minute
	doc := operations(t, 5, false)
	var waits, refusals, theirWaits, theirRefusals []int
	var perWait []float64
	for seed := range uint64(seeds(4)) {
		w, r := handedOver(newCreateTeleTan(doc, seed), 5, budget)
		theirWaits, theirRefusals = append(theirWaits, w), append(theirRefusals, r)

		s := sim.New(doc, paper.API{}, budget)
		s.Seed = seed
		seen, last := account(t, s, newCreateTeleTan(doc, seed))
		refused := seen.answers[[2]int{0, 429}]
		refusals, waits = append(refusals, refused), append(waits, last.Waits[0].Times)
		perWait = append(perWait, float64(refused)/float64(last.Waits[0].Times))
		if got := seen.answers[[2]int{0, 200}]; got != 1000 {
			t.Errorf("seed %d: %d of 1,000 creations", seed, got)
		}
		if last.WholeAPI.Times != 0 || len(last.Waits) != 1 {
			t.Errorf("seed %d: another operation is told to wait: %+v, %+v", seed, last.WholeAPI, last.Waits)
		}
		if seed > 0 {
			continue
		}
		// The run is as fast as one in which nothing waits, and the others have the turns of the one that rests.
		s.Settings.Schedule.WaitWhenToldTo = false
		free, _ := account(t, s, newCreateTeleTan(doc, seed))
		t.Logf("without waits: %d refusals of %d requests; with them %d requests", free.answers[[2]int{0, 429}], free.sent, seen.sent)
		if 100*seen.sent < 99*free.sent {
			t.Errorf("%d requests become %d", free.sent, seen.sent)
		}
		for operation := 1; operation < 5; operation++ {
			if with, without := seen.answers[[2]int{operation, 200}], free.answers[[2]int{operation, 200}]; with < without {
				t.Errorf("operation %d answers 2xx %d times, and %d times where nothing waits", operation, with, without)
			}
		}
	}
	t.Logf("theirs, on paper, %d seeds:\nwaits %s, mean %.1f\nrefusals %s, mean %.1f", len(waits),
		spread(theirWaits), mean(theirWaits), spread(theirRefusals), mean(theirRefusals))
	t.Logf("ours:\nwaits %s, mean %.1f\nrefusals %s, mean %.1f\nrefusals a wait %s, mean %.2f",
		spread(waits), mean(waits), spread(refusals), mean(refusals), spread(perWait), mean(refusals)/mean(waits))
	if got := median(refusals); got > 20 {
		t.Errorf("the median is %d refusals", got)
	}
	if got := mean(refusals) / mean(waits); got > 2 {
		t.Errorf("%.2f refusals a wait", got)
	}
}

// ADR-0042's replay: every request to the API waits, or only the operation that was told to. A run in which nothing
// waited is recorded, and replayed by either rule.
func TestEvidenceOnlyTheOperationWaits(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	const budget = time.Minute
	replayed := func(t *testing.T, operations int, api sim.API) (was, whole, one reporter.Result) {
		was, recorded := record(t, reads(operations), api, budget, "schedule.waitWhenToldTo=false", "schedule.learn=false")
		rec, err := sim.ReadRecording(recorded[reporter.RecordingName])
		if err != nil {
			t.Fatal(err)
		}
		doc, err := rec.Document(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s := sim.Simulation{
			Recording: rec, Document: doc, Settings: rec.Settings, Seed: rec.Run.Seed, Budget: budget, Report: reporter.Config{Quiet: true},
		}
		s.Settings.Schedule.WaitWhenToldTo, s.Settings.Report.Recording = true, false
		one = s.Run(stages.Order{})
		s.WholeAPIAtOnce = true
		whole = s.Run(stages.Order{})
		for _, row := range []struct {
			name string
			of   reporter.Result
		}{{"nothing", was}, {"every request", whole}, {"only the operation", one}} {
			line := fmt.Sprintf("%s waits: %d requests, %d of 2xx, %d of 429", row.name, row.of.Totals.Requests, row.of.Totals.ByClass.C2xx, row.of.Totals.ByClass.C4xx)
			if p := row.of.Paced; p.Waiting {
				line += fmt.Sprintf("; the whole API %+v, the operation %+v", p.WholeAPI, p.Waits)
			}
			t.Log(line)
		}
		if lost := was.Totals.ByClass.C2xx - one.Totals.ByClass.C2xx; lost > 0 || one.Paced.WholeAPI.Times != 0 {
			t.Errorf("where only the operation waits, %d of 2xx are lost, and the whole API is held %d times", lost, one.Paced.WholeAPI.Times)
		}
		return was, whole, one
	}

	t.Run("a quota that is spent", func(t *testing.T) {
		// At half the pace of createTeleTan above, with half its quota, which lasts as long.
		was, whole, one := replayed(t, 5, &byPath{Served: paper.API{
			Latency: paper.Classes(time.Millisecond, 0, 8, 10, 12, 14, 16),
			Quotas: []paper.Quota{{
				Operations: []int{0}, Rule: limiter.Rule{Algorithm: limiter.FirstWindow, Limit: 500, Window: time.Hour},
			}},
		}.New(operations(t, 5, false), 1, time.Time{})})
		if held := whole.Paced.WholeAPI.Lasted; held < 55*time.Second {
			t.Errorf("where every request waits, they wait for %v of %v", held, budget)
		}
		if got, of := whole.Totals.ByClass.C2xx, was.Totals.ByClass.C2xx; 9*got > of {
			t.Errorf("where every request waits, %d of 2xx are left of %d", got, of)
		}
		if refused := one.Totals.ByClass.C4xx; refused > 20 {
			t.Errorf("where only the operation waits, it is refused %d times", refused)
		}
	})
	t.Run("a limit a second", func(t *testing.T) {
		// Of 23 operations one asks, five times for each request, a service that is limited to 15 a second.
		was, whole, one := replayed(t, 23, &byPath{Served: paper.API{
			Latency: paper.Classes(time.Millisecond, 0, 100, 150, 200, 250, 300),
			Quotas: []paper.Quota{{
				Operations: []int{0}, Rule: limiter.Rule{Algorithm: limiter.FixedWindow, Limit: 3, Window: time.Second},
			}},
		}.New(operations(t, 23, false), 1, time.Time{})})
		if got, of := whole.Totals.ByClass.C2xx, was.Totals.ByClass.C2xx; 2*got > of {
			t.Errorf("where every request waits, %d of 2xx are left of %d", got, of)
		}
		if waits := one.Paced.Waits; len(waits) != 1 || waits[0].Lasted != time.Duration(waits[0].Times)*time.Second {
			t.Errorf("a wait of a second clears a limit a second: %+v", waits)
		}
	})
}

// reads is the text of the document that operations makes of so many reads.
func reads(n int) string {
	var paths []string
	for i := range n {
		paths = append(paths, fmt.Sprintf(`"/thing%d":{"get":{"responses":{"200":{"description":"done"}}}}`, i))
	}
	return fmt.Sprintf(`{"openapi":"3.0.3","info":{"title":"Paper","version":"1"},"paths":{%s}}`, strings.Join(paths, ","))
}

// byPath is an API on paper that tells the operations of reads from where their requests go.
type byPath struct {
	*paper.Served
	sent [23]int
}

func (b *byPath) Answer(now time.Duration, r demo.Request) demo.Reply {
	operation, err := strconv.Atoi(strings.TrimPrefix(r.Target, "/thing"))
	if err != nil {
		panic(err)
	}
	a := b.Served.Answer(now, paper.Request{Request: r, Operation: operation, Nth: b.sent[operation]})
	b.sent[operation]++
	if a.Ready != nil {
		a.Status = a.Ready.Status
	}
	return a.Reply
}

// ADR-0042: of an API limited to 20 requests a second as a whole, 277 reached it inside the quiet it had asked for, over
// 20 waits. Counted here are all from the first that it refuses to the hold, that one and the first wait's too.
func TestEvidenceAnAPILimitedAsAWholeIsHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	const limit, window, theirs = 20, time.Second, 277
	for _, n := range []int{2, 3, 5, 10, 23, 43} {
		t.Run(fmt.Sprint(n, " operations"), func(t *testing.T) {
			var inside, first, holds []int
			var perHold []float64
			for seed := range uint64(seeds(20)) {
				s := sim.New(operations(t, n, false), paper.API{
					Latency: paper.Within(10 * time.Millisecond),
					Quotas:  []paper.Quota{{Rule: limiter.Rule{Algorithm: limiter.FixedWindow, Limit: limit, Window: window}}},
				}, 20*time.Second)
				s.Seed = seed
				trace := s.Run(stages.Order{})
				judge(t, trace)
				sum, each := 0, quiets(trace)
				for _, requests := range each {
					sum += requests
				}
				held := trace.Last.WholeAPI.Times
				inside, first, holds = append(inside, sum), append(first, each[0]), append(holds, held)
				perHold = append(perHold, float64(sum)/float64(held))
			}
			t.Logf("requests inside the quiet: %s\nwaits: %s\na wait: %s, mean %.2f\nfirst wait: %s",
				spread(inside), spread(holds), spread(perHold), mean(inside)/mean(holds), spread(first))
			if got := slices.Max(inside); 2*got >= theirs {
				t.Errorf("%d requests inside the quiet, of %d", got, theirs)
			}
			if got := mean(inside) / mean(holds); got > 6.5 {
				t.Errorf("%.2f requests inside the quiet a wait", got)
			}
		})
	}
}

// quiets are how many requests left from each first refusal on until nothing left for almost a second.
func quiets(tr sim.Trace) (requests []int) {
	asked, last := false, clock.Instant(0)
	for _, e := range tr.Events {
		if e.Kind != sim.Written {
			continue
		}
		if asked && e.At.Sub(last) > 900*time.Millisecond {
			asked = false
		}
		if last = e.At; e.Asks && !asked {
			asked = true
			requests = append(requests, 0)
		}
		if asked {
			requests[len(requests)-1]++
		}
	}
	return requests
}

// ADR-0043: at 30, 300 and 3,000 a minute for 20 s, 10, 95 and 810 requests of 10, 100 and 1,000 turns.
func TestEvidenceARateUsesItsTurnsAndNoMore(t *testing.T) {
	const budget = 20 * time.Second
	for _, perMinute := range []int64{30, 300, 3000} {
		t.Run(fmt.Sprint(perMinute), func(t *testing.T) {
			var used []float64
			var shortest []time.Duration
			for seed := range uint64(seeds(10)) {
				s := sim.New(operations(t, 5, true), paper.API{
					BySchema: true, Latency: paper.Classes(time.Millisecond, 3*time.Millisecond, 2, 2, 5, 12, 40),
				}, budget)
				s.Settings.Engine.LimitTheRate, s.Settings.Engine.MostRequestsPerMinute = true, perMinute
				s.Seed = seed
				trace := s.Run(stages.Order{})
				judge(t, trace)
				var writes []clock.Instant
				for _, e := range trace.Events {
					if e.Kind == sim.Written {
						writes = append(writes, e.At)
					}
				}
				turns := 1 + int64(budget-time.Duration(writes[0])-1)*perMinute/int64(time.Minute)
				used = append(used, 100*float64(len(writes))/float64(turns))
				for i := 1; i < len(writes); i++ {
					gap := writes[i].Sub(writes[i-1])
					if int64(gap)*perMinute < int64(time.Minute) {
						t.Errorf("seed %d: %v between writes", seed, gap)
					}
					shortest = append(shortest, gap)
				}
			}
			t.Logf("of a hundred turns: %s\nbetween writes: %s", spread(used), spread(shortest))
			if got := slices.Min(used); got < 99 {
				t.Errorf("%.1f of a hundred turns are used", got)
			}
		})
	}
}

// ADR-0043: four in flight were stalled for 0.3 s and answered together, at 600 a minute; what came next went out 102 to
// 106 ms apart.
func TestEvidenceAfterAStallNothingIsMadeUpFor(t *testing.T) {
	var gaps []time.Duration
	for seed := range uint64(seeds(20)) {
		s := sim.New(operations(t, 5, false), paper.API{Latency: paper.Within(10 * time.Millisecond)}, 18*time.Second)
		// Four leave in 0.3 s, and 0.3 s later their answers are there.
		for at := time.Duration(0); at < s.Budget; at += 600 * time.Millisecond {
			s.API.Phases = append(s.API.Phases, paper.Stalls(at+1, at+600*time.Millisecond))
		}
		s.Settings.Engine.InitialConcurrency, s.Settings.Engine.MaxConcurrency = 4, 4
		s.Seed, s.Together = seed, true
		s = rate(s, 600)
		trace := s.Run(stages.Order{})
		judge(t, trace)
		last, stalled := clock.Instant(-1), 0
		for _, e := range trace.Events {
			if e.Kind != sim.Written {
				continue
			}
			if last >= 0 {
				if gap := e.At.Sub(last); gap > 250*time.Millisecond {
					stalled++
				} else {
					gaps = append(gaps, gap)
				}
			}
			last = e.At
		}
		if stalled < 25 {
			t.Errorf("seed %d: only %d times were four stalled", seed, stalled)
		}
	}
	t.Logf("between writes: %s", spread(gaps))
	if least, middle := slices.Min(gaps), median(gaps); least < 100*time.Millisecond || middle > 101*time.Millisecond {
		t.Errorf("%v between writes at the least, %v in the middle", least, middle)
	}
}

// ADR-0043: at a stand-in the first two requests of a run at 600 a minute came 41 ms apart, as the first had to open its
// connection.
func TestEvidenceTheFirstTwoAreATurnApartHoweverLongConnectionsTakeToOpen(t *testing.T) {
	var gaps []time.Duration
	for seed := range uint64(seeds(20)) {
		s := sim.New(operations(t, 5, false), paper.API{Latency: paper.Within(10 * time.Millisecond), Dials: paper.Within(200 * time.Millisecond)}, time.Second)
		s.Seed = seed
		trace := rate(s, 600).Run(stages.Order{})
		judge(t, trace)
		var arrivals []clock.Instant
		for _, e := range trace.Events {
			if e.Kind == sim.Written {
				arrivals = append(arrivals, e.At)
			}
		}
		gaps = append(gaps, arrivals[1].Sub(arrivals[0]))
	}
	t.Logf("between the first two: %s", spread(gaps))
	if slices.Min(gaps) < 100*time.Millisecond {
		t.Errorf("%v", slices.Min(gaps))
	}
}

// BenchmarkEvidenceNothingNamed measures what waiting when told to costs a run that is never told to, and that names no
// rate: runs by the default settings, in pairs with runs in which it is switched off, the order alternating. Pairs of runs
// that do not differ tell the noise.
func BenchmarkEvidenceNothingNamed(b *testing.B) {
	doc := bookshop(b)
	for _, how := range []struct {
		name string
		took func(s settings.Settings) time.Duration
	}{
		{"live", func(s settings.Settings) time.Duration { return live(b, doc, s, 3000) }},
		{"inline", func(s settings.Settings) time.Duration { return inline(b, s) }},
	} {
		b.Run(how.name, func(b *testing.B) {
			on, off := settings.Default(), settings.Default()
			on.Report.Recording, off.Report.Recording, off.Schedule.WaitWhenToldTo = false, false, false
			how.took(on)
			var costs, noise []float64
			for n := 0; b.Loop(); n++ {
				for _, pair := range []struct {
					ratios *[]float64
					other  settings.Settings
				}{{&costs, off}, {&noise, on}} {
					var with, without time.Duration
					if n%2 == 0 {
						with, without = how.took(on), how.took(pair.other)
					} else {
						without, with = how.took(pair.other), how.took(on)
					}
					*pair.ratios = append(*pair.ratios, 100*with.Seconds()/without.Seconds())
				}
			}
			b.Logf("of the time without, in a hundred, over %d pairs: %s\nof the same run: %s", len(costs), spread(costs), spread(noise))
			b.ReportMetric(median(costs), "%_of_the_time")
			b.ReportMetric(median(noise), "%_of_the_same")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// live is how long so many requests take through all five stages, live, against replies that come at once.
func live(b *testing.B, doc *document.Document, s settings.Settings, requests int64) time.Duration {
	b.Helper()
	clk := clock.NewSystem()
	edge := &counting{stops: make(chan messages.End, 1)}
	edge.left.Store(requests)
	run := stages.Run{
		Document: doc, Settings: s, Seed: 1, Deadline: clock.Instant(time.Hour), LastWrite: -1, Report: reporter.Config{Quiet: true},
		Transport: func(tell func(messages.ToSender), _ func(error)) sender.Transport {
			edge.Transport = sim.NewHurriedTransport(demo.New(demo.Options{WithoutLimits: true}), s.Engine, clk, tell)
			return edge
		},
	}
	began := clk.Now()
	if result := run.Live(context.Background(), clk, edge.stops); result.Exit != reporter.ExitInterrupted {
		b.Fatal(result.Exit, result.Summary)
	}
	return clk.Now().Sub(began)
}

// inline is how long a run on paper takes in which the stages have as little to do as can be: one operation, no content.
func inline(b *testing.B, s settings.Settings) time.Duration {
	b.Helper()
	run := sim.New(operations(b, 1, false), paper.API{}, time.Second)
	run.Settings = s
	clk := clock.NewSystem()
	began := clk.Now()
	if result := run.Play(stages.Order{}); result.Exit == reporter.ExitFailed {
		b.Fatal(result.Summary)
	}
	return clk.Now().Sub(began)
}
