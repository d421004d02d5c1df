package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
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
func (ix *Index) Completion(ctx context.Context, f Filter, pendingLimit int) (Completion, error) {
	c, err := ix.completion(ctx, f, pendingLimit)
	if err == nil && len(c.Unknown) > 0 { // moved at this very moment, perhaps, as for GetBatch
		return ix.completion(ctx, f, pendingLimit)
	}
	return c, err
}

func (ix *Index) completion(ctx context.Context, f Filter, pendingLimit int) (Completion, error) {
	var c Completion
	err := ix.view(ctx, func(tx *sql.Tx) error {
		c = Completion{}
		asked := len(f.IDs) > 0
		resolved := f
		var err error
		if resolved.IDs, err = c.resolve(ctx, ix, tx, f.IDs); err != nil || asked && len(resolved.IDs) == 0 {
			return err
		}
		rev, err := revision(ctx, tx)
		if err != nil {
			return err
		}
		if c.Total, err = ix.engine.count(ctx, tx, resolved, rev); err != nil {
			return err
		}
		if resolved.Statuses, err = pendingStatuses(ctx, tx); err != nil {
			return err
		}
		if len(f.Statuses) > 0 {
			resolved.Statuses = slices.DeleteFunc(resolved.Statuses, func(s string) bool { return !slices.Contains(f.Statuses, s) })
		}
		if len(resolved.Statuses) > 0 {
			page, _, err := ix.engine.list(ctx, tx, &bookmark{query: Query{Filter: resolved, Limit: max(1, pendingLimit)}, rev: rev}, rev)
			if err != nil {
				return err
			}
			c.PendingStatuses = resolved.Statuses
			c.PendingCount, c.Pending = page.Total, page.Rows[:min(len(page.Rows), pendingLimit)]
		}
		c.Completed = c.Total - c.PendingCount
		return nil
	})
	return c, err
}

// resolve turns ids into paths and notes those that name nothing, or too much.
func (c *Completion) resolve(ctx context.Context, ix *Index, q db.Querier, ids []string) ([]string, error) {
	var paths []string
	for _, id := range ids {
		row, err := ix.resolve(ctx, q, id)
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
func pendingStatuses(ctx context.Context, tx *sql.Tx) ([]string, error) {
	statuses, err := texts(ctx, tx, `SELECT DISTINCT status FROM facet_tally WHERE status NOT IN ('closed', 'cancelled')`)
	if err != nil {
		return nil, fmt.Errorf("read the statuses in use: %w", err)
	}
	slices.Sort(statuses)
	return statuses, nil
}
