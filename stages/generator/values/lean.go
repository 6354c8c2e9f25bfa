package values

import (
	"slices"

	"github.com/restest/restest/settings/document"
)

// Lean is what has been learned of one place: its values had better fit a further schema, it had better be there, or
// left out. It bends only what the document leaves open.
type Lean struct {
	// Schema holds beside the place's own; nil: nothing more is asked of its values.
	Schema *document.Schema
	// Fresh asks for a value that nobody gave: one that is taken already is refused.
	Fresh bool
	// Present and Absent ask for the place to be there, or not; neither leaves it to chance.
	Present, Absent bool
	// Asked are names of properties, beyond those the document declares, that are to be there.
	Asked []string
	// Objects are names of properties that are to be objects, of whose members the document says nothing: whoever knows
	// what such an object holds puts it there.
	Objects []string
	// narrowed are the fields for the shapes met at the place, nil where both schemas cannot be satisfied.
	narrowed map[*Shape]*Field
	busy     bool
	failed   int // in a row
}

// mostFailures is how often in a row no value may be found before the lean is given up.
const mostFailures = 3

// Possible says whether values can fit both the shape and what was learned.
func (l *Lean) Possible(s *Shape) bool {
	return l.Schema == nil || s.all.of(append(slices.Clone(s.members), l.Schema), slices.Clone(s.settled)).Possible()
}

// lean is what leans at the present place, nil for nothing.
func (d *Draw) lean() *Lean { return d.Leans[string(d.here())] }

// leaning makes a value that also fits what was learned of the place. It does nothing where that, or both together, cannot be.
func (d *Draw) leaning(s *Shape, f *Field, depth int) (any, bool) {
	l := d.lean()
	if l == nil || l.busy || l.failed >= mostFailures || l.Schema == nil && !l.Fresh {
		return nil, false
	}
	narrowed := l.narrow(s, f, depth)
	if narrowed == nil {
		return nil, false
	}
	l.busy = true
	mark, made := len(d.Origins), d.made
	var v any
	var ok bool
	if narrowed.Shape.plan(); l.Fresh && narrowed.Shape.listed == nil {
		v, ok = d.invent(narrowed.Shape, narrowed, depth)
	} else {
		v, ok = d.value(narrowed.Shape, narrowed, depth)
	}
	l.busy = false
	if !ok {
		l.failed++
		d.Origins, d.made, d.reason = d.Origins[:mark], made, ""
		return nil, false
	}
	l.failed = 0
	if last := len(d.Origins) - 1; last == mark && d.Origins[last].Source == FromRandom {
		d.Origins[last].Source = FromHint
	}
	d.follow(l)
	return v, true
}

// narrow is the field with the further schema, nil if no value can fit both.
func (l *Lean) narrow(s *Shape, f *Field, depth int) *Field {
	if l.Schema == nil {
		return f
	}
	if n, known := l.narrowed[s]; known {
		return n
	}
	var n *Field
	shape := s.all.of(append(slices.Clone(s.members), l.Schema), slices.Clone(s.settled))
	if shape.Possible() {
		narrowed := *f
		narrowed.Shape, narrowed.Examples = shape, nil
		if depth == 0 {
			for _, v := range f.Examples {
				narrowed.Examples = shape.keepSample(narrowed.Examples, v)
			}
		}
		n = &narrowed
	}
	if l.narrowed == nil {
		l.narrowed = map[*Shape]*Field{}
	}
	l.narrowed[s] = n
	return n
}

// LeansTo says whether the optional part at the place is sent; where nothing was learned of it, it is as chance had it.
func (d *Draw) LeansTo(place string, sent bool) bool {
	if d.Leans == nil {
		return sent
	}
	return d.leansTo(d.Leans[place], sent)
}

func (d *Draw) propertyLeansTo(name string, sent bool) bool {
	mark := d.push(name)
	l := d.lean()
	d.pop(mark)
	return d.leansTo(l, sent)
}

func (d *Draw) leansTo(l *Lean, sent bool) bool {
	if l == nil || !l.Present && !l.Absent {
		return sent
	}
	d.follow(l)
	return l.Present
}

// addAsked adds the properties that were asked for though the document does not declare them.
func (d *Draw) addAsked(s *Shape, v map[string]any, depth int) {
	l := d.lean()
	if l == nil {
		return
	}
	for _, name := range l.Asked {
		if _, there := v[name]; there || s.object.high >= 0 && len(v) >= s.object.high {
			continue
		}
		shape := s.property(name)
		if shape.readOnly || !shape.Possible() {
			continue
		}
		f := field{Field: NewField(name, shape)}
		if d.property(v, &f, depth) {
			d.follow(l)
		}
	}
}

// Follow notes that the request does as the lean says.
func (d *Draw) Follow(l *Lean) { d.follow(l) }

func (d *Draw) follow(l *Lean) {
	if !slices.Contains(d.Followed, l) {
		d.Followed = append(d.Followed, l)
	}
}
