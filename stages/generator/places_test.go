package generator

import (
	"bytes"
	"fmt"
	"maps"
	"mime"
	"mime/multipart"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// places are the styles of each place (OpenAPI 3.2 §4.12).
var places = map[string][]string{
	"path": {"simple", "label", "matrix"}, "query": {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	"header": {"simple"}, "cookie": {"form", "cookie"},
}

// everyPlace is a document with an operation for each place, style, explode and kind of value.
func everyPlace() string {
	var b strings.Builder
	b.WriteString("openapi: 3.2.0\ninfo: {title: T, version: '1'}\nservers: [{url: 'http://127.0.0.1:8080'}]\npaths:\n")
	for _, place := range slices.Sorted(maps.Keys(places)) {
		for _, style := range places[place] {
			for _, explode := range []bool{false, true} {
				for i, schema := range []string{
					"{type: string}", "{type: number}", "{type: array, items: {type: string}}", "{type: array, items: {type: integer}, maxItems: 3}",
					"{type: object, required: [a], properties: {a: {type: string}, b: {type: integer}, c: {type: array, items: {type: boolean}}}}",
					"{type: object, additionalProperties: {type: string}}",
				} {
					gap := ""
					if place == "path" {
						gap = "{n}"
					}
					fmt.Fprintf(&b, "  /%s/%s/%t/%d/%s:\n    get: {parameters: [{name: n, in: %s, required: true, style: %s, explode: %t, schema: %s}], %s}\n",
						place, style, explode, i, gap, place, style, explode, schema, ok)
				}
			}
		}
	}
	return b.String()
}

// everyContent is a document of bodies and of parameters that are content.
const everyContent = `
openapi: 3.2.0
info: {title: T, version: '1'}
servers: [{url: 'http://127.0.0.1:8080'}]
components:
  schemas:
    Pet:
      type: object
      required: [id, name, kind, note]
      xml: {name: pet, namespace: 'http://example.com/pets', prefix: p}
      properties:
        id: {type: integer, xml: {attribute: true}}
        name: {type: string, xml: {name: called}}
        kind: {type: string, xml: {prefix: p, namespace: 'http://example.com/pets'}}
        note: {type: string, xml: {nodeType: cdata}}
        tags: {type: array, xml: {wrapped: true, name: labels}, items: {type: string, xml: {name: label}}}
        owners: {type: array, items: {$ref: '#/components/schemas/Owner'}}
        numbers: {type: array, xml: {wrapped: true}, items: {type: number}}
        home: {type: object, xml: {namespace: 'http://example.com/home'}, properties: {street: {type: string}, open: {type: boolean}}}
    Owner: {type: object, required: [mail], properties: {mail: {type: string, format: email}, age: {type: [integer, 'null']}}}
paths:
  /whole/form: {get: {parameters: [{name: q, in: querystring, required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, required: [a], properties: {a: {type: string}, b: {type: array, items: {type: integer}}}}}}}], responses: {'200': {description: ok}}}}
  /whole/json: {get: {parameters: [{name: q, in: querystring, required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Owner'}}}}], responses: {'200': {description: ok}}}}
  /content/{n}:
    get:
      parameters:
        - {name: n, in: path, required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Owner'}}}}
        - {name: q, in: query, required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Owner'}}}}
        - {name: x, in: query, required: true, content: {application/xml: {schema: {$ref: '#/components/schemas/Pet'}}}}
        - {name: t, in: query, required: true, content: {text/plain: {schema: {type: string}}}}
        - {name: X-H, in: header, required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Owner'}}}}
        - {name: c, in: cookie, required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Owner'}}}}
      responses: {'200': {description: ok}}
  /empty: {get: {parameters: [{name: e, in: query, required: true, allowEmptyValue: true, schema: {type: integer}}], responses: {'200': {description: ok}}}}
  /bodies:
    post:
      requestBody:
        required: true
        content:
          application/json: {schema: {$ref: '#/components/schemas/Pet'}}
          application/vnd.pet+json: {schema: {$ref: '#/components/schemas/Pet'}}
          application/xml: {schema: {$ref: '#/components/schemas/Pet'}}
          application/yaml: {schema: {$ref: '#/components/schemas/Pet'}}
          application/x-ndjson: {itemSchema: {$ref: '#/components/schemas/Owner'}}
          application/json-seq: {itemSchema: {$ref: '#/components/schemas/Owner'}}
          text/plain: {schema: {type: string}}
          text/csv: {schema: {type: string}}
          application/octet-stream: {schema: {type: string, minLength: 10, maxLength: 20}}
          image/png: {}
          image/jpeg: {schema: {type: string, format: binary}}
          image/gif: {}
          image/*: {}
          application/pdf: {}
          application/zip: {}
          application/gzip: {}
          application/x-www-form-urlencoded:
            schema: {$ref: '#/components/schemas/Pet'}
            encoding: {home: {contentType: application/json}, tags: {style: pipeDelimited, explode: false}, numbers: {style: form, explode: false}}
          multipart/form-data:
            schema:
              type: object
              required: [file, files, meta]
              properties:
                file: {}
                files: {type: array, minItems: 2, items: {type: string, format: binary}}
                small: {type: string, format: binary, maxLength: 3}
                typed: {type: string, contentMediaType: application/pdf}
                meta: {$ref: '#/components/schemas/Owner'}
                pet: {$ref: '#/components/schemas/Pet'}
                list: {type: array, items: {type: string}}
                joined: {type: array, items: {type: integer}}
                objects: {type: array, items: {$ref: '#/components/schemas/Owner'}}
                key: {type: string, contentEncoding: base64}
            encoding:
              file:
                contentType: image/png, image/jpeg
                headers: {X-Count: {required: true, schema: {type: integer}}, X-Some: {schema: {type: string}}, Content-Disposition: {schema: {type: string}}}
              pet: {contentType: application/xml}
              joined: {style: form, explode: false}
          multipart/mixed:
            schema: {type: array, minItems: 2, prefixItems: [{$ref: '#/components/schemas/Owner'}], items: {}}
            prefixEncoding: [{contentType: application/json}]
            itemEncoding: {contentType: image/png}
          multipart/related: {schema: {$ref: '#/components/schemas/Owner'}}
      responses: {'200': {description: ok}}
`

func TestEveryPlaceStyleAndMediaTypeIsReadBack(t *testing.T) {
	const collections = `
swagger: '2.0'
info: {title: T, version: '1'}
host: 127.0.0.1:8080
schemes: [http]
paths:
  /a/{p}:
    post:
      consumes: [multipart/form-data, application/x-www-form-urlencoded]
      parameters:
        - {name: p, in: path, required: true, type: array, collectionFormat: pipes, items: {type: integer}}
        - {name: c, in: query, required: true, type: array, items: {type: string}}
        - {name: s, in: query, required: true, type: array, collectionFormat: ssv, items: {type: string}}
        - {name: t, in: query, required: true, type: array, collectionFormat: tsv, items: {type: string}}
        - {name: i, in: query, required: true, type: array, collectionFormat: pipes, items: {type: string}}
        - {name: m, in: query, required: true, type: array, collectionFormat: multi, items: {type: string}}
        - {name: X-T, in: header, required: true, type: array, collectionFormat: tsv, items: {type: integer}}
        - {name: f, in: formData, required: true, type: array, collectionFormat: pipes, items: {type: string}}
        - {name: g, in: formData, required: true, type: array, collectionFormat: multi, items: {type: string}}
      responses: {'200': {description: ok}}
  /b:
    post:
      parameters: [{name: f, in: formData, required: true, type: file}, {name: n, in: formData, type: string}]
      responses: {'200': {description: ok}}
`
	for name, text := range map[string]string{"places": everyPlace(), "content": everyContent, "collections": collections} {
		doc := read(t, text)
		s := newScript(t, doc, withoutLap)
		for _, u := range s.g.Unbuildable() {
			t.Errorf("%s: %s: %s", name, doc.Operations[u.Operation].ID, u.Reason)
		}
		d := &reader{judge: document.NewJudge(doc)}
		for _, p := range s.g.plans {
			if p == nil {
				t.Errorf("%s: an operation has no plan", name)
				continue
			}
			for nth := range 60 {
				for k := range max(1, len(p.mediaTypes())) {
					want := asked{media: min(k+1, len(p.mediaTypes())), likeliest: nth%7 == 0}
					r := p.request(s.g, nth, 0, want)
					if r == nil {
						t.Errorf("%s: request %d of %s as type %d could not be built: %s", name, nth, p.op.ID, k, p.reason)
						continue
					}
					if err := d.request(p.op, r); err != nil {
						t.Errorf("%s: %s: %s %v: %v", name, p.op.ID, r.Target, r.Header, err)
					}
				}
			}
		}
		if d.overlapping > 0 || d.unjudged > 0 {
			t.Errorf("%s: %d overlap, %d were not judged", name, d.overlapping, d.unjudged)
		}
	}
}

// The reader is a judge only if it refuses what is wrong.
func TestTheReaderRefusesWhatIsWrittenWrongly(t *testing.T) {
	doc := api(t, `
  /a/{p}/b:
    post:
      parameters:
        - {name: p, in: path, required: true, schema: {type: string}}
        - {name: l, in: query, explode: false, schema: {type: array, minItems: 2, items: {type: integer}}}
        - {name: o, in: query, style: deepObject, schema: {type: object, additionalProperties: false, properties: {x: {type: integer}}}}
        - {name: X-N, in: header, schema: {type: integer}}
        - {name: c, in: cookie, schema: {type: boolean}}
      requestBody:
        content:
          application/json: {schema: {type: object, required: [a], properties: {a: {type: integer}}}}
          application/xml: {schema: {type: object, required: [a], xml: {name: r}, properties: {a: {type: integer, xml: {attribute: true}}}}}
          multipart/form-data: {schema: {type: object, required: [f], properties: {f: {type: array, maxItems: 1, items: {type: string, format: binary}}}}}
      `+ok+`
`)
	field := func(name, value string) []messages.Field { return []messages.Field{{Name: name, Value: value}} }
	part := "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\nx\r\n"
	for _, row := range []struct {
		target, body string
		header       []messages.Field
		right        bool
	}{
		{target: "/a/x/b?l=1,2&o%5Bx%5D=1", header: field("Cookie", "c=true"), right: true},
		{target: "/a/x/b", header: field("Content-Type", "application/json"), body: `{"a":1}`, right: true},
		{target: "/a/x/b", header: field("Content-Type", "application/xml"), body: `<r a="1"/>`, right: true},
		{target: "/a/x/b", header: field("Content-Type", "multipart/form-data; boundary=b"), body: part + "--b--\r\n", right: true},
		{target: "/a/x%2Fy/b", right: true},
		{target: "/a//b"},
		{target: "/a/../b"},
		{target: "/a/%2e%2E/b"},
		{target: "/a/x/y/b"},
		{target: "/a/x/b?l=1&l=2"},
		{target: "/a/x/b?l=1%2C2"},
		{target: "/a/x/b?x=1"},
		{target: "/a/x/b?o%5By%5D=1"},
		{target: "/a/x/b?l=1|2"},
		{target: "/a/x/b", header: field("X-N", "one")},
		{target: "/a/x/b", header: field("X-N", "1\r\nX: y")},
		{target: "/a/x/b", header: field("Transfer-Encoding", "chunked")},
		{target: "/a/x/b", header: field("Cookie", "c=yes")},
		{target: "/a/x/b", header: field("Content-Type", "application/json"), body: `{"a":"1"}`},
		{target: "/a/x/b", header: field("Content-Type", "application/json"), body: `{"a":1}{}`},
		{target: "/a/x/b", header: field("Content-Type", "text/plain"), body: "x"},
		{target: "/a/x/b", header: field("Content-Type", "application/xml"), body: `<s a="1"/>`},
		{target: "/a/x/b", header: field("Content-Type", "application/xml"), body: `<r><b>1</b></r>`},
		{target: "/a/x/b", header: field("Content-Type", "application/xml"), body: `<r a="1">`},
		{target: "/a/x/b", header: field("Content-Type", "multipart/form-data; boundary=b"), body: part + part + "--b--\r\n"},
		{target: "/a/x/b", header: field("Content-Type", "multipart/form-data; boundary=b"), body: part},
	} {
		d := &reader{judge: document.NewJudge(doc)}
		r := &messages.Request{Method: "POST", Target: row.target, Header: row.header}
		if row.body != "" {
			r.Body = []byte(row.body)
		}
		if err := d.request(doc.Operations[0], r); (err == nil) != row.right {
			t.Errorf("%s %v %s: %v", row.target, row.header, row.body, err)
		}
	}
}

// Whatever the characters: what a style writes is read back as it was, or not written.
func TestEachStyleIsReadBackAsItWasWritten(t *testing.T) {
	doc := read(t, everyPlace())
	judge := document.NewJudge(doc)
	type row struct {
		p *document.Parameter
		q *parameter
	}
	var rows []row
	for _, p := range newScript(t, doc, withoutLap).g.plans {
		for _, declared := range p.op.Parameters {
			q := &parameter{name: declared.Name, escapedName: declared.Name, style: style{name: declared.Style, explode: declared.Explode}}
			rows = append(rows, row{declared, q})
		}
	}
	texts := func(t *rapid.T, label string) string {
		return rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune(`ab,;.=&+%|/?#[]{}"' \é`)))).Draw(t, label)
	}
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(rows).Draw(t, "row")
		var v any
		open := false
		switch {
		case may(r.p.Schema, "array"):
			if !may(r.p.Schema.Items, "string") {
				t.Skip("texts alone")
			}
			list := []any{}
			for range rapid.IntRange(0, 4).Draw(t, "items") {
				list = append(list, texts(t, "item"))
			}
			v = list
		case may(r.p.Schema, "object"):
			if open = r.p.Schema.AdditionalProperties != nil; !open {
				t.Skip("texts alone")
			}
			o := map[string]any{}
			for range rapid.IntRange(0, 4).Draw(t, "members") {
				o[rapid.StringMatching(`[a-m=,.;]{1,3}`).Draw(t, "name")] = texts(t, "member")
			}
			v = o
		default:
			if !slices.Contains(r.p.Schema.Types, "string") {
				t.Skip("texts alone")
			}
			v = texts(t, "text")
		}
		w, _, fine := r.q.style.expressible(v)
		if !fine {
			return
		}
		d := &reader{judge: judge, texts: true}
		var got any
		var err error
		wire := ""
		switch r.p.In {
		case "path":
			b, fine := r.q.appendPath(nil, w)
			if wire = string(b); !fine {
				return
			}
			got, err = d.pathValue(r.p, wire)
		case "query":
			b, fine := r.q.appendQuery(nil, w)
			if wire = string(b); !fine {
				return
			}
			got, err = d.fromPairs(r.p, wire, "&")
		case "header":
			if wire, fine = r.q.headerText(w); !fine {
				return
			}
			got, err = d.value(strings.ReplaceAll(wire, "%", "%25"), ",", r.p.Explode, r.p.Schema)
		case "cookie":
			b, fine := r.q.appendCookie(nil, w)
			if wire = string(b); !fine {
				return
			}
			plain := wire
			if r.p.Style == "cookie" { // which escapes nothing
				plain = strings.NewReplacer("%", "%25", "+", "%2B").Replace(wire)
			}
			got, err = d.fromPairs(r.p, plain, "; ")
		}
		if err != nil || string(appendJSON(nil, got)) != string(appendJSON(nil, w)) {
			t.Errorf("%s, %s, explode %t: %q is written as %q and read as %q: %v", r.p.In, r.p.Style, r.p.Explode, w, wire, got, err)
		}
	})
}

