package generator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	testplan "github.com/restest/restest/settings/plan"
	"github.com/restest/restest/stages/generator/draft"
	"github.com/restest/restest/stages/generator/mutations"
)

// A server that reads a boolean from text takes more than true and false.
func TestWhatServersReadAsABooleanBreaksNoRuleOfOne(t *testing.T) {
	s := newScript(t, api(t, constrained), withoutLap)
	for _, p := range s.g.plans[0].form.Places() {
		for value, breaks := range map[any]bool{json.Number("1"): p.Typed, "Yes": p.Typed, "off": p.Typed, json.Number("7"): true, "seven": true} {
			if p.Name != "query.flag" && p.Name != "body.active" {
				continue
			}
			if rule, ok := p.Breaks(value); ok != breaks || ok && rule != "type" {
				t.Errorf("%s: %v breaks %q, %v", p.Name, value, rule, ok)
			}
		}
	}
}

// A request whose content is of a type that is not declared has to stay one with content.
func TestContentOfAnotherTypeStaysContent(t *testing.T) {
	s := newScript(t, api(t, `
  /things:
    post: {requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}, `+ok+`}
`), withoutLap)
	r := &messages.Request{Method: "POST", Target: "/things", Body: []byte(`{"name":"a"}`), Header: []messages.Field{{Name: "Content-Type", Value: "text/plain"}}}
	for breaks, whole := range map[string]bool{"header.Content-Type: content": true, "header.Accept: content": false} {
		r.Breaks = breaks
		if rules := s.g.rules(r); rules.Body == whole {
			t.Errorf("%s: the content may be left out: %v", breaks, rules.Body)
		}
	}
}

// constrained has each constraint that a parameter or a property can have.
const constrained = `
  /things/{id}:
    put:
      tags: [things]
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer, format: int32, minimum: 1}}
        - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 50}}
        - {name: step, in: query, required: true, schema: {type: number, exclusiveMinimum: true, minimum: 0, multipleOf: 0.5}}
        - {name: sort, in: query, schema: {type: string, enum: [name, age, size]}}
        - {name: flag, in: query, schema: {type: boolean}}
        - {name: since, in: query, schema: {type: string, format: date}}
        - {name: code, in: query, schema: {type: string, pattern: '^[a-z]{3}$'}}
        - {name: ids, in: query, schema: {type: array, minItems: 2, maxItems: 4, uniqueItems: true, items: {type: integer, maximum: 9}}}
        - {name: X-Trace, in: header, required: true, schema: {type: string, minLength: 4, maxLength: 8}}
        - {name: theme, in: cookie, schema: {type: string, maxLength: 5}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [name, kind, parts]
              additionalProperties: false
              properties:
                name: {type: string, minLength: 2, maxLength: 20}
                kind: {type: string, enum: [cat, dog]}
                age: {type: integer, minimum: 0, maximum: 30}
                big: {type: integer, format: int64}
                small: {type: integer, format: int32}
                weight: {type: number, exclusiveMaximum: true, maximum: 10, multipleOf: 0.25}
                mail: {type: string, format: email}
                sku: {type: string, pattern: '^[A-Z]{2}-[0-9]{3}$'}
                note: {type: string, nullable: true, maxLength: 50}
                active: {type: boolean}
                parts:
                  type: array
                  minItems: 1
                  maxItems: 3
                  uniqueItems: true
                  items: {type: object, required: [n], properties: {n: {type: integer, minimum: 1}, t: {type: string, maxLength: 3}}}
                labels: {type: object, minProperties: 1, maxProperties: 2, additionalProperties: {type: string, maxLength: 6}}
      responses: {'200': {description: ok}, '400': {description: no}, '404': {description: none}, '406': {description: no}, '415': {description: no}}
  /forms:
    post:
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              required: [topic]
              properties:
                topic: {type: string, minLength: 3, maxLength: 12}
                stars: {type: integer, minimum: 1, maximum: 5}
                kind: {type: string, enum: [a, b]}
      ` + ok + `
`

// withoutChance leaves nothing to chance but goes through the rules.
func withoutChance(c *Config) {
	withoutLap(c)
	c.Settings.Schedule.MostCovering = 10_000
}

