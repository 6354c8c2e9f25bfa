package generator

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// realDocuments are the real documents kept beside the project, by their place; those that cannot be read are left out.
func realDocuments(t *testing.T) map[string]*document.Document {
	t.Helper()
	root := shared(t, "openapi")
	var places []string
	for _, pattern := range []string{
		"corpus/*.*", "corpus/broken/*.*", "corpus/digitalocean/DigitalOcean-public.v2.yaml", "corpus/nested-files/openapi.yaml",
		"corpus/oai-petstore-separate/spec/swagger.yaml", "wfd/*.json", "wfd/*.yaml",
	} {
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

// Every request called valid is read back from its bytes and judged, over the real documents, in each media type.
func TestRealRequestsFitTheirDocumentsAsTheyAreOnTheWire(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	seeds := uint64(2)
	if os.Getenv("RESTEST_LONG") != "" {
		seeds = 20
	}
	operations, unbuildable, built, missed, named, failures := 0, 0, 0, 0, 0, 0
	var total reader
	docs := realDocuments(t)
	for _, place := range slices.Sorted(maps.Keys(docs)) {
		doc := docs[place]
		s := newScript(t, doc, nil)
		d := &reader{judge: document.NewJudge(doc)}
		unbuildable += len(s.g.Unbuildable())
		operations += len(s.g.order.operations) + len(s.g.Unbuildable())
		for _, operation := range s.g.order.operations {
			p := s.g.plans[operation]
			for seed := range seeds {
				s.g.config.Seed = seed
				wants := []asked{{}, {likeliest: true}}
				for k := range p.mediaTypes() {
					wants = append(wants, asked{media: k + 1})
				}
				for _, want := range wants {
					r := p.request(s.g, 1, 0, want)
					if r == nil {
						missed++
						continue
					}
					built++
					before := d.overlapping
					err := d.request(p.op, r)
					if err == nil && r.Valid && d.overlapping > before {
						err = fmt.Errorf("it is called valid, and only a discriminator tells %d values of it apart", d.overlapping-before)
					}
					if !r.Valid {
						named++
					}
					if err != nil {
						if failures++; failures <= 40 {
							t.Errorf("%s: %s %s: %v", filepath.Base(place), r.Method, r.Target, err)
						}
					}
				}
			}
		}
		total.judged, total.unjudged, total.overlapping = total.judged+d.judged, total.unjudged+d.unjudged, total.overlapping+d.overlapping
	}
	t.Logf("%d documents, %d of %d operations cannot be built; %d requests built, %d not in one go; %d parameters and bodies judged, %d of them "+
		"fit several branches that a discriminator tells apart, so that %d requests are not called valid; %d could not be judged; %d requests wrong",
		len(docs), unbuildable, operations, built, missed, total.judged, total.overlapping, named, total.unjudged, failures)
	if unbuildable*100 > operations {
		t.Errorf("%d of %d operations cannot be built", unbuildable, operations)
	}
	if missed*100 > built {
		t.Errorf("%d requests could not be built in one go, and %d were", missed, built)
	}
	if total.judged < built || total.overlapping*100 > total.judged || total.unjudged*100 > total.judged {
		t.Errorf("%d judged, %d overlapping, %d not judged", total.judged, total.overlapping, total.unjudged)
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
