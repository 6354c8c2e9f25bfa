package generator

import (
	"slices"
	"strings"

	"github.com/restest/restest/settings/document"
)

// mostAccepted is how many media types an Accept field names.
const mostAccepted = 8

// accept is the Accept field for the operation: the media types it declares for its replies, JSON preferred.
func accept(op *document.Operation) string {
	var preferred, others []string
	for _, r := range op.Responses {
		for _, m := range r.Media {
			t := acceptable(m.Type)
			switch {
			case t == "" || len(preferred)+len(others) == mostAccepted || slices.Contains(preferred, t) || slices.Contains(others, t):
			case kindOf(t) == jsonKind:
				preferred = append(preferred, t)
			default:
				others = append(others, t)
			}
		}
	}
	switch {
	case len(preferred)+len(others) == 0:
		return "application/json, */*;q=0.5"
	case len(preferred) == 0:
		return strings.Join(others, ", ")
	}
	for _, t := range others {
		preferred = append(preferred, t+";q=0.5")
	}
	return strings.Join(preferred, ", ")
}

// acceptable is the media type as it can stand in an Accept field, "" if it cannot. A charset is left out: servers
// that compare word by word would refuse it.
func acceptable(mediaType string) string {
	parts := strings.Split(mediaType, ";")
	t := strings.ToLower(strings.TrimSpace(parts[0]))
	kind, subtype, ok := strings.Cut(t, "/")
	if !ok || !isToken(kind) || !isToken(subtype) {
		return ""
	}
	for _, p := range parts[1:] {
		p = strings.TrimSpace(p)
		name, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(name, "charset") || strings.EqualFold(name, "q") || !isToken(name) || !travels(value) || strings.Contains(value, ",") {
			continue
		}
		t += ";" + p
	}
	return t
}

// isToken says whether s is a token (RFC 9110 §5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c > '~' || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
