package document

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// seeds are documents in which every part of OpenAPI occurs, one for each version.
var seeds = []string{
	`{"openapi":"3.0.3","info":{"title":"t","version":1},"servers":[{"url":"https://h/{v}","variables":{"v":{"default":"x","enum":["x"]}}}],
	"security":[{"k":[]}],"paths":{"/a/{id}":{"parameters":[{"$ref":"#/components/parameters/P"}],"servers":[{"url":"/o"}],
	"get":{"operationId":"g","tags":["t"],"deprecated":true,"parameters":[{"name":"q","in":"query","style":"deepObject","schema":{"type":"object"}}],
	"responses":{"200":{"$ref":"#/components/responses/R"},"4XX":{"description":"d"},"default":{"description":"d","content":{"a/b":{}}}}},
	"post":{"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"},"example":{"a":1},
	"encoding":{"a":{"contentType":"x/y","explode":true}}}}},"responses":{"201":{"description":"d","headers":{"H":{"schema":{"type":"integer"}}}}}}}},
	"components":{"parameters":{"P":{"name":"id","in":"path","required":true,"schema":{"type":"string"}}},
	"responses":{"R":{"description":"d","content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"}}}}},
	"securitySchemes":{"k":{"type":"apiKey","in":"header","name":"K"},"o":{"type":"oauth2","flows":{"password":{"tokenUrl":"/t","scopes":{}}}}},
	"schemas":{"S":{"type":"object","required":["a","c"],"additionalProperties":false,"properties":{"a":{"type":"integer","minimum":1,"exclusiveMinimum":true,"readOnly":true},
	"b":{"type":"string","nullable":true,"enum":["x",null],"pattern":"^x"},"c":{"type":"array","items":{"$ref":"#/components/schemas/S"},"minItems":0,"uniqueItems":true}}},
	"U":{"oneOf":[{"$ref":"#/components/schemas/S"},{"allOf":[{"$ref":"#/components/schemas/U"}]}],"discriminator":{"propertyName":"b","mapping":{"x":"S"}},"not":{"anyOf":[{}]}}}}}`,
	`{"openapi":"3.1.0","info":{"title":"t"},"paths":{"/a":{"get":{"responses":{"200":{"description":"d","content":{"application/json":{"schema":
	{"$ref":"#/$defs/none","$id":"https://x/y","$anchor":"a","type":["object","null"],"const":null,"properties":{"a":{"$ref":"#a"},"b":{"$dynamicRef":"#d"}},
	"patternProperties":{"^x":true},"propertyNames":{"maxLength":3},"unevaluatedProperties":false,"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":{}},
	"if":{"required":["a"]},"then":false,"else":{"$dynamicAnchor":"d"},"prefixItems":[{}],"items":{},"contains":{},"minContains":0,"unevaluatedItems":{},
	"$defs":{"none":{"exclusiveMaximum":1,"multipleOf":0.1,"contentEncoding":"base64","examples":[1]}}}}}}}}}}}`,
	`{"swagger":"2.0","host":"h:1","basePath":"/b","schemes":["http"],"consumes":["application/json"],"produces":["application/json"],
	"paths":{"/a/{p}":{"post":{"parameters":[{"name":"b","in":"body","schema":{"$ref":"#/definitions/A"}},{"name":"p","in":"path","required":true,"type":"array",
	"items":{"type":"integer"},"collectionFormat":"ssv"}],"responses":{"200":{"description":"d","schema":{"$ref":"#/definitions/A"},"headers":{"H":{"type":"string"}}}}},
	"put":{"consumes":["multipart/form-data"],"parameters":[{"name":"f","in":"formData","type":"file","required":true}],"responses":{"default":{"description":"d"}}}}},
	"definitions":{"A":{"type":"object","discriminator":"t","required":["t"],"properties":{"t":{"type":"string","x-nullable":true}}}},
	"securityDefinitions":{"b":{"type":"basic"}}}`,
	`{"openapi":"3.2.0","info":{"title":"t","version":"1"},"paths":{"/a":{"$ref":"#/components/pathItems/I"}},
	"components":{"pathItems":{"I":{"query":{"parameters":[{"name":"c","in":"cookie","style":"cookie","content":{"a/b":{"schema":{}}}}],"responses":{}},"additionalOperations":{"X":{"responses":{}}}}}}}`,
}

// mutations are what may stand where something else stood, as JSON.
var mutations = []string{
	`null`, `true`, `false`, `""`, `"true"`, `"string"`, `"array"`, `"#"`, `"#/"`, `"#/components/schemas/S"`, `"#/paths"`, `"#a"`,
	`"x.yaml#/y"`, `"\u0000{"`, `"["`, `0`, `-1`, `1e400`, `1.5`, `[]`, `[null]`, `{}`, `{"$ref":"#"}`,
	`{"$ref":"#/components/schemas/U"}`, `{"type":"string"}`,
}

func drawMutation(t *rapid.T) any {
	return decodeSeed(rapid.SampledFrom(mutations).Draw(t, "value"))
}

