package edit

import (
	"context"
	"errors"
	"slices"
	"time"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/store"
)

// A NextClaim is what Next found.
type NextClaim struct {
	Claimed
	Found bool
	// Skipped are ready documents that cannot be claimed: they share their id with others,
	// or their frontmatter cannot be edited.
	Skipped []index.Row
	// Idle and Narrowing are why nothing was found.
	Idle      index.Idle
	Narrowing index.Narrowing
}

// Next claims the document to work on next for a holder: of those that are ready and that
// the filter lets through, index.Index.Best chooses. A document of another assignee
// is not for the holder, unless the filter names that assignee. A document
// whose lease has lapsed long enough ago comes before ready ones of a lower priority.
//
// Choosing and claiming are one hold of the lock, so that no two callers get one document.
// Errors are Claim's. That nothing is ready is no error.
func (w *Writer) Next(ctx context.Context, f index.Filter, r ClaimRequest) (next NextClaim, err error) {
	r.meantFor = f.Assignee
	// An index that has much to catch up with does so before others have to wait.
	if err := w.ix.CatchUp(ctx); err != nil {
		return NextClaim{}, err
	}
	waiting, cancel := context.WithTimeout(ctx, w.wait)
	defer cancel()
	err = w.ix.Workspace().Mutate(waiting, func(m *store.Mutation) error {
		passed := map[string]bool{} // paths
		for {
			row, found, err := w.choose(ctx, f, r.Holder, func(row index.Row) bool {
				if row.Shared && !passed[row.Path] {
					passed[row.Path] = true
					next.Skipped = append(next.Skipped, row)
				}
				return !passed[row.Path]
			})
			if err != nil || !found {
				return err
			}
			next.Claimed, err = w.claimAt(ctx, m, row, "", r)
			if err == nil {
				next.Found = true
				return nil
			}
			passed[row.Path] = true
			var taken *ClaimError
			var uneditable *store.UneditableError
			switch {
			case errors.As(err, &uneditable):
				next.Skipped = append(next.Skipped, row)
			case errors.As(err, &taken), movedAway(err): // the index is behind the file
			default:
				return err
			}
			if err := w.ix.RefreshWritten(ctx, store.Written{Path: row.Path}); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return NextClaim{}, err
	}
	if next.Found {
		w.finish(ctx, &next.Applied)
		return next, nil
	}
	if next.Idle, err = w.ix.Idle(ctx, meantFor(f, r.Holder)); err != nil {
		return next, err
	}
	f.MeantFor = r.Holder
	next.Narrowing, err = w.ix.Narrowing(ctx, f)
	return next, err
}

// choose returns the document to claim next.
func (w *Writer) choose(
	ctx context.Context, f index.Filter, holder string, accept func(index.Row) bool,
) (index.Row, bool, error) {
	candidates := meantFor(f, holder)
	candidates.Ready = true
	ready, found, err := w.ix.Best(ctx, candidates, accept)
	if err != nil {
		return index.Row{}, false, err
	}
	abandoned, err := w.abandoned(ctx, holder)
	if err != nil || len(abandoned) == 0 {
		return ready, found, err
	}
	words := &w.ix.Workspace().Layout.Wording
	f.Stale = true
	stale, any, err := w.ix.Best(ctx, f, func(row index.Row) bool {
		return slices.Contains(abandoned, row.Path) && accept(row)
	})
	if any && (!found || words.PriorityRank(stale.Priority) > words.PriorityRank(ready.Priority)) {
		return stale, true, err
	}
	return ready, found, err
}

// meantFor leaves out documents of other assignees, unless the filter names an assignee.
func meantFor(f index.Filter, holder string) index.Filter {
	if f.Assignee == "" {
		f.MeantFor = holder
	}
	return f
}

// abandoned returns the paths of documents whose holders let their leases lapse so long
// ago that others may take them. Of the leases that have lapsed, or whose holders are gone, it deletes
// those that cover no document any more. The caller holds the lock.
func (w *Writer) abandoned(ctx context.Context, holder string) (paths []string, err error) {
	leases, now := w.ix.Leases(), w.ix.Workspace().Now()
	lapsed, err := leases.Lapsed(ctx, now)
	if err != nil {
		return nil, err
	}
	var over []claims.Lease
	for _, one := range lapsed {
		row, err := w.ix.Get(ctx, one.ID)
		unread := err != nil && !errors.As(err, new(*index.NotFoundError))
		untold := one.EndedBy != "" && !one.Told && now.Sub(one.Expires) < keptLease
		switch {
		case unread || untold: // it stays for now
		case err != nil || !leases.Covers(one, claims.Subject{ID: row.ID, Status: row.Status, Assignee: row.Assignee}):
			if !leases.Counts(one) { // the document decides, whatever the index knows of it
				over = append(over, one)
			}
		case one.Free(now) && one.Holder != holder:
			paths = append(paths, row.Path)
		}
	}
	return paths, leases.Drop(ctx, over...)
}

// keptLease is how long a lease is kept whose former holder does not come to hear what
// became of it.
const keptLease = 30 * 24 * time.Hour
