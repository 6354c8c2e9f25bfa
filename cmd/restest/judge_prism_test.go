package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/stages/reporter"
)

// mocked is a document that prism mocks, and where prism is wrong about requests that fit it.
type mocked struct {
	file string // of the shared documents
	base string // the path of its server, which prism leaves out
	auth string
	// deadly are the operations by whose requests prism dies.
	deadly []string
	// wrong are expressions for "operation: place: message", each with the reason why prism is wrong.
	wrong map[string]string
}

// What prism refuses in many documents.
const (
	aDoublesBounds = `must be (<=|>=) -?9007199254740991$`
	anInt64        = "format int64 reaches to 2^63; prism bounds it by the integers that a double tells apart"
	oneOfAList     = `must be array$`
	manyOfOneName  = "the items of a list are fields or parts of one name (OpenAPI 3.0.3, 4.7.15.1: form, exploded, where nothing is said); prism reads the last of them as the list"
	plainParts     = "a style says nothing of parts of multipart (OpenAPI 3.0.3, 4.7.15.1), and one that is an object is JSON; prism wants its quotes and braces encoded"
)

var mocks = []mocked{
	{
		file:   "corpus/readme-3.0-parameters-style.json",
		deadly: []string{"* /anything/headers*", "* /anything/query/*Delimited", "GET /anything/path/*"},
		wrong: map[string]string{
			oneOfAList:                          manyOfOneName,
			`body\.object: Reserved characters`: plainParts,
			`^formData_standard: body\.object: .* must be object$`: "a part that is an object is JSON (OpenAPI 3.0.3, 4.7.14.4); prism reads no part's JSON",
		},
	},
	{file: "corpus/readme-3.0-file-uploads.json", wrong: map[string]string{`body\.filename: .* must be array$`: manyOfOneName}},
	{file: "corpus/readme-3.0-schema-encoding-style.json", wrong: map[string]string{
		`^encoding_form: body\.object: Reserved characters`: plainParts,
	}},
	{file: "corpus/readme-3.0-discriminators.json", base: "/anything", wrong: map[string]string{
		`^POST /potentially-undefined-formData: body: .* exactly one schema in oneOf$`: "both schemas of the oneOf are the same, and its discriminator says which is meant; prism does not read it",
	}},
	{file: "corpus/scalar-galaxy-3.1.yaml", wrong: map[string]string{
		aDoublesBounds:                      anInt64,
		`must have required property 'id'$`: "a property that is readOnly is not to be sent; prism takes it out of required at the top, and neither behind a second reference nor inside oneOf",
		`^createCelestialBody: body(\.type)?: .* (exactly one schema in oneOf|allowed values: .*|additional properties; found .*)$`: "as no schema of the oneOf fits without the id that is readOnly, prism tells what each of them has against it",
		`: body: Request body must be object$`: "the content is XML; prism holds its text against the schema of an object",
	}},
	{file: "corpus/discourse-3.1.json"},
	{file: "corpus/mailpit-1.33-swagger2.json", wrong: map[string]string{aDoublesBounds: anInt64}},
	{file: "corpus/slack-web-swagger2.json", base: "/api", auth: "bearer:secret-key"},
	{file: "corpus/twilio-api-v2010.json", auth: "basic:tester:secret-key", wrong: map[string]string{oneOfAList: manyOfOneName}},
	{file: "wfd/languagetool.json", base: "/v2"},
	{file: "corpus/adyen-checkout-v71.json", base: "/v71", auth: "ApiKeyAuth=secret-key", wrong: map[string]string{aDoublesBounds: anInt64}},
	{file: "corpus/gitea-1.26-swagger2.json", base: "/api/v1", auth: "AuthorizationHeaderToken=secret-key"},
}

