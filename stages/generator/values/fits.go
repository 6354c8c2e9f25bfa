package values

import (
	"encoding/json"
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/restest/restest/settings/document"
)

// Fits says whether the value fits the shape in a request.
func (s *Shape) Fits(v any) bool {
	return s.fits(&checker{all: s.all}, v)
}

func (s *Shape) fits(c *checker, v any) bool {
	for _, m := range s.members {
		if !c.keywords(m, v) {
			return false
		}
	}
	return true
}

// fitsNamedBranch says whether the value fits when, of each oneOf with a discriminator, only the branch that the value
// names counts. Documents whose branches overlap mean it that way.
func (s *Shape) fitsNamedBranch(v any) bool {
	return s.fits(&checker{all: s.all, byName: true}, v)
}

type checker struct {
	all *Shapes
	// byName has a oneOf with a discriminator judged by the branch that the value names.
	byName bool
	// takesReadOnly has a read-only property fit in a request, sawReadOnly says that one was met where it does not.
	takesReadOnly, sawReadOnly bool
	// under are the schemas being looked at, those from base on for the present value. A schema that comes back to
	// itself for the same value (a base type that lists its derived ones) adds nothing there.
	under []*document.Schema
	base  int
	// applied are the schemas that are being asked what they have looked at.
	applied []*document.Schema
}

// below says whether a part of the value fits the schema.
func (c *checker) below(s *document.Schema, v any) bool {
	base := c.base
	c.base = len(c.under)
	ok := c.schema(s, v)
	c.base = base
	return ok
}

// schema says whether the value fits the schema and what its allOf names.
func (c *checker) schema(s *document.Schema, v any) bool {
	if s == nil || slices.Contains(c.under[c.base:], s) {
		return true
	}
	c.under = append(c.under, s)
	ok := c.keywords(s, v)
	for i := 0; ok && i < len(s.AllOf); i++ {
		ok = c.schema(s.AllOf[i], v)
	}
	c.under = c.under[:len(c.under)-1]
	return ok
}

// keywords says whether the value keeps the schema's own keywords, allOf aside.
func (c *checker) keywords(s *document.Schema, v any) bool {
	if s.Always != nil {
		return *s.Always
	}
	if len(s.Types) > 0 && !hasType(s.Types, v) {
		return false
	}
	if s.HasConst && !Equal(s.Const, v) || s.HasEnum && !contains(s.Enum, v) {
		return false
	}
	var ok bool
	switch v := v.(type) {
	case json.Number:
		ok = numberFits(s, v)
	case string:
		ok = c.textFits(s, v)
	case []any:
		ok = c.listFits(s, v)
	case map[string]any:
		ok = c.objectFits(s, v)
	default:
		ok = true
	}
	return ok && c.branchesFit(s, v)
}

func hasType(types []string, v any) bool {
	allowed := typesOf(types)
	switch v := v.(type) {
	case nil:
		return allowed&null != 0
	case bool:
		return allowed&boolean != 0
	case string:
		return allowed&text != 0
	case []any:
		return allowed&list != 0
	case map[string]any:
		return allowed&object != 0
	case json.Number:
		return allowed&fraction != 0 || allowed&integer != 0 && isWhole(v)
	default:
		return false
	}
}

func isWhole(n json.Number) bool {
	plain := true
	for i := range len(n) {
		plain = plain && ('0' <= n[i] && n[i] <= '9' || i == 0 && n[i] == '-')
	}
	if plain {
		return true
	}
	r, ok := ratOf(n)
	return ok && r.IsInt()
}

func numberFits(s *document.Schema, n json.Number) bool {
	low, high := formatBounds(s.Format)
	if s.Minimum == nil && s.Maximum == nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil && s.MultipleOf == nil && low == nil {
		return true
	}
	r, ok := ratOf(n)
	if !ok {
		return false
	}
	for _, b := range [...]struct {
		at     *big.Rat
		lower  bool
		beyond bool
	}{
		{s.Minimum, true, false},
		{s.ExclusiveMinimum, true, true},
		{low, true, false},
		{s.Maximum, false, false},
		{s.ExclusiveMaximum, false, true},
		{high, false, false},
	} {
		if b.at == nil {
			continue
		}
		side := r.Cmp(b.at)
		if !b.lower {
			side = -side
		}
		if side < 0 || side == 0 && b.beyond {
			return false
		}
	}
	if s.MultipleOf != nil && s.MultipleOf.Sign() > 0 {
		return r.Quo(r, s.MultipleOf).IsInt()
	}
	return true
}

