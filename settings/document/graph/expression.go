package graph

import (
	"encoding/json"
	"strings"

	"github.com/restest/restest/settings/document"
)

// Exchange is what a runtime expression can speak of.
type Exchange struct {
	Method, URL string
	Status      string
	// Request and Response give header fields, query parameters and, of the request, path parameters, by their names.
	Path, Query, RequestHeader, ResponseHeader func(name string) (string, bool)
	// RequestBody and ResponseBody are the bodies read as JSON, nil where they are not.
	RequestBody, ResponseBody any
}

// IsExpression says whether the text is a runtime expression, or has one in it (OpenAPI 3.1 §4.8.20.4).
func IsExpression(text string) bool {
	return strings.HasPrefix(text, "$") || strings.Contains(text, "{$")
}

// Evaluate is what a value of a link stands for: itself where it is no expression. ok is false where the exchange does
// not have what it speaks of.
func Evaluate(value any, e *Exchange) (v any, ok bool) {
	text, isText := value.(string)
	switch {
	case !isText:
		return value, true
	case strings.HasPrefix(text, "$"):
		return e.evaluate(text)
	case !strings.Contains(text, "{$"):
		return text, true
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{$")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		expression, after, closed := strings.Cut(rest, "}")
		part, ok := e.evaluate("$" + expression)
		if !closed || !ok {
			return nil, false
		}
		switch part := part.(type) {
		case string:
			b.WriteString(part)
		case json.Number:
			b.WriteString(part.String())
		default:
			return nil, false
		}
		text = after
	}
}

func (e *Exchange) evaluate(expression string) (any, bool) {
	switch expression {
	case "$url":
		return e.URL, true
	case "$method":
		return e.Method, true
	case "$statusCode":
		return e.Status, true
	}
	side, source, _ := strings.Cut(strings.TrimPrefix(expression, "$"), ".")
	body, header := e.RequestBody, e.RequestHeader
	switch side {
	case "request":
	case "response":
		body, header = e.ResponseBody, e.ResponseHeader
	default:
		return nil, false
	}
	if rest, ok := strings.CutPrefix(source, "body"); ok {
		if pointer, ok := strings.CutPrefix(rest, "#"); ok {
			return At(body, pointer)
		}
		return body, rest == "" && body != nil
	}
	place, name, _ := strings.Cut(source, ".")
	look := map[string]func(string) (string, bool){"header": header}[place]
	if side == "request" {
		switch place {
		case "path":
			look = e.Path
		case "query":
			look = e.Query
		}
	}
	if look == nil {
		return nil, false
	}
	return orNone(look(name))
}

func orNone(text string, ok bool) (any, bool) { return text, ok }

// At is the value that a JSON pointer leads to (RFC 6901).
func At(v any, pointer string) (any, bool) {
	if pointer == "" {
		return v, v != nil
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch within := v.(type) {
		case map[string]any:
			next, there := within[token]
			if !there {
				return nil, false
			}
			v = next
		case []any:
			i, ok := index(token)
			if !ok || i >= len(within) {
				return nil, false
			}
			v = within[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// index reads the number of a list's item; no list that is read is longer than a million.
func index(token string) (int, bool) {
	if token == "" || len(token) > 6 || len(token) > 1 && token[0] == '0' {
		return 0, false
	}
	i := 0
	for _, c := range token {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = 10*i + int(c-'0')
	}
	return i, true
}

// LinksFor are the links of the operation's reply with that status: the exact code's, else the range's, else the default's.
func LinksFor(op *document.Operation, status int) []*document.Link {
	code := string([]byte{byte('0' + status/100%10), byte('0' + status/10%10), byte('0' + status%10)})
	for _, want := range []string{code, code[:1] + "XX", "default"} {
		for _, r := range op.Responses {
			if r.Code == want {
				return r.Links
			}
		}
	}
	return nil
}
