package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/history"
)

func newHistoryCommand(p *program) *cobra.Command {
	var q history.HistoryQuery
	var limit int
	cmd := &cobra.Command{
		Use:     "history ID",
		Aliases: []string{"log"},
		Short:   "Show how a document changed, commit by commit",
		Long: `History reads from git what each commit did to a document, under all names that its file
has had: the fields that changed, the boxes that were checked, the lines that each section
gained and lost. The newest commit comes first, and before all what is not committed yet. A
document that was deleted is found by its id or path.

A merge is compared with its first parent. What it took over from another parent is marked
(merged); the commits that made these changes are listed, too. Nothing but git is read.`,
		Example: `  issues-index history ISS-000041
  issues-index history 41 --field status
  issues-index history 41 --since 2w --json`,
		Args:              arguments(1, 1, "one id or path"),
		ValidArgsFunction: p.completeDocument(anyStatus),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if limit, err = p.rowLimit(cmd, limit); err != nil {
				return err
			}
			q.Field = strings.TrimSpace(q.Field)
			ctx := cmd.Context()
			return p.withIndex(ctx, func(ix *index.Index) error {
				return p.history(ctx, ix, args[0], q, limit)
			})
		},
	}
	cmd.Flags().StringVar(&q.Field, "field", "", "only changes of this `field`; text, boxes and path are fields, too")
	cmd.Flags().Var(dateFlag{at: &q.Since}, "since", "only changes on or after this `date` (2026-02-15, today, 7d, 2w)")
	addLimit(cmd, &limit, "entries")
	return cmd
}

// history prints a history. More versions than are read at once are no end of it.
func (p *program) history(ctx context.Context, ix *index.Index, id string, q history.HistoryQuery, limit int) error {
	h, err := documents.ReadHistory(ctx, ix, p.documentNamed(ix.Workspace(), id))
	if err != nil {
		return err
	}
	defer h.Close()
	entries := []history.HistoryEntry{}
	more := false
	for resume := true; resume; {
		resume = false
		for e, err := range h.Entries(q) {
			switch {
			case errors.Is(err, history.ErrEnough):
				resume, q.After = true, e.Key()
			case err != nil:
				return err
			case len(entries) == limit:
				more = true
			default:
				e.Changes = append([]history.HistoryChange{}, e.Changes...)
				entries = append(entries, e)
				continue
			}
			break
		}
	}
	notes := documents.HistoryNotes(h, !more, len(entries), q.Field)
	if p.json {
		return p.printJSON(struct {
			ID      string                 `json:"id"`
			Path    string                 `json:"path"`
			History []history.HistoryEntry `json:"history"`
			More    bool                   `json:"more"`
			Notes   []string               `json:"notes,omitempty"`
		}{h.ID(), h.Path(), entries, more, notes})
	}
	if err := p.print(nil, func(page *terminal.Page) { p.layHistory(page, entries) }); err != nil {
		return err
	}
	if more {
		notes = append(notes, "Older changes are left out; --limit 0 shows all.")
	}
	if len(notes) > 0 {
		p.tell("%s", strings.Join(notes, " "))
	}
	return nil
}

// layHistory lays out a line for each commit, and its changes below it.
func (p *program) layHistory(page *terminal.Page, entries []history.HistoryEntry) {
	const valueLength = 200
	mostChanges := p.atMost(100)
	for _, e := range entries {
		line := page.Time(e.Time)
		add := func(code, text string) {
			if text != "" {
				line += "  " + page.Paint(code, terminal.OneLine(text))
			}
		}
		if e.Commit != "" {
			add(terminal.Yellow, history.ShortCommit(e.Commit))
		} else {
			add(terminal.Yellow, "uncommitted")
		}
		add(terminal.Bold, e.Author)
		if e.Merge {
			add(terminal.Plain, "(merge)")
		}
		add(terminal.Green, string(e.Event))
		add(terminal.Dim, e.Subject)
		page.Line("%s", terminal.Styled(line))
		for _, change := range documents.HistoryChanges(e, valueLength, mostChanges) {
			page.Line("  %s", change)
		}
	}
}
