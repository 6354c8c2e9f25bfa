package values

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/restest/restest/settings/document"
)

// Side says where a boundary's value lies, seen from the rule.
type Side string

// The sides.
const (
	// On is the last value that a bound speaks of: 5 for minimum 5, and for exclusiveMinimum 5 as well, where it does
	// not fit. Each value of an enum lies on it.
	On Side = "on"
	// Inside is next to it, where values fit: 6 for minimum 5.
	Inside Side = "inside"
	// Outside is next to it, where they do not: 4 for minimum 5.
	Outside Side = "outside"
)

// Boundary is a value at one rule of a shape.
type Boundary struct {
	// Rule is the JSON Schema keyword, such as "minimum", "required" or "type".
	Rule string
	// Part tells apart what one keyword says of several: the property for required, dependentRequired and
	// additionalProperties, the JSON type of the value for type. It is "" for others.
	Part  string
	Side  Side
	Value any
	// Fits says whether the value fits the whole shape. One that does not breaks this rule and no other of the shape.
	Fits bool
}

// mostBoundaries bounds the boundaries of one shape: of an enum of thousands of values not each is wanted.
const mostBoundaries = 200

// Boundaries are the values at the rules of the field's own shape: for each rule one on it, one just inside and one just
// outside, as far as there are such values and as they are found in bounded work. Those that do not fit break that rule
// alone. For a shape that leaves a choice (oneOf, anyOf, if) the rules are those of its branches too.
//
// The rules of what an object or a list holds are not among them: go down by Properties and ItemAt, put a boundary of
// the child into a value of the parent, and ask the parent's Fits whether it does there what it does alone.
//
// The values hang on the draw's Rand alone, and they come in the order of the document's rules. Origins are not noted.
func (d *Draw) Boundaries(f *Field) []Boundary {
	mark := len(d.Origins)
	defer func() { d.Origins = d.Origins[:mark] }()
	b := &bounder{d: d, whole: f.Shape, field: f}
	b.shape(f.Shape, 0)
	return b.found
}

// BreaksOnly says whether a value breaks the rule and no other of the shape: it does not fit, and would without the
// rule. Part is as in Boundary.
func (s *Shape) BreaksOnly(v any, rule, part string) bool {
	return !s.Fits(v) && s.fitsWithout(v, rule, part)
}

// Property is one property of an object.
type Property struct {
	// Field makes its values. It is shared: it is not to be changed.
	Field    *Field
	Required bool
}

// Properties are an object's properties that belong in a request, in the order of the document; those that a choice
// would add are in the branches'.
func (s *Shape) Properties() []Property {
	s.plan()
	p := s.object
	if p == nil && s.problem == "" {
		p, _ = s.objectOf()
	}
	if p == nil {
		return nil
	}
	properties := make([]Property, len(p.fields))
	for i := range p.fields {
		properties[i] = Property{&p.fields[i].Field, p.fields[i].required}
	}
	return properties
}

// ItemAt is the shape of the list's item at that index.
func (s *Shape) ItemAt(i int) *Shape { return s.item(i) }

// Branches are the shapes, each with all that holds for this one too, of the first choice that it leaves (oneOf, anyOf,
// if), those that are possible. A shape without a choice has none. A branch can leave further choices.
func (s *Shape) Branches() []*Shape {
	s.plan()
	if len(s.choices) == 0 {
		return nil
	}
	var branches []*Shape
	c := s.choices[0]
	for i := range c.branches {
		if b := s.branch(c, i); b.Possible() {
			branches = append(branches, b)
		}
	}
	return branches
}

// Types are the JSON types that are allowed and possible, in the order null, boolean, integer, number, string, array,
// object. Integer is among them where number is not.
func (s *Shape) Types() []string {
	s.plan()
	if s.problem != "" {
		return nil
	}
	var names []string
	for i, name := range typeNames {
		one := typeSet(1) << i
		if s.types&one != 0 && (one != integer || s.types&fraction == 0) {
			names = append(names, name)
		}
	}
	return names
}

