package checks

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock/quota"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

// row is an exchange and what one check finds in it, such as "w", "e likely /a" or "w opinion": level, certainty and cause.
type row struct {
	name string
	e    *messages.Exchange
	want string
	in   func(*Input)
}

// table asks the check of that code about each row.
func table(t *testing.T, code int, rows []row) {
	t.Helper()
	for _, check := range All() {
		if check.About().Code != code {
			continue
		}
		for _, r := range rows {
			in := input(r.e, nil, nil)
			if r.in != nil {
				r.in(in)
			}
			var list []string
			for _, f := range check.Check(in) {
				said := map[bool]string{true: "e", false: "w"}[f.Error] + [...]string{"", " likely", " opinion"}[f.Certainty]
				list = append(list, strings.TrimSpace(said+" "+f.Cause))
				if f.Code != code || f.Title == "" || f.Expected == "" || f.Got == "" {
					t.Errorf("F%d, %s: %+v", code, r.name, f)
				}
			}
			if got := strings.Join(list, "; "); got != r.want {
				t.Errorf("F%d, %s: got %q, want %q", code, r.name, got, r.want)
			}
		}
		return
	}
	t.Fatalf("there is no check F%d", code)
}

// to is a reply to a request with that method; the header is name, value, name, value.
func to(method string, status int, body string, header ...string) *messages.Exchange {
	e := answered(status, body, header...)
	e.Request.Method, e.Request.Target = method, "/things"
	return e
}

// sending adds content and header fields to the exchange's request.
func sending(e *messages.Exchange, content string, header ...string) *messages.Exchange {
	if content != "" {
		e.Request.Body = []byte(content)
	}
	for i := 0; i < len(header); i += 2 {
		e.Request.Header = append(e.Request.Header, messages.Field{Name: header[i], Value: header[i+1]})
	}
	return e
}

func hopped(e *messages.Exchange, status int, location string) *messages.Exchange {
	e.Hops = []messages.Hop{{Method: "GET", Status: status, Location: location}}
	return e
}

