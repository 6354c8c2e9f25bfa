package main

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/stages/reporter"
)

// way is one of the ways to answer of case 27; the header X-Way names it.
func way(name, fields, content string, closes bool) reply {
	return reply{bytes: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Way: " + name + "\r\n" + fields + "\r\n\r\n" + content, close: closes}
}

const chunked = "Transfer-Encoding: chunked"

func TestCase27BodiesThatStopEarly(t *testing.T) {
	t.Parallel()
	single := ""
	for _, c := range `{"ok":true}` {
		single += "1\r\n" + string(c) + "\r\n"
	}
	s := serve(t, always(map[string]func() reply{"GET /c": inTurn(
		way("A", chunked, "zz\r\n{\"ok\":true}\r\n0\r\n\r\n", true),
		way("B", chunked, "20\r\n{\"ok\"", true),
		way("C", chunked, "b\r\n{\"ok\":true}\r\n0\r\n", true),
		way("D", "Content-Length: 100", `{"ok":true}`, true),
		way("E", chunked, "b\r\n{\"ok\":true}\r\n0\r\n\r\n", false),
		way("F", chunked, single+"0\r\n\r\n", false),
		way("G", "Connection: close", `{"ok":true}`, true),
	)}))
	o := s.test(t, 21, caseFile(t, "27-broken-chunks/document.yaml"), "--url", s.url)

	named := func(e *reporter.ExchangeTold) string { return field(e.Reply.Header, "X-Way") }
	wantVerdicts(t, o.verdictsBy(t, "GET /c", named), map[string]string{
		"A": "F922", "B": "F922", "C": "F922", "D": "F922", "E": "", "F": "", "G": "",
	})
	arrived := map[string]string{"A": "zz", "B": `{"ok"`, "C": `{"ok":true}`, "D": `{"ok":true}`}
	for _, e := range o.exchanges {
		if e.Reply == nil {
			continue
		}
		came := body(t, e.Reply.Body)
		if broken := arrived[named(e)]; broken == "" {
			if came != `{"ok":true}` || e.Outcome != "answered" {
				t.Errorf("way %s: %s, %q", named(e), e.Outcome, came)
			}
		} else if e.Outcome != "brokeOff" || e.Reply.Status != 200 || e.Failure == "" || !strings.HasPrefix(came, broken) {
			t.Errorf("way %s: %s, %d %q, %s", named(e), e.Outcome, e.Reply.Status, came, e.Failure)
		}
	}
	for _, f := range o.found("GET /c") {
		if f.Level != "error" || !strings.Contains(f.Title, "broke off") && !strings.Contains(f.Title, "cannot be read as HTTP") {
			t.Errorf("found %s: %s", f.Code, f.Title)
		}
	}
	if told, came := o.report.Totals.Requests, len(s.arrived()); told != int64(came) || came < 20 {
		t.Errorf("%d requests are told, %d arrived", told, came)
	}
}

func TestCase27TheHeaderOfABrokenReplyCounts(t *testing.T) {
	t.Parallel()
	document := caseFile(t, "27-broken-chunks/document.yaml")
	refusal := reply{bytes: "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n" + chunked + "\r\n\r\n20\r\n{\"ok\"", close: true}
	hold(t, claim{
		name: "the run waits as the header asks",
		answers: func(*standIn) answerer {
			return always(map[string]func() reply{"GET /c": once(refusal, sayJSON(200, `{"ok":true}`))})
		},
		args: func(s *standIn) []string {
			return []string{document, "--url", s.url, "--budget", "1500ms", "--set", "engine.mostRequestsPerMinute=600"}
		},
		check: func(s *standIn, o *outcome, complain complain) {
			arrived := s.arrived()
			if len(arrived) < 2 {
				complain("%d requests arrived", len(arrived))
				return
			}
			if gap := arrived[1].at.Sub(arrived[0].at); gap < 990*time.Millisecond {
				complain("the second request came after %s", gap)
			}
			if w := o.report.ToldToWait.Operations; len(w) != 1 || w[0].Stated != 1 {
				complain("told to wait: %+v", w)
			}
		},
	})
}

// packed is a gzip stream of so many times the chunk, between a first and a last part. Only two of the chunks are
// packed: those that follow look alike.
func packed(t *testing.T, first string, chunk []byte, times int, last string) []byte {
	t.Helper()
	var stream bytes.Buffer
	w, err := flate.NewWriter(&stream, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	put := func(part []byte) (end int) {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		return stream.Len()
	}
	put([]byte(first))
	begin := put(chunk)
	end := put(chunk)
	again := slices.Clone(stream.Bytes()[begin:end])
	for range times - 2 {
		stream.Write(again)
	}
	put([]byte(last))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sum := crc32.ChecksumIEEE([]byte(first))
	for range times {
		sum = crc32.Update(sum, crc32.IEEETable, chunk)
	}
	sum = crc32.Update(sum, crc32.IEEETable, []byte(last))
	out := append([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}, stream.Bytes()...)
	out = binary.LittleEndian.AppendUint32(out, sum)
	return binary.LittleEndian.AppendUint32(out, uint32(len(first)+times*len(chunk)+len(last)))
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAPackedStreamOfTheCasesCanBeUnpacked(t *testing.T) {
	t.Parallel()
	chunk := bytes.Repeat([]byte("a"), 1<<20)
	r, err := gzip.NewReader(bytes.NewReader(packed(t, `"`, chunk, 20, `"`)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if want := `"` + strings.Repeat("a", 20<<20) + `"`; err != nil || string(text) != want {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func TestCase29AReplyThatUnpacksToAGigabyte(t *testing.T) {
	document := caseFile(t, "29-gzip-bomb/document.yaml")
	bomb := string(packed(t, `"`, bytes.Repeat([]byte("a"), 1<<20), 1024, `"`))
	if len(bomb) > 2<<20 {
		t.Fatalf("the bomb has %d bytes", len(bomb))
	}
	whole := zipped(t, `{"ok":1}`)
	asGzip := func(body string) func() reply {
		return inTurn(say(200, "application/json", body, "Content-Encoding", "gzip"))
	}
	ones := bytes.Repeat([]byte("1,1,1,1,"), 1<<10)
	endless := reply{
		bytes: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[",
		more: func(to io.Writer) error {
			for {
				if _, err := to.Write(ones); err != nil {
					return err
				}
			}
		},
	}
	s := serve(t, always(map[string]func() reply{
		"GET /o1": asGzip(bomb), "GET /o2": asGzip(`{"ok":1}`), "GET /o3": asGzip(whole[:len(whole)/2]),
		"GET /o4": inTurn(endless), "GET /o5": asGzip(whole),
	}))
	// Alone, so that what others take is not counted.
	var o *outcome
	taken := memoryTaken(func() {
		o = s.test(t, 2, document, "--url", s.url, "--set", "engine.mostRequestsPerMinute=3000")
	})
	if taken > 300<<20 {
		t.Errorf("it took %d MiB", taken>>20)
	}
	for _, id := range []string{"o1", "o2", "o3", "o4", "o5"} {
		if op := o.operation(t, id); op.Requests < 2 || op.ByClass.C2xx != op.Requests {
			t.Errorf("of %s is told %+v", id, op)
		}
	}
	o.wantFound(t, "o1", "F922 200")
	o.wantFound(t, "o2", "F922 200 Content-Encoding")
	o.wantFound(t, "o3", "F922 200 Content-Encoding")
	o.wantFound(t, "o4", "F922 200")
	o.wantFound(t, "o5")
	for id, title := range map[string]string{"o1": "larger than", "o2": "cannot be unpacked", "o3": "cannot be unpacked", "o4": "larger than"} {
		for _, f := range o.found(id) {
			if !strings.Contains(f.Title, title) || title == "larger than" && !strings.Contains(f.Expected, "at most 1048576 bytes") {
				t.Errorf("%s: %s, expected %s", id, f.Title, f.Expected)
			}
		}
	}
	for _, name := range []string{"report.json", reporter.RecordingName} {
		info, err := os.Stat(filepath.Join(o.out, name))
		if err != nil || info.Size() > 2<<20 {
			t.Errorf("%s: %v, %+v", name, err, info)
		}
	}
}

func TestCase30Redirects(t *testing.T) {
	t.Parallel()
	document := caseFile(t, "30-redirects/document.yaml")
	thief := serve(t, func(*arrival) reply { return say(200, "", "") })
	claims := make([]claim, 0, 2)
	for _, follow := range []bool{false, true} {
		claims = append(claims, claim{
			name: fmt.Sprintf("followed %v", follow),
			answers: func(*standIn) answerer {
				to := func(location string) func() reply { return inTurn(say(302, "", "", "Location", location)) }
				return always(map[string]func() reply{
					"GET /o1": to("/other"), "GET /o2": to("/other"), "GET /other": inTurn(say(200, "text/html", "<p>other</p>")),
					"GET /o3": to("/o3"), "GET /o4": to(thief.url + "/steal"), "POST /go": to("/landing"),
					"GET /landing": inTurn(sayJSON(200, `{"landed":true}`)),
				})
			},
			args: func(s *standIn) []string {
				return []string{
					document, "--url", s.url, "--budget", "1800ms", "--auth", "header:X-Key=s3cr3t-key",
					"--set", "engine.mostRequestsPerMinute=1200", "--set", fmt.Sprintf("engine.followRedirects=%v", follow),
				}
			},
			check: func(s *standIn, o *outcome, complain complain) {
				wantSpaced(s.arrived(), 50*time.Millisecond, 40*time.Millisecond, complain)
				checkRedirects(s, o, follow, complain)
			},
		})
	}
	hold(t, claims...)
	if came := thief.arrived(); len(came) > 0 {
		t.Errorf("the other host was sent %q", came[0].head)
	}
}

// checkRedirects complains of what is wrong with the account of a run of case 30.
func checkRedirects(s *standIn, o *outcome, follow bool, complain complain) {
	for _, id := range []string{"o1", "GET /o4", "POST /go"} {
		if found := sums(o.found(id)); len(found) > 0 {
			complain("%s: found %v", id, found)
		}
	}
	for _, id := range []string{"GET /o2", "GET /o3"} {
		if !slices.ContainsFunc(o.found(id), func(f reporter.FindingInFull) bool {
			return f.Code == "F920" && strings.Contains(f.Title, "302")
		}) {
			complain("that %s has no 302 is not found: %v", id, sums(o.found(id)))
		}
	}

	told, hops := map[string]int{}, 0
	for _, e := range o.exchanges {
		if e.Outcome == "neverSent" {
			continue
		}
		told[string(e.Request.Method+" "+e.Request.Target)]++
		for i, h := range e.Hops {
			// Each hop is a request that was redirected, the first of them the one that is told already.
			if i > 0 {
				told[string(h.Method+" "+h.Target)]++
			}
			hops++
		}
		if n := len(e.Hops); n > 0 {
			told["GET "+string(e.Hops[n-1].Location)]++
		}
		if len(e.Hops) > 9 {
			complain("a call took %d requests", len(e.Hops)+1)
		}
		if e.Request.Target == "/o3" && len(e.Findings) == 0 {
			complain("a loop passed: %+v", e)
		}
	}
	arrived := map[string]int{}
	for _, a := range s.arrived() {
		arrived[a.method+" "+a.target]++
		if messages.Get(a.header, "X-Key") != "s3cr3t-key" {
			complain("a request came without the key: %q", a.head)
		}
	}
	if !maps.Equal(told, arrived) {
		complain("the recording has %v, what arrived is %v", told, arrived)
	}
	if follow != (arrived["GET /other"] > 0) || follow != (arrived["GET /landing"] > 0) || follow != (hops > 0) {
		complain("what arrived is %v", arrived)
	}
	if e, totals := o.report.Engine, o.report.Totals; e.RequestsSent != int64(len(s.arrived())) ||
		totals.Redirects != int64(hops) || totals.Requests+totals.Redirects != e.RequestsSent {
		complain("told are %+v and %+v", e, totals)
	}
}
