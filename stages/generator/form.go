package generator

import (
	"maps"
	"strconv"
	"strings"

	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator/values"
)

func itoa(i int) string { return strconv.Itoa(i) }

// form writes an object as application/x-www-form-urlencoded. A property whose encoding names a media type and no style
// is written as that; one with a style as a query would be; else an object is name[member]=value, and a list its name
// once for each item.
func (c *content) form(v any) (data []byte, ok bool) {
	o, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	shape := c.field.Shape.For(v)
	data = make([]byte, 0, 128)
	var sent map[string]any // where it is less than o
	less := func(name string, w any) {
		if sent == nil {
			sent = maps.Clone(o)
		}
		if sent[name] = w; w == nil {
			delete(sent, name)
		}
	}
	for _, name := range sortedNames(nil, o) {
		e, mark := c.media.Encoding[name], len(data)
		if mark > 0 {
			data = append(data, '&')
		}
		escaped := string(escape(nil, name, &unreserved))
		if kind := kindOf(e.ContentType); e.ContentType != "" && e.Style == "" && (kind == jsonKind || kind == xmlKind) {
			text, ok := partText(kind, shape.Property(name), o[name])
			if !ok {
				return nil, false
			}
			data = escape(append(append(data, escaped...), '='), string(text), &unreserved)
			continue
		}
		s := formStyle(e, o[name])
		w, changed, ok := s.expressible(o[name])
		if !ok { // it is null or holds nothing, or cannot be told apart
			data = data[:mark]
			less(name, nil)
			continue
		}
		if data = s.appendPairs(data, escaped, w); changed {
			less(name, w)
		}
	}
	return data, sent == nil || c.field.Shape.Fits(sent)
}

// formStyle is how the property of a form is written with this value.
func formStyle(e document.Encoding, v any) style {
	s := style{name: "form", explode: true, reserved: e.AllowReserved}
	list, _ := v.([]any)
	_, isObject := v.(map[string]any)
	switch {
	case e.Style != "":
		s.name, s.explode = e.Style, e.Style == "form" || e.Style == "deepObject"
	case isObject || holdsObject(list):
		s.name = "deepObject"
	}
	if e.Explode != nil && s.name != "deepObject" {
		s.explode = *e.Explode
	}
	return s
}

func holdsObject(items []any) bool {
	for _, item := range items {
		switch item.(type) {
		case map[string]any, []any:
			return true
		}
	}
	return false
}

// partText is the value as content of that kind, for a part or a property.
func partText(kind mediaKind, shape *values.Shape, v any) ([]byte, bool) {
	switch kind {
	case jsonKind, yamlKind:
		return appendJSON(nil, v), true
	case xmlKind:
		return writeXML(shape, v)
	default:
		return []byte(plainText(v)), true
	}
}

// mediaTypesOf are the media types of a list with commas between, ranges made concrete.
func mediaTypesOf(list string) []string {
	var types []string
	for t := range strings.SplitSeq(list, ",") {
		if t = strings.TrimSpace(t); t != "" && travels(t) {
			types = append(types, concrete(t, kindOf(t)))
		}
	}
	return types
}
