// Package dictionary reads files of values that a user gives for the places of an API.
//
// A file is YAML or JSON:
//
//	version: 1
//	name: shop
//	values:
//	  operation:
//	    POST /orders:            # or an operationId, or any
//	      body.items[].sku: [A-1, B-2]
//	  schema: {Address: [{city: Seville}]}
//	  name: {sku: }
//	  format: {email: [ada@example.com]}
//	  type: {string: [ñandú]}
//	  any: [x]
//
// What cannot be read costs itself alone, and is told with its line.
package dictionary

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/restest/restest/settings"
)

// Group is what values are keyed by.
type Group int

// The groups, the most exact first: of those that have values for a place the first counts.
const (
	ByOperation Group = iota
	BySchema
	ByName
	ByFormat
	ByType
	ByNothing
)

var groupNames = []string{"operation", "schema", "name", "format", "type", "any"}

// String is the group's name in a file.
func (g Group) String() string { return groupNames[g] }

// Any stands for each operation, or for each place.
const Any = "any"

// Dictionary is one file of values.
type Dictionary struct {
	File string
	// Name is the file's own, or that of the file.
	Name    string
	Entries []Entry
	// Problems are what of the file was not used and why, a line each that begins with the place.
	Problems []string
}

// Entry is one value.
type Entry struct {
	Group Group
	// Key is the operation, schema, name, format or type; "" for ByNothing.
	Key string
	// Place is, for ByOperation, such as "body.items[].sku".
	Place string
	// Value is as encoding/json has it, numbers as json.Number.
	Value any
	// Where is the file and the line.
	Where string
}

const (
	mostEntries = 100_000
	// deepest is how many levels a value has at most, aliases followed.
	deepest = 50
)

// Types are the JSON types that values can be keyed by.
var Types = []string{"string", "integer", "number", "boolean", "array", "object"}

type reader struct {
	*Dictionary
	nodes int
}

// Read reads a file's content.
func Read(file string, content []byte) *Dictionary {
	r := reader{Dictionary: &Dictionary{File: file, Name: nameOf(file)}}
	root := r.parse(content)
	if root == nil {
		return r.Dictionary
	}
	if root.Kind != yaml.MappingNode {
		r.complain(root, "is not a dictionary; write version: 1 and values: with groups of values beneath it")
		return r.Dictionary
	}
	var values *yaml.Node
	version := false
	r.each(root, func(key string, at, value *yaml.Node) {
		switch key {
		case "version":
			version = true
			if value.Value != "1" {
				r.complain(value, "is of version %s, and only 1 is known", settings.Quote(value.Value))
				version = false
			}
		case "name":
			if value.Kind == yaml.ScalarNode && value.Value != "" {
				r.Name = value.Value
			} else {
				r.complain(value, "name is no text; write one")
			}
		case "values":
			values = value
		default:
			r.unknown(at, key, "a part of a dictionary", []string{"version", "name", "values"})
		}
	})
	switch {
	case len(r.Problems) > 0 && !version:
	case !version:
		r.complain(root, "says no version; write version: 1 at its beginning")
	case values == nil:
		r.complain(root, "holds no values; write values: with groups such as name: beneath it")
	default:
		r.groups(values)
	}
	if !version {
		r.Entries = nil
	}
	return r.Dictionary
}

