package document

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/message"
)

// compiler makes the validator's schemas of ours, for one direction.
//
// They are built as values, one for one, and not through the validator's own compiler. That would want the document
// as JSON Schema text, resolve every reference again, check each schema against the meta-schema (1.5 s for GitHub's)
// and refuse a whole schema for one bad keyword; here all of that has been done when the document was read.
type compiler struct {
	direction   Direction
	unevaluated bool
	patterns    map[string]*pattern
	done        map[*Schema]*jsonschema.Schema
	exempted    map[exemption]*jsonschema.Schema
	quicks      map[*jsonschema.Schema]*quick
	unfilled    []func()
	sources     []*Schema // by the number that a compiled schema has as its location
	state       *state
}

// state is what judging one value has come to.
type state struct {
	undecided error
	branching int
}

func newCompiler(d Direction, unevaluated bool, patterns map[string]*pattern) *compiler {
	return &compiler{
		direction: d, unevaluated: unevaluated, patterns: patterns,
		done: map[*Schema]*jsonschema.Schema{}, exempted: map[exemption]*jsonschema.Schema{},
		quicks: map[*jsonschema.Schema]*quick{}, state: &state{},
	}
}

// run validates; the error is a *jsonschema.ValidationError if the value does not fit.
func (c *compiler) run(compiled *jsonschema.Schema, value any) (err error) {
	*c.state = state{}
	defer func() {
		switch r := recover(); r {
		case nil:
		case errTooLong:
			err = errTooLong
		default:
			err = fmt.Errorf("the validator failed: %v", r)
		}
	}()
	return compiled.Validate(value)
}

var errTooLong = errors.New("its schema branches so often that judging it would take too long")

// source is the schema that a compiled one was made of.
func (c *compiler) source(location string) *Schema {
	var i int
	if _, err := fmt.Sscanf(location, "%d", &i); err != nil || i >= len(c.sources) {
		return emptySchema()
	}
	return c.sources[i]
}

func (c *compiler) begin(s *Schema) *jsonschema.Schema {
	// Every location is of the same length: the validator compares them by their beginnings.
	out := &jsonschema.Schema{DraftVersion: 2020, Location: fmt.Sprintf("%09d", len(c.sources))}
	c.sources = append(c.sources, s)
	return out
}

// compiled is the schema for the validator, with all it leads to.
func (c *compiler) compiled(s *Schema) *jsonschema.Schema {
	out := c.compile(s)
	for len(c.unfilled) > 0 {
		fill := c.unfilled[len(c.unfilled)-1]
		c.unfilled = c.unfilled[:len(c.unfilled)-1]
		fill()
	}
	return out
}

// compile begins a schema; its keywords come later, as schemas can lead from one to the next for longer than a stack
// is deep.
func (c *compiler) compile(s *Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	if out, ok := c.done[s]; ok {
		return out
	}
	out := c.begin(s)
	c.done[s] = out
	inner := out
	if s.lenientNull && !letsNullIn(s) {
		inner = c.begin(s)
		null := new(jsonschema.Types)
		null.Add("null")
		out.If = c.begin(s)
		out.If.Types = null
		out.Else = inner
	}
	c.unfilled = append(c.unfilled, func() { c.fill(inner, s, nil) })
	return out
}

func (c *compiler) compileAll(schemas []*Schema) []*jsonschema.Schema {
	if len(schemas) == 0 {
		return nil
	}
	out := make([]*jsonschema.Schema, len(schemas))
	for i, s := range schemas {
		out[i] = c.compile(s)
	}
	return out
}

func (c *compiler) compileMap(properties []Property) map[string]*jsonschema.Schema {
	if len(properties) == 0 {
		return nil
	}
	out := make(map[string]*jsonschema.Schema, len(properties))
	for _, p := range properties {
		out[p.Name] = c.compile(p.Schema)
	}
	return out
}

// letsNullIn says whether a nullable schema is fulfilled by null as it stands.
func letsNullIn(s *Schema) bool {
	return (len(s.Types) == 0 || slices.Contains(s.Types, "null")) && (!s.HasEnum || slices.Contains(s.Enum, nil)) &&
		!s.HasConst && s.Not == nil && s.If == nil && len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) == 0
}

