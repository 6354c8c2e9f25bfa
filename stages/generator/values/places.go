package values

import "slices"

// Place is where a value goes in a request.
type Place struct {
	// Name is such as "query.limit" or "body.items[].sku".
	Name  string
	Field *Field
	// Shape is what fits there: the field's own, or that of the items of its list.
	Shape    *Shape
	Required bool
}

const (
	deepestPlace = 8
	mostPlaces   = 2000
)

// Places are the places of the field that stands at the name, itself first, each once. Of schemas that lead back to
// themselves, and of very many, only the beginning is told.
func Places(f *Field, name string, required bool) []Place {
	w := placesWalk{seen: map[string]bool{}}
	w.visit(f, f.Shape, name, required, nil)
	return w.found
}

type placesWalk struct {
	found []Place
	seen  map[string]bool
}

func (w *placesWalk) visit(f *Field, s *Shape, name string, required bool, above []*Shape) {
	if !s.Possible() || len(above) > deepestPlace || len(w.found) >= mostPlaces || slices.Contains(above, s) {
		return
	}
	if !w.seen[name] {
		w.seen[name] = true
		w.found = append(w.found, Place{name, f, s, required})
	}
	above = append(above, s)
	if s.listed != nil {
		return
	}
	for _, c := range s.choices {
		for i := range c.branches {
			w.visit(f, s.branch(c, i), name, required, above)
		}
	}
	if s.types&list != 0 && s.list != nil {
		w.visit(f, s.list.at(0), name+"[]", required, above)
	}
	if s.types&object != 0 && s.object != nil {
		for i := range s.object.fields {
			p := &s.object.fields[i]
			w.visit(&p.Field, p.Shape, name+"."+p.Name, p.required, above)
		}
	}
}

// The rest is what a place's shape says of itself.

// Names are the names of the schemas that the values fit.
func (s *Shape) Names() []string {
	var names []string
	for _, m := range s.members {
		if m.Name != "" {
			names = append(names, m.Name)
		}
	}
	return names
}

// Formats are the formats that the values have.
func (s *Shape) Formats() []string {
	var named []string
	for _, m := range s.members {
		if m.Format != "" && !slices.Contains(named, m.Format) {
			named = append(named, m.Format)
		}
	}
	return named
}

// Samples says whether the document gives an example or a default that fits.
func (s *Shape) Samples() bool {
	s.plan()
	return len(s.examples)+len(s.defaults) > 0
}

// AllowsMore says whether an object may have a property of that name though the document does not declare it.
func (s *Shape) AllowsMore(name string) bool {
	s.plan()
	if s.problem != "" || s.types&object == 0 || s.object == nil || s.object.extra == nil {
		return false
	}
	more := s.property(name)
	return !more.readOnly && more.Possible()
}
