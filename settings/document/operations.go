package document

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// methods are the members of a path item that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

func (l *loader) readPaths(top at) {
	l.ids = map[string]bool{}
	paths, ok := top.down("paths")
	if !ok {
		if _, ok := top.down("webhooks"); !ok {
			l.issue(top, "warning", "there are no paths, so there is nothing to test")
		}
		return
	}
	if !l.is(paths, isObject) {
		return
	}
	for _, m := range paths.n.members {
		if strings.HasPrefix(m.key, "x-") {
			continue
		}
		l.readPath(m.key, paths.child(m.key, m.value))
	}
	for i, op := range l.doc.Operations {
		op.Index = i
	}
	l.settleLinks()
}

// readPath reads a path item. What stands beside its $ref adds to what the reference leads to.
func (l *loader) readPath(path string, a at) {
	if a.n.kind == isNull {
		return
	}
	if a.n.kind != isObject {
		l.issue(a, "error", "the path is %s, not an object; it is left out", a.n.describe())
		return
	}
	layers := []at{a}
	if _, ok := reference(a.n); ok {
		found, err := l.target(a)
		switch {
		case err != nil:
		case found.n.kind != isObject:
			l.issue(a, "error", "the path's $ref leads to %s, not to a path item", found.n.describe())
		default:
			layers = append(layers, found)
		}
	}
	item := pathItem{path: path}
	var own []operationAt
	for _, layer := range layers {
		if list, ok := layer.down("parameters"); ok && item.parameters.n == nil {
			item.parameters = list
		}
		if item.servers == nil {
			item.servers = l.serverList(layer)
		}
		own = append(own, l.operationsIn(layer)...)
	}
	given := map[string]bool{}
	for _, o := range own {
		if given[o.method] {
			continue
		}
		given[o.method] = true
		l.readOperation(item, o)
	}
}

// pathItem is what the operations of a path share.
type pathItem struct {
	path       string
	parameters at
	servers    []address
}

type operationAt struct {
	method string
	at     at
}

func (l *loader) operationsIn(item at) []operationAt {
	var found []operationAt
	for _, m := range item.n.members {
		v := item.child(m.key, m.value)
		lower := strings.ToLower(m.key)
		switch {
		case m.key == "additionalOperations" && l.dialect >= v32:
			if l.is(v, isObject) {
				for _, m := range v.n.members {
					found = append(found, operationAt{m.key, v.child(m.key, m.value)})
				}
			}
			continue
		case !slices.Contains(methods, lower):
			continue
		case lower == "query" && l.dialect < v32, lower == "trace" && l.dialect == v20:
			l.issue(v, "note", "%s is no method in OpenAPI %s; it is left out", m.key, l.doc.Dialect)
			continue
		case lower != m.key:
			l.issue(v, "warning", "%q is written in small letters in OpenAPI; it is read as that method", m.key)
		}
		found = append(found, operationAt{strings.ToUpper(m.key), v})
	}
	return found
}

func (l *loader) readOperation(item pathItem, o operationAt) {
	a := o.at
	if a.n.kind != isObject {
		l.issue(a, "error", "the operation is %s, not an object; it is left out", a.n.describe())
		return
	}
	op := &Operation{Method: o.method, Path: item.path, Place: a.place()}
	l.doc.Operations = append(l.doc.Operations, op)
	if _, ok := reference(a.n); ok {
		// OpenAPI has no references to operations, but documents in many files use them.
		found, err := l.target(a)
		if err == nil && found.n.kind != isObject {
			err = fmt.Errorf("its $ref leads to %s, not to an operation", found.n.describe())
			l.issue(a, "error", "%s", err)
		}
		if err != nil {
			l.readID(op, a)
			untestable(op, "%v", err)
			return
		}
		a = found
	}
	l.readID(op, a)
	for _, m := range a.n.members {
		v := a.child(m.key, m.value)
		switch m.key {
		case "summary":
			op.Summary = v.n.text
		case "description":
			op.Description = v.n.text
		case "deprecated":
			l.boolean(v, &op.Deprecated)
		case "tags":
			if l.is(v, isList) {
				for _, tag := range v.n.items {
					if tag.kind == isText {
						op.Tags = append(op.Tags, tag.text)
					}
				}
			}
		}
	}
	switch {
	case op.Method == "CONNECT" || op.Method == "TRACE":
		untestable(op, "%s is not sent", op.Method)
	case !isToken(op.Method):
		untestable(op, "%q is no method of HTTP", shorten(op.Method))
	}
	l.readAddress(op, a, item)
	operationParameters, _ := a.down("parameters")
	parameters := l.parameters(op, operationParameters, item.parameters)
	if l.dialect == v20 {
		l.request20(op, a, parameters)
	} else {
		for _, p := range parameters {
			if p, ok := l.parameter(op, p); ok {
				op.Parameters = append(op.Parameters, p)
			}
		}
		if body, ok := a.down("requestBody"); ok {
			l.body(op, body)
		}
	}
	l.readTemplate(op, a)
	l.placeQuery(op)
	l.noteContent(op)
	if responses, ok := a.down("responses"); ok {
		var produces []string
		if l.dialect == v20 {
			produces = l.mediaTypes(a, "produces")
		}
		l.responses(op, responses, produces)
	} else {
		l.issue(a, "note", "no responses are declared")
	}
	l.readSecurity(op, a)
}

