package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/edit"
)

func newDeleteCommand(p *program) *cobra.Command {
	var yes bool
	var ifVersion string
	cmd := &cobra.Command{
		Use:     "delete ID...",
		Aliases: []string{"rm", "remove"},
		Short:   "Delete documents",
		Long: `Delete removes the files of documents. On a terminal it asks first; elsewhere it needs
--yes. With - for ID, it reads one id or path a line from standard input. undo brings
them back, and git brings back what was committed. New documents in this clone and its
worktrees do not reuse the ids while .wrangler/cache is kept. No clone reuses the ids of
documents that were committed.`,
		Example: `  issues-index delete ISS-000041
  issues-index delete .wrangler/ideas/figma.md --yes`,
		Args:              manyDocuments(),
		ValidArgsFunction: p.completeDocuments(anyStatus),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := p.documentIDs(args)
			if err != nil {
				return err
			}
			if err := oneVersion(cmd, ids, ifVersion); err != nil {
				return err
			}
			ctx := cmd.Context()
			if !yes {
				if ids, err = p.confirmDelete(ctx, cmd, ids); err != nil {
					return err
				}
			}
			return p.withWriter(ctx, func(ctx context.Context, ix *index.Index, w *edit.Writer) error {
				results := make([]documentResult, len(ids))
				left := map[string]string{} // what a document waits for that is gone, by its path
				for i, id := range ids {
					ref := edit.DocumentRef{ID: p.documentNamed(ix.Workspace(), id), IfVersion: ifVersion}
					waiters, _ := ix.Waiters(ctx, ref.ID) // Delete says what is wrong with the id
					gone, err := w.Delete(ctx, ref)
					if results[i] = (documentResult{id: id, err: err}); err != nil {
						continue
					}
					p.noteBehind(gone.Behind)
					if gone.Claim != nil {
						p.note("%s", gone.Claim.Says(p.timeText))
					}
					delete(left, gone.Path)
					for _, waiter := range waiters {
						left[waiter.Path] = gone.ID
					}
					results[i].answer = deletedJSON{gone.ID, gone.Path}
					results[i].lay = func(page *terminal.Page) { page.Line("Deleted %s.", gone.Path) }
				}
				for _, path := range slices.Sorted(maps.Keys(left)) {
					p.note("%s still waits for %s, which is gone; issues-index dep rm removes the link", path, left[path])
				}
				return p.printResults(results)
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	ifVersionFlag(cmd, &ifVersion)
	return cmd
}

// A deletedJSON names a deleted document for scripts.
type deletedJSON struct {
	ID   string `json:"id"`
	Path string `json:"path"`
}

// confirmDelete asks whether to delete documents, and returns the paths of exactly those
// that the question named. An id that names no document is an error, and nothing is deleted.
func (p *program) confirmDelete(ctx context.Context, cmd *cobra.Command, ids []string) (paths []string, err error) {
	if !p.asks() {
		return nil, usage(cmd, "delete asks first, but there is no terminal to ask on", "--yes deletes without asking")
	}
	question := ""
	err = p.withIndex(ctx, func(ix *index.Index) error {
		for _, id := range ids {
			row, err := ix.Get(ctx, p.documentNamed(ix.Workspace(), id))
			if err != nil {
				return err
			}
			paths = append(paths, row.Path)
			question += fmt.Sprintf("Delete %s, %s?\n", terminal.OneLine(row.Path), terminal.OneLine(row.Title))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !p.confirm(ctx, strings.TrimSuffix(question, "\n")+" [y/N] ") {
		return nil, failed("not deleted", "issues-index done closes a document and keeps it")
	}
	return paths, nil
}
