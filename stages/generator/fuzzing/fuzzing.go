// Package fuzzing puts troublesome values into requests: texts, numbers and structures that programs have stumbled over.
// None of them does harm where it is taken for code.
package fuzzing

import (
	"encoding/json"
	"strings"

	"github.com/restest/restest/stages/generator/draft"
	"github.com/restest/restest/stages/generator/values"
)

// Source is what the changed value's origin names.
const Source = "fuzzing"

const (
	// mostTries is how many values are tried, each at a place of its own, before a request goes without one.
	mostTries = 10
	// fitting is how many of them have to fit the document; what comes after them need not.
	fitting = 6
)

// Len is how many troublesome values there are.
func Len() int { return len(texts) + len(numbers) + len(others) + len(structures) + len(verbatim) }

// Fuzz puts a troublesome value into a place of the draft: half of them into one where it fits the document, if such a
// one is found. Write says whether a change can be sent. It is false where nothing could be changed.
func Fuzz(d *values.Draw, form *draft.Form, base draft.Draft, write func(*draft.Change) bool) bool {
	places := form.Places()
	if len(places) == 0 {
		return false
	}
	fits := d.Rand.IntN(2) == 0
	for try := range mostTries {
		p := &places[d.Rand.IntN(len(places))]
		if p.Part >= 0 && p.Root() && !p.Required && d.Rand.IntN(2) == 0 {
			continue // what is optional is there half the time
		}
		c := draft.Ordinary(base)
		c.Place, c.Source = p.Name, Source
		if put(d, &c, p, fits && try < fitting) && write(&c) {
			return true
		}
	}
	return false
}

// put puts a value at the place, and says whether it could.
func put(d *values.Draw, c *draft.Change, p *draft.Place, fits bool) (ok bool) {
	v, raw := pick(d, p)
	if c.Draft, ok = p.Put(d, &c.Draft, v); !ok {
		return false
	}
	switch {
	case raw:
		c.Invalid = true
	case p.Typed || plainly(v):
		if p.Fits(&c.Draft) {
			return true
		}
	}
	if fits {
		return false
	}
	if rule, alone := p.Breaks(v); alone && !raw && (p.Typed || plainly(v)) {
		c.Breaks = draft.Breaking(p.Name, rule)
	}
	c.Invalid = true
	return true
}

// plainly says whether the value is written as text in one way only, and that is read as the value. No server has to take
// 1e0, 1.0 or -0 in a URL for a whole number.
func plainly(v any) bool {
	switch v := v.(type) {
	case string, bool:
		return true
	case json.Number:
		whole, fraction, split := strings.Cut(strings.TrimPrefix(string(v), "-"), ".")
		return !strings.ContainsAny(string(v), "eE") && (!split || strings.Trim(fraction, "0") != "") && (whole != "0" || split || v == "0")
	}
	return false
}

// pick draws a value for the place: mostly one of a type that is right there. Raw is true for JSON that is written as it
// stands.
func pick(d *values.Draw, p *draft.Place) (v any, raw bool) {
	s := p.Field.Shape
	at := d.Rand.IntN(20)
	switch {
	case at == 0 && p.Typed:
		return verbatim[d.Rand.IntN(len(verbatim))], true
	case at == 1:
		return others[d.Rand.IntN(len(others))], false
	case (s.Allows("object") || s.Allows("array")) && (at < 8 || !s.Allows("string") && !s.Allows("number") && at < 17):
		return structures[d.Rand.IntN(len(structures))], false
	case s.Allows("number") && at < 17:
		return number(d), false
	case at < 18:
		t := texts[d.Rand.IntN(len(texts))]
		if d.Rand.IntN(4) == 0 {
			t = telling[d.Rand.IntN(len(telling))]
		}
		if d.Rand.IntN(8) == 0 {
			t = "a" + t + "z" // within a text that begins and ends as any other
		}
		return t, false
	}
	return number(d), false
}

func number(d *values.Draw) json.Number {
	if d.Rand.IntN(6) == 0 {
		return noNumbers[d.Rand.IntN(len(noNumbers))]
	}
	return numbers[d.Rand.IntN(len(numbers))]
}