func (c *checker) textFits(s *document.Schema, t string) bool {
	if s.MinLength >= 0 || s.MaxLength >= 0 {
		n := int64(utf8.RuneCountInString(t))
		if n < s.MinLength || s.MaxLength >= 0 && n > s.MaxLength {
			return false
		}
	}
	if s.Pattern != "" {
		if fits, known := c.all.matches(s.Pattern, t); known && !fits {
			return false
		}
	}
	if f := formats[s.Format]; f != nil {
		return f.fits(t)
	}
	return true
}

func (c *checker) listFits(s *document.Schema, v []any) bool {
	n := int64(len(v))
	if n < s.MinItems || s.MaxItems >= 0 && n > s.MaxItems {
		return false
	}
	for i, item := range v {
		of := s.Items
		if i < len(s.PrefixItems) {
			of = s.PrefixItems[i]
		} else if of == nil && s.UnevaluatedItems != nil && !c.evaluatesItem(s, v, i, true) {
			of = s.UnevaluatedItems
		}
		if !c.below(of, item) {
			return false
		}
		if s.UniqueItems && contains(v[:i], item) {
			return false
		}
	}
	if s.Contains == nil {
		return true
	}
	held := int64(0)
	for _, item := range v {
		if c.below(s.Contains, item) {
			held++
		}
	}
	least := s.MinContains
	if least < 0 {
		least = 1
	}
	return held >= least && (s.MaxContains < 0 || held <= s.MaxContains)
}

func (c *checker) objectFits(s *document.Schema, v map[string]any) bool {
	n := int64(len(v))
	if n < s.MinProperties || s.MaxProperties >= 0 && n > s.MaxProperties {
		return false
	}
	for _, name := range s.Required {
		if _, there := v[name]; !there && !c.leftOut(s, name) {
			return false
		}
	}
	declared := 0
	for _, p := range s.Properties {
		w, there := v[p.Name]
		if !there {
			continue
		}
		declared++
		if isReadOnly(p.Schema) && !c.takesReadOnly {
			c.sawReadOnly = true
			return false
		}
		if !c.below(p.Schema, w) {
			return false
		}
	}
	if len(s.PatternProperties) > 0 || s.AdditionalProperties != nil && declared < len(v) || s.PropertyNames != nil || s.UnevaluatedProps != nil {
		for name, w := range v {
			if !c.otherFits(s, v, name, w) {
				return false
			}
		}
	}
	for name, with := range s.DependentRequired {
		if _, there := v[name]; !there {
			continue
		}
		for _, other := range with {
			if _, there := v[other]; !there {
				return false
			}
		}
	}
	for name, dependent := range s.DependentSchemas {
		if _, there := v[name]; there && !c.schema(dependent, v) {
			return false
		}
	}
	return true
}

// leftOut says whether the required property does not belong in a request.
func (c *checker) leftOut(s *document.Schema, name string) bool {
	for _, p := range s.Properties {
		if p.Name == name {
			return isReadOnly(p.Schema)
		}
	}
	return false
}

// otherFits looks at a property by its name: patterns, further properties and the rules for names.
func (c *checker) otherFits(s *document.Schema, o map[string]any, name string, v any) bool {
	if s.PropertyNames != nil && !c.below(s.PropertyNames, name) {
		return false
	}
	found := declares(s, name)
	for _, p := range s.PatternProperties {
		fits, known := c.all.matches(p.Name, name)
		if !fits && known {
			continue
		}
		found = true
		if known && !c.below(p.Schema, v) {
			return false
		}
	}
	switch {
	case found:
		return true
	case s.AdditionalProperties != nil:
		return c.below(s.AdditionalProperties, v)
	case s.UnevaluatedProps != nil && !c.evaluates(s, o, name, true):
		return c.below(s.UnevaluatedProps, v)
	default:
		return true
	}
}

func declares(s *document.Schema, name string) bool {
	for _, p := range s.Properties {
		if p.Name == name {
			return true
		}
	}
	return false
}

// evaluates says whether the schema, or one that it applies to the same object, has looked at the property (JSON Schema
// 2020-12 core §11). Of the schema itself, unevaluatedProperties is left aside, as it is what asks.
func (c *checker) evaluates(s *document.Schema, o map[string]any, name string, itself bool) bool {
	if declares(s, name) || s.AdditionalProperties != nil || s.UnevaluatedProps != nil && !itself {
		return true
	}
	for _, p := range s.PatternProperties {
		if fits, _ := c.all.matches(p.Name, name); fits {
			return true
		}
	}
	return c.anyApplied(s, o, func(part *document.Schema) bool { return c.evaluates(part, o, name, false) })
}

