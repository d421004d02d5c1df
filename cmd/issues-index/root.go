package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newRootCommand builds the command tree over p.
func newRootCommand(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:   "issues-index",
		Short: "An index over Markdown issues, served to agents and people",
		Long: `issues-index reads the issues, specifications and ideas of a workspace: Markdown
files with YAML frontmatter, by default below .wrangler/. The files are the
truth; the index beside them can be deleted at any time.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: 2,
	}
	root.SetOut(p.out)
	root.SetErr(p.errOut)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, err.Error()) })

	flags := root.PersistentFlags()
	flags.StringVar(&p.workspace, "workspace", "", "workspace `directory` (default: $WRANGLER_WORKSPACE_ROOT, else the nearest one with .wrangler/, else the git root)")
	flags.StringVar(&p.config, "config", "", "configuration `file`, YAML or JSON (default: $ISSUES_INDEX_CONFIG, else .wrangler/config/issues-index.yaml)")
	p.settingFlags(flags, "db")
	flags.BoolVar(&p.json, "json", false, "print JSON instead of text")

	root.AddCommand(
		newServeCommand(p),
		newListCommand(p),
		newSearchCommand(p),
		newShowCommand(p),
		newNewCommand(p),
		newSetCommand(p),
		newDoneCommand(p),
		newDeleteCommand(p),
		newStatsCommand(p),
		newCheckCommand(p),
		newSessionsCommand(p),
		newConfigCommand(p),
		newRebuildCommand(p),
		newHealthCommand(p),
		newTelemetryCommand(p),
		newSQLCommand(p),
		newVersionCommand(p),
	)
	return root
}

// knownCommand refuses what is no command, and names what was perhaps meant.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	f := usage(cmd, fmt.Sprintf("unknown command %q", args[0]))
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		f.hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return f
}

// arguments returns a check for the number of positional arguments (most -1:
// any number) that says what is wanted.
func arguments(least, most int, wanted string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return usage(cmd, fmt.Sprintf("%s takes %s, not %d arguments", cmd.Name(), wanted, len(args)))
		}
		return nil
	}
}
