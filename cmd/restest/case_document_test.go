package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/reporter"
)

func TestCase01UnquotedCodesInAFileWithAByteOrderMark(t *testing.T) {
	t.Parallel()
	odd := caseFile(t, "01-unquoted-codes-bom-crlf/document.yaml")
	content, err := os.ReadFile(odd)
	if err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "document.yaml")
	usual := bytes.ReplaceAll(bytes.TrimPrefix(content, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	if len(usual) >= len(content)-3 {
		t.Fatal("the case's document has lost its mark or its line ends")
	}
	if err := os.WriteFile(plain, usual, 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, always(map[string]func() reply{"GET /state": inTurn(
		sayJSON(200, `{"up":true}`), sayJSON(200, `{"up":"yes"}`), say(503, "text/plain", "down"),
	)}))
	var requests [][]string
	for _, file := range []string{odd, plain} {
		o := s.test(t, 10, file, "--url", s.url)
		if op := o.operation(t, "getState"); op.State != "tested" || len(o.report.Operations) != 1 {
			t.Fatalf("the operations are %+v", o.report.Operations)
		}
		wantVerdicts(t, o.verdicts(t, "getState"), map[string]string{
			`200 {"up":true}`: "", `200 {"up":"yes"}`: "F200", "503 down": "F121",
		})
		o.wantFound(t, "getState", "F200 200 /up", "F121 503")
		requests = append(requests, o.requests(t))
	}
	n := min(len(requests[0]), len(requests[1]))
	if n < 10 || !slices.Equal(requests[0][:n], requests[1][:n]) {
		t.Errorf("the requests are not the same:\n%s\n%s", requests[0], requests[1])
	}
}

// tree is the JSON of a node of case 03, with so many levels of nodes; the name at the level wrong is a number.
func tree(levels, wrong int) string {
	name := `"n"`
	if wrong == 1 {
		name = "5"
	}
	if levels == 1 {
		return `{"name":` + name + `}`
	}
	return `{"name":` + name + `,"children":[` + tree(levels-1, wrong-1) + `]}`
}

// node says how many levels of nodes a JSON value has, 0 if it is no node of case 03.
func node(v any) int {
	o, ok := v.(map[string]any)
	if _, named := o["name"].(string); !ok || !named {
		return 0
	}
	children, given := o["children"]
	if !given {
		return 1
	}
	list, ok := children.([]any)
	if !ok {
		return 0
	}
	deepest := 0
	for _, child := range list {
		levels := node(child)
		if levels == 0 {
			return 0
		}
		deepest = max(deepest, levels)
	}
	return deepest + 1
}

func TestCase03SchemasThatContainThemselves(t *testing.T) {
	document := caseFile(t, "03-recursion-must-end/document.yaml")
	// Alone, so that what others take is not counted.
	if taken := memoryTaken(func() { program("document", document) }); taken > 200<<20 {
		t.Errorf("reading the document took %d MiB", taken>>20)
	}
	t.Parallel()

	next := inTurn(sayJSON(200, tree(60, 0)), sayJSON(200, tree(60, 40)))
	s := serve(t, func(a *arrival) reply {
		switch a.method + " " + a.target {
		case "GET /tree":
			return next()
		case "POST /nodes":
			var v any
			if json.Unmarshal(a.body, &v) == nil && node(v) > 0 {
				return say(201, "", "")
			}
		}
		return say(400, "", "")
	})
	o := s.test(t, 100, document, "--url", s.url)

	nodes := s.arrived("POST /nodes")
	if len(nodes) < 100 {
		t.Fatalf("only %d nodes were sent", len(nodes))
	}
	without, with := 0, 0
	for i, a := range nodes {
		var v any
		if err := json.Unmarshal(a.body, &v); err != nil || node(v) == 0 {
			t.Fatalf("sent as valid: %s (%v)", a.body, err)
		}
		if i >= 100 {
			continue
		}
		if node(v) > 1 {
			with++
		} else {
			without++
		}
	}
	if without == 0 || with == 0 {
		t.Errorf("of the first 100 nodes %d had children, and %d none", with, without)
	}

	if sent := s.arrived("POST /chains"); len(sent) > 0 {
		t.Errorf("a chain was sent: %s", sent[0].body)
	}
	chains := o.operation(t, "POST /chains")
	if chains.State != "notTestable" || !strings.Contains(chains.Why, "no finite value fits Chain") || len(o.found("POST /chains")) > 0 {
		t.Errorf("of the chains is told %+v, found %v", chains, o.found("POST /chains"))
	}
	if n := strings.Count(o.stdout, "no finite value fits Chain"); n != 1 {
		t.Errorf("the summary says %d times why:\n%s", n, o.stdout)
	}

	for _, e := range o.of("GET /tree") {
		if e.Reply == nil {
			continue // the run was over before its turn
		}
		whole := body(t, e.Reply.Body) == tree(60, 0)
		if !whole && body(t, e.Reply.Body) != tree(60, 40) {
			t.Fatalf("%+v", e.Reply)
		}
		if found := len(e.Findings) > 0; found == whole {
			t.Errorf("a tree that is right: %v, found: %v", whole, e.Findings)
		}
	}
	found := o.found("GET /tree")
	if len(found) != 1 || found[0].Code != "F200" {
		t.Fatalf("found %v", sums(found))
	}
	if want := strings.Repeat("/children/0", 39) + "/name"; found[0].Place != want {
		t.Errorf("found at %q (%s), want %q", found[0].Place, found[0].Got, want)
	}
}

func TestCase05AReferenceStartsFromItsOwnFile(t *testing.T) {
	document := caseFile(t, "05-external-ref-base/document.yaml")
	t.Chdir("/")
	id := regexp.MustCompile(`^/orders/[A-Z]{2}[0-9]{4}$`)
	parts := http.FileServer(http.Dir(filepath.Dir(document)))
	next := inTurn(
		sayJSON(200, `{"id":"AB1234","lines":[{"sku":"CD5678"}]}`), sayJSON(200, `{"id":"AB1234","lines":[{"sku":"nope"}]}`),
	)
	s := serve(t, func(a *arrival) reply {
		if file, asked := strings.CutPrefix(a.target, "/spec"); asked {
			w := httptest.NewRecorder()
			parts.ServeHTTP(w, httptest.NewRequest("GET", file, nil))
			return say(w.Code, "application/yaml", w.Body.String())
		}
		return next()
	})
	for _, location := range []string{document, s.url + "/spec/document.yaml"} {
		o := s.test(t, 20, location, "--url", s.url)
		sent := 0
		for _, a := range s.arrived() {
			if strings.HasPrefix(a.target, "/orders/") {
				sent++
				if !id.MatchString(a.target) {
					t.Errorf("%s: sent %s", location, a.target)
				}
			}
		}
		if sent < 20 {
			t.Errorf("%s: only %d requests were sent", location, sent)
		}
		wantVerdicts(t, o.verdicts(t, "GET /orders/{id}"), map[string]string{
			`200 {"id":"AB1234","lines":[{"sku":"CD5678"}]}`: "", `200 {"id":"AB1234","lines":[{"sku":"nope"}]}`: "F200",
		})
		o.wantFound(t, "GET /orders/{id}", "F200 200 /lines/0/sku")
	}

	// Without the file two references away.
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(filepath.Dir(document))); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(copied, "parts", "common", "id.yaml")
	if err := os.Remove(missing); err != nil {
		t.Fatal(err)
	}
	o := s.test(t, 1, filepath.Join(copied, "document.yaml"), "--url", s.url)
	if sent := s.arrived(); len(sent) > 0 {
		t.Errorf("an id was made up: %s", sent[0].target)
	}
	if o.code == reporter.ExitClean {
		t.Errorf("it ended as if all was well")
	}
	if op := o.operation(t, "GET /orders/{id}"); op.State != "notTestable" || !strings.Contains(op.Why, missing) {
		t.Errorf("the operation is %s: %s", op.State, op.Why)
	}
	at := slices.IndexFunc(o.report.DocumentIssues, func(i reporter.IssueTold) bool {
		return i.File == filepath.Join(copied, "parts", "order.yaml") && i.Line == 6 && strings.Contains(i.Message, missing)
	})
	if at < 0 {
		t.Errorf("the place of the reference is not named: %+v", o.report.DocumentIssues)
	}
}

