package values

import "github.com/restest/restest/settings/document"

// Plain says whether nothing of a value but its own parts decides whether it fits: the shape leaves no choice (oneOf,
// anyOf, if), lists no values, and has no rule that looks at several parts at once (not, contains, dependentRequired …).
// A part changed within a value of a plain shape breaks what is said of that part, and nothing else.
func (s *Shape) Plain() bool {
	s.plan()
	return s.problem == "" && s.listed == nil && len(s.choices) == 0 && !s.checked
}

// rules are the keywords that a value can break, those first that say the most of it.
var rules = []string{
	"type", "const", "enum", "required", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "contains", "maxContains",
	"minProperties", "maxProperties", "additionalProperties", "unevaluatedProperties", "propertyNames", "dependentRequired",
	"not", "oneOf", "anyOf", "if",
}

// Broken is the one rule that the value breaks of the shape; ok is false where it breaks none, or several. That several
// branches of a oneOf fit is not held to break it: few APIs mean it.
func (s *Shape) Broken(v any) (rule string, ok bool) {
	if s.Fits(v) {
		return "", false
	}
	s.plan()
	for _, rule := range rules {
		if (rule == "enum" || rule == "const") && rule != s.source {
			continue // the one is lifted with the other
		}
		if s.fitsWithout(v, rule, "") {
			if rule == "oneOf" && s.fitsLifted(v, anyBranch, true) || rule == "format" && s.unsettled(v) {
				return "", false
			}
			return rule, true
		}
	}
	return "", false
}

// unsettled says whether others take a text for one of the format, such as a moment in a leap second: what is drawn for a
// format is of it by any reading, and what breaks it is by none.
func (s *Shape) unsettled(v any) bool {
	text, isText := v.(string)
	judged := false
	for _, m := range s.members {
		if m.Format == "" || !isText {
			continue
		}
		fits, is := document.FitsFormat(m.Format, text)
		if is && !fits {
			return false
		}
		judged = judged || is
	}
	return judged
}

// anyBranch has a oneOf ask for at least one branch.
func anyBranch(s *document.Schema) {
	if len(s.AnyOf) == 0 {
		s.AnyOf, s.OneOf = s.OneOf, nil
	}
}