// fill gives a compiled schema its keywords. Names in exempt are not required, as the schema around this one says
// that they do not go this way.
func (c *compiler) fill(out *jsonschema.Schema, s *Schema, exempt []string) {
	if s.Unusable != "" {
		out.Extensions = []jsonschema.SchemaExt{&undecidable{c.state, errors.New(s.Unusable)}}
		return
	}
	if s.Always != nil {
		out.Bool = s.Always
		return
	}
	if s.open != "" {
		out.Extensions = append(out.Extensions, &undecidable{c.state, errors.New(s.open)})
	}
	if len(s.Types) > 0 {
		out.Types = new(jsonschema.Types)
		for _, t := range s.Types {
			if t == "integer" {
				t = "number" // numbers says whether it is whole
			}
			out.Types.Add(t)
		}
	}
	if s.HasConst {
		out.Const = &s.Const
	}
	if s.HasEnum {
		out.Extensions = append(out.Extensions, newOneOfValues(s.Enum))
	}
	out.Format = textFormats()[s.Format]
	out.MinLength, out.MaxLength = size(s.MinLength), size(s.MaxLength)
	if s.Pattern != "" {
		out.Pattern = c.pattern(s.Pattern)
	}
	if n := newNumbers(s); n != nil {
		out.Extensions = append(out.Extensions, n)
	}
	exempt = append(slices.Clone(exempt), c.oneWay(s)...)
	slices.Sort(exempt)
	exempt = slices.Compact(exempt)
	c.fillArray(out, s)
	c.fillObject(out, s, exempt)
	c.fillBranches(out, s, exempt)
}

func (c *compiler) fillArray(out *jsonschema.Schema, s *Schema) {
	out.Items2020, out.PrefixItems = c.compile(s.Items), c.compileAll(s.PrefixItems)
	out.MinItems, out.MaxItems, out.UniqueItems = size(s.MinItems), size(s.MaxItems), s.UniqueItems
	if s.Contains != nil {
		out.Contains = c.compile(s.Contains)
		out.MinContains, out.MaxContains = size(s.MinContains), size(s.MaxContains)
	}
	out.UnevaluatedItems = c.compile(s.UnevaluatedItems)
	if c.unevaluated && (s.Items != nil || len(s.PrefixItems) > 0) {
		out.Extensions = append(out.Extensions, evaluatesItems{len(s.PrefixItems), s.Items != nil})
	}
}

func (c *compiler) fillObject(out *jsonschema.Schema, s *Schema, exempt []string) {
	out.Properties = c.compileMap(s.Properties)
	out.MinProperties, out.MaxProperties = size(s.MinProperties), size(s.MaxProperties)
	out.PropertyNames = c.compile(s.PropertyNames)
	out.UnevaluatedProperties = c.compile(s.UnevaluatedProps)
	switch more := s.AdditionalProperties; {
	case more == nil:
	case more.Always != nil && more.Unusable == "":
		out.AdditionalProperties = *more.Always
	default:
		out.AdditionalProperties = c.compile(more)
	}
	for _, p := range s.PatternProperties {
		if out.PatternProperties == nil {
			out.PatternProperties = map[jsonschema.Regexp]*jsonschema.Schema{}
		}
		out.PatternProperties[c.pattern(p.Name)] = c.compile(p.Schema)
	}
	for _, name := range s.Required {
		if !slices.Contains(exempt, name) {
			out.Required = append(out.Required, name)
		}
	}
	out.DependentRequired = s.DependentRequired
	if s.DependentSchemas != nil {
		out.DependentSchemas = map[string]*jsonschema.Schema{}
		for name, d := range s.DependentSchemas {
			out.DependentSchemas[name] = c.compile(d)
		}
	}
}

func (c *compiler) fillBranches(out *jsonschema.Schema, s *Schema, exempt []string) {
	if len(s.AllOf) > 0 {
		for _, branch := range s.AllOf {
			out.AllOf = append(out.AllOf, c.compileExempt(branch, exempt))
		}
	}
	out.Not, out.If = c.compile(s.Not), c.compile(s.If)
	if s.If != nil {
		out.Then, out.Else = c.compile(s.Then), c.compile(s.Else)
	}
	if len(s.OneOf)+len(s.AnyOf) > 0 {
		out.Extensions = append(out.Extensions, &counts{c.state})
	}
	oneOf, anyOf := c.compileAll(s.OneOf), c.compileAll(s.AnyOf)
	if s.Discriminator == nil || len(oneOf)+len(anyOf) == 0 {
		out.OneOf, out.AnyOf = oneOf, anyOf
		return
	}
	d := &discriminated{property: s.Discriminator.Property, known: c.direction == InRequest, branches: map[string]*jsonschema.Schema{}, names: map[string]string{}}
	for _, branch := range slices.Concat(s.OneOf, s.AnyOf) {
		if branch.Name != "" {
			d.branches[branch.Name], d.names[branch.Name] = c.compile(branch), branch.Name
		}
	}
	for value, branch := range s.Discriminator.Mapping {
		name := branch.Name
		if name == "" {
			name = "the schema at " + pointerOf(branch)
		}
		d.branches[value], d.names[value] = c.compile(branch), name
	}
	d.otherwise = c.begin(s)
	d.otherwise.OneOf, d.otherwise.AnyOf = oneOf, anyOf
	c.leaveRelativesOut(d, s)
	out.Extensions = append(out.Extensions, d)
}

