package reporter

import (
	"fmt"
	"math"
	"strings"

	"github.com/restest/restest/messages"
)

// Probes are the security probes of a run that sends some, as they are announced before the first request (decision 0025).
type Probes struct {
	// Share is the part of the requests, 0 to 1, that they and what they are compared with take at most.
	Share float64     `json:"share"`
	Kinds []ProbeTold `json:"kinds"`
}

// ProbeTold is a kind of probe that is switched on.
type ProbeTold struct {
	Kind string `json:"kind"`
	// Operations counts those it is sent to; Why says why to none.
	Operations int    `json:"operations"`
	Why        string `json:"why,omitempty"`
	// Sent counts the requests, those that were sent again for a finding included.
	Sent int64 `json:"sent"`
}

// announced are the lines that say which probes will be sent, and which will not.
func (p *Probes) announced() []string {
	if p == nil {
		return nil
	}
	var sent, not []string
	for _, k := range p.Kinds {
		if k.Operations > 0 {
			sent = append(sent, fmt.Sprintf("%s (%s)", k.Kind, plural(int64(k.Operations), "operation")))
		} else {
			not = append(not, k.Kind+" not: "+k.Why)
		}
	}
	if len(sent) == 0 {
		sent = []string{"none can be sent"}
	} else {
		sent[len(sent)-1] += fmt.Sprintf("; %.0f%% of the requests at most", math.Round(100*p.Share))
	}
	return append([]string{strings.Join(sent, ", ")}, not...)
}

// probed counts a probe that was sent.
func (r *Reporter) probed(ex *messages.Exchange) {
	if ex.Request.Probe != messages.NoProbe && ex.Outcome != messages.NeverSent {
		r.probes[ex.Request.Probe]++
	}
}

// probesTold is what the report says of the probes, nil where none were to be sent.
func (r *Reporter) probesTold() *Probes {
	if r.cfg.Probes == nil {
		return nil
	}
	told := &Probes{Share: r.cfg.Probes.Share, Kinds: make([]ProbeTold, len(r.cfg.Probes.Kinds))}
	for i, k := range r.cfg.Probes.Kinds {
		k.Sent = r.probes[messages.Probe(k.Kind)]
		told.Kinds[i] = k
	}
	return told
}

// probing says in the summary how many probes were sent.
func (s *summary) probing() {
	told := s.probesTold()
	if told == nil {
		return
	}
	var words []string
	for _, k := range told.Kinds {
		words = append(words, k.Kind+" "+number(k.Sent))
	}
	s.line("security probes: %s", strings.Join(words, ", "))
}
