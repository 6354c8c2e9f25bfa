package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"
)

// configureCompletion has the library's own command for shell completion shown, and fail as the others do.
func configureCompletion(cmd *cli.Command) {
	cmd.Hidden = false
	cmd.Usage = "write a completion script for bash, zsh, fish or pwsh"
	cmd.Description = strings.TrimSpace(`
Writes a script to the standard output that has a shell complete the commands and options of restest.`)
	cmd.Metadata = map[string]any{"Examples": []string{
		"source <(restest completion bash)                                    # in ~/.bashrc",
		"source <(restest completion zsh)                                     # in ~/.zshrc",
		"restest completion fish > ~/.config/fish/completions/restest.fish",
	}}
	cmd.ArgsUsage = "bash|zsh|fish|pwsh"
	cmd.HideHelpCommand = true
	cmd.CustomHelpTemplate = commandHelp
	for _, shell := range cmd.Commands {
		shell.Hidden = true // they are among the arguments
		if shell.Name == "bash" {
			shell.Action = func(_ context.Context, cmd *cli.Command) error {
				fmt.Fprint(cmd.Root().Writer, bashCompletion)
				return nil
			}
		}
	}
	cmd.ShellComplete = func(_ context.Context, cmd *cli.Command) {
		if !cmd.Args().Present() {
			fmt.Fprintln(cmd.Root().Writer, "bash\nzsh\nfish\npwsh")
		}
	}
	cmd.Action = func(_ context.Context, cmd *cli.Command) error {
		return usage(cmd, "name one shell: bash, zsh, fish or pwsh")
	}
	prepare(cmd)
}

// bashCompletion needs nothing but bash; the library's own script needs the package bash-completion, too. The program
// gives a candidate a line, with what it means after a colon.
const bashCompletion = `# Completion of restest for bash.
_restest() {
  local word="${COMP_WORDS[COMP_CWORD]}" line candidate
  local -a call=("${COMP_WORDS[@]:0:COMP_CWORD}")
  [[ $word == -* ]] && call+=("$word")
  COMPREPLY=()
  while IFS= read -r line; do
    candidate="${line%%:*}"
    [[ -n $candidate && $candidate == "$word"* ]] && COMPREPLY+=("$candidate")
  done < <("${call[@]}" --generate-shell-completion 2>/dev/null)
}
complete -o bashdefault -o default -F _restest restest
`