func TestCase06TheOperationsParameterWins(t *testing.T) {
	t.Parallel()
	s := serve(t, func(a *arrival) reply {
		if a.method == "DELETE" {
			return say(204, "", "")
		}
		return say(200, "", "")
	})
	o := s.test(t, 100, caseFile(t, "06-operation-parameter-wins/document.yaml"), "--url", s.url)
	if len(o.report.Findings) > 0 {
		t.Errorf("found %v", sums(o.report.Findings))
	}
	narrow := regexp.MustCompile(`^/items/[1-9]\?limit=([1-9]|10)&id=[ab]$`)
	swapped := regexp.MustCompile(`^/items/[1-9]\?id=[ab]&limit=([1-9]|10)$`)
	gets, deletes, beyond, words := 0, 0, 0, 0
	ids := map[string]bool{}
	for _, a := range s.arrived() {
		seen := map[string]string{}
		for _, f := range a.header {
			if before, twice := seen[canonical(f.Name)]; twice {
				t.Errorf("%s: %s is %q and %q", a.target, f.Name, before, f.Value)
			}
			seen[canonical(f.Name)] = f.Value
		}
		switch a.method {
		case "GET":
			gets++
			if !narrow.MatchString(a.target) && !swapped.MatchString(a.target) || seen["X-Trace"] != "op" {
				t.Errorf("GET %s, X-Trace: %s", a.target, seen["X-Trace"])
			}
			ids[a.pairs(t, "id")[0]] = true
		case "DELETE":
			if deletes++; deletes > 100 {
				continue
			}
			limits := a.pairs(t, "limit")
			if len(limits) != 1 || len(a.query()) != 1 || seen["X-Trace"] != "path" {
				t.Errorf("DELETE %s, X-Trace: %s", a.target, seen["X-Trace"])
			}
			limit, err := strconv.Atoi(strings.Join(limits, ""))
			if err != nil || limit < 1 || limit > 1000 {
				t.Errorf("DELETE %s", a.target)
			}
			if limit > 10 {
				beyond++
			}
			id := strings.TrimPrefix(a.path(), "/items/")
			if _, err := strconv.Atoi(id); err != nil && id != "" {
				words++
			}
		}
	}
	if gets < 100 || deletes < 100 || !ids["a"] || !ids["b"] {
		t.Errorf("%d GETs with the ids %v and %d DELETEs", gets, ids, deletes)
	}
	if beyond == 0 || words == 0 {
		t.Errorf("of 100 DELETEs %d had a limit above 10, and %d an id that is no number", beyond, words)
	}
}

