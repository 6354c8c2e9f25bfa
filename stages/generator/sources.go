package generator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/dictionary"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/generator/values"
)

// given is the values of the user's dictionaries. It finds those for a place when first asked, and remembers them.
type given struct {
	// operation is the one that values are made for.
	operation int
	exact     []map[string][]listed                     // by operation, then place
	by        [dictionary.ByNothing]map[string][]listed // by group, then key
	anywhere  []listed                                  // for each place
	fitting   map[placeOfShape][]values.Listed          // those that fit
}

// listed is an entry that can be used, and the source it is told as.
type listed struct {
	value  any
	source string
}

// placeOfShape is what decides which values fit a place.
type placeOfShape struct {
	shape     *values.Shape
	name      string
	operation int
	place     string // "" where no value is for the place alone
}

// newGiven readies the dictionaries, nil if there are no values in them.
func newGiven(doc *document.Document, from []*dictionary.Dictionary) *given {
	g := &given{
		exact: make([]map[string][]listed, len(doc.Operations)), fitting: map[placeOfShape][]values.Listed{},
	}
	some := false
	for i := range g.by {
		g.by[i] = map[string][]listed{}
	}
	for _, d := range from {
		for _, e := range d.Entries {
			some = true
			l := listed{e.Value, values.FromDictionary + d.Name}
			switch e.Group {
			case dictionary.ByOperation:
				for _, op := range operationsNamed(doc, e.Key) {
					if g.exact[op] == nil {
						g.exact[op] = map[string][]listed{}
					}
					g.exact[op][e.Place] = append(g.exact[op][e.Place], l)
				}
			case dictionary.ByNothing:
				g.anywhere = append(g.anywhere, l)
			default:
				key := e.Key
				if e.Group == dictionary.ByName {
					key = values.Key(key)
				}
				m := g.by[e.Group]
				m[key] = append(m[key], l)
			}
		}
	}
	if !some {
		return nil
	}
	return g
}

// operationsNamed are the operations that a dictionary's key means: by operationId, METHOD /path or any.
func operationsNamed(doc *document.Document, key string) []int {
	var found []int
	for i, op := range doc.Operations {
		if key == dictionary.Any || key == op.ID || key == op.Method+" "+op.Path || key == op.Method+" "+op.BasePath+op.Path {
			found = append(found, i)
		}
	}
	return found
}

// Values are those that fit, of the most exact group that has any.
func (g *given) Values(place []byte, f *values.Field, s *values.Shape) []values.Listed {
	key := placeOfShape{shape: s, name: f.Name}
	if exact := g.exact[g.operation]; exact[string(place)] != nil || exact[dictionary.Any] != nil {
		key.operation, key.place = g.operation, string(place)
	}
	if known, ok := g.fitting[key]; ok {
		return known
	}
	found := g.find(key, s)
	g.fitting[key] = found
	return found
}

