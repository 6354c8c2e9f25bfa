package reporter

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
)

func reportSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(ReportSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:restest:report:1", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("urn:restest:report:1")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestEveryReportKeepsToItsSchema(t *testing.T) {
	schema := reportSchema(t)
	valid := func(t *testing.T, report []byte) {
		t.Helper()
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(report))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Error(err)
		}
	}
	for _, situation := range situations {
		t.Run(situation.name, func(t *testing.T) {
			s := newScene(t, situation.config)
			situation.play(s)
			if report, ok := s.out.files[ReportName]; ok && report.Len() > 0 {
				valid(t, report.Bytes())
			}
		})
	}
	t.Run("nasty", func(t *testing.T) {
		s := newScene(t, func(c *Config) { c.Settings.Schedule.WaitWhenToldTo = false })
		s.judged(0, 200, nasty)
		s.judged(1, 999, nasty, finding(messages.Finding{Code: 101, Error: true, Title: "\xff\x00", Got: "\u2028"}))
		s.over(messages.DeadlineCame)
		report := s.out.files[ReportName].Bytes()
		valid(t, report)
		var told struct{ ToldToWait *struct{} }
		if err := json.Unmarshal(report, &told); err != nil || told.ToldToWait != nil {
			t.Errorf("with the switch off toldToWait is %v, %v", told.ToldToWait, err)
		}
	})
}

func TestTheSchemaIsNotSatisfiedByJustAnything(t *testing.T) {
	schema := reportSchema(t)
	s := newScene(t, nil)
	s.judged(1, 500, finding(serverError))
	s.over(messages.DeadlineCame)
	for _, row := range []struct{ from, to string }{
		{`"code": "F100"`, `"code": 100`},
		{`"budget": "PT10S"`, `"budget": "10s"`},
		{`"cutShort": false,`, ``},
		{`"level": "error"`, `"level": "grave"`},
		{`"format"`, `"formats"`},
	} {
		report := s.out.files[ReportName].String()
		changed := strings.Replace(report, row.from, row.to, 1)
		if changed == report {
			t.Fatalf("%s is not in the report", row.from)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(changed))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("with %s it is still valid", row.to)
		}
	}
}

// Whatever place a key comes in, and in whichever of its forms, it is in nothing that is shown or written.
func TestNoKeyIsShownAnywhere(t *testing.T) {
	const key, password = "s3cr3t/Key+42é", "hunter2-Hunter2"
	forms := []string{
		key, url.QueryEscape(key), url.PathEscape(key), base64.StdEncoding.EncodeToString([]byte(key)),
		base64.RawURLEncoding.EncodeToString([]byte(key)), password, base64.StdEncoding.EncodeToString([]byte("user:" + password)),
	}
	s := newScene(t, func(c *Config) {
		c.Mask = keys("header:X-Key="+key, "basic:user:"+password)
		c.Notes = []string{"the key is " + key}
		c.Source = "http://user:" + password + "@host/shop.yaml"
		c.Document.Issues = append(c.Document.Issues, c.Document.Issues...)
		c.Values[0].Value = key
		c.Unbuildable = []Unbuildable{{2, "no request with " + key}}
	})
	for i, form := range forms {
		s.at(time.Duration(i) * time.Second)
		told := func(j *messages.Judged) {
			nasty(j)
			ex := j.Exchange
			ex.Failure = "failed with " + form
			ex.Request.Target = "/v1/pets?key=" + form
			ex.Request.Header = append(ex.Request.Header, messages.Field{Name: "X-" + fmt.Sprint(i), Value: "a " + form})
			ex.Request.Body = []byte(`{"key":"` + form + `"}`)
			ex.Request.Origins = []messages.Origin{{Place: form, Source: form}}
			ex.Reply.Header = append(ex.Reply.Header, messages.Field{Name: "Echo", Value: form})
			ex.Reply.Trailer = ex.Reply.Header
			ex.Reply.Body = []byte("\xff " + form)
			ex.Hops = []messages.Hop{{Method: "GET", Target: "/" + form, Location: "/" + form}}
			j.Unjudged = "unjudged " + form
			j.Broken = []string{"a check failed over " + form}
			j.Findings = []messages.Finding{{Code: 200, Error: true, Title: form, Expected: form, Got: form, Place: form, Cause: form}}
		}
		s.judged(i%2, 200, told)
		s.judged(i%2, 201, told, func(j *messages.Judged) { j.Exchange.Request.Body = append([]byte{0}, j.Exchange.Request.Body...) })
	}
	fmt.Fprintln(s.r.Log(), "a line")
	result := s.over(messages.Unconnected, func(p *messages.Paced) { p.Reason = "proxy " + key + " refused" })

	var recorded strings.Builder
	for _, l := range read(t, s.out.files[RecordingName].Bytes()) {
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		recorded.Write(b)
		if l.Exchange != nil {
			for _, c := range []*Content{l.Exchange.Request.Body, l.Exchange.Reply.Body} {
				b, err := c.Bytes()
				if err != nil {
					t.Fatal(err)
				}
				recorded.Write(b)
			}
			if !slices.Contains(l.Exchange.Masked, "target") || !slices.Contains(l.Exchange.Masked, "reply.body") {
				t.Errorf("the line lists as masked only %v", l.Exchange.Masked)
			}
		}
	}
	for what, text := range map[string]string{
		"the standard error": s.live.String(), "the summary": result.Summary, "the sentence": result.Sentence,
		"the report": s.out.files[ReportName].String(), "the recording": recorded.String(),
	} {
		for _, form := range forms {
			escaped, _ := json.Marshal(form)
			if strings.Contains(text, form) || strings.Contains(text, strings.Trim(string(escaped), `"`)) {
				t.Errorf("%s shows %q", what, form)
			}
		}
	}
	if !strings.Contains(result.Summary, "$RESTEST_KEY_1") || !strings.Contains(result.Summary, "export RESTEST_KEY_1=") {
		t.Error("the curl lines do not take the key from a variable that is named")
	}
}

