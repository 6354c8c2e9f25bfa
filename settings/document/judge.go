package document

import "errors"

// Direction says which way content goes: a readOnly property does not belong in a request, a writeOnly one not in a reply.
type Direction int

// The directions.
const (
	InRequest Direction = iota
	InReply
)

// Judge says whether values fit the document's schemas. It compiles each schema once, when it is first asked. A
// Judge belongs to one goroutine; the document beneath it may be shared.
type Judge struct{ doc *Document }

// NewJudge makes a judge for the document.
func NewJudge(doc *Document) *Judge { return &Judge{doc} }

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

// Judge lists the ways in which the value (as decoded from JSON, numbers as json.Number) does not fit the schema. An
// error says why the schema cannot be judged by.
func (j *Judge) Judge(s *Schema, direction Direction, value any) ([]Fault, error) {
	return nil, errors.New("not built yet")
}
