package checks

import (
	"mime"
	"strconv"
	"strings"

	"github.com/restest/restest/settings/document"
)

// Declared is what the document says of a reply with one status and one content type.
type Declared struct {
	// Response is the entry for the status, nil if there is none.
	Response *document.Response
	// Typed is true if the content type is one of those the response declares.
	Typed bool
	// Media is the entry for the content type; nil if there is none, or if it is not plain which one is meant.
	Media *document.Media
	// Type is the reply's type and subtype in small letters, "" without a Content-Type.
	Type string
	// JSON is true if the content is JSON: by its type, or by the only type declared if the reply names none.
	JSON bool
}

// Declare finds what the document says of a reply of the operation.
func Declare(operation *document.Operation, status int, contentType string) Declared {
	d := Declared{Response: responseFor(operation, status), Type: essence(contentType)}
	d.JSON = isJSON(d.Type)
	if d.Response == nil {
		return d
	}
	if d.Type == "" {
		media := d.Response.Media
		d.JSON = len(media) == 1 && isJSON(essence(media[0].Type))
		return d
	}
	d.Media, d.Typed = mediaFor(d.Response.Media, contentType)
	return d
}

// responseFor is the entry that holds for a status: its code, then its range, then the default.
func responseFor(operation *document.Operation, status int) *document.Response {
	code := strconv.Itoa(status)
	var byRange, byDefault *document.Response
	for _, r := range operation.Responses {
		switch {
		case r.Code == code:
			return r
		case len(code) == 3 && strings.EqualFold(r.Code, code[:1]+"XX"):
			byRange = r
		case r.Code == "default":
			byDefault = r
		}
	}
	if byRange != nil {
		return byRange
	}
	return byDefault
}

// mediaFor is the entry for a content type, and whether there is one at all: the full type wins over "text/*", that
// over "*/*". Of several entries of one full type the one wins most of whose parameters the reply has; the entry is
// nil if that leaves more than one.
func mediaFor(media []*document.Media, contentType string) (found *document.Media, typed bool) {
	full := essence(contentType)
	kind, _, _ := strings.Cut(full, "/")
	_, has, _ := mime.ParseMediaType(contentType)
	best, tied := -1, false
	for _, m := range media {
		rank := -1
		switch essence(m.Type) {
		case full:
			rank = 3 + fit(m.Type, has)
		case kind + "/*":
			rank = 1
		case "*/*", "*":
			rank = 0
		}
		switch {
		case rank > best:
			best, found, tied = rank, m, false
		case rank == best && rank >= 0:
			tied = tied || m.Schema != found.Schema
		}
	}
	if tied {
		return nil, true
	}
	return found, found != nil
}

// fit is how many parameters the declared type asks for, if the reply has them all, and -1 if not: a type with other
// parameters is still that type, but not the first choice.
func fit(declared string, has map[string]string) int {
	_, wanted, _ := mime.ParseMediaType(declared)
	for name, value := range wanted {
		if !strings.EqualFold(has[name], value) {
			return -1
		}
	}
	return len(wanted)
}

// essence is a media type without its parameters, in small letters.
func essence(mediaType string) string {
	t, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// isJSON says whether content of that type and subtype is JSON.
func isJSON(essence string) bool {
	return essence == "application/json" || essence == "text/json" || strings.HasSuffix(essence, "+json")
}
