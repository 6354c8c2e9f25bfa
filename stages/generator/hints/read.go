package hints

import (
	"encoding/json"
	"mime"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
)

// Read reads what a refusal asks for. Value is its body read as JSON, nil where it is none. What it gives is bounded,
// whatever the reply holds.
func Read(reply *messages.Reply, value any) []Hint {
	if reply == nil || !saysWhy(reply.Status) {
		return nil
	}
	var l list
	switch value := value.(type) {
	case nil:
		l.text(reply)
	case string:
		l.sentence("", nil, value)
	default:
		w := walk{list: &l}
		w.value(value, nil, 0)
	}
	return l.hints
}

// saysWhy says whether a reply of the status can say what was wrong with the values of a request. Those left out speak
// of who asks, of what is there, of the method or the media type, or of time.
func saysWhy(status int) bool {
	switch status {
	case 401, 403, 404, 405, 406, 407, 408, 410, 413, 415, 426, 429, 451:
		return false
	}
	return 400 <= status && status <= 499
}

// text reads a body that is not JSON. A page of HTML is for people with a browser, and says little.
func (l *list) text(reply *messages.Reply) {
	if mediaType, _, _ := mime.ParseMediaType(messages.Get(reply.Header, "Content-Type")); strings.Contains(mediaType, "html") {
		return
	}
	body := strings.TrimSpace(strings.ToValidUTF8(cut(string(reply.Body[:min(len(reply.Body), mostBody)]), mostText), ""))
	if strings.HasPrefix(body, "<") {
		return
	}
	l.sentence("", nil, body)
}

// walk goes through a body. It knows few shapes and finds the others in them: an object that names a field and says a
// message; names that lead to messages.
type walk struct {
	*list
	nodes int
}

func (w *walk) value(v any, path []string, depth int) {
	if w.nodes++; w.nodes > mostNodes || depth > mostDepth || len(w.hints) >= mostHints {
		return
	}
	switch v := v.(type) {
	case string:
		in, at := place(withoutContainers(path))
		w.sentence(in, at, v)
	case []any:
		for _, item := range v {
			w.value(item, path, depth+1)
		}
	case map[string]any:
		w.object(v, path, depth)
	}
}

// nameKeys are the members that name a field, the surest first.
var nameKeys = []string{
	"field", "fieldName", "propertyPath", "property_path", "instancePath", "dataPath", "data_path", "pointer", "loc", "param", "parameter", "parameterName",
	"property", "propertyName", "path", "attribute", "attr", "Field", "FieldName", "fieldPath", "jsonPath", "jsonPointer", "argument",
	"location", "key", "target", "source", "name", "fields", "in",
}

// messageKeys are the members that hold a message; those of an object that names no field are read as such too.
var messageKeys = []string{
	"defaultMessage", "message", "msg", "Message", "detail", "details", "description", "reason", "error", "errorMessage", "error_message", "messages",
	"errors", "issue", "title", "text", "userMessage", "developerMessage", "Error", "error_description", "info", "cause", "what", "hint",
}

// notFields are members that say something of the problem and are no field's name.
var notFields = []string{
	"status", "statusCode", "status_code", "type", "code", "timestamp", "trace", "traceId", "requestId", "request_id", "instance", "documentation_url",
	"exception", "stack", "path", "method", "id", "success", "help", "@type", "rejectedValue", "value", "input", "url", "ctx", "objectName", "bindingFailure",
	"schemaPath", "schema", "params", "keyword", "codes", "arguments", "kind", "context", "level", "data", "rule", "tag", "link", "links", "received", "expected",
}

func (w *walk) object(o map[string]any, path []string, depth int) {
	in, at, named := fieldOf(o)
	if named {
		if inside := withoutContainers(path); len(at) > 0 && len(inside) > 0 && !slices.Equal(inside, at) && isNested(o) {
			at = append(slices.Clone(inside), at...)
		}
		before := len(w.hints)
		w.structured(o, in, at)
		if len(w.hints) == before {
			for _, key := range messageKeys {
				w.messages(o[key], in, at)
			}
		}
		return
	}
	before := len(w.hints)
	in, at = place(withoutContainers(path))
	if len(at) == 1 && in == "" && places[at[0]] != "" && o["message"] != nil {
		w.messages(o["message"], places[at[0]], nil) // celebrate tells the problems of each place together
		return
	}
	w.structured(o, in, at)
	if len(w.hints) > before {
		return
	}
	for _, key := range sortedKeys(o) {
		switch v := o[key].(type) {
		case string:
			switch {
			case slices.Contains(messageKeys, key):
				w.value(v, path, depth+1)
			case slices.Contains(notFields, key):
			default:
				w.value(v, append(slices.Clone(path), names(key)...), depth+1)
			}
		case []any, map[string]any:
			isField := slices.Contains(alsoFields, key) && onlyTexts(v)
			switch {
			case slices.Contains(messageKeys, key) && !isField:
				w.value(v, path, depth+1)
			case slices.Contains(neverFields, key):
			default:
				w.value(v, append(slices.Clone(path), names(key)...), depth+1)
			}
		}
	}
}

