package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store"
)

// withWriter runs change on the workspace and finds the words for what it is
// refused with.
func (p *program) withWriter(ctx context.Context, change func(*index.Index, *edit.Writer) error) error {
	return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
		return explainWrite(change(ix, edit.New(ix, edit.LockWait)))
	})
}

// explainWrite gives what only a change can run into its own words and hint.
func explainWrite(err error) error {
	var (
		duplicate  *edit.DuplicateTitleError
		value      *store.ValueError
		conflict   *store.ConflictError
		uneditable *store.UneditableError
		disk       *store.DiskError
	)
	f := &commandError{code: exitFailed}
	switch {
	case errors.Is(err, store.ErrLocked):
		f.message, f.hint = err.Error(), "nothing was changed; try again when the other program has finished"
	case errors.As(err, &duplicate):
		f.message = fmt.Sprintf("%s already has this title and is %s", duplicate.Row.ID, duplicate.Row.Status)
		f.hint = "issues-index set changes it; --allow-duplicate creates another one"
	case errors.As(err, &value):
		f.code, f.message, f.hint = exitUsage, fmt.Sprintf("%s %s", value.Field, value.Reason), "nothing was changed"
		if len(value.Allowed) > 0 {
			f.message = fmt.Sprintf("invalid %s %q", value.Field, value.Value)
			f.hint = "valid values: " + strings.Join(value.Allowed, ", ")
		}
	case errors.As(err, &conflict):
		f.message, f.hint = conflict.Error(), "look at it with issues-index show and try again"
		if conflict.Taken() {
			f.hint = "nothing was changed: rename or delete one of the two files first"
		}
	case errors.As(err, &uneditable):
		f.message, f.hint = uneditable.Error(), "nothing was changed: fix the file in an editor first"
	case errors.As(err, &disk):
		f.message, f.hint = disk.Error(), "nothing was changed"
		if disk.Unsettled {
			f.hint = "look at the document with issues-index show"
		} else if errors.Is(disk.Err, fs.ErrPermission) {
			f.hint = "nothing was changed: the file, its folder and .wrangler/cache must be writable"
		}
	default:
		return err
	}
	return f
}

// A writtenJSON is a change for scripts.
type writtenJSON struct {
	ID        string       `json:"id"`
	Path      string       `json:"path"`
	File      string       `json:"file"`
	Changed   bool         `json:"changed"`
	Changes   []changeJSON `json:"changes"`
	UpdatedAt time.Time    `json:"updatedAt"`
}

type changeJSON struct {
	Field string `json:"field"`
	Old   string `json:"old"`
	New   string `json:"new"`
}

// printWritten says what was changed, a line a field, and where the file is now.
func (p *program) printWritten(done edit.Written) error {
	p.warnWritten(done)
	if p.json {
		changes := make([]changeJSON, len(done.Changes))
		for i, c := range done.Changes {
			changes[i] = changeJSON(c)
		}
		return p.printJSON(writtenJSON{done.After.ID, done.Path, p.file(done.Path), done.Changed, changes, done.After.Updated})
	}
	if !done.Changed {
		_, err := fmt.Fprintf(p.out, "No changes to %s.\n", oneLine(done.After.ID))
		return err
	}
	s := p.screen()
	fmt.Fprintln(p.out, s.paint(bold, oneLine(done.After.ID))+" "+oneLine(done.After.Title))
	for _, c := range done.Changes {
		if c.Field == "description" {
			fmt.Fprintf(p.out, "%s changed\n", s.paint(dim, c.Field))
			continue
		}
		fmt.Fprintf(p.out, "%s %s → %s\n", s.paint(dim, oneLine(c.Field)), valueText(c.Old), valueText(c.New))
	}
	if done.Path != done.OldPath {
		fmt.Fprintf(p.out, "%s %s\n", s.paint(dim, "moved to"), oneLine(done.Path))
	}
	return nil
}

// valueText is a field's value in a line, for eyes.
func valueText(value string) string {
	const most = 120
	if value = oneLine(value); value == "" {
		return "(none)"
	}
	return cut(value, most)
}

// warnWritten says what a change leaves to be known besides what it did.
func (p *program) warnWritten(done edit.Written) {
	p.warnBehind(done.Behind)
	if done.NoParent == nil {
		return
	}
	hint := "issues-index set ID context.parentTaskId= removes it"
	if near := done.NoParent.Suggestions; len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "?"
	}
	fmt.Fprintf(p.errOut, "warning: no document has the parent's id %s\nhint: %s\n", oneLine(done.NoParent.ID), harmless(hint))
}

// warnBehind says that a list may not show a change yet.
func (p *program) warnBehind(behind error) {
	if behind != nil {
		p.notes(slog.LevelWarn).Warn("the change is made, but the index is not up to date; the next command updates it", "error", behind)
	}
}