func TestEachRuleOfHTTPIsHeldWhereItHolds(t *testing.T) {
	for code, rows := range map[int][]row{
		102: {
			{name: "DELETE", e: to("DELETE", 201, ""), want: "w"},
			{name: "POST", e: to("POST", 201, "")},
			{name: "another status", e: to("DELETE", 200, "")},
			{name: "where a redirect led", e: hopped(to("DELETE", 201, ""), 307, "/x")},
		},
		103: {
			{name: "GET", e: to("GET", 201, ""), want: "w"},
			{name: "HEAD", e: to("HEAD", 201, ""), want: "w"},
			{name: "PUT", e: to("PUT", 201, "")},
			{name: "another status", e: to("GET", 200, "")},
			{name: "where a redirect led", e: hopped(to("GET", 201, ""), 302, "/x")},
		},
		104: {
			{name: "not declared", e: to("PATCH", 201, ""), want: "w opinion", in: func(in *Input) { in.Declared = Declared{} }},
			{name: "declared", e: to("PATCH", 201, "")},
			{name: "PUT", e: to("PUT", 201, "")},
			{name: "another status", e: to("PATCH", 200, "")},
		},
		105: {
			{name: "a length", e: to("DELETE", 204, "", "Content-Length", "5"), want: "w Content-Length"},
			{name: "chunks", e: to("DELETE", 204, "", "Transfer-Encoding", "chunked"), want: "w Transfer-Encoding"},
			{name: "a length of 0", e: to("DELETE", 204, "", "content-length", "0")},
			{name: "neither", e: to("DELETE", 204, "")},
			{name: "another status", e: to("DELETE", 200, "x", "Content-Length", "1")},
		},
		106: {
			{name: "without content", e: to("GET", 413, ""), want: "w"},
			{name: "with empty content", e: with(to("POST", 413, ""), func(e *messages.Exchange) { e.Request.Body = []byte{} }), want: "w"},
			{name: "with content", e: sending(to("POST", 413, ""), "x")},
			{name: "another status", e: to("GET", 414, "")},
		},
		107: {
			{name: "without content", e: to("GET", 415, ""), want: "w likely"},
			{name: "with content", e: sending(to("POST", 415, ""), "x", "Content-Type", "text/plain")},
			{name: "a type and no content", e: sending(to("POST", 415, ""), "", "Content-Type", "text/plain")},
			{name: "another status", e: to("GET", 400, "")},
		},
		108: {
			{name: "to a PUT", e: sending(to("PUT", 304, ""), "", "If-None-Match", `"1"`), want: "w method"},
			{name: "without a condition", e: to("GET", 304, ""), want: "w condition"},
			{name: "with a tag", e: sending(to("GET", 304, ""), "", "if-none-match", `"1"`)},
			{name: "with a date", e: sending(to("HEAD", 304, ""), "", "If-Modified-Since", "x")},
			{name: "another status", e: to("GET", 200, "")},
		},
		109: {
			{name: "no challenge", e: to("GET", 401, "no"), want: "w"},
			{name: "a challenge", e: to("GET", 401, "no", "www-authenticate", "Bearer")},
			{name: "403", e: to("GET", 403, "no")},
			{name: "where a redirect led", e: hopped(to("GET", 401, ""), 302, "/login")},
		},
		110: {
			{name: "no Allow", e: to("PUT", 405, ""), want: "w"},
			{name: "Allow", e: to("PUT", 405, "", "ALLOW", "GET")},
			{name: "an empty Allow", e: to("PUT", 405, "", "Allow", "")},
			{name: "another status", e: to("PUT", 404, "")},
		},
		111: {
			{name: "content", e: to("POST", 205, "x"), want: "w"},
			{name: "a cut one", e: with(to("POST", 205, ""), func(e *messages.Exchange) { e.Reply.Length = 7 }), want: "w"},
			{name: "none", e: to("POST", 205, "", "Content-Length", "0")},
			{name: "another status", e: to("POST", 200, "x")},
		},
		112: {
			{name: "no Upgrade", e: to("GET", 426, ""), want: "w"},
			{name: "Upgrade", e: to("GET", 426, "", "Upgrade", "h2c")},
			{name: "another status", e: to("GET", 400, "")},
			{name: "where a redirect led", e: hopped(to("GET", 426, ""), 302, "/x")},
		},
		120: {
			{name: "a space", e: to("POST", 201, "", "Location", "/a b"), want: "w holds a space"},
			{name: "a letter beyond ASCII", e: to("POST", 303, "", "Location", "/é"), want: "w holds a character beyond ASCII"},
			{name: "a broken percent sign", e: to("POST", 201, "", "Location", "/100%"), want: "w holds a percent sign that encodes nothing"},
			{name: "a template", e: to("POST", 201, "", "Location", "/books/{id}"), want: "w holds {"},
			{name: "no port", e: to("POST", 201, "", "Location", "http://a:x/"), want: "w cannot be taken apart"},
			{name: "in a redirect that was followed", e: hopped(to("GET", 200, ""), 302, "/a b"), want: "w holds a space"},
			{name: "elsewhere", e: to("POST", 201, "", "Location", "http://internal:8080/x"), want: "w likely elsewhere"},
			{name: "another port", e: to("POST", 201, "", "Location", "https://api.example/x"), want: "w likely elsewhere"},
			{name: "relative", e: to("POST", 201, "", "Location", "x?y=%20#z")},
			{name: "a path", e: to("POST", 201, "", "Location", "/v1/x")},
			{name: "absolute", e: to("POST", 201, "", "Location", "http://API.example:80/x")},
			{name: "a redirect elsewhere", e: to("GET", 302, "", "Location", "https://login.example/")},
			{name: "none", e: to("POST", 201, "")},
			{name: "refused", e: to("GET", 429, "", "Location", "a b")},
		},
		201: {
			{name: "lacks one", e: to("PATCH", 405, "", "Allow", "GET"), want: "w likely POST"},
			{name: "lists none", e: to("PATCH", 405, "", "Allow", ""), want: "w likely GET POST"},
			{name: "lists all", e: to("PATCH", 405, "", "Allow", "POST,GET, HEAD")},
			{name: "on two lines", e: to("OPTIONS", 200, "", "Allow", "POST", "Allow", "GET")},
			{name: "no field", e: to("PATCH", 405, "")},
			{name: "of what is not there", e: to("PATCH", 404, "", "Allow", "GET")},
			{name: "HEAD goes without saying", e: to("PATCH", 405, "", "Allow", "GET"), in: func(in *Input) { in.Declares = []string{"GET", "HEAD"} }},
		},
		202: {
			{name: "no security", e: to("GET", 401, ""), want: "w likely"},
			{name: "security", e: to("GET", 401, ""), in: func(in *Input) {
				in.Operation = &document.Operation{Security: [][]document.Requirement{{{Scheme: "key"}}}}
			}},
			{name: "declared", e: to("GET", 401, ""), in: func(in *Input) { in.Declared.Response = &document.Response{Code: "401"} }},
			{name: "a sign-in", e: to("POST", 401, ""), in: func(in *Input) { in.SignsIn = true }},
			{name: "another status", e: to("GET", 403, "")},
		},
		203: {
			{name: "401 declared by its range", e: to("GET", 403, "")},
			{name: "no 401", e: to("GET", 403, ""), want: "w opinion", in: func(in *Input) {
				in.Operation = &document.Operation{Responses: []*document.Response{{Code: "403"}}}
			}},
			{name: "no response declared", e: to("GET", 403, ""), in: func(in *Input) { in.Operation = &document.Operation{} }},
			{name: "another status", e: to("GET", 404, ""), in: func(in *Input) {
				in.Operation = &document.Operation{Responses: []*document.Response{{Code: "403"}}}
			}},
		},
		204: {
			{name: "asked for", e: sending(to("GET", 406, ""), "", "Accept", "text/html, Application/JSON;q=0.5"), want: "w likely"},
			{name: "asked for anything", e: to("GET", 406, ""), want: "w likely"},
			{name: "asked for in a range", e: sending(to("GET", 406, ""), "", "Accept", "application/*"), want: "w likely"},
			{name: "not asked for", e: sending(to("GET", 406, ""), "", "Accept", "image/png")},
			{name: "forbidden by its weight", e: sending(to("GET", 406, ""), "", "Accept", "*/*, application/json;q=0, application/vnd.x+json;q=0.0")},
			{name: "another status", e: to("GET", 400, "")},
		},
		924: {
			{name: "a fraction", e: to("GET", 429, "", "Retry-After", "0.5"), want: "w Retry-After"},
			{name: "a unit", e: to("GET", 503, "", "Retry-After", "5s"), want: "w Retry-After"},
			{name: "a word", e: to("GET", 503, "", "Retry-After", "soon"), want: "w Retry-After"},
			{name: "an empty one", e: to("GET", 429, "", "Retry-After", ""), want: "w Retry-After"},
			{name: "seconds", e: to("GET", 429, "", "Retry-After", "120")},
			{name: "a date", e: to("GET", 301, "", "Retry-After", "Fri, 31 Dec 2027 23:59:59 GMT")},
			{name: "none", e: to("GET", 429, "")},
			{name: "RateLimit", e: to("GET", 200, ""), want: "w likely RateLimit-Reset", in: func(in *Input) {
				in.Misspelt = []quota.Problem{{Field: "X-RateLimit-Reset", What: "is a word"}, {Field: "RateLimit-Reset", What: "is a word"}, {Field: "RateLimit-Reset", What: "is long"}}
			}},
		},
		925: {
			{name: "slow", e: with(to("GET", 200, ""), func(e *messages.Exchange) { e.EndedAt = messages.Instant(3 * time.Second) }), want: "w"},
			{name: "fast", e: with(to("GET", 200, ""), func(e *messages.Exchange) { e.EndedAt = messages.Instant(time.Second) })},
			{name: "broken off", e: with(to("GET", 200, ""), func(e *messages.Exchange) {
				e.EndedAt, e.Outcome = messages.Instant(3*time.Second), messages.BrokeOff
			})},
			{name: "with hops", e: hopped(with(to("GET", 200, ""), func(e *messages.Exchange) { e.EndedAt = messages.Instant(3 * time.Second) }), 302, "/x")},
			{name: "off", e: with(to("GET", 200, ""), func(e *messages.Exchange) { e.EndedAt = messages.Never }), in: func(in *Input) { in.Slow = 0 }},
		},
	} {
		for i := range rows {
			change := rows[i].in
			rows[i].in = func(in *Input) {
				in.Origin, in.Declares, in.Slow = "http://api.example", []string{"GET", "POST"}, 2*time.Second
				in.Received = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
				if change != nil {
					change(in)
				}
			}
		}
		table(t, code, rows)
	}
}

