package draft

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/restest/restest/stages/generator/values"
)

// Place is where a value stands in a draft: a parameter, the body, or something within one of them.
type Place struct {
	// Name is such as "query.limit" or "body.tags[0]".
	Name string
	// Part is the parameter, in Form.Parts; -1 for the body, which is of the media type Content, in Form.Contents.
	Part, Content int
	// Field makes values for it, and Required says whether what it stands in has to have it.
	Field    *values.Field
	Required bool
	// Typed is true where values keep their type; all others are written as text.
	Typed bool
	// Plain is true if nothing around it decides whether its value fits (values.Shape.Plain).
	Plain bool
	root  *values.Field // of the whole parameter or body
	path  []step
}

// step is one step down into a value: to a property, or to the first item where the name is "".
type step struct {
	name  string
	field *values.Field
}

const (
	deepestPlace = 6
	// mostPlaces bounds the places of one operation, so that a document of a thousand operations stays small.
	mostPlaces = 120
)

// Root says whether it is a whole parameter or the whole body.
func (p *Place) Root() bool { return len(p.path) == 0 }

// Depth is how many steps down from the whole parameter or body it is.
func (p *Place) Depth() int { return len(p.path) }

// Property is the name of the property that it is, "" for what is none.
func (p *Place) Property() string {
	if p.Root() {
		return ""
	}
	return p.path[len(p.path)-1].name
}

// Places are the places of the form, in the order of the document: the parameters, then the body, what is within a value
// after the value. Of the many that a large schema has the first are told.
func (f *Form) Places() []Place {
	if f.looked {
		return f.places
	}
	f.looked = true
	for i := range f.Parts {
		p := &f.Parts[i]
		f.visit(Place{Name: p.Place, Part: i, Field: p.Field, Required: p.Required, Typed: p.Typed, Plain: true, root: p.Field}, nil)
	}
	for i := range f.Contents {
		c := &f.Contents[i]
		if c.Kind == Opaque || i > 0 && c.Kind == f.Contents[0].Kind {
			continue // the same schema once more, mostly
		}
		f.visit(Place{Name: "body", Part: -1, Content: i, Field: c.Field, Required: f.BodyRequired, Typed: c.Kind == JSON, Plain: true, root: c.Field}, nil)
	}
	f.places = slices.Clip(f.places)
	return f.places
}

func (f *Form) visit(p Place, above []*values.Shape) {
	s := p.Field.Shape
	if len(f.places) >= mostPlaces || len(above) > deepestPlace || slices.Contains(above, s) || !s.Possible() {
		return
	}
	f.places = append(f.places, p)
	above = append(above, s)
	plain := p.Plain && s.Plain()
	below := func(name string, next step, required bool) {
		f.visit(Place{
			Name: name, Part: p.Part, Content: p.Content, Field: next.field, Required: required, Typed: p.Typed, Plain: plain, root: p.root,
			path: append(slices.Clip(p.path), next),
		}, above)
	}
	if item := s.ItemAt(0); s.Allows("array") && (p.Typed || p.Root() && p.Part >= 0) && item.Possible() {
		field := values.NewField(p.Field.Name, item)
		below(p.Name+"[0]", step{field: &field}, false)
	}
	// The properties of a parameter that is text are written in too many ways to be told apart.
	if s.Allows("object") && (p.Typed || p.Part < 0 && p.Root()) {
		for _, q := range s.Properties() {
			if q.Field.Name != "" {
				below(p.Name+"."+q.Field.Name, step{q.Field.Name, q.Field}, q.Required)
			}
		}
	}
}

// In is the value at the place.
func (p *Place) In(d *Draft) (any, bool) {
	v, ok := p.whole(d)
	for _, s := range p.path {
		if !ok {
			break
		}
		v, ok = s.down(v)
	}
	return v, ok
}

// whole is the value of the whole parameter or body.
func (p *Place) whole(d *Draft) (any, bool) {
	if p.Part >= 0 {
		return d.Of(p.Part)
	}
	return d.Body, d.Content == p.Content
}

func (s step) down(v any) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		w, ok := v[s.name]
		return w, ok && s.name != ""
	case []any:
		if s.name == "" && len(v) > 0 {
			return v[0], true
		}
	}
	return nil, false
}

// Put is the draft with the value at the place, and what it stands in made where it is missing. The draft itself stays as
// it is. It says whether that could be done, and nothing around the place is the worse for it.
func (p *Place) Put(draw *values.Draw, d *Draft, v any) (Draft, bool) {
	root, there := p.whole(d)
	changed, ok := put(draw, root, there, p.root, p.path, v)
	if !ok {
		return *d, false
	}
	if p.Part >= 0 {
		return d.With(p.Part, changed), true
	}
	with := *d
	with.Content, with.Body = p.Content, changed
	return with, true
}

