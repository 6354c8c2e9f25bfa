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
}

// Placed is a credential and where it goes in a request.
type Placed struct {
	In    string // "header", "query" or "cookie"
	Name  string
	Value string
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

// For are the credentials to send with a request to the operation, in a fixed order: those of the first alternative
// that keys were given for, and those that go everywhere, which win where both go to one place. An alternative that
// needs no keys is taken last, since a key was given to be used. A nil Keys has none.
func (k *Keys) For(doc *document.Document, op *document.Operation) []Placed {
	if k == nil {
		return nil
	}
	var placed []Placed
	for _, needed := range k.alternative(doc, op) {
		if p, given := k.schemes[needed.Scheme]; given && !stands(p, k.everywhere) && !stands(p, placed) {
			placed = append(placed, p)
		}
	}
	return append(placed, k.everywhere...)
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

// has says whether a scheme is answered, by a key of its own or by one that goes everywhere and stands in its place.
func (k *Keys) has(doc *document.Document, name string) bool {
	if _, given := k.schemes[name]; given {
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
