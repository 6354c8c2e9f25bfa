// Package mutations changes one thing about a request that was accepted, so that it breaks one rule of the document and
// no other: a refusal is what is right then.
package mutations

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/generator/draft"
	"github.com/restest/restest/stages/generator/values"
)

// Source begins what the changed value's origin names; the kind follows.
const Source = "mutation "

// kind is one way to break a rule. Of the places it lists one is drawn, and try makes the change there; it says whether
// it could.
type kind struct {
	name string
	on   func(settings.Mutation) bool
	// suits says whether the place could be changed that way, as can be seen cheaply.
	suits func(*draft.Place) bool
	try   func(m *mutant, p *draft.Place) bool
}

// mutant is a change in the making.
type mutant struct {
	draw   *values.Draw
	form   *draft.Form
	change draft.Change
}

var kinds = []kind{
	{"dropRequired", func(s settings.Mutation) bool { return s.DropRequired }, leavable, (*mutant).dropRequired},
	{"wrongLocation", func(s settings.Mutation) bool { return s.WrongLocation }, movable, (*mutant).wrongLocation},
	{"wrongType", func(s settings.Mutation) bool { return s.WrongType }, inside, (*mutant).wrongType},
	{"outsideABound", func(s settings.Mutation) bool { return s.OutsideABound }, scalarOrSized, bounded(
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems",
		"maxItems", "minProperties", "maxProperties")},
	{"breakAnEnumeration", func(s settings.Mutation) bool { return s.BreakAnEnumeration }, lists, bounded("enum", "const")},
	{"breakAPattern", func(s settings.Mutation) bool { return s.BreakAPattern }, ofType("string"), bounded("pattern")},
	{"breakAFormat", func(s settings.Mutation) bool { return s.BreakAFormat }, onlyText, bounded("format")},
	{"sendNull", func(s settings.Mutation) bool { return s.SendNull }, typed, (*mutant).sendNull},
	{"sendEmpty", func(s settings.Mutation) bool { return s.SendEmpty }, inside, (*mutant).sendEmpty},
	{"oversize", func(s settings.Mutation) bool { return s.Oversize }, inBody, (*mutant).oversize},
	{"wrongRoot", func(s settings.Mutation) bool { return s.WrongRoot }, wholeJSON, (*mutant).wrongRoot},
	{"emptyBody", func(s settings.Mutation) bool { return s.EmptyBody }, wholeJSON, (*mutant).emptyBody},
	{"notJson", func(s settings.Mutation) bool { return s.NotJSON }, wholeJSON, (*mutant).notJSON},
	{"wrongContentType", func(s settings.Mutation) bool { return s.WrongContentType }, wholeJSON, (*mutant).wrongContentType},
	{"beyondItsWidth", func(s settings.Mutation) bool { return s.BeyondItsWidth }, onlyNumber, bounded("format")},
}

// Kinds are the names of the kinds, each that of its switch in settings.Mutation.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].name
	}
	return names
}

// mostPlaces is at how many places a kind is tried before another kind is drawn.
const mostPlaces = 4

// Mutate changes the draft in one of the ways that are on: the kind is drawn first, then the place. Write says whether a
// change can be sent. Nothing can be changed where ok is false.
func Mutate(
	d *values.Draw, form *draft.Form, accepted draft.Draft, on settings.Mutation, write func(*draft.Change) bool,
) (ok bool) {
	if !on.Violations {
		return false
	}
	var order [16]int
	left := order[:0]
	for i := range kinds {
		if kinds[i].on(on) {
			left = append(left, i)
		}
	}
	for len(left) > 0 {
		i := d.Rand.IntN(len(left))
		if one(d, form, accepted, &kinds[left[i]], write) {
			return true
		}
		left = slices.Delete(left, i, i+1)
	}
	return false
}

