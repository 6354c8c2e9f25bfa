package document

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestFieldsOfTheConnectionAreNoParameters(t *testing.T) {
	for _, name := range []string{
		"Host", "Connection", "content-length", "Transfer-Encoding", "TE", "Trailer", "Upgrade", "Expect", "Keep-Alive",
		"Proxy-Authorization", "Proxy-Connection", "Content-Encoding", "HTTP2-Settings",
	} {
		for _, version := range []string{"2.0", "3.0.3", "3.1.0"} {
			d := loadYAML(t, version, "paths: {/a: {get: {parameters: [{name: "+name+", in: header, required: true, type: string, schema: {type: string}}, "+
				"{name: X-A, in: header, type: string, schema: {type: string}}], responses: {}}}}", Options{})
			op := d.Operations[0]
			issue, noted := issueWith(d, "belongs to the connection")
			if len(op.Parameters) != 1 || op.Untestable != "" || !noted || issue.Severity != "note" {
				t.Errorf("%s in %s: %d parameters, %+v", name, version, len(op.Parameters), d.Issues)
			}
		}
	}
}

func TestABodyWithoutMeaningIsNotedOnce(t *testing.T) {
	body := map[string]string{
		"2.0": "parameters: [{name: b, in: body, schema: {type: object}}]", "3.0.3": "requestBody: {content: {application/json: {}}}",
		"3.1.0": "requestBody: {content: {application/json: {}}}",
	}
	says := map[string]string{"2.0": "leaves it open", "3.0.3": "has it ignored", "3.1.0": "advises against it"}
	for version, b := range body {
		d := loadYAML(t, version, fmt.Sprintf("paths: {/a: {get: {%[1]s}, delete: {%[1]s}, post: {%[1]s}}, /b: {get: {%[1]s}}}", b), Options{})
		noted := 0
		for _, issue := range d.Issues {
			if strings.Contains(issue.Message, "to which HTTP gives no meaning") && strings.Contains(issue.Message, says[version]) {
				noted++
			}
		}
		if noted != 2 || d.Operations[0].Body == nil { // GET and DELETE
			t.Errorf("%s: %+v", version, d.Issues)
		}
	}
}

func TestTheWholeQueryStandsAlone(t *testing.T) {
	const parameters = "paths: {/a: {get: {parameters: [{name: q, in: query, schema: {type: string}}, {name: w, in: querystring, content: {application/x-www-form-urlencoded: " +
		"{schema: {type: object}, encoding: {a: {style: pipeDelimited}}}}}, {name: v, in: querystring, content: {text/plain: {}}}], responses: {}}}}"
	d := loadYAML(t, "3.2.0", parameters, Options{})
	op := d.Operations[0]
	if len(op.Parameters) != 1 || op.Parameters[0].Name != "w" || op.Parameters[0].In != "querystring" ||
		op.Parameters[0].Content != "application/x-www-form-urlencoded" || op.Parameters[0].Encoding["a"].Style != "pipeDelimited" {
		t.Errorf("%+v", op.Parameters)
	}
	if len(d.Issues) != 2 {
		t.Errorf("%+v", d.Issues)
	}
	if d := loadYAML(t, "3.1.0", parameters, Options{}); len(d.Operations[0].Parameters) != 1 || d.Operations[0].Parameters[0].Name != "q" {
		t.Errorf("3.1 knows %+v", d.Operations[0].Parameters)
	}
	d = loadYAML(t, "3.2.0", "paths: {/a: {get: {parameters: [{name: w, in: querystring, schema: {type: object}}], responses: {}}}}", Options{})
	if p := d.Operations[0].Parameters[0]; p.Content != "application/x-www-form-urlencoded" || p.Style != "" {
		t.Errorf("without content it is read as %+v", p)
	}
}

func TestReservedCharactersAreForQueriesBefore32(t *testing.T) {
	for version, want := range map[string]bool{"3.0.3": false, "3.1.0": false, "3.2.0": true} {
		d := loadYAML(t, version, "paths: {'/a/{p}': {get: {parameters: [{name: p, in: path, required: true, allowReserved: true, schema: {}}, "+
			"{name: q, in: query, allowReserved: true, schema: {}}], responses: {}}}}", Options{})
		if p := d.Operations[0].Parameters; p[0].AllowReserved != want || !p[1].AllowReserved {
			t.Errorf("%s: %+v, %+v", version, p[0], p[1])
		}
	}
}

func TestWhatEncodingSaysOfParts(t *testing.T) {
	const body = "paths: {/a: {post: {requestBody: {content: {MEDIA: {schema: {type: object}, encoding: {a: {contentType: image/png, style: form, explode: false, " +
		"headers: {X-B: {required: true, schema: {type: integer}}, Content-Type: {}, X-A: {schema: {}}}}}}}}, responses: {}}}}"
	for _, row := range []struct {
		version, media string
		style          string
		headers        int
	}{
		{"3.0.3", "multipart/form-data", "", 2},
		{"3.1.0", "multipart/form-data", "form", 2},
		{"3.0.3", "application/x-www-form-urlencoded", "form", 0},
	} {
		d := loadYAML(t, row.version, strings.Replace(body, "MEDIA", row.media, 1), Options{})
		e := d.Operations[0].Body.Media[0].Encoding["a"]
		if e.ContentType != "image/png" || e.Style != row.style || (e.Explode != nil) != (row.style != "") || len(e.Headers) != row.headers {
			t.Errorf("%s, %s: %+v", row.version, row.media, e)
		}
		if row.headers > 0 && (e.Headers[0].Name != "X-B" || !e.Headers[0].Required || e.Headers[1].Name != "X-A") {
			t.Errorf("%s, %s: %+v", row.version, row.media, e.Headers)
		}
	}
}

func TestSequencesOf32(t *testing.T) {
	d := loadYAML(t, "3.2.0", "paths: {/a: {post: {requestBody: {content: {application/jsonl: {itemSchema: {type: integer}}, "+
		"multipart/mixed: {schema: {type: array}, prefixEncoding: [{contentType: text/plain}], itemEncoding: {contentType: image/png}}}}, responses: {}}}}", Options{})
	lines, mixed := d.Operations[0].Body.Media[0], d.Operations[0].Body.Media[1]
	if !slices.Equal(lines.Schema.Types, []string{"array"}) || !slices.Equal(lines.Schema.Items.Types, []string{"integer"}) {
		t.Errorf("%+v", lines.Schema)
	}
	if len(mixed.PrefixEncoding) != 1 || mixed.PrefixEncoding[0].ContentType != "text/plain" || mixed.ItemEncoding == nil || mixed.ItemEncoding.ContentType != "image/png" {
		t.Errorf("%+v", mixed)
	}
}

func TestNodesOfXML(t *testing.T) {
	for _, row := range []struct{ about, want string }{
		{"{}", ""},
		{"{attribute: true}", "attribute"},
		{"{wrapped: true}", "element"},
		{"{nodeType: cdata}", "cdata"},
		{"{nodeType: none, wrapped: true}", "none"},
		{"{nodeType: leaf}", ""},
	} {
		d := loadYAML(t, "3.2.0", "paths: {/a: {post: {requestBody: {content: {application/xml: {schema: {type: string, xml: "+row.about+"}}}}, responses: {}}}}", Options{})
		if got := d.Operations[0].Body.Media[0].Schema.XML.Node; got != row.want {
			t.Errorf("%s: %q, want %q", row.about, got, row.want)
		}
		if _, noted := issueWith(d, "no nodeType"); noted != strings.Contains(row.about, "leaf") {
			t.Errorf("%s: %+v", row.about, d.Issues)
		}
	}
}
