package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/settings/document/graph"
)

func read(t testing.TB, paths string) *document.Document {
	t.Helper()
	text := "openapi: 3.0.3\ninfo: {title: T, version: '1'}\nservers: [{url: 'http://127.0.0.1:8080/v1'}]\npaths:\n" + paths
	doc, err := document.Load(context.Background(), "t.yaml", document.Options{
		Read: func(context.Context, string) ([]byte, error) { return []byte(text), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func name(doc *document.Document, i int) string {
	if i == graph.None {
		return "-"
	}
	return doc.Operations[i].Method + " " + doc.Operations[i].Path
}

// edges are the graph's, each as a line.
func edges(doc *document.Document, g *graph.Graph) []string {
	var lines []string
	for _, e := range g.Edges {
		lines = append(lines, fmt.Sprintf("%s > %s %s (%s)", name(doc, e.Producer), name(doc, e.Consumer), e.Into, e.How))
	}
	return lines
}

const ok = "responses: {'200': {description: ok}}"

func TestAnIDMadeByAPostGoesIntoPathsAndFieldsNamedForTheThing(t *testing.T) {
	doc := read(t, `
  /things:
    get: {`+ok+`}
    post: {`+ok+`}
  /things/{thingId}:
    get: {`+ok+`}
    put: {`+ok+`}
    patch: {`+ok+`}
    delete: {`+ok+`}
  /things/{id}/parts:
    get: {`+ok+`}
  /orders:
    get: {parameters: [{name: thing_id, in: query, schema: {type: string}}, {name: id, in: query, schema: {type: string}}], `+ok+`}
    post:
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                thingIds: {type: array, items: {type: string}}
                thing: {type: object, properties: {id: {type: string}, color: {type: string}}}
                lines: {type: array, items: {type: object, properties: {thingId: {type: string}}}}
      `+ok+`
`)
	g := graph.Of(doc)
	got := edges(doc, g)
	for _, want := range []string{
		"POST /things > GET /things/{thingId} path.thingId (path)",
		"POST /things > DELETE /things/{thingId} path.thingId (path)",
		"POST /things > GET /things/{id}/parts path.id (path)",
		"GET /things > GET /things/{id}/parts path.id (path)",
		"POST /things > GET /orders query.thing_id (name)",
		"POST /things > POST /orders body.thingIds (name)",
		"POST /things > POST /orders body.thing.id (name)",
		"POST /things > POST /orders body.lines[].thingId (name)",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no %s", want)
		}
	}
	for _, line := range got {
		if strings.Contains(line, "query.id") || strings.Contains(line, "color") {
			t.Errorf("%s should not be", line)
		}
	}
	r := g.At("/v1/things/{}")
	if r == nil {
		t.Fatal("things are no resource")
	}
	var operations []string
	for _, i := range []int{r.Create, r.List, r.Read, r.Replace, r.Patch, r.Delete} {
		operations = append(operations, name(doc, i))
	}
	want := "POST /things, GET /things, GET /things/{thingId}, PUT /things/{thingId}, PATCH /things/{thingId}, DELETE /things/{thingId}"
	if got := strings.Join(operations, ", "); got != want {
		t.Errorf("things have %s", got)
	}
	if len(r.Under) != 1 || name(doc, r.Under[0]) != "GET /things/{id}/parts" {
		t.Errorf("under a thing are %v", r.Under)
	}
	if made := g.Makes(r.Create); len(made) != 1 || made[0] != r {
		t.Errorf("POST /things makes %v", made)
	}
}

func TestAThingIsMadeByWhoReturnsItWhereNothingIsPostedToItsCollection(t *testing.T) {
	doc := read(t, `
  /send:
    post: {responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Message'}}}}}}
  /messages:
    get: {`+ok+`}
  /message/{ID}:
    get: {responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Message'}}}}}}
components: {schemas: {Message: {type: object, properties: {ID: {type: string}}}}}
`)
	got := edges(doc, graph.Of(doc))
	want := []string{"POST /send > GET /message/{ID} path.ID (schema)", "GET /messages > GET /message/{ID} path.ID (schema)"}
	for _, line := range want[:1] {
		if !slices.Contains(got, line) {
			t.Errorf("there is no %s in %q", line, got)
		}
	}
}

func TestDeclaredLinksAreEdges(t *testing.T) {
	doc := read(t, `
  /jobs:
    post:
      responses:
        '201': {description: made, links: {follow: {operationId: watch, parameters: {handle: '$response.header.X-Handle', limit: 5}}}}
  /watch:
    get: {operationId: watch, parameters: [{name: handle, in: query, schema: {type: string}}], `+ok+`}
`)
	got := edges(doc, graph.Of(doc))
	if want := []string{"POST /jobs > GET /watch parameter.handle (link)"}; !slices.Equal(got, want) {
		t.Errorf("the edges are %q, want %q", got, want)
	}
}

func TestARuntimeExpressionIsWhatTheExchangeHas(t *testing.T) {
	fields := map[string]string{"X-Id": "h1"}
	look := func(name string) (string, bool) { v, ok := fields[name]; return v, ok }
	e := &graph.Exchange{
		Method: "POST", URL: "http://127.0.0.1/things", Status: "201", ResponseHeader: look, RequestHeader: look,
		Path:         func(name string) (string, bool) { return "7", name == "id" },
		Query:        func(string) (string, bool) { return "", false },
		RequestBody:  map[string]any{"name": "a/b"},
		ResponseBody: map[string]any{"data": []any{map[string]any{"a/b": json.Number("5")}}},
	}
	for _, row := range []struct {
		value any
		want  any
		ok    bool
	}{
		{"$method", "POST", true},
		{"$url", "http://127.0.0.1/things", true},
		{"$statusCode", "201", true},
		{"$request.path.id", "7", true},
		{"$request.query.id", "", false},
		{"$request.body#/name", "a/b", true},
		{"$request.header.X-Id", "h1", true},
		{"$response.header.X-Id", "h1", true},
		{"$response.body#/data/0/a~1b", json.Number("5"), true},
		{"$response.body#/data/1/x", nil, false},
		{"$response.body#/data/00", nil, false},
		{"$response.path.id", nil, false},
		{"$nonsense", nil, false},
		{"things/{$response.body#/data/0/a~1b}/of/{$method}", "things/5/of/POST", true},
		{"things/{$response.body#/data}", nil, false},
		{"plain", "plain", true},
		{json.Number("3"), json.Number("3"), true},
	} {
		v, ok := graph.Evaluate(row.value, e)
		if ok != row.ok || ok && v != row.want {
			t.Errorf("%v is %v, %v; want %v, %v", row.value, v, ok, row.want, row.ok)
		}
	}
}

func TestSingulars(t *testing.T) {
	for word, want := range map[string]string{
		"pets": "pet", "stories": "story", "boxes": "box", "classes": "class", "status": "status", "glass": "glass",
		"s": "s", "dishes": "dish", "movies": "movy", "zones": "zone",
	} {
		if got := graph.Singular(word); got != want {
			t.Errorf("%s is %s, want %s", word, got, want)
		}
	}
}

func TestEveryRealDocumentHasAGraphThatLeadsFromOperationToOperation(t *testing.T) {
	root := os.Getenv("RESTEST_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared")
	}
	files, _ := filepath.Glob(filepath.Join(root, "openapi", "corpus", "*"))
	if len(files) == 0 {
		t.Skip("the collection of documents, which is kept beside the project, is not there")
	}
	read, edges := 0, 0
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.IsDir() || testing.Short() && info.Size() > 1<<20 {
			continue
		}
		doc, err := document.Load(context.Background(), file, document.Options{
			Read: func(_ context.Context, at string) ([]byte, error) { return os.ReadFile(at) },
		})
		if err != nil {
			continue
		}
		read++
		g := graph.Of(doc)
		edges += len(g.Edges)
		for _, e := range g.Edges {
			if min(e.Producer, e.Consumer) < 0 || max(e.Producer, e.Consumer) >= len(doc.Operations) || e.Into == "" || e.From == "" {
				t.Fatalf("%s: a broken edge %+v", file, e)
			}
		}
	}
	if read == 0 || edges < read {
		t.Errorf("%d edges in %d documents", edges, read)
	}
	t.Logf("%d edges in %d documents", edges, read)
}
