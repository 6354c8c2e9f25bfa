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
	// contents are the media types it can be written in, the surest first.
	contents []*content
}

// content is how content of one media type is made.
type content struct {
	kind  mediaKind
	media *document.Media
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

// newBody finds the media types that a value can be made for. The reason says why there is none.
func newBody(shapes *values.Shapes, declared *document.Body) (b *body, reason string) {
	media := slices.Clone(declared.Media)
	slices.SortStableFunc(media, func(a, b *document.Media) int { return int(kindOf(a.Type)) - int(kindOf(b.Type)) })
	if len(media) == 0 {
		return nil, "body: it declares no media type"
	}
	b = &body{required: declared.Required}
	for _, m := range media {
		c, why := newContent(shapes, m)
		switch {
		case why == "":
			b.contents = append(b.contents, c)
		case reason == "":
			reason = "body: " + why
		}
	}
	if len(b.contents) == 0 {
		return nil, reason
	}
	return b, ""
}

// surest is in how many of four requests the body has the surest of several media types; the others share the rest.
const surest = 3

// pick is the media type to send this time, nil where the one asked for is none that can be sent.
func (b *body) pick(d *values.Draw, want asked) *content {
	n := len(b.contents)
	switch {
	case want.media > n:
		return nil
	case want.media > 0:
		return b.contents[want.media-1]
	case n == 1 || want.likeliest || d.Rand.IntN(4) < surest:
		return b.contents[0]
	default:
		return b.contents[1+d.Rand.IntN(n-1)]
	}
}

func newContent(shapes *values.Shapes, m *document.Media) (c *content, reason string) {
	kind := kindOf(m.Type)
	if kind == unknownKind && m.Schema != nil && !isXML(m.Type) && shapes.Of(m.Schema).Binary() {
		kind = bytesKind // a file, whatever is in it
	}
	if kind == unknownKind {
		return nil, "content of type " + m.Type + " is not made"
	}
	c = &content{kind: kind, media: m, contentType: concrete(m.Type, kind)}
	if !travels(c.contentType) {
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
	c.field = values.NewField("", shape, m.Examples...)
	return c, ""
}

func defaultType(kind mediaKind) string {
	if kind == textKind || kind == bytesKind {
		return "string"
	}
	return "object"
}

// write makes the content; the content type belongs to it. It says whether it could.
func (c *content) write(d *values.Draw) (data []byte, contentType string, ok bool) {
	if c.kind == bytesKind && c.field.Shape.Allows("string") && len(c.field.Examples) == 0 {
		return someBytes(d.Rand, c.contentType), c.contentType, true
	}
	d.Nulls = c.kind == jsonKind
	v, ok := d.Make(&c.field, "body")
	d.Nulls = false
	if !ok {
		return nil, "", false
	}
	switch c.kind {
	case jsonKind:
		return appendJSON(make([]byte, 0, 256), v), c.contentType, true
	case formKind:
		o, ok := v.(map[string]any)
		if !ok {
			return nil, "", false
		}
		return c.form(o), c.contentType, true
	case multipartKind:
		o, ok := v.(map[string]any)
		if !ok {
			return nil, "", false
		}
		data, boundary := c.multipart(d.Rand, o)
		if data == nil {
			return nil, "", false // lists without items leave no parts
		}
		return data, c.contentType + "; boundary=" + boundary, true
	default:
		return []byte(plainText(v)), c.contentType, true
	}
}
