package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// rightfulDocument is that of an API that does nothing wrong, in ways that series and races are easily misled by.
const rightfulDocument = `
openapi: 3.0.3
info: {title: rightful, version: "1"}
paths:
  /tags:
    get: {operationId: listTags, responses: {"200": {$ref: "#/components/responses/any"}}}
    post:
      operationId: addTag
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/newTag"}}}}
      responses: {"201": {$ref: "#/components/responses/any"}, "400": {$ref: "#/components/responses/any"}, "409": {$ref: "#/components/responses/any"}}
  /tags/{name}:
    parameters: [{name: name, in: path, required: true, schema: {type: string}}]
    get: {operationId: readTag, parameters: [{name: Accept-Language, in: header, schema: {type: string, enum: [en, de]}}], responses: {"200": {$ref: "#/components/responses/any"}, "404": {$ref: "#/components/responses/any"}}}
    put:
      operationId: putTag
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/tag"}}}}
      responses: {"200": {$ref: "#/components/responses/any"}, "201": {$ref: "#/components/responses/any"}, "400": {$ref: "#/components/responses/any"}}
    delete: {operationId: dropTag, responses: {"204": {description: done}}}
  /notes:
    get: {operationId: listNotes, responses: {"200": {$ref: "#/components/responses/any"}}}
    post:
      operationId: addNote
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/newNote"}}}}
      responses: {"201": {$ref: "#/components/responses/any"}, "400": {$ref: "#/components/responses/any"}}
  /notes/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: readNote, responses: {"200": {$ref: "#/components/responses/any"}, "404": {$ref: "#/components/responses/any"}}}
    patch:
      operationId: patchNote
      requestBody: {required: true, content: {application/merge-patch+json: {schema: {$ref: "#/components/schemas/note"}}}}
      responses: {"200": {$ref: "#/components/responses/any"}, "404": {$ref: "#/components/responses/any"}, "422": {$ref: "#/components/responses/any"}}
    put:
      operationId: putNote
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/newNote"}}}}
      responses: {"200": {$ref: "#/components/responses/any"}, "404": {$ref: "#/components/responses/any"}, "422": {$ref: "#/components/responses/any"}}
    delete: {operationId: dropNote, responses: {"200": {$ref: "#/components/responses/any"}, "404": {$ref: "#/components/responses/any"}}}
  /jobs:
    post:
      operationId: startJob
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/newTag"}}}}
      responses: {"202": {$ref: "#/components/responses/any"}, "400": {$ref: "#/components/responses/any"}}
  /jobs/{jobId}:
    parameters: [{name: jobId, in: path, required: true, schema: {type: integer}}]
    get: {operationId: readJob, responses: {"200": {$ref: "#/components/responses/any"}, "404": {$ref: "#/components/responses/any"}}}
    delete: {operationId: stopJob, responses: {"202": {description: to be stopped}, "404": {$ref: "#/components/responses/any"}}}
  /articles:
    post:
      operationId: addArticle
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/article"}}}}
      responses: {"201": {$ref: "#/components/responses/any"}, "400": {$ref: "#/components/responses/any"}}
  /articles/{article}:
    parameters: [{name: article, in: path, required: true, schema: {type: string}}]
    get: {operationId: readArticle, responses: {"200": {$ref: "#/components/responses/any"}, "404": {$ref: "#/components/responses/any"}}}
    delete: {operationId: dropArticle, responses: {"204": {description: done}, "410": {$ref: "#/components/responses/any"}}}
  /settings:
    post:
      operationId: set
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/setting"}}}}
      responses: {"201": {$ref: "#/components/responses/any"}, "400": {$ref: "#/components/responses/any"}}
  /settings/{key}:
    parameters: [{name: key, in: path, required: true, schema: {type: string}}]
    get: {operationId: readSetting, responses: {"200": {$ref: "#/components/responses/any"}}}
    delete: {operationId: unset, responses: {"200": {description: done}}}
  /file:
    get:
      operationId: readFile
      parameters: [{name: Range, in: header, schema: {type: string, enum: ["bytes=0-9", "bytes=5-9"]}}]
      responses: {"200": {$ref: "#/components/responses/whole"}, "206": {$ref: "#/components/responses/whole"}, "416": {description: no such range}}
components:
  responses:
    any: {description: a thing or what is wrong, content: {application/json: {schema: {}}}}
    whole: {description: the file, content: {application/json: {schema: {type: object, required: [a, b]}}}}
  schemas:
    tag: {type: object, additionalProperties: false, properties: {note: {type: string}}}
    newTag:
      type: object
      additionalProperties: false
      required: [name]
      properties: {name: {type: string, enum: [red, green, blue, grey]}, note: {type: string}}
    note: &note
      type: object
      additionalProperties: false
      properties: &properties
        title: {type: string, minLength: 1, maxLength: 40}
        price: {type: number, minimum: 0, maximum: 1000}
        tags: {type: array, maxItems: 4, items: {type: string}}
        due: {type: string, format: date-time}
        secret: {type: string, writeOnly: true}
    newNote: {type: object, additionalProperties: false, required: [title], properties: *properties}
    article: {type: object, additionalProperties: false, required: [title], properties: {title: {type: string, minLength: 3, maxLength: 60}}}
    setting:
      type: object
      additionalProperties: false
      required: [key, values]
      properties: {key: {type: string, minLength: 1, maxLength: 20}, values: {type: array, maxItems: 4, items: {type: string}}}
`

