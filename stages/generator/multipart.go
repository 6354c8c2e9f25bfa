package generator

import (
	"slices"
	"strconv"
	"strings"

	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator/values"
)

// multipart writes an object as parts named after its properties (RFC 7578), or a list as parts without names
// (RFC 2046 §5.1), which form-data does not have. The content type names the boundary.
func (c *content) multipart(d *values.Draw, v any) (data []byte, contentType string, ok bool) {
	w := partWriter{
		Draw: d, content: c, files: map[string]int{},
		boundary: "restest-" + strconv.FormatUint(d.Rand.Uint64(), 36) + strconv.FormatUint(d.Rand.Uint64(), 36),
	}
	shape := c.field.Shape.For(v)
	if items, isList := v.([]any); isList {
		for i, item := range items {
			w.part("", c.encodingAt(i), shape.ItemAt(i), item)
		}
	} else {
		all, _ := v.(map[string]any)
		o, changed := without(all, isNothing)
		if changed && !c.field.Shape.Fits(o) {
			return nil, "", false
		}
		for _, name := range sortedNames(nil, o) {
			w.property(name, c.media.Encoding[name], shape.Property(name), o[name])
		}
	}
	if w.failed || len(w.data) == 0 {
		return nil, "", false // a multipart body has at least one part (RFC 2046 §5.1.1)
	}
	contentType = c.contentType + "; boundary=" + w.boundary
	if strings.EqualFold(c.contentType, "multipart/related") {
		contentType += `; type="` + w.firstType + `"` // RFC 2387 §3.1
	}
	return append(w.data, "--"+w.boundary+"--\r\n"...), contentType, true
}

// encodingAt is what the document says of the i-th part without a name.
func (c *content) encodingAt(i int) document.Encoding {
	switch {
	case i < len(c.media.PrefixEncoding):
		return c.media.PrefixEncoding[i]
	case c.media.ItemEncoding != nil:
		return *c.media.ItemEncoding
	}
	return document.Encoding{}
}

// partWriter writes the parts of one body.
type partWriter struct {
	*values.Draw
	content  *content
	boundary string
	data     []byte
	// files counts the files so far by their names' extensions.
	files     map[string]int
	firstType string
	failed    bool
}

// property writes the part of a property, or a part for each item of a list. A property with a style of its own is
// written as that says, without any escaping.
func (w *partWriter) property(name string, e document.Encoding, shape *values.Shape, v any) {
	shape = shape.For(v)
	items, isList := v.([]any)
	switch {
	case e.Style == "deepObject" && holdsObject([]any{v}):
		nested, changed, ok := deepExpressible(v)
		w.failed = w.failed || !ok || changed
		w.deep(name, nested)
	case isList && e.Style != "" && e.Explode != nil && !*e.Explode && !holdsObject(items):
		between := style{name: e.Style}.plainDelimiter()
		w.failed = w.failed || slices.Contains(items, nil) || holdsByte(v, between[0])
		w.text(name, string(appendJoined(nil, v, joining{between, "", &everything})))
	case isList && !slices.ContainsFunc(mediaTypesOf(e.ContentType), func(t string) bool { return kindOf(t) == jsonKind || kindOf(t) == xmlKind }):
		for i, item := range items {
			w.part(name, e, shape.ItemAt(i), item)
		}
	default:
		w.part(name, e, shape, v)
	}
}

// deep writes a part for each member, named as the style deepObject has it.
func (w *partWriter) deep(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range sortedNames(nil, v) {
			w.deep(name+"["+member+"]", v[member])
		}
	case []any:
		for i, item := range v {
			w.deep(name+"["+itoa(i)+"]", item)
		}
	default:
		w.text(name, plainText(v))
	}
}

func (w *partWriter) text(name, text string) {
	w.open(name, "", "")
	w.close([]byte(text))
}

// part writes one part: a file where the value stands for one, else the value in the media type that the document
// gives, in JSON where it is an object or a list, and in plain text else (OpenAPI 3.1 §4.8.15.1.1).
func (w *partWriter) part(name string, e document.Encoding, shape *values.Shape, v any) {
	shape = shape.For(v)
	contentType := ""
	if types := mediaTypesOf(e.ContentType); len(types) > 0 {
		contentType = types[w.Rand.IntN(len(types))]
	}
	_, isText := v.(string)
	low, high, free := shape.Free()
	isFile := isText && free && (shape.Binary() || contentType != "" && kindOf(contentType) >= bytesKind)
	switch v.(type) {
	case map[string]any, []any:
		if contentType == "" {
			contentType = "application/json"
		}
	default:
		if isFile && contentType == "" {
			contentType = "application/octet-stream"
			if t := mediaTypesOf(shape.MediaType()); len(t) > 0 {
				contentType = t[0]
			}
		}
	}
	var data []byte
	fileName := ""
	if isFile {
		fileName = w.fileName(contentType)
		data = file(w.Rand, contentType, low, high)
	} else {
		var ok bool
		if data, ok = partText(kindOf(contentType), shape, v); !ok {
			w.failed = true
			return
		}
	}
	w.open(name, fileName, contentType)
	w.headers(name)
	w.close(data)
}

func (w *partWriter) fileName(contentType string) string {
	name := fileName(contentType, 0)
	nth := w.files[name]
	w.files[name]++
	return fileName(contentType, nth)
}

// open begins a part. In form-data each has a name; a part of another type has one where it is a property.
func (w *partWriter) open(name, fileName, contentType string) {
	if len(w.data) == 0 {
		if w.firstType = contentType; contentType == "" {
			w.firstType = "text/plain"
		}
	}
	w.data = append(w.data, "--"+w.boundary+"\r\n"...)
	switch {
	case name != "":
		w.data = append(w.data, `Content-Disposition: form-data; name="`+quoted(name)+`"`...)
	case fileName != "":
		w.data = append(w.data, "Content-Disposition: attachment"...)
	}
	if fileName != "" {
		w.data = append(w.data, `; filename="`+fileName+`"`...)
	}
	if name != "" || fileName != "" {
		w.data = append(w.data, "\r\n"...)
	}
	if contentType != "" {
		w.data = append(w.data, "Content-Type: "+contentType+"\r\n"...)
	}
}

// headers writes what header fields the document gives the part: those required, and some of the others.
func (w *partWriter) headers(name string) {
	for _, q := range w.content.headers[name] {
		if !q.required && (w.Likeliest || w.Rand.IntN(2) == 0) {
			continue
		}
		v, ok := w.Make(&q.field, q.place)
		if ok {
			v, ok = q.expressible(v)
		}
		if ok {
			var text string
			if text, ok = q.headerText(v); ok {
				w.data = append(w.data, q.name+": "+text+"\r\n"...)
			}
		}
		if !ok && q.required {
			w.failed = true
		}
	}
}

func (w *partWriter) close(data []byte) {
	w.data = append(append(append(w.data, "\r\n"...), data...), "\r\n"...)
}

// quoted is the name as browsers write it in a quoted string (RFC 7578 §2).
func quoted(name string) string {
	return strings.NewReplacer("\r", "%0D", "\n", "%0A", `"`, "%22").Replace(name)
}
