package values

import (
	"slices"

	"github.com/restest/restest/settings/document"
)

// What a writer has to know of a shape to put its values on the wire.

// For is the shape with each choice settled by the first branch that the value fits, so that what the branches say of
// its properties and items is known. A choice that no branch settles stays open.
func (s *Shape) For(v any) *Shape {
	s.plan()
	for len(s.choices) > 0 {
		c := s.choices[0]
		i := 0
		for i < len(c.branches) && !s.branch(c, i).Fits(v) {
			i++
		}
		if i == len(c.branches) {
			return s
		}
		s = s.branch(c, i)
		s.plan()
	}
	return s
}

// Name is the name of the first of its schemas that has one, "" if none has.
func (s *Shape) Name() string { return s.name }

// PropertyNames are the names of the declared properties, in the order of the document.
func (s *Shape) PropertyNames() []string {
	var names []string
	for _, m := range s.members {
		for _, p := range m.Properties {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// XML is what the document says of the value as XML, nil if nothing.
func (s *Shape) XML() *document.XML {
	for _, m := range s.members {
		if m.XML != nil {
			return m.XML
		}
	}
	return nil
}

// MediaType is the media type of what a text holds, "" if the document does not say.
func (s *Shape) MediaType() string {
	for _, m := range s.members {
		if m.ContentMediaType != "" {
			return m.ContentMediaType
		}
	}
	return ""
}

// Free says whether any text fits whose length is between low and high (-1 without a bound), so that a file's bytes
// can stand for it.
func (s *Shape) Free() (low, high int64, free bool) {
	low, high = 0, -1
	for _, m := range s.members {
		if m.HasEnum || m.HasConst || m.Pattern != "" || m.ContentEncoding != "" || m.Format != "" && m.Format != "binary" {
			return 0, 0, false
		}
		low = max(low, m.MinLength)
		if m.MaxLength >= 0 && (high < 0 || m.MaxLength < high) {
			high = m.MaxLength
		}
	}
	return low, high, s.Allows("string")
}

// Fail says why what was made could not be used, unless a reason is known already.
func (d *Draw) Fail(reason string) {
	if d.reason == "" {
		d.reason = reason
	}
}
