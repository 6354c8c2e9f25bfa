// Package values makes values that fit the schemas of a document, and says whether a value fits.
//
// Values are those of encoding/json: nil, bool, json.Number, string, []any and map[string]any.
package values

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/restest/restest/messages"
)

// Where a value can come from, as messages.Origin names it.
const (
	FromEnum     = "enum"
	FromConst    = "const"
	FromExample  = "example"
	FromDefault  = "default"
	FromObserved = "observed"
	FromRandom   = "random"
	// FromDictionary is followed by the dictionary's name.
	FromDictionary = "dictionary "
	// FromHint is a value invented as a reply asked for it.
	FromHint = "hint"
)

// Observed offers values that the API itself returned.
type Observed interface {
	// Values are those seen under a name of that key, the newest last. They are only read.
	Values(key string) []any
	// Refers says whether a name of that key stands for a thing that has to be there, such as bookId where there are books.
	Refers(key string) bool
}

// Field is a shape that has a name: a parameter, a property.
type Field struct {
	Name  string
	Shape *Shape
	// Examples are the document's for this place, beyond the shape's own.
	Examples []any
	key      string

	description string
	// kind is what is implied for kindOf; kindSure is true where a format says so.
	kind     *kind
	kindOf   *Shape
	kindSure bool
}

// NewField is a field of that name; of the examples those are kept that fit.
func NewField(name string, s *Shape, examples ...any) Field {
	f := Field{Name: name, Shape: s, key: Key(name)}
	for _, v := range examples {
		f.Examples = s.keepSample(f.Examples, v)
	}
	return f
}

// Key is what names that mean the same have in common: petId, pet_id and Pet-ID are one.
func Key(name string) string {
	plain := true
	for i := range len(name) {
		c := name[i]
		plain = plain && ('a' <= c && c <= 'z' || '0' <= c && c <= '9')
	}
	if plain {
		return name
	}
	return strings.ToLower(strings.Map(func(c rune) rune {
		if strings.ContainsRune("_-. []$", c) {
			return -1
		}
		return c
	}, name))
}

// Draw makes values for one request. Its fields are set before Make is called; it can be used again after Reset.
type Draw struct {
	Rand     *rand.Rand
	Observed Observed
	// Given offers the values of the user's dictionaries, nil for none.
	Given Given
	// Weights are the shares of the sources; Then are those of further groups of sources, each asked where the ones
	// before it have nothing.
	Weights Weights
	Then    []Weights
	// Leans are what has been learned of places, by the place with "[]" for each index; nil for nothing.
	Leans map[string]*Lean
	// Followed are the leans that took part since Reset, in the order of their first use.
	Followed []*Lean
	// Likeliest asks for the values most likely to be accepted instead of varied ones.
	Likeliest bool
	// Shown asks, where the likeliest values are wanted, for those that the document gives: optional properties are there
	// if it has an example or a default for them.
	Shown bool
	// Thins leaves out some of the optional properties that would be there since they are shown.
	Thins bool
	// Nulls allows null where a value other than null would do as well.
	Nulls bool
	// ByDiscriminator is true if a value made since Reset fits several branches of a oneOf, which a discriminator tells apart.
	ByDiscriminator bool
	// Origins say where each value came from.
	Origins []messages.Origin

	all   *Shapes
	at    []byte
	place string
	key   []byte // scratch: the place with "[]" for each index
	made  int
	// vain counts the values that were made and did not fit.
	vain   int
	reason string
}

// Draw is a Draw for these shapes.
func (a *Shapes) Draw(r *rand.Rand, observed Observed) *Draw {
	return &Draw{Rand: r, Observed: observed, Weights: WeightsOf(a.limits), all: a}
}

// Reset forgets what was made, and makes room for about that many origins; those handed out are not touched again.
func (d *Draw) Reset(room int) {
	d.Origins, d.made, d.reason = make([]messages.Origin, 0, room), 0, ""
	d.Followed, d.ByDiscriminator = nil, false
}

// Reason says why the last Make failed.
func (d *Draw) Reason() string { return d.reason }

// deepest is how deep a value nests at most, whatever is required.
const deepest = 500

// mostValues is how many values a request holds before only what is required is added.
const mostValues = 400

