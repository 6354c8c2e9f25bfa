package values

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// tester is what testing.T and rapid.T have in common.
type tester interface {
	Helper()
	Fatal(args ...any)
}

// loaded reads the schema, JSON Schema 2020-12 as text, as the body of an operation; others can be referred to as
// #/components/schemas/Name.
func loaded(t tester, schema, others string) *document.Schema {
	t.Helper()
	if others == "" {
		others = "{}"
	}
	text := fmt.Sprintf(`{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "http://127.0.0.1:8080"}],
		"paths": {"/x": {"post": {"requestBody": {"required": true, "content": {"application/json": {"schema": %s}}},
		"responses": {"200": {"description": "ok"}}}}}, "components": {"schemas": %s}}`, schema, others)
	doc, err := document.Load(context.Background(), "t.json", document.Options{
		Read: func(context.Context, string) ([]byte, error) { return []byte(text), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Operations[0].Body.Media[0].Schema
}

// judge is another implementation of JSON Schema, to judge ours by.
func judge(t tester, schema, others string) *jsonschema.Schema {
	t.Helper()
	if others == "" {
		others = "{}"
	}
	root, err := jsonschema.UnmarshalJSON(strings.NewReader(
		fmt.Sprintf(`{"components": {"schemas": %s}, "$defs": {"it": %s}}`, others, schema)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) {
		re, err := regexp2.Compile(s, regexp2.ECMAScript|regexp2.Unicode)
		return ecma{re}, err
	})
	for name, bounds := range map[string][2]int64{"int32": {-1 << 31, 1<<31 - 1}, "int64": {-1 << 63, 1<<63 - 1}} {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			n, ok := v.(json.Number)
			if !ok {
				return nil
			}
			if i, err := n.Int64(); err != nil || i < bounds[0] || i > bounds[1] {
				return fmt.Errorf("%s is no %s", n, name)
			}
			return nil
		}})
	}
	if err := c.AddResource("test:///root.json", root); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("test:///root.json#/$defs/it")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type ecma struct{ *regexp2.Regexp }

func (e ecma) MatchString(s string) bool {
	ok, err := e.Regexp.MatchString(s)
	return ok && err == nil
}

// recoded is the value after a journey through JSON.
func recoded(t tester, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var w any
	if err := d.Decode(&w); err != nil {
		t.Fatal(err)
	}
	return w
}

func drawer(seed uint64) (*Shapes, *Draw) {
	shapes := NewShapes(settings.Default().Generation)
	return shapes, shapes.Draw(rand.New(rand.NewPCG(seed, 1)), nil)
}

// drawn are n values of the schema, the likeliest first.
func drawn(t testing.TB, schema *document.Schema, n int) []any {
	t.Helper()
	shapes, d := drawer(7)
	f := NewField("", shapes.Of(schema))
	if why := f.Shape.Why(); why != "" {
		t.Fatal(why)
	}
	var all []any
	for i := range n {
		d.Reset(0)
		d.Likeliest, d.Nulls = i == 0, i%2 == 0
		v, ok := d.Make(&f, "body")
		if !ok {
			t.Fatalf("value %d: %s", i, d.Reason())
		}
		all = append(all, v)
	}
	return all
}

func TestEveryValueFitsItsSchema(t *testing.T) {
	for _, schema := range []string{
		`true`,
		`{}`,
		`{"type": "integer"}`,
		`{"type": "integer", "minimum": 3, "exclusiveMaximum": 5}`,
		`{"type": "integer", "minimum": -9223372036854775808, "maximum": 9223372036854775807}`,
		`{"type": "integer", "minimum": 18446744073709551616}`,
		`{"type": "integer", "maximum": -5}`,
		`{"type": "integer", "minimum": -3, "maximum": 0}`,
		`{"type": "integer", "exclusiveMinimum": 0.5, "maximum": 1.5}`,
		`{"type": "integer", "multipleOf": 7, "minimum": 30, "maximum": 40}`,
		`{"type": "integer", "multipleOf": 0.5}`,
		`{"type": "integer", "format": "int32", "minimum": 2147483646}`,
		`{"type": "integer", "format": "int64", "minimum": 9223372036854775806}`,
		`{"type": "number"}`,
		`{"type": "number", "multipleOf": 0.01, "minimum": 0.01, "maximum": 0.03}`,
		`{"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.001}`,
		`{"type": "number", "exclusiveMinimum": 0, "maximum": 1e-20}`,
		`{"type": "number", "minimum": 1e30}`,
		`{"type": "number", "format": "float", "maximum": -1}`,
		`{"allOf": [{"type": "integer", "multipleOf": 4}, {"type": "number", "multipleOf": 6, "minimum": 20}]}`,
		`{"type": "boolean"}`,
		`{"type": "null"}`,
		`{"type": ["string", "null"]}`,
		`{"type": ["integer", "string", "array"], "minimum": 3, "minLength": 20, "minItems": 2}`,
		`{"type": "string", "minLength": 3, "maxLength": 3}`,
		`{"type": "string", "maxLength": 0}`,
		`{"type": "string", "minLength": 500}`,
		`{"type": "string", "pattern": "ab", "minLength": 10}`,
		`{"type": "string", "pattern": "^[a-z]+$", "maxLength": 2}`,
		`{"type": "string", "pattern": "^[a-z]+$", "minLength": 60}`,
		`{"type": "string", "pattern": "^\\S+@\\S+\\.\\S+$", "format": "email"}`,
		`{"allOf": [{"pattern": "^a"}, {"pattern": "z$"}], "type": "string"}`,
		`{"type": "string", "format": "date"}`,
		`{"type": "string", "format": "date-time"}`,
		`{"type": "string", "format": "time"}`,
		`{"type": "string", "format": "duration"}`,
		`{"type": "string", "format": "uuid"}`,
		`{"type": "string", "format": "email"}`,
		`{"type": "string", "format": "email", "maxLength": 8}`,
		`{"type": "string", "format": "idn-email"}`,
		`{"type": "string", "format": "hostname"}`,
		`{"type": "string", "format": "ipv4"}`,
		`{"type": "string", "format": "ipv6"}`,
		`{"type": "string", "format": "uri"}`,
		`{"type": "string", "format": "uri-reference", "maxLength": 3}`,
		`{"type": "string", "format": "iri"}`,
		`{"type": "string", "format": "uri-template"}`,
		`{"type": "string", "format": "json-pointer"}`,
		`{"type": "string", "format": "relative-json-pointer"}`,
		`{"type": "string", "format": "regex"}`,
		`{"type": "string", "format": "byte"}`,
		`{"type": "string", "format": "iri-reference"}`,
		`{"type": "string", "format": "idn-hostname"}`,
		`{"type": "string", "format": "unheard-of"}`,
		`{"type": "integer", "format": "uint64"}`,
		`{"type": "integer", "format": "int64"}`,
		`{"type": "integer", "minimum": 9007199254740993, "maximum": 9007199254740993}`,
		`{"type": "number", "multipleOf": 0.01, "minimum": 9007199254740993.01, "maximum": 9007199254740993.05}`,
		`{"type": "number", "multipleOf": 1e-9}`,
		`{"type": "number", "format": "double", "minimum": 1e300}`,
		`{"type": "string", "minLength": 2, "maxLength": 2, "pattern": "^\\u{1F600}+$"}`,
		`{"enum": ["a", 1, null, {"a": [1.0]}]}`,
		`{"enum": ["a", "b", "c"], "not": {"const": "b"}}`,
		`{"const": null}`,
		`{"const": {"a": 1}}`,
		`{"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3}`,
		`{"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": true, "minItems": 3}`,
		`{"type": "array", "items": {"type": "boolean"}, "uniqueItems": true}`,
		`{"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}`,
		`{"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}, "minItems": 4}`,
		`{"type": "array", "items": {"type": "integer"}, "contains": {"minimum": 5000}, "minContains": 2, "maxContains": 3}`,
		`{"type": "array", "minItems": 1, "maxItems": 4294967296, "items": {"type": "string", "maxLength": 9223372036854775807}}`,
		`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["b"], "additionalProperties": false}`,
		`{"type": "object", "required": ["x", "y"]}`,
		`{"type": "object", "required": ["x"], "additionalProperties": {"type": "integer"}}`,
		`{"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 3}`,
		`{"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "maxProperties": 1}`,
		`{"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "minProperties": 3, "additionalProperties": false}`,
		`{"type": "object", "patternProperties": {"^x-[a-z]+$": {"type": "integer"}}, "additionalProperties": false, "minProperties": 2}`,
		`{"type": "object", "propertyNames": {"pattern": "^[A-Z]{3}$"}, "minProperties": 2}`,
		`{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {}}, "dependentRequired": {"a": ["b", "d"]}, "maxProperties": 3}`,
		`{"type": "object", "properties": {"a": {"type": "string"}}, "dependentSchemas": {"a": {"required": ["b"]}}}`,
		`{"allOf": [{"type": "object", "properties": {"a": {"minimum": 3}}}, {"required": ["a"], "properties": {"a": {"type": "integer", "maximum": 4}}}]}`,
		`{"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}], "unevaluatedProperties": false}`,
		`{"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 2}]}`,
		`{"oneOf": [{"type": "string"}, {"type": "string", "format": "date"}]}`,
		`{"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}`,
		`{"anyOf": [{"type": "string", "maxLength": 3}, {"type": "integer", "minimum": 4}]}`,
		`{"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}`,
		`{"type": "integer", "not": {"multipleOf": 2}}`,
		`{"type": "object", "properties": {"k": {"enum": ["x", "y"]}, "v": {}}, "required": ["k"],
			"if": {"properties": {"k": {"const": "x"}}}, "then": {"required": ["v"]}, "else": {"properties": {"v": false}}}`,
		`{"type": "string", "examples": ["far too long for this"], "maxLength": 4}`,
		`{"type": "integer", "default": "7"}`,
	} {
		t.Run(schema, func(t *testing.T) {
			s, j := loaded(t, schema, ""), judge(t, schema, "")
			shapes := NewShapes(settings.Default().Generation)
			for _, v := range drawn(t, s, 200) {
				if err := j.Validate(recoded(t, v)); err != nil {
					t.Fatalf("made %v: %v", v, err)
				}
				if !shapes.Of(s).Fits(v) {
					t.Fatalf("%v was made and is said not to fit", v)
				}
			}
		})
	}
}

func TestRandomSchemasAreFilledRightly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(randomSchema(t, 3))
		if err != nil {
			t.Fatal(err)
		}
		s, j := loaded(t, string(text), ""), judge(t, string(text), "")
		shapes, d := drawer(rapid.Uint64().Draw(t, "seed"))
		f := NewField("", shapes.Of(s))
		if !f.Shape.Possible() {
			if f.Shape.Why() == "" {
				t.Fatalf("%s: impossible without a reason", text)
			}
			return
		}
		for i := range 5 {
			d.Reset(0)
			d.Likeliest = i == 0
			v, ok := d.Make(&f, "body")
			if !ok {
				if d.Reason() == "" {
					t.Fatalf("%s: failed without a reason", text)
				}
				continue
			}
			if err := j.Validate(recoded(t, v)); err != nil {
				t.Fatalf("%s: made %v: %v", text, v, err)
			}
		}
	})
}

