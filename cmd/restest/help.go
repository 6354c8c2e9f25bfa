package main

// The library's own templates leave out examples and exit codes.
const (
	commandHelp = `{{.FullName}} - {{.Usage}}

USAGE:
   {{if .UsageText}}{{.UsageText}}{{else}}{{.FullName}}{{if .VisibleFlags}} [options]{{end}}{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}{{end}}

{{.Description}}
` + examples + options

	rootHelp = `{{.FullName}} {{.Version}} - {{.Usage}}

USAGE:
   restest COMMAND [options] [arguments]

{{.Description}}
` + examples + `
COMMANDS:{{template "visibleCommandTemplate" .}}

   restest COMMAND --help tells more about each.
` + options + `
EXIT CODES:{{range .Metadata.ExitCodes}}
   {{printf "%-4d%-12s %s" .Number .Name .Meaning}}{{end}}
`

	examples = `
EXAMPLES:{{range .Metadata.Examples}}
   {{.}}{{end}}
`

	options = `{{if .VisibleFlags}}
OPTIONS:{{template "visibleFlagTemplate" .}}
{{end}}`
)