type thing map[string]any

// rightful is the API. What it refuses is what the document's own judge says does not fit.
type rightful struct {
	fits  func(schema string, v any) bool
	mux   *http.ServeMux
	now   time.Duration
	last  int
	tags  map[string]thing
	notes map[string]thing
	jobs  map[string]time.Duration
	slugs map[string]thing
	set   map[string][]any
}

func newRightful(doc *document.Document) *rightful {
	schemas := map[string]*document.Schema{}
	for _, op := range doc.Operations {
		if op.Body != nil {
			schemas[op.ID] = op.Body.Media[0].Schema
		}
	}
	judge := document.NewJudge(doc)
	a := &rightful{
		mux: http.NewServeMux(), tags: map[string]thing{}, notes: map[string]thing{}, jobs: map[string]time.Duration{},
		slugs: map[string]thing{}, set: map[string][]any{},
		fits: func(operation string, v any) bool {
			faults, err := judge.Judge(schemas[operation], document.InRequest, v)
			return err == nil && len(faults) == 0
		},
	}
	// A name is free again once its thing is gone, means the same in any case, and a PUT makes what is not there.
	a.on("GET /tags", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		list := []thing{}
		for _, t := range a.tags {
			list = append(list, t)
		}
		say(w, 200, list) // in no order
	})
	a.on("POST /tags", "addTag", func(w http.ResponseWriter, _ *http.Request, sent thing) {
		name := sent["name"].(string)
		if a.tags[name] != nil {
			say(w, 409, thing{"error": "it is there"})
			return
		}
		sent["uses"] = 0
		a.tags[name] = sent
		say(w, 201, sent)
	})
	a.on("GET /tags/{name}", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		t := a.tags[strings.ToLower(r.PathValue("name"))]
		if t == nil {
			say(w, 404, thing{"error": "there is none"})
			return
		}
		t["uses"] = t["uses"].(int) + 1
		shown := maps.Clone(t)
		shown["kind"] = map[bool]string{true: "Etikett", false: "tag"}[r.Header.Get("Accept-Language") == "de"]
		say(w, 200, shown)
	})
	a.on("PUT /tags/{name}", "putTag", func(w http.ResponseWriter, r *http.Request, sent thing) {
		name, status := strings.ToLower(r.PathValue("name")), 200
		if !slices.Contains([]string{"red", "green", "blue", "grey"}, name) {
			say(w, 400, thing{"error": "no such name"})
			return
		}
		if a.tags[name] == nil {
			status = 201
		}
		sent["name"], sent["uses"] = name, 0
		a.tags[name] = sent
		say(w, status, sent)
	})
	a.on("DELETE /tags/{name}", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		delete(a.tags, strings.ToLower(r.PathValue("name")))
		say(w, 204, nil) // whether it was there or not
	})
	// A note is kept in another form than it was sent, has a state that moves, is read in more detail, and stays, marked, when it is deleted.
	a.on("GET /notes", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		list := []thing{}
		for id := a.last; id > 0 && len(list) < 5; id-- {
			if n := a.notes[fmt.Sprint(id)]; n != nil && n["deletedAt"] == nil {
				list = append(list, n)
			}
		}
		say(w, 200, thing{"items": list, "next": nil})
	})
	a.on("POST /notes", "addNote", func(w http.ResponseWriter, _ *http.Request, sent thing) {
		a.last++
		n := thing{"id": a.last, "status": "new", "deletedAt": nil, "owner": 1}
		keep(n, sent)
		a.notes[fmt.Sprint(a.last)] = n
		w.Header().Set("Location", fmt.Sprint("/notes/", a.last))
		say(w, 201, n)
	})
	of := func(w http.ResponseWriter, r *http.Request, deleted bool) thing {
		n := a.notes[r.PathValue("id")]
		if n == nil || n["deletedAt"] != nil && !deleted {
			say(w, 404, thing{"error": "there is none"})
			return nil
		}
		return n
	}
	a.on("GET /notes/{id}", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		if n := of(w, r, true); n != nil {
			shown := maps.Clone(n)
			shown["owner"] = thing{"id": 1, "name": "Ann"} // in more detail than elsewhere
			if say(w, 200, shown); n["status"] == "new" {
				n["status"] = "open"
			}
		}
	})
	a.on("PATCH /notes/{id}", "patchNote", func(w http.ResponseWriter, r *http.Request, sent thing) {
		if n := of(w, r, false); n != nil {
			keep(n, sent)
			say(w, 200, n)
		}
	})
	a.on("PUT /notes/{id}", "putNote", func(w http.ResponseWriter, r *http.Request, sent thing) {
		if n := of(w, r, false); n != nil {
			for _, name := range []string{"price", "tags", "due"} {
				delete(n, name)
			}
			keep(n, sent)
			say(w, 200, n)
		}
	})
	a.on("DELETE /notes/{id}", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		if n := of(w, r, true); n != nil {
			n["deletedAt"] = 1767225600 + int(a.now/time.Second)
			say(w, 200, thing{"ok": true})
		}
	})
	// A job is taken, and is there a little later; it goes on by itself, and stops a little after it was told to.
	a.on("POST /jobs", "startJob", func(w http.ResponseWriter, _ *http.Request, _ thing) {
		a.last++
		a.jobs[fmt.Sprint(a.last)] = a.now
		say(w, 202, thing{"jobId": a.last})
	})
	a.on("GET /jobs/{jobId}", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		began, there := a.jobs[r.PathValue("jobId")]
		if age := a.now - began; there && age > 15*time.Millisecond {
			say(w, 200, thing{"jobId": json.Number(r.PathValue("jobId")), "progress": int(age / time.Millisecond), "log": fmt.Sprint("https://logs.example/7?sig=", age)})
			return
		}
		say(w, 404, thing{"error": "there is none"})
	})
	a.on("DELETE /jobs/{jobId}", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		if _, there := a.jobs[r.PathValue("jobId")]; !there {
			say(w, 404, thing{"error": "there is none"})
			return
		}
		say(w, 202, nil)
	})
	// An article has an id and a slug, and the path wants the slug.
	a.on("POST /articles", "addArticle", func(w http.ResponseWriter, _ *http.Request, sent thing) {
		a.last++
		slug := strings.Map(func(c rune) rune {
			if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
				return c
			}
			return '-'
		}, strings.ToLower(sent["title"].(string)))
		for a.slugs[slug] != nil {
			slug += "-2"
		}
		a.slugs[slug] = thing{"id": fmt.Sprint("art_", a.last), "slug": slug, "title": sent["title"]}
		say(w, 201, a.slugs[slug])
	})
	a.on("GET /articles/{article}", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		if t := a.slugs[r.PathValue("article")]; t != nil {
			say(w, 200, t)
			return
		}
		say(w, 404, thing{"error": "there is none"})
	})
	a.on("DELETE /articles/{article}", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		if a.slugs[r.PathValue("article")] == nil {
			say(w, 410, thing{"error": "there is none"})
			return
		}
		delete(a.slugs, r.PathValue("article"))
		say(w, 204, nil)
	})
	// A setting is there before it is set, and after.
	a.on("POST /settings", "set", func(w http.ResponseWriter, _ *http.Request, sent thing) {
		a.set[sent["key"].(string)], _ = sent["values"].([]any)
		sent["type"] = "Setting"
		say(w, 201, sent)
	})
	a.on("GET /settings/{key}", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		say(w, 200, thing{"key": r.PathValue("key"), "values": append([]any{}, a.set[r.PathValue("key")]...), "type": "Setting"})
	})
	a.on("DELETE /settings/{key}", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		delete(a.set, r.PathValue("key"))
		say(w, 200, nil)
	})
	// A part of a file is no whole JSON text, and a range that is none is ignored.
	a.on("GET /file", "", func(w http.ResponseWriter, r *http.Request, _ thing) {
		w.Header().Set("Content-Type", "application/json")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(`{"a":[1,2,3],"b":"a file"}`))
	})
	return a
}

