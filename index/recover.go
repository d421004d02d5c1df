package index

import (
	"context"
	"errors"
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
		again, preparing := ix.prepareAgain(err)
		if preparing != nil {
			return preparing
		}
		if !again {
			break
		}
		err = ix.open(ctx)
	}
	return ix.named(err)
}

// prepareAgain makes ready to open the index again, and reports whether that can help
// after a failure. Its error is a *cachedir.ForeignError.
func (ix *Index) prepareAgain(failed error) (again bool, err error) {
	if ix.place == nil { // it has no file
		return false, nil
	}
	switch failureOf(failed) {
	case damaged:
		if ix.db == nil || !ix.db.replaced() { // else another process has built it again
			err = ix.removeDamaged(failed)
		}
		if foreign := ix.foreignFile(err); foreign != nil {
			return false, foreign
		}
		if err != nil {
			ix.giveUp(ix.place.path, errors.Join(failed, err))
		}
	case readOnly:
		ix.giveUp(ix.place.path, failed)
	case noRoom:
		ix.filesFail = failed
	case moved:
	default:
		return false, nil
	}
	return true, nil
}

// giveUp has the index kept at another place than the path from now on.
func (ix *Index) giveUp(path string, reason error) {
	if ix.givenUp == nil {
		ix.givenUp = map[string]error{}
	}
	ix.givenUp[path] = reason
}

// invalidate has all files compared by the next read, after a read of db found the
// index of another build, or opens the index again after one that failed. Other reads
// may have met the same.
func (ix *Index) invalidate(ctx context.Context, db *database, failed error) error {
	if err := ix.lock(ctx); err != nil {
		return err
	}
	defer ix.unlock()
	ix.stale = true
	if failed == nil || ix.db != db || ix.closed {
		return nil
	}
	return ix.recover(ctx, failed)
}

// removeDamaged deletes a damaged index, so that it is built anew.
func (ix *Index) removeDamaged(reason error) error {
	ix.log.Warn("the index is damaged", "path", ix.place.path, "error", reason)
	return ix.place.remove()
}