func TestSecretsThatAreNoKeysAreHiddenToo(t *testing.T) {
	for _, row := range [][3]string{
		{"Authorization", "Bearer abc.DEF-123", "Bearer xxx.XXX-000"},
		{"authorization", "tokenonly9", "xxxxxxxxx0"},
		{"Proxy-Authorization", "Basic dXNlcg==", "Basic xXXxxx=="},
		{"Cookie", "sid=a1; theme=Dark", "sid=x0; theme=Xxxx"},
		{"Set-Cookie", "sid=a1B; Path=/; HttpOnly", "sid=x0X; Path=/; HttpOnly"},
		{"Set-Cookie", "broken9", "xxxxxx0"},
		{"X-Other", "abc123", "abc123"},
	} {
		if got := hideField(row[0], row[1]); got != row[2] {
			t.Errorf("%s: %s becomes %q, not %q", row[0], row[1], got, row[2])
		}
	}
}

func TestAKeyIsNotShownByHalfWhereABodyIsShortened(t *testing.T) {
	teller := teller{mask: keys("header:X-Key=sesame4711"), longest: 10}
	for before := range 14 {
		body := []byte(strings.Repeat("-", before) + "sesame4711")
		told := teller.content("body", body, int64(len(body)))
		if strings.ContainsAny(*told.Text, "esam4") {
			t.Errorf("%d bytes before it, %q is left", before, *told.Text)
		}
	}
}

func TestThePartsOfTheIdleTimeNeverExceedTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.Int64Range(-1e9, 1e12)
		p := &messages.Paced{
			StoppedAt: messages.Instant(length.Draw(t, "stopped")),
			Idle:      time.Duration(length.Draw(t, "idle")),
			IdleAsked: time.Duration(length.Draw(t, "asked")),
			IdleRate:  time.Duration(length.Draw(t, "rate")),
		}
		idle, asked, rate := idleShares(p)
		if idle < 0 || idle > 100 || asked < 0 || rate < 0 || asked+rate > idle {
			t.Fatalf("%d%% of it idle, %d%% as asked, %d%% for the rate", idle, asked, rate)
		}
	})
}

func TestEveryRequestIsCountedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tally := newTally(3)
		n := rapid.IntRange(0, 50).Draw(t, "requests")
		for range n {
			j := &messages.Judged{Exchange: &messages.Exchange{
				Request: &messages.Request{Operation: rapid.IntRange(0, 2).Draw(t, "operation")},
				Outcome: messages.Outcome(rapid.IntRange(0, 3).Draw(t, "outcome")),
				SentAt:  messages.Instant(rapid.Int64().Draw(t, "sent")),
			}}
			if j.Exchange.Outcome >= messages.BrokeOff {
				j.Exchange.Reply = &messages.Reply{Status: rapid.IntRange(0, 999).Draw(t, "status")}
			}
			tally.add(j)
		}
		var all, inTime counts
		for i := range tally.operations {
			all.plus(&tally.operations[i].counts)
		}
		for i := range tally.time.buckets {
			inTime.plus(&tally.time.buckets[i].counts)
		}
		if all != tally.all {
			t.Fatalf("by operation %+v, in all %+v", all, tally.all)
		}
		if inTime.neverSent = all.neverSent; inTime != all {
			t.Fatalf("over time %+v, in all %+v", inTime, all)
		}
		if all.sent+all.neverSent != int64(n) || all.answered()+all.noReply != all.sent {
			t.Fatalf("of %d requests there are %+v", n, all)
		}
		if len(tally.time.buckets) > mostBuckets {
			t.Fatalf("%d buckets", len(tally.time.buckets))
		}
	})
}

func TestFindingsOfOneCauseAreOneGroup(t *testing.T) {
	s := newScene(t, nil)
	of := func(code int, cause string) change {
		return finding(messages.Finding{Code: code, Error: true, Title: "title", Cause: cause})
	}
	s.judged(0, 500, of(100, "a"))
	s.at(time.Second)
	s.judged(0, 500, of(100, "a"))
	s.judged(0, 500, of(100, "b"))
	s.judged(0, 502, of(100, "a"))
	s.judged(1, 500, of(100, "a"))
	s.judged(0, 500, of(200, "a"))
	s.at(2 * time.Second)
	s.judged(0, 500, of(100, "a"))
	if n := len(s.r.gathered.groups); n != 5 {
		t.Errorf("%d groups instead of 5", n)
	}
	g := s.r.gathered.groups[0]
	if g.count != 3 || g.first != 0 || g.last != 2e9 || g.exchange.Seq != 1 || g.lastSeq != 7 {
		t.Errorf("the first group is %+v", g)
	}
}

func TestMillionsOfCausesFillNoMemory(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	s := newScene(t, func(c *Config) {
		c.Out, c.Live = nil, nil
		c.Settings.Report.MostFindings = 20
	})
	s.r.to.Pacer = func(messages.ToPacer) {}
	long := strings.Repeat("x", 100_000)
	j := &messages.Judged{Exchange: &messages.Exchange{
		Outcome: messages.Answered, Request: &messages.Request{Method: "GET", Target: "/"},
		Reply: &messages.Reply{Status: 500, Body: []byte(long)},
	}}
	for i := range n {
		j.Exchange.Reply.Status = 500 + i%400
		j.Exchange.SentAt = messages.Instant(i) * 1e9
		f := messages.Finding{Code: 200, Cause: fmt.Sprint(i), Title: long[:3000]}
		f.Error = i >= n/2 // the warnings come first, and give way
		j.Findings = []messages.Finding{f}
		j.Unjudged = f.Cause
		j.Broken = []string{f.Cause}
		s.r.Handle(j)
	}
	g := &s.r.gathered
	if len(g.groups) != 20 || len(g.byKey) != 20 {
		t.Errorf("%d groups are kept, %d by their keys", len(g.groups), len(g.byKey))
	}
	for _, group := range g.groups {
		if !group.error || len(group.title) > 2*longestWords || len(*group.exchange.Reply.Body.Text) > 24<<10 {
			t.Errorf("a group is kept that is a warning or too long: %d bytes of title", len(group.title))
		}
	}
	if g.total.errors+g.total.warnings != int64(n) || g.left.errors+g.left.warnings != int64(n)-20 {
		t.Errorf("of %d there are %+v in all, and %+v left out", n, g.total, g.left)
	}
	if len(s.r.tally.unjudged) > mostReasons+1 || len(s.r.failures.lines) > mostFailures || len(s.r.tally.time.buckets) > mostBuckets {
		t.Errorf("%d reasons, %d failures, %d buckets", len(s.r.tally.unjudged), len(s.r.failures.lines), len(s.r.tally.time.buckets))
	}
}

