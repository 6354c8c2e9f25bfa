package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/experimenter"
	"github.com/restest/restest/stages/generator"
	"github.com/restest/restest/stages/reporter"
)

// readDocument makes the plain request of a document's operation, and returns the words that tell what it does.
func (o *limiterOptions) readDocument(ctx context.Context, given *settings.Given, s streams) (string, error) {
	system := clock.NewSystem()
	r := newReader(s.in, newFetcher(given, o.environ, system), o.target)
	doc, err := document.Load(ctx, r.location, document.Options{URL: o.url, Read: r.read})
	if err != nil {
		return "", err
	}
	if err := doc.Reachable(); err != nil {
		return "", err
	}
	i := slices.IndexFunc(doc.Operations, func(op *document.Operation) bool { return op.ID == o.operation })
	if i < 0 {
		var ids []string
		for _, op := range doc.Operations {
			ids = append(ids, op.ID)
		}
		text := fmt.Sprintf("restest limiter: --operation %s is not in the document", settings.Quote(o.operation))
		if meant := settings.Suggest(o.operation, ids); meant != "" {
			text += "; did you mean " + meant + "?"
		} else {
			text += "; restest document lists its operations"
		}
		return "", &failure{reporter.ExitUsage, text}
	}
	request, err := oneRequest(doc, i, given.Settings, system)
	if err != nil {
		return "", err
	}
	o.origin = doc.Origin
	o.plain = experimenter.Request{Method: request.Method, Target: request.Target, Header: request.Header, Body: request.Body}
	if o.method != "" {
		o.plain.Method = o.method
	}
	o.otherPlain = another(doc, i, given.Settings, system)
	return wordsOf(doc.Operations[i]), nil
}

// wordsOf are those that tell what an operation does.
func wordsOf(op *document.Operation) string {
	words := op.Path + " " + op.ID + " " + op.Summary
	for _, tag := range op.Tags {
		words += " " + tag
	}
	return words
}

// another is a request for the first other operation that only reads, nil if there is none.
func another(doc *document.Document, than int, s settings.Settings, c clock.Clock) *experimenter.Request {
	for i, op := range doc.Operations {
		if i == than || op.Method != "GET" || op.Path == doc.Operations[than].Path || delivers(op.Method, wordsOf(op)) != "" {
			continue
		}
		if r, err := oneRequest(doc, i, s, c); err == nil {
			return &experimenter.Request{Method: r.Method, Target: r.Target}
		}
	}
	return nil
}

// oneRequest has the generator build one valid request for an operation.
func oneRequest(doc *document.Document, operation int, s settings.Settings, c clock.Clock) (*messages.Request, error) {
	op := doc.Operations[operation]
	if op.Untestable != "" {
		return nil, errors.New("restest limiter: no request can be built for the operation: " + op.Untestable)
	}
	s.Schedule.OpeningLap = false
	// Of what may be left out nothing is sent: the simplest request is the one to repeat.
	s.Generation.OptionalParameterChance, s.Generation.OptionalPropertyChance, s.Generation.OptionalBodyChance = 0, 0, 0
	var offer messages.Offer
	g := generator.New(generator.Config{Document: doc, Settings: s}, c, generator.Neighbours{
		Pacer: func(m messages.ToPacer) { offer, _ = m.(messages.Offer) },
	})
	var others messages.Set
	for i := range doc.Operations {
		if i != operation {
			others = others.With(i)
		}
	}
	g.Handle(messages.Want{Busy: others})
	if offer.Request == nil {
		for _, u := range g.Unbuildable() {
			if u.Operation == operation {
				return nil, errors.New("restest limiter: no request can be built for the operation: " + u.Reason)
			}
		}
		return nil, errors.New("restest limiter: no request can be built for the operation")
	}
	return offer.Request, nil
}
