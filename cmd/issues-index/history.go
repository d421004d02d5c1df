package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/history"
)

func newHistoryCommand(p *program) *cobra.Command {
	var field, since string
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
			q := history.HistoryQuery{Field: strings.TrimSpace(field)}
			var err error
			if q.Since, err = date(cmd, "since", since, time.Now()); err != nil {
				return err
			}
			if limit, err = p.rowLimit(cmd, limit); err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
				return p.history(ctx, ix, args[0], q, limit)
			})
		},
	}
	cmd.Flags().StringVar(&field, "field", "", "only changes of this `field`; text, boxes and path are fields, too")
	cmd.Flags().StringVar(&since, "since", "", "only changes on or after this `date` (2026-02-15, today, 7d, 2w)")
	addLimit(cmd, &limit, "entries")
	return cmd
}

// A historyJSON is an entry of a history for scripts.
type historyJSON struct {
	Time    time.Time        `json:"time"`
	Author  string           `json:"author,omitempty"`
	Commit  string           `json:"commit,omitempty"` // absent where it is not committed
	Subject string           `json:"subject,omitempty"`
	Merge   bool             `json:"merge,omitempty"`
	Event   history.Event    `json:"event,omitempty"`
	Path    string           `json:"path"`
	Changes []partChangeJSON `json:"changes"`
}

// A partChangeJSON is one change of a document for scripts.
type partChangeJSON struct {
	Field   string `json:"field"`
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Part    string `json:"part,omitempty"` // the section or the box
	Added   int    `json:"added,omitempty"`
	Removed int    `json:"removed,omitempty"`
	Merged  bool   `json:"merged,omitempty"`
}

func newPartChangesJSON(changes []history.HistoryChange) []partChangeJSON {
	list := make([]partChangeJSON, len(changes))
	for i, c := range changes {
		list[i] = partChangeJSON(c)
	}
	return list
}

// history prints a history. More versions than are read at once are no end of it.
func (p *program) history(ctx context.Context, ix *index.Index, id string, q history.HistoryQuery, limit int) error {
	h, err := documents.ReadHistory(ctx, ix, documentNamed(ix.Workspace(), id))
	if err != nil {
		return err
	}
	defer h.Close()
	var entries []history.HistoryEntry
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
				entries = append(entries, e)
				continue
			}
			break
		}
	}
	notes := documents.HistoryNotes(h, !more, len(entries), q.Field)
	if p.json {
		list := make([]historyJSON, len(entries))
		for i, e := range entries {
			list[i] = historyJSON{e.Time, e.Author, e.Commit, e.Subject, e.Merge, e.Event, e.Path, newPartChangesJSON(e.Changes)}
		}
		return p.printJSON(struct {
			ID      string        `json:"id"`
			Path    string        `json:"path"`
			History []historyJSON `json:"history"`
			More    bool          `json:"more"`
			Notes   []string      `json:"notes,omitempty"`
		}{h.ID(), h.Path(), list, more, notes})
	}
	p.printHistory(entries)
	if more {
		notes = append(notes, "Older changes are left out; --limit 0 shows all.")
	}
	if len(notes) > 0 {
		fmt.Fprintln(p.errOut, terminal.OneLine(strings.Join(notes, " ")))
	}
	return nil
}

// printHistory prints a line for each commit, and its changes below it.
func (p *program) printHistory(entries []history.HistoryEntry) {
	const valueLength = 200
	s, mostChanges := p.screen(), p.atMost(100)
	for _, e := range entries {
		commit := "uncommitted"
		if e.Commit != "" {
			commit = history.ShortCommit(e.Commit)
		}
		line := []string{p.timeText(e.Time), s.Paint(terminal.Yellow, commit)}
		if e.Author != "" {
			line = append(line, s.Paint(terminal.Bold, terminal.OneLine(e.Author)))
		}
		if e.Merge {
			line = append(line, "(merge)")
		}
		if e.Event != "" {
			line = append(line, s.Paint(terminal.Green, string(e.Event)))
		}
		if e.Subject != "" {
			line = append(line, s.Paint(terminal.Dim, terminal.OneLine(e.Subject)))
		}
		fmt.Fprintln(p.out, strings.Join(line, "  "))
		for _, change := range documents.HistoryChanges(e, valueLength, mostChanges) {
			fmt.Fprintln(p.out, "  "+terminal.OneLine(change))
		}
	}
}