// leaveRelativesOut has the name of a branch decide between it and those of a oneOf that it is derived from by allOf, or
// that are derived from it: what fits the one mostly fits the other as well, and that is what deriving means.
func (c *compiler) leaveRelativesOut(d *discriminated, s *Schema) {
	d.alone = map[*jsonschema.Schema]*jsonschema.Schema{}
	for _, named := range s.OneOf {
		unrelated := *s
		unrelated.OneOf = slices.DeleteFunc(slices.Clone(s.OneOf), func(other *Schema) bool {
			return other != named && (slices.Contains(family(named), other) || slices.Contains(family(other), named))
		})
		if len(unrelated.OneOf) < len(s.OneOf) {
			alone := c.begin(&unrelated)
			alone.OneOf = c.compileAll(unrelated.OneOf)
			d.alone[c.compile(named)] = alone
		}
	}
}

// family is the schema and all that its allOf adds, each once.
func family(s *Schema) []*Schema {
	members := []*Schema{s}
	if len(s.AllOf) == 0 {
		return members
	}
	seen := map[*Schema]bool{s: true}
	for i := 0; i < len(members); i++ {
		for _, branch := range members[i].AllOf {
			if !seen[branch] {
				seen[branch] = true
				members = append(members, branch)
			}
		}
	}
	return members
}

