package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
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

// A workload is how far the work has come that calls wait for, in files.
type workload struct{ done, total atomic.Int64 }

func (w *workload) end() {
	w.done.Store(0)
	w.total.Store(0)
}

// report notes how far work has come, and tells who asked to be told. Work that is
// finished has done all.
func (ix *Index) report(done, total int) {
	ix.work.done.Store(int64(done))
	ix.work.total.Store(int64(total))
	if ix.options.Progress != nil {
		ix.options.Progress(done, total)
	}
}

// reporting is report for a caller that wants to be told, too; tell may be nil.
func (ix *Index) reporting(tell func(done, total int)) func(done, total int) {
	return func(done, total int) {
		ix.report(done, total)
		if tell != nil {
			tell(done, total)
		}
	}
}

// A BehindError says that a call's time ran out while the index was still taking in
// files. That goes on without the call.
type BehindError struct {
	Done, Total int // files
}

func (e *BehindError) Error() string {
	return fmt.Sprintf("the index is catching up with the files: %d of %d are done", e.Done, e.Total)
}

// Is has it count as the end of the call's time.
func (e *BehindError) Is(target error) bool { return target == context.DeadlineExceeded }

// behind explains why a wait for the index ended.
func (ix *Index) behind(err error) error {
	done, total := int(ix.work.done.Load()), int(ix.work.total.Load())
	if errors.Is(err, context.DeadlineExceeded) && done < total {
		return &BehindError{done, total}
	}
	return err
}
