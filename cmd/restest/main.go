// Command restest tests an API by its OpenAPI document: it invents requests, sends them at a rate it can promise, and
// reports what is wrong with the replies.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/reporter"
)

func main() { os.Exit(run(os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr)) }

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// app is one call of the program.
type app struct {
	streams
	environ []string
	// code is what the program ends with.
	code int
}

// run is the whole program: it returns the exit code.
func run(args, environ []string, in io.Reader, out, err io.Writer) int {
	checked := &checkedWriter{Writer: out}
	a := &app{streams: streams{in, checked, err}, environ: environ}
	failed := a.root().Run(context.Background(), args)
	switch {
	case checked.err != nil:
		fmt.Fprintln(a.err, "restest: the standard output could not be written:", reason(checked.err))
		return reporter.ExitFailed
	case failed != nil:
		return a.fail(failed)
	}
	return a.code
}

// checkedWriter remembers the first error of a writer, so that those who print need not look.
type checkedWriter struct {
	io.Writer
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// fail says what went wrong on the standard error and returns the code for it.
func (a *app) fail(err error) int {
	fmt.Fprintln(a.err, err)
	var failed *failure
	if errors.As(err, &failed) {
		return failed.code
	}
	return reporter.ExitUsage
}

func (a *app) root() *cli.Command {
	root := &cli.Command{
		Name:    "restest",
		Usage:   "test an API by its OpenAPI document",
		Version: version(),
		Description: strings.TrimSpace(`
restest reads an OpenAPI document, invents requests, sends them to the API at an even rate, leaves alone what asks to
be left alone, judges every reply, and reports the faults it found. Point it at an API you may test.`),
		Metadata: map[string]any{"Examples": []string{
			"restest demo                                               # see it work, on an API of its own",
			"restest run openapi.yaml --url http://localhost:8080       # test an API for a minute",
			"restest document openapi.yaml                              # what can be tested; sends nothing",
		}, "ExitCodes": exitCodesHelp()},
		CustomRootCommandHelpTemplate: rootHelp,
		Commands: []*cli.Command{
			a.runCommand(), a.replayCommand(), a.baselineCommand(), a.demoCommand(), a.reportCommand(), a.compareCommand(), a.simCommand(), a.limiterCommand(), a.documentCommand(), a.settingsCommand(), a.manCommand(), a.versionCommand(),
		},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: configureCompletion,
		Reader:                          a.in,
		Writer:                          a.out,
		ErrWriter:                       a.err,
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return unknownCommand(cmd, cmd.Args().First())
			}
			cmd.Root().Writer = a.err // without a command there is nothing it could have done well
			a.code = reporter.ExitUsage
			return cli.ShowRootCommandHelp(cmd)
		},
		CommandNotFound: func(_ context.Context, cmd *cli.Command, name string) {
			a.code = a.fail(unknownCommand(cmd, name))
		},
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // run says it, once
	}
	for _, cmd := range root.Commands {
		helped(cmd)
	}
	prepare(root)
	return root
}

// helped has a command and those beneath it helped with as the project helps.
func helped(cmd *cli.Command) {
	cmd.HideHelpCommand = true
	cmd.CustomHelpTemplate = commandHelp
	for _, sub := range cmd.Commands {
		helped(sub)
	}
}

// prepare sets on each command what the library does not hand down from a command to those beneath it.
func prepare(cmd *cli.Command) {
	cmd.OnUsageError = usageError
	if cmd.Metadata == nil {
		cmd.Metadata = make(map[string]any)
	}
	cmd.Metadata["Option"] = optionHelp
	// A comma belongs to the value: of a header, of a list in a setting.
	cmd.DisableSliceFlagSeparator = true
	for _, sub := range cmd.Commands {
		prepare(sub)
	}
}

// usage is a mistake on the command line.
func usage(cmd *cli.Command, format string, args ...any) error {
	return &failure{reporter.ExitUsage, cmd.FullName() + ": " + fmt.Sprintf(format, args...)}
}

// usageError says in one line what the library found wrong with the options.
func usageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	text := err.Error()
	if name, unknown := strings.CutPrefix(text, "flag provided but not defined: -"); unknown {
		// An option after a misspelled command is of that command, not of this one.
		if cmd.Root() == cmd && cmd.Args().Present() {
			return unknownCommand(cmd, cmd.Args().First())
		}
		var options []string
		for _, flag := range cmd.VisibleFlags() {
			options = append(options, flag.Names()[0])
		}
		name = strings.TrimLeft(name, "-")
		if meant := settings.Suggest(name, options); meant != "" {
			return usage(cmd, "%s is not an option; did you mean --%s?", settings.Quote("--"+name), meant)
		}
		return usage(cmd, "%s is not an option; %s --help lists them", settings.Quote("--"+name), cmd.FullName())
	}
	if name, lacking := strings.CutPrefix(text, "flag needs an argument: "); lacking {
		return usage(cmd, "--%s needs a value", strings.TrimLeft(name, "-"))
	}
	// Every other option is a text to the library, which can find no fault in it.
	if _, name, invalid := strings.Cut(text, " for flag -"); invalid {
		name, _, _ = strings.Cut(name, ":")
		return usage(cmd, "--%s is a switch; leave out the value", name)
	}
	return usage(cmd, "%s", strings.Join(strings.Fields(text), " "))
}

func unknownCommand(cmd *cli.Command, name string) error {
	var commands []string
	for _, sub := range cmd.Root().Commands {
		commands = append(commands, sub.Name)
	}
	if meant := settings.Suggest(name, commands); meant != "" {
		return usage(cmd.Root(), "%s is not a command; did you mean %s?", settings.Quote(name), meant)
	}
	return usage(cmd.Root(), "%s is not a command; restest --help lists them", settings.Quote(name))
}
