// Package graph works out which operations of a document make the things that others need, and where those go.
//
// Links say so outright. The rest is read from paths, names and schemas: POST /things makes what /things/{id} leads to
// and what a field thingId wants.
package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/restest/restest/settings/document"
)

// None stands for an operation that there is not.
const None = -1

// Graph is what the operations of a document have to do with one another.
type Graph struct {
	// Resources are the kinds of things, in the order of the document.
	Resources []*Resource
	// Edges lead from operations that give a value to those that need it, by producer, consumer and place.
	Edges []Edge

	byTemplate map[string]*Resource
	// made and listed are by operation.
	made, listed [][]*Resource
}

// Resource is a kind of thing: what the addresses of one template lead to.
type Resource struct {
	// Template is that of the addresses with the base path and without names, such as "/v1/things/{}".
	Template string
	// Collection is the template without its last segment.
	Collection string
	// Noun is the thing's name in the singular, such as "thing", "" where the path has no word for it.
	Noun string
	// Gap is the name of its gap, such as "thingId"; Depth is how many gaps its address has.
	Gap   string
	Depth int
	// Create, List, Read, Replace, Patch and Delete are operations on it, None where there is none.
	Create, List, Read, Replace, Patch, Delete int
	// Under are the other operations whose addresses lead through a thing's.
	Under []int
}

// How says what an edge was inferred from, the surest first.
type How string

// The ways to infer an edge.
const (
	ByLink   How = "link"   // the document declares it
	ByPath   How = "path"   // the consumer's path leads through the things that the producer makes or lists
	BySchema How = "schema" // the producer returns what the thing's own address returns
	ByName   How = "name"   // a field is named for the thing
)

// Edge says that a value of one operation's replies goes into another's requests.
type Edge struct {
	Producer, Consumer int
	// From is where the value comes from: a runtime expression of a link, or what kind of thing it identifies.
	From string
	// Into is where it goes: "path.id", "query.thing_id", "body.thing.id".
	Into string
	How  How
}

// Of works it out for a document.
func Of(doc *document.Document) *Graph {
	g := &Graph{byTemplate: map[string]*Resource{}, made: make([][]*Resource, len(doc.Operations)), listed: make([][]*Resource, len(doc.Operations))}
	routes := make([]Route, len(doc.Operations))
	for i, op := range doc.Operations {
		routes[i] = RouteOf(op)
		g.addressed(routes[i])
	}
	for i, op := range doc.Operations {
		g.place(i, op, routes[i])
	}
	g.findCreators(doc, routes)
	for i, op := range doc.Operations {
		g.needs(doc, i, op, routes[i])
		g.linked(i, op)
	}
	slices.SortStableFunc(g.Edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Producer, b.Producer), cmp.Compare(a.Consumer, b.Consumer), strings.Compare(a.Into, b.Into))
	})
	g.Edges = slices.Compact(g.Edges)
	return g
}

// At is the resource that the template's addresses lead to, nil if there is none.
func (g *Graph) At(template string) *Resource { return g.byTemplate[template] }

// Makes are the resources that the operation makes a thing of.
func (g *Graph) Makes(operation int) []*Resource { return g.made[operation] }

// Lists are the resources that the operation lists things of.
func (g *Graph) Lists(operation int) []*Resource { return g.listed[operation] }

// addressed notes the resource that the route ends in.
func (g *Graph) addressed(r Route) {
	if !r.EndsInGap() {
		return
	}
	last := r.Gaps[len(r.Gaps)-1]
	if g.byTemplate[last.Template] != nil {
		return
	}
	resource := &Resource{
		Template: last.Template, Collection: strings.TrimSuffix(last.Template, "/{}"), Noun: last.Noun, Gap: last.Name,
		Depth: len(r.Gaps), Create: None, List: None, Read: None, Replace: None, Patch: None, Delete: None,
	}
	g.byTemplate[last.Template] = resource
	g.Resources = append(g.Resources, resource)
}

// place finds the resources that the operation does something with, by its path.
func (g *Graph) place(i int, op *document.Operation, r Route) {
	set := func(to *int) {
		if *to == None && op.Untestable == "" {
			*to = i
		}
	}
	if r.EndsInGap() {
		resource := g.byTemplate[r.Template]
		switch op.Method {
		case "GET":
			set(&resource.Read)
		case "PUT":
			set(&resource.Replace)
		case "PATCH":
			set(&resource.Patch)
		case "DELETE":
			set(&resource.Delete)
		}
	} else if resource := g.collected(r); resource != nil {
		switch op.Method {
		case "GET":
			set(&resource.List)
		case "POST":
			set(&resource.Create)
		}
	}
	for _, gap := range r.Gaps {
		if resource := g.byTemplate[gap.Template]; resource != nil && gap.Template != r.Template {
			resource.Under = append(resource.Under, i)
		}
	}
}

// collected is the resource whose collection the route leads to: /things for /things/{id}, and also for /thing/{id}.
func (g *Graph) collected(r Route) *Resource {
	if resource := g.byTemplate[r.Template+"/{}"]; resource != nil {
		return resource
	}
	at := strings.LastIndexByte(r.Template, '/')
	if at < 0 {
		return nil
	}
	return g.byTemplate[r.Template[:at+1]+Singular(r.Template[at+1:])+"/{}"]
}

