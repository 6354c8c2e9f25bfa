package document

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// mostHops is how many references may lead from one to the next.
const mostHops = 100

// resource is a schema with an $id: references within it start from there.
type resource struct {
	id  string
	top at
}

// marks are the names that schemas of a file give themselves.
type marks struct {
	ids     map[string]*resource
	anchors map[anchor]at
	dynamic map[string]int // how often a $dynamicAnchor of that name stands there
}

// anchor is a name that a schema has within the resource it stands in, which is the file where no $id is around it. A
// resource of "" stands for whichever has the name: not everyone who writes a reference heeds the $id around it.
type anchor struct{ resource, name string }

// reference is the text of the object's $ref; ok is false if it has none.
func reference(n *node) (string, bool) {
	if n == nil || n.kind != isObject {
		return "", false
	}
	r := n.get("$ref")
	if r == nil || r.kind != isText {
		return "", false
	}
	return r.text, true
}

// target follows the references of an object that is no schema until one is reached that is none. An error is a
// sentence that begins with the reference; it has been noted as an issue at its place.
func (l *loader) target(a at) (at, error) { return l.follow(a, "error") }

func (l *loader) follow(a at, severity string) (at, error) {
	for range mostHops {
		ref, ok := reference(a.n)
		if !ok {
			return a, nil
		}
		next, err := l.resolve(a, ref)
		if err != nil {
			l.issue(a, severity, "%s", err)
			return at{}, err
		}
		a = next
	}
	err := errors.New("the references lead round in a circle")
	l.issue(a, severity, "%s", err)
	return at{}, err
}

// resolve finds what a reference names.
func (l *loader) resolve(from at, ref string) (at, error) {
	if found, ok := l.within(from, ref); ok {
		return found, nil
	}
	location, fragment, _ := strings.Cut(ref, "#")
	f := from.file
	if location != "" {
		var err error
		if f, err = l.beside(from, location); err != nil {
			return at{}, fmt.Errorf("the reference %q cannot be followed: %w", shorten(ref), err)
		}
	}
	found, ok := l.fragment(f.top(), fragment)
	if !ok {
		return at{}, fmt.Errorf("the reference %q leads nowhere", shorten(ref))
	}
	return found, nil
}

// beside opens the file that a reference leads to: as seen from where the file that holds it was read, and where that is
// nothing from the $id around it. JSON Schema has the $id alone; files that are kept somewhere else than they say, and
// lie beside one another, are more often met.
func (l *loader) beside(from at, location string) (*file, error) {
	joined, err := join(from.file.location, location)
	if err != nil {
		return nil, err
	}
	f := l.open(joined)
	if f.err == nil || from.within == nil || l.dialect < v31 || !isURL(from.within.id) {
		return f, f.err
	}
	if g := l.open(joinID(from.within.id, location)); g.err == nil {
		return g, nil
	}
	return nil, f.err
}

// fragment finds a JSON pointer or an anchor below top.
func (l *loader) fragment(top at, fragment string) (at, bool) {
	if fragment != "" && fragment[0] != '/' {
		resource, name, anchors := top.file.location, decodePercent(fragment), l.marksOf(top.file).anchors
		if top.within != nil {
			resource = top.within.id
		}
		found, ok := anchors[anchor{resource, name}]
		if !ok {
			found, ok = anchors[anchor{name: name}]
		}
		return found, ok
	}
	// The letter first; then as written by hand, with characters that should have been escaped and are not.
	for _, pointer := range []string{decodePercent(fragment), fragment, decodePercent(strings.ReplaceAll(fragment, "+", " "))} {
		if found, ok := top.follow(pointer); ok {
			return found, true
		}
	}
	return at{}, false
}

func decodePercent(s string) string {
	if decoded, err := url.PathUnescape(s); err == nil {
		return decoded
	}
	return s
}

// within resolves a reference by the $id of schemas: JSON Schema's own way, which OpenAPI has from 3.1 on.
func (l *loader) within(from at, ref string) (at, bool) {
	if l.dialect < v31 {
		return at{}, false
	}
	location, fragment, _ := strings.Cut(ref, "#")
	if location == "" {
		if from.within == nil {
			return at{}, false
		}
		return l.fragment(from.within.top, fragment)
	}
	base := from.file.location
	if from.within != nil {
		base = from.within.id
	}
	for _, f := range []*file{from.file, l.root} {
		m := l.marksOf(f)
		if len(m.ids) == 0 {
			continue
		}
		for _, id := range []string{joinID(base, location), location} {
			if r, ok := m.ids[id]; ok {
				return l.fragment(r.top, fragment)
			}
		}
	}
	return at{}, false
}

// joinID resolves an $id or a reference against the base around it; it is an identifier, nothing is fetched by it.
func joinID(base, reference string) string {
	b, err := url.Parse(base)
	if err != nil {
		return reference
	}
	r, err := url.Parse(reference)
	if err != nil {
		return reference
	}
	return b.ResolveReference(r).String()
}

// marksOf are the names in the file, collected when they are first asked for.
func (l *loader) marksOf(f *file) *marks {
	if f.marks == nil {
		f.marks = &marks{ids: map[string]*resource{}, anchors: map[anchor]at{}, dynamic: map[string]int{}}
		f.marks.collect(f.top(), f.location, map[*node]bool{})
	}
	return f.marks
}

func (m *marks) collect(a at, base string, seen map[*node]bool) {
	if a.n == nil || seen[a.n] {
		return
	}
	switch a.n.kind {
	case isObject:
		seen[a.n] = true
		if id := textOf(a.n.get("$id")); id != "" && !strings.HasPrefix(id, "#") {
			base = joinID(base, strings.TrimSuffix(id, "#"))
			r := &resource{id: base}
			a.within = r
			r.top = a
			m.ids[base] = r
		}
		for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
			if name := textOf(a.n.get(keyword)); name != "" {
				m.anchors[anchor{base, name}], m.anchors[anchor{name: name}] = a, a
			}
		}
		if name := textOf(a.n.get("$dynamicAnchor")); name != "" {
			m.dynamic[name]++
		}
		for _, child := range a.n.members {
			if child.value.kind >= isList && !holdsValues(a, child.key) {
				m.collect(a.child(child.key, child.value), base, seen)
			}
		}
	case isList:
		for i := range a.n.items {
			m.collect(a.item(i), base, seen)
		}
	}
}

// holdsValues says whether what stands under the key is a value, or values, and no schema: a property can be called so
// as well.
func holdsValues(a at, key string) bool {
	switch key {
	case "enum", "const", "default", "example", "examples":
	default:
		return false
	}
	switch a.last() {
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "schemas":
		return false
	default:
		return true
	}
}

// enter is the schema itself, with its $id as the base of what is in it.
func (l *loader) enter(a at) at {
	if l.dialect < v31 || a.n.get("$id") == nil {
		return a
	}
	id := textOf(a.n.get("$id"))
	if id == "" || strings.HasPrefix(id, "#") || a.within != nil && a.within.top.n == a.n {
		return a
	}
	base := a.file.location
	if a.within != nil {
		base = a.within.id
	}
	r := &resource{id: joinID(base, strings.TrimSuffix(id, "#"))}
	a.within = r
	r.top = a
	return a
}

func textOf(n *node) string {
	if n == nil || n.kind != isText {
		return ""
	}
	return n.text
}