func TestARefusalIsJudgedByWhatItSaysOfWaitingAlone(t *testing.T) {
	e := sending(to("GET", 429, "Traceback (most recent call last):\n  File \"a.py\", line 1, in b", "Retry-After", "soon", "Location", "a b", "Allow", ""), "")
	in := input(e, nil, nil)
	in.Declares = []string{"POST"}
	if got := codes(find(in)); got != "F924w Retry-After" {
		t.Errorf("got %q", got)
	}
}

func TestAStackTraceIsSeenInAFailureAlone(t *testing.T) {
	rows := []row{
		{name: "a success", e: to("GET", 200, "goroutine 1 [running]:\nmain.main()")},
		{name: "words", e: to("GET", 500, "the goroutine was stopped; see main.go: it is at line 5")},
		{name: "an error's name", e: to("GET", 500, `{"error":"java.lang.IllegalStateException","message":"no"}`)},
		{name: "a path", e: to("GET", 404, `{"path":"/files/app.rb:12"}`)},
		{name: "refused", e: to("GET", 429, "goroutine 1 [running]:\nmain.main()")},
	}
	for language, bodies := range map[string][]string{
		"Java": {
			"java.lang.NullPointerException\n\tat com.shop.Books.find(Books.java:17)\n",
			`{"trace":"org.x.E: no\r\n\tat java.base/jdk.internal.reflect.Method.invoke(Method.java:104)\r\n"}`,
		},
		"Python": {
			"Traceback (most recent call last):\n  File \"/app/main.py\", line 3, in <module>\n",
			`{"detail":"Traceback (most recent call last):\n  File \"/app/main.py\", line 3, in read\n"}`,
		},
		"Go":      {"panic: x\n\ngoroutine 71 [running]:\nshop.f(0xc0)\n\tshop/index.go:58 +0x1d4", `{"stack":"main.f(0x1)\n\t/app/main.go:10 +0x2"}`},
		".NET":    {"System.NullReferenceException: Object\n   at Shop.Books.Find(Int32 id) in /src/Books.cs:line 12"},
		"Node.js": {"TypeError: x\n    at Object.find (/app/books.js:3:14)\n", `{"stack":"Error: x\n    at async /app/books.js:3:14\n"}`},
		"PHP":     {"<b>Fatal error</b>: Uncaught x in <b>/var/www/a.php</b> on line <b>3</b>", "#0 /var/www/a.php(12): find()\n#1 {main}"},
		"Ruby":    {"app/models/book.rb:12:in `find'", `{"traces":["app/book.rb:12:in 'Book#find'"]}`},
	} {
		for _, body := range bodies {
			rows = append(rows, row{name: language, e: to("GET", 500, body), want: "w likely " + language})
		}
	}
	table(t, 309, rows)
}

