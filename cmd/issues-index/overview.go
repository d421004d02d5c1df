package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// overviewRows is how many documents a part of the overview shows.
const overviewRows = 5

// overviewColumns are those of its tables.
var overviewColumns = []string{"id", "priority", "title", "assignee", "updated"}

// overview prints what is in progress, what could be next, and what needs attention. It
// prints the help in a workspace without documents.
func (p *program) overview(cmd *cobra.Command) error {
	ctx := cmd.Context()
	return p.withIndex(ctx, p.indexOptions(), func(ix *index.Index) error {
		all, err := ix.Health(ctx)
		if err != nil {
			return err
		}
		if all.Documents == 0 {
			return cmd.Help()
		}
		s := p.screen()
		fmt.Fprintf(p.out, "%s  %s\n", s.Paint(terminal.Bold, terminal.OneLine(filepath.Base(p.root))), words.Count(all.Documents, "document"))
		for _, part := range overviewParts {
			page, err := part.find(ctx, ix)
			if err != nil {
				return err
			}
			if page.Total == 0 {
				continue
			}
			fmt.Fprintf(p.out, "\n%s (%d)\n", s.Paint(terminal.Bold, part.title), page.Total)
			if err := p.rowsTable(page.Rows, rowOutput{columns: overviewColumns}).Write(p.out, s, nil); err != nil {
				return err
			}
		}
		problems, err := ix.ProblemDocuments(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintln(p.out)
		if problems > 0 {
			fmt.Fprintf(p.out, "%s with problems: issues-index check\n", words.Count(problems, "document"))
		}
		_, err = fmt.Fprintln(p.out, s.Paint(terminal.Dim, "issues-index list shows more, issues-index --help all commands"))
		return err
	})
}

// An overviewPart is a list of the overview. Its key names it for scripts.
type overviewPart struct {
	title, key string
	find       func(context.Context, *index.Index) (index.Page, error)
}

var overviewParts = []overviewPart{{"In progress", "inProgress", doing}, {"Stale claims", "stale", stale}, {"Ready", "ready", nextUp}}

// doing returns the documents that are in progress, the most urgent first.
func doing(ctx context.Context, ix *index.Index) (index.Page, error) {
	return mostUrgent(ctx, ix, index.Filter{Statuses: ix.Workspace().Layout.Of(layout.Active)})
}

// stale returns the documents whose claims have lapsed, the most urgent first.
func stale(ctx context.Context, ix *index.Index) (index.Page, error) {
	return mostUrgent(ctx, ix, index.Filter{Stale: true})
}

// nextUp returns the documents that can be begun, the most urgent first.
func nextUp(ctx context.Context, ix *index.Index) (index.Page, error) {
	return mostUrgent(ctx, ix, index.Filter{Ready: true})
}

func mostUrgent(ctx context.Context, ix *index.Index, f index.Filter) (index.Page, error) {
	f.Where.Text = byUrgency[false]
	return ix.Find(ctx, index.Query{Filter: f, Limit: overviewRows, Claims: true})
}
