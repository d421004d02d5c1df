package web

import (
	"context"

	"golang.org/x/sync/errgroup"

	"issues-index/index"
	"issues-index/store/layout"
)

// overviewRows is how many documents a part of the overview shows.
const overviewRows = 8

// An overviewList is a list of the overview.
type overviewList struct {
	Title, Criteria string
	Empty           string // what to say when there is nothing
	Rows            []documentRow
	Total           int
}

// An overviewPage is what the overview shows.
type overviewPage struct {
	Documents int
	Problems  int
	Statuses  []statusCount
	Parts     []overviewList
}

// A statusCount is how many documents have a status.
type statusCount struct {
	index.Count
	Category, Criteria string
}

// overview shows what is being worked on, what could be next, and what needs attention.
func overview(r *pageRequest) (pageContent, error) {
	ctx := r.Context()
	all, err := r.ix.Health(ctx)
	if err != nil {
		return pageContent{}, err
	}
	page := overviewPage{Documents: all.Documents, Parts: []overviewList{
		{Title: "In progress", Criteria: "is:active sort priority desc", Empty: "Nobody works on anything."},
		{Title: "Ready", Criteria: "is:ready sort priority desc, created", Empty: "Nothing can be begun."},
		{Title: "Stale claims", Criteria: "is:stale sort priority desc", Empty: "No claim has lapsed."},
		{Title: "Blocked", Criteria: "is:blocked sort priority desc", Empty: "Nothing waits."},
	}}
	// After a change each part is counted anew, so they are asked for at once.
	asked, ctx := errgroup.WithContext(ctx)
	asked.Go(func() (err error) {
		page.Problems, err = r.ix.ProblemDocuments(ctx)
		return err
	})
	asked.Go(func() (err error) {
		page.Statuses, err = statusCounts(ctx, r.ix)
		return err
	})
	for i := range page.Parts {
		asked.Go(func() error {
			part := &page.Parts[i]
			found, err := r.ix.Find(ctx, index.Query{Filter: r.filter(part.Criteria), Claims: true, Limit: overviewRows})
			part.Rows, part.Total = rowsOf(r.ix.Workspace().Layout, found.Rows), found.Total
			return err
		})
	}
	if err := asked.Wait(); err != nil {
		return pageContent{}, err
	}
	return pageContent{Template: "overview", Title: "Overview", Here: "/", Data: page}, nil
}

// filter is that of criteria, as the one who looks at the page means them.
func (r *pageRequest) filter(criteria string) index.Filter {
	return index.Filter{Where: index.AskedCriteria{Text: criteria, Me: r.me}}
}

// mostStatuses is how many statuses a page shows. A layout has no more.
const mostStatuses = 50

// statusCounts counts the documents by status: those of the layout in its order, and then
// others that documents have.
func statusCounts(ctx context.Context, ix *index.Index) ([]statusCount, error) {
	l := ix.Workspace().Layout
	found, _, err := ix.Stats(ctx, "status", index.Filter{})
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, c := range found {
		counts[c.Value] = c.Count
	}
	var all []statusCount
	for _, name := range l.StatusNames() {
		all = append(all, newStatusCount(l, index.Count{Value: name, Count: counts[name]}))
		delete(counts, name)
	}
	for _, c := range found {
		if _, other := counts[c.Value]; other && len(all) < mostStatuses {
			all = append(all, newStatusCount(l, c))
		}
	}
	return all, nil
}

func newStatusCount(l *layout.Layout, c index.Count) statusCount {
	return statusCount{c, categoryOf(l, c.Value), "status = " + quoted(c.Value)}
}
