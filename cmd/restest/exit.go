package main

// What the program ends with.
const (
	exitOK          = 0
	exitErrors      = 1
	exitUsage       = 2
	exitNothing     = 3
	exitFailed      = 4
	exitRefused     = 5
	exitInterrupted = 128 + 2  // SIGINT
	exitTerminated  = 128 + 15 // SIGTERM
)

// exitCode is a row of the table that --help shows.
type exitCode struct {
	Number  int
	Name    string
	Meaning string
}

var exitCodes = []exitCode{
	{exitOK, "ok", "no errors were found"},
	{exitErrors, "errors", "errors were found"},
	{exitUsage, "usage", "the command line, a setting, a key or the document cannot be used; nothing was sent"},
	{exitNothing, "nothing", "nothing was tested"},
	{exitFailed, "failed", "restest itself failed; the report is written all the same"},
	{exitRefused, "refused", "the API refused the run: 401 throughout, nothing but refusals, or a wait beyond the end"},
	{exitInterrupted, "interrupted", "stopped by Ctrl-C; the report is written and says so"},
	{exitTerminated, "terminated", "stopped by a signal; the report is written and says so"},
}

// failure is an error that ends the program with its code. Its text is shown as it is, a problem a line.
type failure struct {
	code int
	text string
}

func (f *failure) Error() string { return f.text }
