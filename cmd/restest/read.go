package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
}

// reader reads a document and what it refers to: files, addresses, and "-", the standard input, which can be read but
// once.
type reader struct {
	in      io.Reader
	fetcher fetcher
	input   []byte
	done    bool
}

func newReader(in io.Reader, f fetcher) *reader { return &reader{in: in, fetcher: f} }

func (r *reader) read(ctx context.Context, location string) ([]byte, error) {
	switch {
	case location == "-":
		return r.readInput(ctx)
	case isAddress(location):
		body, _, err := r.fetcher.Get(ctx, location)
		return body, err
	}
	return readFile(location, mostDocument)
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
