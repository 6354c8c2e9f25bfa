package sender

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is an API of raw bytes on loopback.
type server struct {
	origin   string
	requests atomic.Int64 // that came whole
	opened   atomic.Int64 // connections
}

// serve starts a server: answer writes the reply to the n-th request of the connection, and false ends it.
func serve(t testing.TB, answer func(c net.Conn, n int, r *http.Request) bool) *server {
	return serveOn(t, listen(t), answer)
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func serveOn(t testing.TB, l net.Listener, answer func(c net.Conn, n int, r *http.Request) bool) *server {
	s := &server{origin: "http://" + l.Addr().String()}
	var (
		mu    sync.Mutex
		conns []net.Conn
		all   sync.WaitGroup
	)
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			s.opened.Add(1)
			all.Go(func() {
				defer func() { _ = c.Close() }()
				in := bufio.NewReader(c)
				for n := 1; ; n++ {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					body, err := io.ReadAll(r.Body)
					if err != nil {
						return
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
					s.requests.Add(1)
					if !answer(c, n, r) {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range conns {
			_ = c.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return s
}

// says is an answer of fixed bytes; the connection is then kept, or ended.
func says(reply string, keep bool) func(net.Conn, int, *http.Request) bool {
	return func(c net.Conn, _ int, _ *http.Request) bool {
		_, err := io.WriteString(c, reply)
		return keep && err == nil
	}
}

// desk is a Wire and what it tells.
type desk struct {
	*Wire
	t     testing.TB
	clock *clock.System
	told  chan messages.ToSender
}

func newDesk(t testing.TB, origin string, adjust func(*settings.Settings)) *desk {
	t.Helper()
	s := settings.Default()
	if adjust != nil {
		adjust(&s)
	}
	d := &desk{t: t, clock: clock.NewSystem(), told: make(chan messages.ToSender, 256)}
	w, err := NewWire(WireConfig{
		Origin: origin, Settings: s, Clock: d.clock,
		Tell: func(m messages.ToSender) { d.told <- m },
		Fail: func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Wire = w
	t.Cleanup(func() { w.Close(); w.Wait() })
	return d
}

// next is the next message, which has to be of that type.
func next[M messages.ToSender](d *desk) M {
	d.t.Helper()
	m := <-d.told
	got, ok := m.(M)
	if !ok {
		d.t.Fatalf("told %T %+v, want %T", m, m, got)
	}
	return got
}

func (d *desk) open(slot int) {
	d.t.Helper()
	d.Open(slot)
	next[messages.Opened](d)
}

// outgoing is a request that may go at once.
func outgoing(method, target string) Outgoing {
	m := message{method: method, target: target}
	return Outgoing{
		Bytes: m.bytes("api.test", ""), Request: &messages.Request{Method: method, Target: target},
		Method: method, Target: target, Deadline: clock.Never,
	}
}

// exchange has slot 0 send a GET at once, and gives what came and whether its head was told before.
func (d *desk) exchange() (messages.Came, *messages.Headed) {
	d.t.Helper()
	return d.carry(outgoing("GET", "/"))
}

func (d *desk) carry(o Outgoing) (messages.Came, *messages.Headed) {
	d.t.Helper()
	d.Write(0, o)
	wrote := next[messages.Wrote](d)
	if wrote.Unsent {
		d.t.Fatalf("unsent: %s", wrote.Reason)
	}
	if wrote.At < o.At || wrote.Written < wrote.At {
		d.t.Fatalf("written from %d to %d, not before %d", wrote.At, wrote.Written, o.At)
	}
	var head *messages.Headed
	m := <-d.told
	if h, ok := m.(messages.Headed); ok {
		head, m = &h, <-d.told
	}
	came, ok := m.(messages.Came)
	if !ok {
		d.t.Fatalf("told %T %+v, want what came", m, m)
	}
	if came.HeardAt < wrote.At || came.EndedAt < came.HeardAt {
		d.t.Fatalf("written at %d, heard at %d, over at %d", wrote.At, came.HeardAt, came.EndedAt)
	}
	return came, head
}

const json = "Content-Type: application/json\r\n"

func TestARepliesFramingIsReadAsHTTPHasIt(t *testing.T) {
	ok := `{"ok":true}`
	chunked := "HTTP/1.1 200 OK\r\n" + json + "Transfer-Encoding: chunked\r\n\r\n"
	tests := []struct {
		name    string
		method  string
		reply   string
		keep    bool // the server keeps its connection
		status  int
		body    string
		outcome messages.Outcome
		kind    messages.Failure
		failure string // a part of it
		open    bool
	}{
		{
			name: "A: a chunk's length is no number", reply: chunked + "zz\r\n{\"ok\":true}\r\n0\r\n\r\n", status: 200,
			body: "zz\r\n{\"ok\":true}\r\n0\r\n\r\n", outcome: messages.BrokeOff, kind: messages.NotHTTP, failure: `"zz"`,
		},
		{
			name: "B: closed inside a chunk", reply: chunked + "20\r\n{\"ok\"", status: 200, body: `{"ok"`,
			outcome: messages.BrokeOff, kind: messages.ClosedEarly, failure: "closed",
		},
		{
			name: "C: the last line is missing", reply: chunked + "b\r\n{\"ok\":true}\r\n0\r\n", status: 200, body: ok,
			outcome: messages.BrokeOff, kind: messages.ClosedEarly, failure: "closed",
		},
		{
			name: "D: shorter than Content-Length", reply: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + ok, status: 200,
			body: ok, outcome: messages.BrokeOff, kind: messages.ClosedEarly, failure: "closed",
		},
		{
			name: "E: one chunk, kept", reply: chunked + "b\r\n{\"ok\":true}\r\n0\r\n\r\n", keep: true, status: 200,
			body: ok, outcome: messages.Answered, open: true,
		},
		{
			name: "F: a chunk for each byte, kept", reply: chunked + "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", keep: true, status: 200,
			body: "{}", outcome: messages.Answered, open: true,
		},
		{
			name: "G: until it closes", reply: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + ok, status: 200, body: ok,
			outcome: messages.Answered,
		},
		{
			name: "no framing and no Connection: close", reply: "HTTP/1.1 200 OK\r\n\r\n" + ok, status: 200, body: ok,
			outcome: messages.Answered,
		},
		{
			name: "Connection: close with a length", reply: "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 2\r\n\r\n{}",
			keep: true, status: 200, body: "{}", outcome: messages.Answered,
		},
		{
			name:  "chunk extensions, bare line feeds, a trailer",
			reply: "HTTP/1.1 200 OK\nTransfer-Encoding: Chunked\n\nB;a=b ; c\n{\"ok\":true}\n000;x\nDigest: d\n\n", keep: true,
			status: 200, body: ok, outcome: messages.Answered, open: true,
		},
		{
			name: "a chunk longer than its length", reply: chunked + "2\r\n{\"ok\":true}\r\n0\r\n\r\n", keep: true, status: 200,
			body: "{\"ok\":true}\r\n0\r\n\r\n", outcome: messages.BrokeOff, kind: messages.NotHTTP, failure: "longer than its length",
		},
		{
			name: "a chunk's length beyond any", reply: chunked + "fffffffffffffffff\r\n", keep: true, status: 200,
			body: "fffffffffffffffff\r\n", outcome: messages.BrokeOff, kind: messages.NotHTTP,
		},
		{
			name: "a chunk's length is negative", reply: chunked + "-1\r\n", keep: true, status: 200, body: "-1\r\n",
			outcome: messages.BrokeOff, kind: messages.NotHTTP,
		},
		{
			name: "a chunk without a length", reply: chunked + ";a\r\n", keep: true, status: 200, body: ";a\r\n",
			outcome: messages.BrokeOff, kind: messages.NotHTTP,
		},
		{
			name: "longer than Content-Length", reply: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 500 no\r\n\r\n",
			keep: true, status: 200, body: "{}", outcome: messages.Answered,
		},
		{
			name: "the same length twice", reply: "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\n{}", keep: true,
			status: 200, body: "{}", outcome: messages.Answered, open: true,
		},
		{
			name: "two lengths", reply: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", keep: true,
			status: 200, body: "{}", outcome: messages.BrokeOff, kind: messages.NotHTTP, failure: "both 2 and 3",
		},
		{
			name: "a length that is none", reply: "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}", keep: true, status: 200,
			body: "{}", outcome: messages.BrokeOff, kind: messages.NotHTTP, failure: `"-2"`,
		},
		{
			name: "a length and chunks", reply: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
			keep: true, status: 200, body: "{}", outcome: messages.Answered,
		},
		{
			name: "HTTP/1.0", reply: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", keep: true, status: 200, body: "{}",
			outcome: messages.Answered,
		},
		{
			name: "HTTP/1.0 kept", reply: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}", keep: true,
			status: 200, body: "{}", outcome: messages.Answered, open: true,
		},
		{
			name: "HEAD", method: "HEAD", reply: "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", keep: true, status: 200,
			outcome: messages.Answered, open: true,
		},
		{
			name: "204 with a length", reply: "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", keep: true, status: 204,
			outcome: messages.Answered, open: true,
		},
		{
			name: "204 with content", reply: "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}", keep: true, status: 204,
			outcome: messages.Answered,
		},
		{
			name: "304", reply: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", keep: true, status: 304,
			outcome: messages.Answered, open: true,
		},
		{
			name: "interim replies", reply: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
			keep: true, status: 201, outcome: messages.Answered, open: true,
		},
		{
			name: "too many interim replies", reply: strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 101), keep: true,
			outcome: messages.NoReply, kind: messages.NotHTTP, failure: "interim",
		},
		{
			name: "closed inside an interim reply", reply: "HTTP/1.1 100 Continue\r\nX: y\r\n",
			outcome: messages.NoReply, kind: messages.ClosedEarly, failure: "status line",
		},
		{
			name: "another protocol's version", reply: "HTTP/x 200 OK\r\n\r\n", keep: true,
			outcome: messages.NoReply, kind: messages.NotHTTP, failure: "status line",
		},
		{
			name: "a carriage return in the header", reply: "HTTP/1.1 200 OK\r\nX: a\r b\r\n\r\n", keep: true, status: 200,
			outcome: messages.BrokeOff, kind: messages.NotHTTP, failure: "carriage return",
		},
		{
			name: "a chunk is not followed by a line end", reply: chunked + "2\r\n{}", status: 200, body: "{}",
			outcome: messages.BrokeOff, kind: messages.ClosedEarly,
		},
		{
			name: "switching protocols ends the connection", reply: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", keep: true,
			status: 101, outcome: messages.Answered,
		},
		{
			name: "a status outside the classes", reply: "HTTP/1.1 999 \r\nContent-Length: 0\r\n\r\n", keep: true, status: 999,
			outcome: messages.Answered, open: true,
		},
		{
			name: "status 0", reply: "HTTP/1.1 000 ?\r\nContent-Length: 0\r\n\r\n", keep: true, status: 0,
			outcome: messages.Answered, open: true,
		},
		{
			name: "a status of two digits", reply: "HTTP/1.1 20 OK\r\n\r\n", keep: true, outcome: messages.NoReply,
			kind: messages.NotHTTP, failure: "status line",
		},
		{
			name: "another protocol", reply: "SSH-2.0-OpenSSH_9.2", keep: true, outcome: messages.NoReply,
			kind: messages.NotHTTP, failure: `"SSH-2.0-OpenSSH_9.2"`,
		},
		{name: "nothing", reply: "", outcome: messages.NoReply, kind: messages.ClosedEarly, failure: "connection closed before any reply"},
		{name: "a piece of the status line", reply: "HTTP/1.1 2", outcome: messages.NoReply, kind: messages.ClosedEarly, failure: "status line"},
		{
			name: "closed inside the header", reply: "HTTP/1.1 429 Slow\r\nRetry-After: 3\r\nContent-Le", status: 429,
			outcome: messages.BrokeOff, kind: messages.ClosedEarly,
		},
		{
			name: "a header line that is none", reply: "HTTP/1.1 429 Slow\r\nRetry-After: 3\r\nwhat is this\r\n\r\n", keep: true, status: 429,
			outcome: messages.BrokeOff, kind: messages.NotHTTP, failure: `"what is this"`,
		},
		{
			name: "a NUL in the header", reply: "HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n", keep: true, status: 200,
			outcome: messages.BrokeOff, kind: messages.NotHTTP, failure: `\x00`,
		},
		{
			name: "a header without end", reply: "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", 2<<20), keep: true, status: 200,
			outcome: messages.BrokeOff, kind: messages.NotHTTP, failure: "1 MiB",
		},
		{
			name: "NUL and invalid UTF-8 in the content", reply: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\x00\xff\xfe\n", keep: true,
			status: 200, body: "\x00\xff\xfe\n", outcome: messages.Answered, open: true,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t, serve(t, says(test.reply, test.keep)).origin, nil)
			d.open(0)
			method := test.method
			if method == "" {
				method = "GET"
			}
			came, _ := d.carry(outgoing(method, "/"))
			if came.Outcome != test.outcome || came.Kind != test.kind || came.Open != test.open ||
				!strings.Contains(came.Failure, test.failure) || (came.Failure == "") != (came.Outcome == messages.Answered) {
				t.Errorf("outcome %d, kind %d, open %t, failure %q; want %d, %d, %t, %q",
					came.Outcome, came.Kind, came.Open, came.Failure, test.outcome, test.kind, test.open, test.failure)
			}
			if (came.Reply == nil) != (test.outcome == messages.NoReply) {
				t.Fatalf("reply %+v with outcome %d", came.Reply, came.Outcome)
			}
			if came.Reply != nil && (came.Reply.Status != test.status || string(came.Reply.Body) != test.body) {
				t.Errorf("%d %q, want %d %q", came.Reply.Status, came.Reply.Body, test.status, test.body)
			}
		})
	}
}