func TestAFindingHasTheSameNameInAnotherRun(t *testing.T) {
	a := &group{key: key{operation: 1, code: 100, status: 500, cause: "x"}}
	b := &group{key: key{operation: 7, code: 100, status: 500, cause: "x"}, count: 3}
	other := &group{key: key{operation: 1, code: 100, status: 500, cause: "y"}}
	if a.id("getPet") != b.id("getPet") || a.id("getPet") == a.id("getPets") || a.id("getPet") == other.id("getPet") {
		t.Errorf("%s %s %s %s", a.id("getPet"), b.id("getPet"), a.id("getPets"), other.id("getPet"))
	}
}

func TestTheReportIsTheSameEachTime(t *testing.T) {
	var first string
	for range 5 {
		s := newScene(t, situations[1].config)
		situations[1].play(s)
		report := s.out.files[ReportName].String()
		if first == "" {
			first = report
		}
		if report != first {
			t.Fatal("the same run gives another report")
		}
	}
}

func TestATickAsksOnceUntilItIsAnswered(t *testing.T) {
	s := newScene(t, nil)
	for range 3 {
		s.r.Handle(messages.Tick{})
	}
	if len(s.pacer) != 1 {
		t.Fatalf("it asked %d times", len(s.pacer))
	}
	s.tell()
	s.r.Handle(messages.Tick{})
	if len(s.pacer) != 2 {
		t.Errorf("answered, it asked %d times", len(s.pacer))
	}
}

func TestNothingIsShownOrTickedAfterTheEnd(t *testing.T) {
	s := newScene(t, nil)
	s.judged(0, 200)
	s.over(messages.DeadlineCame)
	shown := s.live.Len()
	s.r.Handle(messages.Tick{})
	if s.clock.Next() {
		t.Error("a timer is left")
	}
	if s.live.Len() != shown || s.done != 1 {
		t.Errorf("something was shown after the end, or it ended %d times", s.done)
	}
}

func TestAReportThatCannotBeMadeIsAnOwnFailure(t *testing.T) {
	s := newScene(t, nil)
	s.judged(0, 200)
	s.r.cfg.Document.Operations[2] = nil // what the report is made of breaks
	result := s.over(messages.DeadlineCame)
	if result.Exit != 4 || s.done != 1 || !strings.HasSuffix(result.Summary, "\n") {
		t.Errorf("it ends with %+v, %d times", result, s.done)
	}
}

func BenchmarkJudged(b *testing.B) {
	run := func(b *testing.B, change func(*Config), changes ...func(*messages.Judged)) {
		cfg := defaults()
		cfg.Settings.Report.Recording = false
		if change != nil {
			change(&cfg)
		}
		r := New(cfg, clock.NewFake(start), Neighbours{Pacer: func(messages.ToPacer) {}, Self: func(messages.ToReporter) {}})
		r.Begin()
		j := &messages.Judged{Exchange: &messages.Exchange{
			Outcome: messages.Answered, SentAt: 1e6, HeardAt: 2e6, EndedAt: 2e6, Open: true, Slot: 3,
			Request: &messages.Request{
				Method: "GET", Target: "/v1/pets/17?limit=10&status=available", Header: []messages.Field{
					{Name: "User-Agent", Value: "RESTest/3.0"}, {Name: "Accept", Value: "application/json"},
				}, Origins: []messages.Origin{{Place: "path.petId", Source: "observed"}, {Place: "query.limit", Source: "random"}},
			},
			Reply: &messages.Reply{Proto: "HTTP/1.1", Status: 200, Header: []messages.Field{
				{Name: "Content-Type", Value: "application/json"}, {Name: "Date", Value: "Sat, 02 Jan 2027 03:04:05 GMT"},
			}},
		}}
		for _, change := range changes {
			change(j)
		}
		b.ReportAllocs()
		for b.Loop() {
			r.Handle(j)
		}
	}
	body := func(j *messages.Judged) {
		j.Exchange.Reply.Body = []byte(strings.Repeat(`{"id":17,"name":"Rex","tags":["a","b"]},`, 25))
	}
	recorded := func(c *Config) {
		c.Settings.Report.Recording = true
		c.Out = discard{}
	}
	b.Run("plain", func(b *testing.B) { run(b, nil) })
	b.Run("finding", func(b *testing.B) {
		run(b, nil, func(j *messages.Judged) { j.Findings = []messages.Finding{serverError} })
	})
	b.Run("recorded", func(b *testing.B) { run(b, recorded, body) })
	b.Run("recorded with keys", func(b *testing.B) {
		run(b, func(c *Config) {
			recorded(c)
			c.Mask = keys("header:X-Key=sesame-4711", "basic:user:open-sesame")
		}, body)
	})
}

