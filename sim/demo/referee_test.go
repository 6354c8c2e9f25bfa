package demo

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// paper is the document as plain JSON, with each reference replaced by what it refers to.
type paper struct {
	root     map[string]any
	pointers map[string]string // an operation's place by its id
}

func readPaper(t testing.TB) paper {
	t.Helper()
	resolved, err := resolve(Document())
	if err != nil {
		t.Fatal(err)
	}
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(resolved))
	if err != nil {
		t.Fatal(err)
	}
	p := paper{root.(map[string]any), map[string]string{}}
	for path, item := range p.at("/paths") {
		for method, op := range item.(map[string]any) {
			if op, ok := op.(map[string]any); ok {
				p.pointers[op["operationId"].(string)] = "/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + method
			}
		}
	}
	return p
}

// at is the object at a JSON pointer of the document, nil if there is none.
func (p paper) at(pointer string) map[string]any {
	var node any = p.root
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		at, _ := node.(map[string]any)
		node = at[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	object, _ := node.(map[string]any)
	return object
}

// referee says which faults of the catalogue a reply shows, by the document alone. It shares nothing with what the
// API reads requests by but the resolving of references.
type referee struct {
	paper
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
	// The project's own reader and judge have to come to the same result.
	document *document.Document
	judge    *document.Judge
}

func newReferee(t testing.TB) *referee {
	t.Helper()
	doc := loadDocument(t)
	r := &referee{readPaper(t), jsonschema.NewCompiler(), map[string]*jsonschema.Schema{}, doc, document.NewJudge(doc)}
	asReply(r.root)
	r.compiler.AssertFormat()
	if err := r.compiler.AddResource("demo.json", r.root); err != nil {
		t.Fatal(err)
	}
	return r
}

// asReply turns the schemas of OpenAPI 3.0 into those of JSON Schema that replies have to fit.
func asReply(node any) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			asReply(child)
		}
	case map[string]any:
		for _, child := range node {
			asReply(child)
		}
		if node["nullable"] == true {
			node["type"] = []any{node["type"], "null"}
		}
		properties, _ := node["properties"].(map[string]any)
		required, _ := node["required"].([]any)
		if properties != nil && required != nil {
			node["required"] = slices.DeleteFunc(slices.Clone(required), func(name any) bool {
				property, _ := properties[name.(string)].(map[string]any)
				return property["writeOnly"] == true
			})
		}
	}
}

// heard is a reply as a client of net/http reads it.
type heard struct {
	status  int
	header  http.Header
	body    []byte // with its content coding taken off
	brokeIn error
	early   int
	close   bool
}

// hear reads a reply from the bytes on the wire.
func hear(t testing.TB, wire []byte, method string) heard {
	t.Helper()
	in := bufio.NewReader(bytes.NewReader(wire))
	var h heard
	for {
		response, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			t.Fatalf("the reply cannot be read: %v\n%s", err, wire)
		}
		if response.StatusCode < 200 {
			h.early++
			continue
		}
		h.status, h.header, h.close = response.StatusCode, response.Header, response.Close
		h.body, h.brokeIn = io.ReadAll(response.Body)
		break
	}
	if h.header.Get("Content-Encoding") == "gzip" && h.brokeIn == nil {
		unzip, err := gzip.NewReader(bytes.NewReader(h.body))
		if err != nil {
			t.Fatal(err)
		}
		if h.body, err = io.ReadAll(unzip); err != nil {
			t.Fatal(err)
		}
	}
	if rest, _ := io.ReadAll(in); h.brokeIn == nil && len(rest) > 0 {
		t.Fatalf("bytes after the reply: %q", rest)
	}
	return h
}

// codes are the faults that the reply to a request which fits the document shows alone, and in words why.
func (r *referee) codes(t testing.TB, operation string, request Request, h heard) (codes []int, why string) {
	t.Helper()
	if h.brokeIn != nil {
		return []int{922}, h.brokeIn.Error()
	}
	codes, why = r.byTheDocument(t, operation, request, h)
	slices.Sort(codes)
	return slices.Compact(codes), why
}

// byHTTP are the faults that HTTP finds in the reply (RFC 9110).
func (r *referee) byHTTP(request Request, h heard) (codes []int) {
	lacks := func(name string) bool { return h.header.Get(name) == "" }
	asked := func(name string) bool { return messages.Get(request.Header, name) != "" }
	bare := len(request.Body) == 0
	for code, broken := range map[int]bool{
		102: h.status == 201 && request.Method == "DELETE",
		103: h.status == 201 && (request.Method == "GET" || request.Method == "HEAD"),
		104: h.status == 201 && request.Method == "PATCH",
		105: h.status == 204 && !lacks("Content-Length"),
		106: h.status == 413 && bare,
		107: h.status == 415 && bare,
		108: h.status == 304 && !asked("If-None-Match") && !asked("If-Modified-Since"),
		109: h.status == 401 && lacks("WWW-Authenticate"),
		110: h.status == 405 && lacks("Allow"),
		111: h.status == 205 && len(h.body) > 0,
		112: h.status == 426 && lacks("Upgrade"),
		120: strings.Contains(h.header.Get("Location"), " ") || strings.Contains(h.header.Get("Location"), "://"),
		924: !lacks("Retry-After") && strings.Trim(h.header.Get("Retry-After"), "0123456789") != "",
	} {
		if broken {
			codes = append(codes, code)
		}
	}
	return codes
}

