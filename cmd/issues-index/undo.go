package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/undo"
)

func newUndoCommand(p *program) *cobra.Command {
	var dryRun, skip, list bool
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Take back what the last command changed",
		Long: `Undo takes back what the last command or page of this program changed in the documents of
the workspace, all of it: each file gets the text and the place that it had. A new document
goes, a deleted one comes back. If one of them has changed since, undo names it and changes
nothing. With --skip, undo forgets that change, and the next undo is about the change before.

Once more, undo takes back the change before that one. The last 20 are kept, in
.wrangler/cache, and --list shows them; those of agents and editors are not. A change that was taken back
cannot be had again.`,
		Example: `  issues-index undo
  issues-index undo --dry-run
  issues-index undo --list
  issues-index undo --skip`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(exclusive(cmd, "dry-run", "skip"), exclusive(cmd, "list", "dry-run", "skip")); err != nil {
				return err
			}
			if list {
				return p.withWorkspace(p.listUndo)
			}
			ctx := cmd.Context()
			return p.withIndex(ctx, func(ix *index.Index) error {
				last, err := p.undo(ctx, ix, dryRun, skip)
				if err != nil {
					return undoError(err)
				}
				return p.printUndone(last, dryRun, skip)
			})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be taken back")
	cmd.Flags().BoolVar(&list, "list", false, "list the changes that can be taken back, the last one first")
	cmd.Flags().BoolVar(&skip, "skip", false, "forget the last change, and leave the documents as they are")
	return cmd
}

func (p *program) undo(ctx context.Context, ix *index.Index, dryRun, skip bool) (last *undo.Undoable, err error) {
	switch {
	case dryRun:
		return undo.Last(ctx, ix.Workspace())
	case skip:
		err = undo.Skip(ctx, ix.Workspace(), func(e *undo.Undoable) error {
			last = e
			return nil
		})
		return last, err
	}
	err = undo.TakeBack(ctx, ix.Workspace(), func(e *undo.Undoable) error {
		last = e
		behind, err := edit.New(ix, edit.LockWait).Revert(ctx, e.Changes)
		p.noteBehind(behind)
		return err
	})
	return last, err
}

// undoError says what to do when a change cannot be taken back.
func undoError(err error) error {
	var changed *store.ConflictError
	switch {
	case errors.Is(err, undo.ErrNothing):
		return failed(
			"there is no change to take back",
			"undo knows the last changes of this program's commands and pages in this workspace; git knows what was committed",
		)
	case errors.Is(err, undo.ErrTooLarge):
		return failed(
			"the last change was too large to be kept",
			"git restores files that were committed; issues-index undo --skip goes on to the change before",
		)
	case errors.Is(err, undo.ErrDamaged):
		return failed(undo.ErrDamaged.Error(),
			"git restores files that were committed; issues-index undo --skip goes on to the change before")
	case errors.Is(err, undo.ErrRunning):
		return failed("nothing was taken back: "+err.Error(), "wait until it has ended, or stop it")
	case errors.As(err, &changed):
		return failed(
			"nothing was taken back: "+changed.Error(),
			"issues-index undo --dry-run shows the change; undo --skip goes on to the change before",
		)
	}
	return err
}

// An undoneJSON is a change that was taken back, for scripts.
type undoneJSON struct {
	Command   string           `json:"command"`
	At        time.Time        `json:"at"`
	DryRun    bool             `json:"dryRun"`
	Skipped   bool             `json:"skipped"`
	Documents []undoneFileJSON `json:"documents"`
}

// An undoneFileJSON has the paths of a document with the change and without it, null where
// there is no such file.
type undoneFileJSON struct {
	From *string `json:"from"`
	To   *string `json:"to"`
}

func newUndoneJSON(e *undo.Undoable) undoneJSON {
	v := undoneJSON{Command: e.Command, At: e.At, Documents: []undoneFileJSON{}}
	for _, c := range e.Changes {
		v.Documents = append(v.Documents, undoneFileJSON{pathOrNull(c.Path), pathOrNull(c.OldPath)})
	}
	return v
}

// listUndo lists the changes that can be taken back.
func (p *program) listUndo(ws *store.Workspace) error {
	all, err := undo.List(ws)
	if err != nil {
		return err
	}
	list := make([]undoneJSON, len(all))
	t := &terminal.Table{Columns: []terminal.Column{{Title: "COMMAND"}, {Title: "AT"}, {Title: "DOCUMENTS", Least: 20}}}
	for i, e := range all {
		list[i] = newUndoneJSON(e)
		var paths []string
		for _, c := range e.Changes {
			paths = append(paths, cmp.Or(c.Path, c.OldPath))
		}
		t.Add(e.Command, p.timeText(e.At), strings.Join(paths, ", "))
	}
	return p.print(struct {
		Changes []undoneJSON `json:"changes"`
	}{list}, func(page *terminal.Page) { page.Table(t, nil) })
}

func (p *program) printUndone(e *undo.Undoable, dryRun, skipped bool) error {
	switch {
	case e.Torn:
		p.note(
			"this command did not end, and the end of what it wrote down cannot be read: it may have changed more " +
				"documents than these",
		)
	case e.Unfinished:
		p.note("this command did not end; these are the documents that it had changed")
	}
	v := newUndoneJSON(e)
	v.DryRun, v.Skipped = dryRun, skipped
	said := "Took back"
	switch {
	case dryRun:
		said = "Would take back"
	case skipped:
		said = "Skipped"
	}
	return p.print(v, func(page *terminal.Page) {
		page.Line("%s %s of %s:", said, e.Command, page.Time(e.At))
		for _, c := range e.Changes {
			line := "changed back " + c.OldPath
			switch {
			case skipped:
				line = "changed " + cmp.Or(c.Path, c.OldPath)
			case c.OldPath == "":
				line = "removed " + c.Path
			case c.Path == "":
				line = "brought back " + c.OldPath
			case c.OldPath != c.Path:
				line = "moved back " + c.Path + " to " + c.OldPath
			}
			page.Line("  %s", line)
		}
	})
}

func pathOrNull(path string) *string {
	if path == "" {
		return nil
	}
	return &path
}
