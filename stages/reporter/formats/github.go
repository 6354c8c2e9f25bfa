package formats

import (
	"fmt"
	"io"
	"strings"

	"github.com/restest/restest/stages/reporter"
)

// mostAnnotations is how many annotations GitHub shows of one step, of each level.
const mostAnnotations = 10

// Annotations writes workflow commands, from which GitHub Actions makes annotations of the document's lines. What is known
// already is not annotated.
func Annotations(w io.Writer, told *reporter.Report) error {
	count := map[string]int{}
	for i := range told.Findings {
		f := &told.Findings[i]
		if f.Known != nil {
			continue
		}
		level := sarifLevel(f)
		if level == "note" {
			level = "notice"
		}
		if count[level]++; count[level] > mostAnnotations {
			continue
		}
		properties := []string{"title=" + property(f.Code+" "+oneLine(f.Title))}
		if at := operationOf(told, f.Operation).Declared; at.File != "" && at.File != "-" && !strings.Contains(at.File, "://") {
			properties = append(properties, "file="+property(at.File))
			if at.Line > 0 {
				properties = append(properties, fmt.Sprintf("line=%d", at.Line))
			}
		}
		if _, err := fmt.Fprintf(w, "::%s %s::%s\n", level, strings.Join(properties, ","), data(f.Operation+": "+sarifMessage(f))); err != nil {
			return err
		}
	}
	return nil
}

// data escapes a workflow command's message, property one of its properties, as GitHub's runner reads them.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}
