package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Find answers a list or a search, one page at a time. Paging on with the
// cursor returns every document that matched when the first page was read, and
// still is there and matches, exactly once. Errors: *CursorError, *TermsError.
func (ix *Index) Find(ctx context.Context, q Query) (Page, error) {
	if q.Search {
		select {
		case ix.searches <- struct{}{}:
			defer func() { <-ix.searches }()
		case <-ctx.Done():
			return Page{}, ctx.Err()
		}
	}
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

// FindEach answers the first page of each query, all as of one moment, and without a
// cursor to go on with: to ask thousands costs one comparison with the files.
func (ix *Index) FindEach(ctx context.Context, queries []Query) ([]Page, error) {
	pages := make([]Page, len(queries))
	err := ix.view(ctx, func(tx *sql.Tx) (err error) {
		for i, q := range queries {
			if pages[i], _, err = ix.find(ctx, tx, q); err != nil {
				return err
			}
			pages[i].Next = ""
		}
		return nil
	})
	return pages, err
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
	at.query.Cursor, at.query.Keep = "", nil
	var rev int64
	if err := tx.QueryRowContext(ctx, `SELECT rev FROM state`).Scan(&rev); err != nil {
		return Page{}, nil, fmt.Errorf("read the index's state: %w", err)
	}
	if q.Cursor == "" {
		at.rev = rev
	}
	read := ix.list
	if at.query.Search {
		read = ix.search
	}
	page, ends, err := read(ctx, tx, at, rev)
	if err != nil || len(ends) == 0 {
		return page, nil, err
	}
	kept := len(ends)
	if q.Keep != nil {
		kept = max(1, min(kept, q.Keep(page)))
	}
	page = page.First(kept)
	if page.Next == "" {
		return page, nil, nil
	}
	next := *at
	next.place, next.query.Offset = ends[kept-1], 0
	return page, &next, nil
}
