package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/restest/restest/stages/reporter"
)

// hostile is what an API may answer with in the hope that somebody looks at it.
const hostile = "</script></style><!--<script>pwned=1</script>\"'&`<img src=x onerror=pwned=1>]]>\u2028{{.}} \u202e\x00"

// fill gives each value of a report the text, and each list two elements.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint64:
		v.SetUint(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic("a kind of value that reports do not have: " + v.Kind().String())
	}
}

func filled(text string) *reporter.Report {
	var told reporter.Report
	fill(reflect.ValueOf(&told).Elem(), text)
	return &told
}

// listed gives a report the empty lists that every report has.
func listed(told *reporter.Report) *reporter.Report {
	var list func(v reflect.Value)
	list = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				list(v.Field(i))
			}
		case reflect.Slice:
			if v.IsNil() {
				v.Set(reflect.MakeSlice(v.Type(), 0, 0))
			}
			for i := range v.Len() {
				list(v.Index(i))
			}
		}
	}
	list(reflect.ValueOf(told).Elem())
	return told
}

// shop is the report of a run against a small shop.
func shop() *reporter.Report {
	text := func(s string) *string { return &s }
	header := [][2]reporter.Text{{"Content-Type", "application/json"}, {"X-Served-By", "shop-1"}}
	finding := func(id, code, level, title, place string, status int, body string) reporter.FindingInFull {
		f := reporter.FindingInFull{
			ID: id, Code: code, Title: title, Level: level, Certainty: "certain", Status: status, Count: 3,
			FirstSeen: "2027-01-02T03:04:05.000Z", LastSeen: "2027-01-02T03:04:06.000Z", Expected: "what the document says", Got: "what came", Place: place,
			Curl: "curl -X POST --data-raw '{\"pages\":1}' 'http://127.0.0.1:8080/v1/books?q=1'",
			Again: &reporter.Again{
				Method: "POST", URL: "http://127.0.0.1:8080/v1/books?q=1", Header: [][2]reporter.Text{{"Accept", "application/json"}},
				Body: &reporter.Content{Text: text(`{"pages":1}`), Length: 11},
			},
			ExchangeTold: &reporter.ExchangeTold{
				Seq: 7, Operation: "addBook", SentAt: 1000, HeardAt: 2001000, EndedAt: 2002000, Request: reporter.RequestTold{Purpose: "nominal", Valid: true},
				Reply: &reporter.ReplyTold{Proto: "HTTP/1.1", Status: status, Reason: "OK", Header: header, Body: &reporter.Content{Text: text(body), Length: int64(len(body))}},
			},
		}
		return f
	}
	told := &reporter.Report{
		Tool: reporter.Tool{Name: "restest", Version: "3.0.0"}, API: reporter.API{Title: "Bookshop", Version: "1.0.0", Address: "http://127.0.0.1:8080/v1", Source: "shop.yaml", Dialect: "3.1.0"},
		Verdict: reporter.VerdictTold{Word: "errorsFound", ExitCode: 1, Meaning: "errors were found", Sentence: "3 errors and 1 warning were found."},
		Run:     reporter.Run{Started: "2027-01-02T03:04:05.000Z", Budget: "PT10S", BucketWidth: "PT1S", Waits: []reporter.WaitTold{{Operation: "addBook", From: "PT1S", Until: "PT2S"}, {From: "PT1.5S", Until: "PT2S"}}},
		Operations: []reporter.OperationTold{
			{ID: "addBook", Method: "POST", Path: "/books", State: "tested", Requests: 20, ByClass: reporter.Classes{C2xx: 15, C5xx: 5}},
			{ID: "listBooks", Method: "GET", Path: "/books", State: "tested", Requests: 20, ByClass: reporter.Classes{C2xx: 20}},
			{ID: "burnBook", Method: "DELETE", Path: "/books/{id}", State: "notTestable", Why: "no value fits the pattern of id"},
		},
		Findings: []reporter.FindingInFull{
			finding("aaaaaaaaaaa1", "F100", "error", "The server failed", "", 500, `oops`),
			finding("aaaaaaaaaaa2", "F200", "error", "The body does not fit its schema", "/books/1/pa~1ges", 200, `{"books":[{"id":12345678901234567890},{"id":2,"pa/ges":null}]}`),
			finding("aaaaaaaaaaa3", "F921", "error", "The content type is not declared", "content-type", 200, `{}`),
			finding("aaaaaaaaaaa4", "F920", "warning", "The status code is not declared", "", 418, `{"teapot":true}`),
		},
		Engine: reporter.Engine{WallClock: "PT10S", Idle: "PT8S", IdleKeepingToTheRate: "PT7S", ConcurrencyLimit: 16, PeakConcurrency: 4},
	}
	told.Findings[3].Operation = "listBooks"
	for i, r := range []reporter.RecheckTold{
		{State: "confirmed", Shown: 2, Answers: 2, Smaller: true}, {State: "flaky", Shown: 1, Answers: 3}, {State: "notRechecked"}, {State: "gone", Answers: 2},
	} {
		told.Findings[i].Recheck = r
	}
	told.Findings[2].Known, told.Findings[2].SharedBy = &reporter.KnownTold{Reason: "the cover service", Until: "2027-06-01"}, 3
	told.Findings[3].Request.Breaks = "query.q: maxLength"
	interval, used := "PT0.2S", int64(40)
	told.Engine.PromisedInterval, told.Engine.ShortestGap, told.Engine.TurnsDue, told.Engine.TurnsUsed = &interval, &interval, &used, &used
	told.Engine.Gaps = []reporter.LengthCount{{From: "PT0S", Until: "PT0.2S"}, {From: "PT0.2S", Until: "PT0.21S", Count: 30}, {From: "PT0.21S", Count: 9}}
	told.Engine.ResponseTimes = &reporter.ResponseTimes{Count: 40, Least: "PT0.001S", P50: "PT0.002S", P90: "PT0.003S", P95: "PT0.004S", P99: "PT0.005S", Most: "PT0.006S"}
	told.Engine.ResponseTimesSpread = []reporter.LengthCount{{From: "PT0.001S", Until: "PT0.002S", Count: 20}, {From: "PT0.004S", Until: "PT0.008S", Count: 20}}
	for i := range 10 {
		told.Run.OverTime = append(told.Run.OverTime, reporter.Bucket{At: fmt.Sprintf("PT%dS", i), Requests: 4, ByClass: reporter.Classes{C2xx: 3, C5xx: 1}, InFlight: 0.5})
	}
	return listed(told)
}

