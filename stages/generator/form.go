package generator

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/restest/restest/stages/generator/values"
)

func itoa(i int) string { return strconv.Itoa(i) }

// part says how one property of a form is written.
type part struct {
	name string // as it goes on the wire
	// contentType is that of a part of multipart content, "" for plain text.
	contentType string
	binary      bool
	json        bool
	style       string
	explode     bool
	escaping    *allowed
	inList      *allowed
}

// part works out how the property is written with this value.
func (b *content) part(name string, v any) part {
	p := part{name: string(escape(nil, name, &unreserved)), style: "form", explode: true, escaping: &unreserved, inList: &unreserved}
	shape := b.field.Shape.Property(name)
	_, isList := v.([]any)
	_, isObject := v.(map[string]any)
	p.binary = shape.Binary() || isList && shape.Item().Binary()
	e, said := b.media.Encoding[name]
	if said {
		if e.Style != "" {
			p.style, p.explode = e.Style, e.Style == "form" || e.Style == "deepObject"
		}
		if e.Explode != nil {
			p.explode = *e.Explode
		}
		if e.AllowReserved {
			p.escaping, p.inList = &reserved, &reservedInList
		}
	}
	p.contentType = firstType(e.ContentType)
	p.json = p.contentType != "" && kindOf(p.contentType) == jsonKind
	switch {
	case p.contentType != "":
	case p.binary:
		p.contentType = "application/octet-stream"
	case isObject || isList && shape.Item().Allows("object") && !shape.Item().Allows("string"):
		p.contentType = "application/json"
	}
	if isObject && e.Style == "" && !p.json {
		p.style = "deepObject"
	}
	return p
}

// firstType is the first media type of a list, with a range made concrete.
func firstType(list string) string {
	first, _, _ := strings.Cut(list, ",")
	if first = strings.TrimSpace(first); first == "" || !travels(first) {
		return ""
	}
	return concrete(first, kindOf(first))
}

// form writes the object as application/x-www-form-urlencoded. A property whose encoding names JSON is written as
// JSON, an object else as name[member]=value, a list once for each item.
func (b *content) form(o map[string]any) []byte {
	content := make([]byte, 0, 128)
	for _, name := range sortedNames(nil, o) {
		p := b.part(name, o[name])
		if len(content) > 0 && content[len(content)-1] != '&' {
			content = append(content, '&')
		}
		if p.json {
			content = escape(append(append(content, p.name...), '='), string(appendJSON(nil, o[name])), &unreserved)
			continue
		}
		if items, ok := o[name].([]any); ok && holdsObject(items) {
			content = appendDeep(content, p.name, o[name], p.escaping)
			continue
		}
		content = appendPairs(content, p.name, o[name], p.style, p.explode, p.escaping, p.inList)
	}
	return content
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

// multipart writes the object as multipart/form-data (RFC 7578): a part for each property, or for each item of a
// list; files have a name and a type, plain fields neither.
func (b *content) multipart(r *rand.Rand, o map[string]any) (content []byte, boundary string) {
	boundary = "restest-" + strconv.FormatUint(r.Uint64(), 36) + strconv.FormatUint(r.Uint64(), 36)
	for _, name := range sortedNames(nil, o) {
		p := b.part(name, o[name])
		items, isList := o[name].([]any)
		if !isList || p.json {
			items = []any{o[name]}
		}
		for _, item := range items {
			content = append(content, "--"+boundary+"\r\nContent-Disposition: form-data; name=\""+quoted(name)+`"`...)
			var data []byte
			switch {
			case p.binary:
				content = append(content, `; filename="`+fileName(p.contentType)+`"`...)
				data = someBytes(r, p.contentType)
			case p.contentType != "" && kindOf(p.contentType) == jsonKind:
				data = appendJSON(nil, item)
			default:
				data = []byte(plainText(item))
			}
			if p.contentType != "" {
				content = append(content, "\r\nContent-Type: "+p.contentType...)
			}
			content = append(append(append(content, "\r\n\r\n"...), data...), "\r\n"...)
		}
	}
	if len(content) == 0 {
		return nil, boundary
	}
	return append(content, "--"+boundary+"--\r\n"...), boundary
}

// quoted is the name as browsers write it in a quoted string.
func quoted(name string) string {
	return strings.NewReplacer("\r", "%0D", "\n", "%0A", `"`, "%22").Replace(name)
}

func fileName(contentType string) string {
	switch t, _, _ := strings.Cut(contentType, ";"); strings.ToLower(t) {
	case "image/png":
		return "file.png"
	case "image/jpeg":
		return "file.jpg"
	case "text/csv":
		return "file.csv"
	case "application/json":
		return "file.json"
	case "application/pdf":
		return "file.pdf"
	default:
		if strings.HasPrefix(t, "text/") {
			return "file.txt"
		}
		return "file.bin"
	}
}

// onePixel is a PNG image of one pixel.
const onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\b\x00\x00\x00\x00:~\x9bU" +
	"\x00\x00\x00\x0eIDATx\x9cb\xfa\x0f\b\x00\x00\xff\xff\x01\x05\x01\x02Z\xdd9\xcd\x00\x00\x00\x00IEND\xaeB`\x82"

// someBytes is content of the type: words for text, a picture for PNG, else bytes of every kind.
func someBytes(r *rand.Rand, contentType string) []byte {
	switch kindOf(contentType) {
	case textKind:
		return []byte(values.Phrase(r) + "\n")
	case jsonKind:
		return []byte(`{"` + values.Phrase(r) + `": ` + itoa(r.IntN(100)) + "}")
	}
	if strings.HasPrefix(contentType, "image/png") {
		return []byte(onePixel)
	}
	data := make([]byte, 16+r.IntN(48))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}
