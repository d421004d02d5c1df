package index

import (
	"context"
	"errors"

	"issues-index/index/db"
)

// Find answers a list or a search, or counts values, as much as the first page takes. Errors:
// *CursorError, *TermsError, and for what the filter says in words *where.SyntaxError and those
// of Get.
func (ix *Index) Find(ctx context.Context, q Query) (Page, error) { return ix.FindCut(ctx, q, nil) }

// mostCuts is how often a page is read that changes before there is a cursor for what follows it.
const mostCuts = 3

// FindCut is Find page by page: cut says after how many rows or counts the page ends, and then
// the page has the cursor of the next one. Paging on with it returns every document that matched
// when the first page was read, and still is there and matches, exactly once. cut is called again
// where documents changed in between. Errors: Find's, cut's, and ErrChanged.
func (ix *Index) FindCut(ctx context.Context, q Query, cut func(Page) (int, error)) (page Page, err error) {
	read := func(next *pager) error {
		if q.Search || q.Filter.Where.Text != "" { // which may have words to search for
			select {
			case ix.engine.searches <- struct{}{}:
				defer func() { <-ix.engine.searches }()
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return ix.view(ctx, func(tx *db.Snapshot) error {
			page, err = ix.engine.find(ctx, tx, q, next)
			return err
		})
	}
	for range mostCuts {
		var next pager
		if cut != nil {
			next.ix = ix
		}
		if err = read(&next); err != nil || cut == nil {
			break
		}
		var end int
		if end, err = cut(page); err != nil {
			break
		}
		if page = page.First(end); end > 0 && page.Next != "" {
			page.Next, page.Unkept, err = next.cursor(ctx, end)
		}
		if !errors.Is(err, ErrChanged) {
			break
		}
	}
	return page, err
}

// FindEach answers the first page of each query, all as of one moment, and without a
// cursor to go on with: to ask thousands costs one comparison with the files.
func (ix *Index) FindEach(ctx context.Context, queries []Query) ([]Page, error) {
	pages := make([]Page, len(queries))
	err := ix.view(ctx, func(tx *db.Snapshot) (err error) {
		for i, q := range queries {
			if pages[i], err = ix.engine.find(ctx, tx, q, &pager{}); err != nil {
				return err
			}
			pages[i].Next = ""
		}
		return nil
	})
	return pages, err
}

// find reads one page, and prepares the cursor of the next one, if the pager is one of an Index.
func (e *engine) find(ctx context.Context, tx *db.Snapshot, q Query, next *pager) (Page, error) {
	at := &bookmark{query: q}
	if q.Cursor != "" {
		var err error
		if at, err = e.resume(ctx, tx, q); err != nil {
			return Page{}, err
		}
	}
	at.query.Cursor = ""
	if q.Cursor == "" {
		at.rev = tx.Rev
	}
	if err := e.resolveQuery(ctx, tx, &at.query); err != nil {
		return Page{}, err
	}
	read := e.list
	switch {
	case at.query.Values != "":
		read = e.values
	case at.query.Ordered && !q.Search && q.Cursor == "" && next.ix == nil:
		read = e.firstOrdered
	case at.query.ranked():
		read = e.search
	}
	tx.Brief = !at.query.ranked() && !at.query.Filter.costly && len(at.query.Filter.bound) == 0
	page, ends, err := read(ctx, tx, at)
	if err == nil && at.query.Waits && len(page.Rows) > 0 {
		var use linkUse
		if use, err = e.linkUse(ctx, tx); use.waits {
			tx.Brief = false
			err = addWaits(ctx, tx, page.Rows)
		}
	}
	if err == nil && at.query.Claims {
		page.Unleased = e.addClaims(ctx, page.Rows)
	}
	if len(ends) == 0 {
		page.Next = ""
	}
	next.generation, next.at, next.first, next.ends = e.build.generation, *at, q.Cursor == "", ends
	return page, err
}

// resolveQuery binds the filter of a query, and takes over the order of its criteria: as a Sort
// where one sort key says it.
func (e *engine) resolveQuery(ctx context.Context, tx *db.Snapshot, q *Query) error {
	sort, err := e.resolveFilter(ctx, tx, &q.Filter)
	if err != nil || len(sort) == 0 {
		return err
	}
	key := SortKey(sort[0].Field)
	if len(sort) == 1 && (key == SortUpdated || sortColumns[key] != "") {
		q.Sort = Sort{Key: key, Desc: sort[0].Desc}
		return nil
	}
	q.Ordered = true
	return nil
}

// ranked reports whether the order of what is found is kept for further pages.
func (q *Query) ranked() bool { return q.Values == "" && (q.Search || q.Ordered) }
