// Package messages holds what the stages say to one another: plain structs that can be encoded.
//
// A message is given away: who has told it does not touch it again, and what a message points to is never
// changed once it has been told, so two stages may read the same Request or Reply.
//
// Wishes are nouns or imperatives (Want, Go), facts are past participles (Departed, Heard). Moments are Instants
// of the run; durations appear only where a length is meant.
package messages

import "time"

// Instant is a moment of a run: nanoseconds since the run began. It has no zone and no monotonic part, so two
// Instants compare as numbers do; wall time is added once, in the report.
type Instant int64

// Never is later than every moment of a run.
const Never Instant = 1<<63 - 1

// Add is the moment d after t; it stops at Never instead of overflowing.
func (t Instant) Add(d time.Duration) Instant {
	sum := t + Instant(d)
	if d > 0 && sum < t {
		return Never
	}
	return sum
}

// Sub is how long after u the moment t comes.
func (t Instant) Sub(u Instant) time.Duration { return time.Duration(t - u) }

// Each stage has one mailbox with a closed message type: only the types below it can be told.
type (
	// ToGenerator is what the generator is told.
	ToGenerator interface{ toGenerator() }
	// ToPacer is what the pacer is told.
	ToPacer interface{ toPacer() }
	// ToSender is what the sender is told, by the pacer and by its transport.
	ToSender interface{ toSender() }
	// ToClassifier is what the classifier is told.
	ToClassifier interface{ toClassifier() }
	// ToReporter is what the reporter is told.
	ToReporter interface{ toReporter() }
)

// Want asks the generator for one request that can go now. It is answered by exactly one Offer.
type Want struct {
	// Resting are the operations told to wait: their turns are skipped, and counted.
	Resting Set
	// Busy are operations that may not have one more request under way just now (on trial, or holding their
	// half of the slots): passed over, and not counted.
	Busy Set
}

// Offer answers a Want: a request built at that moment, or nothing.
type Offer struct {
	// Request is nil when there is nothing to send now.
	Request *Request
	// Until is, when there is nothing, when to ask again; the pacer also asks when a slot comes back or a wait
	// ends. Never means: only then.
	Until Instant
	// Why says, when there is nothing, why.
	Why Nothing
	// Skipped are the resting operations whose turns were passed over for this offer, in the order of their turns.
	Skipped []int
}

// Nothing is why an Offer holds no request.
type Nothing int

// The reasons for offering nothing.
const (
	// NothingYet: a step of the opening lap waits for its answers.
	NothingYet Nothing = iota
	// NothingMayGo: each operation is resting or busy.
	NothingMayGo
	// NothingBuilt: a request could not be built this time; it is looked at again after a twentieth of a second.
	NothingBuilt
	// NothingEver: nothing in the document can be sent. The run ends.
	NothingEver
	// NothingAllowed: every request of the opening lap was answered 401, or each operation needs a sign-in that failed.
	// The run ends.
	NothingAllowed
)

// Returned hands an offered request back as one never built: its operation came to rest while the pacer held it.
// The generator counts as if it had not been offered.
type Returned struct{ Request *Request }

// Learned tells the generator how a request ended. It is told for every request, before the pacer hears of it
// and before the slot comes back.
type Learned struct {
	Request *Request
	Outcome Outcome
	// Reply is nil unless the outcome is Answered or BrokeOff.
	Reply *Reply
	// Value is the reply's body read as JSON (numbers as json.Number), nil where it is not JSON.
	Value any
	// Refused is true for a 429, or a 503 with a readable Retry-After: it says nothing about data.
	Refused bool
	// Findings are what the checks found in the exchange.
	Findings []Finding
	// SignedIn is what the reply to a sign-in gave, nil for every other request and where there is no reply.
	SignedIn *SignedIn
	// Kind sorts what ended a request without a whole reply.
	Kind Failure
	// SentAt is when its bytes began to be written, HeardAt when the reply's header was there (its end, if there was no
	// reply), Wait how long a refusal asks to wait from then, 0 if it says nothing.
	SentAt, HeardAt Instant
	Wait            time.Duration
}

// Experimented tells the reporter of one experiment on a limiter: so many requests sent together, and how many of them
// were let through. Variant names what differs from the plain request, "" for nothing.
type Experimented struct {
	At             Instant
	Why, Variant   string
	Sent, Accepted int
}

// Open asks the sender to have the slot's connection open; it is answered by Ready or Unreachable.
type Open struct{ Slot int }

