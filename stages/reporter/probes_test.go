package reporter

import (
	"slices"
	"testing"
)

// Decision 0025: before the first request the run says which kinds it will send to how many operations, and which it
// cannot send and why.
func TestProbesAreAnnounced(t *testing.T) {
	for _, row := range []struct {
		probes *Probes
		want   []string
	}{
		{nil, nil},
		{
			&Probes{Share: 0.1, Kinds: []ProbeTold{{Kind: "anonymous", Operations: 12}, {Kind: "otherUser", Why: "there is no second user"}, {Kind: "injection", Operations: 1}}},
			[]string{"anonymous (12 operations), injection (1 operation); 10% of the requests at most", "otherUser not: there is no second user"},
		},
		{&Probes{Share: 0.1, Kinds: []ProbeTold{{Kind: "hiddenMethod", Why: "no path lacks a GET"}}}, []string{"none can be sent", "hiddenMethod not: no path lacks a GET"}},
	} {
		if got := row.probes.announced(); !slices.Equal(got, row.want) {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}
