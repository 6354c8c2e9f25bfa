package credentials

import (
	"testing"

	"github.com/restest/restest/settings/document"
)

// post is a POST whose content has these texts.
func post(path string, texts ...string) *document.Operation {
	s := &document.Schema{Types: []string{"object"}}
	for _, name := range texts {
		s.Properties = append(s.Properties, document.Property{Name: name, Schema: &document.Schema{Types: []string{"string"}}})
	}
	return &document.Operation{Method: "POST", Path: path, Body: &document.Body{Media: []*document.Media{{Type: "application/json", Schema: s}}}}
}

func TestAWayToSignUpIsFoundWhereThereIsOne(t *testing.T) {
	bearer := document.Scheme{Name: "b", Type: "http", HTTP: "bearer"}
	locked := post("/users", "email", "password")
	locked.Security = [][]document.Requirement{{{Scheme: "b"}}}
	for _, row := range []struct {
		name   string
		scheme document.Scheme
		ops    []*document.Operation
		want   string
	}{
		{"a register and a login", bearer, []*document.Operation{post("/api/register", "name", "email", "password"), post("/login", "email", "password")}, "POST /api/register, then POST /login"},
		{"a form that calls the e-mail a user name", bearer, []*document.Operation{post("/users/sign-up", "email", "password"), post("/login/access-token", "username", "password")}, "POST /users/sign-up, then POST /login/access-token"},
		{"basic needs no login", document.Scheme{Name: "b", Type: "http", HTTP: "basic"}, []*document.Operation{post("/accounts", "login", "password")}, "POST /accounts"},
		{"a session's cookie", document.Scheme{Name: "b", Type: "apiKey", In: "cookie", Key: "sid"}, []*document.Operation{post("/users", "email", "password"), post("/sessions", "email", "password")}, "POST /users, then POST /sessions"},
		{"an application's key is no user's", document.Scheme{Name: "b", Type: "apiKey", In: "header", Key: "X-Api-Key"}, []*document.Operation{post("/users", "email", "password"), post("/sessions", "email", "password")}, ""},
		{"no password", bearer, []*document.Operation{post("/users", "email"), post("/login", "email", "password")}, ""},
		{"no login", bearer, []*document.Operation{post("/users", "email", "password"), post("/orders", "email", "password")}, ""},
		{"only for those signed in", bearer, []*document.Operation{locked, post("/login", "email", "password")}, ""},
		{"a path with a gap", bearer, []*document.Operation{post("/{shop}/users", "email", "password"), post("/login", "email", "password")}, ""},
	} {
		doc := with(row.scheme)
		doc.Operations = append(row.ops, &document.Operation{Method: "GET", Path: "/mine", Security: [][]document.Requirement{{{Scheme: "b"}}}})
		for i, op := range doc.Operations {
			op.Index, op.ID = i, op.Method+" "+op.Path
		}
		k := &Keys{}
		if got := k.SignUpOwn(doc); got != row.want || k.Own() != (row.want != "") {
			t.Errorf("%s: found %q, want %q", row.name, got, row.want)
		}
		if row.want == "" {
			continue
		}
		if err := k.Bind(doc); err != nil {
			t.Fatal(err)
		}
		again, err := ReadPlan(k.Plan(), doc)
		if err != nil || again.Logins()[0].Label(doc) != row.want {
			t.Errorf("%s: from its plan comes %v, %v", row.name, again, err)
		}
		if again, err := ReadPlan(k.Plan(), with(row.scheme)); again != nil || err != nil {
			t.Errorf("%s: in another document it is %v, %v", row.name, again, err)
		}
	}
	doc := with(bearer)
	doc.Operations = append(doc.Operations, post("/users", "email", "password"))
	if got := (&Keys{}).SignUpOwn(doc); got != "" {
		t.Errorf("where nothing asks for a key it found %q", got)
	}
}
