package generator

import (
	"encoding/json"
	"strings"
)

// allowed is a set of bytes that go on the wire as they are; all others are percent-encoded.
type allowed [256]bool

func allow(s string) (a allowed) {
	for i := range len(s) {
		a[s[i]] = true
	}
	return a
}

const unreservedChars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

var (
	// unreserved are the characters that mean only themselves (RFC 3986 §2.3).
	unreserved = allow(unreservedChars)
	// reserved are those that allowReserved lets through: what a query can hold (RFC 3986 §3.4), without what takes
	// it apart ("&"), or is read as a blank ("+").
	reserved = allow(unreservedChars + ":/?@!$'()*,;=")
	// reservedInList leaves out the comma too, for items that commas join.
	reservedInList = allow(unreservedChars + ":/?@!$'()*;=")
	// templated are the characters of a path template that stay as they are; a "%" is taken to begin an escape.
	templated = allow(unreservedChars + ":/?@!$&'()*+,;=%")
)

const upperHex = "0123456789ABCDEF"

// escape appends s with each byte that is not allowed percent-encoded.
func escape(dst []byte, s string, a *allowed) []byte {
	for i := range len(s) {
		if c := s[i]; a[c] {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst
}

// plainText is the value as text without quotes; a list or object inside another is written as JSON.
func plainText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return string(v)
	case bool:
		if v {
			return "true"
		}
		return "false"
	case nil:
		return "null"
	default:
		return string(appendJSON(nil, v))
	}
}

// joining is how the parts of a list or object are put together.
type joining struct {
	// between stands between items, or between the members of an object.
	between string
	// equals stands between a name and its value.
	equals string
	escape *allowed
}

// appendJoined appends the value: a scalar as it is, a list's items or an object's members joined.
func appendJoined(dst []byte, v any, j joining) []byte {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if i > 0 {
				dst = append(dst, j.between...)
			}
			dst = escape(dst, plainText(item), j.escape)
		}
		return dst
	case map[string]any:
		var few [16]string
		for i, name := range sortedNames(few[:0], v) {
			if i > 0 {
				dst = append(dst, j.between...)
			}
			dst = append(escape(dst, name, j.escape), j.equals...)
			dst = escape(dst, plainText(v[name]), j.escape)
		}
		return dst
	default:
		return escape(dst, plainText(v), j.escape)
	}
}

// joining is how the parameter's parts are put together where a list's items are joined by between.
func (p *parameter) joining(between string, escape *allowed) joining {
	if p.explode {
		return joining{between, "=", escape}
	}
	return joining{between, between, escape}
}

// appendPath appends a path parameter's value (RFC 6570 §3.2.2, §3.2.5, §3.2.7). It says whether there is anything.
func (p *parameter) appendPath(dst []byte, v any) ([]byte, bool) {
	start := len(dst)
	if p.content {
		return escape(dst, string(appendJSON(nil, v)), &unreserved), true
	}
	switch p.style {
	case "label":
		dst = append(dst, '.')
		start++
		if p.explode {
			dst = appendJoined(dst, v, joining{".", "=", &unreserved})
		} else {
			dst = appendJoined(dst, v, joining{",", ",", &unreserved})
		}
	case "matrix":
		dst = append(dst, ';')
		if o, ok := v.(map[string]any); ok && p.explode {
			// ;r=1;g=2: the names of the members stand in for the parameter's.
			return appendJoined(dst, o, joining{";", "=", &unreserved}), len(o) > 0
		}
		items, isList := v.([]any)
		if !isList || !p.explode {
			items = []any{v}
		}
		for i, item := range items {
			if i > 0 {
				dst = append(dst, ';')
			}
			dst = append(append(dst, p.escapedName...), '=')
			start = len(dst)
			dst = appendJoined(dst, item, joining{",", ",", &unreserved})
		}
	default: // simple
		dst = appendJoined(dst, v, p.joining(",", &unreserved))
	}
	return dst, len(dst) > start
}

// appendQuery appends a query parameter's pairs to a query. An empty list is sent as an empty value.
func (p *parameter) appendQuery(dst []byte, v any) []byte {
	if p.content {
		return escape(append(append(dst, p.escapedName...), '='), string(appendJSON(nil, v)), &unreserved)
	}
	escaping, inList := &unreserved, &unreserved
	if p.reserved {
		escaping, inList = &reserved, &reservedInList
	}
	return appendPairs(dst, p.escapedName, v, p.style, p.explode, escaping, inList)
}