var typeNames = [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}

// Listed are the values of enum and const that fit, nil where the document lists none.
func (s *Shape) Listed() []any {
	s.plan()
	return s.listed
}

// bounder collects the boundaries of a shape.
type bounder struct {
	d     *Draw
	whole *Shape
	field *Field
	found []Boundary
}

// add keeps a value that fits, and one that breaks the rule alone.
func (b *bounder) add(s *Shape, rule, part string, side Side, v any) {
	if len(b.found) >= mostBoundaries {
		return
	}
	fits := b.whole.Fits(v)
	switch {
	case fits && side == Outside:
		return
	case !fits && (s.fitsWithout(v, "", "") || !s.fitsWithout(v, rule, part)):
		return // it breaks a choice that the shape is a branch of, or another rule besides
	case slices.ContainsFunc(b.found, func(o Boundary) bool {
		return o.Rule == rule && o.Part == part && o.Side == side && Equal(o.Value, v)
	}):
		return
	}
	b.found = append(b.found, Boundary{rule, part, side, v, fits})
}

// deepestChoice is how many choices are settled one after the other in looking for rules.
const deepestChoice = 4

func (b *bounder) shape(s *Shape, depth int) {
	if !s.Possible() || len(b.found) >= mostBoundaries {
		return
	}
	switch {
	case s.listed != nil:
		b.enumerated(s)
		return
	case len(s.choices) > 0:
		b.exclusive(s)
		if depth < deepestChoice {
			for _, branch := range s.Branches() {
				b.shape(branch, depth+1)
			}
		}
	default:
		b.typed(s)
		if s.types&number != 0 {
			b.numbers(s)
		}
		if s.types&text != 0 {
			b.texts(s)
		}
		if s.types&list != 0 {
			b.lists(s)
		}
		if s.types&object != 0 {
			b.objects(s)
		}
	}
	b.excluded(s)
}

// enumerated are each value of an enum, and some that are near and none of them.
func (b *bounder) enumerated(s *Shape) {
	rule := s.source
	for _, v := range s.listed {
		b.add(s, rule, "", On, v)
	}
	for _, v := range s.listed {
		switch v := v.(type) {
		case string:
			for _, near := range []string{v + "x", swapCase(v), "not-" + v} {
				b.outsideList(s, rule, near)
			}
		case json.Number:
			if r, ok := ratOf(v); ok {
				b.outsideList(s, rule, numberText(new(big.Rat).Add(r, wholeStep)))
			}
		case bool:
			b.outsideList(s, rule, !v)
		}
		if slices.ContainsFunc(b.found, func(o Boundary) bool { return o.Rule == rule && o.Side == Outside }) {
			return
		}
	}
}

func (b *bounder) outsideList(s *Shape, rule string, v any) {
	if !contains(s.listed, v) {
		b.add(s, rule, "", Outside, v)
	}
}

func swapCase(t string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z':
			return c - 'a' + 'A'
		case 'A' <= c && c <= 'Z':
			return c - 'A' + 'a'
		}
		return c
	}, t)
}

// typed are a value of each type that is allowed and of each that is not.
func (b *bounder) typed(s *Shape) {
	declared := slices.ContainsFunc(s.members, func(m *document.Schema) bool { return len(m.Types) > 0 })
	if !declared {
		return
	}
	for _, name := range s.Types() {
		one := *s
		one.types = typesOf([]string{name})
		if v, ok := b.d.once(&one, b.field, 1); ok {
			b.add(s, "type", name, Inside, v)
		}
	}
	for i, v := range [...]any{nil, true, json.Number("1"), json.Number("1.5"), word(b.d.Rand), []any{}, map[string]any{}} {
		b.add(s, "type", typeNames[i], Outside, v)
	}
}

