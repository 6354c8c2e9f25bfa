package values

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// boundariesOf are the boundaries of the schema, written one a line: "minimum on 5", with a "!" before a value that
// does not fit.
func boundariesOf(t testing.TB, schema string) []Boundary {
	t.Helper()
	shapes, d := drawer(3)
	f := NewField("", shapes.Of(loaded(t, schema, "")))
	return d.Boundaries(&f)
}

func written(b Boundary) string {
	text, _ := json.Marshal(b.Value)
	rule, mark := b.Rule, ""
	if b.Part != "" {
		rule += " " + b.Part
	}
	if !b.Fits {
		mark = "!"
	}
	return fmt.Sprintf("%s %s %s%s", rule, b.Side, mark, text)
}

func TestEachBoundHasItsNeighbours(t *testing.T) {
	for _, row := range []struct {
		schema string
		want   []string
	}{
		{`{"type": "integer", "minimum": 5, "maximum": 9}`, []string{
			"minimum on 5", "minimum inside 6", "minimum outside !4", "maximum on 9", "maximum inside 8", "maximum outside !10",
		}},
		{`{"type": "integer", "exclusiveMinimum": 5, "exclusiveMaximum": 9}`, []string{
			"exclusiveMinimum on !5", "exclusiveMinimum inside 6", "exclusiveMinimum outside !4",
			"exclusiveMaximum on !9", "exclusiveMaximum inside 8", "exclusiveMaximum outside !10",
		}},
		{`{"type": "number", "minimum": 0.5}`, []string{"minimum on 0.5", "minimum inside 0.51", "minimum outside !0.49"}},
		{`{"type": "number", "multipleOf": 0.01, "minimum": 1}`, []string{"multipleOf on 1", "multipleOf inside 1.01", "multipleOf outside !1.005", "minimum outside !0.99"}},
		{`{"type": "integer", "multipleOf": 7, "minimum": 10}`, []string{"minimum on 14", "minimum inside 21", "minimum outside !7"}},
		{`{"type": "integer", "format": "int32"}`, []string{
			"format on -2147483648", "format outside !-2147483649", "format on 2147483647", "format outside !2147483648",
		}},
		{`{"type": "integer", "format": "int64"}`, []string{"format on 9223372036854775807", "format outside !9223372036854775808"}},
		{`{"type": "string", "minLength": 3, "maxLength": 3}`, nil},
		{`{"type": "string", "enum": ["cat", "dog"]}`, []string{`enum on "cat"`, `enum on "dog"`, `enum outside !"catx"`, `enum outside !"CAT"`}},
		{`{"const": 5}`, []string{`const on 5`, `const outside !6`}},
		{`{"type": "string", "format": "date"}`, []string{`format outside !"2024-02-30"`}},
		{`{"type": "integer"}`, []string{`type integer inside 0`}},
		{`{"type": "number", "exclusiveMinimum": 0, "maximum": 3}`, []string{`type number inside 0.01`, `type number inside 0.0000001`}},
		{`{"type": "object"}`, []string{
			`additionalProperties undeclared inside {"undeclared":null}`, `additionalProperties undeclared inside {"undeclared":[null]}`,
			`additionalProperties undeclared inside {"undeclared":{}}`, `additionalProperties undeclared inside {"undeclared":[]}`,
		}},
		{`{"type": "integer"}`, []string{`type null outside !null`, `type number outside !1.5`, `type boolean outside !true`}},
		{`{"type": "integer", "not": {"const": 3}, "minimum": 3, "maximum": 4}`, []string{`not outside !3`}},
		{`{"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": true, "minItems": 2}`, nil},
		{`{"oneOf": [{"type": "integer", "minimum": 3}, {"type": "integer", "maximum": 3}]}`, []string{`oneOf outside !3`}},
	} {
		var got []string
		for _, b := range boundariesOf(t, row.schema) {
			got = append(got, written(b))
		}
		for _, want := range row.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: no %q among\n%s", row.schema, want, strings.Join(got, "\n"))
			}
		}
	}
}

