package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/store/mergedriver"
	"issues-index/store/words"
)

// errConflicts ends merge-driver when it has named the conflicts. It only sets the exit code.
var errConflicts = errors.New("there are conflicts")

func newMergeDriverCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "merge-driver BASE OURS THEIRS [MARKER-SIZE [PATH]]",
		Short: "Merge two versions of a document, for git",
		Long: `Merge-driver is what git runs to merge documents, as %O %A %B %L %P, where it was told to
by init --git. It writes the result to OURS. Keys of the frontmatter are merged one by one:
the later updatedAt and closedAt, labels and links as sets, and a finished status before one
that is not. Of texts it keeps two additions at the end, and merges boxes one by one. Anything
else that both have changed stands between conflict markers. A document that it cannot take
apart is merged line by line, as git does it.

It exits with 1 when there are conflicts. With any other failure OURS is as it was.`,
		Example:            `  issues-index merge-driver base.md ours.md theirs.md`,
		DisableFlagParsing: true, // a path may begin with a hyphen
		Hidden:             true,
		ValidArgsFunction:  cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Equal(args, []string{"--help"}) || slices.Equal(args, []string{"-h"}) {
				return cmd.Help()
			}
			if len(args) < 3 || len(args) > 5 {
				return usage(
					cmd,
					fmt.Sprintf(
						"merge-driver takes three files, the size of markers and a path, not %s", words.Count(len(args), "argument"),
					),
				)
			}
			request := mergedriver.Invocation{Base: args[0], Ours: args[1], Theirs: args[2]}
			name := filepath.Base(request.Ours)
			if len(args) > 3 {
				request.MarkerSize, _ = strconv.Atoi(args[3]) // git's usual size instead of another text
			}
			if len(args) > 4 {
				request.Path, name = args[4], args[4]
			}
			return p.mergeDocument(cmd, name, request)
		},
	}
}

// mergeDocument merges, and says on standard error what a person has to know.
func (p *program) mergeDocument(cmd *cobra.Command, name string, r mergedriver.Invocation) error {
	outcome, err := mergedriver.Merge(cmd.Context(), r)
	if err != nil { // exit code 1 would say that there are markers in the file
		return misused(
			"merge "+name+": "+err.Error(), "it is not merged; git merge-file OURS BASE THEIRS merges it line by line",
		)
	}
	for _, note := range outcome.Notes {
		fmt.Fprintf(p.errOut, "%s: %s\n", terminal.OneLine(name), terminal.OneLine(note))
	}
	if outcome.Conflicts == 0 {
		return nil
	}
	fmt.Fprintf(
		p.errOut, "%s: conflict in %s\n", terminal.OneLine(name), terminal.OneLine(strings.Join(outcome.Conflicted, ", ")),
	)
	return errConflicts
}
