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

// Decision 0025: "a 401 or 403 says that the finding is gone, not that nothing is known".
func TestARefusalOfAProbeWithoutCredentialsSaysThatItsFindingIsGone(t *testing.T) {
	about := Recheck{Finding: FindingKey{Code: 311, Status: 200}, Last: true}
	for _, row := range []struct {
		probe  Probe
		status int
		want   Answer
	}{
		{Anonymous, 401, ShowsNot},
		{Anonymous, 403, ShowsNot},
		{WrongCredentials, 401, ShowsNot},
		{Anonymous, 404, SaysNothing},
		{OtherUser, 401, SaysNothing},
		{NoProbe, 401, SaysNothing},
	} {
		if got := about.Says(&Request{Method: "GET", Probe: row.probe}, Answered, &Reply{Status: row.status}, false, nil); got != row.want {
			t.Errorf("%q answered %d says %d, want %d", row.probe, row.status, got, row.want)
		}
	}
}