func TestADatabasesErrorIsSeenInReplyToATroublesomeValueAlone(t *testing.T) {
	fuzzed := func(status int, body string) *messages.Exchange {
		e := to("GET", status, body)
		e.Request.Purpose = messages.Fuzzing
		return e
	}
	again := func(source string) *messages.Exchange {
		e := fuzzed(500, "You have an error in your SQL syntax; check")
		e.Request.Purpose, e.Request.Origins = messages.Rechecking, []messages.Origin{{Place: "query.q", Source: source}}
		return e
	}
	table(t, 300, []row{
		{name: "sent again", e: again("fuzzing"), want: "e likely MySQL"},
		{name: "an ordinary value sent again", e: again("random")},
		{name: "MySQL", e: fuzzed(500, "You have an error in your SQL syntax; check"), want: "e likely MySQL"},
		{name: "PostgreSQL", e: fuzzed(500, `{"message":"syntax error at or near \"x\""}`), want: "e likely PostgreSQL"},
		{name: "SQLite", e: fuzzed(400, `near "x": syntax error`), want: "e likely SQLite"},
		{name: "Oracle", e: fuzzed(500, "ORA-00933: SQL command not properly ended"), want: "e likely Oracle"},
		{name: "an ordinary value", e: to("GET", 500, "You have an error in your SQL syntax")},
		{name: "a success", e: fuzzed(200, "You have an error in your SQL syntax")},
		{name: "another error", e: fuzzed(500, "a syntax error in the filter")},
		{name: "refused", e: fuzzed(429, "ORA-00933")},
	})
}

