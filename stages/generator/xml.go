package generator

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator/values"
)

// writeXML writes the value as a document of XML 1.0, as the xml objects of its schemas say (OpenAPI 3.2 §4.26). It
// says whether XML can hold the value.
//
// A list without an element of its own that holds nothing is not there, which is how XML says it.
func writeXML(shape *values.Shape, v any) ([]byte, bool) {
	x := xmlWriter{data: append(make([]byte, 0, 256), `<?xml version="1.0" encoding="UTF-8"?>`...)}
	name := shape.Name()
	if !isXMLName(name) {
		name = "root"
	}
	shape = shape.For(v)
	if items, isList := v.([]any); isList && len(items) > 0 && shape.XML() == nil {
		// The root has to be one element, and there is no name for the items but that of their component.
		x.add("<" + name + ">")
		for i, item := range items {
			of := shape.ItemAt(i)
			inner := of.Name()
			if !isXMLName(inner) {
				inner = name
			}
			x.node(inner, of, item)
		}
		x.add("</" + name + ">")
		return x.data, !x.failed
	}
	x.element(name, shape, v)
	return x.data, !x.failed
}

type xmlWriter struct {
	data []byte
	// bound are the prefixes that the open elements declare.
	bound  []string
	failed bool
}

// node writes the value below an element, under that name where the document gives no other.
func (x *xmlWriter) node(name string, shape *values.Shape, v any) {
	shape = shape.For(v)
	items, isList := v.([]any)
	switch kind := xmlNode(shape, v); {
	case kind == "element":
		x.element(name, shape, v)
	case v == nil: // and no node of its own
	case isList:
		for i, item := range items {
			x.node(name, shape.ItemAt(i), item)
		}
	case kind == "cdata" && isScalar(v):
		text := plainText(v)
		x.failed = x.failed || !isXMLText(text) || strings.Contains(text, "\r")
		x.add("<![CDATA[" + strings.ReplaceAll(text, "]]>", "]]]]><![CDATA[>") + "]]>")
	case isScalar(v):
		x.text(plainText(v), textMarks)
	default:
		x.members(shape, v)
	}
}

// xmlNode is what becomes of the value: a list is no node of its own where the document does not say so.
func xmlNode(shape *values.Shape, v any) string {
	if about := shape.XML(); about != nil && about.Node != "" && (about.Node != "attribute" || isScalar(v)) {
		return about.Node
	}
	if _, isList := v.([]any); isList {
		return "none"
	}
	return "element"
}

func isScalar(v any) bool {
	switch v.(type) {
	case nil, []any, map[string]any:
		return false
	}
	return true
}

const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"

// element writes the value as an element.
func (x *xmlWriter) element(name string, shape *values.Shape, v any) {
	about := shape.XML()
	if about != nil && about.Name != "" {
		name = about.Name
	}
	mark := len(x.bound)
	tag := x.qualified(name, about)
	x.add("<" + tag)
	x.namespace(about)
	if v == nil {
		x.add(` xmlns:xsi="` + schemaInstance + `" xsi:nil="true"/>`)
		return
	}
	x.attributes(shape, v)
	x.add(">")
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			x.node(name, shape.ItemAt(i), item)
		}
	case map[string]any:
		x.members(shape, v)
	default:
		x.text(plainText(v), textMarks)
	}
	x.add("</" + tag + ">")
	x.bound = x.bound[:mark]
}

// qualified is the name with its prefix. A prefix that no namespace is bound to is left out: readers refuse it.
func (x *xmlWriter) qualified(name string, about *document.XML) string {
	x.failed = x.failed || !isXMLName(name)
	if about == nil || about.Prefix == "" || about.Namespace == "" && !slices.Contains(x.bound, about.Prefix) {
		return name
	}
	x.failed = x.failed || !isXMLName(about.Prefix)
	return about.Prefix + ":" + name
}

// namespace declares the namespace on the element that is open.
func (x *xmlWriter) namespace(about *document.XML) {
	if about == nil || about.Namespace == "" {
		return
	}
	if about.Prefix == "" {
		x.add(` xmlns="`)
	} else {
		x.add(" xmlns:" + about.Prefix + `="`)
		x.bound = append(x.bound, about.Prefix)
	}
	x.text(about.Namespace, attributeMarks)
	x.add(`"`)
}

// attributes writes those members of an object that are attributes, and of the members that are no node of their own
// theirs.
func (x *xmlWriter) attributes(shape *values.Shape, v any) {
	o, ok := v.(map[string]any)
	if !ok {
		return
	}
	for _, name := range memberOrder(shape, o) {
		of := shape.Property(name).For(o[name])
		if xmlNode(of, o[name]) != "attribute" {
			continue
		}
		about := of.XML()
		if about.Name != "" {
			name = about.Name
		}
		if about.Prefix != "" && !slices.Contains(x.bound, about.Prefix) {
			x.namespace(about)
		}
		x.add(" " + x.qualified(name, about) + `="`)
		x.text(plainText(o[name]), attributeMarks)
		x.add(`"`)
	}
}

// members writes those members of an object that are no attributes.
func (x *xmlWriter) members(shape *values.Shape, v any) {
	o, _ := v.(map[string]any)
	for _, name := range memberOrder(shape, o) {
		of := shape.Property(name).For(o[name])
		if about := of.XML(); about != nil && about.Node == "attribute" && (o[name] == nil || isScalar(o[name])) {
			continue // a null attribute is not there
		}
		x.node(name, of, o[name])
	}
}

// memberOrder are the names of the members: those declared in the order of the document, as many readers want them.
func memberOrder(shape *values.Shape, o map[string]any) []string {
	names := make([]string, 0, len(o))
	for _, name := range shape.PropertyNames() {
		if _, there := o[name]; there {
			names = append(names, name)
		}
	}
	declared := len(names)
	for _, name := range sortedNames(nil, o) {
		if !slices.Contains(names[:declared], name) {
			names = append(names, name)
		}
	}
	return names
}

func (x *xmlWriter) add(s string) { x.data = append(x.data, s...) }

// What is written in another way in text and in attributes; a reader would make blanks of line ends there.
var (
	textMarks      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")
	attributeMarks = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\r", "&#13;", "\n", "&#10;", "\t", "&#9;")
)

func (x *xmlWriter) text(s string, marks *strings.Replacer) {
	x.failed = x.failed || !isXMLText(s)
	x.add(marks.Replace(s))
}

// isXMLText says whether XML 1.0 has all the characters (§2.2).
func isXMLText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(c rune) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xfffe || c == 0xffff
	})
}

// isXMLName says whether s is a name without a colon, of characters that every reader takes.
func isXMLName(s string) bool {
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || c != '-' && c != '.' && !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != "" && utf8.ValidString(s)
}
