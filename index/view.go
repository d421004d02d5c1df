package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"issues-index/index/db"
)

// view runs a read of the index as of now: every change of a file that was
// finished before the call is in it. All that fn reads belongs to one moment.
func (ix *Index) view(ctx context.Context, fn func(tx *sql.Tx) error) error {
	const attempts = 4
	var err error
	for range attempts {
		if err = ix.fresh(ctx); err != nil {
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
func (ix *Index) viewOnce(ctx context.Context, fn func(tx *sql.Tx) error) (read *db.DB, outdated bool, err error) {
	ix.use.RLock()
	defer ix.use.RUnlock()
	if ix.db == nil {
		return nil, true, nil
	}
	tx, err := ix.db.Read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return ix.db, false, ix.db.NameLocked(fmt.Errorf("read the index: %w", err))
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	var generation string
	if err := tx.QueryRowContext(ctx, `SELECT generation FROM state`).Scan(&generation); err != nil {
		return ix.db, false, fmt.Errorf("read the index's state: %w", err)
	}
	if generation != ix.generation {
		return ix.db, true, nil
	}
	return ix.db, false, ix.db.NameLocked(fn(tx))
}