func TestAScriptIsSeenWhereABrowserWouldRunIt(t *testing.T) {
	page := func(target, body string, header ...string) *messages.Exchange {
		e := to("GET", 404, body, append([]string{"Content-Type", "text/html; charset=utf-8"}, header...)...)
		e.Request.Target = target
		return e
	}
	table(t, 301, []row{
		{name: "from the target", e: page("/a?q=%3Cscript%3Ealert(1)%3C/script%3E", "no <script>alert(1)</script>"), want: "e likely <script"},
		{name: "from the content", e: sending(page("/a", "<p><img src=x onerror=alert(1)>"), `{"a":"<img src=x onerror=alert(1)>"}`), want: "e likely <img src="},
		{name: "from a form", e: sending(page("/a", "<svg onload=f()>"), "a=%3Csvg+onload%3Df()%3E", "Content-Type", "application/x-www-form-urlencoded"), want: "e likely <svg onload"},
		{name: "escaped", e: page("/a?q=%3Cscript%3Ealert(1)%3C/script%3E", "no &lt;script&gt;alert(1)")},
		{name: "another script", e: page("/a?q=%3Cscript%3Ealert(1)%3C/script%3E", "<script src=/app.js></script>")},
		{name: "forbidden", e: page("/a?q=%3Cscript%3Ealert(1)%3C/script%3E", "<script>alert(1)</script>", "Content-Security-Policy", "default-src 'none'")},
		{name: "no page", e: with(to("GET", 200, `"<script>alert(1)</script>"`, "Content-Type", "application/json"), func(e *messages.Exchange) { e.Request.Target = "/?q=%3Cscript%3Ealert(1)%3C/script%3E" })},
	})
}

