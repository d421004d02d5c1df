package main

import (
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
	var filter index.Filter
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
			revision := "HEAD"
			if len(args) > 0 {
				revision = strings.TrimSpace(args[0])
			}
			if strings.Contains(strings.TrimSuffix(revision, "..."), "..") {
				return usage(
					cmd, fmt.Sprintf("%q names two commits: name the older one, since the other side is what is on disk", revision),
				)
			}
			filtered := !reflect.DeepEqual(filter, index.Filter{})
			ctx := cmd.Context()
			return p.withIndex(ctx, func(ix *index.Index) error {
				if _, err := p.narrow(ctx, ix, &filter, ""); err != nil {
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
	p.filterFlags(cmd, &filter)
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
	Kind    history.DifferenceKind  `json:"kind"`
	ID      string                  `json:"id"`
	Path    string                  `json:"path"`
	Type    string                  `json:"type"`
	Title   string                  `json:"title"`
	Status  string                  `json:"status"`
	Changes []history.HistoryChange `json:"changes"`
}

func (p *program) printDifferences(since *history.SinceCommit, revision string) error {
	counts := map[history.DifferenceKind]int{}
	list := make([]differenceJSON, len(since.Differences))
	for i, d := range since.Differences {
		counts[d.Kind]++
		doc := d.Document()
		changes := append([]history.HistoryChange{}, d.Changes...)
		list[i] = differenceJSON{d.Kind, doc.ID, doc.Path, doc.Type, doc.Title, doc.CountedStatus(), changes}
	}
	at := fmt.Sprintf("%s (%s)", revision, history.ShortCommit(since.Commit))
	if strings.HasPrefix(since.Commit, revision) {
		at = history.ShortCommit(since.Commit)
	}
	if len(list) == 0 && !p.json {
		p.tell("Nothing is different since %s.", at)
		return nil
	}
	return p.print(struct {
		Revision  string                         `json:"revision"`
		Commit    string                         `json:"commit"`
		Counts    map[history.DifferenceKind]int `json:"counts"`
		Documents []differenceJSON               `json:"documents"`
	}{revision, since.Commit, counts, list}, func(page *terminal.Page) {
		p.layDifferences(page, list, counts)
		page.Line("\n%s since %s", words.Count(len(list), "document"), at)
	})
}

// layDifferences lays out the documents by kind, and their changes below them.
func (p *program) layDifferences(page *terminal.Page, list []differenceJSON, counts map[history.DifferenceKind]int) {
	const valueLength = 120
	for i, d := range list {
		if i == 0 || d.Kind != list[i-1].Kind {
			if i > 0 {
				page.Line("")
			}
			page.Line("%s", page.Bold(fmt.Sprintf("%s (%d)", d.Kind, counts[d.Kind])))
		}
		status := page.In(statusColour(p.workspaceLayout(), d.Status), documents.OrNone(d.Status))
		page.Line("  %s  %s  %s", page.Bold(d.ID), status, d.Title)
		for _, change := range documents.HistoryChanges(history.HistoryEntry{Changes: d.Changes}, valueLength, p.atMost(20)) {
			page.Line("    %s", change)
		}
	}
}