// following has the strategies of the shares alone.
func following(shares ...testplan.Strategy) func(*Config) {
	return func(c *Config) {
		withoutLap(c)
		c.Plan = &testplan.Plan{Strategies: shares}
	}
}

// covering are the requests that go through the operation's rules.
func (s *script) covering(operation int) []*messages.Request {
	s.t.Helper()
	var all []*messages.Request
	for s.g.order.next = operation; ; s.g.order.next = operation {
		r := s.next()
		if r.Purpose != messages.Covering {
			return all
		}
		if all = append(all, r); len(all) > 20_000 {
			s.t.Fatal("the rules do not come to an end")
		}
	}
}

// breaksOne says what is wrong with the claim that the request breaks the one rule that it names and no other. It is
// judged as it is on the wire, by the document with that one part taken out of it.
func breaksOne(doc *document.Document, r *messages.Request) error {
	op := doc.Operations[r.Operation]
	d := &reader{judge: document.NewJudge(doc)}
	at := strings.LastIndex(r.Breaks, ": ")
	if at < 0 || r.Valid {
		return fmt.Errorf("valid is %v and it breaks %q", r.Valid, r.Breaks)
	}
	place, rule := r.Breaks[:at], r.Breaks[at+2:]
	keyword, _, _ := strings.Cut(rule, " ")
	if keyword != "format" && d.request(op, r) == nil {
		return fmt.Errorf("it says to break %s, and is valid", r.Breaks)
	}
	freed, fixed := *op, *r
	in, rest, _ := strings.Cut(place, ".")
	name := strings.TrimSuffix(rest, "[0]")
	switch {
	case in == "body" && keyword == "content", place == "header.Content-Type":
		fixed.Body = nil
		freed.Body = nil
		fixed.Header = slices.DeleteFunc(slices.Clone(r.Header), func(f messages.Field) bool { return f.Name == "Content-Type" })
	case in == "body" || strings.HasPrefix(in, "body["):
		if len(r.Body) == 0 {
			fixed.Body, freed.Body = nil, nil
			break
		}
		if err := oneFault(doc, op, r, place, keyword); err != nil {
			return err
		}
		fixed.Body, freed.Body = nil, nil
	default:
		freed.Parameters = nil
		for _, p := range op.Parameters {
			if p.In == in && p.Name == name {
				if in == "path" {
					loose := *p
					loose.Schema = nil
					freed.Parameters = append(freed.Parameters, &loose)
				}
				continue
			}
			freed.Parameters = append(freed.Parameters, p)
		}
		// The part itself goes too, wherever it was sent.
		path, query, _ := strings.Cut(r.Target, "?")
		pairs := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
			return pair == "" || strings.HasPrefix(pair, name+"=")
		})
		fixed.Target = path
		if len(pairs) > 0 {
			fixed.Target += "?" + strings.Join(pairs, "&")
		}
		fixed.Header = slices.DeleteFunc(slices.Clone(r.Header), func(f messages.Field) bool { return f.Name == name })
	}
	if fixed.Body == nil && freed.Body == nil {
		fixed.Header = slices.DeleteFunc(slices.Clone(fixed.Header), func(f messages.Field) bool { return f.Name == "Content-Type" })
	}
	if err := d.request(&freed, &fixed); err != nil {
		return fmt.Errorf("it breaks more than %s: %w", r.Breaks, err)
	}
	return nil
}

