package messages

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// longestCause bounds, in bytes, what a key keeps of a cause that may be as long as a reply.
const longestCause = 200

// KeyOf is the key of a finding that the request's exchange shows; the reply is nil where none came.
func KeyOf(r *Request, reply *Reply, f *Finding) FindingKey {
	k := FindingKey{Operation: r.Operation, Code: f.Code, Cause: f.Cause}
	if reply != nil {
		k.Status = reply.Status
	}
	if len(k.Cause) > longestCause {
		// What comes of it is kept as it is the next time, and is a text where the cause is one.
		sum := sha256.Sum256([]byte(k.Cause))
		k.Cause = strings.ToValidUTF8(k.Cause[:longestCause-len(sum)], "") + hex.EncodeToString(sum[:len(sum)/2])
	}
	return k
}

// Answer is what a request that was sent again says of its finding.
type Answer int

// The answers.
const (
	// SaysNothing: it was not answered as the first request was, for a reason that is none of the finding's.
	SaysNothing Answer = iota
	// Shows: the finding is there again.
	Shows
	// ShowsNot: it is not.
	ShowsNot
)

// Says is what an exchange says of the finding that its request was sent again for. It says nothing where the request
// did not come to the same: it was never sent or lost, it was asked to wait, or the thing it is about is gone or in the
// way (decision 0022).
func (about *Recheck) Says(r *Request, outcome Outcome, reply *Reply, refused bool, findings []Finding) Answer {
	k := about.Finding
	for i := range findings {
		if KeyOf(r, reply, &findings[i]) == k {
			return Shows
		}
	}
	switch {
	case outcome == NeverSent, refused, about.Tentative:
		return SaysNothing
	case reply == nil:
		if k.Status == 0 {
			return ShowsNot // it ended, and otherwise
		}
		return SaysNothing
	case reply.Status == k.Status:
		return ShowsNot
	}
	if r.Probe.Unauthenticated() && (reply.Status == 401 || reply.Status == 403) {
		return ShowsNot // it is refused as it should be
	}
	switch reply.Status {
	case 401, 404, 409, 410, 412:
		return SaysNothing
	case 400, 422:
		// What was made before cannot always be made again.
		if k.Status >= 200 && k.Status <= 299 && changes(r.Method) {
			return SaysNothing
		}
	}
	return ShowsNot
}

// InTheWay says whether the reply to a request sent again means that what it makes is there already.
func (k FindingKey) InTheWay(r *Request, reply *Reply) bool {
	return reply != nil && changes(r.Method) && (reply.Status == 409 || reply.Status == 400 || reply.Status == 422) && reply.Status != k.Status
}

func changes(method string) bool { return method == "POST" || method == "PUT" || method == "PATCH" }
