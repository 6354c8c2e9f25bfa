package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// parseYAML reads the first document of a YAML stream. Plain scalars are read as YAML 1.2 has them, but for octal
// numbers such as 0777; yes, no, on and off are text, and so are dates. A key is the text it is written with, so that
// an unquoted 200 is "200".
func parseYAML(data []byte) (*node, []trouble, error) {
	var root yaml.Node
	err := yaml.Load(data, &root, yaml.WithSingleDocument(),
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(mostDepth), loaderlimits.AliasNone())))
	if err != nil {
		return nil, nil, yamlError(err)
	}
	r := yamlReader{nodes: map[*yaml.Node]*node{}, sizes: map[*yaml.Node]extent{}}
	n, _, err := r.read(&root)
	if err != nil {
		return nil, nil, err
	}
	if n.kind != isObject && n.kind != isList {
		return nil, nil, &parseError{message: "this is " + n.describe() + ", not JSON or YAML with an object in it"}
	}
	return n, r.troubles, nil
}

func yamlError(err error) error {
	var located *yaml.LoadError
	if errors.As(err, &located) {
		return &parseError{located.Mark.Line, located.Mark.Column, oneLine(located.Message)}
	}
	return &parseError{message: oneLine(err.Error())}
}

// yamlReader turns YAML's nodes into ours. What an alias names is read once and shared.
type yamlReader struct {
	nodes    map[*yaml.Node]*node // nil while it is being read
	sizes    map[*yaml.Node]extent
	troubles []trouble
}

// extent is how many values a node holds and how deep they are nested, each alias counted in full.
type extent struct{ values, depth int }

func (e *extent) add(child extent) {
	e.values += child.values
	e.depth = max(e.depth, child.depth+1)
}

func (r *yamlReader) read(y *yaml.Node) (*node, extent, error) {
	for y.Kind == yaml.DocumentNode {
		if len(y.Content) == 0 {
			return &node{}, extent{1, 1}, nil
		}
		y = y.Content[0]
	}
	if y.Kind == yaml.AliasNode {
		n, begun := r.nodes[y.Alias]
		if begun && n == nil {
			return nil, extent{}, &parseError{y.Line, y.Column, fmt.Sprintf("the anchor %q contains itself", y.Value)}
		}
		if begun {
			return n, r.sizes[y.Alias], nil
		}
		y = y.Alias
	}
	anchored := y.Anchor != ""
	if anchored {
		r.nodes[y] = nil
	}
	n := &node{line: int32(y.Line), column: int32(y.Column)}
	size := extent{1, 1}
	var err error
	switch y.Kind {
	case yaml.MappingNode:
		n.kind = isObject
		size, err = r.mapping(y, n)
	case yaml.SequenceNode:
		n.kind = isList
		n.items = make([]*node, len(y.Content))
		for i, c := range y.Content {
			var s extent
			if n.items[i], s, err = r.read(c); err != nil {
				return nil, extent{}, err
			}
			size.add(s)
		}
	default:
		r.scalar(y, n)
	}
	if err != nil {
		return nil, extent{}, err
	}
	if size.depth > mostDepth {
		return nil, extent{}, &parseError{y.Line, y.Column, fmt.Sprintf("lists and objects are nested deeper than %d", mostDepth)}
	}
	if size.values > mostValues {
		return nil, extent{}, &parseError{y.Line, y.Column, fmt.Sprintf("its aliases make more than %d values of it", mostValues)}
	}
	if anchored {
		r.nodes[y], r.sizes[y] = n, size
	}
	return n, size, nil
}

func (r *yamlReader) mapping(y *yaml.Node, n *node) (extent, error) {
	var (
		double repeated
		merged []*node
	)
	size := extent{1, 1}
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		value, s, err := r.read(v)
		if err != nil {
			return extent{}, err
		}
		size.add(s)
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode {
			r.trouble(k, "a list or an object is no name; this member is left out")
			continue
		}
		if k.ShortTag() == "!!merge" {
			merged = append(merged, r.merge(k, value)...)
			continue
		}
		var twice bool
		if n.members, twice = double.add(n.members, k.Value, value); twice {
			r.troubles = append(r.troubles, repeatedKey(int32(k.Line), int32(k.Column), k.Value))
		}
	}
	for _, from := range merged {
		for _, m := range from.members {
			if n.get(m.key) == nil {
				n.members, _ = double.add(n.members, m.key, m.value)
			}
		}
	}
	return size, nil
}

// merge are the objects that a merge key "<<" brings in.
func (r *yamlReader) merge(k *yaml.Node, value *node) []*node {
	switch value.kind {
	case isObject:
		return []*node{value}
	case isList:
		var objects []*node
		for _, item := range value.items {
			if item.kind == isObject {
				objects = append(objects, item)
			} else {
				r.trouble(k, "a merge key brings in "+item.describe()+", not an object; it is left out")
			}
		}
		return objects
	default:
		r.trouble(k, "a merge key brings in "+value.describe()+", not an object; it is left out")
		return nil
	}
}

func (r *yamlReader) trouble(y *yaml.Node, message string) {
	r.troubles = append(r.troubles, trouble{int32(y.Line), int32(y.Column), message})
}

func (r *yamlReader) scalar(y *yaml.Node, n *node) {
	n.kind, n.text = isText, y.Value
	switch y.ShortTag() {
	case "!!null":
		n.kind, n.text = isNull, ""
	case "!!bool":
		n.kind, n.text = isBoolean, strings.ToLower(y.Value)
		if n.text != "true" && n.text != "false" {
			n.kind, n.text = isText, y.Value
		}
	case "!!int", "!!float":
		if s, ok := jsonNumber(y.Value); ok {
			n.kind, n.text = isNumber, s
		}
	}
}

// jsonNumber writes a YAML number as JSON does, exactly; false for one that JSON has no number for, such as .inf.
func jsonNumber(s string) (string, bool) {
	if isJSONNumber(s) {
		return s, true
	}
	plain := strings.ReplaceAll(s, "_", "")
	if i, ok := new(big.Int).SetString(strings.TrimPrefix(plain, "+"), 0); ok {
		return i.String(), true
	}
	plain = strings.TrimPrefix(plain, "+")
	sign := ""
	if rest, negative := strings.CutPrefix(plain, "-"); negative {
		sign, plain = "-", rest
	}
	// 01.5, .5 and 5. are floats in YAML.
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(plain), "e")
	whole, part, _ := strings.Cut(mantissa, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	out := sign + whole
	if part != "" {
		out += "." + part
	}
	if scientific {
		out += "e" + exponent
	}
	if isJSONNumber(out) {
		return out, true
	}
	if f, err := strconv.ParseFloat(plain, 64); err == nil {
		if b, err := json.Marshal(f); err == nil {
			return sign + string(b), true
		}
	}
	return "", false
}
