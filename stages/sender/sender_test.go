package sender

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// paper is a transport that notes what is wished; the test tells what becomes of it.
type paper struct {
	opens   []int
	writes  []Outgoing
	slots   []int // of the writes
	recalls []int
	over    []string
}

func (p *paper) Open(slot int) { p.opens = append(p.opens, slot) }
func (p *paper) Write(slot int, o Outgoing) {
	p.writes, p.slots = append(p.writes, o), append(p.slots, slot)
}
func (p *paper) Recall(slot int) { p.recalls = append(p.recalls, slot) }
func (p *paper) Abandon()        { p.over = append(p.over, "abandon") }
func (p *paper) Close()          { p.over = append(p.over, "close") }

// bench is a Sender on paper and what it tells.
type bench struct {
	*Sender
	paper      *paper
	pacer      []messages.ToPacer
	classifier []messages.ToClassifier
}

func newBench(follow bool) *bench {
	s := settings.Default()
	s.Engine.FollowRedirects = follow
	s.Engine.UserAgent = "test"
	b := &bench{paper: &paper{}}
	b.Sender = New(Config{Document: &document.Document{Origin: "http://api.test:8080"}, Settings: s}, clock.NewSystem(), Neighbours{
		Pacer:      func(m messages.ToPacer) { b.pacer = append(b.pacer, m) },
		Classifier: func(m messages.ToClassifier) { b.classifier = append(b.classifier, m) },
	}, b.paper)
	return b
}

func (b *bench) tell(m ...messages.ToSender) {
	for _, m := range m {
		b.Handle(m)
	}
}

// lastExchange is the one Exchange told since it was asked for last.
func (b *bench) lastExchange(t *testing.T) *messages.Exchange {
	t.Helper()
	if len(b.classifier) != 1 {
		t.Fatalf("the classifier was told %d messages, want one: %+v", len(b.classifier), b.classifier)
	}
	e, ok := b.classifier[0].(*messages.Exchange)
	if !ok {
		t.Fatalf("the classifier was told %+v", b.classifier[0])
	}
	b.classifier = nil
	return e
}

// lastToPacer is the one message told to the pacer since it was asked for last.
func lastToPacer[M messages.ToPacer](t *testing.T, b *bench) M {
	t.Helper()
	if len(b.pacer) != 1 {
		t.Fatalf("the pacer was told %d messages, want one: %+v", len(b.pacer), b.pacer)
	}
	m, ok := b.pacer[0].(M)
	if !ok {
		t.Fatalf("the pacer was told %T %+v, want %T", b.pacer[0], b.pacer[0], m)
	}
	b.pacer = nil
	return m
}

