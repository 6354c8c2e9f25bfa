package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/restest/restest/stages/reporter"
)

func TestCase18NullInTheSpellingOfEachVersion(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		document string
		replies  map[string]string
		found    string
	}{
		{"document.yaml", map[string]string{`{"a":null}`: "", `{"b":null}`: "", `{"c":null}`: "", `{"d":null}`: "F200"}, "F200 200 /d"},
		{"document-31.yaml", map[string]string{`{"e":null}`: "", `{"f":null}`: "", `{"g":[null,"x"]}`: "", `{"h":null}`: "F200"}, "F200 200 /h"},
	} {
		want := map[string]string{}
		var replies []reply
		for _, content := range slices.Sorted(maps.Keys(row.replies)) {
			replies = append(replies, sayJSON(200, content))
			want["200 "+content] = row.replies[content]
		}
		s := serve(t, always(map[string]func() reply{"GET /n": inTurn(replies...)}))
		o := s.test(t, 4, caseFile(t, "18-nullable-spellings/"+row.document), "--url", s.url)
		wantVerdicts(t, o.verdicts(t, "GET /n"), want)
		o.wantFound(t, "GET /n", row.found)
	}
}

func TestCase19TextHasNoType(t *testing.T) {
	t.Parallel()
	integer := regexp.MustCompile(`^-?[0-9]+$`)
	s := serve(t, func(a *arrival) reply {
		ns, bs := a.pairs(t, "n"), a.pairs(t, "b")
		if len(ns) != 1 || !integer.MatchString(ns[0]) || len(bs) > 0 && bs[0] != "true" && bs[0] != "false" {
			return say(400, "", "")
		}
		return say(200, "", "")
	})
	o := s.test(t, 100, caseFile(t, "19-text-has-no-type/document.yaml"), "--url", s.url)
	if op := o.operation(t, "GET /s/{slug}"); op.Requests < 100 || op.ByClass.C2xx != op.Requests || len(o.report.Findings) > 0 {
		t.Errorf("a strict server told %+v, found %v", op, sums(o.report.Findings))
	}
	sent := map[string]int{}
	for _, a := range s.arrived() {
		if slug := strings.TrimPrefix(a.path(), "/s/"); slug == "" || strings.Contains(slug, "/") {
			t.Errorf("the path is %s", a.target)
		}
		for _, pair := range a.query() {
			name, _, _ := strings.Cut(pair, "=")
			sent[name]++
		}
	}
	for _, name := range []string{"q", "n", "b", "ids"} {
		if sent[name] == 0 {
			t.Errorf("%s was never sent", name)
		}
	}
	for _, e := range o.exchanges {
		if !e.Request.Valid {
			t.Errorf("%s is called invalid", e.Request.Target)
		}
	}
}

func TestCase21WhichEntryApplies(t *testing.T) {
	t.Parallel()
	s := serve(t, always(map[string]func() reply{
		"GET /r": inTurn(
			sayJSON(200, `{"a":1}`), sayJSON(200, `{"b":1}`), sayJSON(206, `{"b":1}`), sayJSON(206, `{"a":1}`),
			sayJSON(404, `{"e":1}`), sayJSON(404, `{"d":1}`), sayJSON(302, `{"d":1}`), sayJSON(500, `{"d":1}`),
		),
		"GET /lower": inTurn(say(404, "", "")),
	}))
	o := s.test(t, 8, caseFile(t, "21-status-ranges/document.yaml"), "--url", s.url)
	wantVerdicts(t, o.verdicts(t, "GET /r"), map[string]string{
		`200 {"a":1}`: "", `200 {"b":1}`: "F200", // the exact code wins over the range
		`206 {"b":1}`: "", `206 {"a":1}`: "F200", // judged by 2XX
		`404 {"e":1}`: "", `404 {"d":1}`: "F200", // judged by 4XX and not by the default
		`302 {"d":1}`: "", `500 {"d":1}`: "F100", // declared through the default
	})
	for _, f := range o.found("GET /r") {
		missing := map[int]string{200: `"a" is missing`, 206: `"b" is missing`, 404: `"e" is missing`}
		if f.Code == "F200" && !strings.Contains(f.Got, missing[f.Status]) {
			t.Errorf("%d: got %s, want %s", f.Status, f.Got, missing[f.Status])
		}
	}
	wantVerdicts(t, o.verdicts(t, "GET /lower"), map[string]string{"404": ""})
	if notes := o.issues("4xx"); len(notes) != 1 || !strings.Contains(notes[0], "4XX") || len(o.report.DocumentIssues) != 1 {
		t.Errorf("the document's problems are %+v", o.report.DocumentIssues)
	}
}

