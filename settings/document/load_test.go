package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// yamlDoc is a document of a version with these paths and whatever else is given.
func yamlDoc(version, rest string) string {
	key := "openapi"
	if version == "2.0" {
		key = "swagger"
	}
	return key + ": '" + version + "'\ninfo: {title: t, version: '1'}\n" + rest
}

func loadYAML(t testing.TB, version, rest string, options Options) *Document {
	t.Helper()
	return from(t, "d.yaml", map[string]string{"d.yaml": yamlDoc(version, rest)}, options)
}

// issueWith finds an issue by a part of its message.
func issueWith(d *Document, part string) (Issue, bool) {
	i := slices.IndexFunc(d.Issues, func(i Issue) bool { return strings.Contains(i.Message, part) })
	if i < 0 {
		return Issue{}, false
	}
	return d.Issues[i], true
}

func targets(d *Document) string {
	var all []string
	for _, op := range d.Operations {
		all = append(all, op.BasePath+op.Path)
	}
	return strings.Join(all, " ")
}

func parameterOf(t testing.TB, op *Operation, in, name string) *Parameter {
	t.Helper()
	for _, p := range op.Parameters {
		if p.In == in && p.Name == name {
			return p
		}
	}
	t.Fatalf("%s has no %s parameter %q", op.ID, in, name)
	return nil
}

func TestUnquotedCodesMarksAndLineEndsMakeNoDifference(t *testing.T) { // case 01
	path := shared(t, "cases", "01-unquoted-codes-bom-crlf", "document.yaml")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	if plain == string(data) {
		t.Fatal("the case has no mark and no CRLF any more")
	}
	odd := load(t, path, Options{})
	even := from(t, path, map[string]string{path: plain}, Options{})
	for _, d := range []*Document{odd, even} {
		if d.Version != "1.0" || len(d.Operations) != 1 || d.Operations[0].Untestable != "" || d.Operations[0].ID != "getState" {
			t.Fatalf("the document was read as %+v", d)
		}
		op := d.Operations[0]
		if r := op.Response(200); r == nil || r.Code != "200" || len(r.Media) != 1 {
			t.Errorf("200 is declared as %+v", r)
		}
		if r := op.Response(503); r == nil || r.Code != "default" {
			t.Errorf("503 is declared as %+v", r)
		}
		faults, err := NewJudge(d).Judge(op.Response(200).Media[0].Schema, InReply, map[string]any{"up": "yes"})
		if err != nil || len(faults) != 1 || faults[0].Pointer != "/up" {
			t.Errorf("reply B: %v, %v", faults, err)
		}
	}
}

func TestOnlyRecursionWithoutEndMakesAnOperationUntestable(t *testing.T) { // case 03
	d := load(t, shared(t, "cases", "03-recursion-must-end", "document.yaml"), Options{})
	for i, want := range []string{"", "Chain", ""} {
		if got := d.Operations[i].Untestable; (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s is untestable for %q, want %q in it", d.Operations[i].ID, got, want)
		}
	}
}

func TestRecursionEndsWhereItCan(t *testing.T) {
	for _, r := range []struct{ name, schema, hollow string }{
		{"a required link to itself", `{type: object, required: [n], properties: {n: {$ref: '#/components/schemas/S'}}}`, "S"},
		{"an optional link", `{type: object, properties: {n: {$ref: '#/components/schemas/S'}}}`, ""},
		{"a list that may be empty", `{type: object, required: [n], properties: {n: {type: array, items: {$ref: '#/components/schemas/S'}}}}`, ""},
		{"a list that may not", `{type: object, required: [n], properties: {n: {type: array, minItems: 1, items: {$ref: '#/components/schemas/S'}}}}`, "S"},
		{"a nullable one", `{type: object, nullable: true, required: [n], properties: {n: {$ref: '#/components/schemas/S'}}}`, ""},
		{"another branch", `{oneOf: [{type: object, required: [n], properties: {n: {$ref: '#/components/schemas/S'}}}, {type: string}]}`, ""},
		{"every branch", `{anyOf: [{type: object, required: [n], properties: {n: {$ref: '#/components/schemas/S'}}}]}`, "S"},
		{"behind allOf", `{allOf: [{type: object, required: [n], properties: {n: {$ref: '#/components/schemas/S'}}}]}`, "S"},
		{"through another", `{type: object, required: [n], properties: {n: {$ref: '#/components/schemas/T'}}}`, "S"},
		{"a readOnly link", `{type: object, required: [n], properties: {n: {readOnly: true, allOf: [{$ref: '#/components/schemas/S'}]}}}`, ""},
		{"without a type", `{required: [n], properties: {n: {$ref: '#/components/schemas/S'}}}`, "S"},
		{"itself and nothing else", `{$ref: '#/components/schemas/S'}`, "circle"},
	} {
		t.Run(r.name, func(t *testing.T) {
			d := loadYAML(t, "3.0.3", `
paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/S'}}}}, responses: {}}}}
components: {schemas: {S: `+r.schema+`, T: {type: object, required: [s], properties: {s: {$ref: '#/components/schemas/S'}}}}}
`, Options{})
			got := d.Operations[0].Untestable
			if (got == "") != (r.hollow == "") || !strings.Contains(got, r.hollow) {
				t.Errorf("untestable for %q, want %q in it", got, r.hollow)
			}
		})
	}
}

