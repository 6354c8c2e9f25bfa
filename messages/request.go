package messages

import "strings"

// Request is one request as it was built.
type Request struct {
	// Seq numbers the requests of a run, Nth those of its operation, both from 1, in the order they were built.
	Seq       int64
	Nth       int
	Operation int
	Method    string
	// Target is the request target as it goes on the wire: path and query, percent-encoded (RFC 9112 §3.2.1).
	Target string
	// Header holds the fields in the order they are written. Host, Content-Length and Connection are the sender's.
	Header []Field
	// Body is nil for a request without content; empty but not nil for one with empty content.
	Body []byte
	// Purpose is why it was built.
	Purpose Purpose
	// Valid is true if the generator holds that it fits the document. ByDiscriminator is true of one that fits but for a
	// oneOf of which several branches take a value: a discriminator alone tells them apart, which JSON Schema does not
	// look at. It is not valid, but meant to be.
	Valid, ByDiscriminator bool
	// Breaks is the one rule of the document that the request breaks on purpose, as its place and the rule, such as
	// "body.age: maximum"; "" where it breaks none. A request that breaks a rule is not valid.
	Breaks string
	// Probe is the kind of security probe that it is, NoProbe for every other request (decision 0025).
	Probe Probe
	// Series is the place the request has in a series, nil if it is in none.
	Series *Step
	// User names whose credentials it carries, "" for those of the run's only user.
	User string
	// SignIn says which sign-in the request is a step of, nil for none.
	SignIn *SignIn
	// Recheck says which finding the request is sent again for, nil for none.
	Recheck *Recheck
	// Origins say where each value came from.
	Origins []Origin
	// Named are the places where names of things stand that requests before it made, Fresh those of texts that have to be
	// new each time it is sent. Both are known of requests that were sent again, and told with them.
	Named []Named  `json:"-"`
	Fresh []string `json:"-"`
	// Hints are what it follows of what refusals of its operation have asked for.
	Hints []*Hint
}

// Hint is one thing that refusals asked for: of the Place, such as "body.name", and what it Wants there, such as "is one
// of a, b".
type Hint struct{ Place, Wants string }

// Field is one header field line (RFC 9110 §5).
type Field struct{ Name, Value string }

// Origin says where a value came from: Place such as "path.id" or "body.tags[0]", Source such as "example".
type Origin struct{ Place, Source string }

// Purpose is why a request was built.
type Purpose int

// The purposes.
const (
	// OpeningLap: the first request of its operation, in the opening lap.
	OpeningLap Purpose = iota
	// Nominal: an ordinary valid request.
	Nominal
	// Covering: a value on, just inside or just outside a bound of the document, or a part present or absent.
	Covering
	// Mutating: an accepted request with one thing changed.
	Mutating
	// Fuzzing: a request with troublesome values.
	Fuzzing
	// InSeries: a step of a series around one thing.
	InSeries
	// Probing: a security probe.
	Probing
	// SigningIn: a request for a token or a session.
	SigningIn
	// CleaningUp: a request that removes what the run created.
	CleaningUp
	// Rechecking: a request sent again to see whether a finding is still there.
	Rechecking
)

// Probe is a kind of security probe, by the name of its switch.
type Probe string

// The kinds of probes.
const (
	NoProbe          Probe = ""
	Anonymous        Probe = "anonymous"        // without credentials
	WrongCredentials Probe = "wrongCredentials" // with those of nobody
	OtherUser        Probe = "otherUser"        // about what another user has made
	MassAssignment   Probe = "massAssignment"   // with a property that belongs in replies alone
	HiddenMethod     Probe = "hiddenMethod"     // with a method that the path does not declare
	Injection        Probe = "injection"        // with a text that would be taken for code
)

// Probes are the kinds in the order they are told.
var Probes = []Probe{Anonymous, WrongCredentials, OtherUser, MassAssignment, HiddenMethod, Injection}

// Unauthenticated says whether the request goes without credentials, or with wrong ones.
func (p Probe) Unauthenticated() bool { return p == Anonymous || p == WrongCredentials }