// Go lets a request leave: at the moment At, not before it, and never at or after Deadline. It ends in exactly one Departed.
type Go struct {
	Slot     int
	Request  *Request
	At       Instant
	Deadline Instant
	// Hop marks a turn granted to a redirect that the slot asked for with Again.
	Hop bool
}

// Recall takes a Go back if its request has not been written yet: a rest, a hold or a stop came. The slot answers the
// Go with Departed{Unsent: true, Recalled: true} then, and its request is the pacer's again; or with an ordinary
// Departed if the bytes had gone. The Recall of a redirect's turn, granted or asked for, ends the call with the redirect.
type Recall struct{ Slot int }

// Drop sends a request straight to the report as one that never went out.
type Drop struct{ Request *Request }

// Abandon ends, without an answer, everything still under way: the run's grace is over.
type Abandon struct{}

// Close ends the sender's connections: the run is over.
type Close struct{}

// Departed says that a Go has ended: its bytes were written, or it never went out.
type Departed struct {
	Slot    int
	Request *Request
	// At is the moment just before the write, Written the moment after it; the next turn is counted from Written.
	At, Written Instant
	// Unsent is true if nothing was written. The request's Exchange, with the outcome NeverSent, follows it, unless it
	// was Recalled: then the request is handed back, and the slot is free.
	Unsent, Recalled bool
	Hop              bool
}

// Again asks for a turn for the next hop of a redirect; the slot is kept. It is answered by a Go with Hop set, or
// by Recall when none can be given any more.
type Again struct {
	Slot    int
	Request *Request
}

// Ready says that the slot's connection is open.
type Ready struct{ Slot int }

// Unreachable says that the slot's connection could not be opened; the pacer asks again later.
type Unreachable struct {
	Slot   int
	Reason string
}

// Head is a reply's status line and header, told ahead of its body when the body has not come whole with them.
type Head struct {
	Slot    int
	Request *Request
	SentAt  Instant
	HeardAt Instant
	Reply   *Reply // without a body
}

// Exchange is a request and how it ended. Each request ends in exactly one.
type Exchange struct {
	Slot    int // -1 for a request that never had one
	Request *Request
	Outcome Outcome
	// SentAt is when its bytes began to be written, HeardAt when the reply's header was there, EndedAt when it was over.
	SentAt, HeardAt, EndedAt Instant
	// Reply is nil unless the outcome is Answered or BrokeOff.
	Reply *Reply
	// Failure says in a few words what went wrong, "" for an answered request.
	Failure string
	// Kind sorts the failure.
	Kind Failure
	// HeadTold is true if a Head was told before.
	HeadTold bool
	// Hops are the redirects followed on the way, each a request of its own at the API.
	Hops []Hop
	// Open is true if the slot's connection can take the next request as it is.
	Open bool
	// Wire is the request as it was written, byte for byte (the first hop's); nil for one that never went out.
	Wire []byte
}

// Hop is one redirect that was followed.
type Hop struct {
	Method, Target string
	SentAt         Instant
	Status         int
	Location       string
}

// Outcome is how a request ended.
type Outcome int

// The four ends of a request.
const (
	// NeverSent: nothing of it was written.
	NeverSent Outcome = iota
	// NoReply: it was sent, and no status line came.
	NoReply
	// BrokeOff: a status line and header came, the body not whole.
	BrokeOff
	// Answered: a whole reply came, or as much of it as the run keeps.
	Answered
)

// Failure sorts what ended a request without a whole reply.
type Failure int

// The failures.
const (
	NoFailure Failure = iota
	// TimedOut: no (whole) reply within the time-outs. A sign of overload.
	TimedOut
	// WasReset: the connection was reset. A sign of overload.
	WasReset
	// ClosedIdle: a connection used before ended before any byte of the reply: a server that closes idle
	// connections. No finding and no sign of overload.
	ClosedIdle
	// ClosedEarly: the connection ended before the reply was whole.
	ClosedEarly
	// NotHTTP: what came cannot be read as HTTP.
	NotHTTP
	// GivenUp: the run was over before the reply came.
	GivenUp
	// Kept: never sent, as the rate, a hold or the end of the run kept it.
	Kept
	// NotWritten: the bytes could not be written.
	NotWritten
)

