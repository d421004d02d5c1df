package telemetry

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// maxSeries bounds the rows of series: a client may give itself a new name at
// every start. Those beyond are counted as another client's.
const (
	maxSeries   = 5000
	otherClient = "other"
)

// A rollupKey is where a call is counted.
type rollupKey struct {
	span, series, start int64
}

// write keeps some calls: one by one, and in their roll-ups. n tells them apart.
func (f *file) write(ctx context.Context, entries []entry, n func() int64) (err error) {
	tx, err := f.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("write telemetry: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if err := write(ctx, tx, entries, n); err != nil {
		return fmt.Errorf("write telemetry: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("write telemetry: %w", err)
	}
	return nil
}

func write(ctx context.Context, tx *sql.Tx, entries []entry, n func() int64) error {
	insert, err := tx.PrepareContext(ctx, `
		INSERT INTO call (time, n, series, tokens, bytes, original, budget, oversized, over, items, latency, real_tokens)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }()
	known := map[series]int64{}
	tallies := map[rollupKey]*tally{}
	for i := range entries {
		e := &entries[i]
		id, err := seriesID(ctx, tx, known, e)
		if err != nil {
			return err
		}
		counted := sql.NullInt64{Int64: int64(e.real), Valid: e.counted}
		if _, err := insert.ExecContext(ctx, e.Time.UnixMilli(), n(), id, e.Tokens, e.Bytes, e.Original,
			e.Budget, e.Oversized, e.Over, e.Items, e.Latency.Microseconds(), counted); err != nil {
			return err
		}
		for _, span := range []int64{minute, hour, day} {
			for _, in := range []int64{id, everything} {
				key := rollupKey{span, in, floor(e.Time.Unix(), span)}
				if tallies[key] == nil {
					tallies[key] = &tally{}
				}
				tallies[key].add(e)
			}
		}
	}
	return addTallies(ctx, tx, tallies)
}

// seriesID finds or makes the series of a call. known are those of this write.
func seriesID(ctx context.Context, tx *sql.Tx, known map[series]int64, e *entry) (int64, error) {
	s := series{tool: e.Tool, client: e.Client, outcome: string(e.Outcome), failed: e.Failed, variant: e.Variant}
	if id, ok := known[s]; ok {
		return id, nil
	}
	id, err := findSeries(ctx, tx, s)
	if errors.Is(err, sql.ErrNoRows) {
		id, err = makeSeries(ctx, tx, s)
	}
	known[s] = id
	return id, err
}

func findSeries(ctx context.Context, tx *sql.Tx, s series) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT id FROM series WHERE tool = ? AND client = ? AND outcome = ? AND failed = ? AND variant = ?`,
		s.tool, s.client, s.outcome, s.failed, s.variant).Scan(&id)
	return id, err
}

func makeSeries(ctx context.Context, tx *sql.Tx, s series) (id int64, err error) {
	var count int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM series`).Scan(&count); err != nil {
		return 0, err
	}
	if count >= maxSeries {
		s.client = otherClient
		if id, err := findSeries(ctx, tx, s); !errors.Is(err, sql.ErrNoRows) {
			return id, err
		}
	}
	err = tx.QueryRowContext(ctx, `INSERT INTO series (tool, client, outcome, failed, variant) VALUES (?, ?, ?, ?, ?) RETURNING id`,
		s.tool, s.client, s.outcome, s.failed, s.variant).Scan(&id)
	return id, err
}

func addTallies(ctx context.Context, tx *sql.Tx, tallies map[rollupKey]*tally) error {
	find, err := tx.PrepareContext(ctx, `SELECT tally, oversized FROM rollup WHERE span = ? AND series = ? AND start = ?`)
	if err != nil {
		return err
	}
	defer func() { _ = find.Close() }()
	put, err := tx.PrepareContext(ctx, `INSERT OR REPLACE INTO rollup (span, series, start, tally, oversized) VALUES (?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer func() { _ = put.Close() }()
	for key, t := range tallies {
		var before kept
		err := find.QueryRowContext(ctx, key.span, key.series, key.start).Scan(&before.blob, &before.oversized)
		if err == nil {
			err = t.take(before)
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if _, err := put.ExecContext(ctx, key.span, key.series, key.start, t.encode(), t.oversized); err != nil {
			return err
		}
	}
	return nil
}

// floor is the begin of the span that a moment is in.
func floor(moment, span int64) int64 {
	return moment - ((moment%span)+span)%span
}

// ceil is the first begin of a span that is not before a moment.
func ceil(moment, span int64) int64 { return -floor(-moment, span) }

// unix is a moment as time.Time, the zero one for the beginning of all.
func unix(moment int64) time.Time {
	if moment <= 0 || moment >= forever {
		return time.Time{}
	}
	return time.Unix(moment, 0).UTC()
}

// forever is after every call, and the begin of a day.
const forever = 253402300800
