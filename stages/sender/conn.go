package sender

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
)

// route says how connections to an origin are opened, how long each wait may take, and how much of a reply is kept.
type route struct {
	origin origin
	proxy  *proxy // nil: none
	verify bool
	from   net.IP // the address to connect from; nil: the system chooses
	clock  clock.Clock

	connect, read, write time.Duration
	most                 int64       // bytes of a reply's content
	brotli               *sync.Mutex // held while a brotli decoder is at work: its window can take 16 MiB
}

var (
	errGivenUp = errors.New("given up: the run is over")
	errIdle    = errors.New("the connection is not open")
)

// conn is the place of one HTTP/1.1 connection after another. One goroutine uses it; cut alone may be called by any.
type conn struct {
	route

	mu  sync.Mutex
	raw net.Conn // the socket, nil when there is none
	off bool     // cut was called: nothing is opened any more

	stream net.Conn // raw, or TLS over it; nil when there is none
	sent   int64    // bytes given to raw
	in     *bufio.Reader
	served int // exchanges since it was opened
	peek   func() (pending, open bool)

	// The exchange under way.
	got     int64 // bytes that came
	callBy  clock.Instant
	late    bool // callBy came before the bytes did
	heardAt clock.Instant
	reply   *messages.Reply // its header is there
	onHead  func(at clock.Instant, r *messages.Reply)
	unheard bool // onHead is to be called before more is waited for

	head, body []byte // scratch
	decoder    decoder
}

func newConn(r route) *conn {
	c := &conn{route: r}
	c.in = bufio.NewReaderSize(nil, 16<<10)
	return c
}

// open opens a connection, with TLS where the origin asks for it, until the moment by.
func (c *conn) open(ctx context.Context, by clock.Instant) error {
	c.shut()
	to := c.origin.address()
	if c.proxy != nil {
		to = c.proxy.address()
	}
	limit := c.clock.Wall(by)
	dialer := net.Dialer{Deadline: limit}
	if c.from != nil {
		dialer.LocalAddr = &net.TCPAddr{IP: c.from}
	}
	raw, err := dialer.DialContext(ctx, "tcp", to)
	if err != nil {
		return err
	}
	if !c.adopt(raw) {
		_ = raw.Close()
		return errGivenUp
	}
	if err := c.secure(ctx, limit); err != nil {
		c.shut()
		return err
	}
	return nil
}

// adopt makes raw the socket, unless the conn was cut.
func (c *conn) adopt(raw net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off {
		return false
	}
	c.raw = raw
	return true
}

// secure goes through the proxy and through the TLS handshakes.
func (c *conn) secure(ctx context.Context, limit time.Time) error {
	if err := c.raw.SetDeadline(limit); err != nil {
		return err
	}
	c.stream = counted{c.raw, &c.sent}
	c.peek = peeker(c.raw)
	c.served = 0
	if c.proxy != nil {
		if c.proxy.tls {
			if err := c.shake(ctx, c.proxy.host); err != nil {
				return fmt.Errorf("the proxy: %w", err)
			}
		}
		if err := c.tunnel(); err != nil {
			return fmt.Errorf("the proxy: %w", err)
		}
	}
	if c.origin.tls {
		if err := c.shake(ctx, c.origin.host); err != nil {
			return err
		}
	}
	c.in.Reset(c)
	return c.raw.SetDeadline(time.Time{})
}

// shake puts TLS over the stream.
func (c *conn) shake(ctx context.Context, host string) error {
	over := tls.Client(c.stream, &tls.Config{
		ServerName:         host,
		NextProtos:         []string{"http/1.1"},
		InsecureSkipVerify: !c.verify, //nolint:gosec // engine.verifyCertificates
	})
	c.stream = over
	return over.HandshakeContext(ctx)
}

// tunnel asks the proxy for a tunnel to the origin (RFC 9110 §9.3.6).
func (c *conn) tunnel() error {
	b := append([]byte(nil), "CONNECT "+c.origin.address()+" HTTP/1.1\r\n"...)
	b = appendField(b, "Host", c.origin.address())
	if c.proxy.authorization != "" {
		b = appendField(b, "Proxy-Authorization", c.proxy.authorization)
	}
	if _, err := c.stream.Write(append(b, "\r\n"...)); err != nil {
		return err
	}
	c.in.Reset(c.stream)
	r, err := c.readFinalHead()
	switch {
	case err != nil:
		return err
	case r.Status < 200 || r.Status > 299:
		return fmt.Errorf("it answered CONNECT with %d", r.Status)
	case c.in.Buffered() > 0:
		return errors.New("it sent something before the tunnel was used")
	}
	return nil
}

// shut ends the connection, if there is one. A TLS close_notify is not sent: it could block, and HTTP/1.1 frames
// its messages without it.
func (c *conn) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.raw != nil {
		_ = c.raw.Close()
	}
	c.raw, c.stream = nil, nil
}