// mutate changes one place of a decoded document, in place.
func mutate(t *rapid.T, doc any) any {
	for depth := 0; ; depth++ {
		stop := depth > 12 || rapid.IntRange(0, 7).Draw(t, "stop") == 0
		switch v := doc.(type) {
		case map[string]any:
			if len(v) == 0 || depth == 0 && stop {
				break
			}
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			key := rapid.SampledFrom(keys).Draw(t, "key")
			if !stop {
				if isContainer(v[key]) {
					v[key] = mutate(t, v[key])
					return v
				}
			}
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				delete(v, key)
			case 1:
				v[rapid.SampledFrom(append(keys, "$ref", "items", "allOf", "x-y", "200")).Draw(t, "name")] = v[key]
			default:
				v[key] = drawMutation(t)
			}
			return v
		case []any:
			if len(v) == 0 {
				break
			}
			i := rapid.IntRange(0, len(v)-1).Draw(t, "item")
			if !stop && isContainer(v[i]) {
				v[i] = mutate(t, v[i])
			} else {
				v[i] = drawMutation(t)
			}
			return v
		}
		return drawMutation(t)
	}
}

func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	default:
		return false
	}
}

// exercise loads a document, checks what must hold of every one that loads, and judges some values by all of it.
func exercise(t interface {
	Helper()
	Errorf(string, ...any)
}, text []byte,
) {
	t.Helper()
	d, err := Load(context.Background(), "d", Options{URL: "http://127.0.0.1:1", Read: func(_ context.Context, location string) ([]byte, error) {
		if location != "d" {
			return nil, os.ErrNotExist
		}
		return text, nil
	}})
	if err != nil {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("the error has more than one line: %q", err)
		}
		return
	}
	j := NewJudge(d)
	values := []any{nil, "x", json.Number("1.5"), []any{"a", nil}, map[string]any{"a": json.Number("1"), "b": "x", "c": []any{}}}
	judge := func(s *Schema) {
		for _, direction := range []Direction{InRequest, InReply} {
			_ = j.Usable(s, direction)
			for _, v := range values {
				faults, err := j.Judge(s, direction, v)
				if err != nil && strings.Contains(err.Error(), "validator failed") {
					t.Errorf("%v", err)
				}
				if len(faults) > mostFaults {
					t.Errorf("%d faults", len(faults))
				}
			}
		}
	}
	ids := map[string]bool{}
	for i, op := range d.Operations {
		if op.Index != i || ids[op.ID] {
			t.Errorf("operation %d has the index %d and the id %q", i, op.Index, op.ID)
		}
		ids[op.ID] = true
		seen := map[string]bool{}
		for _, p := range op.Parameters {
			key := p.In + " " + p.Name
			if p.In == "header" {
				key = strings.ToLower(key)
			}
			if seen[key] {
				t.Errorf("%s has %s twice", op.ID, key)
			}
			seen[key] = true
			if p.In == "path" && !strings.Contains(op.Path, "{"+p.Name+"}") {
				t.Errorf("%s has a path parameter %q that its path does not have", op.ID, p.Name)
			}
			judge(p.Schema)
		}
		for _, m := range templatePart.FindAllStringSubmatch(op.Path, -1) {
			if op.Untestable == "" && !seen["path "+m[1]] {
				t.Errorf("%s lacks the parameter %q", op.ID, m[1])
			}
		}
		if op.Body != nil {
			for _, m := range op.Body.Media {
				judge(m.Schema)
			}
		}
		for _, r := range op.Responses {
			for _, m := range r.Media {
				judge(m.Schema)
			}
		}
	}
	for _, issue := range d.Issues {
		if strings.Contains(issue.Message, "\n") || !slices.Contains([]string{"error", "warning", "note"}, issue.Severity) {
			t.Errorf("an issue is %+v", issue)
		}
	}
}

func TestNoDocumentHoweverBentMakesItFail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := decodeSeed(rapid.SampledFrom(seeds).Draw(t, "seed"))
		for range rapid.IntRange(1, 6).Draw(t, "mutations") {
			doc = mutate(t, doc)
		}
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		exercise(t, text)
	})
}

func decodeSeed(seed string) any {
	d := json.NewDecoder(strings.NewReader(seed))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		panic(fmt.Sprintf("a seed is no JSON: %v", err))
	}
	return v
}

func TestTheSeedsAreReadWithoutErrors(t *testing.T) {
	for i, seed := range seeds {
		d := from(t, "d", map[string]string{"d": seed}, Options{})
		if len(d.Operations) == 0 {
			t.Errorf("seed %d has no operations", i)
		}
		exercise(t, []byte(seed))
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	for _, seed := range []string{
		"openapi: 3.0.3\npaths:\n  /a: &a\n    get: {responses: {200: {description: ok}}}\n  /b: *a\n",
		"\xef\xbb\xbfswagger: 2.0\r\npaths: {}\r\n", "\xff\xfe{\x00}\x00", "a: &a [*a]", "<<: {a: 1}\n? [x]\n: y\n", "{\"a\":\"\\ud800\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, data) })
}

// TestJSONIsReadAsTheStandardLibraryReadsIt compares the two readers, and JSON with the same text as YAML.
func TestJSONIsReadAsTheStandardLibraryReadsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Custom(drawValue).Draw(t, "value")
		text, err := json.MarshalIndent(map[string]any{"v": value}, "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		n, _, err := parseJSON(string(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := json.MarshalIndent(n.value(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.MarshalIndent(decodeSeed(string(text)), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(want) {
			t.Fatalf("%s was read as %s", text, again)
		}
	})
}

func drawValue(t *rapid.T) any {
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "boolean")
	case 2:
		return json.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,5})?([eE][-+]?[0-9]{1,3})?`).Draw(t, "number"))
	case 3, 4:
		return rapid.String().Draw(t, "text")
	case 5:
		return rapid.SliceOfN(rapid.Custom(drawValue), 0, 3).Draw(t, "list")
	default:
		return rapid.MapOfN(rapid.String(), rapid.Custom(drawValue), 0, 3).Draw(t, "object")
	}
}