func TestARunThatDoesNotEndItselfIsMarkedAsCutShort(t *testing.T) {
	for _, row := range []struct {
		name     string
		last     *messages.Paced
		cause    error
		exit     int
		cutShort bool
		says     string
	}{
		{"nobody says why", nil, nil, 4, true, "before every request had been accounted for"},
		{"after the first signal", &messages.Paced{End: messages.Interrupted, StoppedAt: 5}, nil, 130, true, "Ctrl-C"},
		{"a second signal", &messages.Paced{End: messages.Interrupted, StoppedAt: 5}, Stopped{messages.Terminated}, 143, true, "a signal"},
		{"a second signal, wrapped", nil, fmt.Errorf("the run ended: %w", Stopped{messages.Interrupted}), 130, true, "Ctrl-C"},
		{"a crash after a signal", &messages.Paced{End: messages.Interrupted}, errors.New("boom"), 4, true, "boom"},
		{"the pacer failed", &messages.Paced{Over: true, End: messages.Failed, Reason: "no slot left"}, nil, 4, true, "no slot left"},
		{"the pacer failed without a word", &messages.Paced{Over: true, End: messages.Failed}, nil, 4, true, "a part of the tool failed"},
		{"its own end", &messages.Paced{Over: true, End: messages.DeadlineCame}, nil, 0, false, "no faults found"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScene(t, nil)
			for op := range 3 {
				s.judged(op, 200)
			}
			if row.last != nil {
				s.r.Handle(row.last)
			}
			result := s.r.Finish(row.cause)
			if result.Exit != row.exit || !strings.Contains(result.Summary, row.says) {
				t.Errorf("it ends with %d and says\n%s", result.Exit, result.Summary)
			}
			if mark := fmt.Sprintf(`"cutShort": %t`, row.cutShort); !strings.Contains(s.out.files[ReportName].String(), mark) {
				t.Errorf("the report does not hold %s", mark)
			}
			end := read(t, s.out.files[RecordingName].Bytes())[4].End
			if end == nil || end.CutShort != row.cutShort {
				t.Errorf("the recording ends with %+v", end)
			}
		})
	}
}

func TestAPromiseThatWasNotKeptIsToldAsSuch(t *testing.T) {
	for _, row := range []struct {
		gap  time.Duration
		says string
	}{
		{99 * time.Millisecond, "rate: 600 a minute NOT kept to: the shortest gap was 99ms, 100ms is the least; 5 of 6 turns used"},
		{100 * time.Millisecond, "rate: 600 a minute kept to: the shortest gap was 100ms, 100ms is the least; 5 of 6 turns used"},
		{-1, "rate: at most 600 a minute; with fewer than two requests there was no gap to keep"},
	} {
		s := newScene(t, nil)
		result := s.over(messages.DeadlineCame, func(p *messages.Paced) {
			p.Interval, p.ShortestGap, p.TurnsDue, p.TurnsUsed = 100*time.Millisecond, row.gap, 6, 5
		})
		if !strings.Contains(result.Summary, row.says) {
			t.Errorf("it does not say %q, but\n%s", row.says, result.Summary)
		}
	}
}
