package generator

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
)

// zones is an API that says nothing in its document of what it asks for.
const zones = `
  /zones:
    post:
      parameters: [{name: view, in: query, schema: {type: string}}]
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                name: {type: string}
                kind: {type: string}
                ttl: {type: integer}
                masters: {type: array, items: {type: string}}
                comment: {type: string}
      ` + ok + `
`

var zoneName = regexp.MustCompile(`^([a-z0-9-]+\.)+$`)

// judgeZone answers as an API does that complains of one thing at a time.
func judgeZone(r *messages.Request) (status int, body string) {
	complain := func(format string, args ...any) (int, string) {
		text, _ := json.Marshal(map[string]string{"error": fmt.Sprintf(format, args...)})
		return 422, string(text)
	}
	var z map[string]any
	if json.Unmarshal(r.Body, &z) != nil {
		return complain("Required request body is missing")
	}
	name, ok := z["name"].(string)
	kind, _ := z["kind"].(string)
	ttl, hasTTL := z["ttl"].(float64)
	_, query, _ := strings.Cut(r.Target, "?")
	view, _ := url.ParseQuery(query)
	switch {
	case !ok:
		return complain("Key 'name' not present or not a String")
	case !zoneName.MatchString(name):
		return complain("DNS Name '%s' is not canonical", name)
	case !slices.Contains([]string{"Native", "Master"}, kind):
		return complain("kind must be one of the following: Native, Master")
	case z["comment"] != nil:
		return complain("unknown field \"comment\"")
	case hasTTL && ttl < 3600:
		return complain("ttl must be at least 3600")
	case view.Get("view") != "":
		return complain("view and name are mutually exclusive")
	}
	return 201, `{"id": "z"}`
}

// accepted is how many of the requests an API of one operation answers 2xx.
func accepted(s *script, requests int, judge func(*messages.Request) (int, string)) (all, last int) {
	for i := range requests {
		r := s.next()
		status, body := judge(r)
		s.answer(r, status, body)
		if status < 300 {
			all++
			if i >= requests/2 {
				last++
			}
		}
	}
	return all, last
}

func TestAnAPIThatTellsWhatItWantsGetsIt(t *testing.T) {
	s := newScript(t, api(t, zones), ordinary)
	all, last := accepted(s, 200, judgeZone)
	if last < 40 {
		t.Errorf("%d of 200 were accepted, %d of the last hundred", all, last)
	}
	without := newScript(t, api(t, zones), func(c *Config) { ordinary(c); c.Settings.Generation.HintChance = 0 })
	if all, _ := accepted(without, 200, judgeZone); all > 0 {
		t.Errorf("without hints %d were accepted, so the API asks for nothing", all)
	}
}

func TestARequestTellsWhichHintsItFollows(t *testing.T) {
	s := newScript(t, api(t, zones), ordinary)
	accepted(s, 100, judgeZone)
	told := map[string]bool{}
	for range 20 {
		for _, h := range s.next().Hints {
			told[h.Place+" "+h.Wants] = true
		}
	}
	for _, want := range []string{
		"body.name is sent", "body.name is a domain name that ends with a dot", "body.kind is one of Native, Master",
		"body.comment is left out", "body.ttl is at least 3600", "query.view is left out",
	} {
		if !told[want] {
			t.Errorf("%q is not told; %v are", want, told)
		}
	}
}

func TestAShareOfTheRequestsFollowsNoHints(t *testing.T) {
	s := newScript(t, api(t, zones), ordinary)
	accepted(s, 200, judgeZone)
	follow := 0
	for range 500 {
		if len(s.next().Hints) > 0 {
			follow++
		}
	}
	if follow < 310 || follow > 390 {
		t.Errorf("%d of 500 requests follow hints; the chance is 0.7", follow)
	}
}

