package index

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"issues-index/index/db"
)

// firstOrdered reads the first page of a list in an order of its own, of which no further page is
// asked for: only the documents of the page are sorted out.
func (e *engine) firstOrdered(ctx context.Context, tx *db.Snapshot, at *bookmark) (Page, []position, error) {
	q, c, using := at.query, e.where(at.query.Filter), ""
	column, _, _ := strings.Cut(q.Filter.order.SQL, " ")
	sorted := slices.Contains(slices.Collect(maps.Values(sortColumns)), column)
	if f := q.Filter; sorted && f.tallied() && f.tally("") == "facet_tally" {
		using = inOrderOf(column) // SQLite would read and sort all of a status
	}
	docs, err := numbers(ctx, tx, fmt.Sprintf(`SELECT group_concat(doc) FROM (SELECT doc FROM document %s
		WHERE %s ORDER BY %s LIMIT %d)`, using, c, q.Filter.order.SQL, q.Limit+1),
		slices.Concat(c.args, q.Filter.order.Args)...)
	if err != nil {
		return Page{}, nil, err
	}
	page := Page{Query: q, Total: len(docs)}
	if len(docs) > q.Limit {
		docs, page.Next = docs[:q.Limit], placeholderCursor
		if page.AtLeast = q.Uncounted && q.Filter.costly; !page.AtLeast {
			page.Total, err = e.count(ctx, tx, q.Filter)
		}
		page.Remaining = page.Total - len(docs)
	}
	if err != nil || len(docs) == 0 {
		return page, nil, err
	}
	rows, err := e.foundRows(ctx, tx, at, docs)
	for _, doc := range docs {
		page.Rows = append(page.Rows, rows[doc].Row)
	}
	return page, make([]position, len(docs)), err
}
