package formats

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/restest/restest/stages/reporter"
)

// The elements of JUnit's XML, as the common readers take them: a suite for each operation, in it a case for each
// family of checks. An error that counts is a failure of its case, what else was found is told in the case's
// output, and what could not be tested is skipped.
type (
	suites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Time     string   `xml:"time,attr"`
		Suites   []suite  `xml:"testsuite"`
	}
	suite struct {
		Name      string     `xml:"name,attr"`
		Tests     int        `xml:"tests,attr"`
		Failures  int        `xml:"failures,attr"`
		Errors    int        `xml:"errors,attr"`
		Skipped   int        `xml:"skipped,attr"`
		Timestamp string     `xml:"timestamp,attr"`
		Cases     []testCase `xml:"testcase"`
	}
	testCase struct {
		Name      string   `xml:"name,attr"`
		ClassName string   `xml:"classname,attr"`
		File      string   `xml:"file,attr,omitempty"`
		Line      int      `xml:"line,attr,omitempty"`
		Skipped   *message `xml:"skipped"`
		Failure   *message `xml:"failure"`
		Error     *message `xml:"error"`
		Output    string   `xml:"system-out,omitempty"`
	}
	message struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// families are what a case stands for, by the hundreds of the catalogue's codes.
var families = []struct{ digit, name string }{
	{"1", "HTTP"}, {"2", "the document"}, {"3", "security"}, {"9", "what is declared"},
}

// JUnit writes the report as junit.xml.
func JUnit(w io.Writer, told *reporter.Report, _ reporter.Exchanges) error {
	out := suites{Name: title(told), Time: seconds(told.Engine.WallClock)}
	byOperation := map[string][]*reporter.FindingInFull{}
	for i := range told.Findings {
		f := &told.Findings[i]
		byOperation[f.Operation] = append(byOperation[f.Operation], f)
	}
	for i := range told.Operations {
		out.add(suiteOf(told, &told.Operations[i], byOperation[told.Operations[i].ID]))
	}
	if len(told.OwnFailures) > 0 {
		own := suite{Name: "restest itself", Timestamp: timestamp(told.Run.Started)}
		for _, f := range told.OwnFailures {
			own.add(testCase{
				Name: oneLine(f.Message), ClassName: "restest",
				Error: &message{Message: oneLine(f.Message), Type: "failure of the tool", Text: f.Message},
			})
		}
		out.add(own)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *suites) add(t suite) {
	s.Suites = append(s.Suites, t)
	s.Tests += t.Tests
	s.Failures += t.Failures
	s.Errors += t.Errors
	s.Skipped += t.Skipped
}

func (s *suite) add(c testCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

func suiteOf(told *reporter.Report, op *reporter.OperationTold, findings []*reporter.FindingInFull) suite {
	s := suite{Name: op.ID, Timestamp: timestamp(told.Run.Started)}
	base := testCase{ClassName: op.Method + " " + op.Path, File: op.Declared.File, Line: op.Declared.Line}
	if op.State != "tested" && len(findings) == 0 {
		c := base
		c.Name = "is tested"
		why := op.Why
		if why == "" {
			why = "it was never answered"
		}
		c.Skipped = &message{Message: oneLine(why)}
		s.add(c)
		return s
	}
	known := map[string]bool{}
	for _, f := range families {
		known[f.digit] = true
		s.add(caseOf(base, f.name, ofFamily(findings, f.digit)))
	}
	others := map[string]bool{}
	for _, f := range findings {
		if d := digit(f.Code); !known[d] {
			others[d] = true
		}
	}
	for _, d := range slices.Sorted(maps.Keys(others)) {
		s.add(caseOf(base, "F"+d+"xx", ofFamily(findings, d)))
	}
	return s
}

func caseOf(base testCase, family string, findings []*reporter.FindingInFull) testCase {
	c := base
	c.Name = "keeps to " + family
	var failures, notes strings.Builder
	var first *reporter.FindingInFull
	for _, f := range findings {
		if f.Level == "error" && f.Counts() {
			if first == nil {
				first = f
			}
			failures.WriteString(inFull(f))
		} else {
			notes.WriteString(inFull(f))
		}
	}
	if first != nil {
		c.Failure = &message{Message: first.Code + " " + oneLine(first.Title), Type: reporter.FaultOf(first.Code).ID, Text: clean(failures.String())}
	}
	c.Output = clean(notes.String())
	return c
}

func ofFamily(findings []*reporter.FindingInFull, d string) []*reporter.FindingInFull {
	var some []*reporter.FindingInFull
	for _, f := range findings {
		if digit(f.Code) == d {
			some = append(some, f)
		}
	}
	return some
}

// digit is the hundreds of a code such as "F205".
func digit(code string) string {
	if len(code) < 2 {
		return ""
	}
	return code[1 : len(code)-2]
}

// inFull is a finding as a person reads it, without markup.
func inFull(f *reporter.FindingInFull) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s, %s, seen %d times; finding %s)\n", f.Code, oneLine(f.Title), f.Level, oneLine(f.Standing()), f.Count, f.ID)
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %s: %s\n", name, oneLine(text))
		}
	}
	line("expected", f.Expected)
	line("got", f.Got)
	line("at", f.Place)
	if f.Curl != "" {
		fmt.Fprintf(&b, "  %s\n", f.Curl)
	}
	return b.String()
}

// clean is the text without what XML 1.0 cannot hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 {
			return r
		}
		return 0xFFFD
	}, s)
}

// seconds is a length of time such as "PT12.5S" as a number of seconds.
func seconds(iso string) string {
	return strings.TrimSuffix(strings.TrimPrefix(iso, "PT"), "S")
}

// timestamp is the moment as JUnit writes it: without a zone, which is UTC.
func timestamp(moment string) string { return strings.TrimSuffix(moment, "Z") }

// title names what was tested.
func title(told *reporter.Report) string {
	if told.API.Title == "" {
		return told.API.Address
	}
	return told.API.Title + " at " + told.API.Address
}