// One operation with one text, of which the API says something that does not help.
const oneText = `
  /x:
    get:
      parameters: [{name: a, in: query, required: true, schema: {type: string, enum: [p, q]}}, {name: b, in: query, schema: {type: string}}]
      ` + ok + `
`

func TestAHintThatDoesNotHelpIsDropped(t *testing.T) {
	s := newScript(t, api(t, oneText), withoutLap)
	for range 400 {
		s.answer(s.next(), 400, `{"error": "b must be one of x, y"}`)
	}
	for range 50 {
		if r := s.next(); len(r.Hints) > 0 {
			t.Fatalf("%s still follows %v", r.Target, *r.Hints[0])
		}
	}
}

func TestAHintThatHarmsIsDropped(t *testing.T) {
	s := newScript(t, api(t, oneText), withoutLap)
	s.answer(s.next(), 400, `{"error": "b must be one of x, y"}`)
	for range 400 {
		r := s.next()
		if len(r.Hints) > 0 {
			s.answer(r, 400, `{"error": "Bad Request"}`)
		} else {
			s.answer(r, 200, "")
		}
	}
	for range 50 {
		if r := s.next(); len(r.Hints) > 0 {
			t.Fatalf("%s still follows %v", r.Target, *r.Hints[0])
		}
	}
}

func TestWhatTheDocumentRulesOutIsNotFollowed(t *testing.T) {
	doc := api(t, `
  /x:
    post:
      parameters: [{name: limit, in: query, required: true, schema: {type: integer, maximum: 10}}]
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              additionalProperties: false
              required: [state]
              properties: {state: {type: string, enum: [on, off]}, size: {type: string, maxLength: 4}}
      `+ok+`
`)
	s := newScript(t, doc, withoutLap)
	for _, complaint := range []string{
		`limit must be at least 50`, `state must be one of open, closed`, `unknown field \"state\"`, `size must be at least 8 characters long`,
		`missing parameter 'colour'`, `limit must not be specified`,
	} {
		s.answer(s.next(), 400, `{"error": "`+complaint+`"}`)
	}
	shape := s.g.plans[0].body.contents[0].field.Shape
	for range 200 {
		r := s.next()
		var v any
		d := json.NewDecoder(strings.NewReader(string(r.Body)))
		d.UseNumber()
		if d.Decode(&v) != nil || !shape.Fits(v) || !strings.HasPrefix(r.Target, "/x?limit=") || !r.Valid {
			t.Fatalf("%s %s does not fit", r.Target, r.Body)
		}
		if len(r.Hints) > 0 {
			t.Fatalf("%v is followed against the document", *r.Hints[0])
		}
	}
}

func TestAPropertyThatTheDocumentDoesNotDeclareIsAddedWhereItAllowsMore(t *testing.T) {
	doc := api(t, `
  /x:
    post:
      requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}
      `+ok+`
`)
	s := newScript(t, doc, ordinary)
	all, _ := accepted(s, 60, func(r *messages.Request) (int, string) {
		if strings.Contains(string(r.Body), `"colour"`) {
			return 200, ""
		}
		return 400, `{"errors": [{"field": "colour", "message": "is required"}]}`
	})
	if all < 30 {
		t.Errorf("%d of 60 were accepted", all)
	}
}

func TestTheSameRepliesTeachTheSame(t *testing.T) {
	targets := func() string {
		s := newScript(t, api(t, zones), ordinary)
		var b strings.Builder
		for range 120 {
			r := s.next()
			status, body := judgeZone(r)
			s.answer(r, status, body)
			fmt.Fprintln(&b, r.Target, string(r.Body), r.Origins, len(r.Hints))
		}
		return b.String()
	}
	if first := targets(); targets() != first {
		t.Error("two runs differ")
	}
}

