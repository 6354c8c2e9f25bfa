package credentials

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/restest/restest/settings/document"
)

// Include takes in the users of an authentication file. It is called before Bind.
func (k *Keys) Include(a *AuthFile) {
	for i := range a.users {
		u := &a.users[i]
		user := User{Name: u.Name}
		for _, h := range u.Fixed {
			user.Fixed = append(user.Fixed, Placed{"header", h.Name, h.Value})
		}
		k.users = append(k.users, user)
		if l := u.login(i); l != nil {
			k.logins = append(k.logins, l)
		}
	}
	k.hidden = append(k.hidden, a.hidden...)
}

// link finds the operations that the logins are requests to. One that the document does not declare is added to it.
func (k *Keys) link(doc *document.Document) {
	for _, l := range k.logins {
		if s := l.SignUp; s != nil {
			l.Operation = max(s.Login, s.Operation)
			continue
		}
		l.Operation, l.Target = find(doc, l.Method, l.Elsewhere, l.Target)
		if c := l.Creation; c != nil {
			c.Operation, c.Target = find(doc, c.Method, c.Elsewhere, c.Target)
		}
	}
}

// find is the operation that a request is to. A path is the document's own, below its base path, or else as it stands.
func find(doc *document.Document, method, elsewhere, target string) (operation int, whole string) {
	path, query, queried := strings.Cut(target, "?")
	if queried {
		query = "?" + query
	}
	if elsewhere == "" {
		for _, op := range doc.Operations {
			if op.Method == method && op.Path == path && !op.SignIn {
				return op.Index, op.BasePath + path + query
			}
		}
		for _, op := range doc.Operations {
			if op.Method == method && op.BasePath+op.Path == path {
				return op.Index, target
			}
		}
	}
	return doc.AddSignIn(method, elsewhere+path), target
}

// plan is what a recording keeps of the keys, so that the run can be replayed.
type plan struct {
	Users  []User   `json:"users,omitempty"`
	Logins []*Login `json:"logins,omitempty"`
	Own    bool     `json:"own,omitempty"`
}

// Plan is whose the run's requests are and how they sign in, as JSON; nil where they are nobody's in particular. It holds
// the keys.
func (k *Keys) Plan() json.RawMessage {
	if k == nil || len(k.logins) == 0 && len(k.users) == 0 {
		return nil
	}
	text, err := json.Marshal(plan{k.users, k.logins, k.own})
	if err != nil {
		return nil // it is made of texts and numbers
	}
	return text
}

// ReadPlan reads what Plan wrote, with the keys in it masked as a rule; nil where the document has no such operations.
func ReadPlan(text json.RawMessage, doc *document.Document) (*Keys, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var p plan
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("how the run signed in cannot be read: %w", err)
	}
	for _, l := range p.Logins {
		if l == nil || l.User < Everyone || l.User >= len(p.Users) || l.SignUp == nil && len(l.Ways) == 0 {
			return nil, errors.New("how the run signed in cannot be read: a sign-in is not whole")
		}
		if l.SignUp != nil && !l.SignUp.resolve(doc) {
			return nil, nil // it is another document than the run's
		}
	}
	k := &Keys{users: p.Users, logins: p.Logins, own: p.Own}
	return k, k.Bind(doc)
}
