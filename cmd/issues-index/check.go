package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/index"
	"issues-index/index/repair"
)

func newCheckCommand(p *program) *cobra.Command {
	var (
		fix, yes, dryRun bool
		undo             string
	)
	cmd := &cobra.Command{
		Use:   "check",
		Short: "List every problem in the workspace, and fix some; exit 1 if there is any",
		Long: `Check lists each document with unreadable frontmatter, an id that others have
too or that disagrees with its file name, an unknown status, priority or type, a
status that disagrees with its folder, or a parent that does not exist. It
changes nothing.

With --fix it shows what it would change, asks, and makes exactly these changes.
Where there is no terminal to ask on it needs --yes; without it, and with --dry-run,
it only shows them.
It fixes what can be fixed without guessing:

` + fixRules() + `
Everything else needs you; check says what to do. A frontmatter that cannot be read is
never written to. A file that only moves keeps its bytes and times; in one that is
edited only the lines shown change. No file is overwritten. Before the first change the
old lines and places are written to .wrangler/cache. --undo with that file takes the
changes back, except in documents that were changed since.

The exit code is 0 when no problem is left, 1 when there is one, and 2 for a usage
error.`,
		Example: `  issues-index check
  issues-index check --json
  issues-index check --fix --dry-run
  issues-index check --fix
  issues-index check --fix --yes
  issues-index check --undo .wrangler/cache/undo-20260215T100000.000Z.json`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			undoes := cmd.Flags().Changed("undo")
			switch {
			case yes && !fix:
				return usage(cmd, "--yes goes with --fix")
			case dryRun && !fix:
				return usage(cmd, "--dry-run goes with --fix")
			case dryRun && yes:
				return usage(cmd, "--dry-run and --yes exclude each other")
			case fix && undoes:
				return usage(cmd, "--fix and --undo exclude each other")
			case undoes && undo == "":
				return usage(cmd, "--undo needs the file that --fix named")
			case undoes:
				return p.undoFixes(ctx, undo)
			case fix:
				return p.checkAndFix(ctx, yes, dryRun)
			}
			report, err := p.look(ctx)
			if err != nil {
				return err
			}
			if err := p.printReport(report); err != nil {
				return err
			}
			return problemsLeft(report)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&fix, "fix", false, "fix what can be fixed without guessing, after showing it")
	flags.BoolVarP(&yes, "yes", "y", false, "with --fix: do not ask")
	flags.BoolVar(&dryRun, "dry-run", false, "with --fix: show the changes and make none")
	flags.StringVar(&undo, "undo", "", "take back what --fix did, by the `file` that it named")
	return cmd
}

// fixRules are the rules by which problems are mended, for the help.
func fixRules() string {
	var b strings.Builder
	for _, k := range repair.Kinds {
		if k.Rule != "" {
			fmt.Fprintf(&b, "  %s\n", k.Code)
			for line := range strings.SplitSeq(reflowed(k.Rule, 76), "\n") {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
	}
	return b.String()
}

// look lists the problems of the workspace, and says when it has no documents.
func (p *program) look(ctx context.Context) (report *repair.Report, err error) {
	err = p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
		report, err = repair.Look(ctx, ix, time.Now())
		if err == nil && report.Total == 0 && !p.json {
			err = p.sayNothingFound(ctx, ix, index.Query{})
		}
		return err
	})
	return report, err
}

// problemsLeft is the error that makes the exit code.
func problemsLeft(r *repair.Report) error {
	if len(r.Problems) > 0 {
		return errProblems
	}
	return nil
}
