package series

import (
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/settings/document/graph"
)

// Probing says which security probes can be made (decision 0025).
type Probing struct {
	On settings.Security
	// Usable says whether requests can be built for an operation, Keyed whether it asks for credentials that the run has.
	Usable, Keyed func(operation int) bool
	// Hides says, of an operation, whether the document has properties in replies that it has not in its requests.
	Hides func(operation int) bool
	// Several is true where there is a second user.
	Several bool
}

// The kinds of series that security probes are made in, beside those that are called as their probe is.
const (
	// ExistenceLeaked asks as another user for a thing, and again once it is deleted.
	ExistenceLeaked = "existenceLeaked"
	// ForbiddenToSome asks for a thing as another user, and as nobody.
	ForbiddenToSome = "forbiddenToSome"
)

// Probes are the courses that begin with an operation and are about no thing of the run's own: what was accepted is sent
// once more, without what it should need, or by another method.
func Probes(doc *document.Document, operation int, p Probing) []Course {
	op := doc.Operations[operation]
	if !p.Usable(operation) {
		return nil
	}
	var courses []Course
	first := Step{Operation: operation}
	if p.Keyed(operation) {
		for _, u := range p.unauthenticated() {
			switch {
			case op.Method == "GET" || op.Method == "HEAD":
				courses = append(courses, Course{Kind: string(u.probe), Probe: u.probe, Steps: []Step{first, {Operation: operation, Again: 1, As: u.as, Probe: u.probe}}})
			case op.Method == "POST" && len(graph.RouteOf(op).Gaps) == 0:
				// The same could be there already, so it is another one.
				courses = append(courses, Course{Kind: string(u.probe), Probe: u.probe, Steps: []Step{first, {Operation: operation, As: u.as, Probe: u.probe}}})
			}
		}
	}
	if p.On.HiddenMethod && hidesGET(doc, op) {
		courses = append(courses, Course{Kind: string(messages.HiddenMethod), Probe: messages.HiddenMethod, Steps: []Step{
			first,
			{Operation: operation, Again: 1, Probe: messages.HiddenMethod, Nowhere: true, Whatever: true},
			{Operation: operation, Again: 1, Probe: messages.HiddenMethod},
		}})
	}
	return courses
}

// ProbesAround are the courses around a thing of the resource that is made for them.
func ProbesAround(doc *document.Document, r *graph.Resource, p Probing) []Course {
	if r.Create == graph.None || !p.Usable(r.Create) {
		return nil
	}
	var courses []Course
	add := func(kind string, probe messages.Probe, steps ...Step) {
		for _, s := range steps {
			if s.Operation == graph.None || !p.Usable(s.Operation) {
				return
			}
		}
		courses = append(courses, Course{Kind: kind, Resource: r, Probe: probe, Steps: append([]Step{{Operation: r.Create}}, steps...)})
	}
	keyed := func(operation int) bool { return operation != graph.None && p.Usable(operation) && p.Keyed(operation) }
	for _, u := range p.unauthenticated() {
		kind := string(u.probe)
		for _, write := range []int{r.Replace, r.Patch} {
			if keyed(write) {
				add(kind, u.probe, Step{Operation: write}, Step{Operation: write, Again: 2, As: u.as, Probe: u.probe})
			}
		}
		for _, i := range r.Under {
			if op := doc.Operations[i]; op.Method == "POST" && keyed(i) && graph.RouteOf(op).Deepest() == r.Template {
				add(kind, u.probe, Step{Operation: i}, Step{Operation: i, As: u.as, Probe: u.probe})
			}
		}
		if keyed(r.Delete) {
			add(kind, u.probe, Step{Operation: r.Delete, As: u.as, Probe: u.probe})
		}
	}
	if p.On.OtherUser && p.Several {
		p.otherUser(r, add)
	}
	if !p.On.MassAssignment {
		return courses
	}
	if p.Hides(r.Create) {
		add(string(messages.MassAssignment), messages.MassAssignment, Step{Operation: r.Create, Probe: messages.MassAssignment})
	}
	for _, write := range []int{r.Patch, r.Replace} {
		if write != graph.None && p.Usable(write) && p.Hides(write) {
			add(string(messages.MassAssignment), messages.MassAssignment, Step{Operation: r.Read}, Step{Operation: write},
				Step{Operation: write, Again: 3, Probe: messages.MassAssignment}, Step{Operation: r.Read, Again: 2, Probe: messages.MassAssignment})
		}
	}
	return courses
}

// otherUser adds what the second user does with the first one's thing.
func (p Probing) otherUser(r *graph.Resource, add func(string, messages.Probe, ...Step)) {
	const other = messages.OtherUser
	as := func(operation, again int) Step {
		return Step{Operation: operation, Again: again, As: Second, Probe: other, Whatever: true}
	}
	usable := func(operation int) bool { return operation != graph.None && p.Usable(operation) }
	// That the credentials are good, the list shows.
	steps := []Step{as(r.Read, 0)}
	if usable(r.List) {
		steps = []Step{as(r.List, 0), as(r.Read, 0)}
	}
	reads := len(steps)
	for _, write := range []int{r.Replace, r.Patch} {
		if usable(write) {
			steps = append(steps, Step{Operation: write}, as(write, len(steps)+2))
			break
		}
	}
	if usable(r.Delete) {
		steps = append(steps, as(r.Delete, 0))
	}
	if len(steps) > reads || reads > 1 {
		add(string(other), other, steps...)
	}
	add(ExistenceLeaked, other, as(r.Read, 0), Step{Operation: r.Delete}, as(r.Read, 2))
	if p.On.Anonymous {
		add(ForbiddenToSome, other, Step{Operation: r.Read}, as(r.Read, 2), Step{Operation: r.Read, Again: 2, As: Nobody, Probe: messages.Anonymous})
	}
}

// unauthenticated are the probes without credentials, and with wrong ones, that are switched on.
func (p Probing) unauthenticated() []unauthenticated {
	var all []unauthenticated
	if p.On.Anonymous {
		all = append(all, unauthenticated{messages.Anonymous, Nobody})
	}
	if p.On.WrongCredentials {
		all = append(all, unauthenticated{messages.WrongCredentials, Stranger})
	}
	return all
}

type unauthenticated struct {
	probe messages.Probe
	as    As
}

// hidesGET says whether the operation is the first of a path that declares no GET, and one whose success says that the
// address leads somewhere.
func hidesGET(doc *document.Document, op *document.Operation) bool {
	for _, other := range doc.Operations {
		if other.SignIn || other.BasePath+other.Path != op.BasePath+op.Path {
			continue
		}
		if other.Method == "GET" {
			return false
		}
		if writes(other.Method) && other.Index < op.Index {
			return false
		}
	}
	return writes(op.Method)
}

func writes(method string) bool { return method == "POST" || method == "PUT" || method == "PATCH" }
