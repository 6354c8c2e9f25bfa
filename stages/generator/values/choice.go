package values

import (
	"slices"

	"github.com/restest/restest/settings/document"
)

// choice is one keyword of a shape that leaves a choice between branches.
type choice struct {
	key      choiceKey
	branches [][]*document.Schema
	// shapes are the branches with the rest of the shape, made when first needed.
	shapes []*Shape
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
)

// pinned is a branch that a discriminator names.
type pinned struct {
	by     *document.Discriminator
	branch *document.Schema
}

func (s *Shape) planChoices() {
	for _, m := range s.members {
		if k := (choiceKey{m, oneOf}); len(m.OneOf) > 0 && !slices.Contains(s.settled, k) {
			s.choices = append(s.choices, &choice{key: k, branches: s.branches(m, m.OneOf)})
		}
		if k := (choiceKey{m, anyOf}); len(m.AnyOf) > 0 && !slices.Contains(s.settled, k) {
			s.choices = append(s.choices, &choice{key: k, branches: s.branches(m, m.AnyOf)})
		}
		if k := (choiceKey{m, conditional}); m.If != nil && !slices.Contains(s.settled, k) {
			s.choices = append(s.choices, &choice{key: k, branches: [][]*document.Schema{present(m.If, m.Then), present(m.Else)}})
		}
	}
}

func present(schemas ...*document.Schema) []*document.Schema {
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
