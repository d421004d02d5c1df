package index

import (
	"context"

	"issues-index/index/db"
)

// recoveries bounds how often the index is opened again after one failure. Each has
// fewer places left to try.
const recoveries = 4

// recover opens the index again after a failure, where that helps: a damaged one is
// built again, one that cannot be written is kept elsewhere. Otherwise the failure is
// returned. The caller holds sync.
func (ix *Index) recover(ctx context.Context, err error) error {
	for range recoveries {
		if err == nil || ctx.Err() != nil {
			break
		}
		again, foreign := ix.opener.CanReopen(ix.db, err)
		if foreign != nil {
			return foreign
		}
		if !again {
			break
		}
		err = ix.open(ctx)
	}
	return ix.db.NameLocked(err)
}

// invalidate has all files compared by the next read, after a read found the
// index of another build, or opens the index again after one that failed. Other reads
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