// noteContent notes content that HTTP gives no meaning to. It is sent, as the document asks for it.
func (l *loader) noteContent(op *Operation) {
	if op.Body == nil || !slices.Contains([]string{"GET", "HEAD", "DELETE"}, op.Method) {
		return
	}
	says := "advises against it"
	switch l.dialect {
	case v20:
		says = "leaves it open"
	case v30:
		says = "has it ignored"
	}
	message := fmt.Sprintf("a %s request has a body, to which HTTP gives no meaning (RFC 9110 §9.3) and OpenAPI %s %s; it is sent all the same",
		op.Method, l.doc.Dialect, says)
	key := Issue{Message: message}
	if !l.told[key] {
		l.told[key] = true
		l.issueAt(op.Body.Place, "note", message)
	}
}

// placeQuery holds an operation to one querystring parameter or to query parameters: they cannot stand together.
func (l *loader) placeQuery(op *Operation) {
	first := slices.IndexFunc(op.Parameters, func(p *Parameter) bool { return p.In == "querystring" })
	if first < 0 {
		return
	}
	whole := op.Parameters[first]
	op.Parameters = slices.DeleteFunc(op.Parameters, func(p *Parameter) bool {
		if p == whole || p.In != "querystring" && p.In != "query" {
			return false
		}
		l.issueAt(p.Place, "warning", fmt.Sprintf("the parameter %q stands beside %q, which is the whole query; it is left out", shorten(p.Name), shorten(whole.Name)))
		return true
	})
}

// untestable gives the first reason for which nothing is sent.
func untestable(op *Operation, format string, args ...any) {
	if op.Untestable == "" {
		op.Untestable = fmt.Sprintf(format, args...)
	}
}

func isToken(s string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	for _, c := range []byte(s) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte(marks, c) < 0 {
			return false
		}
	}
	return s != ""
}

func (l *loader) readID(op *Operation, a at) {
	fallback := op.Method + " " + op.Path
	op.ID = fallback
	if v, ok := a.down("operationId"); ok && l.is(v, isText) && v.n.text != "" {
		op.ID = v.n.text
		if l.ids[op.ID] {
			l.issue(v, "warning", "the operationId %q is given twice; this operation is called %q", shorten(op.ID), fallback)
			op.ID = fallback
		}
	}
	for n := 2; l.ids[op.ID]; n++ {
		op.ID = fmt.Sprintf("%s (%d)", fallback, n)
	}
	l.ids[op.ID] = true
}

// readAddress finds the operation's server: its own, else its path's, else the document's.
func (l *loader) readAddress(op *Operation, a at, item pathItem) {
	servers := l.serverList(a)
	if len(servers) == 0 {
		servers = item.servers
	}
	if l.dialect == v20 || len(servers) == 0 {
		servers = l.servers
	}
	where := l.place(servers)
	op.BasePath = where.path
	switch {
	case where.origin == "" || where.origin == l.doc.Origin:
	case l.doc.Origin == "":
		l.doc.Origin, l.doc.Address = where.origin, where.origin+where.path
	default:
		untestable(op, "its server is %s, the API's is %s; to test it, give its address with --url", where.origin, l.doc.Origin)
	}
}

var templatePart = regexp.MustCompile(`\{([^{}]*)\}`)