// on has the API answer what fits the operation's schema; "" for what has no content.
func (a *rightful) on(pattern, operation string, answer func(w http.ResponseWriter, r *http.Request, sent thing)) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		var sent map[string]any
		if operation != "" {
			d := json.NewDecoder(r.Body)
			d.UseNumber()
			err := d.Decode(&sent)
			if err != nil || d.InputOffset() != r.ContentLength || !strings.Contains(r.Header.Get("Content-Type"), "json") || sent == nil || !a.fits(operation, sent) {
				status := 400
				if strings.Contains(pattern, "/notes/{") {
					status = 422
				}
				say(w, status, thing{"error": "that does not fit"})
				return
			}
		}
		answer(w, r, sent)
	})
}

// keep takes what was sent into the note: trimmed and cut, in small letters and once, rounded, in another zone, or not shown.
func keep(n, sent thing) {
	for name, v := range sent {
		switch v := v.(type) {
		case nil:
			delete(n, name)
		case string:
			if at, err := time.Parse(time.RFC3339, strings.ToUpper(v)); name == "due" && err == nil {
				v = at.In(time.FixedZone("", 3600)).Format(time.RFC3339)
			} else if v = strings.TrimSpace(v); len(v) > 20 {
				for v = v[:20]; !utf8.ValidString(v); {
					v = v[:len(v)-1]
				}
			}
			if n[name] = v; name == "secret" {
				delete(n, name)
			}
		case json.Number:
			f, _ := v.Float64() // it fits
			n[name] = math.Round(f*100) / 100
		case []any:
			var once []string
			for _, item := range v {
				if text := strings.ToLower(item.(string)); !slices.Contains(once, text) {
					once = append(once, text)
				}
			}
			slices.Reverse(once)
			n[name] = once
		}
	}
}

