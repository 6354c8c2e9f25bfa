package document

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// schemas draws a schema of OpenAPI 3.1 as text; of the keywords that a quick look knows alone where plain is true.
func schemas(plain bool, levels int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		inner := func(label string) string {
			if levels == 0 {
				return rapid.SampledFrom([]string{`true`, `{}`, `{"type":"integer"}`, `{"type":"string","maxLength":1}`}).Draw(t, label)
			}
			return schemas(plain, levels-1).Draw(t, label)
		}
		keywords := map[string]func() string{
			"type":                 func() string { return rapid.SampledFrom(types).Draw(t, "type") },
			"maxLength":            func() string { return "1" },
			"minLength":            func() string { return "1" },
			"pattern":              func() string { return `"^a"` },
			"format":               func() string { return rapid.SampledFrom([]string{`"date"`, `"int32"`, `"uint8"`}).Draw(t, "format") },
			"minimum":              func() string { return "1" },
			"exclusiveMaximum":     func() string { return "2.5" },
			"multipleOf":           func() string { return "0.5" },
			"items":                func() string { return inner("items") },
			"maxItems":             func() string { return "1" },
			"minItems":             func() string { return "1" },
			"properties":           func() string { return `{"a":` + inner("a") + `,"b":` + inner("b") + `}` },
			"required":             func() string { return `["a"]` },
			"minProperties":        func() string { return "1" },
			"maxProperties":        func() string { return "1" },
			"additionalProperties": func() string { return rapid.SampledFrom([]string{"true", "false", inner("others")}).Draw(t, "more") },
			"allOf":                func() string { return `[` + inner("first") + `,` + inner("second") + `]` },
		}
		names := []string{
			"type", "maxLength", "minLength", "pattern", "format", "minimum", "exclusiveMaximum", "multipleOf", "items", "maxItems",
			"minItems", "properties", "required", "minProperties", "maxProperties", "additionalProperties", "allOf",
		}
		if !plain {
			keywords["enum"] = func() string { return `["a",1,null,[1]]` }
			for _, name := range []string{"not", "unevaluatedProperties", "unevaluatedItems", "contains", "propertyNames", "if", "else"} {
				keywords[name] = func() string { return inner(name) }
			}
			for _, name := range []string{"oneOf", "anyOf", "prefixItems"} {
				keywords[name] = keywords["allOf"]
			}
			keywords["const"] = func() string { return "1" }
			keywords["uniqueItems"] = func() string { return "true" }
			keywords["patternProperties"] = func() string { return `{"a":` + inner("pattern") + `}` }
			keywords["dependentRequired"] = func() string { return `{"a":["b"]}` }
			keywords["dependentSchemas"] = func() string { return `{"a":` + inner("dependent") + `}` }
			names = append(names, "enum", "not", "unevaluatedProperties", "unevaluatedItems", "contains", "propertyNames", "if", "else",
				"oneOf", "anyOf", "prefixItems", "const", "uniqueItems", "patternProperties", "dependentRequired", "dependentSchemas")
		}
		var members []string
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 4, rapid.ID[string]).Draw(t, "keywords") {
			members = append(members, fmt.Sprintf("%q:%s", name, keywords[name]()))
		}
		return "{" + strings.Join(members, ",") + "}"
	})
}

var types = []string{`"object"`, `"array"`, `"string"`, `"integer"`, `"number"`, `"null"`, `"boolean"`, `["string","null"]`, `["integer","object"]`}

func valuesOf(levels int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		simple := []any{nil, true, "", "a", "ab", "2026-11-30", json.Number("1"), json.Number("1.0"), json.Number("2.25"), json.Number("300"), json.Number("1e99")}
		if n := rapid.IntRange(0, len(simple)+4).Draw(t, "value"); n < len(simple) || levels == 0 {
			return simple[n%len(simple)]
		} else if n%2 == 0 {
			return rapid.SliceOfN(valuesOf(levels-1), 0, 2).Draw(t, "list")
		}
		return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), valuesOf(levels-1), 0, 3).Draw(t, "object")
	})
}

func TestAQuickLookAgreesWithTheValidator(t *testing.T) {
	for _, plain := range []bool{true, false} {
		sure := 0
		rapid.Check(t, func(t *rapid.T) {
			text := schemas(plain, 2).Draw(t, "schema")
			d, err := tryFrom("d.json", map[string]string{"d.json": `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/x":{"get":{
				"responses":{"200":{"description":"ok","content":{"application/json":{"schema":` + text + `}}}}}}}}`}, Options{URL: "http://127.0.0.1:1"})
			if err != nil {
				t.Fatal(err)
			}
			c := NewJudge(d).compilers[InReply]
			compiled := c.compiled(d.Operations[0].Responses[0].Media[0].Schema)
			value := valuesOf(2).Draw(t, "value")
			fits := c.run(compiled, value) == nil
			switch surely := c.surelyFits(compiled, value); {
			case surely && !fits:
				t.Fatalf("%v does not fit %s, and a quick look says it does", value, text)
			case plain && fits && !surely:
				t.Fatalf("%v fits %s, and a quick look does not know", value, text)
			case surely:
				sure++
			}
		})
		if sure == 0 {
			t.Error("a quick look was never sure")
		}
	}
}

func TestAQuickLookEndsAtSchemasThatHoldThemselves(t *testing.T) {
	for _, schema := range []string{
		`{"allOf":[{"$ref":"#/components/schemas/Twice"}]}`,
		`{"properties":{"a":{"$ref":"#/components/schemas/Twice"}}}`,
	} {
		d, s := replySchema(t, "3.0.3", schema,
			`"Twice":{"type":"object","allOf":[{"$ref":"#/components/schemas/Twice"},{"$ref":"#/components/schemas/Twice"}]}`)
		if _, err := NewJudge(d).Judge(s, InReply, decode(t, `{"a":{}}`)); err == nil {
			t.Errorf("%s: judged by a schema without end", schema)
		}
	}
}
