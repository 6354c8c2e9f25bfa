package generator

import (
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator/draft"
	"github.com/restest/restest/stages/generator/values"
)

// plan is what is worked out once for an operation, so that building a request is quick.
type plan struct {
	op    *document.Operation
	path  path
	query []*parameter
	// whole is the parameter that is the whole query, nil where there is none.
	whole  *parameter
	header []*parameter
	cookie []*parameter
	body   *body

	// taken are the places of credentials, those that are obtained later among them: nothing is invented there.
	taken []credentials.Placed
	// carried are the credentials of the user whose request is built; carries those of each user.
	*carried
	carries []*carried
	// first are the header fields that never change.
	first []messages.Field
	// room is how many origins a request had lately.
	room int
	// form is what requests are made of, drawn the parts of the one that was built last.
	form  draft.Form
	drawn draft.Draft

	chances chances
	// deletes says whether it is a DELETE of things that another operation makes.
	deletes bool
	// locks says whether its requests could lock out whom they lead to, tells whether its replies are about whoever asks.
	locks, tells bool
	// optional counts the optional parameters, chance is how likely one is sent in the present request.
	optional int
	chance   float64
	// reason says why the last request could not be built.
	reason string
}

// chances are how likely optional parts are sent.
type chances struct{ parameter, body float64 }

// parameter is how one parameter is made and written.
type parameter struct {
	part        int // in the form
	name        string
	escapedName string
	place       string // "query.limit"
	required    bool
	style       style
	content     *content // nil for a parameter that has a style
	field       values.Field
}

// newPlan works out the plan; the reason says why no request can be built.
func newPlan(cfg *Config, shapes *values.Shapes, op *document.Operation) (p *plan, reason string) {
	p = &plan{op: op, chances: chances{cfg.Settings.Generation.OptionalParameterChance, cfg.Settings.Generation.OptionalBodyChance}}
	for user := range max(1, len(cfg.Keys.Users())) {
		p.taken = append(p.taken, cfg.Keys.For(cfg.Document, op, user, func(int) []credentials.Placed { return nil })...)
	}
	p.path = newPath(op)
	for _, declared := range op.Parameters {
		if p.isLeftOut(declared) {
			continue
		}
		q := newParameter(shapes, declared, p.path.nameFor(declared))
		if q.field.Shape.Possible() {
			p.add(declared.In, q)
		} else if declared.Required || declared.In == "path" {
			return nil, q.place + ": " + q.field.Shape.Why()
		}
	}
	for i := range p.path.gaps {
		if g := &p.path.gaps[i]; g.parameter == nil {
			// A gap that no parameter describes is filled with a word.
			g.parameter = newParameter(shapes, &document.Parameter{
				Name: g.name, In: "path", Required: true, Style: "simple", Schema: values.OfType("string"),
			}, g.memoryName())
		}
	}
	if op.Body != nil {
		b, why := newBody(shapes, op.Body)
		if why != "" && op.Body.Required {
			return nil, why
		}
		p.body = b
	}
	for _, list := range [][]*parameter{p.query, p.header, p.cookie} {
		for _, q := range list {
			if !q.required {
				p.optional++
			}
		}
	}
	p.first = []messages.Field{{Name: "User-Agent", Value: cfg.Settings.Engine.UserAgent}, {Name: "Accept", Value: accept(op)}}
	p.first = slices.DeleteFunc(p.first, func(f messages.Field) bool { return f.Value == "" || p.hasHeader(f.Name) })
	p.carried = p.carry(cfg.Keys.For(cfg.Document, op, 0, func(int) []credentials.Placed { return nil }))
	p.form, p.drawn.Content = p.newForm(), -1
	return p, ""
}

// carry works out what requests with these credentials share.
func (p *plan) carry(keys []credentials.Placed) *carried {
	c := &carried{}
	for _, k := range keys {
		c.take(k)
	}
	c.all = slices.Clip(slices.Concat(p.first, c.cookieField(nil), c.last))
	if len(p.path.gaps) == 0 && len(p.query) == 0 && p.whole == nil {
		c.target = string(c.appendQueryKeys([]byte(p.path.literals[0])))
	}
	return c
}