// evaluatesItem is the same for the item of a list.
func (c *checker) evaluatesItem(s *document.Schema, v []any, i int, itself bool) bool {
	if i < len(s.PrefixItems) || s.Items != nil || s.UnevaluatedItems != nil && !itself || s.Contains != nil && c.below(s.Contains, v[i]) {
		return true
	}
	return c.anyApplied(s, v, func(part *document.Schema) bool { return c.evaluatesItem(part, v, i, false) })
}

// anyApplied says whether it is so for one of the schemas that the schema applies to the same value and that the value
// fits.
func (c *checker) anyApplied(s *document.Schema, v any, so func(*document.Schema) bool) bool {
	if slices.Contains(c.applied, s) {
		return false // a schema that comes back to itself adds nothing
	}
	c.applied = append(c.applied, s)
	defer func() { c.applied = c.applied[:len(c.applied)-1] }()
	for _, part := range s.AllOf {
		if so(part) {
			return true
		}
	}
	for _, of := range [...][]*document.Schema{s.AnyOf, s.OneOf} {
		for _, part := range of {
			if c.schema(part, v) && so(part) {
				return true
			}
		}
	}
	if s.If != nil {
		if part := s.Else; c.schema(s.If, v) {
			if so(s.If) || s.Then != nil && so(s.Then) {
				return true
			}
		} else if part != nil && so(part) {
			return true
		}
	}
	if o, ok := v.(map[string]any); ok {
		for name, part := range s.DependentSchemas {
			if _, there := o[name]; there && so(part) {
				return true
			}
		}
	}
	return false
}

func (c *checker) branchesFit(s *document.Schema, v any) bool {
	if s.Not != nil && c.schema(s.Not, v) {
		return false
	}
	if len(s.AnyOf) > 0 && c.count(s.AnyOf, v, 1) == 0 {
		return false
	}
	if len(s.OneOf) > 0 {
		if b := c.named(s, v); b != nil {
			if !c.schema(b, v) {
				return false
			}
		} else if !c.fitsOne(s.OneOf, v) {
			return false
		}
	}
	if s.If != nil {
		if c.schema(s.If, v) {
			return c.schema(s.Then, v)
		}
		return c.schema(s.Else, v)
	}
	return true
}

// fitsOne says whether the value fits one of the schemas alone. That a property is read-only does not keep a branch from
// fitting for those who judge by JSON Schema: it is an annotation to them.
func (c *checker) fitsOne(of []*document.Schema, v any) bool {
	before := c.sawReadOnly
	c.sawReadOnly = false
	n := c.count(of, v, 2)
	if n == 1 && c.sawReadOnly { // which it is not where they fit
		c.takesReadOnly = true
		n = c.count(of, v, 2)
		c.takesReadOnly = false
	}
	c.sawReadOnly = c.sawReadOnly || before
	return n == 1
}

// count is how many of the schemas the value fits, counted up to most.
func (c *checker) count(of []*document.Schema, v any, most int) int {
	n := 0
	for _, s := range of {
		if c.schema(s, v) {
			if n++; n == most {
				break
			}
		}
	}
	return n
}

// named is the branch of the oneOf that the value names by its discriminator, nil where that does not count.
func (c *checker) named(s *document.Schema, v any) *document.Schema {
	o, ok := v.(map[string]any)
	if !c.byName || !ok || s.Discriminator == nil {
		return nil
	}
	name, ok := o[s.Discriminator.Property].(string)
	if !ok {
		return nil
	}
	for _, b := range s.OneOf {
		pin := c.all.pin(s.Discriminator, b)
		if pin != nil && contains(pin.Properties[0].Schema.Enum, name) {
			return b
		}
	}
	return nil
}

// isReadOnly says whether the schema, or one that its allOf names, is read-only.
func isReadOnly(s *document.Schema) bool {
	if s == nil {
		return false
	}
	if s.ReadOnly || len(s.AllOf) == 0 {
		return s.ReadOnly
	}
	for _, m := range gather(nil, s) {
		if m.ReadOnly {
			return true
		}
	}
	return false
}

// withoutReadOnly is the value without the properties that do not belong in a request; the value itself stays as it is.
func withoutReadOnly(s *document.Schema, v any) any {
	switch v := v.(type) {
	case []any:
		if s.Items == nil {
			return v
		}
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = item
			for _, m := range gather(nil, s.Items) {
				items[i] = withoutReadOnly(m, items[i])
			}
		}
		return items
	case map[string]any:
		o := make(map[string]any, len(v))
		for name, w := range v {
			o[name] = w
		}
		for _, p := range s.Properties {
			w, there := o[p.Name]
			if !there {
				continue
			}
			if isReadOnly(p.Schema) {
				delete(o, p.Name)
				continue
			}
			for _, m := range gather(nil, p.Schema) {
				w = withoutReadOnly(m, w)
			}
			o[p.Name] = w
		}
		return o
	default:
		return v
	}
}
