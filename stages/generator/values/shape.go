package values

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// Shapes turns schemas into shapes and remembers them. It belongs to one goroutine.
type Shapes struct {
	limits   settings.Generation
	ids      map[*document.Schema]uint32
	byKey    map[string]*Shape
	patterns map[string]*pattern
	pins     map[pinned]*document.Schema
	bare     map[without]*document.Schema
	made     map[made]*document.Schema
	negated  map[*document.Schema][]*document.Schema
	key      []byte // scratch
}

// NewShapes makes shapes whose values keep to the limits.
func NewShapes(limits settings.Generation) *Shapes {
	return &Shapes{
		limits:   limits,
		ids:      map[*document.Schema]uint32{},
		byKey:    map[string]*Shape{},
		patterns: map[string]*pattern{},
		pins:     map[pinned]*document.Schema{},
		bare:     map[without]*document.Schema{},
		made:     map[made]*document.Schema{},
		negated:  map[*document.Schema][]*document.Schema{},
	}
}

// mostShapes bounds how many combinations of schemas are looked at in one document.
const mostShapes = 200_000

// Shape is a set of schemas that all hold for one value, made ready for making such values: allOf is taken apart,
// bounds are drawn together, patterns are compiled. Its children are shapes of their own, made when first needed, so
// that schemas may form cycles.
type Shape struct {
	all *Shapes
	// members are the schemas that hold, those named by allOf among them.
	members []*document.Schema
	// settled are the choices (oneOf, anyOf, if) that the members already hold a branch of.
	settled []choiceKey
	name    string
	// readOnly is true for a value that does not belong in a request.
	readOnly bool

	planned bool
	// problem says why no value can fit, "" if nothing speaks against one at first sight.
	problem string
	types   typeSet
	// listed are the values of enum and const that fit; only they are used when there are any.
	listed   []any
	source   string // "enum" or "const", for listed
	examples []any
	defaults []any
	choices  []*choice
	// checked is true if a value made has to be looked at once more, since not all of the members' keywords lead
	// the making of it.
	checked bool
	numbers *numberPlan
	text    *textPlan
	list    *listPlan
	object  *objectPlan

	solved bool
	cost   cost
}

// anything is the schema that each value fits.
var anything = &document.Schema{
	MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1, MinContains: -1, MaxContains: -1, MinProperties: -1, MaxProperties: -1,
}

// forbidden is the problem of a place where the schema false stands, as for each further property of a closed object.
const forbidden = "nothing is allowed there"

// OfType is a schema that each value of the type fits, for places where a document says nothing.
func OfType(name string) *document.Schema {
	s := *anything
	s.Types = []string{name}
	return &s
}

// Of is the shape of the schema; a nil schema is fitted by anything.
func (a *Shapes) Of(s *document.Schema) *Shape {
	if s == nil {
		s = anything
	}
	return a.of([]*document.Schema{s}, nil)
}

// Property is the shape of the object's property of that name, so far as it does not depend on a choice.
func (s *Shape) Property(name string) *Shape { return s.property(name) }

// Item is the shape of the list's items.
func (s *Shape) Item() *Shape { return s.item(0) }

// Binary says whether the value stands for bytes as they are, such as a file's.
func (s *Shape) Binary() bool {
	for _, m := range s.members {
		if m.Format == "binary" || m.ContentMediaType != "" && m.ContentEncoding == "" || slices.Contains(m.Types, "file") {
			return true
		}
	}
	return false
}

// Allows says whether a value of the JSON type can fit, as far as the type goes.
func (s *Shape) Allows(name string) bool {
	s.plan()
	return s.problem == "" && s.types&typesOf([]string{name}) != 0
}