// one tries one kind.
func one(d *values.Draw, form *draft.Form, accepted draft.Draft, k *kind, write func(*draft.Change) bool) bool {
	places := form.Places()
	var suitable []*draft.Place
	for i := range places {
		p := &places[i]
		if _, there := p.In(&accepted); there && k.suits(p) {
			suitable = append(suitable, p)
		}
	}
	for range min(len(suitable), mostPlaces) {
		i := d.Rand.IntN(len(suitable))
		p := suitable[i]
		suitable = slices.Delete(suitable, i, i+1)
		m := mutant{draw: d, form: form, change: draft.Ordinary(accepted)}
		m.change.Place, m.change.Source = p.Name, Source+k.name
		if k.try(&m, p) && write(&m.change) {
			return true
		}
	}
	return false
}

// What a kind can be tried on.

func leavable(p *draft.Place) bool {
	return p.Required && (p.Plain || p.Root()) && !strings.HasPrefix(p.Name, "path.")
}

func movable(p *draft.Place) bool {
	return p.Required && p.Root() && p.Part >= 0 && !strings.HasPrefix(p.Name, "path.") && !p.Typed
}
func inside(p *draft.Place) bool    { return p.Plain && (p.Part >= 0 || !p.Root()) }
func typed(p *draft.Place) bool     { return p.Typed && inside(p) }
func wholeJSON(p *draft.Place) bool { return p.Part < 0 && p.Root() && p.Typed }
func lists(p *draft.Place) bool     { return p.Plain && len(p.Field.Shape.Listed()) > 0 }
func onlyText(p *draft.Place) bool  { return ofType("string")(p) && !p.Field.Shape.Allows("number") }

func onlyNumber(p *draft.Place) bool {
	return ofType("number")(p) && !p.Field.Shape.Allows("string")
}

func ofType(name string) func(*draft.Place) bool {
	return func(p *draft.Place) bool {
		return p.Plain && p.Field.Shape.Listed() == nil && p.Field.Shape.Allows(name)
	}
}

func scalarOrSized(p *draft.Place) bool { return p.Plain && p.Field.Shape.Listed() == nil }

func inBody(p *draft.Place) bool {
	return p.Plain && p.Part < 0 &&
		(p.Field.Shape.Allows("string") || p.Field.Shape.Allows("array"))
}

// put puts the value at the place, if it breaks one rule there.
func (m *mutant) put(p *draft.Place, v any, rules ...string) (ok bool) {
	rule, alone := p.Breaks(v)
	if !alone || len(rules) > 0 && !slices.Contains(rules, rule) {
		return false
	}
	if m.change.Draft, ok = p.Put(m.draw, &m.change.Draft, v); !ok {
		return false
	}
	m.change.Breaks = draft.Breaking(p.Name, rule)
	return true
}

// any puts one of the values at the place, drawn.
func (m *mutant) any(p *draft.Place, of []any, rules ...string) bool {
	from := m.draw.Rand.IntN(len(of))
	for i := range of {
		if m.put(p, of[(from+i)%len(of)], rules...) {
			return true
		}
	}
	return false
}

func (m *mutant) dropRequired(p *draft.Place) (ok bool) {
	switch {
	case !p.Root():
		if m.change.Draft, ok = p.Drop(&m.change.Draft); !ok {
			return false
		}
	case p.Part >= 0:
		m.change.Draft = m.change.Without(p.Part)
	default:
		m.change.Content, m.change.Body = -1, nil
	}
	m.change.Breaks = draft.Breaking(p.Name, "required")
	return true
}

func (m *mutant) wrongLocation(p *draft.Place) bool {
	in := m.form.Parts[p.Part].In
	others := slices.DeleteFunc([]string{"query", "header", "cookie"}, func(other string) bool { return other == in })
	m.change.Moved, m.change.To = p.Part, others[m.draw.Rand.IntN(len(others))]
	m.change.Breaks = draft.Breaking(p.Name, "required")
	// Where a parameter of that name belongs there as well, it would not be wrong there.
	return !slices.ContainsFunc(m.form.Parts, func(q draft.Part) bool {
		return q.In == m.change.To && strings.EqualFold(q.Name, m.form.Parts[p.Part].Name)
	})
}

