package generator

import (
	"encoding/json"
	"slices"
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
	// reservedInPath are those that allowReserved lets through in a path: what a segment can hold (RFC 3986 §3.3), without
	// what joins the parts of a value.
	reservedInPath = allow(unreservedChars + ":@!$&'()*+")
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

// style is how a value is written in its place (OpenAPI 3.1 §4.8.12.2, RFC 6570 §3.2).
type style struct {
	name              string
	explode, reserved bool
	// empty is true where a name without a value says that there is nothing (allowEmptyValue).
	empty bool
}

// joining is how the parts are put together where a list's items are joined by between.
func (s style) joining(between string, escape *allowed) joining {
	if s.explode {
		return joining{between, "=", escape}
	}
	return joining{between, between, escape}
}

// expressible is the value as the style can write it: members that are null are left out, and for nested values those
// that hold nothing. It is not ok for what holds nothing itself, which RFC 6570 §2.3 has stand for no value at all, nor
// where an item holds what joins the items and no escaping tells the two apart.
func (s style) expressible(v any) (w any, changed, ok bool) {
	if s.name == "deepObject" {
		return deepExpressible(v)
	}
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			return v, false, s.empty
		}
		if slices.Contains(v, nil) {
			return nil, false, false
		}
	case map[string]any:
		o, changed := without(v, isNull)
		d := s.plainDelimiter()
		_, unnamed := o[""]
		return o, changed, (len(o) > 0 || s.empty) && !unnamed && (s.explode || d == "," || !holdsByte(o, d[0]))
	}
	d := s.plainDelimiter()
	return v, false, v != nil && (s.explode || d == "," || !holdsByte(v, d[0]))
}

// deepExpressible is expressible for values nested in brackets.
func deepExpressible(v any) (w any, changed, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, false, false
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			inner, innerChanged, ok := deepExpressible(item)
			if !ok {
				return nil, false, false
			}
			items[i], changed = inner, changed || innerChanged
		}
		return items, changed, len(v) > 0
	case map[string]any:
		o := make(map[string]any, len(v))
		for name, member := range v {
			inner, innerChanged, ok := deepExpressible(member)
			if ok && (name == "" || strings.ContainsAny(name, "[]")) {
				return nil, false, false // it would be taken for brackets
			}
			if ok {
				o[name] = inner
			}
			changed = changed || innerChanged || !ok
		}
		return o, changed, len(o) > 0
	}
	return v, false, true
}

// without is the object without the members to be dropped, the object itself where there are none.
func without(o map[string]any, drop func(any) bool) (rest map[string]any, changed bool) {
	for _, w := range o {
		changed = changed || drop(w)
	}
	if !changed {
		return o, false
	}
	rest = make(map[string]any, len(o))
	for name, w := range o {
		if !drop(w) {
			rest[name] = w
		}
	}
	return rest, true
}

func isNull(v any) bool { return v == nil }

// isNothing says whether v is null, or a list of nothing.
func isNothing(v any) bool {
	list, isList := v.([]any)
	return v == nil || isList && len(list) == 0
}

// appendPath appends a path parameter's value (RFC 6570 §3.2.2, §3.2.5, §3.2.7). It says whether there is anything that
// can be told apart again.
func (p *parameter) appendPath(dst []byte, v any) ([]byte, bool) {
	start := len(dst)
	if p.content != nil {
		return p.appendContent(dst, v, &unreserved)
	}
	escaping := &unreserved
	if p.style.reserved {
		escaping = &reservedInPath
	}
	switch p.style.name {
	case "label":
		dst = append(dst, '.')
		start++
		if !p.style.explode {
			dst = appendJoined(dst, v, joining{",", ",", escaping})
			break
		}
		if holdsByte(v, '.') { // which is never escaped
			return dst, false
		}
		dst = appendJoined(dst, v, joining{".", "=", escaping})
	case "matrix":
		dst = append(dst, ';')
		if o, ok := v.(map[string]any); ok && p.style.explode {
			// ;r=1;g=2: the names of the members stand in for the parameter's.
			return appendJoined(dst, o, joining{";", "=", escaping}), len(o) > 0
		}
		items, isList := v.([]any)
		if !isList || !p.style.explode {
			items = []any{v}
		}
		for i, item := range items {
			if i > 0 {
				dst = append(dst, ';')
			}
			dst = append(append(dst, p.escapedName...), '=')
			start = len(dst)
			dst = appendJoined(dst, item, joining{",", ",", escaping})
		}
	default: // simple
		dst = appendJoined(dst, v, p.style.joining(",", escaping))
	}
	return dst, len(dst) > start
}

// appendContent appends a value that is written in a media type, percent-encoded.
func (p *parameter) appendContent(dst []byte, v any, escaping *allowed) ([]byte, bool) {
	text, _, ok := p.content.encode(nil, v)
	return escape(dst, string(text), escaping), ok
}

// appendQuery appends a query parameter's pairs to a query.
func (p *parameter) appendQuery(dst []byte, v any) ([]byte, bool) {
	if p.content != nil {
		return p.appendContent(append(append(dst, p.escapedName...), '='), v, &unreserved)
	}
	return p.style.appendPairs(dst, p.escapedName, v), true
}

