package checks

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// operation declares what the tables below speak of.
var operation = &document.Operation{Responses: []*document.Response{
	{Code: "200", Media: []*document.Media{
		{Type: "application/json", Schema: &document.Schema{}},
		{Type: "application/vnd.x+json", Schema: &document.Schema{}},
		{Type: "text/*", Schema: &document.Schema{}},
	}},
	{Code: "201", Media: []*document.Media{{Type: "application/json"}}},
	{Code: "204"},
	{Code: "206", Unusable: "the reference leads nowhere"},
	{Code: "4XX", Media: []*document.Media{{Type: "application/json", Schema: &document.Schema{}}}},
}}

const most = 1 << 20

// input makes an Input of an exchange as the stage does, with a judge that has that to say.
func input(e *messages.Exchange, faults []document.Fault, unusable error) *Input {
	in := &Input{
		Exchange: e, Operation: operation, MostKept: most,
		Judge: func(*document.Schema, document.Direction, any) ([]document.Fault, error) { return faults, unusable },
	}
	if e.Reply != nil {
		in.Declared = Declare(operation, e.Reply.Status, messages.Get(e.Reply.Header, "Content-Type"))
		if in.Declared.JSON && e.Outcome == messages.Answered && len(e.Reply.Body) > 0 && !e.Reply.Cut && e.Reply.Undecodable == "" {
			in.Content = Read(e.Reply.Body)
		}
		in.Refused = e.Reply.Status == 429 || e.Reply.Status == 503 && messages.Get(e.Reply.Header, "Retry-After") != ""
	}
	return in
}

// find asks all checks about an input.
func find(in *Input) []messages.Finding {
	var findings []messages.Finding
	for _, check := range All() {
		findings = append(findings, check.Check(in)...)
	}
	return findings
}

// codes are the findings' codes with their level and cause, such as "F921w text/html".
func codes(findings []messages.Finding) string {
	var list []string
	for _, f := range findings {
		level := "w"
		if f.Error {
			level = "e"
		}
		list = append(list, strings.TrimSpace(fmt.Sprintf("F%d%s %s", f.Code, level, f.Cause)))
	}
	return strings.Join(list, "; ")
}

// answered is a whole reply; the header is name, value, name, value.
func answered(status int, body string, header ...string) *messages.Exchange {
	reply := &messages.Reply{Status: status, Body: []byte(body), Length: int64(len(body))}
	for i := 0; i < len(header); i += 2 {
		reply.Header = append(reply.Header, messages.Field{Name: header[i], Value: header[i+1]})
	}
	return &messages.Exchange{Request: &messages.Request{}, Outcome: messages.Answered, Reply: reply}
}

func jsonReply(status int, body string) *messages.Exchange {
	return answered(status, body, "Content-Type", "application/json")
}

func with(e *messages.Exchange, change func(*messages.Exchange)) *messages.Exchange {
	change(e)
	return e
}

func ended(outcome messages.Outcome, kind messages.Failure) *messages.Exchange {
	e := &messages.Exchange{Request: &messages.Request{}, Outcome: outcome, Kind: kind, Failure: "as the sender says"}
	if outcome == messages.BrokeOff {
		e.Reply = answered(200, `{"ok":`, "Content-Type", "application/json").Reply
	}
	return e
}