func (b *bounder) numbers(s *Shape) {
	step := s.numbers.step
	at := func(rule string, bound *big.Rat, up int64) {
		if bound == nil {
			return
		}
		inward := new(big.Rat).Mul(step, big.NewRat(up, 1))
		// Of numbers that come in steps those count that are the bound's neighbours.
		on := nearest(bound, step, up)
		b.add(s, rule, "", On, numberText(on))
		b.add(s, rule, "", Inside, numberText(new(big.Rat).Add(on, inward)))
		b.add(s, rule, "", Outside, numberText(new(big.Rat).Sub(on, inward)))
	}
	name := "integer"
	if s.types&fraction != 0 {
		name = "number"
	}
	b.add(s, "type", name, Inside, json.Number("0")) // which many programs take for no number at all
	if step.Cmp(wholeStep) < 0 {                     // what typed draws is whole where the name implies that
		between := new(big.Rat).Mul(new(big.Rat).SetInt(s.numbers.usualLow), step)
		if between.IsInt() {
			between.Add(between, step)
		}
		b.add(s, "type", name, Inside, numberText(between))
		b.add(s, "type", name, Inside, nearZero)
	}
	for _, m := range s.members {
		at("minimum", m.Minimum, 1)
		at("exclusiveMinimum", m.ExclusiveMinimum, 1)
		at("maximum", m.Maximum, -1)
		at("exclusiveMaximum", m.ExclusiveMaximum, -1)
		if low, high := formatBounds(m.Format); low != nil {
			at("format", low, 1)
			at("format", high, -1)
		}
		if m.MultipleOf != nil && m.MultipleOf.Sign() > 0 {
			b.multiples(s, m.MultipleOf)
		}
	}
}

// nearZero is next to nothing: a time too short for anything, a share that is rounded away.
const nearZero = json.Number("0.0000001")

// multiples are a multiple and its neighbours.
func (b *bounder) multiples(s *Shape, of *big.Rat) {
	k := new(big.Rat).SetInt(s.numbers.usualLow)
	on := k.Mul(k, s.numbers.step)
	b.add(s, "multipleOf", "", On, numberText(on))
	b.add(s, "multipleOf", "", Inside, numberText(new(big.Rat).Add(on, s.numbers.step)))
	for _, away := range []*big.Rat{wholeStep, new(big.Rat).Mul(of, big.NewRat(1, 2))} {
		b.add(s, "multipleOf", "", Outside, numberText(new(big.Rat).Add(on, away)))
		b.add(s, "multipleOf", "", Outside, numberText(new(big.Rat).Sub(on, away)))
	}
}

// nearest is the multiple of the step that is the bound, or the first beyond it in the direction.
func nearest(bound, step *big.Rat, direction int64) *big.Rat {
	n := new(big.Rat).Quo(bound, step)
	k := ceil(n)
	if direction < 0 {
		k = floor(n)
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(k), step)
}

// numberText is the number as JSON writes it; of one that has no end a hundred digits are kept.
func numberText(r *big.Rat) json.Number {
	n, exact := r.FloatPrec()
	if !exact {
		n = 100
	}
	return json.Number(r.FloatString(n))
}

func (b *bounder) texts(s *Shape) {
	p := s.text
	length := func(rule string, n, side int64) {
		for _, row := range [...]struct {
			side Side
			n    int64
		}{{On, n}, {Inside, n + side}, {Outside, n - side}} {
			if row.n < 0 || row.n > mostText {
				continue
			}
			if t, ok := b.d.textOf(p, int(row.n)); ok {
				b.add(s, rule, "", row.side, t)
			}
		}
	}
	for _, m := range s.members {
		if m.MinLength > 0 {
			length("minLength", m.MinLength, 1)
		}
		if m.MaxLength >= 0 {
			length("maxLength", m.MaxLength, -1)
		}
		if m.Pattern != "" {
			b.patterned(s)
		}
		if f := formats[m.Format]; f != nil {
			b.formatted(s, f)
		}
	}
}

// textOf is a text of n code points that fits all else.
func (d *Draw) textOf(p *textPlan, n int) (string, bool) {
	exact := *p
	exact.low, exact.high = n, n
	if len(p.patterns)+len(p.formats) == 0 {
		return phrase(d.Rand, n, n), true
	}
	for try := range d.tries() {
		if t := d.candidate(&exact, try); exact.fits(t) {
			return t, true
		}
	}
	return "", false
}