func TestReferencesStartFromTheFileTheyStandIn(t *testing.T) { // case 05
	path := shared(t, "cases", "05-external-ref-base", "document.yaml")
	folder := filepath.Dir(path)
	absolute, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	overHTTP := func(_ context.Context, location string) ([]byte, error) {
		name, ok := strings.CutPrefix(location, "http://127.0.0.1:8080/docs/")
		if !ok {
			return nil, fmt.Errorf("%s is not served", location)
		}
		return os.ReadFile(filepath.Join(folder, name))
	}
	for _, r := range []struct {
		location string
		options  Options
	}{
		{path, Options{}},
		{absolute, Options{}},
		{"http://127.0.0.1:8080/docs/document.yaml", Options{Read: overHTTP}},
	} {
		t.Run(r.location, func(t *testing.T) {
			d := load(t, r.location, r.options)
			if len(d.Issues) != 0 {
				t.Errorf("issues: %+v", d.Issues)
			}
			op := d.Operations[0]
			id := parameterOf(t, op, "path", "id")
			if op.Untestable != "" || id.Schema.Pattern != "^[A-Z]{2}[0-9]{4}$" {
				t.Errorf("id has the pattern %q, untestable for %q", id.Schema.Pattern, op.Untestable)
			}
			j, schema := NewJudge(d), op.Response(200).Media[0].Schema
			if faults, err := j.Judge(schema, InReply, decode(t, `{"id":"AB1234","lines":[{"sku":"CD5678"}]}`)); err != nil || len(faults) > 0 {
				t.Errorf("reply A: %v, %v", faults, err)
			}
			faults, err := j.Judge(schema, InReply, decode(t, `{"id":"AB1234","lines":[{"sku":"nope"}]}`))
			if err != nil || len(faults) != 1 || faults[0].Pointer != "/lines/0/sku" {
				t.Errorf("reply B: %v, %v", faults, err)
			}
		})
	}
}

