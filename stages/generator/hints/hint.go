// Package hints reads in a refusal what the next request had better hold: which field, and what it wanted.
//
// It knows the shapes in which common frameworks report problems, and the sentences they write. What it does not know
// says nothing; whoever uses a hint tries it, and drops it when it does not help.
package hints

import (
	"slices"
	"strconv"
	"strings"
)

// Hint is one thing that a reply asked for.
type Hint struct {
	// In is where the field is: "query", "path", "header", "cookie" or "body"; "" where the reply does not say.
	In string
	// Path are the names that lead to the field, from outside in, indexes left out. It is empty where the reply names
	// no field, or means the whole body (In is "body" then).
	Path []string
	// Maybe are words of a sentence, one of which may be the field's name, or the value that was refused; the likeliest first.
	Maybe []string
	Want  Want
}

// Kind is what sort of thing is wanted.
type Kind int

// The kinds.
const (
	// Required: it is to be sent.
	Required Kind = iota
	// Unwanted: it is not to be sent.
	Unwanted
	// OneOf: it is to be one of Values.
	OneOf
	// AtLeast and AtMost: a number is to be Bound or more, or less.
	AtLeast
	AtMost
	// MoreThan and LessThan: a number is to be above Bound, or below.
	MoreThan
	LessThan
	// NoShorter and NoLonger: a text is to have at least, or at most, Bound characters.
	NoShorter
	NoLonger
	// NoFewer and NoMore: a list is to have at least, or at most, Bound items.
	NoFewer
	NoMore
	// Matching: a text is to match the pattern Text (ECMA-262).
	Matching
	// Formatted: it is to be of the format Text, one of those in formats.go.
	Formatted
	// Typed: it is to be of the JSON type Text.
	Typed
	// Taken: the value is in use already, another is wanted.
	Taken
)

// Want is what a field is to be.
type Want struct {
	Kind   Kind
	Values []string
	Bound  string // a decimal number
	Text   string
}

// String says it in words that follow the field's name.
func (w Want) String() string {
	switch w.Kind {
	case Required:
		return "is sent"
	case Unwanted:
		return "is left out"
	case OneOf:
		return "is one of " + strings.Join(w.Values, ", ")
	case AtLeast:
		return "is at least " + w.Bound
	case AtMost:
		return "is at most " + w.Bound
	case MoreThan:
		return "is more than " + w.Bound
	case LessThan:
		return "is less than " + w.Bound
	case NoShorter:
		return "has at least " + w.Bound + " characters"
	case NoLonger:
		return "has at most " + w.Bound + " characters"
	case NoFewer:
		return "has at least " + w.Bound + " items"
	case NoMore:
		return "has at most " + w.Bound + " items"
	case Matching:
		return "matches " + w.Text
	case Formatted:
		return "is a " + w.Text
	case Typed:
		return "is of type " + w.Text
	case Taken:
		return "is another each time"
	}
	return "kind " + strconv.Itoa(int(w.Kind))
}

// String is for tests and logs.
func (h Hint) String() string {
	at := strings.Join(h.Path, ".")
	if h.In != "" {
		at = strings.TrimSuffix(h.In+"."+at, ".")
	}
	if len(h.Maybe) > 0 {
		at += "?" + strings.Join(h.Maybe, "|")
	}
	return at + " " + h.Want.String()
}

// The bounds of what is taken from one reply, whatever it holds.
const (
	mostHints   = 32
	mostNodes   = 2000  // JSON values looked at
	mostDepth   = 12    // levels of them
	mostText    = 2000  // bytes of one message
	mostRead    = 8000  // bytes of all messages
	mostBody    = 64000 // bytes of a body that is text
	mostValues  = 64    // of OneOf
	longestName = 128
	longestWord = 100 // bytes of a value
	longestRule = 200 // bytes of a pattern
	mostMaybes  = 8
)

// list gathers hints, each once.
type list struct {
	hints []Hint
	read  int // bytes of messages so far
}

func (l *list) add(h Hint) {
	if len(l.hints) >= mostHints || h.In == "" && len(h.Path) == 0 && len(h.Maybe) == 0 {
		return
	}
	for _, name := range h.Path {
		if len(name) > longestName {
			return
		}
	}
	for _, known := range l.hints {
		if known.In == h.In && slices.Equal(known.Path, h.Path) && slices.Equal(known.Maybe, h.Maybe) && known.Want.equal(h.Want) {
			return
		}
	}
	l.hints = append(l.hints, h)
}

func (w Want) equal(v Want) bool {
	return w.Kind == v.Kind && w.Bound == v.Bound && w.Text == v.Text && slices.Equal(w.Values, v.Values)
}
