// Package series decides which request follows in a series around one thing: a create, and then steps whose answers say
// something together that none says alone (decision 0017).
//
// A Series is a value. Each step waits for the answer of the one before it; a step that is refused is taken again.
package series

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/settings/document/graph"
)

// The kinds of series, as messages.Step names them.
const (
	ReadAfterCreate   = "readAfterCreate"
	ReadAfterDelete   = "readAfterDelete"
	DeleteTwice       = "deleteTwice"
	WriteUnderDeleted = "writeUnderDeleted"
	PutTwice          = "putTwice"
	PatchThenRead     = "patchThenRead"
	RefusedWrite      = "refusedWrite"
	ListContains      = "listContains"
	SafeGet           = "safeGet"
	CreateTwice       = "createTwice"
)

// Course is what a series goes through, its create the first step.
type Course struct {
	Kind string
	// Resource is what the thing is one of; nil for a course of requests that are about no thing in particular.
	Resource *graph.Resource
	Steps    []Step
	// Probe is the kind of security probe that the course is there for.
	Probe messages.Probe
}

// Step is one request of a course.
type Step struct {
	Operation int
	// Again is the step, from 1, whose request is sent once more, byte for byte; 0: a new one is built for the thing.
	Again int
	// Whatever has the series go on whatever the step is answered with; it ends else where the answer is no 2xx.
	Whatever bool
	// Breaking has the request break a rule of its content, so that it is refused with 4xx; the series ends where it is not.
	Breaking bool
	// As says whose credentials it carries.
	As As
	// Probe is the kind of security probe that it is; Nowhere has one for a hidden method lead to what is not there.
	Probe   messages.Probe
	Nowhere bool
}

// As is whose credentials a request carries.
type As uint8

// Those whose they can be.
const (
	First    As = iota // those of the run's first user
	Second             // those of the second
	Nobody             // none
	Stranger           // wrong ones
)

// Courses are the series that can be made around a resource's things, in the order they are tried. Usable says whether
// requests can be built for an operation.
func Courses(doc *document.Document, r *graph.Resource, on settings.Series, usable func(operation int) bool) []Course {
	has := func(operation int) bool { return operation != graph.None && usable(operation) }
	if !has(r.Create) {
		return nil
	}
	var courses []Course
	add := func(on bool, kind string, steps ...Step) {
		for _, s := range steps {
			if !has(s.Operation) {
				return
			}
		}
		if on {
			courses = append(courses, Course{Kind: kind, Resource: r, Steps: append([]Step{{Operation: r.Create}}, steps...)})
		}
	}
	var reads []Step
	write := r.Patch // to the deleted; better still to something below it, which a PUT or PATCH may make anew
	if write == graph.None {
		write = r.Replace
	}
	below := false
	for _, i := range r.Under {
		op := doc.Operations[i]
		if !has(i) || graph.RouteOf(op).Deepest() != r.Template {
			continue
		}
		switch op.Method {
		case "GET":
			if len(reads) < mostReads {
				reads = append(reads, Step{Operation: i, Whatever: true})
			}
		case "POST":
			if !below {
				write, below = i, true
			}
		}
	}
	read := Step{Operation: r.Read}
	same := Step{Operation: r.Read, Again: 2} // it asks for what the first read asked for, in the same language and detail
	add(on.ReadAfterCreate, ReadAfterCreate, read)
	add(on.ListContains, ListContains, Step{Operation: r.List})
	add(on.PatchThenRead, PatchThenRead, Step{Operation: r.Patch}, read)
	if has(r.Read) {
		add(on.PutTwice, PutTwice, Step{Operation: r.Replace}, Step{Operation: r.Replace, Again: 2}, read)
	} else {
		add(on.PutTwice, PutTwice, Step{Operation: r.Replace}, Step{Operation: r.Replace, Again: 2})
	}
	add(on.RefusedWrite, RefusedWrite, read, Step{Operation: r.Patch, Breaking: true}, same)
	add(on.RefusedWrite, RefusedWrite, read, Step{Operation: r.Replace, Breaking: true}, same)
	add(on.SafeGet, SafeGet, append(append([]Step{read}, reads...), same)...)
	add(on.ReadAfterDelete, ReadAfterDelete, Step{Operation: r.Delete}, read)
	add(on.DeleteTwice, DeleteTwice, Step{Operation: r.Delete}, Step{Operation: r.Delete, Again: 2})
	add(on.WriteUnderDeleted, WriteUnderDeleted, Step{Operation: r.Delete}, Step{Operation: write})
	add(on.CreateTwice, CreateTwice, Step{Operation: r.Create, Again: 1})
	return courses
}

