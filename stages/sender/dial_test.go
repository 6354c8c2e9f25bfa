package sender

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// certified is a TLS configuration with a certificate for 127.0.0.1 that nobody has signed.
func certified(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		NextProtos:   []string{"h2", "http/1.1"},
	}
}

func unverified(s *settings.Settings) { s.Engine.VerifyCertificates = false }

func secure(s *server) string { return strings.Replace(s.origin, "http:", "https:", 1) }

func TestACertificateThatNobodySignedIsRefusedUnlessAskedFor(t *testing.T) {
	s := serveOn(t, tls.NewListener(listen(t), certified(t)), says(empty, true))
	d := newDesk(t, secure(s), nil)
	d.Open(0)
	m := next[messages.NotOpened](d)
	if !strings.Contains(m.Reason, "certificate is not trusted") || !strings.Contains(m.Reason, "engine.verifyCertificates") {
		t.Errorf("the reason is %q", m.Reason)
	}
	d = newDesk(t, secure(s), unverified)
	d.open(0)
	for range 3 {
		if came, _ := d.exchange(); came.Outcome != messages.Answered || !came.Open {
			t.Errorf("came %+v", came)
		}
	}
	if s.requests.Load() != 3 || s.opened.Load() != 2 {
		t.Errorf("%d requests over %d connections", s.requests.Load(), s.opened.Load())
	}
}

func TestAServerThatDoesNotSpeakTLSIsNamedSo(t *testing.T) {
	l := listen(t)
	done := make(chan bool)
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = c.Read(make([]byte, 1000))
		_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		_ = c.Close()
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	d := newDesk(t, "https://"+l.Addr().String(), nil)
	d.Open(0)
	if m := next[messages.NotOpened](d); m.Reason != "it does not speak TLS" {
		t.Errorf("the reason is %q", m.Reason)
	}
}

