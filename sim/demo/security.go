package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/restest/restest/messages"
)

// StaffRoom is the API of the bookshop's staff room, where what one may see and change hangs on who one is. It is what
// security probes are tried on (decision 0025): it keeps to its document and to its users' rights except for the faults of
// Probed, and does what the ProbedTraps list. As the bookshop it is a pure value of the requests it was given.
type StaffRoom struct {
	options  Options
	contract *contract

	mu    sync.Mutex
	kinds map[string]*shelf[item]
}

// item is a thing in the staff room, and whose it is.
type item struct {
	ID    int64  `json:"id"`
	Text  string `json:"text"`
	Role  string `json:"role"`
	owner string
}

// staff are those who work there, by their keys. The keys are no secret: StaffAuth names them.
var staff = map[string]string{"key-of-anna": "anna", "key-of-bert": "bert"}

// StaffAuth is an authentication file of the two who work there.
const StaffAuth = `auth:
- name: anna
  fixedHeaders: [{name: X-Staff-Key, value: key-of-anna}]
- name: bert
  fixedHeaders: [{name: X-Staff-Key, value: key-of-bert}]
`

// Probed are the faults that security probes find in the staff room; the operations of a kind are named for it.
func Probed() []Fault {
	return []Fault{
		{"readPayroll", 311, Error, "read without credentials", "none are sent"},
		{"readRates", 311, Error, "any key is taken for a good one", "a wrong key is sent"},
		{"addFeedback", 311, Error, "made without credentials", "none are sent"},
		{"replaceMemo", 308, Error, "replaced without credentials", "none are sent"},
		{"deleteMemo", 308, Error, "deleted without credentials", "none are sent"},
		{"readBadge", 307, Error, "forbidden to one who works there, and shown to whoever does not say who it is", "another user, then no credentials"},
		{"readBadge", 311, Error, "read without credentials", "none are sent"},
		{"replaceShift", 306, Error, "another's shift is replaced, though reading it is forbidden", "another user's PUT"},
		{"readLocker", 305, Warning, "401 for another's locker, with good credentials", "another user's GET"},
		{"readShift", 304, Warning, "403 for another's shift, and 404 for one that is not there", "another user's GET, before and after it is deleted"},
		{"readProfile", 303, Error, "role, which is read-only, is taken from a PATCH", "role is sent"},
		{"addIdea", 310, Warning, "GET, which is not declared, lists everybody's ideas", "GET instead of POST"},
		{"findShelf", 300, Error, "a quote in the word becomes a part of a statement", "q holds a single quote"},
		{"greet", 301, Error, "the name stands in a page as it was sent", "name holds a tag"},
	}
}

// ProbedTraps are what looks as if the staff room let something through, and is right.
func ProbedTraps() []Trap {
	return []Trap{
		{"readNotices", "public", "200 without credentials", "the document asks for none"},
		{"readMenu", "optional", "200 without credentials", "they are optional: an empty requirement is among them"},
		{"readRota", "asked", "401 with WWW-Authenticate", "without credentials, or with wrong ones, that is right"},
		{"readTips", "empty", "200 and an empty list without credentials", "nobody's list is empty, which shows nothing of anybody's"},
		{"readMood", "error", "200 without credentials", "what it holds is an error, as some APIs write them"},
		{"readNote", "hidden", "404 for another's note", "that does not say whether it is there (RFC 9110 §15.5.4)"},
		{"readBoard", "shared", "another reads, replaces and deletes it", "what is on the board is everybody's"},
		{"addProfile", "ignored", "role is sent, and accepted", "it is not taken over"},
		{"addWish", "undeclared", "405 for a GET", "that is what is not there"},
		{"addLetter", "catchAll", "200 for a GET, which is not declared", "it is so for every address below: nothing is told"},
	}
}

// rights are those to a kind of thing.
type rights struct {
	kind, one string
	// read and write are the statuses of what is refused to whoever works there and has not made the thing; 0 lets it happen.
	read, write int
	// silent hides what is not there behind the same answer.
	silent bool
}

var kindsOfThings = []rights{
	{kind: "notes", one: "Note", read: 404, write: 404},
	{kind: "shifts", one: "Shift", read: 403, write: 403},
	{kind: "lockers", one: "Locker", read: 401, write: 403},
	{kind: "badges", one: "Badge", read: 403, write: 403, silent: true},
	{kind: "memos", one: "Memo", read: 404, write: 404},
	{kind: "board", one: "Board", read: 0, write: 0},
	{kind: "profiles", one: "Profile", read: 404, write: 404},
}

// NewStaffRoom makes it with nothing in it.
func NewStaffRoom(options Options) *StaffRoom {
	s := &StaffRoom{options: options, contract: staffContract(), kinds: map[string]*shelf[item]{}}
	for _, k := range kindsOfThings {
		s.kinds[k.kind] = &shelf[item]{most: most}
	}
	return s
}

