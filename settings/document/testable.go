package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// judgeTestable finds the operations that need a value nobody can build: one whose schema is not known, or one that
// would have to contain itself without end. Whether the other schemas can be fulfilled is not decided here.
func (l *loader) judgeTestable() {
	l.findHollow()
	for _, op := range l.doc.Operations {
		for _, p := range op.Parameters {
			l.unsendable(p)
			if p.Required && p.Schema != nil && l.hollow[p.Schema] {
				untestable(op, "no value can be built for its %s parameter %q: %s", p.In, p.Name, l.whyHollow(p.Schema))
			}
		}
		if op.Body == nil || !op.Body.Required {
			continue
		}
		reason := ""
		for _, m := range op.Body.Media {
			if m.Schema == nil || !l.hollow[m.Schema] {
				reason = ""
				break
			}
			if reason == "" {
				reason = l.whyHollow(m.Schema)
			}
		}
		if reason != "" {
			untestable(op, "no body can be built: %s", reason)
		}
	}
}

// findHollow works out the schemas for which no value can be built. Every schema is taken to be hollow until what it
// needs is found not to be, so that a cycle with no way out of it stays hollow.
func (l *loader) findHollow() {
	l.hollow = make(map[*Schema]bool, len(l.all))
	for _, s := range l.all {
		l.hollow[s] = true
		l.doc.unevaluated = l.doc.unevaluated || s.UnevaluatedItems != nil
	}
	for changed := true; changed; {
		changed = false
		// What a schema needs was mostly begun after it.
		for _, s := range slices.Backward(l.all) {
			if l.hollow[s] && l.buildable(s) {
				delete(l.hollow, s)
				changed = true
			}
		}
	}
}

// buildable says whether a value can be built, given what is known so far of the schemas it needs.
func (l *loader) buildable(s *Schema) bool {
	if s.Unusable != "" {
		return false
	}
	if s.Always != nil {
		return true
	}
	isHollow := func(s *Schema) bool { return l.hollow[s] }
	if slices.ContainsFunc(s.AllOf, isHollow) ||
		len(s.OneOf) > 0 && !slices.ContainsFunc(s.OneOf, l.isBuildable) ||
		len(s.AnyOf) > 0 && !slices.ContainsFunc(s.AnyOf, l.isBuildable) {
		return false
	}
	if s.HasEnum || s.HasConst {
		return true
	}
	for _, t := range typesOf(s) {
		if t != "object" && t != "array" ||
			t == "object" && l.missing(s) == nil ||
			t == "array" && l.missingItem(s) == nil {
			return true
		}
	}
	return false
}

func (l *loader) isBuildable(s *Schema) bool { return !l.hollow[s] }

// typesOf are the types a value may have. A schema that names properties or items but no type is taken for one of
// objects or arrays: to its letter it lets anything else in, but that is not what it means.
func typesOf(s *Schema) []string {
	switch {
	case len(s.Types) > 0:
		return s.Types
	case len(s.Properties) > 0:
		return []string{"object"}
	case s.Items != nil:
		return []string{"array"}
	default:
		return []string{"null"}
	}
}

// missing is the first property that an object needs and cannot have, nil if there is none. What is readOnly is not
// sent, so it is not needed either.
func (l *loader) missing(s *Schema) *Property {
	for i := range s.Properties {
		p := &s.Properties[i]
		if l.hollow[p.Schema] && !p.Schema.ReadOnly && slices.Contains(s.Required, p.Name) {
			return p
		}
	}
	return nil
}

// missingItem is the schema of an item that an array needs and cannot have, nil if there is none.
func (l *loader) missingItem(s *Schema) *Schema {
	for i := range s.MinItems {
		item := s.Items
		if i < int64(len(s.PrefixItems)) {
			item = s.PrefixItems[i]
		}
		if item != nil && l.hollow[item] {
			return item
		}
		if i >= int64(len(s.PrefixItems)) {
			break
		}
	}
	return nil
}

// whyHollow says why no value can be built for a hollow schema.
func (l *loader) whyHollow(s *Schema) string {
	var chain []*Schema
	for !slices.Contains(chain, s) {
		if s.Unusable != "" {
			return s.Unusable
		}
		chain = append(chain, s)
		next := l.needs(s)
		if next == nil {
			break
		}
		s = next
	}
	circle := chain[slices.Index(chain, s):]
	if i := slices.IndexFunc(circle, func(s *Schema) bool { return s.Name != "" }); i >= 0 {
		name := circle[i].Name
		return fmt.Sprintf("no finite value fits %s, as it has to contain another %s without end", name, name)
	}
	return fmt.Sprintf("the schema at %s contains itself without end", s.Place)
}

// needs is a hollow schema that the hollow schema cannot do without.
func (l *loader) needs(s *Schema) *Schema {
	for _, list := range [][]*Schema{s.AllOf, s.OneOf, s.AnyOf} {
		for _, branch := range list {
			if l.hollow[branch] {
				return branch
			}
		}
	}
	if p := l.missing(s); p != nil {
		return p.Schema
	}
	return l.missingItem(s)
}

// unsendable says which of a path parameter's values are not sent: with them the path would be another one, or lead
// somewhere else (RFC 3986 §5.2.4).
func (l *loader) unsendable(p *Parameter) {
	if p.In != "path" || p.Schema == nil {
		return
	}
	values := slices.Clone(p.Schema.Enum)
	if p.Schema.HasConst {
		values = append(values, p.Schema.Const)
	}
	var left []string
	for _, v := range values {
		if text, ok := v.(string); ok && (text == "" || text == "." || text == "..") {
			left = append(left, strconv.Quote(text))
		}
	}
	if len(left) > 0 {
		l.issueAt(p.Place, "note", fmt.Sprintf("the path value %s of {%s} is not sent, as it would change the path", strings.Join(left, " or "), p.Name))
	}
}

// AddSignIn is the place of an operation that the document does not declare and that requests to sign in go to, at a
// path or, elsewhere, an address. It is added if it is not there, while nobody else reads the document yet.
func (d *Document) AddSignIn(method, path string) int {
	for _, op := range d.Operations {
		if op.SignIn && op.Method == method && op.Path == path {
			return op.Index
		}
	}
	op := &Operation{
		Index: len(d.Operations), ID: "sign-in " + method + " " + path, Method: method, Path: path,
		SignIn: true, Untestable: "it is asked to sign in alone",
	}
	d.Operations = append(d.Operations, op)
	return op.Index
}

// Declared is how many operations the document declares.
func (d *Document) Declared() int {
	n := 0
	for _, op := range d.Operations {
		if !op.SignIn {
			n++
		}
	}
	return n
}
