package values

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/restest/restest/settings/document"
)

// objectPlan says which objects fit.
type objectPlan struct {
	// fields are the named properties that belong in a request, in the order of the document.
	fields []field
	// low and high are how many there may be; high is -1 without a bound.
	low, high int
	// extra is the shape of further properties, nil where none are allowed; wantsExtra is true for a map, an object
	// that is all further properties.
	extra      *Field
	wantsExtra bool
	// extraNames is the shape of their names, nil where each will do; namePatterns lead to names for them.
	extraNames   *Shape
	namePatterns []*pattern
	// with are the properties that must be there when another is.
	with map[string][]string
}

type field struct {
	Field
	required bool
}

func (s *Shape) planObject() string {
	p, problem := s.objectOf()
	s.object = p
	return problem
}

// objectOf is the plan, nil with what excludes every object.
func (s *Shape) objectOf() (plan *objectPlan, problem string) {
	p := &objectPlan{high: -1}
	required := map[string]bool{}
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	var nameSchemas []*document.Schema
	low, high := int64(0), int64(-1)
	for _, m := range s.members {
		low = max(low, m.MinProperties)
		if m.MaxProperties >= 0 && (high < 0 || m.MaxProperties < high) {
			high = m.MaxProperties
		}
		for _, property := range m.Properties {
			add(property.Name)
		}
		if m.PropertyNames != nil {
			nameSchemas = append(nameSchemas, m.PropertyNames)
		}
		for name, with := range m.DependentRequired {
			if p.with == nil {
				p.with = map[string][]string{}
			}
			p.with[name] = append(p.with[name], with...)
		}
	}
	for _, m := range s.members {
		for _, name := range m.Required {
			required[name] = true
			add(name)
		}
	}
	// What a property brings along has a shape too, though no one may have declared it.
	for _, name := range slices.Clone(names) {
		for _, with := range p.with[name] {
			add(with)
		}
	}
	if len(nameSchemas) > 0 {
		p.extraNames = s.all.of(append(nameSchemas, someName), nil)
	}
	needed := 0
	for _, name := range names {
		shape := s.property(name)
		if shape.readOnly {
			continue
		}
		if len(nameSchemas) > 0 && !s.all.of(nameSchemas, nil).Fits(name) {
			if required[name] {
				return nil, fmt.Sprintf("it requires the property %q, which its propertyNames forbid", name)
			}
			continue
		}
		if required[name] {
			needed++
		}
		p.fields = append(p.fields, field{Field: NewField(name, shape), required: required[name]})
	}
	s.planExtra(p)
	switch {
	case high >= 0 && low > high:
		return nil, fmt.Sprintf("minProperties %d is above maxProperties %d", low, high)
	case high >= 0 && int64(needed) > high:
		return nil, fmt.Sprintf("it requires %d properties and maxProperties is %d", needed, high)
	case low > int64(len(p.fields)) && p.extra == nil:
		return nil, fmt.Sprintf("minProperties %d asks for more properties than it allows", low)
	case low > mostItems:
		return nil, fmt.Sprintf("minProperties %d asks for more properties than are ever sent (%d)", low, mostItems)
	}
	p.low = int(low)
	if high >= 0 {
		p.high = int(min(high, mostItems))
	}
	return p, ""
}

// someName is the schema of a property's name.
var someName = func() *document.Schema {
	s := OfType("string")
	s.MinLength = 1
	return s
}()

// property is the shape of the property: of all that the members say of its name.
func (s *Shape) property(name string) *Shape {
	var schemas []*document.Schema
	for _, m := range s.members {
		found := false
		for _, p := range m.Properties {
			if p.Name == name {
				schemas = append(schemas, orAnything(p.Schema))
				found = true
			}
		}
		for _, p := range m.PatternProperties {
			if fits, known := s.all.matches(p.Name, name); fits || !known {
				schemas = append(schemas, orAnything(p.Schema))
				found = true
			}
		}
		switch {
		case found:
		case m.AdditionalProperties != nil:
			schemas = append(schemas, m.AdditionalProperties)
		case m.UnevaluatedProps != nil && !s.all.mentions(m, name):
			schemas = append(schemas, m.UnevaluatedProps)
		}
	}
	if len(schemas) == 0 {
		schemas = append(schemas, anything)
	}
	return s.all.of(schemas, nil)
}