// alsoFields are members that hold a message if they hold a text, and are a field if they hold a list of messages.
// neverFields are no fields even then.
var (
	alsoFields  = []string{"title", "text", "description", "reason", "info", "hint"}
	neverFields = []string{"stack", "trace", "codes", "arguments", "help", "exception", "@type", "stackTrace", "schemaPath", "rejectedValue", "input"}
)

func onlyTexts(v any) bool {
	items, ok := v.([]any)
	return ok && !slices.ContainsFunc(items, func(i any) bool { _, isText := i.(string); return !isText })
}

// isNested says whether the object stands below the field it speaks of, as class-validator's children do.
func isNested(o map[string]any) bool { return o["constraints"] != nil }

// messages reads what stands where messages do: one, or several.
func (w *walk) messages(v any, in string, at []string) {
	switch v := v.(type) {
	case string:
		w.sentence(in, at, v)
	case []any:
		for _, item := range v[:min(len(v), 16)] {
			if t, ok := item.(string); ok {
				w.sentence(in, at, t)
			}
		}
	}
}

// containers are names that a body wraps its problems in.
var containers = []string{
	"errors", "error", "detail", "details", "invalid-params", "invalidParams", "invalid_params", "violations", "issues", "fieldErrors", "field_errors",
	"validationErrors", "validation_errors", "validation", "messages", "message", "_errors", "problems", "modelState", "ModelState", "errorMessages",
	"fields", "properties", "non_field_errors", "invalidFields", "subErrors", "apierror", "meta", "result", "causes", "data", "children", "nested", "__all__", "base",
}

func withoutContainers(path []string) []string {
	for len(path) > 0 && slices.Contains(containers, path[0]) {
		path = path[1:]
	}
	for len(path) > 0 && (path[len(path)-1] == "_errors" || path[len(path)-1] == "errors" || path[len(path)-1] == "non_field_errors") {
		path = path[:len(path)-1]
	}
	return path
}

// fieldOf finds the field that a problem names.
func fieldOf(o map[string]any) (in string, path []string, named bool) {
	if !slices.ContainsFunc(messageKeys, func(k string) bool { return o[k] != nil }) && o["constraints"] == nil && o["code"] == nil && o["tag"] == nil && o["Tag"] == nil && o["rule"] == nil {
		return "", nil, false // names without a message are contents
	}
	for _, key := range nameKeys {
		switch v := o[key].(type) {
		case string:
			if key == "location" || key == "in" || key == "name" && o["reason"] == nil && o["message"] == nil && o["msg"] == nil && o["detail"] == nil ||
				key == "name" && (strings.HasSuffix(v, "Error") || strings.HasSuffix(v, "Exception")) {
				continue // says where, not which; or names the kind of problem
			}
			if key == "path" && strings.HasPrefix(v, "/") && (o["timestamp"] != nil || o["status"] != nil) {
				continue // the request's own
			}
			if key == "source" {
				continue
			}
			in, path = place(names(v))
			if in == "" {
				in = location(o)
			}
			if v != "" && len(path) == 0 && in == "" && key != "instancePath" && key != "dataPath" {
				continue
			}
			return in, path, true
		case []any:
			var all []string
			for _, part := range v[:min(len(v), mostDepth)] {
				switch part := part.(type) {
				case string:
					all = append(all, names(part)...)
				case json.Number: // an index
				default:
					all = nil
				}
			}
			if len(all) > 0 || key == "loc" || key == "path" && o["code"] != nil {
				if in, path = place(all); in == "" {
					in = location(o)
				}
				return in, path, true
			}
		case map[string]any:
			for _, inner := range []string{"pointer", "parameter", "header"} {
				t, ok := v[inner].(string)
				if !ok {
					continue
				}
				if inner == "pointer" {
					_, path = place(names(t))
					return "body", path, true
				}
				return map[string]string{"parameter": "query", "header": "header"}[inner], names(t), true
			}
		}
	}
	return "", nil, false
}

// location is where the field is, as far as a member says so.
func location(o map[string]any) string {
	for _, key := range []string{"location", "in"} {
		if t, ok := o[key].(string); ok {
			return places[t]
		}
	}
	return ""
}

