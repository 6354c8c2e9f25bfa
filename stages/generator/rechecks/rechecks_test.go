package rechecks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
)

// world is an API on paper with a list of what is to be sent to it again.
type world struct {
	t    testing.TB
	list *Rechecks
	seq  int64
	sent []*messages.Request
	// answer is the status of a request, and whether it shows the finding.
	answer func(r *messages.Request) (status int, shows bool)
}

var failure = messages.Finding{Code: 100, Error: true, Cause: "x"}

// anything is a document that requires of a body a name, and of nothing else anything.
func anything(*messages.Request) Rules {
	return Rules{
		Query: func(string) bool { return true }, Header: func(name string) bool { return strings.HasPrefix(name, "X-") },
		Fits: func(v any) bool {
			o, is := v.(map[string]any)
			_, named := o["name"].(string)
			return is && named
		},
		Text: func(_, value string) bool { return value != "" },
	}
}

func newWorld(t testing.TB, answer func(*messages.Request) (int, bool)) *world {
	return &world{t: t, answer: answer, list: New(Config{Share: 1, Most: 100, Rules: anything})}
}

// find tells of a request that shows the finding with 500.
func (w *world) find(r messages.Request) *messages.Request {
	w.seq++
	r.Seq, r.Nth = w.seq, int(w.seq)
	w.list.Learn(learned(&r, 500, true), "")
	return &r
}

func learned(r *messages.Request, status int, shows bool) messages.Learned {
	m := messages.Learned{Request: r, Outcome: messages.Answered, Reply: &messages.Reply{Status: status}}
	if shows {
		m.Findings = []messages.Finding{failure}
	}
	return m
}

// run sends whatever the list wants until it wants nothing, and counts what the answers say.
func (w *world) run() (shown, hidden int, smallest *messages.Request) {
	for range 200 {
		r := w.list.Next(0, w.seq, false, messages.Want{})
		if r == nil {
			return shown, hidden, smallest
		}
		w.seq++
		r.Seq = w.seq
		w.sent = append(w.sent, r)
		status, shows := w.answer(r)
		m := learned(r, status, shows)
		made := ""
		if r.Method == "POST" && status == 201 {
			made = fmt.Sprintf("/things/%d", r.Seq)
		}
		w.list.Learn(m, made)
		switch answer := r.Recheck.Says(r, m.Outcome, m.Reply, false, m.Findings); {
		case !r.Recheck.Last || answer == messages.SaysNothing:
		case r.Recheck.Smaller && shows:
			smallest = r
		case r.Recheck.Smaller:
		case shows:
			shown++
		default:
			hidden++
		}
	}
	w.t.Fatal("it never ends")
	return 0, 0, nil
}

func post(target, body string) messages.Request {
	return messages.Request{
		Method: "POST", Target: target, Valid: true, Body: []byte(body),
		Header: []messages.Field{{Name: "Content-Type", Value: "application/json"}, {Name: "X-Trace", Value: "1"}},
	}
}

func TestTheReducedRequestHasJustTheParameterThatMatters(t *testing.T) {
	w := newWorld(t, func(r *messages.Request) (int, bool) {
		shows := strings.Contains(r.Target, "sort=")
		return 500, shows
	})
	w.find(messages.Request{Method: "GET", Target: "/things?a=1&b=2&sort=price&c=3&a=4&d=5", Valid: true})
	shown, hidden, smallest := w.run()
	if shown != 2 || hidden != 0 || smallest == nil || smallest.Target != "/things?sort=p" {
		t.Errorf("shown %d, hidden %d, smallest %+v", shown, hidden, smallest)
	}
	if n := len(w.sent); n > enough+mostTries {
		t.Errorf("%d requests were sent", n)
	}
}

func TestABodyLosesWhatItCanAndStillFits(t *testing.T) {
	w := newWorld(t, func(r *messages.Request) (int, bool) {
		return 500, strings.Contains(string(r.Body), `"bad"`)
	})
	w.find(post("/things", `{"a": 1.50, "name": "somebody", "tags": ["x", {"bad": true, "y": "\u0041"}, "z"], "é": null}`))
	shown, _, smallest := w.run()
	if shown != 2 || smallest == nil || string(smallest.Body) != `{"name":"s","tags":[{"bad":true}]}` {
		t.Fatalf("shown %d, smallest %+v", shown, smallest)
	}
	if len(smallest.Header) != 1 || !smallest.Valid {
		t.Errorf("it has %v", smallest.Header)
	}
}

func TestWhatIsKeptOfABodyIsSpelledAsItWas(t *testing.T) {
	text := `{"a":1.50,"b":["\u0041\"\\",-0e1,null,true,{}],"c\"":[]}`
	tree, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(tree.write(nil, nil)); got != text {
		t.Errorf("got %s", got)
	}
}

func TestAnyJSONTextIsWrittenAsItMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.String())).Draw(t, "v")
		text, _ := json.Marshal(v)
		tree, err := parse(text)
		if err != nil {
			return // too much of it to be taken apart
		}
		if got := tree.write(nil, nil); string(got) != string(text) {
			t.Fatalf("%s became %s", text, got)
		}
		for _, part := range tree.parts() {
			if without := tree.write(map[int]bool{part: true}, nil); !json.Valid(without) || len(without) >= len(text) {
				t.Fatalf("without %d, %s is %s", part, text, without)
			}
		}
	})
}

