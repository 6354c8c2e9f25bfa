package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// Reason is why an operation that a plan leaves alone is not tested.
const Reason = "left alone by the plan"

// Leaves are the operations that the plan leaves alone, by their index. A name that is nothing of the document is an
// error: an operation that was to be left alone would be tested.
func (p *Plan) Leaves(doc *document.Document) ([]int, error) {
	if p == nil {
		return nil, nil
	}
	declared := slices.DeleteFunc(slices.Clone(doc.Operations), func(op *document.Operation) bool { return op.SignIn })
	var wrong []string
	for _, list := range []struct {
		key   string
		names []string
	}{{"only", p.Only}, {"leaveAlone", p.LeftAlone}} {
		for _, name := range list.names {
			if !slices.ContainsFunc(declared, func(op *document.Operation) bool { return names(name, op) }) {
				wrong = append(wrong, fmt.Sprintf("operations.%s: %s is no operationId, METHOD /path or tag of the document%s", list.key, settings.Quote(name), meant(doc, name)))
			}
		}
	}
	if len(wrong) > 0 {
		return nil, errors.New("the plan's " + strings.Join(wrong, "\nthe plan's "))
	}
	var left []int
	for _, op := range declared {
		is := func(name string) bool { return names(name, op) }
		if len(p.Only) > 0 && !slices.ContainsFunc(p.Only, is) || slices.ContainsFunc(p.LeftAlone, is) {
			left = append(left, op.Index)
		}
	}
	return left, nil
}

// names says whether the name stands for the operation.
func names(name string, op *document.Operation) bool {
	return op.ID == name || slices.Contains(op.Tags, name) ||
		matches(name, op.Method+" "+op.Path) || matches(name, op.Method+" "+op.BasePath+op.Path)
}

// matches says whether the text is of the pattern, in which each * stands for any text.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	text, ok := strings.CutPrefix(text, parts[0])
	if !ok || len(parts) == 1 {
		return ok && text == ""
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return strings.HasSuffix(text, last)
}

// meant is what may have been meant by a name, as half a sentence; "" if nothing is near.
func meant(doc *document.Document, name string) string {
	var known []string
	for _, op := range doc.Operations {
		known = append(append(known, op.ID, op.Method+" "+op.Path), op.Tags...)
	}
	if near := settings.Suggest(name, known); near != "" {
		return "; did you mean " + settings.Quote(near) + "?"
	}
	return ""
}
