package reporter

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/credentials"
	"github.com/restest/restest/settings/document"
)

// What is told of an exchange is the same in the recording and in the report: the structs below. They hold no key,
// and nothing in them is longer than the run is set to keep.

// Text is a string that may hold any bytes. In JSON it is a string where it is UTF-8, and {"base64": "…"} where not.
type Text string

type encoded struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSON writes the text.
func (t Text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(encoded{[]byte(t)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var e encoded
		if err := json.Unmarshal(b, &e); err != nil {
			return err
		}
		*t = Text(e.Base64)
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// Content is a body. Text holds it where it is UTF-8, Base64 where it is not.
type Content struct {
	Text   *string `json:"text,omitempty"`
	Base64 *string `json:"base64,omitempty"`
	// Length counts the bytes that were sent or read, those not kept here included.
	Length int64 `json:"length"`
	// Shortened is true if less is told here than the run kept (report.longestBodyKept).
	Shortened bool `json:"shortened,omitempty"`
	// Cut is true if the run kept less than came (engine.maxRetainedResponseBytes).
	Cut bool `json:"cut,omitempty"`
}

// Bytes are the body's bytes, as far as they are told.
func (c *Content) Bytes() ([]byte, error) {
	switch {
	case c == nil:
		return nil, nil
	case c.Base64 != nil:
		return base64.StdEncoding.DecodeString(*c.Base64)
	case c.Text != nil:
		return []byte(*c.Text), nil
	}
	return []byte{}, nil
}

// ExchangeTold is one exchange. Moments are nanoseconds since the run began.
type ExchangeTold struct {
	Seq       int64         `json:"seq"`
	Operation string        `json:"operation"`
	Nth       int           `json:"nth"`
	Request   RequestTold   `json:"request"`
	Outcome   string        `json:"outcome"`
	Failure   Text          `json:"failure,omitempty"`
	Kind      string        `json:"kind,omitempty"`
	SentAt    int64         `json:"sentAt"`
	HeardAt   int64         `json:"heardAt"`
	EndedAt   int64         `json:"endedAt"`
	Reply     *ReplyTold    `json:"reply,omitempty"`
	Hops      []HopTold     `json:"hops,omitempty"`
	Refused   bool          `json:"refused,omitempty"`
	Unjudged  Text          `json:"unjudged,omitempty"`
	Findings  []FindingTold `json:"findings,omitempty"`
	// Recheck is set where the request was sent again for a finding.
	RecheckOf *OfFinding `json:"recheckOf,omitempty"`
	// Masked lists the places in which something was hidden, such as "header.Authorization" or "reply.body".
	Masked []string `json:"masked,omitempty"`
}

// RequestTold is a request as it was built.
type RequestTold struct {
	Method  Text      `json:"method"`
	Target  Text      `json:"target"`
	Header  [][2]Text `json:"header"` // name and value of each line, in order
	Body    *Content  `json:"body,omitempty"`
	Purpose string    `json:"purpose"`
	User    Text      `json:"user,omitempty"` // whose credentials it carries, where there are several users
	// Elsewhere is the origin it went to where that is not the API's.
	Elsewhere string `json:"elsewhere,omitempty"`
	Valid     bool   `json:"valid"`
	// Breaks is the rule of the document that it breaks on purpose, Series its place in a series.
	Breaks Text `json:"breaks,omitempty"`
	// Probe is the kind of security probe that it is.
	Probe   string      `json:"probe,omitempty"`
	Series  *SeriesTold `json:"series,omitempty"`
	Origins []Origin    `json:"origins,omitempty"`
}

// SeriesTold is a request's place in a series of requests around one thing.
type SeriesTold struct {
	Number int64  `json:"number"`
	Kind   string `json:"kind"`
	Step   int    `json:"step"`
	Thing  Text   `json:"thing,omitempty"`
	// After are the numbers of the requests of the steps before it.
	After     []int64 `json:"after,omitempty"`
	Disturbed bool    `json:"disturbed,omitempty"`
}

// Origin says where a value of a request came from.
type Origin struct {
	Place  Text `json:"place"`
	Source Text `json:"source"`
}

// ReplyTold is a reply.
type ReplyTold struct {
	Proto   Text      `json:"proto,omitempty"`
	Status  int       `json:"status"`
	Reason  Text      `json:"reason,omitempty"`
	Header  [][2]Text `json:"header"`
	Trailer [][2]Text `json:"trailer,omitempty"`
	Body    *Content  `json:"body,omitempty"`
	// Undecodable says why the content coding could not be taken off.
	Undecodable Text `json:"undecodable,omitempty"`
}

// HopTold is one redirect that was followed.
type HopTold struct {
	Method   Text  `json:"method"`
	Target   Text  `json:"target"`
	SentAt   int64 `json:"sentAt"`
	Status   int   `json:"status"`
	Location Text  `json:"location,omitempty"`
}

// FindingTold names one finding of an exchange.
type FindingTold struct {
	Code  int    `json:"code"`
	Level string `json:"level"`
	// ID is the finding's in the report.
	ID string `json:"id,omitempty"`
}

// teller turns messages into what is told of them.
type teller struct {
	doc     *document.Document
	mask    *credentials.Mask
	longest int64
	masked  []string
	// retold is what the recording holds of the exchange where it is told from there, nil where it is not.
	retold *retold
}

// exchange tells all of it but what the checks said.
func (t teller) exchange(ex *messages.Exchange) *ExchangeTold {
	if t.retold != nil {
		return t.retold.exchange()
	}
	t.masked = nil
	told := &ExchangeTold{
		Seq: ex.Request.Seq, Operation: t.doc.Operations[ex.Request.Operation].ID, Nth: ex.Request.Nth,
		Request: t.request(ex.Request),
		Outcome: outcomeWord(ex.Outcome),
		Failure: t.words("failure", ex.Failure),
		Kind:    failureWord(ex.Kind),
		SentAt:  int64(ex.SentAt), HeardAt: int64(ex.HeardAt), EndedAt: int64(ex.EndedAt),
		Reply: t.reply(ex.Reply),
	}
	for _, h := range ex.Hops {
		told.Hops = append(told.Hops, HopTold{
			Method: Text(h.Method), Target: t.text("hops.target", h.Target), SentAt: int64(h.SentAt),
			Status: h.Status, Location: t.text("hops.location", h.Location),
		})
	}
	if about := ex.Request.Recheck; about != nil {
		told.RecheckOf = &OfFinding{Finding: t.id(about.Finding), Smaller: about.Smaller, Step: !about.Last}
	}
	told.Masked = t.masked
	return told
}

// id is the name of the findings with that key.
func (t *teller) id(k messages.FindingKey) string { return FindingID(t.doc, k) }

// FindingID is what a report of the document calls the finding with that key.
func FindingID(doc *document.Document, k messages.FindingKey) string {
	g := group{key: keyOf(k)}
	return g.id(doc.Operations[k.Operation].ID)
}

func (t *teller) request(r *messages.Request) RequestTold {
	told := RequestTold{
		Method:  Text(r.Method),
		Target:  t.text("target", r.Target),
		Header:  t.fields("header.", r.Header),
		Purpose: purposeWord(r.Purpose),
		Valid:   r.Valid,
		Breaks:  t.text("breaks", r.Breaks),
	}
	told.User, told.Probe = t.text("user", r.User), string(r.Probe)
	if r.SignIn != nil {
		told.Elsewhere = r.SignIn.Elsewhere
	}
	if r.Breaks != "" {
		told.Breaks = t.text("breaks", r.Breaks)
	}
	if s := r.Series; s != nil {
		told.Series = &SeriesTold{Number: s.Series, Kind: s.Kind, Step: s.Nth, Thing: t.text("series", s.Thing), Disturbed: s.Disturbed}
		for _, taken := range s.Taken {
			told.Series.After = append(told.Series.After, taken.Request.Seq)
		}
	}
	if r.Body != nil {
		told.Body = t.content("body", r.Body, int64(len(r.Body)))
	}
	for _, o := range r.Origins {
		told.Origins = append(told.Origins, Origin{t.text("origins", o.Place), t.text("origins", o.Source)})
	}
	return told
}

func (t *teller) reply(r *messages.Reply) *ReplyTold {
	if r == nil {
		return nil
	}
	told := &ReplyTold{
		Proto:       Text(r.Proto),
		Status:      r.Status,
		Reason:      t.text("reply.reason", r.Reason),
		Header:      t.fields("reply.header.", r.Header),
		Undecodable: t.words("reply.undecodable", r.Undecodable),
	}
	if len(r.Trailer) > 0 {
		told.Trailer = t.fields("reply.trailer.", r.Trailer)
	}
	if len(r.Body) > 0 || r.Length > 0 {
		told.Body = t.content("reply.body", r.Body, r.Length)
		told.Body.Cut = r.Cut
	}
	return told
}

// text hides the keys in s, and notes the place if there was one.
func (t *teller) text(place, s string) Text {
	if s == "" || !t.mask.Has(s) {
		return Text(s)
	}
	t.note(place)
	return Text(t.mask.Text(s))
}

// words is text that is bounded in length. Keys are hidden before it is cut.
func (t *teller) words(place, s string) Text {
	if t.retold != nil {
		return Text(s)
	}
	return Text(clip(string(t.text(place, clip(s, 8*longestWords))), longestWords))
}

func (t *teller) note(place string) {
	if n := len(t.masked); n == 0 || t.masked[n-1] != place {
		t.masked = append(t.masked, place)
	}
}

func (t *teller) fields(place string, fields []messages.Field) [][2]Text {
	told := make([][2]Text, 0, len(fields))
	for _, f := range fields {
		value := hideField(f.Name, f.Value)
		if value != f.Value {
			t.note(place + f.Name)
		}
		told = append(told, [2]Text{t.text(place+f.Name, f.Name), t.text(place+f.Name, value)})
	}
	return told
}

// farthestKey is how far beyond the part of a body that is told keys are looked for, so that none is shown by half.
const farthestKey = 64 << 10

// content tells a body up to the longest length that is kept. Keys are hidden before it is shortened.
func (t *teller) content(place string, body []byte, length int64) *Content {
	window := body
	if most := max(t.longest, 0) + farthestKey; int64(len(body)) > most {
		window = body[:most]
	}
	told := contentOf(string(t.text(place, string(window))), t.longest)
	told.Length = length
	return told
}

// contentOf tells a text as content of at most so many bytes.
func contentOf(s string, longest int64) *Content {
	told := &Content{Length: int64(len(s))}
	if int64(len(s)) > longest {
		told.Shortened = true
		s = strings.Clone(clipBytes(s, int(max(longest, 0))))
	}
	if utf8.ValidString(s) {
		told.Text = &s
	} else {
		b := base64.StdEncoding.EncodeToString([]byte(s))
		told.Base64 = &b
	}
	return told
}

// hideField hides what a field may hold that is secret without being a key of the run: credentials (RFC 9110 §11.6.2
// and §11.7.2) but for the scheme's name, and the values of cookies (RFC 6265). The shape stays.
func hideField(name, value string) string {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization":
		scheme, credentials, two := strings.Cut(value, " ")
		if !two {
			return shape(value)
		}
		return scheme + " " + shape(credentials)
	case "cookie":
		pairs := strings.Split(value, ";")
		for i, pair := range pairs {
			pairs[i] = hideCookie(pair)
		}
		return strings.Join(pairs, ";")
	case "set-cookie":
		pair, attributes, more := strings.Cut(value, ";")
		if pair = hideCookie(pair); more {
			return pair + ";" + attributes
		}
		return pair
	}
	return value
}

func hideCookie(pair string) string {
	name, value, ok := strings.Cut(pair, "=")
	if !ok {
		return shape(pair)
	}
	return name + "=" + shape(value)
}

// shape is the text as a mask of the keys leaves it: letters turned to x and X, digits to 0.
func shape(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsUpper(r):
			return 'X'
		case unicode.IsDigit(r):
			return '0'
		case unicode.IsLetter(r), r == utf8.RuneError:
			return 'x'
		}
		return r
	}, s)
}