func TestAFindingThatComesAndGoesIsAskedForFourTimes(t *testing.T) {
	n := 0
	w := newWorld(t, func(*messages.Request) (int, bool) {
		n++
		return 500 - 300*(n%2), n%2 == 0
	})
	w.find(messages.Request{Method: "GET", Target: "/things?a=1", Valid: true})
	if shown, hidden, smallest := w.run(); shown != 2 || hidden != 2 || smallest != nil {
		t.Errorf("shown %d, hidden %d, and it was made smaller: %v", shown, hidden, smallest != nil)
	}
}

func TestAFindingThatIsGoneIsAskedForTwice(t *testing.T) {
	w := newWorld(t, func(*messages.Request) (int, bool) { return 200, false })
	w.find(messages.Request{Method: "GET", Target: "/things?a=1", Valid: true})
	if shown, hidden, _ := w.run(); shown != 0 || hidden != 2 || len(w.sent) != 2 {
		t.Errorf("shown %d, hidden %d of %d", shown, hidden, len(w.sent))
	}
}

func TestANameThatIsTakenGetsATwin(t *testing.T) {
	taken := map[string]bool{`{"name":"abc1"}`: true}
	w := newWorld(t, func(r *messages.Request) (int, bool) {
		if taken[string(r.Body)] {
			return 409, false
		}
		taken[string(r.Body)] = true
		return 500, len(r.Body) == len(`{"name":"abc1"}`)
	})
	w.find(post("/things", `{"name":"abc1"}`))
	if shown, hidden, _ := w.run(); shown != 2 || hidden != 0 {
		t.Errorf("shown %d, hidden %d, by %d requests", shown, hidden, len(w.sent))
	}
}

func TestAThingThatIsGoneIsMadeAnew(t *testing.T) {
	there := map[string]bool{}
	w := newWorld(t, nil)
	w.answer = func(r *messages.Request) (int, bool) {
		if r.Method == "POST" {
			there[fmt.Sprintf("/things/%d", r.Seq)] = true
			return 201, false
		}
		if !there[r.Target] {
			return 404, false
		}
		delete(there, r.Target) // it deletes before it fails
		return 500, true
	}
	w.seq = 6
	maker := post("/things", `{"name":"a"}`)
	maker.Seq = 5
	w.list.Learn(learned(&maker, 201, false), "/things/5")
	w.find(messages.Request{Operation: 1, Method: "DELETE", Target: "/things/5", Valid: true})
	if shown, hidden, _ := w.run(); shown != 2 || hidden != 0 || len(w.sent) != 5 {
		t.Errorf("shown %d, hidden %d, by %d requests", shown, hidden, len(w.sent))
	}
}

func TestWhatAnAttemptHasMadeIsItsOwnUntilItIsOver(t *testing.T) {
	w := newWorld(t, nil)
	owned := 0
	w.answer = func(r *messages.Request) (int, bool) {
		if r.Method == "POST" {
			return 201, false
		}
		if id := r.Target[len("/things/"):]; w.list.Owns(r.Target) && w.list.Owns(r.Target+"/parts?x=1") && w.list.Holds(id) {
			owned++
		}
		if w.list.Owns("/things") || w.list.Owns(r.Target+"0") || w.list.Holds("things") {
			t.Error("it owns more than its thing")
		}
		return 500, true
	}
	first := post("/things", `{"name":"a"}`)
	first.Seq, first.Series = 5, &messages.Step{Series: 1, Kind: "k", Nth: 1}
	w.seq = 5
	w.list.Learn(learned(&first, 201, false), "/things/5")
	w.find(messages.Request{
		Operation: 1, Method: "GET", Target: "/things/5", Valid: true,
		Series: &messages.Step{Series: 1, Kind: "k", Nth: 2, Thing: "5", Taken: []messages.Taken{{Request: &first, Reply: &messages.Reply{Status: 201}}}},
	})
	if shown, _, _ := w.run(); shown != 2 || owned != 2 || w.list.HoldAny() {
		t.Errorf("of %d attempts %d owned their thing, and afterwards one does: %v", shown, owned, w.list.HoldAny())
	}
}

func TestATwinOfABodyThatBreaksARuleKeepsThePlaceThatDoes(t *testing.T) {
	r := post("/members", `{"level":"adult","email":"a@example.org","password":"short"}`)
	got := twin(&r, Rules{Property: func(name string, v any) bool {
		return name == "email" || name == "level" && v == "adult"
	}}, 1)
	if got == nil || string(got.Body) != `{"level":"adult","email":"b@example.org","password":"short"}` {
		t.Errorf("it is %+v", got)
	}
}

func TestWithoutItsThingAFindingIsLeft(t *testing.T) {
	w := newWorld(t, func(*messages.Request) (int, bool) { return 404, false })
	w.find(messages.Request{Method: "GET", Target: "/things/5", Valid: true})
	if shown, hidden, _ := w.run(); shown != 0 || hidden != 0 || len(w.sent) != 1 {
		t.Errorf("shown %d, hidden %d, by %d requests", shown, hidden, len(w.sent))
	}
}