func put(draw *values.Draw, at any, there bool, f *values.Field, path []step, v any) (any, bool) {
	if len(path) == 0 {
		return v, true
	}
	if !there {
		mark := len(draw.Origins)
		at, there = draw.Make(f, "body")
		draw.Origins = draw.Origins[:mark]
		if !there {
			return nil, false
		}
	}
	next := path[0]
	below, there := next.down(at)
	changed, ok := put(draw, below, there, next.field, path[1:], v)
	if !ok {
		return nil, false
	}
	switch at := at.(type) {
	case map[string]any:
		if next.name == "" {
			return nil, false
		}
		with := make(map[string]any, len(at)+1)
		for name, w := range at {
			with[name] = w
		}
		with[next.name] = changed
		return with, true
	case []any:
		if next.name != "" {
			return nil, false
		}
		with := append([]any(nil), at...)
		if len(with) == 0 {
			with = append(with, nil)
		}
		with[0] = changed
		for _, other := range with[1:] {
			if values.Equal(other, changed) {
				return nil, false // it may have to differ
			}
		}
		return with, true
	default:
		return nil, false
	}
}

// Drop is the draft without the property at the place. The draft itself stays as it is.
func (p *Place) Drop(d *Draft) (Draft, bool) {
	root, there := p.whole(d)
	if !there || p.Root() {
		return *d, false
	}
	changed, ok := drop(root, p.path)
	if !ok {
		return *d, false
	}
	if p.Part >= 0 {
		return d.With(p.Part, changed), true
	}
	without := *d
	without.Body = changed
	return without, true
}

func drop(at any, path []step) (any, bool) {
	next := path[0]
	below, there := next.down(at)
	if !there {
		return nil, false
	}
	var changed any
	if len(path) > 1 {
		if changed, there = drop(below, path[1:]); !there {
			return nil, false
		}
	}
	switch at := at.(type) {
	case map[string]any:
		with := make(map[string]any, len(at))
		for name, w := range at {
			with[name] = w
		}
		if delete(with, next.name); len(path) > 1 {
			with[next.name] = changed
		}
		return with, true
	case []any:
		if len(path) == 1 {
			return nil, false // an item is not named
		}
		with := append([]any(nil), at...)
		with[0] = changed
		return with, true
	}
	return nil, false
}

// Breaks is the rule that the value breaks at the place, where it breaks one alone and does so however it is read.
func (p *Place) Breaks(v any) (rule string, ok bool) {
	s := p.Field.Shape
	switch {
	case !p.Plain:
		return "", false
	case p.Typed:
		return s.Broken(v)
	case v == nil:
		return "", false // it may not be written at all
	case isObject(v) && (p.Part >= 0 || !p.Root()), !isObject(v) && s.Allows("object"):
		return "", false // it is written in too many ways
	}
	// One item is a list of one, a list of one is one item, and of none nothing is written.
	if items, isList := v.([]any); isList != s.Allows("array") || isList && len(items) == 0 {
		return "", false
	}
	for _, r := range readings(v) {
		if text, isText := r.(string); s.Fits(r) || isText && switches[strings.ToLower(text)] && (s.Fits(true) || s.Fits(false)) {
			return "", false
		}
	}
	return s.Broken(Read(s, v))
}

// switches are the texts that servers read as a boolean.
var switches = map[string]bool{
	"1": true, "0": true, "t": true, "f": true, "true": true, "false": true, "y": true, "n": true, "yes": true, "no": true, "on": true, "off": true,
}

func isObject(v any) bool {
	_, is := v.(map[string]any)
	return is
}

// Fits says whether the draft's whole parameter or body fits, which the place is in.
func (p *Place) Fits(d *Draft) bool {
	v, there := p.whole(d)
	return there && p.root.Shape.Fits(v)
}

// Read is the value that a server reads where v stands as text: what the types of the shape make of it.
func Read(s *values.Shape, v any) any {
	text := v
	for _, r := range readings(v) {
		if _, isText := r.(string); isText {
			text = r
		} else if s.Allows(typeOf(r)) {
			return r
		}
	}
	return text
}

// readings are the values that a text could be read as.
func readings(v any) []any {
	var text string
	switch v := v.(type) {
	case string:
		text = v
	case json.Number:
		text = string(v)
	case bool:
		text = strconv.FormatBool(v)
	case nil:
		text = "null"
	default:
		return []any{v}
	}
	read := []any{text}
	var other any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if json.Valid([]byte(text)) && d.Decode(&other) == nil {
		switch other.(type) {
		case json.Number, bool, nil:
			read = append(read, other)
		}
	}
	return read
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	default:
		return "object"
	}
}
