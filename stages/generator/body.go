package generator

import (
	"slices"
	"strings"

	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator/draft"
	"github.com/restest/restest/stages/generator/values"
)

// body is how an operation's content is made.
type body struct {
	required bool
	// contents are the media types it can be written in, the surest first.
	contents []*content
}

// content is how content of one media type is made: that of a body, or of a parameter that is content.
type content struct {
	kind  mediaKind
	media *document.Media
	// contentType is the field's value; for multipart content the boundary is added.
	contentType string
	field       values.Field
	// headers are those that the document gives to parts, by the property they hold.
	headers map[string][]*parameter
	// raw is true for a file: bytes that no schema describes.
	raw bool
}

// mediaKind says how content of a media type is written.
type mediaKind int

// The kinds, the one that is written most surely first.
const (
	jsonKind mediaKind = iota
	formKind
	multipartKind // form-data
	xmlKind
	sequenceKind // JSON values one after another
	yamlKind
	textKind
	mixedKind // any other multipart type
	bytesKind
	unknownKind
)

func kindOf(mediaType string) mediaKind {
	t := strings.ToLower(document.Essence(mediaType))
	switch {
	case t == "*/*", t == "*", t == "application/*", t == "application/json", t == "text/json", strings.HasSuffix(t, "+json"):
		return jsonKind
	case t == "application/x-www-form-urlencoded":
		return formKind
	case t == "multipart/form-data", t == "multipart/*":
		return multipartKind
	case strings.HasPrefix(t, "multipart/"):
		return mixedKind
	case strings.HasSuffix(t, "/xml"), strings.HasSuffix(t, "+xml"):
		return xmlKind
	case isJSONSeq(t), slices.Contains(lineTypes, t):
		return sequenceKind
	case slices.Contains(yamlTypes, t), strings.HasSuffix(t, "+yaml"):
		return yamlKind
	case strings.HasPrefix(t, "text/"), t == "application/csv":
		return textKind
	case t == "application/octet-stream", strings.HasPrefix(t, "image/"), strings.HasPrefix(t, "audio/"), strings.HasPrefix(t, "video/"),
		t == "application/pdf", t == "application/zip", t == "application/gzip":
		return bytesKind
	}
	return unknownKind
}

var (
	// lineTypes hold a JSON value a line.
	lineTypes = []string{"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl", "application/jsonlines", "application/x-jsonlines"}
	yamlTypes = []string{"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"}
)

// isJSONSeq says whether each value goes between a record separator and a line feed (RFC 7464).
func isJSONSeq(essence string) bool {
	return essence == "application/json-seq" || strings.HasSuffix(essence, "+json-seq")
}