func TestFitsAgreesWithAnotherJudge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(randomSchema(t, 3))
		if err != nil {
			t.Fatal(err)
		}
		s, j := loaded(t, string(text), ""), judge(t, string(text), "")
		shapes := NewShapes(settings.Default().Generation)
		v := randomValue(t, 3)
		if got, want := shapes.Of(s).Fits(v), j.Validate(v) == nil; got != want {
			t.Fatalf("%s: %v fits: %v, want %v", text, v, got, want)
		} else if want && !shapes.Of(s).Possible() {
			t.Fatalf("%s: %v fits, and it is called impossible: %s", text, v, shapes.Of(s).Why())
		}
	})
}

func randomSchema(t *rapid.T, depth int) any {
	kinds := []string{"integer", "number", "string", "boolean", "enum", "any"}
	if depth > 0 {
		kinds = append(kinds, "array", "object", "object", "allOf", "anyOf", "oneOf", "not", "if", "not any", "unevaluated")
	}
	small := rapid.IntRange(0, 5)
	maybe := func(s map[string]any, key string, v func() any) {
		if rapid.IntRange(0, 3).Draw(t, key+"?") == 0 {
			s[key] = v()
		}
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "integer", "number":
		s := map[string]any{"type": kind}
		maybe(s, "minimum", func() any { return rapid.IntRange(-20, 20).Draw(t, "minimum") })
		maybe(s, "maximum", func() any { return rapid.IntRange(-5, 40).Draw(t, "maximum") })
		maybe(s, "exclusiveMinimum", func() any { return rapid.SampledFrom([]float64{-0.5, 0, 0.25, 3}).Draw(t, "exclusiveMinimum") })
		maybe(s, "exclusiveMaximum", func() any { return rapid.SampledFrom([]float64{1, 3.5, 10}).Draw(t, "exclusiveMaximum") })
		maybe(s, "multipleOf", func() any { return rapid.SampledFrom([]float64{0.01, 0.5, 1, 3, 7}).Draw(t, "multipleOf") })
		return s
	case "string":
		s := map[string]any{"type": kind}
		maybe(s, "minLength", func() any { return small.Draw(t, "minLength") })
		maybe(s, "maxLength", func() any { return 2 + small.Draw(t, "maxLength") })
		maybe(s, "pattern", func() any {
			return rapid.SampledFrom([]string{"^[a-c]+$", "b", "^.{2,4}$", "^(x|yz)*$", `^\d{3}$`, `^(?!ab)\p{Ll}+(?<!c)$`, `^(.)\1`}).Draw(t, "pattern")
		})
		maybe(s, "format", func() any {
			return rapid.SampledFrom([]string{"date", "email", "uuid", "ipv4", "int32"}).Draw(t, "format")
		})
		return s
	case "boolean":
		return map[string]any{"type": rapid.SampledFrom([]any{"boolean", []string{"boolean", "null"}}).Draw(t, "types")}
	case "enum":
		return map[string]any{"enum": rapid.SampledFrom([][]any{{"a"}, {1, 2.5, "b"}, {nil, true}, {[]int{1}, "c"}}).Draw(t, "enum")}
	case "any":
		return rapid.SampledFrom([]any{map[string]any{}, true, map[string]any{"minimum": 3}, map[string]any{"required": []string{"a"}}}).Draw(t, "any")
	case "array":
		s := map[string]any{"type": kind}
		maybe(s, "items", func() any { return randomSchema(t, depth-1) })
		maybe(s, "prefixItems", func() any { return []any{randomSchema(t, depth-1), randomSchema(t, depth-1)} })
		maybe(s, "contains", func() any { return randomSchema(t, depth-1) })
		maybe(s, "minContains", func() any { return rapid.IntRange(0, 2).Draw(t, "minContains") })
		maybe(s, "maxContains", func() any { return rapid.IntRange(0, 3).Draw(t, "maxContains") })
		maybe(s, "unevaluatedItems", func() any {
			return rapid.SampledFrom([]any{false, map[string]any{"type": "string"}}).Draw(t, "unevaluatedItems")
		})
		maybe(s, "minItems", func() any { return small.Draw(t, "minItems") })
		maybe(s, "maxItems", func() any { return small.Draw(t, "maxItems") })
		maybe(s, "uniqueItems", func() any { return true })
		return s
	case "object":
		s := map[string]any{"type": kind}
		properties := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			maybe(properties, name, func() any { return randomSchema(t, depth-1) })
		}
		s["properties"] = properties
		maybe(s, "required", func() any {
			return rapid.SampledFrom([][]string{{"a"}, {"a", "b"}, {"d"}}).Draw(t, "required")
		})
		maybe(s, "additionalProperties", func() any {
			return rapid.SampledFrom([]any{false, true, map[string]any{"type": "integer"}}).Draw(t, "additionalProperties")
		})
		maybe(s, "patternProperties", func() any { return map[string]any{"^[bx]": randomSchema(t, depth-1)} })
		maybe(s, "minProperties", func() any { return rapid.IntRange(0, 3).Draw(t, "minProperties") })
		maybe(s, "maxProperties", func() any { return rapid.IntRange(0, 3).Draw(t, "maxProperties") })
		maybe(s, "dependentRequired", func() any { return map[string]any{"a": []string{"c"}} })
		maybe(s, "dependentSchemas", func() any { return map[string]any{"b": randomSchema(t, depth-1)} })
		maybe(s, "propertyNames", func() any {
			return rapid.SampledFrom([]any{map[string]any{"maxLength": 3}, map[string]any{"enum": []string{"a", "b", "d"}}, map[string]any{"pattern": "^[a-z]"}}).Draw(t, "propertyNames")
		})
		return s
	case "if":
		s := map[string]any{"if": randomSchema(t, depth-1)}
		maybe(s, "then", func() any { return randomSchema(t, depth-1) })
		maybe(s, "else", func() any { return randomSchema(t, depth-1) })
		return s
	case "not any":
		return map[string]any{"not": randomSchema(t, depth-1)}
	case "unevaluated":
		return map[string]any{
			rapid.SampledFrom([]string{"allOf", "anyOf", "oneOf"}).Draw(t, "of"): []any{randomSchema(t, depth-1), randomSchema(t, depth-1)},
			"unevaluatedProperties": rapid.SampledFrom([]any{false, map[string]any{"type": "integer"}}).Draw(t, "unevaluatedProperties"),
		}
	case "not":
		return map[string]any{"not": randomSchema(t, depth-1), "type": "integer"}
	default:
		return map[string]any{kind: []any{randomSchema(t, depth-1), randomSchema(t, depth-1)}}
	}
}