// fromPairs reads one parameter from a query that holds nothing else.
func (d *reader) fromPairs(p *document.Parameter, text, separator string) (any, error) {
	pairs, err := pairsOf(text, separator)
	if err != nil {
		return nil, err
	}
	v, _, err := d.take(pairs, p.Name, p.Style, p.Explode, p.Schema, func(string) bool { return true })
	return v, err
}

func TestXMLIsWrittenAsTheXMLObjectsSay(t *testing.T) {
	const head = `<?xml version="1.0" encoding="UTF-8"?>`
	for _, row := range []struct{ name, schema, value, want string }{
		{"the component's name", "{$ref: '#/components/schemas/Thing'}", `{"a": 1}`, "<Thing><a>1</a></Thing>"},
		{"no name", "{type: object, properties: {a: {type: integer}}}", `{"a": 1}`, "<root><a>1</a></root>"},
		{"a name", "{type: object, xml: {name: x}, properties: {a: {type: string, xml: {name: b}}}}", `{"a": "<&\">"}`, `<x><b>&lt;&amp;"&gt;</b></x>`},
		{"an attribute", "{type: object, xml: {name: x}, properties: {a: {type: string, xml: {attribute: true}}}}", `{"a": "<\"\n"}`, `<x a="&lt;&quot;&#10;"></x>`},
		{"a bare list", "{type: object, xml: {name: x}, properties: {a: {type: array, xml: {name: no}, items: {type: integer}}}}", `{"a": [1, 2]}`, "<x><a>1</a><a>2</a></x>"},
		{"a bare list of named items", "{type: object, xml: {name: x}, properties: {a: {type: array, items: {type: integer, xml: {name: i}}}}}", `{"a": [1, 2]}`, "<x><i>1</i><i>2</i></x>"},
		{"a wrapped list", "{type: object, xml: {name: x}, properties: {a: {type: array, xml: {wrapped: true}, items: {type: integer}}}}", `{"a": [1, 2]}`, "<x><a><a>1</a><a>2</a></a></x>"},
		{"a wrapped list with names", "{type: object, xml: {name: x}, properties: {a: {type: array, xml: {wrapped: true, name: l}, items: {type: integer, xml: {name: i}}}}}", `{"a": [1]}`, "<x><l><i>1</i></l></x>"},
		{"a wrapped list with one name", "{type: object, xml: {name: x}, properties: {a: {type: array, xml: {wrapped: true, name: l}, items: {type: integer}}}}", `{"a": [1]}`, "<x><l><l>1</l></l></x>"},
		{"an empty list", "{type: object, xml: {name: x}, properties: {a: {type: array, items: {type: integer}}}}", `{"a": []}`, "<x></x>"},
		{"a list as the root", "{type: array, items: {$ref: '#/components/schemas/Thing'}}", `[{"a": 1}]`, "<root><Thing><a>1</a></Thing></root>"},
		{"a namespace", "{type: object, xml: {name: x, namespace: 'http://e/'}, properties: {a: {type: integer}}}", `{"a": 1}`, `<x xmlns="http://e/"><a>1</a></x>`},
		{"a prefix", "{type: object, xml: {name: x, namespace: 'http://e/', prefix: p}, properties: {a: {type: integer, xml: {prefix: p}}, b: {type: integer, xml: {prefix: q}}}}", `{"a": 1, "b": 2}`, `<p:x xmlns:p="http://e/"><p:a>1</p:a><b>2</b></p:x>`},
		{"a prefixed attribute", "{type: object, xml: {name: x}, properties: {a: {type: integer, xml: {attribute: true, prefix: p, namespace: 'http://e/'}}}}", `{"a": 1}`, `<x xmlns:p="http://e/" p:a="1"></x>`},
		{"text", "{type: object, xml: {name: x}, properties: {a: {type: string, xml: {nodeType: text}}, b: {type: integer, xml: {nodeType: attribute}}}}", `{"a": "t", "b": 1}`, `<x b="1">t</x>`},
		{"character data", "{type: object, xml: {name: x}, properties: {a: {type: string, xml: {nodeType: cdata}}}}", `{"a": "<a]]>b"}`, "<x><![CDATA[<a]]]]><![CDATA[>b]]></x>"},
		{"no node", "{type: object, xml: {name: x}, properties: {a: {type: object, xml: {nodeType: none}, properties: {b: {type: integer}}}}}", `{"a": {"b": 1}}`, "<x><b>1</b></x>"},
		{"null", "{type: object, xml: {name: x}, properties: {a: {type: [integer, 'null']}, b: {type: [integer, 'null'], xml: {attribute: true}}}}", `{"a": null, "b": null}`, `<x><a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/></x>`},
		{"the order of the document", "{type: object, xml: {name: x}, properties: {z: {type: integer}, a: {type: integer}}}", `{"a": 1, "z": 2, "m": 3}`, "<x><z>2</z><a>1</a><m>3</m></x>"},
		{"a choice", "{xml: {name: x}, oneOf: [{type: object, required: [a], properties: {a: {type: integer, xml: {name: one}}}}, {type: object, required: [b], properties: {b: {type: integer, xml: {attribute: true}}}}]}", `{"b": 1}`, `<x b="1"></x>`},
		{"a name that XML has not", "{type: object, xml: {name: x}}", `{"a b": 1}`, ""},
		{"a character that XML has not", "{type: object, xml: {name: x}}", `{"a": "\u0001"}`, ""},
	} {
		doc := read(t, "openapi: 3.2.0\ninfo: {title: T, version: '1'}\nservers: [{url: 'http://127.0.0.1:8080'}]\ncomponents: {schemas: {Thing: {type: object, properties: {a: {type: integer}}}}}\n"+
			"paths:\n  /a: {post: {requestBody: {required: true, content: {application/xml: {schema: "+row.schema+"}}}, "+ok+"}}\n")
		p := newScript(t, doc, withoutLap).g.plans[0]
		v, err := decode(row.value)
		if err != nil {
			t.Fatal(err)
		}
		got, fine := writeXML(p.body.contents[0].field.Shape, v)
		if row.want == "" {
			if fine {
				t.Errorf("%s: %s", row.name, got)
			}
		} else if string(got) != head+row.want || !fine {
			t.Errorf("%s:\n got %s\nwant %s", row.name, got, head+row.want)
		}
	}
}

