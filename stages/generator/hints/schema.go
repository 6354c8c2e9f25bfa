package hints

import (
	"encoding/json"
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/restest/restest/settings/document"
)

// Narrow adds what is wanted to a schema for a place whose values are of the types. It says whether that can mean
// anything there.
func (w Want) Narrow(s *document.Schema, types []string) bool {
	has := func(name string) bool {
		return slices.Contains(types, name) || name == "integer" && slices.Contains(types, "number")
	}
	number, text := has("integer"), has("string")
	switch w.Kind {
	case Required:
		return true
	case OneOf:
		return w.narrowValues(s, w.Values, has)
	case AtLeast, AtMost, MoreThan, LessThan:
		bound, ok := rational(w.Bound)
		if !ok || !number {
			return false
		}
		switch w.Kind {
		case AtLeast:
			s.Minimum = bound
		case AtMost:
			s.Maximum = bound
		case MoreThan:
			s.ExclusiveMinimum = bound
		default:
			s.ExclusiveMaximum = bound
		}
	case NoShorter, NoLonger, NoFewer, NoMore:
		n, err := strconv.ParseInt(w.Bound, 10, 32)
		switch least := w.Kind == NoShorter || w.Kind == NoFewer; {
		case err != nil || n < 0 || n > mostLength && least:
			return false
		case w.Kind == NoShorter && text:
			s.MinLength = n
		case w.Kind == NoLonger && text:
			s.MaxLength = n
		case w.Kind == NoFewer && has("array"):
			s.MinItems = n
		case w.Kind == NoMore && has("array"):
			s.MaxItems = n
		default:
			return false
		}
	case Matching:
		if !text || !safePattern(w.Text) {
			return false
		}
		s.Pattern = w.Text
	case Formatted:
		k := byName[w.Text]
		if k == nil || !text {
			return false
		}
		s.Format, s.Pattern = k.format, k.pattern
		if k.values != nil {
			return w.narrowValues(s, k.values, has)
		}
	case Typed:
		switch {
		case has(w.Text):
			s.Types = []string{w.Text}
		case text && wordsOfType[w.Text] != "":
			s.Pattern = wordsOfType[w.Text]
		default:
			return false
		}
	default:
		return false
	}
	return true
}

// mostLength is the longest text or list that a reply can ask for.
const mostLength = 10_000

// wordsOfType are patterns for values of the type where they are written as text.
var wordsOfType = map[string]string{
	"integer": `^(0|[1-9][0-9]{0,3})$`,
	"number":  `^[1-9][0-9]{0,2}(\.[0-9]{1,2})?$`,
	"boolean": `^(true|false)$`,
}

func (w Want) narrowValues(s *document.Schema, listed []string, has func(string) bool) bool {
	s.HasEnum, s.Enum = true, nil
	for _, v := range listed {
		if has("string") {
			s.Enum = append(s.Enum, v)
		}
		if n := json.Number(v); has("integer") && isNumber(v) {
			s.Enum = append(s.Enum, n)
		}
		if has("boolean") && (v == "true" || v == "false") {
			s.Enum = append(s.Enum, v == "true")
		}
	}
	if len(s.Enum) == 0 {
		s.HasEnum = false
		return false
	}
	return true
}

// plainNumber keeps exponents out: an API could write one that fills the memory.
var plainNumber = regexp.MustCompile(`^-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,20})?$`)

func isNumber(s string) bool { return plainNumber.MatchString(s) }

func rational(s string) (*big.Rat, bool) {
	if !isNumber(s) {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// safePattern says whether a pattern that an API wrote can be matched in reasonable time by backtracking: it repeats
// without end only a few times, and never what can match in several ways, unless each round begins with a character of
// its own. Looking ahead counts as a part like another.
func safePattern(expr string) bool {
	if len(expr) == 0 || len(expr) > longestRule {
		return false
	}
	plain := strings.NewReplacer("(?=", "(?:", "(?!", "(?:").Replace(expr)
	tree, err := syntax.Parse(plain, syntax.Perl)
	if err != nil {
		return false
	}
	endless := 0
	return safe(tree, &endless) && endless <= 8
}

func safe(e *syntax.Regexp, endless *int) bool {
	repeats := e.Op == syntax.OpStar || e.Op == syntax.OpPlus || e.Op == syntax.OpRepeat && (e.Max < 0 || e.Max > 16)
	if repeats {
		*endless++
		if varies(e.Sub[0]) && !beginsApart(e.Sub[0]) {
			return false
		}
	}
	for _, sub := range e.Sub {
		if !safe(sub, endless) {
			return false
		}
	}
	return true
}

// varies says whether the expression can match in more ways than one: then, repeated without end, it has a number of
// ways that doubles with each character.
func varies(e *syntax.Regexp) bool {
	switch e.Op {
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpAlternate:
		return true
	case syntax.OpRepeat:
		if e.Min != e.Max {
			return true
		}
	}
	return slices.ContainsFunc(e.Sub, varies)
}

// beginsApart says whether the expression begins with a literal that none of the character classes after it hold.
func beginsApart(e *syntax.Regexp) bool {
	for e.Op == syntax.OpCapture {
		e = e.Sub[0]
	}
	if e.Op != syntax.OpConcat || e.Sub[0].Op != syntax.OpLiteral {
		return false
	}
	first := e.Sub[0].Rune[0]
	return !slices.ContainsFunc(e.Sub[1:], func(sub *syntax.Regexp) bool { return holds(sub, first) })
}

func holds(e *syntax.Regexp, r rune) bool {
	switch e.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpLiteral:
		return slices.Contains(e.Rune, r)
	case syntax.OpCharClass:
		for i := 0; i+1 < len(e.Rune); i += 2 {
			if e.Rune[i] <= r && r <= e.Rune[i+1] {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(e.Sub, func(sub *syntax.Regexp) bool { return holds(sub, r) })
}