func randomValue(t *rapid.T, depth int) any {
	kinds := []string{"null", "bool", "number", "text"}
	if depth > 0 {
		kinds = append(kinds, "list", "object", "object")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "value") {
	case "null":
		return nil
	case "bool":
		return rapid.Bool().Draw(t, "bool")
	case "number":
		return rapid.SampledFrom([]json.Number{"0", "1", "2", "2.5", "3", "-1", "10", "1.0", "0.25", "7e0"}).Draw(t, "number")
	case "text":
		return rapid.SampledFrom([]string{"", "a", "b", "c", "abc", "xyz", "123", "é"}).Draw(t, "text")
	case "list":
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return randomValue(t, depth-1) }), 0, 3).Draw(t, "list")
	default:
		o := map[string]any{}
		for _, name := range []string{"a", "b", "c", "d", "x"} {
			if rapid.Bool().Draw(t, name+"?") {
				o[name] = randomValue(t, depth-1)
			}
		}
		return o
	}
}

// sharedCase reads a document of the collected cases, which are kept beside the project.
func sharedCase(t testing.TB, name string) *document.Document {
	t.Helper()
	root := os.Getenv("RESTEST_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared")
	}
	doc, err := document.Load(context.Background(), filepath.Join(root, "cases", name, "document.yaml"), document.Options{})
	if _, missing := os.Stat(filepath.Join(root, "cases")); missing != nil {
		t.Skip("the collected cases are not there: ", missing)
	}
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func bodySchema(t testing.TB, doc *document.Document, path string) *document.Schema {
	t.Helper()
	for _, op := range doc.Operations {
		if op.Path == path && op.Body != nil {
			return op.Body.Media[0].Schema
		}
	}
	t.Fatalf("no body at %s", path)
	return nil
}

