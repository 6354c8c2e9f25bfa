package generator

import (
	"slices"
	"strings"
	"testing"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
)

const accounts = `
  /user:
    get: {` + ok + `}
  /users:
    get: {` + ok + `}
  /users/{name}:
    get: {parameters: [{name: name, in: path, required: true, schema: {type: string}}], ` + ok + `}
    patch: {parameters: [{name: name, in: path, required: true, schema: {type: string}}], ` + ok + `}
    delete: {parameters: [{name: name, in: path, required: true, schema: {type: string}}], ` + ok + `}
  /users/{name}/rename:
    post: {parameters: [{name: name, in: path, required: true, schema: {type: string}}], ` + ok + `}
  /users/{name}/notes:
    post: {parameters: [{name: name, in: path, required: true, schema: {type: string}}], ` + ok + `}
`

// signedIn has the run carry the key.
func signedIn(t *testing.T, key string) func(*Config) {
	t.Helper()
	keys, _, err := credentials.Parse([]string{key}, "")
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) {
		withoutLap(c)
		if err := keys.Bind(c.Document); err != nil {
			t.Fatal(err)
		}
		c.Keys = keys
	}
}

// "What would change or delete the account that the run signs in as is not sent" (decision 0017).
func TestWhomTheRunSignsInAsIsSpared(t *testing.T) {
	for _, row := range []struct{ name, key, caller string }{
		{"the name is in the key", "header:Authorization=Basic dGVzdGVyOnNlY3JldC0xMjM=", ""}, // tester:secret-123
		{"a reply tells it", "header:X-Key=secret-123", `{"id": 7, "login": "Tester"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScript(t, api(t, accounts), signedIn(t, row.key))
			if row.caller != "" {
				s.answer(s.of("GET /user"), 200, row.caller)
			}
			s.answer(s.of("GET /users"), 200, `[{"id": 7, "name": "tester"}]`)
			led := map[string]int{}
			for range 200 {
				r := s.next()
				if strings.HasPrefix(r.Target, "/users/tester") || strings.HasPrefix(r.Target, "/users/7") {
					led[s.id(r.Operation)]++
				}
			}
			for _, id := range []string{"GET /users/{name}", "POST /users/{name}/notes"} {
				if led[id] == 0 {
					t.Errorf("%s never led there", id)
				}
			}
			for _, id := range []string{"PATCH /users/{name}", "DELETE /users/{name}", "POST /users/{name}/rename"} {
				if led[id] > 0 {
					t.Errorf("%s led there %d times", id, led[id])
				}
			}
		})
	}
}

func TestOtherAccountsAreNotSpared(t *testing.T) {
	s := newScript(t, api(t, accounts), signedIn(t, "header:X-Key=secret-123"))
	s.answer(s.of("GET /user"), 200, `{"id": 7, "login": "tester"}`)
	s.answer(s.of("GET /users"), 200, `[{"name": "other"}, {"name": "tester"}]`)
	led := map[string]bool{}
	for range 200 {
		r := s.next()
		led[r.Method+" "+r.Target] = true
	}
	for _, want := range []string{"PATCH /users/other", "POST /users/other/rename"} {
		if !led[want] {
			t.Errorf("no %s", want)
		}
	}
}

func TestWhoAsksIsToldByNoOneElsesReply(t *testing.T) {
	s := newScript(t, api(t, accounts), signedIn(t, "header:X-Key=secret-123"))
	r := s.of("GET /user")
	other := *r
	other.Target += "?as=other"
	for _, reply := range []struct {
		request *messages.Request
		status  int
		body    string
	}{{&other, 200, `{"login": "other"}`}, {r, 404, `{"login": "unknown"}`}, {r, 200, `[{"login": "listed"}]`}, {r, 200, `{"login": "me"}`}} {
		s.answer(reply.request, reply.status, reply.body)
	}
	var names []string
	for name := range s.g.memory.account {
		names = append(names, name)
	}
	if !slices.Equal(names, []string{"me"}) {
		t.Errorf("it goes by %v", names)
	}
}