// otherTypes are values of each JSON type.
var otherTypes = []any{
	true, json.Number("7"), json.Number("0.5"), "seven", []any{"seven"}, map[string]any{"seven": json.Number("7")},
}

func (m *mutant) wrongType(p *draft.Place) bool { return m.any(p, otherTypes, "type") }
func (m *mutant) wrongRoot(p *draft.Place) bool {
	if isList := p.Field.Shape.Allows("array"); !isList && m.draw.Rand.IntN(2) == 0 {
		return m.put(p, []any{m.change.Body}, "type") // the value in a list of one
	}
	return m.any(p, otherTypes, "type")
}
func (m *mutant) sendNull(p *draft.Place) bool { return m.put(p, nil) }

func (m *mutant) sendEmpty(p *draft.Place) bool {
	return m.any(p, []any{"", []any{}, map[string]any{}}, "minLength", "minItems", "minProperties", "required", "format", "pattern", "enum")
}

// bounded takes one of the values outside the rules, as the shape's boundaries have them.
func bounded(rules ...string) func(*mutant, *draft.Place) bool {
	return func(m *mutant, p *draft.Place) bool {
		var outside []any
		for _, b := range m.draw.Boundaries(p.Field) {
			if !b.Fits && slices.Contains(rules, b.Rule) {
				outside = append(outside, b.Value)
			}
		}
		return len(outside) > 0 && m.any(p, outside, rules...)
	}
}

// What is too large by far.
const (
	oversizeText = 10_000
	oversizeList = 1_000
)

func (m *mutant) oversize(p *draft.Place) bool {
	v, _ := p.In(&m.change.Draft)
	switch v := v.(type) {
	case string:
		if v == "" {
			v = "x"
		}
		letters := []rune(strings.Repeat(v, oversizeText/len([]rune(v))+1))
		return m.put(p, string(letters[:oversizeText]), "maxLength")
	case []any:
		if len(v) == 0 || !p.Typed {
			return false
		}
		long := make([]any, oversizeList)
		for i := range long {
			long[i] = v[i%len(v)]
		}
		return m.put(p, long, "maxItems")
	}
	return false
}

func (m *mutant) emptyBody(p *draft.Place) bool {
	if !p.Required {
		return false
	}
	m.change.Rewrite = func([]byte) []byte { return []byte{} }
	m.change.Breaks = draft.Breaking("body", "required")
	return true
}

func (m *mutant) wrongContentType(*draft.Place) bool {
	m.change.ContentType = m.form.OtherType()
	m.change.Place, m.change.Breaks = "header.Content-Type", draft.Breaking("header.Content-Type", "content")
	return m.change.ContentType != ""
}

// notJSON writes the body in one of six ways that are no JSON (RFC 8259).
func (m *mutant) notJSON(*draft.Place) bool {
	way := m.draw.Rand.IntN(6)
	switch m.change.Body.(type) {
	case map[string]any, []any:
	default:
		way = max(way, 2) // a number that ends early is one too
	}
	m.change.Rewrite = func(content []byte) []byte { return notJSON(string(content), way) }
	m.change.Breaks = draft.Breaking("body", "content")
	return true
}

// notJSON is a text that is nearly the JSON text and no JSON: it ends early, goes on after its end, is quoted with
// apostrophes, has a comma too many, a comment, or a number that JSON has not.
func notJSON(text string, way int) []byte {
	switch way {
	case 0:
		text = text[:len(text)-1]
	case 1:
		text += text[len(text)-1:]
	case 2:
		text = "{'value': '" + strings.NewReplacer("'", "", `"`, "").Replace(text) + "'}"
	case 3:
		text = "[" + text + ",]"
	case 4:
		text += " // as before"
	default:
		text = `{"value": NaN}`
	}
	return []byte(text)
}
