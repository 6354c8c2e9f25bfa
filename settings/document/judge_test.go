package document

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// from loads a document from texts by location; the first is the entry, and locations are used as they are.
func from(t testing.TB, entry string, texts map[string]string, options Options) *Document {
	t.Helper()
	d, err := tryFrom(entry, texts, options)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func tryFrom(entry string, texts map[string]string, options Options) (*Document, error) {
	options.Read = func(_ context.Context, location string) ([]byte, error) {
		text, ok := texts[location]
		if !ok {
			return nil, fmt.Errorf("no such location")
		}
		return []byte(text), nil
	}
	return Load(context.Background(), entry, options)
}

func decode(t testing.TB, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// replySchema makes a document of a version with the schema as a reply's, and gives that schema.
func replySchema(t testing.TB, version, schema, components string) (*Document, *Schema) {
	t.Helper()
	text := `{"openapi":"` + version + `","info":{"title":"t","version":"1"},"paths":{"/x":{"get":{"responses":{"200":{
		"description":"ok","content":{"application/json":{"schema":` + schema + `}}}}}}},"components":{"schemas":{` + components + `}}}`
	if version == "2.0" {
		text = `{"swagger":"2.0","info":{"title":"t","version":"1"},"paths":{"/x":{"get":{"responses":{"200":{
			"description":"ok","schema":` + schema + `}}}}},"definitions":{` + components + `}}`
	}
	d := from(t, "d.json", map[string]string{"d.json": text}, Options{URL: "http://127.0.0.1:1"})
	if len(d.Operations) != 1 || len(d.Operations[0].Responses) != 1 || len(d.Operations[0].Responses[0].Media) != 1 {
		t.Fatalf("the document has lost its schema: %+v", d)
	}
	return d, d.Operations[0].Responses[0].Media[0].Schema
}

func TestValuesAreJudgedByTheRulesOfTheirVersion(t *testing.T) {
	const (
		fits = ""
		node = `"Node":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/components/schemas/Node"}}}}`
		name = `"Name":{"type":"string"}`
		user = `"User":{"type":"object","required":["id","name","password"],"properties":{"id":{"type":"integer","readOnly":true},"name":{"type":"string"},"password":{"type":"string","writeOnly":true}}}`
	)
	type row struct {
		version, schema, components, value string
		want                               string // "pointer keyword, pointer keyword"
		request                            bool
	}
	rows := []row{
		{"3.0.3", `{"type":"boolean"}`, "", `true`, fits, false},
		{"3.0.3", `{"type":"boolean"}`, "", `"yes"`, " type", false},
		{"3.0.3", `{"type":"integer"}`, "", `1`, fits, false},
		{"3.0.3", `{"type":"integer"}`, "", `1.0`, fits, false},
		{"3.0.3", `{"type":"integer"}`, "", `1.5`, " type", false},
		{"3.0.3", `{"type":"number"}`, "", `1`, fits, false},
		{"3.0.3", `{}`, "", `null`, fits, false},
		{"3.0.3", `{"type":"string"}`, "", `null`, " type", false},
		{"3.0.3", `{"type":"string","nullable":true}`, "", `null`, fits, false},
		{"3.0.3", `{"type":"string","nullable":true}`, "", `1`, " type", false},
		{"3.0.3", `{"type":"string","nullable":true,"enum":["x"]}`, "", `null`, fits, false},
		{"3.0.3", `{"type":"string","nullable":true,"enum":["x"]}`, "", `"y"`, " enum", false},
		{"3.0.3", `{"nullable":true,"allOf":[{"$ref":"#/components/schemas/Name"}]}`, name, `null`, fits, false},
		{"3.0.3", `{"nullable":true,"allOf":[{"$ref":"#/components/schemas/Name"}]}`, name, `1`, " type", false},
		{"3.0.3", `{"nullable":true,"$ref":"#/components/schemas/Name"}`, name, `null`, fits, false},
		{"3.0.3", `{"maxLength":1,"$ref":"#/components/schemas/Name"}`, name, `"long"`, fits, false},
		{"3.1.0", `{"maxLength":1,"$ref":"#/components/schemas/Name"}`, name, `"long"`, " maxLength", false},
		{"3.1.0", `{"type":["string","null"]}`, "", `null`, fits, false},
		{"3.1.0", `{"type":"string","nullable":true}`, "", `null`, " type", false},
		{"3.1.0", `{"anyOf":[{"$ref":"#/components/schemas/Name"},{"type":"null"}]}`, name, `null`, fits, false},
		{"3.1.0", `{"anyOf":[{"$ref":"#/components/schemas/Name"},{"type":"null"}]}`, name, `1`, " type", false},
		{"2.0", `{"type":"string","x-nullable":true}`, "", `null`, fits, false},
		{"2.0", `{"$ref":"#/definitions/Name"}`, name, `1`, " type", false},
		{"2.0", `{"type":"file"}`, "", `"bytes"`, fits, false},
		{"2.0", `{"type":"array","items":[{"type":"string"},{"type":"array"}]}`, "", `["a",["b"],"c"]`, fits, false},
		{"2.0", `{"type":"array","items":[{"type":"string"},{"type":"array"}]}`, "", `["a",1]`, "/1 type", false},
		{"3.0.3", `{"type":"integer","minimum":3,"exclusiveMinimum":true}`, "", `3`, " exclusiveMinimum", false},
		{"3.0.3", `{"type":"integer","minimum":3,"exclusiveMinimum":true}`, "", `4`, fits, false},
		{"3.0.3", `{"type":"integer","minimum":3}`, "", `3`, fits, false},
		{"3.0.3", `{"type":"integer","maximum":3}`, "", `4`, " maximum", false},
		{"3.1.0", `{"type":"integer","exclusiveMaximum":3}`, "", `3`, " exclusiveMaximum", false},
		{"3.0.3", `{"type":"integer","maximum":9007199254740993}`, "", `9007199254740993`, fits, false},
		{"3.0.3", `{"type":"integer","maximum":9007199254740992}`, "", `9007199254740993`, " maximum", false},
		{"3.0.3", `{"type":"number","multipleOf":0.1}`, "", `0.3`, fits, false},
		{"3.0.3", `{"type":"number","multipleOf":0.1}`, "", `0.35`, " multipleOf", false},
		{"3.0.3", `{"enum":[1]}`, "", `1.0`, fits, false},
		{"3.0.3", `{"enum":[{"a":1}]}`, "", `{"a":1}`, fits, false},
		{"3.0.3", `{"enum":["a","b"]}`, "", `"c"`, " enum", false},
		{"3.1.0", `{"const":null}`, "", `null`, fits, false},
		{"3.1.0", `{"const":1}`, "", `2`, " const", false},
		{"3.0.3", `{"const":1}`, "", `2`, fits, false},
		{"3.0.3", `{"type":"string","minLength":2}`, "", `"é"`, " minLength", false},
		{"3.0.3", `{"type":"string","maxLength":2}`, "", `"ééé"`, " maxLength", false},
		{"3.0.3", `{"type":"string","maxLength":9223372036854775807}`, "", `"x"`, fits, false},
		{"3.0.3", `{"type":"string","pattern":"ab"}`, "", `"xxabyy"`, fits, false},
		{"3.0.3", `{"type":"string","pattern":"ab"}`, "", `"ba"`, " pattern", false},
		{"3.0.3", `{"type":"string","pattern":"^(?!-)[a-z-]{3,8}$"}`, "", `"-ab"`, " pattern", false},
		{"3.0.3", `{"type":"string","pattern":"^(?!-)[a-z-]{3,8}$"}`, "", `"abc"`, fits, false},
		{"3.0.3", `{"type":"string","pattern":"^\\p{L}{2}$"}`, "", `"éß"`, fits, false},
		{"3.0.3", `{"type":"string","pattern":"^\\u00e9[0-9]$"}`, "", `"e4"`, " pattern", false},
		{"3.0.3", `{"type":"string","pattern":"^(\\d)\\1$"}`, "", `"55"`, fits, false},
		{"3.0.3", `{"type":"string","pattern":"^[A-Z]{1,2000}$"}`, "", `"Q"`, fits, false},
		{"3.0.3", `{"type":"integer","format":"int32"}`, "", `2147483648`, " format", false},
		{"3.0.3", `{"type":"integer","format":"int64"}`, "", `9223372036854775807`, fits, false},
		{"3.0.3", `{"type":"integer","format":"int64"}`, "", `9223372036854775808`, " format", false},
		{"3.0.3", `{"type":"number","format":"float"}`, "", `3.5e38`, " format", false},
		{"3.0.3", `{"type":"number","format":"double"}`, "", `1.7e308`, fits, false},
		{"3.0.3", `{"type":"string","format":"byte"}`, "", `"aGk="`, fits, false},
		{"3.0.3", `{"type":"string","format":"byte"}`, "", `"a b!"`, " format", false},
		{"3.0.3", `{"type":"string","format":"date"}`, "", `"2024-02-30"`, " format", false},
		{"3.0.3", `{"type":"string","format":"date-time"}`, "", `"2024-02-29T12:00:00Z"`, fits, false},
		{"3.0.3", `{"type":"string","format":"date-time"}`, "", `"2024-02-29t12:00:00.5+01:00"`, fits, false},
		{"3.0.3", `{"type":"string","format":"date-time"}`, "", `"yesterday"`, " format", false},
		{"3.0.3", `{"type":"string","format":"uuid"}`, "", `"not-a-uuid"`, " format", false},
		{"3.0.3", `{"type":"string","format":"email"}`, "", `"a@b.example"`, fits, false},
		{"3.0.3", `{"type":"string","format":"ipv4"}`, "", `"256.0.0.1"`, " format", false},
		{"3.0.3", `{"type":"string","format":"ipv6"}`, "", `"::1"`, fits, false},
		{"3.0.3", `{"type":"string","format":"uri"}`, "", `"/relative"`, " format", false},
		{"3.0.3", `{"type":"string","format":"hostname"}`, "", `"-x"`, " format", false},
		{"3.0.3", `{"type":"string","format":"something-else"}`, "", `"x"`, fits, false},
		{"3.0.3", `{"type":"object","required":["a"]}`, "", `{}`, " required", false},
		{"3.0.3", `{"type":"object","required":["a","b"]}`, "", `{}`, " required,  required", false},
		{"3.0.3", `{"type":"object","additionalProperties":false,"properties":{"a":{}}}`, "", `{"a":1,"b":2}`, " additionalProperties", false},
		{"3.0.3", `{"type":"object","additionalProperties":{"type":"integer"}}`, "", `{"a":1,"b":"2"}`, "/b type", false},
		{"3.0.3", `{"type":"object","maxProperties":1}`, "", `{"a":1,"b":2}`, " maxProperties", false},
		{"3.0.3", `{"type":"object","minProperties":1}`, "", `{}`, " minProperties", false},
		{"3.0.3", `{"type":"object","properties":{"a/b":{"type":"string"},"c~d":{"type":"string"}}}`, "", `{"a/b":1,"c~d":1}`, "/a~1b type, /c~0d type", false},
		{"3.1.0", `{"patternProperties":{"^x":{"type":"integer"}}}`, "", `{"xa":"1"}`, "/xa type", false},
		{"3.0.3", `{"patternProperties":{"^x":{"type":"integer"}}}`, "", `{"xa":"1"}`, fits, false},
		{"3.1.0", `{"propertyNames":{"maxLength":2}}`, "", `{"abc":1}`, " propertyNames", false},
		{"3.1.0", `{"dependentRequired":{"a":["b"]}}`, "", `{"a":1}`, " dependentRequired", false},
		{"3.1.0", `{"dependentSchemas":{"a":{"required":["b"]}}}`, "", `{"a":1}`, " required", false},
		{"3.1.0", `{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, "", `{"a":1}`, " required", false},
		{"3.1.0", `{"if":{"required":["a"]},"then":{"required":["b"]}}`, "", `{}`, fits, false},
		{"3.0.3", `{"type":"array","items":{"type":"integer"}}`, "", `[1,"2",3,"4"]`, "/1 type, /3 type", false},
		{"3.0.3", `{"type":"array","minItems":1}`, "", `[]`, " minItems", false},
		{"3.0.3", `{"type":"array","maxItems":1}`, "", `[1,2]`, " maxItems", false},
		{"3.0.3", `{"type":"array","uniqueItems":true}`, "", `[1,1.0]`, " uniqueItems", false},
		{"3.1.0", `{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, "", `["a",1,"b"]`, "/2 type", false},
		{"3.1.0", `{"prefixItems":[{"type":"string"}],"items":false}`, "", `["a",1]`, "/1 false", false},
		{"3.1.0", `{"contains":{"const":1}}`, "", `[2,3]`, " contains", false},
		{"3.1.0", `{"contains":{"const":1},"minContains":2}`, "", `[1,3]`, " minContains", false},
		{"3.1.0", `{"contains":{"const":1},"minContains":0}`, "", `[3]`, fits, false},
		{"3.1.0", `{"contains":{"const":1},"maxContains":1}`, "", `[1,1]`, " maxContains", false},
		{"3.1.0", `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, "", `{"a":1}`, fits, false},
		{"3.1.0", `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, "", `{"a":1,"b":1}`, "/b false", false},
		{"3.1.0", `{"allOf":[{"prefixItems":[{"type":"integer"}]}],"unevaluatedItems":false}`, "", `[1]`, fits, false},
		{"3.1.0", `{"allOf":[{"prefixItems":[{"type":"integer"}]}],"unevaluatedItems":false}`, "", `[1,2]`, "/1 false", false},
		{"3.1.0", `{"allOf":[{"items":{"type":"integer"}}],"unevaluatedItems":false}`, "", `[1,2]`, fits, false},
		{"3.1.0", `true`, "", `1`, fits, false},
		{"3.1.0", `false`, "", `1`, " false", false},
		{"3.0.3", `{"not":{"type":"string"}}`, "", `"x"`, " not", false},
		{"3.0.3", `{"allOf":[{"required":["a"]},{"required":["b"]}]}`, "", `{}`, " required,  required", false},
		{"3.0.3", `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, "", `{"a":1}`, fits, false},
		{"3.0.3", `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, "", `{"a":1,"b":1}`, " oneOf", false},
		{"3.0.3", `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, "", `{}`, " oneOf", false},
		{"3.0.3", `{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, "", `{}`, " anyOf", false},
		{"3.0.3", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, "", `true`, " type", false},
		{"3.0.3", `{"$ref":"#/components/schemas/Node"}`, node, `{"name":"a","children":[{"name":"b","children":[{"name":5}]}]}`, "/children/0/children/0/name type", false},
		{"3.1.0", `{"$ref":"#node"}`, `"N":{"$anchor":"node","type":"integer"}`, `"x"`, " type", false},
		{"3.1.0", `{"$ref":"https://x.example/n"}`, `"N":{"$id":"https://x.example/n","$ref":"#/$defs/i","$defs":{"i":{"type":"integer"}}}`, `"x"`, " type", false},
		{"3.1.0", `{"$dynamicRef":"#n"}`, `"N":{"$dynamicAnchor":"n","type":"integer"}`, `"x"`, " type", false},
		{"3.1.0", `{"dependencies":{"a":["b"],"c":{"required":["d"]}}}`, "", `{"a":1}`, " dependentRequired", false},
		{"3.1.0", `{"dependencies":{"a":["b"],"c":{"required":["d"]}}}`, "", `{"c":1}`, " required", false},
		{"3.0.3", `{"dependencies":{"a":["b"]}}`, "", `{"a":1}`, fits, false},
		{"3.1.0", `{"$ref":"#n"}`, `"N":{"$anchor":"n","type":"integer"},"M":{"$id":"m","$anchor":"n","type":"string"}`, `"x"`, " type", false},
		{"3.1.0", `{"$ref":"m#n"}`, `"N":{"$anchor":"n","type":"integer"},"M":{"$id":"m","$anchor":"n","type":"string"}`, `"x"`, fits, false},
		{"3.1.0", `{"$ref":"#n"}`, `"N":{"$anchor":"n","type":"integer"},"M":{"example":{"$anchor":"n","type":"string"}}`, `"x"`, " type", false},
		{"3.1.0", `{"$ref":"#n"}`, `"M":{"properties":{"example":{"$anchor":"n","type":"string"}}}`, `1`, " type", false},
		{"3.1.0", `{"$ref":"#n"}`, `"M":{"$id":"m","$anchor":"n","type":"string"}`, `1`, " type", false},
		{"3.0.3", `{"$ref":"#/components/schemas/User"}`, user, `{"id":1,"name":"n"}`, fits, false},
		{"3.0.3", `{"$ref":"#/components/schemas/User"}`, user, `{"id":1,"name":"n","password":"p"}`, fits, false},
		{"3.0.3", `{"$ref":"#/components/schemas/User"}`, user, `{"name":"n"}`, " required", false},
		{"3.0.3", `{"$ref":"#/components/schemas/User"}`, user, `{"name":"n","password":"p"}`, fits, true},
		{"3.0.3", `{"$ref":"#/components/schemas/User"}`, user, `{"id":1,"name":"n","password":"p"}`, fits, true},
		{"3.0.3", `{"$ref":"#/components/schemas/User"}`, user, `{"name":"n"}`, " required", true},
		{"3.0.3", `{"allOf":[{"properties":{"id":{"readOnly":true}}},{"required":["id","b"]}]}`, "", `{"b":1}`, fits, true},
		{"3.0.3", `{"allOf":[{"properties":{"id":{"readOnly":true}}},{"required":["id","b"]}]}`, "", `{}`, " required", true},
		{"3.0.3", `{"properties":{"a":{"type":"string"}},"example":{"type":"nullable","nullable":true},"enum":[{"a":"x","nullable":true}]}`, "", `{"a":"x","nullable":true}`, fits, false},
		{"3.0.3", `{"type":"String"}`, "", `1`, " type", false},
		{"3.0.3", `{"type":"string","minLength":"2"}`, "", `"x"`, " minLength", false},
		{"3.0.3", `{"type":"string","enum":"x"}`, "", `"y"`, fits, false},
		{"3.0.3", `{"type":"object","properties":{"a":{"type":"string","required":true}}}`, "", `{}`, fits, false},
		{"3.0.3", `{"type":["string","null"]}`, "", `null`, fits, false},
	}
	for i, r := range rows {
		t.Run(fmt.Sprintf("%d %s %s %s", i, r.version, r.schema, r.value), func(t *testing.T) {
			d, s := replySchema(t, r.version, r.schema, r.components)
			direction := InReply
			if r.request {
				direction = InRequest
			}
			faults, err := NewJudge(d).Judge(s, direction, decode(t, r.value))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range faults {
				got = append(got, f.Pointer+" "+f.Keyword)
				if f.Message == "" || strings.Contains(f.Message, "\n") {
					t.Errorf("the message is %q", f.Message)
				}
				if f.Schema == "" {
					t.Errorf("a fault without its schema's place: %+v", f)
				}
			}
			if strings.Join(got, ", ") != r.want {
				t.Errorf("faults %q, want %q: %+v", strings.Join(got, ", "), r.want, faults)
			}
		})
	}
}

func TestAReferenceThatDependsOnTheWayThereIsLeftOpen(t *testing.T) {
	const two = `"N":{"$dynamicAnchor":"n","type":"integer"},"M":{"$dynamicAnchor":"n","type":"string"}`
	for _, schema := range []string{
		`{"$dynamicRef":"#n"}`,
		`{"$dynamicRef":"#n","unevaluatedProperties":false}`,
		`{"not":{"$dynamicRef":"#n"}}`,
		`{"if":{"$dynamicRef":"#n"},"else":false}`,
		`{"additionalProperties":{"$dynamicRef":"#n"}}`,
	} {
		d, s := replySchema(t, "3.1.0", schema, two)
		judge := NewJudge(d)
		if faults, err := judge.Judge(s, InReply, decode(t, `{"a":1}`)); err == nil {
			t.Errorf("%s: judged, with faults %v", schema, faults)
		}
		if err := judge.Usable(s, InReply); err == nil || !strings.Contains(err.Error(), `"#n"`) {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

func TestAReferenceIsReadFromTheIDAroundItWhereNothingLiesBesideTheFile(t *testing.T) {
	const address = "http://127.0.0.1:1/elsewhere/whole.json"
	texts := map[string]string{
		"d.json": `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/x":{"get":{"responses":{"200":{"description":"ok",
			"content":{"application/json":{"schema":{"$id":"http://127.0.0.1:1/elsewhere/","prefixItems":[{"$ref":"whole.json"},{"$ref":"beside.json"}]}}}}}}}}}`,
		"beside.json": `{"type":"string"}`,
		address:       `{"type":"integer"}`,
		"http://127.0.0.1:1/elsewhere/beside.json": `{"type":"boolean"}`,
	}
	d := from(t, "d.json", texts, Options{URL: "http://127.0.0.1:1"})
	faults, err := NewJudge(d).Judge(d.Operations[0].Responses[0].Media[0].Schema, InReply, decode(t, `["x",true]`))
	if err != nil || len(faults) != 2 || faults[0].Pointer != "/0" || faults[1].Pointer != "/1" {
		t.Errorf("%v, %v", faults, err)
	}
}

func TestMessagesArePlain(t *testing.T) {
	for _, r := range []struct{ version, schema, value, want string }{
		{"3.0.3", `{"type":"boolean"}`, `"yes"`, `must be boolean, is string "yes"`},
		{"3.0.3", `{"type":"integer"}`, `1.5`, `must be integer, is number 1.5`},
		{"3.0.3", `{"type":"string","nullable":true}`, `[]`, `must be string or null, is array`},
		{"3.0.3", `{"required":["id"]}`, `{}`, `"id" is missing`},
		{"3.0.3", `{"enum":["a",1,null]}`, `"c"`, `must be one of "a", 1, null, is string "c"`},
		{"3.0.3", `{"minimum":2.5}`, `2`, `must be at least 2.5, is number 2`},
		{"3.0.3", `{"multipleOf":0.01}`, `0.001`, `must be a multiple of 0.01, is number 0.001`},
		{"3.0.3", `{"minLength":1}`, `""`, `must be at least 1 character long, is 0`},
		{"3.0.3", `{"maxItems":2}`, `[1,2,3]`, `must have at most 2 items, has 3`},
		{"3.0.3", `{"format":"date"}`, `"x"`, `must be in the format date, is string "x"`},
		{"3.0.3", `{"properties":{"a":{}},"additionalProperties":false}`, `{"b":1}`, `"b" is not allowed`},
		{
			"3.0.3", `{"anyOf":[{"type":"object","required":["a","b"]},{"type":"object","required":["c"]},{"type":"string"}]}`, `{}`,
			`fits none of 3 schemas; it comes closest to branch 2: "c" is missing`,
		},
		{
			"3.0.3", `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object","properties":{"a":{"type":"null"}}}]}`, `{"a":1}`,
			`fits none of 2 schemas; it comes closest to branch 1: /a must be string, is number 1`,
		},
	} {
		d, s := replySchema(t, r.version, r.schema, "")
		faults, err := NewJudge(d).Judge(s, InReply, decode(t, r.value))
		if err != nil || len(faults) != 1 || faults[0].Message != r.want {
			t.Errorf("%s for %s: %+v, %v; want %q", r.schema, r.value, faults, err, r.want)
		}
	}
}

func TestADiscriminatorSaysWhichBranchIsMeant(t *testing.T) {
	d := load(t, shared(t, "cases", "23-discriminator-and-oneof", "document.yaml"), Options{})
	pet := d.Operations[0].Response(200).Media[0].Schema
	box := d.Operations[1].Response(200).Media[0].Schema
	j := NewJudge(d)
	for _, r := range []struct{ value, want string }{
		{`{"kind":"c","lives":9}`, ""},
		{`{"kind":"Cat","lives":9}`, ""},
		{`{"kind":"dog","bark":true}`, ""},
		{`{"kind":"c","lives":"9"}`, `must be integer, is string "9" (kind is "c", so it is judged as Cat)`},
		{`{"lives":9}`, `fits none of 2 schemas; it comes closest to Cat: "kind" is missing`},
		{`{"kind":"c","lives":1,"bark":true}`, `must fit exactly one of its schemas, fits both Cat and Dog`},
		{`{"kind":"dog","lives":9}`, `"bark" is missing (kind is "dog", so it is judged as Dog)`},
		{`{"kind":"bird","lives":9}`, ""},
	} {
		for prefix, s := range map[string]*Schema{"": pet, "/k": box} {
			value := r.value
			if prefix != "" {
				value = `{"k":` + value + `}`
			}
			faults, err := j.Judge(s, InReply, decode(t, value))
			if err != nil {
				t.Fatal(err)
			}
			var messages []string
			for _, f := range faults {
				messages = append(messages, f.Message)
				if !strings.HasPrefix(f.Pointer, prefix) {
					t.Errorf("%s: the fault is at %q", value, f.Pointer)
				}
			}
			if got := strings.Join(messages, "; "); got != r.want {
				t.Errorf("%s: %q, want %q", value, got, r.want)
			}
		}
	}
}

// What a reply may bring is not ours to know; what a request may bring the document says (decision 0004).
func TestARequestNamesABranchThatThereIs(t *testing.T) {
	const components = `"Cat":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string","enum":["Cat"]}}},
		"Dog":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"},"bark":{"type":"boolean"}},"additionalProperties":false}`
	const union = `{"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],"discriminator":{"propertyName":"kind"}}`
	d, s := replySchema(t, "3.0.3", union, components)
	for _, r := range []struct {
		value              string
		inRequest, inReply int
	}{
		{`{"kind":"bird","lives":9}`, 1, 0},
		{`{"kind":"bird"}`, 0, 0},
		{`{"kind":"Cat","lives":9}`, 0, 0},
	} {
		for direction, want := range map[Direction]int{InRequest: r.inRequest, InReply: r.inReply} {
			if faults, err := NewJudge(d).Judge(s, direction, decode(t, r.value)); len(faults) != want || err != nil {
				t.Errorf("%s: %v, %v", r.value, faults, err)
			}
		}
	}
}

func TestADiscriminatorDecidesBetweenABranchAndWhatItIsDerivedFrom(t *testing.T) {
	const components = `"Pet":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"}}},
		"Cat":{"allOf":[{"$ref":"#/components/schemas/Pet"},{"properties":{"lives":{"type":"integer"}}}]},
		"Stone":{"type":"object","required":["weight"],"properties":{"weight":{"type":"number"}}}`
	const union = `{"oneOf":[{"$ref":"#/components/schemas/Pet"},{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Stone"}],` +
		`"discriminator":{"propertyName":"kind","mapping":{"cat":"#/components/schemas/Cat"}}}`
	d, s := replySchema(t, "3.0.3", union, components)
	j := NewJudge(d)
	for _, r := range []struct{ value, want string }{
		{`{"kind":"cat","lives":9}`, ""},
		{`{"kind":"Pet","lives":9}`, ""},
		{`{"kind":"Cat"}`, ""},
		{`{"kind":"cat","lives":"9"}`, `must be integer, is string "9" (kind is "cat", so it is judged as Cat)`},
		{`{"kind":"cat","weight":1}`, "must fit exactly one of its schemas, fits both Cat and Stone"},
		{`{"kind":"Pet","weight":1}`, "must fit exactly one of its schemas, fits both Pet and Stone"},
		{`{"kind":"dog","weight":1}`, ""},
	} {
		faults, err := j.Judge(s, InReply, decode(t, r.value))
		var messages []string
		for _, f := range faults {
			messages = append(messages, f.Message)
		}
		if got := strings.Join(messages, "; "); got != r.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", r.value, got, err, r.want)
		}
	}
}

// judgeCase judges replies of a case's document, in turn, and compares the places of the faults.
func judgeCase(t *testing.T, folder, document string, replies [][2]string) {
	t.Helper()
	d := load(t, shared(t, "cases", folder, document), Options{})
	op := d.Operations[0]
	r := op.Response(200)
	if r == nil {
		r = op.Response(201)
	}
	j := NewJudge(d)
	for _, reply := range replies {
		faults, err := j.Judge(r.Media[0].Schema, InReply, decode(t, reply[0]))
		if err != nil {
			t.Errorf("%s: %v", reply[0], err)
		}
		var places []string
		for _, f := range faults {
			places = append(places, f.Pointer+" "+f.Keyword)
		}
		if got := strings.Join(places, ", "); got != reply[1] {
			t.Errorf("%s: faults %q, want %q", reply[0], got, reply[1])
		}
	}
}

func TestTheCasesOnJudgingComeOutAsTheySay(t *testing.T) {
	judgeCase(t, "13-pattern-beyond-re2", "document.yaml", [][2]string{
		{`{"a":"abc","b":"Q","c":"éß","d":"é4","e":"xxabyy","f":"55"}`, ""},
		{`{"a":"-ab","b":"Q","c":"éß","d":"e4","e":"xxabyy","f":"55"}`, "/a pattern, /d pattern"},
		{`{"a":"abc","b":"Q","c":"éß","d":"é4","e":"ba","f":"55"}`, "/e pattern"},
	})
	judgeCase(t, "18-nullable-spellings", "document.yaml", [][2]string{
		{`{"a":null}`, ""}, {`{"b":null}`, ""}, {`{"c":null}`, ""}, {`{"d":null}`, "/d type"},
	})
	judgeCase(t, "18-nullable-spellings", "document-31.yaml", [][2]string{
		{`{"e":null}`, ""}, {`{"f":null}`, ""}, {`{"g":[null,"x"]}`, ""}, {`{"h":null}`, "/h type"},
	})
	judgeCase(t, "26-readonly-writeonly", "document.yaml", [][2]string{
		{`{"id":1,"name":"n","friends":[{"id":2,"name":"m"}]}`, ""},
		{`{"name":"n"}`, " required"},
		{`{"id":1,"name":"n","friends":[{"name":"m"}]}`, "/friends/0 required"},
		{`{"id":1,"name":"n","password":"p"}`, ""},
	})
}

func TestADeepTreeIsJudgedToItsEnd(t *testing.T) {
	d := load(t, shared(t, "cases", "03-recursion-must-end", "document.yaml"), Options{})
	tree := d.Operations[2].Response(200).Media[0].Schema
	nested := func(level int) string {
		text := `{"name":"n"}`
		for i := range 60 {
			name := `"n"`
			if 60-i == level {
				name = "5"
			}
			text = `{"name":` + name + `,"children":[` + text + `]}`
		}
		return text
	}
	j := NewJudge(d)
	if faults, err := j.Judge(tree, InReply, decode(t, nested(0))); err != nil || len(faults) != 0 {
		t.Errorf("a correct tree: %v, %v", faults, err)
	}
	faults, err := j.Judge(tree, InReply, decode(t, nested(40)))
	if err != nil || len(faults) != 1 {
		t.Fatalf("a tree with one fault: %v, %v", faults, err)
	}
	if want := strings.Repeat("/children/0", 39) + "/name"; faults[0].Pointer != want {
		t.Errorf("the fault is at %s, want %s", faults[0].Pointer, want)
	}
}

func TestAValueNestedWithoutEndIsNotJudged(t *testing.T) {
	d, s := replySchema(t, "3.0.3", `{"$ref":"#/components/schemas/L"}`, `"L":{"type":"array","items":{"$ref":"#/components/schemas/L"}}`)
	var value any = []any{}
	for range 100_000 {
		value = []any{value}
	}
	if _, err := NewJudge(d).Judge(s, InReply, value); err == nil || !strings.Contains(err.Error(), "deeper") {
		t.Errorf("a value of 100,000 levels: %v", err)
	}
}

func TestNumbersNobodyCanCalculateWithAreNotJudged(t *testing.T) {
	d, s := replySchema(t, "3.0.3", `{"type":"array","items":{"type":"integer","minimum":1}}`, "")
	for _, number := range []string{"1e999999999", "1e-999999999", strings.Repeat("9", 5_000)} {
		if _, err := NewJudge(d).Judge(s, InReply, []any{json.Number(number)}); err == nil {
			t.Errorf("%s was judged", shorten(number))
		}
	}
}

func TestASchemaThatBranchesWithoutEndIsGivenUp(t *testing.T) {
	d, s := replySchema(t, "3.0.3", `{"$ref":"#/components/schemas/E"}`,
		`"E":{"anyOf":[{"type":"array","items":{"$ref":"#/components/schemas/E"}},{"type":"array","items":{"$ref":"#/components/schemas/E"}}]}`)
	var value any = "x"
	for range 40 {
		value = []any{value}
	}
	if _, err := NewJudge(d).Judge(s, InReply, value); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("two to the fortieth tries: %v", err)
	}
}

func TestAHugeValueIsJudgedWithoutDetail(t *testing.T) {
	d, s := replySchema(t, "3.0.3", `{"$ref":"#/components/schemas/L"}`,
		`"L":{"anyOf":[{"type":"array","items":{"$ref":"#/components/schemas/L"}},{"type":"integer"}]}`)
	wide := make([]any, 20_000)
	for i := range wide {
		wide[i] = json.Number("1")
	}
	deep := func(v any) any {
		for range 300 {
			v = []any{v}
		}
		return v
	}
	j := NewJudge(d)
	if faults, err := j.Judge(s, InReply, deep(wide)); err != nil || len(faults) != 0 {
		t.Errorf("a huge value that fits: %v, %v", faults, err)
	}
	wide[7] = "x"
	if faults, err := j.Judge(s, InReply, deep(wide)); err != nil || len(faults) != 1 {
		t.Errorf("a huge value that does not fit: %v, %v", faults, err)
	}
}

func TestAtMostTwentyFaultsAreListedInTheOrderOfTheirPlace(t *testing.T) {
	d, s := replySchema(t, "3.0.3", `{"type":"object","additionalProperties":{"type":"integer"}}`, "")
	value := map[string]any{}
	for i := range 50 {
		value[fmt.Sprintf("k%02d", i)] = "x"
	}
	j := NewJudge(d)
	for range 3 {
		faults, err := j.Judge(s, InReply, value)
		if err != nil || len(faults) != mostFaults {
			t.Fatalf("%d faults, %v", len(faults), err)
		}
		if !slices.IsSortedFunc(faults, func(a, b Fault) int { return strings.Compare(a.Pointer, b.Pointer) }) {
			t.Error("the faults are not in order")
		}
	}
}

func TestWhatCannotBeReadLeavesOpenOnlyWhatComesToIt(t *testing.T) {
	for _, r := range []struct {
		name, schema, clear, open, why string
	}{
		{
			"a reference that leads nowhere",
			`{"type":"object","properties":{"a":{"$ref":"#/components/schemas/Gone"},"b":{"type":"integer"}}}`,
			`{"b":"x"}`, `{"a":1}`, "leads nowhere",
		},
		{
			"a pattern that is none",
			`{"type":"object","properties":{"a":{"type":"string","pattern":"["},"b":{"type":"integer"}}}`,
			`{"b":"x"}`, `{"a":"1"}`, "pattern",
		},
		{
			"a list where a schema should be",
			`{"type":"object","properties":{"a":[],"b":{"type":"integer"}}}`,
			`{"b":"x"}`, `{"a":"1"}`, "a list stands where a schema should",
		},
	} {
		t.Run(r.name, func(t *testing.T) {
			d, s := replySchema(t, "3.0.3", r.schema, "")
			j := NewJudge(d)
			if faults, err := j.Judge(s, InReply, decode(t, r.clear)); err != nil || len(faults) != 1 {
				t.Errorf("away from it: %v, %v", faults, err)
			}
			if faults, err := j.Judge(s, InReply, decode(t, r.open)); err == nil || !strings.Contains(err.Error(), r.why) {
				t.Errorf("at it: %v, %v; want an error with %q", faults, err, r.why)
			}
			if err := j.Usable(s, InReply); err == nil || !strings.Contains(err.Error(), r.why) {
				t.Errorf("Usable: %v; want an error with %q", err, r.why)
			}
		})
	}
}

func TestAPatternThatBacktracksWithoutEndLeavesTheReplyOpen(t *testing.T) {
	d, s := replySchema(t, "3.0.3", `{"type":"array","items":{"type":"string","pattern":"^(a|aa)+$"}}`, "")
	long := strings.Repeat("a", 200) + "!"
	value := make([]any, 1_000)
	for i := range value {
		value[i] = long
	}
	if _, err := NewJudge(d).Judge(s, InReply, value); err == nil || !strings.Contains(err.Error(), "pattern") {
		t.Errorf("got %v", err)
	}
}

func TestASchemaThatIsItselfCannotBeJudgedBy(t *testing.T) {
	d, s := replySchema(t, "3.0.3", `{"$ref":"#/components/schemas/A"}`,
		`"A":{"allOf":[{"$ref":"#/components/schemas/B"}]},"B":{"allOf":[{"$ref":"#/components/schemas/A"}]}`)
	if _, err := NewJudge(d).Judge(s, InReply, decode(t, `{}`)); err == nil || !strings.Contains(err.Error(), "without end") {
		t.Errorf("got %v", err)
	}
}

func TestAUsableSchemaIsUsable(t *testing.T) {
	d, s := replySchema(t, "3.1.0", `{"$ref":"#/components/schemas/A"}`,
		`"A":{"properties":{"a":{"$ref":"#/components/schemas/A"},"p":{"pattern":"^(?!x)"}},"dependentSchemas":{"a":{"type":"object"}}}`)
	if err := NewJudge(d).Usable(s, InRequest); err != nil {
		t.Error(err)
	}
	if err := NewJudge(d).Usable(nil, InRequest); err != nil {
		t.Error(err)
	}
}

func BenchmarkJudge(b *testing.B) {
	d := load(b, shared(b, "openapi", "corpus", "github-api.json"), Options{})
	var op *Operation
	for _, o := range d.Operations {
		if o.ID == "repos/get" {
			op = o
		}
	}
	media := op.Response(200).Media[0]
	value := media.Examples
	if len(value) == 0 {
		b.Skip("the operation has no example")
	}
	whole := value[0]
	text, err := json.Marshal(whole)
	if err != nil {
		b.Fatal(err)
	}
	d2, small := replySchema(b, "3.0.3", `{"type":"array","items":{"$ref":"#/components/schemas/I"}}`,
		`"I":{"type":"object","required":["id","name"],"properties":{"id":{"type":"integer","format":"int64"},"name":{"type":"string","maxLength":80},
		"tags":{"type":"array","items":{"type":"string"}},"at":{"type":"string","format":"date-time"},"price":{"type":"number","minimum":0}}}`)
	item := `{"id":12345,"name":"A thing with a name","tags":["a","b"],"at":"2024-02-29T12:00:00Z","price":12.5}`
	kilobyte := decode(b, `[`+strings.TrimSuffix(strings.Repeat(item+",", 10), ",")+`]`)
	for _, bench := range []struct {
		name   string
		doc    *Document
		schema *Schema
		value  any
	}{
		{"1KB", d2, small, kilobyte},
		{fmt.Sprintf("GitHub%dKB", len(text)>>10), d, media.Schema, whole},
	} {
		b.Run(bench.name, func(b *testing.B) {
			j := NewJudge(bench.doc)
			faults, err := j.Judge(bench.schema, InReply, bench.value)
			if err != nil {
				b.Fatal(err)
			}
			if len(faults) > 0 {
				b.Logf("faults: %+v", faults)
			}
			b.ReportAllocs()
			for b.Loop() {
				_, _ = j.Judge(bench.schema, InReply, bench.value)
			}
		})
	}
}