// patterned are a text that fits the pattern and one that is a little beside it.
func (b *bounder) patterned(s *Shape) {
	t := b.d.drawText(s, nil)
	b.add(s, "pattern", "", Inside, t)
	for _, near := range besides(t) {
		before := len(b.found)
		if b.add(s, "pattern", "", Outside, near); len(b.found) > before {
			return
		}
	}
	// A text of another kind and of the same length.
	for _, other := range []string{phrase(b.d.Rand, utf8.RuneCountInString(t), utf8.RuneCountInString(t)), strings.Repeat("~", utf8.RuneCountInString(t))} {
		b.add(s, "pattern", "", Outside, other)
	}
}

// besides are texts that differ a little from one: the same length first, so that lengths are kept.
func besides(t string) []string {
	letters := []rune(t)
	var near []string
	for _, c := range []rune{'!', '~', 'A', 'a', '0', ' '} {
		for _, i := range []int{0, len(letters) - 1, len(letters) / 2} {
			if i >= 0 && i < len(letters) && letters[i] != c {
				changed := slices.Clone(letters)
				changed[i] = c
				near = append(near, string(changed))
			}
		}
	}
	near = append(near, t+"!", "!"+t, t+t)
	if len(letters) > 0 {
		near = append(near, string(letters[1:]), string(letters[:len(letters)-1]))
	}
	return near
}

// formatted are a text of the format and some that are none.
func (b *bounder) formatted(s *Shape, f *format) {
	t := b.d.drawText(s, nil)
	b.add(s, "format", "", Inside, t)
	for _, wrong := range f.wrong {
		b.add(s, "format", "", Outside, wrong)
	}
}

func (b *bounder) lists(s *Shape) {
	length := func(rule string, n, inward int64) {
		b.list(s, rule, On, n)
		b.list(s, rule, Inside, n+inward)
		b.list(s, rule, Outside, n-inward)
	}
	for _, m := range s.members {
		if m.MinItems > 0 {
			length("minItems", m.MinItems, 1)
		}
		if m.MaxItems >= 0 {
			length("maxItems", m.MaxItems, -1)
		}
		if m.UniqueItems {
			b.twice(s)
		}
		if m.Contains != nil {
			b.contained(s, m)
		}
	}
}

// mostBoundaryItems is the longest list made to try a bound.
const mostBoundaryItems = 2000

// list adds a list of n items.
func (b *bounder) list(s *Shape, rule string, side Side, n int64) {
	if n < 0 || n > mostBoundaryItems {
		return
	}
	if v, ok := b.d.listOf(s, b.field, int(n)); ok {
		b.add(s, rule, "", side, v)
	}
}

// listOf is a list of n items that each fit.
func (d *Draw) listOf(s *Shape, f *Field, n int) ([]any, bool) {
	one := *s
	plan := *s.list
	plan.low, plan.high = n, n
	one.list = &plan
	v, ok := d.drawList(&one, f, 1)
	return v, ok && len(v) == n
}

// twice is a list that holds one item two times, and one that holds different ones.
func (b *bounder) twice(s *Shape) {
	n := max(2, s.list.low)
	if n > s.list.high || n > mostBoundaryItems {
		return
	}
	v, ok := b.d.listOf(s, b.field, n)
	if ok {
		b.add(s, "uniqueItems", "", Inside, v)
	} else if v, ok = b.d.listOf(s, b.field, 1); ok {
		v = append(v, nil)
	}
	if !ok {
		return
	}
	same := slices.Clone(v)
	same[len(same)-1] = same[len(same)-2]
	b.add(s, "uniqueItems", "", Outside, same)
}