// readTemplate brings the path template and the declared path parameters together.
func (l *loader) readTemplate(op *Operation, a at) {
	if path, fragment, ok := strings.Cut(op.Path, "#"); ok {
		l.issue(a, "note", "the path ends in %q, which is never sent; it is taken off", "#"+shorten(fragment))
		op.Path = path
	}
	if path, query, ok := strings.Cut(op.Path, "?"); ok {
		l.issue(a, "warning", "the path holds a query, which is no part of a path; it is sent as query parameters")
		op.Path = path
		l.fixedQuery(op, a, query)
	}
	if !strings.HasPrefix(op.Path, "/") {
		l.issue(a, "warning", "the path does not begin with a slash; one is put before it")
		op.Path = "/" + op.Path
	}
	var names []string
	for _, m := range templatePart.FindAllStringSubmatch(op.Path, -1) {
		names = append(names, m[1])
	}
	if strings.ContainsAny(templatePart.ReplaceAllString(op.Path, ""), "{}") {
		untestable(op, "its path %q has a brace without its other one", op.Path)
	}
	declared := map[string]bool{}
	op.Parameters = slices.DeleteFunc(op.Parameters, func(p *Parameter) bool {
		if p.In != "path" {
			return false
		}
		declared[p.Name] = true
		if slices.Contains(names, p.Name) {
			return false
		}
		l.issueAt(p.Place, "warning", fmt.Sprintf("the path has no {%s}; this parameter is left out", p.Name))
		return true
	})
	for _, name := range names {
		if declared[name] {
			continue
		}
		declared[name] = true
		l.issue(a, "warning", "{%s} in the path is not declared; it is read as a string", name)
		s := emptySchema()
		s.Types = []string{"string"}
		s.MinLength = 1
		op.Parameters = append(op.Parameters, &Parameter{
			Name: name, In: "path", Required: true, Style: "simple",
			Schema: l.made(s, a.place()), Place: a.place(),
		})
	}
}

// fixedQuery makes parameters of a query that stands in a path.
func (l *loader) fixedQuery(op *Operation, a at, query string) {
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		name, value = decodeQuery(name), decodeQuery(value)
		if name == "" || strings.ContainsAny(value, "{}") ||
			slices.ContainsFunc(op.Parameters, func(p *Parameter) bool { return p.In == "query" && p.Name == name }) {
			continue
		}
		s := emptySchema()
		s.Types, s.Enum, s.HasEnum = []string{"string"}, []any{value}, true
		op.Parameters = append(op.Parameters, &Parameter{
			Name: name, In: "query", Required: true, Style: "form", Explode: true, AllowEmpty: value == "",
			Schema: l.made(s, a.place()), Place: a.place(),
		})
	}
}

func decodeQuery(s string) string {
	if decoded, err := url.QueryUnescape(s); err == nil {
		return decoded
	}
	return s
}

// parameters brings the lists of an operation and of its path together, references followed: each place and name once,
// the operation's before its path's.
func (l *loader) parameters(op *Operation, own, shared at) []at {
	type key struct{ in, name string }
	var (
		found []at
		index = map[key]int{}
	)
	for _, list := range []at{own, shared} {
		if list.n == nil || !l.is(list, isList) {
			continue
		}
		here := map[key]bool{}
		for i := range list.n.items {
			a, err := l.target(list.item(i))
			if err != nil {
				untestable(op, "a parameter of it is not known: %v", err)
				continue
			}
			if a.n.kind != isObject {
				l.issue(a, "warning", "a parameter is %s, not an object; it is left out", a.n.describe())
				continue
			}
			k := key{strings.ToLower(a.n.getText("in")), a.n.getText("name")}
			switch k.in {
			case "header":
				k.name = strings.ToLower(k.name)
			case "body":
				k.name = ""
			}
			if here[k] {
				l.issue(list.item(i), "warning", "the %s parameter %q is declared twice; the first one is used", k.in, shorten(a.n.getText("name")))
				continue
			}
			here[k] = true
			if _, ok := index[k]; ok {
				continue
			}
			index[k] = len(found)
			found = append(found, a)
		}
	}
	return found
}

// ignoredHeaders are header parameters that OpenAPI 3 has ignored: other parts of the document say what they hold.
var ignoredHeaders = []string{"accept", "content-type", "authorization"}

// connectionHeaders belong to the connection or to the message's framing (RFC 9110 §7.6.1, §8.6, RFC 9112 §6), or say
// how content was coded: the sender's, never a document's.
var connectionHeaders = []string{
	"connection", "content-encoding", "content-length", "expect", "host", "http2-settings", "keep-alive", "proxy-authenticate",
	"proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
}

