package index

import (
	"context"
	"fmt"

	"issues-index/index/claims"
	"issues-index/index/db"
	"issues-index/store/layout"
)

// An IdleReason is why a document that is not finished is not begun.
type IdleReason int

// The reasons. A document that is open is counted for the first that it has.
const (
	IdleWaiting   IdleReason = iota // for other documents
	IdleDeferred                    // until a time
	IdleParent                      // of unfinished documents
	IdleAssigned                    // ready, but to another person than the filter's MeantFor
	IdleReady                       // it can be begun
	IdleClaimed                     // in progress, by a claim
	IdleUnclaimed                   // in progress, without a claim
	idleReasons
)

// Idle is how many documents there are for each IdleReason.
type Idle [idleReasons]int

// Idle counts the open and active documents that a filter lets through, whatever it says of
// readiness. Errors are Find's.
func (ix *Index) Idle(ctx context.Context, f Filter) (idle Idle, err error) {
	leases, err := ix.engine.leases.All(ctx)
	if err != nil {
		return idle, err
	}
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		idle, err = ix.engine.idle(ctx, tx, f, leases)
		return err
	})
	return idle, err
}

func (e *engine) idle(ctx context.Context, tx *db.Snapshot, f Filter, leases []claims.Lease) (idle Idle, err error) {
	holder := f.MeantFor
	f.MeantFor, f.Ready, f.Blocked = "", false, false
	if _, err := e.resolveFilter(ctx, tx, &f); err != nil {
		return idle, err
	}
	claimed, err := e.leased(ctx, tx, &f, leases)
	if err != nil {
		return idle, err
	}
	known := f
	known.Ready, known.MeantFor = true, holder // what is deferred comes back without a change
	key, err := e.countKey(ctx, tx, known)
	if err != nil {
		return idle, err
	}
	where := e.where(f)
	where.add("NOT finished")
	where.add(e.statuses(layout.Open, layout.Active))
	return remember(&e.counts, key+" idle", tx.Rev, func() (all Idle, err error) {
		type reasonRow struct {
			Reason IdleReason
			Count  int
		}
		rows, err := readRows[reasonRow](ctx, tx, "reasons why nothing is ready", fmt.Sprintf(`SELECT CASE
				WHEN %s THEN iif(%s, %d, %d)
				WHEN EXISTS (SELECT 1 FROM waiting WHERE waiter = doc) THEN %d
				WHEN coalesce(deferred, 0) > ? THEN %d
				WHEN EXISTS (SELECT 1 FROM open_child WHERE container = doc) THEN %d
				WHEN ? <> '' AND assignee NOT IN ('', ?) THEN %d
				ELSE %d END, count(*)
			FROM document WHERE %s GROUP BY 1`, e.statuses(layout.Active), claimed.SQL, IdleClaimed, IdleUnclaimed,
			IdleWaiting, IdleDeferred, IdleParent, IdleAssigned, IdleReady, where),
			append(append(claimed.Args, e.now().UnixMilli(), holder, holder), where.args...)...)
		for _, r := range rows {
			all[r.Reason] = r.Count
		}
		return all, err
	})
}