// Make makes a value of the field for the place, such as "path.id" or "body". It says whether it could.
func (d *Draw) Make(f *Field, place string) (any, bool) {
	d.place, d.at, d.reason, d.vain = place, append(d.at[:0], place...), "", 0
	return d.value(f.Shape, f, 0)
}

// sparing says whether only what is required should be made from here on.
func (d *Draw) sparing(depth int) bool {
	return depth >= d.all.limits.MostDepth || d.made > mostValues
}

func (d *Draw) tries() int { return 40 }

// mostVain is how many values that do not fit are made for one that does, at all places within it together: choices
// within choices would ask for a number of tries that grows with each level.
const mostVain = 1000

// fail keeps the first reason, which is the innermost, and its place where that is within the value.
func (d *Draw) fail(s *Shape, reason string) bool {
	if d.reason == "" {
		d.reason = subject(s.name) + ": " + reason + d.where()
	}
	return false
}

func (d *Draw) where() string {
	if len(d.at) <= len(d.place) {
		return ""
	}
	return ", at " + string(d.at)
}

// value makes a value from one of the places it can come from.
func (d *Draw) value(s *Shape, f *Field, depth int) (any, bool) {
	if !s.Possible() {
		if d.reason == "" {
			d.reason = s.Why() + d.where()
		}
		return nil, false
	}
	if depth > deepest {
		return nil, d.fail(s, "its values nest too deeply")
	}
	d.made++
	if d.Leans != nil {
		if v, ok := d.leaning(s, f, depth); ok {
			return v, true
		}
	}
	if s.listed != nil {
		return d.listed(s), true
	}
	return d.fromSource(s, f, depth)
}

func (d *Draw) listed(s *Shape) any {
	v := s.listed[d.Rand.IntN(len(s.listed))]
	if v == nil && !d.Nulls {
		for _, w := range s.listed {
			if w != nil {
				v = w
				break
			}
		}
	}
	return d.note(v, s.source)
}

func (d *Draw) example(s *Shape, f *Field, i, own int) any {
	if i < own {
		return d.note(f.Examples[i], FromExample)
	}
	return d.note(s.examples[i-own], FromExample)
}

// Seen is a value that was seen under the field's name and fits it. Its origin is not noted.
func (d *Draw) Seen(f *Field) (any, bool) {
	f.Shape.plan()
	if f.Shape.listed != nil {
		return nil, false // what the document lists is better
	}
	return d.observed(f.Shape, f)
}

// observed is a value seen under the field's name that fits the shape.
func (d *Draw) observed(s *Shape, f *Field) (any, bool) {
	if d.Observed == nil || f.key == "" || s.types&^(list|object) == 0 {
		return nil, false
	}
	seen := d.Observed.Values(d.seenAs(f))
	if len(seen) == 0 {
		return nil, false
	}
	if d.Likeliest {
		for i := len(seen) - 1; i >= 0; i-- {
			if s.Fits(seen[i]) {
				return seen[i], true
			}
		}
		return nil, false
	}
	for range 2 {
		if v := seen[d.Rand.IntN(len(seen))]; s.Fits(v) {
			return v, true
		}
	}
	return nil, false
}

// invent makes a value that nobody gave.
func (d *Draw) invent(s *Shape, f *Field, depth int) (any, bool) {
	if !s.checked || len(s.settled) > 0 {
		return d.once(s, f, depth) // whoever settled a choice looks at the value and tries again
	}
	tries := d.tries()
	last := any(nil)
	for try := range tries {
		mark, made, named := len(d.Origins), d.made, d.ByDiscriminator
		// First as the branches come, then with one that keeps away from the others, last by the branch that a
		// discriminator names, where branches overlap.
		lenient := try >= tries*3/4 || d.vain > mostVain
		var v any
		var ok bool
		if try >= tries/3 {
			if away := d.apartFrom(s, last); away != nil {
				v, ok = d.value(away, f, depth)
			}
		}
		if !ok {
			v, ok = d.once(s, f, depth)
		}
		if ok && s.Fits(v) {
			return v, true
		}
		if ok && lenient && s.fitsNamedBranch(v) {
			d.ByDiscriminator = true
			return v, true
		}
		if ok {
			last = v
		}
		d.Origins, d.made, d.ByDiscriminator = d.Origins[:mark], made, named
		if d.vain++; d.vain > mostVain && lenient {
			break
		}
	}
	return nil, d.fail(s, "every value tried breaks "+s.broken(last))
}

