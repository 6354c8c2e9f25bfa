package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/restest/restest/settings"
	"github.com/restest/restest/stages/reporter"
)

func (a *app) manCommand() *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "write the manual page",
		Description: strings.TrimSpace(`
Writes the manual page to the standard output, made from what --help says of each command.`),
		Metadata: map[string]any{"Examples": []string{
			"restest man | man -l -",
			"restest man > /usr/local/share/man/man1/restest.1",
		}},
		Action: func(_ context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return usage(cmd, "takes no arguments")
			}
			writeMan(a.out, cmd.Root())
			return nil
		},
	}
}

// writeMan writes the page in the language of man(7).
func writeMan(w io.Writer, root *cli.Command) {
	p := manPage{w}
	fmt.Fprintf(w, ".TH RESTEST 1 \"\" \"restest %s\" \"User Commands\"\n", roff(root.Version))
	p.section("NAME")
	p.line("restest \\- " + roff(root.Usage))
	p.section("SYNOPSIS")
	p.line(".B restest")
	p.line("COMMAND [options] [arguments]")
	p.section("DESCRIPTION")
	p.paragraphs(root.Description)
	p.examples(root)
	p.section("COMMANDS")
	for _, cmd := range root.Commands {
		if !cmd.Hidden {
			p.command(cmd)
		}
	}
	p.section("SETTINGS")
	p.paragraphs("A setting stands in a file (--settings), in the environment, or in --set; the later wins.")
	for _, v := range (&settings.Given{Settings: settings.Default()}).All() {
		p.tagged(v.Name, fmt.Sprintf("%s (default: %s)", v.Meaning, v.Default))
	}
	p.section("ENVIRONMENT")
	p.tagged("RESTEST_AUTH", "Keys, a line each, as --auth takes them.")
	p.tagged("RESTEST_GROUP_KEY", "A setting, such as RESTEST_ENGINE_READTIMEOUT for engine.readTimeout.")
	p.tagged("NO_COLOR", "If set, no colours are used.")
	p.tagged("HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "The proxies, as in other programs.")
	p.section("EXIT STATUS")
	for _, c := range reporter.ExitCodes {
		p.tagged(fmt.Sprint(c.Number), c.Meaning)
	}
	p.section("FILES")
	p.tagged("restest-out/report.json", "What was found.")
	p.tagged("restest-out/run.ndjson.zst", "Every exchange.")
}

// manPage writes a manual page.
type manPage struct{ io.Writer }

func (p manPage) line(text string)    { fmt.Fprintln(p, text) }
func (p manPage) section(name string) { p.line(".SH " + name) }

// command writes of a command, and of those beneath it.
func (p manPage) command(cmd *cli.Command) {
	name := cmd.FullName()
	fmt.Fprintf(p, ".SS %s\n", roff(name))
	p.line(roff(cmd.Usage) + ".")
	p.line(".PP")
	text := cmd.UsageText
	if text == "" {
		text = name
		if len(cmd.VisibleFlags()) > 0 {
			text += " [options]"
		}
		text = strings.TrimSpace(text + " " + cmd.ArgsUsage)
	}
	p.line(".B " + roff(text))
	p.paragraphs(cmd.Description)
	for _, f := range cmd.VisibleFlags() {
		left, about := optionWords(f)
		p.tagged(left, about)
	}
	p.examples(cmd)
	for _, sub := range cmd.Commands {
		if !sub.Hidden {
			p.command(sub)
		}
	}
}

func (p manPage) paragraphs(text string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		p.line(".PP")
		for line := range strings.SplitSeq(paragraph, "\n") {
			p.line(roff(strings.TrimSpace(line)))
		}
	}
}

func (p manPage) tagged(tag, text string) {
	p.line(".TP\n.B " + roff(tag))
	p.line(roff(text))
}

func (p manPage) examples(cmd *cli.Command) {
	examples, _ := cmd.Metadata["Examples"].([]string)
	if len(examples) == 0 {
		return
	}
	p.line(".PP\nExamples:\n.PP\n.nf")
	for _, e := range examples {
		p.line("    " + roff(e))
	}
	p.line(".fi")
}

// roff is the text as man(7) shows it: no byte of it is an instruction.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
