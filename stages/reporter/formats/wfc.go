package formats

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/restest/restest/stages/reporter"
)

// The members of a Web Fuzzing Commons report (report schema 0.8.0) that are written.
type (
	wfcReport struct {
		SchemaVersion string     `json:"schemaVersion"`
		ToolName      string     `json:"toolName"`
		ToolVersion   string     `json:"toolVersion"`
		CreationTime  string     `json:"creationTime"`
		Faults        wfcFaults  `json:"faults"`
		Problem       wfcProblem `json:"problemDetails"`
		TotalTests    int        `json:"totalTests"`
		TestFilePaths []string   `json:"testFilePaths"`
		TestCases     []wfcTest  `json:"testCases"`
		Seconds       int64      `json:"executionTimeInSeconds"`
	}
	wfcFaults struct {
		Total int        `json:"totalNumber"`
		Found []wfcFound `json:"foundFaults"`
	}
	wfcFound struct {
		OperationID string        `json:"operationId"`
		TestCaseID  string        `json:"testCaseId"`
		Categories  []wfcCategory `json:"faultCategories"`
	}
	wfcCategory struct {
		ID      string `json:"id"`
		Code    int    `json:"code"`
		Context string `json:"context"`
	}
	wfcProblem struct {
		REST wfcREST `json:"rest"`
	}
	wfcREST struct {
		OutputCalls    int          `json:"outputHttpCalls"`
		EvaluatedCalls int64        `json:"evaluatedHttpCalls"`
		EndpointIDs    []string     `json:"endpointIds"`
		Covered        []wfcCovered `json:"coveredHttpStatus"`
	}
	wfcCovered struct {
		EndpointID string `json:"endpointId"`
		TestCaseID string `json:"testCaseId"`
		Statuses   []int  `json:"httpStatus"`
	}
	wfcTest struct {
		ID        string `json:"id"`
		FilePath  string `json:"filePath"`
		Name      string `json:"name"`
		StartLine int    `json:"startLine"`
		EndLine   int    `json:"endLine"`
	}
)

// The version of the report's schema, and the name of the file the tests stand in.
const (
	wfcSchemaVersion = "0.8.0"
	testFile         = "findings_test.go"
)

