package document

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Direction says which way content goes: a readOnly property does not belong in a request, a writeOnly one not in a reply.
type Direction int

// The directions.
const (
	InRequest Direction = iota
	InReply
)

// Judge says whether values fit the document's schemas. It compiles each schema once for each direction, when it is
// first asked. A Judge belongs to one goroutine; the document beneath it may be shared.
type Judge struct {
	compilers [2]*compiler
}

// NewJudge makes a judge for the document.
func NewJudge(doc *Document) *Judge {
	patterns := map[string]*pattern{}
	j := &Judge{}
	for _, d := range []Direction{InRequest, InReply} {
		j.compilers[d] = newCompiler(d, doc.unevaluated, patterns)
	}
	return j
}

// Fault is one way in which a value does not fit a schema.
type Fault struct {
	// Pointer is the place in the value, a JSON pointer; "" for the whole.
	Pointer string
	// Keyword is the JSON Schema keyword that is not kept, such as "type" or "required".
	Keyword string
	// Schema is the place of the keyword's schema in the document, as a JSON pointer.
	Schema string
	// Message says in one line what is wrong.
	Message string
}

// Bounds on a value and on judging it, so that no reply can use up memory or time.
const (
	deepestValue = 2_000
	// mostDetail bounds the values, each counted as often as it is deep, in which every fault is looked for.
	mostDetail = 5_000_000
	// mostBranching bounds how often a oneOf or anyOf is tried on one value.
	mostBranching = 200_000
	mostFaults    = 20
)

// Judge lists the ways in which the value (as decoded from JSON, numbers as json.Number) does not fit the schema, at
// most 20 of them, in the order of their place. An error says why the schema cannot be judged by.
func (j *Judge) Judge(s *Schema, direction Direction, value any) ([]Fault, error) {
	if s == nil {
		return nil, nil
	}
	c := j.compilers[direction]
	compiled := c.compiled(s)
	if c.surelyFits(compiled, value) {
		return nil, nil
	}
	var m measure
	if err := m.add(value, 1); err != nil {
		return nil, err
	}
	if m.detail > mostDetail {
		// Twice not: it says whether the value fits, and keeps no errors.
		compiled = &jsonschema.Schema{Not: &jsonschema.Schema{Not: compiled}, DraftVersion: 2020}
	}
	err := c.run(compiled, value)
	var invalid *jsonschema.ValidationError
	switch {
	case c.state.undecided != nil:
		return nil, c.state.undecided
	case err == nil:
		return nil, nil
	case !errors.As(err, &invalid):
		return nil, err
	case m.detail > mostDetail:
		return []Fault{{Schema: pointerOf(s), Message: "does not fit its schema; it is too large to say where"}}, nil
	}
	faults, err := c.faults(value, invalid)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(faults, func(a, b Fault) int {
		return cmp.Or(
			cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Keyword, b.Keyword),
			cmp.Compare(a.Message, b.Message), cmp.Compare(a.Schema, b.Schema),
		)
	})
	faults = slices.Compact(faults)
	return faults[:min(len(faults), mostFaults)], nil
}

// Usable says why nothing, or not everything, can be judged by the schema: a part of it that could not be read, or a
// pattern. It is nil for a schema that can be judged by in full. A value that does not come near such a part is judged
// all the same.
func (j *Judge) Usable(s *Schema, direction Direction) error {
	if s == nil {
		return nil
	}
	c := j.compilers[direction]
	c.compiled(s)
	return c.firstTrouble(s)
}

// measure is how deep and how large a value is.
type measure struct{ detail int }

func (m *measure) add(value any, depth int) error {
	if depth > deepestValue {
		return fmt.Errorf("it is nested deeper than %d levels", deepestValue)
	}
	m.detail += depth
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			if err := m.add(v, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, v := range value {
			if err := m.add(v, depth+1); err != nil {
				return err
			}
		}
	case json.Number:
		if !reasonable(string(value)) {
			return fmt.Errorf("it holds the number %s, which is beyond what is calculated with", shorten(string(value)))
		}
	}
	return nil
}
