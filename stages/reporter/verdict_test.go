package reporter

import (
	"strings"
	"testing"

	"github.com/restest/restest/messages"
)

func TestTheFirstThatHoldsDecidesTheExitCode(t *testing.T) {
	ok := counts{sent: 10, classes: [6]int64{2: 10}}
	refused := counts{sent: 3, classes: [6]int64{4: 3}, refused: 3}
	silent := counts{sent: 3, noReply: 3}
	for _, row := range []struct {
		name string
		f    facts
		exit int
		word string
	}{
		{"a clean run", facts{all: ok, succeeded: 10, operations: 2, end: messages.DeadlineCame}, 0, "noErrorsFound"},
		{"warnings", facts{counted: counted{warnings: 2}, all: ok, succeeded: 10}, 0, "noErrorsFound"},
		{"warnings that count", facts{counted: counted{warnings: 2}, all: ok, succeeded: 10, failOnWarnings: true}, 1, "warningsFound"},
		{"no warnings to count", facts{all: ok, succeeded: 10, failOnWarnings: true}, 0, "noErrorsFound"},
		{"errors", facts{counted: counted{errors: 1}, all: ok}, 1, "errorsFound"},
		{"an operation never answered", facts{all: ok, succeeded: 10, unreached: []string{"a"}}, 0, "noErrorsFoundInPart"},
		{"an operation only refused", facts{all: ok, succeeded: 10, refused: []string{"a"}}, 0, "noErrorsFoundInPart"},
		{"mostly refusals", facts{all: counts{sent: 10, classes: [6]int64{2: 4, 4: 6}, refused: 6}, succeeded: 4}, 0, "noErrorsFoundInPart"},
		{"half refusals", facts{all: counts{sent: 10, classes: [6]int64{2: 5, 4: 5}, refused: 5}, succeeded: 5}, 0, "noErrorsFound"},
		{"no success", facts{all: counts{sent: 3, classes: [6]int64{4: 3}}}, 0, "noErrorsFoundInPart"},
		{"nothing went out", facts{end: messages.NothingToSend}, 3, "nothingTested"},
		{"nothing came back", facts{all: silent}, 3, "nothingTested"},
		{"nothing came back in time, an error", facts{counted: counted{errors: 1}, all: silent}, 1, "errorsFound"},
		{"no connection at all", facts{end: messages.Unconnected}, 3, "nothingTested"},
		{"no connection any more", facts{end: messages.Unconnected, all: ok, succeeded: 10}, 5, "refused"},
		{"401 throughout the lap", facts{end: messages.Unauthorized, all: counts{sent: 2, classes: [6]int64{4: 2}}}, 5, "refused"},
		{"only refusals", facts{all: refused}, 5, "refused"},
		{"held to the end", facts{end: messages.HeldToTheEnd, all: ok, succeeded: 10}, 5, "refused"},
		{"errors before 401", facts{counted: counted{errors: 1}, end: messages.Unauthorized, all: refused}, 1, "errorsFound"},
		{"errors before held to the end", facts{counted: counted{errors: 1}, end: messages.HeldToTheEnd, all: ok}, 1, "errorsFound"},
		{"warnings that count before only refusals", facts{counted: counted{warnings: 1}, all: refused, failOnWarnings: true}, 1, "warningsFound"},
		{"only refusals before Ctrl-C does not hold", facts{end: messages.Interrupted, all: refused}, 130, "interrupted"},
		{"Ctrl-C before errors", facts{counted: counted{errors: 3}, end: messages.Interrupted, all: ok}, 130, "interrupted"},
		{"SIGTERM before errors", facts{counted: counted{errors: 3}, end: messages.Terminated, all: ok}, 143, "terminated"},
		{"SIGTERM before nothing tested", facts{end: messages.Terminated}, 143, "terminated"},
		{"own failure before all", facts{counted: counted{errors: 3}, failures: 1, end: messages.Interrupted, all: ok}, 4, "toolFailed"},
		{"own failure alone", facts{failures: 1, all: ok, succeeded: 10}, 4, "toolFailed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			v := judge(row.f)
			if v.exit != row.exit || v.word != row.word {
				t.Errorf("got %d, %s; want %d, %s", v.exit, v.word, row.exit, row.word)
			}
			if Meaning(v.exit) == "" {
				t.Error("its exit code has no meaning")
			}
			if strings.TrimSpace(v.sentence) == "" || !strings.HasSuffix(v.sentence, ".") {
				t.Errorf("%q is no sentence", v.sentence)
			}
		})
	}
}

func TestTheSentenceSaysWhyNothingWasTested(t *testing.T) {
	for _, row := range []struct {
		f    facts
		want string
	}{
		{facts{end: messages.NothingToSend}, "Nothing was tested: the document has no operations."},
		{facts{end: messages.NothingToSend, declared: 2}, "Nothing was tested: no request can be built for any operation of the document."},
		{facts{end: messages.Unconnected, declared: 2, reason: "connection refused"}, "Nothing was tested: no connection to the API could be opened (connection refused)."},
		{facts{end: messages.DeadlineCame, declared: 2}, "Nothing was tested: no request was answered."},
		{facts{end: messages.DeadlineCame, declared: 2, reason: "connection refused"}, "Nothing was tested: no request was answered (connection refused)."},
	} {
		if got := judge(row.f).sentence; got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}
