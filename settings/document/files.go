package document

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Bounds on what one document may draw in.
const (
	mostBytes = 64 << 20  // a file
	mostInAll = 512 << 20 // all files
	mostFiles = 10_000    // DigitalOcean's has more than 2,000
)

// file is one file of the document, or the reason why it cannot be read.
type file struct {
	location string
	root     *node
	err      error
	marks    *marks // nil until a reference asks for a name in it
}

func (f *file) top() at { return at{n: f.root, file: f} }

// open reads the file, once.
func (l *loader) open(location string) *file {
	if f, ok := l.files[location]; ok {
		return f
	}
	f := &file{location: location}
	l.files[location] = f
	if len(l.files) > mostFiles {
		f.err = fmt.Errorf("%s is not read: the document already refers to %d files", location, mostFiles)
		return f
	}
	data, err := l.read(location)
	if err != nil {
		f.err = unreadable(location, err)
		return f
	}
	if l.bytes += len(data); l.bytes > mostInAll {
		f.err = fmt.Errorf("%s is not read: with it the document's files are larger than %d MiB", location, mostInAll>>20)
		return f
	}
	root, troubles, err := parse(data)
	if err != nil {
		f.err = fmt.Errorf("%s cannot be read as JSON or YAML: %w", location, err)
		return f
	}
	f.root = root
	for _, t := range troubles {
		l.issueAt(Place{File: location, Line: int(t.line), Column: int(t.column)}, "warning", t.message)
	}
	return f
}

func (l *loader) read(location string) ([]byte, error) {
	data, err := l.reader()(l.ctx, location)
	if err == nil && len(data) > mostBytes {
		return nil, fmt.Errorf("it is larger than %d MiB", mostBytes>>20)
	}
	return data, err
}

func (l *loader) reader() func(context.Context, string) ([]byte, error) {
	if l.options.Read != nil {
		return l.options.Read
	}
	return readFile
}

// readFile reads from the file system alone.
func readFile(_ context.Context, location string) ([]byte, error) {
	if isURL(location) {
		return nil, errors.New("addresses are not read here")
	}
	f, err := os.Open(location)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostBytes+1))
}

// unreadable says in one line why a location cannot be read.
func unreadable(location string, err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is missing: there is no such file", location)
	case errors.As(err, &path):
		return fmt.Errorf("%s cannot be read: %w", location, path.Err)
	default:
		return fmt.Errorf("%s cannot be read: %s", location, oneLine(err.Error()))
	}
}

func isURL(location string) bool {
	return hasPrefixFold(location, "http://") || hasPrefixFold(location, "https://")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// join is the location that a reference without its fragment names, seen from the file at base. A document that came
// over the network cannot name files of this machine.
func join(base, reference string) (string, error) {
	if isURL(reference) {
		return reference, nil
	}
	if isURL(base) {
		b, err := url.Parse(base)
		if err != nil {
			return "", err
		}
		r, err := url.Parse(reference)
		if err != nil {
			return "", fmt.Errorf("%q is no reference: %s", shorten(reference), oneLine(err.Error()))
		}
		if joined := b.ResolveReference(r); isURL(joined.String()) {
			return joined.String(), nil
		}
		return "", fmt.Errorf("%q leads from the network to somewhere else; it is not read", shorten(reference))
	}
	if hasPrefixFold(reference, "file:") {
		u, err := url.Parse(reference)
		if err != nil || u.Path == "" {
			return "", fmt.Errorf("%q is no file", shorten(reference))
		}
		return filepath.FromSlash(u.Path), nil
	}
	path := reference
	if unescaped, err := url.PathUnescape(reference); err == nil {
		path = unescaped
	}
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	if base == "-" {
		return filepath.Clean(path), nil
	}
	return filepath.Join(filepath.Dir(base), path), nil
}
