package index

import (
	"context"

	"issues-index/index/db"
)

// Find answers a list or a search, one page at a time. Paging on with the
// cursor returns every document that matched when the first page was read, and
// still is there and matches, exactly once. Errors: *CursorError, *TermsError, and
// for what the filter says in words *where.SyntaxError and those of Get.
func (ix *Index) Find(ctx context.Context, q Query) (page Page, err error) {
	if q.Search || q.Filter.Where.Text != "" { // which may have words to search for
		select {
		case ix.engine.searches <- struct{}{}:
			defer func() { <-ix.engine.searches }()
		case <-ctx.Done():
			return Page{}, ctx.Err()
		}
	}
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		page, err = ix.engine.find(ctx, tx, q)
		return err
	})
	if err == nil {
		page.pager.ix = ix
	}
	return page, err
}

// CutAfter returns the page as it is when it ends after n rows, one at least, with the
// cursor of the next page. ErrChanged says that Find has to be asked again.
func (p Page) CutAfter(ctx context.Context, n int) (_ Page, err error) {
	if p = p.First(n); p.Next != "" {
		p.Next, p.Unkept, err = p.pager.cursor(ctx, n)
	}
	return p, err
}

// FindEach answers the first page of each query, all as of one moment, and without a
// cursor to go on with: to ask thousands costs one comparison with the files.
func (ix *Index) FindEach(ctx context.Context, queries []Query) ([]Page, error) {
	pages := make([]Page, len(queries))
	err := ix.view(ctx, func(tx *db.Snapshot) (err error) {
		for i, q := range queries {
			if pages[i], err = ix.engine.find(ctx, tx, q); err != nil {
				return err
			}
			pages[i].Next = ""
		}
		return nil
	})
	return pages, err
}

// find reads one page.
func (e *engine) find(ctx context.Context, tx *db.Snapshot, q Query) (Page, error) {
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
	if at.query.ranked() {
		read = e.search
	}
	tx.Brief = !at.query.ranked() && !at.query.Filter.costly && len(at.query.Filter.bound) == 0
	page, ends, err := read(ctx, tx, at)
	if err == nil && at.query.Waits && len(page.Rows) > 0 {
		var any bool
		if any, err = e.anyWaits(ctx, tx); any {
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
	after := func(rows int) position { return ends[rows-1] }
	page.pager = &pager{generation: e.build.generation, at: *at, first: q.Cursor == "", after: after}
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
func (q *Query) ranked() bool { return q.Search || q.Ordered }