// of is the shape of all the schemas together, with the choices that are settled.
func (a *Shapes) of(schemas []*document.Schema, settled []choiceKey) *Shape {
	members := make([]*document.Schema, 0, len(schemas))
	for _, s := range schemas {
		members = gather(members, s)
	}
	a.key = a.key[:0]
	for _, m := range members {
		a.key = binary.LittleEndian.AppendUint32(a.key, a.id(m))
	}
	for _, c := range settled {
		a.key = append(a.key, 0xff, byte(c.kind))
		a.key = binary.LittleEndian.AppendUint32(a.key, a.id(c.schema))
	}
	if s, ok := a.byKey[string(a.key)]; ok {
		return s
	}
	s := &Shape{all: a, members: members, settled: settled}
	for _, m := range members {
		if s.name == "" {
			s.name = m.Name
		}
		s.readOnly = s.readOnly || m.ReadOnly
	}
	if len(a.byKey) >= mostShapes {
		s.planned, s.problem = true, "its schemas combine in too many ways"
		return s
	}
	a.byKey[string(a.key)] = s
	return s
}

func (a *Shapes) id(s *document.Schema) uint32 {
	id, ok := a.ids[s]
	if !ok {
		id = uint32(len(a.ids))
		a.ids[s] = id
	}
	return id
}

// gather appends the schema and what its allOf names, each once.
func gather(members []*document.Schema, s *document.Schema) []*document.Schema {
	if s == nil || slices.Contains(members, s) {
		return members
	}
	members = append(members, s)
	for _, part := range s.AllOf {
		members = gather(members, part)
	}
	return members
}

// plan works out what leads the making of values. Children are named, but not planned.
func (s *Shape) plan() {
	if s.planned {
		return
	}
	s.planned = true
	s.types = allTypes
	for _, m := range s.members {
		if m.Unusable != "" {
			s.problem = m.Unusable
			return
		}
		if m.Always != nil && !*m.Always {
			s.problem = forbidden
			return
		}
		if len(m.Types) > 0 {
			s.types &= typesOf(m.Types)
		}
	}
	if s.types == 0 {
		s.problem = "its types exclude one another"
		return
	}
	s.checked = s.needsCheck()
	s.planListed()
	if s.problem != "" || s.listed != nil {
		return
	}
	s.planSamples()
	if s.planChoices(); len(s.choices) > 0 || s.problem != "" {
		return
	}
	if s.types == allTypes {
		s.types = s.guessTypes()
	}
	s.planTypes()
}

// planTypes plans each type that is allowed; a type that cannot be made is taken out.
func (s *Shape) planTypes() {
	var problem string
	for _, t := range []struct {
		types typeSet
		plan  func() string
	}{
		{number, s.planNumber},
		{text, s.planText},
		{list, s.planList},
		{object, s.planObject},
	} {
		if s.types&t.types == 0 {
			continue
		}
		if p := t.plan(); p != "" {
			s.types &^= t.types
			problem = p
		}
	}
	if s.types == 0 {
		s.problem = problem
	}
}

// planListed draws enum and const together.
func (s *Shape) planListed() {
	var lists bool
	for _, m := range s.members {
		var values []any
		switch {
		case m.HasConst:
			values = []any{m.Const}
		case m.HasEnum:
			values = m.Enum
		default:
			continue
		}
		if lists {
			s.listed = slices.DeleteFunc(s.listed, func(v any) bool { return !contains(values, v) })
			continue
		}
		lists = true
		s.source = "enum"
		if m.HasConst {
			s.source = "const"
		}
		s.listed = make([]any, 0, len(values))
		for _, v := range values {
			if s.Fits(v) {
				s.listed = append(s.listed, v)
			}
		}
	}
	if lists && len(s.listed) == 0 {
		s.problem = "no value of its enum fits"
	}
}

// planSamples keeps the examples and defaults that fit.
func (s *Shape) planSamples() {
	for _, m := range s.members {
		for _, v := range m.Examples {
			s.examples = s.keepSample(s.examples, v)
		}
		if m.HasDefault {
			s.defaults = s.keepSample(s.defaults, m.Default)
		}
	}
}

