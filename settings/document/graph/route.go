package graph

import (
	"strings"

	"github.com/restest/restest/settings/document"
)

// Route is a path template read for the things it leads to.
type Route struct {
	// Template is the path with its base path and without the names of its gaps, such as "/v1/things/{}/parts".
	Template string
	// Gaps are those that fill their segment, up to the first that does not.
	Gaps []Gap
}

// Gap is one {name} of a path.
type Gap struct {
	Name string
	// Template is the route's up to and with this gap.
	Template string
	// Noun is the word before the gap in the singular, "" if there is none.
	Noun string
}

// RouteOf reads an operation's path.
func RouteOf(op *document.Operation) Route {
	var r Route
	var template strings.Builder
	template.WriteString(op.BasePath)
	whole, before := true, ""
	for _, segment := range strings.Split(op.Path, "/")[1:] {
		template.WriteByte('/')
		open := strings.IndexByte(segment, '{')
		switch {
		case open == 0 && strings.IndexByte(segment, '}') == len(segment)-1:
			template.WriteString("{}")
			if whole {
				r.Gaps = append(r.Gaps, Gap{Name: segment[1 : len(segment)-1], Template: template.String(), Noun: before})
			}
			before = ""
		case open >= 0:
			whole = false
			template.WriteString(segment)
		default:
			template.WriteString(segment)
			before = Singular(segment)
		}
	}
	r.Template = template.String()
	return r
}

// EndsInGap says whether the route leads to one thing.
func (r Route) EndsInGap() bool {
	n := len(r.Gaps)
	return n > 0 && r.Gaps[n-1].Template == r.Template
}

func (r Route) leadsThrough(template string) bool {
	for _, gap := range r.Gaps {
		if gap.Template == template {
			return true
		}
	}
	return false
}

// Singular is the English word in the singular, as far as its ending tells.
func Singular(word string) string {
	switch lower := strings.ToLower(word); {
	case strings.HasSuffix(lower, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(lower, "sses"), strings.HasSuffix(lower, "shes"), strings.HasSuffix(lower, "ches"), strings.HasSuffix(lower, "xes"):
		return word[:len(word)-2]
	case strings.HasSuffix(lower, "s") && !strings.HasSuffix(lower, "ss") && !strings.HasSuffix(lower, "us") && len(word) > 1:
		return word[:len(word)-1]
	}
	return word
}

// IsPlainID says whether the name tells that something is identified, and not what.
func IsPlainID(name string) bool {
	switch strings.ToLower(name) {
	case "id", "_id", "uuid", "guid", "key", "name", "slug", "code":
		return true
	}
	return false
}

// keyOf is what names that mean the same have in common: thingId, thing_id and Thing-ID are one.
func keyOf(name string) string {
	return strings.ToLower(strings.Map(func(c rune) rune {
		if strings.ContainsRune("_-. []$", c) {
			return -1
		}
		return c
	}, name))
}

// Deepest is the template up to the last gap, "" for a route without one.
func (r Route) Deepest() string {
	if len(r.Gaps) == 0 {
		return ""
	}
	return r.Gaps[len(r.Gaps)-1].Template
}
