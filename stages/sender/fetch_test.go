package sender

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

func newFetcher(interval time.Duration) *Fetcher {
	return NewFetcher(FetchConfig{Settings: settings.Default(), Clock: clock.NewSystem(), Interval: interval})
}

func redirectTo(location string) string {
	return "HTTP/1.1 302 Found\r\nLocation: " + location + "\r\nContent-Length: 0\r\n\r\n"
}

func TestADocumentIsFetchedOverRedirects(t *testing.T) {
	var keys []string
	elsewhere := serve(t, func(c net.Conn, _ int, r *http.Request) bool {
		keys = append(keys, r.Header.Get("Authorization"))
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/yaml\r\nContent-Length: 13\r\n\r\nopenapi: 3.1\n")
		return err == nil
	})
	s := serve(t, func(c net.Conn, _ int, r *http.Request) bool {
		keys = append(keys, r.Header.Get("Authorization"))
		to := "/two?x=1"
		if r.URL.Path == "/two" {
			to = elsewhere.origin + "/doc"
		}
		_, err := io.WriteString(c, redirectTo(to))
		return err == nil
	})
	f := newFetcher(0)
	body, header, err := f.Get(context.Background(), strings.Replace(s.origin, "http://", "http://me:pw@", 1)+"/one?key=k#top")
	if err != nil || string(body) != "openapi: 3.1\n" || messages.Get(header, "content-type") != "application/yaml" {
		t.Fatalf("got %q, %v", body, err)
	}
	if len(keys) != 3 || keys[0] != "Basic bWU6cHc=" || keys[1] != keys[0] || keys[2] != "" {
		t.Errorf("credentials went out as %q", keys)
	}
	for _, origin := range []string{s.origin, elsewhere.origin} {
		if _, ok := f.LastWrite(origin); !ok {
			t.Errorf("no write to %s is known", origin)
		}
	}
	if _, ok := f.LastWrite("http://127.0.0.1:1"); ok {
		t.Error("a write is known to an origin nothing was written to")
	}
}

func TestAFetchKeepsItsWritesApart(t *testing.T) {
	const interval = 15 * time.Millisecond
	clk := clock.NewSystem()
	var came []clock.Instant
	s := serve(t, func(c net.Conn, _ int, r *http.Request) bool {
		came = append(came, clk.Now())
		reply := redirectTo(fmt.Sprintf("/%d", len(came)))
		if len(came) == 4 {
			reply = empty
		}
		_, err := io.WriteString(c, reply)
		return err == nil
	})
	f := NewFetcher(FetchConfig{Settings: settings.Default(), Clock: clk, Interval: interval})
	if _, _, err := f.Get(context.Background(), s.origin); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Get(context.Background(), s.origin); err == nil {
		t.Fatal("the fifth request is answered with a redirect for ever")
	}
	last, _ := f.LastWrite(s.origin)
	if least := clock.Instant(0).Add(time.Duration(len(came)-1) * interval); len(came) != 4+11 || last < least {
		t.Errorf("%d requests in %d, not in %d", len(came), last, least)
	}
}

func TestAFetchThatFailsSaysWhyAndTellsNoSecret(t *testing.T) {
	gone := serve(t, says("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", true))
	loop := serve(t, says(redirectTo("/again?key=k3y"), true))
	odd := serve(t, says(redirectTo("ftp://me:k3y@example.test/x"), true))
	tests := []struct{ address, says string }{
		{strings.Replace(gone.origin, "http://", "http://me:k3y@", 1) + "/doc?key=k3y", "/doc: answered 404 Not Found"},
		{loop.origin + "/?key=k3y", "more than 10 redirects"},
		{odd.origin + "/?key=k3y", `the scheme "ftp" is neither http nor https`},
		{"http://me:k3y@127.0.0.1:1/?key=k3y", "127.0.0.1:1/: connection refused"},
		{"http://me:k3y@[/", "cannot be read"},
		{"file:///etc?k3y", "neither http nor https"},
	}
	for _, test := range tests {
		_, _, err := newFetcher(0).Get(context.Background(), test.address)
		if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "k3y") {
			t.Errorf("%s: %v", test.address, err)
		}
	}
}

func TestAFetchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := serve(t, func(net.Conn, int, *http.Request) bool { cancel(); return true })
	if _, _, err := newFetcher(0).Get(ctx, s.origin); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("ended with %v", err)
	}
	if _, _, err := newFetcher(0).Get(ctx, s.origin); err == nil {
		t.Error("fetched after the context had ended")
	}
	if s.requests.Load() != 1 {
		t.Errorf("the server counted %d requests", s.requests.Load())
	}
}
