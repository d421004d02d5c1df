package telemetry

import (
	"context"
	"fmt"
	"time"
)

// minutesKept is how long roll-ups of minutes are kept: questions about what is
// longer ago are answered by the hour.
const minutesKept = 48 * time.Hour

// Pruning goes by small steps, so that other processes can write in between.
const (
	pruneCalls = 2000 // calls of a step
	prunePages = 500  // pages that are given back in a step
)

// full reports whether a file is about to be larger than it may.
func (f *file) full(ctx context.Context, maxSize int64) (bool, error) {
	used, err := f.used(ctx)
	return used > maxSize/100*95, err
}

// used is the size of what is in the file, in bytes.
func (f *file) used(ctx context.Context) (used int64, err error) {
	err = f.QueryRowContext(ctx, `
		SELECT (page_count - freelist_count) * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&used)
	return used, err
}

// prune removes what is too old, and then what is too much: the oldest calls,
// and when that is not enough the oldest days.
func (f *file) prune(ctx context.Context, now time.Time, maxAge time.Duration, maxSize int64) error {
	if err := f.pruneOld(ctx, now, maxAge); err != nil {
		return fmt.Errorf("prune telemetry: %w", err)
	}
	full, err := f.full(ctx, maxSize)
	if err == nil && full {
		err = f.pruneLarge(ctx, now, maxSize/100*85)
	}
	if err != nil {
		return fmt.Errorf("prune telemetry: %w", err)
	}
	if err := f.giveBack(ctx); err != nil {
		return fmt.Errorf("shrink telemetry: %w", err)
	}
	return nil
}

func (f *file) pruneOld(ctx context.Context, now time.Time, maxAge time.Duration) error {
	from := now.Add(-maxAge)
	for {
		removed, err := f.removeCalls(ctx, from)
		if err != nil {
			return err
		}
		if removed < pruneCalls {
			break
		}
	}
	var keptFrom int64
	if err := f.QueryRowContext(ctx, `SELECT kept_from FROM state`).Scan(&keptFrom); err != nil {
		return err
	}
	if keptFrom > now.Unix() { // it was set by a clock that was wrong
		keptFrom = 0
	}
	return f.keepFrom(ctx, max(keptFrom, floor(from.Unix(), hour)), floor(now.Add(-minutesKept).Unix(), hour))
}

const removeQuery = `
	DELETE FROM call WHERE (time, n) IN (SELECT time, n FROM call WHERE time < ? ORDER BY time, n LIMIT ?)`

// removeCalls removes one step of the oldest calls, none from a moment on.
func (f *file) removeCalls(ctx context.Context, from time.Time) (int64, error) {
	result, err := f.ExecContext(ctx, removeQuery, from.UnixMilli(), pruneCalls)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

const forgetQuery = `
	DELETE FROM rollup WHERE span = ? AND series IN (SELECT id FROM series UNION ALL SELECT 0) AND start < ?`

// keepFrom removes the roll-ups before some moments, which are begins of hours,
// and the series that have none any more.
func (f *file) keepFrom(ctx context.Context, keptFrom, minutesFrom int64) error {
	tx, err := f.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	for _, part := range []struct {
		span, from int64
	}{{minute, max(keptFrom, minutesFrom)}, {hour, keptFrom}, {day, floor(keptFrom, day)}} {
		if _, err := tx.ExecContext(ctx, forgetQuery, part.span, part.from); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE state SET kept_from = ?, minutes_from = ?`, keptFrom, minutesFrom); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM series WHERE NOT EXISTS (SELECT 1 FROM rollup WHERE span = ? AND series = id)`, day); err != nil {
		return err
	}
	return tx.Commit()
}

func (f *file) pruneLarge(ctx context.Context, now time.Time, most int64) error {
	for {
		used, err := f.used(ctx)
		if err != nil || used <= most {
			return err
		}
		removed, err := f.removeCalls(ctx, unixEnd)
		if err != nil {
			return err
		}
		if removed == 0 {
			break
		}
	}
	var first, minutesFrom int64
	for {
		used, err := f.used(ctx)
		if err != nil || used <= most {
			return err
		}
		if err := f.QueryRowContext(ctx, `
			SELECT coalesce((SELECT min(start) FROM rollup WHERE span = ? AND series = 0), 0), minutes_from FROM state`, day).Scan(&first, &minutesFrom); err != nil {
			return err
		}
		next := floor(first, day) + day
		if first == 0 || next > now.Unix() {
			return nil // today's are kept whatever they take
		}
		if err := f.keepFrom(ctx, next, max(next, minutesFrom)); err != nil {
			return err
		}
	}
}

var unixEnd = time.Unix(forever, 0)

// giveBack makes the file as small as what is in it.
func (f *file) giveBack(ctx context.Context) error {
	for {
		var free int
		if err := f.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&free); err != nil {
			return err
		}
		if free == 0 {
			break
		}
		if _, err := f.ExecContext(ctx, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, prunePages)); err != nil {
			return err
		}
		var left int
		if err := f.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&left); err != nil {
			return err
		}
		if left >= free {
			break // another process frees as fast, or pages cannot be given back
		}
	}
	_, err := f.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return err
}
