package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/edit"
	"issues-index/store/words"
)

// mostShown is how many of the documents that set --where changes it names before it asks.
const mostShown = 20

// setWhere changes the same fields of all documents that meet criteria. It shows them and asks
// first, unless yes is given, and changes exactly those that it has shown.
func (p *program) setWhere(cmd *cobra.Command, criteria string, yes bool, change edit.Change) error {
	ctx := cmd.Context()
	if !yes && !terminal.Is(os.Stdin) {
		f := usage(cmd, "set --where asks first, but there is no terminal to ask on")
		f.hint = "--yes changes the documents without asking; issues-index list --where shows them"
		return f
	}
	return p.withWriter(ctx, func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
		page, err := ix.Find(ctx, index.Query{Filter: index.Filter{Where: index.AskedCriteria{Text: criteria, Me: p.holder()}}, Limit: noLimit})
		if err != nil {
			return err
		}
		if len(page.Rows) == 0 && !p.json {
			fmt.Fprintln(p.errOut, "No documents match; nothing was changed.")
			return nil
		}
		if !yes {
			for _, r := range page.Rows[:min(len(page.Rows), mostShown)] {
				fmt.Fprintf(p.errOut, "%s  %s\n", terminal.OneLine(r.ID), terminal.OneLine(r.Title))
			}
			if left := len(page.Rows) - mostShown; left > 0 {
				fmt.Fprintf(p.errOut, "and %d more\n", left)
			}
			if !p.confirm(ctx, os.Stdin, fmt.Sprintf("Change %s? [y/N] ", words.Count(len(page.Rows), "document"))) {
				return &commandError{code: exitFailed, message: "nothing was changed", hint: "issues-index list --where shows the documents"}
			}
		}
		items := make([]edit.BatchItem, len(page.Rows))
		for i, r := range page.Rows {
			// By its path and version, so that it is the document that was shown.
			items[i] = edit.BatchItem{DocumentRef: edit.DocumentRef{ID: r.Path, IfVersion: r.Version}, Change: change}
		}
		results, err := w.UpdateAll(ctx, items)
		if err != nil {
			return err
		}
		return p.printBatch(page.Rows, results)
	})
}

// A batchJSON is what became of each document, for scripts.
type batchJSON struct {
	Changed   int              `json:"changed"`
	Failed    int              `json:"failed"`
	Documents []batchEntryJSON `json:"documents"`
}

type batchEntryJSON struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	Error   string `json:"error,omitempty"`
}

// printBatch says what became of each document. It fails when one could not be changed.
func (p *program) printBatch(rows []index.Row, results []edit.BatchResult) error {
	out := batchJSON{Documents: []batchEntryJSON{}}
	for i, r := range results {
		one := batchEntryJSON{ID: rows[i].ID, Path: rows[i].Path}
		switch {
		case r.Err != nil:
			out.Failed++
			one.Error = asCommandError(r.Err).message
			fmt.Fprintf(p.errOut, "%s: %s\n", terminal.OneLine(one.ID), terminal.Harmless(one.Error))
		case r.Written.Changed:
			out.Changed++
			one.Changed, one.Path = true, r.Written.Path
			if !p.json {
				fmt.Fprintf(p.out, "%s %s\n", terminal.OneLine(one.ID), terminal.OneLine(rows[i].Title))
			}
			p.noteClosing(r.Written)
		}
		out.Documents = append(out.Documents, one)
	}
	if len(results) > 0 {
		p.warnBehind(results[0].Written.Behind)
	}
	var err error
	if p.json {
		err = p.printJSON(out)
	} else {
		fmt.Fprintf(p.errOut, "%s changed, %d as they were, %d failed.\n", words.Count(out.Changed, "document"), len(results)-out.Changed-out.Failed, out.Failed)
	}
	if out.Failed > 0 {
		err = errors.Join(err, &commandError{code: exitFailed, message: words.Count(out.Failed, "document") + " could not be changed", hint: "the others were; the reasons are above"})
	}
	return err
}
