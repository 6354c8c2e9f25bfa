package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/restest/restest/stages/reporter"
)

// testedInEveryFormat is the folder of a short run against the demo's API, which goes on being served.
func testedInEveryFormat(t *testing.T) string {
	t.Helper()
	origin := "http://" + serveDemo(t)
	out := t.TempDir()
	var said bytes.Buffer
	code := run([]string{
		"restest", "run", origin + "/openapi.json", "--url", origin, "--budget", "3s", "--seed", "1", "--quiet", "--out", out,
		"--set", "report.formats=html, junit, sarif, har, wfc, markdown",
	}, nil, strings.NewReader(""), io.Discard, &said)
	if code != reporter.ExitErrors {
		t.Fatalf("it ended with %d: %s", code, said.String())
	}
	return out
}

func TestEachFormatIsOneThatItsReadersTake(t *testing.T) {
	out := testedInEveryFormat(t)
	file := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	var told reporter.Report
	if err := json.Unmarshal(file("report.json"), &told); err != nil {
		t.Fatal(err)
	}
	if len(told.Findings) < 10 {
		t.Fatalf("only %d findings", len(told.Findings))
	}
	errors := 0
	for _, f := range told.Findings {
		if f.Level == "error" {
			errors++
		}
	}

	t.Run("report.html", func(t *testing.T) {
		page := string(file("report.html"))
		for _, f := range told.Findings {
			if strings.Count(page, `{"id":"`+f.ID+`"`) != 1 {
				t.Errorf("finding %s is not in it", f.ID)
			}
		}
		if !strings.HasPrefix(page, "<!DOCTYPE html>") || !strings.HasSuffix(page, "</html>\n") {
			t.Error("it is not whole")
		}
	})
	t.Run("junit.xml", func(t *testing.T) {
		var suites struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Suites   []struct {
				Cases []struct {
					Failure *struct {
						Text string `xml:",chardata"`
					} `xml:"failure"`
					Output string `xml:"system-out"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(file("junit.xml"), &suites); err != nil {
			t.Fatal(err)
		}
		tests, failures, text := 0, 0, ""
		for _, s := range suites.Suites {
			for _, c := range s.Cases {
				tests++
				if c.Failure != nil {
					failures++
					text += c.Failure.Text
				}
				text += c.Output
			}
		}
		if tests != suites.Tests || failures != suites.Failures || len(suites.Suites) != len(told.Operations) {
			t.Errorf("%d suites with %d tests and %d failures, said to be %d and %d", len(suites.Suites), tests, failures, suites.Tests, suites.Failures)
		}
		for _, f := range told.Findings {
			if !strings.Contains(text, f.ID) {
				t.Errorf("finding %s is not in it", f.ID)
			}
		}
	})
	t.Run("report.sarif", func(t *testing.T) {
		var log struct {
			Runs []struct {
				Results []struct {
					Level     string `json:"level"`
					Locations []struct {
						PhysicalLocation struct {
							Region struct {
								StartLine int `json:"startLine"`
							} `json:"region"`
						} `json:"physicalLocation"`
					} `json:"locations"`
				} `json:"results"`
			} `json:"runs"`
		}
		if err := json.Unmarshal(file("report.sarif"), &log); err != nil {
			t.Fatal(err)
		}
		levels := map[string]int{}
		for _, r := range log.Runs[0].Results {
			levels[r.Level]++
			if len(r.Locations) != 1 || r.Locations[0].PhysicalLocation.Region.StartLine == 0 {
				t.Errorf("a result without a line of the document: %+v", r)
			}
		}
		if levels["error"] != errors || len(log.Runs[0].Results) != len(told.Findings) {
			t.Errorf("results by level %v, of %d findings of which %d are errors", levels, len(told.Findings), errors)
		}
		validates(t, "sarif.json", file("report.sarif"))
	})
	t.Run("run.har", func(t *testing.T) {
		var har struct {
			Log struct {
				Entries []json.RawMessage `json:"entries"`
			} `json:"log"`
		}
		if err := json.Unmarshal(file("run.har"), &har); err != nil {
			t.Fatal(err)
		}
		if int64(len(har.Log.Entries)) != told.Totals.Requests {
			t.Errorf("%d entries of %d requests", len(har.Log.Entries), told.Totals.Requests)
		}
		validates(t, "har/har.json", file("run.har"))
	})
	t.Run("wfc/report.json", func(t *testing.T) {
		var wfc struct {
			Faults struct {
				TotalNumber int `json:"totalNumber"`
			} `json:"faults"`
			TestCases []struct {
				Name      string `json:"name"`
				StartLine int    `json:"startLine"`
				EndLine   int    `json:"endLine"`
			} `json:"testCases"`
		}
		if err := json.Unmarshal(file("wfc/report.json"), &wfc); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(file("wfc/findings_test.go")), "\n")
		for _, c := range wfc.TestCases {
			text := strings.Join(lines[c.StartLine-1:c.EndLine], "\n")
			if !strings.Contains(text, "func "+c.Name+"(t *testing.T)") || !strings.HasPrefix(text, "// F") || !strings.HasSuffix(text, "\n}") {
				t.Errorf("%s does not stand in lines %d to %d:\n%s", c.Name, c.StartLine, c.EndLine, text)
			}
		}
		if len(wfc.TestCases) != len(told.Findings) || wfc.Faults.TotalNumber != len(told.Findings) {
			t.Errorf("%d tests and %d faults for %d findings", len(wfc.TestCases), wfc.Faults.TotalNumber, len(told.Findings))
		}
		validates(t, "wfc-report.yaml", file("wfc/report.json"))
	})
	t.Run("wfc/findings_test.go", func(t *testing.T) {
		cmd := exec.Command("go", "test", "-count=1", "-tags", "restest", "-v", "findings_test.go")
		cmd.Dir = filepath.Join(out, "wfc")
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		text, _ := cmd.CombinedOutput() // that it fails is what is looked for
		again := len(regexp.MustCompile(`(?m)^--- FAIL`).FindAllString(string(text), -1))
		if again < len(told.Findings)/2 {
			t.Errorf("only %d of %d findings are found again:\n%s", again, len(told.Findings), text)
		}
	})
	t.Run("wfc/findings.http", func(t *testing.T) {
		if n := len(regexp.MustCompile(`(?m)^### F\d{3} `).FindAll(file("wfc/findings.http"), -1)); n != len(told.Findings) {
			t.Errorf("%d requests for %d findings", n, len(told.Findings))
		}
	})
	t.Run("report.md", func(t *testing.T) {
		if n := strings.Count(string(file("report.md")), "\n```sh\n"); n != min(len(told.Findings), 50) {
			t.Errorf("%d commands for %d findings", n, len(told.Findings))
		}
	})
}

// validates judges a file by the schema of its format, where that is there.
func validates(t *testing.T, schema string, content []byte) {
	t.Helper()
	folder := os.Getenv("RESTEST_SCHEMAS")
	if folder == "" {
		t.Skip("RESTEST_SCHEMAS names no folder with the formats' schemas (.ci/schemas gathers them)")
	}
	compiler := jsonschema.NewCompiler()
	var location string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "suite" {
			return filepath.SkipDir // the JSON Schema Test Suite, which is no format's
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".yaml") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var v any
		if strings.HasSuffix(path, ".yaml") {
			if err := yaml.Unmarshal(text, &v); err != nil {
				return err
			}
			if text, err = json.Marshal(v); err != nil {
				return err
			}
		}
		if v, err = jsonschema.UnmarshalJSON(bytes.NewReader(text)); err != nil {
			return err
		}
		url := "file:///" + filepath.ToSlash(path)
		if object, ok := v.(map[string]any); ok && strings.Contains(path, "har") {
			// Their identifiers are relative to one another's.
			delete(object, "$id")
		}
		if strings.HasSuffix(filepath.ToSlash(path), "/"+schema) {
			location = url
		}
		return compiler.AddResource(url, v)
	})
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile(location)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Error(err)
	}
}

