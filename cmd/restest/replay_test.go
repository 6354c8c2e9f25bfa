package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
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