func nameOf(file string) string {
	name := file[strings.LastIndexAny(file, `/\`)+1:]
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		return name[:dot]
	}
	return name
}

// parse finds the content's one value.
func (r *reader) parse(content []byte) *yaml.Node {
	loader, err := yaml.NewLoader(bytes.NewReader(content))
	if err != nil {
		r.Problems = append(r.Problems, r.File+": cannot be read: "+oneLine(err))
		return nil
	}
	var root yaml.Node
	switch err := loader.Load(&root); {
	case errors.Is(err, io.EOF) || err == nil && len(root.Content) == 0:
		r.Problems = append(r.Problems, r.File+": is empty; restest document DOCUMENT --dictionary-template writes a beginning")
		return nil
	case err != nil:
		where, what := r.File, oneLine(err)
		var at *yaml.LoadError
		if errors.As(err, &at) {
			if what = strings.Join(strings.Fields(at.Message), " "); at.Mark.Line > 0 {
				where += ":" + strconv.Itoa(at.Mark.Line)
			}
		}
		r.Problems = append(r.Problems, where+": is neither YAML nor JSON: "+what)
		return nil
	}
	return root.Content[0]
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

func (r *reader) where(n *yaml.Node) string { return r.File + ":" + strconv.Itoa(n.Line) }

func (r *reader) complain(n *yaml.Node, format string, args ...any) {
	r.Problems = append(r.Problems, r.where(n)+": "+fmt.Sprintf(format, args...))
}

func (r *reader) unknown(n *yaml.Node, key, what string, known []string) {
	advice := "they are " + strings.Join(known, ", ")
	if meant := settings.Suggest(key, known); meant != "" {
		advice = "did you mean " + meant + "?"
	}
	r.complain(n, "%s is not %s; %s", settings.Quote(key), what, advice)
}

// each calls f with the members of a mapping, aliases followed.
func (r *reader) each(mapping *yaml.Node, f func(key string, at, value *yaml.Node)) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], follow(mapping.Content[i+1])
		switch {
		case key.Kind != yaml.ScalarNode:
			r.complain(key, "has something other than a name before the colon")
		case seen[key.Value]:
			r.complain(key, "%s is there twice; the first counts", settings.Quote(key.Value))
		default:
			seen[key.Value] = true
			f(key.Value, key, value)
		}
	}
}

func follow(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}

func (r *reader) groups(values *yaml.Node) {
	if values.Kind != yaml.MappingNode {
		r.complain(values, "values is not a mapping; write groups such as name: beneath it")
		return
	}
	r.each(values, func(group string, at, value *yaml.Node) {
		g := slices.Index(groupNames, group)
		switch {
		case g < 0:
			r.unknown(at, group, "a group of values", groupNames)
		case isNull(value):
		case Group(g) == ByNothing:
			r.list(Entry{Group: ByNothing}, group, value)
		case value.Kind != yaml.MappingNode:
			r.complain(at, "%s is not a mapping; write %s with a list of values each beneath it", group, plural[g])
		default:
			r.each(value, func(key string, at, value *yaml.Node) {
				switch {
				case Group(g) == ByType && !slices.Contains(Types, key):
					r.unknown(at, key, "a JSON type", Types)
				case Group(g) != ByOperation:
					r.list(Entry{Group: Group(g), Key: key}, key, value)
				case value.Kind != yaml.MappingNode:
					r.complain(at, "%s is not a mapping; write places such as query.limit beneath it", settings.Quote(key))
				default:
					r.each(value, func(place string, _, value *yaml.Node) {
						r.list(Entry{Group: ByOperation, Key: key, Place: place}, place, value)
					})
				}
			})
		}
	})
}

var plural = []string{"operations", "schemas", "names", "formats", "types"}

// list reads the values of one key: a list of them, or just one.
func (r *reader) list(e Entry, key string, value *yaml.Node) {
	if isNull(value) {
		return // a line to be filled in
	}
	items := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		items = value.Content
	}
	if value.Kind == yaml.MappingNode {
		r.complain(value, "%s holds a mapping where a list of values belongs", settings.Quote(key))
		return
	}
	for _, item := range items {
		if len(r.Entries) >= mostEntries {
			r.complain(item, "is more than the %d values that one file may hold; the rest is left out", mostEntries)
			return
		}
		v, err := r.value(follow(item), 0)
		if err != nil {
			r.complain(item, "%v", err)
			continue
		}
		e.Value, e.Where = v, r.where(item)
		r.Entries = append(r.Entries, e)
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// value is the node as encoding/json has it.
func (r *reader) value(n *yaml.Node, depth int) (any, error) {
	if r.nodes++; depth > deepest || r.nodes > 10*mostEntries {
		return nil, errors.New("is too deep or too large a value")
	}
	switch n = follow(n); n.Kind {
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			v, err := r.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		o := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := r.value(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			o[n.Content[i].Value] = v
		}
		return o, nil
	}
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int", "!!float":
		return number(n.Value)
	}
	return n.Value, nil
}

// number is the number as JSON writes it.
func number(text string) (any, error) {
	if json.Valid([]byte(text)) {
		return json.Number(text), nil
	}
	plain := strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+")
	if i, ok := new(big.Int).SetString(cmp.Or(plain, text), 0); ok {
		return json.Number(i.String()), nil
	}
	if f, err := strconv.ParseFloat(plain, 64); err == nil {
		if written, err := json.Marshal(f); err == nil {
			return json.Number(written), nil
		}
	}
	return nil, fmt.Errorf("%s is a number that JSON cannot hold; quote it to have it as text", settings.Quote(text))
}
