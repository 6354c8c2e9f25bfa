package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/restest/restest/settings"
)

func (a *app) settingsCommand() *cli.Command {
	return &cli.Command{
		Name:      "settings",
		Usage:     "list the settings: their values, meanings and where they come from",
		ArgsUsage: "[NAME]",
		Description: strings.TrimSpace(`
Lists every setting, one group of them or one alone, with its meaning, its default and where its value came from. A
setting can be given in a file (--settings), in the environment (RESTEST_ENGINE_READTIMEOUT for engine.readTimeout)
and by --set; the later wins. Durations are written 500ms, 30s, 5m, 2h or in bare seconds.`),
		Metadata: map[string]any{"Examples": []string{
			"restest settings",
			"restest settings engine.mostRequestsPerMinute",
			"restest settings engine --settings restest.yaml --set engine.readTimeout=5s",
		}},
		Flags: settingsFlags(),
		ShellComplete: func(ctx context.Context, cmd *cli.Command) {
			cli.DefaultCompleteWithFlags(ctx, cmd)
			if !cmd.Args().Present() {
				fmt.Fprintln(a.out, strings.Join(settings.Names(), "\n"))
			}
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.NArg() > 1 {
				return usage(cmd, "there are %d arguments where one NAME may stand", cmd.NArg())
			}
			in, err := a.settingsInput(cmd)
			if err != nil {
				return err
			}
			given, err := settings.Resolve(in)
			if err != nil {
				return err
			}
			name := strings.TrimSuffix(cmd.Args().First(), ".")
			var shown []settings.Value
			for _, v := range given.All() {
				if name == "" || v.Name == name || strings.HasPrefix(v.Name, name+".") {
					shown = append(shown, v)
				}
			}
			if shown == nil {
				meant := settings.SuggestName(name)
				if !strings.Contains(name, ".") {
					meant = cmp.Or(settings.Suggest(name, groups()), meant)
				}
				if meant != "" {
					return usage(cmd, "%s is not a setting; did you mean %s?", settings.Quote(name), meant)
				}
				return usage(cmd, "%s is not a setting; restest settings lists them all", settings.Quote(name))
			}
			writeSettings(a.out, shown)
			for _, note := range given.Notes() {
				fmt.Fprintln(a.err, note)
			}
			return nil
		},
	}
}

func writeSettings(w io.Writer, values []settings.Value) {
	for i, v := range values {
		if i > 0 {
			fmt.Fprintln(w)
		}
		shown := v.Value
		if shown == "" {
			shown = `""`
		}
		fmt.Fprintf(w, "%s = %s\n", v.Name, shown)
		for _, line := range settings.Wrap(v.Meaning, 100) {
			fmt.Fprintf(w, "    %s\n", line)
		}
		switch v.Origin {
		case settings.FromDefault:
			fmt.Fprintf(w, "    (default)\n")
		case settings.WorkedOut:
			fmt.Fprintf(w, "    (worked out from %s; default %s)\n", v.Where, orEmpty(v.Default))
		default:
			fmt.Fprintf(w, "    (%s, %s; default %s)\n", v.Origin, v.Where, orEmpty(v.Default))
		}
	}
}

// groups are the names of the groups of settings.
func groups() []string {
	var groups []string
	for _, name := range settings.Names() {
		group, _, _ := strings.Cut(name, ".")
		groups = append(groups, group)
	}
	return slices.Compact(groups)
}

func orEmpty(text string) string {
	if text == "" {
		return "empty"
	}
	return text
}

// settingsInput is what the command line, the file it names and the environment say of settings.
func (a *app) settingsInput(cmd *cli.Command) (settings.Input, error) {
	in := settings.Input{File: cmd.String("settings"), Environ: a.environ, Set: cmd.StringSlice("set")}
	if !cmd.IsSet("settings") {
		return in, nil
	}
	var err error
	if in.Content, err = readFile(in.File, mostSettings); err != nil {
		return in, usage(cmd, "--settings %s cannot be read: %v", settings.Quote(in.File), err)
	}
	return in, nil
}