func TestAFindingOfWhichNothingWasLearnedComesBackWithAnotherRequest(t *testing.T) {
	w := newWorld(t, func(r *messages.Request) (int, bool) {
		if r.Method == "POST" {
			return 201, false
		}
		return map[bool]int{true: 404, false: 500}[r.Target == "/things/1"], r.Target != "/things/1"
	})
	w.find(messages.Request{Operation: 1, Method: "GET", Target: "/things/1", Valid: true})
	if shown, hidden, _ := w.run(); shown != 0 || hidden != 0 {
		t.Fatalf("shown %d, hidden %d", shown, hidden)
	}
	w.find(messages.Request{Operation: 1, Method: "GET", Target: "/things/1", Valid: true})
	if r := w.list.Next(0, w.seq, false, messages.Want{}); r != nil {
		t.Fatalf("%s %s is sent, of which nothing was learned", r.Method, r.Target)
	}
	maker := post("/things", `{"name":"a"}`)
	maker.Seq = w.seq + 1
	w.seq++
	w.list.Learn(learned(&maker, 201, false), "/things/7")
	w.find(messages.Request{Operation: 1, Method: "GET", Target: "/things/7", Valid: true})
	if shown, hidden, _ := w.run(); shown != 2 || hidden != 0 {
		t.Errorf("shown %d, hidden %d", shown, hidden)
	}
}

// Decision 0022: "A finding that is gone … and that another request shows is begun anew with that one, three times at most".
func TestAFindingThatIsGoneComesBackWithAnotherRequest(t *testing.T) {
	w := newWorld(t, func(r *messages.Request) (int, bool) {
		return map[bool]int{true: 500, false: 200}[r.Target == "/things?a=9"], r.Target == "/things?a=9"
	})
	find := func(a string) (shown, hidden int) {
		w.find(messages.Request{Method: "GET", Target: "/things?a=" + a, Valid: true, Breaks: "a"})
		shown, hidden, _ = w.run()
		return shown, hidden
	}
	for _, c := range []struct {
		a             string
		shown, hidden int
	}{{"1", 0, 2}, {"1", 0, 0}, {"2", 0, 2}, {"9", 2, 0}, {"3", 0, 0}} {
		if shown, hidden := find(c.a); shown != c.shown || hidden != c.hidden {
			t.Errorf("a=%s: shown %d, hidden %d, want %d and %d", c.a, shown, hidden, c.shown, c.hidden)
		}
	}
}

func TestAFindingIsBegunAnewThreeTimesAtMost(t *testing.T) {
	w := newWorld(t, func(*messages.Request) (int, bool) { return 200, false })
	for a := range 10 {
		w.find(messages.Request{Method: "GET", Target: fmt.Sprint("/things?a=", a), Valid: true})
		w.run()
	}
	if len(w.sent) != 2*(1+mostAgain) {
		t.Errorf("%d requests were sent again", len(w.sent))
	}
}

func TestASeriesIsSentFromItsStart(t *testing.T) {
	w := newWorld(t, nil)
	w.answer = func(r *messages.Request) (int, bool) {
		switch {
		case r.Method == "POST":
			return 201, false
		case r.Series == nil || len(r.Series.Taken) != r.Series.Nth-1:
			return 200, false
		}
		return 500, r.Series.Nth == 2 && strings.HasSuffix(r.Target, "/"+fmt.Sprint(r.Series.Taken[0].Request.Seq))
	}
	first := post("/things", `{"name":"a"}`)
	first.Seq, first.Series = 5, &messages.Step{Series: 1, Kind: "k", Nth: 1}
	w.seq = 5
	w.list.Learn(learned(&first, 201, false), "/things/5")
	w.find(messages.Request{
		Operation: 1, Method: "GET", Target: "/things/5", Valid: true,
		Series: &messages.Step{Series: 1, Kind: "k", Nth: 2, Thing: "5", Taken: []messages.Taken{{Request: &first, Reply: &messages.Reply{Status: 201}}}},
	})
	if shown, hidden, _ := w.run(); shown != 2 || hidden != 0 || len(w.sent) != 4 {
		t.Errorf("shown %d, hidden %d, by %d requests", shown, hidden, len(w.sent))
	}
	if last := w.sent[3].Series; last.Thing != fmt.Sprint(w.sent[2].Seq) {
		t.Errorf("the series is around %q", last.Thing)
	}
}

// shelves is an API on paper: shelves, books on them, and labels that name a book in what they hold and in their query.
type shelves struct {
	*world
	made map[string]bool
}

func newShelves(t *testing.T, shows func(r *messages.Request, s *shelves) bool) *shelves {
	s := &shelves{made: map[string]bool{}}
	s.world = newWorld(t, nil)
	s.list.cfg.Kinds = func(place string) []string {
		if strings.HasSuffix(place, ".book") {
			return []string{"/shelves/{}/books"}
		}
		return nil
	}
	s.answer = func(r *messages.Request) (int, bool) {
		path := pathOf(r.Target)
		switch above := path[:strings.LastIndexByte(path, '/')]; {
		case path == "/shelves", r.Method == "POST" && path != "/labels" && s.made[above]:
			return 201, false
		case r.Method == "POST" && path == "/labels", s.made[path]:
			return 500, shows(r, s)
		}
		return 404, false
	}
	return s
}

