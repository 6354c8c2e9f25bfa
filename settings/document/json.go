package document

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonReader parses JSON (RFC 8259) and keeps each value's line and column. encoding/json keeps neither those nor
// the order of members, and a YAML parser takes ten times as long and as much memory for a large JSON document.
type jsonReader struct {
	in   string
	pos  int
	line int
	// counted is a position whose column is known, so that a file of one long line is not counted again and again.
	counted, countedColumn int
	troubles               []trouble
}

func parseJSON(in string) (*node, []trouble, error) {
	r := &jsonReader{in: in, line: 1, countedColumn: 1}
	r.space()
	n, err := r.value(0)
	if err != nil {
		return nil, nil, err
	}
	if r.space(); r.pos < len(in) {
		return nil, nil, r.fail("there is more after the end of the JSON value")
	}
	return n, r.troubles, nil
}

func (r *jsonReader) fail(format string, args ...any) error {
	return &parseError{r.line, r.column(), fmt.Sprintf(format, args...)}
}

func (r *jsonReader) column() int {
	if pos := min(r.pos, len(r.in)); pos > r.counted {
		r.countedColumn += utf8.RuneCountInString(r.in[r.counted:pos])
		r.counted = pos
	}
	return r.countedColumn
}

func (r *jsonReader) space() {
	for r.pos < len(r.in) {
		switch r.in[r.pos] {
		case '\n':
			r.line++
			r.counted, r.countedColumn = r.pos+1, 1
		case ' ', '\t', '\r':
		default:
			return
		}
		r.pos++
	}
}

// peek is the next byte, 0 at the end.
func (r *jsonReader) peek() byte {
	if r.pos < len(r.in) {
		return r.in[r.pos]
	}
	return 0
}

func (r *jsonReader) value(depth int) (*node, error) {
	if depth > mostDepth {
		return nil, r.fail("lists and objects are nested deeper than %d", mostDepth)
	}
	n := &node{line: int32(r.line), column: int32(r.column())}
	var err error
	switch c := r.peek(); {
	case c == '{':
		n.kind = isObject
		n.members, err = r.object(depth)
	case c == '[':
		n.kind = isList
		n.items, err = r.list(depth)
	case c == '"':
		n.kind = isText
		n.text, err = r.string()
	case c == '-' || '0' <= c && c <= '9':
		n.kind = isNumber
		n.text, err = r.number()
	case strings.HasPrefix(r.in[r.pos:], "null"):
		r.pos += len("null")
	case strings.HasPrefix(r.in[r.pos:], "true"):
		n.kind, n.text = isBoolean, "true"
		r.pos += len("true")
	case strings.HasPrefix(r.in[r.pos:], "false"):
		n.kind, n.text = isBoolean, "false"
		r.pos += len("false")
	case c == 0:
		err = r.fail("the JSON ends too early")
	default:
		err = r.unexpected("a value")
	}
	return n, err
}

func (r *jsonReader) unexpected(wanted string) error {
	if r.pos >= len(r.in) {
		return r.fail("the JSON ends too early")
	}
	c, _ := utf8.DecodeRuneInString(r.in[r.pos:])
	return r.fail("here stands %q where %s should", c, wanted)
}

func (r *jsonReader) object(depth int) ([]member, error) {
	var (
		members []member
		double  repeated
	)
	r.pos++
	r.space()
	if r.peek() == '}' {
		r.pos++
		return nil, nil
	}
	for {
		if r.peek() != '"' {
			return nil, r.unexpected("a name in double quotes")
		}
		line, column := int32(r.line), int32(r.column())
		key, err := r.string()
		if err != nil {
			return nil, err
		}
		if r.space(); r.peek() != ':' {
			return nil, r.unexpected("a colon")
		}
		r.pos++
		r.space()
		value, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		var twice bool
		if members, twice = double.add(members, key, value); twice {
			r.troubles = append(r.troubles, repeatedKey(line, column, key))
		}
		r.space()
		switch r.peek() {
		case ',':
			r.pos++
			r.space()
		case '}':
			r.pos++
			return members, nil
		default:
			return nil, r.unexpected("a comma or a closing brace")
		}
	}
}

func repeatedKey(line, column int32, key string) trouble {
	return trouble{line, column, fmt.Sprintf("%q is given twice in one object; the last one is used", shorten(key))}
}

func (r *jsonReader) list(depth int) ([]*node, error) {
	var items []*node
	r.pos++
	r.space()
	if r.peek() == ']' {
		r.pos++
		return nil, nil
	}
	for {
		item, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		r.space()
		switch r.peek() {
		case ',':
			r.pos++
			r.space()
		case ']':
			r.pos++
			return items, nil
		default:
			return nil, r.unexpected("a comma or a closing bracket")
		}
	}
}

func (r *jsonReader) string() (string, error) {
	start := r.pos
	escaped := false
	for i := start + 1; i < len(r.in); i++ {
		switch c := r.in[i]; {
		case c == '"':
			r.pos = i + 1
			if !escaped {
				return r.in[start+1 : i], nil
			}
			var s string
			if err := json.Unmarshal([]byte(r.in[start:r.pos]), &s); err != nil {
				return "", r.fail("the text that ends here has an escape that JSON does not know")
			}
			return s, nil
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			r.pos = i
			return "", r.fail("a text holds the control character %s, which JSON wants escaped", strconv.QuoteRune(rune(c)))
		}
	}
	return "", r.fail("the text that begins here does not end")
}

func (r *jsonReader) number() (string, error) {
	end := r.pos
	for end < len(r.in) && strings.IndexByte("+-.0123456789eE", r.in[end]) >= 0 {
		end++
	}
	s := r.in[r.pos:end]
	if !isJSONNumber(s) {
		return "", r.fail("%q is no number in JSON", shorten(s))
	}
	r.pos = end
	return s, nil
}

// isJSONNumber says whether the text is a number as RFC 8259 §6 has it.
func isJSONNumber(s string) bool {
	digits := func() bool {
		n := 0
		for n < len(s) && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	s = strings.TrimPrefix(s, "-")
	if strings.HasPrefix(s, "0") {
		s = s[1:]
	} else if !digits() {
		return false
	}
	if strings.HasPrefix(s, ".") {
		if s = s[1:]; !digits() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		if s = s[1:]; s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}
