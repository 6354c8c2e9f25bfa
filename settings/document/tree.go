package document

import (
	"encoding/json"
	"strconv"
	"strings"
)

// shape is what a node is.
type shape uint8

const (
	isNull shape = iota
	isBoolean
	isNumber
	isText
	isList
	isObject
)

func (k shape) String() string {
	return [...]string{"null", "a boolean", "a number", "text", "a list", "an object"}[k]
}

// node is one value of a file as it was read: JSON and YAML alike, with the order of members and each value's line
// and column. YAML's aliases share nodes, so nodes form a graph without cycles.
type node struct {
	kind         shape
	line, column int32
	// text is a text's content, a number's digits (as JSON writes numbers), or "true" or "false".
	text    string
	items   []*node
	members []member
}

// member is a named value of an object.
type member struct {
	key   string
	value *node
}

func (n *node) get(key string) *node {
	for i := range n.members {
		if n.members[i].key == key {
			return n.members[i].value
		}
	}
	return nil
}

// value is the node as encoding/json would decode it with UseNumber.
func (n *node) value() any {
	switch n.kind {
	case isBoolean:
		return n.text == "true"
	case isNumber:
		return json.Number(n.text)
	case isText:
		return n.text
	case isList:
		items := make([]any, len(n.items))
		for i, item := range n.items {
			items[i] = item.value()
		}
		return items
	case isObject:
		members := make(map[string]any, len(n.members))
		for _, m := range n.members {
			members[m.key] = m.value.value()
		}
		return members
	default:
		return nil
	}
}

// describe is the node in a few words, for a person.
func (n *node) describe() string {
	switch n.kind {
	case isText:
		return "text " + strconv.Quote(shorten(n.text))
	case isNumber:
		return "the number " + shorten(n.text)
	case isBoolean:
		return n.text
	default:
		return n.kind.String()
	}
}

// shorten cuts text that a message need not hold whole.
func shorten(s string) string {
	const most = 60
	runes := 0
	for i := range s {
		if runes++; runes > most {
			return s[:i] + "…"
		}
	}
	return s
}

// at is a node, and where it stands.
type at struct {
	n       *node
	file    *file
	pointer string // a JSON pointer, "" for the whole file
	// within is the innermost schema with an $id around it, nil for none.
	within *resource
}

func (a at) place() Place {
	p := Place{Pointer: "#" + a.pointer}
	if a.file != nil {
		p.File = a.file.location
	}
	if a.n != nil {
		p.Line, p.Column = int(a.n.line), int(a.n.column)
	}
	return p
}

// down is the named member; ok is false if there is none.
func (a at) down(key string) (at, bool) {
	if a.n == nil {
		return at{}, false
	}
	n := a.n.get(key)
	if n == nil {
		return at{}, false
	}
	return a.child(key, n), true
}

func (a at) child(key string, n *node) at {
	return at{n: n, file: a.file, pointer: a.pointer + "/" + escapePointer(key), within: a.within}
}

func (a at) item(i int) at {
	return at{n: a.n.items[i], file: a.file, pointer: a.pointer + "/" + strconv.Itoa(i), within: a.within}
}

// last is the last part of the pointer, unescaped.
func (a at) last() string {
	return unescapePointer(a.pointer[strings.LastIndexByte(a.pointer, '/')+1:])
}

var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

func escapePointer(s string) string {
	if strings.ContainsAny(s, "~/") {
		return pointerEscaper.Replace(s)
	}
	return s
}

func unescapePointer(s string) string {
	if strings.Contains(s, "~") {
		return pointerUnescaper.Replace(s)
	}
	return s
}

// follow walks a JSON pointer down from a; ok is false if it leads nowhere.
func (a at) follow(pointer string) (at, bool) {
	if pointer == "" {
		return a, true
	}
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = unescapePointer(part)
		switch a.n.kind {
		case isObject:
			next, ok := a.down(part)
			if !ok {
				return at{}, false
			}
			a = next
		case isList:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(a.n.items) {
				return at{}, false
			}
			a = a.item(i)
		default:
			return at{}, false
		}
	}
	return a, true
}