func TestImpossibleSchemasAreNamed(t *testing.T) {
	for _, row := range []struct{ schema, others, want string }{
		{`{"type": "integer", "minimum": 10, "maximum": 5}`, "", "the schema: no number is at least 10 and at most 5"},
		{`{"type": "integer", "exclusiveMinimum": 5, "exclusiveMaximum": 6}`, "", "the schema: no number is above 5 and below 6 and whole"},
		{`{"type": "number", "exclusiveMinimum": 5, "maximum": 5}`, "", "the schema: no number is above 5 and at most 5"},
		{`{"type": "integer", "multipleOf": 10, "minimum": 1, "maximum": 9}`, "", "the schema: no number is at least 1 and at most 9 and a multiple of 10"},
		{`{"type": "string", "minLength": 10000000}`, "", "the schema: minLength 10000000 asks for a longer text than is ever sent (100000)"},
		{`{"type": "string", "minLength": 3, "maxLength": 2}`, "", "the schema: minLength 3 is above maxLength 2"},
		{`{"type": "array", "minItems": 5000000}`, "", "the schema: minItems 5000000 asks for a longer list than is ever sent (10000)"},
		{`{"type": "array", "items": {"type": "string", "minLength": 1000}, "minItems": 9000}`, "", "the schema: its smallest value takes more than 1048576 bytes"},
		{`{"allOf": [{"type": "string"}, {"type": "integer"}]}`, "", "the schema: its types exclude one another"},
		{`{"enum": ["a"], "type": "integer"}`, "", "the schema: no value of its enum fits"},
		{`{"type": "object", "required": ["a", "b"], "maxProperties": 1}`, "", "the schema: it requires 2 properties and maxProperties is 1"},
		{`{"type": "string", "pattern": "("}`, "", `the schema: its pattern "(" cannot be read: error parsing regexp: missing closing ) in ` + "`(`"},
		{`{"type": "string", "pattern": "^\\d{3}$", "maxLength": 2}`, "", `the schema: no text was found that matches the pattern ^\d{3}$ and has at most 2 characters`},
		{`{"type": "string", "format": "uuid", "maxLength": 20}`, "", "the schema: no text was found that is of format uuid and has at most 20 characters"},
		{`{"not": {}}`, "", "the schema: what it excludes by not is everything"},
		{`{"type": "string", "not": {"type": "string"}}`, "", "the schema: its types exclude one another"},
		{`{"type": "array", "contains": {}, "minContains": 3, "maxContains": 2}`, "", "the schema: minContains 3 is above maxContains 2"},
		{`{"type": "object", "required": ["abc"], "propertyNames": {"maxLength": 2}}`, "", `the schema: it requires the property "abc", which its propertyNames forbid`},
		{
			`{"allOf": [{"type": "object", "required": ["a"], "additionalProperties": false, "properties": {"a": {}}},
				{"required": ["b"], "additionalProperties": false, "properties": {"b": {}}}]}`, "",
			`the schema requires the property "a" and forbids it as well`,
		},
		{
			`{"$ref": "#/components/schemas/Chain"}`,
			`{"Chain": {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/components/schemas/Chain"}}}}`,
			"Chain contains itself without end",
		},
		{
			`{"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/A"}}`,
			`{"A": {"type": "object", "required": ["b"], "properties": {"b": {"$ref": "#/components/schemas/B"}}},
				"B": {"type": "array", "minItems": 2, "items": {"$ref": "#/components/schemas/A"}}}`,
			"A contains itself without end",
		},
	} {
		shapes, _ := drawer(1)
		if got := shapes.Of(loaded(t, row.schema, row.others)).Why(); got != row.want {
			t.Errorf("%s:\n got %q\nwant %q", row.schema, got, row.want)
		}
	}
}