// appendPairs appends the name=value pairs of a query or a form.
func appendPairs(dst []byte, name string, v any, style string, explode bool, escaping, inList *allowed) []byte {
	switch w := v.(type) {
	case []any:
		if style == "deepObject" {
			return appendDeep(dst, name, v, escaping)
		}
		if !explode || len(w) == 0 {
			return appendJoined(append(append(dst, name...), '='), v, joining{delimiter(style), delimiter(style), inList})
		}
		for i, item := range w {
			if i > 0 {
				dst = append(dst, '&')
			}
			dst = escape(append(append(dst, name...), '='), plainText(item), escaping)
		}
		return dst
	case map[string]any:
		if style == "deepObject" {
			return appendDeep(dst, name, v, escaping)
		}
		if explode && len(w) > 0 {
			return appendJoined(dst, v, joining{"&", "=", escaping})
		}
		return appendJoined(append(append(dst, name...), '='), v, joining{delimiter(style), delimiter(style), inList})
	default:
		return escape(append(append(dst, name...), '='), plainText(v), escaping)
	}
}

func delimiter(style string) string {
	switch style {
	case "spaceDelimited":
		return "%20"
	case "pipeDelimited":
		return "%7C"
	case "tabDelimited":
		return "%09"
	default:
		return ","
	}
}

// appendDeep appends name[member]=value pairs. What is nested deeper, which OpenAPI leaves open, goes on in the same
// way: name[member][inner]=value, and name[0]=value for the items of a list.
func appendDeep(dst []byte, name string, v any, escaping *allowed) []byte {
	pair := func(name string, v any) {
		if len(dst) > 0 && dst[len(dst)-1] != '?' && dst[len(dst)-1] != '&' {
			dst = append(dst, '&')
		}
		dst = appendDeep(dst, name, v, escaping)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, member := range sortedNames(nil, v) {
			pair(name+"%5B"+string(escape(nil, member, &unreserved))+"%5D", v[member])
		}
		if len(v) > 0 {
			return dst
		}
	case []any:
		for i, item := range v {
			pair(name+"%5B"+itoa(i)+"%5D", item)
		}
		if len(v) > 0 {
			return dst
		}
	default:
		return escape(append(append(dst, name...), '='), plainText(v), escaping)
	}
	return append(append(dst, name...), '=')
}

// headerText is a header parameter's value, and whether it can travel: visible ASCII with single blanks inside
// (RFC 9110 §5.5), and items that no comma of their own takes apart.
func (p *parameter) headerText(v any) (string, bool) {
	if p.content {
		t := asciiJSON(v)
		return t, travels(t)
	}
	if holdsByte(v, ',') {
		return "", false
	}
	j := p.joining(",", &everything)
	t := string(appendJoined(nil, v, j))
	return t, travels(t)
}

// everything lets each byte through: header values are not percent-encoded.
var everything = func() (a allowed) {
	for i := range a {
		a[i] = true
	}
	return a
}()

func travels(t string) bool {
	if t == "" || t[0] == ' ' || t[len(t)-1] == ' ' || strings.Contains(t, "  ") {
		return false
	}
	for i := range len(t) {
		if t[i] < ' ' || t[i] > '~' {
			return false
		}
	}
	return true
}

// holdsByte says whether an item of the list or a member of the object holds the byte, which is about to join them.
func holdsByte(v any, c byte) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if strings.IndexByte(plainText(item), c) >= 0 {
				return true
			}
		}
	case map[string]any:
		for name, w := range v {
			if strings.IndexByte(name, c) >= 0 || strings.IndexByte(plainText(w), c) >= 0 {
				return true
			}
		}
	}
	return false
}

// asciiJSON is JSON that a header can hold.
func asciiJSON(v any) string {
	var b strings.Builder
	for _, c := range string(appendJSON(nil, v)) {
		switch {
		case c < 0x7f:
			b.WriteRune(c)
		case c > 0xffff:
			c -= 0x10000
			writeEscaped(&b, 0xd800+c>>10)
			writeEscaped(&b, 0xdc00+c&0x3ff)
		default:
			writeEscaped(&b, c)
		}
	}
	return b.String()
}

func writeEscaped(b *strings.Builder, c rune) {
	b.WriteString(`\u`)
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(upperHex[c>>shift&15])
	}
}

// appendCookie appends a cookie parameter's pairs. OpenAPI's form style would join them with "&", which no server
// reads in a Cookie header, so they are joined as RFC 6265 §4.2.1 joins cookies.
func (p *parameter) appendCookie(dst []byte, v any) []byte {
	if p.content {
		return escape(append(append(dst, p.name...), '='), string(appendJSON(nil, v)), &unreserved)
	}
	switch w := v.(type) {
	case []any:
		if p.explode && len(w) > 0 {
			for i, item := range w {
				if i > 0 {
					dst = append(dst, "; "...)
				}
				dst = escape(append(append(dst, p.name...), '='), plainText(item), &unreserved)
			}
			return dst
		}
	case map[string]any:
		if p.explode && len(w) > 0 {
			return appendJoined(dst, v, joining{"; ", "=", &unreserved})
		}
	}
	return appendJoined(append(append(dst, p.name...), '='), v, joining{",", ",", &unreserved})
}