// clip is the text, cut to at most n bytes and marked where it was longer.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.Clone(clipBytes(s, n)) + "…"
}

// clipBytes is the beginning of s, at most n bytes and, in UTF-8, whole characters.
func clipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for back := range utf8.UTFMax {
		if n-back >= 0 && utf8.RuneStart(s[n-back]) {
			return s[:n-back]
		}
	}
	return s[:n]
}

func outcomeWord(o messages.Outcome) string {
	switch o {
	case messages.NeverSent:
		return "neverSent"
	case messages.NoReply:
		return "noReply"
	case messages.BrokeOff:
		return "brokeOff"
	case messages.Answered:
		return "answered"
	}
	return fmt.Sprintf("outcome%d", o)
}

func failureWord(f messages.Failure) string {
	switch f {
	case messages.NoFailure:
		return ""
	case messages.TimedOut:
		return "timedOut"
	case messages.WasReset:
		return "wasReset"
	case messages.ClosedIdle:
		return "closedIdle"
	case messages.ClosedEarly:
		return "closedEarly"
	case messages.NotHTTP:
		return "notHTTP"
	case messages.GivenUp:
		return "givenUp"
	case messages.Kept:
		return "kept"
	case messages.NotWritten:
		return "notWritten"
	}
	return fmt.Sprintf("failure%d", f)
}