// findCreators looks for who makes the things of resources that have no POST of their own: an operation that returns
// what the things' own address returns, or whose link leads there; and lists what each operation makes.
func (g *Graph) findCreators(doc *document.Document, routes []Route) {
	for _, resource := range g.Resources {
		if resource.Create == None {
			resource.Create = creator(doc, routes, resource)
		}
		if resource.List != None {
			g.listed[resource.List] = append(g.listed[resource.List], resource)
		}
		if resource.Create != None {
			g.made[resource.Create] = append(g.made[resource.Create], resource)
		}
		if resource.Replace != None {
			g.made[resource.Replace] = append(g.made[resource.Replace], resource)
		}
	}
}

// creator is who makes the things of a resource that nothing is posted to the collection of, None if that is not known.
// The surest sign is a link, then that it returns the same schema, then that what it returns is named for the thing.
func creator(doc *document.Document, routes []Route, resource *Resource) int {
	found, best := None, 0
	name, noun := "", keyOf(resource.Noun)
	if resource.Read != None {
		name = returned(doc.Operations[resource.Read])
	}
	for i, op := range doc.Operations {
		if op.Method != "POST" || op.Untestable != "" || routes[i].leadsThrough(resource.Template) || routes[i].EndsInGap() {
			continue
		}
		sure := 0
		switch made := returned(op); {
		case resource.Read != None && linksTo(op, resource.Read):
			sure = 3
		case made == "":
		case made == name:
			sure = 2
		case len(noun) > 3 && strings.Contains(keyOf(made), noun):
			sure = 1
		}
		if sure > best && len(routes[i].Gaps) < resource.Depth {
			found, best = i, sure
		}
	}
	return found
}

// returned is the name of the schema of a successful reply, "" if it has none.
func returned(op *document.Operation) string {
	for _, r := range op.Responses {
		if !strings.HasPrefix(r.Code, "2") {
			continue
		}
		for _, m := range r.Media {
			if m.Schema != nil && m.Schema.Name != "" {
				return m.Schema.Name
			}
		}
	}
	return ""
}

func linksTo(op *document.Operation, target int) bool {
	for _, r := range op.Responses {
		if strings.HasPrefix(r.Code, "2") &&
			slices.ContainsFunc(r.Links, func(k *document.Link) bool { return k.Operation == target }) {
			return true
		}
	}
	return false
}

// linked adds the edges that the document declares.
func (g *Graph) linked(i int, op *document.Operation) {
	for _, r := range op.Responses {
		for _, k := range r.Links {
			for _, p := range k.Parameters {
				in := cmp.Or(p.In, "parameter")
				if text, ok := p.Value.(string); ok && IsExpression(text) {
					g.Edges = append(g.Edges, Edge{i, k.Operation, text, in + "." + p.Name, ByLink})
				}
			}
			if text, ok := k.Body.(string); ok && IsExpression(text) {
				g.Edges = append(g.Edges, Edge{i, k.Operation, text, "body", ByLink})
			}
		}
	}
}

// needs adds the edges that lead to the operation: into the gaps of its path, and into fields named for a thing.
func (g *Graph) needs(doc *document.Document, i int, op *document.Operation, r Route) {
	for _, gap := range r.Gaps {
		if resource := g.byTemplate[gap.Template]; resource != nil {
			g.produced(doc, resource, i, "path."+gap.Name, ByPath)
		}
	}
	for _, p := range op.Parameters {
		if p.In != "path" {
			g.named(doc, i, p.Name, "", p.In+"."+p.Name)
		}
	}
	if op.Body != nil {
		w := walk{doc: doc, g: g, consumer: i, left: mostFields}
		for _, m := range op.Body.Media {
			w.schema(m.Schema, "body", "", 0)
		}
	}
}

// produced adds an edge from each operation that makes or lists the resource.
func (g *Graph) produced(doc *document.Document, resource *Resource, consumer int, into string, how How) {
	from := cmp.Or(resource.Noun, "thing") + " " + resource.Gap
	for _, producer := range []int{resource.Create, resource.List} {
		if producer == None || producer == consumer {
			continue
		}
		h := how
		if route := RouteOf(doc.Operations[producer]); how == ByPath && g.collected(route) != resource {
			h = BySchema
		}
		g.Edges = append(g.Edges, Edge{producer, consumer, from, into, h})
	}
}

// named adds the edges into a field that is named for a thing: thingId, thing_id, thingIds, or id within thing.
func (g *Graph) named(doc *document.Document, consumer int, name, within, into string) {
	key := keyOf(name)
	if IsPlainID(name) {
		if within == "" {
			return
		}
		key = within + key
	}
	for _, resource := range g.Resources {
		noun := keyOf(resource.Noun)
		if noun == "" || !strings.HasPrefix(key, noun) {
			continue
		}
		switch key[len(noun):] {
		case "id", "ids", "uuid", "guid", keyOf(resource.Gap):
			g.produced(doc, resource, consumer, into, ByName)
		}
	}
}

const (
	// mostFields bounds how many fields of a body are looked at, deepestField how deep.
	mostFields   = 500
	deepestField = 5
)

// walk goes over the fields of a body.
type walk struct {
	doc      *document.Document
	g        *Graph
	consumer int
	left     int
}

func (w *walk) schema(s *document.Schema, place, within string, depth int) {
	if s == nil || depth > deepestField || w.left <= 0 {
		return
	}
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		w.schema(part, place, within, depth+1)
	}
	if s.Items != nil {
		w.schema(s.Items, place+"[]", within, depth+1)
	}
	for _, p := range s.Properties {
		if w.left--; w.left <= 0 {
			return
		}
		if p.Schema != nil && p.Schema.ReadOnly {
			continue
		}
		at := place + "." + p.Name
		w.g.named(w.doc, w.consumer, p.Name, within, at)
		w.schema(p.Schema, at, keyOf(Singular(p.Name)), depth+1)
	}
}