// mentions says whether the schema, or one that it may apply to the same object, speaks of the property.
func (a *Shapes) mentions(s *document.Schema, name string) bool {
	var met []*document.Schema
	var speaks func(*document.Schema) bool
	speaks = func(s *document.Schema) bool {
		if s == nil || slices.Contains(met, s) {
			return false
		}
		met = append(met, s)
		if declares(s, name) || s.AdditionalProperties != nil || len(met) > 1 && s.UnevaluatedProps != nil {
			return true
		}
		return slices.ContainsFunc(s.PatternProperties, func(p document.Property) bool {
			fits, _ := a.matches(p.Name, name)
			return fits
		}) || slices.ContainsFunc(slices.Concat(s.AllOf, s.AnyOf, s.OneOf, []*document.Schema{s.If, s.Then, s.Else}), speaks) ||
			slices.ContainsFunc(sortedNames(s.DependentSchemas), func(name string) bool { return speaks(s.DependentSchemas[name]) })
	}
	return speaks(s)
}

func orAnything(s *document.Schema) *document.Schema {
	if s == nil {
		return anything
	}
	return s
}

// planExtra says what further properties there can be.
func (s *Shape) planExtra(p *objectPlan) {
	var schemas []*document.Schema
	declared := false
	for _, m := range s.members {
		for _, property := range m.PatternProperties {
			if r, err := s.all.pattern(property.Name); err == nil {
				p.namePatterns = append(p.namePatterns, r)
			}
		}
		rest := m.AdditionalProperties
		if rest == nil {
			rest = m.UnevaluatedProps
		}
		if rest == nil {
			continue
		}
		if len(m.PatternProperties) == 0 || rest.Always == nil || *rest.Always {
			schemas = append(schemas, rest)
		}
		declared = declared || rest.Always == nil
	}
	if len(schemas) == 0 {
		schemas = append(schemas, anything)
	}
	shape := s.all.of(schemas, nil)
	if shape.plan(); shape.problem != "" {
		return
	}
	extra := NewField("", shape)
	p.extra = &extra
	p.wantsExtra = len(p.fields) == 0 && (declared || len(p.namePatterns) > 0)
}

// drawObject makes an object.
func (d *Draw) drawObject(s *Shape, depth int) (map[string]any, bool) {
	p := s.object
	v := make(map[string]any, len(p.fields))
	chance := d.chance(p, depth)
	for i := range p.fields {
		f := &p.fields[i]
		sent := f.required || chance > 0 && d.Rand.Float64() < chance
		if d.Shown && d.Likeliest && !f.required {
			sent = !d.sparing(depth) && f.shows() && (!d.Thins || d.Rand.IntN(thinnedOf) > 0)
		}
		if d.Leans != nil && !f.required {
			sent = d.propertyLeansTo(f.Name, sent)
		}
		if !sent {
			continue
		}
		if !f.required && (p.high >= 0 && len(v)+p.requiredAfter(i) >= p.high || !f.Shape.Possible()) {
			continue
		}
		if !d.property(v, f, depth) && f.required {
			return nil, false
		}
	}
	if !d.bringAlong(p, v, depth) {
		return nil, d.fail(s, "what its properties need beside them was not found")
	}
	return v, d.fillUp(s, v, depth)
}

// chance is how likely an optional property is there.
func (d *Draw) chance(p *objectPlan, depth int) float64 {
	usual := d.all.limits.OptionalPropertyChance
	switch {
	case d.sparing(depth):
		return 0
	case d.Likeliest:
		// The fewest, but not none: an object without any says little.
		for i := range p.fields {
			if p.fields[i].required {
				return 0
			}
		}
		return p.few(usual)
	case len(p.fields) > manyFields && d.Rand.IntN(fewOnceIn) == 0:
		return p.few(usual)
	}
	return usual
}

// Each property can be the one that an object is refused for, so that of those with more than manyFields one in
// fewOnceIn has only about fewFields.
const (
	manyFields = 8
	fewOnceIn  = 3
	fewFields  = 3
)