func TestCase07PuttingTheAddressTogether(t *testing.T) {
	t.Parallel()
	document := caseFile(t, "07-server-join/document.yaml")
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(a *arrival) reply {
		if a.target == "/docs/openapi.yaml" {
			return say(200, "application/yaml", string(content))
		}
		return say(200, "", "")
	})
	joined := []string{"/beta/v1/", "/beta/v1/a", "/other/b"}
	for _, row := range []struct {
		name string
		args []string
		want []string
	}{
		{"a document from the API's host, and no address", []string{s.url + "/docs/openapi.yaml"}, append(joined, "/docs/openapi.yaml")},
		{"a file and a host", []string{document, "--url", s.url}, joined},
		{"a file and a host with a slash", []string{document, "--url", s.url + "/"}, joined},
		{"a file and an address with a path", []string{document, "--url", s.url + "/gw/"}, []string{"/gw/", "/gw/a", "/gw/b"}},
	} {
		o := s.test(t, 1, row.args...)
		targets := map[string]bool{}
		for _, a := range s.arrived() {
			targets[a.target] = true
			if messages.Get(a.header, "Host") != strings.TrimPrefix(s.url, "http://") {
				t.Errorf("%s: a request to %s", row.name, messages.Get(a.header, "Host"))
			}
		}
		slices.Sort(row.want)
		if got := slices.Sorted(maps.Keys(targets)); !slices.Equal(got, row.want) {
			t.Errorf("%s: the targets are %q, want %q", row.name, got, row.want)
		}
		if len(o.report.Findings) > 0 || o.code != reporter.ExitClean {
			t.Errorf("%s: it ended with %d, found %v", row.name, o.code, sums(o.report.Findings))
		}
	}
	if help := program("run", "--help").stdout; !strings.Contains(help, "a path in it replaces the base path") {
		t.Errorf("the rule for an address with a path is not told:\n%s", help)
	}

	s.forget()
	o := program("run", document, "--out", t.TempDir())
	if o.code != reporter.ExitUsage || !strings.Contains(o.stderr, "no host is known") || len(s.arrived()) > 0 {
		t.Errorf("without any host: %d, %s", o.code, o.stderr)
	}
}