// many is a report with so many findings, which all differ, with bodies of so many bytes.
func many(findings, body int) *reporter.Report {
	told := shop()
	model := told.Findings[1]
	told.Findings = nil
	for i := range findings {
		f, exchange, again, reply := model, *model.ExchangeTold, *model.Again, *model.Reply
		content := fmt.Sprintf(`{"books":[{"id":%d,"title":"%s"}],"total":%d}`, i, strings.Repeat(fmt.Sprint(i, " words "), body/8+1)[:body], i)
		request := fmt.Sprintf(`{"pages":%d,"title":"a book of %d pages","author":"cherry-%d","shelf":"elm-dvwj"}`, i, i, i)
		f.ID, f.Title, f.Got, f.Status = fmt.Sprintf("%012x", i), fmt.Sprintf("The body does not fit its schema at /books/%d", i%400), fmt.Sprintf("number %d", i), 200+i%5
		f.Curl = fmt.Sprintf("curl --path-as-is -g -sS -i -X POST -H 'User-Agent: RESTest/3.0' -H 'Accept: application/json, application/problem+json' --data-raw '%s' 'http://127.0.0.1:8080/v1/books/%d'", request, i)
		again.URL, again.Body = reporter.Text(fmt.Sprintf("http://127.0.0.1:8080/v1/books/%d", i)), &reporter.Content{Text: &request, Length: int64(len(request))}
		reply.Header = append([][2]reporter.Text{{"Content-Length", reporter.Text(fmt.Sprint(i))}, {"Date", "Sat, 02 Jan 2027 03:04:05 GMT"}}, reply.Header...)
		reply.Body = &reporter.Content{Text: &content, Length: int64(len(content))}
		exchange.Seq, exchange.Reply = int64(i), &reply
		f.ExchangeTold, f.Again = &exchange, &again
		if i%10 == 9 {
			f.Level = "warning"
		}
		told.Findings = append(told.Findings, f)
	}
	return told
}

