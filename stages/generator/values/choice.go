package values

import (
	"slices"

	"github.com/restest/restest/settings/document"
)

// choice is one keyword of a shape that leaves a choice between branches.
type choice struct {
	key      choiceKey
	branches [][]*document.Schema
	// shapes are the branches with the rest of the shape, made when first needed; apart the same where some other
	// branches must not fit.
	shapes []*Shape
	apart  map[apart]*Shape
}

type choiceKey struct {
	schema *document.Schema
	kind   choiceKind
}

type choiceKind byte

const (
	oneOf choiceKind = iota
	anyOf
	conditional
	dependent
	negation
	derived
)

func (k choiceKind) keyword() string {
	return [...]string{oneOf: "oneOf", anyOf: "anyOf", conditional: "if", dependent: "dependentSchemas", negation: "not", derived: "discriminator"}[k]
}

// pinned is a branch that a discriminator names.
type pinned struct {
	by     *document.Discriminator
	branch *document.Schema
}

func (s *Shape) planChoices() {
	add := func(schema *document.Schema, kind choiceKind, branches func() [][]*document.Schema) {
		k := choiceKey{schema, kind}
		if slices.Contains(s.settled, k) {
			return
		}
		s.choices = append(s.choices, &choice{key: k, branches: branches()})
	}
	for _, m := range s.members {
		if m.Discriminator != nil && len(m.OneOf)+len(m.AnyOf) == 0 {
			if branches := s.derived(m); len(branches) > 0 {
				add(m, derived, func() [][]*document.Schema { return branches })
			}
		}
		if len(m.OneOf) > 0 {
			add(m, oneOf, func() [][]*document.Schema { return s.branches(m, m.OneOf) })
		}
		if len(m.AnyOf) > 0 {
			add(m, anyOf, func() [][]*document.Schema { return s.branches(m, m.AnyOf) })
		}
		if m.If != nil {
			add(m, conditional, func() [][]*document.Schema {
				return [][]*document.Schema{given(m.If, m.Then), given(s.all.not(m.If), m.Else)}
			})
		}
		for _, name := range sortedNames(m.DependentSchemas) {
			absent := s.all.absent(m, name)
			add(absent, dependent, func() [][]*document.Schema {
				return [][]*document.Schema{{s.all.present(m, name), m.DependentSchemas[name]}, {absent}}
			})
		}
		if m.Not == nil {
			continue
		}
		ways := s.all.ways(m.Not)
		if len(ways) == 0 {
			s.problem = "what it excludes by not is everything"
			return
		}
		add(m, negation, func() [][]*document.Schema {
			branches := make([][]*document.Schema, len(ways))
			for i, way := range ways {
				branches[i] = []*document.Schema{way}
			}
			return branches
		})
	}
}

// derived are the ways to settle what a base with a discriminator and without branches leaves open: a schema derived
// from it by allOf has its own name there, and the base alone is meant as one of those it maps to (OpenAPI 3.0 §4.7.25).
func (s *Shape) derived(base *document.Schema) [][]*document.Schema {
	d := base.Discriminator
	property := s.property(d.Property)
	branch := func(of *document.Schema) []*document.Schema {
		pin := s.all.pin(d, of)
		if pin == nil || !slices.ContainsFunc(pin.Properties[0].Schema.Enum, property.Fits) {
			return nil
		}
		return []*document.Schema{of, pin}
	}
	targets := make([]*document.Schema, 0, len(d.Mapping))
	for _, name := range sortedNames(d.Mapping) {
		if target := d.Mapping[name]; !slices.Contains(targets, target) {
			targets = append(targets, target)
		}
	}
	for _, m := range s.members {
		mapped := slices.Contains(targets, m)
		if m == base && !mapped || len(targets) > 0 && !mapped || m != base && !slices.Contains(gather(nil, m), base) {
			continue
		}
		if m == base && len(targets) > 1 {
			break // the base is one of several that it stands for
		}
		if b := branch(m); b != nil {
			return [][]*document.Schema{b}
		}
	}
	if s.members[0] != base {
		return nil
	}
	var branches [][]*document.Schema
	for _, target := range targets {
		if b := branch(target); b != nil {
			branches = append(branches, b)
		}
	}
	return branches
}

func given(schemas ...*document.Schema) []*document.Schema {
	return slices.DeleteFunc(schemas, func(s *document.Schema) bool { return s == nil })
}