// OutcomeOf reads the word for an outcome.
func OutcomeOf(word string) (messages.Outcome, error) {
	return wordOf(word, "outcome", messages.NeverSent, messages.Answered, outcomeWord)
}

// PurposeOf reads the word for a purpose.
func PurposeOf(word string) (messages.Purpose, error) {
	return wordOf(word, "purpose", messages.OpeningLap, messages.Rechecking, purposeWord)
}

// FailureOf reads the word for a failure.
func FailureOf(word string) (messages.Failure, error) {
	return wordOf(word, "kind of failure", messages.NoFailure, messages.NotWritten, failureWord)
}

func wordOf[V ~int](word, thing string, first, last V, of func(V) string) (V, error) {
	for v := first; v <= last; v++ {
		if of(v) == word {
			return v, nil
		}
	}
	return 0, fmt.Errorf("%q is no %s", clip(word, 40), thing)
}

// Message is the reply that is told. A body that is told in part is one that was cut.
func (r *ReplyTold) Message() (*messages.Reply, error) {
	reply := &messages.Reply{
		Proto: string(r.Proto), Status: r.Status, Reason: string(r.Reason),
		Header: fieldsOf(r.Header), Trailer: fieldsOf(r.Trailer), Undecodable: string(r.Undecodable),
	}
	if r.Body == nil {
		return reply, nil
	}
	body, err := r.Body.Bytes()
	if err != nil {
		return nil, fmt.Errorf("the body of a reply: %w", err)
	}
	if len(body) > 0 {
		reply.Body = body
	}
	reply.Length, reply.Cut = r.Body.Length, r.Body.Cut || r.Body.Shortened
	return reply, nil
}