// learns has the run have made a thing, by a request of that number.
func (s *shelves) learns(seq int64, target, body, address string) {
	r := post(target, body)
	r.Seq, r.Operation = seq, strings.Count(target, "/")
	s.list.Learn(learned(&r, 201, false), address)
}

// run is world's, with the addresses of what it makes below what it was sent to.
func (s *shelves) run() (shown, hidden int, told []*messages.Request) {
	for range 100 {
		r := s.list.Next(0, s.seq, false, messages.Want{})
		if r == nil {
			return shown, hidden, told
		}
		s.seq++
		r.Seq = s.seq
		s.sent = append(s.sent, r)
		status, shows := s.answer(r)
		m, made := learned(r, status, shows), ""
		if status == 201 {
			made = fmt.Sprintf("%s/n%d", pathOf(r.Target), r.Seq)
			s.made[made] = true
		}
		s.list.Learn(m, made)
		switch answer := r.Recheck.Says(r, m.Outcome, m.Reply, false, m.Findings); {
		case !r.Recheck.Last:
		case answer == messages.Shows:
			shown++
			told = append(told, r)
		case answer == messages.ShowsNot:
			hidden++
		}
	}
	s.t.Fatal("it never ends")
	return 0, 0, nil
}

// "What a step needs is made before it: a parent before what is below it" (decision 0022).
func TestAParentIsMadeAnewBeforeWhatIsBelowIt(t *testing.T) {
	shows := func(*messages.Request, *shelves) bool { return true }
	for _, c := range []struct {
		name string
		find func(s *shelves)
		// first is the step that is the series' own first, -1 where there is no series.
		first int
	}{
		{"a thing", func(s *shelves) {
			s.find(messages.Request{Operation: 3, Method: "GET", Target: "/shelves/a/books/b", Valid: true})
		}, -1},
		{"a series", func(s *shelves) {
			create := post("/shelves/a/books", `{"name":"b"}`)
			create.Seq, create.Operation, create.Series = 3, 2, &messages.Step{Series: 1, Kind: "k", Nth: 1}
			s.list.Learn(learned(&create, 201, false), "/shelves/a/books/b")
			s.find(messages.Request{Operation: 3, Method: "GET", Target: "/shelves/a/books/b", Valid: true, Series: &messages.Step{
				Series: 1, Kind: "k", Nth: 2, Thing: "b", Taken: []messages.Taken{{Request: &create, Reply: &messages.Reply{Status: 201}}},
			}})
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShelves(t, shows)
			s.seq = 3
			s.learns(1, "/shelves", `{"name":"a"}`, "/shelves/a")
			s.learns(2, "/shelves/a/books", `{"name":"b"}`, "/shelves/a/books/b")
			c.find(s)
			shown, hidden, told := s.run()
			if shown == 0 || hidden != 0 {
				t.Fatalf("shown %d, hidden %d", shown, hidden)
			}
			last := told[len(told)-1]
			makers := last.Recheck.Makers
			if len(makers) != 2 || makers[1].Request.Target != makers[0].Address+"/books" || last.Target != makers[1].Address || makers[0].Address == "/shelves/a" {
				t.Fatalf("%s is shown after %+v", last.Target, makers)
			}
			if makers[0].Ahead != (c.first == 1) || makers[1].Ahead {
				t.Errorf("of the steps the series has %v, %v", !makers[0].Ahead, !makers[1].Ahead)
			}
			if c.first == 1 && (len(last.Series.Taken) != 1 || last.Series.Thing != messages.NameOf(last.Target)) {
				t.Errorf("its place is %+v", last.Series)
			}
		})
	}
}

// "A name that stands in the query, the header or the content, as JSON or a form, gives way to that of the thing made anew.
// That it is a name is not told by its looks" (decision 0022).
func TestANameInABodyFollowsTheThingAndWhatIsAlikeDoesNot(t *testing.T) {
	s := newShelves(t, func(r *messages.Request, s *shelves) bool {
		v, _ := decode(r.Body)
		book, _ := v.(map[string]any)["book"].(string)
		for address := range s.made {
			if messages.NameOf(address) == book {
				return true
			}
		}
		return false
	})
	s.seq = 3
	s.learns(1, "/shelves", `{"name":"a"}`, "/shelves/a")
	s.learns(2, "/shelves/a/books", `{"name":"b"}`, "/shelves/a/books/b")
	s.learns(3, "/shelves", `{"name":"c"}`, "/shelves/c")
	s.find(post("/labels?book=b&other=b", `{"book":"b","name":"b","like":{"book":"c"}}`))
	shown, _, told := s.run()
	if shown == 0 {
		t.Fatal("it is not shown")
	}
	first := told[0]
	makers := first.Recheck.Makers
	if len(makers) != 2 {
		t.Fatalf("it is shown after %+v", makers)
	}
	name := messages.NameOf(makers[1].Address)
	if want := `{"book":"` + name + `","name":"b","like":{"book":"c"}}`; string(first.Body) != want || first.Target != "/labels?book="+name+"&other=b" {
		t.Errorf("sent was %s %s, want %s", first.Target, first.Body, want)
	}
	if len(first.Named) != 2 || first.Named[0] != (messages.Named{Place: "query.book", Address: makers[1].Address}) || first.Named[1].Place != "body.book" {
		t.Errorf("told as names are %v", first.Named)
	}
	last := told[len(told)-1]
	if !strings.Contains(string(last.Body), `"book":"n`) {
		t.Errorf("the smallest is %s", last.Body)
	}
}

