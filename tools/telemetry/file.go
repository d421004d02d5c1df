package telemetry

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"time"

	"issues-index/index/sqlfile"
)

//go:embed schema.sql
var schema string

//go:embed views.sql
var views string

// format is that of telemetry files.
var format = sqlfile.Format{
	Application: 0x6969746c, // "iitl"
	Version:     3,
	Schema:      schema,
	Views:       views,
	Tables:      []string{"series", "call"},
	Upgrades: map[int]string{
		// Whether the calls on record would have been oversized is unknown.
		1: `ALTER TABLE call ADD COLUMN oversized INTEGER NOT NULL DEFAULT 0;`,
		// Figures were kept as blobs, apart from the calls. All are in the calls, too,
		// but for those that were deleted because the file was full.
		2: `DROP TABLE IF EXISTS rollup; DROP TABLE IF EXISTS state;`,
	},
	// The writer tries again later when another process has not ended its write by then.
	Busy: 200 * time.Millisecond,
}

// A callFile is a telemetry file that is open for writing.
type callFile struct{ *sqlfile.OpenFile }

// write adds calls in one transaction.
func (f callFile) write(ctx context.Context, calls []callRecord) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write telemetry: %w", err)
		}
	}()
	return f.Transact(ctx, func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, `
			INSERT OR IGNORE INTO call (time, n, series, tokens, bytes, original, budget, oversized, over, items,
				latency, real_tokens)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0))`)
		if err != nil {
			return err
		}
		defer func() { _ = insert.Close() }()
		ids := map[[5]any]int64{}
		for i := range calls {
			c := &calls[i]
			key := [5]any{c.Tool, c.Client, string(c.Outcome), c.Failed, c.Variant}
			if _, ok := ids[key]; !ok {
				if ids[key], err = seriesID(ctx, tx, key); err != nil {
					return err
				}
			}
			if _, err := insert.ExecContext(ctx, c.Time.UnixMilli(), c.n, ids[key], c.Tokens, c.Bytes, c.Original,
				c.Budget, c.Oversized, c.Over, c.Items, c.Latency.Microseconds(), c.realTokens); err != nil {
				return err
			}
		}
		return nil
	})
}

// seriesID finds or creates a series: tool, client, outcome, failed, variant.
func seriesID(ctx context.Context, tx *sql.Tx, s [5]any) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `
		INSERT INTO series (tool, client, outcome, failed, variant) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET tool = tool RETURNING id`, s[:]...).Scan(&id)
	return id, err
}
