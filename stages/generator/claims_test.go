package generator

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/restest/restest/messages"
)

// Violations name the one rule they break and break no other, over the real documents, and what is called valid is.
func TestRealRequestsAreWhatTheyClaimToBe(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and all in one goroutine")
	}
	docs := realDocuments(t)
	count := map[messages.Purpose]int{}
	valid, named := 0, 0
	for _, place := range slices.Sorted(maps.Keys(docs)) {
		doc := docs[place]
		t.Run(filepath.Base(place), func(t *testing.T) {
			s := newScript(t, doc, func(c *Config) {
				c.Settings.Schedule.OpeningLap, c.Settings.Schedule.MostCovering = false, 12
			})
			operations := s.g.order.operations
			for range min(30*len(operations), 600) {
				o := s.want(messages.Want{})
				if o.Request == nil {
					continue
				}
				r := o.Request
				count[r.Purpose]++
				if r.Valid {
					valid++
				} else if r.Breaks != "" {
					named++
				}
				checkClaims(t, doc, r)
				status := 200
				if !r.Valid {
					status = 400
				}
				s.answer(r, status, "")
			}
		})
	}
	t.Logf("%d valid, %d that break one rule; by purpose %v", valid, named, count)
	if valid < 20_000 || named < 4_000 {
		t.Errorf("only %d are valid, %d break one rule", valid, named)
	}
}
