package rechecks

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
)

// twin is the request with fresh texts in its body, for one that cannot be sent twice since what it makes has a name
// that is taken by then. The texts keep their lengths and the kinds of their characters, and the body what it claims.
// It is nil where no text can be another. Fresh are then the places of those that can be any such text.
func twin(r *messages.Request, rules Rules, n int) *messages.Request {
	if rules.Fits == nil && rules.Property == nil || n == 0 {
		return nil
	}
	body := takeApart(r, true).body
	if body == nil {
		return nil
	}
	texts := map[int]string{}
	var places []string
	for _, at := range body.nodes[0].children {
		text := &body.nodes[at]
		place := placeOf(text.name)
		if !text.isText || rules.names(r, place, text.text) {
			continue
		}
		may := func(now string) bool {
			texts[at] = now
			v, ok := decode(body.write(nil, texts))
			return ok && rules.allow(v, text.name)
		}
		if any, row := anyOf(text.text); row && may(any[0]) && may(any[1]) {
			places = append(places, place)
		}
		if !may(fresh(text.text, n)) {
			delete(texts, at)
		}
	}
	fresh := *r
	if fresh.Body = body.write(nil, texts); len(texts) == 0 || bytes.Equal(fresh.Body, r.Body) {
		return nil
	}
	fresh.Fresh = places
	return &fresh
}

// anew is the request with the nth texts where it has to have fresh ones.
func anew(r *messages.Request, n int) *messages.Request {
	if len(r.Fresh) == 0 {
		return r
	}
	return r.With(func(v messages.Value) (string, bool) { return fresh(v.Text, n), slices.Contains(r.Fresh, v.Place) })
}

// placeOf is the place of a body's property, by its name as it is spelled in JSON.
func placeOf(spelled string) string {
	var name string
	if json.Unmarshal([]byte(spelled), &name) != nil {
		return ""
	}
	return "body." + name
}

// names says whether the name of a thing stands at the place.
func (r Rules) names(request *messages.Request, place, text string) bool {
	return r.Names != nil && r.Names(place) || request.Names(messages.Value{Place: place, Text: text}) != ""
}

// anyOf are two texts like this one that are as unlike as they can be; ok is false where there is none but itself.
func anyOf(text string) (extremes [2]string, ok bool) {
	for _, p := range messages.FreshPieces(text) {
		for i := range extremes {
			if extremes[i] += p.Text; p.Row != "" {
				extremes[i] += strings.Repeat(p.Row[2*i:2*i+1], p.Length)
				ok = true
			}
		}
	}
	return extremes, ok
}

// allow says whether the body can be sent once its property of that name, as it is spelled in JSON, is another.
func (r Rules) allow(body any, spelled string) bool {
	if r.Fits != nil {
		return r.Fits(body)
	}
	var name string
	object, _ := body.(map[string]any)
	if json.Unmarshal([]byte(spelled), &name) != nil {
		return false
	}
	value, there := object[name]
	return there && r.Property(name, value)
}

// fresh is the nth text like this one: it counts on with the last letters and digits, before the @ of an address.
func fresh(text string, n int) string {
	out := []byte(text)
	end := len(out)
	if at := strings.IndexByte(text, '@'); at > 0 {
		end = at
	}
	for i := end - 1; i >= 0 && n > 0; i-- {
		first, radix := row(out[i])
		if radix == 0 {
			continue
		}
		sum := int(out[i]-first) + n
		out[i] = first + byte(sum%radix)
		n = sum / radix
	}
	return string(out)
}

// row is the first of the characters that can stand for c, and how many they are; 0 where only c can. The digits of
// hexadecimal numbers stay such.
func row(c byte) (first byte, radix int) {
	switch {
	case c >= '0' && c <= '9':
		return '0', 10
	case c >= 'a' && c <= 'f':
		return 'a', 6
	case c >= 'g' && c <= 'z':
		return 'g', 20
	case c >= 'A' && c <= 'F':
		return 'A', 6
	case c >= 'G' && c <= 'Z':
		return 'G', 20
	}
	return 0, 0
}