func TestWhatAChangeNamesIsMadeBeforeIt(t *testing.T) {
	s := newShelves(t, nil)
	s.learns(1, "/shelves", `{"name":"a"}`, "/shelves/a")
	s.learns(2, "/shelves/a/books", `{"name":"b"}`, "/shelves/a/books/b")
	s.learns(3, "/shelves", `{"name":"c"}`, "/shelves/c")
	change := post("/shelves/c", `{"book":"b"}`)
	change.Method, change.Seq, change.Operation = "PUT", 4, 7
	s.list.Learn(learned(&change, 200, false), "")
	steps := s.list.situation(&messages.Request{Seq: 5, Operation: 8, Method: "GET", Target: "/shelves/c"})
	var seqs []int64
	for _, step := range steps {
		seqs = append(seqs, step.Request.Seq)
	}
	if fmt.Sprint(seqs) != "[3 1 2 4]" || len(steps[3].Request.Named) != 1 {
		t.Errorf("the steps are %v", seqs)
	}
}

func TestMoreStepsThanMayGoBeforeAreNone(t *testing.T) {
	s := newShelves(t, nil)
	path := ""
	for i := range mostSteps + 1 {
		target := path + "/shelves"
		path = fmt.Sprint(target, "/", i)
		s.learns(int64(i+1), target, "{}", path)
	}
	if steps := s.list.makers(&messages.Request{Seq: 100, Target: path}); steps != nil {
		t.Errorf("%d steps", len(steps))
	}
	if steps := s.list.makers(&messages.Request{Seq: 100, Target: path[:strings.LastIndex(path, "/shelves")]}); len(steps) != mostSteps {
		t.Errorf("%d steps", len(steps))
	}
}

// "Where an operation has answered 409, or a name was found taken, the texts of the body that can be any text of their length
// and kind are fresh" (decision 0022).
func TestTextsAreFreshWhereTheOperationHasRefusedAName(t *testing.T) {
	for _, matters := range []bool{false, true} {
		s := newWorld(t, func(r *messages.Request) (int, bool) {
			return 500, !matters || strings.Contains(string(r.Body), "jane-4711")
		})
		refused := post("/things", `{"name":"x"}`)
		refused.Seq = 1
		s.list.Learn(learned(&refused, 409, false), "")
		s.seq = 1
		s.find(post("/things", `{"name":"jane-4711","level":7}`))
		shown, hidden, smallest := s.run()
		if shown != enough || hidden != 0 || smallest == nil {
			t.Fatalf("%v: shown %d, hidden %d", matters, shown, hidden)
		}
		if fresh := len(smallest.Fresh) == 1 && smallest.Fresh[0] == "body.name"; fresh == matters {
			t.Errorf("%v: told as fresh are %v", matters, smallest.Fresh)
		}
		if !matters && len(smallest.Body) != len(`{"name":"jane-4711"}`) {
			t.Errorf("the smallest is %s", smallest.Body)
		}
	}
}

func TestARefusalIsNotProvokedAgain(t *testing.T) {
	w := newWorld(t, nil)
	r := &messages.Request{Seq: 1, Method: "GET", Target: "/"}
	m := learned(r, 503, true)
	m.Refused = true
	w.list.Learn(m, "")
	if next := w.list.Next(0, 100, false, messages.Want{}); next != nil {
		t.Errorf("%v is sent again", next)
	}
}

func TestTheShareIsKeptAndTheEndIsForWhatWasNotLookedAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		end := messages.Instant(100 * time.Second)
		list := New(Config{Share: share, Deadline: end, Most: 100, Rules: anything})
		resting := messages.Set{}.With(3)
		seq, again := int64(0), int64(0)
		underWay := map[int64]bool{}
		for range rapid.IntRange(1, 300).Draw(t, "turns") {
			seq++
			now := messages.Instant(rapid.Int64Range(0, int64(end)-1).Draw(t, "now"))
			r := list.Next(now, seq-1, false, messages.Want{Resting: resting})
			if r == nil {
				r = &messages.Request{Seq: seq, Operation: rapid.IntRange(0, 3).Draw(t, "operation"), Method: "GET", Target: "/a?b=c", Valid: true}
				list.Learn(learned(r, 500, rapid.Bool().Draw(t, "shows")), "")
				continue
			}
			again++
			if r.Operation == 3 {
				t.Fatal("an operation that rests is sent something")
			}
			if now < end-end/10 && float64(again) > share*float64(seq) {
				t.Fatalf("%d of %d requests, at a share of %v", again, seq, share)
			}
			if now >= end-end/10 && r.Recheck.Smaller && float64(again) > share*float64(seq) {
				t.Fatal("the end is taken by what was looked at")
			}
			r.Seq = seq
			if underWay[r.Seq] {
				t.Fatal("one number, two requests")
			}
			underWay[r.Seq] = true
			if rapid.IntRange(0, 9).Draw(t, "fate") == 0 {
				list.TakeBack(r)
				seq--
				again--
				delete(underWay, r.Seq)
				continue
			}
			list.Learn(learned(r, 500, rapid.Bool().Draw(t, "again")), "")
		}
	})
}

