package reporter

// What the program ends with.
const (
	ExitClean       = 0
	ExitErrors      = 1
	ExitUsage       = 2
	ExitNothing     = 3
	ExitFailed      = 4
	ExitRefused     = 5
	ExitInterrupted = 128 + 2  // SIGINT
	ExitTerminated  = 128 + 15 // SIGTERM
)

// ExitCode is a row of ExitCodes.
type ExitCode struct {
	Number  int
	Name    string
	Meaning string
}

// ExitCodes are all that the program ends with, and what each stands for.
var ExitCodes = []ExitCode{
	{ExitClean, "ok", "no errors were found"},
	{ExitErrors, "errors", "errors were found (or warnings, with checks.failOnWarnings)"},
	{ExitUsage, "usage", "the command line, a setting, a key or the document cannot be used; nothing was sent"},
	{ExitNothing, "nothing", "nothing was tested: no request was answered"},
	{ExitFailed, "failed", "the tool itself failed; the report holds what there was"},
	{ExitRefused, "refused", "the API refused the run: 401 to the whole opening lap, nothing but refusals, quiet asked for until after the end, or no more connections"},
	{ExitInterrupted, "interrupted", "stopped by Ctrl-C; the report is marked as cut short"},
	{ExitTerminated, "terminated", "asked to end by a signal; the report is marked as cut short"},
}

// Meaning says what an exit code stands for, "" for one the program does not end with.
func Meaning(exit int) string { return row(exit).Meaning }

// nameOf is the one word for an exit code.
func nameOf(exit int) string { return row(exit).Name }

func row(exit int) ExitCode {
	for _, c := range ExitCodes {
		if c.Number == exit {
			return c
		}
	}
	return ExitCode{}
}
