package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// finishedStatus reports whether a status says that nothing is left to do: also one of
// another tracker, such as Done.
func finishedStatus(l *layout.Layout, status string) bool {
	return l.Finished(status) || l.CategoryOf(status) == layout.Unknown && l.Finished(l.StatusValues().Understood(status))
}

// A listView is what a list shows where it has not been asked for more. The zero view is
// what a query says.
type listView struct {
	name       string // of a view on the command line, "" for none
	tree       bool
	out        rowOutput
	unfinished bool   // leave finished documents out
	order      string // in the language of criteria, "" for the query's
}

// Orders of lists on a terminal, and the reverse. Documents without a date come last in
// each.
var (
	byUrgency   = map[bool]string{false: "sort priority desc, updated desc", true: "sort priority, updated"}
	newestFirst = map[bool]string{false: "sort updated desc, id desc", true: "sort updated, id"}
)

// leftToDo turns a view of list on a terminal into that of what is left to do. Elsewhere,
// for scripts, a list has all documents, and criteria decide themselves.
func (p *program) leftToDo(cmd *cobra.Command, q index.Query, view listView, all bool) listView {
	f := q.Filter
	if !p.forPerson || view.name != "" || f.Where.Text != "" {
		return view
	}
	view.unfinished = !all && !view.tree && len(f.Statuses) == 0 && f.ClosedAfter.IsZero() && f.ClosedBefore.IsZero()
	if cmd.Flags().Changed("sort") {
		return view
	}
	reversed := !q.Sort.Desc
	view.order = newestFirst[reversed]
	if view.unfinished {
		view.order = byUrgency[reversed]
	}
	return view
}

// find returns the first page of a query in this view, and what it leaves out.
func (v listView) find(ctx context.Context, ix *index.Index, q index.Query) (page index.Page, hidden []index.Count, err error) {
	if v.unfinished {
		if hidden, err = unfinishedOnly(ctx, ix, &q.Filter); err != nil {
			return page, nil, err
		}
	}
	if v.order != "" {
		q.Filter.Where.Text = v.order
	}
	page, err = ix.Find(ctx, q)
	return page, hidden, err
}

// unfinishedOnly narrows a filter to the documents that are left to do, and returns what
// it leaves out. Statuses of other trackers stay, since nobody knows what they mean.
func unfinishedOnly(ctx context.Context, ix *index.Index, f *index.Filter) (hidden []index.Count, err error) {
	counts, _, err := ix.Stats(ctx, "status", *f)
	if err != nil {
		return nil, err
	}
	for _, c := range counts {
		if finishedStatus(ix.Workspace().Layout, c.Value) {
			hidden = append(hidden, c)
		} else {
			f.Statuses = append(f.Statuses, c.Value)
		}
	}
	if f.Statuses == nil { // nothing is left to do
		f.Statuses = []string{ix.Workspace().Layout.DefaultStatus()}
	}
	return hidden, nil
}

// hiddenText says what a list leaves out.
func hiddenText(hidden []index.Count) string {
	parts := make([]string, len(hidden))
	for i, h := range hidden {
		parts[i] = fmt.Sprintf("%d %s", h.Count, terminal.OneLine(h.Value))
	}
	return strings.Join(parts, ", ") + " not shown; -a shows all"
}

// footer says in one line what a list does not show, "" for nothing.
func footer(page index.Page, hidden []index.Count) string {
	var parts []string
	if page.Remaining > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s; --limit 0 shows all", len(page.Rows), words.Count(page.Total, "document")))
	}
	if len(hidden) > 0 {
		parts = append(parts, hiddenText(hidden))
	}
	return strings.Join(parts, "; ")
}
