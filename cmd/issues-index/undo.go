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
	"issues-index/index/claims"
	"issues-index/index/documents"
	"issues-index/index/edit"
	"issues-index/store"
	"issues-index/store/undo"
)

func newUndoCommand(p *program) *cobra.Command {
	var dryRun, skip, list bool
	var of string
	cmd := &cobra.Command{
		Use:   "undo",
		Short: "Take back what you changed last",
		Long: `Undo takes back what your last command or form of a page changed in the documents of the
workspace, all of it: each file gets the text and the place that it had. A new document
goes, a deleted one comes back. Changes of others stay. If one of the documents has changed
since, undo says what and by whom, and changes nothing. With --skip, undo forgets that
change, and the next undo is about the change before.

Commands, pages and tools of agents write to one journal, in .wrangler/cache. With --of, undo
is about the changes of another person or agent; --list shows all, with who made them.
Changes of editors and of git are not in it. A change that was taken back cannot be had again.`,
		Example: `  issues-index undo
  issues-index undo --dry-run
  issues-index undo --list
  issues-index undo --skip
  issues-index undo --of claude-code`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(exclusive(cmd, "dry-run", "skip"), exclusive(cmd, "list", "dry-run", "skip")); err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.withIndex(ctx, func(ix *index.Index) error {
				own := func(e *undo.Entry) bool { return e.By == p.holder() }
				if of != "" {
					own = func(e *undo.Entry) bool { return claims.Lease{Holder: e.By}.IsOf(claims.HolderName(of)) }
				}
				if list {
					return p.listUndo(ix.Workspace(), func(e *undo.Entry) bool { return of == "" || own(e) })
				}
				last, err := p.undo(ctx, ix, own, dryRun, skip)
				if err != nil {
					return p.undoError(ctx, ix, err)
				}
				return p.printUndone(last, dryRun, skip)
			})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be taken back")
	cmd.Flags().BoolVar(&list, "list", false, "list the changes that can be taken back, the last one first")
	cmd.Flags().BoolVar(&skip, "skip", false, "forget the last change, and leave the documents as they are")
	cmd.Flags().StringVar(&of, "of", "", "changes of this `holder`, or of its agents, not your own")
	return cmd
}

func (p *program) undo(
	ctx context.Context, ix *index.Index, own func(*undo.Entry) bool, dryRun, skip bool,
) (*undo.Entry, error) {
	switch {
	case dryRun:
		return undo.TakeBack(ctx, ix.Workspace(), own, true)
	case skip:
		return undo.Skip(ctx, ix.Workspace(), own)
	}
	last, behind, err := edit.New(ix, edit.LockWait).TakeBack(ctx, own)
	p.noteBehind(behind)
	return last, err
}

// undoError says what to do when a change cannot be taken back.
func (p *program) undoError(ctx context.Context, ix *index.Index, err error) error {
	var changed *undo.ChangedError
	switch {
	case errors.Is(err, undo.ErrNothing):
		return failed(
			"there is no change to take back",
			"undo takes back changes of "+p.holder()+", or with --of those of another; undo --list shows all that this "+
				"program has made in the workspace, and git knows what was committed",
		)
	case errors.Is(err, undo.ErrTooLarge), errors.Is(err, undo.ErrDamaged):
		return failed(err.Error(),
			"git restores files that were committed; issues-index undo --skip goes on to the change before")
	case errors.Is(err, undo.ErrRunning):
		return failed("nothing was taken back: "+err.Error(), "wait until it has ended, or stop it")
	case errors.As(err, &changed):
		return failed(
			"nothing was taken back: "+documents.ChangedSince(ctx, ix, changed, p.timeText),
			"issues-index undo --dry-run shows the change; undo --skip goes on to the change before",
		)
	}
	return err
}

// An undoneJSON is a change that was taken back, for scripts.
type undoneJSON struct {
	Command   string           `json:"command"`
	By        string           `json:"by"`
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

func newUndoneJSON(e *undo.Entry) undoneJSON {
	v := undoneJSON{Command: e.Command, By: e.By, At: e.At, Documents: []undoneFileJSON{}}
	for _, c := range e.Changes {
		v.Documents = append(v.Documents, undoneFileJSON{pathOrNull(c.Path), pathOrNull(c.OldPath)})
	}
	return v
}

// mostListed is how many changes are listed, of thousands.
const mostListed = 100

// listUndo lists the last changes that own chooses.
func (p *program) listUndo(ws *store.Workspace, own func(*undo.Entry) bool) error {
	all, err := undo.List(ws, own, mostListed)
	if err != nil {
		return err
	}
	list := make([]undoneJSON, len(all))
	t := &terminal.Table{Columns: []terminal.Column{
		{Title: "COMMAND"}, {Title: "BY"}, {Title: "AT"}, {Title: "DOCUMENTS", Least: 20},
	}}
	for i, e := range all {
		list[i] = newUndoneJSON(e)
		var paths []string
		for _, c := range e.Changes {
			paths = append(paths, cmp.Or(c.Path, c.OldPath))
		}
		by := e.By
		if by == p.holder() {
			by = "you"
		}
		t.Add(e.Command, by, p.timeText(e.At), strings.Join(paths, ", "))
	}
	return p.print(struct {
		Changes []undoneJSON `json:"changes"`
	}{list}, func(page *terminal.Page) { page.Table(t, nil) })
}

func (p *program) printUndone(e *undo.Entry, dryRun, skipped bool) error {
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
		by := ""
		if e.By != p.holder() {
			by = " by " + e.By
		}
		page.Line("%s %s%s of %s:", said, e.Command, by, page.Time(e.At))
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
