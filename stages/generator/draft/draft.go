// Package draft holds a request before it is written: which parts it has, and their values.
//
// What an operation's requests are made of is its Form; a Draft is one request of that form; a Change is a draft that
// differs from an ordinary one in a way that is known.
package draft

import (
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/generator/values"
)

// Form is what the requests of an operation are made of.
type Form struct {
	// Parts are the parameters, those of the path first.
	Parts []Part
	// Contents are the media types that the body can be written in, the surest first; none without a body.
	Contents     []Content
	BodyRequired bool
	// Declared are the media types and ranges that the document declares for the body, those that are never sent too.
	Declared []string

	places []Place // once they have been asked for
	looked bool
}

// Part is one parameter.
type Part struct {
	// Place is such as "query.limit"; In is its first word.
	Place, In, Name string
	Required        bool
	Field           *values.Field
	// Typed is true if it is written as JSON, which has types; all others are text.
	Typed bool
}

// Content is one media type of the body.
type Content struct {
	Type  string // as it is sent
	Kind  Kind
	Field *values.Field
}

// Kind says how much of its values content keeps.
type Kind int

// The kinds.
const (
	// JSON keeps every value as it is.
	JSON Kind = iota
	// Pairs keep the properties of an object, as text.
	Pairs
	// Opaque is content whose values are not told apart.
	Opaque
)

// Value is the value of a parameter.
type Value struct {
	Part  int // in Form.Parts
	Value any
}

// Draft is the parts that a request has. What it holds is never changed: other drafts may share it.
type Draft struct {
	Values []Value
	// Content is the body's media type, in Form.Contents; -1 without a body.
	Content int
	Body    any
	// ByDiscriminator is true where a value is as messages.Request.ByDiscriminator says.
	ByDiscriminator bool
	// Origins say where the values came from, as far as that is known.
	Origins []messages.Origin
}

// Verbatim is a body that is sent as it is, such as a file.
type Verbatim []byte

// Change is a draft with something about it that an ordinary request has not.
type Change struct {
	Draft
	// Moved is the parameter that is sent at To ("query", "header", "cookie") in place of where it belongs; -1 for none.
	Moved int
	To    string
	// Rewrite makes of the content what is sent; nil for the content as it is.
	Rewrite func([]byte) []byte
	// ContentType and Accept are the fields' values, "" for the ordinary ones.
	ContentType, Accept string
	// Breaks is the one rule that is broken, as in messages.Request. Invalid is true for a draft that is not held to fit,
	// also where several rules may be broken, or none for certain.
	Breaks  string
	Invalid bool
	// Place and Source say what was changed and why, as messages.Origin does.
	Place, Source string
}

// Ordinary is a change that changes nothing yet.
func Ordinary(d Draft) Change { return Change{Draft: d, Moved: -1} }

// Of is the value of the part.
func (d *Draft) Of(part int) (any, bool) {
	for i := range d.Values {
		if d.Values[i].Part == part {
			return d.Values[i].Value, true
		}
	}
	return nil, false
}

// With is the draft with that value of the part; the draft itself stays as it is.
func (d *Draft) With(part int, v any) Draft {
	with := d.Without(part)
	with.Values = append(with.Values, Value{part, v})
	return with
}

// Without is the draft without the part.
func (d *Draft) Without(part int) Draft {
	without := *d
	without.Values = make([]Value, 0, len(d.Values)+1)
	for _, v := range d.Values {
		if v.Part != part {
			without.Values = append(without.Values, v)
		}
	}
	return without
}

// Breaking names the rule that is broken at the place, as messages.Request does.
func Breaking(place, rule string) string { return place + ": " + rule }

// otherTypes are media types to send where the document does not declare them.
var otherTypes = []string{"text/plain", "application/xml", "application/json", "application/x-www-form-urlencoded"}

// OtherType is a media type that the body is not declared in, "" where there is none.
func (f *Form) OtherType() string {
	for _, other := range otherTypes {
		family, _, _ := strings.Cut(other, "/")
		if len(f.Contents) > 0 && !slices.ContainsFunc(f.Declared, func(declared string) bool {
			declared, _, _ = strings.Cut(declared, ";")
			declared = strings.ToLower(strings.TrimSpace(declared))
			return declared == other || declared == "*" || declared == "*/*" || declared == family+"/*"
		}) {
			return other
		}
	}
	return ""
}
