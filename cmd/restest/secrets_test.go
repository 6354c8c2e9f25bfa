package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/reporter"
)

// The keys of the run below, one for each place that a key can be in, of characters that are written in many ways.
const (
	secretInHeader = `Hd-7Qz+/w"W<8kT`
	secretInQuery  = `Qy&9Lm =+/%rT<4x`
	secretInCookie = `Ck-2Vb~!*7pRzz19`
	secretUser     = `operator-Ux31`
	secretPassword = `Pw:6Nh?/+"jK>52`
	secretBearer   = `Br.8Ty_-uJm/+Lk03==`
	secretAnywhere = `An-5Gd{}|^7wEcVb`
)

// written are the ways a secret could be written in: itself, in base64 and base64url, and each of these escaped for a
// URL or for JSON.
func written(secret string) map[string]string {
	forms := map[string]string{"": secret}
	for name, e := range map[string]*base64.Encoding{
		"base64": base64.StdEncoding, "unpadded base64": base64.RawStdEncoding,
		"base64url": base64.URLEncoding, "unpadded base64url": base64.RawURLEncoding,
	} {
		forms[name] = e.EncodeToString([]byte(secret))
	}
	all := map[string]string{}
	for name, text := range forms {
		all[name+" as it is"] = text
		all[name+" in a query"] = url.QueryEscape(text)
		all[name+" in a path"] = url.PathEscape(text)
		for how, html := range map[string]bool{" in JSON": false, " in JSON for HTML": true} {
			var b bytes.Buffer
			encoder := json.NewEncoder(&b)
			encoder.SetEscapeHTML(html)
			if err := encoder.Encode(text); err != nil {
				panic(err)
			}
			all[name+how] = strings.Trim(strings.TrimSpace(b.String()), `"`)
		}
		var percent strings.Builder
		for _, c := range []byte(text) {
			fmt.Fprintf(&percent, "%%%02X", c)
		}
		all[name+" percent-encoded throughout"] = percent.String()
	}
	return all
}

