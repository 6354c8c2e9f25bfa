package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/settings/document/graph"
)

// writeGraph writes which operations make what others need, a consumer at a time.
func writeGraph(w io.Writer, doc *document.Document) {
	g := graph.Of(doc)
	fmt.Fprintf(w, "%s of things, %s from who makes a value to who needs it\n",
		count(len(g.Resources), "kind"), count(len(g.Edges), "way"))
	for _, r := range g.Resources {
		fmt.Fprintf(w, "\n%s\n", printable(r.Template))
		for _, part := range []struct {
			what      string
			operation int
		}{
			{"made by", r.Create}, {"listed by", r.List}, {"read by", r.Read}, {"put by", r.Replace}, {"patched by", r.Patch}, {"deleted by", r.Delete},
		} {
			if part.operation != graph.None {
				fmt.Fprintf(w, "  %-10s  %s\n", part.what, named(doc, part.operation))
			}
		}
	}
	for i := range doc.Operations {
		told := false
		for _, e := range g.Edges {
			if e.Consumer != i {
				continue
			}
			if !told {
				fmt.Fprintf(w, "\n%s needs\n", named(doc, i))
				told = true
			}
			fmt.Fprintf(w, "  %s: %s of %s (by %s)\n", printable(e.Into), printable(e.From), named(doc, e.Producer), e.How)
		}
	}
}

func named(doc *document.Document, operation int) string {
	op := doc.Operations[operation]
	return printable(op.Method + " " + op.BasePath + op.Path)
}

// The shape of document --graph --json.
type (
	graphJSON struct {
		Resources []resourceJSON `json:"resources"`
		Edges     []edgeJSON     `json:"edges"`
	}
	resourceJSON struct {
		Template string   `json:"template"`
		Noun     string   `json:"noun,omitempty"`
		Create   string   `json:"create,omitempty"` // the operations' ids
		List     string   `json:"list,omitempty"`
		Read     string   `json:"read,omitempty"`
		Replace  string   `json:"replace,omitempty"`
		Patch    string   `json:"patch,omitempty"`
		Delete   string   `json:"delete,omitempty"`
		Under    []string `json:"under,omitempty"`
	}
	edgeJSON struct {
		Producer string `json:"producer"`
		Consumer string `json:"consumer"`
		From     string `json:"from"`
		Into     string `json:"into"`
		By       string `json:"by"` // link, path, schema or name
	}
)

func writeGraphJSON(w io.Writer, doc *document.Document) {
	g := graph.Of(doc)
	id := func(operation int) string {
		if operation == graph.None {
			return ""
		}
		return doc.Operations[operation].ID
	}
	told := graphJSON{Resources: []resourceJSON{}, Edges: []edgeJSON{}}
	for _, r := range g.Resources {
		under := make([]string, 0, len(r.Under))
		for _, i := range r.Under {
			under = append(under, id(i))
		}
		told.Resources = append(told.Resources, resourceJSON{
			Template: r.Template, Noun: r.Noun, Create: id(r.Create), List: id(r.List), Read: id(r.Read),
			Replace: id(r.Replace), Patch: id(r.Patch), Delete: id(r.Delete), Under: slices.Clip(under),
		})
	}
	for _, e := range g.Edges {
		told.Edges = append(told.Edges, edgeJSON{id(e.Producer), id(e.Consumer), e.From, e.Into, string(e.How)})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	encoder.Encode(told) // fails as the writer does alone, which remembers
}