// pet says which branches of case 23 a JSON value fits, and what its kind is.
func pet(v any) (cat, dog bool, kind string) {
	o, _ := v.(map[string]any)
	kind, named := o["kind"].(string)
	lives, isNumber := o["lives"].(float64)
	_, barks := o["bark"].(bool)
	return named && isNumber && lives == float64(int64(lives)), named && barks, kind
}

func TestCase23OneOfTwoAndThePropertyThatSaysWhich(t *testing.T) {
	t.Parallel()
	pets := map[string]string{
		`{"kind":"c","lives":9}`:             "",
		`{"kind":"c","lives":"9"}`:           "F200",
		`{"lives":9}`:                        "F200",
		`{"kind":"c","lives":1,"bark":true}`: "F200",
		`{"kind":"dog","lives":9}`:           "F200",
		`{"kind":"bird","lives":9}`:          "",
	}
	var replies, boxes []reply
	wantPets, wantBoxes := map[string]string{}, map[string]string{} // no body is refused
	for _, content := range slices.Sorted(maps.Keys(pets)) {
		codes := pets[content]
		replies = append(replies, sayJSON(200, content))
		wantPets["200 "+content] = codes
		box := `{"k":` + content + `}`
		boxes = append(boxes, sayJSON(200, box))
		wantBoxes["200 "+box] = codes
	}
	nextPet, nextBox := inTurn(replies...), inTurn(boxes...)
	s := serve(t, func(a *arrival) reply {
		if a.method == "GET" {
			return nextBox()
		}
		var v any
		if json.Unmarshal(a.body, &v) != nil {
			return say(400, "", "")
		}
		cat, dog, kind := pet(v)
		if cat == dog || cat && kind != "c" && kind != "Cat" || dog && kind != "dog" && kind != "Dog" {
			return say(400, "", "")
		}
		return nextPet()
	})
	o := s.test(t, 100, caseFile(t, "23-discriminator-and-oneof/document.yaml"), "--url", s.url)
	wantVerdicts(t, o.verdicts(t, "POST /pets"), wantPets)
	wantVerdicts(t, o.verdicts(t, "GET /box"), wantBoxes)
	kinds := map[string]int{}
	for _, a := range s.arrived("POST /pets") {
		var v any
		if err := json.Unmarshal(a.body, &v); err != nil {
			t.Fatal(err)
		}
		_, _, kind := pet(v)
		kinds[kind]++
	}
	if kinds["c"]+kinds["Cat"] == 0 || kinds["dog"]+kinds["Dog"] == 0 {
		t.Errorf("the kinds sent are %v", kinds)
	}
	led := slices.ContainsFunc(o.found("POST /pets"), func(f reporter.FindingInFull) bool {
		return strings.Contains(f.Got, `"bark" is missing`) && strings.Contains(f.Got, `kind is "dog", so it is judged as Dog`)
	})
	if !led {
		t.Errorf("no finding says that a dog lacks its bark: %+v", o.found("POST /pets"))
	}
}

