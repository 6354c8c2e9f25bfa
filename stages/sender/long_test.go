package sender

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// deaf starts a server that reads no further than a request's header, answers with the bytes, if any, and keeps the
// connection open without reading on.
func deaf(t *testing.T, reply string) string {
	t.Helper()
	l := listen(t)
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
			_ = c.(*net.TCPConn).SetReadBuffer(4096)
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			var head []byte
			for b := make([]byte, 1); !bytes.HasSuffix(head, []byte("\r\n\r\n")); {
				if _, err := c.Read(b); err != nil {
					break
				}
				head = append(head, b[0])
			}
			_, _ = io.WriteString(c, reply)
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
	return "http://" + l.Addr().String()
}

// long is a request whose content fills every buffer on the way.
func long() []byte {
	return append([]byte("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 33554432\r\n\r\n"), make([]byte, 32<<20)...)
}

func TestARefusalOfALongRequestIsHeardBeforeItIsWritten(t *testing.T) {
	d := newDesk(t, deaf(t, "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"), nil)
	came := d.post(long(), clock.Never)
	if came.Reply == nil || came.Reply.Status != 429 || messages.Get(came.Reply.Header, "Retry-After") != "5" {
		t.Fatalf("came %+v", came)
	}
	if came.Open {
		t.Error("a connection with half a request on it is used again")
	}
}

func TestTheCallTimeoutBoundsTheWritingToo(t *testing.T) {
	d := newDesk(t, deaf(t, ""), func(s *settings.Settings) {
		s.Engine.CallTimeout, s.Engine.WriteTimeout = 150*time.Millisecond, 10*time.Minute
	})
	came := d.post(long(), clock.Never)
	if came.Outcome != messages.NoReply || came.Kind != messages.NotWritten {
		t.Errorf("came %+v", came)
	}
	if took := d.clock.Now(); took > clock.Instant(5*time.Minute) { // the write time-out is twice as long
		t.Errorf("it took %v", time.Duration(took))
	}
}

// ADR-0042 §2: "nothing reaches the API after the run's time is up".
func TestNothingOfALongRequestIsWrittenAfterTheDeadline(t *testing.T) {
	d := newDesk(t, deaf(t, ""), func(s *settings.Settings) { s.Engine.WriteTimeout = 10 * time.Minute })
	came := d.post(long(), d.clock.Now().Add(200*time.Millisecond))
	if came.Outcome != messages.NoReply || came.Kind != messages.NotWritten {
		t.Errorf("came %+v", came)
	}
	if took := d.clock.Now(); took > clock.Instant(5*time.Minute) {
		t.Errorf("it took %v", time.Duration(took))
	}
}

// post writes the bytes at once and returns what came of them.
func (d *desk) post(wire []byte, deadline clock.Instant) messages.Came {
	d.t.Helper()
	d.open(0)
	came, _ := d.carry(Outgoing{
		Bytes: wire, Request: &messages.Request{Method: "POST", Target: "/"}, Method: "POST", Target: "/", Deadline: deadline,
	})
	return came
}
