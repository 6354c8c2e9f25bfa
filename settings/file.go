package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// readFile takes a settings file, YAML or JSON: groups with their settings beneath them.
func (r *resolver) readFile(file string, content []byte) {
	root, where, wrong := parse(file, content)
	if wrong != "" {
		r.complain(where, wrong)
		return
	}
	if root == nil || empty(root) {
		return
	}
	at := func(n *yaml.Node) string { return file + ":" + strconv.Itoa(n.Line) }
	if root.Kind != yaml.MappingNode {
		r.complain(at(root), "is not a settings file; write groups such as engine: with their settings beneath them")
		return
	}

	r.eachKey(root, at, "", func(group string, key, value *yaml.Node) {
		switch {
		case rowKnown(group):
			r.complain(at(key)+": "+group, "does not stand in its group; write the group, then beneath it the rest of the name")
		case !slices.Contains(Groups(), group):
			what := "is not a group of settings"
			if meant := Suggest(group, Groups()); meant != "" {
				what += "; did you mean " + meant + "?"
			} else {
				what += "; the groups are " + strings.Join(Groups(), ", ")
			}
			r.complain(at(key)+": "+Quote(group), what)
		case empty(value):
		case value.Kind != yaml.MappingNode:
			r.complain(at(key)+": "+group, "is a group; write its settings beneath it")
		default:
			r.eachKey(value, at, group+".", func(name string, key, value *yaml.Node) {
				r.readValue(name, at(key), value)
			})
		}
	})
}

func (r *resolver) readValue(name, where string, value *yaml.Node) {
	subject := where + ": " + Quote(name)
	row, known := rowOf[name]
	if !known {
		r.complain(subject, unknown(name))
		return
	}
	s := &table[row]
	if value.Kind == yaml.MappingNode && s.name == "engine.mostRequestsPerMinuteFor" {
		r.give(row, pairs(value), source{FromFile, where, subject})
		return
	}
	quoted := value.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	switch {
	case value.Kind != yaml.ScalarNode:
		r.refuse(row, subject, "is a list or a group of its own; write one value")
	case empty(value):
		r.refuse(row, subject, "has no value; give it one or leave the line out")
	case quoted && s.kind != isText && s.kind != isDuration:
		r.refuse(row, subject, strconv.Quote(value.Value)+" is text; leave out the quotes")
	default:
		r.give(row, value.Value, source{FromFile, where, subject})
	}
}

// pairs writes a mapping of names to numbers as --set has it.
func pairs(mapping *yaml.Node) string {
	var list []string
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		list = append(list, mapping.Content[i].Value+"="+mapping.Content[i+1].Value)
	}
	return strings.Join(list, ", ")
}

// eachKey calls f with the keys of a mapping, aliases followed, and refuses what is not a name or is there twice.
func (r *resolver) eachKey(
	mapping *yaml.Node, at func(*yaml.Node) string, before string, f func(name string, key, value *yaml.Node),
) {
	first := make(map[string]string)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		if key.Kind != yaml.ScalarNode {
			r.complain(at(key), "has something other than a name before the colon; write a group or a setting")
			continue
		}
		name := before + key.Value
		if place, twice := first[name]; twice {
			r.complain(at(key)+": "+Quote(name), "was given before, at "+place+"; keep one of the two")
			continue
		}
		first[name] = at(key)
		f(name, key, value)
	}
}

func rowKnown(name string) bool {
	_, known := rowOf[name]
	return known
}

// empty says whether nothing stands where a value could, as beneath a group with every line commented out.
func empty(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// parse finds the content's one value, nil if it holds nothing but comments.
func parse(file string, content []byte) (root *yaml.Node, where, wrong string) {
	loader, err := yaml.NewLoader(bytes.NewReader(content))
	if err != nil {
		return nil, file, "cannot be read: " + err.Error()
	}
	var document, another yaml.Node
	switch err := loader.Load(&document); {
	case errors.Is(err, io.EOF):
		return nil, "", ""
	case err != nil:
		return nil, placeOf(file, err), whatOf(err)
	case len(document.Content) == 0:
		return nil, "", ""
	}
	switch err := loader.Load(&another); {
	case err == nil:
		return nil, fmt.Sprintf("%s:%d", file, another.Line), "begins a second document; keep to one"
	case !errors.Is(err, io.EOF):
		return nil, placeOf(file, err), whatOf(err)
	}
	return document.Content[0], "", ""
}

func placeOf(file string, err error) string {
	var at *yaml.LoadError
	if errors.As(err, &at) && at.Mark.Line > 0 {
		return fmt.Sprintf("%s:%d", file, at.Mark.Line)
	}
	return file
}

func whatOf(err error) string {
	message := err.Error()
	var at *yaml.LoadError
	if errors.As(err, &at) {
		message = at.Message
	}
	return "is neither YAML nor JSON: " + strings.Join(strings.Fields(message), " ")
}

// Tree is the one value that a YAML or JSON file holds, nil if it holds nothing but comments. Wrong says, beginning with
// the place, why it cannot be read.
func Tree(file string, content []byte) (root *yaml.Node, wrong string) {
	root, where, wrong := parse(file, content)
	if wrong != "" {
		return nil, where + " " + wrong
	}
	return root, ""
}
