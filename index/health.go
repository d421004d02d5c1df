package index

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"issues-index/index/db"
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
	err := ix.view(ctx, func(tx *db.Snapshot) (err error) {
		h.Path = ix.db.Path
		h.Documents, err = readOne[int](ctx, tx, "read the index's state",
			`SELECT coalesce(sum(documents), 0) FROM facet_tally`)
		return err
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

// Rebuild drops the index and builds it anew. Other processes go on reading the old index until
// the new one is whole.
func (ix *Index) Rebuild(ctx context.Context) (Summary, error) {
	if err := ix.lock(ctx); err != nil {
		return Summary{}, err
	}
	defer ix.work.follow(ctx)()
	summary, err := ix.reopen(ctx, db.AnyGeneration, nil)
	ix.unlock()
	if err != nil {
		return Summary{}, err
	}
	// The build sees single files only; the count is of the whole workspace's problems, too.
	summary.Problems, err = ix.ProblemDocuments(ctx)
	return summary, err
}

// A workload is how far the work has come that calls wait for, in files.
type workload struct {
	done, total atomic.Int64
	tell        func(done, total int) // Options.Progress

	mu      sync.Mutex
	waiting map[*func(done, total int)]bool // of the calls that wait
}

type progressKey struct{}

// WithProgress returns a context whose calls tell how far the work has come that they wait
// for, in files: an index that is built, or many changes. tell is called from other goroutines
// and must not block: the work would wait for it. It is not called after the call has ended.
func WithProgress(ctx context.Context, tell func(done, total int)) context.Context {
	return context.WithValue(ctx, progressKey{}, tell)
}

// follow tells the caller of the context, if it wants to know, until it is done.
func (w *workload) follow(ctx context.Context) (done func()) {
	tell, _ := ctx.Value(progressKey{}).(func(done, total int))
	if tell == nil {
		return func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting == nil {
		w.waiting = make(map[*func(done, total int)]bool)
	}
	w.waiting[&tell] = true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.waiting, &tell)
	}
}

func (w *workload) end() {
	w.done.Store(0)
	w.total.Store(0)
}

// report notes how far work has come. Work that is finished has done all.
func (w *workload) report(done, total int) {
	w.done.Store(int64(done))
	w.total.Store(int64(total))
	if w.tell != nil {
		w.tell(done, total)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for tell := range w.waiting {
		(*tell)(done, total)
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
func (w *workload) behind(err error) error {
	done, total := int(w.done.Load()), int(w.total.Load())
	if errors.Is(err, context.DeadlineExceeded) && done < total {
		return &BehindError{done, total}
	}
	return err
}
