package sim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/sim"
	"github.com/restest/restest/sim/limiter"
	"github.com/restest/restest/sim/paper"
	"github.com/restest/restest/stages"
)

// A law that cannot be broken says nothing: each is shown a true trace with one thing in it put another way.
func TestEachLawNoticesATraceThatWasDoctored(t *testing.T) {
	s := rate(sim.New(operations(t, 2, false), paper.API{
		Latency: paper.Always(150 * time.Millisecond),
		Quotas:  []paper.Quota{{Rule: limiter.Rule{Algorithm: limiter.FirstWindow, Limit: 3, Window: 3 * time.Second}}},
	}, 5*time.Second), 600)
	// The place of the nth event of that kind.
	nth := func(tr *sim.Trace, kind sim.Kind, n int) int {
		for i := range tr.Events {
			if tr.Events[i].Kind == kind {
				if n--; n == 0 {
					return i
				}
			}
		}
		t.Fatalf("there is no such %v", kind)
		return -1
	}
	says := func(e *sim.Event, left int64, more time.Duration) {
		e.Quota, e.Left, e.More, e.MoreAtMost = true, left, more, time.Hour
	}
	remove := func(tr *sim.Trace, i int) { tr.Events = slices.Delete(tr.Events, i, i+1) }
	for law, doctor := range map[string]func(*sim.Trace){
		"AtOnce": func(tr *sim.Trace) { tr.Events[nth(tr, sim.Written, 1)].At += 1 },
		"Evenly": func(tr *sim.Trace) { tr.Events[nth(tr, sim.Written, 2)].At -= 1 },
		"LeavesAlone": func(tr *sim.Trace) {
			i := slices.IndexFunc(tr.Events, func(e sim.Event) bool { return e.Kind == sim.Written && e.Asks })
			tr.Events[i].Stated, tr.Events[i].Wait = true, 4*time.Second
		},
		"Holds":     func(tr *sim.Trace) { tr.Last.WholeAPI.Times++ },
		"Guesses":   func(tr *sim.Trace) { tr.Last.Waits[0].Lasted++ },
		"HearsLate": func(tr *sim.Trace) { tr.Last.Waits[0].Times++ },
		"Reads": func(tr *sim.Trace) {
			i := slices.IndexFunc(tr.Events, func(e sim.Event) bool { return e.Kind == sim.Heard && e.Asks })
			tr.Events[i].Asks = false
		},
		"Foresees": func(tr *sim.Trace) {
			// What the first operation to be refused said was that nothing is left for long.
			i := slices.IndexFunc(tr.Events, func(e sim.Event) bool { return e.Kind == sim.Written })
			says(&tr.Events[i], 0, 4*time.Second)
		},
		"StaysInside": func(tr *sim.Trace) {
			// With one left, another goes before the first has been answered.
			for _, n := range []int{1, 2, 3} {
				says(&tr.Events[nth(tr, sim.Written, n)], 1, time.Second)
			}
			for i := range tr.Events {
				tr.Events[i].Operation = 0
			}
		},
		"ReadsLeft": func(tr *sim.Trace) { tr.Events[nth(tr, sim.Heard, 1)].Quota = true },
		"OwnTurns": func(tr *sim.Trace) {
			op := tr.Scenario.Document.Operations[0]
			tr.Scenario.Settings.Engine.MostRequestsPerMinuteFor = op.Method + " " + op.Path + "=200"
		},
		"Trial": func(tr *sim.Trace) {
			// The first answer after the first wait is not heard.
			wait := slices.IndexFunc(tr.Events, func(e sim.Event) bool { return e.Kind == sim.Heard && e.Asks })
			op := tr.Events[wait].Operation
			sent := clock.Never
			tr.Events = slices.DeleteFunc(tr.Events, func(e sim.Event) bool {
				if e.Kind == sim.Written && e.Operation == op && e.At > tr.Events[wait].At && sent == clock.Never {
					sent = e.At
				}
				return e.Kind == sim.Heard && e.Sent == sent
			})
		},
		"Within":    func(tr *sim.Trace) { tr.Events[nth(tr, sim.Written, 5)].At = clock.Instant(5 * time.Second) },
		"Conserves": func(tr *sim.Trace) { remove(tr, nth(tr, sim.Judged, 3)) },
		"Unasked":   func(tr *sim.Trace) { tr.Events[nth(tr, sim.Going, 2)].Probe = true },
		"Bounded":   func(tr *sim.Trace) { tr.Events[nth(tr, sim.Going, 2)].Slot = tr.Events[nth(tr, sim.Going, 1)].Slot },
		"GoesOn":    func(tr *sim.Trace) { remove(tr, nth(tr, sim.Written, 4)) },
		"Accounts":  func(tr *sim.Trace) { tr.Last.IdleAsked += time.Millisecond },
	} {
		t.Run(law, func(t *testing.T) {
			trace := s.Run(stages.Order{})
			judge(t, trace)
			doctor(&trace)
			if !slices.ContainsFunc(sim.Judge(trace), func(v sim.Violation) bool { return v.Law == law }) {
				t.Errorf("%s sees nothing wrong; these laws are broken: %v", law, sim.Judge(trace))
			}
		})
	}
}

func TestTheLawsAndTheirMutantsAreWrittenDown(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "laws.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, law := range sim.Laws() {
		if row := fmt.Sprintf("| %s | %s | %s |", law.Name, law.Says, law.Source); !strings.Contains(string(text), row) {
			t.Errorf("docs/laws.md does not have %s", row)
		}
	}
	for _, m := range mutants {
		if !strings.Contains(string(text), "| "+m.bug+" |") {
			t.Errorf("docs/laws.md does not have the bug: %s", m.bug)
		}
	}
}

// A run that ends in the middle has no last account, and is no run.
func TestATraceWithoutAnAccountBreaksALaw(t *testing.T) {
	s := sim.New(operations(t, 1, false), paper.API{}, 20*time.Millisecond)
	trace := s.Run(stages.Order{})
	trace.Last = nil
	if len(sim.Judge(trace)) == 0 {
		t.Error("no law is broken")
	}
}

func TestTwoTracesThatDifferAreNotTheSame(t *testing.T) {
	s := sim.New(operations(t, 2, true), paper.API{BySchema: true}, 50*time.Millisecond)
	one := s.Run(stages.Order{})
	s.Seed = 2
	if sim.Same(one, s.Run(stages.Order{})) == "" {
		t.Error("another seed gives the same trace")
	}
	short := one
	short.Events = one.Events[:len(one.Events)-1]
	if sim.Same(one, short) == "" {
		t.Error("a trace is the same without its last event")
	}
}

func TestAStopEndsTheRunWithinItsGrace(t *testing.T) {
	s := sim.New(operations(t, 1, false), paper.API{Instead: []paper.Share{{Of100: 100, Fate: paper.Silence}}}, time.Minute)
	s.Stop, s.StopAt = messages.Interrupted, time.Second
	s.Settings.Schedule.InterruptGrace = 300 * time.Millisecond
	trace := s.Run(stages.Order{})
	judge(t, trace)
	if at := trace.Last.At; at != clock.Instant(1300*time.Millisecond) || trace.Last.End != messages.Interrupted {
		t.Errorf("it is over at %v, by %v", time.Duration(at), trace.Last.End)
	}
}
