package document

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A quick look tells of most values that they fit, in a tenth of the time that the validator takes, as it keeps nothing to
// report. It knows the keywords that most schemas are made of. Of a value that does not fit them, and of one that comes to
// any other keyword, it says nothing, and the validator is asked.

// quick is what a quick look knows of a compiled schema beside the schema itself.
type quick struct {
	// intricate is true for a schema with a keyword that a quick look does not know.
	intricate bool
	// unlessNull is, for a schema that lets null in and nothing else by itself, what all else has to fit.
	unlessNull *jsonschema.Schema
	values     *oneOfValues
	numbers    *numbers
}

func newQuick(s *jsonschema.Schema) *quick {
	q := &quick{}
	if s.If != nil && s.Then == nil && s.If.Types != nil && *s.If.Types == nullType {
		q.unlessNull = s.Else
	}
	q.intricate = s.Bool != nil && !*s.Bool || s.Const != nil || s.Not != nil || s.If != nil && q.unlessNull == nil ||
		len(s.AnyOf)+len(s.OneOf)+len(s.PrefixItems)+len(s.PatternProperties)+len(s.DependentSchemas)+len(s.DependentRequired) > 0 ||
		s.PropertyNames != nil || s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil || s.UniqueItems || s.Contains != nil
	for _, extension := range s.Extensions {
		switch e := extension.(type) {
		case *oneOfValues:
			q.values = e
		case *numbers:
			q.numbers = e
		case evaluatesItems:
		default:
			q.intricate = true
		}
	}
	return q
}

// The types as the validator keeps them.
var (
	nullType    = typeOf("null")
	booleanType = typeOf("boolean")
	numberType  = typeOf("number")
	textType    = typeOf("string")
	listType    = typeOf("array")
	objectType  = typeOf("object")
)

func typeOf(name string) jsonschema.Types {
	var t jsonschema.Types
	t.Add(name)
	return t
}

// mostVisits bounds how often one look comes to a schema with a value: schemas that contain themselves more than once
// double that with each level.
const mostVisits = 1 << 20

// surelyFits says whether the value is known to fit without asking the validator.
func (c *compiler) surelyFits(s *jsonschema.Schema, value any) bool {
	*c.state = state{}
	look := quickLook{c, mostVisits}
	return look.fits(s, value, deepestValue) && c.state.undecided == nil
}

type quickLook struct {
	*compiler
	left int
}

// fits says whether the value surely fits the schema, looked at through no more than so many levels of either.
func (l *quickLook) fits(s *jsonschema.Schema, value any, levels int) bool {
	if s == nil {
		return true
	}
	q := l.quicks[s]
	if q == nil {
		q = newQuick(s)
		l.quicks[s] = q
	}
	if l.left--; l.left < 0 || levels == 0 || q.intricate {
		return false
	}
	if q.unlessNull != nil {
		return value == nil || l.fits(q.unlessNull, value, levels-1)
	}
	for _, branch := range s.AllOf {
		if !l.fits(branch, value, levels-1) {
			return false
		}
	}
	is := func(t jsonschema.Types) bool { return s.Types == nil || *s.Types&t != 0 }
	switch value := value.(type) {
	case nil:
		return is(nullType) && q.values == nil
	case bool:
		return is(booleanType) && q.values == nil
	case string:
		return is(textType) && q.text(s, value)
	case json.Number:
		return is(numberType) && q.values == nil && reasonable(string(value)) && (q.numbers == nil || len(q.numbers.faults(value)) == 0)
	case []any:
		return is(listType) && q.values == nil && l.list(s, value, levels)
	case map[string]any:
		return is(objectType) && q.values == nil && l.object(s, value, levels)
	default:
		return false
	}
}

func (q *quick) text(s *jsonschema.Schema, value string) bool {
	if q.values != nil && !q.values.texts[value] {
		return false
	}
	if s.MinLength != nil || s.MaxLength != nil {
		if !within(utf8.RuneCountInString(value), s.MinLength, s.MaxLength) {
			return false
		}
	}
	return (s.Format == nil || s.Format.Validate(value) == nil) && (s.Pattern == nil || s.Pattern.MatchString(value))
}

func (l *quickLook) list(s *jsonschema.Schema, value []any, levels int) bool {
	if !within(len(value), s.MinItems, s.MaxItems) {
		return false
	}
	for _, item := range value {
		if !l.fits(s.Items2020, item, levels-1) {
			return false
		}
	}
	return true
}

func (l *quickLook) object(s *jsonschema.Schema, value map[string]any, levels int) bool {
	if !within(len(value), s.MinProperties, s.MaxProperties) {
		return false
	}
	for _, name := range s.Required {
		if _, ok := value[name]; !ok {
			return false
		}
	}
	var others *jsonschema.Schema
	switch more := s.AdditionalProperties.(type) {
	case bool:
		if !more && len(value) > len(s.Properties) {
			return false
		}
	case *jsonschema.Schema:
		others = more
	}
	for name, member := range value {
		property, known := s.Properties[name]
		switch {
		case !known && s.AdditionalProperties == false:
			return false
		case !known:
			property = others
		}
		if !l.fits(property, member, levels-1) {
			return false
		}
	}
	return true
}

func within(n int, least, most *int) bool {
	return (least == nil || n >= *least) && (most == nil || n <= *most)
}