func (g *given) find(key placeOfShape, s *values.Shape) []values.Listed {
	if key.place != "" {
		exact := g.exact[key.operation]
		if found := fitting(s, exact[key.place]); len(found) > 0 {
			return found
		}
		if found := fitting(s, exact[dictionary.Any]); len(found) > 0 {
			return found
		}
	}
	for _, group := range []struct {
		by   dictionary.Group
		keys []string
	}{
		{dictionary.BySchema, s.Names()},
		{dictionary.ByName, []string{values.Key(key.name)}},
		{dictionary.ByFormat, s.Formats()},
		{dictionary.ByType, typesFor(s)},
	} {
		var all []values.Listed
		for _, k := range group.keys {
			if k != "" {
				all = append(all, fitting(s, g.by[group.by][k])...)
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return fitting(s, g.anywhere)
}

// typesFor are the types whose values can be meant for the shape: integers are numbers too.
func typesFor(s *values.Shape) []string {
	types := s.Types()
	switch {
	case slices.Contains(types, "number"):
		types = append(types, "integer")
	case slices.Contains(types, "integer"):
		types = append(types, "number")
	}
	return types
}

func fitting(s *values.Shape, from []listed) []values.Listed {
	var found []values.Listed
	for _, l := range from {
		if v, ok := s.Adapt(l.value); ok {
			found = append(found, values.Listed{Value: v, Source: l.source})
		}
	}
	return found
}

// CheckDictionaries says, a line each, which values of the dictionaries will not be used in a run of the document, and
// why: their operation or place is nowhere, or they do not fit the schema there. Values of the same name are looked for
// in all places; one that fits any of them is used.
func CheckDictionaries(cfg Config, from []*dictionary.Dictionary) []string {
	if !slices.ContainsFunc(from, func(d *dictionary.Dictionary) bool { return len(d.Entries) > 0 }) {
		return nil
	}
	doc := cfg.Document
	check := newDictionaryCheck(cfg)
	var lines []string
	for _, d := range from {
		for _, e := range d.Entries {
			if why := check.wrong(doc, &e); why != "" {
				lines = append(lines, fmt.Sprintf("%s: %s", e.Where, why))
			}
		}
	}
	return lines
}

// dictionaryCheck is all places of a document.
type dictionaryCheck struct {
	byOperation []map[string]*values.Shape
	by          [dictionary.ByNothing]map[string][]*values.Shape
	all         []*values.Shape
}

func newDictionaryCheck(cfg Config) *dictionaryCheck {
	doc := cfg.Document
	c := &dictionaryCheck{byOperation: make([]map[string]*values.Shape, len(doc.Operations))}
	for i := range c.by {
		c.by[i] = map[string][]*values.Shape{}
	}
	seen := map[*values.Shape]bool{}
	type named struct {
		shape *values.Shape
		key   string
	}
	met := map[named]bool{}
	eachPlace(cfg, func(op *document.Operation, place values.Place) {
		if c.byOperation[op.Index] == nil {
			c.byOperation[op.Index] = map[string]*values.Shape{}
		}
		c.byOperation[op.Index][place.Name] = place.Shape
		if n := (named{place.Shape, values.Key(place.Field.Name)}); !met[n] {
			met[n] = true
			c.by[dictionary.ByName][n.key] = append(c.by[dictionary.ByName][n.key], place.Shape)
		}
		if seen[place.Shape] {
			return
		}
		seen[place.Shape] = true
		c.all = append(c.all, place.Shape)
		add := func(group dictionary.Group, keys []string) {
			for _, key := range keys {
				c.by[group][key] = append(c.by[group][key], place.Shape)
			}
		}
		add(dictionary.BySchema, place.Shape.Names())
		add(dictionary.ByFormat, place.Shape.Formats())
		add(dictionary.ByType, typesFor(place.Shape))
	})
	return c
}

// eachPlace calls f with every place of every operation that can be tested.
func eachPlace(cfg Config, f func(op *document.Operation, place values.Place)) {
	shapes := values.NewShapes(cfg.Settings.Generation)
	for _, op := range cfg.Document.Operations {
		if op.Untestable != "" {
			continue
		}
		p, why := newPlan(&cfg, shapes, op)
		if why != "" {
			continue
		}
		for _, place := range p.places() {
			f(op, place)
		}
	}
}

// wrong says why the entry will not be used, "" if it will.
func (c *dictionaryCheck) wrong(doc *document.Document, e *dictionary.Entry) string {
	fits := func(s *values.Shape) bool { _, ok := s.Adapt(e.Value); return ok }
	switch e.Group {
	case dictionary.ByOperation:
		operations := operationsNamed(doc, e.Key)
		if len(operations) == 0 {
			return fmt.Sprintf("%s is no operation of the document%s", settings.Quote(e.Key), meant(e.Key, operationNames(doc)))
		}
		var places []string
		found := false
		for _, op := range operations {
			for place, s := range c.byOperation[op] {
				places = append(places, place)
				if place != e.Place && e.Place != dictionary.Any {
					continue
				}
				found = true
				if fits(s) {
					return ""
				}
			}
		}
		slices.Sort(places)
		if !found {
			return fmt.Sprintf("%s has no place %s%s", e.Key, settings.Quote(e.Place), meant(e.Place, places))
		}
		return fmt.Sprintf("%s does not fit the schema of %s in %s, so it is not used", shown(e.Value), e.Place, e.Key)
	case dictionary.ByNothing:
		if slices.ContainsFunc(c.all, fits) {
			return ""
		}
		return shown(e.Value) + " fits no place of the document, so it is not used"
	}
	key := e.Key
	if e.Group == dictionary.ByName {
		key = values.Key(key)
	}
	shapes := c.by[e.Group][key]
	if len(shapes) == 0 {
		return fmt.Sprintf("the document has no place of %s %s%s", e.Group, settings.Quote(e.Key), meant(e.Key, slices.Sorted(maps.Keys(c.by[e.Group]))))
	}
	if slices.ContainsFunc(shapes, fits) {
		return ""
	}
	return fmt.Sprintf("%s does not fit the schema of any place of %s %s, so it is not used", shown(e.Value), e.Group, e.Key)
}

func operationNames(doc *document.Document) []string {
	var names []string
	for _, op := range doc.Operations {
		names = append(names, op.ID, op.Method+" "+op.Path)
	}
	return names
}

func meant(word string, candidates []string) string {
	if near := settings.Suggest(word, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// shown is a value in short.
func shown(v any) string {
	written, err := json.Marshal(v)
	if err != nil {
		return "the value"
	}
	text := string(written)
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}

// holdsScalars says whether the values are, or can be, texts or numbers.
func holdsScalars(s *values.Shape) bool {
	return s.Allows("string") || s.Allows("integer") || s.Allows("number")
}

// Unvalued is a place of an operation that the document gives no value for: no enum, example or default.
type Unvalued struct {
	Operation *document.Operation
	Place     string
	// What says of which type it is, and what more is asked of it.
	What     string
	Required bool
}

// PlacesWithoutValues are the places of texts and numbers that a dictionary would help, in the order of the document.
func PlacesWithoutValues(doc *document.Document, s settings.Settings) []Unvalued {
	var found []Unvalued
	eachPlace(Config{Document: doc, Settings: s}, func(op *document.Operation, place values.Place) {
		types := slices.DeleteFunc(place.Shape.Types(), func(t string) bool { return t == "null" })
		if !holdsScalars(place.Shape) || place.Shape.Listed() != nil || place.Shape.Samples() || len(place.Field.Examples) > 0 || place.Shape.Binary() {
			return
		}
		what := strings.Join(types, " or ")
		if formats := place.Shape.Formats(); len(formats) > 0 {
			what += ", " + strings.Join(formats, ", ")
		}
		found = append(found, Unvalued{op, place.Name, cmp.Or(what, "anything"), place.Required})
	})
	return found
}
