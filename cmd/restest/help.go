package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/reporter"
)

// The library's own templates leave out examples and exit codes, and do not wrap.
const (
	commandHelp = `{{.FullName}} - {{.Usage}}

USAGE:
   {{if .UsageText}}{{.UsageText}}{{else}}{{.FullName}}{{if .VisibleFlags}} [options]{{end}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}{{end}}

{{.Description}}
` + examples + options

	// parentHelp is for a command with others beneath it.
	parentHelp = commandHelp + `
COMMANDS:{{template "visibleCommandTemplate" .}}
`

	rootHelp = `{{.FullName}} {{.Version}} - {{.Usage}}

USAGE:
   restest COMMAND [options] [arguments]

{{.Description}}
` + examples + `
COMMANDS:{{template "visibleCommandTemplate" .}}

   restest COMMAND --help tells more about each.
` + options + `
EXIT CODES:
{{.Metadata.ExitCodes}}`

	examples = `
EXAMPLES:{{range .Metadata.Examples}}
   {{.}}{{end}}
`

	options = `{{if .VisibleFlags}}
OPTIONS:
{{range .VisibleFlags}}{{call $.Metadata.Option .}}{{end}}{{end}}`
)

// The library has no other way to have it show a template of ours there.
func init() { cli.SubcommandHelpTemplate = parentHelp }

// helpWidth is how wide lines of the help may be.
const helpWidth = 120

// optionHelp is what the help says of an option.
func optionHelp(f cli.Flag) string {
	left, text := optionWords(f)
	if left == "" {
		return ""
	}
	return columns(left, 25, text)
}

// optionWords are an option's names with the name of its value, and what it is for.
func optionWords(f cli.Flag) (left, text string) {
	about, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return "", ""
	}
	var names []string
	for _, name := range f.Names() {
		if len(name) == 1 {
			names = append(names, "-"+name)
		} else {
			names = append(names, "--"+name)
		}
	}
	// What stands in backquotes is the name of the value.
	text = about.GetUsage()
	if before, rest, quoted := strings.Cut(text, "`"); quoted {
		value, after, _ := strings.Cut(rest, "`")
		names[len(names)-1] += " " + value
		text = before + value + after
	}
	value := about.GetDefaultText()
	if s, ok := f.(*cli.StringFlag); ok {
		value = cmp.Or(value, s.Value)
	}
	if value != "" {
		text += " (default: " + value + ")"
	}
	return strings.Join(names, ", "), text
}

// exitCodesHelp is what the help says of the exit codes.
func exitCodesHelp() string {
	var b strings.Builder
	for _, c := range reporter.ExitCodes {
		b.WriteString(columns(fmt.Sprintf("%-4d%s", c.Number, c.Name), 16, c.Meaning))
	}
	return b.String()
}

// columns are lines with a word to the left and a text to the right of it.
func columns(left string, width int, text string) string {
	var b strings.Builder
	for _, line := range settings.Wrap(text, helpWidth-3-width) {
		fmt.Fprintf(&b, "   %-*s%s\n", width, left, line)
		left = ""
	}
	return b.String()
}