// thinnedOf is of how many properties that are shown one is left out where some are to be.
const thinnedOf = 4

// few is the chance with which about fewFields of the properties are there, if that is less than usual.
func (p *objectPlan) few(usual float64) float64 {
	return min(usual, fewFields/float64(max(1, len(p.fields))))
}

// shows says whether the document shows what the property can be: by an example or a default, its own or its items'.
func (f *field) shows() bool {
	if len(f.Examples) > 0 || f.Shape.Samples() {
		return true
	}
	s := f.Shape
	return s.types&list != 0 && s.list != nil && s.list.at(0).Samples()
}

func (p *objectPlan) requiredAfter(i int) int {
	n := 0
	for j := i + 1; j < len(p.fields); j++ {
		if p.fields[j].required {
			n++
		}
	}
	return n
}

// property makes one property; an optional one that cannot be made is left out.
func (d *Draw) property(v map[string]any, f *field, depth int) bool {
	mark, origins := d.push(f.Name), len(d.Origins)
	w, ok := d.value(f.Shape, &f.Field, depth+1)
	d.pop(mark)
	if !ok {
		d.Origins = d.Origins[:origins]
		return false
	}
	v[f.Name] = w
	return true
}

// bringAlong adds what the properties that are there need beside them.
func (d *Draw) bringAlong(p *objectPlan, v map[string]any, depth int) bool {
	if len(p.with) == 0 {
		return true
	}
	for added := true; added; {
		added = false
		for i := range p.fields {
			if _, there := v[p.fields[i].Name]; !there {
				continue
			}
			for _, name := range p.with[p.fields[i].Name] {
				if _, there := v[name]; there {
					continue
				}
				j := slices.IndexFunc(p.fields, func(f field) bool { return f.Name == name })
				if j < 0 || !d.property(v, &p.fields[j], depth) {
					return false
				}
				added = true
			}
		}
	}
	return p.high < 0 || len(v) <= p.high
}

// fillUp adds optional properties and further ones until there are enough.
func (d *Draw) fillUp(s *Shape, v map[string]any, depth int) bool {
	p := s.object
	for i := range p.fields {
		if len(v) >= p.low {
			break
		}
		if _, there := v[p.fields[i].Name]; !there && p.fields[i].Shape.Possible() {
			d.property(v, &p.fields[i], depth)
		}
	}
	if d.Leans != nil && p.extra != nil {
		d.addAsked(s, v, depth)
	}
	want := p.low
	if p.wantsExtra && len(v) == 0 && !d.sparing(depth) && p.high != 0 {
		want = max(want, 1+d.Rand.IntN(2))
		if p.high > 0 {
			want = min(want, p.high)
		}
	}
	for try := 0; len(v) < want && try < d.tries()+want; try++ {
		if p.extra == nil || !d.extra(s, v, depth) {
			break
		}
	}
	if len(v) < p.low {
		return d.fail(s, "not enough properties were found")
	}
	return true
}

// extra adds one further property under a name that none has yet; a name already there costs a try.
func (d *Draw) extra(s *Shape, v map[string]any, depth int) bool {
	p := s.object
	name := word(d.Rand)
	switch {
	case p.extraNames != nil:
		if !p.extraNames.Possible() {
			return false
		}
		n, _ := d.quiet(p.extraNames)
		t, ok := n.(string)
		if !ok {
			return false
		}
		name = t
	case len(p.namePatterns) > 0:
		name = p.namePatterns[d.Rand.IntN(len(p.namePatterns))].draw(d.Rand, 1, 64, d.Rand.IntN(4))
	case len(v) >= len(words)/2:
		name += strconv.Itoa(len(v))
	}
	if _, there := v[name]; there || slices.ContainsFunc(p.fields, func(f field) bool { return f.Name == name }) {
		return true
	}
	shape := s.property(name)
	if shape.readOnly || !shape.Possible() {
		return true
	}
	f := field{Field: NewField(name, shape)}
	return d.property(v, &f, depth) || depth < d.all.limits.MostDepth
}