func TestAHandshakeThatIsNotAnsweredTimesOut(t *testing.T) {
	l := listen(t)
	d := newDesk(t, "https://"+l.Addr().String(), func(s *settings.Settings) { s.Engine.ConnectTimeout = 50 * time.Millisecond })
	d.Open(0)
	if m := next[messages.NotOpened](d); m.Reason != "no connection in time" {
		t.Errorf("the reason is %q", m.Reason)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// Popular servers leave TLS's goodbye out; at a record's boundary Go takes that for an end, and so does this.
func TestContentOverTLSMayEndWithoutAGoodbye(t *testing.T) {
	for _, goodbye := range []bool{true, false} {
		s := serveOn(t, tls.NewListener(listen(t), certified(t)), func(c net.Conn, _ int, _ *http.Request) bool {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\nall of it?")
			if !goodbye {
				_ = c.(*tls.Conn).NetConn().Close()
			}
			return false
		})
		d := newDesk(t, secure(s), unverified)
		d.open(0)
		came, _ := d.exchange()
		if came.Outcome != messages.Answered || string(came.Reply.Body) != "all of it?" || came.Open {
			t.Errorf("goodbye %t: came %+v", goodbye, came)
		}
	}
}

func TestATLSConnectionThatEndedMeanwhileIsOpenedAgain(t *testing.T) {
	end, ended := make(chan bool), make(chan bool)
	s := serveOn(t, tls.NewListener(listen(t), certified(t)), func(c net.Conn, _ int, _ *http.Request) bool {
		_, _ = io.WriteString(c, empty)
		<-end
		_ = c.Close()
		ended <- true
		return false
	})
	d := newDesk(t, secure(s), unverified)
	d.open(0)
	for range 5 {
		if came, _ := d.exchange(); came.Outcome != messages.Answered || !came.Open {
			t.Fatalf("came %+v", came)
		}
		end <- true
		<-ended
	}
	if s.requests.Load() != 5 || s.opened.Load() != 5 {
		t.Errorf("%d requests over %d connections", s.requests.Load(), s.opened.Load())
	}
}

func TestATLSConnectionOnWhichContentComesUnaskedIsNotUsed(t *testing.T) {
	more, said := make(chan string), make(chan bool)
	s := serveOn(t, tls.NewListener(listen(t), certified(t)), func(c net.Conn, _ int, _ *http.Request) bool {
		_, _ = io.WriteString(c, empty)
		switch what := <-more; what {
		case "a piece of a record":
			_, _ = c.(*tls.Conn).NetConn().Write([]byte{23, 3})
		default:
			_, _ = io.WriteString(c, what)
		}
		said <- true
		return true
	})
	for what, connections := range map[string]int64{"a piece of a record": 1, "content": 2} {
		s.opened.Store(0)
		d := newDesk(t, secure(s), unverified)
		d.open(0)
		d.exchange()
		more <- what
		<-said
		d.open(0)
		if s.opened.Load() != connections {
			t.Errorf("after %s there were %d connections, want %d", what, s.opened.Load(), connections)
		}
	}
}

// tunneller is a proxy that knows CONNECT alone, and the requests it got.
type tunneller struct {
	address string
	mu      sync.Mutex
	asked   []string
}

func (p *tunneller) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

func newTunneller(t *testing.T, reply string) *tunneller {
	l := listen(t)
	p := &tunneller{address: l.Addr().String()}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer func() { _ = c.Close() }()
				r, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				p.mu.Lock()
				p.asked = append(p.asked, r.Method+" "+r.RequestURI+" "+r.Host+" "+r.Header.Get("Proxy-Authorization"))
				p.mu.Unlock()
				if _, err := io.WriteString(c, reply); err != nil || !strings.Contains(reply, " 200 ") {
					return
				}
				to, err := net.Dial("tcp", r.RequestURI)
				if err != nil {
					return
				}
				var both sync.WaitGroup
				both.Go(func() { _, _ = io.Copy(to, c); _ = to.Close() })
				_, _ = io.Copy(c, to)
				_ = c.Close()
				both.Wait()
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	return p
}

func TestAProxyIsAskedForATunnel(t *testing.T) {
	for _, encrypted := range []bool{false, true} {
		l := listen(t)
		if encrypted {
			l = tls.NewListener(l, certified(t))
		}
		s := serveOn(t, l, says(empty, true))
		p := newTunneller(t, "HTTP/1.1 200 Go ahead\r\nVia: x\r\n\r\n")
		origin := s.origin
		if encrypted {
			origin = secure(s)
		}
		d := newDesk(t, origin, func(s *settings.Settings) {
			s.Engine.Proxy = "http://me:secret%21@" + p.address
			s.Engine.VerifyCertificates = false
		})
		d.open(0)
		for range 2 {
			if came, _ := d.exchange(); came.Outcome != messages.Answered || !came.Open {
				t.Errorf("came %+v", came)
			}
		}
		address := strings.TrimPrefix(s.origin, "http://")
		if want := []string{"CONNECT " + address + " " + address + " Basic bWU6c2VjcmV0IQ=="}; !slices.Equal(p.seen(), want) {
			t.Errorf("the proxy was asked %q, want %q", p.seen(), want)
		}
		d.Close() // before the proxy waits for its tunnels
		d.Wait()
	}
}

func TestAProxyThatRefusesIsNamedWithoutItsPassword(t *testing.T) {
	p := newTunneller(t, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
	d := newDesk(t, "https://127.0.0.1:1", func(s *settings.Settings) { s.Engine.Proxy = "http://me:secret@" + p.address })
	d.Open(0)
	if m := next[messages.NotOpened](d); m.Reason != "the proxy: it answered CONNECT with 407" {
		t.Errorf("the reason is %q", m.Reason)
	}
}

func TestAReasonIsShort(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	tests := []struct {
		err  error
		want string
	}{
		{dial(&net.DNSError{Err: "no such host", Name: "x.test", IsNotFound: true}), "no such host"},
		{dial(&net.DNSError{Err: "server misbehaving", Name: "x.test"}), "the host's name could not be looked up"},
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), "connection refused"},
		{dial(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), "no route to the host"},
		{dial(os.NewSyscallError("connect", syscall.ENETUNREACH)), "the network is unreachable"},
		{dial(syscall.ETIMEDOUT), "no connection in time"},
		{fmt.Errorf("read: %w", syscall.ECONNRESET), "connection reset"},
		{
			&tls.CertificateVerificationError{Err: x509.HostnameError{Host: "x.test", Certificate: new(x509.Certificate)}},
			"its certificate is not for x.test (engine.verifyCertificates=false accepts it)",
		},
		{&net.OpError{Op: "remote error", Err: tls.AlertError(40)}, "tls: handshake failure"},
		{io.EOF, "connection closed"},
		{malformed("not HTTP"), "not HTTP"},
		{context.Canceled, "given up: the run is over"},
		{errIdle, "the connection is not open"},
	}
	for _, test := range tests {
		if got := new(conn).reason(test.err); got != test.want {
			t.Errorf("%v: %q, want %q", test.err, got, test.want)
		}
	}
}

func TestAnOriginIsReadAndWritten(t *testing.T) {
	tests := []struct{ given, address, authority, written string }{
		{"http://Example.test", "example.test:80", "example.test", "http://example.test"},
		{"https://example.test:443", "example.test:443", "example.test", "https://example.test"},
		{"https://example.test:80", "example.test:80", "example.test:80", "https://example.test:80"},
		{"http://[::1]:8080", "[::1]:8080", "[::1]:8080", "http://[::1]:8080"},
		{"http://[fe80::1%25eth0]", "[fe80::1%eth0]:80", "[fe80::1]", "http://[fe80::1]"},
	}
	for _, test := range tests {
		o, err := parseOrigin(test.given)
		if err != nil || o.address() != test.address || o.authority() != test.authority || o.String() != test.written {
			t.Errorf("%s: %s, %s, %s, %v", test.given, o.address(), o.authority(), o, err)
		}
	}
	for _, given := range []string{"", "example.test", "ftp://example.test", "http://", "http://a b:secret@", "http://user:secret@:80:80"} {
		if _, err := parseOrigin(given); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", given, err)
		}
	}
}
