package generator

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator/series"
)

const store = `
  /pets:
    get: {` + ok + `}
    post: {requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}}, ` + ok + `}
    delete: {` + ok + `}
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {` + ok + `}
    put: {requestBody: {content: {application/json: {schema: {type: object}}}}, ` + ok + `}
    delete: {` + ok + `}
  /orders:
    post: {requestBody: {required: true, content: {application/json: {schema: {type: object, required: [petId], properties: {petId: {type: string}}}}}}, ` + ok + `}
`

func inSeries(c *Config) {
	withoutLap(c)
	shareOfSeries(c, 0.5)
}

func onlySeries(kind string) func(*Config) {
	return func(c *Config) {
		inSeries(c)
		s := reflect.ValueOf(&c.Settings.Series).Elem()
		for i := range s.NumField() {
			if f := s.Type().Field(i); f.Type.Kind() == reflect.Bool {
				s.Field(i).SetBool(f.Tag.Get("yaml") == kind)
			}
		}
	}
}

// beginning is the create that begins a series.
func (s *script) beginning() *messages.Request {
	s.t.Helper()
	for range 50 {
		r := s.next()
		if r.Series != nil && r.Series.Nth == 1 {
			return r
		}
	}
	s.t.Fatal("no series was begun")
	return nil
}

func TestASeriesFollowsItsThing(t *testing.T) {
	s := newScript(t, api(t, store), onlySeries(series.ReadAfterDelete))
	create := s.beginning()
	if create.Method != "POST" || create.Purpose != messages.InSeries || create.Series.Kind != series.ReadAfterDelete {
		t.Fatalf("%s, %+v", create.Method, create.Series)
	}
	if r := s.next(); r.Series != nil {
		t.Fatalf("the next step went before the create was answered: %s %s", r.Method, r.Target)
	}
	s.answer(create, 201, `{"id": "p7"}`)
	deletion := s.next()
	if deletion.Method != "DELETE" || deletion.Target != "/pets/p7" || deletion.Series.Nth != 2 || deletion.Series.Thing != "p7" {
		t.Fatalf("%s %s, %+v", deletion.Method, deletion.Target, deletion.Series)
	}
	s.answer(deletion, 204, "")
	read := s.next()
	if read.Method != "GET" || read.Target != "/pets/p7" || read.Series.Nth != 3 || read.Series.Series != create.Series.Series {
		t.Fatalf("%s %s, %+v", read.Method, read.Target, read.Series)
	}
	if taken := read.Series.Taken; len(taken) != 2 || taken[0].Request != create || taken[1].Reply.Status != 204 {
		t.Errorf("it does not carry the steps before it: %+v", taken)
	}
	s.answer(read, 404, "")
	if len(s.g.follow.running) != 0 {
		t.Error("the series is not over")
	}
}

// "refusedWrite: create, read, a PATCH or PUT that breaks a rule of its content and is answered 4xx, read" (decision 0017 §7).
func TestAWriteThatIsToBeRefusedBreaksOneRuleOfItsContent(t *testing.T) {
	doc := api(t, `
  /pets:
    post: {`+ok+`}
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {`+ok+`}
    put: {requestBody: {required: true, content: {application/json: {schema: {type: object, required: [age, name], properties: {age: {type: integer, maximum: 9}, name: {type: string}}}}}}, `+ok+`}
`)
	for _, row := range []struct {
		status int
		next   string
	}{{400, "GET /pets/p7"}, {204, ""}} {
		s := newScript(t, doc, onlySeries(series.RefusedWrite))
		s.answer(s.beginning(), 201, `{"id": "p7"}`)
		s.answer(s.next(), 200, `{"id": "p7"}`)
		write := s.next()
		if write.Method != "PUT" || write.Target != "/pets/p7" || write.Series == nil || !strings.HasPrefix(write.Breaks, "body.") || write.Valid {
			t.Fatalf("%s %s %s breaks %q: %+v", write.Method, write.Target, write.Body, write.Breaks, write.Series)
		}
		s.answer(write, row.status, "")
		next := s.next()
		if got := next.Method + " " + next.Target; (next.Series != nil && next.Series.Nth > 1) != (row.next != "") || row.next != "" && got != row.next {
			t.Errorf("after %d comes %s, %+v", row.status, got, next.Series)
		}
	}
}