func (s *Shape) keepSample(kept []any, v any) []any {
	if v, ok := s.Adapt(v); ok && !contains(kept, v) {
		return append(kept, v)
	}
	return kept
}

// Adapt makes a value that a person wrote as an example fit, where only little is amiss: read-only properties are
// taken out, and a number or truth value written as text is read. It says whether the value fits then.
func (s *Shape) Adapt(v any) (any, bool) {
	if v == nil {
		return nil, false // a null says nothing about what is likely
	}
	for _, m := range s.members {
		v = withoutReadOnly(m, v)
	}
	if s.Fits(v) {
		return v, true
	}
	if t, ok := v.(string); ok {
		if u, ok := scalar(t); ok && s.Fits(u) {
			return u, true
		}
	}
	return nil, false
}

// needsCheck says whether a made value can break a keyword that did not lead its making.
func (s *Shape) needsCheck() bool { return needsCheck(s.members, map[*document.Schema]bool{}) }

// needsCheck looks at the members, and at the branches they leave: what a branch asks for is looked at where the choice
// was left.
func needsCheck(members []*document.Schema, seen map[*document.Schema]bool) bool {
	patterns := 0
	for _, m := range members {
		if len(m.OneOf) > 1 || m.Not != nil || m.If != nil || len(m.DependentSchemas) > 0 || len(m.DependentRequired) > 0 ||
			m.Contains != nil || m.PropertyNames != nil || m.UnevaluatedProps != nil || m.UnevaluatedItems != nil {
			return true
		}
		if m.Pattern != "" {
			patterns++
		}
		for _, branches := range [...][]*document.Schema{m.AnyOf, m.OneOf} {
			for _, b := range branches {
				if b == nil || seen[b] {
					continue
				}
				seen[b] = true
				if b.Pattern != "" && patterns > 0 || needsCheck(gather(nil, b), seen) {
					return true
				}
			}
		}
	}
	return patterns > 1
}

// typeSet is a set of JSON types.
type typeSet uint8

const (
	null typeSet = 1 << iota
	boolean
	integer
	fraction // numbers that need not be whole
	text
	list
	object

	number   = integer | fraction
	allTypes = null | boolean | number | text | list | object
)

func typesOf(names []string) typeSet {
	var t typeSet
	for _, name := range names {
		switch name {
		case "null":
			t |= null
		case "boolean":
			t |= boolean
		case "integer":
			t |= integer
		case "number":
			t |= number
		case "string", "file":
			t |= text
		case "array":
			t |= list
		case "object":
			t |= object
		}
	}
	return t
}

// guessTypes is the type that a schema without one seems to be meant for, by the keywords it uses.
func (s *Shape) guessTypes() typeSet {
	var t typeSet
	for _, m := range s.members {
		switch {
		case len(m.Properties) > 0 || len(m.Required) > 0 || m.AdditionalProperties != nil || len(m.PatternProperties) > 0 ||
			m.PropertyNames != nil || m.MinProperties >= 0 || m.MaxProperties >= 0 || len(m.DependentRequired) > 0:
			t |= object
		case m.Items != nil || len(m.PrefixItems) > 0 || m.Contains != nil || m.MinItems >= 0 || m.MaxItems >= 0:
			t |= list
		case strings.HasPrefix(m.Format, "int") || strings.HasPrefix(m.Format, "uint"):
			t |= integer
		case m.Minimum != nil || m.Maximum != nil || m.ExclusiveMinimum != nil || m.ExclusiveMaximum != nil || m.MultipleOf != nil ||
			m.Format == "float" || m.Format == "double":
			t |= number
		case m.Pattern != "" || m.Format != "" || m.MinLength >= 0 || m.MaxLength >= 0:
			t |= text
		}
	}
	for _, one := range []typeSet{object, list, text, integer, number} {
		if t&one != 0 {
			return one
		}
	}
	return text
}
