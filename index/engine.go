package index

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"issues-index/index/claims"
	"issues-index/index/db"
	"issues-index/index/search"
	"issues-index/store"
)

// An engine answers queries from one build of the index; the engine of a team is another thing. It
// remembers what is costly to read for as long as that does not change.
type engine struct {
	ws         *store.Workspace
	leases     *claims.Leases
	now        func() time.Time
	build      buildID // as it was last compared with the files
	counts     counts
	vocabulary vocabularyCache

	searches     chan struct{} // one entry for each search that runs
	losesCursors atomic.Bool   // the last one could not be stored
	lastCursor   atomic.Pointer[storedCursor]
}

// A buildID tells which build of the index its files were compared with.
type buildID struct {
	generation string
	cursorKey  []byte
}

// A vocabularyCache holds the words of a build's full-text table.
type vocabularyCache struct {
	mu         sync.Mutex
	terms      *search.Vocabulary
	generation string // of the build
	last       int64  // number of the last row that was loaded
}

// words returns the index's vocabulary, with the words that have come since the
// last time, of this and of other processes.
func (e *engine) words(ctx context.Context, q db.Querier) (*search.Vocabulary, error) {
	e.vocabulary.mu.Lock()
	defer e.vocabulary.mu.Unlock()
	var generation string
	var last int64
	const state = `SELECT generation, coalesce((SELECT max(number) FROM vocabulary), 0) FROM state`
	err := q.QueryRowContext(ctx, state).Scan(&generation, &last)
	if err != nil {
		return nil, fmt.Errorf("read the vocabulary's state: %w", err)
	}
	if generation != e.vocabulary.generation {
		e.vocabulary.terms, e.vocabulary.generation, e.vocabulary.last = &search.Vocabulary{}, generation, 0
	}
	if last <= e.vocabulary.last {
		return e.vocabulary.terms, nil
	}
	terms, err := readRows[string](ctx, q, "vocabulary",
		`SELECT term FROM vocabulary WHERE number > ? AND number <= ?`, e.vocabulary.last, last)
	if err != nil {
		return nil, err
	}
	e.vocabulary.terms.Add(terms...)
	e.vocabulary.last = last
	return e.vocabulary.terms, nil
}