func TestADeclaredHeaderIsJudged(t *testing.T) {
	op := &document.Operation{Responses: []*document.Response{{Code: "200", Headers: []*document.Parameter{
		{Name: "X-Need", Required: true},
		{Name: "X-Left", Schema: &document.Schema{Types: []string{"integer"}}},
		{Name: "X-Free"},
	}}}}
	fits := map[string]bool{"integer 5": true}
	in := func(in *Input) {
		in.Operation, in.Declared = op, Declare(op, in.Exchange.Reply.Status, "")
		in.Judge = func(s *document.Schema, d document.Direction, v any) ([]document.Fault, error) {
			if d != document.InReply || fits[fmt.Sprint(s.Types[0], " ", v)] {
				return nil, nil
			}
			return []document.Fault{{Keyword: "type", Message: "must be integer"}}, nil
		}
	}
	table(t, 923, []row{
		{name: "missing", e: to("GET", 200, ""), want: "w X-Need required", in: in},
		{name: "there", e: to("GET", 200, "", "x-need", ""), in: in},
		{name: "does not fit", e: to("GET", 200, "", "X-Need", "a", "X-Left", "many"), want: "w X-Left type", in: in},
		{name: "fits as a number", e: to("GET", 200, "", "X-Need", "a", "X-Left", " 5 "), in: in},
		{name: "anything", e: to("GET", 200, "", "X-Need", "a", "X-Free", "many"), in: in},
		{name: "another response", e: to("GET", 404, ""), in: in},
		{name: "where a redirect led", e: hopped(to("GET", 200, ""), 302, "/x"), in: in},
	})
}

func TestAHeadersTextIsReadAsItsSchemaHasIt(t *testing.T) {
	of := func(types ...string) *document.Schema { return &document.Schema{Types: types} }
	list := of("array")
	list.Items = of("integer")
	for _, r := range []struct {
		s    *document.Schema
		text string
		want string
	}{
		{of("string"), "12", `[]interface {}{"12"}`},
		{of("integer"), "12", `[]interface {}{"12", "12"}`},
		{of("integer"), "0x1", `[]interface {}{"0x1"}`},
		{of("boolean"), "true", `[]interface {}{true, "true"}`},
		{of("boolean"), "True", `[]interface {}{true, "True"}`},
		{of("boolean"), "yes", `[]interface {}{"yes"}`},
		{list, "1, 2", `[]interface {}{[]interface {}{"1", "2"}, "1, 2"}`},
		{of("object"), "a=1", `[]interface {}(nil)`},
	} {
		if got := fmt.Sprintf("%#v", readings(r.s, r.text)); got != r.want {
			t.Errorf("%v %q: %s, want %s", r.s.Types, r.text, got, r.want)
		}
	}
}

// breaking is a reply to a request with content of JSON that breaks the rule.
func breaking(rule string, status int) *messages.Exchange {
	e := sending(to("POST", status, ""), `{}`, "Content-Type", "application/json")
	e.Request.Breaks = rule
	return e
}

func TestARequestThatBreaksTheDocumentIsToBeRefused(t *testing.T) {
	table(t, 206, []row{
		{name: "required", e: breaking("body.name: required", 201), want: "w body.name: required"},
		{name: "a bound", e: breaking("body.lines[12].quantity: minimum", 200), want: "w body.lines[*].quantity: minimum"},
		{name: "a part of an object", e: breaking("body: required name", 200), want: "w body: required name"},
		{name: "a format", e: breaking("body.email: format", 200), want: "w likely body.email: format"},
		{name: "a pattern", e: breaking("body.email: pattern", 200), want: "w likely body.email: pattern"},
		{name: "what nobody knows", e: breaking("body: additionalProperties", 200), want: "w likely body: additionalProperties"},
		{name: "in a query", e: breaking("query.n: type", 200), want: "w likely query.n: type"},
		{name: "another type", e: breaking("header.Content-Type: content", 200), want: "w likely header.Content-Type: content"},
		{name: "in a field that may be ignored", e: breaking("header.Range: enum", 200)},
		{name: "in a field that may not", e: breaking("header.If-Match: pattern", 200), want: "w likely header.If-Match: pattern"},
		{name: "not yet done", e: breaking("body.name: required", 202), want: "w likely body.name: required"},
		{name: "in a form", e: with(breaking("body.n: type", 200), func(e *messages.Exchange) {
			e.Request.Header = []messages.Field{{Name: "Content-Type", Value: "application/x-www-form-urlencoded"}}
		}), want: "w likely body.n: type"},
		{name: "refused", e: breaking("body.name: required", 400)},
		{name: "a redirect", e: breaking("body.name: required", 303)},
		{name: "429", e: breaking("body.name: required", 429)},
		{name: "breaks nothing", e: breaking("", 200)},
		{name: "where a redirect led", e: hopped(breaking("body.name: required", 200), 302, "/x")},
	})
}

