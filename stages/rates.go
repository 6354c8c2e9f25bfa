package stages

import (
	"fmt"
	"slices"
	"time"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/settings/document"
)

// OwnRates are the least times between two requests of each operation of the document, by engine.mostRequestsPerMinuteFor;
// 0 for an operation without a rate of its own. The error names what is nothing in the document.
func OwnRates(doc *document.Document, e settings.Engine) ([]time.Duration, error) {
	intervals := make([]time.Duration, len(doc.Operations))
	for _, rate := range e.RatesFor() {
		named := false
		for i, op := range doc.Operations {
			if op.ID == rate.Name || op.Method+" "+op.Path == rate.Name || slices.Contains(op.Tags, rate.Name) {
				named = true
				intervals[i] = max(intervals[i], settings.Interval(time.Minute, rate.PerMinute))
			}
		}
		if !named {
			return nil, fmt.Errorf("engine.mostRequestsPerMinuteFor: %s is no operationId, METHOD /path or tag of the document%s",
				settings.Quote(rate.Name), meant(doc, rate.Name))
		}
	}
	return intervals, nil
}

// meant is what may have been meant by a name, as half a sentence; "" if nothing is near.
func meant(doc *document.Document, name string) string {
	var known []string
	for _, op := range doc.Operations {
		known = append(append(known, op.ID, op.Method+" "+op.Path), op.Tags...)
	}
	if near := settings.Suggest(name, known); near != "" {
		return "; did you mean " + settings.Quote(near) + "?"
	}
	return ""
}
