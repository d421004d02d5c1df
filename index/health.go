package index

import (
	"context"
	"database/sql"
	"fmt"
)

// Health is what the index says about itself.
type Health struct {
	Path      string `json:"path"`             // of the index file; ":memory:" when it has none
	Freshness string `json:"freshness"`        // watch, verify or poll
	Reason    string `json:"reason,omitempty"` // why not watch
	Documents int    `json:"documents"`
}

// Health reports the index's state.
func (ix *Index) Health(ctx context.Context) (Health, error) {
	var h Health
	err := ix.view(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT coalesce(sum(documents), 0) FROM facet_tally`).Scan(&h.Documents)
		if err != nil {
			return fmt.Errorf("read the index's state: %w", err)
		}
		h.Path = ix.db.Path
		return nil
	})
	if err != nil {
		return Health{}, err
	}
	if err := ix.lock(ctx); err != nil {
		return Health{}, err
	}
	defer ix.unlock()
	h.Freshness, h.Reason = ix.mode.String(), ix.reason
	return h, nil
}

// Rebuild drops the index and builds it anew. progress, if not nil, is called
// from time to time with the number of documents done and of all. Other
// processes go on reading the old index until the new one is whole.
func (ix *Index) Rebuild(ctx context.Context, progress func(done, total int)) (Summary, error) {
	summary, err := ix.rebuild(ctx, progress)
	if err != nil {
		return Summary{}, err
	}
	// The build sees single files only; the count is of the whole workspace's problems, too.
	summary.Problems, err = ix.ProblemDocuments(ctx)
	return summary, err
}

func (ix *Index) rebuild(ctx context.Context, progress func(done, total int)) (Summary, error) {
	if err := ix.lock(ctx); err != nil {
		return Summary{}, err
	}
	defer ix.unlock()
	return ix.reopen(ctx, true, progress)
}