func TestTheThingOfASeriesIsItsOwnWhileItRuns(t *testing.T) {
	s := newScript(t, api(t, store), onlySeries(series.ReadAfterCreate))
	create := s.beginning()
	s.answer(create, 201, `{"id": "p7"}`)
	read := s.next()
	list := s.of("GET /pets")
	s.answer(list, 200, `[{"id": "p7"}, {"id": "p8"}]`)
	for range 300 {
		if r := s.next(); r.Series == nil && strings.Contains(r.Target+string(r.Body), "p7") {
			t.Fatalf("%s %s %s", r.Method, r.Target, r.Body)
		}
	}
	s.answer(read, 200, `{"id": "p7"}`)
	used := 0
	for range 300 {
		r := s.next()
		if strings.Contains(r.Target, "p7") {
			used++
		}
	}
	if used == 0 {
		t.Error("once it is over, what it has made is not used")
	}
}

// A list shows the thing before the answer to its create is heard, and a PUT that goes there is in nobody's way yet.
func TestASeriesWhoseThingWasWrittenToBeforeItWasKnownIsDisturbed(t *testing.T) {
	for _, target := range []string{"/pets/p7", "/pets/p70"} {
		s := newScript(t, api(t, store), onlySeries(series.ReadAfterCreate))
		create := s.beginning()
		s.g.follow.counted(&messages.Request{Method: "PUT", Target: target, Operation: s.index("PUT /pets/{id}")})
		s.answer(create, 201, `{"id": "p7"}`)
		if read := s.next(); read.Series == nil || read.Series.Disturbed != (target == "/pets/p7") {
			t.Errorf("a PUT to %s: %s %s, %+v", target, read.Method, read.Target, read.Series)
		}
	}
}

// An id can be guessed before there is such a thing, and a request can reach it in another spelling or by another address.
func TestASeriesIsDisturbedByWhatMayReachItsThing(t *testing.T) {
	request := func(method, target, operation, body string) func(s *script) *messages.Request {
		return func(s *script) *messages.Request {
			return &messages.Request{Method: method, Target: target, Operation: s.index(operation), Body: []byte(body)}
		}
	}
	for _, row := range []struct {
		name, made string
		other      func(s *script) *messages.Request
		answered   bool // before the series begins
		disturbed  bool
	}{
		{"a guess of its id that is under way when the series begins", "7", request("DELETE", "/pets/7", "DELETE /pets/{id}", ""), false, true},
		{"one that was answered by then", "7", request("DELETE", "/pets/7", "DELETE /pets/{id}", ""), true, false},
		{"a guess of another id", "7", request("DELETE", "/pets/8", "DELETE /pets/{id}", ""), false, false},
		{"percent encoding", "p7", request("PUT", "/pets/%70%37", "PUT /pets/{id}", ""), false, true},
		{"letter case", "p7", request("PUT", "/pets/P7", "PUT /pets/{id}", ""), false, true},
		{"zeros and empty segments", "7", request("PUT", "/pets//007/", "PUT /pets/{id}", ""), false, true},
		{"a name at another address", "p7", request("DELETE", "/users/p7", "DELETE /users/{id}", ""), false, true},
		{"a number at another address", "7", request("DELETE", "/users/7", "DELETE /users/{id}", ""), false, false},
		{"another create that names it", "Rex", request("POST", "/pets", "POST /pets", `{"name":"rex"}`), false, true},
		{"another create that names another", "Rex", request("POST", "/pets", "POST /pets", `{"name":"rexy"}`), false, false},
	} {
		s := newScript(t, api(t, store+`
  /users/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    delete: {`+ok+`}
`), onlySeries(series.ReadAfterCreate))
		other := row.other(s)
		s.g.follow.underWay(other)
		if row.answered {
			s.answer(other, 404, "")
		}
		create := s.beginning()
		create.Body = []byte(`{"name":"Rex"}`)
		s.answer(create, 201, `{"id": "`+row.made+`"}`)
		if read := s.next(); read.Series == nil || read.Series.Disturbed != row.disturbed {
			t.Errorf("%s: %s %s, %+v", row.name, read.Method, read.Target, read.Series)
		}
	}
}