func written(t testing.TB, told *reporter.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, told, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// dataIn is the JSON that a page holds.
func dataIn(t testing.TB, page string) string {
	t.Helper()
	_, after, _ := strings.Cut(page, `<script type="application/json" id="report">`)
	content, _, ok := strings.Cut(after, "</script>")
	if !ok {
		t.Fatal("the page holds no data")
	}
	return content
}

func TestNothingThatAnAPISendsEndsUpAsMarkup(t *testing.T) {
	page := written(t, filled(hostile))
	for part, n := range map[string]int{"<script": 2, "</script": 2, "<style": 1, "</style": 1, "<!--": 0, "<img": 0, "<title": 1} {
		if got := strings.Count(strings.ToLower(page), part); got != n {
			t.Errorf("%s stands in it %d times instead of %d", part, got, n)
		}
	}
	content := dataIn(t, page)
	if strings.ContainsAny(content, "<>&\u2028") {
		t.Error("the data holds what could end it")
	}
	var told struct {
		Findings []struct{ Got string }
		Words    []string
	}
	if err := json.Unmarshal([]byte(content), &told); err != nil {
		t.Fatal(err)
	}
	if len(told.Findings) != 2 || told.Findings[0].Got != hostile || told.Words[0] != hostile {
		t.Errorf("the values are not those of the report: %+v", told)
	}
}

func TestThePageNeedsNoNetwork(t *testing.T) {
	page := written(t, shop())
	for _, m := range regexp.MustCompile(`(?i)\s(src|href|action|data|poster|background|srcset)\s*=\s*["']?([^"'\s>]*)`).FindAllStringSubmatch(page[:strings.Index(page, "<style>")]+page[strings.Index(page, "</style>"):strings.Index(page, `<script type="application/json"`)], -1) {
		if !strings.HasPrefix(m[2], "#") {
			t.Errorf("%s leads elsewhere: %s", m[1], m[2])
		}
	}
	for _, banned := range []string{"url(", "@import", "@font-face"} {
		if strings.Contains(style, banned) {
			t.Errorf("the style holds %s", banned)
		}
	}
	for _, banned := range []string{"fetch(", "XMLHttpRequest", "import(", "WebSocket", "EventSource", "sendBeacon", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"} {
		if strings.Contains(script, banned) {
			t.Errorf("the script holds %s", banned)
		}
	}
}

func TestThePolicyAllowsTheOneScriptAndTheOneStyle(t *testing.T) {
	page := written(t, shop())
	part := func(open, end string) string {
		at := strings.LastIndex(page, open)
		content, _, _ := strings.Cut(page[at+len(open):], end)
		return content
	}
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(page)
	if policy == nil {
		t.Fatal("it has no policy")
	}
	// html/template writes a plus sign in an attribute as a character reference.
	got := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy[1])
	want := "default-src 'none'; style-src '" + hash(part("<style>", "</style>")) + "'; script-src '" + hash(part("<script>", "</script>")) + "'; base-uri 'none'; form-action 'none'"
	if got != want {
		t.Errorf("the policy is %s, and the page needs %s", got, want)
	}
	if strings.Index(page, "Content-Security-Policy") > strings.Index(page, "<style>") {
		t.Error("the policy stands after what it judges")
	}
}

// "The page stays under 5 MB (it … keeps every finding)."
func TestThePageStaysSmallAndKeepsEveryFinding(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	for _, row := range []struct {
		findings, body int
		shortened      bool
	}{
		{0, 100, false},
		{5000, 100, false},
		{5000, 3000, true},
		{1000, 24000, true},
		{1, 6_000_000, true},
	} {
		told := many(row.findings, row.body)
		page := written(t, told)
		if len(page) > mostBytes {
			t.Errorf("%d findings with bodies of %d bytes make a page of %d bytes", row.findings, row.body, len(page))
		}
		var d struct {
			Findings  []finding
			Words     []string
			Shortened *int
		}
		if err := json.Unmarshal([]byte(dataIn(t, page)), &d); err != nil {
			t.Fatal(err)
		}
		if len(d.Findings) != row.findings || (d.Shortened != nil) != row.shortened {
			t.Errorf("of %d findings with bodies of %d bytes there are %d, shortened: %t", row.findings, row.body, len(d.Findings), d.Shortened != nil)
		}
		for i, f := range d.Findings {
			want := told.Findings[i]
			if f.ID != want.ID || d.Words[f.Title] != want.Title {
				t.Fatalf("finding %d is %s: %s", i, f.ID, d.Words[f.Title])
			}
			curl := strings.NewReplacer("\x01", *want.Again.Body.Text, "\x02", string(want.Again.URL)).Replace(d.Words[f.Curl])
			if curl != want.Curl && (!row.shortened || curl != "" || f.CurlNote == "") {
				t.Fatalf("finding %d has the command %s", i, curl)
			}
		}
		t.Logf("%d findings with bodies of %d bytes: %d bytes", row.findings, row.body, len(page))
	}
}

// Whatever findings hold: 5,000 of them, of which nothing repeats and all has to be escaped, make no larger page.
func TestNoFindingsMakeALargePage(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	told := shop()
	told.Findings = nil
	for i := range 5000 {
		var f reporter.FindingInFull
		fill(reflect.ValueOf(&f).Elem(), fmt.Sprint(i, strings.Repeat("<", 100)))
		f.ID, f.Code, f.Level, f.Certainty, f.Operation, f.FirstSeen, f.LastSeen, f.Request.Purpose = fmt.Sprintf("%012x", i), "F200", "error", "certain", "addBook", "2027-01-02T03:04:05.000Z", "2027-01-02T03:04:05.000Z", "nominal"
		f.Recheck.State, f.Known.Until = "confirmed", "2027-06-01"
		f.Request.Probe = "anonymous"
		told.Findings = append(told.Findings, f)
	}
	page := written(t, told)
	if len(page) > mostBytes {
		t.Errorf("the page has %d bytes", len(page))
	}
	if n := strings.Count(page, `"code":"F200"`); n != 5000 {
		t.Errorf("%d findings are in it", n)
	}
}

func BenchmarkWrite(b *testing.B) {
	told := many(5000, 200)
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		if err := Write(&out, told, nil); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(out.Len()))
	}
}
