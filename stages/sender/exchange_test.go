package sender

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

const empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

func TestAReplysHeaderIsKeptAsItWasWritten(t *testing.T) {
	reply := "HTTP/1.1 200 All is well\r\nx-B: 1\r\nX-a:two \t\r\nX-B: \r\nfolded: one\r\n  two\r\n\tthree\r\n" +
		"Latin: caf\xe9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nx-Sum: 9\r\n\r\n"
	d := newDesk(t, serve(t, says(reply, true)).origin, nil)
	d.open(0)
	came, _ := d.exchange()
	want := []messages.Field{
		{Name: "x-B", Value: "1"},
		{Name: "X-a", Value: "two"},
		{Name: "X-B", Value: ""},
		{Name: "folded", Value: "one two three"},
		{Name: "Latin", Value: "caf\xe9"},
		{Name: "Transfer-Encoding", Value: "chunked"},
	}
	r := came.Reply
	if r.Proto != "HTTP/1.1" || r.Reason != "All is well" || !slices.Equal(r.Header, want) {
		t.Errorf("read %q %q %q", r.Proto, r.Reason, r.Header)
	}
	if want := []messages.Field{{Name: "x-Sum", Value: "9"}}; !slices.Equal(r.Trailer, want) {
		t.Errorf("trailer %q", r.Trailer)
	}
}

func TestTheHeaderOfAReplyThatBreaksOffCounts(t *testing.T) {
	for _, rest := range []string{"", "Content-Le", "no header line\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Length: 9\r\n\r\n{}"} {
		d := newDesk(t, serve(t, says("HTTP/1.1 429 Slow down\r\nRetry-After: 3\r\n"+rest, false)).origin, nil)
		d.open(0)
		came, _ := d.exchange()
		if came.Outcome != messages.BrokeOff || came.Reply.Status != 429 || messages.Get(came.Reply.Header, "Retry-After") != "3" {
			t.Errorf("with %q came %+v", rest, came)
		}
	}
}

func TestAHeaderOfFoldsAloneIsReadInTime(t *testing.T) {
	c := conn{route: route{clock: clock.NewSystem()}}
	c.in = bufio.NewReader(strings.NewReader("HTTP/1.1 200 OK\r\nX:" + strings.Repeat("\n a", 300_000) + "\r\n\r\n"))
	r, err := c.readFinalHead()
	if err != nil || len(r.Header) != 1 || len(r.Header[0].Value) != 2*300_000-1 {
		t.Errorf("read %d fields, %v", len(r.Header), err)
	}
}

func TestAHeadIsToldBeforeContentThatHasNotCome(t *testing.T) {
	more := make(chan bool)
	s := serve(t, func(c net.Conn, n int, _ *http.Request) bool {
		head, content := "HTTP/1.1 429 Slow down\r\nRetry-After: 1\r\nContent-Length: 2\r\n\r\n", "{}"
		if n == 2 {
			_, err := io.WriteString(c, head+content)
			return err == nil
		}
		if _, err := io.WriteString(c, head); err != nil {
			return false
		}
		<-more
		_, err := io.WriteString(c, content)
		return err == nil
	})
	d := newDesk(t, s.origin, nil)
	d.open(0)
	d.Write(0, outgoing("GET", "/"))
	next[messages.Wrote](d)
	head := next[messages.Headed](d)
	if head.Reply.Status != 429 || messages.Get(head.Reply.Header, "Retry-After") != "1" || head.Reply.Body != nil {
		t.Errorf("told the head %+v", head.Reply)
	}
	more <- true
	came := next[messages.Came](d)
	if string(came.Reply.Body) != "{}" || came.HeardAt != head.At || !came.Open {
		t.Errorf("came %+v", came)
	}
	if head.Reply.Body != nil {
		t.Error("the head that was told has been changed")
	}
	if came, head := d.exchange(); head != nil || came.Outcome != messages.Answered {
		t.Error("a head was told of a reply that came whole")
	}
}