// The words that stand for a missing field, a surplus one and a value in use, in small letters without signs.
var (
	codesOfRequired = []string{"required", "missing", "blank", "notblank", "notnull", "notempty", "anyrequired", "presence", "fieldrequired", "valueerrormissing", "missingfield", "isnotempty", "isdefined", "stringempty", "null", "empty", "parametermissing"}
	codesOfUnwanted = []string{"extraforbidden", "additionalproperties", "unknownfield", "whitelistvalidation", "objectunknown", "valueerrorextra", "unrecognizedkeys", "unknown"}
	codesOfTaken    = []string{"taken", "unique", "duplicate", "alreadyexists", "exists", "isunique", "conflict", "duplicatevalue"}
)

// structured reads the members that say in data what a message says in words: ajv's and zod's, pydantic's, Joi's, Rails'
// and the tags of Go's validator.
func (w *walk) structured(o map[string]any, in string, at []string) {
	add := func(name string, want Want) {
		path := at
		if name != "" {
			path = append(slices.Clone(at), names(name)...)
		}
		if in == "" && len(path) == 0 {
			return
		}
		w.add(Hint{In: in, Path: path, Want: want})
	}
	before := len(w.hints)
	if c, ok := o["constraints"].(map[string]any); ok { // class-validator
		for _, key := range sortedKeys(c) {
			before := len(w.hints)
			w.messages(c[key], in, at)
			if t := formatNamed(key); t != "" && len(w.hints) == before {
				add("", Want{Kind: Formatted, Text: t})
			}
		}
	}
	for _, key := range []string{"params", "ctx", "context", "args", "arguments", "options", "attributes", "info"} {
		if p, ok := o[key].(map[string]any); ok {
			w.parameters(p, text(o, "keyword")+text(o, "type")+text(o, "code"), add)
		}
	}
	w.parameters(o, text(o, "type")+text(o, "code"), add)
	if len(w.hints) > before {
		return
	}
	code := ""
	for _, key := range []string{"tag", "Tag", "rule", "constraint", "validator", "kind", "keyword", "type", "code", "error"} {
		if code = text(o, key); code != "" && len(code) <= longestName {
			if done := w.code(code, firstText(o, "param", "Param", "value_expected"), add); done {
				return
			}
		}
	}
}

// parameters reads bounds and lists by their names.
func (w *walk) parameters(p map[string]any, code string, add func(string, Want)) {
	small := strings.ToLower(code)
	for _, key := range []string{"missingProperty", "missing_property"} {
		if name := text(p, key); name != "" {
			add(name, Want{Kind: Required})
		}
	}
	for _, key := range []string{"additionalProperty", "additional_property", "unevaluatedProperty"} {
		if name := text(p, key); name != "" {
			add(name, Want{Kind: Unwanted})
		}
	}
	if keys, ok := p["keys"].([]any); ok && strings.Contains(small, "unrecognized") {
		for _, k := range keys[:min(len(keys), 16)] {
			if name, ok := k.(string); ok {
				add(name, Want{Kind: Unwanted})
			}
		}
	}
	for _, key := range []string{"allowedValues", "allowed_values", "options", "valids", "enum_values", "permitted", "allowed", "values", "enum"} {
		if listed := scalars(p[key]); len(listed) > 0 {
			add("", Want{Kind: OneOf, Values: listed})
		}
	}
	size := func(number, text, items Kind) Kind {
		switch about := strings.ToLower(code + textOf(p["type"]) + textOf(p["origin"])); {
		case strings.Contains(about, "string"), strings.Contains(about, "length"):
			return text
		case strings.Contains(about, "array"), strings.Contains(about, "items"), strings.Contains(about, "list"), strings.Contains(about, "set"):
			return items
		}
		return number
	}
	exclusive := p["inclusive"] == false
	for _, b := range []struct {
		key  string
		kind Kind
	}{
		{"ge", AtLeast},
		{"gt", MoreThan},
		{"le", AtMost},
		{"lt", LessThan},
		{"min_length", NoShorter},
		{"max_length", NoLonger},
		{"limit_value", -1},
		{"minimum", size(AtLeast, NoShorter, NoFewer)},
		{"maximum", size(AtMost, NoLonger, NoMore)},
	} {
		bound := textOf(p[b.key])
		if !isNumber(bound) {
			continue
		}
		switch {
		case b.kind == -1 && (strings.Contains(small, "min_length") || strings.Contains(small, "min_items")):
			b.kind = size(NoShorter, NoShorter, NoFewer)
		case b.kind == -1 && (strings.Contains(small, "max_length") || strings.Contains(small, "max_items")):
			b.kind = size(NoLonger, NoLonger, NoMore)
		case b.kind == -1 && strings.Contains(small, "not_ge"):
			b.kind = AtLeast
		case b.kind == -1 && strings.Contains(small, "not_le"):
			b.kind = AtMost
		case b.kind == -1:
			continue
		case exclusive && b.kind == AtLeast:
			b.kind = MoreThan
		case exclusive && b.kind == AtMost:
			b.kind = LessThan
		}
		if (b.kind == NoShorter || b.kind == NoLonger) && strings.Contains(small, "too_") && !strings.Contains(small, "string") && p["min_length"] != nil {
			b.kind = NoFewer // pydantic names the length of a list so, too
		}
		add("", Want{Kind: b.kind, Bound: bound})
	}
	if limit := textOf(p["limit"]); isNumber(limit) {
		switch {
		case strings.Contains(small, "minlength"), strings.Contains(small, "string.min"):
			add("", Want{Kind: NoShorter, Bound: limit})
		case strings.Contains(small, "maxlength"), strings.Contains(small, "string.max"):
			add("", Want{Kind: NoLonger, Bound: limit})
		case strings.Contains(small, "minitems"), strings.Contains(small, "array.min"):
			add("", Want{Kind: NoFewer, Bound: limit})
		case strings.Contains(small, "maxitems"), strings.Contains(small, "array.max"):
			add("", Want{Kind: NoMore, Bound: limit})
		case strings.Contains(small, "exclusivemin"), strings.Contains(small, "number.greater"), text(p, "comparison") == ">":
			add("", Want{Kind: MoreThan, Bound: limit})
		case strings.Contains(small, "exclusivemax"), strings.Contains(small, "number.less"), text(p, "comparison") == "<":
			add("", Want{Kind: LessThan, Bound: limit})
		case strings.Contains(small, "minimum"), strings.Contains(small, "number.min"):
			add("", Want{Kind: AtLeast, Bound: limit})
		case strings.Contains(small, "maximum"), strings.Contains(small, "number.max"):
			add("", Want{Kind: AtMost, Bound: limit})
		}
	}
	for _, key := range []string{"pattern", "regexp", "regex"} {
		if t := text(p, key); t != "" && len(t) <= longestRule {
			add("", Want{Kind: Matching, Text: strings.TrimSuffix(strings.TrimPrefix(t, "/"), "/")})
		}
	}
	for _, key := range []string{"format", "validation"} {
		if f := formatNamed(text(p, key)); f != "" {
			add("", Want{Kind: Formatted, Text: f})
		}
	}
}