func TestARequestIsWrittenAsItWasBuilt(t *testing.T) {
	field := func(name, value string) messages.Field { return messages.Field{Name: name, Value: value} }
	tests := []struct {
		name    string
		request messages.Request
		wire    string
	}{
		{
			"fields in their order",
			messages.Request{Method: "GET", Target: "/a%20b?q=1&q=", Header: []messages.Field{field("x-B", "1"), field("Accept", "*/*"), field("X-b", "")}},
			"GET /a%20b?q=1&q= HTTP/1.1\r\nHost: api.test:8080\r\nx-B: 1\r\nAccept: */*\r\nX-b: \r\nUser-Agent: test\r\nAccept-Encoding: gzip, deflate, br\r\n\r\n",
		},
		{
			"what it names itself is not added",
			messages.Request{Method: "DELETE", Target: "/", Header: []messages.Field{field("accept-encoding", "br"), field("user-agent", "me")}},
			"DELETE / HTTP/1.1\r\nHost: api.test:8080\r\naccept-encoding: br\r\nuser-agent: me\r\n\r\n",
		},
		{
			"framing is the sender's",
			messages.Request{Method: "PUT", Target: "/", Body: []byte("{}"), Header: []messages.Field{
				field("host", "x"), field("CONNECTION", "close"), field("content-length", "9"), field("Transfer-Encoding", "chunked"), field("Accept-Encoding", ""),
			}},
			"PUT / HTTP/1.1\r\nHost: api.test:8080\r\nAccept-Encoding: \r\nUser-Agent: test\r\nContent-Length: 2\r\n\r\n{}",
		},
		{
			"POST without content",
			messages.Request{Method: "POST", Target: "/", Header: []messages.Field{field("Accept-Encoding", "")}},
			"POST / HTTP/1.1\r\nHost: api.test:8080\r\nAccept-Encoding: \r\nUser-Agent: test\r\nContent-Length: 0\r\n\r\n",
		},
		{
			"GET with empty content",
			messages.Request{Method: "GET", Target: "/", Body: []byte{}, Header: []messages.Field{field("Accept-Encoding", "")}},
			"GET / HTTP/1.1\r\nHost: api.test:8080\r\nAccept-Encoding: \r\nUser-Agent: test\r\nContent-Length: 0\r\n\r\n",
		},
	}
	for _, test := range tests {
		b := newBench(false)
		b.tell(messages.Go{Slot: 3, Request: &test.request, At: 5, Deadline: 9})
		o := b.paper.writes[0]
		if string(o.Bytes) != test.wire || b.paper.slots[0] != 3 || o.At != 5 || o.Deadline != 9 || o.Method != test.request.Method {
			t.Errorf("%s: wrote %q", test.name, o.Bytes)
		}
		b.tell(messages.Wrote{Slot: 3, At: 6, Written: 7})
		if d := lastToPacer[messages.Departed](t, b); d != (messages.Departed{Slot: 3, Request: &test.request, At: 6, Written: 7}) {
			t.Errorf("%s: departed %+v", test.name, d)
		}
		reply := &messages.Reply{Status: 200}
		b.tell(messages.Came{Slot: 3, HeardAt: 8, EndedAt: 9, Outcome: messages.Answered, Reply: reply, Open: true})
		e := b.lastExchange(t)
		if string(e.Wire) != test.wire || e.SentAt != 6 || e.HeardAt != 8 || e.EndedAt != 9 || e.Reply != reply || !e.Open || e.Slot != 3 || e.HeadTold {
			t.Errorf("%s: exchange %+v", test.name, e)
		}
	}
}

func TestWhatWouldNotBeOneRequestNeverGoes(t *testing.T) {
	for _, r := range []messages.Request{
		{Method: "", Target: "/"},
		{Method: "GET\r\n", Target: "/"},
		{Method: "GET", Target: ""},
		{Method: "GET", Target: "/a b"},
		{Method: "GET", Target: "/\r\nX: y"},
		{Method: "GET", Target: "/", Header: []messages.Field{{Name: "a b", Value: ""}}},
		{Method: "GET", Target: "/", Header: []messages.Field{{Name: "a", Value: "b\r\n\r\nGET / HTTP/1.1"}}},
		{Method: "GET", Target: "/", Header: []messages.Field{{Name: "a", Value: "\x00"}}},
	} {
		b := newBench(false)
		b.tell(messages.Go{Slot: 1, Request: &r, Deadline: clock.Never})
		if d := lastToPacer[messages.Departed](t, b); !d.Unsent || d.Request != &r {
			t.Errorf("%+v: departed %+v", r, d)
		}
		e := b.lastExchange(t)
		if e.Outcome != messages.NeverSent || e.Kind != messages.NotWritten || e.Wire != nil || !strings.Contains(e.Failure, "cannot be written") {
			t.Errorf("%+v: exchange %+v", r, e)
		}
		if len(b.paper.writes) != 0 {
			t.Errorf("%+v was written", r)
		}
	}
}

func TestARequestThatDidNotGoIsNeverSent(t *testing.T) {
	b := newBench(false)
	r := &messages.Request{Method: "GET", Target: "/"}
	b.tell(messages.Go{Slot: 2, Request: r, Deadline: clock.Never}, messages.Recall{Slot: 2})
	if !slices.Equal(b.paper.recalls, []int{2}) {
		t.Errorf("recalled %v", b.paper.recalls)
	}
	b.tell(messages.Wrote{Slot: 2, At: 4, Written: 4, Unsent: true, Reason: "recalled before its turn"})
	if d := lastToPacer[messages.Departed](t, b); !d.Unsent {
		t.Errorf("departed %+v", d)
	}
	if e := b.lastExchange(t); e.Outcome != messages.NeverSent || e.Kind != messages.Kept || e.Failure != "recalled before its turn" || e.Wire != nil || e.Slot != 2 || e.Open {
		t.Errorf("exchange %+v", e)
	}
	b.tell(messages.Recall{Slot: 2}) // too late is no mistake
	b.tell(messages.Drop{Request: r})
	if e := b.lastExchange(t); e.Outcome != messages.NeverSent || e.Kind != messages.Kept || e.Slot != -1 || e.Request != r || e.Failure == "" {
		t.Errorf("dropped: exchange %+v", e)
	}
	if len(b.paper.recalls) != 1 {
		t.Errorf("recalled %v", b.paper.recalls)
	}
}

