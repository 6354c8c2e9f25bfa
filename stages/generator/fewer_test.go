package generator

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestOfManyOptionalPartsSomeRequestsHaveFew(t *testing.T) {
	var properties, parameters []string
	for i := range 20 {
		properties = append(properties, fmt.Sprintf("p%d: {type: boolean}", i))
		parameters = append(parameters, fmt.Sprintf("{name: q%d, in: query, schema: {type: boolean}}", i))
	}
	s := newScript(t, api(t, `
  /things:
    post:
      parameters: [`+strings.Join(parameters, ", ")+`]
      requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {`+strings.Join(properties, ", ")+`}}}}}
      `+ok+`
`), withoutLap)
	few, many, short, long := 0, 0, 0, 0
	for range 300 {
		r := s.of("POST /things")
		var body map[string]any
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		switch n := len(body); {
		case n <= 5:
			few++
		case n >= 8:
			many++
		}
		switch n := strings.Count(r.Target, "="); {
		case n <= 2:
			short++
		case n >= 5:
			long++
		}
	}
	if few < 50 || many < 100 {
		t.Errorf("of 300 bodies %d have few properties and %d many", few, many)
	}
	if short < 50 || long < 100 {
		t.Errorf("of 300 queries %d have few parameters and %d many", short, long)
	}
}

// keysMade is a script of an API that makes keys, with these properties, and of a run that learns.
func keysMade(t *testing.T, properties string) *script {
	return newScript(t, api(t, `
  /keys:
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [kind]
              properties:
`+properties+`      `+ok+`
`), func(c *Config) { withoutLap(c); c.Settings.Schedule.Learn = true })
}

func TestAnOperationNeverAnswered2xxIsSentWhatTheDocumentShows(t *testing.T) {
	s := keysMade(t, `
                kind: {type: string, example: RSA}
                n: {type: string, example: vTqrxUyQ}
                uses: {type: array, items: {type: string, example: sig}}
                size: {type: integer, default: 2048}
                note: {type: string}
                owner: {type: string}
`)
	shown, least := false, false
	for range 30 {
		r := s.of("POST /keys")
		var body map[string]any
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		switch string(r.Body) {
		case `{"kind":"RSA","n":"vTqrxUyQ","size":2048,"uses":["sig"]}`:
			shown = true
		case `{"kind":"RSA"}`:
			least = true
		}
		s.answer(r, 400, "")
	}
	if !shown || !least {
		t.Errorf("what the examples make up was sent: %t; the least: %t", shown, least)
	}
}

func TestOfWhatTheDocumentShowsSomeIsLeftOutNowAndThen(t *testing.T) {
	s := keysMade(t, `
                kind: {type: string, example: RSA}
                p: {type: string, example: p1}
                q: {type: string, example: q1}
                r: {type: string, example: r1}
`)
	sent := map[string]bool{}
	for n := range 120 {
		r := s.of("POST /keys")
		if (n+1)%6 == 0 {
			sent[string(r.Body)] = true
		}
		s.answer(r, 400, "")
	}
	for _, want := range []string{
		`{"kind":"RSA","p":"p1","q":"q1","r":"r1"}`, `{"kind":"RSA","q":"q1","r":"r1"}`, `{"kind":"RSA","p":"p1","r":"r1"}`, `{"kind":"RSA","p":"p1","q":"q1"}`,
	} {
		if !sent[want] {
			t.Errorf("%s was not sent, but %v", want, slices.Sorted(maps.Keys(sent)))
		}
	}
}

func TestAThingIsKnownByAnIDOfItsNoun(t *testing.T) {
	s := newScript(t, api(t, `
  /clients:
    get: {`+ok+`}
  /clients/{id}:
    get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], `+ok+`}
  /tables/{name}/rows:
    get: {parameters: [{name: name, in: path, required: true, schema: {type: string}}], `+ok+`}
  /tables/{name}/rows/{pks}:
    get:
      parameters:
      - {name: name, in: path, required: true, schema: {type: string}}
      - {name: pks, in: path, required: true, schema: {type: string}}
      `+ok+`
`), withoutLap)
	s.answer(s.of("GET /clients"), 200, `[{"client_id": "c-1", "owner_id": "o-1"}]`)
	if got := s.known("/clients", "id"); got != "[[c-1]]" {
		t.Errorf("clients: %s", got)
	}
	r := s.of("GET /tables/{name}/rows")
	r.Target = "/tables/artists/rows"
	s.answer(r, 200, `{"data": [{"ArtistId": 7, "Name": "a"}]}`)
	r.Target = "/tables/albums/rows"
	s.answer(r, 200, `{"data": [{"AlbumId": 3, "ArtistId": 7}]}`) // which of them is its own is not known
	if got := s.known("/tables/{}/rows", "pks"); got != "[[artists 7]]" {
		t.Errorf("rows: %s", got)
	}
}