// oneWay are the properties, here and in what allOf adds, that are only for the other direction.
func (c *compiler) oneWay(s *Schema) []string {
	var names []string
	for _, member := range family(s) {
		for _, p := range member.Properties {
			if c.isOneWay(p.Schema) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

func (c *compiler) isOneWay(s *Schema) bool {
	oneWay := func(s *Schema) bool {
		return c.direction == InRequest && s.ReadOnly || c.direction == InReply && s.WriteOnly
	}
	return oneWay(s) || slices.ContainsFunc(s.AllOf, oneWay)
}

// exemption is a schema without the requirement of some names.
type exemption struct {
	schema *Schema
	names  string
}

// compileExempt compiles a branch of an allOf. One that requires a property which another branch has only for the
// other direction is compiled again, without that requirement.
func (c *compiler) compileExempt(s *Schema, exempt []string) *jsonschema.Schema {
	if len(exempt) == 0 || !asks(s, exempt) {
		return c.compile(s)
	}
	key := exemption{s, strings.Join(exempt, "\x00")}
	out, ok := c.exempted[key]
	if !ok {
		out = c.begin(s)
		c.exempted[key] = out
		c.unfilled = append(c.unfilled, func() { c.fill(out, s, exempt) })
	}
	return out
}

// asks says whether the schema, or what its allOf adds, requires one of the names.
func asks(s *Schema, names []string) bool {
	return slices.ContainsFunc(family(s), func(member *Schema) bool {
		return slices.ContainsFunc(member.Required, func(name string) bool { return slices.Contains(names, name) })
	})
}

func size(n int64) *int {
	if n < 0 {
		return nil
	}
	i := int(n)
	return &i
}

// undecidable stands for a schema of which nothing is known: a value that comes to it is not judged.
type undecidable struct {
	state  *state
	reason error
}

func (u *undecidable) Validate(*jsonschema.ValidatorContext, any) { u.state.leaveOpen(u.reason) }

func (s *state) leaveOpen(reason error) {
	if s.undecided == nil {
		s.undecided = reason
	}
}

// counts bounds how often alternatives are tried: schemas that contain themselves in more than one branch can ask for
// a number of tries that doubles with each level of the value.
type counts struct{ state *state }

func (c *counts) Validate(*jsonschema.ValidatorContext, any) {
	if c.state.branching++; c.state.branching > mostBranching {
		panic(errTooLong)
	}
}

// oneOfValues is enum. The validator's own cannot be made from outside.
type oneOfValues struct {
	texts  map[string]bool
	values []any
}

func newOneOfValues(values []any) *oneOfValues {
	e := &oneOfValues{texts: map[string]bool{}, values: values}
	for _, v := range values {
		if s, ok := v.(string); ok {
			e.texts[s] = true
		}
	}
	return e
}

func (e *oneOfValues) Validate(ctx *jsonschema.ValidatorContext, v any) {
	if s, ok := v.(string); ok {
		if !e.texts[s] {
			ctx.AddError(&kind.Enum{Got: v, Want: e.values})
		}
		return
	}
	for _, want := range e.values {
		if n, ok := want.(json.Number); ok && !reasonable(string(n)) {
			continue
		}
		if same, err := ctx.Equals(v, want); err == nil && same {
			return
		}
	}
	ctx.AddError(&kind.Enum{Got: v, Want: e.values})
}

// numbers are the keywords on numbers. The validator's own print and parse each number once more for every keyword,
// and most numbers are small whole ones.
type numbers struct {
	whole   bool
	format  *numberFormat
	schema  *Schema
	bounded bool
}

func newNumbers(s *Schema) *numbers {
	n := &numbers{
		whole:  slices.Contains(s.Types, "integer") && !slices.Contains(s.Types, "number"),
		format: numberFormats[s.Format],
		schema: s,
		bounded: s.Minimum != nil || s.Maximum != nil || s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil ||
			s.MultipleOf != nil,
	}
	if !n.whole && n.format == nil && !n.bounded {
		return nil
	}
	return n
}

func (n *numbers) Validate(ctx *jsonschema.ValidatorContext, v any) {
	if literal, ok := v.(json.Number); ok {
		for _, fault := range n.faults(literal) {
			ctx.AddError(fault)
		}
	}
}

// faults are the ways in which the number does not fit.
func (n *numbers) faults(literal json.Number) []jsonschema.ErrorKind {
	small, err := strconv.ParseInt(string(literal), 10, 64)
	if err == nil && !n.bounded && (n.format == nil || n.format.holds(small)) {
		return nil
	}
	r := new(big.Rat)
	if err == nil {
		r.SetInt64(small)
	} else if _, ok := r.SetString(string(literal)); !ok {
		return nil
	}
	if n.whole && !r.IsInt() {
		return []jsonschema.ErrorKind{&kind.Type{Got: "number", Want: n.schema.Types}}
	}
	var faults []jsonschema.ErrorKind
	if n.format != nil && (r.Cmp(n.format.least) < 0 || r.Cmp(n.format.most) > 0) {
		faults = append(faults, &kind.Format{Got: literal, Want: n.schema.Format})
	}
	s := n.schema
	if s.Minimum != nil && r.Cmp(s.Minimum) < 0 {
		faults = append(faults, &kind.Minimum{Got: r, Want: s.Minimum})
	}
	if s.Maximum != nil && r.Cmp(s.Maximum) > 0 {
		faults = append(faults, &kind.Maximum{Got: r, Want: s.Maximum})
	}
	if s.ExclusiveMinimum != nil && r.Cmp(s.ExclusiveMinimum) <= 0 {
		faults = append(faults, &kind.ExclusiveMinimum{Got: r, Want: s.ExclusiveMinimum})
	}
	if s.ExclusiveMaximum != nil && r.Cmp(s.ExclusiveMaximum) >= 0 {
		faults = append(faults, &kind.ExclusiveMaximum{Got: r, Want: s.ExclusiveMaximum})
	}
	if s.MultipleOf != nil && !new(big.Rat).Quo(r, s.MultipleOf).IsInt() {
		faults = append(faults, &kind.MultipleOf{Got: r, Want: s.MultipleOf})
	}
	return faults
}

// evaluatesItems tells the validator which items of an array this schema has looked at; for a schema that it compiles
// itself it knows.
type evaluatesItems struct {
	first int
	all   bool
}

func (e evaluatesItems) Validate(ctx *jsonschema.ValidatorContext, v any) {
	items, _ := v.([]any)
	n := min(e.first, len(items))
	if e.all {
		n = len(items)
	}
	for i := range n {
		ctx.EvaluatedItem(i)
	}
}

// discriminated is a oneOf or anyOf with a discriminator. A value of its property that leads to a branch has to fit
// that branch, and none of a oneOf's that have nothing to do with it; one that leads nowhere leaves open what is meant
// (OpenAPI 3.0 §4.7.25), unless what is sent is known to be of one of the branches.
type discriminated struct {
	property  string
	known     bool
	branches  map[string]*jsonschema.Schema
	names     map[string]string
	otherwise *jsonschema.Schema
	// alone is, for a branch with relatives, what the value has to fit besides instead of otherwise.
	alone map[*jsonschema.Schema]*jsonschema.Schema
}

func (d *discriminated) Validate(ctx *jsonschema.ValidatorContext, v any) {
	object, _ := v.(map[string]any)
	value, ok := object[d.property].(string)
	besides := d.otherwise
	if ok {
		branch := d.branches[value]
		if branch == nil && !d.known {
			return
		}
		if branch == nil {
			branch = d.otherwise
		} else if err := ctx.Validate(branch, v, nil); err != nil {
			var invalid *jsonschema.ValidationError
			errors.As(err, &invalid)
			ctx.AddErrors([]*jsonschema.ValidationError{invalid}, &ledTo{d.property, value, d.names[value]})
			return
		}
		if alone := d.alone[branch]; alone != nil {
			besides = alone
		}
	}
	if err := ctx.Validate(besides, v, nil); err != nil {
		ctx.AddErr(err)
	}
}

// ledTo is the error of a value that does not fit the branch its discriminator leads to.
type ledTo struct{ property, value, branch string }

func (*ledTo) KeywordPath() []string { return []string{"discriminator"} }

func (k *ledTo) LocalizedString(*message.Printer) string {
	return fmt.Sprintf("%s is %q", k.property, k.value)
}

// pattern is a regular expression of a schema; err says why it cannot be used.
type pattern struct {
	source string
	match  func(string) (bool, error)
	err    error
}

// pattern makes a pattern for this compiler's state.
func (c *compiler) pattern(source string) jsonschema.Regexp {
	p := c.patterns[source]
	if p == nil {
		p = newPattern(source)
		c.patterns[source] = p
	}
	return &judgedBy{p, c.state}
}

// judgedBy is a pattern that leaves a value open if it cannot be matched.
type judgedBy struct {
	*pattern
	state *state
}

func (j *judgedBy) String() string { return j.source }

func (j *judgedBy) MatchString(s string) bool {
	if j.state.undecided != nil {
		return true
	}
	if j.err != nil {
		j.state.leaveOpen(j.err)
		return true
	}
	ok, err := j.match(s)
	if err != nil {
		j.state.leaveOpen(fmt.Errorf("the pattern %q cannot be matched: %s", shorten(j.source), oneLine(err.Error())))
		return true
	}
	return ok
}

// firstTrouble looks for a part of the schema that cannot be judged by.
func (c *compiler) firstTrouble(s *Schema) error {
	seen := map[*Schema]bool{s: true}
	for next := []*Schema{s}; len(next) > 0; {
		s, next = next[0], next[1:]
		if why := cmp.Or(s.Unusable, s.open); why != "" {
			return errors.New(why)
		}
		patterns := []string{s.Pattern}
		for _, p := range s.PatternProperties {
			patterns = append(patterns, p.Name)
		}
		for _, source := range patterns {
			if p := c.patterns[source]; p != nil && p.err != nil {
				return p.err
			}
		}
		for _, child := range s.children() {
			if child != nil && !seen[child] {
				seen[child] = true
				next = append(next, child)
			}
		}
	}
	return nil
}

// children are the schemas directly within a schema.
func (s *Schema) children() []*Schema {
	children := []*Schema{
		s.Items, s.Contains, s.UnevaluatedItems, s.AdditionalProperties, s.PropertyNames, s.UnevaluatedProps,
		s.Not, s.If, s.Then, s.Else,
	}
	children = append(children, s.PrefixItems...)
	children = append(children, s.AllOf...)
	children = append(children, s.OneOf...)
	children = append(children, s.AnyOf...)
	for _, list := range [][]Property{s.Properties, s.PatternProperties} {
		for _, p := range list {
			children = append(children, p.Schema)
		}
	}
	names := make([]string, 0, len(s.DependentSchemas))
	for name := range s.DependentSchemas {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		children = append(children, s.DependentSchemas[name])
	}
	return children
}