// begin reads what every parameter has: its name, place, and whether it is required. ok is false for one that is left out.
func (l *loader) begin(op *Operation, a at) (*Parameter, bool) {
	p := &Parameter{Place: a.place(), Name: a.n.getText("name"), In: a.n.getText("in"), Description: a.n.getText("description")}
	if required, ok := a.down("required"); ok {
		l.boolean(required, &p.Required)
	}
	if deprecated, ok := a.down("deprecated"); ok {
		l.boolean(deprecated, &p.Deprecated)
	}
	if empty, ok := a.down("allowEmptyValue"); ok {
		l.boolean(empty, &p.AllowEmpty)
	}
	for _, in := range []string{"path", "query", "querystring", "header", "cookie", "body", "formData"} {
		if strings.EqualFold(in, p.In) && in != p.In {
			l.issue(a, "warning", "in is %q; it is read as %q", p.In, in)
			p.In = in
		}
	}
	switch {
	case p.Name == "":
		l.issue(a, "warning", "a parameter has no name; it is left out")
		return nil, false
	case p.In == "path" && !p.Required:
		l.issue(a, "warning", "the path parameter %q is not said to be required; it is, as every path parameter", p.Name)
		p.Required = true
	case p.In == "header" && !isToken(p.Name):
		l.issue(a, "warning", "%q is no name of a header; the parameter is left out", shorten(p.Name))
		if p.Required {
			untestable(op, "it needs the header %q, which cannot be sent", shorten(p.Name))
		}
		return nil, false
	case p.In == "header" && slices.Contains(ignoredHeaders, strings.ToLower(p.Name)):
		l.issue(a, "note", "a header parameter named %s is ignored, as OpenAPI says; media types and security say what it holds", p.Name)
		return nil, false
	case p.In == "header" && slices.Contains(connectionHeaders, strings.ToLower(p.Name)):
		l.issue(a, "note", "the header %s belongs to the connection or to the message itself; it is not sent as a parameter", p.Name)
		return nil, false
	case slices.Contains([]string{"path", "query", "header", "cookie"}, p.In):
	case l.dialect >= v32 && p.In == "querystring":
	case l.dialect == v20 && (p.In == "body" || p.In == "formData"):
	default:
		l.issue(a, "warning", "the parameter %q is in %q, which is not a place it can be sent in; it is left out", p.Name, shorten(p.In))
		if p.Required {
			untestable(op, "its parameter %q is in %q, where nothing can be sent", p.Name, shorten(p.In))
		}
		return nil, false
	}
	return p, true
}

