package document

import (
	"strconv"
	"strings"
)

// Response is what the operation declares for a status code: the exact code, else its range, else the default.
// It is nil if nothing is declared.
func (op *Operation) Response(status int) *Response {
	code := strconv.Itoa(status)
	class := code[:1] + "XX"
	var byRange, byDefault *Response
	for _, r := range op.Responses {
		switch r.Code {
		case code:
			return r
		case class:
			byRange = r
		case "default":
			byDefault = r
		}
	}
	if byRange != nil {
		return byRange
	}
	return byDefault
}

// MediaFor is the declared content that a reply of that Content-Type belongs to. The most exact one wins: the whole
// type, then a range such as "text/*", then "*/*". Case does not count (RFC 9110 §8.3.1), and parameters only where
// the same type is declared with several.
func (r *Response) MediaFor(contentType string) (*Media, bool) {
	essence := strings.ToLower(Essence(contentType))
	kind, subtype, ok := strings.Cut(essence, "/")
	if !ok || kind == "" || subtype == "" {
		return nil, false
	}
	for _, m := range r.Media {
		if strings.EqualFold(withoutSpace(m.Type), withoutSpace(contentType)) {
			return m, true
		}
	}
	for _, wanted := range []string{essence, kind + "/*", "*/*"} {
		for _, m := range r.Media {
			if strings.EqualFold(Essence(m.Type), wanted) {
				return m, true
			}
		}
	}
	return nil, false
}

func withoutSpace(s string) string { return strings.Join(strings.Fields(s), "") }

// Essence is a media type without its parameters, such as "text/html" of "text/html; charset=utf-8".
func Essence(mediaType string) string {
	essence, _, _ := strings.Cut(mediaType, ";")
	return strings.TrimSpace(essence)
}
