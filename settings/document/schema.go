package document

import (
	"fmt"
	"math"
	"math/big"
	"path"
	"slices"
	"strconv"
	"strings"
)

// schema is the schema at a place, one for all that refer to it, so that cycles close. It is never nil. Its keywords
// are read later, by fillAll: schemas can lead from one to the next for longer than a stack is deep.
func (l *loader) schema(a at) *Schema {
	if s, ok := l.schemas[a.n]; ok {
		return s
	}
	if l.passesOn(a) {
		return l.passed(a)
	}
	s := l.newSchema(a)
	switch ref := a.n.get("$ref"); {
	case a.n.kind == isBoolean:
		always := a.n.text == "true"
		s.Always = &always
		if l.dialect < v31 {
			l.issue(a, "warning", "a schema that is just %s belongs to OpenAPI 3.1; it is read as there", a.n.text)
		}
	case a.n.kind != isObject:
		l.spoil(s, a, a.n.describe()+" stands where a schema should")
	case ref != nil && ref.kind != isText && l.dialect < v31:
		l.spoil(s, a, "$ref is "+ref.describe()+", not text")
	default:
		l.unfilled = append(l.unfilled, unfilled{s, a})
	}
	return s
}

// unfilled is a schema whose keywords have not been read yet.
type unfilled struct {
	schema *Schema
	at     at
}

// fillAll reads the keywords of the schemas met so far, and of those met on the way. Whatever is malformed is noted
// and left out.
func (l *loader) fillAll() {
	for len(l.unfilled) > 0 {
		next := l.unfilled[len(l.unfilled)-1]
		l.unfilled = l.unfilled[:len(l.unfilled)-1]
		l.fill(next.schema, next.at)
	}
}

func (l *loader) newSchema(a at) *Schema {
	s := emptySchema()
	s.Name, s.Place = nameOf(a), a.place()
	l.schemas[a.n] = s
	l.all = append(l.all, s)
	return s
}

// made adds a schema that stands for none in the document, or for several.
func (l *loader) made(s *Schema, place Place) *Schema {
	s.Place = place
	l.all = append(l.all, s)
	return s
}

func emptySchema() *Schema {
	return &Schema{
		MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1, MinContains: -1, MaxContains: -1,
		MinProperties: -1, MaxProperties: -1,
	}
}

// spoil makes the schema one of which nothing is known.
func (l *loader) spoil(s *Schema, a at, why string) {
	never := false
	s.Always, s.Unusable = &never, fmt.Sprintf("%s (%s)", why, a.place())
	l.issue(a, "error", "%s", why)
}

