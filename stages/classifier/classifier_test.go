package classifier

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/stages/classifier/checks"
)

// start is the wall time of the first moment of each test's run.
var start = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

// heard is a classifier with everything it told, in order.
type heard struct {
	*Classifier
	told []any
}

func listen(doc *document.Document) *heard {
	h := &heard{}
	h.Classifier = New(Config{Document: doc, Settings: settings.Default()}, clock.NewFake(start), Neighbours{
		Generator: func(m messages.ToGenerator) { h.told = append(h.told, m) },
		Pacer:     func(m messages.ToPacer) { h.told = append(h.told, m) },
		Reporter:  func(m messages.ToReporter) { h.told = append(h.told, m) },
	})
	return h
}

// take hands over one message and returns what was told for it.
func (h *heard) take(m messages.ToClassifier) []any {
	h.told = nil
	h.Handle(m)
	return h.told
}

// judged hands over an exchange and returns what the reporter was told.
func (h *heard) judged(e *messages.Exchange) *messages.Judged {
	told := h.take(e)
	return told[len(told)-1].(*messages.Judged)
}

// plain is a document of two operations that declare only what the tests of the stage need.
func plain() *document.Document {
	return &document.Document{Operations: []*document.Operation{
		{Index: 0, ID: "a", Method: "GET", Path: "/a", Responses: []*document.Response{{Code: "200"}, {Code: "429"}}},
		{Index: 1, ID: "b", Method: "GET", Path: "/b", Responses: []*document.Response{{Code: "200"}}},
	}}
}

func reply(status int, body string, header ...string) *messages.Reply {
	r := &messages.Reply{Proto: "HTTP/1.1", Status: status, Body: []byte(body), Length: int64(len(body))}
	for i := 0; i < len(header); i += 2 {
		r.Header = append(r.Header, messages.Field{Name: header[i], Value: header[i+1]})
	}
	return r
}

func exchange(operation int, r *messages.Reply) *messages.Exchange {
	return &messages.Exchange{
		Slot: 3, Request: &messages.Request{Operation: operation, Method: "GET"}, Outcome: messages.Answered,
		SentAt: 1e9, HeardAt: 2e9, EndedAt: 3e9, Reply: r,
	}
}

// codes are the findings' codes, such as "F200 F920".
func codes(j *messages.Judged) string {
	var list []string
	for _, f := range j.Findings {
		list = append(list, fmt.Sprintf("F%d", f.Code))
	}
	return strings.Join(list, " ")
}

func TestWhatWasLearnedIsToldBeforeWhatWasHeardAndThatBeforeTheReport(t *testing.T) {
	c := listen(plain())
	e := exchange(0, reply(200, `{"id":7}`, "Content-Type", "application/json"))
	told := c.take(e)
	if len(told) != 3 {
		t.Fatalf("told %d messages", len(told))
	}
	learned := told[0].(messages.Learned)
	if learned.Request != e.Request || learned.Reply != e.Reply || learned.Refused || fmt.Sprint(learned.Value) != "map[id:7]" {
		t.Errorf("learned %+v", learned)
	}
	want := messages.Heard{Slot: 3, Request: e.Request, Outcome: messages.Answered, SentAt: 1e9, At: 2e9, EndedAt: 3e9, Final: true}
	if told[1] != want {
		t.Errorf("heard %+v, want %+v", told[1], want)
	}
	if judged := told[2].(*messages.Judged); judged.Exchange != e || len(judged.Findings)+len(judged.Broken) != 0 {
		t.Errorf("judged %+v", judged)
	}
}

