package reporter

import (
	"cmp"
	"slices"
	"strings"

	"github.com/restest/restest/messages"
)

// Dictionary is a file of values that the user gave. Values counts them, Used how often one was sent; NotUsed are those
// that could not be, and why, a line each (decision 0018).
type Dictionary struct {
	File    string   `json:"file"`
	Name    string   `json:"name"`
	Values  int      `json:"values"`
	Used    int64    `json:"used"`
	NotUsed []string `json:"notUsed"`
}

// Learned is what refusals asked for and requests then followed: how many did, and how many of them were answered 2xx.
type Learned struct {
	Operation string `json:"operation"`
	Place     string `json:"place"`
	Wants     string `json:"wants"`
	Followed  int64  `json:"followed"`
	Accepted  int64  `json:"accepted"`
}

const (
	// mostLearned bounds the hints that are counted, mostNotUsed the lines of a dictionary.
	mostLearned = 1000
	mostNotUsed = 1000
	// mostLearnedTold is how many the summary shows.
	mostLearnedTold = 5
)

// fromDictionary is how a value of a dictionary names its source, before the dictionary's name.
const fromDictionary = "dictionary "

// learned counts the hints that were followed and the values of dictionaries that were sent.
type learned struct {
	hints map[learnedKey]*Learned
	used  map[string]int64 // by the dictionary's name
}

type learnedKey struct {
	operation int
	hint      messages.Hint
}

func (l *learned) add(dictionaries []Dictionary, ex *messages.Exchange) {
	if ex.Outcome == messages.NeverSent {
		return
	}
	for _, h := range ex.Request.Hints {
		key := learnedKey{ex.Request.Operation, *h}
		one := l.hints[key]
		if one == nil {
			if len(l.hints) >= mostLearned {
				continue
			}
			if l.hints == nil {
				l.hints = map[learnedKey]*Learned{}
			}
			one = &Learned{}
			l.hints[key] = one
		}
		one.Followed++
		if ex.Reply != nil && class(ex.Reply.Status) == 2 {
			one.Accepted++
		}
	}
	if len(dictionaries) == 0 {
		return
	}
	for _, o := range ex.Request.Origins {
		if name, ok := strings.CutPrefix(o.Source, fromDictionary); ok {
			if l.used == nil {
				l.used = map[string]int64{}
			}
			l.used[name]++
		}
	}
}

// learnedTold are the hints followed, those of most accepted requests first.
func (r *Reporter) learnedTold() []Learned {
	told := []Learned{}
	keys := make([]learnedKey, 0, len(r.learned.hints))
	for key := range r.learned.hints {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b learnedKey) int {
		x, y := r.learned.hints[a], r.learned.hints[b]
		return cmp.Or(cmp.Compare(y.Accepted, x.Accepted), cmp.Compare(y.Followed, x.Followed), cmp.Compare(a.operation, b.operation),
			cmp.Compare(a.hint.Place, b.hint.Place), cmp.Compare(a.hint.Wants, b.hint.Wants))
	})
	for _, key := range keys {
		one := *r.learned.hints[key]
		one.Operation = r.cfg.Document.Operations[key.operation].ID
		one.Place, one.Wants = r.mask.Text(key.hint.Place), r.mask.Text(clip(key.hint.Wants, longestWords))
		told = append(told, one)
	}
	return told
}

func (r *Reporter) dictionariesTold() []Dictionary {
	told := []Dictionary{}
	for _, d := range r.cfg.Dictionaries {
		d.Used = r.learned.used[d.Name]
		d.File, d.NotUsed = r.mask.Text(d.File), append([]string{}, d.NotUsed[:min(len(d.NotUsed), mostNotUsed)]...)
		for i, line := range d.NotUsed {
			d.NotUsed[i] = r.mask.Text(line)
		}
		told = append(told, d)
	}
	return told
}

// taught are the lines on dictionaries and on what was learned from refusals.
func (s *summary) taught() {
	for _, d := range s.dictionariesTold() {
		line := plural(int64(d.Values), "value") + ", sent " + plural(d.Used, "time")
		if n := len(d.NotUsed); n > 0 {
			line += ", " + plural(int64(n), "line") + " on what is not used"
		}
		s.line("dictionary %s: %s", d.Name, line)
	}
	told := s.learnedTold()
	if len(told) == 0 {
		return
	}
	s.line("learned from replies:")
	for i, one := range told {
		if i == mostLearnedTold {
			s.line("  and %s", plural(int64(len(told)-i), "more hint"))
			break
		}
		s.line("  %s: %s %s (%s, %s answered 2xx)", one.Operation, one.Place, clip(one.Wants, 100), plural(one.Followed, "request"), number(one.Accepted))
	}
}
