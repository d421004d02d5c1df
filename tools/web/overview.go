package web

import (
	"context"

	"golang.org/x/sync/errgroup"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/store/layout"
)

// overviewRows is how many documents a part of the overview shows.
const overviewRows = 8

// An overviewPage is what the overview shows.
type overviewPage struct {
	documents.Overview
	Statuses []statusCount
	Parts    []overviewList
}

// An overviewList is a list of the overview.
type overviewList struct {
	documents.OverviewPart
	Rows []documentRow
}

// A statusCount is how many documents have a status.
type statusCount struct {
	index.Count
	Category, Criteria string
}

// overview shows what is being worked on, what could be next, and what needs attention.
func overview(r *pageRequest) (pageContent, error) {
	var page overviewPage
	asked, ctx := errgroup.WithContext(r.Context())
	asked.Go(func() (err error) {
		page.Statuses, err = statusCounts(ctx, r.ix)
		return err
	})
	asked.Go(func() (err error) {
		page.Overview, err = documents.ReadOverview(ctx, r.ix, r.me, overviewRows)
		return err
	})
	if err := asked.Wait(); err != nil {
		return pageContent{}, err
	}
	for _, part := range page.Overview.Parts {
		page.Parts = append(page.Parts, overviewList{part, rowsOf(r.ix.Workspace().Layout, part.Rows)})
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
