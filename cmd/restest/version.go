package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v3"
)

// unreleased is the version of a program that was not built from a release.
const unreleased = "3.0-dev"

// released is the version that a release is built with (-ldflags "-X main.released=…"), "" for any other build.
var released string

func (a *app) versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "say which version this is",
		Description: strings.TrimSpace(`
Says which version of restest this is, what it was built from, and with which Go.`),
		Metadata: map[string]any{"Examples": []string{"restest version"}},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return usage(cmd, "takes no arguments")
			}
			fmt.Fprintf(a.out, "restest version %s\n", version())
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						fmt.Fprintf(a.out, "commit %s\n", s.Value)
					}
				}
			}
			fmt.Fprintf(a.out, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}

// version is the release the program was built from.
func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return unreleased
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}
