package messages

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Named is a place of a request where the name of a thing stands that another request made.
type Named struct {
	// Place is the value's, as Value has it; Address is the path of the thing, which ends with its name.
	Place, Address string
}

// NameOf is the name that an address ends with.
func NameOf(address string) string {
	name := address[strings.LastIndexByte(address, '/')+1:]
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}

// Value is a text or a number in the query, the header or the content of a request.
type Value struct {
	// Place is such as "query.book", "header.X-Book" or "body.lines[].book": the items of a list are not told apart.
	Place string
	// Text is what it means; it is written from From up to To of its part.
	Text     string
	From, To int
	Part     Part
	// Field is the field that it is the value of, in a header.
	Field int
	// Form is how it is written there.
	Form Form
}

// Part is a part of a request that values stand in.
type Part int

// The parts.
const (
	InTarget Part = iota
	InHeader
	InBody
)

// Form is how a value is written.
type Form int

// The forms.
const (
	Plain      Form = iota
	Percent         // percent-encoded, as in a query
	JSONText        // between quotes
	JSONNumber      // as a number
)

// longestWithValues is how long a body, in bytes, may be for values to be looked for in it, and mostNestedValues how deep.
const (
	longestWithValues = 64 << 10
	mostNestedValues  = 100
)

// HoldsJSON says whether the request's content is meant to be JSON.
func (r *Request) HoldsJSON() bool {
	essence := r.essence()
	return essence == "application/json" || strings.HasSuffix(essence, "+json")
}

func (r *Request) essence() string {
	essence, _, _ := strings.Cut(strings.ToLower(Get(r.Header, "Content-Type")), ";")
	return strings.TrimSpace(essence)
}

// Values are those of the request's query, header and content, in the order they stand there. A content is read that is JSON
// or a form, and not too long.
func (r *Request) Values() []Value {
	var values []Value
	if at := strings.IndexByte(r.Target, '?'); at >= 0 {
		values = pairs(values, "query.", r.Target[at+1:], at+1, InTarget)
	}
	for i, f := range r.Header {
		values = append(values, Value{Place: "header." + f.Name, Text: f.Value, To: len(f.Value), Part: InHeader, Field: i})
	}
	switch {
	case len(r.Body) == 0 || len(r.Body) > longestWithValues:
	case r.HoldsJSON() && json.Valid(r.Body):
		w := walk{decoder: json.NewDecoder(bytes.NewReader(r.Body)), body: r.Body, values: values}
		w.decoder.UseNumber()
		w.value("body", 0)
		values = w.values
	case r.essence() == "application/x-www-form-urlencoded":
		values = pairs(values, "body.", string(r.Body), 0, InBody)
	}
	return values
}

// pairs adds the values of a query, or of what is written like one, that begins at a place of its part.
func pairs(values []Value, in, query string, at int, part Part) []Value {
	for pair := range strings.SplitSeq(query, "&") {
		name, value, has := strings.Cut(pair, "=")
		plainName, err := url.QueryUnescape(name)
		text, err2 := url.QueryUnescape(value)
		if has && err == nil && err2 == nil {
			from := at + len(name) + 1
			values = append(values, Value{Place: in + plainName, Text: text, From: from, To: from + len(value), Part: part, Form: Percent})
		}
		at += len(pair) + 1
	}
	return values
}

// walk goes through a JSON text.
type walk struct {
	decoder *json.Decoder
	body    []byte
	values  []Value
}

// value reads the next value; it says whether the walk goes on.
func (w *walk) value(place string, level int) bool {
	from := int(w.decoder.InputOffset())
	token, err := w.decoder.Token()
	if err != nil || level > mostNestedValues {
		return false
	}
	to := int(w.decoder.InputOffset())
	for from < to && strings.IndexByte(" \t\r\n:,", w.body[from]) >= 0 {
		from++
	}
	switch token := token.(type) {
	case string:
		w.values = append(w.values, Value{Place: place, Text: token, From: from, To: to, Part: InBody, Form: JSONText})
	case json.Number:
		w.values = append(w.values, Value{Place: place, Text: string(token), From: from, To: to, Part: InBody, Form: JSONNumber})
	case json.Delim:
		for w.decoder.More() {
			below := place + "[]"
			if token == '{' {
				name, err := w.decoder.Token()
				if err != nil {
					return false
				}
				below = place + "." + name.(string)
			}
			if !w.value(below, level+1) {
				return false
			}
		}
		_, err = w.decoder.Token()
		return err == nil
	}
	return true
}

