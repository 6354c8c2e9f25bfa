package sim_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// staffRoom is a run on paper in the staff room, and what it sent.
type staffRoom struct {
	doc    *document.Document
	result reporter.Result
	out    files
	sent   []*messages.Request
}

// inTheStaffRoom tests it as its two users.
func inTheStaffRoom(t testing.TB, options demo.Options, seed uint64, order stages.Order, change func(*settings.Settings)) staffRoom {
	t.Helper()
	doc, err := document.Load(t.Context(), "openapi.json", document.Options{
		URL:  "http://127.0.0.1:1",
		Read: func(context.Context, string) ([]byte, error) { return demo.StaffDocument(), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	file, err := credentials.ParseAuthFile("auth.yaml", []byte(demo.StaffAuth))
	if err != nil {
		t.Fatal(err)
	}
	keys := &credentials.Keys{}
	keys.Include(file)
	if err := keys.Bind(doc); err != nil {
		t.Fatal(err)
	}
	s := settings.Default()
	s.Security.Probes, s.Security.Share = true, 0.3
	s.Schedule.RecheckShare = 0.3
	if change != nil {
		change(&s)
	}
	c := clock.NewFake(time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC))
	room := staffRoom{doc: doc, out: files{}}
	budget := 6 * time.Second
	run := stages.Run{
		Document: doc, Settings: s, Keys: keys, Seed: seed, Deadline: clock.Instant(budget), LastWrite: -1,
		Report: reporter.Config{
			Tool: reporter.Tool{Name: "restest", Version: "paper"}, Source: "openapi.json", Budget: budget, Out: room.out, Quiet: true, Mask: keys.Mask(),
		},
		Transport: func(tell func(messages.ToSender), _ func(error)) sender.Transport {
			return sim.NewTransport(slowly{demo.NewStaffRoom(options)}, s.Engine, c, tell)
		},
	}
	order.Watch = func(stage string, m any) {
		if l, is := m.(messages.Learned); is && stage == "generator" {
			room.sent = append(room.sent, l.Request)
		}
	}
	room.result = run.OnPaper(c, order)
	return room
}

// slowly takes its time, so that a run is not long.
type slowly struct{ sim.API }

func (s slowly) Answer(now time.Duration, r demo.Request) demo.Reply {
	reply := s.API.Answer(now, r)
	reply.After = 10 * time.Millisecond
	return reply
}

func TestEachFaultThatProbesShowIsFoundAndConfirmedAndNothingElse(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	for seed := range uint64(3) {
		planted, seen := map[string]string{}, map[string]bool{}
		for _, f := range demo.Probed() {
			planted[fmt.Sprintf("%s F%d", f.Operation, f.Code)] = map[demo.Level]string{demo.Error: "error", demo.Warning: "warning"}[f.Level]
		}
		room := inTheStaffRoom(t, demo.Options{}, seed, stages.Order{}, nil)
		for _, f := range reportOf(t, room.out).Findings {
			key := f.Operation + " " + f.Code
			if planted[key] != f.Level {
				t.Errorf("seed %d: %s is reported as %s, and planted as %q: %s; %s", seed, key, f.Level, planted[key], f.Title, f.Got)
			}
			seen[key] = true
			if f.Recheck.State != "confirmed" {
				t.Errorf("seed %d: %s is %s, shown by %d of %d", seed, key, f.Recheck.State, f.Recheck.Shown, f.Recheck.Answers)
			}
		}
		for f := range planted {
			if !seen[f] {
				t.Errorf("seed %d: %s was planted and is not found", seed, f)
			}
		}
	}
}

func TestWhatLooksAsIfItLetSomethingThroughIsNotReported(t *testing.T) {
	room := inTheStaffRoom(t, demo.Options{WithoutFaults: true}, 5, stages.Order{}, nil)
	if list, _ := found(t, room.out); len(list) > 0 {
		t.Errorf("reported: %s", strings.Join(list, ", "))
	}
	probed, kinds := map[string]map[messages.Probe]bool{}, map[messages.Probe]bool{}
	for _, r := range room.sent {
		id := room.doc.Operations[r.Operation].ID
		if probed[id] == nil {
			probed[id] = map[messages.Probe]bool{}
		}
		probed[id][r.Probe], kinds[r.Probe] = true, true
	}
	for _, probe := range messages.Probes {
		if !kinds[probe] {
			t.Errorf("no probe of kind %s was sent", probe)
		}
	}
	// Each trap was stepped into, but for those that nothing may be sent to.
	into := map[string]messages.Probe{
		"asked": messages.Anonymous, "empty": messages.Anonymous, "error": messages.WrongCredentials, "hidden": messages.OtherUser,
		"shared": messages.OtherUser, "ignored": messages.MassAssignment, "undeclared": messages.HiddenMethod, "catchAll": messages.HiddenMethod,
	}
	for _, trap := range demo.ProbedTraps() {
		switch probe, named := into[trap.Name]; {
		case named && !probed[trap.Operation][probe]:
			t.Errorf("the trap %s of %s was not stepped into", trap.Name, trap.Operation)
		case !named && (probed[trap.Operation][messages.Anonymous] || probed[trap.Operation][messages.WrongCredentials]):
			t.Errorf("%s, which asks for no credentials, was probed without", trap.Operation)
		}
	}
}

// Without being asked no probe is sent (decision 0025), in the staff room nor in the bookshop.
func TestWithoutBeingAskedNoProbeIsSent(t *testing.T) {
	room := inTheStaffRoom(t, demo.Options{}, 1, stages.Order{}, func(s *settings.Settings) { s.Security = settings.Default().Security })
	if len(room.sent) < 500 {
		t.Fatalf("%d requests", len(room.sent))
	}
	for _, r := range room.sent {
		if r.Probe != messages.NoProbe || r.Purpose == messages.Probing || r.User == "bert" {
			t.Fatalf("%s %s is a probe: %q", r.Method, r.Target, r.Probe)
		}
		lacks := messages.Get(r.Header, "X-Staff-Key") != "key-of-anna"
		if lacks {
			t.Fatalf("%s %s goes without the key", r.Method, r.Target)
		}
	}
	if report := reportOf(t, room.out); report.Probes != nil {
		t.Errorf("probes are announced: %+v", report.Probes)
	}
}

// A probe without credentials has none, one with wrong ones has the same words for all, and no other request lacks its
// own (decision 0025).
func TestWhoseCredentialsAProbeCarries(t *testing.T) {
	room := inTheStaffRoom(t, demo.Options{}, 2, stages.Order{}, nil)
	for _, r := range room.sent {
		want := map[messages.Probe]string{messages.Anonymous: "", messages.WrongCredentials: "restest-no-such-key", messages.OtherUser: "key-of-bert"}
		key, known := want[r.Probe]
		if !known {
			key = "key-of-anna"
		}
		if got := messages.Get(r.Header, "X-Staff-Key"); got != key {
			t.Fatalf("%s %s (%s, sent again: %v) carries %q, want %q", r.Method, r.Target, r.Probe, r.Recheck != nil, got, key)
		}
	}
}

// A probe writes to and deletes what its own series has made alone (decision 0025).
func TestAProbeChangesNothingButWhatItsSeriesHasMade(t *testing.T) {
	room := inTheStaffRoom(t, demo.Options{}, 3, stages.Order{}, nil)
	seen := 0
	for _, r := range room.sent {
		if r.Probe == messages.NoProbe || !slices.Contains([]string{"PUT", "PATCH", "DELETE"}, r.Method) {
			continue
		}
		if r.Recheck != nil {
			continue // its thing is made anew, at another address
		}
		seen++
		s := r.Series
		if s == nil || len(s.Taken) == 0 || s.Taken[0].Request.Method != "POST" || s.Taken[0].Reply.Status != 201 ||
			messages.Get(s.Taken[0].Reply.Header, "Location") != r.Target {
			t.Errorf("%s %s, a probe (%s), is of something else", r.Method, r.Target, r.Probe)
		}
		if r.Method != "DELETE" && r.Probe != messages.MassAssignment {
			if last := s.Taken[len(s.Taken)-1].Request; string(last.Body) != string(r.Body) || last.Target != r.Target {
				t.Errorf("%s %s is not what was accepted before it", r.Method, r.Target)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d probes that write", seen)
	}
}

// Decision 0002: "The same scenario gives the same trace", with probes as without.
func TestARunWithProbesRepeatsToTheByteInlineAndInLockstep(t *testing.T) {
	short := func(s *settings.Settings) { s.Engine.LimitTheRate, s.Engine.MostRequestsPerMinute = true, 20_000 }
	first := inTheStaffRoom(t, demo.Options{}, 7, stages.Order{}, short)
	for _, order := range []stages.Order{{}, {Lockstep: true}} {
		again := inTheStaffRoom(t, demo.Options{}, 7, order, short)
		for _, name := range []string{reporter.ReportName, reporter.RecordingName} {
			if first.out[name].String() != again.out[name].String() {
				t.Errorf("%s is another in %+v", name, order)
			}
		}
	}
}