// byTheMeaning are the faults that the document finds in what the status means.
func (r *referee) byTheMeaning(operation string, h heard) (codes []int) {
	at := r.at(r.pointers[operation])
	responses := r.at(r.pointers[operation] + "/responses")
	path := r.pointers[operation][:strings.LastIndex(r.pointers[operation], "/")]
	if allow := h.header.Get("Allow"); allow != "" {
		for method := range r.at(path) {
			if method != "parameters" && !strings.Contains(allow, strings.ToUpper(method)) {
				codes = append(codes, 201)
			}
		}
	}
	switch {
	case h.status == 400 || h.status == 422 && !strings.Contains(operation, "Order"):
		codes = append(codes, 207)
	case h.status == 401 && at["security"] == nil && responses["401"] == nil:
		codes = append(codes, 202)
	case h.status == 403 && responses["401"] == nil:
		codes = append(codes, 203)
	case h.status == 406:
		codes = append(codes, 204)
	}
	return codes
}

// byTheHeaders are the faults that the document finds in the reply's header, which declares integers and texts there.
func byTheHeaders(response map[string]any, h heard) []int {
	headers, _ := response["headers"].(map[string]any)
	for name, header := range headers {
		header := header.(map[string]any)
		value := h.header.Get(name)
		isInteger := header["schema"].(map[string]any)["type"] == "integer"
		if value == "" && header["required"] == true || value != "" && isInteger && strings.Trim(value, "0123456789") != "" {
			return []int{923}
		}
	}
	return nil
}

func (r *referee) byTheDocument(t testing.TB, operation string, request Request, h heard) (codes []int, why string) {
	t.Helper()
	codes = append(r.byHTTP(request, h), r.byTheMeaning(operation, h)...)
	switch {
	case h.status == 500:
		codes = append(codes, 100)
	case h.status == 501:
		codes = append(codes, 205)
	case h.status > 501 && h.status < 600:
		codes = append(codes, 121)
	case h.status >= 600:
		codes = append(codes, 101)
	}
	if h.status >= 400 && (bytes.Contains(h.body, []byte("goroutine ")) || bytes.Contains(h.body, []byte("Traceback "))) {
		codes = append(codes, 309)
	}
	if h.status >= 400 && bytes.Contains(h.body, []byte("syntax error")) {
		codes = append(codes, 300)
	}
	if bytes.Contains(h.body, []byte("<script")) {
		codes = append(codes, 301)
	}
	pointer := r.pointers[operation] + "/responses"
	responses := r.at(pointer)
	code := strconv.Itoa(h.status)
	declared := slices.IndexFunc([]string{code, code[:1] + "XX", "default"}, func(key string) bool { return responses[key] != nil })
	if declared < 0 {
		return append(codes, 920), "the status is not declared"
	}
	code = []string{code, code[:1] + "XX", "default"}[declared]
	pointer += "/" + code
	codes = append(codes, byTheHeaders(r.at(pointer), h)...)
	if len(h.body) == 0 {
		return codes, ""
	}
	if len(h.header["Content-Type"]) == 0 {
		return append(codes, 921), "no Content-Type"
	}
	mediaType, _, err := mime.ParseMediaType(h.header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	content, _ := r.at(pointer)["content"].(map[string]any)
	kind, _, _ := strings.Cut(mediaType, "/")
	switch {
	case content[mediaType] != nil:
		pointer += "/content/" + strings.ReplaceAll(mediaType, "/", "~1")
	case content[kind+"/*"] != nil:
		pointer += "/content/" + kind + "~1*"
	default:
		return append(codes, 921), "the type is not declared"
	}
	if !strings.HasSuffix(mediaType, "json") {
		return codes, ""
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(h.body))
	if err != nil {
		return append(codes, 200), err.Error()
	}
	err = r.schema(t, pointer+"/schema").Validate(value)
	if faults := r.judged(t, operation, code, mediaType, value); (len(faults) > 0) != (err != nil) {
		t.Errorf("%s: %s is judged %+v by the project, %v here", operation, h.body, faults, err)
	}
	if err != nil {
		return append(codes, 200), err.Error()
	}
	return codes, ""
}

// judged is what the project's judge says of a reply's value.
func (r *referee) judged(t testing.TB, operation, code, mediaType string, value any) []document.Fault {
	t.Helper()
	for _, op := range r.document.Operations {
		for _, response := range op.Responses {
			for _, media := range response.Media {
				if op.ID == operation && response.Code == code && media.Type == mediaType {
					faults, err := r.judge.Judge(media.Schema, document.InReply, value)
					if err != nil {
						t.Fatal(err)
					}
					return faults
				}
			}
		}
	}
	t.Fatalf("the project reads no schema for %s %s %s", operation, code, mediaType)
	return nil
}

// loadDocument reads the document as a run does, from an address.
func loadDocument(t testing.TB) *document.Document {
	t.Helper()
	doc, err := document.Load(t.Context(), "http://127.0.0.1:8080/openapi.json", document.Options{
		Read: func(context.Context, string) ([]byte, error) { return Document(), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func (r *referee) schema(t testing.TB, pointer string) *jsonschema.Schema {
	t.Helper()
	if r.compiled[pointer] == nil {
		compiled, err := r.compiler.Compile("demo.json#" + pointer)
		if err != nil {
			t.Fatal(err)
		}
		r.compiled[pointer] = compiled
	}
	return r.compiled[pointer]
}

// read is a reply's JSON.
func (h heard) read(t testing.TB) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(h.body))
	decoder.UseNumber()
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v in %q", err, h.body)
	}
	return value
}
