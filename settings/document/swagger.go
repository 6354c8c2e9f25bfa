package document

import (
	"slices"
	"strings"
)

// What OpenAPI 2.0 says in its own way: bodies, forms, collection formats and the media types of replies.

// request20 reads the parameters of an operation, and the body that some of them make.
func (l *loader) request20(op *Operation, a at, parameters []at) {
	var (
		body *Parameter
		form []*Parameter
		at20 = map[*Parameter]at{}
	)
	for _, v := range parameters {
		p, ok := l.begin(op, v)
		if !ok {
			continue
		}
		at20[p] = v
		switch p.In {
		case "body":
			if body != nil {
				l.issue(v, "warning", "there is more than one body parameter; the first one is used")
				continue
			}
			body = p
			if schema, ok := v.down("schema"); ok {
				p.Schema = l.schema(schema)
			} else {
				l.issue(v, "warning", "the body has no schema; any value is allowed")
			}
			p.Examples = l.examples(v)
		case "formData":
			l.simple(p, v)
			form = append(form, p)
		default:
			l.simple(p, v)
			op.Parameters = append(op.Parameters, p)
		}
	}
	consumes := l.mediaTypes(a, "consumes")
	switch {
	case body != nil:
		if len(form) > 0 {
			l.issueAt(form[0].Place, "warning", "there is a body besides form fields; the form fields are left out")
		}
		if len(consumes) == 0 {
			consumes = []string{"application/json"}
		}
		op.Body = &Body{Required: body.Required, Place: body.Place}
		for _, t := range consumes {
			op.Body.Media = append(op.Body.Media, &Media{
				Type: t, Schema: body.Schema, Examples: body.Examples, Place: body.Place,
			})
		}
	case len(form) > 0:
		l.form20(op, form, at20, consumes)
	}
}

// simple reads a parameter of 2.0, which is its own schema.
func (l *loader) simple(p *Parameter, a at) {
	s := emptySchema()
	l.schemas[a.n] = l.made(s, a.place())
	plain := node{kind: isObject, line: a.n.line, column: a.n.column}
	for _, m := range a.n.members {
		// These are the parameter's own, and mean something else in a schema.
		if !slices.Contains([]string{"required", "name", "in", "description", "deprecated", "schema"}, m.key) {
			plain.members = append(plain.members, m)
		}
	}
	l.fill(s, at{n: &plain, file: a.file, pointer: a.pointer, within: a.within})
	p.Schema = s
	if schema, ok := a.down("schema"); ok {
		l.issue(schema, "warning", "a %s parameter has no schema in OpenAPI 2.0; it is read all the same", p.In)
		p.Schema = l.schema(schema)
	}
	p.Style = "form"
	if p.In == "path" || p.In == "header" {
		p.Style = "simple"
	}
	format, ok := a.down("collectionFormat")
	if !ok || !l.is(format, isText) {
		return
	}
	switch format.n.text {
	case "csv":
	case "ssv":
		p.Style = "spaceDelimited"
	case "tsv":
		p.Style = "tabDelimited"
	case "pipes":
		p.Style = "pipeDelimited"
	case "multi":
		if p.In == "query" || p.In == "formData" {
			p.Explode = true
		} else {
			l.issue(format, "warning", "collectionFormat multi is for query and formData alone; it is read as csv")
		}
	default:
		l.issue(format, "warning", "%q is no collectionFormat; it is read as csv", shorten(format.n.text))
	}
}

const (
	urlencoded = "application/x-www-form-urlencoded"
	multipart  = "multipart/form-data"
)

// form20 makes one body of the form fields.
func (l *loader) form20(op *Operation, form []*Parameter, at20 map[*Parameter]at, consumes []string) {
	s := l.made(emptySchema(), form[0].Place)
	s.Types = []string{"object"}
	encoding := map[string]Encoding{}
	files := false
	for _, p := range form {
		s.Properties = append(s.Properties, Property{p.Name, p.Schema})
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
		if slices.Contains(p.Schema.Types, "array") {
			explode := p.Explode
			encoding[p.Name] = Encoding{Style: p.Style, Explode: &explode}
		}
		files = files || at20[p].n.getText("type") == "file"
	}
	var types []string
	for _, t := range consumes {
		switch essence := strings.ToLower(Essence(t)); {
		case essence == multipart, essence == urlencoded && !files:
			types = append(types, t)
		}
	}
	if len(types) == 0 {
		types = []string{urlencoded}
		if files {
			types = []string{multipart}
		}
	}
	op.Body = &Body{Required: len(s.Required) > 0, Place: form[0].Place}
	for _, t := range types {
		op.Body.Media = append(op.Body.Media, &Media{Type: t, Schema: s, Encoding: encoding, Place: form[0].Place})
	}
}

// mediaTypes are the operation's consumes or produces, else the document's.
func (l *loader) mediaTypes(a at, key string) []string {
	list, ok := a.down(key)
	if !ok {
		if list, ok = l.root.top().down(key); !ok {
			return nil
		}
	}
	if list.n.kind == isText {
		l.issue(list, "warning", "%s is text where a list should stand; it is read as a list of one", key)
		return []string{list.n.text}
	}
	if !l.is(list, isList) {
		return nil
	}
	var types []string
	for i, n := range list.n.items {
		switch {
		case n.kind != isText || !strings.Contains(n.text, "/"):
			l.issue(list.item(i), "warning", "%s is no media type; it is left out", n.describe())
		case !slices.Contains(types, n.text):
			types = append(types, n.text)
		}
	}
	return types
}

func (l *loader) response20(r *Response, a at, types []string) {
	if headers, ok := a.down("headers"); ok && l.is(headers, isObject) {
		for _, m := range headers.n.members {
			v := headers.child(m.key, m.value)
			if v.n.kind != isObject || strings.EqualFold(m.key, "Content-Type") {
				continue
			}
			h := &Parameter{Name: m.key, In: "header", Description: v.n.getText("description"), Place: v.place()}
			l.simple(h, v)
			r.Headers = append(r.Headers, h)
		}
	}
	schema, ok := a.down("schema")
	if !ok {
		return
	}
	s := l.schema(schema)
	if len(types) == 0 {
		types = []string{"application/json"}
		if schema.n.getText("type") == "file" {
			types = []string{"*/*"}
		}
	}
	examples, _ := a.down("examples")
	for _, t := range types {
		m := &Media{Type: t, Schema: s, Place: a.place()}
		if examples.n != nil {
			if v := examples.n.get(t); v != nil {
				m.Examples = []any{l.value(v)}
			}
		}
		r.Media = append(r.Media, m)
	}
}