// oneFault says whether the judge finds the one fault in the body that is told.
func oneFault(doc *document.Document, op *document.Operation, r *messages.Request, place, keyword string) error {
	d := &reader{judge: document.NewJudge(doc)}
	for _, m := range op.Body.Media {
		contentType := messages.Get(r.Header, "Content-Type")
		essence, _, _ := strings.Cut(contentType, ";")
		if !covers(m.Type, essence) {
			continue
		}
		v, err := d.readBody(m, essence, "", r.Body)
		if err != nil {
			return err
		}
		faults, err := d.judge.Judge(m.Schema, document.InRequest, v)
		if err != nil {
			return nil // the judge cannot tell
		}
		if slices.Contains([]string{"oneOf", "anyOf", "not", "if"}, keyword) && len(faults) > 0 {
			return nil // the branches' own rules are told
		}
		for _, f := range faults {
			if f.Keyword != faults[0].Keyword || f.Pointer != faults[0].Pointer {
				return fmt.Errorf("it breaks two rules: %v", faults)
			}
		}
		if len(faults) == 0 {
			if keyword == "format" {
				return nil // not every format is judged
			}
			return fmt.Errorf("the judge finds nothing")
		}
		// Text that does not fit as a number is read as text. A bound that is exclusive, or that a format implies, goes by the name of the bound.
		same := essence != "application/json" && faults[0].Keyword == "type" || strings.EqualFold(faults[0].Keyword, keyword) || keyword == "format" || strings.HasPrefix(keyword, "exclusive")
		found, told := plainPlace(faults[0].Pointer), plainPlace(strings.TrimPrefix(place, "body"))
		switch keyword {
		case "additionalProperties": // of what was added
			same, found = same || strings.HasPrefix(found, told), told
		case "required": // of the object that lacks it
			if strings.HasPrefix(told, found) {
				found = told
			}
		}
		if !same || told != found {
			return fmt.Errorf("it says to break %s and breaks %s at %q", r.Breaks, faults[0].Keyword, faults[0].Pointer)
		}
	}
	return nil
}

// plainPlace is a place or a JSON pointer without what stands between the steps, so that the two compare.
func plainPlace(place string) string {
	return strings.NewReplacer("~0", "~", "~1", "", "/", "", ".", "", "[", "", "]", "").Replace(place)
}

// checkClaims judges a request by what it says of itself.
func checkClaims(t testing.TB, doc *document.Document, r *messages.Request) {
	t.Helper()
	var err error
	for _, f := range r.Header {
		if !isToken(f.Name) || !travels(f.Value) {
			t.Errorf("the field %s: %q cannot be sent", f.Name, f.Value)
		}
	}
	if strings.ContainsFunc(r.Target, func(c rune) bool { return c <= ' ' || c > '~' || c == '#' }) {
		t.Errorf("the target %q cannot be sent", r.Target)
	}
	switch {
	case r.Valid:
		d := &reader{judge: document.NewJudge(doc)}
		err = d.request(doc.Operations[r.Operation], r)
	case r.Breaks != "":
		err = breaksOne(doc, r)
	}
	if err != nil {
		t.Errorf("%s %s %s %.300s (%v): %v", r.Method, r.Target, r.Header, r.Body, r.Origins[max(0, len(r.Origins)-2):], err)
	}
}

