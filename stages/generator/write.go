package generator

import (
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/generator/draft"
)

// newForm tells the strategies what requests are made of.
func (p *plan) newForm() draft.Form {
	var f draft.Form
	for _, q := range p.parameters() {
		q.part = len(f.Parts)
		in, _, _ := strings.Cut(q.place, ".")
		f.Parts = append(f.Parts, draft.Part{
			Place: q.place, In: in, Name: q.name, Required: q.required, Field: &q.field,
			Typed: q.content != nil && q.content.kind == jsonKind,
		})
	}
	if p.body == nil {
		return f
	}
	f.BodyRequired = p.body.required
	for _, m := range p.op.Body.Media {
		f.Declared = append(f.Declared, m.Type)
	}
	for _, c := range p.body.contents {
		kind := draft.Opaque
		switch {
		case c.raw, c.media.Schema == nil: // no schema, no rules
		case c.kind == jsonKind:
			kind = draft.JSON
		case c.kind == formKind && len(c.media.Encoding) == 0:
			kind = draft.Pairs
		}
		f.Contents = append(f.Contents, draft.Content{Type: c.contentType, Kind: kind, Field: &c.field})
	}
	return f
}

// parameters are all of them, those of the path first.
func (p *plan) parameters() []*parameter {
	var all []*parameter
	for i := range p.path.gaps {
		all = append(all, p.path.gaps[i].parameter)
	}
	all = append(all, p.query...)
	if p.whole != nil {
		all = append(all, p.whole)
	}
	return append(append(all, p.header...), p.cookie...)
}

// write writes a request of parts that are decided, nil where one of them cannot be sent in its place.
func (p *plan) write(g *Generator, c *draft.Change) *messages.Request {
	r := &messages.Request{Operation: p.op.Index, Method: p.op.Method}
	switch {
	case c.ByDiscriminator: // something is broken already, and it cannot be said that nothing else is
		r.ByDiscriminator = !c.Invalid && c.Breaks == ""
	case c.Breaks != "":
		r.Breaks = c.Breaks
	default:
		r.Valid = !c.Invalid
	}
	target, ok := p.writeDecidedTarget(c, g.target[:0])
	g.target = target
	if !ok {
		return nil
	}
	if len(target) > longestTarget {
		return nil
	}
	r.Target = string(target)
	var contentType string
	if r.Body, contentType, ok = p.writeDecidedBody(g, c); !ok {
		return nil
	}
	if r.Header, ok = p.writeDecidedHeader(c, contentType); !ok {
		return nil
	}
	r.Origins = slices.Concat(c.Origins, []messages.Origin{{Place: c.Place, Source: c.Source}}, p.keyOrigins)
	return r
}

// What servers refuse whatever it says (RFC 9112 §3: at least 8,000 octets of a request line should be supported; many
// take all of the header together for less) would tell nothing of the operation.
const (
	longestTarget = 4000
	longestField  = 2000
)

// sent is the value that the parameter is sent with where it belongs.
func sent(c *draft.Change, q *parameter) (any, bool) {
	if c.Moved == q.part {
		return nil, false
	}
	return c.Of(q.part)
}

// moved is the parameter that is sent at this place though it belongs elsewhere, nil for none.
func (p *plan) moved(c *draft.Change, to string) (q *parameter, v any) {
	if c.Moved < 0 || c.To != to {
		return nil, nil
	}
	q = p.parameters()[c.Moved]
	v, _ = c.Of(c.Moved)
	return q, v
}

func (p *plan) writeDecidedTarget(c *draft.Change, target []byte) ([]byte, bool) {
	for i := range p.path.gaps {
		target = append(target, p.path.literals[i]...)
		v, there := sent(c, p.path.gaps[i].parameter)
		if !there {
			return target, false // a path without a value is another path
		}
		var ok bool
		if target, ok = p.path.gaps[i].parameter.appendPath(target, v); !ok {
			return target, false
		}
	}
	target = append(target, p.path.literals[len(p.path.gaps)]...)
	if !sendable(target) {
		return target, false
	}
	pair := func(v any, write func([]byte, any) ([]byte, bool)) (ok bool) {
		mark := len(target)
		written, ok := write(startPair(target), v)
		if target = written; len(target) == mark+1 {
			target = target[:mark]
		}
		return ok
	}
	if q := p.whole; q != nil {
		if v, there := sent(c, q); there && !pair(v, q.appendWholeQuery) {
			return target, false
		}
	}
	for _, q := range p.query {
		if v, there := sent(c, q); there && !pair(v, q.appendQuery) {
			return target, false
		}
	}
	if q, v := p.moved(c, "query"); q != nil {
		ok := pair(v, func(dst []byte, v any) ([]byte, bool) {
			return escape(append(append(dst, q.escapedName...), '='), plainText(v), &unreserved), true
		})
		if !ok {
			return target, false
		}
	}
	return p.appendQueryKeys(target), true
}

func (p *plan) writeDecidedBody(g *Generator, c *draft.Change) (data []byte, contentType string, ok bool) {
	if c.Content >= 0 {
		content := p.body.contents[c.Content]
		if verbatim, is := c.Body.(draft.Verbatim); is {
			data, contentType = verbatim, content.contentType
		} else if data, contentType, ok = content.encode(g.draw, c.Body); !ok {
			return nil, "", false
		}
	}
	if c.Rewrite != nil {
		data = c.Rewrite(data)
	}
	if c.ContentType != "" {
		contentType = c.ContentType
	}
	return data, contentType, true
}

func (p *plan) writeDecidedHeader(c *draft.Change, contentType string) ([]messages.Field, bool) {
	fields := make([]messages.Field, 0, len(p.first)+len(p.header)+len(p.last)+3)
	fields = append(fields, p.first...)
	if c.Accept != "" {
		fields = setField(fields, "Accept", c.Accept)
	}
	if contentType != "" {
		fields = append(fields, messages.Field{Name: "Content-Type", Value: contentType})
	}
	for _, q := range p.header {
		v, there := sent(c, q)
		if !there {
			continue
		}
		value, ok := q.headerText(v)
		if !ok || !travels(value) || len(value) > longestField {
			return nil, false
		}
		fields = setField(fields, q.name, value)
	}
	if q, v := p.moved(c, "header"); q != nil {
		value := plainText(v)
		if !isToken(q.name) || !travels(value) || messages.Get(fields, q.name) != "" {
			return nil, false
		}
		fields = append(fields, messages.Field{Name: q.name, Value: value})
	}
	var cookies []byte
	cookie := func(v any, write func([]byte, any) ([]byte, bool)) (ok bool) {
		if len(cookies) > 0 {
			cookies = append(cookies, "; "...)
		}
		cookies, ok = write(cookies, v)
		return ok
	}
	for _, q := range p.cookie {
		if v, there := sent(c, q); there && !cookie(v, q.appendCookie) {
			return nil, false
		}
	}
	if q, v := p.moved(c, "cookie"); q != nil && (!isToken(q.name) || !cookie(v, q.appendCookie)) {
		return nil, false
	}
	if len(cookies) > longestField {
		return nil, false
	}
	fields = append(fields, p.cookieField(cookies)...)
	return append(fields, p.last...), true
}