// Step is a request's place in a series: requests that follow one another around one thing.
type Step struct {
	// Series numbers the series of a run, from 1; Kind is what it asks, such as "readAfterDelete".
	Series int64
	Kind   string
	// Nth is the step, from 1.
	Nth int
	// Thing identifies the thing, as its address has it, "" before it is known.
	Thing string
	// Taken are the steps before this one, the first first: what a judge of this step needs to remember of them.
	Taken []Taken
	// Ahead are the requests that made what the series is about itself, the first first, as far as they are known.
	Ahead []Maker `json:"-"`
	// Disturbed is true if another request of the run may have changed the thing since the series began, such as a
	// DELETE of all there are: what the step finds is nobody's fault then.
	Disturbed bool
}

// Taken is a step that was taken and how it was answered. What it points to is shared, and never changed.
type Taken struct {
	Request *Request
	Reply   *Reply
	// Value is the reply's body read as JSON, nil where it is not.
	Value any
}

// Recheck is what a request that is sent again for a finding is to show.
type Recheck struct {
	// Finding is the one looked at.
	Finding FindingKey
	// Seq is the number of the request that showed it.
	Seq int64
	// Smaller is true if the request was reduced, or put to a thing of the run's own, or given fresh texts: that shows the
	// finding as well, or does not.
	Smaller bool
	// Last is true for the request that shows the finding; those before it build its series anew.
	Last bool
	// Tentative is true if it says nothing where it does not show the finding: what it is about may not be as it was,
	// and can still be made anew.
	Tentative bool
	// Makers are, for the last one, the requests that make anew what it is about, the first first.
	Makers []Maker `json:"-"`
}

// Maker is a request that made, or changed, what another one is about.
type Maker struct {
	Request *Request
	// Address is the path of what it made, "" where it made nothing or that is not known.
	Address string
	// Place is where its reply says so: "Location" or, as a JSON pointer, where the name stands that ends the address; ""
	// where it does not.
	Place string
	// Ahead is true where it comes before the series that the last request is in, and is no step of it.
	Ahead bool
}

// FindingKey tells findings of one cause from others.
type FindingKey struct {
	Operation, Code, Status int
	Cause                   string
}

// Reply is what came back.
type Reply struct {
	Proto  string // "HTTP/1.1"
	Status int
	Reason string
	// Header holds the field lines in the order they came, names as they were written.
	Header  []Field
	Trailer []Field
	// Body is the content with its content coding taken off, at most as long as the run keeps.
	Body []byte
	// Length counts the content's bytes that were read, after its coding was taken off.
	Length int64
	// Cut is true if the content is longer than the run keeps, so that Body is only its beginning.
	Cut bool
	// Undecodable says why the content coding could not be taken off, "" if it could; Body is as it came then.
	Undecodable string
}

// Get is the value of the first field line of that name, "" if there is none. Names compare without case.
func Get(fields []Field, name string) string {
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Values are the values of every field line of that name, in order.
func Values(fields []Field, name string) []string {
	var values []string
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			values = append(values, f.Value)
		}
	}
	return values
}

// Set is a set of operations by their index. It is never changed once it has been told.
type Set []uint64

// Has says whether the operation is in the set.
func (s Set) Has(operation int) bool {
	w := operation >> 6
	return w < len(s) && s[w]&(1<<(operation&63)) != 0
}

// Or is the set of the operations in either.
func (s Set) Or(t Set) Set {
	if len(s) < len(t) {
		s, t = t, s
	}
	if len(t) == 0 {
		return s
	}
	both := make(Set, len(s))
	copy(both, s)
	for i, w := range t {
		both[i] |= w
	}
	return both
}

// With is the set with the operation in it; the set itself is not changed.
func (s Set) With(operation int) Set {
	w := operation >> 6
	n := max(len(s), w+1)
	t := make(Set, n)
	copy(t, s)
	t[w] |= 1 << (operation & 63)
	return t
}
