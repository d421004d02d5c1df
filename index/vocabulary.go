package index

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"issues-index/index/db"
	"issues-index/index/fulltext"
)

// learned notes the words that a transaction has added to the vocabulary it
// worked with.
func (ix *Index) learned(v *fulltext.Vocabulary, c *changes) {
	ix.vocMu.Lock()
	defer ix.vocMu.Unlock()
	v.Add(slices.Collect(maps.Keys(c.terms))...)
	if v == ix.vocabulary {
		ix.vocSeen = max(ix.vocSeen, c.lastTerm)
	}
}

// words returns the index's vocabulary, with the words that have come since the
// last time, of this and of other processes.
func (ix *Index) words(ctx context.Context, q db.Querier) (*fulltext.Vocabulary, error) {
	ix.vocMu.Lock()
	defer ix.vocMu.Unlock()
	var generation string
	var last int64
	err := q.QueryRowContext(ctx, `SELECT generation, coalesce((SELECT max(number) FROM vocabulary), 0) FROM state`).Scan(&generation, &last)
	if err != nil {
		return nil, fmt.Errorf("read the vocabulary's state: %w", err)
	}
	if generation != ix.vocOf {
		ix.vocabulary, ix.vocOf, ix.vocSeen = &fulltext.Vocabulary{}, generation, 0
	}
	if last <= ix.vocSeen {
		return ix.vocabulary, nil
	}
	rows, err := q.QueryContext(ctx, `SELECT term FROM vocabulary WHERE number > ? AND number <= ?`, ix.vocSeen, last)
	if err != nil {
		return nil, fmt.Errorf("read the vocabulary: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var term string
		if err := rows.Scan(&term); err != nil {
			return nil, fmt.Errorf("read the vocabulary: %w", err)
		}
		ix.vocabulary.Add(term)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the vocabulary: %w", err)
	}
	ix.vocSeen = last
	return ix.vocabulary, nil
}
