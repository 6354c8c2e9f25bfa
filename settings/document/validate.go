package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
)

const (
	// mostValidated is the largest document that a second opinion is asked on: it is slow, and takes much memory.
	mostValidated = 4 << 20
	mostOpinions  = 100
)

// source is what a second opinion needs of where the document came from.
type source struct {
	root *node
	read func(context.Context, string) ([]byte, error)
}

// Validate asks kin-openapi what it thinks of the document. What it says is never more than a note: it turns down
// documents that can well be tested. A document that is large is not looked at, and says so.
func (d *Document) Validate(ctx context.Context) (notes []Issue) {
	note := func(message string) {
		notes = append(notes, Issue{Place: Place{File: d.Source}, Message: message, Severity: "note"})
	}
	if d.source.root == nil {
		note(fmt.Sprintf("the document is larger than %d MiB and was not looked at by kin-openapi", mostValidated>>20))
		return notes
	}
	defer func() {
		if r := recover(); r != nil {
			note("kin-openapi failed on this document: " + brief(fmt.Sprint(r)))
		}
	}()
	opinion := d.secondOpinion(ctx)
	told := map[string]bool{}
	for _, err := range flat(opinion) {
		message := brief(err.Error())
		if told[message] {
			continue
		}
		if len(told) == mostOpinions {
			note("kin-openapi says more than is listed here")
			break
		}
		told[message] = true
		note("kin-openapi: " + message)
	}
	return notes
}

func (d *Document) secondOpinion(ctx context.Context) error {
	text, err := json.Marshal(d.source.root.value())
	if err != nil {
		return err
	}
	location := &url.URL{Path: filepath.ToSlash(d.Source)}
	if isURL(d.Source) {
		if location, err = url.Parse(d.Source); err != nil {
			return err
		}
	}
	loader := openapi3.NewLoader()
	loader.Context = ctx
	loader.IsExternalRefsAllowed = true
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, u *url.URL) ([]byte, error) {
		if u.Scheme == "" {
			return d.source.read(ctx, filepath.FromSlash(u.Path))
		}
		return d.source.read(ctx, u.String())
	}
	var doc *openapi3.T
	if strings.HasPrefix(d.Dialect, "2") {
		var old openapi2.T
		if err := json.Unmarshal(text, &old); err != nil {
			return err
		}
		doc, err = openapi2conv.ToV3WithLoader(&old, loader, location)
	} else {
		doc, err = loader.LoadFromDataWithPath(text, location)
	}
	if err != nil {
		return err
	}
	return doc.Validate(ctx, openapi3.EnableMultiError(), openapi3.DisableExamplesValidation(),
		openapi3.DisableSchemaDefaultsValidation())
}

// flat takes lists of errors within errors apart.
func flat(err error) []error {
	var several openapi3.MultiError
	if !errors.As(err, &several) {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var errs []error
	for _, e := range several {
		errs = append(errs, flat(e)...)
	}
	return errs
}

// brief is a message on one line, and not a long one: kin-openapi prints whole schemas into its messages.
func brief(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	const most = 300
	if message = oneLine(message); len(message) > most {
		message = strings.ToValidUTF8(message[:most], "") + "…"
	}
	return message
}
