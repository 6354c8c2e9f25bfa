package values

import (
	"github.com/restest/restest/settings/document"
)

// never is the schema that nothing fits.
var never = func() *document.Schema {
	s := *anything
	s.Always = new(bool)
	return &s
}()

// made is what a schema that stands in no document is made from.
type made struct {
	schema *document.Schema
	// kind is 'n' for its negation, '+' and '-' for the presence and the absence of a property.
	kind byte
	name string
}

// not is the schema of what does not fit the other one.
func (a *Shapes) not(s *document.Schema) *document.Schema {
	return a.make(made{s, 'n', ""}, func(n *document.Schema) { n.Not = s })
}

// present is the schema of objects with the property, for the schema that says something of it.
func (a *Shapes) present(s *document.Schema, name string) *document.Schema {
	return a.make(made{s, '+', name}, func(n *document.Schema) { n.Types, n.Required = []string{"object"}, []string{name} })
}

// absent is the schema of objects without the property, and of all that is no object.
func (a *Shapes) absent(s *document.Schema, name string) *document.Schema {
	return a.make(made{s, '-', name}, func(n *document.Schema) { n.Properties = []document.Property{{Name: name, Schema: never}} })
}

func (a *Shapes) make(of made, fill func(*document.Schema)) *document.Schema {
	n, ok := a.made[of]
	if !ok {
		clone := *anything
		n = &clone
		fill(n)
		a.made[of] = n
	}
	return n
}

// mostWays is how many ways not to fit a schema are told apart.
const mostWays = 40

// ways are schemas that each lead to values which do not fit the schema: one of its keywords is not kept. Where a
// keyword leads nowhere, the last way is a schema that anything fits, and looking at the values tells. There is none
// for a schema that everything fits.
func (a *Shapes) ways(s *document.Schema) []*document.Schema {
	if ways, ok := a.negated[s]; ok {
		return ways
	}
	w := &ways{all: a}
	for _, m := range gather(nil, s) {
		w.of(m)
	}
	if w.unled {
		w.found = append(w.found, anything)
	}
	a.negated[s] = w.found
	return w.found
}

type ways struct {
	all   *Shapes
	found []*document.Schema
	// unled is true if a keyword can be broken in ways that nothing here leads to.
	unled bool
}

// way adds a way: a value of the type, any for "", that keeps what fill says.
func (w *ways) way(typ string, fill func(*document.Schema)) {
	if len(w.found) == mostWays {
		w.unled = true
		return
	}
	s := *anything
	if typ != "" {
		s.Types = []string{typ}
	}
	fill(&s)
	w.found = append(w.found, &s)
}

func (w *ways) of(s *document.Schema) {
	if s.Unusable != "" {
		w.unled = true
		return
	}
	if s.Always != nil {
		if !*s.Always {
			w.way("", func(*document.Schema) {})
		}
		return
	}
	w.bounds(s)
	for _, name := range s.Required {
		w.way("object", func(n *document.Schema) { n.Properties = []document.Property{{Name: name, Schema: never}} })
	}
	for _, p := range s.Properties {
		if p.Schema != nil {
			w.way("object", func(n *document.Schema) {
				n.Required = []string{p.Name}
				n.Properties = []document.Property{{Name: p.Name, Schema: w.all.not(p.Schema)}}
			})
		}
	}
	if s.Not != nil {
		w.way("", func(n *document.Schema) { n.AllOf = []*document.Schema{s.Not} })
	}
	if len(s.AnyOf) > 0 {
		w.way("", func(n *document.Schema) {
			for _, b := range s.AnyOf {
				n.AllOf = append(n.AllOf, w.all.not(b))
			}
		})
	}
	if len(s.Types) > 0 {
		w.types(s) // last: what is of another type is seldom meant
	}
	w.unled = w.unled || s.HasEnum || s.HasConst || s.Pattern != "" || formats[s.Format] != nil || formatHasBounds(s.Format) ||
		s.MultipleOf != nil || len(s.OneOf) > 0 || s.If != nil || s.Items != nil || len(s.PrefixItems) > 0 || s.Contains != nil ||
		s.UniqueItems || s.AdditionalProperties != nil || len(s.PatternProperties) > 0 || s.PropertyNames != nil ||
		len(s.DependentRequired) > 0 || len(s.DependentSchemas) > 0 || s.UnevaluatedItems != nil || s.UnevaluatedProps != nil
}

// types is a value of another type.
func (w *ways) types(s *document.Schema) {
	allowed := typesOf(s.Types)
	var others []string
	for i, name := range typeNames {
		one := typeSet(1) << i
		if one&number != 0 {
			one = number // one kind of number is not told from the other by its type
		}
		if allowed&one == 0 {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		w.way("", func(n *document.Schema) { n.Types = others })
	}
	if allowed&integer != 0 && allowed&fraction == 0 {
		w.unled = true // a number that is not whole
	}
}

// bounds are values just past each bound.
func (w *ways) bounds(s *document.Schema) {
	if s.Minimum != nil {
		w.way("number", func(n *document.Schema) { n.ExclusiveMaximum = s.Minimum })
	}
	if s.ExclusiveMinimum != nil {
		w.way("number", func(n *document.Schema) { n.Maximum = s.ExclusiveMinimum })
	}
	if s.Maximum != nil {
		w.way("number", func(n *document.Schema) { n.ExclusiveMinimum = s.Maximum })
	}
	if s.ExclusiveMaximum != nil {
		w.way("number", func(n *document.Schema) { n.Minimum = s.ExclusiveMaximum })
	}
	for _, size := range []struct {
		typ        string
		low, high  int64
		atMost, at func(*document.Schema) *int64
	}{
		{"string", s.MinLength, s.MaxLength, func(n *document.Schema) *int64 { return &n.MaxLength }, func(n *document.Schema) *int64 { return &n.MinLength }},
		{"array", s.MinItems, s.MaxItems, func(n *document.Schema) *int64 { return &n.MaxItems }, func(n *document.Schema) *int64 { return &n.MinItems }},
		{"object", s.MinProperties, s.MaxProperties, func(n *document.Schema) *int64 { return &n.MaxProperties }, func(n *document.Schema) *int64 { return &n.MinProperties }},
	} {
		if size.low > 0 {
			w.way(size.typ, func(n *document.Schema) { *size.atMost(n) = size.low - 1 })
		}
		if size.high >= 0 && size.high < mostItems {
			w.way(size.typ, func(n *document.Schema) { *size.at(n) = size.high + 1 })
		}
	}
}

func formatHasBounds(format string) bool {
	low, _ := formatBounds(format)
	return low != nil
}
