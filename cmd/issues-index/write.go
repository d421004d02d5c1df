package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"issues-index/index"
	"issues-index/index/edit"
)

// withWriter runs change on the workspace.
func (p *program) withWriter(ctx context.Context, change func(*index.Index, *edit.Writer) error) error {
	return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
		return change(ix, edit.New(ix, edit.LockWait))
	})
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