// appendWholeQuery appends what is the whole query: a form as it is, anything else percent-encoded.
func (p *parameter) appendWholeQuery(dst []byte, v any) ([]byte, bool) {
	if p.content.kind != formKind {
		return p.appendContent(dst, v, &unreserved)
	}
	text, _, ok := p.content.encode(nil, v)
	return append(dst, text...), ok
}

// appendPairs appends the name=value pairs of a query or a form. What holds nothing is a name without a value.
func (s style) appendPairs(dst []byte, name string, v any) []byte {
	escaping, inList := &unreserved, &unreserved
	if s.reserved {
		escaping, inList = &reserved, &reservedInList
	}
	switch w := v.(type) {
	case []any:
		if s.name == "deepObject" {
			return appendDeep(dst, name, v, escaping)
		}
		if !s.explode || len(w) == 0 {
			return appendJoined(append(append(dst, name...), '='), v, joining{s.delimiter(), s.delimiter(), inList})
		}
		for i, item := range w {
			if i > 0 {
				dst = append(dst, '&')
			}
			dst = escape(append(append(dst, name...), '='), plainText(item), escaping)
		}
		return dst
	case map[string]any:
		if s.name == "deepObject" {
			return appendDeep(dst, name, v, escaping)
		}
		if s.explode && len(w) > 0 {
			return appendJoined(dst, v, joining{"&", "=", escaping})
		}
		return appendJoined(append(append(dst, name...), '='), v, joining{s.delimiter(), s.delimiter(), inList})
	default:
		return escape(append(append(dst, name...), '='), plainText(v), escaping)
	}
}

// delimiter stands between the items of a list that is one value, as it goes into a query.
func (s style) delimiter() string {
	switch s.name {
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

// plainDelimiter is the delimiter before any escaping.
func (s style) plainDelimiter() string {
	switch s.name {
	case "spaceDelimited":
		return " "
	case "pipeDelimited":
		return "|"
	case "tabDelimited":
		return "\t"
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
	case []any:
		for i, item := range v {
			pair(name+"%5B"+itoa(i)+"%5D", item)
		}
	default:
		return escape(append(append(dst, name...), '='), plainText(v), escaping)
	}
	return dst
}

// headerText is a header parameter's value, and whether it can travel: visible ASCII with single blanks inside
// (RFC 9110 §5.5), and items that no comma or blank of their own takes apart.
func (p *parameter) headerText(v any) (string, bool) {
	if p.content != nil {
		text, _, ok := p.content.encode(nil, v)
		t := string(text)
		if p.content.kind == jsonKind {
			t = asciiJSON(v)
		}
		return t, ok && travels(t)
	}
	if holdsByte(v, ',') || !itemsTravel(v, p.style.explode) {
		return "", false
	}
	t := string(appendJoined(nil, v, p.style.joining(",", &everything)))
	return t, travels(t)
}

// itemsTravel says whether no item loses blanks at its ends, which readers of lists cut off, and no name holds what
// stands behind it.
func itemsTravel(v any, explode bool) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !travels(plainText(item)) })
	case map[string]any:
		for name, w := range v {
			if !travels(name) || !travels(plainText(w)) || explode && strings.Contains(name, "=") {
				return false
			}
		}
	}
	return true
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

// appendCookie appends a cookie parameter's pairs, joined as RFC 6265 §4.2.1 joins cookies: OpenAPI's form style would
// join them with "&", which no server reads in a Cookie field. In the style cookie nothing is percent-encoded, so that a
// value with a character that a cookie cannot hold is not sent.
func (p *parameter) appendCookie(dst []byte, v any) ([]byte, bool) {
	if p.content != nil {
		return p.appendContent(append(append(dst, p.name...), '='), v, &unreserved)
	}
	escaping := &unreserved
	if p.style.name == "cookie" {
		if escaping = &everything; !fitsCookie(v, p.style.explode) {
			return dst, false
		}
	}
	switch w := v.(type) {
	case []any:
		if p.style.explode && len(w) > 0 {
			for i, item := range w {
				if i > 0 {
					dst = append(dst, "; "...)
				}
				dst = escape(append(append(dst, p.name...), '='), plainText(item), escaping)
			}
			return dst, true
		}
	case map[string]any:
		if p.style.explode && len(w) > 0 {
			return appendJoined(dst, v, joining{"; ", "=", escaping}), true
		}
	}
	return appendJoined(append(append(dst, p.name...), '='), v, joining{",", ",", escaping}), true
}

// fitsCookie says whether the value, or each item and member of it, is made of what a cookie's value holds (RFC 6265
// §4.1.1), and each name that stands for a cookie's is one.
func fitsCookie(v any, explode bool) bool {
	octets := func(v any) bool {
		return !strings.ContainsFunc(plainText(v), func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`",;\`, c) })
	}
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !octets(item) })
	case map[string]any:
		for name, w := range v {
			if !octets(w) || !octets(name) || explode && !isToken(name) {
				return false
			}
		}
		return true
	}
	return octets(v)
}