func TestEveryRuleIsGoneThroughOnItInsideAndOutside(t *testing.T) {
	doc := api(t, constrained)
	s := newScript(t, doc, withoutChance)
	broken := map[string]int{}
	var requests []*messages.Request
	for operation := range doc.Operations {
		requests = append(requests, s.covering(operation)...)
	}
	for _, r := range requests {
		checkClaims(t, doc, r)
		broken[r.Breaks]++
	}
	for _, want := range []string{
		"path.id: minimum", "path.id: type", "path.id: format", "query.limit: minimum", "query.limit: maximum", "query.limit: type",
		"query.step: exclusiveMinimum", "query.step: multipleOf", "query.step: type", "query.step: required", "query.sort: enum",
		"query.flag: type", "query.since: format", "query.code: pattern", "query.ids: minItems", "query.ids: maxItems",
		"query.ids: uniqueItems", "query.ids[0]: maximum", "query.ids[0]: type", "header.X-Trace: minLength",
		"header.X-Trace: maxLength", "header.X-Trace: required", "cookie.theme: maxLength", "body: required", "body: type",
		"body: required name", "body: required kind", "body: required parts", "body: additionalProperties",
		"body.name: minLength", "body.name: maxLength", "body.name: type", "body.kind: enum", "body.age: minimum",
		"body.age: maximum", "body.age: type", "body.big: format", "body.small: format", "body.weight: exclusiveMaximum",
		"body.weight: multipleOf", "body.mail: format", "body.sku: pattern", "body.note: maxLength", "body.active: type",
		"body.parts: minItems", "body.parts: maxItems", "body.parts: uniqueItems", "body.parts[0].n: minimum",
		"body.parts[0]: required n", "body.parts[0].t: maxLength", "body.labels: minProperties", "body.labels: maxProperties",
		"header.Content-Type: content", "body.topic: minLength", "body.topic: maxLength", "body.stars: minimum",
		"body.stars: maximum", "body.kind: enum", "body: required topic",
	} {
		if broken[want] == 0 {
			t.Errorf("nothing breaks %s", want)
		}
	}
	sent := func(op int, wanted string, in func(*messages.Request) string) {
		t.Helper()
		if !slices.ContainsFunc(requests, func(r *messages.Request) bool {
			return r.Valid && r.Operation == op && strings.Contains(in(r), wanted)
		}) {
			t.Errorf("no valid request has %s", wanted)
		}
	}
	target := func(r *messages.Request) string { return r.Target + "&" }
	body := func(r *messages.Request) string { return string(r.Body) }
	for _, wanted := range []string{
		"limit=1&", "limit=2&", "limit=49&", "limit=50&", "step=0.5&", "sort=name&", "sort=age&", "sort=size&", "flag=true&", "flag=false&",
	} {
		sent(0, wanted, target)
	}
	for _, wanted := range []string{
		`"age":0,`, `"age":1,`, `"age":29,`, `"age":30,`, `"kind":"cat"`, `"kind":"dog"`, `"weight":9.75`, `"big":9223372036854775807`,
		`"big":-9223372036854775808`, `"small":2147483647`, `"note":null`, `"active":true`, `"active":false`,
	} {
		sent(0, wanted, body)
	}
	for _, wanted := range []string{"stars=1", "stars=5", "kind=a", "kind=b"} {
		sent(1, wanted, body)
	}
	sent(0, "application/x-none", func(r *messages.Request) string { return messages.Get(r.Header, "Accept") })
}

func TestEachOptionalPartIsThereAndNotThereAndPairsMeet(t *testing.T) {
	doc := api(t, constrained)
	s := newScript(t, doc, withoutChance)
	seen := map[string]bool{}
	for _, r := range s.covering(0) {
		if !r.Valid {
			continue
		}
		var levels []string
		for _, name := range []string{"limit", "since", "code"} {
			levels = append(levels, fmt.Sprint(name, strings.Contains(r.Target, name+"=")))
		}
		sort := "none"
		for _, v := range []string{"name", "age", "size"} {
			if strings.Contains(r.Target, "sort="+v) {
				sort = v
			}
		}
		levels = append(levels, "sort "+sort, fmt.Sprint("mail", bytes.Contains(r.Body, []byte(`"mail"`))))
		for i, a := range levels {
			for _, b := range levels[i+1:] {
				seen[a+" "+b] = true
			}
		}
	}
	for _, a := range []string{"true", "false"} {
		for _, b := range []string{"true", "false"} {
			for _, pair := range []string{"limit" + a + " since" + b, "limit" + a + " code" + b, "since" + a + " code" + b, "code" + a + " mail" + b} {
				if !seen[pair] {
					t.Errorf("%s never meet", pair)
				}
			}
		}
		for _, v := range []string{"none", "name", "age", "size"} {
			if !seen["limit"+a+" sort "+v] {
				t.Errorf("limit%s and sort %s never meet", a, v)
			}
		}
	}
}

func TestTheRulesAreGoneThroughInTurnAndWithinTheBound(t *testing.T) {
	s := newScript(t, api(t, constrained), func(c *Config) {
		withoutLap(c)
		c.Settings.Schedule.MostCovering = 25
	})
	count := map[int]int{}
	for i := range 50 {
		r := s.next()
		if r.Purpose != messages.Covering || r.Operation != i%2 {
			t.Fatalf("request %d is for %d, of purpose %d", i, r.Operation, r.Purpose)
		}
		count[r.Operation]++
	}
	if r := s.next(); r.Purpose != messages.Nominal {
		t.Errorf("after %v requests comes purpose %d", count, r.Purpose)
	}
}

// accept answers each request of a run as an API does that accepts what fits.
func (s *script) accept(n int, see func(*messages.Request)) {
	s.t.Helper()
	for range n {
		r := s.next()
		see(r)
		status := 200
		if !r.Valid {
			status = 400
		}
		s.answer(r, status, "")
	}
}

