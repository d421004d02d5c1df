package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Find answers a list or a search, one page at a time. Paging on with the
// cursor returns every document that matched when the first page was read, and
// still is there and matches, exactly once. Errors: *CursorError.
func (ix *Index) Find(ctx context.Context, q Query) (Page, error) {
	const attempts = 3
	for range attempts {
		var page Page
		var next *bookmark
		err := ix.view(ctx, func(tx *sql.Tx) error {
			var err error
			page, next, err = ix.find(ctx, tx, q)
			return err
		})
		if err != nil || next == nil {
			return page, err
		}
		page, outdated, err := ix.keep(ctx, q, page, next)
		if err != nil || !outdated {
			return page, err
		}
	}
	return Page{}, errors.New("the index keeps being rebuilt by other processes")
}

// find reads one page, and where the next one starts if there is one.
func (ix *Index) find(ctx context.Context, tx *sql.Tx, q Query) (Page, *bookmark, error) {
	at := &bookmark{query: q}
	if q.Cursor != "" {
		var err error
		if at, err = ix.resume(ctx, tx, q); err != nil {
			return Page{}, nil, err
		}
	}
	at.query.Cursor = ""
	var rev int64
	if err := tx.QueryRowContext(ctx, `SELECT rev FROM state`).Scan(&rev); err != nil {
		return Page{}, nil, fmt.Errorf("read the index's state: %w", err)
	}
	if q.Cursor == "" {
		at.rev = rev
	}
	if at.query.Search {
		return ix.search(ctx, tx, at)
	}
	return ix.list(ctx, tx, at, rev)
}