func TestWhatAnAPISendsTeachesNoMoreThanIsKept(outer *testing.T) {
	doc := api(outer, zones)
	rapid.Check(outer, func(t *rapid.T) {
		s := newScript(outer, doc, ordinary)
		words := []string{"name", "kind", "ttl", "masters", "view", "comment"}
		for i := range rapid.IntRange(1, 150).Draw(t, "replies") {
			field := rapid.SampledFrom(words).Draw(t, "field")
			message := rapid.SampledFrom([]string{
				"must be one of a%d, b", "must be at least %d", "is required", "is not allowed here", "must match ^[a-z]{%d}$", "must be at least %d characters long",
				"must be a valid email address (%d)", "already exists", "must be an integer", "must match ^(a|b|ab)*%d$",
			}).Draw(t, "message")
			if strings.Contains(message, "%d") {
				message = fmt.Sprintf(message, i)
			}
			body, _ := json.Marshal(map[string]any{"errors": map[string]any{field: []string{message}}})
			r := s.next()
			if !r.Valid {
				t.Fatal("not valid")
			}
			s.answer(r, 422, string(body))
		}
		c := s.g.lessons.operations[0]
		if c != nil && (len(c.learned) > mostLessons || len(c.dropped) > mostDropped || len(c.leans) > 4*mostLessons || len(c.of) != len(c.leans)) {
			t.Fatalf("%d lessons, %d dropped, %d leans of %d", len(c.learned), len(c.dropped), len(c.leans), len(c.of))
		}
		if s.g.lessons.patterns > mostPatterns {
			t.Fatalf("%d patterns", s.g.lessons.patterns)
		}
	})
}

func TestRefusalsOfRequestsThatAreBrokenOnPurposeTeachNothing(t *testing.T) {
	s := newScript(t, api(t, zones), ordinary)
	r := s.next()
	broken := *r
	broken.Valid, broken.Breaks = false, "body.name: type"
	s.answer(&broken, 422, `{"error": "name must be one of a, b"}`)
	if len(s.g.lessons.operations) > 0 {
		t.Error("a lesson was learned")
	}
}

// TestAnObjectThatTheDocumentDoesNotDescribeIsLikeOneThatIsThere: "An object of whose members the document says nothing is like
// one that was read at the address."
func TestAnObjectThatTheDocumentDoesNotDescribeIsLikeOneThatIsThere(t *testing.T) {
	for _, c := range []struct {
		name, property string
		valid          bool
	}{
		{"not declared", `{a: {type: string}}`, true},
		{"declared as a list", `{fields: {type: array, items: {type: string}}}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript(t, api(t, `
  /tables/{name}/rows:
    parameters: [{name: name, in: path, required: true, schema: {type: string, enum: [artists]}}]
    get: {`+ok+`}
    post:
      requestBody: {required: true, content: {application/json: {schema: {type: object, properties: `+c.property+`}}}}
      `+ok+`
  /tables/{name}/rows/{id}:
    parameters: [{name: name, in: path, required: true, schema: {type: string}}, {name: id, in: path, required: true, schema: {type: string}}]
    get: {`+ok+`}
`), ordinary)
			accepted := 0
			for range 200 {
				r := s.next()
				var sent struct{ Fields map[string]any }
				switch {
				case r.Method == "GET":
					s.answer(r, 200, `{"data": [{"ArtistId": 4, "Name": "Ella", "Born": 1917}]}`)
				case json.Unmarshal(r.Body, &sent) == nil && sent.Fields["Name"] == "Ella" && sent.Fields["ArtistId"] == nil:
					accepted++
					if r.Valid != c.valid {
						t.Fatalf("%s is called valid: %v", r.Body, r.Valid)
					}
					s.answer(r, 201, `{}`)
				default:
					s.answer(r, 400, `{"message": "\"body.fields\" must be of type object", "error": [{"message": "\"body.fields\" must be of type object", "path": ["body", "fields"], "type": "object.base"}]}`)
				}
			}
			if accepted < 5 {
				t.Errorf("%d requests were accepted", accepted)
			}
		})
	}
}
