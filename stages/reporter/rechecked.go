package reporter

import (
	"fmt"

	"github.com/restest/restest/messages"
)

// RecheckTold says what became of a finding when its request was sent again (decision 0022). State is "confirmed" (each
// answer showed it), "flaky" (some did), "gone" (none did) or "notRechecked" (there was no answer that says anything).
type RecheckTold struct {
	State string `json:"state"`
	// Shown of Answers showed it; of answers that say nothing none is counted.
	Shown   int `json:"shown"`
	Answers int `json:"answers"`
	// Smaller is true if the request that is shown is smaller than the first, or about a thing of the run's own, or has texts
	// that are new each time, and shows it as well.
	Smaller bool `json:"smaller,omitempty"`
}

// OfFinding says in a recording which finding an exchange was for.
type OfFinding struct {
	Finding string `json:"finding"`
	Smaller bool   `json:"smaller,omitempty"`
	// Step is true for a request that makes the finding's situation anew.
	Step bool `json:"step,omitempty"`
}

// rechecked is what the answers to a finding's request, sent again, came to.
type rechecked struct{ shown, answers int }

// The states of a finding, those to be shown first first.
const (
	confirmed = iota
	notRechecked
	flaky
	gone
)

func (r rechecked) state() int {
	switch {
	case r.answers == 0:
		return notRechecked
	case r.shown == r.answers:
		return confirmed
	case r.shown == 0:
		return gone
	}
	return flaky
}

var stateWords = [...]string{confirmed: "confirmed", notRechecked: "notRechecked", flaky: "flaky", gone: "gone"}

// words say it to a person.
func (r rechecked) words() string {
	switch r.state() {
	case notRechecked:
		return "not sent again"
	case confirmed:
		return "confirmed"
	case gone:
		return fmt.Sprintf("gone (%s, and none showed it)", plural(int64(r.answers), "re-check"))
	}
	return fmt.Sprintf("flaky (%d of %s showed it)", r.shown, plural(int64(r.answers), "re-check"))
}

// rechecked takes in the answer to a request that was sent again, and shows the smaller request where that shows the
// finding as well.
func (r *Reporter) rechecked(j *messages.Judged) {
	ex := j.Exchange
	about := ex.Request.Recheck
	if about == nil || !about.Last {
		return
	}
	g := r.gathered.byKey[keyOf(about.Finding)]
	if g == nil {
		return
	}
	answer := about.Says(ex.Request, ex.Outcome, ex.Reply, j.Refused, j.Findings)
	switch {
	case answer == messages.SaysNothing, about.Smaller && answer == messages.ShowsNot:
	case !about.Smaller:
		if g.code == brokenReply && g.shown == 0 && answer == messages.Shows {
			// Requests that did not end their connections were sent before: this is the one that is to blame.
			g.rechecked = rechecked{}
			r.tellAgain(g, j)
		} else if g.shown == 0 && answer == messages.Shows && g.exchange != nil && about.Seq != g.exchange.Seq {
			r.tellAgain(g, j) // of what is shown it is not known, and this shows it
		}
		g.answers++
		if answer == messages.Shows {
			g.shown++
			if to := r.sent(ex); !g.sentAgain && len(to.steps) > 0 {
				g.sent, g.sentAgain = to, true // by now it is known what it takes
			}
		}
	default:
		if g.firstExchange == nil {
			g.firstExchange = g.exchange
		}
		r.tellAgain(g, j)
	}
}

// tellAgain shows the finding by a request that was sent again.
func (r *Reporter) tellAgain(g *group, j *messages.Judged) {
	ex := j.Exchange
	for i := range j.Findings {
		if f := &j.Findings[i]; messages.KeyOf(ex.Request, ex.Reply, f) == ex.Request.Recheck.Finding {
			g.tell(r.teller(), ex, f, r.sent(ex))
			return
		}
	}
}

// doubtful says that it is an error that does not count as one: none of the answers showed it again, and it was not
// certain to begin with.
func (g *group) doubtful() bool {
	return g.error && g.certainty != messages.Certain && g.state() == gone
}

func certaintyWord(c messages.Certainty) string {
	switch c {
	case messages.Certain:
		return "certain"
	case messages.Likely:
		return "likely"
	}
	return "opinion"
}

// cause is what findings at several operations can have in common.
type cause struct {
	code, status int
	cause        string
}

func (k key) shared() cause { return cause{k.code, k.status, k.cause} }

// byCause are the groups of each cause, one an operation, in the order they are shown.
func byCause(groups []*group) map[cause][]*group {
	m := map[cause][]*group{}
	for _, g := range groups {
		m[g.shared()] = append(m[g.shared()], g)
	}
	return m
}

// fewestShared is how many operations share a cause for the summary to show it once. Two are shown one by one.
const fewestShared = 3