func TestConnectionsAreOpenedForThePacer(t *testing.T) {
	b := newBench(false)
	b.tell(messages.Open{Slot: 5}, messages.Opened{Slot: 5})
	if m := lastToPacer[messages.Ready](t, b); m.Slot != 5 || !slices.Equal(b.paper.opens, []int{5}) {
		t.Errorf("told %+v after %v", m, b.paper.opens)
	}
	b.tell(messages.NotOpened{Slot: 6, Reason: "connection refused"})
	if m := lastToPacer[messages.Unreachable](t, b); m != (messages.Unreachable{Slot: 6, Reason: "connection refused"}) {
		t.Errorf("told %+v", m)
	}
	b.tell(messages.Abandon{}, messages.Close{})
	if !slices.Equal(b.paper.over, []string{"abandon", "close"}) {
		t.Errorf("the transport was told %v", b.paper.over)
	}
}

func TestAHeadIsToldOnItsWay(t *testing.T) {
	b := newBench(true)
	r := &messages.Request{Method: "GET", Target: "/"}
	b.tell(messages.Go{Slot: 0, Request: r, Deadline: clock.Never}, messages.Wrote{At: 3, Written: 4})
	head := &messages.Reply{Status: 429}
	b.tell(messages.Headed{At: 5, Reply: head})
	if len(b.classifier) != 1 || b.classifier[0] != (messages.Head{Request: r, SentAt: 3, HeardAt: 5, Reply: head}) {
		t.Fatalf("told %+v", b.classifier)
	}
	b.classifier = nil
	b.tell(messages.Came{Outcome: messages.BrokeOff, Reply: head, Kind: messages.TimedOut, Failure: "f"})
	if e := b.lastExchange(t); !e.HeadTold || e.Kind != messages.TimedOut || e.Failure != "f" {
		t.Errorf("exchange %+v", e)
	}
}

// redirected is a reply that leads elsewhere.
func redirected(slot, status int, location string, open bool) messages.Came {
	return messages.Came{Slot: slot, Outcome: messages.Answered, Open: open, Reply: &messages.Reply{
		Status: status, Header: []messages.Field{{Name: "Location", Value: location}},
	}}
}

func TestARedirectIsFollowedAtATurnOfItsOwn(t *testing.T) {
	b := newBench(true)
	r := &messages.Request{Method: "POST", Target: "/go", Body: []byte("{}"), Header: []messages.Field{
		{Name: "Content-Type", Value: "application/json"}, {Name: "Authorization", Value: "Bearer k"},
	}}
	b.tell(messages.Go{Slot: 1, Request: r, Deadline: clock.Never}, messages.Wrote{Slot: 1, At: 10, Written: 11})
	lastToPacer[messages.Departed](t, b)
	came := redirected(1, 302, "landing?x=a b#part", true)
	b.tell(messages.Headed{Slot: 1, Reply: came.Reply}, came)
	if m := lastToPacer[messages.Again](t, b); m != (messages.Again{Slot: 1, Request: r}) || len(b.classifier) != 0 {
		t.Fatalf("asked %+v, and told the classifier %+v", m, b.classifier)
	}
	b.tell(messages.Go{Slot: 1, Request: r, At: 20, Deadline: clock.Never, Hop: true})
	want := "GET /landing?x=a%20b HTTP/1.1\r\nHost: api.test:8080\r\nAuthorization: Bearer k\r\nUser-Agent: test\r\nAccept-Encoding: gzip, deflate, br\r\n\r\n"
	if o := b.paper.writes[1]; string(o.Bytes) != want || o.Method != "GET" || o.Target != "/landing?x=a%20b" || o.At != 20 {
		t.Errorf("then wrote %+v: %q", o, o.Bytes)
	}
	b.tell(messages.Wrote{Slot: 1, At: 21, Written: 22})
	if d := lastToPacer[messages.Departed](t, b); !d.Hop || d.Unsent || d.At != 21 || d.Request != r {
		t.Errorf("departed %+v", d)
	}
	reply := &messages.Reply{Status: 200}
	b.tell(messages.Came{Slot: 1, Outcome: messages.Answered, Reply: reply, Open: true})
	e := b.lastExchange(t)
	if e.Reply != reply || e.SentAt != 21 || string(e.Wire) != string(b.paper.writes[0].Bytes) || e.Request != r || !e.Open {
		t.Errorf("exchange %+v", e)
	}
	if want := []messages.Hop{{Method: "POST", Target: "/go", SentAt: 10, Status: 302, Location: "landing?x=a b#part"}}; !slices.Equal(e.Hops, want) {
		t.Errorf("hops %+v", e.Hops)
	}
}

