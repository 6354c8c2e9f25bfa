package values

import (
	"math/rand/v2"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
)

// pattern is a regular expression of ECMA-262 with its flag u, which texts are matched with and made from.
type pattern struct {
	source  string
	matcher *regexp2.Regexp
	root    *piece
	// looks is true if it looks ahead or behind, so that the pieces alone do not say what matches.
	looks bool
	// hopeless is true once matching has taken longer than anybody waits: nothing is matched with it again.
	hopeless bool
	err      error
}

// matchPatience is how long one match may take. Backtracking can take ages on a few dozen characters; that is a fault
// of the pattern, and no text is called fitting then.
const matchPatience = time.Second

func (a *Shapes) pattern(expr string) (*pattern, error) {
	p, ok := a.patterns[expr]
	if !ok {
		p = newPattern(expr)
		a.patterns[expr] = p
	}
	return p, p.err
}

func newPattern(expr string) *pattern {
	const ecma = regexp2.ECMAScript | regexp2.Unicode
	p := &pattern{source: expr}
	matcher, err := regexp2.Compile(expr, ecma)
	if err != nil {
		// Many documents escape characters that flag u does not let them escape; engines without it read these.
		var again error
		if matcher, again = regexp2.Compile(expr, regexp2.ECMAScript); again != nil {
			p.err = err
			return p
		}
	}
	matcher.MatchTimeout = matchPatience
	p.matcher = matcher
	tree, err := syntax.Parse(expr, syntax.ParseOptions{RegexOptions: syntax.ECMAScript | syntax.Unicode})
	if err != nil {
		tree, err = syntax.Parse(expr, syntax.ParseOptions{RegexOptions: syntax.ECMAScript})
	}
	if err != nil {
		p.err = err
		return p
	}
	p.root = p.piece(tree.Root)
	return p
}

func (p *pattern) fits(t string) bool {
	if p.hopeless {
		return false
	}
	ok, err := p.matcher.MatchString(t)
	if err != nil {
		p.hopeless = true
	}
	return ok && err == nil
}

// draw makes a text that is likely to match, of low to high code points; try counts how often it has failed.
func (p *pattern) draw(r *rand.Rand, low, high, try int) string {
	d := patternDraw{r: r, mixed: p.looks, looks: p.looks && try%3 == 2}
	switch try % 4 {
	case 0:
		d.spread = max(6, low)
	case 1:
		d.spread = max(2, 2*low)
	case 2:
		d.spread = 3 * max(4, low)
	case 3:
		d.spread = 0
	}
	d.spread = min(d.spread, max(high, 0))
	d.write(p.root)
	t := string(d.text)
	if missing := low - len(d.text); missing > 0 {
		// Where the pattern is not anchored, more text around it does no harm.
		if try%2 == 0 {
			t += phrase(r, missing, missing)
		} else {
			t = phrase(r, missing, missing) + t
		}
	}
	return t
}

// piece is one part of a pattern to make text from.
type piece struct {
	kind     pieceKind
	text     []rune
	chars    *charset
	min, max int
	group    int
	parts    []*piece
}

type pieceKind byte

const (
	nothing pieceKind = iota
	literal
	oneChar // repeated min to max times
	sequence
	alternative
	repeat
	capture
	reference
	lookAhead
)

func (p *pattern) piece(n *syntax.RegexNode) *piece {
	switch n.T {
	case syntax.NtOne:
		return &piece{kind: literal, text: []rune{n.Ch}}
	case syntax.NtMulti:
		return &piece{kind: literal, text: n.Str}
	case syntax.NtSet:
		return &piece{kind: oneChar, chars: charsIn(n.Set.Contains), min: 1, max: 1}
	case syntax.NtNotone:
		return &piece{kind: oneChar, chars: charsIn(func(c rune) bool { return c != n.Ch }), min: 1, max: 1}
	case syntax.NtOneloop, syntax.NtOnelazy, syntax.NtOneloopatomic:
		return &piece{kind: oneChar, chars: &charset{classes: [][]rune{{n.Ch}}}, min: n.M, max: n.N}
	case syntax.NtSetloop, syntax.NtSetlazy, syntax.NtSetloopatomic:
		return &piece{kind: oneChar, chars: charsIn(n.Set.Contains), min: n.M, max: n.N}
	case syntax.NtNotoneloop, syntax.NtNotonelazy, syntax.NtNotoneloopatomic:
		return &piece{kind: oneChar, chars: charsIn(func(c rune) bool { return c != n.Ch }), min: n.M, max: n.N}
	case syntax.NtConcatenate, syntax.NtGroup, syntax.NtAtomic:
		return &piece{kind: sequence, parts: p.pieces(n.Children)}
	case syntax.NtAlternate:
		return &piece{kind: alternative, parts: p.pieces(n.Children)}
	case syntax.NtLoop, syntax.NtLazyloop:
		return &piece{kind: repeat, parts: p.pieces(n.Children), min: n.M, max: n.N}
	case syntax.NtCapture:
		return &piece{kind: capture, parts: p.pieces(n.Children), group: n.M}
	case syntax.NtRef:
		return &piece{kind: reference, group: n.M}
	case syntax.NtPosLook:
		p.looks = true
		return &piece{kind: lookAhead, parts: p.pieces(n.Children)}
	case syntax.NtNegLook:
		p.looks = true
	}
	return &piece{} // anchors and boundaries: matching tells
}

