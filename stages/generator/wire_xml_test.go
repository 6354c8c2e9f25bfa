package generator

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"slices"
	"strings"

	"github.com/restest/restest/settings/document"
)

// tree is an element as it was read.
type tree struct {
	name       xml.Name
	attributes []xml.Attr
	text       string
	children   []*tree
	used       bool
}

func readTree(data []byte) (*tree, error) {
	top := &tree{}
	open := []*tree{top}
	for dec := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		last := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			child := &tree{name: token.Name, attributes: slices.Clone(token.Attr)}
			last.children = append(last.children, child)
			open = append(open, child)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			last.text += string(token)
		}
	}
	if len(top.children) != 1 {
		return nil, fmt.Errorf("there are %d roots", len(top.children))
	}
	return top.children[0], nil
}

// about is the xml object of a value with these schemas.
func about(schemas []*document.Schema) *document.XML {
	for _, s := range schemas {
		for _, p := range parts(s) {
			if p.XML != nil {
				return p.XML
			}
		}
	}
	return &document.XML{}
}

func (d *reader) xml(data []byte, s *document.Schema) (any, error) {
	root, err := readTree(data)
	if err != nil {
		return nil, err
	}
	schemas := []*document.Schema{s}
	x := about(schemas)
	if want := x.Name; want != "" && root.name.Local != want || x.Namespace != "" && root.name.Space != x.Namespace {
		return nil, fmt.Errorf("the root is %v, not %q of %q", root.name, want, x.Namespace)
	}
	return d.element(root, schemas)
}

// element reads what an element holds.
func (d *reader) element(e *tree, schemas []*document.Schema) (any, error) {
	for _, a := range e.attributes {
		if a.Name.Local == "nil" && a.Name.Space == "http://www.w3.org/2001/XMLSchema-instance" && a.Value == "true" {
			return nil, nil
		}
	}
	isOf := func(name string) bool {
		return slices.ContainsFunc(schemas, func(s *document.Schema) bool { return may(s, name) })
	}
	switch {
	case isOf("array") && !isOf("object"):
		list := make([]any, len(e.children))
		for i, child := range e.children {
			var err error
			if list[i], err = d.element(child, items(schemas, i)); err != nil {
				return nil, err
			}
		}
		return list, nil
	case isOf("object"), len(e.children) > 0:
		return d.members(e, schemas)
	}
	return d.leaf(e.text, schemas), nil
}

func (d *reader) members(e *tree, schemas []*document.Schema) (any, error) {
	o := map[string]any{}
	for _, s := range schemas {
		for _, p := range parts(s) {
			for _, property := range p.Properties {
				if _, done := o[property.Name]; done {
					continue
				}
				v, there, err := d.member(e, property.Name, of(schemas, property.Name))
				if err != nil {
					return nil, fmt.Errorf("%s: %w", property.Name, err)
				}
				// A list that is not there has no items.
				if list := may(property.Schema, "array"); !there && list && slices.Contains(p.Required, property.Name) {
					v, there = []any{}, true
				}
				if there {
					o[property.Name] = v
				}
			}
		}
	}
	for _, child := range e.children {
		if child.used {
			continue
		}
		v, err := d.element(child, of(schemas, child.name.Local))
		if err != nil {
			return nil, err
		}
		name := child.name.Local
		switch earlier := o[name].(type) {
		case nil:
			o[name] = v
		case []any:
			o[name] = append(earlier, v)
		default:
			o[name] = []any{earlier, v}
		}
	}
	return o, nil
}

// member finds a property among the attributes, the children or the text of an element.
func (d *reader) member(e *tree, name string, schemas []*document.Schema) (v any, there bool, err error) {
	x := about(schemas)
	if x.Name != "" && x.Node != "text" && x.Node != "cdata" {
		name = x.Name
	}
	list := slices.ContainsFunc(schemas, func(s *document.Schema) bool { return may(s, "array") })
	switch {
	case x.Node == "attribute":
		for _, a := range e.attributes {
			if a.Name.Local == name && (x.Prefix == "" || x.Namespace == "" || a.Name.Space == x.Namespace) {
				return d.leaf(a.Value, schemas), true, nil
			}
		}
	case x.Node == "text", x.Node == "cdata":
		return d.leaf(e.text, schemas), true, nil
	case list && x.Node != "element":
		var found []any
		for i := 0; ; i++ {
			inner := items(schemas, i)
			itemName := about(inner).Name
			if itemName == "" {
				if itemName = name; x.Name != "" {
					itemName = "" // the name of the list is not that of its items
				}
			}
			at := slices.IndexFunc(e.children, func(c *tree) bool {
				return !c.used && (c.name.Local == itemName || itemName == "" && c.name.Local != "")
			})
			if at < 0 {
				return found, found != nil, nil
			}
			e.children[at].used = true
			w, err := d.element(e.children[at], inner)
			if err != nil {
				return nil, false, err
			}
			found = append(found, w)
		}
	default:
		for _, child := range e.children {
			if child.name.Local != name || child.used {
				continue
			}
			if x.Namespace != "" && child.name.Space != x.Namespace {
				return nil, false, fmt.Errorf("it is of the namespace %q, not %q", child.name.Space, x.Namespace)
			}
			child.used = true
			v, err := d.element(child, schemas)
			return v, err == nil, err
		}
	}
	return nil, false, nil
}

// checkFile says whether the bytes are what their type says.
func checkFile(essence string, data []byte) error {
	var err error
	switch strings.ToLower(essence) {
	case "image/png", "image/jpeg", "image/gif", "image/jpg":
		_, _, err = image.Decode(bytes.NewReader(data))
	case "application/zip":
		_, err = zip.NewReader(bytes.NewReader(data), int64(len(data)))
	case "application/gzip":
		_, err = gzip.NewReader(bytes.NewReader(data))
	case "application/json":
		if !json.Valid(data) {
			err = errors.New("it is no JSON")
		}
	case "text/csv":
		_, err = csv.NewReader(bytes.NewReader(data)).ReadAll()
	case "application/pdf":
		if !bytes.HasPrefix(data, []byte("%PDF-")) || !bytes.HasSuffix(data, []byte("%%EOF\n")) {
			err = errors.New("it is no PDF")
		}
	default:
		if strings.HasSuffix(essence, "xml") {
			_, err = readTree(data)
		}
	}
	if err != nil {
		return fmt.Errorf("a file of type %s: %w: %.60q", essence, err, data)
	}
	return nil
}