var styles = map[string][]string{
	"path":   {"simple", "label", "matrix"},
	"query":  {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	"header": {"simple"},
	"cookie": {"form", "cookie"}, // cookie since OpenAPI 3.2
}

func (l *loader) parameter(op *Operation, a at) (*Parameter, bool) {
	p, ok := l.begin(op, a)
	if !ok {
		return nil, false
	}
	if reserved, ok := a.down("allowReserved"); ok {
		l.boolean(reserved, &p.AllowReserved)
		// Before OpenAPI 3.2 it is for queries alone.
		p.AllowReserved = p.AllowReserved && (p.In == "query" || l.dialect >= v32)
	}
	l.style(p, a)
	p.Examples = l.examples(a)
	schema, hasSchema := a.down("schema")
	content, hasContent := a.down("content")
	switch {
	case hasSchema && hasContent:
		l.issue(a, "warning", "the parameter %q has both schema and content; schema is used", p.Name)
		p.Schema = l.schema(schema)
	case hasSchema:
		p.Schema = l.schema(schema)
	case hasContent:
		media := l.media(content)
		if len(media) == 0 {
			l.issue(content, "warning", "the content of the parameter %q names no media type; any value is allowed", p.Name)
			break
		}
		p.Content, p.Schema, p.Encoding = media[0].Type, media[0].Schema, media[0].Encoding
		p.Examples = append(p.Examples, media[0].Examples...)
		p.Style, p.Explode = "", false
	case a.n.get("type") != nil:
		l.issue(a, "warning", "the parameter %q has neither schema nor content, but a type as in OpenAPI 2.0; it is read as there", p.Name)
		style, explode := p.Style, p.Explode
		l.simple(p, a)
		p.Style, p.Explode = style, explode
	default:
		l.issue(a, "warning", "the parameter %q has neither schema nor content; any value is allowed", p.Name)
	}
	if p.In == "querystring" && p.Content == "" {
		l.issue(a, "warning", "the parameter %q is the whole query, and no content says how it is written; it is read as a form", p.Name)
		p.Content, p.Style, p.Explode = urlencoded, "", false
	}
	return p, true
}

// style works out how the parameter is written.
func (l *loader) style(p *Parameter, a at) {
	allowed := styles[p.In]
	if len(allowed) == 0 {
		return // a querystring is content
	}
	p.Style = allowed[0]
	if v, ok := a.down("style"); ok && l.is(v, isText) {
		if slices.Contains(allowed, v.n.text) {
			p.Style = v.n.text
		} else {
			l.issue(v, "warning", "a %s parameter cannot have the style %q; it has %q", p.In, shorten(v.n.text), p.Style)
		}
	}
	// A deepObject is written one way only, which is the exploded one.
	p.Explode = p.Style == "form" || p.Style == "deepObject" || p.Style == "cookie"
	if v, ok := a.down("explode"); ok && p.Style != "deepObject" {
		l.boolean(v, &p.Explode)
	}
}

// examples are the values of example and examples.
func (l *loader) examples(a at) []any {
	var values []any
	if v, ok := a.down("example"); ok {
		values = append(values, l.value(v.n))
	}
	v, ok := a.down("examples")
	if !ok {
		return values
	}
	if v.n.kind != isObject {
		return append(values, l.examplesOf(v)...)
	}
	for _, m := range v.n.members {
		entry, err := l.follow(v.child(m.key, m.value), "warning")
		if err != nil || entry.n.kind != isObject {
			continue
		}
		for _, key := range []string{"dataValue", "value"} {
			if value := entry.n.get(key); value != nil {
				values = append(values, l.value(value))
				break
			}
		}
	}
	return values
}

func (l *loader) body(op *Operation, v at) {
	a, err := l.target(v)
	if err != nil {
		untestable(op, "its body is not known: %v", err)
		return
	}
	if !l.is(a, isObject) {
		return
	}
	b := &Body{Place: a.place()}
	if required, ok := a.down("required"); ok {
		l.boolean(required, &b.Required)
	}
	content, ok := a.down("content")
	if !ok {
		l.issue(a, "warning", "the body declares no content; none is sent")
		return
	}
	if b.Media = l.media(content); len(b.Media) > 0 {
		op.Body = b
	}
}

// media reads a map of media types.
func (l *loader) media(content at) []*Media {
	if !l.is(content, isObject) {
		return nil
	}
	var media []*Media
	for _, entry := range content.n.members {
		v := content.child(entry.key, entry.value)
		if strings.HasPrefix(entry.key, "x-") {
			continue
		}
		if !strings.Contains(entry.key, "/") {
			l.issue(v, "warning", "%q is no media type; it is left out", shorten(entry.key))
			continue
		}
		m := &Media{Type: entry.key, Place: v.place()}
		media = append(media, m)
		a, err := l.target(v)
		if err != nil {
			m.Schema = l.unknown(v, err)
			continue
		}
		if a.n.kind != isObject {
			if a.n.kind != isNull {
				l.is(a, isObject)
			}
			continue
		}
		if schema, ok := a.down("schema"); ok {
			m.Schema = l.schema(schema)
		}
		m.Examples = l.examples(a)
		if encoding, ok := a.down("encoding"); ok && l.is(encoding, isObject) {
			m.Encoding = map[string]Encoding{}
			for _, e := range encoding.n.members {
				m.Encoding[e.key] = l.encoding(encoding.child(e.key, e.value), m.Type)
			}
		}
		if l.dialect >= v32 {
			l.media32(m, a)
		}
	}
	return media
}

// media32 reads what OpenAPI 3.2 says of content that is a sequence.
func (l *loader) media32(m *Media, a at) {
	if item, ok := a.down("itemSchema"); ok && m.Schema == nil {
		m.Schema = l.made(emptySchema(), item.place())
		m.Schema.Types, m.Schema.Items = []string{"array"}, l.schema(item)
	}
	if prefix, ok := a.down("prefixEncoding"); ok && l.is(prefix, isList) {
		for i := range prefix.n.items {
			m.PrefixEncoding = append(m.PrefixEncoding, l.encoding(prefix.item(i), m.Type))
		}
	}
	if item, ok := a.down("itemEncoding"); ok {
		e := l.encoding(item, m.Type)
		m.ItemEncoding = &e
	}
}

// unknown is a schema of which nothing is known, as what should say so could not be read.
func (l *loader) unknown(a at, err error) *Schema {
	s := l.made(emptySchema(), a.place())
	never := false
	s.Always, s.Unusable = &never, fmt.Sprintf("%v (%s)", err, a.place())
	return s
}

func (l *loader) encoding(a at, mediaType string) Encoding {
	var e Encoding
	if !l.is(a, isObject) {
		return e
	}
	if v, ok := a.down("contentType"); ok {
		l.text(v, &e.ContentType)
	}
	isForm := strings.EqualFold(Essence(mediaType), urlencoded)
	if v, ok := a.down("headers"); ok && !isForm {
		e.Headers = l.headers(v)
	}
	if !isForm && l.dialect < v31 {
		return e // styles are for forms alone
	}
	if v, ok := a.down("style"); ok {
		l.text(v, &e.Style)
	}
	if v, ok := a.down("explode"); ok {
		e.Explode = new(bool)
		l.boolean(v, e.Explode)
	}
	if v, ok := a.down("allowReserved"); ok {
		l.boolean(v, &e.AllowReserved)
	}
	return e
}

var (
	exactCode = regexp.MustCompile(`^[1-9][0-9][0-9]$`)
	rangeCode = regexp.MustCompile(`^[1-5]XX$`)
)

// responses reads the declared responses; produces are the media types of 2.0's.
func (l *loader) responses(op *Operation, list at, produces []string) {
	if !l.is(list, isObject) {
		return
	}
	for _, m := range list.n.members {
		v := list.child(m.key, m.value)
		code := m.key
		upper := strings.ToUpper(code)
		switch {
		case strings.HasPrefix(code, "x-"):
			continue
		case code == "default", exactCode.MatchString(code), rangeCode.MatchString(code):
		case rangeCode.MatchString(upper):
			l.issue(v, "note", "a range of status codes is written with a capital X; %q is read as %q", code, upper)
			code = upper
		case upper == "DEFAULT":
			l.issue(v, "note", `%q is read as "default"`, code)
			code = "default"
		default:
			l.issue(v, "warning", "%q is no status code; it is left out", shorten(code))
			continue
		}
		if slices.ContainsFunc(op.Responses, func(r *Response) bool { return r.Code == code }) {
			l.issue(v, "warning", "%s is declared twice; the first one is used", code)
			continue
		}
		r := &Response{Code: code, Place: v.place()}
		op.Responses = append(op.Responses, r)
		a, err := l.target(v)
		switch {
		case err != nil:
			r.Unusable = err.Error()
		case a.n.kind == isNull:
		case a.n.kind != isObject:
			r.Unusable = "the response is " + a.n.describe() + ", not an object"
			l.issue(a, "warning", "%s", r.Unusable)
		case l.dialect == v20:
			l.response20(r, a, produces)
		default:
			l.response(r, a)
		}
	}
}

func (l *loader) response(r *Response, a at) {
	if content, ok := a.down("content"); ok {
		r.Media = l.media(content)
	}
	if links, ok := a.down("links"); ok {
		l.links(r, links)
	}
	if headers, ok := a.down("headers"); ok {
		r.Headers = l.headers(headers)
	}
}

// headers reads the header fields of a response or of a part; Content-Type is said elsewhere.
func (l *loader) headers(headers at) []*Parameter {
	if !l.is(headers, isObject) {
		return nil
	}
	var list []*Parameter
	for _, m := range headers.n.members {
		if strings.EqualFold(m.key, "Content-Type") {
			continue
		}
		v, err := l.target(headers.child(m.key, m.value))
		if err != nil || v.n.kind != isObject {
			continue
		}
		h := &Parameter{Name: m.key, In: "header", Style: "simple", Description: v.n.getText("description"), Place: v.place()}
		if required, ok := v.down("required"); ok {
			l.boolean(required, &h.Required)
		}
		if explode, ok := v.down("explode"); ok {
			l.boolean(explode, &h.Explode)
		}
		if schema, ok := v.down("schema"); ok {
			h.Schema = l.schema(schema)
		} else if content, ok := v.down("content"); ok {
			if media := l.media(content); len(media) > 0 {
				h.Content, h.Schema, h.Style = media[0].Type, media[0].Schema, ""
			}
		}
		h.Examples = l.examples(v)
		list = append(list, h)
	}
	return list
}
