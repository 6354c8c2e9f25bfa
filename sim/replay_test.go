package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
	"github.com/restest/restest/stages/sender"
)

// record runs the stages against an API on paper, as the command would run them live, and returns what was written.
func record(t testing.TB, text string, api sim.API, budget time.Duration, set ...string) (reporter.Result, files) {
	t.Helper()
	given, err := settings.Resolve(settings.Input{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	var kept reporter.Files
	const url = "http://127.0.0.1:1"
	doc, err := document.Load(t.Context(), "openapi.json", document.Options{
		URL:  url,
		Read: kept.Keep(func(context.Context, string) ([]byte, error) { return []byte(text), nil }),
	})
	if err != nil {
		t.Fatal(err)
	}
	c := clock.NewFake(time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC))
	out := files{}
	run := stages.Run{
		Document: doc, Settings: given.Settings, Seed: 5, Deadline: clock.Instant(budget), LastWrite: -1,
		Report: reporter.Config{
			Values: given.All(), Tool: reporter.Tool{Name: "restest", Version: "paper"}, Source: "openapi.json", URL: url,
			Files: &kept, Budget: budget, Out: out, Quiet: true,
		},
		Transport: func(tell func(messages.ToSender), _ func(error)) sender.Transport {
			return sim.NewTransport(api, given.Engine, c, tell)
		},
	}
	return run.OnPaper(c, stages.Order{}), out
}

// recordDemo records the demo.
func recordDemo(t testing.TB, budget time.Duration, set ...string) (reporter.Result, files) {
	t.Helper()
	return record(t, string(demo.Document()), slow{demo.New(demo.Options{})}, budget, set...)
}

// replay replays a recording with changes of its settings.
func replay(t testing.TB, recording []byte, order stages.Order, set ...string) (reporter.Result, files) {
	t.Helper()
	rec, err := sim.ReadRecording(bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	return rerun(t, rec, order, set...)
}

func rerun(t testing.TB, rec *sim.Recording, order stages.Order, set ...string) (reporter.Result, files) {
	t.Helper()
	doc, err := rec.Document(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	given, err := settings.Resolve(settings.Input{Simulated: rec.Run.Given(), Set: set})
	if err != nil {
		t.Fatal(err)
	}
	out := files{}
	return sim.Simulation{
		Recording: rec, Document: doc, Settings: given.Settings, Seed: rec.Run.Seed, Budget: rec.Budget, From: "run.ndjson.zst",
		Report: reporter.Config{
			Values: given.All(), Tool: reporter.Tool{Name: "restest", Version: "paper"}, Out: out, Quiet: true,
		},
	}.Run(order), out
}

func reportOf(t testing.TB, out files) (report reporter.Report) {
	t.Helper()
	if err := json.Unmarshal(out[reporter.ReportName].Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	return report
}

func TestAReplayWithTheSettingsOfTheRunIsTheRun(t *testing.T) {
	for _, set := range [][]string{nil, {"engine.mostRequestsPerMinute=6000"}, {"engine.followRedirects=true"}} {
		_, recorded := recordDemo(t, 1500*time.Millisecond, set...)
		_, again := replay(t, recorded[reporter.RecordingName].Bytes(), stages.Order{})
		want, got := reportOf(t, recorded), reportOf(t, again)
		told := got.Simulated
		if told == nil || told.From != "run.ndjson.zst" || told.Replies == 0 || told.Invented != 0 {
			t.Errorf("%q: the report is marked %+v", set, told)
		}
		// But for where it is from and where the settings are, it is the same report.
		got.Simulated = nil
		got.Settings, want.Settings = nil, nil
		a, b := asJSON(t, want), asJSON(t, got)
		if !bytes.Equal(a, b) {
			t.Errorf("%q: the reports differ:\n%s", set, firstDifference(a, b))
		}
	}
}

func asJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(a, b []byte) string {
	before, after := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	for i := range min(len(before), len(after)) {
		if before[i] != after[i] {
			return fmt.Sprintf("line %d: %s\nbecame  %s", i+1, before[i], after[i])
		}
	}
	return fmt.Sprintf("%d lines became %d", len(before), len(after))
}

func TestWithoutWaitsMoreIsSentAndMoreIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	with, recorded := recordDemo(t, 3*time.Second)
	without, out := replay(t, recorded[reporter.RecordingName].Bytes(), stages.Order{}, "schedule.waitWhenToldTo=false")
	if without.Totals.Requests <= with.Totals.Requests || without.Totals.Refused <= with.Totals.Refused {
		t.Errorf("%d requests and %d refusals became %d and %d",
			with.Totals.Requests, with.Totals.Refused, without.Totals.Requests, without.Totals.Refused)
	}
	if told := reportOf(t, out).Simulated; told.Invented == 0 {
		t.Error("no reply past the end of the recording was counted as invented")
	}
}

func TestHoldingTheWholeAPIAtOnceSendsLess(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	_, recorded := recordDemo(t, 3*time.Second)
	rec, err := sim.ReadRecording(recorded[reporter.RecordingName])
	if err != nil {
		t.Fatal(err)
	}
	doc, err := rec.Document(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run := sim.Simulation{Recording: rec, Document: doc, Settings: rec.Settings, Seed: 5, Budget: rec.Budget, Report: reporter.Config{Quiet: true}}
	one := run.Run(stages.Order{})
	run.WholeAPIAtOnce = true
	all := run.Run(stages.Order{})
	if all.Totals.ByClass.C2xx >= one.Totals.ByClass.C2xx || all.Paced.WholeAPI.Times <= one.Paced.WholeAPI.Times {
		t.Errorf("2xx %d became %d, holds %d became %d",
			one.Totals.ByClass.C2xx, all.Totals.ByClass.C2xx, one.Paced.WholeAPI.Times, all.Paced.WholeAPI.Times)
	}
}

func TestAReplayRepeatsToTheByteInlineAndInLockstep(t *testing.T) {
	_, recorded := recordDemo(t, time.Second)
	var first files
	for _, order := range []stages.Order{{}, {}, {Lockstep: true}} {
		_, out := replay(t, recorded[reporter.RecordingName].Bytes(), order, "schedule.firstGuessedWait=300ms")
		if first == nil {
			first = out
		}
		for name := range maps.Keys(first) {
			if !bytes.Equal(first[name].Bytes(), out[name].Bytes()) {
				t.Errorf("%s differs (lockstep %v)", name, order.Lockstep)
			}
		}
	}
}

func TestWhatIsLeftOfAKilledRunIsReplayed(t *testing.T) {
	whole, recorded := recordDemo(t, time.Second)
	bytes := recorded[reporter.RecordingName].Bytes()
	result, out := replay(t, bytes[:2*len(bytes)/3], stages.Order{})
	told := reportOf(t, out).Simulated
	if !strings.Contains(strings.Join(told.Notes, " "), "ends early") {
		t.Errorf("it is not said that the recording ends early: %q", told.Notes)
	}
	if told.Invented == 0 || told.Invented == told.Replies || result.Totals.Requests == 0 {
		t.Errorf("%d of %d replies are invented; the run had %d", told.Invented, told.Replies, whole.Totals.Requests)
	}
}

const small = `{"openapi":"3.0.3","info":{"title":"Small","version":"1"},"paths":{
	"/a":{"get":{"operationId":"a","responses":{"200":{"description":"ok"}}}},
	"/b":{"get":{"operationId":"b","responses":{"200":{"description":"ok"}}}}}}`

// head is the first line of a recording of the small API, with a budget of a second.
func head(version int, files string) string {
	return fmt.Sprintf(`{"run":{"format":"restest-recording","version":%d,"started":"2026-11-30T08:00:00.000Z","origin":"http://127.0.0.1:1",
"document":{"source":"small.json"},"url":"http://127.0.0.1:1","seed":"1","budget":"PT1S","lastWrite":-1%s}}`, version, files)
}

// holding are the small document's files as they stand in the first line.
func holding() string {
	text, _ := json.Marshal(small) // a text
	return `,"files":[{"location":"small.json","content":` + string(text) + `}]`
}

// written is a recording with these lines.
func written(t testing.TB, lines ...string) io.Reader {
	t.Helper()
	var b bytes.Buffer
	zip, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		io.WriteString(zip, strings.ReplaceAll(line, "\n", " ")+"\n")
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

// script is a recording of the small API: each exchange is an operation and what is told of how it ended.
func script(t testing.TB, exchanges ...string) *sim.Recording {
	t.Helper()
	lines := []string{head(1, holding())}
	nth := map[string]int{}
	for i, e := range exchanges {
		operation, rest, _ := strings.Cut(e, " ")
		nth[operation]++
		lines = append(lines, fmt.Sprintf(`{"exchange":{"seq":%d,"operation":%q,"nth":%d,%s}}`, i+1, operation, nth[operation], rest))
	}
	rec, err := sim.ReadRecording(written(t, append(lines, `{"end":{}}`)...))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestEachRequestGetsTheReplyRecordedForIt(t *testing.T) {
	rec := script(t,
		`a "outcome":"answered","sentAt":0,"heardAt":100000000,"endedAt":400000000,"reply":{"proto":"HTTP/1.1","status":200,"header":[["X","1"]],"body":{"text":"one","length":3}},"masked":["reply.body"]`,
		`a "outcome":"noReply","kind":"timedOut","failure":"no reply within 30s","sentAt":0,"heardAt":50000000,"endedAt":50000000`,
		`a "outcome":"brokeOff","kind":"closedEarly","failure":"ended","sentAt":0,"heardAt":1000000,"endedAt":2000000,"reply":{"status":200,"header":[],"body":{"base64":"/w==","length":9,"shortened":true}}`,
		`a "outcome":"neverSent","kind":"kept","sentAt":0,"heardAt":0,"endedAt":5`,
		`a "outcome":"answered","sentAt":0,"heardAt":1000000,"endedAt":100000000,"reply":{"status":204,"header":[]}`,
		`a "outcome":"noReply","kind":"givenUp","sentAt":0,"heardAt":200000000,"endedAt":200000000`,
	)
	var came []messages.Exchange
	result, out := rerun(t, rec, stages.Order{Watch: func(_ string, m any) {
		if e, ok := m.(*messages.Exchange); ok && e.Request.Operation == 0 {
			came = append(came, *e)
		}
	}}, "engine.maxConcurrency=1", "engine.initialConcurrency=1")

	want := []struct {
		outcome     messages.Outcome
		kind        messages.Failure
		status      int
		heard, over time.Duration
	}{
		{messages.Answered, messages.NoFailure, 200, 100 * time.Millisecond, 400 * time.Millisecond},
		{messages.NoReply, messages.TimedOut, 0, 50 * time.Millisecond, 50 * time.Millisecond},
		{messages.BrokeOff, messages.ClosedEarly, 200, time.Millisecond, 2 * time.Millisecond},
		{messages.Answered, messages.NoFailure, 204, time.Millisecond, 100 * time.Millisecond},
		{messages.NoReply, messages.GivenUp, 0, 200 * time.Millisecond, 200 * time.Millisecond},
	}
	for i, w := range want[:min(len(want), len(came))] {
		e := came[i]
		status := 0
		if e.Reply != nil {
			status = e.Reply.Status
		}
		if e.Outcome != w.outcome || e.Kind != w.kind || status != w.status || e.HeardAt.Sub(e.SentAt) != w.heard || e.EndedAt.Sub(e.SentAt) != w.over {
			t.Errorf("request %d: %+v, want %+v", i+1, e, w)
		}
	}
	if len(came) < 2 || string(came[0].Reply.Body) != "one" || messages.Get(came[0].Reply.Header, "X") != "1" {
		t.Fatalf("%d exchanges came", len(came))
	}
	if len(came) > 2 && (!came[2].Reply.Cut || came[2].Reply.Length != 9) {
		t.Errorf("a body recorded in part is taken for whole: %+v", came[2].Reply)
	}
	told := reportOf(t, out).Simulated
	notes := strings.Join(told.Notes, "\n")
	if told.Masked != 1 || !strings.Contains(notes, "of which no reply was recorded") {
		t.Errorf("it tells of %d masked replies, and %s", told.Masked, notes)
	}
	if !strings.Contains(result.Summary, "simulated: nothing was sent; ") || !strings.Contains(result.Summary, "1 reply holds a value that was masked") {
		t.Errorf("the summary says\n%s", result.Summary)
	}
}

func TestPastItsEndARecordingRepeatsTheLastAnswerOfTheAPI(t *testing.T) {
	rec := script(t,
		`a "outcome":"answered","sentAt":0,"heardAt":100000000,"endedAt":100000000,"reply":{"status":201,"header":[]}`,
		`a "outcome":"answered","sentAt":0,"heardAt":100000000,"endedAt":100000000,"reply":{"status":200,"header":[]}`,
		`a "outcome":"noReply","kind":"givenUp","sentAt":0,"heardAt":200000000,"endedAt":200000000`,
		`b "outcome":"answered","sentAt":0,"heardAt":100000000,"endedAt":100000000,"reply":{"status":204,"header":[]}`,
	)
	result, out := rerun(t, rec, stages.Order{}, "engine.maxConcurrency=1", "engine.initialConcurrency=1", "schedule.stragglerGrace=0s")
	report := reportOf(t, out)
	a, b := report.Operations[0], report.Operations[1]
	if a.NoReply != 1 || a.ByStatus[0].Status != 200 || b.ByStatus[0].Status != 204 || b.Requests < 3 {
		t.Errorf("a: %+v, b: %+v", a, b)
	}
	if told := report.Simulated; told.Replies != result.Totals.Requests || told.Invented != told.Replies-4 {
		t.Errorf("%d of %d are invented, of %d requests", told.Invented, told.Replies, result.Totals.Requests)
	}
}

func TestAShorterTimeoutEndsAReplyThatTookLonger(t *testing.T) {
	rec := script(t,
		`a "outcome":"answered","sentAt":0,"heardAt":300000000,"endedAt":300000000,"reply":{"status":200,"header":[]}`,
		`b "outcome":"answered","sentAt":0,"heardAt":1000000,"endedAt":1000000,"reply":{"status":200,"header":[]}`,
	)
	_, out := rerun(t, rec, stages.Order{}, "engine.readTimeout=100ms")
	a, b := reportOf(t, out).Operations[0], reportOf(t, out).Operations[1]
	if a.NoReply != a.Requests || a.Requests == 0 || b.NoReply != 0 {
		t.Errorf("a: %+v, b: %+v", a, b)
	}
}

func TestARedirectThatWasFollowedIsFollowedAgain(t *testing.T) {
	rec := script(t,
		`a "outcome":"answered","sentAt":30000000,"heardAt":40000000,"endedAt":40000000,"reply":{"status":200,"header":[]},
"hops":[{"method":"GET","target":"/a","sentAt":0,"status":302,"location":"/c"},{"method":"GET","target":"/c","sentAt":10000000,"status":307,"location":"/d"}]`,
	)
	var hops []messages.Hop
	_, _ = rerun(t, rec, stages.Order{Watch: func(_ string, m any) {
		if e, ok := m.(*messages.Exchange); ok && hops == nil && e.Request.Operation == 0 {
			hops = e.Hops
		}
	}}, "engine.followRedirects=true")
	if len(hops) != 2 || hops[0].Status != 302 || hops[1].Target != "/c" || hops[1].SentAt-hops[0].SentAt != 10e6 {
		t.Errorf("the hops are %+v", hops)
	}
}

// A body that drips does not delay obedience: the header of a refusal is heard when it came.
func TestARefusalIsHeardAtItsHeader(t *testing.T) {
	rec := script(t,
		`a "outcome":"answered","sentAt":0,"heardAt":10000000,"endedAt":500000000,"reply":{"status":429,"header":[["Retry-After","60"]]}`,
		`b "outcome":"answered","sentAt":0,"heardAt":1000000,"endedAt":1000000,"reply":{"status":200,"header":[]}`,
	)
	result, _ := rerun(t, rec, stages.Order{})
	waits := result.Paced.Waits
	if len(waits) != 1 || waits[0].Operation != 0 || waits[0].Stated != 1 || waits[0].Lasted < 980*time.Millisecond {
		t.Errorf("it waited %+v", waits)
	}
}

func TestTheToolTakesItsTimeBetweenTwoRequests(t *testing.T) {
	at := func(sent, ended int) string {
		return fmt.Sprintf(`a "outcome":"answered","sentAt":%d,"heardAt":%[2]d,"endedAt":%[2]d,"reply":{"status":200,"header":[]}`, sent*1e6, ended*1e6)
	}
	// One slot: two milliseconds for each reply and three until the next request; once there was a long wait.
	rec := script(t, at(0, 2), at(5, 7), at(10, 12), at(500, 502), at(505, 507))
	result, _ := rerun(t, rec, stages.Order{}, "engine.maxConcurrency=1", "engine.initialConcurrency=1")
	if n := result.Totals.Requests; n < 195 || n > 205 {
		t.Errorf("in a second, at five milliseconds each, %d requests were sent", n)
	}
}

func TestWhatCannotBeReplayedIsRefusedInOneLine(t *testing.T) {
	answered := `{"exchange":{"operation":"a","nth":1,"outcome":"answered","sentAt":0,"heardAt":1,"endedAt":1,"reply":{"status":200,"header":[]}}}`
	for _, row := range []struct {
		name, want string
		from       io.Reader
	}{
		{"no recording", "the recording cannot be read: ", strings.NewReader("GIF89a")},
		{"empty", "the recording holds no request that was sent; there is nothing to replay", strings.NewReader("")},
		{"another format", "this is no recording: its first line does not name the format restest-recording", written(t, `{"run":{"format":"har"}}`)},
		{"a later version", "this recording is of version 2 of its format, and version 1 can be read; use the restest that made it", written(t, head(2, ""), answered)},
		{"no exchange", "the recording holds no request that was sent; there is nothing to replay", written(t, head(1, holding()))},
		{"a foreign outcome", `line 2 of the recording: "lost" is no outcome`, written(t, head(1, ""), strings.Replace(answered, "answered", "lost", 1))},
		{"no reply where one is told of", "line 2 of the recording: a request ended as answered, without a reply", written(t, head(1, ""), strings.Replace(answered, `,"reply":{"status":200,"header":[]}`, "", 1))},
		{"no budget", `line 1 of the recording: "" is no duration in seconds as ISO 8601 has it`, written(t, strings.Replace(head(1, ""), "PT1S", "", 1), answered)},
	} {
		_, err := sim.ReadRecording(row.from)
		if err == nil || !strings.HasPrefix(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v\nwant %s", row.name, err, row.want)
		}
	}
	rec, err := sim.ReadRecording(written(t, head(1, ""), answered))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rec.Document(t.Context()); err == nil || !strings.Contains(err.Error(), "--document FILE") {
		t.Errorf("without the document: %v", err)
	}
}

func TestWhateverARecordingSaysItsReplayEnds(t *testing.T) {
	moment := rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 1e7))
	exchange := rapid.Custom(func(t *rapid.T) string {
		outcome := rapid.SampledFrom([]string{"answered", "brokeOff", "noReply", "neverSent"}).Draw(t, "outcome")
		kind := rapid.SampledFrom([]string{"", "timedOut", "closedIdle", "notHTTP", "givenUp"}).Draw(t, "kind")
		return fmt.Sprintf(`%s "outcome":%q,"kind":%q,"sentAt":%d,"heardAt":%d,"endedAt":%d,"reply":{"status":%d,"header":[["Location","/a"],["Retry-After","%d"]]},"hops":%s`,
			rapid.SampledFrom([]string{"a", "b"}).Draw(t, "operation"), outcome, kind,
			moment.Draw(t, "sent"), moment.Draw(t, "heard"), moment.Draw(t, "ended"),
			rapid.SampledFrom([]int{-1, 0, 200, 302, 429, 503, 99999}).Draw(t, "status"), rapid.Int64().Draw(t, "retryAfter"),
			rapid.SampledFrom([]string{"[]", `[{"status":307,"location":"/b","sentAt":-5}]`}).Draw(t, "hops"))
	})
	answered := `a "outcome":"answered","sentAt":0,"heardAt":1,"endedAt":1,"reply":{"status":200,"header":[]}`
	rapid.Check(t, func(r *rapid.T) {
		rec := script(t, append(rapid.SliceOfN(exchange, 0, 12).Draw(r, "exchanges"), answered)...)
		rec.Budget = time.Millisecond
		result, _ := rerun(t, rec, stages.Order{}, "engine.followRedirects=true", "engine.maxConcurrency=2", "engine.initialConcurrency=2")
		if result.Exit == reporter.ExitFailed {
			r.Fatal(result.Summary)
		}
	})
}

// BenchmarkReplaySmall is how many replies a second a recording of one operation with empty replies answers, inline.
// The figure to reach is 300,000 on two cores.
func BenchmarkReplaySmall(b *testing.B) {
	const text = `{"openapi":"3.0.3","info":{"title":"Small","version":"1"},"paths":{"/ping":{"get":{"responses":{"204":{"description":"pong"}}}}}}`
	ping := func(time.Duration, demo.Request) demo.Reply { return demo.Reply{Status: 204, After: time.Millisecond} }
	_, recorded := record(b, text, answering(ping), time.Second)
	benchmarkReplay(b, recorded)
}

// BenchmarkReplayDemo is the same with the demo's document and replies. The figure to reach is 30,000.
func BenchmarkReplayDemo(b *testing.B) {
	_, recorded := recordDemo(b, 10*time.Second)
	benchmarkReplay(b, recorded)
}

type answering func(time.Duration, demo.Request) demo.Reply

func (f answering) Answer(now time.Duration, r demo.Request) demo.Reply { return f(now, r) }

func benchmarkReplay(b *testing.B, recorded files) {
	b.Helper()
	rec, err := sim.ReadRecording(recorded[reporter.RecordingName])
	if err != nil {
		b.Fatal(err)
	}
	doc, err := rec.Document(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	s := rec.Settings
	s.Report.Recording = false
	var replies int64
	for b.Loop() {
		run := sim.Simulation{Recording: rec, Document: doc, Settings: s, Seed: 5, Budget: rec.Budget, Report: reporter.Config{Quiet: true}}
		replies += run.Run(stages.Order{}).Simulated.Replies
	}
	b.ReportMetric(float64(replies)/b.Elapsed().Seconds(), "replies/s")
}

// BenchmarkReadRecording reads a recording of the demo.
func BenchmarkReadRecording(b *testing.B) {
	_, recorded := recordDemo(b, 10*time.Second)
	content := recorded[reporter.RecordingName].Bytes()
	var exchanges int64
	for b.Loop() {
		rec, err := sim.ReadRecording(bytes.NewReader(content))
		if err != nil {
			b.Fatal(err)
		}
		exchanges += rec.Answers
	}
	b.ReportMetric(float64(exchanges)/b.Elapsed().Seconds(), "exchanges/s")
}
