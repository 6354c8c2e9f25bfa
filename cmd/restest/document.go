package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/urfave/cli/v3"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator"
)

func (a *app) documentCommand() *cli.Command {
	return &cli.Command{
		Name:      "document",
		Usage:     "say what of a document can be tested, and what is wrong with it",
		ArgsUsage: "DOCUMENT",
		Description: strings.TrimSpace(`
Reads an OpenAPI document, 2.0 to 3.2, from a file, a URL or - for the standard input. Lists its operations, which of
them can be tested and why the others cannot, and every problem found with its place. Nothing is sent to the API.`),
		Metadata: map[string]any{"Examples": []string{
			"restest document openapi.yaml",
			"restest document https://api.example.com/openapi.json --json",
			"restest document openapi.yaml --dictionary-template >values.yaml",
			"restest document openapi.yaml --graph   # which operations make the ids that others need",
			"restest document openapi.yaml --url http://localhost:8080   # as run would read it",
		}},
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "write JSON"},
			&cli.BoolFlag{Name: "dictionary-template", Usage: "write a dictionary to fill in, for run --dictionary"},
			&cli.BoolFlag{Name: "graph", Usage: "show which operations make what others need"},
			&cli.StringFlag{Name: "url", Usage: "`URL` of the API, as for run"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 || cmd.Args().First() == "" {
				return usage(cmd, "one DOCUMENT belongs here; write a file, a URL or - for the standard input")
			}
			if cmd.IsSet("url") {
				if wrong := checkURL(cmd.String("url")); wrong != "" {
					return usage(cmd, "--url %s", wrong)
				}
			}
			given, err := settings.Resolve(settings.Input{Environ: a.environ})
			if err != nil {
				return err
			}
			system := clock.NewSystem()
			r := newReader(a.in, newFetcher(given, a.environ, system), cmd.Args().First())
			r.find(ctx)
			doc, err := document.Load(ctx, r.location, document.Options{URL: cmd.String("url"), Read: r.read})
			if err != nil {
				return errors.New(printable(err.Error()))
			}
			// What no request can be built for cannot be tested either.
			g := generator.New(generator.Config{Document: doc, Settings: given.Settings}, system, generator.Neighbours{})
			for _, u := range g.Unbuildable() {
				doc.Operations[u.Operation].Untestable = u.Reason
			}
			if cmd.Bool("dictionary-template") {
				writeDictionaryTemplate(a.out, doc, given.Settings)
				return nil
			}
			write := writeDocument
			switch {
			case cmd.Bool("graph") && cmd.Bool("json"):
				write = writeGraphJSON
			case cmd.Bool("graph"):
				write = writeGraph
			case cmd.Bool("json"):
				write = writeDocumentJSON
			}
			write(a.out, doc)
			return nil
		},
	}
}

// writeDocument writes what was read as a table, then what cannot be tested and why, and the problems, each in a line
// that begins with its place.
func writeDocument(w io.Writer, doc *document.Document) {
	at := "at " + doc.Address
	if doc.Origin == "" {
		at = "which names no host; --url says where the API is"
	}
	fmt.Fprintf(w, "%s %s, OpenAPI %s, %s\n",
		cmp.Or(printable(doc.Title), "(no title)"), printable(doc.Version), printable(doc.Dialect), printable(at))
	var untestable []*document.Operation
	if len(doc.Operations) > 0 {
		fmt.Fprintln(w)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "METHOD\tPATH\tPARAMETERS\tBODY\tRESPONSES\tTESTABLE")
		for _, op := range doc.Operations {
			body, testable := "-", "yes"
			switch {
			case op.Body != nil && op.Body.Required:
				body = "required"
			case op.Body != nil:
				body = "optional"
			}
			if op.Untestable != "" {
				testable, untestable = "no", append(untestable, op)
			}
			fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%d\t%s\n", printable(op.Method), printable(op.BasePath+op.Path),
				len(op.Parameters), body, len(op.Responses), testable)
		}
		table.Flush()
	}

	fmt.Fprintf(w, "\n%s\n", testableWords(len(doc.Operations), len(doc.Operations)-len(untestable)))
	if len(untestable) > 0 {
		fmt.Fprintf(w, "\n%d cannot be tested:\n", len(untestable))
		for _, op := range untestable {
			fmt.Fprintf(w, "%s %s: %s\n", printable(op.Method), printable(op.BasePath+op.Path), printable(op.Untestable))
		}
	}
	if len(doc.Issues) > 0 {
		fmt.Fprintf(w, "\n%s:\n", issueWords(doc.Issues))
		for _, issue := range doc.Issues {
			fmt.Fprintf(w, "%s: %s: %s\n", printable(placeText(issue.Place)), issue.Severity, printable(issue.Message))
		}
	}
}

