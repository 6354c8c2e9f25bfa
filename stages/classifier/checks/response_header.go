package checks

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// responseHeader, F923, finds a header that the response requires and the reply has not, and one that does not fit its
// schema.
//
// A field's value is text, so it is read as each type its schema allows, and only what fits in none of the readings is a
// fault. What is an object, or written as JSON, is not judged. Both are certain: the document says so. A warning, as
// most clients never look.
type responseHeader struct{}

func (responseHeader) About() About {
	return About{
		Code: 923, Name: "responseHeader", Title: "A declared header is missing or does not fit its schema",
		On: func(c settings.Checks) bool { return c.ResponseHeader },
	}
}

func (c responseHeader) Check(in *Input) []messages.Finding {
	reply := in.plain()
	if reply == nil || in.Declared.Response == nil || len(in.Declared.Response.Headers) == 0 {
		return nil
	}
	var findings []messages.Finding
	for _, h := range in.Declared.Response.Headers {
		lines := messages.Values(reply.Header, h.Name)
		var f messages.Finding
		switch {
		case strings.EqualFold(h.Name, "Content-Type"): // OpenAPI has it ignored
			continue
		case lines == nil && !h.Required:
			continue
		case lines == nil:
			f = c.About().finding("A required header is missing: "+h.Name, "the field "+h.Name, "no such field")
			f.Cause = Line(h.Name) + " required"
		default:
			fault := c.misfit(in, h, strings.Join(lines, ", "))
			if fault == nil {
				continue
			}
			f = c.About().finding("A header does not fit its schema: "+h.Name, fault.Message, h.Name+": "+strings.Join(lines, ", "))
			f.Cause = Line(h.Name) + " " + fault.Keyword
		}
		f.Place = Line(h.Name)
		findings = append(findings, f)
	}
	return findings
}

// misfit is how the value of a header does not fit, nil where it does or cannot be judged.
func (responseHeader) misfit(in *Input, h *document.Parameter, text string) *document.Fault {
	if h.Schema == nil || h.Content != "" {
		return nil
	}
	var first *document.Fault
	for _, value := range readings(h.Schema, strings.TrimSpace(text)) {
		faults, err := in.Judge(h.Schema, document.InReply, value)
		if err != nil || len(faults) == 0 {
			return nil
		}
		if first == nil {
			first = &faults[0]
		}
	}
	return first
}

// readings are what the text of a header can mean by the types of its schema, the likeliest first; none for an object,
// which is written in too many ways.
func readings(s *document.Schema, text string) []any {
	if slices.Contains(s.Types, "object") {
		return nil
	}
	var all []any
	if slices.Contains(s.Types, "array") {
		var items []any
		for part := range strings.SplitSeq(text, ",") {
			items = append(items, scalar(strings.TrimSpace(part), s.Items))
		}
		all = append(all, items)
	}
	if v := scalar(text, s); v != any(text) {
		all = append(all, v)
	}
	return append(all, text)
}

// scalar is the text as a number or a boolean, where the schema speaks of one and the text is one.
func scalar(text string, s *document.Schema) any {
	if s == nil {
		return text
	}
	wants := func(t string) bool { return len(s.Types) == 0 || slices.Contains(s.Types, t) }
	switch {
	case wants("boolean") && (strings.EqualFold(text, "true") || strings.EqualFold(text, "false")):
		return strings.EqualFold(text, "true")
	case (wants("integer") || wants("number")) && isNumber(text):
		return json.Number(text)
	case slices.Contains(s.Types, "null") && text == "":
		return nil
	}
	return text
}

// isNumber says whether the text is a JSON number.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') && json.Valid([]byte(text))
}