func TestARefusalIsHeardAtItsHeaderAndOnceMoreAtItsEnd(t *testing.T) {
	c := listen(plain())
	r := reply(429, "", "Retry-After", "7")
	e := exchange(1, r)
	e.HeadTold = true
	told := c.take(messages.Head{Slot: 3, Request: e.Request, SentAt: 1e9, HeardAt: 2e9, Reply: r})
	want := messages.Heard{
		Slot: 3, Request: e.Request, Outcome: messages.Answered, SentAt: 1e9, At: 2e9,
		AsksToWait: true, Stated: true, Wait: 7 * time.Second,
	}
	if len(told) != 1 || told[0] != want {
		t.Errorf("at the header: %+v, want %+v", told, want)
	}
	told = c.take(e)
	want.Final, want.Told, want.EndedAt = true, true, 3e9
	if told[1] != want {
		t.Errorf("at the end: %+v, want %+v", told[1], want)
	}
	if !told[0].(messages.Learned).Refused || !told[2].(*messages.Judged).Refused {
		t.Errorf("not told as a refusal: %+v", told)
	}
}

func TestAnOrdinaryHeaderIsNotToldOn(t *testing.T) {
	c := listen(plain())
	for _, r := range []*messages.Reply{reply(200, ""), reply(500, ""), reply(503, ""), reply(503, "", "Retry-After", "soon")} {
		e := exchange(0, r)
		if told := c.take(messages.Head{Request: e.Request, Reply: r}); len(told) != 0 {
			t.Errorf("%d: told %+v", r.Status, told)
		}
		e.HeadTold = true
		if heard := c.take(e)[1].(messages.Heard); heard.Told || heard.AsksToWait || !heard.Final {
			t.Errorf("%d: heard %+v", r.Status, heard)
		}
	}
}

func TestWhichRepliesAskToWaitAndForHowLong(t *testing.T) {
	at := func(offset time.Duration) string {
		return start.Add(offset).Format("Mon, 02 Jan 2006 15:04:05 GMT")
	}
	const s = time.Second
	for _, c := range []struct {
		name         string
		reply        *messages.Reply
		asks, stated bool
		wait         time.Duration
	}{
		{"429", reply(429, ""), true, false, 0},
		{"429 for a time", reply(429, "", "retry-after", "5"), true, true, 5 * s},
		{"429, unreadable", reply(429, "", "Retry-After", "-5"), true, false, 0},
		{"429, at once", reply(429, "", "Retry-After", "0"), true, true, 0},
		{"429, never", reply(429, "", "Retry-After", strings.Repeat("9", 30)), true, true, 1<<63 - 1},
		{"429, second line", reply(429, "", "Retry-After", "soon", "Retry-After", "5"), true, true, 5 * s},
		{"429, off-spec", reply(429, "", "Retry-After", "1.5"), true, true, 1500 * time.Millisecond},
		{"503", reply(503, ""), false, false, 0},
		{"503 for a time", reply(503, "", "Retry-After", "5"), true, true, 5 * s},
		{"503, unreadable", reply(503, "", "Retry-After", "soon"), false, false, 0},
		{"503, off-spec", reply(503, "", "Retry-After", "5s"), true, true, 5 * s},
		{"200 for a time", reply(200, "", "Retry-After", "5"), false, false, 0},
		{"301 for a time", reply(301, "", "Retry-After", "5"), false, false, 0},
		{"by the run's clock", reply(429, "", "Retry-After", at(7*s)), true, true, 5 * s}, // heard at 2 s
		{"by the reply's Date", reply(429, "", "Date", at(-time.Hour), "Retry-After", at(5*s-time.Hour)), true, true, 5 * s},
		{"Date unreadable", reply(429, "", "Date", "yesterday", "Retry-After", at(7*s)), true, true, 5 * s},
		{"past", reply(429, "", "Date", at(0), "Retry-After", at(-60*s)), true, true, 0},
	} {
		h := listen(plain()).take(exchange(0, c.reply))[1].(messages.Heard)
		if h.AsksToWait != c.asks || h.Stated != c.stated || h.Wait != c.wait {
			t.Errorf("%s: heard %+v", c.name, h)
		}
	}
}

