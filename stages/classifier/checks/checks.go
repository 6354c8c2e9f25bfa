// Package checks says what one exchange shows of the API's faults: one file a check.
//
// To add a check, write a file with a type that is a Check, and put it into the table that All returns.
package checks

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/restest/restest/clock/quota"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// Check looks at one exchange for one kind of fault. It has no state, asks nobody, and changes nothing of what it
// is given but Input.Unjudged. Its doc comment says how sure it is, and why.
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
	// Certainty is how sure its findings are (one finding may be less sure than its check).
	Certainty messages.Certainty
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
		responseHeader{},

		createdToDelete{},
		createdToGet{},
		createdToPatch{},
		noContentWithContent{},
		tooLargeWithoutContent{},
		unsupportedWithoutContent{},
		notModifiedUnasked{},
		unauthorizedWithoutChallenge{},
		notAllowedWithoutAllow{},
		resetContentWithContent{},
		upgradeRequiredWithoutUpgrade{},
		invalidLocation{},
		invalidAllow{},
		unauthorizedUnsecured{},
		forbiddenWithoutUnauthorized{},
		notAcceptableThoughDeclared{},
		offSpecWait{},
		slowReply{},

		invalidAccepted{},
		validRejected{},
		stackTrace{},
		sqlError{},
		reflectedScript{},

		massAssignment{},
		existenceLeaked{},
		notRecognized{},
		inconsistentAuthorization{},
		ignoredAnonymous{},
		anonymousModification{},
		hiddenAccessible{},
		authNotEnforced{},

		stillThereAfterDelete{},
		changedByRefusedWrite{},
		repeatedPutCreates{},
		putCreatesExisting{},
		partialPut{},
		putNotIdempotent{},
		invalidMergePatch{},
		createdNotFound{},
		createdNotListed{},
		unsafeGet{},
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
	// Beside is true where the API ended the connection of another request, one it had not answered anything on before or
	// whose reply had begun, while this one was under way: a process that dies ends them all.
	Beside bool
	// Slow is how long a reply may take, 0 for any time.
	Slow time.Duration
	// Origin is the API's, such as "http://127.0.0.1:8080".
	Origin string
	// Operations are those of the document, by their index.
	Operations []*document.Operation
	// Declares are the methods that the document declares for the operation's path, in order.
	Declares []string
	// SignsIn is true for an operation that looks like a sign-in: what it refuses is a password.
	SignsIn bool
	// Received is the wall time at which the reply's header was there.
	Received time.Time
	// Misspelt are the fields on a quota that do not say what they should (decision 0012).
	Misspelt []quota.Problem
	// Twin says whether a request that differs from this one in nothing the document constrains was accepted before. It is
	// asked only of valid requests that were refused.
	Twin func() bool

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

// plain is the reply if HTTP's rules for it can be judged: the operation's own, no refusal, with a status and a header.
func (in *Input) plain() *messages.Reply {
	if in.Refused || len(in.Exchange.Hops) > 0 {
		return nil
	}
	return in.Exchange.Reply
}

// answered is the reply that HTTP's rules for that status can be judged of, nil if it has another.
func (in *Input) answered(status int) *messages.Reply {
	if reply := in.plain(); reply != nil && reply.Status == status {
		return reply
	}
	return nil
}

// has says whether there is a field line of that name.
func has(fields []messages.Field, name string) bool {
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

// finding is one finding of a check.
func (a About) finding(title, expected, got string) messages.Finding {
	return messages.Finding{Code: a.Code, Error: a.Error, Certainty: a.Certainty, Title: Line(title), Expected: Line(expected), Got: Line(got)}
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
