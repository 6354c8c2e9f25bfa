package values

import (
	"strings"

	"github.com/restest/restest/settings"
)

// Weights are the shares of the sources against one another. A source that has nothing for a place leaves its share to
// the others. What the document lists (enum, const) comes before them all.
type Weights struct{ Example, Default, Observed, Random, Dictionary int }

// WeightsOf are the weights that the settings give.
func WeightsOf(g settings.Generation) Weights {
	return Weights{g.ExampleWeight, g.DefaultWeight, g.ObservedWeight, g.RandomWeight, g.DictionaryWeight}
}

// Given offers the values of dictionaries.
type Given interface {
	// Values are those for the place, such as "body.items[].sku", that fit the shape there. They are only read.
	Values(place []byte, f *Field, s *Shape) []Listed
}

// Listed is a value of a dictionary.
type Listed struct {
	Value any
	// Source is FromDictionary and the dictionary's name.
	Source string
}

// fromSource takes a value from one of the sources that have one, by their weights; a likeliest one from the surest.
func (d *Draw) fromSource(s *Shape, f *Field, depth int) (any, bool) {
	var given []Listed
	if d.Given != nil {
		given = d.Given.Values(d.here(), f, s)
	}
	observed, seen := d.observed(s, f)
	refers := seen && !strings.HasPrefix(d.place, "path.") && d.Observed.Refers(d.seenAs(f))
	examples := len(f.Examples)
	if depth > 0 {
		examples = 0 // the field's own are for its whole value
	}
	n := examples + len(s.examples)
	if d.Likeliest {
		switch {
		case d.Shown && n > 0:
			return d.example(s, f, d.Rand.IntN(n), examples), true
		case seen:
			return d.note(observed, FromObserved), true
		case len(given) > 0:
			return d.given(given), true
		case n > 0:
			return d.example(s, f, d.Rand.IntN(n), examples), true
		case len(s.defaults) > 0:
			return d.note(s.defaults[0], FromDefault), true
		}
		return d.invent(s, f, depth)
	}
	for group := range len(d.Then) + 1 {
		all := d.Weights
		if group > 0 {
			all = d.Then[group-1]
		}
		w := Weights{Random: all.Random}
		if n > 0 {
			w.Example = all.Example
		}
		if len(s.defaults) > 0 {
			w.Default = all.Default
		}
		if seen {
			w.Observed = all.Observed
		}
		if refers {
			w.Random = (w.Random + mostlyThere - 1) / mostlyThere
		}
		if len(given) > 0 {
			w.Dictionary = all.Dictionary
		}
		total := w.Example + w.Default + w.Observed + w.Dictionary
		switch {
		case total+w.Random == 0:
			continue // the next group
		case total == 0:
			return d.invent(s, f, depth)
		}
		switch at := d.Rand.IntN(total + w.Random); {
		case at < w.Example:
			return d.example(s, f, d.Rand.IntN(n), examples), true
		case at < w.Example+w.Default:
			return d.note(s.defaults[d.Rand.IntN(len(s.defaults))], FromDefault), true
		case at < w.Example+w.Default+w.Observed:
			return d.note(observed, FromObserved), true
		case at < total:
			return d.given(given), true
		default:
			return d.invent(s, f, depth)
		}
	}
	return d.invent(s, f, depth)
}

// mostlyThere is what the share of invented values is divided by where a value names a thing that has to be there, and
// some are known: nearly every other value would be refused.
const mostlyThere = 8

func (d *Draw) given(from []Listed) any {
	l := from[d.Rand.IntN(len(from))]
	return d.note(l.Value, l.Source)
}

// PrefersGiven says whether a value of a dictionary rather than one seen is to go to the place of the field, by the
// weights of the two.
func (d *Draw) PrefersGiven(f *Field, place string) bool {
	if d.Given == nil || d.Likeliest || d.Weights.Dictionary < 1 {
		return false
	}
	f.Shape.plan()
	if f.Shape.listed != nil || len(d.Given.Values([]byte(place), f, f.Shape)) == 0 {
		return false
	}
	return d.Rand.IntN(d.Weights.Dictionary+d.Weights.Observed) < d.Weights.Dictionary
}

// here is the present place with "[]" for each index. It is good until the next call.
func (d *Draw) here() []byte {
	d.key = d.key[:0]
	within := false
	for i, c := range d.at {
		switch {
		case within && '0' <= c && c <= '9':
			continue
		case c == '[' && i+1 < len(d.at) && '0' <= d.at[i+1] && d.at[i+1] <= '9':
			within = true
		default:
			within = false
		}
		d.key = append(d.key, c)
	}
	return d.key
}
