package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/index/db"
)

// facetShare: when the documents a filter lets through are fewer than one in
// this many, it is cheaper to sort them than to look for them in sorted order.
const facetShare = 16

// usualRows is the size of a page for which there is room from the beginning.
const usualRows = 100

// sortColumns are the columns that sort keys order by; updated is for all others.
var sortColumns = map[SortKey]string{SortCreated: "created", SortPriority: "priority_rank", SortStatus: "status_rank"}

// An order is a sort's form in SQL. The path breaks ties in the direction of
// the key, so that one index serves both directions.
type order struct {
	column    string
	direction string // ASC or DESC
	beyond    string // the comparison that later rows pass
}

func (s Sort) order() order {
	column := cmp.Or(sortColumns[s.Key], "updated")
	if s.Key == "" || s.Desc {
		return order{column, "DESC", "<"}
	}
	return order{column, "ASC", ">"}
}

// list reads a page of a list at a bookmark, and where the next one starts
// after each of its rows. Documents that changed since the first page was read
// stand where they stood then.
func (e *engine) list(ctx context.Context, tx *db.Snapshot, at *bookmark) (Page, []position, error) {
	q, o := at.query, at.query.Sort.order()
	total := 0
	var err error
	uncounted := q.Uncounted && q.Filter.costly
	if !uncounted {
		if total, err = e.count(ctx, tx, q.Filter); err != nil {
			return Page{}, nil, err
		}
	}
	page := Page{Query: q, Total: total}
	if q.Limit == 0 && !uncounted { // the count alone is asked for
		page.Remaining = max(0, total-q.Offset)
		return page, nil, nil
	}
	byOwn := total
	if q.Filter.dependsOnOthers() {
		if byOwn, err = e.count(ctx, tx, e.byOwnValues(q.Filter)); err != nil {
			return Page{}, nil, err
		}
	}
	from, args, err := e.pageQuery(ctx, tx, at, byOwn)
	if err != nil {
		return Page{}, nil, err
	}
	end := at.place
	end.Seen += q.Offset
	var ends []position
	reader := newRowReader(q.Lines, &end.Key, &end.Path)
	page.Rows, ends = make([]Row, 0, min(q.Limit, usualRows)+1), make([]position, 0, min(q.Limit, usualRows)+1)
	err = readEach(ctx, tx, "documents", func(scan func(...any) error) error {
		row, err := reader.read(scan)
		end.Seen++
		page.Rows, ends = append(page.Rows, row), append(ends, end)
		return err
	}, `SELECT `+reader.columns+`, page.key, page.path FROM (`+from+`) page JOIN document d USING (doc)
		ORDER BY page.key `+o.direction+`, page.path `+o.direction, args...)
	if err != nil {
		return Page{}, nil, err
	}
	if len(page.Rows) > q.Limit {
		page.Next, page.Remaining = placeholderCursor, max(1, total-end.Seen+1)
		page.Rows, ends = page.Rows[:q.Limit], ends[:q.Limit]
	}
	if uncounted {
		page.Total, page.AtLeast = end.Seen, page.Next != ""
	}
	return page, ends, nil
}

// pageQuery selects the documents of one page, and one more, as (doc, key, path).
func (e *engine) pageQuery(ctx context.Context, tx *db.Snapshot, at *bookmark, total int) (string, []any, error) {
	q, o := at.query, at.query.Sort.order()
	needed := &clause{}
	using, err := e.indexHint(ctx, tx, q, needed, total)
	if err != nil {
		return "", nil, err
	}
	q.Filter.inIndexOrder = q.Filter.Ready && strings.HasPrefix(using, "INDEXED BY ")
	where := e.where(q.Filter)
	where.terms, where.args = append(where.terms, needed.terms...), append(where.args, needed.args...)
	first := at.place.Path == ""
	if !first {
		where.add("("+o.column+", path) "+o.beyond+" (?, ?)", at.place.Key, at.place.Path)
	}
	if at.rev != tx.Rev {
		where.add("rev <= ?", at.rev)
	}
	// The limits are no parameters: SQLite would plan the statement anew with each.
	ordered := fmt.Sprintf(" ORDER BY key %[1]s, path %[1]s LIMIT %d", o.direction, q.Limit+1)
	query := "SELECT doc, " + o.column + " AS key, path FROM document " + using + " WHERE " + where.String() + ordered
	if q.Offset > 0 {
		query += fmt.Sprintf(" OFFSET %d", q.Offset)
	}
	if at.rev == tx.Rev {
		return query, where.args, nil
	}
	now := e.where(q.Filter)
	query = "SELECT * FROM (" + query + ") UNION ALL" +
		" SELECT * FROM (SELECT past.doc, past." + o.column + " AS key, past.path FROM past" +
		" WHERE from_rev <= ? AND to_rev > ? AND (past." + o.column + ", past.path) " + o.beyond + " (?, ?)" +
		" AND EXISTS (SELECT 1 FROM document WHERE doc = past.doc AND " + now.String() + ")" + ordered + ")" + ordered
	args := append(slices.Clone(where.args), at.rev, at.rev, at.place.Key, at.place.Path)
	args = append(args, now.args...)
	return query, args, nil
}

// indexHint chooses how a list goes through the documents: in sorted order, until
// the page is full, or, where few match, straight to those. It returns what
// tells SQLite so, and adds to needed the condition that this takes.
func (e *engine) indexHint(
	ctx context.Context, tx *db.Snapshot, q Query, needed *clause, total int,
) (_ string, err error) {
	f := e.byOwnValues(q.Filter)
	if !q.Filter.costly && len(q.Filter.bound) > 0 || len(f.IDs) > 0 ||
		f.Parent != "" || f.Assignee != "" || f.Project != "" || len(f.Workspaces) > 0 {
		return "", nil // SQLite finds the index of an equal value itself
	}
	column := q.Sort.order().column
	periods := f.periods()
	byFacets := len(f.Types)+len(f.Statuses)+len(f.Priorities) > 0
	if !byFacets && len(f.Labels) == 0 && len(periods) == 0 && f.Boxes == "" {
		return inOrderOf(column), nil
	}
	all, err := e.count(ctx, tx, Filter{})
	if err != nil {
		return "", err
	}
	few := func(n int) bool { return n*facetShare < all }
	if few(total) && len(f.Labels) > 0 {
		return "NOT INDEXED", nil
	}
	if slices.ContainsFunc(periods, func(p timeBounds) bool { return p.column == column }) {
		return inOrderOf(column), nil // and nothing else
	}
	byFacet := total // how many the facets let through
	if len(periods) > 0 || f.Boxes != "" {
		byFacet, err = e.count(ctx, tx, f.facetsAlone())
		if err != nil {
			return "", err
		}
	}
	switch {
	case few(byFacet) && byFacets:
		facets := f.facetsAlone().facets()
		needed.add("(type, status, priority) IN (SELECT type, status, priority FROM facet_tally WHERE "+
			facets.String()+")", facets.args...)
		return "INDEXED BY document_by_facet", nil
	case f.Boxes != "" && (column == "updated" || few(total)):
		return "INDEXED BY document_open_boxes", nil
	case len(periods) > 0 && few(total): // it is the day that few have
		return "INDEXED BY document_by_" + periods[0].column, nil
	}
	return inOrderOf(column), nil
}

// inOrderOf tells SQLite to go through the documents in the order of a column.
func inOrderOf(column string) string {
	return "INDEXED BY document_by_" + strings.TrimSuffix(column, "_rank")
}
