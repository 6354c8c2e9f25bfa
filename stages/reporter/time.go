package reporter

import (
	"strings"
	"time"
)

// timeSpent is the line on what the time until the end of sending went into. Time with a request under way counts as
// sending; where waiting and the rate claim the same time, it is the API's (ADR-0043 §5).
func (s *summary) timeSpent() {
	p := s.paced
	wall := time.Duration(p.StoppedAt)
	if wall <= 0 || s.tally.all.sent == 0 {
		return
	}
	idle := min(max(p.Idle, 0), wall)
	asked := min(p.IdleAsked, idle)
	rate := min(p.IdleRate, idle-asked)
	var parts []string
	for _, part := range []struct {
		took time.Duration
		what string
	}{
		{wall - idle, "sending"},
		{asked, "waiting as the API asked"},
		{rate, "keeping to the rate"},
		{idle - asked - rate, "of the tool's own"},
	} {
		if part.took >= 50*time.Millisecond {
			parts = append(parts, seconds(part.took)+" "+part.what)
		}
	}
	if len(parts) > 1 {
		s.line("time: %s", strings.Join(parts, ", "))
	}
}
