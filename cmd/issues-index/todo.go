package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
	unfinished bool                     // leave finished documents out
	order      func(a, b index.Row) int // nil for the query's
	byPriority bool                     // the order begins with the priority
}

// leftToDo turns a view of list on a terminal into that of what is left to do. Elsewhere,
// for scripts, a list has all documents, and criteria decide themselves.
func (p *program) leftToDo(cmd *cobra.Command, q index.Query, view listView, all bool) listView {
	f := q.Filter
	if !isTerminal(p.out) || p.json || view.out.csv || view.out.format != nil || view.name != "" || f.Where.Text != "" {
		return view
	}
	view.unfinished = !all && !view.tree && len(f.Statuses) == 0 && f.ClosedAfter.IsZero() && f.ClosedBefore.IsZero()
	if cmd.Flags().Changed("sort") {
		return view
	}
	order := newestFirst
	if view.unfinished {
		order, view.byPriority = byUrgency(p.workspaceLayout()), true
	}
	view.order = order
	if !q.Sort.Desc { // reversed
		view.order = func(a, b index.Row) int { return order(b, a) }
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
	if v.order == nil {
		page, err = ix.Find(ctx, q)
		return page, hidden, err
	}
	page, err = v.findSorted(ctx, ix, q)
	return page, hidden, err
}

// findSorted returns the first page of a query in an order that the index does not have.
// It reads all documents of one priority after the other until the page is full.
func (v listView) findSorted(ctx context.Context, ix *index.Index, q index.Query) (page index.Page, err error) {
	priorities := [][]string{q.Filter.Priorities}
	if v.byPriority {
		counts, _, err := ix.Stats(ctx, "priority", q.Filter)
		if err != nil {
			return page, err
		}
		slices.SortFunc(counts, func(a, b index.Count) int { return v.order(index.Row{Priority: a.Value}, index.Row{Priority: b.Value}) })
		priorities = nil
		for _, c := range counts {
			page.Total += c.Count
			priorities = append(priorities, []string{c.Value})
		}
	}
	limit := q.Limit
	q.Limit = noLimit
	for _, q.Filter.Priorities = range priorities {
		group, err := ix.Find(ctx, q)
		if err != nil {
			return page, err
		}
		slices.SortFunc(group.Rows, v.order)
		page.Rows = append(page.Rows, group.Rows...)
		page.Total = max(page.Total, group.Total)
		if len(page.Rows) >= limit {
			break
		}
	}
	page.Rows = page.Rows[:min(len(page.Rows), limit)]
	page.Remaining = page.Total - len(page.Rows)
	return page, nil
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

// byUrgency orders what is to be done: by priority, then by the last update, with
// documents that have no date last.
func byUrgency(l *layout.Layout) func(a, b index.Row) int {
	return func(a, b index.Row) int {
		return cmp.Or(cmp.Compare(l.PriorityRank(b.Priority), l.PriorityRank(a.Priority)), newestFirst(a, b))
	}
}

// newestFirst orders documents by the last update. The time of a file is no date: a
// checkout sets it.
func newestFirst(a, b index.Row) int {
	if a.Undated != b.Undated {
		if a.Undated {
			return 1
		}
		return -1
	}
	return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.Path, b.Path))
}

// hiddenText says what a list leaves out.
func hiddenText(hidden []index.Count) string {
	parts := make([]string, len(hidden))
	for i, h := range hidden {
		parts[i] = fmt.Sprintf("%d %s", h.Count, oneLine(h.Value))
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