// code reads a word that stands for a message, with the parameter that Go's validator has beside it.
func (w *walk) code(code, param string, add func(string, Want)) bool {
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(code))
	switch {
	case slices.Contains(codesOfRequired, plain):
		add("", Want{Kind: Required})
	case slices.Contains(codesOfUnwanted, plain):
		add("", Want{Kind: Unwanted})
	case slices.Contains(codesOfTaken, plain):
		add("", Want{Kind: Taken})
	case plain == "oneof" && param != "":
		listed := strings.Fields(param)
		add("", Want{Kind: OneOf, Values: listed[:min(len(listed), mostValues)]})
	case (plain == "gte" || plain == "min") && isNumber(param):
		add("", Want{Kind: AtLeast, Bound: param})
		add("", Want{Kind: NoShorter, Bound: param})
	case (plain == "lte" || plain == "max") && isNumber(param):
		add("", Want{Kind: AtMost, Bound: param})
		add("", Want{Kind: NoLonger, Bound: param})
	case plain == "gt" && isNumber(param):
		add("", Want{Kind: MoreThan, Bound: param})
	case plain == "lt" && isNumber(param):
		add("", Want{Kind: LessThan, Bound: param})
	case plain == "len" && isNumber(param):
		add("", Want{Kind: NoShorter, Bound: param})
		add("", Want{Kind: NoLonger, Bound: param})
	default:
		f := formatNamed(code)
		if f == "" || strings.Contains(code, "://") || strings.Contains(code, " ") {
			return false
		}
		add("", Want{Kind: Formatted, Text: f})
	}
	return true
}

func text(o map[string]any, key string) string {
	t, _ := o[key].(string)
	return t
}

func firstText(o map[string]any, keys ...string) string {
	for _, key := range keys {
		if t := textOf(o[key]); t != "" {
			return t
		}
	}
	return ""
}

// textOf is a text or a number as text.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return string(v)
	}
	return ""
}

// scalars are the texts, numbers and truth values of a list.
func scalars(v any) []string {
	items, _ := v.([]any)
	var found []string
	for _, item := range items[:min(len(items), mostValues)] {
		t := textOf(item)
		if b, ok := item.(bool); ok {
			t = map[bool]string{true: "true", false: "false"}[b]
		}
		if t != "" && len(t) <= longestWord {
			found = append(found, t)
		}
	}
	return found
}

func sortedKeys(o map[string]any) []string {
	keys := make([]string, 0, min(len(o), mostNodes))
	for key := range o {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