func TestFilesAreWhatTheirTypeSays(t *testing.T) {
	g := newScript(t, api(t, createAndRead), withoutLap).g
	for _, mediaType := range []string{
		"image/png", "image/jpeg", "image/jpg", "image/gif", "image/svg+xml", "application/pdf", "application/zip", "application/gzip",
		"application/json", "application/xml", "text/csv", "text/plain", "application/octet-stream", "video/mp4",
	} {
		data := file(g.draw.Rand, mediaType, 0, -1)
		if err := checkFile(mediaType, data); err != nil || len(data) == 0 {
			t.Errorf("%s: %v", mediaType, err)
		}
		for _, size := range [][2]int64{{0, 0}, {0, 5}, {5, 5}, {2000, -1}, {2000, 3000}} {
			if n := int64(len(file(g.draw.Rand, mediaType, size[0], size[1]))); n < size[0] || size[1] >= 0 && n > size[1] {
				t.Errorf("%s: %d bytes, want %d to %d", mediaType, n, size[0], size[1])
			}
		}
	}
	for _, row := range []struct {
		mediaType string
		nth       int
		want      string
	}{{"image/png", 0, "file.png"}, {"image/png; a=b", 1, "file2.png"}, {"text/x-log", 0, "file.txt"}, {"video/mp4", 0, "file.bin"}} {
		if got := fileName(row.mediaType, row.nth); got != row.want {
			t.Errorf("%s: %s, want %s", row.mediaType, got, row.want)
		}
	}
}