func TestCase24MediaTypesMatchAsTypesDo(t *testing.T) {
	t.Parallel()
	raw := func(field, body string) reply {
		if field != "" {
			field += "\r\n"
		}
		return reply{bytes: fmt.Sprintf("HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s", field, len(body), body)}
	}
	s := serve(t, always(map[string]func() reply{
		"GET /m": inTurn(
			raw("content-TYPE: Application/JSON; Charset=UTF-8", `{"ok":1}`), raw("content-TYPE: Application/JSON; Charset=UTF-8", `{}`),
			raw("Content-Type: text/csv", "a,b"),
			raw("Content-Type: application/vnd.x+json; v=2", `{"x":1}`), raw("Content-Type: application/vnd.x+json; v=2", `{}`),
			raw("Content-Type: application/problem+json", `{"ok":1}`),
			raw("Content-Type: application/json; charset=klingon", `{}`),
			raw("", `{"ok":1}`),
		),
		"GET /p": inTurn(sayJSON(200, `{}`)),
	}))
	o := s.test(t, 8, caseFile(t, "24-media-type-matching/document.yaml"), "--url", s.url)
	got := o.verdictsBy(t, "GET /m", func(e *reporter.ExchangeTold) string {
		return field(e.Reply.Header, "content-type") + " " + body(t, e.Reply.Body)
	})
	wantVerdicts(t, got, map[string]string{
		`Application/JSON; Charset=UTF-8 {"ok":1}`: "", `Application/JSON; Charset=UTF-8 {}`: "F200",
		`text/csv a,b`:                         "",
		`application/vnd.x+json; v=2 {"x":1}`:  "",
		`application/vnd.x+json; v=2 {}`:       "F200",
		`application/problem+json {"ok":1}`:    "F921",
		`application/json; charset=klingon {}`: "F200",
		` {"ok":1}`:                            "F921",
	})
	for _, missing := range []string{`"ok" is missing`, `"x" is missing`} {
		if !slices.ContainsFunc(o.found("GET /m"), func(f reporter.FindingInFull) bool { return strings.Contains(f.Got, missing) }) {
			t.Errorf("no finding says that %s", missing)
		}
	}
	wantVerdicts(t, o.verdicts(t, "GET /p"), map[string]string{"200 {}": ""})
}

// user says whether a JSON value is a user of case 26 as it may be sent.
func user(v any, friends bool) bool {
	o, ok := v.(map[string]any)
	_, named := o["name"].(string)
	password, _ := o["password"].(string)
	_, hasID := o["id"]
	list, isList := o["friends"].([]any)
	if !ok || !named || password == "" || hasID {
		return false
	}
	if _, given := o["friends"]; friends && given {
		return isList && !slices.ContainsFunc(list, func(friend any) bool { return !user(friend, false) })
	}
	return true
}

func TestCase26RequiredInOneDirection(t *testing.T) {
	t.Parallel()
	next := inTurn(
		sayJSON(201, `{"id":1,"name":"n","friends":[{"id":2,"name":"m"}]}`), sayJSON(201, `{"name":"n"}`),
		sayJSON(201, `{"id":1,"name":"n","friends":[{"name":"m"}]}`), sayJSON(201, `{"id":1,"name":"n","password":"p"}`),
	)
	s := serve(t, func(a *arrival) reply {
		var v any
		if json.Unmarshal(a.body, &v) == nil && user(v, true) {
			return next()
		}
		return say(400, "", "")
	})
	o := s.test(t, 100, caseFile(t, "26-readonly-writeonly/document.yaml"), "--url", s.url)
	wantVerdicts(t, o.verdicts(t, "POST /users"), map[string]string{
		`201 {"id":1,"name":"n","friends":[{"id":2,"name":"m"}]}`: "",
		`201 {"name":"n"}`: "F200",
		`201 {"id":1,"name":"n","friends":[{"name":"m"}]}`: "F200",
		`201 {"id":1,"name":"n","password":"p"}`:           "",
	})
	// It is the same of the same schema, so it is one cause; which of the two is shown is free.
	if found := sums(o.found("POST /users")); len(found) != 1 || !strings.HasPrefix(found[0], "F200 201") {
		t.Errorf("found %q", found)
	}
	befriended := slices.ContainsFunc(s.arrived(), func(a *arrival) bool { return strings.Contains(string(a.body), `"friends":[{`) })
	if !befriended {
		t.Errorf("no user with friends was sent")
	}
}

func TestCase26AServerThatWantsWhatItMakesItself(t *testing.T) {
	t.Parallel()
	s := serve(t, func(a *arrival) reply {
		var v map[string]any
		if json.Unmarshal(a.body, &v) == nil && v["id"] != nil {
			return sayJSON(201, `{"id":1,"name":"n"}`)
		}
		return say(400, "", "")
	})
	o := s.test(t, 20, caseFile(t, "26-readonly-writeonly/document.yaml"), "--url", s.url)
	if got := sums(o.found("POST /users")); !slices.Contains(got, "F207 400") {
		t.Errorf("a server that refuses each valid body shows %v", got)
	}
}
