package sim_test

import (
	"testing"
	"time"

	"github.com/restest/restest/sim/demo"
	"github.com/restest/restest/stages"
	"github.com/restest/restest/stages/reporter"
)

// Every planted fault is confirmed; the one that is a refusal is not provoked once more (decision 0022).
func TestEveryPlantedFaultIsConfirmed(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	_, out := onPaper(t, bookshop(t), demo.Options{}, 10*time.Second, 1, stages.Order{}, nil)
	smaller := 0
	for _, f := range reportOf(t, out).Findings {
		want := "confirmed"
		if f.Status == 503 {
			want = "notRechecked"
		}
		if f.Recheck.State != want {
			t.Errorf("%s %s is %s, shown by %d of %d", f.Operation, f.Code, f.Recheck.State, f.Recheck.Shown, f.Recheck.Answers)
		}
		if f.Request.Valid == (f.Code == "F206") {
			t.Errorf("%s %s is shown by a request that fits the document: %v", f.Operation, f.Code, f.Request.Valid)
		}
		// One with steps can be about a thing of the run's own instead, and one with fresh texts have others of their length.
		if f.First != nil && len(f.Steps) == 0 && len(f.Again.Fresh) == 0 {
			smaller++
			if len(f.Request.Target)+size(f.Request.Body) >= len(f.First.Request.Target)+size(f.First.Request.Body) && len(f.Request.Header) >= len(f.First.Request.Header) {
				t.Errorf("%s %s: %s is no smaller than %s", f.Operation, f.Code, f.Request.Target, f.First.Request.Target)
			}
		}
	}
	if smaller < 5 {
		t.Errorf("%d requests were made smaller", smaller)
	}
}

func size(c *reporter.Content) int {
	if c == nil {
		return 0
	}
	return int(c.Length)
}
