package documents

import (
	"context"

	"golang.org/x/sync/errgroup"

	"issues-index/index"
	"issues-index/store/layout"
)

// An Overview is where the work stands.
type Overview struct {
	Documents int
	Problems  int // documents with problems
	Parts     []OverviewPart
}

// An OverviewPart is a list of an overview, the most urgent first.
type OverviewPart struct {
	Key, Title string // the key names it for scripts
	Criteria   string
	Empty      string // what to say when there are no rows
	index.Page
}

// ReadOverview reads an overview for a person, with so many rows of each part: what is in progress,
// which claims have lapsed, what can be begun and what waits. Each part is in the order of one field,
// since an index has that, and then of the paths. After a change each part is counted anew, so all
// are asked for at once.
func ReadOverview(ctx context.Context, ix *index.Index, me string, rows int) (o Overview, err error) {
	all, err := ix.Health(ctx)
	if err != nil {
		return o, err
	}
	o.Documents = all.Documents
	o.Parts = []OverviewPart{
		{Key: "inProgress", Title: "In progress", Criteria: "is:active", Empty: "Nothing is in progress."},
		{Key: "stale", Title: "Stale claims", Criteria: "is:stale", Empty: "No claim has lapsed."},
		{Key: "ready", Title: "Ready", Criteria: "is:ready", Empty: "Nothing can be begun."},
		{Key: "blocked", Title: "Blocked", Criteria: "is:blocked", Empty: "Nothing waits."},
	}
	// What the criteria say, as fields: the index has counts by these.
	filters := []index.Filter{
		{Statuses: ix.Workspace().Layout.Of(layout.Active)}, {Stale: true}, {Ready: true}, {Blocked: true},
	}
	asked, ctx := errgroup.WithContext(ctx)
	asked.Go(func() (err error) {
		o.Problems, err = ix.ProblemDocuments(ctx)
		return err
	})
	for i := range o.Parts {
		const urgent = "sort priority desc"
		part, f := &o.Parts[i], filters[i]
		part.Criteria += " " + urgent
		f.Where = index.AskedCriteria{Text: urgent, Me: me}
		asked.Go(func() (err error) {
			part.Page, err = ix.Find(ctx, index.Query{Filter: f, Limit: rows, Claims: true, Waits: f.Blocked})
			return err
		})
	}
	return o, asked.Wait()
}