func TestARuleThatNoTryKeepsIsNamedWithItsPlace(t *testing.T) {
	for _, row := range []struct{ schema, want string }{
		{`{"oneOf": [{"type": "boolean"}, {"type": "boolean"}]}`, "the schema: every value tried breaks its oneOf: exactly one of its branches has to fit"},
		{
			`{"type": "object", "required": ["a"], "properties": {"a": {"type": "integer", "not": {"multipleOf": 1}}}}`,
			"the schema: every value tried breaks its not: what is wanted is what it excludes, at body.a",
		},
	} {
		shapes, d := drawer(1)
		f := NewField("", shapes.Of(loaded(t, row.schema, "")))
		if v, ok := d.Make(&f, "body"); ok || d.Reason() != row.want {
			t.Errorf("%s: made %v; %s", row.schema, v, d.Reason())
		}
	}
}

func TestAChainThatCanEndIsPossible(t *testing.T) {
	for _, link := range []string{
		`{"type": ["object", "null"], "required": ["next"], "properties": {"next": {"$ref": "#/components/schemas/Chain"}}}`,
		`{"type": "object", "required": ["next"], "properties": {"next": {"anyOf": [{"$ref": "#/components/schemas/Chain"}, {"type": "null"}]}}}`,
		`{"type": "object", "required": ["next"], "properties": {"next": {"type": "array", "items": {"$ref": "#/components/schemas/Chain"}}}}`,
		`{"oneOf": [{"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/components/schemas/Chain"}}}, {"type": "string"}]}`,
	} {
		others := `{"Chain": ` + link + `}`
		const it = `{"$ref": "#/components/schemas/Chain"}`
		s, j := loaded(t, it, others), judge(t, it, others)
		for _, v := range drawn(t, s, 100) {
			if err := j.Validate(recoded(t, v)); err != nil {
				t.Errorf("%s: made %v: %v", link, v, err)
			}
		}
	}
}

func TestTreesEnd(t *testing.T) {
	doc := sharedCase(t, "03-recursion-must-end")
	leaves, deep := 0, 0
	for _, v := range drawn(t, bodySchema(t, doc, "/nodes"), 100) {
		if children, ok := v.(map[string]any)["children"].([]any); ok && len(children) > 0 {
			deep++
		} else {
			leaves++
		}
	}
	if leaves == 0 || deep == 0 {
		t.Errorf("%d trees without children and %d with, want some of each", leaves, deep)
	}
}

func TestRecursionInAllDirectionsStaysSmall(t *testing.T) {
	const it = `{"$ref": "#/components/schemas/N"}`
	others := `{"N": {"type": "object", "properties": {` + strings.Repeat(`"PLACE": {"type": "array", "items": {"$ref": "#/components/schemas/N"}},`, 9) +
		`"z": {"$ref": "#/components/schemas/N"}}}}`
	for i := range 9 {
		others = strings.Replace(others, "PLACE", string(rune('a'+i)), 1)
	}
	for _, v := range drawn(t, loaded(t, it, others), 20) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 64<<10 {
			t.Fatalf("a value of %d bytes was made", len(text))
		}
	}
}

func TestPatternsBeyondRE2AreFilled(t *testing.T) {
	doc := sharedCase(t, "13-pattern-beyond-re2")
	schema := bodySchema(t, doc, "/p")
	matchers := map[string]*regexp2.Regexp{}
	for _, p := range schema.Properties {
		matchers[p.Name] = regexp2.MustCompile(p.Schema.Pattern, regexp2.ECMAScript|regexp2.Unicode)
	}
	met := map[string]int{}
	for _, v := range drawn(t, schema, 200) {
		for name, w := range v.(map[string]any) {
			met[name]++
			if ok, err := matchers[name].MatchString(w.(string)); !ok || err != nil {
				t.Errorf("%s: %q does not match (%v)", name, w, err)
			}
		}
	}
	for name := range matchers {
		if met[name] == 0 {
			t.Errorf("%s was never sent", name)
		}
	}
}

