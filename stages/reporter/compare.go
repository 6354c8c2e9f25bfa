package reporter

import (
	"strings"
	"time"
)

// SideBySide is a table of how runs of the same API went, a column each under its name.
func SideBySide(names []string, results []Result) string {
	cells := [][]string{append([]string{""}, names...)}
	row := func(name string, of func(*Result) string) {
		line := []string{name}
		for i := range results {
			line = append(line, of(&results[i]))
		}
		cells = append(cells, line)
	}
	counted := func(name string, of func(*Result) int64) { row(name, func(r *Result) string { return number(of(r)) }) }
	some := func(name string, of func(*Result) int64) {
		for i := range results {
			if of(&results[i]) > 0 {
				counted(name, of)
				return
			}
		}
	}
	counted("requests", func(r *Result) int64 { return r.Totals.Requests })
	counted("refused", func(r *Result) int64 { return r.Totals.Refused })
	counted("2xx", func(r *Result) int64 { return r.Totals.ByClass.C2xx })
	some("3xx", func(r *Result) int64 { return r.Totals.ByClass.C3xx })
	some("4xx, the refused among them", func(r *Result) int64 { return r.Totals.ByClass.C4xx })
	some("5xx", func(r *Result) int64 { return r.Totals.ByClass.C5xx })
	some("other statuses", func(r *Result) int64 { return r.Totals.ByClass.C1xx + r.Totals.ByClass.Other })
	some("no reply", func(r *Result) int64 { return r.Totals.NoReply })
	some("never sent", func(r *Result) int64 { return r.Totals.NeverSent })
	counted("waits of operations", func(r *Result) int64 {
		var times int64
		for _, w := range r.Paced.Waits {
			times += int64(w.Times)
		}
		return times
	})
	row("  together", func(r *Result) string {
		var lasted time.Duration
		for _, w := range r.Paced.Waits {
			lasted += w.Lasted
		}
		return seconds(lasted)
	})
	counted("waits of the whole API", func(r *Result) int64 { return int64(r.Paced.WholeAPI.Times) })
	row("  together", func(r *Result) string { return seconds(r.Paced.WholeAPI.Lasted) })
	some("waits foreseen", func(r *Result) int64 {
		times := int64(r.Paced.WholeAPIForeseen.Times)
		for _, w := range r.Paced.Foreseen {
			times += int64(w.Times)
		}
		return times
	})
	row("sending lasted", func(r *Result) string { return seconds(time.Duration(r.Paced.StoppedAt)) })
	row("idle", func(r *Result) string { return seconds(r.Paced.Idle) })
	row("  waiting as the API asked", func(r *Result) string { return seconds(r.Paced.IdleAsked) })
	row("  keeping to the rate", func(r *Result) string { return seconds(r.Paced.IdleRate) })
	counted("errors found", func(r *Result) int64 { return r.Errors })
	counted("warnings found", func(r *Result) int64 { return r.Warnings })
	some("replies invented", func(r *Result) int64 {
		if r.Simulated == nil {
			return 0
		}
		return r.Simulated.Invented
	})
	return strings.Join(aligned(cells), "\n") + "\n"
}
