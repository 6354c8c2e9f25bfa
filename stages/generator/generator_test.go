package generator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
	testplan "github.com/restest/restest/settings/plan"
)

// fakeClock stands still until it is moved.
type fakeClock struct{ now messages.Instant }

func (c *fakeClock) Now() messages.Instant                       { return c.now }
func (c *fakeClock) At(messages.Instant, func()) (cancel func()) { return func() {} }
func (c *fakeClock) Wall(t messages.Instant) time.Time           { return time.Unix(0, int64(t)) }
func (c *fakeClock) move(d time.Duration)                        { c.now = c.now.Add(d) }

// script talks to a generator as the pacer and the classifier do.
type script struct {
	t     testing.TB
	doc   *document.Document
	g     *Generator
	clock *fakeClock
	got   []messages.Offer
}

func newScript(t testing.TB, doc *document.Document, change func(*Config)) *script {
	t.Helper()
	s := &script{t: t, doc: doc, clock: &fakeClock{}}
	cfg := Config{Document: doc, Settings: settings.Default(), Seed: 42}
	cfg.Settings.Series.Share, cfg.Settings.Schedule.Learn = 0, false
	if change != nil {
		change(&cfg)
	}
	s.g = New(cfg, s.clock, Neighbours{Pacer: func(m messages.ToPacer) { s.got = append(s.got, m.(messages.Offer)) }})
	return s
}

// ordinary has ordinary requests alone after the opening lap, withoutLap from the first on.
func ordinary(c *Config) {
	c.Settings.Schedule.MostCovering = 0
	c.Plan = &testplan.Plan{Strategies: []testplan.Strategy{{Name: testplan.Nominal, Share: 1}}}
}

// shareOfSeries has that share of the requests belong to series, and the others be ordinary.
func shareOfSeries(c *Config, share float64) {
	c.Plan = &testplan.Plan{Strategies: []testplan.Strategy{
		{Name: testplan.Nominal, Share: int(1000 * (1 - share))}, {Name: testplan.Series, Share: int(1000 * share)},
	}}
}

func withoutLap(c *Config) {
	ordinary(c)
	c.Settings.Schedule.OpeningLap = false
}

// want is the one offer that answers a Want.
func (s *script) want(w messages.Want) messages.Offer {
	s.t.Helper()
	s.got = s.got[:0]
	s.g.Handle(w)
	if len(s.got) != 1 {
		s.t.Fatalf("a Want was answered by %d offers", len(s.got))
	}
	return s.got[0]
}

// next is the next request; there has to be one.
func (s *script) next() *messages.Request {
	s.t.Helper()
	o := s.want(messages.Want{})
	if o.Request == nil {
		s.t.Fatalf("nothing was offered (%d)", o.Why)
	}
	return o.Request
}

// of is the next request to the operation.
func (s *script) of(id string) *messages.Request {
	s.t.Helper()
	for range len(s.doc.Operations) + 1 {
		if r := s.next(); s.id(r.Operation) == id {
			return r
		}
	}
	s.t.Fatalf("no request to %s", id)
	return nil
}

func (s *script) id(operation int) string {
	op := s.doc.Operations[operation]
	return op.Method + " " + op.Path
}

func (s *script) answer(r *messages.Request, status int, body string, header ...messages.Field) {
	s.t.Helper()
	s.tell(r, status, body, false, header...)
}

func (s *script) tell(r *messages.Request, status int, body string, refused bool, header ...messages.Field) {
	s.t.Helper()
	l := messages.Learned{
		Request: r, Outcome: messages.Answered, Refused: refused,
		Reply: &messages.Reply{Status: status, Body: []byte(body), Header: header},
	}
	if body != "" {
		d := json.NewDecoder(strings.NewReader(body))
		d.UseNumber()
		if err := d.Decode(&l.Value); err != nil {
			s.t.Fatal(err)
		}
	}
	s.g.Handle(l)
}

