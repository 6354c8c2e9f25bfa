package sender

import (
	"bytes"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
)

// scripted is a connection from which fixed bytes come, a few at a time, and then its end.
type scripted struct {
	net.Conn
	bytes.Reader
	step int
}

func (s *scripted) Read(p []byte) (int, error)      { return s.Reader.Read(p[:min(len(p), s.step)]) }
func (s *scripted) SetReadDeadline(time.Time) error { return nil }
func (s *scripted) Close() error                    { return nil }

func FuzzReply(f *testing.F) {
	for _, reply := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x\r\n{\r\n1\r\n}\r\n0\r\nT: 1\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 999\nX: a\n b\n\nbody",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"HTTP/1.1 204\r\nConnection: close, x\r\n\r\n",
		"SSH-2.0-x\r\n",
		replyWith("gzip", coded(f, []byte("{}"), "gzip")),
		replyWith("deflate, br", coded(f, []byte("{}"), "zlib", "br")),
		replyWith("deflate", coded(f, []byte("{}"), "bare")),
	} {
		f.Add([]byte(reply), uint8(100), false)
		f.Add([]byte(reply), uint8(1), true)
	}
	f.Fuzz(func(t *testing.T, reply []byte, step uint8, head bool) {
		const most = 1000
		c := newConn(route{clock: clock.NewSystem(), read: time.Hour, most: most, brotli: new(sync.Mutex)})
		c.stream = &scripted{Reader: *bytes.NewReader(reply), step: int(step) + 1}
		c.in.Reset(c)
		heads := 0
		c.onHead = func(clock.Instant, *messages.Reply) { heads++ }
		method := "GET"
		if head {
			method = "HEAD"
		}
		a := c.receive(method, clock.Never)
		if (a.reply == nil) != (a.outcome == messages.NoReply) || (a.failure == "") != (a.outcome == messages.Answered) || a.outcome == messages.NeverSent {
			t.Fatalf("outcome %d, failure %q, reply %+v", a.outcome, a.failure, a.reply)
		}
		if a.open && (a.outcome != messages.Answered || c.in.Buffered() > 0 || c.stream == nil) || !a.open && c.stream != nil {
			t.Fatalf("open: %t, outcome %d", a.open, a.outcome)
		}
		if heads > 1 || heads == 1 && a.reply == nil {
			t.Fatalf("%d heads were told", heads)
		}
		if r := a.reply; r != nil && (len(r.Body) > most || r.Length != int64(len(r.Body)) || r.Status < 0 || r.Status > 999) {
			t.Fatalf("%d bytes of content, length %d, status %d", len(r.Body), r.Length, r.Status)
		}
		if size := int64(cap(c.body) + cap(c.decoder.content)); size > 1<<20 {
			t.Fatalf("%d bytes of scratch", size)
		}
	})
}