// Heard tells the pacer how a request was answered. An ordinary answer is heard once, when it is over (Final); a
// refusal whose body is still coming is heard at its header, and once more, with Told set, when it is over.
type Heard struct {
	Slot    int
	Request *Request
	Outcome Outcome
	// SentAt is when the request went out, At when its reply's header came (its end, if there was no reply).
	SentAt, At Instant
	// EndedAt is when the exchange was over; it is set with Final.
	EndedAt Instant
	// AsksToWait is true for a 429, or a 503 with a readable Retry-After.
	AsksToWait bool
	// Stated is true if the reply says how long to wait; Wait is that length, counted from At, never negative and
	// as large as a Duration can be when it is larger.
	Stated bool
	Wait   time.Duration
	// Alone is true for a refusal that says nothing of the whole API: of a wrong password of ours.
	Alone bool
	// Quota is true if the reply says that Left more requests may come before More has passed, counted from At.
	Quota bool
	Left  int64
	More  time.Duration
	// Overloaded is true for a time-out or a reset.
	Overloaded bool
	// Final is true once the exchange is over; Told is true if its refusal was heard before.
	Final, Told bool
}

// Things tells the reporter what has become of things that the run made.
type Things struct{ Things []Thing }

// Thing is a thing that the run made, and what has become of it.
type Thing struct {
	// Address is the path that leads to it.
	Address string
	// Operation is the one that made it.
	Operation int
	State     ThingState
	// Why says why it was left.
	Why string
}

// ThingState is what has become of a thing.
type ThingState int

// The states of a thing.
const (
	// Made: the run made it, and the document says how it is deleted.
	Made ThingState = iota
	// Gone: it is not there any more.
	Gone
	// Left: it could not be deleted.
	Left
	// Uncounted: it was made, and is not remembered, since too many are.
	Uncounted
)

// Judged gives the reporter an exchange and what the checks say of it.
type Judged struct {
	Exchange *Exchange
	Findings []Finding
	// Refused is true for a 429, or a 503 with a readable Retry-After.
	Refused bool
	// SignedIn is what the reply to a sign-in gave, nil for every other request and where there is no reply.
	SignedIn *SignedIn
	// Unjudged says why the reply's body could not be judged against the document, "" if it was or need not be.
	Unjudged string
	// Unread are the fields on a quota that were ignored or capped, and why, a line each; of names and words of our own.
	Unread []string
	// Broken holds the tool's own failures while judging (a check that panicked), as one line each.
	Broken []string
}

// Finding is one fault that one exchange shows.
type Finding struct {
	// Code is the number in the fault catalogue, such as 100 for F100.
	Code int
	// Error is true for an error, false for a warning.
	Error bool
	// Certainty is how sure it is that this is a fault. An opinion never fails a run.
	Certainty Certainty
	// Title says what is wrong, in a person's words.
	Title string
	// Expected and Got say what the document or HTTP asks for and what came.
	Expected, Got string
	// Place is where in the reply, as a JSON pointer into the body or a header's name; "" for the whole reply.
	Place string
	// Cause tells findings of one cause from others: findings of the same operation, code, status and cause are one.
	Cause string
}

// Certainty is how sure a finding is.
type Certainty int

// The certainties, the surest first.
const (
	// Certain: what the document or a standard says, and what came, cannot both be right.
	Certain Certainty = iota
	// Likely: another explanation exists, and is rare.
	Likely
	// Opinion: good practice says otherwise.
	Opinion
)

// Slot gives a credit back to the pacer: the exchange has been reported. A negative slot stands for a request
// that was dropped.
type Slot struct {
	Slot int
	// Open is true if its connection can take the next request as it is.
	Open bool
}

// Stop asks the pacer to stop sending before the deadline.
type Stop struct{ Reason End }

// Ask asks the pacer how things stand; it is answered by a Paced to the reporter.
type Ask struct{}

// Tick tells a stage that a moment it asked for has come.
type Tick struct{}

// End is why a run stopped sending.
type End int

// The ends of a run.
const (
	NotEnded End = iota
	// DeadlineCame: its time was up.
	DeadlineCame
	// Interrupted: Ctrl-C.
	Interrupted
	// Terminated: it was asked to end by SIGTERM.
	Terminated
	// NothingToSend: nothing in the document can be sent.
	NothingToSend
	// Unauthorized: every request of the opening lap was answered 401, or each operation needs a sign-in that failed.
	Unauthorized
	// HeldToTheEnd: the API asked for quiet until after the deadline, so nothing more could be sent.
	HeldToTheEnd
	// Unconnected: no connection to the API could be opened any more.
	Unconnected
	// Failed: the tool itself failed.
	Failed
	// Killed: the tool was killed, as its recording shows by having no end.
	Killed
)

