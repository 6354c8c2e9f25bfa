package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v3"
)

func (a *app) limiterCommand() *cli.Command {
	return &cli.Command{
		Name:  "limiter",
		Usage: "serve rate limiters to try clients on",
		Description: strings.TrimSpace(`
Serves an API that does nothing but limit: restest limiter serve.`),
		Metadata: map[string]any{"Examples": []string{
			"restest limiter serve --all --limit 10 --window 2s",
		}},
		Commands: []*cli.Command{a.limiterServeCommand()},
		Action: func(_ context.Context, cmd *cli.Command) error {
			return usage(cmd, "name what to do; restest limiter serve serves limiters")
		},
	}
}