// testableWords say how many operations there are and how many of them can be tested.
func testableWords(operations, testable int) string {
	words := count(operations, "operation")
	switch {
	case operations == 0:
		return "no operations, so there is nothing to test"
	case testable == 0:
		return words + ", none of which can be tested"
	case testable == 1 && operations == 1:
		return words + ", testable"
	case testable == operations:
		return words + ", all testable"
	}
	return fmt.Sprintf("%s, %d of them testable", words, testable)
}

// issueWords say how many problems of each kind were found.
func issueWords(issues []document.Issue) string {
	var words []string
	for _, severity := range []string{"error", "warning", "note"} {
		n := 0
		for _, issue := range issues {
			if issue.Severity == severity {
				n++
			}
		}
		if n > 0 {
			words = append(words, count(n, severity))
		}
	}
	return strings.Join(words, ", ")
}

func placeText(p document.Place) string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	case p.Pointer != "" && p.Pointer != "#":
		return p.File + p.Pointer
	}
	return p.File
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func countTestable(doc *document.Document) int {
	n := 0
	for _, op := range doc.Operations {
		if op.Untestable == "" {
			n++
		}
	}
	return n
}

// printable leaves out of a document's text what a terminal would act on.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}

// The shape of document --json.
type (
	documentJSON struct {
		Source     string          `json:"source"`
		OpenAPI    string          `json:"openapi"`
		Title      string          `json:"title"`
		Version    string          `json:"version"`
		Address    string          `json:"address"`
		Testable   int             `json:"testable"`
		Operations []operationJSON `json:"operations"`
		Issues     []issueJSON     `json:"issues"`
	}
	operationJSON struct {
		ID         string     `json:"id"`
		Method     string     `json:"method"`
		Path       string     `json:"path"` // the base path before it
		Testable   bool       `json:"testable"`
		Untestable string     `json:"untestable,omitempty"` // why it is not
		Parameters int        `json:"parameters"`
		Body       []string   `json:"body,omitempty"` // the media types
		Responses  []string   `json:"responses"`      // the codes
		Security   [][]string `json:"security,omitempty"`
		Deprecated bool       `json:"deprecated,omitempty"`
		Line       int        `json:"line,omitempty"`
	}
	issueJSON struct {
		File     string `json:"file"`
		Line     int    `json:"line,omitempty"`
		Column   int    `json:"column,omitempty"`
		Pointer  string `json:"pointer,omitempty"`
		Severity string `json:"severity"`
		Message  string `json:"message"`
	}
)

func writeDocumentJSON(w io.Writer, doc *document.Document) {
	told := documentJSON{
		Source: doc.Source, OpenAPI: doc.Dialect, Title: doc.Title, Version: doc.Version, Address: doc.Address,
		Testable: countTestable(doc), Operations: []operationJSON{}, Issues: []issueJSON{},
	}
	for _, op := range doc.Operations {
		o := operationJSON{
			ID: op.ID, Method: op.Method, Path: op.BasePath + op.Path,
			Testable: op.Untestable == "", Untestable: op.Untestable,
			Parameters: len(op.Parameters), Responses: []string{}, Deprecated: op.Deprecated, Line: op.Place.Line,
		}
		if op.Body != nil {
			for _, m := range op.Body.Media {
				o.Body = append(o.Body, m.Type)
			}
		}
		for _, r := range op.Responses {
			o.Responses = append(o.Responses, r.Code)
		}
		for _, alternative := range op.Security {
			schemes := []string{}
			for _, r := range alternative {
				schemes = append(schemes, r.Scheme)
			}
			o.Security = append(o.Security, schemes)
		}
		told.Operations = append(told.Operations, o)
	}
	for _, i := range doc.Issues {
		told.Issues = append(told.Issues, issueJSON{i.Place.File, i.Place.Line, i.Place.Column, i.Place.Pointer, i.Severity, i.Message})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	encoder.Encode(told) // fails as the writer does alone, which remembers
}
