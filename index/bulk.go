package index

import (
	"context"
	"database/sql"
	"fmt"

	"issues-index/index/db"
	"issues-index/store"
)

// bulk is how many changed files are worth a new index rather than new rows, when
// they are also half of all. Rows are written at about half the speed at which a new
// index is built, and on one processor: at 20,000 documents 1.0 ms of CPU time for
// each changed file, against 0.55 ms for each of all.
const bulk = 2000

// inBulk reports whether so many files have changed that a new index is made sooner.
// That ends the cursors of clients, so it is not done while one is promised to work.
func (ix *Index) inBulk(ctx context.Context, changed, all int) (bool, error) {
	if ix.db.InMemory() || changed < bulk || 2*changed < all {
		return false, nil
	}
	var paging bool
	// One that was handed out again without being written may be younger than it says.
	promised := ix.now().Add(cursorRenewal - cursorPromise)
	err := ix.db.Read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM cursor WHERE expires > ?)`, promised.UnixMilli()).Scan(&paging)
	if err != nil {
		return false, fmt.Errorf("look for cursors: %w", err)
	}
	return !paging, nil
}

// replaceContent builds the index again from the files, in place of one build of it.
// Readers keep the old content until the new one is whole. When another process has
// done it meanwhile, built is false.
func (ix *Index) replaceContent(ctx context.Context, old buildID) (built bool, err error) {
	return ix.db.Refill(ctx, old.generation, func(ctx context.Context, pool *sql.DB) error {
		highest, err := highestNumbers(ctx, ix.db.Read)
		if err != nil {
			return err
		}
		if err := fillFrom(ix.ws, new(Summary), ix.report)(ctx, pool); err != nil {
			return err
		}
		for docType, number := range highest {
			if _, err := pool.ExecContext(ctx, keepHighest, docType, number); err != nil {
				return fmt.Errorf("keep the highest ids: %w", err)
			}
		}
		return nil
	})
}

// highestNumbers are the highest that ids of each type have ever had: all that an
// index knows and the files may not tell.
func highestNumbers(ctx context.Context, q db.Querier) (map[string]int, error) {
	highest := map[string]int{}
	for _, docType := range store.Types {
		var number int
		err := q.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM id_high WHERE type = ?`, docType).Scan(&number)
		if err != nil {
			return nil, fmt.Errorf("read the highest ids: %w", err)
		}
		highest[docType] = number
	}
	return highest, nil
}
