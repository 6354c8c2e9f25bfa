package reporter

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/messages"
)

// again marks a request as sent again for the finding of an operation with 500, which the first request showed.
func again(operation int, f messages.Finding, smaller bool) change {
	return request(func(r *messages.Request) {
		r.Recheck = &messages.Recheck{Seq: 1, Finding: messages.FindingKey{Operation: operation, Code: f.Code, Status: 500, Cause: f.Cause}, Last: true, Smaller: smaller}
	})
}

func reported(t *testing.T, s *scene) (told Report) {
	t.Helper()
	if err := json.Unmarshal(s.out.files[ReportName].Bytes(), &told); err != nil {
		t.Fatal(err)
	}
	return told
}

func TestAFindingIsConfirmedFlakyOrGone(t *testing.T) {
	likely := serverError
	likely.Certainty = messages.Likely
	for _, c := range []struct {
		name    string
		first   messages.Finding
		answers string // + shows it, - does not, 4 is a 404
		state   string
		exit    int
	}{
		{"no answer", serverError, "", "notRechecked", ExitErrors},
		{"an answer that says nothing", serverError, "4", "notRechecked", ExitErrors},
		{"each shows it", serverError, "++", "confirmed", ExitErrors},
		{"each that says anything shows it", serverError, "+4+", "confirmed", ExitErrors},
		{"some show it", serverError, "+-+-", "flaky", ExitErrors},
		{"some show what is likely", likely, "--+-", "flaky", ExitErrors},
		{"none shows what is certain", serverError, "--", "gone", ExitErrors},
		{"none shows what is likely", likely, "--", "gone", ExitClean},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, nil)
			for op := range 3 {
				s.judged(op, 200)
			}
			s.judged(1, 500, finding(c.first))
			for _, answer := range c.answers {
				switch answer {
				case '+':
					s.judged(1, 500, finding(c.first), again(1, c.first, false))
				case '-':
					s.judged(1, 200, again(1, c.first, false))
				case '4':
					s.judged(1, 404, again(1, c.first, false))
				}
			}
			s.at(10 * time.Second)
			if result := s.over(messages.DeadlineCame); result.Exit != c.exit {
				t.Errorf("it ends with %d: %s", result.Exit, result.Sentence)
			}
			f := reported(t, s).Findings[0]
			if f.Recheck.State != c.state || f.Count != 1 || f.Level != "error" {
				t.Errorf("it is %+v, seen %d times", f.Recheck, f.Count)
			}
		})
	}
}

// Decision 0022: "one that was gone is flaky then; of the requests one is shown that showed it".
func TestAnotherRequestIsShownWhereTheFirstDoesNotShowItAgain(t *testing.T) {
	s := newScene(t, nil)
	s.judged(1, 500, finding(serverError))
	for range 2 {
		s.judged(1, 200, again(1, serverError, false))
	}
	s.judged(1, 500, finding(serverError))
	second := s.seq
	for range 2 {
		s.judged(1, 500, finding(serverError), again(1, serverError, false), func(j *messages.Judged) { j.Exchange.Request.Recheck.Seq = second })
	}
	s.at(10 * time.Second)
	s.over(messages.DeadlineCame)
	f := reported(t, s).Findings[0]
	if f.Recheck.State != "flaky" || f.Recheck.Shown != 2 || f.Recheck.Answers != 4 || f.Count != 2 {
		t.Errorf("it is %+v, seen %d times", f.Recheck, f.Count)
	}
	if f.Seq != second+1 {
		t.Errorf("request %d is shown, and %d was sent again and showed it", f.Seq, second+1)
	}
}

func TestTheSmallestRequestIsShownAndTheFirstKept(t *testing.T) {
	s := newScene(t, nil)
	target := func(to string) change { return request(func(r *messages.Request) { r.Target = to }) }
	s.judged(1, 500, finding(serverError), target("/v1/pets?a=1&b=2"))
	s.judged(1, 500, finding(serverError), target("/v1/pets?b=2"), again(1, serverError, true))
	s.judged(1, 200, target("/v1/pets"), again(1, serverError, true))
	s.at(10 * time.Second)
	result := s.over(messages.DeadlineCame)
	f := reported(t, s).Findings[0]
	if f.Request.Target != "/v1/pets?b=2" || f.First == nil || f.First.Request.Target != "/v1/pets?a=1&b=2" ||
		!strings.HasSuffix(string(f.Again.URL), "/v1/pets?b=2") || !strings.Contains(result.Summary, "/v1/pets?b=2'") {
		t.Errorf("it shows %s, first %+v", f.Request.Target, f.First)
	}
	if f.Recheck.Answers != 0 || !f.Recheck.Smaller {
		t.Errorf("a smaller request counts as an answer: %+v", f.Recheck)
	}
}

