package web

import (
	"context"
	"strconv"

	"golang.org/x/sync/errgroup"

	"issues-index/index"
	"issues-index/index/documents"
	"issues-index/index/where"
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
	Rows    []documentRow
	Address string // of the whole list
}

// A statusCount is how many documents have a status.
type statusCount struct {
	index.Count
	Mark, Criteria string
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
	lately := documents.OverviewPart{
		Key: "done", Title: "Done in the last " + strconv.Itoa(doneDays) + " days", Empty: "Nothing was finished.",
		Criteria: "is:done updated >= -" + strconv.Itoa(doneDays) + "d sort updated desc",
	}
	asked.Go(func() (err error) {
		lately.Page, err = r.ix.Find(ctx, index.Query{Limit: overviewRows, Claims: true, Filter: index.Filter{
			Statuses: r.ix.Workspace().Layout.Of(layout.Done), UpdatedAfter: r.ix.Workspace().Now().AddDate(0, 0, -doneDays),
		}})
		return err
	})
	if err := asked.Wait(); err != nil {
		return pageContent{}, err
	}
	page.Overview.Parts = append(page.Overview.Parts, lately)
	for _, part := range page.Overview.Parts {
		rows, address := rowsOf(r.ix.Workspace().Layout, part.Rows), listLink(part.Criteria)
		if part.Key == "ready" { // what can be begun is told apart by how urgent it is
			for i := range rows {
				rows[i].Mark = rows[i].Urgency
			}
		}
		if part.Key == "ready" || part.Key == "blocked" {
			address = selection{Path: "/list", View: part.Key}.Address()
		}
		page.Parts = append(page.Parts, overviewList{part, rows, address})
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
	return statusCount{c, statusMark(l, c.Value, false), "status = " + where.Value(c.Value)}
}
