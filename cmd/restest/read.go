package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/restest/restest/messages"
)

const (
	mostDocument = 256 << 20 // bytes of one file; real documents reach 13 MiB
	mostSettings = 1 << 20
)

// fetcher reads what is at an http or https address.
type fetcher interface {
	Get(ctx context.Context, address string) ([]byte, []messages.Field, error)
	// Moved is where what was read at the address turned out to be.
	Moved(address string) string
}

// reader reads a document and what it refers to: files, addresses, and "-", the standard input, which can be read but
// once.
type reader struct {
	in      io.Reader
	fetcher fetcher
	input   []byte
	done    bool
	// address is the document's own with what is secret in it, nil if it is none.
	address *url.URL
	// location is where the document is, as it may be shown and written.
	location string
	// found is what was at an address, once find has looked.
	found *found
}

// found is what a document's own address holds, or why it cannot be read.
type found struct {
	body []byte
	err  error
}

// find reads the document if it is at an address, and follows it to where redirects lead: that is where its references
// start from (RFC 3986 §5.1.3).
func (r *reader) find(ctx context.Context) {
	if r.address == nil {
		return
	}
	body, _, err := r.fetcher.Get(ctx, r.address.String())
	if err != nil {
		if why, said := strings.CutPrefix(err.Error(), r.location+": "); said {
			err = errors.New(why) // whoever asked says where
		}
	}
	r.found = &found{body, err}
	if err == nil {
		r.location = r.fetcher.Moved(r.location)
	}
}

// newReader makes a reader for the document at a location. The user and the query of an address, which may hold a
// password or a key, are kept to the reader: nobody else needs them.
func newReader(in io.Reader, f fetcher, location string) *reader {
	r := &reader{in: in, fetcher: f, location: location}
	if !isAddress(location) {
		return r
	}
	if u, err := url.Parse(location); err == nil {
		shown := *u
		shown.User, shown.RawQuery, shown.ForceQuery = nil, "", false
		r.address, r.location = u, shown.String()
	}
	return r
}

func (r *reader) read(ctx context.Context, location string) ([]byte, error) {
	switch {
	case location == "-":
		return r.readInput(ctx)
	case r.found != nil && location == r.location:
		return r.found.body, r.found.err
	case isAddress(location):
		body, _, err := r.fetcher.Get(ctx, r.withSecrets(location))
		if err != nil {
			if why, said := strings.CutPrefix(err.Error(), location+": "); said {
				err = errors.New(why) // whoever asked says where
			}
		}
		return body, err
	}
	return readFile(location, mostDocument)
}

// withSecrets is the address with the user that the document's own has, if it is of the same origin.
func (r *reader) withSecrets(location string) string {
	if r.address == nil {
		return location
	}
	u, err := url.Parse(location)
	if err != nil || u.User != nil || u.Scheme != r.address.Scheme || u.Host != r.address.Host {
		return location
	}
	u.User = r.address.User
	return u.String()
}

// readInput reads the standard input, unless the context is done first: a read of it cannot be cut short otherwise.
func (r *reader) readInput(ctx context.Context) ([]byte, error) {
	if r.done {
		return r.input, nil
	}
	var input []byte
	var err error
	read := make(chan struct{})
	go func() {
		input, err = readAll(r.in, mostDocument)
		close(read)
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-read:
	}
	if err != nil {
		return nil, err
	}
	r.input, r.done = input, true
	return input, nil
}

func isAddress(location string) bool {
	scheme, _, found := strings.Cut(location, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// readFile reads a file of at most so many bytes. An error does not name the file.
func readFile(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	return readAll(f, most)
}

func readAll(from io.Reader, most int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(from, most+1))
	switch {
	case err != nil:
		return nil, reason(err)
	case int64(len(content)) > most:
		return nil, fmt.Errorf("it is larger than %d MiB", most>>20)
	}
	return content, nil
}

// reason is what the system says, without the name of the file, which whoever asked will say.
func reason(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
