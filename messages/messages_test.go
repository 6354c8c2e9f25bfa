package messages

import (
	"testing"

	"pgregory.net/rapid"
)

func TestASetHoldsWhatWasPutInAndNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOf(rapid.IntRange(0, 300)).Draw(t, "in")
		var s Set
		want := map[int]bool{}
		for _, i := range in {
			before := s
			s = s.With(i)
			if !want[i] && before.Has(i) {
				t.Fatalf("adding %d changed the set it was added to", i)
			}
			want[i] = true
		}
		for i := range 400 {
			if s.Has(i) != want[i] {
				t.Fatalf("%d: %v", i, s.Has(i))
			}
		}
	})
}

func TestFieldNamesCompareWithoutCase(t *testing.T) {
	fields := []Field{{"X-A", "1"}, {"retry-after", "2"}, {"Retry-After", "3"}}
	if got := Get(fields, "RETRY-AFTER"); got != "2" {
		t.Errorf("got %q", got)
	}
	if got := Values(fields, "Retry-After"); len(got) != 2 || got[1] != "3" {
		t.Errorf("got %q", got)
	}
	if got := Get(fields, "X-B"); got != "" {
		t.Errorf("got %q", got)
	}
}