func TestGitHubIsToldOfEachFindingAtItsLine(t *testing.T) {
	summary := filepath.Join(t.TempDir(), "summary.md")
	told := &reporter.Report{
		Operations: []reporter.OperationTold{{ID: "list", Method: "GET", Path: "/a", Declared: reporter.PlaceTold{File: "api.yaml", Line: 12}}},
		Findings: []reporter.FindingInFull{{
			ID: "abc", Code: "F100", Title: "The server failed, 100% sure", Level: "error", Certainty: "certain",
			Got: "500\n::warning::forged", ExchangeTold: &reporter.ExchangeTold{Operation: "list"},
		}},
	}
	var out bytes.Buffer
	if err := tellGitHub(told, []string{"GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=" + summary}, &out); err != nil {
		t.Fatal(err)
	}
	want := "::error title=F100 The server failed%2C 100%25 sure,file=api.yaml,line=12::list: The server failed, 100%25 sure. Got: 500 ::warning::forged.\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if text, err := os.ReadFile(summary); err != nil || !strings.Contains(string(text), "F100") {
		t.Errorf("the job's summary: %q, %v", text, err)
	}
	out.Reset()
	if err := tellGitHub(told, nil, &out); err != nil || out.Len() > 0 {
		t.Errorf("outside GitHub Actions: %q, %v", out.String(), err)
	}
}