// once makes a value, led by the keywords that can lead.
func (d *Draw) once(s *Shape, f *Field, depth int) (any, bool) {
	if len(s.choices) > 0 {
		branch := d.branch(s, depth)
		if branch == nil {
			return nil, false
		}
		return d.value(branch, f, depth)
	}
	switch d.pickType(s, depth) {
	case null:
		return d.note(nil, FromRandom), true
	case boolean:
		return d.note(d.Rand.IntN(2) == 0, FromRandom), true
	case integer, fraction:
		return d.note(d.drawNumber(s, f), FromRandom), true
	case text:
		return d.note(d.drawText(s, d.kind(s, f)), FromRandom), true
	case list:
		mark := len(d.Origins)
		v, ok := d.drawList(s, f, depth)
		if !ok {
			return nil, false
		}
		return d.container(v, mark), true
	default:
		mark := len(d.Origins)
		v, ok := d.drawObject(s, depth)
		if !ok {
			return nil, false
		}
		return d.container(v, mark), true
	}
}

// container notes an invented list or object that holds nothing; for others what they hold is noted.
func (d *Draw) container(v any, mark int) any {
	if len(d.Origins) == mark {
		return d.note(v, FromRandom)
	}
	return v
}

// branch picks a branch of the shape's first choice: any that is possible, the least one where it is deep.
func (d *Draw) branch(s *Shape, depth int) *Shape {
	c := s.choices[0]
	var least *Shape
	picked, possible := (*Shape)(nil), 0
	for i := range c.branches {
		b := s.branch(c, i)
		if !b.Possible() {
			continue
		}
		if least == nil || b.cost.less(least.cost) {
			least = b
		}
		if possible++; d.Rand.IntN(possible) == 0 {
			picked = b
		}
	}
	if d.sparing(depth) {
		return least
	}
	return picked
}

// pickType picks one of the types that the shape allows.
func (d *Draw) pickType(s *Shape, depth int) typeSet {
	t := s.types
	if t&fraction != 0 {
		t &^= integer
	}
	if t&(t-1) == 0 {
		return t
	}
	if d.sparing(depth) {
		return s.leastType(t)
	}
	if t&null != 0 && d.Nulls && d.Rand.IntN(20) == 0 {
		return null
	}
	var kinds [7]typeSet
	n := 0
	for one := boolean; one <= object; one <<= 1 {
		if t&one != 0 && s.typeCost(one).height < endless {
			kinds[n] = one
			n++
		}
	}
	if n == 0 {
		return s.leastType(t)
	}
	return kinds[d.Rand.IntN(n)]
}

// leastType is the type of which the least value takes the least; null is the last of those that take the same.
func (s *Shape) leastType(t typeSet) typeSet {
	least, lowest := null, cost{height: endless}
	if t&null != 0 {
		lowest = cost{1, mostBytes}
	}
	for one := boolean; one <= object; one <<= 1 {
		if t&one == 0 {
			continue
		}
		if c := s.typeCost(one); c.less(lowest) {
			least, lowest = one, c
		}
	}
	return least
}

// quiet makes a value that no origin is noted for, such as a name.
func (d *Draw) quiet(s *Shape) (any, bool) {
	mark := len(d.Origins)
	f := Field{Shape: s}
	v, ok := d.value(s, &f, 0)
	d.Origins = d.Origins[:mark]
	return v, ok
}

func (d *Draw) note(v any, source string) any {
	place := d.place
	if len(d.at) > len(place) {
		place = string(d.at)
	}
	d.Origins = append(d.Origins, messages.Origin{Place: place, Source: source})
	return v
}

// push goes down to the property, pop back to the mark it returned.
func (d *Draw) push(name string) int {
	mark := len(d.at)
	d.at = append(append(d.at, '.'), name...)
	return mark
}

func (d *Draw) pushIndex(i int) int {
	mark := len(d.at)
	d.at = append(strconv.AppendInt(append(d.at, '['), int64(i), 10), ']')
	return mark
}

func (d *Draw) pop(mark int) { d.at = d.at[:mark] }
