package document

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// faults turns the validator's tree of errors into a flat list.
func (c *compiler) faults(value any, err *jsonschema.ValidationError) ([]Fault, error) {
	f := flattener{compiler: c, value: value}
	faults := f.flatten(err)
	if f.cycle != nil {
		return nil, f.cycle
	}
	return faults, nil
}

type flattener struct {
	*compiler
	value any
	cycle error
}

func (f *flattener) all(errs []*jsonschema.ValidationError) []Fault {
	var faults []Fault
	for _, err := range errs {
		faults = append(faults, f.flatten(err)...)
	}
	return faults
}

func (f *flattener) flatten(err *jsonschema.ValidationError) []Fault {
	source := f.source(err.SchemaURL)
	fault := func(keyword, format string, args ...any) []Fault {
		return []Fault{{
			Pointer: joinPointer(err.InstanceLocation), Keyword: keyword, Schema: pointerOf(source),
			Message: fmt.Sprintf(format, args...),
		}}
	}
	switch k := err.ErrorKind.(type) {
	case *kind.RefCycle:
		f.cycle = fmt.Errorf("the schema at %s contains itself without end", source.Place)
		return nil
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		return f.all(err.Causes)
	case *kind.AnyOf:
		return f.closest(err, "anyOf", source.AnyOf, fault)
	case *kind.OneOf:
		if len(k.Subschemas) == 2 {
			return fault("oneOf", "must fit exactly one of its schemas, fits both %s and %s",
				branchName(source.OneOf, k.Subschemas[0]), branchName(source.OneOf, k.Subschemas[1]))
		}
		return f.closest(err, "oneOf", source.OneOf, fault)
	case *ledTo:
		faults := f.all(err.Causes)
		for i := range faults {
			faults[i].Message += fmt.Sprintf(" (%s is %q, so it is judged as %s)", k.property, shorten(k.value), k.branch)
		}
		return faults
	case *kind.Type:
		return fault("type", "must be %s, is %s", orList(source.Types), display(f.at(err.InstanceLocation)))
	case *kind.Enum:
		return fault("enum", "must be one of %s, is %s", listOf(k.Want), display(k.Got))
	case *kind.Const:
		return fault("const", "must be %s, is %s", inJSON(k.Want), display(k.Got))
	case *kind.Format:
		return fault("format", "must be in the format %s, is %s", k.Want, display(k.Got))
	case *kind.Required:
		return f.each(k.Missing, func(name string) []Fault { return fault("required", "%q is missing", name) })
	case *kind.DependentRequired:
		return f.each(k.Missing, func(name string) []Fault {
			return fault("dependentRequired", "%q is missing, which is needed beside %q", name, k.Prop)
		})
	case *kind.AdditionalProperties:
		return f.each(k.Properties, func(name string) []Fault {
			return fault("additionalProperties", "%q is not allowed", shorten(name))
		})
	case *kind.PropertyNames:
		why := "does not fit"
		if causes := f.all(err.Causes); len(causes) > 0 {
			why = causes[0].Message
		}
		return fault("propertyNames", "the name %q is not allowed: it %s", shorten(k.Property), why)
	case *kind.FalseSchema:
		return fault("false", "is not allowed")
	case *kind.Not:
		return fault("not", "fits a schema that it must not fit")
	case *kind.MinLength:
		return fault("minLength", "must be at least %s long, is %d", counted(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fault("maxLength", "must be at most %s long, is %d", counted(k.Want, "character"), k.Got)
	case *kind.Pattern:
		return fault("pattern", "must match the pattern %s, is %s", k.Want, display(k.Got))
	case *kind.MinItems:
		return fault("minItems", "must have at least %s, has %d", counted(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fault("maxItems", "must have at most %s, has %d", counted(k.Want, "item"), k.Got)
	case *kind.MinProperties:
		return fault("minProperties", "must have at least %s, has %d", counted(k.Want, "member"), k.Got)
	case *kind.MaxProperties:
		return fault("maxProperties", "must have at most %s, has %d", counted(k.Want, "member"), k.Got)
	case *kind.UniqueItems:
		return fault("uniqueItems", "must not hold an item twice, items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return fault("contains", "holds no item of the kind it must contain")
	case *kind.MinContains:
		return fault("minContains", "must contain at least %s of a kind, contains %d", counted(k.Want, "item"), len(k.Got))
	case *kind.MaxContains:
		return fault("maxContains", "must contain at most %s of a kind, contains %d", counted(k.Want, "item"), len(k.Got))
	case *kind.Minimum:
		return fault("minimum", "must be at least %s, is %s", plain(source.Minimum), display(f.at(err.InstanceLocation)))
	case *kind.Maximum:
		return fault("maximum", "must be at most %s, is %s", plain(source.Maximum), display(f.at(err.InstanceLocation)))
	case *kind.ExclusiveMinimum:
		return fault("exclusiveMinimum", "must be above %s, is %s", plain(source.ExclusiveMinimum), display(f.at(err.InstanceLocation)))
	case *kind.ExclusiveMaximum:
		return fault("exclusiveMaximum", "must be below %s, is %s", plain(source.ExclusiveMaximum), display(f.at(err.InstanceLocation)))
	case *kind.MultipleOf:
		return fault("multipleOf", "must be a multiple of %s, is %s", plain(source.MultipleOf), display(f.at(err.InstanceLocation)))
	default:
		if len(err.Causes) > 0 {
			return f.all(err.Causes)
		}
		return fault("", "does not fit its schema")
	}
}

func (f *flattener) each(names []string, fault func(string) []Fault) []Fault {
	var faults []Fault
	for _, name := range names {
		faults = append(faults, fault(name)...)
	}
	return faults
}

// closest reports a value that fits none of several schemas: by the branch it comes closest to.
func (f *flattener) closest(err *jsonschema.ValidationError, keyword string, branches []*Schema, fault func(string, string, ...any) []Fault) []Fault {
	here := joinPointer(err.InstanceLocation)
	const otherType = 1_000
	best, bestCost, ofItsType := -1, 0, 0
	var nearest []Fault
	for i, cause := range err.Causes {
		faults := f.flatten(cause)
		cost := len(faults)
		if slices.ContainsFunc(faults, func(x Fault) bool { return x.Pointer == here && x.Keyword == "type" }) {
			cost += otherType
		} else {
			ofItsType++
		}
		if best < 0 || cost < bestCost {
			best, bestCost, nearest = i, cost, faults
		}
	}
	switch {
	case f.cycle != nil:
		return nil // the whole value is not judged
	case best < 0 || len(nearest) == 0:
		return fault(keyword, "fits none of the schemas it may have")
	case ofItsType == 1 || len(err.Causes) == 1:
		// The others are of another type, null most often: this is the one that was meant.
		return nearest
	case ofItsType == 0:
		var wanted []string
		for _, branch := range branches {
			for _, t := range branch.Types {
				if !slices.Contains(wanted, t) {
					wanted = append(wanted, t)
				}
			}
		}
		if len(wanted) > 0 {
			return fault("type", "must be %s, is %s", orList(wanted), display(f.at(err.InstanceLocation)))
		}
	}
	slices.SortFunc(nearest, func(a, b Fault) int {
		return strings.Compare(a.Pointer+"\x00"+a.Message, b.Pointer+"\x00"+b.Message)
	})
	first := nearest[0]
	where := strings.TrimPrefix(first.Pointer, here)
	if where != "" {
		where += " "
	}
	more := ""
	if n := len(nearest) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fault(keyword, "fits none of %d schemas; it comes closest to %s: %s%s%s",
		len(err.Causes), branchName(branches, best), where, first.Message, more)
}

func branchName(branches []*Schema, i int) string {
	if i < len(branches) && branches[i].Name != "" {
		return branches[i].Name
	}
	return "branch " + strconv.Itoa(i+1)
}

// at is the value at a place.
func (f *flattener) at(location []string) any {
	v := f.value
	for _, part := range location {
		switch container := v.(type) {
		case map[string]any:
			v = container[part]
		case []any:
			if i, err := strconv.Atoi(part); err == nil && i < len(container) {
				v = container[i]
			}
		}
	}
	return v
}

func joinPointer(parts []string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteByte('/')
		b.WriteString(escapePointer(part))
	}
	return b.String()
}

func pointerOf(s *Schema) string { return s.Place.Pointer }

// display is a value for a person: its type, and what it is if that is short.
func display(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean " + strconv.FormatBool(v)
	case json.Number:
		return "number " + shorten(string(v))
	case string:
		return "string " + strconv.Quote(shorten(v))
	case []any:
		return "array"
	case map[string]any:
		return "object"
	default:
		return fmt.Sprintf("%T", v)
	}
}

// plain is a bound as a person writes it: it came out of a decimal number, so it is one.
func plain(r *big.Rat) string {
	if r.IsInt() {
		return shorten(r.RatString())
	}
	digits, exact := r.FloatPrec()
	if !exact {
		return shorten(r.RatString())
	}
	return shorten(r.FloatString(digits))
}

func inJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "a value"
	}
	return shorten(string(b))
}

func listOf(values []any) string {
	const most = 8
	var shown []string
	for _, v := range values[:min(len(values), most)] {
		shown = append(shown, inJSON(v))
	}
	if n := len(values) - most; n > 0 {
		shown = append(shown, fmt.Sprintf("… (%d more)", n))
	}
	return strings.Join(shown, ", ")
}

func orList(words []string) string { return strings.Join(words, " or ") }

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
