package reporter

import (
	"fmt"
	"strings"

	"github.com/restest/restest/messages"
	"github.com/restest/restest/settings"
)

// Foreseen says who was not asked because the API had said that nothing was left, before it refused (decision 0012), and
// which of the fields that say such things were ignored or capped.
type Foreseen struct {
	WholeAPI   ForeseenWaits          `json:"wholeApi"`
	Operations []ForeseenForOperation `json:"operations"`
	Unread     []ReasonCount          `json:"unread"`
}

// ForeseenWaits are how often, and for how long.
type ForeseenWaits struct {
	Times  int    `json:"times"`
	Lasted string `json:"lasted"`
}

// ForeseenForOperation is how one operation was not asked.
type ForeseenForOperation struct {
	Operation string `json:"operation"`
	ForeseenWaits
	TurnsSkipped int64 `json:"turnsSkipped"`
}

// OperationRate is how one operation's own rate was kept. ShortestGap is null with fewer than two requests.
type OperationRate struct {
	Operation        string  `json:"operation"`
	PromisedInterval string  `json:"promisedInterval"`
	ShortestGap      *string `json:"shortestGap"`
}

func (r *Reporter) foreseen() *Foreseen {
	p := r.paced
	if !p.Foreseeing {
		return nil
	}
	told := &Foreseen{
		WholeAPI:   ForeseenWaits{p.WholeAPIForeseen.Times, iso(p.WholeAPIForeseen.Lasted)},
		Operations: []ForeseenForOperation{}, Unread: []ReasonCount{},
	}
	for _, w := range p.Foreseen {
		told.Operations = append(told.Operations, ForeseenForOperation{
			r.cfg.Document.Operations[w.Operation].ID, ForeseenWaits{w.Times, iso(w.Lasted)}, w.Skipped,
		})
	}
	for _, what := range commonest(r.tally.unread) {
		told.Unread = append(told.Unread, ReasonCount{what, r.tally.unread[what]})
	}
	return told
}

func (r *Reporter) operationRates() []OperationRate {
	told := []OperationRate{}
	for _, o := range r.paced.Rates {
		rate := OperationRate{Operation: r.cfg.Document.Operations[o.Operation].ID, PromisedInterval: iso(o.Interval)}
		if o.ShortestGap >= 0 {
			shortest := iso(o.ShortestGap)
			rate.ShortestGap = &shortest
		}
		told = append(told, rate)
	}
	return told
}

// foreseen is the line on who was not asked, since the API had said that nothing was left, and one on the fields that
// were ignored.
func (s *summary) foreseen() {
	p := s.paced
	who := s.whoWaited(p.WholeAPIForeseen, p.Foreseen)
	if len(who) > 0 {
		s.line("nothing was left, so not asked: %s", strings.Join(who, "; "))
	}
	s.reasons("fields on a quota that were ignored or capped", "reply", s.tally.unread)
}

// ownRates says how the rates of operations were kept.
func (s *summary) ownRates() {
	broken := 0
	for _, o := range s.paced.Rates {
		if o.ShortestGap >= 0 && o.ShortestGap < o.Interval {
			broken++
			s.line("rate of %s NOT kept to: the shortest gap was %s, %s is the least",
				s.cfg.Document.Operations[o.Operation].ID, gap(o.ShortestGap), gap(o.Interval))
		}
	}
	if n := len(s.paced.Rates); n > 0 && broken == 0 {
		s.line("rates of their own kept to: %s", plural(int64(n), "operation"))
	}
}

// rateWords are the rate that is promised, as it was set: "300 a minute".
func rateWords(e *settings.Engine) string {
	if e.Hourly() {
		return number(e.MostRequestsPerHour) + " an hour"
	}
	return number(e.MostRequestsPerMinute) + " a minute"
}

// shortRate is the same for the live line: "300/min".
func shortRate(e *settings.Engine) string {
	if e.Hourly() {
		return number(e.MostRequestsPerHour) + "/h"
	}
	return number(e.MostRequestsPerMinute) + "/min"
}

// keptWords are how many a minute, or an hour, went out in a time.
func keptWords(e *settings.Engine, p *messages.Paced) string {
	seconds, unit := 60.0, "/min"
	if e.Hourly() {
		seconds, unit = 3600, "/h"
	}
	spread := p.LastSentAt.Sub(p.FirstSentAt).Seconds()
	return fmt.Sprintf("kept %s%s", number(int64(float64(p.Sent-1)*seconds/spread)), unit)
}
