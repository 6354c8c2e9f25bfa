package formats

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/restest/restest/stages/reporter"
)

// mostInFull bounds the findings that are told in full in Markdown: a comment on a pull request is read whole.
const mostInFull = 50

// Markdown writes the report for a pull request.
func Markdown(w io.Writer, told *reporter.Report, _ reporter.Exchanges) error {
	out := bufio.NewWriter(w)
	p := func(format string, args ...any) { fmt.Fprintf(out, format, args...) }
	p("## restest: %s\n\n", escaped(title(told)))
	p("%s\n\n", escaped(told.Verdict.Sentence))
	p("| errors | warnings | requests | answered | 2xx | 4xx | 5xx | refused | no reply |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	t := &told.Totals
	p("| %d | %d | %d | %d | %d | %d | %d | %d | %d |\n\n", t.Errors, t.Warnings, t.Requests, t.Answered,
		t.ByClass.C2xx, t.ByClass.C4xx, t.ByClass.C5xx, t.Refused, t.NoReply)
	for i := range told.Findings {
		if i == mostInFull {
			p("… and %d more in `report.json`.\n\n", len(told.Findings)-i)
			break
		}
		f := &told.Findings[i]
		op := operationOf(told, f.Operation)
		name := f.Operation
		if op.Method != "" {
			name = op.Method + " " + op.Path
		}
		known := ""
		if f.Known != nil {
			known = " (known)"
		}
		p("<details><summary><b>%s</b> %s: %s, seen %d×%s</summary>\n\n", f.Code, html(f.Title), html(name), f.Count, known)
		if f.Expected != "" {
			p("- expected: %s\n", escaped(f.Expected))
		}
		if f.Got != "" {
			p("- got: %s\n", escaped(f.Got))
		}
		if f.Place != "" {
			p("- at: %s\n", code(f.Place))
		}
		p("- %s, %s\n\n", f.Level, escaped(f.Standing()))
		if f.Curl != "" {
			fence := "```"
			for strings.Contains(f.Curl, fence) {
				fence += "`"
			}
			p("%ssh\n%s\n%s\n\n", fence, f.Curl, fence)
		}
		p("</details>\n\n")
	}
	var silent []string
	for i := range told.Operations {
		if op := &told.Operations[i]; op.State != "tested" {
			silent = append(silent, fmt.Sprintf("- %s: %s", code(op.ID), escaped(orElse(op.Why, "never answered"))))
		}
	}
	if len(silent) > 0 {
		p("<details><summary>%d of %d operations were not tested</summary>\n\n%s\n\n</details>\n\n", len(silent), len(told.Operations), strings.Join(silent, "\n"))
	}
	p("Seed %d, %s %s.\n", told.Run.Seed, told.Tool.Name, told.Tool.Version)
	return out.Flush()
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// html is the text as it can stand between tags.
func html(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(oneLine(s))
}

// escaped is the text in one line, with nothing that Markdown or HTML would read as markup. A mention of somebody is
// broken up, since the text is the API's.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range html(s) {
		if strings.ContainsRune("\\`*_{}[]()#+-!|~@", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		if r == '@' {
			b.WriteString("\u200b")
		}
	}
	return b.String()
}

// code is the text as code within a line.
func code(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + oneLine(s) + " " + fence
	}
	return fence + oneLine(s) + fence
}
