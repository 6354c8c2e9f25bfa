package values

import (
	"fmt"
	"slices"

	"github.com/restest/restest/settings/document"
)

// mostItems is the longest list that is made when a schema asks for a long one.
const mostItems = 10_000

// listPlan says which lists fit.
type listPlan struct {
	low, high int // high is at most mostItems
	// prefix are the first items' shapes, rest that of the others.
	prefix []*Shape
	rest   *Shape
	// wanted are items that the list has to hold, beyond their being items: contains.
	wanted []wantedItem
	// other is the shape of items beyond the prefix that are none of those which there may be only so many of.
	other  *Shape
	unique bool
}

type wantedItem struct {
	schema *document.Schema
	shape  *Shape // beyond the prefix
	times  int
}

func (s *Shape) planList() string {
	p := &listPlan{}
	low, high := int64(0), int64(-1)
	prefix := 0
	for _, m := range s.members {
		low = max(low, m.MinItems)
		if m.MaxItems >= 0 && (high < 0 || m.MaxItems < high) {
			high = m.MaxItems
		}
		p.unique = p.unique || m.UniqueItems
		prefix = max(prefix, len(m.PrefixItems))
	}
	if high >= 0 && low > high {
		return fmt.Sprintf("minItems %d is above maxItems %d", low, high)
	}
	if low > mostItems {
		return fmt.Sprintf("minItems %d asks for a longer list than is ever sent (%d)", low, mostItems)
	}
	for i := range prefix {
		p.prefix = append(p.prefix, s.item(i))
	}
	p.rest = s.item(prefix)
	others := p.rest.members
	wanted := int64(0)
	for _, m := range s.members {
		if m.Contains == nil {
			continue
		}
		if m.MaxContains >= 0 {
			others = append(slices.Clip(others), s.all.not(m.Contains))
		}
		if m.MinContains == 0 {
			continue
		}
		times := max(1, m.MinContains)
		switch {
		case times > mostItems || high >= 0 && times > high:
			return fmt.Sprintf("minContains %d asks for more items than are sent", times)
		case m.MaxContains >= 0 && times > m.MaxContains:
			return fmt.Sprintf("minContains %d is above maxContains %d", times, m.MaxContains)
		}
		wanted += times
		low = max(low, times)
		p.wanted = append(p.wanted, wantedItem{m.Contains, s.all.of(append([]*document.Schema{m.Contains}, p.rest.members...), nil), int(times)})
	}
	if p.other = p.rest; len(others) > len(p.rest.members) {
		p.other = s.all.of(others, nil)
	}
	if high < 0 || wanted <= high {
		low = max(low, wanted)
	}
	if p.rest.plan(); wanted > 0 && p.rest.problem == "" && (high < 0 || int64(prefix)+wanted <= high) {
		low = max(low, int64(prefix)+wanted) // what is wanted need not be what the first items are
	}
	p.low, p.high = int(low), mostItems
	if high >= 0 && high < mostItems {
		p.high = int(high)
	}
	s.list = p
	return ""
}

// item is the shape of the i-th item.
func (s *Shape) item(i int) *Shape {
	var schemas []*document.Schema
	for _, m := range s.members {
		switch {
		case i < len(m.PrefixItems):
			schemas = append(schemas, m.PrefixItems[i])
		case m.Items != nil:
			schemas = append(schemas, m.Items)
		case m.UnevaluatedItems != nil:
			schemas = append(schemas, m.UnevaluatedItems)
		}
	}
	if len(schemas) == 0 {
		schemas = append(schemas, anything)
	}
	return s.all.of(schemas, nil)
}

// at is the shape of the i-th item.
func (p *listPlan) at(i int) *Shape {
	if i < len(p.prefix) {
		return p.prefix[i]
	}
	return p.rest
}

// drawList makes a list.
func (d *Draw) drawList(s *Shape, f *Field, depth int) ([]any, bool) {
	p := s.list
	n := d.length(p, depth)
	items := make([]any, 0, n)
	for len(items) < n {
		i := len(items)
		shape := p.at(i)
		if i >= len(p.prefix) {
			shape = p.other
		}
		// The items that the list has to hold come last.
		left := n - i
		for _, w := range p.wanted {
			if left <= w.times {
				shape = w.shape
				if i < len(p.prefix) {
					shape = s.all.of(append([]*document.Schema{w.schema}, p.prefix[i].members...), nil)
				}
				break
			}
			left -= w.times
		}
		mark := d.pushIndex(i)
		v, ok := d.item(shape, f, items, p.unique, depth)
		d.pop(mark)
		if !ok {
			if i >= p.low {
				break
			}
			return nil, d.fail(s, "not enough different items were found")
		}
		items = append(items, v)
	}
	return items, true
}

// item makes one more item, different from the others where they have to be.
func (d *Draw) item(shape *Shape, f *Field, others []any, unique bool, depth int) (any, bool) {
	for range d.tries() {
		mark := len(d.Origins)
		v, ok := d.value(shape, f, depth+1)
		if !ok {
			return nil, false
		}
		if !unique || !contains(others, v) {
			return v, true
		}
		d.Origins = d.Origins[:mark]
	}
	return nil, false
}

// length is how many items a list gets: a few, and as few as possible where it is deep or much has been made.
func (d *Draw) length(p *listPlan, depth int) int {
	low := p.low
	if low < 1 && p.high > 0 && !d.sparing(depth) {
		low = 1
	}
	switch {
	case !p.at(low).Possible():
		return p.low
	case d.sparing(depth) || d.Likeliest:
		return low
	}
	high := min(p.high, max(low, d.all.limits.MostItems))
	switch {
	case d.edge():
		// As few as are allowed, none among them, or as many as are made at all.
		if d.Rand.IntN(2) == 0 {
			return p.low
		}
		return max(low, high)
	case high <= low:
		return low
	}
	return low + d.Rand.IntN(high-low+1)
}

// edge says whether a value is to lie at the edge of what is allowed, as one in ten does: many faults are found there.
func (d *Draw) edge() bool { return !d.Likeliest && d.Rand.IntN(10) == 0 }
