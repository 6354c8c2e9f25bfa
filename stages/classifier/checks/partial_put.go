package checks

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// partialPut, F117, finds a PUT that leaves members as they were which it did not send.
//
// A PUT replaces the whole (RFC 9110 §9.3.4). It is likely and no more, as a server may fill in what is missing. It speaks
// only of a member that the PUT could have sent by its schema, that is not readOnly, has no default and is not the name in
// the path, and that the request which made the thing had sent with the value it still has: one that is filled in rarely.
type partialPut struct{}

func (partialPut) About() About {
	return About{
		Code: 117, Name: "partialPut", Title: "A PUT replaces in part only", Certainty: messages.Likely,
		On: func(c settings.Checks) bool { return c.PartialPut },
	}
}

func (c partialPut) Check(in *Input) []messages.Finding {
	s := in.steps("putTwice")
	r := in.Exchange.Request
	if s == nil || len(s.Taken) < 2 || r.Method != "GET" || !good(in.reply().Status) {
		return nil
	}
	made, put := s.Taken[0], s.Taken[len(s.Taken)-1]
	if put.Request.Method != "PUT" || !good(put.Reply.Status) || pathOf(put.Request.Target) != pathOf(r.Target) {
		return nil
	}
	now, first, second := object(in.Content.Value), sentObject(made.Request), sentObject(put.Request)
	if second == nil {
		return nil
	}
	var findings []messages.Finding
	for _, name := range slices.Sorted(maps.Keys(first)) {
		value, kept := first[name], now[name]
		if _, sent := second[name]; sent || kept == nil || kept == "" || !same(value, kept) || computed(name, value) {
			continue
		}
		if inPath(r.Target, value) || usual(value) {
			continue // its name is still its name, and what is filled in can be what was sent
		}
		p := in.propertyOf(put.Request, name)
		if p == nil || p.ReadOnly || p.HasDefault {
			continue
		}
		f := c.About().finding("A PUT replaces in part only: "+name+" is still there", name+" gone, or as one that was never sent", answer(in.reply()))
		f.Place, f.Cause = clip("/"+name, longestPlace), clip(name, longestCause)
		findings = append(findings, f)
		if len(findings) == mostFaults {
			break
		}
	}
	return findings
}

// usual says whether servers fill in that value where none is sent: nothing, none, zero, yes or no.
func usual(value any) bool {
	switch strings.ToLower(textOf(value)) {
	case "none", "default", "auto", "0", "1":
		return true
	}
	return isTrivial(value)
}

// inPath says whether the path has the value as a segment, but for marks: it identifies what the path leads to.
func inPath(target string, value any) bool {
	name := letters(textOf(value))
	for segment := range strings.SplitSeq(pathOf(target), "/") {
		if text, err := url.PathUnescape(segment); err == nil && name != "" && letters(text) == name {
			return true
		}
	}
	return false
}

// propertyOf is the schema of a property that a request's content can have, nil if none is declared.
func (in *Input) propertyOf(r *messages.Request, name string) *document.Schema {
	if r.Operation < 0 || r.Operation >= len(in.Operations) || in.Operations[r.Operation].Body == nil {
		return nil
	}
	media, _ := mediaFor(in.Operations[r.Operation].Body.Media, messages.Get(r.Header, "Content-Type"))
	if media == nil {
		return nil
	}
	return property(media.Schema, name, 8)
}

// property is the schema of a property, here or in what allOf adds.
func property(s *document.Schema, name string, depth int) *document.Schema {
	if s == nil || depth == 0 {
		return nil
	}
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	for _, branch := range s.AllOf {
		if found := property(branch, name, depth-1); found != nil {
			return found
		}
	}
	return nil
}