func TestASeriesThatOthersMayHaveDisturbedSaysSo(t *testing.T) {
	s := newScript(t, api(t, store), onlySeries(series.ReadAfterCreate))
	create := s.beginning()
	s.answer(create, 201, `{"id": "p7"}`)
	s.want(messages.Want{Busy: messages.Set{}.With(s.index("GET /pets/{id}"))}) // whatever is next
	for range 20 {
		if r := s.want(messages.Want{Busy: messages.Set{}.With(s.index("GET /pets/{id}"))}).Request; r.Method == "DELETE" && r.Target == "/pets" {
			break
		}
	}
	read := s.next()
	if read.Series == nil || !read.Series.Disturbed {
		t.Errorf("%s %s, %+v", read.Method, read.Target, read.Series)
	}
}

func TestWhatMakesAnotherThingDisturbsNoSeries(t *testing.T) {
	s := newScript(t, api(t, store), onlySeries(series.ReadAfterCreate))
	create := s.beginning()
	making := &messages.Request{Method: "POST", Target: "/pets", Operation: s.index("POST /pets")}
	s.g.follow.counted(making)
	s.answer(create, 201, `{"id": "p7"}`)
	s.g.follow.counted(making)
	if read := s.next(); read.Series == nil || read.Series.Disturbed {
		t.Errorf("%s %s, %+v", read.Method, read.Target, read.Series)
	}
}

func (s *script) index(id string) int {
	for i := range s.doc.Operations {
		if s.id(i) == id {
			return i
		}
	}
	s.t.Fatalf("no operation %s", id)
	return -1
}

func TestASeriesKeepsToItsShare(t *testing.T) {
	s := newScript(t, api(t, store), func(c *Config) {
		withoutLap(c)
		shareOfSeries(c, 0.1)
	})
	steps, all, n := 0, 2000, 0
	for range all {
		r := s.next()
		if r.Series != nil {
			steps++
		}
		n++
		switch r.Method {
		case "POST":
			s.answer(r, 201, fmt.Sprintf(`{"id": "p%d"}`, n))
		default:
			s.answer(r, 200, "")
		}
	}
	if steps < all/20 || steps > all*3/20 {
		t.Errorf("%d of %d requests were steps of a series", steps, all)
	}
}

func TestAReturnedStepIsTheNextOnceMore(t *testing.T) {
	s := newScript(t, api(t, store), onlySeries(series.DeleteTwice))
	before := s.beginning()
	s.g.Handle(messages.Returned{Request: before})
	if again := s.next(); !reflect.DeepEqual(before, again) {
		t.Fatalf("the create came back as %+v, was %+v", again, before)
	} else {
		s.answer(again, 201, `{"id": "p7"}`)
	}
	deletion := s.next()
	s.g.Handle(messages.Returned{Request: deletion})
	if again := s.next(); !reflect.DeepEqual(deletion, again) {
		t.Fatalf("the deletion came back as %+v, was %+v", again, deletion)
	} else {
		s.answer(again, 204, "")
	}
	second := s.next()
	if second.Method != "DELETE" || second.Target != deletion.Target || second.Series.Nth != 3 || second.Seq == deletion.Seq {
		t.Errorf("%s %s, %+v", second.Method, second.Target, second.Series)
	}
}

// Whatever has happened, a request that is handed back is as if it had never been built: the next one is the same.
func TestAReturnedRequestUndoesExactlyWhatItsOfferDid(t *testing.T) {
	doc := api(t, store)
	rapid.Check(t, func(t *rapid.T) {
		s := scriptOf(t, doc, func(c *Config) {
			c.Settings.Schedule.OpeningLap = rapid.Bool().Draw(t, "lap")
			c.Settings.Schedule.Learn = rapid.Bool().Draw(t, "learn")
			shareOfSeries(c, 0.5)
			c.Deadline = messages.Instant(100 * time.Millisecond)
		})
		var under []*messages.Request
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			s.clock.move(time.Duration(rapid.IntRange(0, 3).Draw(t, "ms")) * time.Millisecond)
			if rapid.Bool().Draw(t, "answer") && len(under) > 0 {
				i := rapid.IntRange(0, len(under)-1).Draw(t, "which")
				r := under[i]
				under = slices.Delete(under, i, i+1)
				s.g.Handle(someAnswer(t, r, s.clock.now))
				continue
			}
			o := s.ask()
			if o.Request == nil {
				continue
			}
			if rapid.Bool().Draw(t, "return") {
				s.g.Handle(messages.Returned{Request: o.Request})
				again := s.ask()
				if !reflect.DeepEqual(o, again) {
					t.Fatalf("offered %+v\nthen    %+v", o.Request, again.Request)
				}
				o = again
			}
			under = append(under, o.Request)
		}
	})
}