// WFC writes the Web Fuzzing Commons report. Each finding is a test case of findings_test.go.
func WFC(w io.Writer, told *reporter.Report, _ reporter.Exchanges) error {
	var discarded bytes.Buffer
	tests, err := writeTests(&discarded, told)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(seconds(told.Engine.WallClock), 64)
	if err != nil {
		return fmt.Errorf("how long the run took: %w", err)
	}
	out := wfcReport{
		SchemaVersion: wfcSchemaVersion, ToolName: told.Tool.Name, ToolVersion: told.Tool.Version, CreationTime: told.CreatedAt,
		Faults:     wfcFaults{Total: len(told.Findings), Found: []wfcFound{}},
		TotalTests: len(tests), TestFilePaths: []string{testFile}, TestCases: []wfcTest{}, Seconds: int64(seconds),
		Problem: wfcProblem{wfcREST{
			OutputCalls: len(tests), EvaluatedCalls: told.Totals.Requests, EndpointIDs: []string{}, Covered: []wfcCovered{},
		}},
	}
	for i := range told.Operations {
		out.Problem.REST.EndpointIDs = append(out.Problem.REST.EndpointIDs, endpoint(&told.Operations[i]))
	}
	for i, t := range tests {
		f := &told.Findings[t.finding]
		id, op := testFile+"#"+t.name, endpoint(operationOf(told, f.Operation))
		code, err := strconv.Atoi(strings.TrimPrefix(f.Code, "F"))
		if err != nil {
			return fmt.Errorf("the code of a finding: %w", err)
		}
		out.Faults.Found = append(out.Faults.Found, wfcFound{op, id, []wfcCategory{{reporter.FaultOf(f.Code).ID, code, context(f)}}})
		out.TestCases = append(out.TestCases, wfcTest{id, testFile, t.name, tests[i].first, tests[i].last})
		statuses := []int{}
		if f.Status > 0 && f.Status < 600 {
			statuses = append(statuses, f.Status)
		}
		out.Problem.REST.Covered = append(out.Problem.REST.Covered, wfcCovered{op, id, statuses})
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

// endpoint is how the format names an operation.
func endpoint(op *reporter.OperationTold) string {
	if op.Method == "" {
		return op.ID
	}
	return op.Method + ":" + op.Path
}

// context tells findings of one code from others.
func context(f *reporter.FindingInFull) string {
	parts := []string{oneLine(f.Title)}
	if f.Place != "" {
		parts = append(parts, "at "+f.Place)
	}
	if f.Got != "" {
		parts = append(parts, "got "+oneLine(f.Got))
	}
	return strings.Join(parts, ", ")
}

// test is one test of the file: for which finding, and in which lines.
type test struct {
	finding, first, last int
	name                 string
}

// GoTest writes findings_test.go: a test for each finding that sends its request again, with the standard library
// alone. A test passes where the finding is gone.
func GoTest(w io.Writer, told *reporter.Report, _ reporter.Exchanges) error {
	_, err := writeTests(w, told)
	return err
}

const testsHead = `//go:build restest

// Made by restest from the findings of a run against %s.
// It sends each request again and fails where the reply is still the one that was found:
//
//	go test -tags restest %s
package findings

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

`

const testsFoot = `
// request is what was sent. A key stands in it as ${NAME}, an environment variable.
type request struct {
	method, url, body string
	header            [][2]string
}

// send sends the request and gives the reply's status, 0 for no reply.
func send(t *testing.T, r request) int {
	t.Helper()
	expand := func(s string) string {
		for _, name := range variables {
			if !strings.Contains(s, "${"+name+"}") {
				continue
			}
			value, ok := os.LookupEnv(name)
			if !ok {
				t.Skipf("set %s to send this", name)
			}
			s = strings.ReplaceAll(s, "${"+name+"}", value)
		}
		return s
	}
	out, err := http.NewRequestWithContext(t.Context(), r.method, expand(r.url), strings.NewReader(expand(r.body)))
	if err != nil {
		t.Skipf("net/http does not send this request: %v", err)
	}
	out.Header["User-Agent"] = nil
	for _, f := range r.header {
		out.Header[f[0]] = append(out.Header[f[0]], expand(f[1]))
	}
	client := http.Client{
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	reply, err := client.Do(out)
	if err != nil {
		t.Logf("no reply: %v", err)
		return 0
	}
	defer reply.Body.Close()
	content, _ := io.ReadAll(io.LimitReader(reply.Body, 1<<20))
	t.Logf("%s\n%s", reply.Status, content)
	return reply.StatusCode
}
`

// writeTests writes the file and says where each test stands in it.
func writeTests(to io.Writer, told *reporter.Report) ([]test, error) {
	w := &counting{w: bufio.NewWriter(to)}
	w.printf(testsHead, comment1(told.API.Address), testFile)
	w.printf("// variables are those that hold keys.\nvar variables = []string{")
	for i, v := range told.CurlVariables {
		if i > 0 {
			w.printf(", ")
		}
		w.printf("%q", v.Name)
	}
	w.printf("}\n")
	var tests []test
	names := map[string]bool{}
	for i := range told.Findings {
		f := &told.Findings[i]
		if f.Again == nil || f.Again.Body != nil && f.Again.Body.Shortened {
			continue // it cannot be sent again from here
		}
		body, err := f.Again.Body.Bytes()
		if err != nil {
			return nil, fmt.Errorf("the body of a finding: %w", err)
		}
		name := testName(f, names)
		w.printf("\n")
		first := w.lines + 1
		w.printf("// %s %s\n", f.Code, comment1(f.Title))
		if f.Expected != "" {
			w.printf("// Expected: %s\n", comment1(f.Expected))
		}
		if f.Got != "" {
			w.printf("// Got: %s\n", comment1(f.Got))
		}
		w.printf("func %s(t *testing.T) {\n\tstatus := send(t, request{\n", name)
		w.printf("\t\tmethod: %q,\n\t\turl:    %q,\n", string(f.Again.Method), string(f.Again.URL))
		if body != nil {
			w.printf("\t\tbody:   %q,\n", body)
		}
		w.printf("\t\theader: [][2]string{\n")
		for _, h := range f.Again.Header {
			w.printf("\t\t\t{%q, %q},\n", string(h[0]), string(h[1]))
		}
		w.printf("\t\t},\n\t})\n\tif status == %d {\n\t\tt.Errorf(\"%%d again, with the finding it showed\", status)\n\t}\n}\n", f.Status)
		tests = append(tests, test{i, first, w.lines, name})
	}
	w.printf("%s", testsFoot)
	return tests, w.flush()
}

// testName is a name for the finding's test that no other has.
func testName(f *reporter.FindingInFull, taken map[string]bool) string {
	var b strings.Builder
	b.WriteString("Test" + f.Code)
	up := true
	for _, r := range f.Operation {
		switch {
		case r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if up {
				r = unicode.ToUpper(r)
			}
			b.WriteRune(r)
			up = false
		default:
			up = true
		}
	}
	if f.Status != 0 {
		fmt.Fprintf(&b, "_%d", f.Status)
	}
	name := b.String()
	for i := 2; taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", b.String(), i)
	}
	taken[name] = true
	return name
}

// comment1 is the text as it can stand in a line of comment.
func comment1(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, oneLine(s))
}

