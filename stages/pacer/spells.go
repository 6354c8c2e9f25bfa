package pacer

import (
	"cmp"
	"slices"

	"github.com/restest/restest/clock"
	"github.com/restest/restest/messages"
)

// mostSpells bounds the waits that are told one by one.
const mostSpells = 500

// spells are the longest of the waits that are over; left counts the others.
type spells struct {
	kept []messages.Spell
	left int64
}

func (s *spells) add(spell messages.Spell) {
	if spell.Until <= spell.From {
		return
	}
	if s.kept = append(s.kept, spell); len(s.kept) == 2*mostSpells {
		s.shorten()
	}
}

// shorten keeps the longest; of those that are as long, the first.
func (s *spells) shorten() {
	if len(s.kept) <= mostSpells {
		return
	}
	slices.SortStableFunc(s.kept, func(a, b messages.Spell) int {
		return cmp.Or(cmp.Compare(b.Until.Sub(b.From), a.Until.Sub(a.From)), cmp.Compare(a.From, b.From))
	})
	s.left += int64(len(s.kept) - mostSpells)
	s.kept = s.kept[:mostSpells]
}

// spellsUntil are the waits up to a moment, those that are going included, in the order they began; and how many there
// were besides.
func (w *waits) spellsUntil(now clock.Instant) ([]messages.Spell, int64) {
	all := spells{slices.Clone(w.spells.kept), w.spells.left}
	last := func(r *rest) {
		all.add(messages.Spell{Operation: r.operation, From: r.begun, Until: min(r.end, now)})
		f := &r.foreseen
		all.add(messages.Spell{Operation: r.operation, From: f.begun, Until: min(f.end, now), Foreseen: true})
	}
	last(&w.api)
	for i := range w.operations {
		last(&w.operations[i])
	}
	all.shorten()
	slices.SortStableFunc(all.kept, func(a, b messages.Spell) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Until, b.Until))
	})
	return all.kept, all.left
}