func TestAMissingFileIsNamedWithThePlaceThatWantedIt(t *testing.T) { // case 05, check 5
	folder := t.TempDir()
	from := filepath.Dir(shared(t, "cases", "05-external-ref-base", "document.yaml"))
	if err := os.CopyFS(folder, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(folder, "parts", "common", "id.yaml")
	if err := os.Remove(missing); err != nil {
		t.Fatal(err)
	}
	d := load(t, filepath.Join(folder, "document.yaml"), Options{})
	issue, ok := issueWith(d, missing)
	if !ok || issue.Severity != "error" || issue.Place.Line == 0 {
		t.Fatalf("the missing file is not named: %+v", d.Issues)
	}
	if op := d.Operations[0]; !strings.Contains(op.Untestable, missing) {
		t.Errorf("untestable for %q", op.Untestable)
	}
	if _, err := NewJudge(d).Judge(d.Operations[0].Response(200).Media[0].Schema, InReply, decode(t, `{"id":"x","lines":[]}`)); err == nil {
		t.Error("the reply was judged as if id could be anything")
	}
}

func TestAnOperationsParameterWinsOverItsPaths(t *testing.T) { // case 06
	d := load(t, shared(t, "cases", "06-operation-parameter-wins", "document.yaml"), Options{})
	describe := func(op *Operation) string {
		var all []string
		for _, p := range op.Parameters {
			all = append(all, p.In+":"+p.Name)
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	get, remove := d.Operations[0], d.Operations[1]
	if got, want := describe(get), "header:x-trace path:id query:id query:limit"; got != want {
		t.Errorf("GET has %s, want %s", got, want)
	}
	if got, want := describe(remove), "header:X-Trace path:id query:limit"; got != want {
		t.Errorf("DELETE has %s, want %s", got, want)
	}
	if most := parameterOf(t, get, "query", "limit").Schema.Maximum; most.RatString() != "10" {
		t.Errorf("GET's limit is at most %s", most)
	}
	if most := parameterOf(t, remove, "query", "limit").Schema.Maximum; most.RatString() != "1000" {
		t.Errorf("DELETE's limit is at most %s", most)
	}
	if trace := parameterOf(t, get, "header", "x-trace").Schema.Enum; trace[0] != "op" {
		t.Errorf("GET's x-trace is %v", trace)
	}
}

func TestAddressServerAndPathAreJoined(t *testing.T) { // case 07, and more
	const two = "paths: {/: {get: {responses: {}}}, /a: {get: {responses: {}}}, /b: {servers: [{url: /other}], get: {responses: {}}}}\n"
	const stage = "servers: [{url: '/{stage}/v1/', variables: {stage: {default: beta}}}]\n"
	for _, r := range []struct {
		name, location, version, text, url string
		origin, targets                    string
	}{
		{"fetched, relative server", "http://127.0.0.1:8080/docs/openapi.yaml", "3.0.3", stage + two, "", "http://127.0.0.1:8080", "/beta/v1/ /beta/v1/a /other/b"},
		{"file and address", "d.yaml", "3.0.3", stage + two, "http://127.0.0.1:8080", "http://127.0.0.1:8080", "/beta/v1/ /beta/v1/a /other/b"},
		{"address with a slash", "d.yaml", "3.0.3", stage + two, "http://127.0.0.1:8080/", "http://127.0.0.1:8080", "/beta/v1/ /beta/v1/a /other/b"},
		{"address with a path", "d.yaml", "3.0.3", stage + two, "http://127.0.0.1:8080/gw/", "http://127.0.0.1:8080", "/gw/ /gw/a /gw/b"},
		{"no address", "d.yaml", "3.0.3", stage + two, "", "", "/beta/v1/ /beta/v1/a /other/b"},
		{"no servers, fetched", "http://h.example/docs/openapi.yaml", "3.0.3", two, "", "http://h.example", "/ /a /other/b"},
		{"no servers, file", "d.yaml", "3.0.3", two, "", "", "/ /a /other/b"},
		{"relative without a slash", "http://h.example/docs/openapi.yaml", "3.0.3", "servers: [{url: v1}]\n" + two, "", "http://h.example", "/docs/v1/ /docs/v1/a /other/b"},
		{"the first that has a host", "d.yaml", "3.0.3", "servers: [{url: /x}, {url: 'https://H.example:443/y//z/'}]\n" + two, "", "https://h.example", "/y/z/ /y/z/a /other/b"},
		{"none that has a host", "d.yaml", "3.0.3", "servers: [{url: /x}, {url: /y}]\n" + two, "", "", "/x/ /x/a /other/b"},
		{"one that cannot be used", "d.yaml", "3.0.3", "servers: [{url: 'ws://h.example'}, {url: 'https://h.example/{v}'}, {url: 'http://h.example:81'}]\n" + two, "", "http://h.example:81", "/ /a /other/b"},
		{"2.0 prefers https", "d.yaml", "2.0", "host: h.example\nbasePath: /v2/\nschemes: [http, https]\n" + two, "", "https://h.example", "/v2/ /v2/a /v2/b"},
		{"2.0 without schemes, fetched", "http://x.example/s.yaml", "2.0", "host: h.example:8080\n" + two, "", "http://h.example:8080", "/ /a /b"},
		{"2.0 without schemes on this machine", "d.yaml", "2.0", "host: localhost:8080\n" + two, "", "http://localhost:8080", "/ /a /b"},
		{"2.0 without a host, fetched", "https://x.example/s.yaml", "2.0", "basePath: /v2\n" + two, "", "https://x.example", "/v2/ /v2/a /v2/b"},
		{"2.0 and an address", "d.yaml", "2.0", "host: h.example\nbasePath: /v2\n" + two, "http://127.0.0.1:1", "http://127.0.0.1:1", "/v2/ /v2/a /v2/b"},
		{"an operation's server is the only one", "d.yaml", "3.0.3", "paths: {/a: {get: {servers: [{url: 'http://h.example/x'}], responses: {}}}}\n", "", "http://h.example", "/x/a"},
	} {
		t.Run(r.name, func(t *testing.T) {
			d := from(t, r.location, map[string]string{r.location: yamlDoc(r.version, r.text)}, Options{URL: r.url})
			if d.Origin != r.origin || targets(d) != r.targets {
				t.Errorf("at %q: %s; want %q: %s", d.Origin, targets(d), r.origin, r.targets)
			}
			if err := d.Reachable(); (err == nil) != (r.origin != "") {
				t.Errorf("reachable: %v", err)
			}
		})
	}
}

func TestAnOperationAtAnotherServerIsUntestableUnlessAnAddressIsGiven(t *testing.T) {
	const text = "servers: [{url: 'https://api.example'}]\npaths: {/a: {post: {servers: [{url: 'https://uploads.example'}], responses: {}}}}\n"
	d := loadYAML(t, "3.0.3", text, Options{})
	if got := d.Operations[0].Untestable; !strings.Contains(got, "https://uploads.example") || !strings.Contains(got, "--url") {
		t.Errorf("untestable for %q", got)
	}
	d = loadYAML(t, "3.0.3", text, Options{URL: "http://127.0.0.1:1"})
	if got := d.Operations[0].Untestable; got != "" {
		t.Errorf("with an address: untestable for %q", got)
	}
}

func TestAnAddressThatIsNoneIsRefusedInOneLine(t *testing.T) {
	for url, want := range map[string]string{
		"127.0.0.1:8080":           "http://127.0.0.1:8080",
		"ftp://h":                  "http://",
		"http://":                  "no host",
		"http://user:secret@h/":    "--auth",
		"http://h/?q=1":            "query",
		"http://h:port/":           "no address",
		"http://h/%zz":             "no address",
		"http://127.0.0.1:8080/#x": "fragment",
	} {
		_, err := tryFrom("d.yaml", map[string]string{"d.yaml": yamlDoc("3.0.3", "paths: {}\n")}, Options{URL: url})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v; want %q in it", url, err, want)
		}
	}
}

func TestWhatIsNoDocumentIsRefusedInOneLine(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'k'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+p+",", 9), ",") + "]\n"
	}
	for _, r := range []struct{ name, text, want string }{
		{"nothing", "", "nothing in it"},
		{"white space", " \n\t\n", "nothing in it"},
		{"HTML", "<!DOCTYPE html><html><body>404: not found</body></html>", "HTML"},
		{"text", "404: Not Found, sorry", "no OpenAPI document"},
		{"a sentence", "just words", "text"},
		{"bytes", "\x89PNG\r\n\x1a\n", "not UTF-8"},
		{"a list", "[1, 2]", "a list"},
		{"JSON that ends", `{"openapi": "3.0.3", "paths": {`, "ends too early"},
		{"JSON with an odd character", "{\"openapi\": \"3.0.3\",\n  \"paths\": {]}", "line 2"},
		{"YAML that is none", "openapi: 3.0.3\npaths:\n  /a: b: c\n", "line 3"},
		{"a version nobody knows", "openapi: 4.0.0\npaths: {}\n", "4.0.0"},
		{"a version that is none", "openapi: [3]\npaths: {}\n", "a list"},
		{"another kind of document", "asyncapi: 2.0.0\nchannels: {}\n", "neither"},
		{"an anchor in itself", "openapi: 3.0.0\ninfo: &a\n  x: *a\n", "contains itself"},
		{"aliases that multiply", "openapi: 3.0.0\n" + bomb, "aliases"},
		{"depth", deep, "nested deeper"},
		{"depth in YAML", "a: " + deep, "d.x"},
	} {
		t.Run(r.name, func(t *testing.T) {
			_, err := tryFrom("d.x", map[string]string{"d.x": r.text}, Options{})
			if err == nil || !strings.Contains(err.Error(), r.want) || !strings.Contains(err.Error(), "d.x") || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q and the file in it", err, r.want)
			}
		})
	}
	if _, err := Load(context.Background(), filepath.Join(t.TempDir(), "none.yaml"), Options{}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a file that is missing: %v", err)
	}
	if _, err := tryFrom("none", nil, Options{}); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a location that cannot be read: %v", err)
	}
}

func TestTheReaderIsStoppedByItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Load(ctx, "d.yaml", Options{Read: func(context.Context, string) ([]byte, error) {
		return []byte(yamlDoc("3.0.3", "paths: {}\n")), nil
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestYAMLIsReadAsPeopleWriteIt(t *testing.T) {
	d := loadYAML(t, "3.0.3", `
paths:
  /a:
    parameters: &shared
      - {name: q, in: query, schema: {type: string, enum: [on, off, yes, 2024-01-01, 0x1F, 1_000, ~, 1e3, .5, +7]}}
    get: &get
      operationId: get
      deprecated: yes
      tags: [a]
      responses:
        200: {description: ok}
        0x190: {description: no code}
        404: {description: gone}
    put:
      <<: *get
      operationId: put
  /b:
    parameters: *shared
    get: {responses: {2XX: {description: ok}, DEFAULT: {description: d}}}
`, Options{})
	get, put := d.Operations[0], d.Operations[1]
	if get.ID != "get" || put.ID != "put" || !put.Deprecated || len(put.Responses) != 2 || put.Tags[0] != "a" {
		t.Errorf("merged: %+v", put)
	}
	if _, ok := issueWith(d, `"0x190" is no status code`); !ok {
		t.Errorf("issues: %+v", d.Issues)
	}
	want := []any{"on", "off", "yes", "2024-01-01", json.Number("31"), json.Number("1000"), nil, json.Number("1e3"), json.Number("0.5"), json.Number("7")}
	for _, op := range d.Operations {
		if got := parameterOf(t, op, "query", "q").Schema.Enum; !slices.Equal(got, want) {
			t.Errorf("%s: enum is %#v", op.ID, got)
		}
	}
	if op := d.Operations[2]; op.Response(204).Code != "2XX" || op.Response(500).Code != "default" {
		t.Errorf("responses of /b: %+v", op.Responses)
	}
}

func TestAKeyGivenTwiceIsToldWithItsPlace(t *testing.T) {
	for name, text := range map[string]string{
		"d.json": "{\"openapi\":\"3.0.3\",\n\"paths\":{\"/a\":{}},\n  \"paths\":{\"/b\":{\"get\":{\"responses\":{}}}}}",
		"d.yaml": "openapi: 3.0.3\npaths: {/a: {}}\n  \npaths: {/b: {get: {responses: {}}}}\n",
	} {
		d := from(t, name, map[string]string{name: text}, Options{})
		issue, ok := issueWith(d, "twice")
		if !ok || issue.Severity != "warning" || issue.Place.Line < 3 || issue.Place.Column == 0 {
			t.Errorf("%s: %+v", name, d.Issues)
		}
		if targets(d) != "/b" {
			t.Errorf("%s: the operations are %s, want the last ones", name, targets(d))
		}
	}
}

func TestPlacesLeadToWhereThingsStand(t *testing.T) {
	text := "{\"openapi\":\"3.0.3\",\"paths\":{\n \"/ä\":{\"get\":{\"responses\":{}, \"parameters\":[{\"name\":\"q\",\"in\":\"query\",\"schema\":{\"type\":\"strin\"}}]}}}}"
	d := from(t, "d.json", map[string]string{"d.json": text}, Options{})
	issue, ok := issueWith(d, "strin")
	line := strings.Split(text, "\n")[1]
	want := Place{File: "d.json", Pointer: "#/paths/~1ä/get/parameters/0/schema/type", Line: 2, Column: len([]rune(line[:strings.Index(line, `"strin"`)])) + 1}
	if !ok || issue.Place != want {
		t.Errorf("got %+v, want it at %+v", d.Issues, want)
	}
	if got := want.String(); got != fmt.Sprintf("d.json:2:%d #/paths/~1ä/get/parameters/0/schema/type", want.Column) {
		t.Errorf("the place is written %s", got)
	}
}

func TestParametersAreReadWithTheirStyles(t *testing.T) {
	for _, r := range []struct {
		version, parameter string
		want               string // "in style explode", or "" for one that is left out
	}{
		{"3.0.3", "{name: p, in: path, required: true, schema: {type: string}}", "path simple false"},
		{"3.0.3", "{name: p, in: path, required: true, style: label, explode: true, schema: {}}", "path label true"},
		{"3.0.3", "{name: p, in: path, schema: {}}", "path simple false"},
		{"3.0.3", "{name: p, in: query, schema: {}}", "query form true"},
		{"3.0.3", "{name: p, in: query, explode: false, schema: {}}", "query form false"},
		{"3.0.3", "{name: p, in: query, style: deepObject, schema: {}}", "query deepObject true"},
		{"3.0.3", "{name: p, in: query, style: pipeDelimited, schema: {}}", "query pipeDelimited false"},
		{"3.0.3", "{name: p, in: query, style: matrix, schema: {}}", "query form true"},
		{"3.0.3", "{name: p, in: query, explode: 'false', schema: {}}", "query form false"},
		{"3.0.3", "{name: p, in: header, schema: {}}", "header simple false"},
		{"3.0.3", "{name: p, in: cookie, schema: {}}", "cookie form true"},
		{"3.2.0", "{name: p, in: cookie, style: cookie, schema: {}}", "cookie cookie true"},
		{"3.0.3", "{name: p, in: query, content: {application/json: {schema: {type: integer}}}}", "query  false"},
		{"3.0.3", "{name: p, in: Query, schema: {}}", "query form true"},
		{"3.0.3", "{name: p, in: body, schema: {}}", ""},
		{"3.0.3", "{name: 'a b', in: header, schema: {}}", ""},
		{"3.0.3", "{in: query, schema: {}}", ""},
		{"3.0.3", "{name: accept, in: header, schema: {}}", ""},
		{"3.0.3", "{name: Authorization, in: header, schema: {}}", ""},
		{"2.0", "{name: p, in: query, type: array, items: {type: string}}", "query form false"},
		{"2.0", "{name: p, in: query, type: array, items: {type: string}, collectionFormat: multi}", "query form true"},
		{"2.0", "{name: p, in: query, type: array, items: {type: string}, collectionFormat: ssv}", "query spaceDelimited false"},
		{"2.0", "{name: p, in: query, type: array, items: {type: string}, collectionFormat: tsv}", "query tabDelimited false"},
		{"2.0", "{name: p, in: query, type: array, items: {type: string}, collectionFormat: pipes}", "query pipeDelimited false"},
		{"2.0", "{name: p, in: path, required: true, type: integer}", "path simple false"},
		{"2.0", "{name: p, in: header, type: array, items: {type: string}, collectionFormat: multi}", "header simple false"},
	} {
		d := loadYAML(t, r.version, "paths: {'/a/{p}': {get: {parameters: ["+r.parameter+"], responses: {}}}}\n", Options{})
		got := ""
		for _, p := range d.Operations[0].Parameters {
			if p.Place.Pointer != "#/paths/~1a~1{p}/get" { // the one that stands in for {p}
				got = fmt.Sprintf("%s %s %t", p.In, p.Style, p.Explode)
			}
		}
		if got != r.want {
			t.Errorf("%s %s: %q, want %q", r.version, r.parameter, got, r.want)
		}
	}
}

func TestPathAndParametersAreBroughtTogether(t *testing.T) {
	d := loadYAML(t, "3.0.3", `
paths:
  /a/{id}/{other}:
    get:
      parameters:
        - {name: id, in: path, schema: {type: integer}}
        - {name: gone, in: path, required: true, schema: {type: integer}}
        - {name: q, in: query, schema: {type: string}}
        - {name: q, in: query, schema: {type: integer}}
      responses: {}
  no/slash: {get: {responses: {}}}
  /x?mode=full&flag: {get: {responses: {}}}
  /x#again: {get: {responses: {}}}
  /open{: {get: {responses: {}}}
`, Options{})
	get := d.Operations[0]
	if p := parameterOf(t, get, "path", "other"); !p.Required || !slices.Equal(p.Schema.Types, []string{"string"}) {
		t.Errorf("the undeclared one: %+v", p)
	}
	if p := parameterOf(t, get, "path", "id"); !p.Required {
		t.Error("a path parameter is not required")
	}
	if p := parameterOf(t, get, "query", "q"); !slices.Equal(p.Schema.Types, []string{"string"}) {
		t.Errorf("the first of two is not used: %v", p.Schema.Types)
	}
	if len(get.Parameters) != 3 {
		t.Errorf("%d parameters", len(get.Parameters))
	}
	if got := targets(d); got != "/a/{id}/{other} /no/slash /x /x /open{" {
		t.Errorf("the paths are %s", got)
	}
	if p := parameterOf(t, d.Operations[2], "query", "mode"); p.Schema.Enum[0] != "full" || !p.Required {
		t.Errorf("the query in the path: %+v", p)
	}
	if d.Operations[4].Untestable == "" || d.Operations[3].ID == d.Operations[2].ID {
		t.Errorf("%+v, %+v", d.Operations[4], d.Operations[3])
	}
	for _, part := range []string{"no {gone}", "{other} in the path is not declared", "declared twice", "begin with a slash", "never sent"} {
		if _, ok := issueWith(d, part); !ok {
			t.Errorf("no issue says %q", part)
		}
	}
}

func TestABadPartCostsOnlyItself(t *testing.T) {
	d := loadYAML(t, "3.0.3", `
paths:
  /list: [1]
  /text: {get: nothing, post: {responses: {}}}
  /null:
  /gone: {$ref: 'gone.yaml'}
  /dangling: {get: {parameters: [{$ref: '#/components/parameters/None'}], responses: {}}}
  /schema: {get: {parameters: [{name: q, in: query, required: true, schema: {$ref: '#/no'}}, {name: r, in: query, schema: {$ref: '#/no'}}], responses: {}}}
  /optional: {get: {parameters: [{name: q, in: query, schema: {$ref: '#/no'}}], responses: {}}}
  /body: {post: {requestBody: {$ref: '#/components/requestBodies/None'}, responses: {}}}
  /twobodies: {post: {requestBody: {required: true, content: {a/b: {schema: {$ref: '#/no'}}, c/d: {schema: {type: string}}}}, responses: {}}}
  /onebody: {post: {requestBody: {required: true, content: {a/b: {schema: {$ref: '#/no'}}}}, responses: {}}}
  /nobody: {post: {requestBody: {content: {a/b: {schema: {$ref: '#/no'}}}}, responses: {}}}
  /response: {get: {responses: {'200': {$ref: '#/components/responses/None'}, '404': {description: ok}, error: {}, '4XX': 5}}}
  /round: {get: {parameters: [{$ref: '#/components/parameters/A'}], responses: {}}}
  /trace: {trace: {responses: {}}, x-other: 1}
components:
  parameters: {A: {$ref: '#/components/parameters/B'}, B: {$ref: '#/components/parameters/A'}}
`, Options{})
	want := map[string]bool{
		"POST /text": true, "GET /dangling": false, "GET /schema": false, "GET /optional": true, "POST /body": false,
		"POST /twobodies": true, "POST /onebody": false, "POST /nobody": true, "GET /response": true, "GET /round": false,
		"TRACE /trace": false,
	}
	for _, op := range d.Operations {
		testable, ok := want[op.ID]
		if !ok {
			t.Errorf("%s was not expected", op.ID)
		}
		if testable != (op.Untestable == "") {
			t.Errorf("%s is untestable for %q", op.ID, op.Untestable)
		}
		delete(want, op.ID)
		if op.ID == "GET /response" {
			if op.Response(200).Unusable == "" || op.Response(404).Unusable != "" || op.Response(403).Unusable == "" || len(op.Responses) != 3 {
				t.Errorf("responses: %+v", op.Responses)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	for _, part := range []string{"gone.yaml", "no status code", "round in a circle", "a list, not an object", `text "nothing"`} {
		if _, ok := issueWith(d, part); !ok {
			t.Errorf("no issue says %q: %+v", part, d.Issues)
		}
	}
	if !slices.IsSortedFunc(d.Issues, func(a, b Issue) int { return a.Place.Line - b.Place.Line }) {
		t.Error("the issues are not in the order of their places")
	}
}

func TestOpenAPI20IsReadInItsOwnWay(t *testing.T) {
	d := loadYAML(t, "2.0", `
host: h.example
schemes: [https]
consumes: [application/json, text/json]
produces: [application/json]
paths:
  /a:
    post:
      parameters: [{name: b, in: body, required: true, schema: {$ref: '#/definitions/A'}}, {name: c, in: body, schema: {}}]
      responses: {200: {description: ok, schema: {$ref: '#/definitions/A'}, examples: {application/json: {n: 1}}, headers: {X-N: {type: integer}}}}
  /form:
    post:
      consumes: [multipart/form-data, application/x-www-form-urlencoded]
      produces: [image/png]
      parameters:
        - {name: f, in: formData, type: string, required: true}
        - {name: l, in: formData, type: array, items: {type: integer}, collectionFormat: pipes}
      responses: {200: {description: ok, schema: {type: file}}}
  /file:
    post:
      parameters: [{name: f, in: formData, type: file}]
      responses: {204: {description: ok}}
definitions:
  A: {type: object, properties: {n: {type: integer, x-nullable: true, minimum: 1, exclusiveMinimum: true}}}
securityDefinitions:
  key: {type: apiKey, in: header, name: X-Key}
  who: {type: basic}
  token: {type: oauth2, flow: application, tokenUrl: /token}
security: [{key: []}, {who: [], token: [a]}, {}]
`, Options{})
	a, form, file := d.Operations[0], d.Operations[1], d.Operations[2]
	if b := a.Body; !b.Required || len(b.Media) != 2 || b.Media[1].Type != "text/json" || b.Media[0].Schema.Name != "A" {
		t.Errorf("the body: %+v", b)
	}
	n := a.Body.Media[0].Schema.Properties[0].Schema
	if !slices.Equal(n.Types, []string{"integer", "null"}) || n.Minimum != nil || n.ExclusiveMinimum.RatString() != "1" {
		t.Errorf("n: %+v", n)
	}
	ok := a.Response(200)
	if m := ok.Media[0]; m.Type != "application/json" || len(m.Examples) != 1 || ok.Headers[0].Name != "X-N" || ok.Headers[0].Schema.Types[0] != "integer" {
		t.Errorf("the reply: %+v", ok)
	}
	if m := form.Body.Media; len(m) != 2 || !slices.Equal(m[0].Schema.Required, []string{"f"}) || m[0].Encoding["l"].Style != "pipeDelimited" || *m[0].Encoding["l"].Explode {
		t.Errorf("the form: %+v", m)
	}
	if m := form.Response(200).Media[0]; m.Type != "image/png" || m.Schema.Format != "binary" {
		t.Errorf("a file in reply: %+v", m)
	}
	if m := file.Body.Media; file.Body.Required || len(m) != 1 || m[0].Type != multipart || m[0].Schema.Properties[0].Schema.Format != "binary" {
		t.Errorf("a file sent: %+v", m)
	}
	want := []Scheme{
		{Name: "key", Type: "apiKey", In: "header", Key: "X-Key"},
		{Name: "who", Type: "http", HTTP: "basic"},
		{Name: "token", Type: "oauth2", TokenURL: "https://h.example/token"},
	}
	if !slices.Equal(d.Schemes, want) {
		t.Errorf("schemes: %+v", d.Schemes)
	}
	if s := a.Security; len(s) != 3 || len(s[1]) != 2 || s[1][1].Scopes[0] != "a" || len(s[2]) != 0 {
		t.Errorf("security: %+v", s)
	}
}

func TestOpenAPI32HasItsOwnMethods(t *testing.T) {
	const text = "paths: {/a: {query: {responses: {}}, additionalOperations: {PURGE: {responses: {}}, CONNECT: {responses: {}}}}}\n"
	d := loadYAML(t, "3.2.0", text, Options{})
	var got []string
	for _, op := range d.Operations {
		got = append(got, fmt.Sprintf("%s %t", op.ID, op.Untestable == ""))
	}
	if want := "QUERY /a true, PURGE /a true, CONNECT /a false"; strings.Join(got, ", ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if d := loadYAML(t, "3.1.0", text, Options{}); len(d.Operations) != 0 {
		t.Errorf("3.1 has %d operations of 3.2", len(d.Operations))
	}
}

func TestReferencesAreFollowedHoweverTheyAreWritten(t *testing.T) {
	texts := map[string]string{
		"api/d.yaml": yamlDoc("3.1.0", `
paths:
  /a:
    $ref: 'paths.yaml#/items~1a'
  /b:
    get:
      responses:
        '200':
          description: ok
          content:
            a/escaped: {schema: {$ref: '#/components/schemas/a~1b%20c'}}
            a/unescaped: {schema: {$ref: '#/components/schemas/a~1b c'}}
            a/anchor: {schema: {$ref: '#here'}}
            a/id: {schema: {$ref: 'https://x.example/schemas/point'}}
            a/relative: {schema: {$ref: 'https://x.example/schemas/pair'}}
            a/property: {schema: {$ref: '#/components/schemas/Holder/properties/p'}}
            a/item: {schema: {$ref: '#/components/schemas/Tuple/prefixItems/1'}}
            a/url: {schema: {$ref: 'https://other.example/s.json'}}
            a/up: {schema: {$ref: '../common/s.yaml#/Int'}}
components:
  schemas:
    a/b c: {type: integer}
    Anchored: {$anchor: here, type: integer}
    Point: {$id: 'https://x.example/schemas/point', type: integer}
    Pair: {$id: 'https://x.example/schemas/pair', $ref: 'point'}
    Holder: {type: object, properties: {p: {type: integer}}}
    Tuple: {prefixItems: [{type: string}, {type: integer}]}
`),
		"api/paths.yaml":               "items/a: {get: {responses: {'200': {$ref: '#/ok'}}}}\nok: {description: ok, content: {a/b: {schema: {$ref: '../common/s.yaml#/Int'}}}}\n",
		"common/s.yaml":                "Int: {$ref: '#/Real'}\nReal: {type: integer}\n",
		"https://other.example/s.json": `{"$ref":"t.json"}`,
		"https://other.example/t.json": `{"type":"integer"}`,
	}
	d := from(t, "api/d.yaml", texts, Options{})
	if len(d.Issues) != 0 {
		t.Errorf("issues: %+v", d.Issues)
	}
	for _, op := range d.Operations {
		for _, m := range op.Response(200).Media {
			faults, err := NewJudge(d).Judge(m.Schema, InReply, "x")
			if err != nil || len(faults) != 1 || faults[0].Message != `must be integer, is string "x"` {
				t.Errorf("%s %s: %v, %v", op.ID, m.Type, faults, err)
			}
		}
	}
	if len(d.Operations) != 2 {
		t.Errorf("%d operations", len(d.Operations))
	}
}

func TestADocumentFromTheNetworkReadsNoFiles(t *testing.T) {
	for _, ref := range []string{"file:///etc/passwd", "FILE:/etc/passwd"} {
		var asked []string
		_, err := Load(context.Background(), "http://h.example/d.yaml", Options{Read: func(_ context.Context, location string) ([]byte, error) {
			asked = append(asked, location)
			return []byte(yamlDoc("3.0.3", "paths: {/a: {$ref: '"+ref+"'}}\n")), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if len(asked) != 1 {
			t.Errorf("it asked for %v", asked)
		}
	}
}

func TestSecurityIsReadWithItsAlternatives(t *testing.T) {
	d := loadYAML(t, "3.0.3", `
servers: [{url: 'https://h.example/v1'}]
paths:
  /default: {get: {responses: {}}}
  /own: {get: {security: [{key: []}, {unknown: []}], responses: {}}}
  /none: {get: {security: [], responses: {}}}
components:
  securitySchemes:
    key: {type: apiKey, in: query, name: k}
    bearer: {type: http, scheme: Bearer}
    oauth: {type: oauth2, flows: {clientCredentials: {tokenUrl: /token, scopes: {}}}}
security: [{bearer: []}, {}]
`, Options{})
	for i, want := range []string{"[[{bearer []}] []]", "[[{key []}]]", "[]"} {
		if got := fmt.Sprint(d.Operations[i].Security); got != want {
			t.Errorf("%s: %s, want %s", d.Operations[i].ID, got, want)
		}
	}
	if d.Schemes[1].HTTP != "bearer" || d.Schemes[2].TokenURL != "https://h.example/token" {
		t.Errorf("schemes: %+v", d.Schemes)
	}
	if _, ok := issueWith(d, `"unknown"`); !ok {
		t.Error("the scheme that is not declared is not told")
	}
}

func TestOperationsAreCalledByTheirIDOnce(t *testing.T) {
	d := loadYAML(t, "3.0.3", "paths: {/a: {get: {operationId: x, responses: {}}, put: {operationId: x, responses: {}}, post: {responses: {}}}}\n", Options{})
	for i, want := range []string{"x", "PUT /a", "POST /a"} {
		if got := d.Operations[i].ID; got != want {
			t.Errorf("operation %d is called %q, want %q", i, got, want)
		}
	}
	if issue, ok := issueWith(d, "given twice"); !ok || issue.Severity != "warning" {
		t.Errorf("issues: %+v", d.Issues)
	}
}

func TestSchemasKeepWhatTheDocumentSays(t *testing.T) {
	_, s := replySchema(t, "3.1.0", `{"$ref":"#/components/schemas/Thing"}`, `"Thing":{"type":["object","null"],"title":"T","description":"D",
		"required":["b","a"],"properties":{"z":{"type":"integer","minimum":-0.5,"maximum":1e2,"default":null},"a":{"const":null},
		"m":{"type":"string","minLength":0,"maxLength":99999999999999999999,"pattern":"^x","format":"uuid","contentEncoding":"base64","examples":["x",12345678901234567890]}},
		"xml":{"name":"n","attribute":true},"minProperties":1,"dependentRequired":{"z":["a"]},"deprecated":true}`)
	var names []string
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	z, a, m := s.Properties[0].Schema, s.Properties[1].Schema, s.Properties[2].Schema
	switch {
	case s.Name != "Thing" || s.Title != "T" || s.Description != "D" || !s.Deprecated || s.MinProperties != 1:
		t.Errorf("the whole: %+v", s)
	case strings.Join(names, "") != "zam" || strings.Join(s.Required, "") != "ba" || strings.Join(s.Types, " ") != "object null":
		t.Errorf("names %v, required %v, types %v", names, s.Required, s.Types)
	case z.Minimum.RatString() != "-1/2" || z.Maximum.RatString() != "100" || !z.HasDefault || z.Default != nil:
		t.Errorf("z: %+v", z)
	case !a.HasConst || a.Const != nil:
		t.Errorf("a: %+v", a)
	case m.MinLength != 0 || m.MaxLength != 1<<63-1 || m.ContentEncoding != "base64" || m.Examples[1] != json.Number("12345678901234567890"):
		t.Errorf("m: %+v", m)
	case s.MinItems != -1 || s.MaxProperties != -1 || s.XML.Node != "attribute" || s.DependentRequired["z"][0] != "a":
		t.Errorf("the rest: %+v", s)
	case s.Place.Pointer != "#/components/schemas/Thing" || z.Place.Line == 0:
		t.Errorf("places: %+v, %+v", s.Place, z.Place)
	}
}

func TestExamplesAreFoundWhereverTheyStand(t *testing.T) {
	d := loadYAML(t, "3.0.3", `
paths:
  /a:
    post:
      parameters:
        - {name: q, in: query, example: 1, examples: {a: {value: 2}, b: {$ref: '#/components/examples/B'}, c: {externalValue: x}}, schema: {example: 4}}
      requestBody: {content: {application/json: {example: {a: 1}, schema: {$ref: '#/components/schemas/S'}}}}
      responses: {}
components: {examples: {B: {value: 3}}, schemas: {S: {example: {$ref: not followed}}}}
`, Options{})
	q := parameterOf(t, d.Operations[0], "query", "q")
	if got := fmt.Sprint(q.Examples, q.Schema.Examples); got != "[1 2 3] [4]" {
		t.Errorf("the parameter's examples: %s", got)
	}
	m := d.Operations[0].Body.Media[0]
	if got := fmt.Sprint(m.Examples, m.Schema.Examples); got != "[map[a:1]] [map[$ref:not followed]]" {
		t.Errorf("the body's examples: %s", got)
	}
}

func TestIssuesAreCountedWhenThereAreTooMany(t *testing.T) {
	var b strings.Builder
	b.WriteString("paths:\n")
	for i := range mostIssues + 100 {
		fmt.Fprintf(&b, "  /p%d: {get: {}}\n", i)
	}
	d := loadYAML(t, "3.0.3", b.String(), Options{})
	if len(d.Issues) != mostIssues+1 || !strings.Contains(d.Issues[mostIssues].Message, "100 more") {
		t.Errorf("%d issues, the last is %+v", len(d.Issues), d.Issues[len(d.Issues)-1])
	}
	if len(d.Operations) != mostIssues+100 {
		t.Errorf("%d operations", len(d.Operations))
	}
}

func TestFilesAreBounded(t *testing.T) {
	d, err := Load(context.Background(), "d.yaml", Options{Read: func(_ context.Context, location string) ([]byte, error) {
		if location == "d.yaml" {
			return []byte(yamlDoc("3.0.3", "paths: {/a: {$ref: big.yaml}}\n")), nil
		}
		return make([]byte, mostBytes+1), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := issueWith(d, "larger than 64 MiB"); !ok {
		t.Errorf("issues: %+v", d.Issues)
	}
}

func BenchmarkLoadGitHub(b *testing.B) {
	path := shared(b, "openapi", "corpus", "github-api.json")
	b.ReportAllocs()
	for b.Loop() {
		load(b, path, Options{})
	}
}

func TestPathValuesThatAreNotSentAreNamed(t *testing.T) {
	doc := loadYAML(t, "3.0.3", `
paths:
  /f/{name}:
    get:
      parameters:
        - {name: name, in: path, required: true, schema: {type: string, enum: [a, ".", "..", b]}}
      responses: {"200": {description: ok}}
`, Options{URL: "http://127.0.0.1:1"})
	if len(doc.Issues) != 1 || doc.Issues[0].Severity != "note" || !strings.Contains(doc.Issues[0].Message, `"." or ".."`) {
		t.Errorf("issues: %+v", doc.Issues)
	}
}
