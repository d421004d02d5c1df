package index

import (
	"context"
	"errors"
	"slices"

	"issues-index/index/db"
)

// A Completion says how far a set of documents is.
type Completion struct {
	Total, Completed int
	PendingCount     int
	Pending          []Row    // the most recently updated of them, at most the asked number
	PendingStatuses  []string // those in use that a pending document may have
	Unknown          []string // asked ids that name no document
	Ambiguous        []AmbiguousError
}

// Completion counts the documents that f lets through, f.IDs resolved as Get
// does, and names the first pendingLimit that are neither closed nor cancelled.
func (ix *Index) Completion(ctx context.Context, f Filter, pendingLimit int) (c Completion, err error) {
	for range 2 { // what is unknown is perhaps moved at this very moment, as for GetBatch
		err = ix.view(ctx, func(tx *db.Snapshot) error {
			c = Completion{}
			return c.read(ctx, &ix.engine, tx, f, pendingLimit)
		})
		if err != nil || len(c.Unknown) == 0 {
			break
		}
	}
	return c, err
}

func (c *Completion) read(ctx context.Context, e *engine, tx *db.Snapshot, f Filter, pendingLimit int) error {
	resolved := f
	var err error
	if resolved.IDs, err = c.resolve(ctx, e, tx, f.IDs); err != nil || len(f.IDs) > 0 && len(resolved.IDs) == 0 {
		return err
	}
	if _, err := e.resolveFilter(ctx, tx, &resolved); err != nil {
		return err
	}
	if c.Total, err = e.count(ctx, tx, resolved); err != nil {
		return err
	}
	if resolved.Statuses, err = e.pendingStatuses(ctx, tx); err != nil {
		return err
	}
	if len(f.Statuses) > 0 {
		resolved.Statuses = slices.DeleteFunc(resolved.Statuses, func(s string) bool {
			return !slices.Contains(f.Statuses, s)
		})
	}
	if len(resolved.Statuses) > 0 {
		page, _, err := e.list(ctx, tx, &bookmark{query: Query{Filter: resolved, Limit: max(1, pendingLimit)}, rev: tx.Rev})
		if err != nil {
			return err
		}
		c.PendingStatuses = resolved.Statuses
		c.PendingCount, c.Pending = page.Total, page.Rows[:min(len(page.Rows), pendingLimit)]
	}
	c.Completed = c.Total - c.PendingCount
	return nil
}

// resolve turns ids into paths and notes those that name nothing, or too much.
func (c *Completion) resolve(ctx context.Context, e *engine, q db.Querier, ids []string) ([]string, error) {
	var paths []string
	for _, id := range ids {
		row, err := e.resolve(ctx, q, id)
		var ambiguous *AmbiguousError
		switch {
		case err == nil:
			paths = append(paths, row.Path)
		case errors.As(err, &ambiguous):
			c.Ambiguous = append(c.Ambiguous, *ambiguous)
		case refused(err):
			c.Unknown = append(c.Unknown, id)
		default:
			return nil, err
		}
	}
	return paths, nil
}

// pendingStatuses are the statuses in use that are not the end of a document's work.
func (e *engine) pendingStatuses(ctx context.Context, tx *db.Snapshot) ([]string, error) {
	statuses, err := readRows[string](ctx, tx, "statuses in use",
		`SELECT DISTINCT status FROM facet_tally WHERE `+e.unfinished())
	slices.Sort(statuses)
	return statuses, err
}
