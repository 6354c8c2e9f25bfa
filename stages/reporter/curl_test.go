package reporter

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/restest/restest/messages"
)

// received is a request as the echo server got it.
type received struct {
	line   string
	header http.Header
	body   []byte
}

// echo is a server that keeps each request's first line, header and body.
func echo(t *testing.T) (origin string, last func() *received) {
	t.Helper()
	var got atomic.Pointer[received]
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got.Store(&received{r.Method + " " + r.RequestURI, r.Header.Clone(), body})
		w.WriteHeader(http.StatusTeapot)
	}))
	server.Config.DisableGeneralOptionsHandler = true
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, func() *received { return got.Swap(nil) }
}

func TestCurlSendsTheRequestAgain(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	var shells []string
	for _, name := range []string{"sh", "bash", "dash", "zsh"} {
		if path, err := exec.LookPath(name); err == nil {
			shells = append(shells, path)
		}
	}
	if len(shells) == 0 {
		t.Skip("no shell is installed")
	}
	origin, last := echo(t)
	const key, second = `s3same'"$(id)` + "`id`" + `\!%41`, "open sesame/7"
	mask := keys("header:X-Key="+key, "query:token="+second)
	everyByte := make([]byte, 256)
	for i := range everyByte {
		everyByte[i] = byte(i)
	}
	json := messages.Field{Name: "Content-Type", Value: "application/json"}
	for _, row := range []struct {
		name   string
		req    messages.Request
		masked bool // the body cannot be sent as it was
	}{
		{name: "plain", req: messages.Request{Method: "GET", Target: "/v1/pets"}},
		{name: "no field of curl's own", req: messages.Request{Method: "POST", Target: "/", Body: []byte("a=b")}},
		{name: "an empty body", req: messages.Request{Method: "PUT", Target: "/", Body: []byte{}}},
		{name: "POST without a body", req: messages.Request{Method: "POST", Target: "/"}},
		{name: "HEAD", req: messages.Request{Method: "HEAD", Target: "/v1/pets"}},
		{name: "HEAD with a body", req: messages.Request{Method: "HEAD", Target: "/v1/pets", Body: []byte("x"), Header: []messages.Field{json}}},
		{name: "OPTIONS", req: messages.Request{Method: "OPTIONS", Target: "/v1/pets"}},
		{name: "an odd method", req: messages.Request{Method: "m-search$", Target: "/"}},
		{name: "dots, brackets and braces", req: messages.Request{Method: "GET", Target: "/a/../b/./c?x[0]={1,2}&y[1-3]='\"&z=$HOME`id`!!\\"}},
		{name: "what curl would change in an address", req: messages.Request{Method: "GET", Target: "/a#b?q=é|^ü"}},
		{name: "an asterisk", req: messages.Request{Method: "OPTIONS", Target: "*"}},
		{name: "header fields", req: messages.Request{Method: "GET", Target: "/", Header: []messages.Field{
			{Name: "X-Empty", Value: ""},
			{Name: "X-Blank", Value: "  "},
			{Name: "X-Quotes", Value: `it's "so" $HOME ` + "`id`" + ` \ !!`},
			{Name: "X-Bytes", Value: "caf\xe9 \xff"},
			{Name: "X-Text", Value: "café ☕"},
			{Name: "X-Tab", Value: "a\tb"},
			{Name: "X-Twice", Value: "1"},
			{Name: "X-Twice", Value: "2"},
			{Name: "Accept", Value: "application/json"},
			{Name: "Accept-Encoding", Value: "gzip"},
			{Name: "User-Agent", Value: "RESTest/3.0"},
		}}},
		{name: "a body of JSON", req: messages.Request{Method: "POST", Target: "/", Header: []messages.Field{json}, Body: []byte(`{"a":"it's","b":"\u0000","c":"$x ` + "`y`" + ` ☕"}`)}},
		{name: "a body that looks like a file", req: messages.Request{Method: "POST", Target: "/", Body: []byte("@/etc/passwd")}},
		{name: "a body that looks like an option", req: messages.Request{Method: "POST", Target: "/", Body: []byte("-v\n")}},
		{name: "a body of lines", req: messages.Request{Method: "POST", Target: "/", Body: []byte("\n1\r\n%s %d \\n\n\n")}},
		{name: "a body of every byte", req: messages.Request{Method: "POST", Target: "/", Body: everyByte}},
		{name: "a long body of every byte", req: messages.Request{Method: "PUT", Target: "/", Body: bytes.Repeat(everyByte, 80), Header: []messages.Field{
			{Name: "Content-Type", Value: "application/octet-stream"},
		}}},
		{name: "a body of parts", req: messages.Request{Method: "POST", Target: "/", Header: []messages.Field{
			{Name: "Content-Type", Value: `multipart/related; boundary=b-1; type="text/plain"`},
		}, Body: slices.Concat([]byte("--b-1\r\nContent-Disposition: form-data; name=\"it's 100% $x\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n"), everyByte, []byte("\r\n--b-1--\r\n"))}},
		{name: "a body of XML", req: messages.Request{
			Method: "POST", Target: "/", Header: []messages.Field{{Name: "Content-Type", Value: "application/xml"}},
			Body: []byte(`<?xml version="1.0" encoding="UTF-8"?><a b="it's">é<![CDATA[$x]]>&#13;</a>`),
		}},
		{name: "records of JSON", req: messages.Request{Method: "POST", Target: "/", Header: []messages.Field{{Name: "Content-Type", Value: "application/json-seq"}}, Body: []byte("\x1e1\n\x1e2\n")}},
		{name: "GET with a body", req: messages.Request{Method: "GET", Target: "/", Header: []messages.Field{json}, Body: []byte("{}")}},
		{name: "DELETE with a body", req: messages.Request{Method: "DELETE", Target: "/", Header: []messages.Field{json}, Body: []byte("{}")}},
		{name: "a body of digits behind bytes", req: messages.Request{Method: "POST", Target: "/", Body: []byte("\x0012\xff7")}},
		{name: "a long body", req: messages.Request{Method: "POST", Target: "/", Body: bytes.Repeat([]byte("long "), 3000)}},
		{name: "keys", req: messages.Request{
			Method: "POST", Target: "/v1?token=open%20sesame%2F7&x=1", Header: []messages.Field{{Name: "X-Key", Value: key}, json},
			Body: []byte(`{"key":"open sesame/7","x":"it's $x"}`),
		}},
		{name: "a cookie with a key", req: messages.Request{Method: "GET", Target: "/", Header: []messages.Field{{Name: "Cookie", Value: "a=" + second + "; theme=00"}}}},
		{name: "a key beside bytes", masked: true, req: messages.Request{Method: "POST", Target: "/", Body: []byte("\x00open sesame/7")}},
	} {
		for _, shell := range shells {
			t.Run(row.name+" in "+shell, func(t *testing.T) {
				c := curler{mask: mask, longest: 24 << 10}
				out := c.command(origin, &messages.Exchange{Request: &row.req})
				if out.line == "" || strings.Contains(out.line, "\n") {
					t.Fatalf("this is no line: %q", out.line)
				}
				if mask.Has(out.line) {
					t.Fatalf("the line shows a key: %s", out.line)
				}
				cmd := exec.Command(shell, "-c", out.line)
				cmd.Env = append(cmd.Environ(), "LC_ALL=C")
				for _, v := range mask.VariablesIn(out.line) {
					value := map[string]string{"RESTEST_KEY_1": key, "RESTEST_KEY_2": second, "RESTEST_KEY_2_PERCENT_1": "open%20sesame%2F7"}[v.Name]
					if value == "" {
						t.Fatalf("the line uses %s", v.Name)
					}
					cmd.Env = append(cmd.Env, v.Name+"="+value)
				}
				answer, err := cmd.CombinedOutput()
				got := last()
				if got == nil {
					t.Fatalf("nothing came of %s\n%s%v", out.line, answer, err)
				}
				if !bytes.HasPrefix(answer, []byte("HTTP/1.1 418")) {
					t.Errorf("curl shows %q, %v", answer, err)
				}
				if want := row.req.Method + " " + row.req.Target; got.line != want {
					t.Errorf("came %q, not %q", got.line, want)
				}
				if row.masked {
					if out.note == "" || !bytes.Equal(got.body, []byte("\x00xxxx xxxxxx/0")) {
						t.Errorf("the body is %q, with the note %q", got.body, out.note)
					}
				} else if !bytes.Equal(got.body, row.req.Body) {
					t.Errorf("came the body %q, not %q", got.body, row.req.Body)
				}
				want := http.Header{}
				for _, f := range row.req.Header {
					want.Add(f.Name, strings.TrimSpace(f.Value))
				}
				for _, own := range []string{"Content-Length", "Connection"} { // which the sender adds, too
					got.header.Del(own)
				}
				for name := range got.header {
					if !slices.Equal(got.header[name], want[name]) {
						t.Errorf("came %s: %q, not %q", name, got.header[name], want[name])
					}
				}
				if len(got.header) != len(want) {
					t.Errorf("came the fields %v, not %v", got.header, want)
				}
			})
		}
	}
}

