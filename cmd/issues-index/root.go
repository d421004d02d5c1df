package main

import (
	"fmt"
	"strings"

	"issues-index/store/words"

	"github.com/spf13/cobra"
)

// newRootCommand builds the command tree over p.
func newRootCommand(p *program) *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "issues-index",
		Short: "An index over Markdown issues, served to agents and people",
		Long: `issues-index reads the issues, specifications and ideas of a workspace: Markdown
files with YAML frontmatter, by default below .wrangler/. The files are the
truth; the index beside them can be deleted at any time.`,
		Example: `  issues-index list --status open
  issues-index search git hooks
  issues-index serve --workspace /path/to/your/repository`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				return p.printVersion()
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&showVersion, "version", false, "print the version")
	root.SetOut(p.out)
	root.SetErr(p.errOut)
	root.SetFlagErrorFunc(wrongFlag)
	root.SetUsageTemplate(strings.NewReplacer(
		".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", p.helpWidth()),
		`[command] --help" for more information`, `<command> --help" for more`,
	).Replace(root.UsageTemplate()))

	flags := root.PersistentFlags()
	flags.StringVar(&p.workspace, "workspace", "", "workspace `directory` (default: $WRANGLER_WORKSPACE_ROOT, else the nearest one with .wrangler/, else the git root)")
	flags.StringVar(&p.config, "config", "", "configuration `file`, YAML or JSON (default: $ISSUES_INDEX_CONFIG, else .wrangler/config/issues-index.yaml)")
	flags.StringVar(&p.envFile, "env-file", "", "`file` of variables that is yours (default: $ISSUES_INDEX_ENV_FILE, else .env of the working directory, which may set less)")
	p.settingFlags(flags, "db")
	flags.BoolVar(&p.json, "json", false, "print JSON instead of text")

	group(root, "Look:", newListCommand(p), newSearchCommand(p), newShowCommand(p), newStatsCommand(p), newCheckCommand(p))
	group(root, "Change:", newNewCommand(p), newSetCommand(p), newDoneCommand(p), newDeleteCommand(p))
	group(root, "Agents:", newServeCommand(p), newSessionsCommand(p), newHealthCommand(p), newTelemetryCommand(p))
	group(root, "The index and the program:", newSQLCommand(p), newRebuildCommand(p), newConfigCommand(p), newVersionCommand(p))
	root.SetHelpCommandGroupID(root.Groups()[len(root.Groups())-1].ID)
	root.SetCompletionCommandGroupID(root.Groups()[len(root.Groups())-1].ID)
	explainHelp(root)
	explainCompletion(root)
	p.completeFlags(root)
	print := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) { // one text, not all of them at every start
		cmd.Long = reflowed(cmd.Long, p.helpWidth())
		print(cmd, args)
	})
	return root
}

// group adds commands below a title of the help.
func group(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, cmd := range commands {
		cmd.GroupID = title
	}
	root.AddCommand(commands...)
}

// helpWidth is how wide the help may be.
func (p *program) helpWidth() int {
	if width := p.screen().width; width > 0 {
		return min(width, measure)
	}
	return 80
}

// arguments returns a check for the number of positional arguments (most -1:
// any number) that says what is wanted.
func arguments(least, most int, wanted string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return usage(cmd, fmt.Sprintf("%s takes %s, not %s", cmd.Name(), wanted, words.Count(len(args), "argument")))
		}
		return nil
	}
}