// onlyMutation switches every kind of mutation off but one.
func onlyMutation(m *settings.Mutation, kind string) {
	v := reflect.ValueOf(m).Elem()
	for i := range v.NumField() {
		v.Field(i).SetBool(v.Type().Field(i).Tag.Get("yaml") == kind)
	}
	m.Violations = true
}

func TestEachKindOfMutationBreaksOneRule(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	doc := api(t, constrained)
	for _, kind := range mutations.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := newScript(t, doc, func(c *Config) {
				following(testplan.Strategy{Name: testplan.Nominal, Share: 1}, testplan.Strategy{Name: testplan.Mutation, Share: 1})(c)
				onlyMutation(&c.Settings.Mutation, kind)
			})
			mutants := 0
			s.accept(600, func(r *messages.Request) {
				if r.Purpose != messages.Mutating {
					return
				}
				mutants++
				checkClaims(t, doc, r)
				if got := r.Origins[len(r.Origins)-1].Source; got != mutations.Source+kind || r.Breaks == "" {
					t.Errorf("%s breaks %q", got, r.Breaks)
				}
			})
			if mutants < 50 {
				t.Errorf("only %d requests were changed", mutants)
			}
		})
	}
}

func TestSharesAreKept(t *testing.T) {
	s := newScript(t, api(t, constrained), func(c *Config) {
		following(
			testplan.Strategy{Name: testplan.Nominal, Share: 50}, testplan.Strategy{Name: testplan.Mutation, Share: 20},
			testplan.Strategy{Name: testplan.Fuzzing, Share: 30},
		)(c)
	})
	s.accept(200, func(*messages.Request) {}) // something is accepted by then
	count := map[messages.Purpose]float64{}
	const n = 10_000
	s.accept(n, func(r *messages.Request) { count[r.Purpose]++ })
	for purpose, want := range map[messages.Purpose]float64{messages.Nominal: 50, messages.Mutating: 20, messages.Fuzzing: 30} {
		if got := count[purpose] * 100 / n; math.Abs(got-want) > 2 {
			t.Errorf("purpose %d has %.1f %%, want %.0f", purpose, got, want)
		}
	}
}

func TestAStrategyThatHasNothingPassesItsShareOn(t *testing.T) {
	s := newScript(t, api(t, constrained), following(
		testplan.Strategy{Name: testplan.Mutation, Share: 60}, testplan.Strategy{Name: testplan.Fuzzing, Share: 30},
		testplan.Strategy{Name: testplan.Series, Share: 50}, testplan.Strategy{Name: testplan.Nominal, Share: 10},
	))
	count := map[messages.Purpose]int{}
	for range 2000 {
		r := s.next()
		count[r.Purpose]++
		s.answer(r, 400, "") // nothing is accepted
	}
	if count[messages.Mutating] > 0 || count[messages.Fuzzing] < 1400 || count[messages.Nominal] < 400 {
		t.Errorf("got %v", count)
	}
}

func TestFuzzedRequestsThatAreCalledValidAre(t *testing.T) {
	doc := api(t, constrained)
	s := newScript(t, doc, following(testplan.Strategy{Name: testplan.Fuzzing, Share: 1}))
	valid := 0
	for range 3000 {
		r := s.next()
		checkClaims(t, doc, r)
		if r.Valid {
			valid++
		}
	}
	if valid < 600 {
		t.Errorf("only %d of 3000 are valid", valid)
	}
}

// same says whether two requests are the same, message and all.
func same(a, b *messages.Request) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

func TestAReturnedRequestLeavesNothingBehind(t *testing.T) {
	doc, outer := api(t, constrained), t
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		with := func(c *Config) {
			c.Seed, c.Settings.Schedule.OpeningLap, c.Settings.Schedule.MostCovering = seed, false, 20
		}
		straight, disturbed := newScript(outer, doc, with), newScript(outer, doc, with)
		for i := range 150 {
			want := straight.next()
			for range rapid.IntRange(0, 2).Draw(t, "returned") {
				disturbed.g.Handle(messages.Returned{Request: disturbed.next()})
			}
			got := disturbed.next()
			if !same(want, got) {
				t.Fatalf("request %d is %+v, and %+v where others were handed back", i, want, got)
			}
			status := rapid.SampledFrom([]int{200, 200, 400, 404}).Draw(t, "status")
			straight.answer(want, status, "")
			disturbed.answer(got, status, "")
		}
	})
}