var staffContract = sync.OnceValue(func() *contract {
	c, err := readContract(StaffDocument())
	if err != nil {
		panic("demo: the document of the staff room: " + err.Error())
	}
	return c
})

// Answer answers a request that came at the moment now.
func (s *StaffRoom) Answer(_ time.Duration, r Request) Reply {
	path, query := splitTarget(r.Target)
	if r.Method == "GET" && strings.HasPrefix(path, "/v1/letters") {
		return answerJSON(200, struct{}{})
	}
	place, values := s.contract.find(path)
	if place == nil {
		return problem(404, "there is nothing at this path")
	}
	if path == "/v1/ideas" && r.Method == "GET" && s.planted() {
		return answerJSON(200, []string{"open on Sundays"})
	}
	op := place.methods[r.Method]
	if op == nil {
		return problem(405, "the document declares no such method here").with("Allow", place.allow)
	}
	key := messages.Get(r.Header, "X-Staff-Key")
	user := staff[key]
	if user == "" && !s.open(op.ID, key) {
		return who()
	}
	c, misfit := op.read(r, values, query, false)
	if misfit != "" {
		return problem(400, misfit)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range kindsOfThings {
		k := &kindsOfThings[i]
		if verb, is := strings.CutSuffix(strings.TrimSuffix(op.ID, "s"), k.one); is {
			return s.about(k, verb, user, c)
		}
	}
	return s.other(op.ID, user, c)
}

// who is the reply to nobody.
func who() Reply {
	return problem(401, "say who you are").with("WWW-Authenticate", `StaffKey realm="staff room"`)
}

func (s *StaffRoom) planted() bool { return !s.options.WithoutFaults }

// open says whether the operation answers those who do not work there, with that key, "" for none.
func (s *StaffRoom) open(operation, key string) bool {
	switch operation {
	case "readNotices", "readMenu", "readTips", "readMood", "findShelf", "greet", "addIdea", "addWish", "addLetter":
		return true
	case "readPayroll", "addFeedback", "replaceMemo", "deleteMemo", "readBadge":
		return s.planted() && key == ""
	case "readRates":
		return s.planted() && key != ""
	}
	return false
}

// about answers what is done to a thing.
func (s *StaffRoom) about(k *rights, verb, user string, c *call) Reply {
	things := s.kinds[k.kind]
	switch verb {
	case "add":
		t := &item{Text: c.body.text("text"), Role: "reader", owner: user}
		t.ID = things.add(t)
		return answerJSON(201, t).with("Location", fmt.Sprintf("/v1/%s/%d", k.kind, t.ID))
	case "list":
		return answerJSON(200, things.newest(most, func(t *item) bool { return t.owner == user || k.read == 0 }))
	}
	t := things.get(c.given.whole("id", 0))
	if refusal := s.refusal(k, t, verb, user); refusal != 0 {
		return refused(refusal)
	}
	switch verb {
	case "replace":
		t.Text = c.body.text("text")
	case "change":
		if c.body.has("text") {
			t.Text = c.body.text("text")
		}
		if role := c.body.text("role"); role != "" && k.one == "Profile" && s.planted() {
			t.Role = role
		}
	case "delete":
		things.remove(t.ID)
		return answerEmpty(204)
	}
	return answerJSON(200, t)
}

// refusal is the status of what the user may not do to the thing, which is nil where it is not there; 0 where nothing is
// to be said against it.
func (s *StaffRoom) refusal(k *rights, t *item, verb, user string) int {
	forbidden := k.write
	if verb == "read" {
		forbidden = k.read
	}
	if !s.planted() && !k.silent && forbidden != 0 {
		forbidden = 404
	}
	switch {
	case t == nil && !k.silent, t == nil && user == "":
		return 404
	case t == nil:
		return forbidden
	case t.owner == user, user == "": // nobody comes this far but by a planted fault
		return 0
	case k.one == "Shift" && verb == "replace" && s.planted():
		return 0
	}
	return forbidden
}

func refused(status int) Reply {
	switch status {
	case 401:
		return who()
	case 403:
		return problem(403, "this is none of yours")
	}
	return problem(404, "there is no such thing")
}

// other answers what is about no thing.
func (s *StaffRoom) other(operation, user string, c *call) Reply {
	type text struct {
		Text string `json:"text"`
	}
	switch operation {
	case "readTips":
		tips := []text{}
		if user != "" {
			tips = append(tips, text{"be there by nine"})
		}
		return answerJSON(200, tips)
	case "readMood":
		if user == "" {
			return answerJSON(200, map[string]string{"error": "say who you are"})
		}
		return answerJSON(200, map[string]string{"mood": "fine"})
	case "findShelf":
		if q := c.given.text("q"); s.planted() && strings.Contains(q, "'") {
			return problem(400, `near "'": syntax error`)
		}
		return answerJSON(200, []text{})
	case "greet":
		name := c.given.text("name")
		if !s.planted() || !strings.Contains(name, "<") {
			name = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(name)
		}
		return answerBytes(200, "text/html", []byte("<!doctype html><title>Hello</title><p>Hello "+name))
	case "addFeedback", "addIdea", "addWish", "addLetter":
		return answerJSON(201, text{c.body.text("text")})
	}
	return answerJSON(200, text{operation})
}

// StaffDocument is the OpenAPI document of the staff room.
func StaffDocument() []byte {
	type object = map[string]any
	textSchema := object{"type": "string", "minLength": 1, "maxLength": 40}
	sent := object{"type": "object", "required": []string{"text"}, "properties": object{"text": textSchema}}
	thing := object{"type": "object", "required": []string{"text"}, "properties": object{
		"text": textSchema, "id": object{"type": "integer", "readOnly": true}, "role": object{"type": "string", "readOnly": true},
	}}
	changed := object{"type": "object", "properties": thing["properties"]}
	content := func(schema any) object { return object{"application/json": object{"schema": schema}} }
	key := []object{{"staffKey": []string{}}}
	operation := func(id, status string, security any, reply any, more object) object {
		responses := object{status: object{"description": "done"}}
		if reply != nil {
			responses[status] = object{"description": "done", "content": content(reply)}
		}
		for _, code := range []string{"400", "401", "403", "404"} {
			responses[code] = object{"description": "refused", "content": object{"application/problem+json": object{"schema": object{"type": "object"}}}}
		}
		op := object{"operationId": id, "responses": responses}
		if security != nil {
			op["security"] = security
		}
		for name, value := range more {
			op[name] = value
		}
		return op
	}
	body := func(schema any) object {
		return object{"requestBody": object{"required": true, "content": content(schema)}}
	}
	query := func(name string) object {
		return object{"parameters": []object{{"name": name, "in": "query", "required": true, "schema": object{"type": "string", "maxLength": 60}}}}
	}
	plain := object{"type": "object", "properties": object{"text": object{"type": "string"}}}
	list := object{"type": "array", "items": object{"type": "object"}}
	paths := object{
		"/notices":  object{"get": operation("readNotices", "200", nil, plain, nil)},
		"/menu":     object{"get": operation("readMenu", "200", []object{{}, {"staffKey": []string{}}}, plain, nil)},
		"/rota":     object{"get": operation("readRota", "200", key, plain, nil)},
		"/tips":     object{"get": operation("readTips", "200", key, list, nil)},
		"/mood":     object{"get": operation("readMood", "200", key, object{"type": "object"}, nil)},
		"/payroll":  object{"get": operation("readPayroll", "200", key, plain, nil)},
		"/rates":    object{"get": operation("readRates", "200", key, plain, nil)},
		"/feedback": object{"post": operation("addFeedback", "201", key, plain, body(sent))},
		"/ideas":    object{"post": operation("addIdea", "201", nil, plain, body(sent))},
		"/wishes":   object{"post": operation("addWish", "201", nil, plain, body(sent))},
		"/letters":  object{"post": operation("addLetter", "201", nil, plain, body(sent))},
		"/shelves":  object{"get": operation("findShelf", "200", nil, list, query("q"))},
		"/greeting": object{"get": operation("greet", "200", nil, nil, query("name"))},
	}
	paths["/greeting"].(object)["get"].(object)["responses"].(object)["200"] = object{"description": "done", "content": object{"text/html": object{}}}
	for _, k := range kindsOfThings {
		paths["/"+k.kind] = object{
			"post": operation("add"+k.one, "201", key, thing, body(thing)),
			"get":  operation("list"+k.one+"s", "200", key, object{"type": "array", "items": thing}, nil),
		}
		paths["/"+k.kind+"/{id}"] = object{
			"parameters": []object{{"name": "id", "in": "path", "required": true, "schema": object{"type": "integer", "minimum": 1, "maximum": 1e9}}},
			"get":        operation("read"+k.one, "200", key, thing, nil),
			"put":        operation("replace"+k.one, "200", key, thing, body(thing)),
			"patch":      operation("change"+k.one, "200", key, thing, body(changed)),
			"delete":     operation("delete"+k.one, "204", key, nil, nil),
		}
	}
	text, err := json.Marshal(object{
		"openapi": "3.0.3", "info": object{"title": "Staff room", "version": "1"}, "servers": []object{{"url": "/v1"}}, "paths": paths,
		"components": object{"securitySchemes": object{"staffKey": object{"type": "apiKey", "in": "header", "name": "X-Staff-Key"}}},
	})
	if err != nil {
		panic("demo: the document of the staff room: " + err.Error()) // it is made of texts and numbers
	}
	return text
}
