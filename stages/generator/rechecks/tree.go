package rechecks

import (
	"bytes"
	"encoding/json"
	"errors"
)

// tree is a JSON text taken apart so that parts of it can be left out and the rest written as it stood: names in their
// order, numbers and texts with their own spelling.
type tree struct {
	nodes []node // the root first; each after its parent
}

// node is one value of a tree.
type node struct {
	name     string // of a property, as it is spelled in JSON
	children []int
	// open is '{' or '[' for an object or a list; raw is the spelling of anything else.
	open byte
	raw  string
	// text is the value of a string.
	text   string
	isText bool
}

// mostNodes and mostLevels bound what is taken apart.
const (
	mostNodes  = 400
	mostLevels = 100
)

var errNotTaken = errors.New("not a JSON text that can be taken apart")

// parse takes a JSON text apart.
func parse(data []byte) (*tree, error) {
	t := &tree{}
	if !json.Valid(data) {
		return nil, errNotTaken
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if _, err := t.value(d, data, "", 0); err != nil {
		return nil, err
	}
	return t, nil
}

// value reads the next value and returns its place in the nodes.
func (t *tree) value(d *json.Decoder, data []byte, name string, level int) (int, error) {
	if len(t.nodes) >= mostNodes || level > mostLevels {
		return 0, errNotTaken
	}
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{name: name})
	token, err := d.Token()
	if err != nil {
		return 0, err
	}
	end := d.InputOffset()
	open, isOpen := token.(json.Delim)
	if !isOpen {
		n := &t.nodes[at]
		switch v := token.(type) {
		case string:
			n.text, n.isText, n.raw = v, true, spelled(data, end)
		case json.Number:
			n.raw = v.String()
		case bool:
			n.raw = "false"
			if v {
				n.raw = "true"
			}
		default:
			n.raw = "null"
		}
		return at, nil
	}
	var children []int
	for d.More() {
		name := ""
		if open == '{' {
			if _, err := d.Token(); err != nil {
				return 0, err
			}
			name = spelled(data, d.InputOffset())
		}
		child, err := t.value(d, data, name, level+1)
		if err != nil {
			return 0, err
		}
		children = append(children, child)
	}
	if _, err := d.Token(); err != nil {
		return 0, err
	}
	t.nodes[at].open, t.nodes[at].children = byte(open), children
	return at, nil
}

// spelled is the text that ends just before the offset, with its quotes.
func spelled(data []byte, end int64) string {
	i := end - 2
	for ; i > 0; i-- {
		if data[i] != '"' {
			continue
		}
		slashes := 0
		for j := i - 1; j >= 0 && data[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 0 {
			break
		}
	}
	return string(data[i:end])
}

// write writes the tree without the nodes that are out, and with other texts for some.
func (t *tree) write(out map[int]bool, texts map[int]string) []byte {
	return t.append(nil, 0, out, texts)
}

func (t *tree) append(dst []byte, at int, out map[int]bool, texts map[int]string) []byte {
	n := &t.nodes[at]
	if n.open == 0 {
		if text, changed := texts[at]; changed {
			return append(dst, quote(text)...)
		}
		return append(dst, n.raw...)
	}
	dst = append(dst, n.open)
	first := true
	for _, child := range n.children {
		if out[child] {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if n.open == '{' {
			dst = append(append(dst, t.nodes[child].name...), ':')
		}
		dst = t.append(dst, child, out, texts)
	}
	return append(dst, n.open+2) // '}' comes two after '{', and ']' after '['
}

// quote is the text in JSON.
func quote(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string can always be encoded
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// parts are the nodes that can be left out: each property and each item, those nearer the root first.
func (t *tree) parts() []int {
	var parts []int
	level := []int{0}
	for len(level) > 0 {
		var next []int
		for _, at := range level {
			next = append(next, t.nodes[at].children...)
		}
		parts = append(parts, next...)
		level = next
	}
	return parts
}

// decode reads a JSON text as the judge takes it, numbers as they are spelled.
func decode(data []byte) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, false
	}
	return v, true
}