// counting counts the lines it writes, and keeps the first error.
type counting struct {
	w     *bufio.Writer
	lines int
}

func (c *counting) printf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	c.lines += strings.Count(text, "\n")
	c.w.WriteString(text) // flush tells of the error
}

func (c *counting) flush() error { return c.w.Flush() }

// HTTP writes findings.http: the findings' requests as the HTTP clients of editors send them.
func HTTP(w io.Writer, told *reporter.Report, _ reporter.Exchanges) error {
	out := bufio.NewWriter(w)
	variables := map[string]bool{}
	for _, v := range told.CurlVariables {
		variables[v.Name] = true
	}
	expand := func(s string) string {
		for _, name := range slices.Sorted(maps.Keys(variables)) {
			s = strings.ReplaceAll(s, "${"+name+"}", "{{$processEnv "+name+"}}")
		}
		return s
	}
	for i := range told.Findings {
		f := &told.Findings[i]
		if f.Again == nil {
			continue
		}
		fmt.Fprintf(out, "### %s %s (%s)\n", f.Code, comment1(f.Title), f.ID)
		if f.Expected != "" {
			fmt.Fprintf(out, "# expected: %s\n", comment1(f.Expected))
		}
		if f.Got != "" {
			fmt.Fprintf(out, "# got: %s\n", comment1(f.Got))
		}
		fmt.Fprintf(out, "%s %s HTTP/1.1\n", f.Again.Method, expand(string(f.Again.URL)))
		for _, h := range f.Again.Header {
			if http.CanonicalHeaderKey(string(h[0])) != "Content-Length" {
				fmt.Fprintf(out, "%s: %s\n", h[0], expand(string(h[1])))
			}
		}
		switch b := f.Again.Body; {
		case b == nil:
		case b.Text != nil && !b.Shortened:
			fmt.Fprintf(out, "\n%s\n", expand(*b.Text))
		default:
			fmt.Fprintf(out, "\n# its body of %d bytes is in report.json\n", b.Length)
		}
		out.WriteString("\n")
	}
	if len(told.Findings) == 0 {
		out.WriteString("# The run found nothing.\n")
	}
	return out.Flush()
}
