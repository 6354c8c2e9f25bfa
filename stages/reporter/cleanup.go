package reporter

import (
	"strings"

	"github.com/restest/restest/messages"
)

// mostLeft is how many things that are still there are named.
const mostLeft = 100

// CleanUp is what became of the things that the run made and knew how to delete.
type CleanUp struct {
	Made    int64 `json:"made"`
	Deleted int64 `json:"deleted"`
	// Left are those that are still there, as far as the run knows: the first of them, as many as More beyond those.
	Left []LeftThing `json:"left"`
	More int64       `json:"more,omitempty"`
}

// LeftThing is a thing that is still there.
type LeftThing struct {
	Address string `json:"address"`
	MadeBy  string `json:"madeBy"`
	Why     string `json:"why"`
}

// belongings follows the things that the run has made.
type belongings struct {
	made, deleted, uncounted int64
	there                    []messages.Thing // in the order they were made
	at                       map[string]bool
}

func (b *belongings) add(m messages.Things) {
	for _, t := range m.Things {
		switch t.State {
		case messages.Made:
			b.made++
			if b.at == nil {
				b.at = map[string]bool{}
			}
			if !b.at[t.Address] {
				b.at[t.Address] = true
				b.there = append(b.there, t)
			}
		case messages.Uncounted:
			b.made++
			b.uncounted++
		case messages.Gone:
			b.gone(t.Address)
		case messages.Left:
			for i := range b.there {
				if b.there[i].Address == t.Address {
					b.there[i] = t
				}
			}
		}
	}
}

// judged notes that a request which was to delete something has done so: the generator's word on the last of them may
// come after the end.
func (b *belongings) judged(ex *messages.Exchange) {
	if ex.Request.Purpose != messages.CleaningUp || ex.Reply == nil || ex.Outcome != messages.Answered {
		return
	}
	if status := ex.Reply.Status; status/100 == 2 || status == 404 || status == 410 {
		address, _, _ := strings.Cut(ex.Request.Target, "?")
		b.gone(address)
	}
}

func (b *belongings) gone(address string) {
	if !b.at[address] {
		return
	}
	delete(b.at, address)
	b.deleted++
	for i := range b.there {
		if b.there[i].Address == address {
			b.there = append(b.there[:i], b.there[i+1:]...)
			return
		}
	}
}

// cleanUp tells it, nil where the run made nothing that it knew how to delete.
func (r *Reporter) cleanUp() *CleanUp {
	if r.ending != nil {
		return r.ending.CleanUp
	}
	b := &r.belongings
	if b.made == 0 {
		return nil
	}
	told := &CleanUp{Made: b.made, Deleted: b.deleted, Left: []LeftThing{}, More: b.uncounted}
	for i, t := range b.there {
		if i >= mostLeft {
			told.More += int64(len(b.there) - mostLeft)
			break
		}
		why := t.Why
		if why == "" {
			why = "the run ended before it was deleted"
			if !r.cfg.Settings.Schedule.CleanUp {
				why = "schedule.cleanUp is off"
			}
		}
		told.Left = append(told.Left, LeftThing{
			Address: r.mask.Text(t.Address), MadeBy: r.cfg.Document.Operations[t.Operation].ID, Why: why,
		})
	}
	return told
}

// cleanedUp says what was made and what of it is still there.
func (s *summary) cleanedUp(told *CleanUp) {
	if told == nil {
		return
	}
	left := int64(len(told.Left)) + told.More
	s.section()
	if left == 0 {
		s.line("cleaned up: %s the run made %s deleted", plural(told.Made, "thing"), wereOf(told.Made))
		return
	}
	s.line("cleaned up: %s of the %s the run made; %s left:", number(told.Deleted), plural(told.Made, "thing"), areLeft(left))
	for i, t := range told.Left {
		if i == mostLeftShown {
			s.line("  and %s more, in report.json", number(left-mostLeftShown))
			break
		}
		s.line("  %s, made by %s: %s", t.Address, t.MadeBy, t.Why)
	}
}

// mostLeftShown is how many things that are still there the summary names.
const mostLeftShown = 10

func wereOf(n int64) string {
	if n == 1 {
		return "was"
	}
	return "were all"
}

func areLeft(n int64) string {
	if n == 1 {
		return "1 is"
	}
	return number(n) + " are"
}