func TestAHopIsMadeByTheRulesOfItsStatus(t *testing.T) {
	tests := []struct {
		method   string
		status   int
		location string
		want     string // method and target, "" if it is not followed
		content  bool
	}{
		{"POST", 301, "/b", "GET /b", false},
		{"POST", 302, "/b", "GET /b", false},
		{"PUT", 302, "/b", "PUT /b", true},
		{"DELETE", 301, "/b", "DELETE /b", true},
		{"PUT", 303, "/b", "GET /b", false},
		{"HEAD", 303, "/b", "HEAD /b", true},
		{"POST", 307, "/b", "POST /b", true},
		{"POST", 308, "/b", "POST /b", true},
		{"GET", 302, "b/../c", "GET /dir/c", true},
		{"GET", 302, "?q=2", "GET /dir/a?q=2", true},
		{"GET", 302, "", "", false},
		{"GET", 302, "http://api.test:8080/b", "GET /b", true},
		{"GET", 302, "HTTP://user:pw@API.test:8080", "GET /", true},
		{"GET", 302, "//api.test:8080/b", "GET /b", true},
		{"GET", 302, "http://api.test/b", "", false},
		{"GET", 302, "https://api.test:8080/b", "", false},
		{"GET", 302, "http://evil.test:8080/steal", "", false},
		{"GET", 302, "//evil.test/steal", "", false},
		{"GET", 302, "http://api.test:8080@evil.test/", "", false},
		{"GET", 302, "mailto:a@api.test", "", false},
		{"GET", 302, "http://api.test:8080/\x01", "", false},
		{"GET", 302, "http://[", "", false},
		{"GET", 300, "/b", "", false},
		{"GET", 304, "/b", "", false},
		{"GET", 201, "/b", "", false},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.method, test.status, test.location), func(t *testing.T) {
			b := newBench(true)
			r := &messages.Request{Method: test.method, Target: "/dir/a?q=1", Body: []byte("{}")}
			b.tell(messages.Go{Request: r, Deadline: clock.Never}, messages.Wrote{}, redirected(0, test.status, test.location, true))
			if test.want == "" {
				if e := b.lastExchange(t); e.Outcome != messages.Answered || e.Reply.Status != test.status || e.Hops != nil {
					t.Errorf("exchange %+v", e)
				}
				return
			}
			b.tell(messages.Go{Request: r, Deadline: clock.Never, Hop: true})
			if len(b.paper.writes) != 2 {
				t.Fatal("it is not followed")
			}
			wire := string(b.paper.writes[1].Bytes)
			if !strings.HasPrefix(wire, test.want+" HTTP/1.1\r\n") || strings.HasSuffix(wire, "{}") != test.content {
				t.Errorf("wrote %q", wire)
			}
		})
	}
}

func TestRedirectsAreNotFollowedUnlessAskedFor(t *testing.T) {
	b := newBench(false)
	b.tell(messages.Go{Request: &messages.Request{Method: "GET", Target: "/"}, Deadline: clock.Never}, messages.Wrote{}, redirected(0, 302, "/b", true))
	if e := b.lastExchange(t); e.Outcome != messages.Answered || e.Reply.Status != 302 {
		t.Errorf("exchange %+v", e)
	}
}

func TestALoopOfRedirectsEndsAfterTenRequests(t *testing.T) {
	b := newBench(true)
	r := &messages.Request{Method: "GET", Target: "/o3"}
	b.tell(messages.Go{Request: r, Deadline: clock.Never}, messages.Wrote{}, redirected(0, 302, "/o3", true))
	for range 9 {
		b.tell(messages.Go{Request: r, Deadline: clock.Never, Hop: true}, messages.Wrote{}, redirected(0, 302, "/o3", true))
	}
	e := b.lastExchange(t)
	if e.Outcome != messages.BrokeOff || e.Reply.Status != 302 || e.Failure != "still redirected after ten requests" || len(e.Hops) != 9 || len(b.paper.writes) != 10 {
		t.Errorf("exchange %+v after %d requests", e, len(b.paper.writes))
	}
}

