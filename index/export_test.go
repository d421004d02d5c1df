package index

import (
	"context"
	"fmt"
	"strings"

	"issues-index/index/sqlfile"
	"issues-index/store"
)

// FindPage reads a page, with the cursor of the next one.
func FindPage(ctx context.Context, ix *Index, q Query) (Page, error) { return findPage(ctx, ix, q) }

// Refresh brings the rows of files up to date that the caller has just changed.
func (ix *Index) Refresh(ctx context.Context, paths ...string) error {
	written := make([]store.Written, len(paths))
	for i, path := range paths {
		written[i].Path = path
	}
	return ix.RefreshWritten(ctx, written...)
}

// Observed is a context in which told hears of every statement that the index
// runs for a call, in the background excepted.
func Observed(ctx context.Context, told func(query string)) context.Context {
	return sqlfile.WithObserver(ctx, told)
}

// Rest has every file seem to have rested for some seconds before it was read, as
// after a pause that a test does not make: of files that changed just before,
// times prove nothing.
func (ix *Index) Rest(ctx context.Context) error {
	_, err := ix.db.Write.ExecContext(ctx, `UPDATE document SET read_at = read_at + ?`, int64(2*racyWindow))
	return err
}

// A step is one of the steps in which SQLite runs a statement.
type step struct {
	id, parent int
	detail     string
}

// Explain returns the steps in which SQLite would run a statement. One that sorts
// says of which table.
func (ix *Index) Explain(ctx context.Context, query string) ([]string, error) {
	// The values are of no account: without statistics of them SQLite plans alike.
	unset := make([]any, max(strings.Count(query, "?"), 9))
	rows, err := ix.db.Write.QueryContext(ctx, "EXPLAIN QUERY PLAN "+query, unset...)
	if err != nil {
		return nil, fmt.Errorf("explain %s: %w", query, err)
	}
	defer func() { _ = rows.Close() }()
	var steps []step
	for rows.Next() {
		var s step
		var unused int
		if err := rows.Scan(&s.id, &s.parent, &unused, &s.detail); err != nil {
			return nil, fmt.Errorf("explain %s: %w", query, err)
		}
		steps = append(steps, s)
	}
	details := make([]string, len(steps))
	for i, s := range steps {
		details[i] = s.detail
		if strings.HasPrefix(s.detail, "USE TEMP B-TREE") {
			details[i] += " OF " + sorted(steps, s)
		}
	}
	return details, rows.Err()
}

// sorted is what a step sorts: what is read first beside it, or below that.
func sorted(steps []step, sort step) string {
	below := ""
	for _, s := range steps {
		words := strings.Fields(s.detail)
		if s.id <= sort.parent || words[0] != "SCAN" && words[0] != "SEARCH" {
			continue
		}
		if s.parent == sort.parent {
			return words[1]
		}
		if below == "" {
			below = words[1]
		}
	}
	return below
}

// Raced says that the race detector is at work.
const Raced = patience > 1