func TestWhatARecheckShowsFirstIsAFinding(t *testing.T) {
	s := newScene(t, nil)
	s.judged(1, 500, finding(serverError))
	s.judged(1, 418, finding(undeclared), again(1, serverError, true))
	s.at(10 * time.Second)
	if result := s.over(messages.DeadlineCame); result.Errors != 1 || result.Warnings != 1 {
		t.Errorf("%d errors, %d warnings", result.Errors, result.Warnings)
	}
}

func TestASharedCauseIsShownOnceAndReportedEach(t *testing.T) {
	s := newScene(t, func(c *Config) { c.Document = shop(10) })
	for op := range 6 {
		s.judged(op, 500, finding(serverError))
	}
	s.at(10 * time.Second)
	result := s.over(messages.DeadlineCame)
	if n := strings.Count(result.Summary, "error F100"); n != 1 || !strings.Contains(result.Summary, "and 5 other operations") {
		t.Errorf("it is shown %d times:\n%s", n, result.Summary)
	}
	for _, f := range reported(t, s).Findings {
		if f.SharedBy != 5 {
			t.Errorf("%s shares it with %d", f.Operation, f.SharedBy)
		}
	}
}

func TestAnOpinionNeverFailsARun(t *testing.T) {
	opinion := serverError
	opinion.Certainty = messages.Opinion
	s := newScene(t, func(c *Config) { c.Settings.Checks.FailOnWarnings = true })
	for op := range 3 {
		s.judged(op, 200, finding(opinion))
	}
	s.at(10 * time.Second)
	if result := s.over(messages.DeadlineCame); result.Exit != ExitClean || result.Errors != 0 || result.Warnings != 3 {
		t.Errorf("it ends with %d, %d errors, %d warnings", result.Exit, result.Errors, result.Warnings)
	}
}

func TestKnownFindingsDoNotCountUntilTheirTimeIsOver(t *testing.T) {
	doc := shop(3)
	id := FindingID(doc, messages.FindingKey{Operation: 1, Code: serverError.Code, Status: 500, Cause: serverError.Cause})
	day := time.Date(start.Year(), start.Month(), start.Day(), 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		until time.Time
		exit  int
	}{{"always", time.Time{}, ExitClean}, {"on its last day", day, ExitClean}, {"a day later", day.AddDate(0, 0, -1), ExitErrors}} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, func(cfg *Config) {
				cfg.Known = []Known{{ID: id, Reason: "the old server", Until: c.until}, {ID: "000000000000"}}
			})
			for op := range 3 {
				s.judged(op, 200)
			}
			s.judged(1, 500, finding(serverError))
			s.at(10 * time.Second)
			result := s.over(messages.DeadlineCame)
			told := reported(t, s)
			if result.Exit != c.exit || len(told.Baseline.NotFound) != 1 || len(told.Baseline.Expired) != c.exit {
				t.Errorf("it ends with %d: %s %+v", result.Exit, result.Sentence, told.Baseline)
			}
			if known := told.Findings[0].Known != nil; known != (c.exit == ExitClean) || known != strings.Contains(result.Summary, "the old server") {
				t.Errorf("known: %v\n%s", known, result.Summary)
			}
			if !strings.Contains(result.Summary, "not found this time: 000000000000") {
				t.Errorf("what was not found is not named:\n%s", result.Summary)
			}
		})
	}
}

func TestNoFaultsSaysHowManyRepliesCouldNotBeJudged(t *testing.T) {
	s := newScene(t, nil)
	for op := range 3 {
		s.judged(op, 200, func(j *messages.Judged) { j.Unjudged = "the schema could not be compiled" })
	}
	s.at(10 * time.Second)
	result := s.over(messages.DeadlineCame)
	for _, want := range []string{"no faults found; 3 replies could not be judged against the document (the schema could not be compiled)", "3 of the replies could not be judged"} {
		if !strings.Contains(result.Summary, want) {
			t.Errorf("%q is missing:\n%s", want, result.Summary)
		}
	}
}

func TestFindingsAreShownTheSurestFirst(t *testing.T) {
	groups := newGathered(10)
	add := func(operation int, f messages.Finding, r rechecked) {
		g := groups.add(&messages.Exchange{Request: &messages.Request{Operation: operation}, Reply: &messages.Reply{Status: 500}}, &f)
		g.rechecked = r
	}
	likely, opinion := serverError, serverError
	likely.Certainty, opinion.Certainty = messages.Likely, messages.Opinion
	add(0, opinion, rechecked{2, 2})
	add(1, likely, rechecked{2, 2})
	add(2, undeclared, rechecked{2, 2})
	add(3, serverError, rechecked{0, 2})
	add(4, serverError, rechecked{1, 2})
	add(5, serverError, rechecked{})
	add(6, serverError, rechecked{2, 2})
	var order []int
	for _, g := range groups.sorted() {
		order = append(order, g.operation)
	}
	if want := []int{6, 5, 4, 3, 2, 1, 0}; !slices.Equal(order, want) {
		t.Errorf("they are shown as %v", order)
	}
}