func TestSequencesOfJSON(t *testing.T) {
	for mediaType, want := range map[string]string{"application/x-ndjson": "1\n2\n", "application/json-seq": "\x1e1\n\x1e2\n", "application/geo+json-seq": "\x1e1\n\x1e2\n"} {
		c := &content{kind: kindOf(mediaType), contentType: mediaType}
		v, err := decode("[1, 2]")
		if err != nil {
			t.Fatal(err)
		}
		if got := string(c.sequence(v)); got != want {
			t.Errorf("%s: %q, want %q", mediaType, got, want)
		}
	}
}

func TestPartsWithoutNamesAreInOrder(t *testing.T) {
	doc := read(t, everyContent)
	p := newScript(t, doc, withoutLap).g
	plan := p.plans[len(p.plans)-1]
	for k, mediaType := range plan.mediaTypes() {
		if mediaType != "multipart/mixed" && mediaType != "multipart/related" {
			continue
		}
		r := plan.request(p, 1, 0, asked{media: k + 1})
		essence, parameters, err := mime.ParseMediaType(messages.Get(r.Header, "Content-Type"))
		if err != nil || essence != mediaType {
			t.Fatalf("%v: %v", r.Header, err)
		}
		part, err := multipart.NewReader(bytes.NewReader(r.Body), parameters["boundary"]).NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		if mediaType == "multipart/mixed" && (part.Header.Get("Content-Type") != "application/json" || part.Header.Get("Content-Disposition") != "") {
			t.Errorf("the first part is %v", part.Header)
		}
		if mediaType == "multipart/related" && (parameters["type"] != "text/plain" || part.FormName() == "") {
			t.Errorf("%v begins with %v", parameters, part.Header)
		}
	}
}

func TestAPathParameterBeforeASemicolonIsNoDot(t *testing.T) {
	s := newScript(t, api(t, `
  /a/{x};v=1: {get: {parameters: [{name: x, in: path, required: true, schema: {type: string, enum: ['..', 'b']}}], `+ok+`}}
`), withoutLap)
	for range 50 {
		if r := s.next(); r.Target != "/a/b;v=1" {
			t.Errorf("sent %s", r.Target)
		}
	}
}

func TestAnEmptyValueIsSentWhereItIsAllowed(t *testing.T) {
	doc := api(t, `
  /a: {get: {parameters: [{name: q, in: query, required: true, allowEmptyValue: true, schema: {type: integer}}], `+ok+`}}
  /b: {get: {parameters: [{name: q, in: query, required: true, schema: {type: array, items: {type: integer}}}], `+ok+`}}
`)
	empty := map[string]int{}
	for _, path := range []string{"/a", "/b"} {
		for _, r := range requests(t, doc, path, "GET", 400) {
			if strings.HasSuffix(r.Target, "?q=") {
				empty[path]++
			}
		}
	}
	if empty["/a"] < 5 || empty["/a"] > 60 || empty["/b"] > 0 {
		t.Errorf("empty values: %v", empty)
	}
}