func TestTheSameSeedGivesTheSameRequestsOfEveryStrategy(t *testing.T) {
	doc := api(t, constrained)
	run := func(seed uint64) []string {
		s := newScript(t, doc, func(c *Config) { c.Seed = seed; c.Settings.Schedule.MostCovering = 50 })
		var all []string
		s.accept(400, func(r *messages.Request) {
			text, _ := json.Marshal(r)
			all = append(all, string(text))
		})
		return all
	}
	a, b, other := run(7), run(7), run(8)
	if !slices.Equal(a, b) {
		t.Error("the same seed gave other requests")
	}
	if slices.Equal(a, other) {
		t.Error("another seed gave the same requests")
	}
}

func TestAnOperationAtRestLosesNothing(t *testing.T) {
	doc := api(t, constrained)
	with := func(c *Config) { c.Settings.Schedule.OpeningLap, c.Settings.Schedule.MostCovering = false, 30 }
	whole, part := newScript(t, doc, with), newScript(t, doc, with)
	var want, got []*messages.Request
	for len(want) < 60 {
		if r := whole.next(); r.Operation == 0 {
			want = append(want, r)
		}
	}
	for i := 0; len(got) < 60; i++ {
		w := messages.Want{}
		if i%3 != 0 {
			w.Resting = w.Resting.With(0)
		}
		if o := part.want(w); o.Request != nil && o.Request.Operation == 0 {
			got = append(got, o.Request)
		}
	}
	for i := range want {
		w, g := *want[i], *got[i]
		if w.Seq, g.Seq = 0, 0; !same(&w, &g) {
			t.Fatalf("request %d to it is another: %+v, %+v", i, w, g)
		}
	}
}

func TestRepliesToWhatDoesNotFitTeachNothing(t *testing.T) {
	s := newScript(t, api(t, createAndRead), nil)
	r := s.next()
	r.Valid, r.Breaks = false, "query.x: required"
	s.answer(r, 200, `{"id": 4711}`)
	if len(s.g.memory.names) > 0 {
		t.Errorf("it was learned: %v", s.g.memory.names)
	}
}

// numbered is a draft that can be told from others.
func numbered(i int) draft.Draft { return draft.Draft{Content: i} }

func TestTheNewestSixteenAcceptedAreKeptWithinTheirBytes(t *testing.T) {
	r := ring{most: 1000}
	for i := range 40 {
		r.keep(numbered(i), 10)
	}
	if len(r.drafts) != mostKept || r.drafts[0].Content != 24 || r.bytes != 160 {
		t.Errorf("kept %d, from %d, in %d bytes", len(r.drafts), r.drafts[0].Content, r.bytes)
	}
	r.keep(numbered(40), 900)
	if r.bytes > 1000 || r.drafts[len(r.drafts)-1].Content != 40 {
		t.Errorf("%d bytes are kept", r.bytes)
	}
	if r.keep(numbered(41), 2000); r.drafts[len(r.drafts)-1].Content != 40 {
		t.Error("one was kept that is too large")
	}
}

func TestWhatAPlanLeavesAloneIsNotSentForCleanUpEither(t *testing.T) {
	s := newScript(t, api(t, store), func(c *Config) {
		c.Settings.Schedule.OpeningLap = false
		c.Deadline = messages.Instant(time.Second)
		c.Plan = testplan.Default(c.Settings)
		c.Plan.LeftAlone = []string{"DELETE *"}
	})
	for i := range 400 {
		s.clock.move(5 * time.Millisecond)
		o := s.want(messages.Want{})
		if o.Request == nil {
			continue
		}
		if o.Request.Method == "DELETE" {
			t.Fatalf("sent DELETE %s", o.Request.Target)
		}
		s.answer(o.Request, 201, fmt.Sprintf(`{"id": %d}`, i))
	}
}