func TestAConnectionIsUsedAgain(t *testing.T) {
	s := serve(t, says(empty, true))
	d := newDesk(t, s.origin, nil)
	d.open(0)
	for range 20 {
		if came, _ := d.exchange(); !came.Open {
			t.Fatalf("came %+v", came)
		}
		d.open(0) // costs nothing
	}
	if s.opened.Load() != 1 || s.requests.Load() != 20 {
		t.Errorf("%d connections for %d requests", s.opened.Load(), s.requests.Load())
	}
}

func TestNothingIsSentTwiceToAServerThatEndsItsConnections(t *testing.T) {
	const calls = 40
	// It reads a request, and every third time ends the connection without a word, or after the reply, unannounced.
	s := serve(t, func(c net.Conn, n int, _ *http.Request) bool {
		if n == 3 {
			return false
		}
		_, err := io.WriteString(c, empty)
		return err == nil
	})
	d := newDesk(t, s.origin, nil)
	d.open(0)
	answered, idle := 0, 0
	for range calls {
		came, _ := d.exchange()
		switch {
		case came.Outcome == messages.Answered:
			answered++
		case came.Outcome == messages.NoReply && came.Kind == messages.ClosedIdle && !came.Open:
			idle++
		default:
			t.Fatalf("came %+v", came)
		}
	}
	if got := s.requests.Load(); got != calls || answered+idle != calls || idle != calls/3 {
		t.Errorf("the server counted %d requests; told %d answered and %d closed idle", got, answered, idle)
	}
}

func TestAConnectionThatEndedMeanwhileIsOpenedAgainBeforeTheTurn(t *testing.T) {
	ended := make(chan bool, 1)
	s := serve(t, func(c net.Conn, n int, _ *http.Request) bool {
		if _, err := io.WriteString(c, empty); err != nil {
			return false
		}
		_ = c.Close()
		ended <- true
		return false
	})
	d := newDesk(t, s.origin, nil)
	d.open(0)
	for range 10 {
		came, _ := d.exchange()
		if came.Outcome != messages.Answered || !came.Open {
			t.Fatalf("came %+v", came)
		}
		<-ended
	}
	if s.requests.Load() != 10 || s.opened.Load() != 10 {
		t.Errorf("%d requests over %d connections", s.requests.Load(), s.opened.Load())
	}
}

func TestBytesThatNobodyAskedForAnswerNothing(t *testing.T) {
	said := make(chan bool, 1)
	s := serve(t, func(c net.Conn, n int, r *http.Request) bool {
		if r.URL.Path == "/1" {
			if _, err := io.WriteString(c, empty); err != nil {
				return false
			}
			_, err := io.WriteString(c, "HTTP/1.1 500 Stray\r\nContent-Length: 0\r\n\r\n")
			said <- true
			return err == nil
		}
		_, err := io.WriteString(c, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
		return err == nil
	})
	d := newDesk(t, s.origin, nil)
	d.open(0)
	d.carry(outgoing("GET", "/1"))
	<-said
	if came, _ := d.carry(outgoing("GET", "/2")); came.Reply == nil || came.Reply.Status != 201 {
		t.Errorf("came %+v", came)
	}
}

func TestAResetIsASignOfItsOwn(t *testing.T) {
	s := serve(t, func(c net.Conn, _ int, _ *http.Request) bool {
		_ = c.(*net.TCPConn).SetLinger(0)
		return false
	})
	d := newDesk(t, s.origin, nil)
	d.open(0)
	if came, _ := d.exchange(); came.Outcome != messages.NoReply || came.Kind != messages.WasReset {
		t.Errorf("came %+v", came)
	}
}

func TestSilenceAndDripsEndInATimeOut(t *testing.T) {
	drip := func(head string) func(c net.Conn, n int, r *http.Request) bool {
		return func(c net.Conn, _ int, _ *http.Request) bool {
			if _, err := io.WriteString(c, head); err != nil {
				return false
			}
			clk := clock.NewSystem()
			for at := clock.Instant(0); ; at = at.Add(20 * time.Millisecond) {
				clock.Until(clk, at, nil)
				if _, err := io.WriteString(c, "1"); err != nil {
					return false
				}
			}
		}
	}
	silence := func(e *settings.Engine) { e.ReadTimeout = 150 * time.Millisecond }
	call := func(e *settings.Engine) { e.CallTimeout = 150 * time.Millisecond }
	tests := []struct {
		name    string
		answer  func(net.Conn, int, *http.Request) bool
		limit   func(*settings.Engine)
		outcome messages.Outcome
		failure string
	}{
		{"no reply", says("", true), silence, messages.NoReply, "no reply within 150ms"},
		{"silence after the head", says("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", true), silence, messages.BrokeOff, "nothing more within 150ms"},
		{"silence inside the head", says("HTTP/1.1 200 OK\r\nConte", true), silence, messages.BrokeOff, "nothing more within 150ms"},
		{"a dripping head", drip("HTTP/1.1 200 OK\r\nX: "), call, messages.BrokeOff, "engine.callTimeout"},
		{"a dripping body", drip("HTTP/1.1 200 OK\r\n\r\n"), call, messages.BrokeOff, "engine.callTimeout"},
		{"a dripping status line", drip("HTTP/1.1 "), call, messages.NoReply, "engine.callTimeout"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, serve(t, test.answer).origin, func(s *settings.Settings) { test.limit(&s.Engine) })
			d.open(0)
			began := d.clock.Now()
			came, _ := d.exchange()
			if came.Outcome != test.outcome || came.Kind != messages.TimedOut || came.Open || !strings.Contains(came.Failure, test.failure) {
				t.Errorf("came %+v", came)
			}
			if took := came.EndedAt.Sub(began); took < 150*time.Millisecond {
				t.Errorf("it took %s", took)
			}
		})
	}
}

