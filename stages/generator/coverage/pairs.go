package coverage

import (
	"slices"

	"github.com/restest/restest/stages/generator/draft"
	"github.com/restest/restest/stages/generator/values"
)

// Bounds on the table of pairs of one operation.
const (
	mostFactors = 24
	mostLevels  = 8
	mostRows    = 64
)

// factor is something that a request can have in several ways, its levels.
type factor struct {
	place  *draft.Place // nil for the body as a whole
	levels []level
}

// level is one way: absent, or there with that value, or with any where it has none.
type level struct {
	absent, given bool
	value         any
}

// row is a level for each factor.
type row []int

// factors are the optional parts, and the parameters and properties of the body that list their values.
func (c *Coverage) factors() []factor {
	var found []factor
	places := c.form.Places()
	for i := range places {
		p := &places[i]
		top := p.Root() && p.Part >= 0 || p.Part < 0 && p.Content == 0 && p.Depth() == 1
		if !top || len(found) >= mostFactors {
			continue
		}
		var levels []level
		if !p.Required {
			levels = append(levels, level{absent: true})
		}
		s := p.Field.Shape
		listed := s.Listed()
		if types := s.Types(); listed == nil && slices.Equal(types, []string{"boolean"}) {
			listed = []any{true, false}
		}
		for _, v := range listed[:min(len(listed), mostLevels)] {
			if p.Typed || plainly(v) {
				levels = append(levels, level{given: true, value: v})
			}
		}
		if len(listed) == 0 {
			levels = append(levels, level{})
		}
		if len(levels) > 1 {
			found = append(found, factor{p, levels})
		}
	}
	return found
}

// pairs are requests in which each level of each factor meets each level of each other, as far as the bound on the rows
// lets them.
func (c *Coverage) pairs(d *values.Draw) []Wish {
	factors := c.factors()
	if len(factors) < 2 {
		return nil
	}
	var wishes []Wish
	for _, r := range table(factors, func(n int) int { return d.Rand.IntN(n) }) {
		w := Wish{Parts: []string{"body"}}
		for i, f := range factors {
			l, p := f.levels[r[i]], f.place
			part := p.Root() && p.Part >= 0
			if part && !l.absent {
				w.Parts = append(w.Parts, p.Name)
			}
			one := Wish{place: p, value: l.value}
			switch {
			case l.absent && part, !l.given && part:
				continue // by the parts alone
			case l.absent:
				one.do = drop
			case !l.given:
				one.do = add
			}
			if p.Part < 0 {
				w.Media = p.Content + 1
			}
			w.also = append(w.also, one)
		}
		wishes = append(wishes, w)
	}
	return wishes
}

// table is a covering array of strength two, made greedily: each row takes, factor by factor, the level that meets most
// of what has not been met.
func table(factors []factor, draw func(n int) int) []row {
	open := newMeetings(factors)
	var rows []row
	for open.left > 0 && len(rows) < mostRows {
		r := make(row, len(factors))
		for i := range r {
			r[i] = -1
		}
		for _, i := range order(len(factors), draw) {
			best, most := 0, -1
			from := draw(len(factors[i].levels))
			for k := range factors[i].levels {
				l := (from + k) % len(factors[i].levels)
				if n := open.gain(r, i, l); n > most {
					best, most = l, n
				}
			}
			r[i] = best
		}
		if !open.meet(r) {
			open.seed(r) // no luck: a row around a pair that is left
			open.meet(r)
		}
		rows = append(rows, r)
	}
	return rows
}

func order(n int, draw func(int) int) []int {
	all := make([]int, n)
	for i := range all {
		j := draw(i + 1)
		all[i], all[j] = all[j], i
	}
	return all
}

// meetings are the pairs of levels that have not met.
type meetings struct {
	factors []factor
	open    map[[4]int]bool // factor, level, factor, level; the lower factor first
	left    int
}

func newMeetings(factors []factor) *meetings {
	m := &meetings{factors: factors, open: map[[4]int]bool{}}
	for i := range factors {
		for j := i + 1; j < len(factors); j++ {
			for a := range factors[i].levels {
				for b := range factors[j].levels {
					m.open[[4]int{i, a, j, b}] = true
				}
			}
		}
	}
	m.left = len(m.open)
	return m
}

func pairOf(i, a, j, b int) [4]int {
	if i < j {
		return [4]int{i, a, j, b}
	}
	return [4]int{j, b, i, a}
}

// gain is how many open pairs the level would meet in the row so far.
func (m *meetings) gain(r row, i, l int) int {
	n := 0
	for j, other := range r {
		if j != i && other >= 0 && m.open[pairOf(i, l, j, other)] {
			n++
		}
	}
	return n
}

// meet strikes the pairs of the row out, and says whether there was one.
func (m *meetings) meet(r row) bool {
	before := m.left
	for i := range r {
		for j := i + 1; j < len(r); j++ {
			if key := [4]int{i, r[i], j, r[j]}; m.open[key] {
				delete(m.open, key)
				m.left--
			}
		}
	}
	return m.left < before
}

// seed changes the row so that it meets the first open pair.
func (m *meetings) seed(r row) {
	for i := range m.factors {
		for j := i + 1; j < len(m.factors); j++ {
			for a := range m.factors[i].levels {
				for b := range m.factors[j].levels {
					if m.open[[4]int{i, a, j, b}] {
						r[i], r[j] = a, b
						return
					}
				}
			}
		}
	}
}
