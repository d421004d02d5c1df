package main

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/history"
	"issues-index/store/words"
)

func newDiffCommand(p *program) *cobra.Command {
	var flags filterFlags
	cmd := &cobra.Command{
		Use:   "diff [REVISION]",
		Short: "Show what is different in all documents since a commit",
		Long: `Diff compares the documents as they are on disk, what is not committed included, with those
of a commit: HEAD, or any commit, branch or tag that git knows. With three dots behind it,
as in main..., that is the commit where its history and that of HEAD part: what this branch
has done.

It lists the documents that are new, closed, reopened, changed, renamed (or moved, and
nothing else) and deleted, with their changes. Differences in formatting and in times alone
are left out. The filters are those of list, for the documents as they are now.`,
		Example: `  issues-index diff
  issues-index diff main...
  issues-index diff HEAD~20 --type issue --json
  issues-index diff 'main@{yesterday}' --where 'is:done'`,
		Args: arguments(0, 1, "at most one revision"),
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := flags.read(cmd)
			if err != nil {
				return err
			}
			revision := "HEAD"
			if len(args) > 0 {
				revision = strings.TrimSpace(args[0])
			}
			if strings.Contains(strings.TrimSuffix(revision, "..."), "..") {
				return usage(cmd, fmt.Sprintf("%q names two commits: name the older one, since the other side is what is on disk", revision))
			}
			filtered := !reflect.DeepEqual(filter, index.Filter{})
			ctx := cmd.Context()
			return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
				if err := p.normalizeFilter(cmd, ix, &filter); err != nil {
					return err
				}
				since, err := history.Since(ctx, ix.Workspace(), revision)
				if err == nil && filtered {
					err = keepFiltered(ctx, ix, since, filter)
				}
				if err != nil {
					return err
				}
				return p.printDifferences(since, revision)
			})
		},
	}
	flags.register(cmd)
	return cmd
}

// keepFiltered leaves the documents that a filter lets through.
func keepFiltered(ctx context.Context, ix *index.Index, since *history.SinceCommit, filter index.Filter) error {
	page, err := ix.Find(ctx, index.Query{Filter: filter, Limit: noLimit})
	if err != nil {
		return err
	}
	wanted := make(map[string]bool, len(page.Rows))
	for _, row := range page.Rows {
		wanted[row.Path] = true
	}
	kept := since.Differences[:0]
	for _, d := range since.Differences {
		if d.After != nil && wanted[d.After.Path] {
			kept = append(kept, d)
		}
	}
	since.Differences = kept
	return nil
}

// A differenceJSON is what is different in a document, for scripts.
type differenceJSON struct {
	Kind    history.DifferenceKind `json:"kind"`
	ID      string                 `json:"id"`
	Path    string                 `json:"path"`
	Type    string                 `json:"type"`
	Title   string                 `json:"title"`
	Status  string                 `json:"status"`
	Changes []partChangeJSON       `json:"changes"`
}

func (p *program) printDifferences(since *history.SinceCommit, revision string) error {
	counts := map[history.DifferenceKind]int{}
	list := make([]differenceJSON, len(since.Differences))
	for i, d := range since.Differences {
		counts[d.Kind]++
		doc := d.Document()
		list[i] = differenceJSON{d.Kind, doc.ID, doc.Path, doc.Type, doc.Title, doc.CountedStatus(), newPartChangesJSON(d.Changes)}
	}
	if p.json {
		return p.printJSON(struct {
			Revision  string                         `json:"revision"`
			Commit    string                         `json:"commit"`
			Counts    map[history.DifferenceKind]int `json:"counts"`
			Documents []differenceJSON               `json:"documents"`
		}{revision, since.Commit, counts, list})
	}
	at := fmt.Sprintf("%s (%s)", revision, history.ShortCommit(since.Commit))
	if strings.HasPrefix(since.Commit, revision) {
		at = history.ShortCommit(since.Commit)
	}
	if len(list) == 0 {
		fmt.Fprintln(p.errOut, "Nothing is different since "+terminal.OneLine(at)+".")
		return nil
	}
	p.printDifferenceGroups(since, counts)
	_, err := fmt.Fprintf(p.out, "\n%s since %s\n", words.Count(len(list), "document"), terminal.OneLine(at))
	return err
}

// printDifferenceGroups prints the documents by kind, and their changes below them.
func (p *program) printDifferenceGroups(since *history.SinceCommit, counts map[history.DifferenceKind]int) {
	const valueLength = 120
	s, mostChanges := p.screen(), p.atMost(20)
	last := history.DifferenceKind("")
	for _, d := range since.Differences {
		if d.Kind != last {
			if last != "" {
				fmt.Fprintln(p.out)
			}
			last = d.Kind
			fmt.Fprintln(p.out, s.Paint(terminal.Bold, fmt.Sprintf("%s (%d)", d.Kind, counts[d.Kind])))
		}
		doc := d.Document()
		status := s.Paint(statusColour(p.workspaceLayout(), doc.CountedStatus()), terminal.OneLine(doc.CountedStatus()))
		fmt.Fprintf(p.out, "  %s  %s  %s\n", s.Paint(terminal.Bold, terminal.OneLine(doc.ID)), cmp.Or(status, "(none)"), terminal.OneLine(doc.Title))
		for _, change := range documents.HistoryChanges(history.HistoryEntry{Changes: d.Changes}, valueLength, mostChanges) {
			fmt.Fprintln(p.out, "    "+terminal.OneLine(change))
		}
	}
}