// cut ends the connection for good, whatever it is in the middle of.
func (c *conn) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off = true
	if c.raw != nil {
		_ = c.raw.Close()
	}
}

func (c *conn) isCut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.off
}

// alive says whether the connection is open and quiet, so that what comes next answers what is written next.
func (c *conn) alive() bool {
	if c.stream == nil || c.in.Buffered() > 0 {
		return false
	}
	pending, open := c.peek()
	if !pending || !open {
		return open
	}
	if _, plain := c.stream.(counted); plain {
		return false
	}
	// TLS has something to say: content or an end, or only a ticket or a key. The bytes are there, so this does not
	// wait unless they are the latter.
	if err := c.stream.SetReadDeadline(c.clock.Wall(c.clock.Now().Add(time.Millisecond))); err != nil {
		return false
	}
	var b [1]byte
	_, err := c.stream.Read(b[:])
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// readyToWrite sets the time-out of the next put.
func (c *conn) readyToWrite() error {
	if c.stream == nil {
		return errIdle
	}
	return c.stream.SetWriteDeadline(c.clock.Wall(c.clock.Now().Add(c.write)))
}

// put writes b. It says whether any byte has left, TLS's own among them.
func (c *conn) put(b []byte) (begun bool, err error) {
	before := c.sent
	_, err = c.stream.Write(b)
	return c.sent > before, err
}

// glance is how often a write that makes no progress is left to look whether the server has answered meanwhile.
const glance = 50 * time.Millisecond

// errAnswered ends the writing of a request: its reply is there already (RFC 9112 §9.5).
var errAnswered = errors.New("the server answered before the request was written whole")

// putRest writes the rest of a long request, until the moment by and with no silence longer than the write time-out. It
// stops once there is something to read: a server that refuses a long request need not read it.
func (c *conn) putRest(b []byte, by clock.Instant) error {
	_, plain := c.stream.(counted)
	wrote := c.clock.Now()
	for len(b) > 0 {
		now := c.clock.Now()
		limit := min(wrote.Add(c.write), by)
		until := limit
		if plain { // a write over TLS that was cut short cannot be gone on with
			until = min(limit, now.Add(glance))
		}
		if err := c.stream.SetWriteDeadline(c.clock.Wall(until)); err != nil {
			return err
		}
		n, err := c.stream.Write(b[:min(len(b), firstPart)])
		b = b[n:]
		if n > 0 {
			wrote = c.clock.Now()
		}
		if plain {
			if pending, _ := c.peek(); pending && len(b) > 0 {
				return errAnswered
			}
		}
		if err != nil && (!isTimeout(err) || c.clock.Now() >= limit || !plain) {
			return err
		}
	}
	return nil
}

// Read reads for c.in. Before it waits it tells the header that is there, since the content is not, and it waits no
// longer than the read time-out and the call's.
func (c *conn) Read(p []byte) (int, error) {
	if c.unheard {
		c.unheard = false
		early := *c.reply
		c.onHead(c.heardAt, &early)
	}
	now := c.clock.Now()
	silence := now.Add(c.read)
	c.late = c.callBy <= silence
	if err := c.stream.SetReadDeadline(c.clock.Wall(min(silence, c.callBy))); err != nil {
		return 0, err
	}
	n, err := c.stream.Read(p)
	c.got += int64(n)
	return n, err
}

// counted counts the bytes that were written to a socket.
type counted struct {
	net.Conn
	sent *int64
}

func (c counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	*c.sent += int64(n)
	return n, err
}

// reason says in a few words why a connection could not be opened or used.
func (c *conn) reason(err error) string {
	var (
		dns      *net.DNSError
		cert     *tls.CertificateVerificationError
		noTLS    tls.RecordHeaderError
		op       *net.OpError
		unread   malformed
		hostname x509.HostnameError
	)
	switch {
	case c.isCut() || errors.Is(err, errGivenUp) || errors.Is(err, context.Canceled):
		return errGivenUp.Error()
	case errors.As(err, &dns) && dns.IsNotFound:
		return "no such host"
	case errors.As(err, &dns):
		return "the host's name could not be looked up"
	case isTimeout(err):
		return "no connection in time"
	case errors.As(err, &hostname):
		return "its certificate is not for " + hostname.Host + " (engine.verifyCertificates=false accepts it)"
	case errors.As(err, &cert):
		return "its certificate is not trusted: " + cert.Err.Error() + " (engine.verifyCertificates=false accepts it)"
	case errors.As(err, &noTLS):
		return "it does not speak TLS"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case isReset(err):
		return "connection reset"
	case errors.Is(err, syscall.EHOSTUNREACH):
		return "no route to the host"
	case errors.Is(err, syscall.ENETUNREACH):
		return "the network is unreachable"
	case errors.As(err, &unread):
		return err.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed"
	case errors.As(err, &op):
		return op.Err.Error()
	}
	return err.Error()
}

func isTimeout(err error) bool {
	if err == nil {
		return false
	}
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
