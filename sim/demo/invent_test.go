package demo

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/restest/restest/messages"
)

// inventor makes requests that fit the document, as a tester would: it knows the document, and the ids that replies gave.
type inventor struct {
	random     *rand.Rand
	operations []invented
	known      map[string][]string
}

type invented struct {
	id, method, path string
	parameters       []any
	mediaType        string
	body             map[string]any
}

func newInventor(t testing.TB, seed uint64) *inventor {
	t.Helper()
	p := readPaper(t)
	v := &inventor{random: rand.New(rand.NewPCG(seed, 1)), known: map[string][]string{}}
	for id, pointer := range p.pointers {
		at := strings.LastIndex(pointer, "/")
		path := strings.ReplaceAll(strings.TrimPrefix(pointer[:at], "/paths/"), "~1", "/")
		op := invented{id: id, method: strings.ToUpper(pointer[at+1:]), path: path}
		own, _ := p.at(pointer)["parameters"].([]any)
		shared, _ := p.at(pointer[:at])["parameters"].([]any)
		op.parameters = slices.Concat(own, shared)
		content, _ := p.at(pointer + "/requestBody")["content"].(map[string]any)
		for mediaType, media := range content {
			op.mediaType, op.body = mediaType, media.(map[string]any)["schema"].(map[string]any)
		}
		v.operations = append(v.operations, op)
	}
	slices.SortFunc(v.operations, func(x, y invented) int { return strings.Compare(x.id, y.id) })
	return v
}

func (v *inventor) chance(p float64) bool { return v.random.Float64() < p }

// request makes a request of the nth operation, in turn.
func (v *inventor) request(n int) (string, Request) {
	op := v.operations[n%len(v.operations)]
	request := Request{Method: op.method}
	path, query := op.path, url.Values{}
	var cookies []string
	for _, p := range op.parameters {
		p := p.(map[string]any)
		name, in := p["name"].(string), p["in"]
		if p["required"] != true && !v.chance(0.3) {
			continue
		}
		value := v.value(p["schema"].(map[string]any))
		if example, ok := p["example"]; ok && v.chance(0.25) {
			value = example
		}
		items, isArray := value.([]any)
		switch {
		case in == "path":
			text := fmt.Sprint(value)
			if known := v.known[name]; len(known) > 0 && v.chance(0.5) {
				text = known[v.random.IntN(len(known))]
			}
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(text))
		case in == "header":
			request.Header = append(request.Header, messages.Field{Name: name, Value: fmt.Sprint(value)})
		case in == "cookie":
			cookies = append(cookies, name+"="+fmt.Sprint(value))
		case isArray && p["explode"] == false:
			texts := make([]string, len(items))
			for i, item := range items {
				texts[i] = fmt.Sprint(item)
			}
			query.Set(name, strings.Join(texts, ","))
		case isArray:
			for _, item := range items {
				query.Add(name, fmt.Sprint(item))
			}
		default:
			query.Set(name, fmt.Sprint(value))
		}
	}
	if cookies != nil {
		request.Header = append(request.Header, messages.Field{Name: "Cookie", Value: strings.Join(cookies, "; ")})
	}
	request.Target = "/v1" + path
	if len(query) > 0 {
		request.Target += "?" + query.Encode()
	}
	if op.body != nil {
		request.Header = append(request.Header, messages.Field{Name: "Content-Type", Value: op.mediaType})
		request.Body = v.content(op)
	}
	return op.id, request
}

func (v *inventor) content(op invented) []byte {
	value := v.value(op.body)
	if op.mediaType != "application/x-www-form-urlencoded" {
		text, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		return text
	}
	form := url.Values{}
	for name, property := range value.(map[string]any) {
		if items, ok := property.([]any); ok {
			for _, item := range items {
				form.Add(name, fmt.Sprint(item))
			}
			continue
		}
		form.Set(name, fmt.Sprint(property))
	}
	return []byte(form.Encode())
}

// learn keeps the ids in the reply to a request that made something.
func (v *inventor) learn(operation string, h heard) {
	name := map[string]string{"addBook": "bookId", "addReview": "reviewId", "signUp": "memberId", "placeOrder": "orderId"}[operation]
	if name == "" || h.status != 201 {
		return
	}
	var made struct{ ID json.Number }
	if json.Unmarshal(h.body, &made) == nil && made.ID != "" {
		v.known[name] = append(v.known[name], made.ID.String())
		v.known[name] = v.known[name][max(0, len(v.known[name])-20):]
	}
}

// patterned are texts for the patterns of the document.
var patterned = map[string][]string{
	`^97[89]-[0-9]{10}$`: {"978-0123456789"}, `^[0-9a-f]+$`: {"00c0ffee", "00c0ffee00c0ffee00"}, `^[a-z0-9]{6,12}$`: {"abc123", "123abc"},
}

func (v *inventor) value(schema map[string]any) any {
	if example, ok := schema["example"]; ok && v.chance(0.25) {
		return example
	}
	if schema["nullable"] == true && v.chance(0.2) {
		return nil
	}
	if enum, ok := schema["enum"].([]any); ok {
		return enum[v.random.IntN(len(enum))]
	}
	bound := func(name string, otherwise int) int {
		if number, ok := schema[name].(json.Number); ok {
			n, _ := number.Int64()
			return int(n)
		}
		return otherwise
	}
	switch schema["type"] {
	case "integer":
		low, high := bound("minimum", 0), bound("maximum", 150)
		if v.chance(0.05) && high > 150 {
			return high
		}
		return low + v.random.IntN(high-low+1)
	case "number":
		return float64(v.random.IntN(bound("maximum", 1)*100)) / 100
	case "boolean":
		return v.chance(0.5)
	case "array":
		low, high := bound("minItems", 0), bound("maxItems", 3)
		items := make([]any, low+v.random.IntN(high-low+1))
		for i := range items {
			items[i] = v.value(schema["items"].(map[string]any))
		}
		return items
	case "object":
		object := map[string]any{}
		required, _ := schema["required"].([]any)
		properties := schema["properties"].(map[string]any)
		names := make([]string, 0, len(properties))
		for name := range properties {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			property := properties[name].(map[string]any)
			if property["readOnly"] != true && (slices.Contains(required, any(name)) || v.chance(0.8)) {
				object[name] = v.value(property)
			}
		}
		return object
	}
	if pattern, ok := schema["pattern"].(string); ok && patterned[pattern] != nil {
		return patterned[pattern][v.random.IntN(len(patterned[pattern]))]
	}
	switch schema["format"] {
	case "email":
		return fmt.Sprintf("u%d@%sexample.org", v.random.IntN(1_000_000), strings.Repeat("shop.", v.random.IntN(5)))
	case "uuid":
		return fmt.Sprintf("%08x-0000-4000-8000-%012x", v.random.Uint32(), v.random.Uint32())
	case "date":
		return fmt.Sprintf("%d-%02d-%02d", 1990+v.random.IntN(40), 1+v.random.IntN(12), 1+v.random.IntN(28))
	}
	low, high := bound("minLength", 0), bound("maxLength", 64)
	letters := []rune("abc xyzÄ語😀")
	text := make([]rune, low+v.random.IntN(high-low+1))
	for i := range text {
		text[i] = letters[v.random.IntN(len(letters))]
	}
	return string(text)
}
