// Package credentials holds the keys a run is given, puts them where the document asks for them, and keeps them out
// of everything that is printed or written.
package credentials

import "github.com/restest/restest/settings/document"

// Keys are the credentials of a run.
type Keys struct{}

// Placed is a credential and where it goes in a request.
type Placed struct {
	In    string // "header", "query" or "cookie"
	Name  string
	Value string
}

// For are the credentials to send with a request to the operation, in a fixed order. A nil Keys has none.
func (k *Keys) For(doc *document.Document, op *document.Operation) []Placed { return nil }

// Mask hides the keys in whatever is printed or written. A nil Mask hides nothing.
type Mask struct{}

// Mask is what hides these keys.
func (k *Keys) Mask() *Mask { return nil }

// Text hides the keys, in their plain, base64 and percent-encoded forms, keeping the text's shape: letters become
// x, digits 0, the rest stays.
func (m *Mask) Text(s string) string { return s }

// Has says whether the text holds a key.
func (m *Mask) Has(s string) bool { return false }

// Shell is the text as a double-quoted word of a POSIX shell in which each key stands as the variable that holds it.
func (m *Mask) Shell(s string) string { return s }

// Variable is a shell variable that stands for a key in a curl line.
type Variable struct{ Name, Meaning string }

// Variables are those that Shell uses, in order.
func (m *Mask) Variables() []Variable { return nil }