func say(w http.ResponseWriter, status int, v any) {
	if v == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // to a recorder, which takes it
}

// Answer is that of the API on paper, which takes a while to come.
func (a *rightful) Answer(now time.Duration, r demo.Request) demo.Reply {
	a.now = now
	request, err := http.NewRequestWithContext(context.Background(), r.Method, "http://rightful"+r.Target, bytes.NewReader(r.Body))
	if err != nil {
		return demo.Reply{Status: 400}
	}
	for _, f := range r.Header {
		request.Header.Add(f.Name, f.Value)
	}
	w := httptest.NewRecorder()
	a.mux.ServeHTTP(w, request)
	reply := demo.Reply{After: time.Duration(5+len(r.Target)%20) * time.Millisecond, Status: w.Code, Body: w.Body.Bytes()}
	for name, values := range w.Header() {
		for _, value := range values {
			if name != "Content-Length" {
				reply.Header = append(reply.Header, messages.Field{Name: name, Value: value})
			}
		}
	}
	slices.SortFunc(reply.Header, func(x, y messages.Field) int { return strings.Compare(x.Name, y.Name) })
	return reply
}

func TestAnAPIThatDoesNothingWrongDrawsNoFinding(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	doc, err := document.Load(t.Context(), "openapi.yaml", document.Options{
		URL:  "http://127.0.0.1:1",
		Read: func(context.Context, string) ([]byte, error) { return []byte(rightfulDocument), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(3) {
		s := settings.Default()
		s.Series.Share, s.Engine.InitialConcurrency = 0.5, 16
		c := clock.NewFake(time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC))
		out, budget := files{}, 8*time.Second
		run := stages.Run{
			Document: doc, Settings: s, Seed: seed, Deadline: clock.Instant(budget), LastWrite: -1,
			Report: reporter.Config{Tool: reporter.Tool{Name: "restest", Version: "paper"}, Source: "openapi.yaml", Budget: budget, Out: out, Quiet: true},
			Transport: func(tell func(messages.ToSender), _ func(error)) sender.Transport {
				return sim.NewTransport(newRightful(doc), s.Engine, c, tell)
			},
		}
		run.OnPaper(c, stages.Order{})
		report := reportOf(t, out)
		for _, f := range report.Findings {
			t.Errorf("seed %d: %s %s %s (%s): %s; %s %s; %s", seed, f.Level, f.Operation, f.Code, f.Recheck.State, f.Title, f.Request.Method, f.Request.Target, f.Got)
		}
		for _, op := range report.Operations {
			if op.ByClass.C2xx == 0 {
				t.Errorf("seed %d: %s was never done", seed, op.ID)
			}
		}
	}
}