func TestAValidRequestIsNotToBeRefused(t *testing.T) {
	valid := func(status int, change func(*messages.Request)) *messages.Exchange {
		e := sending(to("POST", status, "no"), `{"name":"n"}`, "Content-Type", "application/json")
		e.Request.Valid, e.Request.Purpose = true, messages.Nominal
		if change != nil {
			change(e.Request)
		}
		return e
	}
	op := &document.Operation{Path: "/things", Body: &document.Body{Media: []*document.Media{{Type: "application/json", Schema: &document.Schema{}}}}}
	plain := func(in *Input) { in.Operation = op }
	twin := func(in *Input) { in.Operation, in.Twin = op, func() bool { return true } }
	secured := func(in *Input) {
		in.Operation = &document.Operation{Path: "/things", Body: op.Body, Security: [][]document.Requirement{{{Scheme: "key"}}}}
	}
	key := func(r *messages.Request) {
		r.Origins = []messages.Origin{{Place: "header.X-Key", Source: "key"}}
	}
	table(t, 207, []row{
		{name: "400", e: valid(400, nil), want: "w likely", in: plain},
		{name: "422", e: valid(422, nil), want: "w likely", in: plain},
		{name: "a twin was accepted", e: valid(400, nil), want: "w twin", in: twin},
		{name: "troublesome, and a twin was accepted", e: valid(400, func(r *messages.Request) { r.Purpose = messages.Fuzzing }), want: "w twin", in: twin},
		{name: "with a key", e: valid(400, key), want: "w likely", in: secured},
		{name: "without a key", e: valid(400, nil), in: secured},
		{name: "troublesome", e: valid(400, func(r *messages.Request) { r.Purpose = messages.Fuzzing }), in: plain},
		{name: "not valid", e: valid(400, func(r *messages.Request) { r.Valid = false }), in: plain},
		{name: "breaks a rule", e: valid(400, func(r *messages.Request) { r.Breaks = "body: required" }), in: plain},
		{name: "an invented id", e: valid(422, func(r *messages.Request) { r.Body = []byte(`{"lines":[{"bookId":7}]}`) }), in: plain},
		{name: "an id in the query", e: valid(400, func(r *messages.Request) { r.Target = "/things?a=1&parent_id=7" }), in: plain},
		{name: "two at once", e: with(valid(400, nil), func(e *messages.Exchange) { e.Reply.Body = []byte(`due to a concurrent update`) }), in: plain},
		{name: "a name that is taken", e: with(valid(422, nil), func(e *messages.Exchange) { e.Reply.Body = []byte(`{"message":"Name has Already been taken"}`) }), in: twin},
		{name: "404", e: valid(404, nil), in: plain},
		{name: "409", e: valid(409, nil), in: plain},
		{name: "403", e: valid(403, nil), in: plain},
		{name: "429", e: valid(429, nil), in: plain},
		{name: "a thing in the path", e: valid(400, nil), in: func(in *Input) { in.Operation = &document.Operation{Path: "/things/{id}", Body: op.Body} }},
		{name: "a sign-in", e: valid(400, nil), in: func(in *Input) { in.Operation, in.SignsIn = op, true }},
		{name: "the judge says no", e: valid(400, nil), in: func(in *Input) {
			in.Operation = op
			in.Judge = func(*document.Schema, document.Direction, any) ([]document.Fault, error) {
				return []document.Fault{{Keyword: "type"}}, nil
			}
		}},
	})
}

