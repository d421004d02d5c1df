package index

import (
	"context"
	"errors"

	"issues-index/index/db"
)

// view runs a read of the index as of now: every change of a file that was
// finished before the call is in it. All that fn reads belongs to one moment.
func (ix *Index) view(ctx context.Context, fn func(tx *db.Snapshot) error) error {
	const attempts = 4
	var err error
	for range attempts {
		if err = ix.CatchUp(ctx); err != nil {
			return err
		}
		var read *db.DB
		var outdated bool
		if read, outdated, err = ix.viewOnce(ctx, fn); !outdated && !db.FailureOf(err).Reopens() {
			return err
		}
		if err := errors.Join(ix.ws.InPlace(), ix.invalidate(ctx, read, err)); err != nil {
			return err
		}
	}
	if err == nil {
		err = errors.New("the index keeps being rebuilt by other processes")
	}
	return err
}

// viewOnce returns the index that it read, and reports outdated when that was rebuilt
// since it was last compared with the files.
func (ix *Index) viewOnce(ctx context.Context, fn func(tx *db.Snapshot) error) (read *db.DB, outdated bool, err error) {
	ix.use.RLock()
	defer ix.use.RUnlock()
	if ix.db == nil {
		return nil, true, nil
	}
	tx, err := ix.db.Snapshot(ctx)
	if err != nil {
		return ix.db, false, ix.db.NameLocked(err)
	}
	defer tx.End()
	if tx.Generation != ix.engine.build.generation {
		return ix.db, true, nil
	}
	if tx.Unwatched && !ix.unwatched.Swap(true) { // which nothing has looked at
		return ix.db, true, nil
	}
	return ix.db, false, ix.db.NameLocked(fn(tx))
}

// recoveries bounds how often the index is opened again after one failure. Each has
// fewer places left to try.
const recoveries = 4

// recover opens the index again after a failure, where that helps: a damaged index
// is built again, an index that cannot be written is kept elsewhere. Otherwise the failure is
// returned. The caller holds sync.
func (ix *Index) recover(ctx context.Context, err error) error {
	for range recoveries {
		if err == nil || ctx.Err() != nil || !ix.opener.CanReopen(ix.db, err) {
			break
		}
		err = ix.open(ctx)
	}
	return ix.db.NameLocked(err)
}

// invalidate has all files compared by the next read, after a read found the
// index of another build, or opens the index again after a read that failed. Other reads
// may have met the same.
func (ix *Index) invalidate(ctx context.Context, read *db.DB, failed error) error {
	if err := ix.lock(ctx); err != nil {
		return err
	}
	defer ix.unlock()
	ix.stale = true
	if failed == nil || ix.db != read || ix.closed {
		return nil
	}
	return ix.recover(ctx, failed)
}
