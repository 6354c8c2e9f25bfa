// Package coverage goes through what the document says of an operation, rule by rule: a value on each bound, just inside
// and just outside it, each listed value, each optional part there and not there, each media type, each status that can
// be aimed at, and pairs of these.
//
// It is a plain value. It holds what is left of one rule's values at a time, so that a document of a thousand operations
// costs little; the values hang on how the draw is sown for a place.
package coverage

import (
	"slices"

	"github.com/restest/restest/stages/generator/draft"
	"github.com/restest/restest/stages/generator/values"
)

// Source is what the changed value's origin names.
const Source = "covering"

// Coverage is how far the coverage of one operation has come.
type Coverage struct {
	form *draft.Form
	// statuses are the codes that the document declares for the operation's replies.
	statuses []string
	most     int
	at       Cursor
}

// Cursor is a place in the coverage.
type Cursor struct {
	phase, slot, item, built int
	// listed are the wishes of a place; of names it, and is negative for none. They are part of where the coverage is:
	// what has been learned since would have them be others.
	listed []Wish
	of     int
}

// The phases, what is most likely accepted first.
const (
	presence = iota
	inside
	aimed
	outside
	pairs
	over
)

// New begins the coverage of requests of the form with at most so many requests. The statuses are those that the
// document declares.
func New(form *draft.Form, statuses []string, most int) Coverage {
	return Coverage{form: form, statuses: statuses, most: most, at: Cursor{of: -1}}
}

// Wish is one request that the coverage asks for.
type Wish struct {
	// Parts are the optional parts to send, by their places, and Media is the media type to send the body in, from 1; 0
	// leaves it open.
	Parts []string
	Media int

	place *draft.Place // nil: nothing is changed
	do    action
	value any
	rule  string
	also  []Wish // of a row of pairs
}

// action is what is done at the place.
type action int

const (
	put       action = iota // the value
	add                     // any value
	drop                    // the property
	strange                 // a value that names nothing there is
	otherType               // another content type
	noType                  // an Accept that names another type
)

// Over says whether all has been asked for.
func (c *Coverage) Over() bool { return c.at.phase == over }

// Cursor is where the coverage is; Back returns there.
func (c *Coverage) Cursor() Cursor { return c.at }

// Back undoes what was asked for since the cursor was taken.
func (c *Coverage) Back(to Cursor) { c.at = to }

// Next is the next wish; ok is false when all have been told. Sow makes the draw's numbers those of a place.
func (c *Coverage) Next(d *values.Draw, sow func(place int)) (w Wish, ok bool) {
	for c.at.phase != over {
		if c.at.built >= c.most {
			c.at.phase = over
			break
		}
		if c.at.phase == inside && c.at.built >= (c.most+1)/2 {
			c.enter(aimed)
		}
		slots := 1
		if c.at.phase == inside || c.at.phase == outside {
			slots = len(c.form.Places())
		}
		if c.at.slot >= slots {
			c.enter(c.at.phase + 1)
			continue
		}
		if key := c.at.phase<<16 | c.at.slot; c.at.of != key {
			sow(key)
			c.at.of, c.at.listed = key, c.wishes(d)
		}
		if c.at.item < len(c.at.listed) {
			c.at.item++
			return c.at.listed[c.at.item-1], true
		}
		c.at.slot, c.at.item = c.at.slot+1, 0
	}
	c.at.listed, c.at.of = nil, -1
	return Wish{}, false
}

// Built counts a request that was built.
func (c *Coverage) Built() { c.at.built++ }

func (c *Coverage) enter(phase int) { c.at = Cursor{phase: phase, built: c.at.built, of: -1} }

// wishes are those of the cursor's phase and slot.
func (c *Coverage) wishes(d *values.Draw) []Wish {
	switch c.at.phase {
	case presence:
		return c.presences()
	case inside:
		return c.insides(d, &c.form.Places()[c.at.slot])
	case aimed:
		return c.aims()
	case outside:
		return c.outsides(d, &c.form.Places()[c.at.slot])
	default:
		return c.pairs(d)
	}
}

// optional are the places of the parts that a request can do without, body aside.
func (c *Coverage) optional() []string {
	var places []string
	for i := range c.form.Parts {
		if p := &c.form.Parts[i]; !p.Required {
			places = append(places, p.Place)
		}
	}
	return places
}

// presences are the fewest parts, all of them, each optional one alone, and each media type.
func (c *Coverage) presences() []Wish {
	optional := c.optional()
	body := len(c.form.Contents) > 0
	if len(optional) == 0 && !body {
		return nil
	}
	wishes := []Wish{{Parts: []string{}}}
	if all := append(slices.Clip(optional), "body"); len(optional) > 0 || !c.form.BodyRequired {
		wishes = append(wishes, Wish{Parts: all})
	}
	if len(optional) > 1 {
		for _, place := range optional {
			wishes = append(wishes, Wish{Parts: []string{place, "body"}})
		}
	}
	if len(c.form.Contents) > 1 {
		for i := range c.form.Contents {
			wishes = append(wishes, Wish{Parts: []string{"body"}, Media: i + 1})
		}
	}
	return wishes
}