func (p *pattern) pieces(nodes []*syntax.RegexNode) []*piece {
	parts := make([]*piece, len(nodes))
	for i, n := range nodes {
		parts[i] = p.piece(n)
	}
	return parts
}

// charset holds the characters to choose from, by class: the classes are chosen between first.
type charset struct{ classes [][]rune }

func charsIn(in func(rune) bool) *charset {
	var small, large, digit, sign []rune
	for c := rune('!'); c <= '~'; c++ {
		switch {
		case !in(c):
		case 'a' <= c && c <= 'z':
			small = append(small, c)
		case 'A' <= c && c <= 'Z':
			large = append(large, c)
		case '0' <= c && c <= '9':
			digit = append(digit, c)
		default:
			sign = append(sign, c)
		}
	}
	s := &charset{}
	for _, class := range [][]rune{small, large, digit, sign} {
		if len(class) > 0 {
			s.classes = append(s.classes, class)
		}
	}
	if len(s.classes) > 0 {
		return s
	}
	for _, part := range [][2]rune{{' ', ' '}, {0xa1, 0x2fff}, {0x3000, utf8.MaxRune}, {0, 0xa0}} {
		var other []rune
		for c := part[0]; c <= part[1] && len(other) < 64; c++ {
			if utf8.ValidRune(c) && in(c) {
				other = append(other, c)
			}
		}
		if len(other) > 0 {
			s.classes = append(s.classes, other)
			return s
		}
	}
	return s
}

func (s *charset) draw(r *rand.Rand, mixed bool) (rune, bool) {
	if len(s.classes) == 0 {
		return 0, false
	}
	class := s.classes[0]
	if len(s.classes) > 1 && (mixed || r.IntN(3) == 0) {
		class = s.classes[r.IntN(len(s.classes))]
	}
	return class[r.IntN(len(class))], true
}

// patternDraw is one text being made.
type patternDraw struct {
	r      *rand.Rand
	text   []rune
	groups map[int][]rune
	// spread is how many more times than asked for something is repeated at most.
	spread int
	// mixed asks for characters of all classes alike, as rules for passwords want them; looks for the text of
	// look-aheads to be made too.
	mixed, looks bool
}

func (d *patternDraw) times(p *piece) int {
	low, high := p.min, p.max
	if high > low+d.spread || high < low {
		high = low + d.spread
	}
	return low + d.r.IntN(high-low+1)
}

func (d *patternDraw) write(p *piece) {
	if len(d.text) > mostText {
		return
	}
	switch p.kind {
	case literal:
		d.text = append(d.text, p.text...)
	case oneChar:
		for range d.times(p) {
			c, ok := p.chars.draw(d.r, d.mixed)
			if !ok || len(d.text) > mostText {
				return
			}
			d.text = append(d.text, c)
		}
	case sequence:
		d.writeAll(p.parts)
	case alternative:
		d.write(p.parts[d.r.IntN(len(p.parts))])
	case repeat:
		for range d.times(p) {
			if len(d.text) > mostText {
				return
			}
			d.writeAll(p.parts)
		}
	case capture:
		start := len(d.text)
		d.writeAll(p.parts)
		if p.group > 0 {
			if d.groups == nil {
				d.groups = map[int][]rune{}
			}
			d.groups[p.group] = append([]rune(nil), d.text[start:]...)
		}
	case reference:
		d.text = append(d.text, d.groups[p.group]...)
	case lookAhead:
		if d.looks {
			d.writeAll(p.parts)
		}
	}
}

func (d *patternDraw) writeAll(parts []*piece) {
	for _, p := range parts {
		d.write(p)
	}
}

// matches says whether the text fits the pattern, where that can be told.
func (a *Shapes) matches(expr, t string) (fits, known bool) {
	p, err := a.pattern(expr)
	if err != nil {
		return false, false
	}
	return p.fits(t), true
}

// readable says whether the text holds no control characters.
func readable(t string) bool {
	return !strings.ContainsFunc(t, func(c rune) bool { return c < ' ' || c == 0x7f })
}