func TestCurlFollowsWhereTheRunDid(t *testing.T) {
	c := curler{longest: 10, insecure: true}
	out := c.command("https://h", &messages.Exchange{Request: &messages.Request{Method: "GET", Target: "/"}, Hops: make([]messages.Hop, 1)})
	if want := "curl --path-as-is -g -sS -i --http1.1 -k -L -X GET -H 'Accept:' -H 'User-Agent:' 'https://h/'"; out.line != want {
		t.Errorf("got  %s\nwant %s", out.line, want)
	}
	out = c.command("https://h", &messages.Exchange{Request: &messages.Request{Method: "POST", Target: "/", Body: make([]byte, 11)}})
	if out.line != "" || !strings.Contains(out.note, "11 bytes") {
		t.Errorf("for a body that is too long it gives %+v", out)
	}
}

func TestCurlHidesSecretsThatAreNoKeys(t *testing.T) {
	c := curler{mask: keys("cookie:key=sesame-4711"), longest: 10}
	out := c.command("http://h", &messages.Exchange{Request: &messages.Request{Method: "GET", Target: "/", Header: []messages.Field{
		{Name: "Authorization", Value: "Bearer abc123"}, {Name: "Cookie", Value: "sid=abc123; key=sesame-4711"},
	}}})
	if strings.Contains(out.line, "abc123") || strings.Contains(out.line, "4711") || !strings.Contains(out.line, `sid=xxx000; key='"$RESTEST_KEY_1"`) {
		t.Error(out.line)
	}
}

