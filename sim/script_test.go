package sim_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/sim"
	"github.com/restest/restest/sim/limiter"
	"github.com/restest/restest/sim/paper"
	"github.com/restest/restest/stages"
)

var updateTraces = flag.Bool("update", false, "write the golden traces again")

// rate keeps to so many requests a minute, without an opening lap.
func rate(s sim.Scenario, perMinute int64) sim.Scenario {
	s.Settings.Engine.LimitTheRate, s.Settings.Engine.MostRequestsPerMinute = true, perMinute
	s.Settings.Schedule.OpeningLap = false
	return s
}

// Runs short enough to read, most of them what was left of a random one that broke a law once it had been shrunk. Their
// traces are in testdata, one line for each thing that happened.
func TestNamedRunsAreAsTheyWereRead(t *testing.T) {
	const second, ms = time.Second, time.Millisecond
	scripts := map[string]func() sim.Scenario{
		// Two operations share two requests a second. The second refusal holds everything; each is tried by one after it.
		"a-second-refusal-holds-the-whole-api": func() sim.Scenario {
			s := sim.New(operations(t, 2, false), paper.API{
				Latency: paper.Always(10 * ms),
				Quotas:  []paper.Quota{{Rule: limiter.Rule{Algorithm: limiter.FirstWindow, Limit: 2, Window: 2 * second}}},
			}, 5*second/2)
			return rate(s, 600)
		},
		// The refusals of requests that were under way when the first came begin no wait and double no guess.
		"late-refusals-begin-no-wait": func() sim.Scenario {
			s := sim.New(operations(t, 1, false), paper.API{
				Latency: paper.Always(350 * ms),
				Instead: []paper.Share{{Of100: 100, Refusal: &paper.Refusal{}}},
			}, 3*second/2)
			return rate(s, 600)
		},
		// A refusal states a moment while a wait is going: it moves the end, and only later.
		"a-stated-moment-moves-the-end-of-a-wait": func() sim.Scenario {
			s := sim.New(operations(t, 1, false), paper.API{
				Instead: []paper.Share{
					{Of100: 50, Refusal: &paper.Refusal{Form: paper.Fraction, Wait: 300 * ms, After: paper.Always(150 * ms)}},
					{Of100: 50, Refusal: &paper.Refusal{Form: paper.Fraction, Wait: 700 * ms, After: paper.Always(450 * ms)}},
				},
			}, 3*second/2)
			return rate(s, 600)
		},
		// Four requests wait for an API that stalls, and their answers come together: nothing goes together after it.
		"after-a-stall-nothing-is-made-up-for": func() sim.Scenario {
			s := sim.New(operations(t, 1, false), paper.API{Phases: []paper.Phase{paper.Stalls(0, 500*ms)}}, 850*ms)
			s.Settings.Engine.MaxConcurrency, s.Together = 4, true
			return rate(s, 600)
		},
		// A refusal whose body drips is obeyed at its header.
		"a-dripping-refusal-is-obeyed-at-its-header": func() sim.Scenario {
			s := sim.New(operations(t, 1, false), paper.API{
				Latency: paper.Always(50 * ms),
				Instead: []paper.Share{{Of100: 100, Refusal: &paper.Refusal{Form: paper.Seconds, Wait: second, Fate: paper.Drips, After: paper.Always(150 * ms)}}},
			}, 3*second/2)
			return rate(s, 600)
		},
		// A redirect that waits for its turn when its operation is told to wait is not followed: it is the reply.
		"a-redirect-of-an-operation-told-to-wait": func() sim.Scenario {
			s := sim.New(operations(t, 1, false), paper.API{
				Instead: []paper.Share{
					{Of100: 50, Status: 302, Location: "/thing0", After: paper.Always(150 * ms)},
					{Of100: 50, Refusal: &paper.Refusal{Form: paper.Fraction, Wait: 300 * ms, After: paper.Always(60 * ms)}},
				},
			}, second)
			s.Settings.Engine.FollowRedirects = true
			return rate(s, 600)
		},
		// What waits for its turn when the run is stopped never goes.
		"what-waits-for-its-turn-at-a-stop-never-goes": func() sim.Scenario {
			s := sim.New(operations(t, 1, false), paper.API{Latency: paper.Always(100 * ms), Writes: paper.Always(10 * ms)}, second)
			s.Stop, s.StopAt = messages.Interrupted, 250*ms
			return rate(s, 600)
		},
		// An API that dies resets what is under way and is dialled again until it is back.
		"an-api-that-dies-and-comes-back": func() sim.Scenario {
			s := sim.New(operations(t, 1, false), paper.API{Latency: paper.Always(30 * ms), Phases: []paper.Phase{paper.Dies(110*ms, 400*ms)}}, 700*ms)
			s.Settings.Engine.MaxConcurrency, s.Settings.Engine.InitialConcurrency = 2, 2
			return rate(s, 600)
		},
		// A redirect waits out a hold of more than a second, and goes together with another request of its operation: it is we
		// who kept it, and it hangs as little as what has just been sent.
		"a-redirect-that-waited-out-a-hold-does-not-hang": func() sim.Scenario {
			s := sim.New(operations(t, 4, false), paper.API{
				Latency: paper.Always(40 * ms),
				Instead: []paper.Share{
					{Of100: 100, Operations: []int{0}, Status: 302, Location: "/thing0", After: paper.Always(50 * ms)},
				},
				Quotas: []paper.Quota{{
					Operations: []int{1, 2}, Rule: limiter.Rule{Algorithm: limiter.Leaky, Limit: 1, Window: 1500 * ms}, Each: true,
					Refusal: paper.Refusal{Form: paper.Fraction, Wait: 1500 * ms, After: paper.Always(10 * ms)},
				}},
			}, 1555*ms)
			s.Settings.Engine.FollowRedirects, s.Settings.Schedule.OpeningLap = true, false
			s.Settings.Engine.MinConcurrency, s.Settings.Schedule.StragglerGrace = 4, 0
			return s
		},
		// What was let go two milliseconds before its turn is taken back when the reply that comes in between says that one is
		// left, and one is under way.
		"what-was-let-go-is-taken-back-when-fewer-are-left": func() sim.Scenario {
			s := sim.New(operations(t, 1, false), paper.API{
				Latency: paper.Always(199 * ms),
				Instead: []paper.Share{{Of100: 100, Says: paper.Announcement{As: paper.ResetAfter, Left: 1, More: 150 * ms}}},
			}, 550*ms)
			s.Lead = 2 * ms
			return rate(s, 600)
		},
		// A redirect that is not followed, as its operation was told to wait, says itself that nothing is left for longer: the
		// quiet from then on is one that was asked for.
		"a-redirect-that-is-not-followed-says-nothing-is-left": func() sim.Scenario {
			s := sim.New(operations(t, 1, false), paper.API{
				Instead: []paper.Share{
					{Of100: 50, Status: 302, Location: "/thing0", After: paper.Always(150 * ms), Says: paper.Announcement{As: paper.ResetAfter, More: 600 * ms}},
					{Of100: 50, Refusal: &paper.Refusal{Form: paper.Fraction, Wait: 300 * ms, After: paper.Always(60 * ms)}},
				},
			}, second)
			s.Settings.Engine.FollowRedirects, s.Seed = true, 3
			return rate(s, 600)
		},
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			trace := script().Run(stages.Order{})
			judge(t, trace)
			if differs := sim.Same(trace, script().Run(stages.Order{Lockstep: true})); differs != "" {
				t.Errorf("in lockstep: %s", differs)
			}
			golden := filepath.Join("testdata", name+".trace")
			got := trace.String()
			if *updateTraces {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the trace is another (-update writes it again):\n%s", diff(string(want), got))
			}
		})
	}
}

// diff is the first lines in which two traces differ.
func diff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < len(w) && i < len(g) && w[i] == g[i] {
		i++
	}
	return "was\n" + strings.Join(w[i:min(len(w), i+5)], "\n") + "\nis\n" + strings.Join(g[i:min(len(g), i+5)], "\n")
}
