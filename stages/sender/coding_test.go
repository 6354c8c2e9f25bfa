package sender

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// coded is content with codings put on, in their order.
func coded(t testing.TB, content []byte, codings ...string) []byte {
	t.Helper()
	for _, coding := range codings {
		var b bytes.Buffer
		var w io.WriteCloser
		switch coding {
		case "gzip":
			w = gzip.NewWriter(&b)
		case "zlib":
			w = zlib.NewWriter(&b)
		case "bare":
			w, _ = flate.NewWriter(&b, flate.DefaultCompression)
		case "br":
			w = brotli.NewWriter(&b)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		content = b.Bytes()
	}
	return content
}

func replyWith(encoding string, content []byte) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", encoding, len(content), content)
}

func TestCodingsAreTakenOff(t *testing.T) {
	content := []byte(`{"ok":` + strings.Repeat("1", 5000) + `}`)
	tests := []struct{ name, reply string }{
		{"gzip", replyWith("GZip", coded(t, content, "gzip"))},
		{"x-gzip", replyWith("x-gzip", coded(t, content, "gzip"))},
		{"deflate", replyWith("deflate", coded(t, content, "zlib"))},
		{"deflate without zlib's wrapping", replyWith("deflate", coded(t, content, "bare"))},
		{"br", replyWith("br", coded(t, content, "br"))},
		{"identity", replyWith("identity", content)},
		{"several", replyWith("gzip, deflate", coded(t, content, "gzip", "zlib"))},
		{"on two lines", replyWith("br\r\nContent-Encoding: gzip", coded(t, content, "br", "gzip"))},
		{"the same twice", replyWith("gzip, gzip", coded(t, content, "gzip", "gzip"))},
		{"as a transfer coding", func() string {
			b := coded(t, content, "gzip")
			return fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(b), b)
		}()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t, serve(t, says(test.reply, true)).origin, nil)
			d.open(0)
			for range 2 { // what is kept for the next reply serves it
				came, _ := d.exchange()
				if r := came.Reply; came.Outcome != messages.Answered || !came.Open || r.Undecodable != "" || r.Cut ||
					!bytes.Equal(r.Body, content) || r.Length != int64(len(content)) {
					t.Fatalf("came %+v: %.80q", came, r.Body)
				}
			}
		})
	}
}

func TestContentThatCannotBeUnpackedIsKeptAsItCame(t *testing.T) {
	content := []byte(`{"ok":1}` + strings.Repeat(" ", 300))
	whole := coded(t, content, "gzip")
	tests := []struct {
		name, encoding string
		sent           []byte
	}{
		{"says gzip and is plain", "gzip", []byte(`{"ok":1}`)},
		{"gzip cut short", "gzip", whole[:len(whole)/2]},
		{"gzip with another checksum", "gzip", append(whole[:len(whole)-8:len(whole)-8], make([]byte, 8)...)},
		{"says deflate and is plain", "deflate", []byte(`{"ok":1}`)},
		{"one byte of deflate", "deflate", []byte{0x78}},
		{"says br and is plain", "br", []byte(`{"ok":1}`)},
		{"br cut short", "br", coded(t, content, "br")[:10]},
		{"a coding nobody asked for", "zstd", []byte("whatever")},
		{"too many codings", "br, br, br, br, br", coded(t, content, "br", "br", "br", "br", "br")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t, serve(t, says(replyWith(test.encoding, test.sent), true)).origin, nil)
			d.open(0)
			came, _ := d.exchange()
			r := came.Reply
			if came.Outcome != messages.Answered || !came.Open || !strings.Contains(r.Undecodable, "cannot be unpacked") {
				t.Errorf("came %+v, %q", came, r.Undecodable)
			}
			if !bytes.Equal(r.Body, test.sent) || r.Length != int64(len(test.sent)) {
				t.Errorf("kept %q", r.Body)
			}
		})
	}
}

func TestEmptyContentNeedsNoUnpacking(t *testing.T) {
	d := newDesk(t, serve(t, says(replyWith("gzip", nil), true)).origin, nil)
	d.open(0)
	if came, _ := d.exchange(); came.Outcome != messages.Answered || came.Reply.Undecodable != "" || came.Reply.Body != nil {
		t.Errorf("came %+v", came)
	}
}

func TestPackedContentThatBreaksOffIsUnpackedAsFarAsItCame(t *testing.T) {
	content := strings.Repeat("0123456789", 10000)
	packed := coded(t, []byte(content), "gzip")
	half := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(packed), packed[:len(packed)*2/3])
	d := newDesk(t, serve(t, says(half, false)).origin, nil)
	d.open(0)
	came, _ := d.exchange()
	if r := came.Reply; came.Outcome != messages.BrokeOff || r.Undecodable != "" || len(r.Body) == 0 || !strings.HasPrefix(content, string(r.Body)) {
		t.Errorf("came %+v", came)
	}
}

func TestContentThatGrowsWhenPackedIsStillCut(t *testing.T) {
	content := make([]byte, 150)
	rand.NewChaCha8([32]byte{}).Read(content)
	d := newDesk(t, serve(t, says(replyWith("gzip", coded(t, content, "gzip")), true)).origin, func(s *settings.Settings) {
		s.Engine.MaxRetainedResponseBytes = 100
	})
	d.open(0)
	came, _ := d.exchange()
	if r := came.Reply; !r.Cut || r.Undecodable != "" || len(r.Body) >= 100 || !bytes.HasPrefix(content, r.Body) {
		t.Errorf("came %+v", r)
	}
}

func TestABombCostsNoMemory(t *testing.T) {
	for _, coding := range []string{"gzip", "br", "zlib"} {
		var b bytes.Buffer
		var w io.WriteCloser
		switch coding {
		case "gzip":
			w, _ = gzip.NewWriterLevel(&b, gzip.BestSpeed)
		case "br":
			w = brotli.NewWriterLevel(&b, brotli.BestSpeed)
		case "zlib":
			w, _ = zlib.NewWriterLevel(&b, zlib.BestSpeed)
		}
		piece := bytes.Repeat([]byte("a"), 1<<20)
		for range 32 {
			if _, err := w.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		encoding := coding
		if coding == "zlib" {
			encoding = "deflate"
		}
		d := newDesk(t, serve(t, says(replyWith(encoding, b.Bytes()), true)).origin, nil)
		d.open(0)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		came, _ := d.exchange()
		runtime.ReadMemStats(&after)
		if r := came.Reply; came.Outcome != messages.Answered || !r.Cut || !bytes.Equal(r.Body, piece) || r.Undecodable != "" {
			t.Errorf("%s: came %+v, %d bytes", coding, came.Outcome, len(r.Body))
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
			t.Errorf("%s: it took %d MiB", coding, took>>20)
		}
	}
}

func TestEndlessContentIsReadUpToTheBound(t *testing.T) {
	s := serve(t, func(c net.Conn, _ int, _ *http.Request) bool {
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[")
		for err == nil {
			_, err = io.WriteString(c, strings.Repeat("1,", 4096))
		}
		return false
	})
	d := newDesk(t, s.origin, nil)
	d.open(0)
	came, _ := d.exchange()
	if came.Outcome != messages.Answered || !came.Reply.Cut || came.Reply.Length != 1<<20 || came.Open {
		t.Errorf("came %+v", came.Outcome)
	}
}
