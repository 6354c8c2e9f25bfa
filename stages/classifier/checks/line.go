package checks

import (
	"strings"
	"unicode"
)

// longestLine is how many runes of a value are shown.
const longestLine = 120

// Line is s as one printable line of at most longestLine runes. What is longer is cut where a word ends: half of a
// word could be half of a secret, which nobody can mask any more.
func Line(s string) string {
	var line strings.Builder
	n, gap := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			gap = n > 0
			continue
		}
		if gap {
			line.WriteByte(' ')
			n, gap = n+1, false
		}
		if n++; n > longestLine {
			return strings.TrimRightFunc(line.String(), inWord) + "…"
		}
		line.WriteRune(r)
	}
	return line.String()
}

// inWord says whether a rune may belong to a word, as the letters of keys and tokens do.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.~+/=", r)
}

// excerpt is the beginning of a body, in one line.
func excerpt(body []byte) string { return Line(string(body[:min(len(body), 16*longestLine)])) }
