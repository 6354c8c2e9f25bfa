package reporter

import (
	"strings"
	"time"
)

// Known is a finding that is known already (decision 0022): it is listed and does not count.
type Known struct {
	// ID is the finding's, Reason a person's words on why it is known.
	ID, Reason string
	// Until is the last day it is known on, the zero Time for always.
	Until time.Time
}

// KnownTold says that a finding is known.
type KnownTold struct {
	Reason string `json:"reason,omitempty"`
	Until  string `json:"until,omitempty"` // a date of RFC 3339
}

// BaselineTold says what came of the known findings.
type BaselineTold struct {
	// Known are those that were found, Expired those that are known no longer and count again, NotFound those that were
	// not found this time. Ids of findings, each.
	Known    []string `json:"known"`
	Expired  []string `json:"expired"`
	NotFound []string `json:"notFound"`
}

// expired says whether the day after the last has come.
func (k *Known) expired(now time.Time) bool {
	return !k.Until.IsZero() && !now.Before(k.Until.AddDate(0, 0, 1))
}

func (k *Known) told() *KnownTold {
	if k == nil {
		return nil
	}
	told := &KnownTold{Reason: k.Reason}
	if !k.Until.IsZero() {
		told.Until = k.Until.Format(time.DateOnly)
	}
	return told
}

// know marks the finding if it is known.
func (r *Reporter) know(g *group) {
	for i := range r.cfg.Known {
		k := &r.cfg.Known[i]
		if k.ID == g.id(r.cfg.Document.Operations[g.operation].ID) && !k.expired(r.cfg.Started) {
			g.known = k
		}
	}
}

// baseline is what came of the known findings, nil where none were given.
func (r *Reporter) baseline() *BaselineTold {
	if r.cfg.Known == nil {
		return nil
	}
	found := map[string]bool{}
	for _, g := range r.gathered.groups {
		found[g.id(r.cfg.Document.Operations[g.operation].ID)] = true
	}
	told := &BaselineTold{Known: []string{}, Expired: []string{}, NotFound: []string{}}
	for i := range r.cfg.Known {
		switch k := &r.cfg.Known[i]; {
		case k.expired(r.cfg.Started):
			told.Expired = append(told.Expired, k.ID)
		case found[k.ID]:
			told.Known = append(told.Known, k.ID)
		default:
			told.NotFound = append(told.NotFound, k.ID)
		}
	}
	return told
}

// known tells what came of the known findings.
func (s *summary) known() {
	told := s.baseline()
	if told == nil {
		return
	}
	s.section()
	list := func(what string, ids []string) {
		if len(ids) > 0 {
			s.line("%s: %s", what, strings.Join(ids[:min(len(ids), mostNames)], ", ")+more(len(ids)-mostNames))
		}
	}
	list("known findings, which do not count", told.Known)
	list("known findings whose time is over, so that they count again", told.Expired)
	list("known findings that were not found this time", told.NotFound)
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return " and " + number(int64(n)) + " more"
}
