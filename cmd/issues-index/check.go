package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/index/repair"
	"issues-index/store"
	"issues-index/store/history"
)

func newCheckCommand(p *program) *cobra.Command {
	var fix, yes, dryRun bool
	var ids repair.DuplicateOptions
	var since, references, fingerprint string
	cmd := &cobra.Command{
		Use:   "check [CODE...]",
		Short: "List every problem in the workspace, and fix some; exit 1 if there is any",
		Long: `Check lists each document with one of these problems: its frontmatter cannot be read;
its id is also another document's, or disagrees with its file name; its status, priority
or type is unknown; its status disagrees with its folder; its parent does not exist. It
changes nothing. Check also gives hints, which do not change the exit code: about a closed
document with open boxes, a Markdown link to a missing document, and an open document that a
commit of the main branch closes (its message has Closes or Fixes, and the id).
With codes, such as merge-conflict, it lists and fixes only problems of these kinds.

With --fix it shows what it would change, asks, and makes exactly these changes. Without
a terminal to ask on it needs --yes. With --dry-run, or without --yes, it only shows
them. It fixes these problems, where that needs no guessing:

` + fixRules() + `
You have to fix everything else; check says how. A frontmatter that cannot be read is
never changed otherwise. A file that only moves keeps its bytes and times. In a file that is
edited, only the lines shown change. No file is overwritten. Commit your documents
first: git takes changes back.

check --fix duplicate-id gives documents that share an id new ones, but for one of them, and
has each reference name the document that its author meant, as git tells it. References that
git cannot tell apart are listed. The rules are in docs/git.md.

With --since it lists only problems that this branch has added, what is not committed
included, and fails only for these: a check for hooks and servers. Hints are left out.

The exit code is 0 when no problem is left, 1 when there is one, and 2 for a usage
error.`,
		Example: `  issues-index check
  issues-index check --json
  issues-index check --since origin/main
  issues-index check --fix --dry-run
  issues-index check --fix --yes
  issues-index check --fix merge-conflict
  issues-index check --fix duplicate-id
  issues-index check --fix duplicate-id --keep .wrangler/issues/ISS-000002-rain.md`,
		Args: func(cmd *cobra.Command, args []string) error {
			for _, code := range args {
				if !slices.Contains(problemCodes(), code) {
					return usage(cmd, "unknown problem code "+shellWord(code), "the codes are "+strings.Join(problemCodes(), ", "))
				}
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions(problemCodes(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			codes := make([]store.ProblemCode, len(args))
			for i, code := range args {
				codes[i] = store.ProblemCode(code)
			}
			changed := cmd.Flags().Changed
			duplicates := fix && slices.Contains(codes, repair.DuplicateID)
			for _, name := range []string{"yes", "dry-run"} {
				if changed(name) && !fix {
					return usage(cmd, "--"+name+" goes with --fix")
				}
			}
			for _, name := range []string{"keep", "references", "if-fingerprint"} {
				if changed(name) && !duplicates {
					return usage(cmd, "--"+name+" goes with --fix duplicate-id")
				}
			}
			if err := cmp.Or(exclusive(cmd, "dry-run", "yes"), exclusive(cmd, "fix", "since")); err != nil {
				return err
			}
			ctx := cmd.Context()
			switch {
			case duplicates && len(codes) > 1:
				return usage(cmd, "--fix duplicate-id fixes no problems of other kinds: run it alone")
			case duplicates:
				ids.Repository = references != ""
				return p.fixDuplicates(ctx, ids, fingerprint, yes, dryRun)
			case fix:
				return p.checkAndFix(ctx, codes, yes, dryRun)
			}
			report, err := p.check(ctx, since, codes)
			if err != nil {
				return err
			}
			return errors.Join(p.printReport(report, nil), problemsLeft(report))
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&fix, "fix", false, "fix what can be fixed without guessing, after showing it")
	flags.BoolVarP(&yes, "yes", "y", false, "with --fix: do not ask")
	flags.BoolVar(&dryRun, "dry-run", false, "with --fix: show the changes and make none")
	flags.StringVar(
		&since, "since", "", "list only problems that were not there where this branch and a commit, branch or tag part",
	)
	flags.StringArrayVar(
		&ids.Keep, "keep", nil, "with --fix duplicate-id: the `path` of a document that keeps its id; can be repeated",
	)
	p.choice(
		flags, &references, "references", "", "",
		"with --fix duplicate-id: change references in other Markdown files that git tracks, too", "repo",
	)
	flags.StringVar(
		&fingerprint, "if-fingerprint", "",
		"with --fix duplicate-id: make the changes only if they are those that were shown with this fingerprint",
	)
	return cmd
}

// problemCodes are the codes of problems.
func problemCodes() []string {
	codes := make([]string, len(repair.Kinds))
	for i, k := range repair.Kinds {
		codes[i] = string(k.Code)
	}
	return codes
}

// fixRules returns the rules by which problems are fixed, for the help.
func fixRules() string {
	var b strings.Builder
	for _, k := range repair.Kinds {
		if k.Rule != "" {
			fmt.Fprintf(&b, "  %s\n", k.Code)
			for line := range strings.SplitSeq(terminal.Reflowed(k.Rule, 76), "\n") {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
	}
	return b.String()
}

// check lists the problems of the workspace, and says so when it has no documents: only those of some
// codes if there are any, and only those that were not there where this branch left a revision, unless
// that is "".
func (p *program) check(
	ctx context.Context, since string, codes []store.ProblemCode,
) (report *repair.Report, err error) {
	err = p.withIndex(ctx, func(ix *index.Index) error {
		if since != "" {
			report, err = repair.CheckSince(ctx, ix, time.Now(), strings.TrimSuffix(since, "...")+"...", codes...)
			return err
		}
		report, err = repair.Check(ctx, ix, time.Now(), codes...)
		if err == nil && p.published != "" {
			err = report.AddUnpublished(ctx, ix, p.published)
		}
		if err == nil && report.Total == 0 && !p.json {
			err = p.printNoDocuments(ctx, ix, index.Query{}, nil)
		}
		return err
	})
	if unknown := (*history.RevisionError)(nil); errors.As(err, &unknown) {
		return nil, failed("--since "+terminal.OneLine(since)+": "+terminal.OneLine(unknown.Reason),
			"git branch --all lists the branches that this clone knows; git fetch gets others")
	}
	return report, err
}

// problemsLeft returns the error that sets the exit code.
func problemsLeft(r *repair.Report) error {
	if len(r.Problems) > 0 {
		return errProblems
	}
	return nil
}

// checkAndFix shows the changes, asks, makes them, and says what is left. It makes exactly
// the changes that were agreed to: a document that changes meanwhile is left out.
func (p *program) checkAndFix(ctx context.Context, codes []store.ProblemCode, yes, dryRun bool) error {
	report, err := p.check(ctx, "", codes)
	if err != nil {
		return err
	}
	if len(report.Changes) == 0 {
		return errors.Join(p.printReport(report, newFixedJSON(nil, nil)), problemsLeft(report))
	}
	if err := p.showChanges(func(page *terminal.Page) { layChanges(page, report) }); err != nil {
		return err
	}
	if !p.agree(ctx, len(report.Changes), yes, dryRun) {
		if p.json {
			err = p.printReport(report, newFixedJSON(report.Changes, nil))
		}
		return errors.Join(err, errProblems)
	}
	var errs []error
	err = p.withWriter(ctx, func(ctx context.Context, ix *index.Index, _ *edit.Writer) error {
		removeStaleTempFiles(ctx, ix, p.notes(slog.LevelWarn))
		var behind error
		errs, behind = repair.Fix(ctx, ix, report.Changes)
		p.noteBehind(behind)
		return nil
	})
	if err != nil {
		return err
	}
	// After an interrupt it matters all the more what was done.
	left, err := p.check(context.WithoutCancel(ctx), "", codes)
	if err != nil {
		return err
	}
	if p.json {
		return errors.Join(p.printReport(left, newFixedJSON(report.Changes, errs)), problemsLeft(left))
	}
	return errors.Join(
		p.print(nil, func(page *terminal.Page) { layMade(page, report.Changes, errs, left) }), problemsLeft(left),
	)
}

// showChanges shows a person the changes. Changes that nobody has seen are not made.
func (p *program) showChanges(lay func(*terminal.Page)) error {
	if p.json {
		return nil
	}
	if err := p.print(nil, lay); err != nil {
		return failed(fmt.Sprintf("show the changes: %v", err), "nothing was changed; let standard output go elsewhere")
	}
	return nil
}

// agree reports whether so many changes are to be made, and asks where there is a terminal.
func (p *program) agree(ctx context.Context, changes int, yes, dryRun bool) bool {
	these := verb(changes, "this change", fmt.Sprintf("these %d changes", changes))
	if yes || !dryRun && !p.json && p.asks() && p.confirm(ctx, "Make "+these+"? [y/N] ") {
		return true
	}
	if !p.json {
		p.tell("Nothing was changed. With --yes these changes are made.")
	}
	return false
}

// changeReason says why one change was not made.
func changeReason(err error) string {
	var conflict *store.ConflictError
	var disk *store.DiskError
	switch {
	case errors.As(err, &conflict):
		return conflict.Path + " " + conflict.Reason
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.As(err, &disk):
		return disk.Error()
	case errors.Is(err, fs.ErrNotExist):
		return "it is no longer there"
	}
	return err.Error()
}
