package quota

import "strings"

// item is a member of a structured field's list (RFC 9651 §3.1), or of a dictionary, which has a key.
type item struct {
	key    string
	value  string
	params map[string]string
}

const (
	// mostItems and mostParams bound what is read of one field.
	mostItems  = 32
	mostParams = 16
)

// parseList reads a list of items with parameters, or a dictionary of such. It takes more than the RFC lets through:
// names without quotes, which servers write; what a value means is judged by who needs it.
func parseList(text string) ([]item, bool) {
	p := parser{text}
	var list []item
	for p.space(); p.rest != ""; p.space() {
		if len(list) > 0 && !p.take(',') {
			return nil, false
		}
		p.space()
		it, ok := p.item()
		if !ok || len(list) == mostItems {
			return nil, false
		}
		list = append(list, it)
	}
	return list, true
}

type parser struct{ rest string }

func (p *parser) space() { p.rest = strings.TrimLeft(p.rest, " \t") }

func (p *parser) take(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *parser) item() (it item, ok bool) {
	if it.value, ok = p.bare(); !ok {
		return it, false
	}
	if p.take('=') {
		it.key = strings.ToLower(it.value)
		if it.value, ok = p.bare(); !ok {
			return it, false
		}
	}
	it.params = map[string]string{}
	for {
		p.space()
		if !p.take(';') {
			return it, true
		}
		p.space()
		key, ok := p.word()
		if !ok || len(it.params) == mostParams {
			return it, false
		}
		value := "?1"
		if p.take('=') {
			if value, ok = p.bare(); !ok {
				return it, false
			}
		}
		it.params[strings.ToLower(key)] = value
	}
}

// bare reads a string in quotes, a byte sequence, a number or a word.
func (p *parser) bare() (string, bool) {
	switch {
	case p.take('"'):
		var b strings.Builder
		for p.rest != "" {
			c := p.rest[0]
			p.rest = p.rest[1:]
			switch {
			case c == '"':
				return b.String(), true
			case c == '\\' && p.rest != "":
				b.WriteByte(p.rest[0])
				p.rest = p.rest[1:]
			default:
				b.WriteByte(c)
			}
		}
		return "", false
	case p.take(':'):
		value, rest, ended := strings.Cut(p.rest, ":")
		p.rest = rest
		return value, ended
	}
	return p.word()
}

// word reads up to what ends a number, a word or a key.
func (p *parser) word() (string, bool) {
	end := strings.IndexAny(p.rest, ",;=\" \t")
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word, word != ""
}