// contained are lists that hold as many of the wanted items as they may, and one fewer or more.
func (b *bounder) contained(s *Shape, m *document.Schema) {
	v, ok := b.d.drawList(s, b.field, 1)
	if !ok {
		return
	}
	least := m.MinContains
	if least < 0 {
		least = 1
	}
	rule := "contains"
	if m.MinContains >= 0 {
		rule = "minContains"
	}
	wanted := s.all.Of(m.Contains)
	var is, other []any
	for _, item := range v {
		if wanted.Fits(item) {
			is = append(is, item)
		} else {
			other = append(other, item)
		}
	}
	held := func(rule string, side Side, n int64) {
		if n < 0 || n > mostBoundaryItems {
			return
		}
		all := append([]any{}, other...)
		for i := range n {
			if i < int64(len(is)) {
				all = append(all, is[i])
				continue
			}
			more, ok := b.d.quiet(s.all.of(append([]*document.Schema{m.Contains}, s.list.rest.members...), nil))
			if !ok {
				return
			}
			all = append(all, more)
		}
		b.add(s, rule, "", side, all)
	}
	if least > 0 {
		held(rule, On, least)
		held(rule, Inside, least+1)
		held(rule, Outside, least-1)
	}
	if m.MaxContains >= 0 {
		held("maxContains", On, m.MaxContains)
		held("maxContains", Inside, m.MaxContains-1)
		held("maxContains", Outside, m.MaxContains+1)
	}
}

func (b *bounder) objects(s *Shape) {
	p := s.object
	base, ok := b.d.drawObject(s, 1)
	if !ok {
		return
	}
	for i := range p.fields {
		f := &p.fields[i]
		if f.required {
			if _, there := base[f.Name]; !there {
				continue
			}
			b.add(s, "required", f.Name, Inside, base)
			b.add(s, "required", f.Name, Outside, withoutProperty(base, f.Name))
		}
	}
	b.free(s, base)
	for _, m := range s.members {
		if m.MinProperties > 0 {
			b.sized(s, "minProperties", base, m.MinProperties, 1)
		}
		if m.MaxProperties >= 0 {
			b.sized(s, "maxProperties", base, m.MaxProperties, -1)
		}
		b.further(s, m, base)
		for _, name := range sortedNames(m.DependentRequired) {
			b.dependents(s, m, base, name)
		}
		if m.PropertyNames != nil {
			for _, name := range []string{"!", "", "a b", strings.Repeat("n", 300)} {
				b.add(s, "propertyNames", "", Outside, withProperty(base, name, b.extraValue(s, name)))
			}
		}
	}
}

// free are objects with a property of each of the kinds that few programs expect, where the document says nothing of what
// properties are: what is at all said of them is that they may be anything.
func (b *bounder) free(s *Shape, base map[string]any) {
	p := s.object
	if p.extra == nil || len(p.fields) > 0 && !slices.ContainsFunc(s.members, func(m *document.Schema) bool { return m.AdditionalProperties != nil }) {
		return
	}
	const name = "undeclared"
	for _, v := range []any{nil, []any{nil}, map[string]any{}, []any{}} {
		if !p.extra.Shape.Fits(v) {
			return
		}
		b.add(s, "additionalProperties", name, Inside, withProperty(base, name, v))
	}
}

// further are an object with a property that nobody declared, and one without.
func (b *bounder) further(s *Shape, m *document.Schema, base map[string]any) {
	rest, rule := m.AdditionalProperties, "additionalProperties"
	if rest == nil {
		rest, rule = m.UnevaluatedProps, "unevaluatedProperties"
	}
	if rest == nil {
		return
	}
	const name = "undeclared"
	if rest.Always != nil && !*rest.Always {
		b.add(s, rule, name, Inside, base)
		b.add(s, rule, name, Outside, withProperty(base, name, word(b.d.Rand)))
		return
	}
	if v, ok := b.d.quiet(s.property(name)); ok {
		b.add(s, rule, name, Inside, withProperty(base, name, v))
	}
	for _, v := range []any{word(b.d.Rand), json.Number("1.5"), true, []any{}, map[string]any{}} {
		b.add(s, rule, name, Outside, withProperty(base, name, v))
	}
}