// nameOf is the name of a schema that stands where schemas are named.
func nameOf(a at) string {
	if a.pointer == "" {
		base := path.Base(strings.ReplaceAll(a.file.location, `\`, "/"))
		return strings.TrimSuffix(base, path.Ext(base))
	}
	parts := strings.Split(a.pointer, "/")
	if len(parts) == 2 {
		return a.last()
	}
	switch parts[len(parts)-2] {
	case "schemas", "definitions", "$defs":
		return a.last()
	default:
		return ""
	}
}

// passed is the schema that a schema leads to which is nothing but a reference.
func (l *loader) passed(a at) *Schema {
	var target *Schema
	chain := []at{a}
	for target == nil {
		last := chain[len(chain)-1]
		ref, _ := reference(last.n)
		found, err := l.resolveSchema(last, ref)
		if err == nil && len(chain) > mostHops {
			err = fmt.Errorf("the reference %q leads round in a circle and to no schema", shorten(ref))
		}
		switch {
		case err != nil:
			target = l.newSchema(last)
			l.spoil(target, last, err.Error())
		case l.passesOn(found):
			chain = append(chain, found)
		default:
			target = l.schema(found)
		}
	}
	for _, a := range chain {
		l.schemas[a.n] = target
	}
	return target
}

// passesOn says whether a schema is nothing but a reference. Up to OpenAPI 3.0 what stands beside $ref is ignored; from
// 3.1 on it counts too.
func (l *loader) passesOn(a at) bool {
	if _, ok := reference(a.n); !ok {
		return false
	}
	if l.dialect < v31 {
		return !l.saysNull(a)
	}
	for _, m := range a.n.members {
		if m.key != "$ref" && !strings.HasPrefix(m.key, "x-") {
			return false
		}
	}
	return true
}

// referred is the schema that a reference names.
func (l *loader) referred(a at, ref string) *Schema {
	found, err := l.resolveSchema(a, ref)
	if err != nil {
		s := l.made(emptySchema(), a.place())
		l.spoil(s, a, err.Error())
		return s
	}
	return l.schema(found)
}

func (l *loader) resolveSchema(a at, ref string) (at, error) {
	found, err := l.resolve(a, ref)
	if err == nil && found.n.kind != isObject && found.n.kind != isBoolean {
		err = fmt.Errorf("the reference %q leads to %s, not to a schema", shorten(ref), found.n.describe())
	}
	return found, err
}

// saysNull says whether the schema is marked nullable, in the way of its version.
func (l *loader) saysNull(a at) bool {
	if l.dialect >= v31 {
		return false
	}
	for _, key := range []string{"nullable", "x-nullable"} {
		if v, ok := a.down(key); ok && v.n.kind == isBoolean && v.n.text == "true" {
			return true
		}
	}
	return false
}

// value is the node's value, made once: many operations can share an example. It is not changed.
func (l *loader) value(n *node) any {
	if n.kind < isList {
		return n.value()
	}
	v, ok := l.values[n]
	if !ok {
		v = n.value()
		l.values[n] = v
	}
	return v
}

// fill reads the keywords of a schema.
func (l *loader) fill(s *Schema, a at) {
	a = l.enter(a)
	nullable := l.saysNull(a)
	if ref, ok := reference(a.n); ok {
		s.AllOf = []*Schema{l.referred(a, ref)}
		if l.dialect < v31 {
			// Nothing beside a reference counts, but nullable is meant to.
			s.lenientNull = nullable
			return
		}
	}
	var exclusiveMinimum, exclusiveMaximum bool
	for _, m := range a.n.members {
		v := a.child(m.key, m.value)
		switch m.key {
		case "type":
			s.Types = l.types(s, v)
		case "enum":
			s.Enum, s.HasEnum = l.enum(v)
		case "default":
			s.Default, s.HasDefault = l.value(v.n), true
		case "example", "x-example":
			s.Examples = append(s.Examples, l.value(v.n))
		case "examples":
			s.Examples = append(s.Examples, l.examplesOf(v)...)
		case "format":
			l.text(v, &s.Format)
		case "pattern":
			l.pattern(v, &s.Pattern)
		case "minLength":
			l.size(v, &s.MinLength)
		case "maxLength":
			l.size(v, &s.MaxLength)
		case "minItems":
			l.size(v, &s.MinItems)
		case "maxItems":
			l.size(v, &s.MaxItems)
		case "minProperties":
			l.size(v, &s.MinProperties)
		case "maxProperties":
			l.size(v, &s.MaxProperties)
		case "uniqueItems":
			l.boolean(v, &s.UniqueItems)
		case "minimum":
			l.number(v, &s.Minimum)
		case "maximum":
			l.number(v, &s.Maximum)
		case "exclusiveMinimum":
			l.exclusive(v, &s.ExclusiveMinimum, &exclusiveMinimum)
		case "exclusiveMaximum":
			l.exclusive(v, &s.ExclusiveMaximum, &exclusiveMaximum)
		case "multipleOf":
			l.number(v, &s.MultipleOf)
			if s.MultipleOf != nil && s.MultipleOf.Sign() <= 0 {
				l.issue(v, "warning", "multipleOf is %s, which is not above 0; it is left out", v.n.describe())
				s.MultipleOf = nil
			}
		case "items":
			l.items(s, v)
		case "properties":
			s.Properties = l.named(v)
		case "required":
			s.Required = l.required(v)
		case "additionalProperties":
			s.AdditionalProperties = l.openOr(v)
		case "allOf":
			s.AllOf = append(s.AllOf, l.branches(v)...)
		case "oneOf":
			s.OneOf = l.branches(v)
		case "anyOf":
			s.AnyOf = l.branches(v)
		case "not":
			s.Not = l.schema(v)
		case "discriminator":
			s.Discriminator = l.discriminator(v)
		case "readOnly":
			l.boolean(v, &s.ReadOnly)
		case "writeOnly":
			l.boolean(v, &s.WriteOnly)
		case "deprecated":
			l.boolean(v, &s.Deprecated)
		case "title":
			s.Title = v.n.text
		case "description":
			s.Description = v.n.text
		case "xml":
			s.XML = l.xml(v)
		default:
			if l.dialect >= v31 {
				l.fill31(s, v, m.key)
			} else if m.key == "const" || m.key == "patternProperties" {
				l.once("note", v, m.key+" means nothing before OpenAPI 3.1; it is left out")
			}
		}
	}
	if exclusiveMinimum && s.Minimum != nil {
		s.ExclusiveMinimum, s.Minimum = s.Minimum, nil
	}
	if exclusiveMaximum && s.Maximum != nil {
		s.ExclusiveMaximum, s.Maximum = s.Maximum, nil
	}
	if nullable {
		if len(s.Types) > 0 && !slices.Contains(s.Types, "null") {
			s.Types = append(s.Types, "null")
		}
		s.lenientNull = true
	}
}

// fill31 reads the keywords that came with OpenAPI 3.1.
func (l *loader) fill31(s *Schema, v at, key string) {
	switch key {
	case "const":
		s.Const, s.HasConst = l.value(v.n), true
	case "contentEncoding":
		l.text(v, &s.ContentEncoding)
	case "contentMediaType":
		l.text(v, &s.ContentMediaType)
	case "prefixItems":
		s.PrefixItems = l.branches(v)
	case "contains":
		s.Contains = l.schema(v)
	case "minContains":
		l.size(v, &s.MinContains)
	case "maxContains":
		l.size(v, &s.MaxContains)
	case "unevaluatedItems":
		s.UnevaluatedItems = l.schema(v)
	case "unevaluatedProperties":
		s.UnevaluatedProps = l.schema(v)
	case "patternProperties":
		for _, p := range l.named(v) {
			if err := checkPattern(p.Name); err != nil {
				l.issue(v, "warning", "the pattern %q cannot be read: %v", shorten(p.Name), err)
			}
			s.PatternProperties = append(s.PatternProperties, p)
		}
	case "propertyNames":
		s.PropertyNames = l.schema(v)
	case "dependentSchemas":
		s.DependentSchemas = map[string]*Schema{}
		for _, p := range l.named(v) {
			s.DependentSchemas[p.Name] = p.Schema
		}
	case "dependentRequired":
		if l.is(v, isObject) {
			s.DependentRequired = map[string][]string{}
			for _, m := range v.n.members {
				s.DependentRequired[m.key] = l.required(v.child(m.key, m.value))
			}
		}
	case "dependencies":
		l.dependencies(s, v)
	case "if":
		s.If = l.schema(v)
	case "then":
		s.Then = l.schema(v)
	case "else":
		s.Else = l.schema(v)
	case "$dynamicRef", "$recursiveRef":
		l.dynamic(s, v)
	case "nullable":
		l.once("note", v, "nullable means nothing from OpenAPI 3.1 on; it is left out")
	}
}

// dependencies reads what dependentRequired and dependentSchemas were one keyword for in older drafts.
func (l *loader) dependencies(s *Schema, v at) {
	if !l.is(v, isObject) {
		return
	}
	for _, m := range v.n.members {
		switch a := v.child(m.key, m.value); {
		case m.value.kind != isList:
			if s.DependentSchemas == nil {
				s.DependentSchemas = map[string]*Schema{}
			}
			s.DependentSchemas[m.key] = l.schema(a)
		default:
			if s.DependentRequired == nil {
				s.DependentRequired = map[string][]string{}
			}
			s.DependentRequired[m.key] = l.required(a)
		}
	}
}

// dynamic reads a $dynamicRef. It is an ordinary reference unless more than one schema answers to the name: which one
// is meant then depends on the way there, and the schema is left open.
func (l *loader) dynamic(s *Schema, v at) {
	if v.n.kind != isText {
		l.is(v, isText)
		return
	}
	_, name, _ := strings.Cut(v.n.text, "#")
	answering := 0
	for _, f := range l.files {
		answering += l.marksOf(f).dynamic[name]
	}
	if answering > 1 {
		l.issue(v, "note", "%q stands for more than one schema; what it asks for is left open", shorten(v.n.text))
		s.open = fmt.Sprintf("which schema %q stands for depends on the way there (%s)", shorten(v.n.text), v.place())
		return
	}
	s.AllOf = append(s.AllOf, l.referred(v, v.n.text))
}

// is says whether a keyword's value is of the kind it should be, and notes it if not.
func (l *loader) is(v at, want shape) bool {
	if v.n.kind == want {
		return true
	}
	l.issue(v, "warning", "%s is %s where %s should stand; it is left out", v.last(), v.n.describe(), want)
	return false
}

func (l *loader) text(v at, to *string) {
	if l.is(v, isText) {
		*to = v.n.text
	}
}

func (l *loader) boolean(v at, to *bool) {
	switch {
	case v.n.kind == isBoolean:
		*to = v.n.text == "true"
	case v.n.kind == isText && slices.Contains([]string{"true", "yes", "on"}, strings.ToLower(v.n.text)):
		*to = true
		l.issue(v, "warning", "%s is %s; it is read as true", v.last(), v.n.describe())
	case v.n.kind == isText && slices.Contains([]string{"false", "no", "off"}, strings.ToLower(v.n.text)):
		*to = false
		l.issue(v, "warning", "%s is %s; it is read as false", v.last(), v.n.describe())
	default:
		l.is(v, isBoolean)
	}
}

func (l *loader) pattern(v at, to *string) {
	if !l.is(v, isText) {
		return
	}
	*to = v.n.text
	if err := checkPattern(v.n.text); err != nil {
		l.issue(v, "warning", "the pattern %q cannot be read: %v; nothing is made or judged by it", shorten(v.n.text), err)
	}
}

// longestNumber and largestExponent bound the numbers that are calculated with.
const (
	longestNumber   = 1_000
	largestExponent = 1_000
)

// rational is the number exactly; false for one that is too long or too large to calculate with.
func rational(literal string) (*big.Rat, bool) {
	if !reasonable(literal) {
		return nil, false
	}
	return new(big.Rat).SetString(literal)
}

func reasonable(literal string) bool {
	if len(literal) > longestNumber {
		return false
	}
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(literal[i+1:])
		return err == nil && -largestExponent <= exponent && exponent <= largestExponent
	}
	return true
}

func (l *loader) number(v at, to **big.Rat) {
	literal := v.n.text
	switch {
	case v.n.kind == isNumber:
	case v.n.kind == isText && isJSONNumber(literal):
		l.issue(v, "warning", "%s is %s; it is read as the number %s", v.last(), v.n.describe(), shorten(literal))
	default:
		l.is(v, isNumber)
		return
	}
	r, ok := rational(literal)
	if !ok {
		l.issue(v, "warning", "%s is %s, which is beyond what can be calculated with; it is left out", v.last(), v.n.describe())
		return
	}
	*to = r
}

// size reads a count; one that is larger than an int64 is as good as that.
func (l *loader) size(v at, to *int64) {
	var r *big.Rat
	if l.number(v, &r); r == nil {
		return
	}
	switch {
	case r.Sign() < 0 || !r.IsInt():
		l.issue(v, "warning", "%s is %s, which is no count; it is left out", v.last(), v.n.describe())
	case !r.Num().IsInt64():
		*to = math.MaxInt64
	default:
		*to = r.Num().Int64()
	}
}

// exclusive reads exclusiveMinimum or exclusiveMaximum: a switch up to OpenAPI 3.0, a bound of its own from 3.1 on.
// Either is understood in either.
func (l *loader) exclusive(v at, bound **big.Rat, on *bool) {
	if v.n.kind == isBoolean || (l.dialect < v31 && v.n.kind != isNumber) {
		l.boolean(v, on)
	} else {
		l.number(v, bound)
	}
	switch {
	case v.n.kind == isBoolean && l.dialect >= v31:
		l.issue(v, "warning", "%s is a boolean, as before OpenAPI 3.1; it is read as there", v.last())
	case v.n.kind == isNumber && l.dialect < v31:
		l.issue(v, "warning", "%s is a number, as from OpenAPI 3.1 on; it is read as there", v.last())
	}
}

var jsonTypes = []string{"null", "boolean", "object", "array", "number", "string", "integer"}

func (l *loader) types(s *Schema, v at) []string {
	var types []string
	add := func(v at) {
		if !l.is(v, isText) {
			return
		}
		name := v.n.text
		switch lower := strings.ToLower(name); {
		case slices.Contains(jsonTypes, name):
		case slices.Contains(jsonTypes, lower):
			l.issue(v, "warning", "%q is no type; it is read as %q", name, lower)
			name = lower
		case lower == "file" && l.dialect < v31:
			name = "string"
			s.Format = "binary"
		default:
			read := map[string]string{
				"int": "integer", "long": "integer", "bool": "boolean", "float": "number", "double": "number",
				"str": "string", "text": "string", "date": "string", "list": "array", "map": "object", "dict": "object",
			}[lower]
			if read == "" {
				l.issue(v, "warning", "%q is no type; any is allowed", shorten(name))
				return
			}
			l.issue(v, "warning", "%q is no type; it is read as %q", name, read)
			name = read
		}
		if !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	if v.n.kind != isList {
		add(v)
		return types
	}
	if l.dialect < v31 {
		l.issue(v, "warning", "a list of types belongs to OpenAPI 3.1; it is read as there")
	}
	for i := range v.n.items {
		before := len(types)
		if add(v.item(i)); len(types) == before && v.n.items[i].kind != isText {
			return nil
		}
	}
	return types
}

func (l *loader) enum(v at) ([]any, bool) {
	if !l.is(v, isList) {
		return nil, false
	}
	if len(v.n.items) == 0 {
		l.issue(v, "warning", "enum is empty, which nothing fits; it is left out")
		return nil, false
	}
	values := make([]any, len(v.n.items))
	for i, item := range v.n.items {
		values[i] = l.value(item)
	}
	return values, true
}

// examplesOf are the values of a list of examples, or of OpenAPI's map of example objects.
func (l *loader) examplesOf(v at) []any {
	var values []any
	switch v.n.kind {
	case isList:
		for _, item := range v.n.items {
			values = append(values, l.value(item))
		}
	case isObject:
		for _, m := range v.n.members {
			for _, key := range []string{"dataValue", "value"} {
				if value := m.value.get(key); value != nil {
					values = append(values, l.value(value))
					break
				}
			}
		}
	}
	return values
}

func (l *loader) items(s *Schema, v at) {
	if v.n.kind != isList {
		s.Items = l.schema(v)
		return
	}
	switch len(v.n.items) {
	case 0:
		l.issue(v, "warning", "items is an empty list; it is left out")
	case 1:
		l.issue(v, "warning", "items is a list of one schema; it is read as that schema")
		s.Items = l.schema(v.item(0))
	default:
		// A document that means a tuple says prefixItems; real ones that write this list the kinds an item can be of.
		l.issue(v, "warning", "items is a list of schemas, which OpenAPI does not know; each item may fit any of them")
		s.Items = l.made(emptySchema(), v.place())
		s.Items.AnyOf = l.branches(v)
	}
}

// openOr reads additionalProperties. True says nothing and becomes nil, except where unevaluatedProperties can be asked
// what is left: from OpenAPI 3.1 on.
func (l *loader) openOr(v at) *Schema {
	if v.n.kind == isText {
		var open bool
		if l.boolean(v, &open); open {
			return nil
		}
		if strings.EqualFold(v.n.text, "false") {
			return l.never(v)
		}
		return nil
	}
	if v.n.kind == isBoolean {
		switch {
		case v.n.text != "true":
			return l.never(v)
		case l.dialect < v31:
			return nil
		}
	}
	return l.schema(v)
}

func (l *loader) never(v at) *Schema {
	s := l.made(emptySchema(), v.place())
	s.Always = new(bool)
	return s
}

func (l *loader) named(v at) []Property {
	if !l.is(v, isObject) {
		return nil
	}
	if ref, ok := reference(v.n); ok && len(v.n.members) == 1 {
		found, err := l.resolve(v, ref)
		if err != nil {
			l.issue(v, "error", "%s", err)
			return nil
		}
		l.issue(v, "note", "%s holds nothing but a $ref, which is no reference there; it is followed all the same", v.last())
		if v = found; !l.is(v, isObject) {
			return nil
		}
	}
	properties := make([]Property, 0, len(v.n.members))
	for _, m := range v.n.members {
		properties = append(properties, Property{m.key, l.schema(v.child(m.key, m.value))})
	}
	return properties
}

func (l *loader) required(v at) []string {
	if v.n.kind == isBoolean {
		l.issue(v, "warning", "required is %s where a list of names should stand; it is left out", v.n.text)
		return nil
	}
	if !l.is(v, isList) {
		return nil
	}
	var names []string
	for i, n := range v.n.items {
		switch {
		case n.kind != isText:
			l.issue(v.item(i), "warning", "required holds %s, not a name; it is left out", n.describe())
		case !slices.Contains(names, n.text):
			names = append(names, n.text)
		}
	}
	return names
}

func (l *loader) branches(v at) []*Schema {
	if v.n.kind == isObject {
		l.issue(v, "warning", "%s is one schema where a list should stand; it is read as a list of one", v.last())
		return []*Schema{l.schema(v)}
	}
	if !l.is(v, isList) {
		return nil
	}
	if len(v.n.items) == 0 {
		l.issue(v, "warning", "%s is an empty list; it is left out", v.last())
		return nil
	}
	schemas := make([]*Schema, len(v.n.items))
	for i := range v.n.items {
		schemas[i] = l.schema(v.item(i))
	}
	return schemas
}

func (l *loader) discriminator(v at) *Discriminator {
	if v.n.kind == isText && l.dialect == v20 {
		return &Discriminator{Property: v.n.text}
	}
	if !l.is(v, isObject) {
		return nil
	}
	name, ok := v.down("propertyName")
	if !ok || name.n.kind != isText {
		l.issue(v, "warning", "discriminator names no property; it is left out")
		return nil
	}
	d := &Discriminator{Property: name.n.text}
	mapping, ok := v.down("mapping")
	if !ok || !l.is(mapping, isObject) {
		return d
	}
	d.Mapping = map[string]*Schema{}
	for _, m := range mapping.n.members {
		entry := mapping.child(m.key, m.value)
		if !l.is(entry, isText) {
			continue
		}
		found, err := l.mapped(entry)
		if err != nil {
			l.issue(entry, "warning", "%s; this entry of the mapping is left out", err)
			continue
		}
		d.Mapping[m.key] = l.schema(found)
	}
	return d
}

// mapped finds the schema that an entry of a discriminator's mapping names: by its name alone, or by a reference.
func (l *loader) mapped(entry at) (at, error) {
	ref := entry.n.text
	if !strings.ContainsAny(ref, "#/") {
		top := l.root.top()
		if found, ok := top.follow("/components/schemas/" + escapePointer(ref)); ok {
			return found, nil
		}
	}
	return l.resolve(entry, ref)
}

func (l *loader) xml(v at) *XML {
	if !l.is(v, isObject) {
		return nil
	}
	x := &XML{}
	var attribute, wrapped bool // before OpenAPI 3.2
	for _, m := range v.n.members {
		c := v.child(m.key, m.value)
		switch m.key {
		case "name":
			l.text(c, &x.Name)
		case "namespace":
			l.text(c, &x.Namespace)
		case "prefix":
			l.text(c, &x.Prefix)
		case "attribute":
			l.boolean(c, &attribute)
		case "wrapped":
			l.boolean(c, &wrapped)
		case "nodeType":
			if l.text(c, &x.Node); !slices.Contains([]string{"", "element", "attribute", "text", "cdata", "none"}, x.Node) {
				l.issue(c, "warning", "%q is no nodeType; it is left out", shorten(x.Node))
				x.Node = ""
			}
		}
	}
	switch {
	case x.Node != "":
	case attribute:
		x.Node = "attribute"
	case wrapped:
		x.Node = "element"
	}
	return x
}
