// Package credentials holds the keys a run is given, puts them where the document asks for them, and keeps them out
// of everything that is printed or written.
package credentials

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/restest/restest/settings/document"
)

// Keys are the credentials of a run. They do not change once Bind has returned, so that every stage may ask them.
type Keys struct {
	// keys are in the order they were given, the typed ones first.
	keys []*key
	// schemes are the credentials of the document's security schemes, by the scheme's name.
	schemes map[string]Placed
	// everywhere are those that go with every request, in the order they were given.
	everywhere []Placed
	warnings   []string

	// grants are the keys that say how to obtain a token, by the scheme's name and in the order they were given.
	grants []*grant
	// users, logins and hidden are those of the authentication file; the grants' logins are among them, and that of an own
	// user.
	users  []User
	logins []*Login
	hidden []*key
	// own is true if the run signs up a user of its own.
	own bool
}

// Placed is a credential and where it goes in a request.
type Placed struct {
	In    string `json:"in"` // "header", "query" or "cookie"
	Name  string `json:"name"`
	Value string `json:"value"`
}

// same says whether both go to the same place, where only one can stand.
func (p Placed) same(other Placed) bool {
	if p.In == "header" && other.In == "header" {
		return strings.EqualFold(p.Name, other.Name)
	}
	return p.In == other.In && p.Name == other.Name
}

func authorization(value string) Placed { return Placed{"header", "Authorization", value} }

func basic(user, password string) Placed {
	return authorization("Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
}

// For are the credentials to send with a request of the user's to the operation, in a fixed order: those of the first
// alternative that keys were given for, those that go everywhere, and the user's own; the later win where two go to one
// place. An alternative that needs no keys is taken last, since a key was given to be used. What a sign-in obtains is
// what granted says, nil while there is nothing: its place is taken all the same, with no value. A nil Keys has none.
func (k *Keys) For(doc *document.Document, op *document.Operation, user int, granted func(login int) []Placed) []Placed {
	if k == nil {
		return nil
	}
	var placed []Placed
	put := func(p Placed) { placed = append(slices.DeleteFunc(placed, p.same), p) }
	alternative := k.alternative(doc, op)
	for _, needed := range alternative {
		if p, given := k.schemes[needed.Scheme]; given && !stands(p, placed) {
			put(p)
		}
	}
	for _, p := range k.everywhere {
		put(p)
	}
	if user < len(k.users) {
		for _, p := range k.users[user].Fixed {
			put(p)
		}
	}
	for i, l := range k.logins {
		if !l.goesWith(alternative, user) {
			continue
		}
		keys := granted(i)
		if keys == nil {
			keys = l.Take.Places()
		}
		for _, p := range keys {
			put(p)
		}
	}
	return placed
}

// goesWith says whether what the login obtains is sent with the user's requests to an operation with that alternative.
func (l *Login) goesWith(alternative []document.Requirement, user int) bool {
	if l.User != Everyone && l.User != user {
		return false
	}
	return l.Scheme == "" || slices.ContainsFunc(alternative, func(r document.Requirement) bool { return r.Scheme == l.Scheme })
}

// Going are the sign-ins of which what they obtain goes with the user's requests to the operation, once it is there: by
// their places among Logins.
func (k *Keys) Going(doc *document.Document, op *document.Operation, user int) []int {
	if k == nil {
		return nil
	}
	var going []int
	alternative := k.alternative(doc, op)
	for i, l := range k.logins {
		if l.goesWith(alternative, user) {
			going = append(going, i)
		}
	}
	return going
}

// Needs are the sign-ins that have to be there before a request of the user's goes to the operation, by their places
// among Logins: for a scheme's those that it asks for, for a user's each that asks for any, or every operation of a
// document that asks for nothing.
func (k *Keys) Needs(doc *document.Document, op *document.Operation, user int) []int {
	if k == nil {
		return nil
	}
	asksNowhere := !slices.ContainsFunc(doc.Operations, asks)
	return slices.DeleteFunc(k.Going(doc, op, user), func(i int) bool {
		return k.logins[i].Scheme == "" && !asksNowhere && !asks(op)
	})
}

// asks says whether the operation asks for credentials.
func asks(op *document.Operation) bool {
	return len(op.Security) > 0 && !slices.ContainsFunc(op.Security, func(a []document.Requirement) bool { return len(a) == 0 })
}

// Users are the names of those whose credentials requests can carry, the one that they carry by default first; none for
// a run whose keys are nobody's in particular.
func (k *Keys) Users() []string {
	if k == nil {
		return nil
	}
	var names []string
	for _, u := range k.users {
		names = append(names, u.Name)
	}
	return names
}

// Logins are the sign-ins of the run.
func (k *Keys) Logins() []*Login {
	if k == nil {
		return nil
	}
	return k.logins
}

// Everywhere are the credentials that go with every request to the API, whoever's it is.
func (k *Keys) Everywhere() []Placed {
	if k == nil {
		return nil
	}
	return k.everywhere
}

// Basic is the credential of basic authentication (RFC 7617).
func Basic(user, password string) Placed { return basic(user, password) }

// Own says whether the run signs up a user of its own. Where that fails requests go without.
func (k *Keys) Own() bool { return k != nil && k.own }

// None says whether no key at all was given.
func (k *Keys) None() bool {
	return k == nil || len(k.keys) == 0 && len(k.users) == 0 && len(k.logins) == 0
}

// alternative is the first of the operation's alternatives, each the schemes needed together, that has all its keys.
func (k *Keys) alternative(doc *document.Document, op *document.Operation) []document.Requirement {
	for _, alternative := range op.Security {
		if len(alternative) > 0 && !slices.ContainsFunc(alternative, func(r document.Requirement) bool {
			return !k.has(doc, r.Scheme)
		}) {
			return alternative
		}
	}
	return nil
}

// has says whether a scheme is answered: by a key of its own, by one that goes everywhere and stands in its place, or
// by a sign-in. Who signs in by an authentication file is taken to know what the API asks for.
func (k *Keys) has(doc *document.Document, name string) bool {
	if _, given := k.schemes[name]; given {
		return true
	}
	if len(k.users) > 0 && !k.own || slices.ContainsFunc(k.logins, func(l *Login) bool { return l.Scheme == name }) {
		return true
	}
	scheme := schemeOf(doc, name)
	if scheme == nil {
		return false
	}
	switch scheme.Type {
	case "apiKey":
		return stands(Placed{In: scheme.In, Name: scheme.Key}, k.everywhere)
	case "http", "oauth2", "openIdConnect":
		return stands(authorization(""), k.everywhere)
	}
	return false
}

// Missing are the schemes that an operation which can be tested needs and that no key was given for, sorted.
func (k *Keys) Missing(doc *document.Document) []string {
	if k == nil {
		k = &Keys{}
	}
	var missing []string
	for _, op := range doc.Operations {
		if op.Untestable != "" || len(op.Security) == 0 || k.alternative(doc, op) != nil {
			continue
		}
		if slices.ContainsFunc(op.Security, func(a []document.Requirement) bool { return len(a) == 0 }) {
			continue
		}
		for _, alternative := range op.Security {
			for _, r := range alternative {
				if !k.has(doc, r.Scheme) {
					missing = append(missing, r.Scheme)
				}
			}
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

func stands(p Placed, among []Placed) bool { return slices.ContainsFunc(among, p.same) }

func schemeOf(doc *document.Document, name string) *document.Scheme {
	for i := range doc.Schemes {
		if doc.Schemes[i].Name == name {
			return &doc.Schemes[i]
		}
	}
	return nil
}