func TestContentIsKeptUpToABound(t *testing.T) {
	most := func(s *settings.Settings) { s.Engine.MaxRetainedResponseBytes = 100 }
	full := strings.Repeat("x", 100)
	endless := func(head, piece string) func(net.Conn, int, *http.Request) bool {
		return func(c net.Conn, _ int, _ *http.Request) bool {
			_, err := io.WriteString(c, head)
			for err == nil {
				_, err = io.WriteString(c, strings.Repeat(piece, 1000))
			}
			return false
		}
	}
	tests := []struct {
		name   string
		answer func(net.Conn, int, *http.Request) bool
		cut    bool
	}{
		{"just as long, sized", says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"+full, true), false},
		{"longer, sized", says("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n"+full, true), true},
		{"just as long, chunked", says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n"+full+"\r\n0\r\n\r\n", true), false},
		{"longer, chunked", endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"), true},
		{"a chunk that is longer", endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffff\r\n", "x"), true},
		{"just as long, until it closes", says("HTTP/1.1 200 OK\r\n\r\n"+full, false), false},
		{"longer, until it closes", endless("HTTP/1.1 200 OK\r\n\r\n", "x"), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t, serve(t, test.answer).origin, most)
			d.open(0)
			came, _ := d.exchange()
			if came.Outcome != messages.Answered || came.Reply.Cut != test.cut || string(came.Reply.Body) != full || came.Reply.Length != 100 {
				t.Errorf("came %+v, %d bytes, cut %t", came, len(came.Reply.Body), came.Reply.Cut)
			}
			if test.cut && came.Open {
				t.Error("the connection is kept with content on it that was not read")
			}
		})
	}
}

func TestALargeReplyComesWhole(t *testing.T) {
	content := strings.Repeat("0123456789abcdef", 40000)
	s := serve(t, says("HTTP/1.1 200 OK\r\nContent-Length: 640000\r\n\r\n"+content, true))
	d := newDesk(t, s.origin, nil)
	d.open(0)
	first, head := d.exchange()
	second, _ := d.exchange()
	if string(first.Reply.Body) != content || string(second.Reply.Body) != content || !second.Open || head == nil {
		t.Error("the content differs from what was sent")
	}
}

func TestALongRequestIsToldOnceItsBeginningIsWritten(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789"), 500_000)
	got := make(chan []byte, 1)
	s := serve(t, func(c net.Conn, _ int, r *http.Request) bool {
		b, _ := io.ReadAll(r.Body)
		got <- b
		_, err := io.WriteString(c, empty)
		return err == nil
	})
	d := newDesk(t, s.origin, nil)
	d.open(0)
	o := outgoing("POST", "/")
	o.Bytes = message{method: "POST", target: "/", body: body}.bytes("api.test", "")
	if came, _ := d.carry(o); came.Outcome != messages.Answered || !came.Open {
		t.Errorf("came %+v", came)
	}
	if !bytes.Equal(<-got, body) {
		t.Error("the body came differently")
	}
}

func TestAReplyToHalfARequestIsRead(t *testing.T) {
	l := listen(t)
	done := make(chan bool)
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = io.ReadFull(c, make([]byte, 1000))
		_, _ = io.WriteString(c, "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, io.LimitReader(c, 100_000))
		_ = c.Close()
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	d := newDesk(t, "http://"+l.Addr().String(), nil)
	d.open(0)
	o := outgoing("POST", "/")
	o.Bytes = message{method: "POST", target: "/", body: make([]byte, 64<<20)}.bytes("api.test", "")
	came, _ := d.carry(o)
	// The reset that follows may have overtaken the reply: then it is told as a reset, never as something else.
	answered := came.Outcome == messages.Answered && came.Reply.Status == 413
	reset := came.Outcome == messages.NoReply && (came.Kind == messages.WasReset || came.Kind == messages.NotWritten)
	if !answered && !reset || came.Open {
		t.Errorf("came %+v", came)
	}
}

func TestARequestThatIsNotReadIsNotWrittenForEver(t *testing.T) {
	l := listen(t)
	d := newDesk(t, "http://"+l.Addr().String(), func(s *settings.Settings) { s.Engine.WriteTimeout = 200 * time.Millisecond })
	d.open(0)
	o := outgoing("POST", "/")
	o.Bytes = message{method: "POST", target: "/", body: make([]byte, 64<<20)}.bytes("api.test", "")
	came, _ := d.carry(o) // the kernel takes the connection, and some of the bytes, for the listener
	if came.Outcome != messages.NoReply || came.Kind != messages.NotWritten || came.Open {
		t.Errorf("came %+v", came)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestARecalledRequestDoesNotGo(t *testing.T) {
	s := serve(t, says(empty, true))
	d := newDesk(t, s.origin, nil)
	d.open(0)
	o := outgoing("GET", "/")
	o.At = d.clock.Now().Add(time.Hour)
	d.Write(0, o)
	d.Recall(0)
	if wrote := next[messages.Wrote](d); !wrote.Unsent || wrote.Reason != "recalled before its turn" {
		t.Errorf("wrote %+v", wrote)
	}
	if came, _ := d.exchange(); came.Outcome != messages.Answered {
		t.Errorf("then came %+v", came)
	}
	d.Recall(0) // too late for that one, and not meant for the next
	if came, _ := d.exchange(); came.Outcome != messages.Answered {
		t.Errorf("then came %+v", came)
	}
	if s.requests.Load() != 2 {
		t.Errorf("the server counted %d requests", s.requests.Load())
	}
}

func TestNothingIsWrittenAtOrAfterTheDeadline(t *testing.T) {
	s := serve(t, says(empty, true))
	d := newDesk(t, s.origin, nil)
	d.open(0)
	now := d.clock.Now()
	for _, o := range []Outgoing{
		{At: now, Deadline: now},
		{At: now.Add(time.Hour), Deadline: now.Add(time.Hour)},
		{At: now.Add(2 * time.Hour), Deadline: now.Add(time.Hour)},
	} {
		o.Bytes, o.Method = outgoing("GET", "/").Bytes, "GET"
		d.Write(0, o)
		if wrote := next[messages.Wrote](d); !wrote.Unsent || !strings.Contains(wrote.Reason, "deadline") {
			t.Errorf("wrote %+v", wrote)
		}
	}
	if s.requests.Load() != 0 {
		t.Errorf("the server counted %d requests", s.requests.Load())
	}
}

func TestWritesKeepTheirMomentsOverAllSlots(t *testing.T) {
	const interval = 2 * time.Millisecond
	s := serve(t, says(empty, true))
	d := newDesk(t, s.origin, nil)
	for slot := range 4 {
		d.open(slot)
	}
	var last clock.Instant
	for i := range 40 {
		o := outgoing("GET", "/")
		o.At = last.Add(interval)
		d.Write(i%4, o)
		wrote := next[messages.Wrote](d)
		if wrote.Unsent || i > 0 && wrote.At.Sub(last) < interval {
			t.Fatalf("%s after the write before: %+v", wrote.At.Sub(last), wrote)
		}
		last = wrote.Written
		for {
			if _, over := (<-d.told).(messages.Came); over {
				break
			}
		}
	}
}

func TestAbandonEndsWhateverIsUnderWay(t *testing.T) {
	read := make(chan bool, 2)
	s := serve(t, func(c net.Conn, _ int, r *http.Request) bool {
		if r.URL.Path == "/head" {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
		}
		read <- true
		return true
	})
	d := newDesk(t, s.origin, nil)
	for slot := range 3 {
		d.open(slot)
	}
	d.Write(0, outgoing("GET", "/"))
	next[messages.Wrote](d)
	<-read
	d.Write(1, outgoing("GET", "/head"))
	next[messages.Wrote](d)
	next[messages.Headed](d)
	<-read
	o := outgoing("GET", "/")
	o.At = clock.Never - 1
	d.Write(2, o)
	d.Abandon()
	came := map[int]messages.Came{}
	unsent := false
	for range 3 {
		switch m := (<-d.told).(type) {
		case messages.Came:
			came[m.Slot] = m
		case messages.Wrote:
			unsent = m.Slot == 2 && m.Unsent
		}
	}
	if came[0].Outcome != messages.NoReply || came[0].Kind != messages.GivenUp || came[0].Open {
		t.Errorf("without a head: %+v", came[0])
	}
	if m := came[1]; m.Outcome != messages.BrokeOff || m.Kind != messages.GivenUp || string(m.Reply.Body) != "abc" {
		t.Errorf("with a head: %+v", m)
	}
	if !unsent {
		t.Error("the request that waited was not told as unsent")
	}
	d.Open(0)
	next[messages.NotOpened](d)
	d.Open(3)
	next[messages.NotOpened](d)
	d.Write(1, outgoing("GET", "/"))
	if wrote := next[messages.Wrote](d); !wrote.Unsent {
		t.Error("something was written after everything was given up")
	}
	if s.requests.Load() != 2 {
		t.Errorf("the server counted %d requests", s.requests.Load())
	}
}

func TestAConnectionThatCannotBeOpenedSaysWhy(t *testing.T) {
	l := listen(t)
	origin := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, origin, nil)
	d.Open(0)
	if m := next[messages.NotOpened](d); m.Reason != "connection refused" {
		t.Errorf("the reason is %q", m.Reason)
	}
	// A request is never lost in silence either.
	d.Write(0, outgoing("GET", "/"))
	if m := next[messages.Wrote](d); !m.Unsent || !strings.Contains(m.Reason, "connection refused") {
		t.Errorf("wrote %+v", m)
	}
}

func TestAPanicInASlotIsToldAndEndsNothingElse(t *testing.T) {
	s := serve(t, says(empty, true))
	failed := make(chan error, 1)
	told := make(chan messages.ToSender, 16)
	w, err := NewWire(WireConfig{
		Origin: s.origin, Settings: settings.Default(), Clock: clock.NewSystem(),
		Tell: func(m messages.ToSender) {
			if m == (messages.Opened{Slot: 1}) {
				panic("a full mailbox")
			}
			told <- m
		},
		Fail: func(err error) { failed <- err },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Wait()
	defer w.Close()
	w.Open(1)
	if err := <-failed; !strings.Contains(err.Error(), "a full mailbox") || !strings.Contains(err.Error(), "slot 1") {
		t.Errorf("failed with %v", err)
	}
	w.Open(0)
	if m := <-told; m != (messages.Opened{Slot: 0}) {
		t.Errorf("told %+v", m)
	}
}
