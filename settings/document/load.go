package document

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Options say how a document is read.
type Options struct {
	// URL is the address the user gave for the API, "" for none. It replaces scheme, host and port of the document's
	// servers; a path in it (a single slash is none) replaces their base path.
	URL string
	// Read returns the bytes of a file, a URL or "-"; nil means the file system alone.
	Read func(ctx context.Context, location string) ([]byte, error)
}

// mostIssues is how many problems are listed; the count of the others is the last one.
const mostIssues = 1_000

// dialect is a version of OpenAPI as far as reading it goes.
type dialect int

const (
	v20 dialect = iota
	v30
	v31
	v32
)

// Load reads the document at location, a file, a URL or "-", and everything it refers to.
// An error is one line that says what is wrong, where, and what to do. A fault in a part of the document is no error:
// it is noted, and costs only that part.
func Load(ctx context.Context, location string, options Options) (*Document, error) {
	l := &loader{
		ctx: ctx, options: options,
		doc:     &Document{Source: location},
		files:   map[string]*file{},
		schemas: map[*node]*Schema{},
		values:  map[*node]any{},
		told:    map[Issue]bool{},
	}
	given, err := givenAddress(options.URL)
	if err != nil {
		return nil, err
	}
	l.given = given
	l.root = l.open(location)
	if l.root.err != nil {
		return nil, l.root.err
	}
	if err := l.version(); err != nil {
		return nil, err
	}
	if l.bytes <= mostValidated {
		l.doc.source = source{l.root.root, l.reader()}
	}
	l.whole()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("reading %s was stopped: %w", location, err)
	}
	l.sortIssues()
	return l.doc, nil
}

// loader reads one document.
type loader struct {
	ctx     context.Context
	options Options
	given   *address // what Options.URL says, nil for nothing
	doc     *Document
	dialect dialect

	files map[string]*file
	bytes int // of all files
	root  *file

	schemas  map[*node]*Schema
	all      []*Schema // in the order they were begun
	unfilled []unfilled
	values   map[*node]any
	// hollow are the schemas for which no value can be built; nil until it has been worked out.
	hollow map[*Schema]bool

	told    map[Issue]bool
	more    int // issues beyond mostIssues
	servers []address
	schemes map[string]bool
	ids     map[string]bool
	linked  []linked
}

// version finds the version of OpenAPI the document is written in.
func (l *loader) version() error {
	top := l.root.top()
	if top.n.kind != isObject {
		return fmt.Errorf("%s is no OpenAPI document: at its top is %s", l.root.location, top.n.describe())
	}
	for _, key := range []string{"openapi", "swagger"} {
		v, ok := top.down(key)
		if !ok {
			continue
		}
		if v.n.kind != isText && v.n.kind != isNumber {
			return fmt.Errorf("%s: %q at its top is %s, not a version of OpenAPI", v.place(), key, v.n.describe())
		}
		l.doc.Dialect = v.n.text
		for _, known := range []struct {
			prefix  string
			dialect dialect
		}{{"2", v20}, {"3.0", v30}, {"3.1", v31}, {"3.2", v32}, {"3", v30}} {
			if v.n.text == known.prefix || strings.HasPrefix(v.n.text, known.prefix+".") {
				l.dialect = known.dialect
				if known.prefix == "3" && v.n.text != "3" {
					l.dialect = v32
					l.issue(v, "warning", "OpenAPI %s is not known; it is read as 3.2", shorten(v.n.text))
				}
				return nil
			}
		}
		return fmt.Errorf("%s: OpenAPI %s cannot be read; 2.0, 3.0, 3.1 and 3.2 can", v.place(), v.n.describe())
	}
	return fmt.Errorf(`%s is no OpenAPI document: it has neither "openapi" nor "swagger" at its top`, l.root.location)
}

func (l *loader) whole() {
	top := l.root.top()
	if info, ok := top.down("info"); ok && info.n.kind == isObject {
		l.doc.Title = info.n.getText("title")
		l.doc.Version = info.n.getText("version")
	}
	l.readServers(top)
	l.readSchemes(top)
	l.readPaths(top)
	l.readTheRest(top)
	l.fillAll()
	l.judgeTestable()
}

// getText is a member that is text, or a number as it is written.
func (n *node) getText(key string) string {
	v := n.get(key)
	if v == nil || (v.kind != isText && v.kind != isNumber) {
		return ""
	}
	return v.text
}

// readTheRest reads the named schemas that no operation uses, so that what is wrong in them is told too.
func (l *loader) readTheRest(top at) {
	pointer := "/components/schemas"
	if l.dialect == v20 {
		pointer = "/definitions"
	}
	named, ok := top.follow(pointer)
	if !ok || named.n.kind != isObject {
		return
	}
	for _, m := range named.n.members {
		l.schema(named.child(m.key, m.value))
	}
}

func (l *loader) issue(a at, severity, format string, args ...any) {
	l.issueAt(a.place(), severity, fmt.Sprintf(format, args...))
}

func (l *loader) issueAt(place Place, severity, message string) {
	issue := Issue{Place: place, Message: message, Severity: severity}
	if l.told[issue] {
		return
	}
	l.told[issue] = true
	if len(l.doc.Issues) >= mostIssues && severity != "error" {
		l.more++
		return
	}
	l.doc.Issues = append(l.doc.Issues, issue)
}

// once tells something that holds for many places at the first of them alone.
func (l *loader) once(severity string, a at, message string) {
	key := Issue{Message: message}
	if l.told[key] {
		return
	}
	l.told[key] = true
	l.issue(a, severity, "%s", message)
}

func (l *loader) sortIssues() {
	rank := func(file string) int {
		if file == l.root.location {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(l.doc.Issues, func(a, b Issue) int {
		return cmp.Or(
			cmp.Compare(rank(a.Place.File), rank(b.Place.File)),
			cmp.Compare(a.Place.File, b.Place.File),
			cmp.Compare(a.Place.Line, b.Place.Line),
			cmp.Compare(a.Place.Column, b.Place.Column),
		)
	})
	if l.more > 0 {
		l.doc.Issues = append(l.doc.Issues, Issue{
			Place:    Place{File: l.root.location},
			Message:  fmt.Sprintf("%d more warnings and notes are not listed", l.more),
			Severity: "note",
		})
	}
}

// Reachable says, as an error, that no host is known to send requests to.
func (d *Document) Reachable() error {
	if d.Origin != "" {
		return nil
	}
	return errors.New("no host is known: the document names no server with one; give the address of the API with --url")
}

// String is the place as an editor would open it, with the pointer behind it.
func (p Place) String() string {
	s := p.File
	if p.Line > 0 {
		s += fmt.Sprintf(":%d:%d", p.Line, p.Column)
	}
	if p.Pointer != "" && p.Pointer != "#" {
		s += " " + p.Pointer
	}
	return s
}
