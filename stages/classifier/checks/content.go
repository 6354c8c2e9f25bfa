package checks

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// Content is a reply's body read as JSON, once for every check and for what the run learns.
type Content struct {
	// Value holds numbers as json.Number; it is nil unless State is IsJSON. It is read by several stages and never
	// changed.
	Value any
	State State
	// Flaw says, for Malformed, what is wrong.
	Flaw string
}

// State is how reading a body as JSON went.
type State int

// The states.
const (
	// NotRead: it is not whole, or no JSON by its type.
	NotRead State = iota
	IsJSON
	// Malformed: it is whole, it says that it is JSON, and it is not.
	Malformed
	// NotUTF8: it is text in another encoding (RFC 8259 §8.1 asks for UTF-8).
	NotUTF8
	// TooDeep: it is nested deeper than is read.
	TooDeep
)

// mostNesting is how deep a body is read. Decoding and judging go into a value by recursion, so this bounds the
// stack; no honest reply comes near it.
const mostNesting = 500

// Read reads a whole body as JSON.
func Read(body []byte) Content {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	switch {
	case !utf8.Valid(body), isUTF16(body):
		return Content{State: NotUTF8}
	case nesting(body) > mostNesting:
		return Content{State: TooDeep}
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return Content{State: Malformed, Flaw: "it ends too early"}
		}
		return Content{State: Malformed, Flaw: err.Error()}
	}
	if len(bytes.TrimLeft(body[decoder.InputOffset():], " \t\r\n")) > 0 {
		return Content{State: Malformed, Flaw: "more follows after the JSON value"}
	}
	return Content{Value: value, State: IsJSON}
}

// isUTF16 says whether a text begins as one of two or four bytes a character does: a JSON text begins with two that are
// ASCII, or has but one (RFC 4627 §3).
func isUTF16(body []byte) bool { return len(body) > 1 && (body[0] == 0 || body[1] == 0) }

// nesting is how deep a JSON text is nested, without reading it otherwise.
func nesting(body []byte) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}
