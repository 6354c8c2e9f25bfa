package document

import (
	"context"
	"errors"
)

// Options say how a document is read.
type Options struct {
	// URL is the address the user gave for the API, "" for none. It replaces scheme, host and port of the document's
	// servers; a path in it replaces their base path.
	URL string
	// Read returns the bytes of a file, a URL or "-"; nil means the file system alone.
	Read func(ctx context.Context, location string) ([]byte, error)
}

// Load reads the document at location, a file, a URL or "-", and everything it refers to.
// An error is one line that says what is wrong, where, and what to do.
func Load(ctx context.Context, location string, options Options) (*Document, error) {
	return nil, errors.New("not built yet")
}