// extraValue is a value for a further property.
func (b *bounder) extraValue(s *Shape, name string) any {
	if v, ok := b.d.quiet(s.property(name)); ok {
		return v
	}
	return word(b.d.Rand)
}

// dependents are an object whose property lacks what it needs beside it, and one that has it.
func (b *bounder) dependents(s *Shape, m *document.Schema, base map[string]any, name string) {
	full := base
	for _, needed := range append([]string{name}, m.DependentRequired[name]...) {
		if _, there := full[needed]; there {
			continue
		}
		v, ok := b.d.quiet(s.property(needed))
		if !ok {
			return
		}
		full = withProperty(full, needed, v)
	}
	b.add(s, "dependentRequired", name, Inside, full)
	for _, needed := range m.DependentRequired[name] {
		b.add(s, "dependentRequired", name, Outside, withoutProperty(full, needed))
	}
}

// sized are objects of as many properties as a bound allows, and one more and fewer.
func (b *bounder) sized(s *Shape, rule string, base map[string]any, bound, inward int64) {
	for _, row := range [...]struct {
		side Side
		n    int64
	}{{On, bound}, {Inside, bound + inward}, {Outside, bound - inward}} {
		if row.n < 0 || row.n > mostBoundaryItems {
			continue
		}
		if v, ok := b.resized(s, base, int(row.n)); ok {
			b.add(s, rule, "", row.side, v)
		}
	}
}

// resized is the object with n properties, of which those that are required stay.
func (b *bounder) resized(s *Shape, base map[string]any, n int) (map[string]any, bool) {
	p, v := s.object, withProperty(base, "", nil)
	delete(v, "")
	optional := slices.DeleteFunc(sortedNames(v), func(name string) bool {
		return slices.ContainsFunc(p.fields, func(f field) bool { return f.Name == name && f.required })
	})
	for len(v) > n && len(optional) > 0 {
		delete(v, optional[len(optional)-1])
		optional = optional[:len(optional)-1]
	}
	for i := 0; i < len(p.fields) && len(v) < n; i++ {
		if _, there := v[p.fields[i].Name]; !there && p.fields[i].Shape.Possible() {
			b.d.property(v, &p.fields[i], 1)
		}
	}
	for try := 0; len(v) < n && try < b.d.tries()+n && p.extra != nil; try++ {
		if !b.d.extra(s, v, 1) {
			break
		}
	}
	return v, len(v) == n
}

// withProperty is the object with one more property, withoutProperty is it with one fewer; the object itself stays as it is.
func withProperty(o map[string]any, name string, v any) map[string]any {
	n := make(map[string]any, len(o)+1)
	for k, w := range o {
		n[k] = w
	}
	n[name] = v
	return n
}

func withoutProperty(o map[string]any, name string) map[string]any {
	n := withProperty(o, name, nil)
	delete(n, name)
	return n
}

