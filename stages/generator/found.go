package generator

import (
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document/graph"
	"github.com/restest/restest/stages/generator/values"
)

// madeThing is the address of the thing that a successful request has made, as far as one can know: from where the reply
// leads, what it holds, what it says as a plain text, or the name that was asked for.
func (m *memory) madeThing(p *plan, r *graph.Resource, sent []string, l *messages.Learned) (thing, bool) {
	if r.Create != p.op.Index {
		// A PUT to the thing's own address makes it where it says so.
		whole := p.path.endsInGap() && len(sent) == r.Depth && r.Replace == p.op.Index
		return texts(sent), whole && l.Reply.Status == 201
	}
	if location := messages.Get(l.Reply.Header, "Location"); location != "" {
		for _, q := range m.paths {
			if n := len(q.gaps); n != r.Depth || q.gaps[n-1].kind != r.Collection {
				continue
			}
			if found := q.located(l.Request.Target, location); len(found) == r.Depth {
				return texts(found), true
			}
		}
	}
	above := texts(sent)
	if len(above) != r.Depth-1 {
		return nil, false
	}
	id, ok := m.madeID(r, l)
	return append(above, id), ok
}

// madeID is the value that identifies the thing that was made, within its collection.
func (m *memory) madeID(r *graph.Resource, l *messages.Learned) (any, bool) {
	for _, o := range objects(l.Value, false) {
		if id, ok := identifier(o, r.Gap, r.Noun, m.texts(r)); ok {
			return id, true
		}
	}
	if items, ok := l.Value.([]any); ok && len(items) == 1 && sayable(items[0]) {
		return items[0], true
	}
	if sayable(l.Value) {
		return l.Value, true
	}
	if id, ok := plainID(l.Reply); ok {
		return id, true
	}
	if v, ok := bodyOf(l.Request); ok {
		if o, isObject := v.(map[string]any); isObject {
			if id, ok := identifier(o, r.Gap, r.Noun, m.texts(r)); ok {
				return id, true
			}
			// What says nothing of an id may go by the name it was given.
			silent := l.Value == nil && messages.Get(l.Reply.Header, "Location") == ""
			if name, ok := o["name"].(string); ok && silent && sayable(name) {
				return name, true
			}
		}
	}
	return nil, false
}

// texts says whether only texts fit the gap of the resource's things.
func (m *memory) texts(r *graph.Resource) bool {
	k := m.kinds[r.Collection]
	return k != nil && k.by(r.Gap) != nil && k.by(r.Gap).texts
}

// longestPlainID is how long a reply of plain text is at most that is taken for an id.
const longestPlainID = 64

// plainID is a reply that is a text of one word.
func plainID(r *messages.Reply) (string, bool) {
	mediaType, _, err := mime.ParseMediaType(messages.Get(r.Header, "Content-Type"))
	if err != nil || mediaType != "text/plain" || len(r.Body) > longestPlainID+2 {
		return "", false
	}
	text := strings.Trim(strings.TrimSpace(string(r.Body)), `"`)
	odd := func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_.:", c)
	}
	if text == "" || len(text) > longestPlainID || strings.ContainsFunc(text, odd) || !strings.ContainsFunc(text, unicode.IsDigit) {
		return "", false // "OK" and "Created" are no ids
	}
	return text, true
}

// keepThing remembers a thing under each name that its gap goes by.
func (m *memory) keepThing(r *graph.Resource, t thing) {
	k := m.kinds[r.Collection]
	if k == nil {
		return
	}
	for _, b := range k.gaps {
		m.keep(r.Collection, b.name, t, true)
	}
}

// located are the values of the gaps where the field's address is one of this path: given whole or relative, with the
// base path or without it, or behind a prefix that a gateway has put before it. It is nil where it is not.
func (p *path) located(target, location string) []string {
	base, err := url.Parse(target)
	if err != nil {
		return nil
	}
	u, err := base.Parse(location)
	if err != nil {
		return nil
	}
	at := strings.TrimSuffix(u.EscapedPath(), "/")
	candidates := []string{at, p.base + at}
	if !strings.Contains(location, "/") {
		candidates = append(candidates, strings.TrimSuffix(base.EscapedPath(), "/")+"/"+at[strings.LastIndexByte(at, '/')+1:])
	}
	if segments := strings.Split(at, "/"); len(segments) > len(p.segments) {
		candidates = append(candidates, p.base+"/"+strings.Join(segments[len(segments)-len(p.segments)+1:], "/"))
	}
	for _, c := range candidates {
		if found := p.values(c); len(found) == len(p.gaps) && len(found) > 0 && !slices.Contains(found, "") {
			return found
		}
	}
	return nil
}

// learnLinks keeps what the reply's declared links say that other operations can be sent with.
func (m *memory) learnLinks(p *plan, l *messages.Learned, sent []string) {
	links := graph.LinksFor(p.op, l.Reply.Status)
	if len(links) == 0 {
		return
	}
	e := &graph.Exchange{
		Method: l.Request.Method, URL: l.Request.Target, Status: strconv.Itoa(l.Reply.Status), ResponseBody: l.Value,
		RequestHeader:  fieldsOf(l.Request.Header),
		ResponseHeader: fieldsOf(l.Reply.Header),
		Path: func(name string) (string, bool) {
			at := slices.IndexFunc(p.path.gaps, func(g gap) bool { return g.name == name })
			if at < 0 || at >= len(sent) {
				return "", false
			}
			return sent[at], true
		},
		Query: func(name string) (string, bool) {
			_, query, _ := strings.Cut(l.Request.Target, "?")
			return queryValue(query, name)
		},
	}
	e.RequestBody, _ = bodyOf(l.Request)
	for _, k := range links {
		consumer := m.consumers[k.Operation]
		if consumer == nil {
			continue
		}
		address := make(thing, 0, len(consumer.path.gaps))
		for _, parameter := range k.Parameters {
			v, ok := graph.Evaluate(parameter.Value, e)
			if !ok || !sayable(v) {
				continue
			}
			name := parameter.Name
			for i := range consumer.path.gaps {
				if g := &consumer.path.gaps[i]; g.name == parameter.Name && parameter.In != "query" && parameter.In != "header" {
					name = g.memoryName()
					if i == len(address) {
						address = append(address, v)
					}
				}
			}
			m.keepName(values.Key(name), v, origin{maker: noOne})
		}
		if n := len(consumer.path.gaps); n > 0 && len(address) == n && consumer.path.gaps[n-1].kind != "" {
			m.keep(consumer.path.gaps[n-1].kind, consumer.path.gaps[n-1].name, address, false)
		}
		if v, ok := graph.Evaluate(k.Body, e); ok && k.HasBody {
			m.learnNames(v, "", subject(consumer), 0, origin{maker: noOne})
		}
	}
}

func fieldsOf(fields []messages.Field) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v := messages.Get(fields, name)
		return v, v != ""
	}
}