// What the lines before make has another name each time: it is taken from the reply, wherever that says it.
func TestCommandsTakeWhatTheyMakeFromTheReply(t *testing.T) {
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	for _, c := range []struct {
		name, place, location, body, want string
	}{
		{"a path", "Location", "/things/x%20y", "", "/things/x%20y"},
		{"an address", "Location", "http://127.0.0.1:1/things/7", `{"id":1}`, "/things/7"},
		{"a number", "/id", "", `{"name":"a","id":12}`, "/things/12"},
		{"a text", "/id", "", `{"id":"ab-7","name":"a"}`, "/things/ab-7"},
		{"over several lines", "/id", "", "{\n  \"id\" : \"ab-7\",\n  \"name\": \"id\"\n}\n", "/things/ab-7"},
		{"in an envelope", "/data/it's", "", `{"data":{"it's":3}}`, "/things/3"},
		{"an answer that does more", "Location", "/things/$(id);`id`'\"*", "", "/things/$(id);`id`'\"*"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.Method+" "+r.RequestURI)
				if r.Method == "POST" {
					if c.location != "" {
						w.Header().Set("Location", c.location)
					}
					w.WriteHeader(http.StatusCreated)
					io.WriteString(w, c.body)
				}
			}))
			defer server.Close()
			makers := []messages.Maker{
				{Request: &messages.Request{Method: "POST", Target: "/things", Body: []byte("{}")}, Address: "/things/1", Place: c.place},
				{Request: &messages.Request{Method: "PUT", Target: "/things/1"}},
			}
			out := curler{mask: keys(), longest: 1000}.series(server.URL, makers, &messages.Exchange{Request: &messages.Request{Method: "GET", Target: "/things/1/parts?a=/things/1"}})
			if out.note != "" || strings.Count(out.line, "\n") != 2 {
				t.Fatalf("got %+v", out)
			}
			printed, err := exec.Command("sh", "-c", out.line).CombinedOutput()
			if want := []string{"POST /things", "PUT " + c.want, "GET " + c.want + "/parts?a=/things/1"}; !slices.Equal(asked, want) {
				t.Errorf("asked %q, want %q: %v\n%s\n%s", asked, want, err, out.line, printed)
			}
		})
	}
}