func TestAHopThatMayNotGoLeavesTheRedirectAsTheReply(t *testing.T) {
	r := &messages.Request{Method: "GET", Target: "/a"}
	start := func() *bench {
		b := newBench(true)
		b.tell(messages.Go{Request: r, Deadline: clock.Never}, messages.Wrote{At: 1}, redirected(0, 302, "/b", true))
		lastAgain := b.pacer[len(b.pacer)-1]
		if lastAgain != (messages.Again{Request: r}) {
			t.Fatalf("the pacer was told %+v", lastAgain)
		}
		b.pacer = nil
		return b
	}
	check := func(name string, b *bench, open bool) {
		t.Helper()
		e := b.lastExchange(t)
		if e.Outcome != messages.Answered || e.Reply.Status != 302 || len(e.Hops) != 0 || e.SentAt != 1 || e.Open != open {
			t.Errorf("%s: exchange %+v", name, e)
		}
	}
	b := start()
	b.tell(messages.Recall{})
	check("refused", b, true)
	b.tell(messages.Go{Request: r, Deadline: clock.Never, Hop: true}) // it crossed the end
	if d := lastToPacer[messages.Departed](t, b); !d.Unsent || !d.Hop || len(b.classifier) != 0 || len(b.paper.writes) != 1 {
		t.Errorf("a turn after the end: departed %+v", d)
	}

	b = start()
	b.tell(messages.Go{Request: r, Deadline: clock.Never, Hop: true}, messages.Wrote{Unsent: true})
	if d := lastToPacer[messages.Departed](t, b); !d.Unsent || !d.Hop {
		t.Errorf("departed %+v", d)
	}
	check("unsent", b, false)

	b = start()
	b.tell(messages.Abandon{})
	check("abandoned", b, true)
}

func TestAHopsConnectionIsOpenedBeforeItsTurn(t *testing.T) {
	for _, reachable := range []bool{true, false} {
		b := newBench(true)
		r := &messages.Request{Method: "GET", Target: "/a"}
		b.tell(messages.Go{Request: r, Deadline: clock.Never}, messages.Wrote{At: 1})
		b.pacer = nil
		b.tell(redirected(0, 302, "/b", false))
		if len(b.pacer) != 0 || !slices.Equal(b.paper.opens, []int{0}) {
			t.Fatalf("told %+v, opened %v", b.pacer, b.paper.opens)
		}
		if !reachable {
			b.tell(messages.NotOpened{})
			if e := b.lastExchange(t); e.Reply.Status != 302 || e.Open || len(b.pacer) != 0 {
				t.Errorf("exchange %+v", e)
			}
			continue
		}
		b.tell(messages.Opened{})
		lastToPacer[messages.Again](t, b)
		b.tell(messages.Recall{})
		if e := b.lastExchange(t); !e.Open {
			t.Errorf("exchange %+v", e)
		}
	}
}

