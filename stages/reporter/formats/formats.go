// Package formats writes the report of a run as other tools read it: JUnit XML, SARIF, HAR, the Web Fuzzing Commons
// report with its tests, and Markdown.
//
// Each is made from the report and the recorded exchanges alone, so that it holds no key and can be made again later.
package formats

import (
	"strings"

	"github.com/restest/restest/stages/reporter"
)

// All are the formats, in the order of the files they write.
func All() []reporter.Format {
	return []reporter.Format{
		{Name: "junit", File: "junit.xml", Write: JUnit},
		{Name: "sarif", File: "report.sarif", Write: SARIF},
		{Name: "har", File: "run.har", Write: HAR},
		{Name: "wfc", File: "wfc/report.json", Write: WFC},
		{Name: "wfc", File: "wfc/findings_test.go", Write: GoTest},
		{Name: "wfc", File: "wfc/findings.http", Write: HTTP},
		{Name: "markdown", File: "report.md", Write: Markdown},
	}
}

// oneLine is the text with what would begin a new line taken for a space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// operationOf is the report's entry for an operation; a fresh one where there is none.
func operationOf(told *reporter.Report, id string) *reporter.OperationTold {
	for i := range told.Operations {
		if told.Operations[i].ID == id {
			return &told.Operations[i]
		}
	}
	return &reporter.OperationTold{ID: id}
}
