package values

import (
	"fmt"
	"math"
)

// cost is what the smallest value of a shape takes.
type cost struct {
	// height is how deep it nests, endless where no finite value exists.
	height int
	// size is about how many bytes it takes as JSON.
	size int64
}

const (
	endless = math.MaxInt32
	// mostBytes is the largest value that is made when a schema asks for a large one.
	mostBytes = 1 << 20
	// mostLooked bounds how many shapes are looked at for one cost. Those beyond it are taken to be possible, and
	// trying to make a value tells.
	mostLooked = 3000
)

func (c cost) less(d cost) bool {
	return c.height < d.height || c.height == d.height && c.size < d.size
}

// Possible says whether a finite value of reasonable size can fit, as far as can be seen without making one.
func (s *Shape) Possible() bool { return s.least().height < endless }

func (s *Shape) least() cost {
	if !s.solved {
		s.solve()
	}
	return s.cost
}

// solve works out the least cost of the shape and of all that it needs, which can form cycles: everything is taken to
// be impossible until what it needs is found to be possible.
func (s *Shape) solve() {
	var closure []*Shape
	met := map[*Shape]bool{}
	var visit func(*Shape)
	visit = func(s *Shape) {
		if s.solved || met[s] {
			return
		}
		met[s] = true
		if len(met) > mostLooked {
			s.cost = cost{1, 8}
			return
		}
		s.cost = cost{height: endless}
		for _, child := range s.needs() {
			visit(child)
		}
		closure = append(closure, s)
	}
	visit(s)
	for changed := true; changed; {
		changed = false
		for _, s := range closure {
			if c := s.estimate(); c.less(s.cost) {
				s.cost, changed = c, true
			}
		}
	}
	if len(met) <= mostLooked {
		for _, s := range closure {
			s.solved = true
		}
	}
	s.solved = true
}

// needs are the shapes that the least value of the shape can depend on.
func (s *Shape) needs() []*Shape {
	s.plan()
	if s.problem != "" || s.listed != nil {
		return nil
	}
	var shapes []*Shape
	if len(s.choices) > 0 {
		c := s.choices[0]
		for i := range c.branches {
			shapes = append(shapes, s.branch(c, i))
		}
		return shapes
	}
	if p := s.list; p != nil {
		for i := range min(p.low, len(p.prefix)+1) {
			shapes = append(shapes, p.at(i))
		}
		if len(p.prefix) < p.low {
			for _, w := range p.wanted {
				shapes = append(shapes, w.shape)
			}
		}
	}
	if p := s.object; p != nil {
		optional := p.low > p.needed()
		for i := range p.fields {
			if p.fields[i].required || optional {
				shapes = append(shapes, p.fields[i].Shape)
			}
		}
		if optional && p.extra != nil {
			shapes = append(shapes, p.extra.Shape)
		}
	}
	return shapes
}

func (p *objectPlan) needed() int { return p.requiredAfter(-1) }

// estimate is the least cost by what the shapes it needs are known to cost.
func (s *Shape) estimate() cost {
	least := cost{height: endless}
	offer := func(c cost) {
		if c.size <= mostBytes && c.less(least) {
			least = c
		}
	}
	switch {
	case s.problem != "":
	case s.listed != nil:
		offer(cost{1, 8})
	case len(s.choices) > 0:
		c := s.choices[0]
		for i := range c.branches {
			offer(s.branch(c, i).cost)
		}
	default:
		for one := null; one <= object; one <<= 1 {
			if s.types&one != 0 {
				offer(s.typeCost(one))
			}
		}
	}
	return least
}

// typeCost is what the least value of the type costs.
func (s *Shape) typeCost(t typeSet) cost {
	switch t {
	case text:
		return cost{1, int64(s.text.low) + 2}
	case list:
		return s.list.estimate()
	case object:
		return s.object.estimate()
	default:
		return cost{1, 4}
	}
}

func (p *listPlan) estimate() cost {
	sum := cost{1, 2}
	for i := range min(p.low, len(p.prefix)) {
		sum = sum.with(p.prefix[i].cost, 1)
	}
	if rest := p.low - len(p.prefix); rest > 0 {
		sum = sum.with(p.rest.cost, rest)
	}
	if len(p.prefix) < p.low {
		for _, w := range p.wanted {
			sum = sum.with(w.shape.cost, w.times)
		}
	}
	return sum
}

func (p *objectPlan) estimate() cost {
	sum := cost{1, 2}
	missing := p.low
	for i := range p.fields {
		if p.fields[i].required {
			sum = sum.with(p.fields[i].Shape.cost, 1)
			missing--
		}
	}
	// Optional properties make up the number; which of them hardly matters.
	for i := range p.fields {
		if c := p.fields[i].Shape.cost; missing > 0 && !p.fields[i].required && c.height < endless {
			sum = sum.with(c, 1)
			missing--
		}
	}
	if missing > 0 {
		if p.extra == nil {
			return cost{height: endless}
		}
		sum = sum.with(p.extra.Shape.cost, missing)
	}
	return sum
}

// with is the cost of a value that also holds times children of that cost.
func (c cost) with(child cost, times int) cost {
	if child.height >= endless {
		return cost{height: endless}
	}
	return cost{max(c.height, child.height+1), c.size + int64(times)*(child.size+8)}
}

// Why says in a few words, naming the schema, why no value can be made; it is "" for a possible shape.
func (s *Shape) Why() string {
	if s.Possible() {
		return ""
	}
	return s.why("", map[*Shape]bool{})
}

func (s *Shape) why(name string, met map[*Shape]bool) string {
	if s.name != "" {
		name = s.name
	}
	if met[s] {
		return fmt.Sprintf("%s contains itself without end", subject(name))
	}
	met[s] = true
	if s.problem != "" {
		return fmt.Sprintf("%s: %s", subject(name), s.problem)
	}
	if s.object != nil && len(s.choices) == 0 {
		for i := range s.object.fields {
			f := &s.object.fields[i]
			if f.required && f.Shape.cost.height >= endless {
				switch {
				case f.Shape.problem == forbidden:
					return fmt.Sprintf("%s requires the property %q and forbids it as well", subject(name), f.Name)
				case f.Shape.problem != "" && f.Shape.name == "":
					return fmt.Sprintf("%s: %s, in its required property %q", subject(name), f.Shape.problem, f.Name)
				}
				return f.Shape.why(name, met)
			}
		}
	}
	for _, child := range s.needs() {
		if child.cost.height >= endless {
			return child.why(name, met)
		}
	}
	return fmt.Sprintf("%s: its smallest value takes more than %d bytes", subject(name), mostBytes)
}

func subject(name string) string {
	if name == "" {
		return "the schema"
	}
	return name
}