// TestEachRequestEndsExactlyOnce plays the pacer and the transport in any order that their rules allow.
func TestEachRequestEndsExactlyOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const slots = 3
		type slot struct {
			state    string // "free", "leaving", "awaiting", "reopening", "ended" (its credit has not come back)
			recalled bool
			hop      bool
		}
		var (
			b         = newBench(true)
			at        [slots]slot
			again     [slots]*messages.Request
			departed  = map[*messages.Request]int{} // of its Go, hops aside
			unsent    = map[*messages.Request]bool{}
			exchanges = map[*messages.Request]*messages.Exchange{}
			heads     = map[*messages.Request]int{}
			gos       = map[*messages.Request]int{}
			hops      = map[*messages.Request]int{} // that departed
			grants    int
			answers   int // to grants
			requests  []*messages.Request
			abandoned bool
			wrote     int
		)
		// hear takes in what was told, as the neighbours would.
		hear := func() {
			for _, m := range b.pacer {
				switch m := m.(type) {
				case messages.Departed:
					switch {
					case m.Hop:
						answers++
						if !m.Unsent {
							hops[m.Request]++
						}
					default:
						departed[m.Request]++
						unsent[m.Request] = m.Unsent
					}
				case messages.Again:
					again[m.Slot] = m.Request
				default:
					t.Fatalf("the pacer was told %T", m)
				}
			}
			b.pacer = nil
			for _, m := range b.classifier {
				switch m := m.(type) {
				case messages.Head:
					heads[m.Request]++
				case *messages.Exchange:
					if exchanges[m.Request] != nil {
						t.Fatal("a request ended twice")
					}
					exchanges[m.Request] = m
					if m.Slot >= 0 {
						at[m.Slot].state = "free"
						again[m.Slot] = nil
					}
				}
			}
			b.classifier = nil
			for ; wrote < len(b.paper.writes); wrote++ {
				s := &at[b.paper.slots[wrote]]
				if s.state != "free" && s.state != "asking" {
					t.Fatalf("a slot %s was asked to write", s.state)
				}
				*s = slot{state: "leaving", hop: s.state == "asking"}
			}
			for _, n := range b.paper.opens {
				at[n].state = "reopening"
			}
			for _, n := range b.paper.recalls {
				at[n].recalled = true
			}
			b.paper.opens, b.paper.recalls = nil, nil
			for n, r := range again {
				if r != nil {
					at[n].state = "asking"
				}
			}
		}
		reply := func(t *rapid.T) *messages.Reply {
			return &messages.Reply{
				Status: rapid.SampledFrom([]int{200, 302, 302, 303, 307, 429, 500}).Draw(t, "status"),
				Header: []messages.Field{{Name: "Location", Value: rapid.SampledFrom([]string{"/b", "", "http://other.test/"}).Draw(t, "location")}},
			}
		}
		come := func(t *rapid.T, n int, r *messages.Reply, outcome messages.Outcome) {
			if outcome == messages.NoReply {
				r = nil
			}
			at[n].state = "over"
			b.tell(messages.Came{Slot: n, Outcome: outcome, Reply: r, Open: rapid.Bool().Draw(t, "open")})
		}
		var head [slots]*messages.Reply
		step := map[string]func(*rapid.T){
			"go": func(t *rapid.T) {
				n := rapid.IntRange(0, slots-1).Draw(t, "slot")
				if at[n].state != "free" {
					t.Skip()
				}
				r := &messages.Request{Method: "POST", Target: "/", Seq: int64(len(requests))}
				requests = append(requests, r)
				gos[r]++
				b.tell(messages.Go{Slot: n, Request: r, Deadline: clock.Never})
			},
			"drop": func(*rapid.T) {
				r := &messages.Request{Method: "GET", Target: "/"}
				requests = append(requests, r)
				b.tell(messages.Drop{Request: r})
			},
			"recall": func(t *rapid.T) {
				b.tell(messages.Recall{Slot: rapid.IntRange(0, slots-1).Draw(t, "slot")})
			},
			"grant": func(t *rapid.T) { // now and then of a hop that has ended
				n := rapid.IntRange(0, slots-1).Draw(t, "slot")
				if at[n].state != "asking" && (at[n].state != "free" || len(requests) == 0 || rapid.IntRange(0, 9).Draw(t, "rare") > 0) {
					t.Skip()
				}
				r := again[n]
				if r == nil {
					r = requests[0]
				}
				again[n] = nil
				grants++
				b.tell(messages.Go{Slot: n, Request: r, Hop: true, Deadline: clock.Never})
			},
			"write": func(t *rapid.T) {
				n := rapid.IntRange(0, slots-1).Draw(t, "slot")
				if at[n].state != "leaving" {
					t.Skip()
				}
				un := at[n].recalled || abandoned || rapid.IntRange(0, 4).Draw(t, "unsent") == 0
				if !un {
					at[n].state = "awaiting"
				}
				head[n] = nil
				b.tell(messages.Wrote{Slot: n, At: 1, Written: 1, Unsent: un})
			},
			"head": func(t *rapid.T) {
				n := rapid.IntRange(0, slots-1).Draw(t, "slot")
				if at[n].state != "awaiting" || head[n] != nil {
					t.Skip()
				}
				head[n] = reply(t)
				b.tell(messages.Headed{Slot: n, Reply: head[n]})
			},
			"come": func(t *rapid.T) {
				n := rapid.IntRange(0, slots-1).Draw(t, "slot")
				if at[n].state != "awaiting" {
					t.Skip()
				}
				outcome := rapid.SampledFrom([]messages.Outcome{messages.Answered, messages.Answered, messages.BrokeOff, messages.NoReply}).Draw(t, "outcome")
				r := head[n]
				if r == nil {
					r = reply(t)
				} else if outcome == messages.NoReply {
					outcome = messages.BrokeOff
				}
				come(t, n, r, outcome)
			},
			"open": func(t *rapid.T) {
				n := rapid.IntRange(0, slots-1).Draw(t, "slot")
				if at[n].state != "reopening" {
					t.Skip()
				}
				at[n].state = "over"
				if rapid.Bool().Draw(t, "opened") && !abandoned {
					b.tell(messages.Opened{Slot: n})
				} else {
					b.tell(messages.NotOpened{Slot: n})
				}
			},
			"abandon": func(t *rapid.T) {
				if rapid.IntRange(0, 30).Draw(t, "rare") > 0 {
					t.Skip()
				}
				abandoned = true
				b.tell(messages.Abandon{})
			},
			"": func(*rapid.T) { hear() },
		}
		for n := range at {
			at[n].state = "free"
		}
		t.Repeat(step)
		// What is under way comes home.
		for range 12 {
			for n := range at {
				hear()
				switch at[n].state {
				case "leaving":
					at[n].state = "awaiting"
					b.tell(messages.Wrote{Slot: n})
				case "awaiting":
					come(t, n, &messages.Reply{Status: 200}, messages.Answered)
				case "reopening":
					b.tell(messages.NotOpened{Slot: n})
				case "asking":
					b.tell(messages.Recall{Slot: n})
				}
			}
		}
		hear()
		for _, r := range requests {
			e := exchanges[r]
			if e == nil {
				t.Fatalf("request %d never ended", r.Seq)
			}
			if departed[r] != gos[r] {
				t.Fatalf("%d departures for %d Gos", departed[r], gos[r])
			}
			went := gos[r] == 1 && !unsent[r]
			if (e.Outcome == messages.NeverSent) == went || (e.Wire != nil) != went {
				t.Fatalf("it went: %t, and its exchange is %+v", went, e)
			}
			if heads[r] > 1 || e.HeadTold != (heads[r] == 1) {
				t.Fatalf("%d heads, and its exchange says %t", heads[r], e.HeadTold)
			}
			if len(e.Hops) != hops[r] || hops[r] > mostRequests-1 {
				t.Fatalf("%d hops departed, and its exchange has %d", hops[r], len(e.Hops))
			}
		}
		if grants != answers {
			t.Fatalf("%d turns of hops had %d departures", grants, answers)
		}
	})
}