// With is the request with other values where change gives one; it is the request itself where it gives none.
func (r *Request) With(change func(v Value) (text string, changed bool)) *Request {
	now := *r
	body := slices.Clone(r.Body)
	changed := false
	for _, v := range slices.Backward(r.Values()) { // what stands before keeps its place
		text, is := change(v)
		if !is || text == v.Text {
			continue
		}
		switch written := v.Write(text); v.Part {
		case InTarget:
			now.Target = now.Target[:v.From] + written + now.Target[v.To:]
		case InBody:
			body = slices.Replace(body, v.From, v.To, []byte(written)...)
		case InHeader:
			if strings.ContainsAny(written, "\r\n\x00") {
				continue // it would be no field
			}
			if !changed || &now.Header[0] == &r.Header[0] {
				now.Header = slices.Clone(r.Header)
			}
			now.Header[v.Field].Value = written
		}
		changed = true
	}
	if !changed {
		return r
	}
	if r.Body != nil {
		now.Body = body
	}
	return &now
}

// Write is how the text is written in the place of the value.
func (v Value) Write(text string) string {
	switch v.Form {
	case Percent:
		return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
	case JSONNumber:
		if number := json.Number(text); json.Valid([]byte(text)) {
			if _, err := number.Float64(); err == nil {
				return text
			}
		}
		fallthrough
	case JSONText:
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(text) // a string can always be encoded
		return strings.TrimSuffix(b.String(), "\n")
	}
	return text
}

// Names is the address of the thing whose name the value is, "" where it is none's.
func (r *Request) Names(v Value) string {
	for _, n := range r.Named {
		if n.Place == v.Place && NameOf(n.Address) == v.Text {
			return n.Address
		}
	}
	return ""
}

// Fresh is a piece of a text that has to be new each time: one that stays, or one of Length characters of a Row such as
// "a-z", as tr(1) writes it.
type Fresh struct {
	Text   string
	Row    string
	Length int
}

// mostFresh is how many characters of a text are new each time.
const mostFresh = 8

// FreshPieces are the pieces of a text of which another is to be made: the last letters and digits, before the @ of an
// address, are others of their kind. Where all letters are digits of hexadecimal numbers, they stay such.
func FreshPieces(text string) []Fresh {
	end := len(text)
	if at := strings.IndexByte(text, '@'); at > 0 {
		end = at
	}
	letters := map[bool]string{true: "a-f", false: "a-z"}[!strings.ContainsFunc(text[:end], func(c rune) bool {
		return c >= 'g' && c <= 'z' || c >= 'G' && c <= 'Z'
	})]
	row := func(c byte) string {
		switch {
		case c >= '0' && c <= '9':
			return "0-9"
		case c >= 'a' && c <= 'z':
			return letters
		case c >= 'A' && c <= 'Z':
			return strings.ToUpper(letters)
		}
		return ""
	}
	pieces := []Fresh{{Text: text[end:]}}
	left := mostFresh
	for i := end - 1; i >= 0; i-- {
		p := &pieces[len(pieces)-1]
		switch is := row(text[i]); {
		case left == 0 || is == "":
			if p.Row != "" {
				pieces = append(pieces, Fresh{})
				p = &pieces[len(pieces)-1]
			}
			p.Text = text[i:i+1] + p.Text
		case p.Row == is:
			p.Length++
			left--
		default:
			pieces = append(pieces, Fresh{Row: is, Length: 1})
			left--
		}
	}
	slices.Reverse(pieces)
	return slices.DeleteFunc(pieces, func(p Fresh) bool { return p.Row == "" && p.Text == "" })
}