func TestABrokenReplysHeaderCounts(t *testing.T) {
	e := exchange(0, reply(429, `{"ok"`, "Retry-After", "3", "Content-Type", "application/json"))
	e.Outcome, e.Kind = messages.BrokeOff, messages.ClosedEarly
	told := listen(plain()).take(e)
	if h := told[1].(messages.Heard); !h.AsksToWait || h.Wait != 3*time.Second || h.Outcome != messages.BrokeOff {
		t.Errorf("heard %+v", h)
	}
	if j := told[2].(*messages.Judged); codes(j) != "" {
		t.Errorf("found %v", codes(j))
	}
}

func TestEveryWayARequestEndsIsTold(t *testing.T) {
	for _, c := range []struct {
		name       string
		outcome    messages.Outcome
		kind       messages.Failure
		overloaded bool
		codes      string
	}{
		{"dropped", messages.NeverSent, messages.Kept, false, ""},
		{"not written", messages.NeverSent, messages.NotWritten, false, ""},
		{"timed out", messages.NoReply, messages.TimedOut, true, "F312"},
		{"reset", messages.NoReply, messages.WasReset, true, "F922"},
		{"idle", messages.NoReply, messages.ClosedIdle, false, ""},
		{"closed", messages.NoReply, messages.ClosedEarly, false, "F922"},
		{"not HTTP", messages.NoReply, messages.NotHTTP, false, "F922"},
		{"given up", messages.NoReply, messages.GivenUp, false, ""},
	} {
		e := exchange(1, nil)
		e.Slot, e.Outcome, e.Kind, e.HeardAt = -1, c.outcome, c.kind, 0
		told := listen(plain()).take(e)
		if len(told) != 3 {
			t.Fatalf("%s: told %+v", c.name, told)
		}
		if l := told[0].(messages.Learned); l.Request != e.Request || l.Outcome != c.outcome || l.Reply != nil || l.Value != nil {
			t.Errorf("%s: learned %+v", c.name, l)
		}
		want := messages.Heard{Slot: -1, Request: e.Request, Outcome: c.outcome, SentAt: 1e9, At: 3e9, EndedAt: 3e9, Overloaded: c.overloaded, Final: true}
		if told[1] != want {
			t.Errorf("%s: heard %+v, want %+v", c.name, told[1], want)
		}
		if got := codes(told[2].(*messages.Judged)); got != c.codes {
			t.Errorf("%s: found %q, want %q", c.name, got, c.codes)
		}
	}
}

func TestARefusalSaysNothingOfData(t *testing.T) {
	c := listen(plain())
	for _, r := range []*messages.Reply{
		reply(429, `{"retry_after":1}`, "Content-Type", "application/json"),
		reply(503, `{"down":true}`, "Content-Type", "application/json", "Retry-After", "1"),
	} {
		told := c.take(exchange(0, r))
		if l := told[0].(messages.Learned); !l.Refused || l.Value != nil {
			t.Errorf("%d: learned %+v", r.Status, l)
		}
		if j := told[2].(*messages.Judged); !j.Refused || j.Unjudged != "" {
			t.Errorf("%d: judged %+v", r.Status, j)
		}
	}
}

func TestWhetherARunWaitsDoesNotChangeWhatIsHeard(t *testing.T) {
	s := settings.Default()
	s.Schedule.WaitWhenToldTo = false
	var got messages.ToPacer
	New(Config{Document: plain(), Settings: s}, clock.NewFake(start), Neighbours{
		Generator: func(messages.ToGenerator) {}, Pacer: func(m messages.ToPacer) { got = m }, Reporter: func(messages.ToReporter) {},
	}).Handle(exchange(0, reply(429, "")))
	if !got.(messages.Heard).AsksToWait {
		t.Errorf("heard %+v", got)
	}
}

func TestABodyNestedWithoutEndDoesNoHarm(t *testing.T) {
	body := strings.Repeat(`{"a":[`, 100_000)
	told := listen(plain()).take(exchange(0, reply(200, body, "Content-Type", "application/json")))
	if l := told[0].(messages.Learned); l.Value != nil {
		t.Error("something was learned")
	}
}