// Paced says how the run is going, as the pacer knows it; with Over set it is the last one, told when each
// request has ended.
type Paced struct {
	At   Instant
	Over bool
	// End is why sending stopped, NotEnded while it goes on; StoppedAt is when.
	End       End
	StoppedAt Instant
	// Reason is a sentence of the world's on the end, such as why no connection could be opened.
	Reason string

	// Sent counts the writes, hops included; Dropped the requests that never went out.
	Sent, Dropped int64
	InFlight      int
	Window        int
	PeakInFlight  int

	// FirstSentAt and LastSentAt are the moments of the first and the last write.
	FirstSentAt, LastSentAt Instant
	// Interval is the least time between two writes that the rate promises; 0 with no rate.
	Interval time.Duration
	// ShortestGap is the shortest time between two writes; negative with fewer than two.
	ShortestGap time.Duration
	// Gaps counts the times between two writes by how long they were; nil with no rate.
	Gaps []Gaps
	// TurnsDue are the turns the time from the first write to the end of sending held, TurnsUsed those that were used.
	TurnsDue, TurnsUsed int64

	// Idle is the time with nothing in flight between the first moment of the run and the end of sending.
	// IdleAsked is the part of it that came while the run waited as the API asked, IdleRate the part in which the
	// rate let nothing go. The two can overlap, by at most one interval for each wait.
	Idle, IdleAsked, IdleRate time.Duration

	// HeldUntil is the end of a hold of the whole API that is going, told or foreseen, 0 when none is.
	HeldUntil Instant
	// WholeAPI and Waits say who was told to wait; nil Waits and Waiting false mean that waits are switched off.
	Waiting  bool
	WholeAPI Held
	Waits    []Waited

	// Foreseeing is true if what the API says of a quota is obeyed; WholeAPIForeseen and Foreseen say who was not asked
	// for that, with a Stated of 0 throughout.
	Foreseeing       bool
	WholeAPIForeseen Held
	Foreseen         []Waited

	// Rates are the operations with rates of their own.
	Rates []OperationRate

	// Spells are the times through which somebody was left alone, by when they began; of very many the longest.
	// SpellsLeft counts those that are not among them.
	Spells     []Spell
	SpellsLeft int64
}

// Gaps counts the times between two writes that were at least so long, and shorter than those of the next Gaps.
type Gaps struct {
	Least time.Duration
	Count int64
}

// Spell is a time through which one operation, or the whole API, was left alone.
type Spell struct {
	// Operation is -1 for the whole API.
	Operation   int
	From, Until Instant
	// Foreseen is true where nobody asked for it: the API had said that nothing was left.
	Foreseen bool
}

// OperationRate is how one operation's own rate was kept.
type OperationRate struct {
	Operation int
	// Interval is the least time between two writes of the operation that is promised; ShortestGap is the shortest there
	// was, negative with fewer than two.
	Interval, ShortestGap time.Duration
}

// Held is how the whole API was held.
type Held struct {
	Times  int
	Stated int
	Lasted time.Duration
}

// Waited is how one operation was told to wait.
type Waited struct {
	Operation int
	Times     int
	Stated    int
	Lasted    time.Duration
	Skipped   int64
	// Until is the end of a wait that is going, 0 when none is.
	Until Instant
}

func (Want) toGenerator()     {}
func (Returned) toGenerator() {}
func (Learned) toGenerator()  {}

func (Offer) toPacer()       {}
func (Departed) toPacer()    {}
func (Again) toPacer()       {}
func (Ready) toPacer()       {}
func (Unreachable) toPacer() {}
func (Heard) toPacer()       {}
func (Slot) toPacer()        {}
func (Stop) toPacer()        {}
func (Ask) toPacer()         {}
func (Tick) toPacer()        {}

func (Open) toSender()    {}
func (Go) toSender()      {}
func (Recall) toSender()  {}
func (Drop) toSender()    {}
func (Abandon) toSender() {}
func (Close) toSender()   {}

func (Head) toClassifier()      {}
func (*Exchange) toClassifier() {}

func (*Judged) toReporter()      {}
func (*Paced) toReporter()       {}
func (Experimented) toReporter() {}
func (Things) toReporter()       {}
func (Tick) toReporter()         {}
