package reporter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings/document"
)

const (
	// mostAdvice is how many lines say what to try next.
	mostAdvice = 5
	// longestSaid bounds, in bytes, what is shown of a refusal; readSaid is how much of it is looked at.
	longestSaid = 160
	readSaid    = 4 << 10
	// fewestRefusals is how many have to be there for a rate to be of any help.
	fewestRefusals = 5
)

// listen keeps what an operation said when it first refused a request for what was in it.
func (r *Reporter) listen(ex *messages.Exchange) {
	if ex.Reply == nil || ex.Reply.Status != 400 && ex.Reply.Status != 422 || len(ex.Reply.Body) == 0 {
		return
	}
	said := &r.tally.operations[ex.Request.Operation].said
	if *said == "" {
		body := ex.Reply.Body
		text := r.mask.Text(string(body[:min(len(body), readSaid)]))
		*said = clip(strings.Join(strings.Fields(text), " "), longestSaid)
	}
}

// next says what to try next, in plain words.
func (s *summary) next() {
	var advice []string
	for _, of := range []func() string{s.reach, s.giveKeys, s.keepToARate, s.readRefusal, s.giveValues, s.takeLonger} {
		if words := of(); words != "" {
			advice = append(advice, words)
		}
	}
	if len(advice) == 0 {
		return
	}
	s.section()
	s.line("to try next:")
	for _, words := range advice[:min(len(advice), mostAdvice)] {
		s.line("  - %s", words)
	}
}

// reach is for a run that reached nothing.
func (s *summary) reach() string {
	switch {
	case s.tally.all.answered() > 0:
		return ""
	case s.paced.End == messages.NothingToSend:
		return "see why nothing can be sent: restest document " + s.source()
	case s.paced.End == messages.Unconnected:
		return fmt.Sprintf("see whether the API is up at %s; --url names another address", s.cfg.Document.Address)
	case s.tally.all.noReply > 0:
		return "see whether the API answers at all; engine.readTimeout is how long a reply is waited for"
	}
	return ""
}

// shut says whether most of what an operation answered is that a key is missing or is not enough, and nothing is 2xx.
func shut(t *operationTally) bool {
	n := t.statuses[401] + t.statuses[403]
	return t.classes[2] == 0 && 2*n > t.answered()-t.refused
}

// giveKeys is for operations that wanted a key.
func (s *summary) giveKeys() string {
	closed := s.where(shut)
	switch {
	case len(closed) == 0:
		return ""
	case len(s.cfg.KeysMissing) > 0:
		name := s.cfg.KeysMissing[0]
		return fmt.Sprintf("give a key: --auth %s=KEY; %s answered 401 or 403 and never 2xx", name, operationsWords(closed))
	case len(s.cfg.KeysUsed) > 0:
		return fmt.Sprintf("give a key that may do more: with the one for %s, %s answered 401 or 403 and never 2xx", s.cfg.KeysUsed[0], operationsWords(closed))
	}
	return fmt.Sprintf("give a key, as --auth header:NAME=KEY where the document names no scheme: %s answered 401 or 403 and never 2xx", operationsWords(closed))
}

// keepToARate is for an API that refused much of what came: what it did take it would take again.
func (s *summary) keepToARate() string {
	all, wall := &s.tally.all, time.Duration(s.paced.StoppedAt)
	taken := all.answered() - all.refused
	if all.refused < fewestRefusals || all.refused*10 < all.answered() || taken == 0 || wall < time.Second {
		return ""
	}
	perMinute := int64(float64(taken) / wall.Minutes())
	if p := s.paced; perMinute < 1 || p.Interval > 0 && int64(time.Minute/p.Interval) <= perMinute {
		return ""
	}
	return fmt.Sprintf("keep to a rate: --set engine.mostRequestsPerMinute=%d; %s of %s were refused, and that many a minute were taken",
		perMinute, number(all.refused), plural(all.answered(), "reply"))
}

// readRefusal is for an operation that took no request for what was in it; the one that refused most is told.
func (s *summary) readRefusal() string {
	shut := s.where(func(t *operationTally) bool {
		n := t.statuses[400] + t.statuses[422]
		return n > 0 && t.classes[2] == 0 && 2*n > t.answered() && t.said != ""
	})
	if len(shut) == 0 {
		return ""
	}
	count := func(op *document.Operation) int64 {
		t := &s.tally.operations[op.Index]
		return t.statuses[400] + t.statuses[422]
	}
	most := slices.MaxFunc(shut, func(a, b *document.Operation) int {
		return cmp.Or(cmp.Compare(count(a), count(b)), cmp.Compare(b.Index, a.Index))
	})
	return fmt.Sprintf("read what %s answered to each of %s: %s", most.ID, plural(count(most), "request"), s.tally.operations[most.Index].said)
}

// giveValues is for operations that found nothing under the values they got.
func (s *summary) giveValues() string {
	lost := s.where(func(t *operationTally) bool {
		return t.classes[2] == 0 && !shut(t) && (t.statuses[404] > 0 || t.statuses[400]+t.statuses[422] > 0)
	})
	if len(lost) == 0 || len(s.cfg.Dictionaries) > 0 {
		return ""
	}
	return fmt.Sprintf("give values that the API knows: restest document %s --dictionary-template >values.yaml, fill it in, --dictionary values.yaml; %s never answered 2xx",
		s.source(), operationsWords(lost))
}

// takeLonger is for operations that rested as they were asked when the time was up.
func (s *summary) takeLonger() string {
	p := s.paced
	if p.End != messages.DeadlineCame && p.End != messages.HeldToTheEnd {
		return ""
	}
	var resting []*document.Operation
	for _, w := range p.Waits {
		if w.Until > p.StoppedAt {
			resting = append(resting, s.cfg.Document.Operations[w.Operation])
		}
	}
	switch {
	case p.HeldUntil > p.StoppedAt || p.End == messages.HeldToTheEnd:
		return "give it longer than " + length(s.cfg.Budget) + " with --budget: the whole API was resting as it asked when the time was up"
	case len(resting) > 0:
		return "give it longer than " + length(s.cfg.Budget) + " with --budget: " + operationsWords(resting) + " rested as asked when the time was up"
	}
	return ""
}

// where are the operations of the document for which it holds.
func (s *summary) where(holds func(*operationTally) bool) []*document.Operation {
	var all []*document.Operation
	for _, op := range s.cfg.Document.Operations {
		if t := &s.tally.operations[op.Index]; !op.SignIn && t.answered() > 0 && holds(t) {
			all = append(all, op)
		}
	}
	return all
}

// operationsWords names one operation, or says how many there are and names some.
func operationsWords(all []*document.Operation) string {
	if len(all) == 1 {
		return all[0].ID
	}
	ids := make([]string, len(all))
	for i, op := range all {
		ids[i] = op.ID
	}
	return plural(int64(len(all)), "operation") + " (" + names(ids, 3) + ")"
}