func TestEachRuleHasValuesOnBothSides(t *testing.T) {
	for _, row := range []struct{ rule, schema string }{
		{"minLength", `{"type": "string", "minLength": 3}`},
		{"maxLength", `{"type": "string", "maxLength": 3}`},
		{"maxLength", `{"type": "string", "maxLength": 255, "pattern": "^[a-z0-9-]+$"}`},
		{"pattern", `{"type": "string", "pattern": "^[A-Z]{3}-\\d{4}$"}`},
		{"pattern", `{"type": "string", "pattern": "^(?=.*\\d)(?=.*[a-z]).{8,}$"}`},
		{"minItems", `{"type": "array", "items": {"type": "integer"}, "minItems": 2}`},
		{"maxItems", `{"type": "array", "items": {"type": "integer"}, "maxItems": 2}`},
		{"uniqueItems", `{"type": "array", "items": {"type": "integer"}, "uniqueItems": true}`},
		{"contains", `{"type": "array", "contains": {"const": "x"}}`},
		{"minContains", `{"type": "array", "contains": {"const": "x"}, "minContains": 2}`},
		{"maxContains", `{"type": "array", "contains": {"const": "x"}, "maxContains": 2}`},
		{"minProperties", `{"type": "object", "properties": {"a": {}, "b": {}}, "minProperties": 2}`},
		{"maxProperties", `{"type": "object", "properties": {"a": {}, "b": {}}, "maxProperties": 1}`},
		{"required", `{"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b"]}`},
		{"required", `{"allOf": [{"type": "object", "properties": {"a": {}}}, {"required": ["a"]}]}`},
		{"required", `{"oneOf": [{"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": false}, {"type": "integer"}]}`},
		{"additionalProperties", `{"type": "object", "properties": {"a": {}}, "additionalProperties": false}`},
		{"additionalProperties", `{"type": "object", "additionalProperties": {"type": "integer"}}`},
		{"dependentRequired", `{"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}}`},
		{"type", `{"type": ["string", "null"]}`},
	} {
		var inside, outside bool
		for _, b := range boundariesOf(t, row.schema) {
			if b.Rule == row.rule {
				inside, outside = inside || b.Fits, outside || !b.Fits
			}
		}
		if !inside || !outside {
			t.Errorf("%s: of %s one that fits: %v, one that does not: %v", row.schema, row.rule, inside, outside)
		}
	}
}

func TestEveryFormatIsBrokenByWhatIsCalledWrong(t *testing.T) {
	for name, f := range formats {
		for _, wrong := range f.wrong {
			if f.fits(wrong) {
				t.Errorf("%q is called no %s and fits", wrong, name)
			}
		}
	}
}

func TestAnotherJudgeAgreesOnBoundaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(randomSchema(t, 2))
		if err != nil {
			t.Fatal(err)
		}
		s, j := loaded(t, string(text), ""), judge(t, string(text), "")
		shapes, d := drawer(rapid.Uint64().Draw(t, "seed"))
		f := NewField("", shapes.Of(s))
		for _, b := range d.Boundaries(&f) {
			if fits := j.Validate(recoded(t, b.Value)) == nil; fits != b.Fits {
				t.Fatalf("%s: %s, and the judge says %v", text, written(b), fits)
			}
		}
	})
}

func TestTheSameDrawGivesTheSameBoundaries(t *testing.T) {
	const schema = `{"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "array"}},
		"patternProperties": {"^x": {}}, "minProperties": 3, "dependentRequired": {"a": ["c"], "b": ["d"]}}`
	write := func() string {
		var lines []string
		for _, b := range boundariesOf(t, schema) {
			lines = append(lines, written(b))
		}
		return strings.Join(lines, "\n")
	}
	first := write()
	for range 20 {
		if again := write(); again != first {
			t.Fatalf("\n%s\nand then\n%s", first, again)
		}
	}
}