// mostReads is how many other reads of a thing a series of safe ones has.
const mostReads = 3

// Series is a series under way.
type Series struct {
	Number int64
	Course *Course
	// Thing is the address of what was made: the values of its gaps. It is nil until the create was answered.
	Thing []any
	// Taken are the steps that were answered.
	Taken []messages.Taken
	// Disturbed is true once another request may have changed the thing.
	Disturbed bool

	flying bool
	from   messages.Instant // the next step is not taken before it
}

// Begin begins a series with its create, which is being sent.
func Begin(number int64, c *Course) Series { return Series{Number: number, Course: c, flying: true} }

// Next is the step to be taken now; ok is false where there is none yet. Until is then when to look again.
func (s Series) Next(now messages.Instant) (step Step, until messages.Instant, ok bool) {
	switch {
	case s.flying:
		return Step{}, messages.Never, false
	case now < s.from:
		return Step{}, s.from, false
	}
	return s.Course.Steps[len(s.Taken)], 0, true
}

// Place is what the request of the next step says of the series.
func (s Series) Place() *messages.Step {
	return &messages.Step{
		Series: s.Number, Kind: s.Course.Kind, Nth: len(s.Taken) + 1, Taken: s.Taken[:len(s.Taken):len(s.Taken)], Disturbed: s.Disturbed,
	}
}

// Sent is the series with its next step under way, Unsent with that step as never offered.
func (s Series) Sent() Series   { s.flying = true; return s }
func (s Series) Unsent() Series { s.flying = false; return s }

// Answered is the series after its step has ended; over says that it has no more steps. Made is the thing that the
// create has made, nil if that is not known.
func (s Series) Answered(l messages.Learned, made []any) (next Series, over bool) {
	s.flying = false
	if l.Refused || l.Outcome == messages.NeverSent {
		// What was refused is not given up: it is asked for again once the wait is over, which the pacer sees to as well.
		s.from = l.HeardAt.Add(max(0, l.Wait))
		return s, false
	}
	if l.Outcome != messages.Answered || l.Reply == nil {
		return s, true
	}
	step := s.Course.Steps[len(s.Taken)]
	s.Taken = append(s.Taken[:len(s.Taken):len(s.Taken)], messages.Taken{Request: l.Request, Reply: l.Reply, Value: l.Value})
	if len(s.Taken) == 1 && s.Course.Resource != nil {
		if s.Thing = made; made == nil {
			return s, true
		}
	}
	good := l.Reply.Status >= 200 && l.Reply.Status <= 299
	if step.Breaking {
		good = l.Reply.Status >= 400 && l.Reply.Status <= 499
	}
	return s, len(s.Taken) == len(s.Course.Steps) || !good && !step.Whatever
}

// Deleted says whether a step has deleted the thing.
func (s Series) Deleted() bool {
	for i, taken := range s.Taken {
		if i > 0 && s.Course.Resource != nil && taken.Request.Operation == s.Course.Resource.Delete && taken.Reply.Status < 300 {
			return true
		}
	}
	return false
}

// Longest is how long a series is at most, for those who bound what they keep of it.
const Longest = 3 + mostReads // a probe has six steps at most
