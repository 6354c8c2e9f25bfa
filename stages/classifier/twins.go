package classifier

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/classifier/checks"
)

// twins remembers, for each operation, what accepted requests were like: their outlines, which are all that the document
// constrains of them, and the values at the places where it constrains nothing. Both are hashes. A nil twins remembers
// nothing.
type twins []*likes

// likes are what is remembered for one operation, nil for one of which nothing can be.
type likes struct {
	operation *document.Operation
	outlines  map[uint64]bool
	// values are all the free ones that were accepted: an API may take each of them once only.
	values map[uint64]bool
	// over is true once there were too many: then it cannot be said any more that a value is a new one.
	over bool
}

// mostValues and mostOutlines bound what is remembered for an operation.
const (
	mostValues   = 512
	mostOutlines = 64
)

func newTwins(operations []*document.Operation) twins {
	t := make(twins, len(operations))
	for i, op := range operations {
		if !op.SignIn && !strings.Contains(op.Path, "{") && leavesFree(op) {
			t[i] = &likes{operation: op, outlines: map[uint64]bool{}, values: map[uint64]bool{}}
		}
	}
	return t
}

// leavesFree says whether requests of the operation can have values that the document does not constrain.
func leavesFree(op *document.Operation) bool {
	return op.Body != nil || slices.ContainsFunc(op.Parameters, func(p *document.Parameter) bool { return free(p.Schema) })
}

func (t twins) of(r *messages.Request) *likes {
	if r.Operation < 0 || r.Operation >= len(t) || t[r.Operation] == nil || t[r.Operation].over {
		return nil
	}
	return t[r.Operation]
}

// learn remembers a request that was accepted.
func (t twins) learn(e *messages.Exchange) {
	r := e.Request
	l := t.of(r)
	if l == nil || e.Outcome != messages.Answered || e.Reply == nil || len(e.Hops) > 0 || e.Reply.Status < 200 || e.Reply.Status > 299 {
		return
	}
	o := l.outline(r)
	if o.unread {
		l.over = true // what was accepted cannot be compared
		return
	}
	if r.Valid && r.Breaks == "" && len(l.outlines) < mostOutlines {
		l.outlines[o.hash()] = true
	}
	for _, v := range o.free {
		l.values[v] = true
	}
	if len(l.values) > mostValues {
		l.over, l.outlines, l.values = true, nil, nil
	}
}

// accepted says whether a twin of the request was: one that differs from it in free values alone, each of which is new.
func (t twins) accepted(r *messages.Request) bool {
	l := t.of(r)
	if l == nil {
		return false
	}
	o := l.outline(r)
	return !o.unread && len(o.free) > 0 && l.outlines[o.hash()] &&
		!slices.ContainsFunc(o.free, func(v uint64) bool { return l.values[v] })
}

// outline is a request with its free values taken out.
type outline struct {
	text strings.Builder
	free []uint64
	// unread is true if there is content that cannot be read.
	unread bool
}

func (o *outline) hash() uint64 { return hashOf(o.text.String()) }

func hashOf(text string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text)
	return h.Sum64()
}

func (l *likes) outline(r *messages.Request) *outline {
	o := &outline{}
	path, query, _ := strings.Cut(r.Target, "?")
	o.text.WriteString(path)
	pairs := strings.Split(query, "&")
	slices.Sort(pairs)
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		o.value("query."+name, value, l.parameter("query", name))
	}
	for _, p := range l.operation.Parameters {
		if p.In == "header" {
			o.value("header."+p.Name, messages.Get(r.Header, p.Name), p.Schema)
		}
	}
	o.value("header.Cookie", messages.Get(r.Header, "Cookie"), nil)
	if len(r.Body) == 0 {
		return o
	}
	contentType := messages.Get(r.Header, "Content-Type")
	o.value("header.Content-Type", contentType, nil)
	decoder := json.NewDecoder(bytes.NewReader(r.Body))
	decoder.UseNumber()
	var body any
	if l.operation.Body == nil || !strings.Contains(contentType, "json") || decoder.Decode(&body) != nil {
		o.unread = true
		return o
	}
	var schema *document.Schema
	for _, m := range l.operation.Body.Media {
		if strings.HasPrefix(contentType, m.Type) {
			schema = m.Schema
		}
	}
	o.walk("body", body, schema)
	return o
}

func (l *likes) parameter(in, name string) *document.Schema {
	for _, p := range l.operation.Parameters {
		if p.In == in && p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// walk writes a value of a body.
func (o *outline) walk(place string, v any, s *document.Schema) {
	switch v := v.(type) {
	case map[string]any:
		o.text.WriteString("{")
		for _, name := range slices.Sorted(maps.Keys(v)) {
			o.walk(place+"."+name, v[name], propertyOf(s, name))
		}
		o.text.WriteString("}")
	case []any:
		var items *document.Schema
		if s != nil {
			items = s.Items
		}
		o.text.WriteString("[")
		for _, item := range v {
			o.walk(place, item, items)
		}
		o.text.WriteString("]")
	case string:
		o.value(place, v, s)
	case json.Number:
		o.value(place, string(v), s)
	case bool:
		o.value(place, strconv.FormatBool(v), nil)
	default:
		o.value(place, "null", nil)
	}
}

// propertyOf is the schema of a property where it is plain: where nothing is combined.
func propertyOf(s *document.Schema, name string) *document.Schema {
	if s == nil || combines(s) {
		return nil
	}
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// value writes the value of a place, or that it is free there.
func (o *outline) value(place, text string, s *document.Schema) {
	o.text.WriteString("\x00" + place + "=")
	if !free(s) || checks.NamesThing(place) {
		o.text.WriteString(text)
		return
	}
	o.free = append(o.free, hashOf(place+"="+text))
}

// free says whether the document constrains nothing but the type of a value, which is a text or a number.
func free(s *document.Schema) bool {
	return s != nil && len(s.Types) == 1 && (s.Types[0] == "string" || s.Types[0] == "integer" || s.Types[0] == "number") &&
		!combines(s) && !s.HasEnum && !s.HasConst && s.Format == "" && s.Pattern == "" && s.ContentEncoding == "" && s.ContentMediaType == "" &&
		s.MinLength <= 0 && s.MaxLength < 0 && s.Unusable == "" &&
		s.Minimum == nil && s.Maximum == nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil && s.MultipleOf == nil
}

// combines says whether other schemas say something of the value, too.
func combines(s *document.Schema) bool {
	return len(s.AllOf)+len(s.OneOf)+len(s.AnyOf) > 0 || s.Not != nil || s.If != nil
}
