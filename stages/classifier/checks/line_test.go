package checks

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestALineIsPrintableAndShort(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, c := range []struct{ value, want string }{
		{"", ""},
		{"plain", "plain"},
		{"  two\r\n\tlines  ", "two lines"},
		{"a\x00b\x1b[31mc", "a b [31mc"},
		{"left\u202eright", "left right"},
		{"caf\xe9", "caf\ufffd"},
		{long, long[:120] + "…"},
		{strings.Repeat("a", 120), strings.Repeat("a", 120)},
		{strings.Repeat("a", 121), "…"},
		{"the key is " + strings.Repeat("s3cr3t", 40), "the key is …"},
		{"key=" + strings.Repeat("s", 200), "…"},
		{`"token":"` + strings.Repeat("s", 200), `"token":"…`},
	} {
		if got := Line(c.value); got != c.want {
			t.Errorf("%.40q: got %q, want %q", c.value, got, c.want)
		}
	}
}

func TestALineStaysALine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := Line(rapid.StringN(0, 400, -1).Draw(t, "text"))
		if Line(line) != line || utf8.RuneCountInString(line) > longestLine+1 {
			t.Fatalf("%q", line)
		}
	})
}
