package demo

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/restest/restest/messages"
)

//go:embed document.json
var documentJSON []byte

// Document is the OpenAPI 3.0.3 document of the API, as it is served at /openapi.json. Its server is relative.
func Document() []byte { return bytes.Clone(documentJSON) }

// contract is the part of the document that the API itself goes by: where the operations are and which requests fit.
type contract struct {
	root       *place
	operations map[string]*operation // by id
}

// place is a path or the beginning of one.
type place struct {
	literal  map[string]*place
	variable *place
	methods  map[string]*operation
	allow    string // the methods, for an Allow header
}

// operation is what the document says of an operation's requests, and the method that answers those that fit.
type operation struct {
	ID          string `json:"operationId"`
	Parameters  []parameter
	RequestBody *struct {
		Content map[string]struct{ Schema *schema }
	}
	path      []string // the names of the variables in the path
	mediaType string
	body      *schema
	answer    func(*API, *call) Reply
}

type parameter struct {
	Name     string
	In       string
	Required bool
	Explode  *bool
	Schema   *schema
}

// theContract reads the embedded document. That it can be read is the package's own affair, so it panics if not.
var theContract = sync.OnceValue(func() *contract {
	c, err := readContract(documentJSON)
	if err != nil {
		panic("demo: the embedded document: " + err.Error())
	}
	return c
})

func readContract(document []byte) (*contract, error) {
	resolved, err := resolve(document)
	if err != nil {
		return nil, err
	}
	var written struct {
		Servers []struct{ URL string }
		Paths   map[string]struct {
			Parameters                          []parameter
			Get, Head, Post, Put, Patch, Delete *operation
		}
	}
	if err := json.Unmarshal(resolved, &written); err != nil {
		return nil, err
	}
	c := &contract{root: &place{}, operations: map[string]*operation{}}
	for path, item := range written.Paths {
		at, names := c.root.grow(written.Servers[0].URL + path)
		at.methods = map[string]*operation{
			"GET": item.Get, "HEAD": item.Head, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete,
		}
		var methods []string
		for method, op := range at.methods {
			if op == nil {
				continue
			}
			methods = append(methods, method)
			op.path = names
			op.Parameters = append(op.Parameters, item.Parameters...)
			if err := op.prepare(); err != nil {
				return nil, err
			}
			c.operations[op.ID] = op
		}
		slices.Sort(methods)
		at.allow = strings.Join(methods, ", ")
	}
	return c, nil
}

// resolve puts in place of each reference what it refers to. There is no cycle in the document.
func resolve(document []byte) ([]byte, error) {
	var root any
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	if err := decoder.Decode(&root); err != nil {
		return nil, err
	}
	var walk func(any) any
	walk = func(node any) any {
		switch node := node.(type) {
		case map[string]any:
			if ref, ok := node["$ref"].(string); ok {
				target := root
				for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
					at, _ := target.(map[string]any)
					target = at[name]
				}
				return walk(target)
			}
			copied := make(map[string]any, len(node))
			for name, child := range node {
				copied[name] = walk(child)
			}
			return copied
		case []any:
			copied := make([]any, len(node))
			for i, child := range node {
				copied[i] = walk(child)
			}
			return copied
		default:
			return node
		}
	}
	return json.Marshal(walk(root))
}

// grow makes the place of a path template, and returns it with the names of the template's variables.
func (p *place) grow(template string) (*place, []string) {
	var names []string
	for segment := range strings.SplitSeq(strings.TrimPrefix(template, "/"), "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
			if p.variable == nil {
				p.variable = &place{}
			}
			p = p.variable
			continue
		}
		if p.literal == nil {
			p.literal = map[string]*place{}
		}
		if p.literal[segment] == nil {
			p.literal[segment] = &place{}
		}
		p = p.literal[segment]
	}
	return p, names
}

// find is the place of a path and the values of its variables, nil if the document has no such path.
func (c *contract) find(path string) (*place, []string) {
	at := c.root
	var values []string
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if next := at.literal[segment]; next != nil {
			at = next
			continue
		}
		value, err := url.PathUnescape(segment)
		if at.variable == nil || value == "" || err != nil {
			return nil, nil
		}
		values = append(values, value)
		at = at.variable
	}
	if at.methods == nil {
		return nil, nil
	}
	return at, values
}

// prepare finds the operation's method, and readies its schemas.
func (o *operation) prepare() error {
	o.answer = answers[o.ID]
	for i := range o.Parameters {
		if err := o.Parameters[i].Schema.prepare(); err != nil {
			return err
		}
	}
	if o.RequestBody == nil {
		return nil
	}
	for mediaType, content := range o.RequestBody.Content {
		o.mediaType, o.body = mediaType, content.Schema // each has one
	}
	return o.body.prepare()
}

