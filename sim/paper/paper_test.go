package paper_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/clock/retryafter"
	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/sim/limiter"
	"github.com/restest/restest/sim/paper"
)

const ms = time.Millisecond

var began = time.Date(2026, 11, 30, 8, 0, 0, 250_000_000, time.UTC)

func load(t testing.TB, location string, text []byte) *document.Document {
	t.Helper()
	options := document.Options{URL: "http://127.0.0.1:1"}
	if text != nil {
		options.Read = func(context.Context, string) ([]byte, error) { return text, nil }
	}
	doc, err := document.Load(t.Context(), location, options)
	if err != nil {
		t.Skipf("%s: %v", location, err)
	}
	return doc
}

// request is the operation's nth.
func request(operation, nth int) paper.Request { return paper.Request{Operation: operation, Nth: nth} }

func TestWhatIsAnsweredHangsOnTheSeedTheOperationAndTheNumberAlone(t *testing.T) {
	doc := load(t, "openapi.json", demo.Document())
	api := paper.API{BySchema: true, Latency: paper.Classes(10*ms, 3*ms, 0, 1, 5, 20, 40)}
	say := func(a paper.Answer) string { return fmt.Sprint(a.After, a.Status, string(a.Body)) }
	forwards, backwards := api.New(doc, 1, began), api.New(doc, 1, began)
	other, same := api.New(doc, 2, began), 0
	answers := map[string]string{}
	for op := range doc.Operations {
		for nth := 1; nth <= 5; nth++ {
			answers[fmt.Sprint(op, nth)] = say(forwards.Answer(0, request(op, nth)))
			if say(other.Answer(0, request(op, nth))) == answers[fmt.Sprint(op, nth)] {
				same++
			}
		}
	}
	for op := len(doc.Operations) - 1; op >= 0; op-- {
		for nth := 5; nth >= 1; nth-- {
			if got := say(backwards.Answer(time.Hour, request(op, nth))); got != answers[fmt.Sprint(op, nth)] {
				t.Fatalf("operation %d, number %d: %s, and before %s", op, nth, got, answers[fmt.Sprint(op, nth)])
			}
		}
	}
	if same > len(answers)/4 {
		t.Errorf("another seed gives %d of %d answers the same", same, len(answers))
	}
}

// Every reply made from a schema fits it, as the judge of replies sees it.
func TestRepliesMadeFromSchemasFitTheDocument(t *testing.T) {
	documents := map[string][]byte{"demo": demo.Document()}
	corpus := filepath.Join(sharedFolder(), "openapi", "corpus")
	found, _ := filepath.Glob(filepath.Join(corpus, "*"))
	if len(found) == 0 {
		t.Log("without the real documents: there is no ../shared/openapi/corpus")
	}
	for i := 0; i < len(found); i += 8 {
		if info, err := os.Stat(found[i]); err == nil && filepath.Ext(found[i]) != ".tsv" && info.Size() < 1<<20 {
			documents[found[i]] = nil
		}
	}
	for name, text := range documents {
		t.Run(filepath.Base(name), func(t *testing.T) {
			doc := load(t, name, text)
			judge := document.NewJudge(doc)
			api := paper.API{BySchema: true}.New(doc, 1, began)
			judged, wrong := 0, 0
			for i, op := range doc.Operations {
				for nth := range 3 {
					a := api.Answer(0, request(i, nth))
					if len(a.Body) == 0 {
						continue
					}
					media, _ := op.Response(a.Status).MediaFor(messages.Get(a.Header, "Content-Type"))
					d := json.NewDecoder(strings.NewReader(string(a.Body)))
					d.UseNumber()
					var value any
					if err := d.Decode(&value); err != nil {
						t.Fatal(err)
					}
					faults, err := judge.Judge(media.Schema, document.InReply, value)
					if err != nil {
						continue
					}
					if judged++; len(faults) > 0 {
						if wrong++; wrong <= 3 {
							t.Errorf("%s: %s\n%+v", op.ID, a.Body, faults[0])
						}
					}
				}
			}
			t.Logf("%d replies were judged", judged)
			if judged == 0 && text != nil {
				t.Error("no reply was made")
			}
		})
	}
}