// babbler is an API that says back whatever it is told: in its body, its header and in where it redirects to, in several
// encodings, and with faults, so that all of it gets into findings.
func babbler(t *testing.T, saw *atomic.Int64) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var heard []string
		for _, values := range r.Header {
			heard = append(heard, values...)
		}
		for _, values := range r.URL.Query() {
			heard = append(heard, values...)
		}
		if user, password, ok := r.BasicAuth(); ok {
			heard = append(heard, user, password)
		}
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			heard = append(heard, token)
		}
		for _, c := range r.Cookies() {
			heard = append(heard, c.Value)
		}
		if r.Header.Get("X-Anywhere") == secretAnywhere {
			saw.Add(1)
		}
		encoded := map[string]string{}
		for i, h := range heard {
			for how, text := range written(h) {
				encoded[fmt.Sprintf("%d %s", i, how)] = text
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Heard", url.QueryEscape(strings.Join(heard, " ")))
		http.SetCookie(w, &http.Cookie{Name: "session", Value: base64.RawURLEncoding.EncodeToString([]byte(strings.Join(heard, " ")))})
		if r.URL.Path == "/moved" {
			w.Header().Set("Location", "/things/"+url.PathEscape(strings.Join(heard, "/")))
			w.WriteHeader(http.StatusFound)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/broken") {
			w.WriteHeader(http.StatusInternalServerError)
		}
		if err := json.NewEncoder(w).Encode(map[string]any{
			"id": strings.Join(heard, " "), "url": r.URL.String(), "body": string(body), "encoded": encoded, "number": heard,
		}); err != nil {
			t.Log(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// babbled is the document of the babbler: each operation asks for the key of one scheme, and none of its replies fits.
func babbled() []byte {
	paths := map[string]any{}
	operation := func(path, method string, schemes ...string) {
		security := []any{}
		for _, s := range schemes {
			security = append(security, map[string]any{s: []string{}})
		}
		reply := map[string]any{"description": "ok", "content": map[string]any{"application/json": map[string]any{"schema": map[string]any{
			"type": "object", "properties": map[string]any{
				"id": map[string]any{"type": "string"}, "number": map[string]any{"type": "integer"},
			},
		}}}}
		op := map[string]any{"operationId": strings.Trim(path, "/") + method, "security": security, "responses": map[string]any{"200": reply}}
		parameters := []any{map[string]any{"name": "id", "in": "query", "schema": map[string]any{"type": "string"}}}
		if strings.Contains(path, "{id}") {
			parameters = []any{map[string]any{"name": "id", "in": "path", "required": true, "schema": map[string]any{"type": "string"}}}
		}
		op["parameters"] = parameters
		if method == "post" {
			op["requestBody"] = map[string]any{"content": map[string]any{"application/json": map[string]any{"schema": map[string]any{
				"type": "object", "required": []string{"id"}, "properties": map[string]any{"id": map[string]any{"type": "string"}},
			}}}}
		}
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path].(map[string]any)[method] = op
	}
	for _, scheme := range []string{"inHeader", "inQuery", "inCookie", "basic", "bearer"} {
		operation("/things/"+scheme, "get", scheme)
		operation("/broken/"+scheme, "post", scheme)
	}
	operation("/things/{id}", "get", "inHeader")
	operation("/moved", "get", "inQuery")
	text, err := json.Marshal(map[string]any{
		"openapi": "3.0.3", "info": map[string]any{"title": "Babbler", "version": "1"}, "paths": paths,
		"components": map[string]any{"securitySchemes": map[string]any{
			"inHeader": map[string]any{"type": "apiKey", "in": "header", "name": "X-Key"},
			"inQuery":  map[string]any{"type": "apiKey", "in": "query", "name": "token"},
			"inCookie": map[string]any{"type": "apiKey", "in": "cookie", "name": "sid"},
			"basic":    map[string]any{"type": "http", "scheme": "basic"},
			"bearer":   map[string]any{"type": "http", "scheme": "bearer"},
		}},
	})
	if err != nil {
		panic(err)
	}
	return text
}

// Decision 0009, and 0023: no key gets into anything that is written, in whatever way it could be written there; and what
// is made again is the run's own.
func TestNoKeyIsInAnythingThatIsWritten(t *testing.T) {
	var saw atomic.Int64
	origin := babbler(t, &saw)
	folder := t.TempDir()
	document := filepath.Join(folder, "babbler.json")
	if err := os.WriteFile(document, babbled(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, again := filepath.Join(folder, "out"), filepath.Join(folder, "again")
	var stdout, stderr bytes.Buffer
	code := run([]string{
		"restest", "run", document, "--url", origin, "--budget", "2s", "--seed", "7", "--out", out, "--log-level", "debug",
		"--auth", "inHeader=" + secretInHeader, "--auth", "inQuery=" + secretInQuery, "--auth", "inCookie=" + secretInCookie,
		"--auth", "basic:" + secretUser + ":" + secretPassword, "--auth", "bearer:" + secretBearer,
		"--auth", "header:X-Anywhere=" + secretAnywhere,
		"--set", "report.formats=" + strings.Join(settings.Formats, ","), "--set", "engine.followRedirects=true",
		"--set", "engine.mostRequestsPerMinute=9000",
	}, []string{"GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=" + filepath.Join(folder, "summary.md")}, strings.NewReader(""), &stdout, &stderr)
	if code != reporter.ExitErrors || saw.Load() == 0 {
		t.Fatalf("it ended with %d: %s", code, stderr.String())
	}
	_, retold, retellingSaid := called("report", out, "--out", again)
	_, compared, _ := called("compare", out, again)
	outputs := map[string]string{
		"the standard output": stdout.String(), "the standard error": stderr.String(),
		"the summary made again": retold + retellingSaid, "the comparison": compared,
		"summary.md": string(content(t, folder, "summary.md")),
	}
	got := files(t, again)
	for name, b := range files(t, out) {
		if name == reporter.RecordingName {
			zip, err := zstd.NewReader(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			if b, err = io.ReadAll(zip); err != nil {
				t.Fatal(err)
			}
			zip.Close()
		} else if !bytes.Equal(b, got[name]) {
			t.Errorf("%s made again is another one", name)
		}
		outputs[name] = string(b)
	}
	if len(outputs) < len(settings.Formats)+5 {
		t.Errorf("only %d outputs", len(outputs))
	}
	told := reportIn(t, out)
	if len(told.Findings) < 10 || len(told.CurlVariables) < 5 {
		t.Fatalf("only %d findings with %d variables", len(told.Findings), len(told.CurlVariables))
	}
	secrets := map[string]string{
		"the key in a header": secretInHeader, "the key in a query": secretInQuery, "the key in a cookie": secretInCookie,
		"the password": secretPassword, "user and password": secretUser + ":" + secretPassword,
		"the bearer token": secretBearer, "the key for every request": secretAnywhere,
	}
	for what, secret := range secrets {
		for how, form := range written(secret) {
			for where, text := range outputs {
				if at := strings.Index(text, form); at >= 0 {
					t.Errorf("%s (%s) is in %s: …%s…", what, strings.TrimSpace(how), where, text[max(0, at-80):min(len(text), at+len(form)+20)])
				}
			}
		}
	}
}