// call is a request that fits the document.
type call struct {
	now time.Duration
	// given are the parameters, body the properties of the content.
	given, body fields
	header      []messages.Field
}

// read reads a request as the document describes it; misfit says why it cannot be read, "" if it can. Lax is what the
// faulty API is: it overlooks some things.
func (o *operation) read(r Request, values []string, query string, lax bool) (c *call, misfit string) {
	c = &call{given: fields{}, header: r.Header}
	pairs, ok := readPairs(query)
	if !ok {
		return nil, "the query is not percent-encoded"
	}
	for i := range o.Parameters {
		p := &o.Parameters[i]
		texts := p.texts(r, o.path, values, pairs)
		if len(texts) == 0 {
			if p.Required {
				return nil, p.Name + " is missing"
			}
			continue
		}
		value, misfit := p.Schema.read(texts, p.Name)
		if misfit != "" {
			return nil, misfit
		}
		c.given[p.Name] = value
	}
	if o.body != nil {
		c.body, misfit = o.readBody(r, lax)
	}
	return c, misfit
}

// texts are the parameter's values as they stand in the request.
func (p *parameter) texts(r Request, names, values []string, query []pair) []string {
	var texts []string
	switch p.In {
	case "path":
		texts = values[slices.Index(names, p.Name):][:1]
	case "query":
		texts = named(query, p.Name)
	case "header":
		if value := messages.Get(r.Header, p.Name); value != "" {
			texts = []string{value}
		}
	case "cookie":
		for part := range strings.SplitSeq(messages.Get(r.Header, "Cookie"), ";") {
			if name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name == p.Name {
				texts = append(texts, value)
			}
		}
	}
	if p.Explode != nil && !*p.Explode && len(texts) == 1 {
		texts = strings.Split(texts[0], ",")
	}
	return texts
}

func (o *operation) readBody(r Request, lax bool) (fields, string) {
	mediaType, _, _ := strings.Cut(messages.Get(r.Header, "Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(mediaType), o.mediaType) {
		return nil, "the content must be " + o.mediaType
	}
	var value any
	if o.mediaType == "application/x-www-form-urlencoded" {
		form, misfit := o.body.readForm(string(r.Body))
		if misfit != "" {
			return nil, misfit
		}
		value = form
	} else {
		decoder := json.NewDecoder(bytes.NewReader(r.Body))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			return nil, "the content is not JSON"
		}
		if _, err := decoder.Token(); err != io.EOF {
			return nil, "the content is more than one JSON value"
		}
	}
	misfit := o.body.misfit(value, "the content")
	if content, ok := value.(map[string]any); ok && lax && misfit != "" && overlooked[o.ID] != nil {
		overlooked[o.ID](content)
		misfit = o.body.misfit(value, "the content")
	}
	if misfit != "" {
		return nil, misfit
	}
	return value.(map[string]any), "" // each body's schema is an object
}

var amount = regexp.MustCompile(`^[0-9]+$`)

// overlooked is what the faulty API makes of content that does not fit the document, by the operation, before it looks
// at it again.
var overlooked = map[string]func(content map[string]any){
	"planEvent": func(content map[string]any) {
		if seats, ok := content["seats"].(json.Number); ok && amount.MatchString(string(seats)) && whole(seats) > mostSeats {
			content["seats"] = json.Number(strconv.Itoa(mostSeats))
		}
	},
	"signUp": func(content map[string]any) {
		if password, ok := content["password"].(string); ok && len(password) < 8 {
			content["password"] = password + strings.Repeat(" ", 8-len(password))
		}
	},
	"contactShop": func(content map[string]any) {
		if email, ok := content["email"].(string); ok && !hasFormat("email", email) {
			delete(content, "email")
		}
	},
}

// pair is one name and value of a query or a form.
type pair struct{ name, value string }

func readPairs(text string) ([]pair, bool) {
	var pairs []pair
	for part := range strings.SplitSeq(text, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(name)
		if err != nil {
			return nil, false
		}
		value, err = url.QueryUnescape(value)
		if err != nil {
			return nil, false
		}
		pairs = append(pairs, pair{name, value})
	}
	return pairs, true
}

func named(pairs []pair, name string) []string {
	var values []string
	for _, p := range pairs {
		if p.name == name {
			values = append(values, p.value)
		}
	}
	return values
}

// splitTarget is the path and the query of a request target.
func splitTarget(target string) (path, query string) {
	if _, rest, ok := strings.Cut(target, "://"); ok && !strings.HasPrefix(target, "/") {
		target = "/"
		if slash := strings.IndexByte(rest, '/'); slash >= 0 {
			target = rest[slash:]
		}
	}
	path, query, _ = strings.Cut(target, "?")
	return path, query
}
