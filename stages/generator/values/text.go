package values

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// mostText is the longest text that is made when a schema asks for a long one, in code points.
const mostText = 100_000

// textPlan says which texts fit.
type textPlan struct {
	low, high int // code points; high is at most mostText
	formats   []*format
	patterns  []*pattern
	// sure is a text that fits, for when chance finds none; it is there where a pattern or a format is to be kept.
	sure string
}

// sureTries is how often a text is tried before none is said to fit.
const sureTries = 400

func (s *Shape) planText() string {
	low, high := int64(0), int64(-1)
	p := &textPlan{}
	for _, m := range s.members {
		low = max(low, m.MinLength)
		if m.MaxLength >= 0 && (high < 0 || m.MaxLength < high) {
			high = m.MaxLength
		}
		if f := formats[m.Format]; f != nil && !slices.Contains(p.formats, f) {
			p.formats = append(p.formats, f)
		}
		if m.Pattern != "" {
			pattern, err := s.all.pattern(m.Pattern)
			if err != nil {
				return fmt.Sprintf("its pattern %q cannot be read: %v", m.Pattern, err)
			}
			if !slices.Contains(p.patterns, pattern) {
				p.patterns = append(p.patterns, pattern)
			}
		}
	}
	if high >= 0 && low > high {
		return fmt.Sprintf("minLength %d is above maxLength %d", low, high)
	}
	if low > mostText {
		return fmt.Sprintf("minLength %d asks for a longer text than is ever sent (%d)", low, mostText)
	}
	p.low = int(low)
	p.high = mostText
	if high >= 0 && high < mostText {
		p.high = int(high)
	}
	if len(p.patterns)+len(p.formats) > 0 && !p.findSure() {
		return "no text was found that " + p.asks(high)
	}
	s.text = p
	return ""
}

// findSure looks for a text that fits. What it finds hangs on the plan alone.
func (p *textPlan) findSure() bool {
	d := &Draw{Rand: rand.New(rand.NewPCG(1, 1))}
	for try := range sureTries {
		if t := d.candidate(p, try); p.fits(t) {
			p.sure = t
			return true
		}
	}
	return false
}

// asks says in words what a text has to be; high is -1 without a bound.
func (p *textPlan) asks(high int64) string {
	var asked []string
	for _, r := range p.patterns {
		asked = append(asked, "matches the pattern "+r.source)
	}
	for _, f := range p.formats {
		asked = append(asked, "is of format "+f.name)
	}
	if p.low > 0 {
		asked = append(asked, fmt.Sprintf("has at least %d characters", p.low))
	}
	if high >= 0 {
		asked = append(asked, fmt.Sprintf("has at most %d characters", high))
	}
	return strings.Join(asked, " and ")
}

// drawText makes a text, of the kind where one is given and fits.
func (d *Draw) drawText(s *Shape, k *kind) string {
	p := s.text
	if len(p.formats) == 1 && len(p.patterns) == 0 && p.low == 0 && p.high == mostText {
		return p.formats[0].draw(d.Rand, false) // it knows its own
	}
	if k != nil && k.text != nil && len(p.formats) == 0 {
		for range 3 {
			if t := k.text(d.Rand); p.fits(t) {
				return t
			}
		}
	}
	if len(p.patterns)+len(p.formats) > 0 {
		for try := range d.tries() {
			if t := d.candidate(p, try); p.fits(t) {
				return t
			}
		}
		return p.sure
	}
	high := max(p.low, min(p.high, d.all.limits.LongestText))
	low := max(p.low, min(1, high))
	if d.edge() {
		if d.Rand.IntN(2) == 0 {
			low = high
		} else {
			high = low
		}
	}
	return phrase(d.Rand, low, high)
}

// candidate makes a text from one of what it has to fit; the patterns and formats take turns, and then all patterns
// one after the other, since each often speaks of a part of the text.
func (d *Draw) candidate(p *textPlan, try int) string {
	n := len(p.patterns) + len(p.formats)
	if len(p.patterns) > 1 {
		n++
	}
	i, round := try%n, try/n
	switch {
	case i < len(p.patterns):
		return p.patterns[i].draw(d.Rand, p.low, p.high, round)
	case i < len(p.patterns)+len(p.formats):
		return p.formats[i-len(p.patterns)].draw(d.Rand, round%2 == 1)
	}
	var all string
	for _, one := range p.patterns {
		all += one.draw(d.Rand, 0, p.high, round)
	}
	return all
}

// fits says whether a text can be sent as this one.
func (p *textPlan) fits(t string) bool {
	n := utf8.RuneCountInString(t)
	if n < p.low || n > p.high || !readable(t) {
		return false
	}
	for _, f := range p.formats {
		if !f.fits(t) {
			return false
		}
	}
	for _, r := range p.patterns {
		if !r.fits(t) {
			return false
		}
	}
	return true
}
