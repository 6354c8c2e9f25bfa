package settings

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Print writes the settings as a settings file, each with its meaning. Read back, it gives the same settings. What
// follows other settings is written as a comment, so that it goes on following them; so is a proxy that holds a
// password, which is not printed.
func (g *Given) Print() string {
	var b strings.Builder
	b.WriteString("# Settings of restest. Each line may be left out; --settings reads the file back.\n" +
		"# A value behind a # follows from others: take the # away to name it.\n")
	group := ""
	for i := range table {
		s := &table[i]
		if s.group != group {
			group = s.group
			fmt.Fprintf(&b, "\n%s:\n", group)
		}
		for _, line := range Wrap(s.meaning, 110) {
			fmt.Fprintf(&b, "  # %s\n", line)
		}
		text := g.shown(i)
		switch {
		case g.follows(i):
			fmt.Fprintf(&b, "  # %s: %s\n", s.key, text)
		case text != s.text(&g.Settings):
			fmt.Fprintf(&b, "  # The password is not printed.\n  # %s: %s\n", s.key, yamlText(text))
		case s.kind == isText:
			fmt.Fprintf(&b, "  %s: %s\n", s.key, yamlText(text))
		default:
			fmt.Fprintf(&b, "  %s: %s\n", s.key, text)
		}
	}
	return b.String()
}

// plainText is text that YAML and JSON readers take for nothing but text when it is not quoted.
var plainText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*[/.][A-Za-z0-9./]*$`)

func yamlText(text string) string {
	if plainText.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}

// Wrap breaks text into lines of at most so many characters.
func Wrap(text string, most int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > most {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