const recordSeparator = 0x1e

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
	switch {
	case strings.HasPrefix(mediaType, "image/"):
		return "image/png"
	case strings.HasPrefix(mediaType, "audio/"):
		return "audio/wav"
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

// newContent works out how content of the media type is made. The reason says why none is.
func newContent(shapes *values.Shapes, m *document.Media) (c *content, reason string) {
	c = &content{kind: kindOf(m.Type), media: m}
	shape := shapes.Of(m.Schema)
	if c.kind == unknownKind {
		switch { // whatever it is, its bytes or its text are known
		case m.Schema == nil || shape.Binary():
			c.kind = bytesKind
		case shape.Allows("string") && !shape.Allows("object"):
			c.kind = textKind
		default:
			return nil, "content of type " + m.Type + " is not made"
		}
	}
	c.contentType = concrete(m.Type, c.kind)
	if c.kind == multipartKind || c.kind == mixedKind {
		c.contentType, _, _ = strings.Cut(c.contentType, ";") // its boundary is ours
	}
	if !travels(c.contentType) {
		return nil, "its media type cannot stand in a header field"
	}
	if m.Schema == nil {
		shape = shapes.Of(values.OfType(c.kind.defaultType()))
	}
	if why := shape.Why(); why != "" {
		return nil, why
	}
	switch c.kind {
	case formKind, multipartKind:
		if !shape.Allows("object") {
			return nil, m.Type + " needs an object, and its schema allows none"
		}
	case mixedKind:
		if !shape.Allows("object") && !shape.Allows("array") {
			return nil, m.Type + " needs an object or a list, and its schema allows neither"
		}
	case textKind:
		if isCSV(strings.ToLower(document.Essence(m.Type))) && !shape.Allows("string") {
			return nil, m.Type + " is made of text alone, and its schema allows none"
		}
	case xmlKind, bytesKind:
		_, _, free := shape.Free()
		c.raw = free && len(m.Examples) == 0 && (c.kind == bytesKind || shape.Binary())
	}
	c.field = values.NewField("", shape, m.Examples...)
	c.readHeaders(shapes)
	return c, ""
}

// readHeaders prepares the header fields of parts. Those that say what a part is are ours.
func (c *content) readHeaders(shapes *values.Shapes) {
	for name, e := range c.media.Encoding {
		for _, declared := range e.Headers {
			switch strings.ToLower(declared.Name) {
			case "content-type", "content-disposition", "content-transfer-encoding", "content-length":
				continue
			}
			if q := newParameter(shapes, declared, declared.Name); isToken(declared.Name) && q.field.Shape.Possible() {
				q.place = "body." + name + ".header." + declared.Name
				if c.headers == nil {
					c.headers = map[string][]*parameter{}
				}
				c.headers[name] = append(c.headers[name], q)
			}
		}
	}
}

func (k mediaKind) defaultType() string {
	if k == textKind || k == bytesKind {
		return "string"
	}
	return "object"
}

// write makes the content; the content type and the value belong to it. It says whether it could.
func (c *content) write(d *values.Draw, place string) (data []byte, contentType string, v any, ok bool) {
	if c.raw {
		low, high, _ := c.field.Shape.Free()
		data = file(d.Rand, c.contentType, low, high)
		return data, c.contentType, draft.Verbatim(data), true
	}
	d.Nulls = c.kind == jsonKind || c.kind == yamlKind || c.kind == sequenceKind
	mark := len(d.Origins)
	v, ok = d.Make(&c.field, place)
	d.Nulls = false
	if !ok {
		return nil, "", nil, false
	}
	if isCSV(strings.ToLower(document.Essence(c.contentType))) && len(d.Origins) > mark && d.Origins[mark].Source == values.FromRandom {
		if text := string(table(d.Rand)); c.field.Shape.Fits(text) {
			v = text
		}
	}
	if data, contentType, ok = c.encode(d, v); !ok {
		d.Fail("no value was found that " + c.contentType + " can hold")
	}
	return data, contentType, v, ok
}

// encode writes the value as this content. It says whether the media type can hold it.
func (c *content) encode(d *values.Draw, v any) (data []byte, contentType string, ok bool) {
	contentType = c.contentType
	switch c.kind {
	case jsonKind, yamlKind: // JSON is YAML (YAML 1.2 §1.3)
		return appendJSON(make([]byte, 0, 256), v), contentType, true
	case sequenceKind:
		return c.sequence(v), contentType, true
	case formKind:
		data, ok = c.form(v)
	case xmlKind:
		data, ok = writeXML(c.field.Shape, v)
	case multipartKind, mixedKind:
		data, contentType, ok = c.multipart(d, v)
	default:
		return []byte(plainText(v)), contentType, true
	}
	return data, contentType, ok
}

// sequence writes a list as JSON values one after another; a value that is no list is a sequence of one.
func (c *content) sequence(v any) []byte {
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	data := make([]byte, 0, 256)
	separated := isJSONSeq(strings.ToLower(document.Essence(c.contentType)))
	for _, item := range items {
		if separated {
			data = append(data, recordSeparator)
		}
		data = append(appendJSON(data, item), '\n')
	}
	return data
}
