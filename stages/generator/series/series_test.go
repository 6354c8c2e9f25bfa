package series_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/settings/document/graph"
	"github.com/restest/restest/stages/generator/series"
)

const ok = "responses: {'200': {description: ok}}"

const shop = `
  /pets:
    get: {` + ok + `}
    post: {` + ok + `}
  /pets/{id}:
    get: {` + ok + `}
    put: {` + ok + `}
    patch: {` + ok + `}
    delete: {` + ok + `}
  /pets/{id}/photos:
    get: {` + ok + `}
    post: {` + ok + `}
`

func load(t *testing.T, paths string) (*document.Document, *graph.Resource) {
	t.Helper()
	text := "openapi: 3.0.3\ninfo: {title: T, version: '1'}\nservers: [{url: 'http://127.0.0.1:8080'}]\npaths:" + paths
	doc, err := document.Load(context.Background(), "t.yaml", document.Options{
		Read: func(context.Context, string) ([]byte, error) { return []byte(text), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc, graph.Of(doc).At("/pets/{}")
}

func courses(t *testing.T, paths string, change func(*settings.Series)) map[string]string {
	t.Helper()
	doc, r := load(t, paths)
	on := settings.Default().Series
	if change != nil {
		change(&on)
	}
	found := map[string]string{}
	for _, c := range series.Courses(doc, r, on, func(int) bool { return true }) {
		var steps []string
		for _, s := range c.Steps {
			op := doc.Operations[s.Operation]
			step := op.Method
			if strings.HasSuffix(op.Path, "photos") {
				step += " photos"
			}
			if s.Breaking {
				step += " broken"
			}
			if s.Again > 0 {
				step += fmt.Sprintf(" as %d", s.Again)
			}
			steps = append(steps, step)
		}
		found[c.Kind] = strings.Join(steps, ", ")
	}
	return found
}

func TestEachKindOfSeriesGoesThroughItsSteps(t *testing.T) {
	got := courses(t, shop, nil)
	want := map[string]string{
		series.ReadAfterCreate:   "POST, GET",
		series.ReadAfterDelete:   "POST, DELETE, GET",
		series.DeleteTwice:       "POST, DELETE, DELETE as 2",
		series.WriteUnderDeleted: "POST, DELETE, POST photos",
		series.PutTwice:          "POST, PUT, PUT as 2, GET",
		series.PatchThenRead:     "POST, PATCH, GET",
		series.RefusedWrite:      "POST, GET, PUT broken, GET as 2", // and one with PATCH before it
		series.ListContains:      "POST, GET",
		series.SafeGet:           "POST, GET, GET photos, GET as 2",
		series.CreateTwice:       "POST, POST as 1",
	}
	for kind, steps := range want {
		if got[kind] != steps {
			t.Errorf("%s: %s, want %s", kind, got[kind], steps)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d kinds: %v", len(got), got)
	}
}

func TestASeriesIsMadeOnlyWhereTheDocumentHasItsOperations(t *testing.T) {
	got := courses(t, `
  /pets:
    post: {`+ok+`}
  /pets/{id}:
    delete: {`+ok+`}
`, nil)
	var kinds []string
	for kind := range got {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	if want := []string{series.CreateTwice, series.DeleteTwice}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

func TestEachKindOfSeriesHasItsSwitch(t *testing.T) {
	all := courses(t, shop, nil)
	for kind, off := range map[string]func(*settings.Series){
		series.ReadAfterCreate:   func(s *settings.Series) { s.ReadAfterCreate = false },
		series.ReadAfterDelete:   func(s *settings.Series) { s.ReadAfterDelete = false },
		series.DeleteTwice:       func(s *settings.Series) { s.DeleteTwice = false },
		series.WriteUnderDeleted: func(s *settings.Series) { s.WriteUnderDeleted = false },
		series.PutTwice:          func(s *settings.Series) { s.PutTwice = false },
		series.PatchThenRead:     func(s *settings.Series) { s.PatchThenRead = false },
		series.ListContains:      func(s *settings.Series) { s.ListContains = false },
		series.SafeGet:           func(s *settings.Series) { s.SafeGet = false },
		series.CreateTwice:       func(s *settings.Series) { s.CreateTwice = false },
	} {
		got := courses(t, shop, off)
		if _, there := got[kind]; there || len(got) != len(all)-1 {
			t.Errorf("with %s off there are %v", kind, got)
		}
	}
}

// probes are the courses of probes of a document, each as its kind and its steps.
func probes(t *testing.T, paths string, change func(*series.Probing)) []string {
	t.Helper()
	doc, r := load(t, paths)
	all := func(int) bool { return true }
	p := series.Probing{On: settings.Default().Security, Usable: all, Keyed: all, Hides: all, Several: true}
	if change != nil {
		change(&p)
	}
	var courses []series.Course
	for i := range doc.Operations {
		courses = append(courses, series.Probes(doc, i, p)...)
	}
	var told []string
	for _, c := range append(courses, series.ProbesAround(doc, r, p)...) {
		line := c.Kind + ":"
		for _, s := range c.Steps {
			line += " " + doc.Operations[s.Operation].Method
			if strings.HasSuffix(doc.Operations[s.Operation].Path, "photos") {
				line += " photos"
			}
			if s.Again > 0 {
				line += fmt.Sprintf(" as %d", s.Again)
			}
			line += [...]string{"", " by another", " by nobody", " by a stranger"}[s.As]
			if s.Probe != messages.NoProbe {
				line += "!"
			}
		}
		told = append(told, line)
	}
	return told
}

// Decision 0025: what each probe is compared with comes before it, and what it changes its series has made.
func TestEachSecurityProbeGoesThroughItsSteps(t *testing.T) {
	got := probes(t, shop, nil)
	want := []string{
		"anonymous: GET GET as 1 by nobody!", "wrongCredentials: GET GET as 1 by a stranger!",
		"anonymous: POST POST by nobody!", "wrongCredentials: POST POST by a stranger!",
		"anonymous: GET GET as 1 by nobody!", "wrongCredentials: GET GET as 1 by a stranger!",
		"anonymous: GET photos GET photos as 1 by nobody!", "wrongCredentials: GET photos GET photos as 1 by a stranger!",
		"anonymous: POST PUT PUT as 2 by nobody!", "anonymous: POST PATCH PATCH as 2 by nobody!",
		"anonymous: POST POST photos POST photos by nobody!", "anonymous: POST DELETE by nobody!",
		"wrongCredentials: POST PUT PUT as 2 by a stranger!", "wrongCredentials: POST PATCH PATCH as 2 by a stranger!",
		"wrongCredentials: POST POST photos POST photos by a stranger!", "wrongCredentials: POST DELETE by a stranger!",
		"otherUser: POST GET by another! GET by another! PUT PUT as 4 by another! DELETE by another!",
		"existenceLeaked: POST GET by another! DELETE GET as 2 by another!",
		"forbiddenToSome: POST GET GET as 2 by another! GET as 2 by nobody!",
		"massAssignment: POST POST!",
		"massAssignment: POST GET PATCH PATCH as 3! GET as 2!", "massAssignment: POST GET PUT PUT as 3! GET as 2!",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	ideas := "\n  /ideas: {post: {" + ok + "}, put: {" + ok + "}}\n  /pets: {post: {" + ok + "}, get: {" + ok + "}}\n  /pets/{id}: {get: {" + ok + "}}\n"
	hidden := probes(t, ideas, func(p *series.Probing) {
		p.Keyed = func(int) bool { return false }
		p.Several, p.On.MassAssignment = false, false
	})
	if want := []string{"hiddenMethod: POST POST as 1! POST as 1!"}; !slices.Equal(hidden, want) {
		t.Errorf("hidden: got %v", hidden)
	}
	if none := probes(t, shop, func(p *series.Probing) { p.On = settings.Security{} }); len(none) > 0 {
		t.Errorf("with all switched off: %v", none)
	}
}

func answer(r *messages.Request, status int) messages.Learned {
	return messages.Learned{Request: r, Outcome: messages.Answered, Reply: &messages.Reply{Status: status}, HeardAt: 10}
}

// begun is a deleteTwice whose create was answered.
func begun(t *testing.T) series.Series {
	t.Helper()
	doc, r := load(t, shop)
	on := settings.Series{DeleteTwice: true}
	c := series.Courses(doc, r, on, func(int) bool { return true })
	s := series.Begin(1, &c[0])
	if _, _, ready := s.Next(0); ready {
		t.Fatal("the second step was ready before the first was answered")
	}
	s, over := s.Answered(answer(&messages.Request{Seq: 1, Operation: r.Create}, 201), []any{"7"})
	if over {
		t.Fatal("it was over after its create")
	}
	return s
}

func TestOneStepIsUnderWayAtATime(t *testing.T) {
	s := begun(t)
	step, _, ready := s.Next(20)
	if !ready || step.Again != 0 {
		t.Fatalf("the deletion is not ready: %+v", step)
	}
	if _, _, ready := s.Sent().Next(20); ready {
		t.Error("a second step is ready while the first is under way")
	}
	if _, _, ready := s.Sent().Unsent().Next(20); !ready {
		t.Error("a step that was taken back is not ready again")
	}
}

func TestARefusedStepIsTakenAgainOnceTheWaitIsOver(t *testing.T) {
	s := begun(t).Sent()
	l := answer(&messages.Request{Seq: 2, Operation: s.Course.Resource.Delete}, 429)
	l.Refused, l.Wait = true, time.Second
	s, over := s.Answered(l, nil)
	if over {
		t.Fatal("it was given up")
	}
	if _, until, ready := s.Next(11); ready || until != messages.Instant(10).Add(time.Second) {
		t.Errorf("ready %v, until %d", ready, until)
	}
	if step, _, ready := s.Next(messages.Instant(10).Add(time.Second)); !ready || step.Operation != s.Course.Resource.Delete {
		t.Errorf("after the wait: %v, %+v", ready, step)
	}
	if len(s.Taken) != 1 {
		t.Errorf("the refusal counts as a step: %d", len(s.Taken))
	}
}

func TestAStepThatWasNeverSentIsTakenAgain(t *testing.T) {
	s := begun(t).Sent()
	s, over := s.Answered(messages.Learned{Request: &messages.Request{Seq: 2}, Outcome: messages.NeverSent}, nil)
	if _, _, ready := s.Next(20); over || !ready {
		t.Errorf("over %v, ready %v", over, ready)
	}
}

func TestASeriesEndsWhereTheThingIsGoneOrNothingWasMade(t *testing.T) {
	doc, r := load(t, shop)
	c := series.Courses(doc, r, settings.Default().Series, func(int) bool { return true })
	made := answer(&messages.Request{Seq: 1, Operation: r.Create}, 201)
	if _, over := series.Begin(1, &c[0]).Answered(made, nil); !over {
		t.Error("it goes on without a thing")
	}
	if _, over := series.Begin(1, &c[0]).Answered(answer(made.Request, 400), nil); !over {
		t.Error("it goes on after a create that failed")
	}
	s := begun(t).Sent()
	if _, over := s.Answered(answer(&messages.Request{Seq: 2, Operation: r.Delete}, 404), nil); !over {
		t.Error("it goes on with a thing that is gone")
	}
	if _, over := s.Answered(messages.Learned{Request: &messages.Request{Seq: 2}, Outcome: messages.NoReply}, nil); !over {
		t.Error("it goes on without a reply")
	}
}

func TestAStepCarriesThoseBeforeIt(t *testing.T) {
	s := begun(t).Sent()
	s, _ = s.Answered(answer(&messages.Request{Seq: 2, Operation: s.Course.Resource.Delete}, 204), nil)
	if !s.Deleted() {
		t.Error("the thing does not count as deleted")
	}
	place := s.Place()
	if place.Nth != 3 || place.Kind != series.DeleteTwice || len(place.Taken) != 2 || place.Taken[1].Request.Seq != 2 || place.Taken[1].Reply.Status != 204 {
		t.Errorf("%+v", place)
	}
}