func TestRedirectsAreFollowedOverTheWire(t *testing.T) {
	var targets []string
	gone := make(chan struct{}, 2)
	s := serve(t, func(c net.Conn, _ int, r *http.Request) bool {
		targets = append(targets, r.Method+" "+r.RequestURI)
		reply := redirectTo("/landing")
		if r.URL.Path == "/landing" {
			reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
		}
		_, err := io.WriteString(c, reply)
		if r.URL.Path != "/landing" { // the redirect's connection ends, unannounced
			_ = c.Close()
			gone <- struct{}{}
			return false
		}
		return err == nil
	})
	set := settings.Default()
	set.Engine.FollowRedirects = true
	told := make(chan messages.ToSender, 16)
	w, err := NewWire(WireConfig{
		Origin: s.origin, Settings: set, Clock: clock.NewSystem(),
		Tell: func(m messages.ToSender) { told <- m }, Fail: func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Wait()
	var (
		stage *Sender
		ended *messages.Exchange
		gaps  int
	)
	stage = New(Config{Document: &document.Document{Origin: s.origin}, Settings: set}, clock.NewSystem(), Neighbours{
		Pacer: func(m messages.ToPacer) {
			switch m := m.(type) {
			case messages.Ready:
				told <- messages.Go{Request: &messages.Request{Method: "POST", Target: "/go"}, Deadline: clock.Never}
			case messages.Again:
				gaps++
				<-gone
				told <- messages.Go{Request: m.Request, Hop: true, Deadline: clock.Never}
			}
		},
		Classifier: func(m messages.ToClassifier) { ended, _ = m.(*messages.Exchange) },
	}, w)
	stage.Handle(messages.Open{})
	for ended == nil {
		stage.Handle(<-told)
	}
	stage.Handle(messages.Close{})
	if ended.Outcome != messages.Answered || string(ended.Reply.Body) != "{}" || len(ended.Hops) != 1 || gaps != 1 {
		t.Errorf("ended %+v", ended)
	}
	if !slices.Equal(targets, []string{"POST /go", "GET /landing"}) {
		t.Errorf("the server saw %q", targets)
	}
}