func sortedNames[V any](of map[string]V) []string {
	names := make([]string, 0, len(of))
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// excluded is a value of what not forbids.
func (b *bounder) excluded(s *Shape) {
	for _, m := range s.members {
		if m.Not != nil {
			b.drawn(s, "not", append(s.all.lifted(s.members, "not"), m.Not))
		}
	}
}

// exclusive is a value that fits two branches of a oneOf at once.
func (b *bounder) exclusive(s *Shape) {
	for _, c := range s.choices {
		if c.key.kind != oneOf {
			continue
		}
		for i := 1; i < min(len(c.branches), 4); i++ {
			b.drawn(s, "oneOf", slices.Concat(s.all.lifted(s.members, "oneOf"), c.branches[i-1], c.branches[i]))
		}
	}
}

// without is a schema without a rule and without its allOf.
type without struct {
	schema *document.Schema
	rule   string
}

// lifted are the members of a shape, each without the rule. What their allOf names is among them already.
func (a *Shapes) lifted(members []*document.Schema, rule string) []*document.Schema {
	bare := make([]*document.Schema, len(members), len(members)+2)
	for i, m := range members {
		key := without{m, rule}
		if a.bare[key] == nil {
			clone := *m
			clone.AllOf = nil
			lift(&clone, rule, "")
			a.bare[key] = &clone
		}
		bare[i] = a.bare[key]
	}
	return bare
}

// drawn adds a value of the schemas together, outside the rule.
func (b *bounder) drawn(s *Shape, rule string, members []*document.Schema) {
	shape := s.all.of(members, nil)
	if !shape.Possible() {
		return
	}
	for range 4 {
		v, ok := b.d.quiet(shape)
		if !ok {
			return
		}
		before := len(b.found)
		if b.add(s, rule, "", Outside, v); len(b.found) > before {
			return
		}
	}
}

// fitsWithout says whether the value would fit if the rule were not there. Choices that are settled do not count: the
// branch is among the members, and what other branches say does not matter then.
func (s *Shape) fitsWithout(v any, rule, part string) bool {
	return s.fitsLifted(v, func(m *document.Schema) {
		lift(m, rule, part)
	}, true)
}

// fitsLifted says whether the value fits the members when some of their rules are lifted.
func (s *Shape) fitsLifted(v any, some func(*document.Schema), settled bool) bool {
	c := &checker{all: s.all}
	for _, m := range s.members {
		bare := *m
		some(&bare)
		for _, k := range s.settled {
			if settled && k.schema == m {
				lift(&bare, k.kind.keyword(), "")
			}
		}
		if !c.keywords(&bare, v) {
			return false
		}
	}
	return true
}

// broken says which of the rules that do not lead the making of values the value breaks.
func (s *Shape) broken(v any) string {
	for _, rule := range []string{
		"oneOf", "not", "anyOf", "if", "contains", "maxContains", "uniqueItems", "dependentRequired", "dependentSchemas",
		"propertyNames", "unevaluatedProperties", "unevaluatedItems", "pattern", "required", "additionalProperties",
	} {
		if s.fitsLifted(v, func(m *document.Schema) { lift(m, rule, "") }, false) {
			switch rule {
			case "oneOf":
				return "its oneOf: exactly one of its branches has to fit"
			case "not":
				return "its not: what is wanted is what it excludes"
			}
			return "its " + rule
		}
	}
	return "more than one of its rules"
}

// lift takes one rule off the schema; without a part, all that the rule says.
func lift(s *document.Schema, rule, part string) {
	switch rule {
	case "type":
		s.Types = nil
	case "enum", "const":
		s.HasEnum, s.HasConst = false, false
	case "minimum":
		s.Minimum = nil
	case "exclusiveMinimum":
		s.ExclusiveMinimum = nil
	case "maximum":
		s.Maximum = nil
	case "exclusiveMaximum":
		s.ExclusiveMaximum = nil
	case "multipleOf":
		s.MultipleOf = nil
	case "minLength":
		s.MinLength = -1
	case "maxLength":
		s.MaxLength = -1
	case "pattern":
		s.Pattern = ""
	case "format":
		s.Format = ""
	case "minItems":
		s.MinItems = -1
	case "maxItems":
		s.MaxItems = -1
	case "uniqueItems":
		s.UniqueItems = false
	case "contains", "minContains":
		s.MinContains = 0
	case "maxContains":
		s.MaxContains = -1
	case "minProperties":
		s.MinProperties = -1
	case "maxProperties":
		s.MaxProperties = -1
	case "required":
		if part == "" {
			s.Required = nil
		}
		s.Required = slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { return name == part })
	case "additionalProperties":
		s.AdditionalProperties = nil
	case "unevaluatedProperties":
		s.UnevaluatedProps = nil
	case "unevaluatedItems":
		s.UnevaluatedItems = nil
	case "propertyNames":
		s.PropertyNames = nil
	case "dependentRequired":
		s.DependentRequired = nil
	case "not":
		s.Not = nil
	case "oneOf":
		s.OneOf = nil
	case "anyOf":
		s.AnyOf = nil
	case "if":
		s.If = nil
	case "dependentSchemas":
		s.DependentSchemas = nil
	}
}