func sharedFolder() string {
	if dir := os.Getenv("RESTEST_SHARED"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared")
}

// What a refusal means and what its header says are one, by the reader of Retry-After, whatever the clocks.
func TestEachFormOfRetryAfterIsReadAsItIsMeant(t *testing.T) {
	for _, form := range paper.Forms() {
		for _, status := range []int{429, 503} {
			for _, noDate := range []bool{false, true} {
				for _, skew := range []time.Duration{0, -7 * time.Second, time.Hour} {
					api := paper.API{Skew: skew, Quotas: []paper.Quota{{
						Rule:    limiter.Rule{Algorithm: limiter.FirstWindow, Limit: 1, Window: 90 * time.Second},
						Refusal: paper.Refusal{Status: status, Form: form, NoDate: noDate},
					}}}.New(nil, 1, began)
					api.Answer(0, request(0, 1))
					a := api.Answer(1500*ms, request(0, 2))
					came := began.Add(1500*ms + a.After)
					reading, ok := retryafter.Read(messages.Values(a.Header, "Retry-After"), messages.Get(a.Header, "Date"), came)
					if ok != a.Asks.Stated || a.Asks.ToWait != (status == 429 || ok) || ok && reading.Wait != a.Asks.Length(came) {
						t.Errorf("form %d with %d, no date %v, skew %v: %v is read as %v, %v and means %+v",
							form, status, noDate, skew, a.Header, reading.Wait, ok, a.Asks)
					}
					if form == paper.Seconds && reading.Wait != 89*time.Second {
						t.Errorf("the window is over in 88.5 s, and it asks for %v", reading.Wait)
					}
				}
			}
		}
	}
}

func TestAQuotaIsOneOperationsOrEachOnesOrTheWholeAPIs(t *testing.T) {
	rule := limiter.Rule{Algorithm: limiter.FirstWindow, Limit: 2, Window: time.Hour}
	for name, row := range map[string]struct {
		quota paper.Quota
		want  string
	}{
		"whole": {paper.Quota{Rule: rule}, "..xxxxxx"},
		"one":   {paper.Quota{Rule: rule, Operations: []int{1}}, "....x.x."},
		"each":  {paper.Quota{Rule: rule, Each: true}, "....xxxx"},
		"key":   {paper.Quota{Rule: rule, ByHeader: "X-Key"}, "....xxxx"},
	} {
		doc := load(t, "openapi.json", demo.Document())
		api := paper.API{Quotas: []paper.Quota{row.quota}}.New(doc, 1, began)
		got := ""
		for i := range 8 {
			r := request(1-i%2, i)
			r.Header = []messages.Field{{Name: "x-key", Value: fmt.Sprint(i % 2)}}
			got += map[bool]string{true: "x", false: "."}[api.Answer(0, r).Status == 429]
		}
		if got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

func TestAConcurrencyLimitCountsWhatIsUnderWay(t *testing.T) {
	api := paper.API{
		Latency: paper.Always(10 * ms),
		Quotas:  []paper.Quota{{Rule: limiter.Rule{Algorithm: limiter.Concurrency, Limit: 2}}},
	}.New(load(t, "openapi.json", demo.Document()), 1, began)
	got := ""
	for i, at := range []time.Duration{0, 1 * ms, 2 * ms, 10 * ms, 10 * ms, 11 * ms, 12 * ms} {
		got += map[bool]string{true: "x", false: "."}[api.Answer(at, request(0, i)).Status == 429]
	}
	if got != "..x.x.x" {
		t.Errorf("it lets pass %s", got)
	}
}

func TestPhasesStallSlowAndKill(t *testing.T) {
	doc := load(t, "openapi.json", demo.Document())
	answer := func(p paper.Phase, at time.Duration) paper.Answer {
		return paper.API{Latency: paper.Always(10 * ms), Phases: []paper.Phase{p}}.New(doc, 1, began).Answer(at, request(0, 1))
	}
	for _, row := range []struct {
		phase paper.Phase
		at    time.Duration
		after time.Duration
		fate  paper.Fate
	}{
		{paper.Stalls(100*ms, 300*ms), 80 * ms, 10 * ms, paper.Replies},
		{paper.Stalls(100*ms, 300*ms), 95 * ms, 205 * ms, paper.Replies},
		{paper.Stalls(100*ms, 300*ms), 150 * ms, 150 * ms, paper.Replies},
		{paper.Stalls(100*ms, 300*ms), 300 * ms, 10 * ms, paper.Replies},
		{paper.Slows(100*ms, 300*ms, 5), 150 * ms, 50 * ms, paper.Replies},
		{paper.Slows(100*ms, 300*ms, 5), 350 * ms, 10 * ms, paper.Replies},
		{paper.Dies(100*ms, 300*ms), 80 * ms, 10 * ms, paper.Replies},
		{paper.Dies(100*ms, 300*ms), 95 * ms, 5 * ms, paper.Resets},
		{paper.Dies(100*ms, 300*ms), 150 * ms, 1 * ms, paper.Resets},
		{paper.Dies(100*ms, 300*ms), 300 * ms, 10 * ms, paper.Replies},
	} {
		if a := answer(row.phase, row.at); a.After != row.after || a.Fate != row.fate {
			t.Errorf("%+v at %v: after %v, fate %d", row.phase, row.at, a.After, a.Fate)
		}
	}
	api := paper.API{Phases: []paper.Phase{paper.Dies(100*ms, 300*ms)}}.New(doc, 1, began)
	if _, refused := api.Dial(200*ms, 0); refused == "" {
		t.Error("a dead API takes a connection")
	}
	if _, refused := api.Dial(300*ms, 0); refused != "" {
		t.Error("an API that is back does not take a connection")
	}
}

func TestSharesAreOfAHundred(t *testing.T) {
	doc := load(t, "openapi.json", demo.Document())
	api := paper.API{Instead: []paper.Share{
		{Of100: 25, Status: 400}, {Of100: 10, Fate: paper.Resets}, {Of100: 5, Refusal: &paper.Refusal{}},
	}}.New(doc, 1, began)
	seen := map[string]int{}
	for nth := range 10_000 {
		switch a := api.Answer(0, request(0, nth)); {
		case a.Fate == paper.Resets:
			seen["reset"]++
		case a.Status == 400:
			seen["400"]++
		case a.Asks.ToWait:
			seen["429"]++
		}
	}
	for kind, want := range map[string]int{"400": 2500, "reset": 1000, "429": 500} {
		if got := seen[kind]; got < want*9/10 || got > want*11/10 {
			t.Errorf("%s: %d of 10,000", kind, got)
		}
	}
}