// read reads an OpenAPI document from its text.
func read(t testing.TB, text string) *document.Document {
	t.Helper()
	doc, err := document.Load(context.Background(), "t.yaml", document.Options{
		Read: func(context.Context, string) ([]byte, error) { return []byte(text), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// api is a document of these paths.
func api(t testing.TB, paths string) *document.Document {
	t.Helper()
	return read(t, "openapi: 3.0.3\ninfo: {title: T, version: '1'}\nservers: [{url: 'http://127.0.0.1:8080'}]\npaths:\n"+paths)
}

// shared is a folder of the real documents and cases, which are kept beside the project.
func shared(t testing.TB, folder string) string {
	t.Helper()
	root := os.Getenv("RESTEST_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	folder = filepath.Join(root, folder)
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the shared documents are not there: ", err)
	}
	return folder
}

func sharedCase(t testing.TB, name string) *document.Document {
	t.Helper()
	doc, err := document.Load(context.Background(), filepath.Join(shared(t, "cases"), name, "document.yaml"), document.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

const ok = "responses: {'200': {description: ok}}"

func TestTheLapGoesInSixSteps(t *testing.T) {
	doc := api(t, `
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    delete: {`+ok+`}
    put: {`+ok+`}
    get: {`+ok+`}
    patch: {`+ok+`}
  /pets/{id}/photos:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    post: {`+ok+`}
  /pets:
    post: {`+ok+`}
    get: {`+ok+`}
    head: {`+ok+`}
`)
	s := newScript(t, doc, nil)
	var got []string
	for range doc.Operations {
		r := s.next()
		if r.Purpose != messages.OpeningLap || r.Nth != 1 || r.Seq != int64(len(got)+1) {
			t.Errorf("%s: purpose %d, nth %d, seq %d", r.Target, r.Purpose, r.Nth, r.Seq)
		}
		got = append(got, s.id(r.Operation))
		s.answer(r, 200, "")
	}
	want := [][]string{{"GET /pets", "HEAD /pets"}, {"POST /pets"}, {"POST /pets/{id}/photos"}, {"GET /pets/{id}"}, {"PUT /pets/{id}", "PATCH /pets/{id}"}, {"DELETE /pets/{id}"}}
	for _, step := range want {
		part := slices.Sorted(slices.Values(got[:len(step)]))
		if !slices.Equal(part, slices.Sorted(slices.Values(step))) {
			t.Fatalf("a step sent %v, want %v", part, step)
		}
		got = got[len(step):]
	}
	if r := s.next(); r.Purpose == messages.OpeningLap || r.Operation != 0 || r.Nth != 2 {
		t.Errorf("after the lap came %+v", r)
	}
}

const createAndRead = `
  /pets:
    get: {` + ok + `}
    post: {` + ok + `}
`

func TestAStepOfTheLapWaitsForItsAnswers(t *testing.T) {
	s := newScript(t, api(t, createAndRead), nil)
	s.clock.move(time.Second)
	first := s.next()
	o := s.want(messages.Want{})
	if want := messages.Instant(3 * time.Second); o.Request != nil || o.Why != messages.NothingYet || o.Until != want {
		t.Fatalf("while the answer is awaited: %+v, want nothing until %d", o, want)
	}
	s.answer(first, 200, "")
	if r := s.next(); r.Method != "POST" {
		t.Errorf("%s came second", r.Method)
	}
}

func TestAStepOfTheLapWaitsNoLongerThanItsPatience(t *testing.T) {
	s := newScript(t, api(t, createAndRead), nil)
	s.next()
	s.clock.move(2*time.Second - 1)
	if o := s.want(messages.Want{}); o.Request != nil {
		t.Fatal("the step was over before its time")
	}
	s.clock.move(1)
	if r := s.next(); r.Method != "POST" {
		t.Errorf("%s came second", r.Method)
	}
}

func TestALateAnswerOfAnEarlierStepDoesNotEndTheNext(t *testing.T) {
	s := newScript(t, api(t, createAndRead+`
  /pets/{id}:
    delete: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], `+ok+`}
`), nil)
	late := s.next()
	s.clock.move(2 * time.Second)
	s.next() // POST
	s.answer(late, 200, "")
	if o := s.want(messages.Want{}); o.Request != nil || o.Why != messages.NothingYet {
		t.Errorf("got %+v, want to wait for the POST", o)
	}
}

func TestAnUnansweredRequestOfTheLapCountsAsSettled(t *testing.T) {
	for _, outcome := range []messages.Outcome{messages.NeverSent, messages.NoReply} {
		s := newScript(t, api(t, createAndRead), nil)
		s.g.Handle(messages.Learned{Request: s.next(), Outcome: outcome})
		second := s.next()
		s.answer(second, 401, "")
		if o := s.want(messages.Want{}); o.Request == nil {
			t.Errorf("outcome %d: one unanswered and one 401 ended the run: %+v", outcome, o)
		}
	}
}

func TestARestingOperationLosesItsTurnInTheLap(t *testing.T) {
	s := newScript(t, api(t, createAndRead), nil)
	o := s.want(messages.Want{Resting: messages.Set{}.With(0)})
	if o.Request == nil || o.Request.Method != "POST" || !slices.Equal(o.Skipped, []int{0}) {
		t.Fatalf("got %+v, want the POST and the GET skipped", o)
	}
	s.answer(o.Request, 200, "")
	if r := s.next(); r.Purpose != messages.Nominal {
		t.Errorf("the skipped turn came back in the lap")
	}
}

func TestABusyOperationComesBackWithinItsStepOfTheLap(t *testing.T) {
	s := newScript(t, api(t, `
  /a: {get: {`+ok+`}}
  /b: {get: {`+ok+`}}
  /c: {post: {`+ok+`}}
`), nil)
	busy := messages.Want{Busy: messages.Set{}.With(0)}
	o := s.want(busy)
	if o.Request == nil || o.Request.Operation != 1 || o.Skipped != nil {
		t.Fatalf("got %+v, want /b", o)
	}
	s.answer(o.Request, 200, "")
	if o := s.want(busy); o.Why != messages.NothingMayGo || o.Until != messages.Never || o.Request != nil || o.Skipped != nil {
		t.Fatalf("got %+v, want that nothing may go", o)
	}
	if r := s.next(); r.Operation != 0 || r.Purpose != messages.OpeningLap {
		t.Errorf("got operation %d", r.Operation)
	}
}

func TestALapOf401sAllowsNothing(t *testing.T) {
	s := newScript(t, api(t, createAndRead), nil)
	s.answer(s.next(), 401, "")
	s.answer(s.next(), 401, "")
	for range 2 {
		if o := s.want(messages.Want{}); o.Why != messages.NothingAllowed || o.Request != nil || o.Until != messages.Never {
			t.Errorf("got %+v", o)
		}
	}
}

func TestOneOtherAnswerThan401LetsTheRunGoOn(t *testing.T) {
	s := newScript(t, api(t, createAndRead), nil)
	s.answer(s.next(), 401, "")
	s.answer(s.next(), 403, "")
	s.next()
}

func TestALapWithoutARequestIsNoRefusal(t *testing.T) {
	s := newScript(t, api(t, createAndRead), nil)
	all := messages.Set{}.With(0).With(1)
	if o := s.want(messages.Want{Resting: all}); o.Why != messages.NothingMayGo || !slices.Equal(o.Skipped, []int{0, 1}) {
		t.Fatalf("got %+v", o)
	}
	s.next()
}

func TestOperationsTakeTurnsInTheOrderOfTheDocument(t *testing.T) {
	s := newScript(t, api(t, createAndRead+"  /c: {get: {"+ok+"}}\n"), withoutLap)
	var got []int
	for range 6 {
		got = append(got, s.next().Operation)
	}
	if want := []int{0, 1, 2, 0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("turns %v, want %v", got, want)
	}
	o := s.want(messages.Want{Resting: messages.Set{}.With(0), Busy: messages.Set{}.With(1)})
	if o.Request == nil || o.Request.Operation != 2 || !slices.Equal(o.Skipped, []int{0}) {
		t.Errorf("got %+v, want operation 2, with 0 skipped and 1 not counted", o)
	}
	if r := s.next(); r.Operation != 0 {
		t.Errorf("after it came %d", r.Operation)
	}
}

func TestWithAllAtRestNothingMayGo(t *testing.T) {
	s := newScript(t, api(t, createAndRead), withoutLap)
	o := s.want(messages.Want{Resting: messages.Set{}.With(1), Busy: messages.Set{}.With(0)})
	if o.Request != nil || o.Why != messages.NothingMayGo || o.Until != messages.Never || !slices.Equal(o.Skipped, []int{1}) {
		t.Errorf("got %+v", o)
	}
}

func TestAReturnedRequestCountsAsNeverBuilt(t *testing.T) {
	for _, change := range []func(*Config){withoutLap, nil} {
		s := newScript(t, api(t, `
  /a: {get: {parameters: [{name: q, in: query, required: true, schema: {type: string}}], `+ok+`}}
  /b: {get: {parameters: [{name: q, in: query, required: true, schema: {type: string}}], `+ok+`}}
`), change)
		first := s.next()
		s.g.Handle(messages.Returned{Request: first})
		o := s.want(messages.Want{Resting: messages.Set{}.With(0)})
		if o.Request == nil || o.Request.Operation != 1 || o.Request.Seq != 1 || o.Request.Nth != 1 || !slices.Equal(o.Skipped, []int{0}) {
			t.Fatalf("got %+v of %+v, want operation 1 with the same Seq", o.Request, o)
		}
		s.g.Handle(messages.Returned{Request: o.Request})
		if change == nil {
			continue // its turn in the lap is lost: it was at rest
		}
		s.next()
		if again := s.next(); again.Nth != 1 || again.Seq != 2 || again.Target != first.Target {
			t.Errorf("built again as %d/%d %s, want 2/1 %s", again.Seq, again.Nth, again.Target, first.Target)
		}
	}
}

func TestAReturnedRequestOfTheLapIsNotWaitedFor(t *testing.T) {
	s := newScript(t, api(t, createAndRead), nil)
	s.g.Handle(messages.Returned{Request: s.next()})
	if r := s.next(); r.Operation != 0 || r.Purpose != messages.OpeningLap || r.Nth != 1 {
		t.Fatalf("got %+v", r)
	}
}

func TestARequestThatCannotBeBuiltThisTimeIsLookedAtAgain(t *testing.T) {
	built := 0
	o := order{operations: []int{0, 1}}
	turn := o.pick(messages.Instant(time.Second), messages.Want{Resting: messages.Set{}.With(1)}, func(int, messages.Purpose) bool { built++; return false })
	if turn.offered || turn.why != messages.NothingBuilt || turn.until != messages.Instant(1050*time.Millisecond) || built != 1 {
		t.Errorf("got %+v after %d attempts", turn, built)
	}
}

func TestADocumentOfWhichNothingCanBeSentSaysSo(t *testing.T) {
	s := newScript(t, sharedCase(t, "15-bounds-too-big-or-contradictory"), func(c *Config) {
		c.Document.Operations = slices.DeleteFunc(c.Document.Operations, func(op *document.Operation) bool { return op.Path == "/wide" })
		for i, op := range c.Document.Operations {
			op.Index = i
		}
	})
	if o := s.want(messages.Want{}); o.Why != messages.NothingEver || o.Until != messages.Never {
		t.Errorf("got %+v", o)
	}
}

func TestOperationsThatCannotBeBuiltAreNamedWithTheReason(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"15-bounds-too-big-or-contradictory": {
			"/long": "minLength", "/many": "minItems", "/none": "forbids", "/range": "at least 10 and at most 5",
		},
		"03-recursion-must-end": {"/chains": "Chain contains itself without end"},
		"14-multipart-parts":    {"/odd": "needs an object"},
	} {
		s := newScript(t, sharedCase(t, name), nil)
		got := map[string]string{}
		for _, u := range s.g.Unbuildable() {
			got[s.doc.Operations[u.Operation].Path] = u.Reason
		}
		for _, op := range s.doc.Operations {
			if op.Untestable != "" {
				delete(want, op.Path) // the document has said so already
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v", name, got)
		}
		for path, part := range want {
			if !strings.Contains(got[path], part) {
				t.Errorf("%s%s: %q, want %q in it", name, path, got[path], part)
			}
		}
	}
}

// requests are the first n requests to the operation, those of the lap left out.
func requests(t testing.TB, doc *document.Document, path, method string, n int) []*messages.Request {
	t.Helper()
	s := newScript(t, doc, withoutLap)
	var rs []*messages.Request
	for len(rs) < n {
		r := s.next()
		if op := doc.Operations[r.Operation]; op.Path == path && op.Method == method {
			rs = append(rs, r)
		}
	}
	return rs
}

func TestTheOperationsParameterWins(t *testing.T) {
	doc := sharedCase(t, "06-operation-parameter-wins")
	wire := regexp.MustCompile(`^/items/[1-9]\?limit=([1-9]|10)&id=[ab]$`)
	for _, r := range requests(t, doc, "/items/{id}", "GET", 100) {
		if !wire.MatchString(r.Target) {
			t.Errorf("target %s", r.Target)
		}
		if v := messages.Values(r.Header, "X-Trace"); len(v) != 1 || v[0] != "op" {
			t.Errorf("X-Trace: %v", v)
		}
	}
	above, words := 0, 0
	for _, r := range requests(t, doc, "/items/{id}", "DELETE", 100) {
		u, err := url.Parse(r.Target)
		if err != nil {
			t.Fatal(err)
		}
		if len(u.Query().Get("limit")) > 1 && u.Query().Get("limit") != "10" {
			above++
		}
		if strings.Trim(u.Path, "/items0123456789") != "" {
			words++
		}
		if v := messages.Values(r.Header, "x-trace"); len(v) != 1 || v[0] != "path" {
			t.Errorf("X-Trace: %v", v)
		}
	}
	if above == 0 || words == 0 {
		t.Errorf("of 100 deletions %d had a limit above 10 and %d an id that is no number", above, words)
	}
}

func TestAPathValueStaysInItsSegment(t *testing.T) {
	doc := sharedCase(t, "09-path-values")
	met := map[string]bool{}
	for _, r := range requests(t, doc, "/files/{name}/meta", "GET", 200) {
		met[strings.TrimSuffix(strings.TrimPrefix(r.Target, "/files/"), "/meta")] = true
	}
	want := []string{"50%25", "a%2Bb", "a%2Fb", "a%3Fb%23c", "x%20y", "%C3%A9"}
	slices.Sort(want)
	if got := slices.Sorted(func(yield func(string) bool) {
		for s := range met {
			if !yield(s) {
				return
			}
		}
	}); !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
	for _, r := range requests(t, doc, "/names/{n}", "GET", 100) {
		if len(r.Target) != len("/names/x") {
			t.Errorf("sent %s", r.Target)
		}
	}
}

func TestAPathOfDotsAloneCannotBeBuilt(t *testing.T) {
	s := newScript(t, api(t, `
  /a/{x}: {get: {parameters: [{name: x, in: path, required: true, schema: {type: string, enum: ['.', '..']}}], `+ok+`}}
  /b/{x}.json: {get: {parameters: [{name: x, in: path, required: true, schema: {type: string, enum: ['.']}}], `+ok+`}}
  /c/{x}: {get: {parameters: [{name: x, in: path, required: true, schema: {type: string, maxLength: 0}}], `+ok+`}}
`), withoutLap)
	if got := s.g.Unbuildable(); len(got) != 2 || got[0].Operation != 0 || got[1].Operation != 2 || !strings.HasPrefix(got[0].Reason, "path.x: ") {
		t.Errorf("got %+v", got)
	}
	if r := s.next(); r.Target != "/b/..json" {
		t.Errorf("sent %s", r.Target)
	}
}

func TestEachStyleIsWrittenAsTheTableSays(t *testing.T) {
	doc := sharedCase(t, "10-style-table")
	r := requests(t, doc, "/s/{p}/{m}", "GET", 1)[0]
	const want = "/s/3,3/;m=3,3?q1=3&q1=3&q2=3,3&q3=3%7C3&q4=3%203&g=2&r=1&o2=g,2,r,1&o3%5Bg%5D=2&o3%5Br%5D=1"
	if r.Target != want {
		t.Errorf("target\n got %s\nwant %s", r.Target, want)
	}
	if got := messages.Get(r.Header, "X-H"); got != "g=2,r=1" {
		t.Errorf("X-H: %s", got)
	}
	if got := messages.Get(r.Header, "Cookie"); got != "c=3,3" {
		t.Errorf("Cookie: %s", got)
	}
}

func TestPathStyles(t *testing.T) {
	list := []any{json.Number("3"), "b c"}
	object := map[string]any{"r": json.Number("1"), "g": "x,y"}
	for _, row := range []struct {
		style   string
		explode bool
		v       any
		want    string
	}{
		{"simple", false, "a/b", "a%2Fb"},
		{"simple", false, list, "3,b%20c"},
		{"simple", true, list, "3,b%20c"},
		{"simple", false, object, "g,x%2Cy,r,1"},
		{"simple", true, object, "g=x%2Cy,r=1"},
		{"label", false, "a", ".a"},
		{"label", false, list, ".3,b%20c"},
		{"label", true, list, ".3.b%20c"},
		{"label", false, object, ".g,x%2Cy,r,1"},
		{"label", true, object, ".g=x%2Cy.r=1"},
		{"matrix", false, "a", ";n=a"},
		{"matrix", false, list, ";n=3,b%20c"},
		{"matrix", true, list, ";n=3;n=b%20c"},
		{"matrix", false, object, ";n=g,x%2Cy,r,1"},
		{"matrix", true, object, ";g=x%2Cy;r=1"},
	} {
		p := &parameter{name: "n", escapedName: "n", style: style{name: row.style, explode: row.explode}}
		if got, ok := p.appendPath(nil, row.v); !ok || string(got) != row.want {
			t.Errorf("%s, explode %v, %v: %s, want %s", row.style, row.explode, row.v, got, row.want)
		}
	}
	for _, name := range []string{"simple", "label", "matrix"} {
		p := &parameter{name: "n", escapedName: "n", style: style{name: name}}
		for _, v := range []any{"", []any{}, map[string]any{}} {
			if got, ok := p.appendPath([]byte("/"), v); ok {
				t.Errorf("%s: %v is written as %s", name, v, got)
			}
		}
	}
}

func TestQueryStyles(t *testing.T) {
	list := []any{json.Number("3"), "b,c"}
	object := map[string]any{"r": json.Number("1"), "g": "x y"}
	for _, row := range []struct {
		style             string
		explode, reserved bool
		v                 any
		want              string
	}{
		{"form", true, false, "a&b=c+d é", "n=a%26b%3Dc%2Bd%20%C3%A9"},
		{"form", true, true, "a/b?c=d&e+f", "n=a/b?c=d%26e%2Bf"},
		{"form", true, false, list, "n=3&n=b%2Cc"},
		{"form", false, false, list, "n=3,b%2Cc"},
		{"form", false, true, list, "n=3,b%2Cc"},
		{"form", true, false, []any{}, "n="},
		{"form", true, false, object, "g=x%20y&r=1"},
		{"form", false, false, object, "n=g,x%20y,r,1"},
		{"spaceDelimited", false, false, list, "n=3%20b%2Cc"},
		{"pipeDelimited", false, false, list, "n=3%7Cb%2Cc"},
		{"tabDelimited", false, false, list, "n=3%09b%2Cc"},
		{"spaceDelimited", true, false, list, "n=3&n=b%2Cc"},
		{"deepObject", true, false, object, "n%5Bg%5D=x%20y&n%5Br%5D=1"},
		{"deepObject", true, false, map[string]any{"a": map[string]any{"b": list}}, "n%5Ba%5D%5Bb%5D%5B0%5D=3&n%5Ba%5D%5Bb%5D%5B1%5D=b%2Cc"},
		{"form", true, false, nil, "n=null"},
		{"form", true, false, true, "n=true"},
	} {
		p := &parameter{name: "n", escapedName: "n", style: style{name: row.style, explode: row.explode, reserved: row.reserved}}
		if got, _ := p.appendQuery(nil, row.v); string(got) != row.want {
			t.Errorf("%s, explode %v, reserved %v, %v: %s, want %s", row.style, row.explode, row.reserved, row.v, got, row.want)
		}
	}
	p := &parameter{name: "n", escapedName: "n", content: &content{kind: jsonKind}}
	written, _ := p.appendQuery(nil, object)
	if got, want := string(written), "n=%7B%22g%22%3A%22x%20y%22%2C%22r%22%3A1%7D"; got != want {
		t.Errorf("content: %s, want %s", got, want)
	}
}

func TestCookieStyles(t *testing.T) {
	list := []any{json.Number("3"), "b;c"}
	object := map[string]any{"r": json.Number("1")}
	for _, row := range []struct {
		explode bool
		v       any
		want    string
	}{
		{true, "a b", "n=a%20b"}, {true, list, "n=3; n=b%3Bc"}, {false, list, "n=3,b%3Bc"}, {true, object, "r=1"}, {false, object, "n=r,1"},
	} {
		p := &parameter{name: "n", escapedName: "n", style: style{explode: row.explode}}
		if got, _ := p.appendCookie(nil, row.v); string(got) != row.want {
			t.Errorf("explode %v, %v: %s, want %s", row.explode, row.v, got, row.want)
		}
	}
}

func TestHeaderValuesCanTravel(t *testing.T) {
	doc := sharedCase(t, "12-header-parameters")
	note := regexp.MustCompile(`^[!-~]+( [!-~]+)*$`)
	for _, r := range requests(t, doc, "/h", "GET", 100) {
		if v := messages.Values(r.Header, "X-Note"); len(v) != 1 || !note.MatchString(v[0]) || len(v[0]) > 20 {
			t.Errorf("X-Note: %q", v)
		}
		if v := messages.Get(r.Header, "X-Count"); len(v) != 1 || v < "1" || v > "5" {
			t.Errorf("X-Count: %q", v)
		}
		if v := messages.Values(r.Header, "Authorization"); v != nil {
			t.Errorf("Authorization: %q", v)
		}
		if v := messages.Values(r.Header, "Accept"); len(v) != 1 || v[0] != "application/json" {
			t.Errorf("Accept: %q", v)
		}
		if v := messages.Values(r.Header, "Content-Type"); v != nil {
			t.Errorf("Content-Type: %q", v)
		}
	}
	for text, want := range map[string]bool{"a b": true, "a  b": false, " a": false, "a ": false, "": false, "a\tb": false, "é": false, "a\r\nb": false} {
		if got := travels(text); got != want {
			t.Errorf("%q travels: %v", text, got)
		}
	}
	p := &parameter{name: "n", style: style{name: "simple"}}
	if got, ok := p.headerText([]any{"a,b"}); ok {
		t.Errorf("an item with a comma is written as %s", got)
	}
	p.content = &content{kind: jsonKind}
	if got, _ := p.headerText(map[string]any{"a": "é😀"}); got != `{"a":"\u00E9\uD83D\uDE00"}` {
		t.Errorf("JSON in a header: %s", got)
	}
}

func TestAHeaderThatCannotTravelMakesAnOperationUnbuildable(t *testing.T) {
	s := newScript(t, api(t, `
  /a: {get: {parameters: [{name: X-A, in: header, required: true, schema: {type: string, enum: ['é']}}], `+ok+`}}
  /b: {get: {parameters: [{name: X-A, in: header, schema: {type: string, enum: ['é']}}], `+ok+`}}
`), withoutLap)
	if got := s.g.Unbuildable(); len(got) != 1 || got[0].Operation != 0 || got[0].Reason != "header.X-A: no value was found that can be sent there" {
		t.Errorf("got %+v", got)
	}
	for range 20 {
		if r := s.next(); messages.Get(r.Header, "X-A") != "" {
			t.Errorf("sent %v", r.Header)
		}
	}
}

func TestKeysGoLastAndFillTheParametersOfTheirName(t *testing.T) {
	doc := read(t, `
openapi: 3.0.3
info: {title: T, version: '1'}
servers: [{url: 'http://127.0.0.1:8080'}]
components: {securitySchemes: {b: {type: http, scheme: bearer}}}
security: [{b: []}]
paths:
  /a:
    get:
      parameters:
        - {name: api_key, in: query, required: true, schema: {type: string}}
        - {name: q, in: query, required: true, schema: {type: string, enum: [x]}}
        - {name: x-token, in: header, required: true, schema: {type: string}}
        - {name: sid, in: cookie, required: true, schema: {type: string}}
        - {name: lang, in: cookie, required: true, schema: {type: string, enum: [en]}}
      `+ok+`
  /b: {get: {`+ok+`}}
`)
	keys, _, err := credentials.Parse([]string{"header:X-Token=token1", "query:api_key=key 2", "cookie:sid=session3", "bearer:bearer4"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := keys.Bind(doc); err != nil {
		t.Fatal(err)
	}
	s := newScript(t, doc, func(c *Config) { withoutLap(c); c.Keys = keys })
	a, b := s.next(), s.next()
	if a.Target != "/a?q=x&api_key=key%202" || b.Target != "/b?api_key=key%202" {
		t.Errorf("targets %s and %s", a.Target, b.Target)
	}
	for _, r := range []*messages.Request{a, b} {
		if v := messages.Values(r.Header, "X-Token"); len(v) != 1 || v[0] != "token1" {
			t.Errorf("X-Token: %v", v)
		}
		if v := messages.Values(r.Header, "Authorization"); len(v) != 1 || v[0] != "Bearer bearer4" {
			t.Errorf("Authorization: %v", v)
		}
		for _, place := range []string{"header.X-Token", "query.api_key", "cookie.sid", "header.Authorization"} {
			if !slices.Contains(r.Origins, messages.Origin{Place: place, Source: "key"}) {
				t.Errorf("%s is not among %v", place, r.Origins)
			}
		}
	}
	if got := messages.Values(a.Header, "Cookie"); len(got) != 1 || got[0] != "lang=en; sid=session3" {
		t.Errorf("Cookie: %v", got)
	}
	if got := messages.Get(b.Header, "Cookie"); got != "sid=session3" {
		t.Errorf("Cookie: %v", got)
	}
}

func TestAcceptPrefersJSON(t *testing.T) {
	for _, row := range []struct{ media, want string }{
		{"", "application/json, */*;q=0.5"},
		{"application/json: {}", "application/json"},
		{"text/csv: {}", "text/csv"},
		{"text/csv: {}, application/json; charset=utf-8: {}, application/problem+json: {}", "application/json, application/problem+json, text/csv;q=0.5"},
		{"application/vnd.a+json; version=2: {}", "application/vnd.a+json;version=2"},
		{"nonsense: {}", "application/json, */*;q=0.5"},
	} {
		var media []*document.Media
		for part := range strings.SplitSeq(row.media, ": {}") {
			if part = strings.Trim(part, ", "); part != "" {
				media = append(media, &document.Media{Type: part})
			}
		}
		op := &document.Operation{Responses: []*document.Response{{Media: media}}}
		if got := accept(op); got != row.want {
			t.Errorf("%s: %s, want %s", row.media, got, row.want)
		}
	}
}

func TestBodiesAreWrittenInTheDeclaredMediaType(t *testing.T) {
	for _, row := range []struct{ content, contentType, body string }{
		{"application/json: {schema: {type: object, required: [a], properties: {a: {enum: ['x\"é']}}}}", "application/json", `{"a":"x\"é"}`},
		{"application/json; charset=utf-8: {schema: {enum: [3]}}", "application/json; charset=utf-8", "3"},
		{"application/xml: {schema: {enum: [3]}}, application/vnd.x+json: {schema: {enum: [3]}}", "application/vnd.x+json", "3"},
		{"'*/*': {schema: {enum: [true]}}", "application/json", "true"},
		{"text/plain: {schema: {type: string, enum: ['a b']}}", "text/plain", "a b"},
		{"text/plain: {schema: {enum: [1]}}, application/x-www-form-urlencoded: {schema: {type: object, required: [a], properties: {a: {enum: [1]}}}}", "application/x-www-form-urlencoded", "a=1"},
	} {
		s := newScript(t, api(t, "  /a: {post: {requestBody: {required: true, content: {"+quoteKeys(row.content)+"}}, "+ok+"}}\n"), nil)
		r := s.next()
		if got := messages.Get(r.Header, "Content-Type"); got != row.contentType || string(r.Body) != row.body || !r.Valid {
			t.Errorf("%s: %s %q, want %s %q", row.content, got, r.Body, row.contentType, row.body)
		}
	}
}

// quoteKeys quotes the media types, which YAML would read otherwise.
func quoteKeys(content string) string {
	return regexp.MustCompile(`(^|, )([a-z]+/[^:']+): `).ReplaceAllString(content, `$1"$2": `)
}

func TestFormBodies(t *testing.T) {
	for _, row := range []struct{ schema, encoding, want string }{
		{"{type: object, required: [a, b], properties: {a: {enum: ['x y&']}, b: {enum: [1]}}}", "{}", "a=x%20y%26&b=1"},
		{"{type: object, required: [a], properties: {a: {type: array, enum: [[1, 2]]}}}", "{}", "a=1&a=2"},
		{"{type: object, required: [a], properties: {a: {type: array, enum: [[1, 2]]}}}", "{a: {style: form, explode: false}}", "a=1,2"},
		{"{type: object, required: [a], properties: {a: {type: array, enum: [[1, 2]]}}}", "{a: {style: spaceDelimited, explode: false}}", "a=1%202"},
		{"{type: object, required: [a], properties: {a: {type: array, enum: [[1, 2]]}}}", "{a: {style: deepObject, explode: true}}", "a%5B0%5D=1&a%5B1%5D=2"},
		{"{type: object, required: [a], properties: {a: {type: object, enum: [{b: 1, c: 2}]}}}", "{}", "a%5Bb%5D=1&a%5Bc%5D=2"},
		{"{type: object, required: [a], properties: {a: {type: object, enum: [{b: 1}]}}}", "{a: {contentType: application/json}}", "a=%7B%22b%22%3A1%7D"},
		{"{type: object, required: [a], properties: {a: {type: array, enum: [[{b: 1}]]}}}", "{}", "a%5B0%5D%5Bb%5D=1"},
	} {
		s := newScript(t, api(t, "  /a: {post: {requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: "+
			row.schema+", encoding: "+row.encoding+"}}}, "+ok+"}}\n"), nil)
		if r := s.next(); string(r.Body) != row.want {
			t.Errorf("%s, %s: %s, want %s", row.schema, row.encoding, r.Body, row.want)
		}
	}
}

func TestMultipartPartsHaveTheirOwnHeaders(t *testing.T) {
	doc := sharedCase(t, "14-multipart-parts")
	tags := 0
	for _, r := range requests(t, doc, "/upload", "POST", 60) {
		mediaType, parameters, err := mime.ParseMediaType(messages.Get(r.Header, "Content-Type"))
		if err != nil || mediaType != "multipart/form-data" {
			t.Fatalf("%s: %v", mediaType, err)
		}
		if !bytes.HasSuffix(r.Body, []byte("\r\n--"+parameters["boundary"]+"--\r\n")) {
			t.Error("the closing boundary is missing")
		}
		reader := multipart.NewReader(bytes.NewReader(r.Body), parameters["boundary"])
		met := map[string]int{}
		for {
			part, err := reader.NextRawPart()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(part)
			if err != nil {
				t.Fatal(err)
			}
			met[part.FormName()]++
			contentType := part.Header.Get("Content-Type")
			switch part.FormName() {
			case "file":
				if _, err := png.Decode(bytes.NewReader(data)); err != nil || part.FileName() == "" || contentType != "image/png" {
					t.Errorf("file: %v, %v", part.Header, err)
				}
			case "meta":
				var meta struct{ K *int }
				if err := json.Unmarshal(data, &meta); err != nil || meta.K == nil || contentType != "application/json" {
					t.Errorf("meta: %s, %v", data, err)
				}
			default:
				if part.FileName() != "" || contentType != "" || len(data) == 0 {
					t.Errorf("%s: %v %q", part.FormName(), part.Header, data)
				}
			}
		}
		if met["note"] != 1 || met["file"] != 1 || met["meta"] != 1 {
			t.Errorf("parts %v", met)
		}
		tags = max(tags, met["tags"])
	}
	if tags < 2 {
		t.Error("no request had a part for each of several tags")
	}
}

func TestFilesHoldBytesOfEveryKind(t *testing.T) {
	s := newScript(t, api(t, "  /a: {post: {requestBody: {required: true, content: {application/octet-stream: {schema: {type: string, format: binary}}}}, "+ok+"}}\n"), nil)
	r := s.next()
	if len(r.Body) < 16 || messages.Get(r.Header, "Content-Type") != "application/octet-stream" {
		t.Errorf("sent %q", r.Body)
	}
}

func TestAnOptionalBodyThatCannotBeMadeIsLeftOut(t *testing.T) {
	s := newScript(t, api(t, `
  /a: {post: {requestBody: {content: {application/cbor: {schema: {type: object}}}}, `+ok+`}}
  /b: {post: {requestBody: {required: true, content: {application/cbor: {schema: {type: object}}}}, `+ok+`}}
`), nil)
	if got := s.g.Unbuildable(); len(got) != 1 || got[0].Operation != 1 || got[0].Reason != "body: content of type application/cbor is not made" {
		t.Errorf("got %+v", got)
	}
	if r := s.next(); r.Body != nil || messages.Get(r.Header, "Content-Type") != "" {
		t.Errorf("sent %q", r.Body)
	}
}

func TestTheLapSendsOnlyWhatIsRequiredAndTheBody(t *testing.T) {
	s := newScript(t, api(t, `
  /a:
    post:
      parameters:
        - {name: q, in: query, schema: {type: string}}
        - {name: X-A, in: header, schema: {type: string}}
        - {name: c, in: cookie, schema: {type: string}}
      requestBody: {content: {application/json: {schema: {type: object, required: [a], properties: {a: {type: string, example: likely}, b: {type: string}}}}}}
      `+ok+`
`), nil)
	r := s.next()
	if r.Target != "/a" || len(r.Header) != 3 || string(r.Body) != `{"a":"likely"}` {
		t.Errorf("sent %s %v %s", r.Target, r.Header, r.Body)
	}
}

func TestOptionalPartsAreSentBySomeChance(t *testing.T) {
	doc := api(t, `
  /a:
    post:
      parameters: [{name: q, in: query, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {b: {type: string}}}}}}
      `+ok+`
`)
	const n = 2000
	queries, bodies, properties := 0, 0, 0
	for _, r := range requests(t, doc, "/a", "POST", n) {
		if strings.Contains(r.Target, "?q=") {
			queries++
		}
		if r.Body != nil {
			bodies++
		}
		if strings.Contains(string(r.Body), `"b"`) {
			properties++
		}
	}
	for name, row := range map[string][2]int{"q": {queries, 600}, "body": {bodies, 1800}, "b": {properties, 1440}} {
		if got, want := row[0], row[1]; got < want*9/10 || got > want*11/10 {
			t.Errorf("%s was sent %d times of %d, want about %d", name, got, n, want)
		}
	}
}

const shop = `
  /pets:
    get: {responses: {'200': {description: ok}}}
    post:
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}, ownerId: {type: integer}}}}}}
      responses: {'201': {description: ok}}
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer, format: int64}}]
    get: {responses: {'200': {description: ok}}}
    delete: {responses: {'204': {description: ok}}}
  /pets/{petId}/photos:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer, format: int64}}]
    post: {responses: {'201': {description: ok}}}
  /pets/{id}/photos/{photoId}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}, {name: photoId, in: path, required: true, schema: {type: string}}]
    get: {responses: {'200': {description: ok}}}
  /dogs/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer, minimum: 1000000}}]
    get: {responses: {'200': {description: ok}}}
`

func TestIdsThatRepliesGaveFillTheGaps(t *testing.T) {
	s := newScript(t, api(t, shop), withoutLap)
	s.answer(s.of("POST /pets"), 201, `{"id": 70707, "name": "x"}`)
	given, dogs := 0, 0
	for range 1000 {
		if r := s.of("GET /pets/{petId}"); r.Target == "/pets/70707" {
			given++
			if !slices.Contains(r.Origins, messages.Origin{Place: "path.petId", Source: "observed"}) {
				t.Fatalf("origins %v", r.Origins)
			}
		}
		if r := s.of("GET /dogs/{id}"); r.Target == "/dogs/70707" {
			dogs++
		}
	}
	if given < 800 || given > 950 {
		t.Errorf("%d of 1000 reads were of the pet that was made", given)
	}
	if dogs > 0 {
		t.Errorf("%d of 1000 dogs were looked for under a pet's id", dogs)
	}
}

func TestTheLapUsesWhatItsEarlierStepsTaught(t *testing.T) {
	s := newScript(t, api(t, shop), nil)
	s.answer(s.next(), 200, `{"data": [{"id": 5}, {"id": 6}]}`)
	post := s.next()
	if post.Method != "POST" || post.Target != "/pets" {
		t.Fatalf("%s %s", post.Method, post.Target)
	}
	s.answer(post, 201, `{"id": 7}`)
	photos := s.next()
	if photos.Target != "/pets/7/photos" {
		t.Errorf("photos are added at %s", photos.Target)
	}
	s.answer(photos, 201, `{"photoId": "p1"}`)
	for range 3 {
		if r := s.next(); r.Target == "/pets/7" || r.Target == "/pets/7/photos/p1" || strings.HasPrefix(r.Target, "/dogs/") {
			s.answer(r, 200, "")
		} else {
			t.Errorf("read at %s", r.Target)
		}
	}
	if r := s.next(); r.Method != "DELETE" || r.Target != "/pets/7" {
		t.Errorf("%s %s", r.Method, r.Target)
	}
}

// known are the things under the template.
func (s *script) known(template, gap string) string {
	return fmt.Sprint(s.g.memory.kinds[template].by(gap).things)
}

func TestWhatReplyTeachesWhat(t *testing.T) {
	for _, row := range []struct {
		name, id, want string
		status         int
		refused        bool
		body, location string
	}{
		{name: "a list", id: "GET /pets", status: 200, body: `[{"id": 1}, {"id": 2}, {"name": "none"}]`, want: "[[1] [2]]"},
		{name: "a wrapped list", id: "GET /pets", status: 200, body: `{"total": 2, "items": [{"id": 1}, {"id": 2}]}`, want: "[[1] [2]]"},
		{name: "a thing", id: "POST /pets", status: 201, body: `{"id": 1}`, want: "[[1]]"},
		{name: "a thing by the gap's name", id: "POST /pets", status: 201, body: `{"pet_id": 4, "id": 1}`, want: "[[4]]"},
		{name: "a wrapped thing", id: "POST /pets", status: 201, body: `{"pet": {"id": 1}}`, want: "[[1]]"},
		{name: "an address", id: "POST /pets", status: 201, location: "http://127.0.0.1:8080/pets/12", want: "[[12]]"},
		{name: "a relative address", id: "POST /pets", status: 201, location: "/pets/12?x=1", want: "[[12]]"},
		{name: "another address", id: "POST /pets", status: 201, location: "/elsewhere/12", want: "[]"},
		{name: "a refusal", id: "GET /pets", status: 200, refused: true, body: `[{"id": 1}]`, want: "[]"},
		{name: "an error", id: "GET /pets", status: 400, body: `[{"id": 1}]`, want: "[]"},
		{name: "a redirect", id: "GET /pets", status: 302, body: `[{"id": 1}]`, want: "[]"},
		{name: "too long an id", id: "GET /pets", status: 200, body: `[{"id": "` + strings.Repeat("x", 1000) + `"}]`, want: "[]"},
		{name: "an id that is an object", id: "GET /pets", status: 200, body: `[{"id": {"a": 1}}]`, want: "[]"},
	} {
		s := newScript(t, api(t, shop), withoutLap)
		var header []messages.Field
		if row.location != "" {
			header = append(header, messages.Field{Name: "Location", Value: row.location})
		}
		s.tell(s.of(row.id), row.status, row.body, row.refused, header...)
		if got := s.known("/pets", "petId"); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

func TestAThingThatWasDeletedIsForgottenWithWhatWasBelowIt(t *testing.T) {
	s := newScript(t, api(t, shop), withoutLap)
	s.answer(s.of("GET /pets"), 200, `[{"id": 1}]`)
	var photo *messages.Request
	for photo = s.of("POST /pets/{petId}/photos"); photo.Target != "/pets/1/photos"; {
		photo = s.of("POST /pets/{petId}/photos")
	}
	s.answer(photo, 201, `{"photoId": "p"}`)
	if got := s.known("/pets/{}/photos", "photoId"); got != "[[1 p]]" {
		t.Fatalf("photos: %s", got)
	}
	gone := s.of("DELETE /pets/{petId}")
	for gone.Target != "/pets/1" {
		gone = s.of("DELETE /pets/{petId}")
	}
	s.answer(gone, 409, "")
	if got := s.known("/pets", "petId"); got != "[[1]]" {
		t.Errorf("after a failed deletion: %s", got)
	}
	s.answer(gone, 204, "")
	if got := s.known("/pets", "petId") + s.known("/pets/{}/photos", "photoId"); got != "[][]" {
		t.Errorf("after it: %s", got)
	}
	if got := s.g.memory.Values("petid"); len(got) != 0 {
		t.Errorf("values by name: %v", got)
	}
}

func TestValuesAreRememberedByName(t *testing.T) {
	s := newScript(t, api(t, shop), withoutLap)
	s.answer(s.of("GET /pets"), 200, `[{"owner_id": 4711, "tags": ["a", "b"], "vet": {"id": 9}}]`)
	for key, want := range map[string]string{"ownerid": "[4711]", "tags": "[a b]", "vetid": "[9]"} {
		if got := fmt.Sprint(s.g.memory.Values(key)); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	used := 0
	for range 300 {
		if strings.Contains(string(s.of("POST /pets").Body), `"ownerId":4711`) {
			used++
		}
	}
	if used < 50 {
		t.Errorf("the owner was named in %d of 300 bodies", used)
	}
}

func TestAValueThatDoesNotFitItsPlaceIsNotUsed(t *testing.T) {
	s := newScript(t, api(t, `
  /a: {get: {parameters: [{name: size, in: query, required: true, schema: {type: integer, maximum: 50}}], `+ok+`}}
`), withoutLap)
	s.answer(s.next(), 200, `{"size": 4711}`)
	s.answer(s.next(), 200, `{"size": "large"}`)
	for range 200 {
		if r := s.next(); strings.Contains(r.Target, "4711") || strings.Contains(r.Target, "large") {
			t.Fatalf("sent %s", r.Target)
		}
	}
}

func TestTheMemoryIsBounded(t *testing.T) {
	s := newScript(t, api(t, shop), func(c *Config) {
		withoutLap(c)
		c.Settings.Memory.ValuesPerName, c.Settings.Memory.MostNames, c.Settings.Memory.MostDepth, c.Settings.Memory.ReadUpTo = 3, 4, 3, 4000
	})
	r := s.of("GET /pets")
	for i := range 10 {
		s.answer(r, 200, fmt.Sprintf(`[{"id": %d, "n%d": 1}]`, i, i))
	}
	if got := s.known("/pets", "petId"); got != "[[7] [8] [9]]" {
		t.Errorf("things: %s", got)
	}
	if len(s.g.memory.names) != 4 || len(s.g.memory.order) != 4 || s.g.memory.names["n0"] != nil || s.g.memory.names["n9"] == nil {
		t.Errorf("names: %v", s.g.memory.order)
	}
	s.answer(r, 200, `{"a": {"b": {"deep": 1, "c": {"deeper": 2}}}}`)
	if s.g.memory.names["deep"] == nil || s.g.memory.names["deeper"] != nil {
		t.Errorf("names: %v", s.g.memory.order)
	}
	s.answer(r, 200, `{"long": "`+strings.Repeat("x ", 50)+`", "pad": "`+strings.Repeat("y", 5000)+`"}`)
	if s.g.memory.names["long"] != nil {
		t.Error("a reply beyond readUpTo was read")
	}
}

func TestNothingIsLearnedWhenThatIsSwitchedOff(t *testing.T) {
	s := newScript(t, api(t, shop), func(c *Config) { withoutLap(c); c.Settings.Memory.LearnFromReplies = false })
	s.answer(s.of("GET /pets"), 200, `[{"id": 1}]`)
	if got := s.known("/pets", "petId"); got != "[]" || len(s.g.memory.names) > 0 {
		t.Errorf("learned %s, %v", got, s.g.memory.names)
	}
}

func TestTheSameSeedGivesTheSameRequests(t *testing.T) {
	doc := api(t, shop)
	a, b := newScript(t, doc, nil), newScript(t, doc, nil)
	c := newScript(t, doc, func(c *Config) { c.Seed++ })
	differs := false
	for i := range 200 {
		x, y, z := a.want(messages.Want{}), b.want(messages.Want{}), c.want(messages.Want{})
		if !reflect.DeepEqual(x, y) {
			t.Fatalf("offer %d: %+v and %+v", i, x.Request, y.Request)
		}
		differs = differs || !reflect.DeepEqual(x, z)
		for _, s := range []*script{a, b, c} {
			s.clock.move(time.Second)
			if r := s.got[0].Request; r != nil {
				s.answer(r, 200, fmt.Sprintf(`{"id": %d}`, i))
			}
		}
	}
	if !differs {
		t.Error("another seed gave the same requests")
	}
}

func TestASkippedTurnChangesNobodyElsesValues(t *testing.T) {
	doc := api(t, shop)
	a, b := newScript(t, doc, withoutLap), newScript(t, doc, withoutLap)
	type key struct{ operation, nth int }
	sent := map[key]string{}
	for range 400 {
		r := a.next()
		sent[key{r.Operation, r.Nth}] = r.Target + string(r.Body)
	}
	for i := range 400 {
		o := b.want(messages.Want{Resting: messages.Set{}.With(i % 7), Busy: messages.Set{}.With(i % 3)})
		if o.Request == nil {
			continue
		}
		if want, ok := sent[key{o.Request.Operation, o.Request.Nth}]; ok && want != o.Request.Target+string(o.Request.Body) {
			t.Fatalf("request %d of operation %d is %s %s, want %s", o.Request.Nth, o.Request.Operation, o.Request.Target, o.Request.Body, want)
		}
	}
}

func TestSharedHeadersAreNeverWrittenTo(t *testing.T) {
	doc := api(t, `
  /a: {get: {parameters: [{name: User-Agent, in: header, schema: {type: string, enum: [other]}}], `+ok+`}}
  /b: {get: {`+ok+`}}
`)
	s := newScript(t, doc, withoutLap)
	met := map[string]bool{}
	for range 100 {
		a, b := s.next(), s.next()
		met[messages.Get(a.Header, "User-Agent")] = true
		if len(messages.Values(a.Header, "User-Agent")) != 1 || messages.Get(b.Header, "User-Agent") != "RESTest/3.0" {
			t.Fatalf("%v and %v", a.Header, b.Header)
		}
	}
	if !met["other"] || !met["RESTest/3.0"] {
		t.Errorf("user agents %v", met)
	}
}