func TestAListInTheReplyToAReadOfOneThingIsOfItsParts(t *testing.T) {
	s := newScript(t, api(t, `
  /tables/{name}:
    get: {parameters: [{name: name, in: path, required: true, schema: {type: string}}], `+ok+`}
`), withoutLap)
	r := s.of("GET /tables/{name}")
	r.Target = "/tables/artists"
	s.answer(r, 200, `{"data": [{"name": "ArtistId"}, {"name": "Title"}]}`)
	if got := s.known("/tables", "name"); got != "[[artists]]" {
		t.Errorf("of the columns: %s", got)
	}
	s.answer(r, 200, `{"data": [{"name": "artists"}, {"name": "albums"}]}`)
	if got := s.known("/tables", "name"); got != "[[artists] [albums]]" {
		t.Errorf("of a list with the thing itself: %s", got)
	}
}

func TestAThingIsKnownByItsNameWhereItsNumberDoesNotFit(t *testing.T) {
	s := newScript(t, api(t, `
  /orgs:
    get: {`+ok+`}
  /orgs/{org}:
    get: {parameters: [{name: org, in: path, required: true, schema: {type: string}}], `+ok+`}
  /labels:
    get: {`+ok+`}
  /labels/{label}:
    get: {parameters: [{name: label, in: path, required: true, schema: {type: integer}}], `+ok+`}
`), withoutLap)
	s.answer(s.of("GET /orgs"), 200, `[{"id": 5, "name": "acme"}, {"id": "o-6", "name": "other"}]`)
	if got := s.known("/orgs", "org"); got != "[[acme] [o-6]]" {
		t.Errorf("orgs: %s", got)
	}
	s.answer(s.of("GET /labels"), 200, `[{"id": 5, "name": "acme"}]`)
	if got := s.known("/labels", "label"); got != "[[5]]" {
		t.Errorf("labels: %s", got)
	}
}

func TestAThingIsFoundWhereItSaysItIs(t *testing.T) {
	s := newScript(t, api(t, `
  /user/repos:
    post: {`+ok+`}
  /repos/{owner}/{repo}:
    get:
      parameters:
      - {name: owner, in: path, required: true, schema: {type: string}}
      - {name: repo, in: path, required: true, schema: {type: string}}
      `+ok+`
`), withoutLap)
	s.answer(s.of("POST /user/repos"), 201, `{"id": 1, "url": "http://127.0.0.1:8080/repos/ann/first", "html_url": "http://127.0.0.1:8080/ann/first"}`)
	if got := s.known("/repos/{}", "repo"); got != "[[ann first]]" {
		t.Errorf("repositories: %s", got)
	}
	led := 0
	for range 100 {
		if s.of("GET /repos/{owner}/{repo}").Target == "/repos/ann/first" {
			led++
		}
	}
	if led < 60 {
		t.Errorf("%d of 100 reads led to it", led)
	}
}

func TestADeleteSparesWhatTheRunHasNotMade(t *testing.T) {
	const things = `
  /things:
    get: {` + ok + `}
    post: {` + ok + `}
  /things/{id}:
    delete: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], ` + ok + `}
`
	there := []string{"/things/there-1", "/things/there-2", "/things/there-3"}
	s := newScript(t, api(t, things), withoutLap)
	s.answer(s.of("GET /things"), 200, `[{"id": "there-1"}]`)
	for range 200 {
		if r := s.of("DELETE /things/{id}"); slices.Contains(there, r.Target) {
			t.Fatalf("the last that was there was to be deleted: %s", r.Target)
		}
	}
	s.answer(s.of("GET /things"), 200, `[{"id": "there-1"}, {"id": "there-2"}, {"id": "there-3"}]`)
	lead := func(of []string) (n int) {
		for range 400 {
			if slices.Contains(of, s.of("DELETE /things/{id}").Target) {
				n++
			}
		}
		return n
	}
	if n := lead(there); n < 10 || n > 90 {
		t.Errorf("%d of 400 led to what was there before", n)
	}
	s.answer(s.of("DELETE /things/{id}"), 204, "")
	if n := lead(there); n > 0 {
		t.Errorf("%d of 400 led to what was there before though one was deleted", n)
	}
	s.answer(s.of("POST /things"), 201, `{"id": "made-1"}`)
	if n := lead(there); n > 0 {
		t.Errorf("%d of 400 led to what was there before though the run has made one", n)
	}
	if n := lead([]string{"/things/made-1"}); n < 200 {
		t.Errorf("%d of 400 led to what the run has made", n)
	}
}

func TestADeleteLeadsToWhatIsThereWhereNothingMakesOthers(t *testing.T) {
	s := newScript(t, api(t, `
  /messages:
    get: {`+ok+`}
  /messages/{id}:
    delete: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], `+ok+`}
`), withoutLap)
	s.answer(s.of("GET /messages"), 200, `[{"id": "there-1"}]`)
	n := 0
	for range 200 {
		if s.of("DELETE /messages/{id}").Target == "/messages/there-1" {
			n++
		}
	}
	if n < 100 {
		t.Errorf("%d of 200 led to the message", n)
	}
}
