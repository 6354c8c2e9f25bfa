package generator

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// appendJSON appends the value as JSON, members in the order of their names.
func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		if v {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case json.Number:
		return append(dst, v...)
	case string:
		return appendText(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, item)
		}
		return append(dst, ']')
	case map[string]any:
		var few [16]string
		dst = append(dst, '{')
		for i, name := range sortedNames(few[:0], v) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(append(appendText(dst, name), ':'), v[name])
		}
		return append(dst, '}')
	default:
		return append(dst, "null"...) // no other type is ever made
	}
}

// sortedNames appends the object's names in order.
func sortedNames(dst []string, v map[string]any) []string {
	dst = slices.AppendSeq(dst, maps.Keys(v))
	slices.Sort(dst)
	return dst
}

func appendText(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return appendOddText(dst, s)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// appendOddText leaves the escaping to encoding/json.
func appendOddText(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return append(dst, `""`...) // a string can always be encoded
	}
	return append(dst, bytes.TrimRight(b.Bytes(), "\n")...)
}
