package document

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds on one file, so that no file can use up memory or stack.
const (
	mostDepth  = 2_000     // nested lists and objects
	mostValues = 2_000_000 // of a file with aliases, each counted as often as it is used
)

// trouble is something odd that was found while a file was parsed and did not stop it.
type trouble struct {
	line, column int32
	message      string
}

// parseError says where a file cannot be read.
type parseError struct {
	line, column int
	message      string
}

func (e *parseError) Error() string {
	if e.line == 0 {
		return e.message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.line, e.column, e.message)
}

// parse reads JSON or YAML, whichever the bytes turn out to be.
func parse(data []byte) (*node, []trouble, error) {
	data, err := toUTF8(data)
	if err != nil {
		return nil, nil, err
	}
	start := bytes.TrimLeft(data, " \t\r\n")
	if len(start) == 0 {
		return nil, nil, &parseError{message: "there is nothing in it"}
	}
	n, troubles, jsonErr := parseJSON(string(data))
	if jsonErr == nil {
		return n, troubles, nil
	}
	if start[0] == '<' {
		return nil, nil, &parseError{message: "this looks like HTML or XML; an OpenAPI document is JSON or YAML"}
	}
	n, troubles, err = parseYAML(data)
	switch {
	case err == nil:
		return n, troubles, nil
	case start[0] == '{' || start[0] == '[':
		// It was meant as JSON, and YAML's complaint would mislead.
		return nil, nil, jsonErr
	default:
		return nil, nil, err
	}
}

// toUTF8 takes a byte-order mark off, and the two UTF-16 encodings with it.
func toUTF8(data []byte) ([]byte, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	}
	if order != nil {
		units := make([]uint16, 0, len(data)/2)
		for data = data[2:]; len(data) >= 2; data = data[2:] {
			units = append(units, order.Uint16(data))
		}
		data = []byte(string(utf16.Decode(units)))
	}
	if !utf8.Valid(data) {
		line, column := 1, 1
		for len(data) > 0 {
			r, size := utf8.DecodeRune(data)
			if r == utf8.RuneError && size == 1 {
				break
			}
			column++
			if r == '\n' {
				line, column = line+1, 1
			}
			data = data[size:]
		}
		return nil, &parseError{line, column, "this byte is not UTF-8 text"}
	}
	return data, nil
}

// repeated finds members given twice: the last one wins, at the place of the first.
type repeated struct {
	seen map[string]int // used once an object is large
}

const largeObject = 16

// add appends the member, or replaces the one of the same name and says so.
func (r *repeated) add(members []member, key string, value *node) (_ []member, twice bool) {
	if len(members) < largeObject {
		for i := range members {
			if members[i].key == key {
				members[i].value = value
				return members, true
			}
		}
		return append(members, member{key, value}), false
	}
	if r.seen == nil {
		r.seen = make(map[string]int, 2*len(members))
		for i := range members {
			r.seen[members[i].key] = i
		}
	}
	if i, ok := r.seen[key]; ok {
		members[i].value = value
		return members, true
	}
	r.seen[key] = len(members)
	return append(members, member{key, value}), false
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
