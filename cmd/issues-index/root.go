package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// newRootCommand builds the command tree over p.
func newRootCommand(p *program) *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "issues-index",
		Short: "An index over Markdown issues, served to agents and people",
		Long: `issues-index reads the issues, specifications and ideas of a workspace: Markdown files
with YAML frontmatter, by default in .wrangler/. The files are the source of truth. You
can delete the index at any time.

Without a command, on a terminal, it shows what is in progress, which claims
have lapsed, and what is ready.`,
		Example: `  issues-index list --status open
  issues-index search git hooks
  issues-index serve --workspace /path/to/your/repository`,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return p.prepareOutput(cmd) },

		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				return p.printVersion()
			}
			if terminal.Is(p.out) && !p.json {
				return p.overview(cmd.Context())
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
	flags.StringVar(
		&p.workspace, "workspace", "",
		"workspace `directory`, or a name from your own configuration (default: $WRANGLER_WORKSPACE_ROOT, else the "+
			"nearest one with .wrangler/, else the git root)",
	)
	flags.StringVar(
		&p.config, "config", "",
		"configuration `file`, YAML or JSON (default: $ISSUES_INDEX_CONFIG, else .wrangler/config/issues-index.yaml)",
	)
	flags.StringVar(
		&p.envFile, "env-file", "",
		"your `file` of variables (default: $ISSUES_INDEX_ENV_FILE, else .env in the working directory, which may set less)",
	)
	p.settingFlags(flags, "db")
	flags.BoolVar(&p.json, "json", false, "print JSON instead of text")
	flags.StringVar(&p.jq, "jq", "", "print what this `filter` of jq takes from the JSON")

	group(
		root, "Look:", newListCommand(p), newReadyCommand(p), newBlockedCommand(p), newSearchCommand(p), newShowCommand(p),
		newDepsCommand(p), newHistoryCommand(p), newDiffCommand(p), newStatsCommand(p), newCheckCommand(p), newWebCommand(p),
		newExportCommand(p),
	)
	group(
		root, "Change:", newNewCommand(p), newSetCommand(p), newDepCommand(p), newEditCommand(p), newAppendCommand(p),
		newTickCommand(p), newUntickCommand(p), newDoneCommand(p), newReopenCommand(p), newDeleteCommand(p),
		newUndoCommand(p),
	)
	group(root, "Work:", newClaimCommand(p), newReleaseCommand(p))
	group(
		root, "Agents:", newServeCommand(p), newHubCommand(p), newTokenCommand(p), newPrimeCommand(p), newSessionsCommand(p),
		newHealthCommand(p), newTelemetryCommand(p),
	)
	group(root, "Team:", newPublishCommand(p), newClusterCommand(p))
	group(
		root, "The index and the program:", newInitCommand(p), newSQLCommand(p), newRebuildCommand(p), newConfigCommand(p),
		newMergeDriverCommand(p), newVersionCommand(p),
	)
	root.SetHelpCommandGroupID(root.Groups()[len(root.Groups())-1].ID)
	root.SetCompletionCommandGroupID(root.Groups()[len(root.Groups())-1].ID)
	explainHelp(root)
	explainCompletion(root)
	print := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) { // wrap only the text that is shown
		cmd.Long = terminal.Reflowed(cmd.Long, p.helpWidth())
		p.nameOwnWords(cmd)
		print(cmd, args)
	})
	return root
}

// nameOwnWords puts the statuses and priorities of the workspace into the help of the flags
// that take them.
func (p *program) nameOwnWords(cmd *cobra.Command) {
	usual, own := layout.Default(), p.workspaceLayout()
	for _, flag := range []struct {
		name                   string
		usual, own             []string
		usualChoice, ownChoice string // where none is given
	}{
		{"status", usual.StatusNames(), own.StatusNames(), usual.DefaultStatus(), own.DefaultStatus()},
		{"priority", usual.Priorities, own.Priorities, usual.DefaultPriority(), own.DefaultPriority()},
	} {
		f := cmd.Flags().Lookup(flag.name)
		if f == nil {
			continue
		}
		f.Usage = strings.Replace(f.Usage, strings.Join(flag.usual, ", "), terminal.OneLine(strings.Join(flag.own, ", ")), 1)
		if f.DefValue == flag.usualChoice {
			f.DefValue = terminal.OneLine(flag.ownChoice)
		}
	}
}

// group adds commands under a title of the help.
func group(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, cmd := range commands {
		cmd.GroupID = title
	}
	root.AddCommand(commands...)
}

// helpWidth returns the greatest width of the help.
func (p *program) helpWidth() int {
	if width := p.screen().Width; width > 0 {
		return min(width, terminal.Measure)
	}
	return 80
}

// arguments checks the number of positional arguments, with no limit for most -1. Its
// error says what is wanted.
func arguments(least, most int, wanted string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return usage(cmd, fmt.Sprintf("%s takes %s, not %s", cmd.Name(), wanted, words.Count(len(args), "argument")))
		}
		return nil
	}
}

// noArguments checks that a command has none.
var noArguments = arguments(0, 0, "no arguments")

// showHelp is what a command does that only holds others.
func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// explainHelp gives cobra's help command an example, and an error for an unknown command.
func explainHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	help.Short = "Show help for a command"
	help.Long = "Help shows what a command does and how to use it. It is the same as --help."
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

// version is the release that CHANGELOG.md describes last. The build of a release sets it again,
// from its tag.
var version = "0.1.0"

func newVersionCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Version prints what a bug report needs: the release, the commit, the version of Go and the system.",
		Example: `  issues-index version --json`,
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return p.printVersion() },
	}
}

func (p *program) printVersion() error {
	v := struct {
		Version string `json:"version"`
		Commit  string `json:"commit,omitempty"`
		Go      string `json:"go"`
		System  string `json:"system"`
	}{version, commit(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	return p.print(v, func(page *terminal.Page) {
		in := ""
		if v.Commit != "" {
			in = " (" + v.Commit + ")"
		}
		page.Line("issues-index %s%s %s %s", version, in, v.Go, v.System)
	})
}

// commit returns the revision that the program was built from, "" when it is unknown.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(len(s.Value), 12)]
		}
	}
	return ""
}