// someAnswer is one of the answers a request can have.
func someAnswer(t *rapid.T, r *messages.Request, now messages.Instant) messages.Learned {
	l := messages.Learned{Request: r, Outcome: messages.Answered, SentAt: now, HeardAt: now}
	switch rapid.IntRange(0, 9).Draw(t, "outcome") {
	case 0:
		l.Outcome = messages.NoReply
		return l
	case 1:
		l.Outcome = messages.NeverSent
		return l
	case 2:
		l.Refused, l.Wait = true, time.Millisecond
	}
	l.Reply = &messages.Reply{Status: rapid.SampledFrom([]int{200, 201, 204, 400, 404, 409, 429, 500}).Draw(t, "status")}
	id := rapid.IntRange(1, 30).Draw(t, "id")
	switch rapid.IntRange(0, 3).Draw(t, "body") {
	case 0:
		l.Value = map[string]any{"id": json.Number(fmt.Sprint(id)), "name": "n"}
	case 1:
		l.Value = []any{map[string]any{"id": fmt.Sprint("p", id)}}
	case 2:
		l.Reply.Header = []messages.Field{{Name: "Location", Value: fmt.Sprintf("/pets/%d", id)}}
	}
	return l
}

// scriptOf is a script within a property.
func scriptOf(t *rapid.T, doc *document.Document, change func(*Config)) *script {
	s := &script{doc: doc, clock: &fakeClock{}}
	cfg := Config{Document: doc, Settings: settings.Default(), Seed: 42}
	change(&cfg)
	s.g = New(cfg, s.clock, Neighbours{Pacer: func(m messages.ToPacer) { s.got = append(s.got, m.(messages.Offer)) }})
	return s
}

// ask is the offer for a Want of everything.
func (s *script) ask() messages.Offer {
	s.got = s.got[:0]
	s.g.Handle(messages.Want{})
	return s.got[0]
}

// "A finding of a series that there was no time to send again is told with the steps of its series and, before them, what
// made what the series is about" (decision 0022).
func TestAStepKnowsWhatMadeWhatItsSeriesIsAbout(t *testing.T) {
	s := newScript(t, api(t, `
  /zones:
    post: {`+ok+`}
  /zones/{zone}:
    parameters: [{name: zone, in: path, required: true, schema: {type: string}}]
    get: {`+ok+`}
  /zones/{zone}/keys:
    parameters: [{name: zone, in: path, required: true, schema: {type: string}}]
    post: {requestBody: {required: true, content: {application/json: {schema: {type: object, required: [title], properties: {title: {type: string}}}}}}, `+ok+`}
  /zones/{zone}/keys/{key}:
    parameters: [{name: zone, in: path, required: true, schema: {type: string}}, {name: key, in: path, required: true, schema: {type: string}}]
    get: {`+ok+`}
    delete: {`+ok+`}
`), onlySeries(series.ReadAfterDelete))
	zones := map[string]*messages.Request{}
	for range 200 {
		r := s.next()
		switch {
		case r.Target == "/zones":
			address := fmt.Sprintf("/zones/z%d", len(zones))
			zones[address] = r
			s.answer(r, 201, `{"id": "`+messages.NameOf(address)+`"}`)
		case r.Method == "POST" && zones[strings.TrimSuffix(r.Target, "/keys")] != nil:
			s.answer(r, 201, `{"id": "k7"}`)
		case r.Series == nil || r.Method == "POST":
			s.answer(r, 404, "")
		default:
			zone, _, _ := strings.Cut(r.Target, "/keys")
			makers := r.Makers()
			if len(makers) != 2 || makers[0].Request.Seq != zones[zone].Seq || makers[0].Address != zone || !makers[0].Ahead {
				t.Fatalf("before %s %s go %+v", r.Method, r.Target, makers)
			}
			if made := makers[1]; made.Ahead || made.Request.Target != zone+"/keys" || made.Address != zone+"/keys/k7" || made.Place != "/id" {
				t.Errorf("the key is made by %+v", made)
			}
			return
		}
	}
	t.Fatal("no series has a second step")
}
