package index

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"issues-index/index/db"
	"issues-index/store/layout"
)

// count returns how many documents the filter lets through.
func (e *engine) count(ctx context.Context, tx *db.Snapshot, f Filter) (int, error) {
	if f.tallied() {
		c := f.facets()
		c.inLines(f)
		query := `SELECT coalesce(sum(documents), 0) FROM ` + f.tally("") + ` WHERE ` + c.String()
		return remember(&e.counts, fmt.Sprint(query, c.args), tx.Rev, func() (int, error) {
			return readOne[int](ctx, tx, "count the documents", query, c.args...)
		})
	}
	key, err := e.countKey(ctx, tx, f)
	if err != nil {
		return 0, err
	}
	others := f
	if others.Ready = false; f.Ready && others.tallied() {
		return remember(&e.counts, key, tx.Rev, func() (int, error) { return e.countReady(ctx, tx, f) })
	}
	where := e.where(f)
	facets := e.byOwnValues(f).facetsAlone().facets()
	if (f.Ready || f.Blocked) && len(facets.terms) > 0 { // what the index by facets leaves need not be looked at
		where.add("(type, status, priority) IN (SELECT type, status, priority FROM facet_tally WHERE "+
			e.unfinished()+" AND "+facets.String()+")", facets.args...)
	}
	return remember(&e.counts, key, tx.Rev, func() (int, error) { return countWhere(ctx, tx, where) })
}

// countReady counts the documents that can be begun: a tally has those that are open, and fewer are
// held back.
func (e *engine) countReady(ctx context.Context, tx *db.Snapshot, f Filter) (int, error) {
	open := f.facets()
	open.inLines(f)
	open.add(e.statuses(layout.Open) + ` AND NOT finished`)
	args := slices.Concat(open.args, []any{e.now().UnixMilli()}, open.args)
	return readOne[int](ctx, tx, "count what is ready", `SELECT
		(SELECT coalesce(sum(documents), 0) FROM `+f.tally("")+` WHERE `+open.String()+`) -
		(SELECT count(*) FROM (SELECT DISTINCT doc FROM (`+cannotBegin(f)+`)) CROSS JOIN document USING (doc)
			WHERE `+open.String()+`)`, args...)
}

// countKey names what a filter counts until the index changes. What is deferred comes
// back without a change, so that the last time at which something did is part of it.
func (e *engine) countKey(ctx context.Context, tx *db.Snapshot, f Filter) (string, error) {
	key, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("count the documents: %w", err)
	}
	key = append(key, f.leased...)
	if !f.Ready && f.Where.Text == "" {
		return string(key), nil
	}
	back, err := readOne[int64](ctx, tx, "look for deferred documents",
		`SELECT coalesce(max(deferred), 0) FROM document WHERE deferred <= ?`, e.now().UnixMilli())
	return fmt.Sprintf("%s after %d", key, back), err
}

// countWhere counts the documents for which a condition holds.
func countWhere(ctx context.Context, tx *db.Snapshot, c *clause) (int, error) {
	return readOne[int](ctx, tx, "count the documents", `SELECT count(*) FROM document WHERE `+c.String(), c.args...)
}

// maxCounts bounds the counts that are remembered.
const maxCounts = 256

// counts remembers how many documents a filter lets through, and the like, for as long as the
// index does not change: paging asks for the same count with every page.
type counts struct {
	mu  sync.Mutex
	rev int64
	of  map[string]any
}

// remember returns what is counted by a key at a revision, and counts it when it is not known.
func remember[T any](c *counts, key string, rev int64, count func() (T, error)) (T, error) {
	c.mu.Lock()
	n, known := c.of[key].(T)
	known = known && c.rev == rev
	c.mu.Unlock()
	if known {
		return n, nil
	}
	n, err := count()
	if err != nil {
		return n, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rev != rev || len(c.of) >= maxCounts {
		c.rev, c.of = rev, map[string]any{}
	}
	c.of[key] = n
	return n, nil
}

// reset forgets everything: a rebuilt index counts its changes anew.
func (c *counts) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of, c.rev = nil, 0
}
