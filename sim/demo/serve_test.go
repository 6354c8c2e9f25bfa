package demo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/restest/restest/clock"
)

func TestMain(m *testing.M) {
	// The judge's patterns are matched against a clock of their library's own, which ends by itself a little later.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// hasty is a clock that stands still and has every moment come at once.
type hasty struct{ *clock.Fake }

func newHasty() hasty { return hasty{clock.NewFake(opened)} }

func (hasty) At(_ clock.Instant, f func()) func() {
	f()
	return func() {}
}

// serve serves an API on a port of its own until the test is over.
func serve(t testing.TB, a Answerer, clk clock.Clock) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, listener, a, clk) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
	return listener.Addr().String()
}

func dial(t testing.TB, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// wireOf is a request as a client writes it.
func wireOf(r Request) []byte {
	b := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: shop\r\n", r.Method, r.Target)
	for _, f := range r.Header {
		b = fmt.Appendf(b, "%s: %s\r\n", f.Name, f.Value)
	}
	if r.Body != nil {
		b = fmt.Appendf(b, "Content-Length: %d\r\n", len(r.Body))
	}
	return append(append(b, "\r\n"...), r.Body...)
}

// tell writes text to the connection and returns all that comes back until its end.
func tell(t *testing.T, conn net.Conn, text string) string {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func TestServeAnswersWhatAnswerSays(t *testing.T) {
	served, paper := New(Options{}), New(Options{})
	address := serve(t, served, newHasty())
	conn := dial(t, address)
	ask := func(r Request) {
		t.Helper()
		if _, err := conn.Write(wireOf(r)); err != nil {
			t.Fatal(err)
		}
		reply := paper.Answer(0, r)
		want := reply.Append(nil)
		got := make([]byte, len(want))
		if n, err := io.ReadFull(conn, got); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s %s (%v):\n%s\nwant\n%s", r.Method, r.Target, err, got[:n], want)
		}
		if !reply.Ends() {
			return
		}
		if rest, err := io.ReadAll(conn); err != nil || len(rest) > 0 {
			t.Fatalf("%s %s: after the reply came %q, %v", r.Method, r.Target, rest, err)
		}
		conn = dial(t, address)
	}
	for _, fault := range Planted() {
		for _, r := range shown[fmt.Sprint(fault.Operation, " ", fault.Code)] {
			ask(r)
		}
	}
	inventor := newInventor(t, 7)
	for i := range 2_000 {
		_, r := inventor.request(i)
		ask(r)
	}
}

func TestRequestsThatComeTogetherAreAnsweredInOrder(t *testing.T) {
	conn := dial(t, serve(t, New(Options{WithoutFaults: true}), newHasty()))
	got := tell(t, conn, "\r\nGET /v1/statistics/day HTTP/1.1\r\nHost: s\r\n\r\n"+
		"GET /v1/statistics/month HTTP/1.1\nHost: s\n\n"+
		"GET /v1/statistics/week HTTP/1.1\r\nHost: s\r\nConnection: keep-alive, Close\r\n\r\n")
	day, month, week := strings.Index(got, `"day"`), strings.Index(got, `"month"`), strings.Index(got, `"week"`)
	if day < 0 || month < day || week < month || !strings.Contains(got, "Connection: close") {
		t.Errorf("%s", got)
	}
}

func TestContentMayComeInChunks(t *testing.T) {
	conn := dial(t, serve(t, New(Options{}), newHasty()))
	got := tell(t, conn, "POST /v1/contact HTTP/1.1\r\nHost: s\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
		"Transfer-Encoding: Chunked\r\nConnection: close\r\n\r\n"+
		"6\r\ntopic=\r\n10;x=y\r\nbook&message=Hi!\r\n0\r\nX-Trailer: 1\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 201 ") {
		t.Errorf("%s", got)
	}
}

func TestAClientThatExpectsItIsToldToGoOn(t *testing.T) {
	conn := dial(t, serve(t, New(Options{}), newHasty()))
	_, _ = io.WriteString(conn, "POST /v1/contact HTTP/1.1\r\nHost: s\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
		"Content-Length: 20\r\nExpect: 100-Continue\r\nConnection: close\r\n\r\n")
	const goOn = "HTTP/1.1 100 Continue\r\n\r\n"
	got := make([]byte, len(goOn))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != goOn {
		t.Fatalf("%q, %v", got, err)
	}
	if got := tell(t, conn, "topic=book&message=a"); !strings.HasPrefix(got, "HTTP/1.1 201 ") {
		t.Errorf("%s", got)
	}
}

func TestAnOldClientIsSentNoChunksAndNothingAhead(t *testing.T) {
	address := serve(t, New(Options{}), newHasty())
	for _, path := range []string{"/statistics/week", "/offers", "/catalogue?detail=full"} {
		got := tell(t, dial(t, address), "GET /v1"+path+" HTTP/1.0\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.1 200 ") || strings.Contains(got, "chunked") || !strings.Contains(got, "Content-Length") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestWhatIsNoRequestIsRefusedAndTheConnectionEnds(t *testing.T) {
	address := serve(t, New(Options{}), newHasty())
	post := "POST /v1/contact HTTP/1.1\r\nHost: s\r\n"
	for name, c := range map[string]struct {
		wire   string
		status int
	}{
		"no request line":     {"hello\r\n\r\n", 400},
		"no target":           {"GET  HTTP/1.1\r\n\r\n", 400},
		"another protocol":    {"PRI * HTTP/2.0\r\n\r\n", 400},
		"no colon":            {"GET / HTTP/1.1\r\nHost\r\n\r\n", 400},
		"a blank in a name":   {"GET / HTTP/1.1\r\nHost : s\r\n\r\n", 400},
		"a folded line":       {"GET / HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n", 400},
		"a length of words":   {post + "Content-Length: ten\r\n\r\n", 400},
		"a negative length":   {post + "Content-Length: -1\r\n\r\n", 400},
		"two lengths":         {post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
		"length and chunks":   {post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
		"an unknown coding":   {post + "Transfer-Encoding: gzip\r\n\r\n", 400},
		"a broken chunk":      {post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
		"content too long":    {post + "Content-Length: 1048577\r\n\r\n", 413},
		"chunks too long":     {post + "Transfer-Encoding: chunked\r\n\r\n100001\r\n" + strings.Repeat("a", maxContent+1), 413},
		"a line too long":     {"GET / HTTP/1.1\r\nA: " + strings.Repeat("a", 9<<10) + "\r\n\r\n", 431},
		"a header too long":   {"GET / HTTP/1.1\r\n" + strings.Repeat("A: "+strings.Repeat("a", 1000)+"\r\n", 70) + "\r\n", 431},
		"a trailer too long":  {post + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("A: "+strings.Repeat("a", 1000)+"\r\n", 70), 431},
		"a trailer line long": {post + "Transfer-Encoding: chunked\r\n\r\n0\r\nA: " + strings.Repeat("a", 9<<10), 431},
	} {
		conn := dial(t, address)
		if _, err := io.WriteString(conn, c.wire); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_ = conn.(*net.TCPConn).CloseWrite()
		got, err := io.ReadAll(conn)
		if err != nil || !bytes.HasPrefix(got, fmt.Appendf(nil, "HTTP/1.1 %d ", c.status)) || !bytes.Contains(got, []byte("Connection: close")) {
			t.Errorf("%s: %.200s, %v; want %d", name, got, err, c.status)
		}
	}
}

func TestAClientThatLeavesInTheMiddleIsNotAnswered(t *testing.T) {
	address := serve(t, New(Options{}), newHasty())
	for _, wire := range []string{
		"", "GET /v1/bo", "POST /v1/books HTTP/1.1\r\nContent-Length: 9\r\n\r\n{", "POST /v1/books HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{",
		"POST /v1/books HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b",
	} {
		conn := dial(t, address)
		_, _ = io.WriteString(conn, wire)
		_ = conn.(*net.TCPConn).CloseWrite()
		if got, err := io.ReadAll(conn); err != nil || len(got) > 0 {
			t.Errorf("%q is answered %q, %v", wire, got, err)
		}
	}
}

// asked is a fake clock that says which moments it is asked for.
type asked struct {
	*clock.Fake
	moments chan clock.Instant
}

func (c asked) At(t clock.Instant, f func()) func() {
	cancel := c.Fake.At(t, f)
	c.moments <- t
	return cancel
}

func TestASlowAnswerIsWaitedForByTheClock(t *testing.T) {
	clk := asked{clock.NewFake(opened), make(chan clock.Instant, 1)}
	conn := dial(t, serve(t, New(Options{}), clk))
	stock := wireOf(requestOf("GET /books/1/stock", ""))
	if _, err := conn.Write(stock); err != nil {
		t.Fatal(err)
	}
	if at := <-clk.moments; time.Duration(at) != countTakes {
		t.Errorf("the answer is due at %v, want %v", time.Duration(at), countTakes)
	}
	if !clk.Next() {
		t.Fatal("nobody waits")
	}
	in := bufio.NewReader(conn)
	if line, err := in.ReadString('\n'); err != nil || line != "HTTP/1.1 200 OK\r\n" {
		t.Errorf("%q, %v", line, err)
	}
}

func TestServingEndsWhileAnAnswerIsWaitedFor(t *testing.T) {
	clk := asked{clock.NewFake(opened), make(chan clock.Instant, 1)}
	conn := dial(t, serve(t, New(Options{}), clk))
	if _, err := conn.Write(wireOf(requestOf("GET /books/1/stock", ""))); err != nil {
		t.Fatal(err)
	}
	<-clk.moments // and the end of the test ends the serving, or goleak finds it
}

// failing is a listener that fails with one error after another.
type failing struct {
	net.Listener
	errors []error
	closed atomic.Bool
}

func (l *failing) Accept() (net.Conn, error) {
	err := l.errors[0]
	l.errors = l.errors[1:]
	return nil, &net.OpError{Op: "accept", Err: err}
}

func (l *failing) Close() error {
	l.closed.Store(true)
	return nil
}

func TestServingOutlivesAPassingFailureAndEndsWithALastingOne(t *testing.T) {
	l := &failing{errors: []error{syscall.EMFILE, syscall.ECONNABORTED, syscall.EINVAL}}
	if err := Serve(t.Context(), l, New(Options{}), newHasty()); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("serving ended with %v", err)
	}
	if len(l.errors) > 0 || !l.closed.Load() {
		t.Errorf("left over: %v; listener closed: %t", l.errors, l.closed.Load())
	}
}

func TestManyClientsAreServedAtOnce(t *testing.T) {
	address := serve(t, New(Options{}), newHasty())
	var group sync.WaitGroup
	for n := range 8 {
		conn := dial(t, address)
		group.Go(func() {
			in := bufio.NewReader(conn)
			for i := range 200 {
				body := fmt.Sprintf(`{"email":"m%d.%d@example.org","password":"open sesame","name":"M","level":"adult"}`, n, i)
				if _, err := conn.Write(wireOf(requestOf("POST /members", body))); err != nil {
					t.Error(err)
					return
				}
				if status, err := skipReply(in); err != nil || status != 201 {
					t.Errorf("%d, %v", status, err)
					return
				}
			}
		})
	}
	group.Wait()
}

// skipReply reads a reply framed by its length, and is its status.
func skipReply(in *bufio.Reader) (int, error) {
	status, length := 0, 0
	for {
		line, err := in.ReadSlice('\n')
		switch {
		case err != nil:
			return 0, err
		case len(line) == 2:
			_, err := in.Discard(length)
			return status, err
		case bytes.HasPrefix(line, []byte("HTTP/1.1 ")):
			status, _ = strconv.Atoi(string(line[9:12]))
		case bytes.HasPrefix(line, []byte("Content-Length: ")):
			length, _ = strconv.Atoi(string(line[16 : len(line)-2]))
		}
	}
}

func BenchmarkAnswer(b *testing.B) {
	a, inventor := New(Options{}), newInventor(b, 8)
	requests := make([]Request, 37*100)
	for i := range requests {
		_, requests[i] = inventor.request(i)
	}
	var wire []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		wire = a.Answer(time.Duration(i)*10*time.Microsecond, requests[i%len(requests)]).Append(wire[:0])
	}
}

func BenchmarkServe(b *testing.B) {
	for _, request := range []struct {
		name string
		Request
	}{
		{"read", requestOf("GET /books/1", "")},
		{"create", requestOf("POST /books", aBook)},
	} {
		b.Run(request.name, func(b *testing.B) {
			address := serve(b, New(Options{WithoutLimits: true}), clock.NewSystem())
			wire := wireOf(request.Request)
			var next atomic.Int64
			var group sync.WaitGroup
			b.ResetTimer()
			for range 16 {
				conn := dial(b, address)
				group.Go(func() {
					in := bufio.NewReader(conn)
					for next.Add(1) <= int64(b.N) {
						if _, err := conn.Write(wire); err != nil {
							b.Error(err)
							return
						}
						if _, err := skipReply(in); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}