func TestAReductionEndsWithinItsTriesWhateverTheAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := post("/things?a=1&b=22&c=333", `{"name":"abcdefgh","a":["b","c",{"d":"e"}],"f":{"g":1}}`)
		d := newReduction(&r, anything(&r))
		tries := 0
		for next := d.next(); next != nil; next = d.next() {
			if tries++; tries > mostTries {
				t.Fatal("it goes on and on")
			}
			if len(next.Target)+len(next.Body) >= len(r.Target)+len(r.Body) && len(next.Header) >= len(r.Header) {
				t.Fatalf("%s %s is no smaller", next.Target, next.Body)
			}
			if v, ok := decode(next.Body); !ok || !anything(next).Fits(v) {
				t.Fatalf("%s does not fit", next.Body)
			}
			d.heard(rapid.Bool().Draw(t, "shows"))
		}
	})
}

func TestALocationLeadsToItsPath(t *testing.T) {
	for location, want := range map[string]string{
		"/things/5": "/things/5", "http://elsewhere:80/things/5/?x=1#y": "/things/5", "/a%20b": "/a%20b",
		"": "", "things/5": "", "/things/5 (soon)": "", "/%zz": "",
	} {
		if got := messages.LocationPath([]messages.Field{{Name: "Location", Value: location}}); got != want {
			t.Errorf("%q leads to %q, want %q", location, got, want)
		}
	}
}

// What was there before the run cannot be made anew by whoever wants to see the finding.
func TestWhatIsConfirmedIsShownOnAThingOfTheRunsOwn(t *testing.T) {
	for _, shows := range []bool{true, false} {
		w := newWorld(t, func(r *messages.Request) (int, bool) {
			if r.Method == "POST" {
				return 201, false
			}
			return 500, r.Target == "/things/old" || shows
		})
		w.list.cfg.Other = func(r *messages.Request, _ bool) *messages.Request {
			another := *r
			another.Target = "/things/7"
			return &another
		}
		made := &messages.Request{Seq: 99, Method: "POST", Target: "/things"}
		w.list.Learn(messages.Learned{
			Request: made, Outcome: messages.Answered,
			Reply: &messages.Reply{Status: 201, Header: []messages.Field{{Name: "Location", Value: "/things/7"}}},
		}, "/things/7")
		w.find(messages.Request{Method: "GET", Target: "/things/old", Valid: true})
		shown, hidden, smallest := w.run()
		if shown != enough || hidden != 0 {
			t.Errorf("%v: shown %d, hidden %d", shows, shown, hidden)
		}
		if !shows {
			if smallest != nil {
				t.Errorf("shown is %+v", smallest)
			}
			continue
		}
		if smallest == nil || smallest.Target == "/things/7" || !strings.HasPrefix(smallest.Target, "/things/") {
			t.Fatalf("shown is %+v", smallest)
		}
		if makers := smallest.Recheck.Makers; len(makers) != 1 || makers[0].Address != smallest.Target || makers[0].Place != "Location" {
			t.Errorf("it is made by %+v", makers)
		}
	}
}

// "First those are tried that make the thing alone, then also what changed it" (decision 0022).
func TestStepsThatHaveNothingToDoWithAFindingAreNotTold(t *testing.T) {
	for _, matters := range []bool{false, true} {
		changed := false
		w := newWorld(t, func(r *messages.Request) (int, bool) {
			switch r.Method {
			case "POST":
				changed = false
				return 201, false
			case "PUT":
				changed = true
				return 200, false
			}
			return 500, changed || !matters
		})
		w.list.Learn(messages.Learned{
			Request: &messages.Request{Seq: 90, Method: "POST", Target: "/things"}, Outcome: messages.Answered, Reply: &messages.Reply{Status: 201},
		}, "/things/7")
		changed = true
		w.list.Learn(learned(&messages.Request{Seq: 91, Operation: 1, Method: "PUT", Target: "/things/7"}, 200, false), "")
		w.seq = 91
		w.find(messages.Request{Operation: 2, Method: "GET", Target: "/things/7", Valid: true})
		_, _, smallest := w.run()
		if smallest == nil {
			t.Fatalf("%v: nothing is shown", matters)
		}
		if makers := smallest.Recheck.Makers; len(makers) != map[bool]int{false: 1, true: 2}[matters] {
			t.Errorf("%v: it is told with %+v", matters, makers)
		}
	}
}

func TestAFreshTextIsOfTheSameKind(t *testing.T) {
	seen := map[string]bool{}
	for n := range 100 {
		got := fresh("Abc-9.x@example.org", n)
		if seen[got] || len(got) != 19 || !strings.HasSuffix(got, "@example.org") || got[3] != '-' {
			t.Errorf("%d: %s", n, got)
		}
		seen[got] = true
	}
}