func TestPatternsOfPasswordsAndTheLikeAreFilled(t *testing.T) {
	for _, expr := range []string{
		`^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^\w\s]).{8,20}$`,
		`^(?!.*\.\.)[a-z.]{3,10}$`,
		`(?<=a)b`,
		`^[^/]+(foo|far)*?$`,
		`^(?:[a-z]+-)*[a-z]+$`,
		`^\w+([.-]?\w+)*@\w+([.-]?\w+)*(\.\w{2,3})+$`,
		`^\p{Lu}\p{Ll}+$`,
		`^(\w)(\d)\2\1$`,
		`^\s$`,
		`^[Ѐ-ӿ]{2}$`,
		`^$|^[0-9]+$`,
		`^arn:aws:[a-z0-9-]+:[a-z0-9-]*:\d{12}:.+$`,
		`^(?!foo|bar)[a-z]+$`,
		`^\d{3}(?=-)-\d{2}$`,
		`\bword\b`,
		`^(?<year>\d{4})-\k<year>$`,
		`^\u{1F600}+$`,
		`^\u0041+$`,
		`^[\u4e00-\u9fa5]{2,4}$`,
		`^\p{Script=Greek}+$`,
		`^(?=.{5,10}$)[a-z]+\.[a-z]+$`,
		`^(?:(?!--)[a-z-])+$`,
		`^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}`,
		`^(?=.*foo)(?=.*bar).*$`,
		`^(?!.*(.).*\1)[a-z]{5}$`,
		`^.{1000,}$`,
	} {
		p := newPattern(expr)
		if p.err != nil {
			t.Errorf("%s: %v", expr, p.err)
			continue
		}
		r := rand.New(rand.NewPCG(1, 2))
		found := 0
		for try := range 40 {
			if p.fits(p.draw(r, 0, mostText, try)) {
				found++
			}
		}
		if found < 2 {
			t.Errorf("%s: %d of 40 texts fit", expr, found)
		}
	}
}