func TestASwitchedOffCheckFindsNothing(t *testing.T) {
	s := settings.Default()
	s.Checks.InternalServerError = false
	h := listen(plain())
	off := New(Config{Document: plain(), Settings: s}, clock.NewFake(start), h.to)
	h.Classifier = off
	if got := codes(h.judged(exchange(0, reply(500, "boom")))); got != "" {
		t.Errorf("found %q", got)
	}
}

// panicking is a check that breaks.
type panicking struct{ with func(in *checks.Input) }

func (panicking) About() checks.About { return checks.About{Code: 999, Name: "panicking"} }

func (p panicking) Check(in *checks.Input) []messages.Finding {
	p.with(in)
	return nil
}

func TestACheckThatPanicsCostsOnlyItself(t *testing.T) {
	for _, c := range []struct {
		with func(in *checks.Input)
		want string
	}{
		{func(in *checks.Input) { _ = in.Operation.Responses[99] }, "check F999 failed: runtime error: index out of range [99] with length 2 in classifier."},
		{func(*checks.Input) { panic("the key is s3cr3t") }, "check F999 failed: a panic of type string in classifier."},
		{func(*checks.Input) { panic(errors.New("the key is s3cr3t")) }, "check F999 failed: a panic of type *errors.errorString in classifier."},
	} {
		h := listen(plain())
		breaks := panicking{c.with}
		h.panel.checks = append([]checks.Check{breaks}, append(h.panel.checks, breaks)...)
		for range 2 {
			j := h.judged(exchange(0, reply(500, "boom")))
			if codes(j) != "F100" || len(j.Broken) != 2 {
				t.Fatalf("judged %+v", j)
			}
			for _, line := range j.Broken {
				if !strings.HasPrefix(line, c.want) || strings.Contains(line, "s3cr3t") || strings.Contains(line, "\n") {
					t.Errorf("got %q, want %q", line, c.want)
				}
			}
		}
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	h := listen(plain())
	for i := range 3 * mostDeclarations {
		h.take(exchange(i%2, reply(200+i%400, "x", "Content-Type", fmt.Sprintf("text/html; boundary=%d", i))))
		h.take(exchange(0, reply(200, "x", "Content-Type", strings.Repeat("x", longestContentType+1))))
	}
	if n := len(h.declared); n != mostDeclarations {
		t.Errorf("%d declarations remembered, want %d", n, mostDeclarations)
	}
	for key := range h.declared {
		if len(key.contentType) > longestContentType {
			t.Fatalf("%d bytes of content type remembered", len(key.contentType))
		}
	}
}

func TestWhatIsRememberedIsWhatIsDeclared(t *testing.T) {
	doc := plain()
	doc.Operations[0].Responses[0].Media = []*document.Media{{Type: "application/json"}, {Type: "text/*"}}
	h := listen(doc)
	rapid.Check(t, func(t *rapid.T) {
		operation := doc.Operations[rapid.IntRange(0, 1).Draw(t, "operation")]
		status := rapid.SampledFrom([]int{200, 404, 429}).Draw(t, "status")
		contentType := rapid.SampledFrom([]string{"", "application/json", "TEXT/html; a=b", "a/b"}).Draw(t, "type")
		got, want := h.declared.of(operation, status, contentType), checks.Declare(operation, status, contentType)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

func TestEachExchangeIsLearnedHeardAndJudgedOnceInThatOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := listen(plain())
		for range rapid.IntRange(1, 20).Draw(t, "exchanges") {
			e := exchange(rapid.IntRange(-1, 2).Draw(t, "operation"), nil)
			e.Outcome = messages.Outcome(rapid.IntRange(0, 3).Draw(t, "outcome"))
			e.Kind = messages.Failure(rapid.IntRange(0, 8).Draw(t, "kind"))
			if e.Outcome >= messages.BrokeOff {
				e.Reply = reply(rapid.SampledFrom([]int{0, 200, 204, 404, 429, 500, 501, 503, 700}).Draw(t, "status"),
					rapid.SampledFrom([]string{"", "{}", "[1", "text"}).Draw(t, "body"),
					"Content-Type", rapid.SampledFrom([]string{"", "application/json", "text/html"}).Draw(t, "type"),
					"Retry-After", rapid.SampledFrom([]string{"", "5", "soon"}).Draw(t, "wait"))
				e.HeadTold = rapid.Bool().Draw(t, "head")
			}
			if e.HeadTold {
				told := h.take(messages.Head{Slot: e.Slot, Request: e.Request, SentAt: e.SentAt, HeardAt: e.HeardAt, Reply: e.Reply})
				for _, m := range told {
					if m := m.(messages.Heard); !m.AsksToWait || m.Final || m.Told {
						t.Fatalf("a header told %+v", m)
					}
				}
				if len(told) > 1 {
					t.Fatalf("a header told %d messages", len(told))
				}
				e.HeadTold = true
				final := h.take(e)[1].(messages.Heard)
				if final.Told != (len(told) == 1) {
					t.Fatalf("a header told %d messages, and the end %+v", len(told), final)
				}
			} else {
				h.take(e)
			}
			if len(h.told) != 3 {
				t.Fatalf("told %d messages", len(h.told))
			}
			learned, isLearned := h.told[0].(messages.Learned)
			final, isHeard := h.told[1].(messages.Heard)
			judged, isJudged := h.told[2].(*messages.Judged)
			if !isLearned || !isHeard || !isJudged || !final.Final || len(judged.Broken) > 0 {
				t.Fatalf("told %+v", h.told)
			}
			if learned.Refused != final.AsksToWait || judged.Refused != final.AsksToWait || final.Wait < 0 ||
				learned.Request != e.Request || final.Request != e.Request || judged.Exchange != e {
				t.Fatalf("told %+v", h.told)
			}
		}
	})
}

func TestWhatARedirectLedToIsNotTheOperationsReply(t *testing.T) {
	doc := plain()
	doc.Operations[0].Responses = []*document.Response{{Code: "200"}, {Code: "302"}}
	for _, row := range []struct {
		name     string
		redirect int
		reply    *messages.Reply
		want     string
	}{
		{"a declared redirect to what is not declared", 302, reply(204, ""), ""},
		{"a redirect that is not declared, to what is", 301, reply(200, ""), "F920"},
		{"content of another address", 302, reply(200, `{`, "Content-Type", "application/json"), ""},
		{"an address that is not implemented", 302, reply(501, ""), ""},
		{"a failure", 302, reply(500, ""), "F100"},
	} {
		e := exchange(0, row.reply)
		e.Hops = []messages.Hop{{Method: "GET", Target: "/a", Status: row.redirect, Location: "/b"}}
		j := listen(doc).judged(e)
		if got := codes(j); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
		if len(row.reply.Body) > 0 && j.Unjudged != "a redirect led to it" {
			t.Errorf("%s: unjudged: %q", row.name, j.Unjudged)
		}
	}
}

// A body that comes again is read once; one that differs, or comes from another operation, is read for itself.
func TestABodyThatComesAgainIsReadOnce(t *testing.T) {
	h := listen(plain())
	learned := func(operation int, body string) any {
		r := reply(200, body, "Content-Type", "application/json")
		return h.take(exchange(operation, r))[0].(messages.Learned).Value
	}
	first, again := learned(0, `{"a":1}`), learned(0, `{"a":1}`)
	if !reflect.DeepEqual(first, again) || reflect.ValueOf(first).Pointer() != reflect.ValueOf(again).Pointer() {
		t.Errorf("%v was read again as %v", first, again)
	}
	for _, row := range []struct {
		operation int
		body      string
	}{{0, `{"a":2}`}, {1, `{"b":1}`}, {0, `{"a":1}`}, {0, `{"a":`}, {0, `{"a":1}`}} {
		want := checks.Read([]byte(row.body)).Value
		if got := learned(row.operation, row.body); !reflect.DeepEqual(got, want) {
			t.Errorf("%s of operation %d was read as %v", row.body, row.operation, got)
		}
	}
}
