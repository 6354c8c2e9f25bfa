package generator

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// realDocuments are the real documents kept beside the project, by their place; those that cannot be read are left out.
func realDocuments(t *testing.T) map[string]*document.Document {
	t.Helper()
	root := shared(t, "openapi")
	var places []string
	for _, pattern := range []string{"corpus/*.*", "corpus/digitalocean/DigitalOcean-public.v2.yaml", "wfd/*.*", "wfd/*/*.*"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, found...)
	}
	docs := map[string]*document.Document{}
	for _, place := range places {
		switch filepath.Ext(place) {
		case ".json", ".yaml", ".yml":
		default:
			continue
		}
		doc, err := document.Load(context.Background(), place, document.Options{URL: "http://127.0.0.1:8080"})
		if err == nil && len(doc.Operations) > 0 {
			docs[place] = doc
		}
	}
	if len(docs) < 100 {
		t.Fatalf("only %d real documents could be read", len(docs))
	}
	return docs
}

func TestRealOperationsAreBuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("reads more than a hundred documents")
	}
	operations, unbuildable, judged, overlapping := 0, 0, 0, 0
	for place, doc := range realDocuments(t) {
		s := newScript(t, doc, nil)
		judge := document.NewJudge(doc)
		unbuildable += len(s.g.Unbuildable())
		operations += len(s.g.order.operations) + len(s.g.Unbuildable())
		for range 3 * len(s.g.order.operations) {
			o := s.want(messages.Want{})
			if o.Request == nil {
				s.clock.now = max(s.clock.now, o.Until)
				continue
			}
			r := o.Request
			checkWire(t, place, r)
			media := mediaOf(doc.Operations[r.Operation], messages.Get(r.Header, "Content-Type"))
			if r.Body == nil || media == nil || media.Schema == nil || kindOf(media.Type) != jsonKind {
				continue
			}
			d := json.NewDecoder(bytes.NewReader(r.Body))
			d.UseNumber()
			var v any
			if err := d.Decode(&v); err != nil {
				t.Errorf("%s: %s %s: %v", place, r.Method, r.Target, err)
				continue
			}
			faults, err := judge.Judge(media.Schema, document.InRequest, v)
			if err != nil {
				continue // the judge cannot tell
			}
			judged++
			for _, f := range faults {
				if f.Keyword != "oneOf" {
					t.Errorf("%s: %s %s: %s: %v", place, r.Method, r.Target, r.Body[:min(len(r.Body), 300)], f)
				}
			}
			if len(faults) > 0 {
				overlapping++
			}
		}
	}
	t.Logf("%d of %d operations cannot be built; of %d bodies judged %d fit several branches that a discriminator tells apart",
		unbuildable, operations, judged, overlapping)
	if unbuildable*100 > operations {
		t.Errorf("%d of %d operations cannot be built", unbuildable, operations)
	}
	if judged < 1000 || overlapping*100 > judged {
		t.Errorf("of %d bodies judged %d fit several branches of a oneOf", judged, overlapping)
	}
}

func mediaOf(op *document.Operation, contentType string) *document.Media {
	if op.Body == nil {
		return nil
	}
	for _, m := range op.Body.Media {
		if concrete(m.Type, kindOf(m.Type)) == contentType {
			return m
		}
	}
	return nil
}

// checkWire says what of a request could not go on the wire.
func checkWire(t *testing.T, place string, r *messages.Request) {
	t.Helper()
	if !strings.HasPrefix(r.Target, "/") {
		t.Errorf("%s: target %q", place, r.Target)
	}
	for i := range len(r.Target) {
		if c := r.Target[i]; c <= ' ' || c > '~' || c == '#' || c == '"' || c == '<' || c == '>' {
			t.Errorf("%s: target %q", place, r.Target)
			break
		}
	}
	for _, f := range r.Header {
		if !isToken(f.Name) || !travels(f.Value) {
			t.Errorf("%s: %s: header %q: %q", place, r.Target, f.Name, f.Value)
		}
	}
}

// benchmarked is the document of the benchmarks: a read without parameters, one with a few, and a small JSON body.
func benchmarked(b *testing.B, keep string) *script {
	b.Helper()
	doc := api(b, map[string]string{
		"bare": "  /health: {get: {" + ok + "}}\n",
		"small": `
  /pets/{petId}:
    get:
      parameters:
        - {name: petId, in: path, required: true, schema: {type: integer, format: int64, minimum: 1}}
        - {name: limit, in: query, required: true, schema: {type: integer, minimum: 1, maximum: 100}}
        - {name: sort, in: query, required: true, schema: {type: string, enum: [name, age]}}
      ` + ok + `
`,
		"body": `
  /pets:
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [name, age, tags, kind, born, weight, owner, vaccinated]
              properties:
                name: {type: string, minLength: 1, maxLength: 40}
                age: {type: integer, minimum: 0, maximum: 30}
                tags: {type: array, items: {type: string}}
                kind: {type: string, enum: [cat, dog]}
                born: {type: string, format: date}
                weight: {type: number, multipleOf: 0.1, minimum: 0.1}
                owner: {type: string, format: email}
                vaccinated: {type: boolean}
      ` + ok + `
`,
	}[keep])
	return newScript(b, doc, withoutLap)
}

func benchmarkWant(b *testing.B, keep string) {
	s := benchmarked(b, keep)
	s.g.to.Pacer = func(messages.ToPacer) {}
	b.ReportAllocs()
	for b.Loop() {
		s.g.Handle(messages.Want{})
	}
}

func BenchmarkWantBare(b *testing.B)  { benchmarkWant(b, "bare") }
func BenchmarkWantSmall(b *testing.B) { benchmarkWant(b, "small") }
func BenchmarkWantBody(b *testing.B)  { benchmarkWant(b, "body") }

func BenchmarkLearned(b *testing.B) {
	s := benchmarked(b, "small")
	r := s.next()
	l := messages.Learned{Request: r, Outcome: messages.Answered, Reply: &messages.Reply{Status: 200}, Value: map[string]any{
		"id": json.Number("3"), "name": "a", "age": json.Number("4"), "tags": []any{"x", "y"}, "kind": "cat", "owner": "o@example.com",
	}}
	b.ReportAllocs()
	for b.Loop() {
		s.g.Handle(l)
	}
}
