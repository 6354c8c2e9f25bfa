// Package checks says what one exchange shows of the API's faults: one file a check.
//
// To add a check, write a file with a type that is a Check, and put it into the table that All returns.
package checks

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// Check looks at one exchange for one kind of fault. It has no state, asks nobody, and changes nothing of what it
// is given but Input.Unjudged.
type Check interface {
	About() About
	// Check lists the faults found, in an order that hangs on the exchange alone. It is asked for every exchange, so
	// what is no business of it must cost next to nothing.
	Check(in *Input) []messages.Finding
}

// About says what a check is.
type About struct {
	// Code is its number in the fault catalogue, such as 100 for F100.
	Code int
	// Name is the name of its switch in the settings, such as "internalServerError".
	Name string
	// Title is what it finds, in a person's words.
	Title string
	// Error is true if its findings are errors, false if they are warnings (one finding may be less than its check).
	Error bool
	// On says whether the settings have it on.
	On func(settings.Checks) bool
}

// All are the checks in the order of their work: what the reply is, then what it holds.
func All() []Check {
	return []Check{
		internalServerError{},
		otherServerError{},
		notImplemented{},
		nonStandardStatusCode{},
		noReplyInTime{},
		brokenReply{},
		undeclaredStatusCode{},
		undeclaredContentType{},
		responseSchema{},
	}
}

// Input is one exchange, with what was worked out about it once for every check.
type Input struct {
	Exchange  *messages.Exchange
	Operation *document.Operation
	// Declared is what the document says of a reply like the operation's own.
	Declared Declared
	// Content is the reply's body read as JSON.
	Content Content
	// Refused is true for a 429, or a 503 with a readable Retry-After. It says nothing about data and is never
	// judged by its content (ADR-0042 §4).
	Refused bool
	// Judge says how a value does not fit a schema.
	Judge func(*document.Schema, document.Direction, any) ([]document.Fault, error)
	// MostKept is how many bytes of a reply's content the run keeps.
	MostKept int64

	// Unjudged is set to why the body could not be judged, where one would have been.
	Unjudged string
}

// reply is the reply if it has a status line; a refusal is one too.
func (in *Input) reply() *messages.Reply { return in.Exchange.Reply }

// own is the operation's own reply: where redirects were followed, the first of them, without its content. What they
// led to is the reply of another address, of which the document says nothing here.
func (in *Input) own() *messages.Reply {
	if hops := in.Exchange.Hops; len(hops) > 0 && in.Exchange.Reply != nil {
		return &messages.Reply{Status: hops[0].Status}
	}
	return in.Exchange.Reply
}

// finding is one finding of a check.
func (a About) finding(title, expected, got string) messages.Finding {
	return messages.Finding{Code: a.Code, Error: a.Error, Title: Line(title), Expected: Line(expected), Got: Line(got)}
}

// status names a status code: "404 Not Found", or with the reply's own reason where HTTP has no name for it.
func status(reply *messages.Reply) string {
	text := http.StatusText(reply.Status)
	if text == "" {
		text = reply.Reason
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", reply.Status, Line(text)))
}

// answer is the status with the beginning of the content, in one line.
func answer(reply *messages.Reply) string {
	if text := excerpt(reply.Body); text != "" && reply.Undecodable == "" {
		return status(reply) + ": " + text
	}
	return status(reply)
}
