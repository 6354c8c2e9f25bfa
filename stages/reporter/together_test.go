package reporter

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/restest/restest/messages"
)

// TestOneRequestIsToldOfThoseThatBrokeOffTogether: "Replies that break off together tell of one fault."
func TestOneRequestIsToldOfThoseThatBrokeOffTogether(t *testing.T) {
	t.Parallel()
	// In a script, digits are operations whose replies break off at one moment, "i" an idle connection that is closed
	// then, and a space an answer to a request that was sent later.
	for _, c := range []struct{ name, script, told string }{
		{"one alone is told", "0", "0 alone"},
		{"who was alone once is to blame", "01 0", "0 alone"},
		{"also if that was before", "1 012", "1 alone"},
		{"and for each breakdown it was in", "01 02 12 1 0", "0 alone, 1 alone"},
		{"several of one operation are alone", "00", "0 alone"},
		{"nobody was alone: one stands for all", "01 12", "1 together"},
		{"nobody was alone, once", "012", "0 together"},
		{"one stands for breakdowns of others, too", "01 2i", "0 together"},
		{"an idle connection may have carried what killed it", "0i", "0 together"},
		{"two who were alone", "0 1", "0 alone, 1 alone"},
		{"idle connections alone are nothing", "ii", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, nil)
			moment := time.Duration(0)
			for breakdown := range strings.FieldsSeq(c.script) {
				moment += 100 * time.Millisecond
				s.at(moment)
				for _, who := range breakdown {
					if who == 'i' {
						s.judged(2, 0, unanswered(messages.NoReply, messages.ClosedIdle, "closed"))
						continue
					}
					s.judged(int(who-'0'), 0, unanswered(messages.NoReply, messages.ClosedEarly, "closed"), finding(messages.Finding{
						Code: 922, Error: true, Title: "The reply broke off before it began", Cause: "no reply",
					}))
				}
				moment += 100 * time.Millisecond
				s.at(moment)
				s.judged(2, 200)
			}
			s.over(messages.DeadlineCame)
			var told []string
			for _, g := range s.r.gathered.sorted() {
				word := "alone"
				if strings.Contains(g.title, "at once") {
					word = "together"
				}
				told = append(told, fmt.Sprint(g.operation, " ", word))
			}
			slices.Sort(told)
			if got := strings.Join(told, ", "); got != c.told {
				t.Errorf("told of %q, want %q", got, c.told)
			}
			n := int64(len(told))
			if g := &s.r.gathered; g.errors != n || int64(len(g.byOperation)) != n || (n == 0) != (g.total.errors == 0) {
				t.Errorf("%d errors of %d operations, seen %d times", g.errors, len(g.byOperation), g.total.errors)
			}
		})
	}
}

// TestWhatIsAnsweredBesideABreakdownDoesNotEndIt: an answer to what was sent before may have been on its way.
func TestWhatIsAnsweredBesideABreakdownDoesNotEndIt(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	broken := func(operation int) {
		s.judged(operation, 0, unanswered(messages.NoReply, messages.WasReset, "reset"), finding(messages.Finding{
			Code: 922, Error: true, Title: "The reply broke off before it began", Cause: "no reply",
		}))
	}
	s.at(10 * time.Millisecond)
	broken(0)
	s.judged(2, 200)
	broken(1)
	s.over(messages.DeadlineCame)
	if n := s.r.gathered.errors; n != 1 {
		t.Errorf("%d errors, want one for what broke off together", n)
	}
}

// TestWhatBreaksOffAgainIsToBlame: "One that breaks off again when it is sent again, each time, is to blame, and is shown by that request."
func TestWhatBreaksOffAgainIsToBlame(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	f := messages.Finding{Code: 922, Error: true, Title: "The reply broke off before it began", Cause: "no reply"}
	broken := []change{unanswered(messages.NoReply, messages.WasReset, "reset"), finding(f)}
	again := func(target string) change {
		return request(func(r *messages.Request) {
			r.Target = target
			r.Recheck = &messages.Recheck{Finding: messages.FindingKey{Operation: r.Operation, Code: 922, Cause: "no reply"}, Last: true}
		})
	}
	s.at(10 * time.Millisecond)
	s.judged(0, 0, broken...)
	s.judged(1, 0, broken...)
	s.at(20 * time.Millisecond)
	s.judged(2, 200)
	s.judged(1, 200, again("/harmless"))
	s.judged(1, 200, again("/harmless"))
	for range 3 {
		s.judged(1, 0, append(broken, again("/deadly"))...)
		s.judged(0, 0, broken...)
	}
	s.over(messages.DeadlineCame)
	groups := s.r.gathered.sorted()
	if len(groups) != 1 || groups[0].operation != 1 || groups[0].state() != confirmed || groups[0].answers != 3 {
		t.Fatalf("told of %d findings: %+v", len(groups), groups[0])
	}
	if target := groups[0].exchange.Request.Target; target != "/deadly" {
		t.Errorf("it is shown by a request to %s", target)
	}
}
