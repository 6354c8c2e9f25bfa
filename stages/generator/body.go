package generator

import (
	"slices"
	"strings"

	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator/values"
)

// body is how an operation's content is made.
type body struct {
	required bool
	kind     mediaKind
	media    *document.Media
	// contentType is the field's value; for multipart content the boundary is added.
	contentType string
	field       values.Field
}

// mediaKind says how content of a media type is written.
type mediaKind int

// The kinds, the one that is written most surely first.
const (
	jsonKind mediaKind = iota
	formKind
	multipartKind
	textKind
	bytesKind
	unknownKind
)

func kindOf(mediaType string) mediaKind {
	t, _, _ := strings.Cut(mediaType, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	switch {
	case t == "*/*", t == "*", t == "application/*", t == "application/json", t == "text/json", strings.HasSuffix(t, "+json"):
		return jsonKind
	case t == "application/x-www-form-urlencoded":
		return formKind
	case t == "multipart/form-data", t == "multipart/*":
		return multipartKind
	case isXML(t), strings.HasPrefix(t, "multipart/"):
		return unknownKind
	case strings.HasPrefix(t, "text/"):
		return textKind
	case t == "application/octet-stream", strings.HasPrefix(t, "image/"), strings.HasPrefix(t, "audio/"), strings.HasPrefix(t, "video/"),
		t == "application/pdf", t == "application/zip", t == "application/gzip":
		return bytesKind
	}
	return unknownKind
}

func isXML(mediaType string) bool {
	t, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	t = strings.TrimSpace(t)
	return strings.HasSuffix(t, "/xml") || strings.HasSuffix(t, "+xml")
}

// concrete is the media type to send where the document gives a range.
func concrete(mediaType string, kind mediaKind) string {
	if !strings.Contains(mediaType, "*") {
		return mediaType
	}
	switch kind {
	case jsonKind:
		return "application/json"
	case multipartKind:
		return "multipart/form-data"
	case textKind:
		return "text/plain"
	}
	if strings.HasPrefix(mediaType, "image/") {
		return "image/png"
	}
	return "application/octet-stream"
}

// newBody picks the media type to send: the surest that a value can be made for. The reason says why there is none.
func newBody(shapes *values.Shapes, declared *document.Body) (b *body, reason string) {
	media := slices.Clone(declared.Media)
	slices.SortStableFunc(media, func(a, b *document.Media) int { return int(kindOf(a.Type)) - int(kindOf(b.Type)) })
	if len(media) == 0 {
		return nil, "body: it declares no media type"
	}
	for _, m := range media {
		b, why := newContent(shapes, m)
		if why == "" {
			b.required = declared.Required
			return b, ""
		}
		if reason == "" {
			reason = "body: " + why
		}
	}
	return nil, reason
}

func newContent(shapes *values.Shapes, m *document.Media) (b *body, reason string) {
	kind := kindOf(m.Type)
	if kind == unknownKind && m.Schema != nil && !isXML(m.Type) && shapes.Of(m.Schema).Binary() {
		kind = bytesKind // a file, whatever is in it
	}
	if kind == unknownKind {
		return nil, "content of type " + m.Type + " is not made"
	}
	b = &body{kind: kind, media: m, contentType: concrete(m.Type, kind)}
	if !travels(b.contentType) {
		return nil, "its media type cannot stand in a header field"
	}
	schema := m.Schema
	if schema == nil {
		schema = values.OfType(defaultType(kind))
	}
	shape := shapes.Of(schema)
	if why := shape.Why(); why != "" {
		return nil, why
	}
	if (kind == formKind || kind == multipartKind) && !shape.Allows("object") {
		return nil, m.Type + " needs an object, and its schema allows none"
	}
	b.field = values.NewField("", shape, m.Examples...)
	return b, ""
}

func defaultType(kind mediaKind) string {
	if kind == textKind || kind == bytesKind {
		return "string"
	}
	return "object"
}

// write makes the content; the content type belongs to it. It says whether it could.
func (b *body) write(d *values.Draw) (content []byte, contentType string, ok bool) {
	if b.kind == bytesKind && b.field.Shape.Allows("string") && len(b.field.Examples) == 0 {
		return someBytes(d.Rand, b.contentType), b.contentType, true
	}
	d.Nulls = b.kind == jsonKind
	v, ok := d.Make(&b.field, "body")
	d.Nulls = false
	if !ok {
		return nil, "", false
	}
	switch b.kind {
	case jsonKind:
		return appendJSON(make([]byte, 0, 256), v), b.contentType, true
	case formKind:
		o, ok := v.(map[string]any)
		if !ok {
			return nil, "", false
		}
		return b.form(o), b.contentType, true
	case multipartKind:
		o, ok := v.(map[string]any)
		if !ok {
			return nil, "", false
		}
		content, boundary := b.multipart(d.Rand, o)
		if content == nil {
			return nil, "", false // lists without items leave no parts
		}
		return content, b.contentType + "; boundary=" + boundary, true
	default:
		return []byte(plainText(v)), b.contentType, true
	}
}