func fieldsOf(told [][2]Text) []messages.Field {
	if len(told) == 0 {
		return nil
	}
	fields := make([]messages.Field, len(told))
	for i, f := range told {
		fields[i] = messages.Field{Name: string(f[0]), Value: string(f[1])}
	}
	return fields
}

func purposeWord(p messages.Purpose) string {
	switch p {
	case messages.OpeningLap:
		return "openingLap"
	case messages.Nominal:
		return "nominal"
	case messages.Covering:
		return "covering"
	case messages.Mutating:
		return "mutating"
	case messages.Fuzzing:
		return "fuzzing"
	case messages.InSeries:
		return "inSeries"
	case messages.Probing:
		return "probing"
	case messages.SigningIn:
		return "signingIn"
	case messages.CleaningUp:
		return "cleaningUp"
	case messages.Rechecking:
		return "rechecking"
	}
	return fmt.Sprintf("purpose%d", p)
}

func endWord(e messages.End) string {
	switch e {
	case messages.NotEnded:
		return "notEnded"
	case messages.DeadlineCame:
		return "deadline"
	case messages.Interrupted:
		return "interrupted"
	case messages.Terminated:
		return "terminated"
	case messages.NothingToSend:
		return "nothingToSend"
	case messages.Unauthorized:
		return "unauthorized"
	case messages.HeldToTheEnd:
		return "heldToTheEnd"
	case messages.Unconnected:
		return "unconnected"
	case messages.Failed:
		return "failed"
	case messages.Killed:
		return "killed"
	}
	return fmt.Sprintf("end%d", e)
}