func TestNullIsMadeInTheSpellingOfEachVersion(t *testing.T) {
	for _, row := range []struct{ version, schema string }{
		{`"swagger": "2.0"`, `{"type": "object", "required": ["n"], "properties": {"n": {"type": "string", "x-nullable": true}}}`},
		{`"openapi": "3.0.3"`, `{"type": "object", "required": ["n"], "properties": {"n": {"type": "string", "nullable": true}}}`},
		{`"openapi": "3.1.0"`, `{"type": "object", "required": ["n"], "properties": {"n": {"type": ["string", "null"]}}}`},
		{`"openapi": "3.2.0"`, `{"type": "object", "required": ["n"], "properties": {"n": {"type": ["string", "null"]}}}`},
		{`"openapi": "3.1.0"`, `{"type": "object", "required": ["n"], "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}`},
	} {
		body := `"requestBody": {"required": true, "content": {"application/json": {"schema": ` + row.schema + `}}}`
		if strings.Contains(row.version, "swagger") {
			body = `"parameters": [{"name": "b", "in": "body", "required": true, "schema": ` + row.schema + `}]`
		}
		text := `{` + row.version + `, "info": {"title": "t", "version": "1"}, "paths": {"/x": {"post": {` + body + `,
			"responses": {"200": {"description": "ok"}}}}}}`
		doc, err := document.Load(context.Background(), "t.json", document.Options{
			URL: "http://127.0.0.1:8080", Read: func(context.Context, string) ([]byte, error) { return []byte(text), nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		schema := doc.Operations[0].Body.Media[0].Schema
		judge, nulls, others := document.NewJudge(doc), 0, 0
		for _, v := range drawn(t, schema, 400) {
			if faults, err := judge.Judge(schema, document.InRequest, v); err != nil || len(faults) > 0 {
				t.Fatalf("%s: made %v: %v %v", row.version, v, faults, err)
			}
			if v.(map[string]any)["n"] == nil {
				nulls++
			} else {
				others++
			}
		}
		if nulls == 0 || others == 0 {
			t.Errorf("%s: %d nulls and %d other values", row.version, nulls, others)
		}
	}
}

func TestAPatternThatTakesAgesIsGivenUp(t *testing.T) {
	p := newPattern(`^(a+)+$`)
	p.matcher.MatchTimeout = time.Millisecond
	if p.fits(strings.Repeat("a", 40) + "!") {
		t.Error("it fits")
	}
	if !p.hopeless {
		t.Skip("this engine is not slow with it")
	}
	if p.fits("a") {
		t.Error("it was matched again")
	}
}

func TestOneOfIsFilledByOneBranchThatTheDiscriminatorNames(t *testing.T) {
	doc := sharedCase(t, "23-discriminator-and-oneof")
	kinds := map[any]int{}
	for _, v := range drawn(t, bodySchema(t, doc, "/pets"), 200) {
		o := v.(map[string]any)
		kinds[o["kind"]]++
		_, lives := o["lives"].(json.Number)
		_, bark := o["bark"].(bool)
		switch o["kind"] {
		case "c", "Cat":
			if !lives || bark {
				t.Errorf("%v is no cat", o)
			}
		case "dog", "Dog":
			if !bark || lives {
				t.Errorf("%v is no dog", o)
			}
		default:
			t.Errorf("%v is neither", o)
		}
	}
	if len(kinds) < 2 {
		t.Errorf("only %v were made", kinds)
	}
}

func TestOverlappingBranchesAreToldApartByTheDiscriminatorAlone(t *testing.T) {
	s := loaded(t, `{"oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}], "discriminator": {"propertyName": "t"}}`,
		`{"A": {"type": "object", "required": ["t"], "properties": {"t": {"type": "string"}, "x": {"type": "string"}}},
			"B": {"type": "object", "required": ["t"], "properties": {"t": {"type": "string"}, "y": {"type": "string"}}}}`)
	for _, v := range drawn(t, s, 50) {
		if name := v.(map[string]any)["t"]; name != "A" && name != "B" {
			t.Errorf("%v names no branch", v)
		}
	}
}

func TestABaseThatListsItsDerivedOnesEnds(t *testing.T) {
	s := loaded(t, `{"$ref": "#/components/schemas/Pet"}`,
		`{"Pet": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}, "discriminator": {"propertyName": "kind"},
				"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}]},
			"Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"required": ["lives"], "properties": {"lives": {"type": "integer"}}}]},
			"Dog": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"required": ["bark"], "properties": {"bark": {"type": "boolean"}}}]}}`)
	for _, v := range drawn(t, s, 50) {
		if kind := v.(map[string]any)["kind"]; kind != "Cat" && kind != "Dog" {
			t.Errorf("%v is neither", v)
		}
	}
}

func TestADerivedSchemaHasItsOwnNameInTheDiscriminator(t *testing.T) {
	const pets = `{"Pet": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}, "discriminator": {"propertyName": "kind"MAPPING}},
		"Cat": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"required": ["lives"], "properties": {"lives": {"type": "integer"}}}]},
		"Dog": {"allOf": [{"$ref": "#/components/schemas/Pet"}, {"required": ["bark"], "properties": {"bark": {"type": "boolean"}}}]}}`
	const mapping = `, "mapping": {"c": "#/components/schemas/Cat", "d": "Dog"}`
	for _, row := range []struct {
		name, mapping string
		want          map[any]string
	}{
		{"Cat", "", map[any]string{"Cat": "lives"}},
		{"Dog", mapping, map[any]string{"d": "bark"}},
		{"Pet", mapping, map[any]string{"c": "lives", "d": "bark"}},
	} {
		s := loaded(t, `{"$ref": "#/components/schemas/`+row.name+`"}`, strings.Replace(pets, "MAPPING", row.mapping, 1))
		met := map[any]bool{}
		for _, v := range drawn(t, s, 50) {
			o := v.(map[string]any)
			met[o["kind"]] = true
			if _, there := o[row.want[o["kind"]]]; !there {
				t.Errorf("%s%s: made %v", row.name, row.mapping, o)
				break
			}
		}
		if len(met) != len(row.want) {
			t.Errorf("%s%s: made the kinds %v", row.name, row.mapping, met)
		}
	}
}

func TestReadOnlyPropertiesAreLeftOutAtEveryDepth(t *testing.T) {
	doc := sharedCase(t, "26-readonly-writeonly")
	friends := 0
	for _, v := range drawn(t, bodySchema(t, doc, "/users"), 100) {
		o := v.(map[string]any)
		list, _ := o["friends"].([]any)
		for _, person := range append(list, any(o)) {
			p := person.(map[string]any)
			if p["name"] == nil || p["password"] == nil || p["id"] != nil {
				t.Errorf("made %v", p)
			}
		}
		friends += len(list)
	}
	if friends == 0 {
		t.Error("nobody ever had friends")
	}
}

func TestAnExampleLosesItsReadOnlyProperties(t *testing.T) {
	s := loaded(t, `{"type": "object", "required": ["id", "n"], "properties": {"id": {"type": "integer", "readOnly": true}, "n": {"type": "integer"}},
		"examples": [{"id": 3, "n": 4711}]}`, "")
	for _, v := range drawn(t, s, 50) {
		if v.(map[string]any)["id"] != nil {
			t.Fatalf("made %v", v)
		}
	}
	if got := fmt.Sprint(drawn(t, s, 1)[0]); got != "map[n:4711]" {
		t.Errorf("the likeliest is %s, want the example", got)
	}
}

func TestTheLikeliestSourceIsEnumThenObservedThenExampleThenDefault(t *testing.T) {
	seen := seenValues{"pet": {"seen"}}
	for _, row := range []struct {
		schema, source string
		observed       Observed
	}{
		{`{"enum": ["seen", "b"], "examples": ["b"], "default": "b"}`, FromEnum, seen},
		{`{"type": "string", "examples": ["b"], "default": "c"}`, FromObserved, seen},
		{`{"type": "string", "examples": ["b"], "default": "c"}`, FromExample, nil},
		{`{"type": "string", "maxLength": 3, "examples": ["b"]}`, FromExample, seen},
		{`{"type": "string", "default": "c"}`, FromDefault, nil},
		{`{"type": "string"}`, FromRandom, nil},
	} {
		shapes := NewShapes(settings.Default().Generation)
		d := shapes.Draw(rand.New(rand.NewPCG(1, 1)), row.observed)
		d.Likeliest = true
		f := NewField("pet", shapes.Of(loaded(t, row.schema, "")))
		if _, ok := d.Make(&f, "query.pet"); !ok {
			t.Fatal(d.Reason())
		}
		if got := d.Origins[0]; got.Source != row.source || got.Place != "query.pet" {
			t.Errorf("%s: from %v, want %s", row.schema, got, row.source)
		}
	}
}

type seenValues map[string][]any

func (s seenValues) Values(key string) []any { return s[key] }

func (s seenValues) Refers(key string) bool { return key == "bookid" }

// "Where a name stands for a thing of another address … a value is invented an eighth as often" (decision 0018 §1).
func TestWhatHasToBeThereIsSeldomInvented(t *testing.T) {
	shapes := NewShapes(settings.Default().Generation)
	d := shapes.Draw(rand.New(rand.NewPCG(1, 1)), seenValues{"bookid": {"b1"}})
	f := NewField("bookId", shapes.Of(loaded(t, `{"type": "string"}`, "")))
	count := map[string]int{}
	for range 2300 {
		d.Reset(1)
		d.Make(&f, "query.bookId")
		count[d.Origins[0].Source]++
	}
	if n := count[FromRandom]; n < 200 || n > 400 {
		t.Errorf("%d of 2300 are invented, want about 300", n)
	}
}

func TestEachSourceIsUsedByItsWeight(t *testing.T) {
	shapes := NewShapes(settings.Default().Generation)
	d := shapes.Draw(rand.New(rand.NewPCG(1, 1)), seenValues{"pet": {"seen"}})
	f := NewField("pet", shapes.Of(loaded(t, `{"type": "string", "examples": ["b"], "default": "c"}`, "")))
	const n = 6000
	count := map[string]int{}
	for range n {
		d.Reset(1)
		d.Make(&f, "query.pet")
		count[d.Origins[0].Source]++
	}
	for source, weight := range map[string]int{FromExample: 15, FromDefault: 5, FromObserved: 20, FromRandom: 20} {
		if want := n * weight / 60; count[source] < want*9/10 || count[source] > want*11/10 {
			t.Errorf("%s: %d of %d, want about %d", source, count[source], n, want)
		}
	}
}

func TestOriginsNameEachValuesPlace(t *testing.T) {
	shapes, d := drawer(1)
	f := NewField("", shapes.Of(loaded(t, `{"type": "object", "required": ["tags", "owner"], "properties": {
		"tags": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "string", "examples": ["x"]}},
		"owner": {"type": "object", "required": ["age"], "properties": {"age": {"const": 3}}}}}`, "")))
	d.Likeliest = true
	if _, ok := d.Make(&f, "body"); !ok {
		t.Fatal(d.Reason())
	}
	if got, want := fmt.Sprint(d.Origins), "[{body.tags[0] example} {body.tags[1] example} {body.owner.age const}]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTextsHoldNoControlCharacters(t *testing.T) {
	for _, schema := range []string{
		`{"type": "string"}`, `{"type": "string", "pattern": "^[\\s\\S]{5}$"}`, `{"type": "string", "pattern": "^[^a]*$"}`, `{"type": "string", "minLength": 200}`,
	} {
		for _, v := range drawn(t, loaded(t, schema, ""), 100) {
			if text := v.(string); !readable(text) {
				t.Errorf("%s: made %q", schema, text)
			}
		}
	}
}

func TestNumbersAreComparedByValueAndHugeOnesNotWorkedOut(t *testing.T) {
	for _, row := range []struct {
		a, b json.Number
		want bool
	}{
		{"1", "1.0", true},
		{"100", "1e2", true},
		{"0.1", "0.10", true},
		{"1", "2", false},
		{"9007199254740993", "9007199254740992", false},
		{"0", "-0.00", true},
		{"10", "1.0", false},
		{"1.05", "1.50", false},
		{"10.0", "1e1", true},
		{"1e999999999", "2", false},
	} {
		if got := Equal(row.a, row.b); got != row.want {
			t.Errorf("%s = %s: %v", row.a, row.b, got)
		}
	}
}

func FuzzFormatsKnowTheirOwn(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		for name, format := range formats {
			for _, tight := range []bool{false, true} {
				if text := format.draw(r, tight); !format.fits(text) {
					t.Errorf("%s: %q is made and not known", name, text)
				}
			}
		}
	})
}

func TestFormatsRefuseOthers(t *testing.T) {
	for name, texts := range map[string][]string{
		"date":                  {"", "2020-1-1", "2020-02-30", "20200101"},
		"date-time":             {"2020-01-01", "2020-01-01 10:00:00"},
		"time":                  {"25:00:00Z", "10:00"},
		"duration":              {"", "P", "PT", "1D", "P1H", "P1DT", "P1W2D", "P1Y2D"},
		"uuid":                  {"", "x", "00000000-0000-0000-0000-00000000000g", "000000000000000000000000000000000000"},
		"email":                 {"", "a", "a@", "@b", "A <a@b.c>", "a@b..c"},
		"hostname":              {"", "-a", "a-", "a..b", "a_b", strings.Repeat("a", 64)},
		"ipv4":                  {"1.2.3", "1.2.3.256", "::1"},
		"ipv6":                  {"1.2.3.4", "g::", "fe80::1%eth0"},
		"uri":                   {"", "/a", "a b", "http://a b"},
		"byte":                  {"a", "????"},
		"json-pointer":          {"a", "/~2", "/~"},
		"relative-json-pointer": {"", "/a", "01", "-1"},
		"regex":                 {"(", "[a"},
	} {
		for _, text := range texts {
			if formats[name].fits(text) {
				t.Errorf("%s: %q is taken for one", name, text)
			}
		}
	}
}

// A choice within a choice was once settled without anybody looking at the value.
func TestAChoiceWithinAChoiceIsLookedAtAgain(t *testing.T) {
	text := `{"anyOf": [{"type": "integer", "minimum": 0, "maximum": 0}, {"oneOf": [{"type": "integer"}, {"type": "integer"}]}]}`
	s, j := loaded(t, text, ""), judge(t, text, "")
	shapes, d := drawer(1)
	f := NewField("", shapes.Of(s))
	for range 50 {
		d.Reset(0)
		v, ok := d.Make(&f, "body")
		if !ok {
			continue
		}
		if err := j.Validate(recoded(t, v)); err != nil {
			t.Fatalf("made %v: %v", v, err)
		}
	}
}