func TestEachExchangeDrawsTheFindingsItDeserves(t *testing.T) {
	hello := fingerprint(nil, answered(500, "hello").Reply, Content{})
	for _, c := range []struct {
		name string
		e    *messages.Exchange
		want string
	}{
		{"fine", jsonReply(200, `{}`), ""},
		{"nothing to say", answered(204, ""), ""},
		{"a body where none is declared", answered(204, "x", "Content-Type", "text/html"), ""},
		{"in the range", jsonReply(418, `{}`), ""},

		{"500", answered(500, "hello"), "F100e " + hello + ""},
		{"500 that broke off", with(answered(500, "hello"), func(e *messages.Exchange) { e.Outcome = messages.BrokeOff }), "F100e " + hello + "; F922e broke off"},
		{"501", answered(501, "no"), "F205e"},
		{"502", answered(502, "no"), "F121e"},
		{"599", answered(599, "no"), "F121e"},
		{"503", answered(503, "no"), "F121e"},
		{"503 with Retry-After", answered(503, "no", "Retry-After", "5"), "F121e"},
		{"429", answered(429, "no"), ""},
		{"429 of another type", answered(429, "<p>no", "Content-Type", "text/html"), ""},
		{"429 cut", with(jsonReply(429, "no"), func(e *messages.Exchange) { e.Reply.Cut = true }), ""},
		{"600", answered(600, ""), "F101e"},
		{"99", answered(99, ""), "F101e"},
		{"1000", answered(1000, ""), "F101e"},
		{"0", answered(0, ""), "F101e"},

		{"undeclared", answered(302, ""), "F920w"},
		{"undeclared success", jsonReply(203, `{}`), "F920w"},

		{"undeclared type", answered(200, "<p>", "Content-Type", "image/svg+xml"), "F921w image/svg+xml"},
		{"another JSON", answered(200, "{}", "Content-Type", "application/problem+json"), "F921w application/problem+json"},
		{"undeclared type, no body", answered(200, "", "Content-Type", "image/png"), ""},
		{"no type", answered(200, "{}"), "F921w"},
		{"no media type", answered(200, "{}", "Content-Type", "walnut"), "F921w no media type"},
		{"no type, no body", answered(200, ""), ""},
		{"capitals", answered(200, "{}", "content-TYPE", "Application/JSON; Charset=UTF-8"), ""},
		{"unknown charset", answered(200, "{}", "Content-Type", "application/json; charset=klingon"), ""},
		{"parameters that are none", answered(200, "{}", "Content-Type", "application/json; charset"), ""},
		{"in the range of types", answered(200, "a,b", "Content-Type", "text/csv"), ""},
		{"nothing known of the response", answered(206, "x", "Content-Type", "a/b"), ""},

		{"not JSON though it says so", jsonReply(200, `{"ok":`), "F200e JSON"},
		{"two values", jsonReply(200, `{} {}`), "F200e JSON"},
		{"not a number", jsonReply(404, `{"a":NaN}`), "F200e JSON"},
		{"not JSON, no schema", jsonReply(201, `{"ok":`), ""},
		{"cut", with(jsonReply(200, `{"ok":`), func(e *messages.Exchange) { e.Reply.Cut = true }), "F922w size"},
		{"not unpacked", with(jsonReply(200, "\x1f\x8b"), func(e *messages.Exchange) { e.Reply.Undecodable = "gzip: invalid header" }), "F922e coding"},

		{"part of packed content", with(answered(206, "\x8b", "Content-Type", "text/csv", "Content-Range", "bytes 1-1/9"), func(e *messages.Exchange) { e.Reply.Undecodable = "gzip: invalid header" }), ""},
		{"a coding that nobody asked for", with(answered(200, "x", "Content-Type", "text/csv", "Content-Encoding", "zstd"), func(e *messages.Exchange) { e.Reply.Undecodable = "none of ours" }), "F922w unasked"},
		{"a coding that the request asked for", with(answered(200, "x", "Content-Type", "text/csv", "Content-Encoding", "zstd"), func(e *messages.Exchange) {
			e.Reply.Undecodable = "none of ours"
			sending(e, "", "Accept-Encoding", "zstd")
		}), ""},
		{"two bytes a character", jsonReply(200, "{\x00}\x00"), ""},
		{"a zero within", jsonReply(200, "{}\x00"), "F200e JSON"},
		{"events without an end", with(ended(messages.BrokeOff, messages.TimedOut), func(e *messages.Exchange) {
			e.Reply.Header = []messages.Field{{Name: "Content-Type", Value: "text/event-stream; charset=utf-8"}}
		}), ""},

		{"no reply in time", ended(messages.NoReply, messages.TimedOut), "F312e"},
		{"the rest not in time", ended(messages.BrokeOff, messages.TimedOut), "F922e time"},
		{"broke off", ended(messages.BrokeOff, messages.ClosedEarly), "F922e broke off"},
		{"reset in the body", ended(messages.BrokeOff, messages.WasReset), "F922e broke off"},
		{"reset", ended(messages.NoReply, messages.WasReset), "F922e no reply"},
		{"closed", ended(messages.NoReply, messages.ClosedEarly), "F922e no reply"},
		{"not HTTP", ended(messages.NoReply, messages.NotHTTP), "F922e HTTP"},
		{"not HTTP any more", ended(messages.BrokeOff, messages.NotHTTP), "F922e HTTP"},
		{"closed while idle", ended(messages.NoReply, messages.ClosedIdle), ""},
		{"given up", ended(messages.NoReply, messages.GivenUp), ""},
		{"given up in the body", ended(messages.BrokeOff, messages.GivenUp), ""},
		{"kept", ended(messages.NeverSent, messages.Kept), ""},
		{"not written", ended(messages.NeverSent, messages.NotWritten), ""},
		{"not written in time", ended(messages.NeverSent, messages.TimedOut), ""},
	} {
		if got := codes(find(input(c.e, nil, nil))); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAFormatIsAsSureAsClientsReadTextsByIt(t *testing.T) {
	for format, want := range map[string]string{"date-time": "F200e", "uuid": "F200e", "byte": "F200e", "email": "F200w", "uri": "F200w"} {
		schema := &document.Schema{Types: []string{"string"}, Format: format}
		doc := &document.Document{Operations: []*document.Operation{{Responses: []*document.Response{{Code: "200", Media: []*document.Media{{Type: "application/json", Schema: schema}}}}}}}
		in := input(jsonReply(200, `"#%"`), nil, nil)
		in.Operation, in.Judge = doc.Operations[0], document.NewJudge(doc).Judge
		in.Declared = Declare(in.Operation, 200, "application/json")
		if got := codes(find(in)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %s", format, got, want)
		}
	}
}

func TestWhatTheRequestMayHaveLeftOutIsNotSurelyMissing(t *testing.T) {
	for query, want := range map[string]string{
		"": "F200e", "?page=1": "F200e", "?fields=id": "F200w", "?$select=id": "F200w", "?filter=%7B%22fields%22%3A%5B%22id%22%5D%7D": "F200w",
	} {
		e := jsonReply(200, `{"id":1}`)
		e.Request.Target = "/things" + query
		if got := codes(find(input(e, []document.Fault{{Keyword: "required", Message: "name is missing"}}, nil))); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %s", query, got, want)
		}
	}
}

func TestAPartOfTheContentIsNotHeldToBeAllOfIt(t *testing.T) {
	declared := &document.Operation{Responses: []*document.Response{{Code: "206", Media: []*document.Media{{Type: "application/json", Schema: &document.Schema{}}}}}}
	for header, want := range map[string]string{"bytes 0-3/9": "it is a part of the content", "": ""} {
		e := jsonReply(206, `{"a"`)
		if header != "" {
			e.Reply.Header = append(e.Reply.Header, messages.Field{Name: "Content-Range", Value: header})
		}
		in := input(e, nil, nil)
		in.Operation, in.Declared = declared, Declare(declared, 206, "application/json")
		if got := codes(find(in)); (got == "") != (want != "") || in.Unjudged != want {
			t.Errorf("%q: %q, unjudged %q", header, got, in.Unjudged)
		}
	}
}

func TestWhatTheDocumentSaysMayNotBeImplementedNeedNotBe(t *testing.T) {
	for code, want := range map[string]string{"501": "", "5XX": "F205e", "default": "F205e"} {
		in := input(answered(501, "no"), nil, nil)
		in.Operation = &document.Operation{Responses: []*document.Response{{Code: code}}}
		in.Declared = Declare(in.Operation, 501, "")
		if got := codes(find(in)); got != want {
			t.Errorf("declared as %s: %q", code, got)
		}
	}
}

func TestAnUndeclared429IsOneWarning(t *testing.T) {
	in := input(answered(429, "slow down", "Content-Type", "text/html"), nil, nil)
	in.Operation = &document.Operation{Responses: []*document.Response{{Code: "200"}}}
	in.Declared = Declare(in.Operation, 429, "text/html")
	if got := codes(find(in)); got != "F920w" {
		t.Errorf("got %q", got)
	}
}

func TestAnOperationWithoutResponsesDeclaresNothing(t *testing.T) {
	in := input(jsonReply(200, "{}"), nil, nil)
	in.Operation = &document.Operation{}
	in.Declared = Declare(in.Operation, 200, "application/json")
	if got := codes(find(in)); got != "" || in.Unjudged != "its status is not declared" {
		t.Errorf("got %q, unjudged %q", got, in.Unjudged)
	}
}

func TestFindingsSpeakInOneLine(t *testing.T) {
	for _, c := range []struct {
		e    *messages.Exchange
		want messages.Finding
	}{
		{jsonReply(500, "{\"message\":\"no\x00pe\",\n\"id\":7}"), messages.Finding{
			Code: 100, Error: true, Title: "The server failed: 500 Internal Server Error",
			Expected: "an answer that is not a server error", Got: `500 Internal Server Error: {"message":"no pe", "id":7}`,
		}},
		{answered(503, "", "Retry-After", "5"), messages.Finding{
			Code: 121, Error: true, Title: "The server asks to come back later: 503 Service Unavailable",
			Expected: "an answer that is not a server error", Got: "503 Service Unavailable",
		}},
		{answered(302, ""), messages.Finding{
			Code: 920, Title: "The status code is not declared: 302 Found",
			Expected: "one of 200, 201, 204, 206, 4XX", Got: "302 Found",
		}},
		{answered(200, "x", "Content-Type", "image/png; q=1"), messages.Finding{
			Code: 921, Title: "The content type is not declared: image/png",
			Expected: "one of application/json, application/vnd.x+json, text/*", Got: "image/png; q=1", Place: "Content-Type",
		}},
		{answered(200, "x"), messages.Finding{
			Code: 921, Title: "The reply has content and no Content-Type",
			Expected: "one of application/json, application/vnd.x+json, text/*", Got: "no Content-Type", Place: "Content-Type",
		}},
		{jsonReply(200, "[1,]"), messages.Finding{
			Code: 200, Error: true, Title: "The body is not JSON", Expected: "JSON, as its Content-Type says",
			Got: "invalid character ']' looking for beginning of value: [1,]",
		}},
		{ended(messages.NoReply, messages.TimedOut), messages.Finding{
			Code: 312, Error: true, Certainty: messages.Likely, Title: "No reply came in time", Expected: "a reply within the time-outs", Got: "as the sender says",
		}},
		{ended(messages.BrokeOff, messages.ClosedEarly), messages.Finding{
			Code: 922, Error: true, Title: "The reply broke off", Expected: "a whole reply",
			Got: "200 OK, 6 bytes, then: as the sender says",
		}},
		{with(jsonReply(201, "[1,"), func(e *messages.Exchange) { e.Reply.Cut, e.Reply.Length = true, most+1 }), messages.Finding{
			Code: 922, Title: "The reply is larger than the run keeps", Expected: "at most 1048576 bytes", Got: "1048577 bytes and more",
		}},
	} {
		findings := find(input(c.e, nil, nil))
		if len(findings) == 0 {
			t.Errorf("%q: no finding", c.want.Title)
			continue
		}
		got := findings[0]
		if got.Cause = ""; got != c.want {
			t.Errorf("got  %+v\nwant %+v", got, c.want)
		}
	}
}

func TestATextOfAnyTypeIsNotHeldToBeJSON(t *testing.T) {
	files := func(schema *document.Schema, types ...string) *document.Operation {
		r := &document.Response{Code: "200"}
		for _, name := range types {
			r.Media = append(r.Media, &document.Media{Type: name, Schema: schema})
		}
		return &document.Operation{Responses: []*document.Response{r}}
	}
	for _, c := range []struct {
		name string
		op   *document.Operation
		want string
	}{
		{"a text of any application type", files(&document.Schema{Types: []string{"string"}}, "application/*", "image/*"), ""},
		{"a text of any type", files(&document.Schema{Types: []string{"string"}}, "*/*"), ""},
		{"an object of any type", files(&document.Schema{Types: []string{"object"}}, "*/*"), "F200e JSON"},
		{"a text of type JSON", files(&document.Schema{Types: []string{"string"}}, "application/json"), "F200e JSON"},
	} {
		in := input(jsonReply(200, "a file"), nil, nil)
		in.Operation, in.Declared = c.op, Declare(c.op, 200, "application/json")
		if got := codes(find(in)); got != c.want || (c.want == "") != (in.Unjudged != "") {
			t.Errorf("%s: %q, unjudged %q", c.name, got, in.Unjudged)
		}
	}
}

func TestFaultsOfOneKindAreOneFinding(t *testing.T) {
	faults := []document.Fault{
		{Pointer: "/0/id", Keyword: "type", Schema: "#/Pet/id", Message: "not an integer"},
		{Pointer: "/1/id", Keyword: "type", Schema: "#/Pet/id", Message: "not an integer"},
		{Pointer: "/1/id", Keyword: "minimum", Schema: "#/Pet/id", Message: "less than 1"},
		{Pointer: "/1", Keyword: "required", Schema: "#/Pet", Message: "name is missing"},
		{Pointer: "/1/friends/12/id", Keyword: "type", Schema: "#/Pet/id", Message: "not an integer"},
		{Pointer: "/2", Schema: "#/Pet", Message: "does not fit"},
		{Pointer: "/3", Keyword: "type", Schema: "#/Pet", Message: "must be object, is null"},
	}
	got := find(input(jsonReply(200, "[]"), faults, nil))
	want := []messages.Finding{
		{Place: "/0/id", Cause: "#/Pet/id type", Expected: `"type" as #/Pet/id has it`, Got: "not an integer"},
		{Place: "/1/id", Cause: "#/Pet/id minimum", Expected: `"minimum" as #/Pet/id has it`, Got: "less than 1"},
		{Place: "/1", Cause: "#/Pet required", Expected: `"required" as #/Pet has it`, Got: "name is missing"},
		{Place: "/2", Cause: "#/Pet ", Expected: "#/Pet", Got: "does not fit"},
		{Place: "/3", Cause: "#/Pet type", Expected: `must be object ("type" as #/Pet has it)`, Got: "null"},
	}
	if len(got) != len(want) {
		t.Fatalf("got %d findings, want %d: %+v", len(got), len(want), got)
	}
	for i, w := range want {
		w.Code, w.Error, w.Title = 200, true, "The body does not fit its schema at "+w.Place
		if got[i] != w {
			t.Errorf("got  %+v\nwant %+v", got[i], w)
		}
	}
}

func TestOneReplyCanNotFillTheReport(t *testing.T) {
	var faults []document.Fault
	for i := range 1000 {
		key := strings.Repeat("k", 1000) + fmt.Sprint(i)
		faults = append(faults, document.Fault{Pointer: "/" + key, Keyword: "type", Schema: fmt.Sprint(i), Message: key})
	}
	got := find(input(jsonReply(200, "{}"), faults, nil))
	if len(got) != mostFaults {
		t.Errorf("got %d findings, want %d", len(got), mostFaults)
	}
	for _, f := range got {
		if len(f.Cause) > 300 || len(f.Got) > 300 || len(f.Place) > longestPlace {
			t.Fatalf("too long: %+v", f)
		}
	}
}

func TestWhatCanNotBeJudgedIsSaid(t *testing.T) {
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for _, c := range []struct {
		name string
		e    *messages.Exchange
		want string
	}{
		{"judged", jsonReply(200, "{}"), ""},
		{"no body", answered(200, "", "Content-Type", "application/json"), ""},
		{"an undeclared failure", jsonReply(302, "{}"), ""},
		{"an undeclared success", jsonReply(203, "{}"), "its status is not declared"},
		{"an unusable response", jsonReply(206, "{}"), "the reference leads nowhere"},
		{"a response without content", jsonReply(204, "{}"), "no schema is declared"},
		{"content without a schema", jsonReply(201, "{}"), "no schema is declared"},
		{"a declared failure, no type", answered(404, "{}"), "it has no Content-Type"},
		{"an undeclared type", answered(200, "{}", "Content-Type", "application/problem+json"), "its content type is not declared"},
		{"text", answered(200, "{}", "Content-Type", "text/plain"), "not JSON"},
		{"another encoding", jsonReply(200, "\"\xe9\""), "not UTF-8"},
		{"deep", jsonReply(200, deep), "nested deeper than 500"},
		{"cut", with(jsonReply(200, "["), func(e *messages.Exchange) { e.Reply.Cut = true }), "cut at 1 MiB"},
		{"not unpacked", with(jsonReply(200, "["), func(e *messages.Exchange) { e.Reply.Undecodable = "gzip" }), "it cannot be unpacked"},
		{"broke off", ended(messages.BrokeOff, messages.ClosedEarly), "it broke off"},
		{"429", jsonReply(429, "{}"), ""},
		{"503 with Retry-After", answered(503, "{}", "Retry-After", "1", "Content-Type", "application/json"), ""},
	} {
		in := input(c.e, nil, nil)
		if find(in); in.Unjudged != c.want {
			t.Errorf("%s: got %q, want %q", c.name, in.Unjudged, c.want)
		}
	}
	in := input(jsonReply(200, "{}"), nil, errors.New("the pattern ( cannot be read"))
	if got := codes(find(in)); got != "" || in.Unjudged != "the pattern ( cannot be read" {
		t.Errorf("an unusable schema: got %q, unjudged %q", got, in.Unjudged)
	}
}

func TestEachCheckCanBeSwitchedByItsOwnSettingAlone(t *testing.T) {
	all, none := settings.Default().Checks, settings.Checks{}
	all.SlowReply = time.Second // it is off by default
	codes, names := map[int]bool{}, map[string]bool{}
	for _, check := range All() {
		about := check.About()
		if codes[about.Code] || names[about.Name] {
			t.Errorf("F%d %s is there twice", about.Code, about.Name)
		}
		codes[about.Code], names[about.Name] = true, true
		if !about.On(all) || about.On(none) {
			t.Errorf("%s: its switch does not switch it", about.Name)
		}
		if Line(about.Title) != about.Title {
			t.Errorf("%s: the title %q is no line", about.Name, about.Title)
		}
	}
	if len(codes) != 51 {
		t.Errorf("%d checks", len(codes))
	}
}

func TestFindingsAreLinesWhateverTheAPISends(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "{}", "[1,2", "\x1b[2J", "\u202e", strings.Repeat("k", 9999)}))
	rapid.Check(t, func(t *rapid.T) {
		e := answered(rapid.IntRange(0, 700).Draw(t, "status"), text.Draw(t, "body"), "Content-Type",
			rapid.OneOf(text, rapid.Just("application/json")).Draw(t, "type"), "Retry-After", text.Draw(t, "wait"))
		e.Outcome = messages.Outcome(rapid.IntRange(0, 3).Draw(t, "outcome"))
		e.Kind = messages.Failure(rapid.IntRange(0, 8).Draw(t, "kind"))
		e.Reply.Reason, e.Failure = text.Draw(t, "reason"), text.Draw(t, "failure")
		e.Reply.Cut = rapid.Bool().Draw(t, "cut")
		faults := []document.Fault{{Pointer: "/" + text.Draw(t, "pointer"), Message: text.Draw(t, "message")}}
		for _, f := range find(input(e, faults, nil)) {
			for _, line := range []string{f.Title, f.Expected, f.Got} {
				if line != Line(line) || f.Title == "" {
					t.Fatalf("%q is no line of %+v", line, f)
				}
			}
			for _, text := range []string{f.Cause, f.Place} {
				if !utf8.ValidString(text) || len(text) > 4*longestLine || strings.ContainsFunc(text, unicode.IsControl) {
					t.Fatalf("%q of %+v", text, f)
				}
			}
		}
	})
}
