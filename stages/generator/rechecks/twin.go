package rechecks

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/restest/restest/messages"
)

// twin is the request with fresh texts in its body, for one that cannot be sent twice since what it makes has a name
// that is taken by then. The texts keep their lengths and the kinds of their characters, and the body what it claims.
// It is nil where no text can be another.
func twin(r *messages.Request, rules Rules, n int) *messages.Request {
	if rules.Fits == nil && rules.Property == nil || n == 0 {
		return nil
	}
	body := takeApart(r, true).body
	if body == nil {
		return nil
	}
	texts := map[int]string{}
	for _, at := range body.nodes[0].children {
		if !body.nodes[at].isText {
			continue
		}
		texts[at] = fresh(body.nodes[at].text, n)
		if v, ok := decode(body.write(nil, texts)); !ok || !rules.allow(v, body.nodes[at].name) {
			delete(texts, at)
		}
	}
	fresh := *r
	if fresh.Body = body.write(nil, texts); len(texts) == 0 || bytes.Equal(fresh.Body, r.Body) {
		return nil
	}
	return &fresh
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
