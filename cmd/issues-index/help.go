package main

import (
	"strings"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"
)

// reflowed breaks the paragraphs of a text anew; those with a line that is set in
// stay as they are.
func reflowed(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, paragraph := range paragraphs {
		if strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") {
			continue
		}
		var lines []string
		for _, word := range strings.Fields(paragraph) {
			if last := len(lines) - 1; last >= 0 && uniseg.StringWidth(lines[last]+" "+word) <= width {
				lines[last] += " " + word
			} else {
				lines = append(lines, word)
			}
		}
		paragraphs[i] = strings.Join(lines, "\n")
	}
	return strings.Join(paragraphs, "\n\n")
}

// explainHelp gives cobra's help command an example, and an exit code for what
// is no command.
func explainHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	help.Short = "Show help for a command"
	help.Long = "Help shows what a command does and how to use it, as its --help does."
	help.Example = `  issues-index help list
  issues-index help sessions show`
	help.Run = nil
	help.RunE = func(_ *cobra.Command, args []string) error {
		cmd, rest, err := root.Find(args)
		if err != nil {
			return err
		}
		if err := knownCommand(cmd, rest); err != nil {
			return err
		}
		cmd.InitDefaultHelpFlag()
		return cmd.Help()
	}
}

// setups are the lines that switch completion on in each shell, for good.
var setups = map[string]string{
	"bash": `  issues-index completion bash > ~/.local/share/bash-completion/completions/issues-index
  source <(issues-index completion bash)`,
	"zsh":        `  issues-index completion zsh > "${fpath[1]}/_issues-index"`,
	"fish":       `  issues-index completion fish > ~/.config/fish/completions/issues-index.fish`,
	"powershell": `  issues-index completion powershell | Out-String | Invoke-Expression`,
}

// explainCompletion does the same for cobra's completion command.
func explainCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	completion.Short = "Print a script that completes commands, ids and values in a shell"
	completion.Long = `Completion prints a script for a shell. Tab then completes commands and flags, ids of
documents (with their titles), statuses, labels and projects.`
	completion.Args = knownCommand
	completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	var lines []string
	for _, shell := range completion.Commands() {
		shell.Short = "Print the script for " + shell.Name()
		shell.Long = "Start a new shell when the script is where it belongs."
		if shell.Name() == "bash" {
			shell.Long = "The script needs the package bash-completion. " + shell.Long
		}
		shell.Example = setups[shell.Name()]
		shell.Args = arguments(0, 0, "no arguments")
		first, _, _ := strings.Cut(shell.Example, "\n")
		lines = append(lines, first)
	}
	completion.Example = strings.Join(lines, "\n")
}