// isLeftOut says whether the parameter is not the generator's to fill.
func (p *plan) isLeftOut(declared *document.Parameter) bool {
	same := func(name string) bool { return strings.EqualFold(name, declared.Name) }
	taken := func(in string, same func(string) bool) bool {
		return slices.ContainsFunc(p.taken, func(k credentials.Placed) bool { return k.In == in && same(k.Name) })
	}
	is := func(name string) bool { return name == declared.Name }
	switch declared.In {
	case "header":
		return !isToken(declared.Name) ||
			taken("header", same) ||
			slices.ContainsFunc(p.header, func(q *parameter) bool { return same(q.name) }) ||
			same("Cookie") && p.sendsCookies()
	case "query":
		return taken("query", is)
	case "querystring":
		return false
	case "cookie":
		return taken("cookie", is) || !isToken(declared.Name)
	case "path":
		return !slices.ContainsFunc(p.path.gaps, func(g gap) bool { return g.name == declared.Name })
	default:
		return true
	}
}

// sendsCookies says whether the operation has cookies of its own, beside which a header parameter would be a second
// Cookie line.
func (p *plan) sendsCookies() bool {
	return slices.ContainsFunc(p.taken, func(k credentials.Placed) bool { return k.In == "cookie" }) || slices.ContainsFunc(p.op.Parameters, func(q *document.Parameter) bool { return q.In == "cookie" })
}

func newParameter(shapes *values.Shapes, declared *document.Parameter, memoryName string) *parameter {
	schema := declared.Schema
	if schema == nil {
		schema = values.OfType("string")
		if kindOf(declared.Content) == formKind {
			schema = values.OfType("object")
		}
	}
	q := &parameter{
		name:        declared.Name,
		escapedName: string(escape(nil, declared.Name, &unreserved)),
		place:       declared.In + "." + declared.Name,
		required:    declared.Required,
		style:       style{declared.Style, declared.Explode, declared.AllowReserved, declared.AllowEmpty && declared.In == "query"},
		field:       values.NewField(memoryName, shapes.Of(schema), declared.Examples...),
	}
	q.field.Describe(declared.Description)
	if declared.Content != "" {
		q.content = &content{
			kind: kindOf(declared.Content), contentType: declared.Content, field: q.field,
			media: &document.Media{Type: declared.Content, Schema: declared.Schema, Encoding: declared.Encoding},
		}
		switch q.content.kind {
		case multipartKind, mixedKind, bytesKind, unknownKind:
			q.content.kind = textKind // text of another type goes as it is
		}
	}
	return q
}

func (p *plan) add(in string, q *parameter) {
	switch in {
	case "path":
		for i := range p.path.gaps {
			if p.path.gaps[i].name == q.name {
				p.path.gaps[i].parameter = q
			}
		}
	case "query":
		p.query = append(p.query, q)
	case "querystring":
		p.whole = q
	case "header":
		p.header = append(p.header, q)
	case "cookie":
		p.cookie = append(p.cookie, q)
	}
}

// hasHeader says whether a required parameter or a key gives the field.
func (p *plan) hasHeader(name string) bool {
	return slices.ContainsFunc(p.header, func(q *parameter) bool { return strings.EqualFold(q.name, name) && q.required }) ||
		slices.ContainsFunc(p.taken, func(k credentials.Placed) bool { return k.In == "header" && strings.EqualFold(k.Name, name) })
}

// cookieField is the Cookie field of the pairs and the keys, none where there are neither.
func (c *carried) cookieField(pairs []byte) []messages.Field {
	for _, k := range c.cookieKeys {
		if len(pairs) > 0 {
			pairs = append(pairs, "; "...)
		}
		pairs = append(append(append(pairs, k.Name...), '='), k.Value...)
	}
	if len(pairs) == 0 {
		return nil
	}
	return []messages.Field{{Name: "Cookie", Value: string(pairs)}}
}

func (c *carried) appendQueryKeys(target []byte) []byte {
	for _, k := range c.queryKeys {
		target = escape(startPair(target), k.Name, &unreserved)
		target = escape(append(target, '='), k.Value, &unreserved)
	}
	return target
}

// startPair appends what stands before the next pair of a query.
func startPair(target []byte) []byte {
	if slices.Contains(target, '?') {
		return append(target, '&')
	}
	return append(target, '?')
}