// branches are the ways to settle one oneOf or anyOf. With a discriminator, its property is pinned to the branch's names.
func (s *Shape) branches(m *document.Schema, of []*document.Schema) [][]*document.Schema {
	branches := make([][]*document.Schema, 0, len(of))
	for _, b := range of {
		branch := []*document.Schema{b}
		if pin := s.all.pin(m.Discriminator, b); pin != nil {
			branch = append(branch, pin)
		}
		branches = append(branches, branch)
	}
	return branches
}

// pin is a schema that holds the discriminator's property to the names of the branch, nil where there are none.
func (a *Shapes) pin(d *document.Discriminator, branch *document.Schema) *document.Schema {
	if d == nil || branch == nil {
		return nil
	}
	key := pinned{d, branch}
	if pin, ok := a.pins[key]; ok {
		return pin
	}
	var pin *document.Schema
	if names := branchNames(d, branch); len(names) > 0 {
		value := *anything
		value.HasEnum, value.Enum = true, a.allowedNames(branch, d.Property, names)
		clone := *anything
		pin = &clone
		pin.Types = []string{"object"}
		pin.Required = []string{d.Property}
		pin.Properties = []document.Property{{Name: d.Property, Schema: &value}}
	}
	a.pins[key] = pin
	return pin
}

// branchNames are the discriminator's values that lead to the branch: those mapped to it, else its own name.
func branchNames(d *document.Discriminator, branch *document.Schema) []any {
	var mapped []string
	for value, target := range d.Mapping {
		if target == branch {
			mapped = append(mapped, value)
		}
	}
	slices.Sort(mapped)
	if len(mapped) == 0 && branch.Name != "" {
		mapped = []string{branch.Name}
	}
	names := make([]any, len(mapped))
	for i, name := range mapped {
		names[i] = name
	}
	return names
}

// allowedNames are the names that the branch itself allows for the property. Documents that forget the mapping often
// list the real values in the branch; these win over the schema's name then.
func (a *Shapes) allowedNames(branch *document.Schema, property string, names []any) []any {
	for _, m := range a.of([]*document.Schema{branch}, nil).members {
		for _, p := range m.Properties {
			if p.Name != property || p.Schema == nil {
				continue
			}
			listed := a.Of(p.Schema)
			listed.plan()
			if listed.listed == nil {
				continue
			}
			kept := slices.DeleteFunc(slices.Clone(names), func(v any) bool { return !contains(listed.listed, v) })
			if len(kept) == 0 {
				return listed.listed
			}
			return kept
		}
	}
	return names
}

// branch is the shape with the choice settled by its i-th branch.
func (s *Shape) branch(c *choice, i int) *Shape {
	if c.shapes == nil {
		c.shapes = make([]*Shape, len(c.branches))
	}
	if c.shapes[i] == nil {
		members := append(slices.Clone(s.members), c.branches[i]...)
		c.shapes[i] = s.all.of(members, append(slices.Clone(s.settled), c.key))
	}
	return c.shapes[i]
}

// apart is a branch and others that must not fit, a bit for each.
type apart struct {
	branch int
	others uint64
}

// apartFrom is a branch of a oneOf of the shape that keeps away from the branches which the value fits as well, nil where
// that is not the trouble or no such branch is found.
func (d *Draw) apartFrom(s *Shape, v any) *Shape {
	for _, c := range s.choices {
		if c.key.kind != oneOf || len(c.branches) > 64 {
			continue
		}
		var fitting []int
		var all uint64
		for i, branch := range c.branches {
			if (&checker{all: s.all}).schema(branch[0], v) {
				fitting = append(fitting, i)
				all |= 1 << i
			}
		}
		if len(fitting) > 1 {
			i := fitting[d.Rand.IntN(len(fitting))]
			return s.apart(c, apart{i, all &^ (1 << i)})
		}
	}
	return nil
}

// apart settles the choice by a branch, with one rule of each of the others broken: the first with which a value is
// possible. To try the rules of all of them in all combinations would be too much.
func (s *Shape) apart(c *choice, of apart) *Shape {
	shape, ok := c.apart[of]
	if ok {
		return shape
	}
	members, settled := append(slices.Clone(s.members), c.branches[of.branch]...), append(slices.Clone(s.settled), c.key)
	for j := range c.branches {
		if of.others&(1<<j) == 0 {
			continue
		}
		shape = nil
		for _, way := range s.all.ways(c.branches[j][0]) {
			if with := s.all.of(append(slices.Clip(members), way), settled); way != anything && with.Possible() {
				shape, members = with, with.members
				break
			}
		}
		if shape == nil {
			break
		}
	}
	if c.apart == nil {
		c.apart = map[apart]*Shape{}
	}
	c.apart[of] = shape
	return shape
}
