package document

import (
	"fmt"
	"strings"
	"testing"
)

// TestTheRulesOfOpenAPIAreKept goes through what OpenAPI adds to JSON Schema, or has otherwise.
func TestTheRulesOfOpenAPIAreKept(t *testing.T) {
	const (
		fits  = ""
		v2    = "2.0"
		v30   = "3.0.3"
		v31   = "3.1.0"
		name  = `"Name":{"type":"string"}`
		maybe = `"Maybe":{"type":"string","nullable":true}`
		user  = `"User":{"type":"object","required":["id","name","secret"],"properties":{"id":{"type":"integer","readOnly":true},` +
			`"name":{"type":"string"},"secret":{"type":"string","writeOnly":true}}}`
		pets = `"Cat":{"type":"object","required":["kind","lives"],"properties":{"kind":{"type":"string"},"lives":{"type":"integer"}}},` +
			`"Dog":{"type":"object","required":["kind","bark"],"properties":{"kind":{"type":"string"},"bark":{"type":"boolean"}}}`
		pet    = `{"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],"discriminator":{"propertyName":"kind","mapping":{"meow":"#/components/schemas/Cat","d":"Dog"}}}`
		anyPet = `{"anyOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],"discriminator":{"propertyName":"kind"}}`
		ref    = `{"$ref":"#/components/schemas/`
	)
	type row struct{ version, schema, components, value, want string }
	type family struct {
		name      string
		direction Direction
		rows      []row
	}
	var rows int
	for _, f := range []family{
		{"nullable", InReply, []row{
			{v30, `{"type":"integer","nullable":true}`, "", `null`, fits},
			{v30, `{"type":"integer","nullable":true}`, "", `"1"`, " type"},
			{v30, `{"type":"integer","nullable":false}`, "", `null`, " type"},
			{v30, `{"type":"array","nullable":true,"minItems":1}`, "", `null`, fits},
			{v30, `{"type":"array","nullable":true,"minItems":1}`, "", `[]`, " minItems"},
			{v30, `{"type":"array","items":{"type":"string","nullable":true}}`, "", `["a",null]`, fits},
			{v30, `{"type":"array","items":{"type":"string"}}`, "", `["a",null]`, "/1 type"},
			{v30, `{"type":"object","nullable":true,"required":["a"]}`, "", `null`, fits},
			{v30, `{"type":"object","nullable":true,"required":["a"]}`, "", `{}`, " required"},
			{v30, `{"type":"object","required":["a"],"properties":{"a":{"type":"string","nullable":true}}}`, "", `{"a":null}`, fits},
			{v30, `{"type":"object","required":["a"],"properties":{"a":{"type":"string","nullable":true}}}`, "", `{}`, " required"},
			{v30, `{"type":"object","additionalProperties":{"type":"integer","nullable":true}}`, "", `{"a":null}`, fits},
			{v30, `{"type":"object","additionalProperties":{"type":"integer"}}`, "", `{"a":null}`, "/a type"},
			{v30, ref + `Maybe"}`, maybe, `null`, fits},
			{v30, ref + `Name"}`, name, `null`, " type"},
			{v30, `{"nullable":true,"oneOf":[` + ref + `Name"}]}`, name, `null`, fits},
			{v30, `{"nullable":true,"anyOf":[` + ref + `Name"}]}`, name, `null`, fits},
			{v30, `{"nullable":true,"anyOf":[` + ref + `Name"}]}`, name, `1`, " type"},
			{v30, `{"type":"string","nullable":true,"enum":["a",null]}`, "", `null`, fits},
			{v30, `{"type":"string","enum":["a",null]}`, "", `null`, " type"},
			{v30, `{"type":"string","nullable":true,"minLength":2}`, "", `null`, fits},
			{v30, `{"type":"string","nullable":true,"format":"date"}`, "", `null`, fits},
			{v2, `{"type":"string"}`, "", `null`, " type"},
			{v2, `{"type":"integer","x-nullable":true}`, "", `null`, fits},
			{v31, `{"type":["integer","null"]}`, "", `null`, fits},
			{v31, `{"type":["integer","null"]}`, "", `"1"`, " type"},
			{v31, `{"type":"null"}`, "", `null`, fits},
			{v31, `{"type":"null"}`, "", `0`, " type"},
			{v31, `{"oneOf":[{"type":"string"},{"type":"null"}]}`, "", `null`, fits},
			{v31, `{"type":"integer","nullable":true}`, "", `null`, " type"},
			{v31, `{"enum":["a",null]}`, "", `null`, fits},
		}},
		{"to the client alone, in a request", InRequest, []row{
			{v30, ref + `User"}`, user, `{"name":"n","secret":"s"}`, fits},
			{v30, ref + `User"}`, user, `{"name":"n","secret":"s","id":1}`, fits},
			{v30, ref + `User"}`, user, `{"secret":"s"}`, " required"},
			{v30, ref + `User"}`, user, `{"name":"n"}`, " required"},
			{v30, ref + `User"}`, user, `{"name":1,"secret":"s"}`, "/name type"},
			{v30, `{"type":"array","items":` + ref + `User"}}`, user, `[{"name":"n","secret":"s"}]`, fits},
			{v30, `{"type":"array","items":` + ref + `User"}}`, user, `[{"name":"n"}]`, "/0 required"},
			{v30, `{"allOf":[` + ref + `User"},{"required":["more"]}]}`, user, `{"name":"n","secret":"s","more":1}`, fits},
			{v30, `{"allOf":[` + ref + `User"},{"required":["id"]}]}`, user, `{"name":"n","secret":"s"}`, fits},
			{v31, ref + `User"}`, user, `{"name":"n","secret":"s"}`, fits},
			{v2, `{"type":"object","required":["id"],"properties":{"id":{"type":"integer","readOnly":true}}}`, "", `{}`, fits},
			{v30, `{"type":"object","required":["o"],"properties":{"o":` + ref + `User"}}}`, user, `{"o":{"name":"n","secret":"s"}}`, fits},
			{v30, `{"type":"object","additionalProperties":` + ref + `User"}}`, user, `{"k":{"name":"n","secret":"s"}}`, fits},
		}},
		{"to the server alone, in a reply", InReply, []row{
			{v30, ref + `User"}`, user, `{"id":1,"name":"n"}`, fits},
			{v30, ref + `User"}`, user, `{"id":1,"name":"n","secret":"s"}`, fits},
			{v30, ref + `User"}`, user, `{"name":"n"}`, " required"},
			{v30, ref + `User"}`, user, `{"id":"1","name":"n"}`, "/id type"},
			{v30, `{"type":"array","items":` + ref + `User"}}`, user, `[{"id":1,"name":"n"}]`, fits},
			{v30, `{"type":"array","items":` + ref + `User"}}`, user, `[{"id":1,"name":"n"},{"name":"n"}]`, "/1 required"},
			{v30, `{"allOf":[` + ref + `User"},{"required":["secret"]}]}`, user, `{"id":1,"name":"n"}`, fits},
			{v31, ref + `User"}`, user, `{"id":1,"name":"n"}`, fits},
			{v30, `{"type":"object","required":["o"],"properties":{"o":` + ref + `User"}}}`, user, `{"o":{"name":"n"}}`, "/o required"},
			{v30, `{"type":"object","additionalProperties":` + ref + `User"}}`, user, `{"k":{"name":"n"}}`, "/k required"},
		}},
		{"discriminator", InReply, []row{
			{v30, pet, pets, `{"kind":"meow","lives":9}`, fits},
			{v30, pet, pets, `{"kind":"Cat","lives":9}`, fits},
			{v30, pet, pets, `{"kind":"d","bark":true}`, fits},
			{v30, pet, pets, `{"kind":"Dog","bark":true}`, fits},
			{v30, pet, pets, `{"kind":"d","lives":9}`, " required"},
			{v30, pet, pets, `{"kind":"meow","lives":"9"}`, "/lives type"},
			{v30, pet, pets, `{"kind":"meow","lives":9,"bark":true}`, " oneOf"},
			{v30, pet, pets, `{"kind":"bird"}`, fits},
			{v30, pet, pets, `{"lives":9}`, " oneOf"},
			{v30, pet, pets, `{"kind":7,"lives":9}`, " oneOf"},
			{v30, anyPet, pets, `{"kind":"Cat","lives":9,"bark":true}`, fits},
			{v30, anyPet, pets, `{"kind":"Cat","bark":true}`, " required"},
			{v30, anyPet, pets, `{"kind":"Bird","bark":1}`, fits},
			{v31, pet, pets, `{"kind":"d","lives":9}`, " required"},
			{v30, `{"type":"array","items":` + pet + `}`, pets, `[{"kind":"d","bark":true},{"kind":"d"}]`, "/1 required"},
		}},
		{"bounds", InReply, []row{
			{v30, `{"type":"number","minimum":1,"exclusiveMinimum":true}`, "", `1`, " exclusiveMinimum"},
			{v30, `{"type":"number","minimum":1,"exclusiveMinimum":true}`, "", `1.0000001`, fits},
			{v30, `{"type":"number","minimum":1,"exclusiveMinimum":false}`, "", `1`, fits},
			{v30, `{"type":"number","maximum":5,"exclusiveMaximum":true}`, "", `5`, " exclusiveMaximum"},
			{v30, `{"type":"number","maximum":5,"exclusiveMaximum":true}`, "", `4.9`, fits},
			{v30, `{"type":"number","maximum":5,"exclusiveMaximum":false}`, "", `5.0`, fits},
			{v30, `{"type":"number","exclusiveMaximum":true}`, "", `5e3`, fits},
			{v2, `{"type":"integer","maximum":5,"exclusiveMaximum":true}`, "", `5`, " exclusiveMaximum"},
			{v31, `{"type":"number","exclusiveMinimum":1}`, "", `1`, " exclusiveMinimum"},
			{v31, `{"type":"number","exclusiveMinimum":1}`, "", `2`, fits},
			{v31, `{"type":"number","minimum":3,"exclusiveMinimum":1}`, "", `2`, " minimum"},
			{v30, `{"type":"number","multipleOf":0.01}`, "", `0.57`, fits},
			{v30, `{"type":"number","multipleOf":0.01}`, "", `0.575`, " multipleOf"},
			{v30, `{"type":"integer","multipleOf":3}`, "", `9007199254740993`, fits},
			{v30, `{"type":"integer","minimum":0}`, "", `-1`, " minimum"},
			{v30, `{"type":"integer","minimum":0}`, "", `-0`, fits},
			{v30, `{"type":"integer"}`, "", `3.0`, fits},
			{v30, `{"type":"integer"}`, "", `1e2`, fits},
			{v30, `{"type":"integer"}`, "", `0.1e1`, fits},
			{v30, `{"type":"integer"}`, "", `"3"`, " type"},
			{v30, `{"type":"number"}`, "", `"3"`, " type"},
			{v30, `{"type":"string","minLength":2,"maxLength":3}`, "", `"日本"`, fits},
			{v30, `{"type":"string","maxLength":1}`, "", `"🦉"`, fits},
			{v30, `{"type":"array","minItems":1,"maxItems":2}`, "", `[1,2]`, fits},
			{v30, `{"type":"array","uniqueItems":true}`, "", `[{"a":1},{"a":1.0}]`, " uniqueItems"},
			{v30, `{"type":"array","uniqueItems":true}`, "", `[1,"1",true,null]`, fits},
		}},
		{"formats", InReply, []row{
			{v30, `{"type":"integer","format":"int32"}`, "", `2147483647`, fits},
			{v30, `{"type":"integer","format":"int32"}`, "", `-2147483649`, " format"},
			{v30, `{"type":"integer","format":"int64"}`, "", `-9223372036854775808`, fits},
			{v30, `{"type":"integer","format":"int64"}`, "", `-9223372036854775809`, " format"},
			{v30, `{"type":"integer"}`, "", `9223372036854775808`, fits},
			{v30, `{"type":"number","format":"float"}`, "", `3.4e38`, fits},
			{v30, `{"type":"number","format":"double"}`, "", `1e400`, " format"},
			{v30, `{"type":"string","format":"date"}`, "", `"2024-02-29"`, fits},
			{v30, `{"type":"string","format":"date"}`, "", `"2023-02-29"`, " format"},
			{v30, `{"type":"string","format":"date"}`, "", `"2024-2-9"`, " format"},
			{v30, `{"type":"string","format":"date-time"}`, "", `"2024-02-29T23:59:60Z"`, fits},
			{v30, `{"type":"string","format":"date-time"}`, "", `"2024-02-29T12:00:00+05:30"`, fits},
			{v30, `{"type":"string","format":"date-time"}`, "", `"2024-02-29 12:00:00"`, " format"},
			{v30, `{"type":"string","format":"date-time"}`, "", `"2024-02-29T12:00:00"`, " format"},
			{v30, `{"type":"string","format":"uuid"}`, "", `"123E4567-e89b-12d3-a456-426614174000"`, fits},
			{v30, `{"type":"string","format":"uuid"}`, "", `"123e4567e89b12d3a456426614174000"`, " format"},
			{v30, `{"type":"string","format":"email"}`, "", `"nobody"`, " format"},
			{v30, `{"type":"string","format":"hostname"}`, "", `"api.example"`, fits},
			{v30, `{"type":"string","format":"ipv4"}`, "", `"127.0.0.1"`, fits},
			{v30, `{"type":"string","format":"ipv6"}`, "", `"::g"`, " format"},
			{v30, `{"type":"string","format":"uri"}`, "", `"https://api.example/a?b#c"`, fits},
			{v30, `{"type":"string","format":"uri-reference"}`, "", `"/relative"`, fits},
			{v30, `{"type":"string","format":"byte"}`, "", `""`, fits},
			{v30, `{"type":"string","format":"byte"}`, "", `"aGk"`, fits},
			{v30, `{"type":"string","format":"byte"}`, "", `"ä"`, " format"},
			{v30, `{"type":"string","format":"binary"}`, "", `"anything at all"`, fits},
			{v30, `{"type":"string","format":"password"}`, "", `"x"`, fits},
			{v30, `{"type":"string","format":"color"}`, "", `"x"`, fits},
			{v30, `{"type":"integer","format":"date"}`, "", `7`, fits},
			{v30, `{"format":"int32"}`, "", `"text"`, fits},
		}},
	} {
		rows += len(f.rows)
		for i, r := range f.rows {
			t.Run(fmt.Sprintf("%s %d %s %s", f.name, i, r.schema, r.value), func(t *testing.T) {
				d, s := replySchema(t, r.version, r.schema, r.components)
				faults, err := NewJudge(d).Judge(s, f.direction, decode(t, r.value))
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, fault := range faults {
					got = append(got, fault.Pointer+" "+fault.Keyword)
				}
				if strings.Join(got, ", ") != r.want {
					t.Errorf("%s: faults %q, want %q", r.version, strings.Join(got, ", "), r.want)
				}
			})
		}
	}
	if rows < 100 {
		t.Errorf("%d rows", rows)
	}
}