// always says of a request of a script that it may go.
func always(*messages.Request) (may, never bool) { return true, false }

// "A request that meets a 401 with what was good for another before is sent again once" (decision 0022).
func TestAScriptSendsAgainOnceWhatHadCredentialsOfBefore(t *testing.T) {
	for _, row := range []struct {
		name    string
		finding int // the status of the reply that showed it
		sent    int
	}{{"another answer", 500, 2}, {"the refusal is the finding", 401, 1}} {
		t.Run(row.name, func(t *testing.T) {
			s := NewScript([]Errand{{Request: &messages.Request{Recheck: &messages.Recheck{Finding: messages.FindingKey{Status: row.finding}}}}}, 0)
			sent := 0
			for !s.Over() && sent < 9 {
				r := s.Next(messages.Want{}, always)
				if sent++; r == nil {
					t.Fatal("it stands still")
				}
				s.Learn(messages.Learned{Request: r, Outcome: messages.Answered, Reply: &messages.Reply{Status: 401}}, true)
			}
			if sent != row.sent {
				t.Errorf("it was sent %d times, want %d", sent, row.sent)
			}
		})
	}
}

func TestAScriptWaitsForWhatMayGoAndGivesUpWhatNeverMay(t *testing.T) {
	errands := make([]Errand, 3)
	for i := range errands {
		errands[i].Request = &messages.Request{Operation: i, Recheck: &messages.Recheck{Seq: int64(i)}}
	}
	s := NewScript(errands, 0)
	waits := true
	may := func(r *messages.Request) (may, never bool) { return r.Operation != 1 || !waits, r.Operation == 0 }
	if r := s.Next(messages.Want{}, may); r == nil || r.Operation != 2 {
		t.Fatalf("got %+v", r)
	} else if s.Learn(messages.Learned{Request: r}, false); s.Next(messages.Want{}, may) != nil || s.Over() {
		t.Fatal("it does not wait")
	}
	waits = false
	if r := s.Next(messages.Want{}, may); r == nil || r.Operation != 1 {
		t.Fatalf("got %+v", r)
	} else if s.Learn(messages.Learned{Request: r}, false); !s.Over() {
		t.Error("it is not over")
	}
}

func TestAScriptSendsEachRequestOnceAndEnds(t *testing.T) {
	s := NewScript([]Errand{
		{Request: &messages.Request{Operation: 0, Recheck: &messages.Recheck{Seq: 0}}}, {Request: &messages.Request{Operation: 1, Recheck: &messages.Recheck{Seq: 1}}},
	}, 0)
	next := func(resting messages.Set) *messages.Request { return s.Next(messages.Want{Resting: resting}, always) }
	second := next(messages.Set{}.With(0))
	if second == nil || second.Operation != 1 {
		t.Fatalf("got %+v", second)
	}
	s.Learn(messages.Learned{Request: second, Refused: true}, false)
	s.TakeBack(next(nil))
	for range 2 {
		r := next(nil)
		if r == nil {
			t.Fatal("one is missing")
		}
		if next(messages.Set{}.With(0).With(1)) != nil || s.Over() {
			t.Error("it ends while something is under way")
		}
		s.Learn(messages.Learned{Request: r}, false)
	}
	if r := next(nil); r != nil || !s.Over() {
		t.Errorf("at the end it offers %+v", r)
	}
}

// script is a script of one errand: a GET of what a POST makes, and a PATCH of it between.
func script(series *messages.Step) (offer func() *messages.Request, hears func(r *messages.Request, status int, location string)) {
	s := NewScript([]Errand{{
		Makers: []messages.Maker{
			{Request: &messages.Request{Operation: 0, Method: "POST", Target: "/things"}, Address: "/things/1", Place: "Location"},
			{Request: &messages.Request{Operation: 1, Method: "PATCH", Target: "/things/1"}},
		},
		Request: &messages.Request{Operation: 2, Method: "GET", Target: "/things/1/parts?a=1", Series: series, Recheck: &messages.Recheck{Seq: 7, Last: true}},
	}}, 0)
	return func() *messages.Request { return s.Next(messages.Want{}, always) }, func(r *messages.Request, status int, location string) {
		s.Learn(messages.Learned{Request: r, Outcome: messages.Answered, Reply: &messages.Reply{Status: status, Header: []messages.Field{{Name: "Location", Value: location}}}}, false)
	}
}

func TestAScriptMakesAnewWhatARequestIsAbout(t *testing.T) {
	offer, hears := script(&messages.Step{Kind: "patchThenRead", Thing: "1"})
	made := offer()
	if made.Method != "POST" || made.Recheck.Last || offer() != nil {
		t.Fatalf("it begins with %+v", made)
	}
	hears(made, 201, "http://127.0.0.1/things/%C3%A4%2F2")
	changed := offer()
	if changed.Method != "PATCH" || changed.Target != "/things/%C3%A4%2F2" {
		t.Fatalf("then goes %+v", changed)
	}
	hears(changed, 500, "") // what a step of a series is answered with is a part of it
	last := offer()
	if last.Target != "/things/%C3%A4%2F2/parts?a=1" || !last.Recheck.Last || last.Recheck.Tentative || last.Recheck.Seq != 7 {
		t.Fatalf("the last is %+v, %+v", last, last.Recheck)
	}
	if s := last.Series; s.Thing != "ä/2" || s.Nth != 3 || len(s.Taken) != 2 || s.Taken[1].Reply.Status != 500 {
		t.Errorf("its place is %+v", s)
	}
	hears(last, 200, "")
	if offer() != nil {
		t.Error("it goes on")
	}
}

