package inference

import (
	"slices"
	"time"
)

// Examination answers the questions about one limiter, one after the other. It is a plain value, as Planner is.
type Examination struct {
	questions []Question
	published Known
	most      int
	longest   time.Duration
	variants  []Variant

	finder  *finder
	planner *Planner
	measure *measuring

	sent    int
	begun   bool
	began   Instant
	quiet   Instant
	notes   []string
	batches []Batch
	stopped bool
}

// Variant is one of the requests that an examination can send.
type Variant struct {
	// Name says what differs from the plain request, such as "HEAD".
	Name string
	Kind VariantKind
}

// VariantKind sorts variants by the question they answer.
type VariantKind int

// The kinds.
const (
	// Plain is the request itself.
	Plain VariantKind = iota
	// OtherKey has another key; OtherAddress comes from another address.
	OtherKey
	OtherAddress
	// NoKey has no key at all.
	NoKey
	// OtherMethod, OtherTarget and Forged should be one budget with the plain request: a method, a spelling of the
	// path, a header that anyone can write.
	OtherMethod
	OtherTarget
	Forged
	// Faulty is answered with a client error.
	Faulty
	// OtherOperation is another operation of the same API.
	OtherOperation
	// Compared is a route without a limiter.
	Compared
)

// The bounds of an examination that is given none: so many times the limit in requests, so many windows.
const (
	familyRequests, familyWindows = 14, 16
	allRequests, allWindows       = 25, 30
	// unknownRequests bounds an examination whose limit is not known.
	unknownRequests = 10_000
)

// NewExamination makes one. A limit or a window of 0 is not known and is found.
func NewExamination(k Known, questions []Question, variants ...Variant) *Examination {
	e := &Examination{questions: questions, published: k, variants: variants}
	e.most, e.longest = Bounds(k, questions)
	if k.Limit > 0 && k.Window > 0 {
		e.planner = e.planFor(k)
	} else {
		e.finder = newFinder(k, e.most)
	}
	return e
}

// Bounds are the most requests that an examination sends and the longest time it takes, 0 if that is not known before.
func Bounds(k Known, questions []Question) (int, time.Duration) {
	requests, windows := familyRequests, familyWindows
	if slices.ContainsFunc(questions, func(q Question) bool { return q > Which }) {
		requests, windows = allRequests, allWindows
	}
	if k.Limit == 0 {
		return unknownRequests, 0
	}
	return max(requests*k.Limit, 1), time.Duration(windows) * k.Window
}

// AtMost bounds the requests by hand.
func (e *Examination) AtMost(requests int) {
	e.most = requests
	if e.planner != nil {
		e.planner.MostRequests = min(e.planner.MostRequests, requests)
	}
	if e.finder != nil {
		e.finder.most = requests
	}
}

// Most is how many requests it sends at most.
func (e *Examination) Most() int { return e.most }

func (e *Examination) planFor(k Known) *Planner {
	p := New(k)
	p.MostRequests = min(p.MostRequests, e.most-e.sent)
	p.quiet = e.quiet
	return p
}

// Known are the limit and the window as they are published or were found.
func (e *Examination) Known() Known {
	if e.measure != nil {
		return e.measure.planner.known
	}
	if e.planner != nil {
		return e.planner.known
	}
	return e.published
}

// Quiet has no experiment begin before a moment: the API asked to be left alone until then. Asking whether it is open
// again, within an experiment, is the exception.
func (e *Examination) Quiet(until Instant) {
	if e.planner != nil {
		// What it says is believed up to the longest rest that any experiment needs.
		until = min(until, e.now().Add(4*e.planner.known.Window))
	}
	e.quiet = max(e.quiet, until)
	if e.planner != nil {
		e.planner.quiet = e.quiet
	}
}

// now is the end of the last batch.
func (e *Examination) now() Instant {
	if len(e.batches) == 0 {
		return 0
	}
	return e.batches[len(e.batches)-1].Hi
}

// Stop has nothing more be sent.
func (e *Examination) Stop() { e.stopped = true }

// Next is the next batch, false if nothing more is worth sending or may be sent.
func (e *Examination) Next(now Instant) (Step, bool) {
	if e.stopped {
		return Step{}, false
	}
	s, ok := e.next(now)
	if !ok || e.sent+s.N > e.most {
		e.stopped = true
		return Step{}, false
	}
	if s.Question == 0 {
		s.Question = Which
	}
	if !e.begun {
		e.begun, e.began = true, s.At
	}
	return s, true
}

func (e *Examination) next(now Instant) (Step, bool) {
	if e.finder != nil && !e.finder.over {
		if s, ok := e.finder.next(now); ok {
			return s, true
		}
	}
	if e.planner == nil {
		if e.finder.found.Window == 0 {
			return Step{}, false
		}
		e.planner = e.planFor(e.finder.found)
		for _, b := range e.finder.table {
			e.planner.Add(b)
		}
		e.planner.MostTime += e.now().Sub(e.finder.table[0].Lo)
		if e.published.Limit == 0 {
			most, _ := Bounds(e.finder.found, e.questions)
			e.planner.MostRequests = min(e.planner.MostRequests+e.sent, e.most)
			e.most = min(e.most, e.sent+most)
		}
	}
	if e.measure == nil {
		if s, ok := e.planner.Next(now); ok {
			return s, true
		}
		e.measure = newMeasuring(e)
	}
	return e.measure.next(now)
}

// Add takes in what came of the step that Next gave last.
func (e *Examination) Add(b Batch) {
	e.batches = append(e.batches, b)
	e.sent += b.N
	switch {
	case e.finder != nil && !e.finder.over:
		e.finder.add(b)
	case e.measure == nil && e.planner != nil:
		e.planner.Add(b)
	}
}

// Variant names what differs in a step from the plain request, "" for nothing.
func (e *Examination) Variant(s Step) string {
	if s.Variant == 0 {
		return ""
	}
	return e.variants[s.Variant].Name
}

// Table is every batch so far.
func (e *Examination) Table() []Batch { return e.batches }

// Sent is how many requests were sent.
func (e *Examination) Sent() int { return e.sent }

// Verdict is which limiter it is, as far as that is known.
func (e *Examination) Verdict() Verdict {
	switch {
	case e.measure != nil:
		return e.measure.verdict
	case e.planner != nil && len(e.planner.table) > 1:
		return e.planner.Verdict()
	case e.finder == nil || len(e.finder.table) < 2:
		return Verdict{}
	case e.finder.family != "":
		return Verdict{Family: e.finder.family, Certainty: Likely, Candidates: []Family{e.finder.family}, AtOnce: e.finder.atOnce, Limit: e.finder.atOnce}
	}
	if _, _, _, refused := opening(e.finder.table); !refused {
		return Verdict{Family: None, Certainty: Likely, Candidates: []Family{None}}
	}
	return Verdict{AtOnce: e.finder.atOnce}
}
