package telemetry

import (
	"context"
	"fmt"
	"math"
	"time"
)

// Pruning goes in small steps, so that other processes can write in between.
const (
	pruneCalls = 2000 // calls deleted in one step
	prunePages = 500  // pages removed from the file in one step
)

// full reports whether a file fills so many percent of the size that it may have.
func (f callFile) full(ctx context.Context, maxSize, percent int) (bool, error) {
	var used int
	err := f.QueryRowContext(ctx, `
		SELECT (page_count - freelist_count) * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&used)
	return used > maxSize/100*percent, err
}

// A file that is nearlyFull is pruned until it is no longer fullEnough.
const nearlyFull, fullEnough = 95, 85

// prune deletes the calls that are older than maxAge and, while the file is too large,
// the oldest of the rest.
func (f callFile) prune(ctx context.Context, now time.Time, maxAge time.Duration, maxSize int) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("prune telemetry: %w", err)
		}
	}()
	for removed := int64(pruneCalls); removed == pruneCalls; {
		if removed, err = f.removeCalls(ctx, now.Add(-maxAge).UnixMilli()); err != nil {
			return err
		}
	}
	full, err := f.full(ctx, maxSize, nearlyFull)
	for full && err == nil {
		var removed int64
		if removed, err = f.removeCalls(ctx, math.MaxInt64); err != nil || removed == 0 {
			break
		}
		full, err = f.full(ctx, maxSize, fullEnough)
	}
	if err != nil {
		return err
	}
	if _, err := f.ExecContext(ctx, `DELETE FROM series WHERE id NOT IN (SELECT series FROM call)`); err != nil {
		return err
	}
	return f.shrink(ctx)
}

const removeQuery = `
	DELETE FROM call WHERE (time, n) IN (SELECT time, n FROM call WHERE time < ? ORDER BY time, n LIMIT ?)`

// removeCalls deletes the oldest calls before a time in milliseconds, pruneCalls of
// them at most. It returns how many.
func (f callFile) removeCalls(ctx context.Context, before int64) (int64, error) {
	result, err := f.ExecContext(ctx, removeQuery, before, pruneCalls)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// shrink removes the unused pages from the file.
func (f callFile) shrink(ctx context.Context) error {
	free := math.MaxInt
	for {
		var left int
		if err := f.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&left); err != nil {
			return err
		}
		if left == 0 || left >= free { // another process frees as fast, or pages cannot be removed
			break
		}
		free = left
		if _, err := f.ExecContext(ctx, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, prunePages)); err != nil {
			return err
		}
	}
	_, err := f.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return err
}