// TestPrismRefusesNoRequestThatIsCalledValid has prism, which judges requests by the document it mocks, judge ours.
func TestPrismRefusesNoRequestThatIsCalledValid(t *testing.T) {
	prism := os.Getenv("RESTEST_PRISM")
	if prism == "" {
		t.Skip("RESTEST_PRISM does not name the program of prism")
	}
	for _, m := range mocks {
		t.Run(filepath.Base(m.file), func(t *testing.T) {
			address := mock(t, prism, sharedFile(t, "openapi", m.file), m.base)
			out := t.TempDir()
			args := []string{
				"run", sharedFile(t, "openapi", m.file), "--url", "http://" + address + m.base, "--budget", sitting(3*time.Second, 10*time.Second).String(),
				"--quiet", "--seed", "1", "--out", out, "--set", "engine.mostRequestsPerMinute=6000", "--set", "schedule.cleanUp=false",
			}
			if m.auth != "" {
				args = append(args, "--auth", m.auth)
			}
			if m.deadly != nil {
				plan := filepath.Join(t.TempDir(), "plan.yaml")
				if err := os.WriteFile(plan, []byte("version: 1\noperations:\n  leaveAlone: ['"+strings.Join(m.deadly, "', '")+"']\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				args = append(args, "--plan", plan)
			}
			o := program(args...)
			o.read(t, out)
			m.judge(t, o)
		})
	}
}

// judge fails the test of each request that is called valid, is refused by prism, and not by a mistake of prism's.
func (m *mocked) judge(t *testing.T, o *outcome) {
	t.Helper()
	var valid int
	refused := map[string]int{}
	example := map[string]*reporter.ExchangeTold{}
	for _, e := range o.exchanges {
		if !e.Request.Valid || e.Reply == nil {
			continue
		}
		valid++
		for _, v := range violations(t, e) {
			line := e.Operation + ": " + indexes.ReplaceAllString(v, ".N")
			if !m.excused(line) {
				refused[line]++
				example[line] = e
			}
		}
	}
	if valid < 20 {
		t.Errorf("%d requests that are valid were answered: %s", valid, o.stdout)
	}
	t.Logf("%d requests that are valid were answered", valid)
	for line, n := range refused {
		e := example[line]
		content, _ := e.Request.Body.Bytes()
		t.Errorf("%d times %s\n%s %s %s\n%.2000s", n, line, e.Request.Method, e.Request.Target, field(e.Request.Header, "Content-Type"), content)
	}
}

func (m *mocked) excused(line string) bool {
	for expression := range m.wrong {
		if regexp.MustCompile(expression).MatchString(line) {
			return true
		}
	}
	return false
}

var indexes = regexp.MustCompile(`\.[0-9]+\b`)

// violations are what prism says a request violates: in a field of the reply, or in the reply of its own.
func violations(t *testing.T, e *reporter.ExchangeTold) (lines []string) {
	t.Helper()
	type violation struct {
		Location []string
		Severity string
		Message  string
	}
	content, err := e.Reply.Body.Bytes()
	if err != nil {
		t.Error(err)
	}
	var problem struct {
		Type       string
		Validation []violation
	}
	var told []violation
	if json.Unmarshal(content, &problem) == nil && strings.HasPrefix(problem.Type, "https://stoplight.io/prism/errors") {
		if told = problem.Validation; told == nil && e.Reply.Status < 500 {
			lines = append(lines, fmt.Sprintf("%d: %s", e.Reply.Status, content))
		}
	} else if text := field(e.Reply.Header, "sl-violations"); text != "" && e.Reply.Status >= 400 {
		// A reply that the document declares for what is refused.
		if json.Unmarshal([]byte(text), &told) != nil {
			lines = append(lines, text) // too many to list
		}
		told = slices.DeleteFunc(told, func(v violation) bool { return v.Location[0] != "request" })
	}
	for _, v := range told {
		if v.Severity == "Error" {
			lines = append(lines, strings.TrimPrefix(strings.Join(v.Location, "."), "request.")+": "+v.Message)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// mock has prism serve a document until the test ends, and start again when it dies of a request.
func mock(t *testing.T, program, document, base string) (address string) {
	t.Helper()
	addresses := freePorts(t, 2)
	host, port, _ := net.SplitHostPort(addresses[0])
	var now struct {
		sync.Mutex
		*exec.Cmd
		over bool
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			now.Lock()
			if now.over {
				now.Unlock()
				return
			}
			cmd := exec.Command(program, "mock", "-h", host, "-p", port, "--seed", "1", document)
			if err := cmd.Start(); err != nil {
				t.Error(err)
				now.Unlock()
				return
			}
			now.Cmd = cmd
			now.Unlock()
			_ = cmd.Wait()
		}
	}()
	t.Cleanup(func() {
		now.Lock()
		now.over = true
		_ = now.Process.Kill()
		now.Unlock()
		<-ended
	})
	clk := clock.NewSystem()
	for {
		if conn, err := net.Dial("tcp", addresses[0]); err == nil {
			_ = conn.Close()
			break
		}
		if clk.Now() > clock.Instant(3*time.Minute) {
			t.Fatal("prism does not serve ", document)
		}
		clock.Until(clk, clk.Now().Add(50*time.Millisecond), nil)
	}
	if base == "" {
		return addresses[0]
	}
	target := &url.URL{Scheme: "http", Host: addresses[0]}
	listener, err := net.Listen("tcp", addresses[1])
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.StripPrefix(base, httputil.NewSingleHostReverseProxy(target))} //nolint:gosec // on the loopback
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return addresses[1]
}
