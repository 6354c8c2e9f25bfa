package reporter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Comparison is what changed from one report, A, to another, B, of the same API (decision 0023).
type Comparison struct {
	Findings   ComparedFindings   `json:"findings"`
	Operations ComparedOperations `json:"operations"`
	Speed      ComparedSpeed      `json:"speed"`
}

// ComparedFindings are the findings by what became of them. Fixed are those of A that B does not show although it got an
// answer of their operation, NotReached those of operations that B got none of.
type ComparedFindings struct {
	New        []ComparedFinding `json:"new"`
	Fixed      []ComparedFinding `json:"fixed"`
	StillThere []ComparedFinding `json:"stillThere"`
	NotReached []ComparedFinding `json:"notReached"`
}

// ComparedFinding names a finding.
type ComparedFinding struct {
	ID        string `json:"id"`
	Code      string `json:"code"`
	Level     string `json:"level"`
	Certainty string `json:"certainty"`
	Operation string `json:"operation"`
	Status    int    `json:"status"`
	Title     string `json:"title"`
}

// ComparedOperations are the operations that were answered 2xx in one of the two alone.
type ComparedOperations struct {
	Gained []string `json:"gained"`
	Lost   []string `json:"lost"`
}

// ComparedSpeed is how fast the two runs went.
type ComparedSpeed struct {
	RequestsPerSecond ComparedNumber `json:"requestsPerSecond"`
	MeanResponseTime  ComparedText   `json:"meanResponseTime"`
	// MedianResponseTime is that of half of the replies at most; empty where there was none.
	MedianResponseTime ComparedText `json:"medianResponseTime"`
}

// ComparedNumber is a number of each of the two.
type ComparedNumber struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// ComparedText is a duration of each of the two, as ISO 8601 has it.
type ComparedText struct {
	A string `json:"a"`
	B string `json:"b"`
}

// Compare says what changed from a to b. Findings are the same where their ids are.
func Compare(a, b *Report) Comparison {
	c := Comparison{
		Findings: ComparedFindings{
			New: []ComparedFinding{}, Fixed: []ComparedFinding{}, StillThere: []ComparedFinding{}, NotReached: []ComparedFinding{},
		},
		Operations: ComparedOperations{without(succeeded(b), succeeded(a)), without(succeeded(a), succeeded(b))},
		Speed: ComparedSpeed{
			ComparedNumber{perSecond(a), perSecond(b)},
			ComparedText{a.Engine.MeanResponseTime, b.Engine.MeanResponseTime},
			ComparedText{a.Engine.ResponseTimes.median(), b.Engine.ResponseTimes.median()},
		},
	}
	was, answered := map[string]bool{}, map[string]bool{}
	for i := range a.Findings {
		was[a.Findings[i].ID] = true
	}
	for _, op := range b.Operations {
		answered[op.ID] = op.State == "tested"
	}
	is := map[string]bool{}
	for i := range b.Findings {
		f := compared(&b.Findings[i])
		is[f.ID] = true
		if was[f.ID] {
			c.Findings.StillThere = append(c.Findings.StillThere, f)
		} else {
			c.Findings.New = append(c.Findings.New, f)
		}
	}
	for i := range a.Findings {
		switch f := compared(&a.Findings[i]); {
		case is[f.ID]:
		case answered[f.Operation]:
			c.Findings.Fixed = append(c.Findings.Fixed, f)
		default:
			c.Findings.NotReached = append(c.Findings.NotReached, f)
		}
	}
	return c
}

func compared(f *FindingInFull) ComparedFinding {
	c := ComparedFinding{ID: f.ID, Code: f.Code, Level: f.Level, Certainty: f.Certainty, Status: f.Status, Title: f.Title}
	if f.ExchangeTold != nil {
		c.Operation = f.Operation
	}
	return c
}

// NewErrors counts the new findings that fail a comparison: errors that are more than an opinion.
func (c *Comparison) NewErrors() int64 {
	var n int64
	for _, f := range c.Findings.New {
		if f.Level == "error" && f.Certainty != "opinion" {
			n++
		}
	}
	return n
}

// succeeded are the operations that were answered 2xx, in the document's order.
func succeeded(r *Report) []string {
	var ids []string
	for _, op := range r.Operations {
		if op.ByClass.C2xx > 0 {
			ids = append(ids, op.ID)
		}
	}
	return ids
}

func without(ids, others []string) []string {
	left := []string{}
	for _, id := range ids {
		if !slices.Contains(others, id) {
			left = append(left, id)
		}
	}
	return left
}

func perSecond(r *Report) float64 {
	wall, err := parseISO(r.Engine.WallClock)
	if err != nil || wall <= 0 {
		return 0
	}
	return float64(int64(100*float64(r.Engine.RequestsSent)/wall.Seconds()+0.5)) / 100
}

// Text is the comparison for people, in lines; what an API said is in them as it may be shown.
func (c *Comparison) Text(utf8OK bool) string {
	var b strings.Builder
	line := func(format string, args ...any) { b.WriteString(clean(fmt.Sprintf(format, args...), utf8OK) + "\n") }
	list := func(what string, all []ComparedFinding) {
		line("%s: %s", what, plural(int64(len(all)), "finding"))
		for i, f := range all {
			if i == mostFindingsTold {
				line("  and %s more", number(int64(len(all)-i)))
				break
			}
			status := "no reply"
			if f.Status != 0 {
				status = fmt.Sprintf("status %d", f.Status)
			}
			line("  %-7s %s %s, %s: %s (%s)", f.Level, f.Code, f.Operation, status, clip(f.Title, 200), f.ID)
		}
	}
	list("new", c.Findings.New)
	list("fixed", c.Findings.Fixed)
	list("still there", c.Findings.StillThere)
	if len(c.Findings.NotReached) > 0 {
		list("not known, as their operations were not answered this time", c.Findings.NotReached)
	}
	line("operations gained, answered 2xx now and not before: %s", listed(c.Operations.Gained))
	line("operations lost, answered 2xx before and not now: %s", listed(c.Operations.Lost))
	s := &c.Speed
	line("requests a second: %.1f before, %.1f now", s.RequestsPerSecond.A, s.RequestsPerSecond.B)
	line("mean response time: %s before, %s now", lengthOf(s.MeanResponseTime.A), lengthOf(s.MeanResponseTime.B))
	if s.MedianResponseTime.A != "" && s.MedianResponseTime.B != "" {
		line("half of the replies came within: %s before, %s now", lengthOf(s.MedianResponseTime.A), lengthOf(s.MedianResponseTime.B))
	}
	return b.String()
}

func listed(ids []string) string { return cmp.Or(names(ids, mostNames), "none") }

func lengthOf(text string) string {
	d, err := parseISO(text)
	if err != nil {
		return text
	}
	return d.Round(time.Microsecond).String()
}