// around asks for the parts that a value at the place needs, and the body wherever one is described.
func around(p *draft.Place, form *draft.Form) Wish {
	w := Wish{Parts: []string{"body"}, place: p}
	if p.Part >= 0 {
		w.Parts = append(w.Parts, form.Parts[p.Part].Place)
	} else {
		w.Media = p.Content + 1
	}
	return w
}

// insides are the values on the place's bounds and just inside them, and the property there and not there.
func (c *Coverage) insides(d *values.Draw, p *draft.Place) []Wish {
	base := around(p, c.form)
	var wishes []Wish
	ask := func(do action, v any) {
		w := base
		w.do, w.value = do, v
		wishes = append(wishes, w)
	}
	if p.Property() != "" && !p.Required {
		ask(add, nil)
		ask(drop, nil)
	}
	for _, b := range d.Boundaries(p.Field) {
		if !b.Fits || !p.Typed && !plainly(b.Value) ||
			slices.ContainsFunc(wishes, func(w Wish) bool { return w.do == put && values.Equal(w.value, b.Value) }) {
			continue
		}
		ask(put, b.Value)
	}
	return wishes
}

// plainly says whether the value is written as text in one way only.
func plainly(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	default:
		return true
	}
}

// outsides are the values just outside the place's bounds, each breaking one rule.
func (c *Coverage) outsides(d *values.Draw, p *draft.Place) []Wish {
	if !p.Plain {
		return nil
	}
	base := around(p, c.form)
	var wishes []Wish
	for _, b := range d.Boundaries(p.Field) {
		if b.Fits {
			continue
		}
		rule, ok := p.Breaks(b.Value)
		if !ok || slices.ContainsFunc(wishes, func(w Wish) bool { return w.rule == rule && values.Equal(w.value, b.Value) }) {
			continue
		}
		w := base
		w.do, w.value, w.rule = put, b.Value, rule
		if rule == "required" && b.Part != "" {
			w.rule = "required " + b.Part
		}
		wishes = append(wishes, w)
	}
	if c.missing(p) {
		w := base
		w.do, w.rule = drop, "required"
		wishes = append(wishes, w)
	}
	return wishes
}

// missing says whether leaving the place out is a rule broken that no value of the place above breaks.
func (c *Coverage) missing(p *draft.Place) bool {
	if !p.Root() || !p.Required {
		return false
	}
	return p.Part < 0 && p.Content == 0 || p.Part >= 0 && c.form.Parts[p.Part].In != "path"
}

// AtParameter says whether the wish is about the value of one parameter.
func (w *Wish) AtParameter() bool { return w.place != nil && w.place.Part >= 0 }

// Apply makes the change to a request that has what the wish asked for. It says whether it could.
func (w *Wish) Apply(d *values.Draw, form *draft.Form, base draft.Draft) (draft.Change, bool) {
	change := draft.Ordinary(base)
	change.Source = Source
	if w.place == nil && w.do == put && w.also == nil {
		change.Place = "request"
		return change, true
	}
	for i := range w.also {
		if !w.also[i].one(d, form, &change) {
			return change, false
		}
	}
	if w.also != nil {
		change.Place = "pairs"
		return change, true
	}
	return change, w.one(d, form, &change)
}

// one makes one change.
func (w *Wish) one(d *values.Draw, form *draft.Form, c *draft.Change) (ok bool) {
	if p := w.place; p != nil {
		c.Place = p.Name
	}
	switch w.do {
	case otherType:
		c.Place, c.ContentType, c.Breaks = "header.Content-Type", w.value.(string), "header.Content-Type: content"
		return c.Content >= 0
	case noType:
		c.Place, c.Accept = "header.Accept", w.value.(string)
		return true
	case strange:
		v, ok := nobody(d, w.place.Field.Shape)
		if ok {
			c.Draft, ok = w.place.Put(d, &c.Draft, v)
		}
		return ok
	case drop:
		return w.left(c)
	case add:
		v, ok := d.Make(w.place.Field, w.place.Name)
		if !ok {
			return false
		}
		c.Draft, ok = w.place.Put(d, &c.Draft, v)
		return ok && w.place.Fits(&c.Draft)
	default:
		if c.Draft, ok = w.place.Put(d, &c.Draft, w.value); !ok {
			return false
		}
		if w.rule == "" {
			return w.place.Fits(&c.Draft)
		}
		c.Breaks = draft.Breaking(w.place.Name, w.rule)
		return true
	}
}

// left leaves the place out.
func (w *Wish) left(c *draft.Change) (ok bool) {
	p := w.place
	if _, there := p.In(&c.Draft); !there && w.rule == "" {
		return true // by chance
	}
	switch {
	case !p.Root():
		if c.Draft, ok = p.Drop(&c.Draft); !ok {
			return false
		}
	case p.Part >= 0:
		c.Draft = c.Without(p.Part)
	default:
		c.Content, c.Body = -1, nil
	}
	if w.rule != "" {
		c.Breaks = draft.Breaking(p.Name, w.rule)
		return true
	}
	return p.Root() || p.Fits(&c.Draft)
}