func TestWhichNamesAreThoseOfReferences(t *testing.T) {
	for place, want := range map[string]bool{
		"body.id": true, "path.bookId": true, "body.lines[0].book_ids": true, "body.ids[3]": true, "query.user-uuid": true, "body.country.code": true,
		"body.name": false, "query.paid": false, "body.grid": false, "body.video": false, "body.title": false, "query.limit": false,
	} {
		if NamesThing(place) != want {
			t.Errorf("%s: %v", place, !want)
		}
	}
}

func TestATargetThatServersTakeForAnothersIsKnown(t *testing.T) {
	for target, want := range map[string]bool{
		"/": false, "/pets": false, "/pets/": false, "/pets/a%20b?x=%2F": false, "/pets/...x": false,
		"/tags/%2F": true, "/tags/a%2fb": true, "/tags/%5C": true, "/tags/..%2F": true, "/pets//toys": true, "/pets/%2e%2E/toys": true,
		"/pets/%00": true, "/pets/%zz": true,
	} {
		if got := strays(target); got != want {
			t.Errorf("%s: %v", target, got)
		}
	}
}

func TestAnAnswerFromAnotherAddressSaysNothingOfTheOperation(t *testing.T) {
	astray := func(status int, header ...string) *messages.Exchange {
		e := to("PUT", status, "", header...)
		e.Request.Target = "/tags/%2F"
		return e
	}
	declares := func(in *Input) {
		in.Declares = []string{"DELETE", "PUT"}
		in.Operation = &document.Operation{Responses: []*document.Response{{Code: "200"}}}
		in.Declared = Declare(in.Operation, in.Exchange.Reply.Status, "")
	}
	table(t, 201, []row{
		{name: "there", e: to("PUT", 405, "", "Allow", "GET"), in: declares, want: "w likely DELETE PUT"},
		{name: "astray", e: astray(405, "Allow", "GET"), in: declares},
	})
	table(t, 920, []row{
		{name: "there", e: to("PUT", 405, ""), in: declares, want: "w"},
		{name: "astray", e: astray(405), in: declares},
		{name: "redirected", e: astray(301), in: declares},
		{name: "astray, and refused", e: astray(422), in: declares, want: "w"},
	})
	html := func(target string) *messages.Exchange {
		e := to("GET", 404, "<p>", "Content-Type", "text/html")
		e.Request.Target = target
		return e
	}
	table(t, 921, []row{
		{name: "there", e: html("/tags/a"), want: "w text/html"},
		{name: "astray", e: html("/tags/%2F")},
	})
}

func TestWhatBreaksOffBesideAnotherIsLikelyAndNoMore(t *testing.T) {
	beside := func(in *Input) { in.Beside = true }
	again := func(kind messages.Failure, code int) *messages.Exchange {
		e := ended(messages.NoReply, kind)
		e.Request.Recheck = &messages.Recheck{Finding: messages.FindingKey{Code: code}}
		return e
	}
	table(t, 922, []row{
		{name: "alone", e: ended(messages.NoReply, messages.WasReset), want: "e no reply"},
		{name: "beside another", e: ended(messages.NoReply, messages.WasReset), in: beside, want: "e likely no reply"},
		{name: "in the body", e: ended(messages.BrokeOff, messages.ClosedEarly), in: beside, want: "e likely broke off"},
		{name: "too late beside another", e: ended(messages.BrokeOff, messages.TimedOut), in: beside, want: "e likely time"},
		{name: "while it idled", e: ended(messages.NoReply, messages.ClosedIdle)},
		{name: "while it idled, beside another", e: ended(messages.NoReply, messages.ClosedIdle), in: beside, want: "e likely no reply"},
		{name: "while it idled, sent again", e: again(messages.ClosedIdle, 922), want: "e no reply"},
		{name: "while it idled, sent again for another finding", e: again(messages.ClosedIdle, 100)},
	})
}
