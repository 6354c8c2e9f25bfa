package demo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/restest/restest/clock"
)

// Answerer is an API on paper. It may be asked by several goroutines; a moment is counted from the beginning of the clock
// that it is served by.
type Answerer interface {
	Answer(now time.Duration, r Request) Reply
}

// Serve answers over the listener until ctx is done, and then returns nil; or until the listener fails, and returns
// why. Either way the listener and every connection are closed when it returns.
func Serve(ctx context.Context, listener net.Listener, a Answerer, clk clock.Clock) error {
	s := &server{api: a, clock: clk, open: map[net.Conn]bool{}}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	group.Go(func() {
		<-ctx.Done()
		_ = listener.Close()
		s.close()
	})
	for {
		conn, err := listener.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = conn.Close()
			}
			return nil
		case isPassing(err):
			s.wait(ctx, s.clock.Now().Add(acceptAgain))
		case err != nil:
			return fmt.Errorf("cannot take connections any more: %w", err)
		case s.took(conn):
			group.Go(func() {
				defer s.left(conn)
				s.converse(ctx, conn)
			})
		}
	}
}

const (
	// acceptAgain is how long no connection is taken after one could not be.
	acceptAgain = 50 * time.Millisecond
	// lingering is how long a client that was refused may go on sending: closing at once would reset the connection,
	// and the refusal could be lost with it (RFC 9112 §9.6).
	lingering = 500 * time.Millisecond
)

// isPassing says whether a connection could not be taken for a reason that will pass.
func isPassing(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ECONNABORTED)
}

// server is an API with the connections that are open to it.
type server struct {
	api   Answerer
	clock clock.Clock

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
}

// took notes a connection, or closes it if the server is closed.
func (s *server) took(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close()
		return false
	}
	s.open[conn] = true
	return true
}

// left closes a connection and forgets it.
func (s *server) left(conn net.Conn) {
	_ = conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, conn)
}

func (s *server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for conn := range s.open {
		_ = conn.Close()
	}
}

// converse answers the requests of one connection, one after the other.
func (s *server) converse(ctx context.Context, conn net.Conn) {
	reader := requestReader{in: bufio.NewReaderSize(conn, 8<<10), goOn: conn}
	from := host(conn.RemoteAddr())
	var out []byte
	for {
		r, err := reader.next()
		var no refusal
		if errors.As(err, &no) {
			reply := problem(no.status, no.why)
			reply.Close = true
			if _, err := conn.Write(reply.Append(out[:0])); err == nil {
				s.linger(conn)
			}
			return
		}
		if err != nil {
			return // the client has left
		}
		r.From = from
		now := s.clock.Now()
		reply := s.api.Answer(time.Duration(now), r.Request)
		if reply.After > 0 && !s.wait(ctx, now.Add(reply.After)) {
			return
		}
		if reply.Break == Never {
			_, _ = io.Copy(io.Discard, reader.in) // until the client leaves
			return
		}
		if r.last {
			reply.Close = true
		}
		if r.old {
			reply = reply.plain()
		}
		out = reply.Append(out[:0])
		if _, err := conn.Write(out); err != nil || reply.Ends() {
			return
		}
	}
}

// host is the address without its port.
func host(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.IP.String()
	}
	return a.String()
}

// wait waits until the moment t; it is false if ctx was done first.
func (s *server) wait(ctx context.Context, t clock.Instant) bool {
	came := make(chan struct{})
	cancel := s.clock.At(t, func() { close(came) })
	defer cancel()
	select {
	case <-came:
		return true
	case <-ctx.Done():
		return false
	}
}

// linger reads what a client still sends to a connection that is to be closed.
func (s *server) linger(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_ = conn.SetReadDeadline(s.clock.Wall(s.clock.Now().Add(lingering)))
		_, _ = io.CopyN(io.Discard, conn, maxContent)
	}
}
