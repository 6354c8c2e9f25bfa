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

func courses(t *testing.T, paths string, several bool, change func(*settings.Series)) map[string]string {
	t.Helper()
	doc, r := load(t, paths)
	on := settings.Default().Series
	if change != nil {
		change(&on)
	}
	found := map[string]string{}
	for _, c := range series.Courses(doc, r, on, func(int) bool { return true }, several) {
		var steps []string
		for _, s := range c.Steps {
			op := doc.Operations[s.Operation]
			step := op.Method
			if strings.HasSuffix(op.Path, "photos") {
				step += " photos"
			}
			if s.Again > 0 {
				step += fmt.Sprintf(" as %d", s.Again)
			}
			if s.Other {
				step += " as another"
			}
			steps = append(steps, step)
		}
		found[c.Kind] = strings.Join(steps, ", ")
	}
	return found
}

func TestEachKindOfSeriesGoesThroughItsSteps(t *testing.T) {
	got := courses(t, shop, true, nil)
	want := map[string]string{
		series.ReadAfterCreate:   "POST, GET",
		series.ReadAfterDelete:   "POST, DELETE, GET",
		series.DeleteTwice:       "POST, DELETE, DELETE as 2",
		series.WriteUnderDeleted: "POST, DELETE, POST photos",
		series.PutTwice:          "POST, PUT, PUT as 2, GET",
		series.PatchThenRead:     "POST, PATCH, GET",
		series.ListContains:      "POST, GET",
		series.SafeGet:           "POST, GET, GET photos, GET",
		series.CreateTwice:       "POST, POST as 1",
		series.ActAsAnotherUser:  "POST, GET as another",
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
`, false, nil)
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
	all := courses(t, shop, true, nil)
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
		series.ActAsAnotherUser:  func(s *settings.Series) { s.ActAsAnotherUser = false },
	} {
		got := courses(t, shop, true, off)
		if _, there := got[kind]; there || len(got) != len(all)-1 {
			t.Errorf("with %s off there are %v", kind, got)
		}
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
	c := series.Courses(doc, r, on, func(int) bool { return true }, false)
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
	c := series.Courses(doc, r, settings.Default().Series, func(int) bool { return true }, false)
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