func TestAScriptSendsTheRequestAsItWasWhereNothingIsMade(t *testing.T) {
	offer, hears := script(nil)
	hears(offer(), 409, "")
	last := offer()
	if last == nil || last.Target != "/things/1/parts?a=1" || !last.Recheck.Last || !last.Recheck.Tentative {
		t.Fatalf("got %+v", last)
	}
}

// TestOtherRequestsOfTheOperationAreTriedWhereConnectionsEnded: "When a request that was sent again did not break off, up to
// eight more of its operation are tried."
func TestOtherRequestsOfTheOperationAreTriedWhereConnectionsEnded(t *testing.T) {
	t.Parallel()
	broke := func(r *messages.Request) messages.Learned {
		return messages.Learned{Request: r, Outcome: messages.NoReply, Kind: messages.WasReset, Findings: []messages.Finding{{Code: 922, Error: true, Cause: "no reply"}}}
	}
	list := New(Config{Share: 1, Most: 100, Rules: anything})
	seq, asked := int64(0), map[string]int{}
	for i := range 20 {
		seq++
		target := fmt.Sprint("/harmless/", i)
		if i == 4 {
			target = "/deadly"
		}
		list.Learn(broke(&messages.Request{Seq: seq, Method: "GET", Target: target}), "")
		for range 10 {
			r := list.Next(0, seq, false, messages.Want{})
			if r == nil {
				break
			}
			seq++
			r.Seq = seq
			asked[r.Target]++
			if r.Target == "/deadly" {
				list.Learn(broke(r), "")
			} else {
				list.Learn(learned(r, 200, false), "")
			}
		}
	}
	if asked["/harmless/0"] != enough || asked["/deadly"] != mostAnswers || len(asked) != 5 {
		t.Errorf("sent again: %v", asked)
	}

	list, seq = New(Config{Share: 1, Most: 100, Rules: anything}), 0
	harmless := map[string]int{}
	for i := range 20 {
		seq++
		list.Learn(broke(&messages.Request{Seq: seq, Method: "GET", Target: fmt.Sprint("/harmless/", i)}), "")
		for r := list.Next(0, seq, false, messages.Want{}); r != nil; r = list.Next(0, seq, false, messages.Want{}) {
			seq++
			r.Seq = seq
			harmless[r.Target]++
			list.Learn(learned(r, 200, false), "")
		}
	}
	if len(harmless) != 1+mostOthers {
		t.Errorf("%d requests were tried, want one and %d more", len(harmless), mostOthers)
	}
}

// labelled is an errand in which a label names a book below a shelf.
func labelled() Errand {
	body := post("/labels", `{"book":"b","name":"jane","again":"jane"}`)
	body.Operation, body.Recheck = 2, &messages.Recheck{Seq: 0, Last: true}
	body.Named = []messages.Named{{Place: "body.book", Address: "/shelves/a/books/b"}}
	body.Fresh = []string{"body.name", "body.again"}
	return Errand{Request: &body, Makers: []messages.Maker{
		{Request: &messages.Request{Operation: 0, Method: "POST", Target: "/shelves"}, Address: "/shelves/a", Place: "Location"},
		{Request: &messages.Request{Operation: 1, Method: "POST", Target: "/shelves/a/books"}, Address: "/shelves/a/books/b", Place: "/id"},
	}}
}

func TestAScriptFollowsParentsAndNamesAndKeepsFreshTextsAlike(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(3) {
		s := NewScript([]Errand{labelled()}, seed)
		next := func() *messages.Request { return s.Next(messages.Want{}, always) }
		answer := func(r *messages.Request, status int, location string, value any) {
			s.Learn(messages.Learned{Request: r, Outcome: messages.Answered, Value: value, Reply: &messages.Reply{
				Status: status, Header: []messages.Field{{Name: "Location", Value: location}},
			}}, false)
		}
		for range 2 { // the name is taken the first time
			answer(next(), 201, "/shelves/x", nil)
			below := next()
			if below.Target != "/shelves/x/books" {
				t.Fatalf("the book is made at %s", below.Target)
			}
			answer(below, 201, "", map[string]any{"id": "y"})
			last := next()
			v, _ := decode(last.Body)
			got := v.(map[string]any)
			name, _ := got["name"].(string)
			if got["book"] != "y" || len(name) != 4 || name != got["again"] || seen[name] {
				t.Fatalf("sent was %s", last.Body)
			}
			seen[name] = true
			if last.Named[0].Address != "/shelves/x/books/y" {
				t.Errorf("named is %v", last.Named)
			}
			answer(last, 409, "", nil)
		}
		if s.Over() {
			t.Error("it is given up")
		}
	}
}
