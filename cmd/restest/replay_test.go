package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/restest/restest/stages/reporter"
)

const oneRead = `openapi: 3.0.3
info: {title: One, version: "1"}
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
security: [{key: []}]
paths:
  /things:
    get: {operationId: things, responses: {"200": {description: Things}}}
`

// A finding is still there, changed, fixed, or could not be repeated; each has its exit code. The key is in no report: it
// comes from --auth or from the variable that the report names.
func TestAReplaySaysWhatBecameOfAFinding(t *testing.T) {
	var status atomic.Int64
	status.Store(500)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "sesame-4711" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(int(status.Load()))
	}))
	defer server.Close()
	folder := t.TempDir()
	document, out := filepath.Join(folder, "one.yaml"), filepath.Join(folder, "out")
	if err := os.WriteFile(document, []byte(oneRead), 0o600); err != nil {
		t.Fatal(err)
	}
	call := func(environ []string, args ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		code := run(append([]string{"restest"}, args...), environ, strings.NewReader(""), &stdout, &stderr)
		return code, stdout.String() + stderr.String()
	}
	if code, said := call(nil, "run", document, "--url", server.URL, "--budget", "300ms", "--out", out, "--quiet", "--auth", "sesame-4711"); code != reporter.ExitErrors {
		t.Fatalf("the run ended with %d:\n%s", code, said)
	}
	for _, c := range []struct {
		name    string
		status  int64
		auth    []string
		environ []string
		says    string
		code    int
	}{
		{"still there", 500, []string{"--auth", "sesame-4711"}, nil, "still there ", reporter.ExitErrors},
		{"another fault", 503, []string{"--auth", "sesame-4711"}, nil, "changed ", reporter.ExitErrors},
		{"mended", 200, []string{"--auth", "sesame-4711"}, nil, "fixed ", reporter.ExitClean},
		{"the key in the environment", 200, nil, []string{"RESTEST_KEY_1=sesame-4711"}, "fixed ", reporter.ExitClean},
		{"no key", 200, nil, nil, "is not given", reporter.ExitNothing},
		{"what it is about is gone", 404, []string{"--auth", "sesame-4711"}, nil, "could not be repeated ", reporter.ExitNothing},
	} {
		t.Run(c.name, func(t *testing.T) {
			status.Store(c.status)
			code, said := call(c.environ, append([]string{"replay", out}, c.auth...)...)
			if code != c.code || !strings.Contains(said, c.says) {
				t.Errorf("it ended with %d:\n%s", code, said)
			}
			if strings.Contains(said, "sesame-4711") {
				t.Error("it shows the key")
			}
		})
	}
}

const shelf = `openapi: 3.0.3
info: {title: Shelf, version: "1"}
components:
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
  schemas: {Thing: {type: object, required: [name], properties: {name: {type: string, minLength: 8, maxLength: 20}}}}
security: [{key: []}]
paths:
  /things:
    post:
      operationId: makeThing
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}
      responses: {"201": {description: It is made}}
  /things/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: readThing, responses: {"200": {description: A thing}}}
    delete: {operationId: dropThing, responses: {"204": {description: It is gone}}}
`

// thingsOnce is an API of things whose reading fails; each name can be taken once.
type thingsOnce struct {
	mu          sync.Mutex
	number      int
	there, made map[string]bool
	keeps       bool // refuses to delete
}

func (s *thingsOnce) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var body struct{ Name string }
	switch {
	case r.Header.Get("X-Key") != "sesame-4711":
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method == "POST" && (json.NewDecoder(r.Body).Decode(&body) != nil || len(body.Name) < 8):
		w.WriteHeader(http.StatusUnprocessableEntity)
	case r.Method == "POST" && s.made[body.Name]:
		w.WriteHeader(http.StatusConflict)
	case r.Method == "POST":
		s.number++
		at := fmt.Sprint("/things/t", s.number)
		s.there[at], s.made[body.Name] = true, true
		w.Header().Set("Location", at)
		w.WriteHeader(http.StatusCreated)
	case !s.there[r.URL.Path]:
		w.WriteHeader(http.StatusNotFound)
	case r.Method == "DELETE" && s.keeps:
		w.WriteHeader(http.StatusForbidden)
	case r.Method == "DELETE":
		delete(s.there, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// "What a replay makes it deletes when all else is done … with the credentials of what made it where it has no others. What
// could not be deleted is listed, and changes nothing of how it ends" (decision 0022).
func TestAReplayDeletesWhatItMakes(t *testing.T) {
	api := &thingsOnce{there: map[string]bool{}, made: map[string]bool{}}
	server := httptest.NewServer(api)
	defer server.Close()
	folder := t.TempDir()
	document, out := filepath.Join(folder, "shelf.yaml"), filepath.Join(folder, "out")
	if err := os.WriteFile(document, []byte(shelf), 0o600); err != nil {
		t.Fatal(err)
	}
	call := func(environ []string, args ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		code := run(append([]string{"restest"}, args...), environ, strings.NewReader(""), &stdout, &stderr)
		return code, stdout.String() + stderr.String()
	}
	code, said := call(nil, "run", document, "--url", server.URL, "--budget", "3s", "--seed", "1", "--out", out, "--quiet", "--auth", "sesame-4711", "--set", "engine.mostRequestsPerMinute=6000")
	if code != reporter.ExitErrors {
		t.Fatalf("the run ended with %d:\n%s", code, said)
	}
	api.there = map[string]bool{} // whatever the run itself had no time for
	report, err := readReport(out)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(report.Findings, func(f reporter.FindingInFull) bool { return f.Operation == "readThing" && f.Status == 500 })
	if at < 0 || len(report.Findings[at].Steps) != 1 || len(report.Findings[at].Steps[0].Fresh) != 1 {
		t.Fatalf("what it takes to see the fault is not known:\n%s", said)
	}
	finding := report.Findings[at].ID
	for _, c := range []struct {
		name    string
		keeps   bool
		args    []string
		environ []string
		says    []string
		left    int
	}{
		{"deleted", false, []string{"--auth", "sesame-4711"}, nil, []string{"still there ", "1 of the 1 things that the replay made were deleted"}, 0},
		{"with the key of what made it", false, nil, []string{"RESTEST_KEY_1=sesame-4711"}, []string{"still there ", "1 of the 1 things"}, 0},
		{"refused", true, []string{"--auth", "sesame-4711"}, nil, []string{"still there ", "0 of the 1 things", "left: /things/t", "made by makeThing: DELETE was answered 403"}, 1},
		{"not asked for", false, []string{"--auth", "sesame-4711", "--set", "schedule.cleanUp=false"}, nil, []string{"still there "}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			api.keeps = c.keeps
			code, said := call(c.environ, append([]string{"replay", out, "--finding", finding, "--rate", "6000"}, c.args...)...)
			for _, want := range c.says {
				if !strings.Contains(said, want) {
					t.Errorf("it does not say %q", want)
				}
			}
			if code != reporter.ExitErrors || len(api.there) != c.left {
				t.Errorf("it ended with %d, and %v are there", code, api.there)
			}
			if t.Failed() {
				t.Log(said)
			}
		})
	}
}