// "The same text is so everywhere in what is sent for one finding", and a name gives way to that of the thing made anew
// (decision 0022): in JSON as a text and as a number, in a form, a query and a field, beside bytes that do not print.
func TestCommandsPutInNamesAndFreshTexts(t *testing.T) {
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	for _, c := range []struct{ name, contentType, body, want string }{
		{"a text", "application/json", `{"a":"it's $x","book":"b1","name":"jane-7","c":"b1"}`, `{"a":"it's $x","book":"n/2","name":"FRESH","c":"b1"}`},
		{"a list of numbers", "application/json", `{"books":[12,13],"n":12}`, `{"books":[n/2,13],"n":12}`},
		{"a form", "application/x-www-form-urlencoded", "book=b1&c=b1", "book=n/2&c=b1"},
		{"beside bytes", "application/json", "{\n\"a\":\"100% \\n\",\"book\":\"b1\",\"c\":\"\u00a0\"}\n", "{\n\"a\":\"100% \\n\",\"book\":\"n/2\",\"c\":\"\u00a0\"}\n"},
		{"at the end", "application/json", `"b1"`, `"n/2"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked, bodies []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				asked, bodies = append(asked, r.RequestURI+" "+r.Header.Get("X-Book")), append(bodies, string(body))
				if n := len(asked); n < 3 {
					fmt.Fprintf(w, `{"bookId":1,"id":"n%d"}`, n)
				}
			}))
			defer server.Close()
			json := messages.Field{Name: "Content-Type", Value: "application/json"}
			maker := messages.Request{Method: "POST", Target: "/shelves", Header: []messages.Field{json}, Body: []byte(`{"name":"jane-7"}`), Fresh: []string{"body.name"}}
			old := "b1"
			if strings.Contains(c.body, "12") {
				old = "12"
			}
			makers := []messages.Maker{
				{Request: &maker, Address: "/shelves/a", Place: "/id"},
				{Request: &messages.Request{Method: "POST", Target: "/shelves/a/books"}, Address: "/shelves/a/books/" + old, Place: "/id"},
			}
			last := messages.Request{
				Method: "PUT", Target: "/labels?book=" + old + "&x=" + old, Body: []byte(c.body), Fresh: []string{"body.name"},
				Header: []messages.Field{{Name: "Content-Type", Value: c.contentType}, {Name: "X-Book", Value: old}},
			}
			for _, place := range []string{"query.book", "header.X-Book", "body.book", "body.books[]", "body"} {
				last.Named = append(last.Named, messages.Named{Place: place, Address: makers[1].Address})
			}
			out := curler{mask: keys(), longest: 1000}.series(server.URL, makers, &messages.Exchange{Request: &last})
			printed, err := exec.Command("sh", "-c", out.line).Output()
			if err != nil || out.note != "" || len(asked) != 3 {
				t.Fatalf("asked %q: %v, %s\n%s", asked, err, out.note, out.line)
			}
			if want := []string{"/shelves ", "/shelves/n1/books ", "/labels?book=n2&x=" + old + " n2"}; !slices.Equal(asked, want) {
				t.Errorf("asked %q, want %q\n%s", asked, want, out.line)
			}
			var fresh string
			if _, err := fmt.Sscanf(bodies[0], `{"name":%q}`, &fresh); err != nil || len(fresh) != len("jane-7") || fresh == "jane-7" || fresh[4] != '-' {
				t.Errorf("the fresh text is in %s", bodies[0])
			}
			if want := strings.NewReplacer("FRESH", fresh, "n/2", "n2").Replace(c.want); bodies[2] != want {
				t.Errorf("came %q, want %q\n%s", bodies[2], want, out.line)
			}
			if n := bytes.Count(printed, []byte("HTTP/1.1 200 OK")); n != 3 {
				t.Errorf("%d replies are printed:\n%s", n, printed)
			}
		})
	}
}

func TestANameThatIsNotWrittenAlikeEverywhereIsToldOf(t *testing.T) {
	makers := []messages.Maker{{Request: &messages.Request{Method: "POST", Target: "/things"}, Address: "/things/a%20b", Place: "/id"}}
	last := &messages.Request{
		Method: "PUT", Target: "/labels", Body: []byte(`{"thing":"a b"}`), Header: []messages.Field{{Name: "Content-Type", Value: "application/json"}},
		Named: []messages.Named{{Place: "body.thing", Address: "/things/a%20b"}},
	}
	out := curler{mask: keys(), longest: 1000}.series("http://h", makers, &messages.Exchange{Request: last})
	if out.note != "in place of a b put the name that made1 ends with" || !strings.Contains(out.line, `'{"thing":"a b"}'`) {
		t.Errorf("got %+v", out)
	}
}

func TestACommandSaysWhatToPutInWhereTheReplyDoesNot(t *testing.T) {
	makers := []messages.Maker{{Request: &messages.Request{Method: "POST", Target: "/things"}, Address: "/things/1"}}
	out := curler{mask: keys(), longest: 1000}.series("http://h", makers, &messages.Exchange{Request: &messages.Request{Method: "GET", Target: "/things/1"}})
	if out.note != "in place of /things/1 put the address of what step 1 makes" || !strings.HasSuffix(out.line, "'http://h/things/1'") {
		t.Errorf("got %+v", out)
	}
	makers[0].Request.Body = make([]byte, 2000)
	if out = (curler{mask: keys(), longest: 1000}).series("http://h", makers, &messages.Exchange{Request: &messages.Request{Method: "GET", Target: "/"}}); out.line != "" || out.note == "" {
		t.Errorf("got %+v", out)
	}
}

// A line that holds what an API made up must not do more than curl does.
func TestNothingOfARequestIsRunByTheShell(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	listener.Close()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell is installed")
	}
	dir := t.TempDir()
	attack := fmt.Sprintf("'; touch %s/a; $(touch %s/b) `touch %s/c` \" && touch %s/d #", dir, dir, dir, dir)
	for _, s := range []string{attack, attack + "\n" + attack, attack + "\x00", "\xff" + attack} {
		c := curler{mask: keys("header:X-Key=sesame-4711"), longest: 1 << 20}
		out := c.command("http://"+listener.Addr().String(), &messages.Exchange{Request: &messages.Request{
			Method: "GET" + s, Target: "/" + s, Header: []messages.Field{{Name: "X" + s, Value: s}}, Body: []byte(s),
		}})
		exec.Command(sh, "-c", out.line).Run() // curl fails, as nobody listens
		if left, err := exec.Command("ls", dir).Output(); err != nil || len(left) > 0 {
			t.Fatalf("%q was run: %s, %v", s, left, err)
		}
	}
}
