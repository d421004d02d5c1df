package index

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"issues-index/index/db"
)

// A ValuesQuery asks for the values of a field that documents have, most used
// first, one page at a time. With Cursor set, Field and Filter are the cursor's.
type ValuesQuery struct {
	Field  string // of GroupBys
	Filter Filter
	Set    bool   // leave out the value "", of documents that do not set the field
	Limit  int    // negative for all
	Scope  string // as Query.Scope
	Cursor string
}

// Values are one page of the values of a field.
type Values struct {
	Counts    []Count
	Remaining int    // values after these
	Next      string // as Page's
	Unkept    string // as Page's

	Distinct  int // values on all pages
	Bytes     int // of those
	Counted   int // sum of their counts
	Documents int // that the filter lets through

	pager *pager
}

// First are the values when the page ends after n of them, without its cursor.
func (v Values) First(n int) Values {
	if dropped := len(v.Counts) - n; dropped > 0 {
		v.Counts = v.Counts[:n]
		v.Remaining += dropped
		v.Next = placeholderCursor
	}
	return v
}

// Values counts as Stats does, at a cost in memory that grows with the page and
// not with the number of values. A value whose count changes between two pages
// may come on both or on neither. Errors: *CursorError.
func (ix *Index) Values(ctx context.Context, q ValuesQuery) (Values, error) {
	if !slices.Contains(GroupBys, q.Field) && !slices.Contains(LineGroupBys, q.Field) {
		return Values{}, fmt.Errorf("count by %q: not one of %v", q.Field, GroupBys)
	}
	var values Values
	err := ix.view(ctx, func(tx *db.Snapshot) (err error) {
		values, err = ix.engine.values(ctx, tx, q)
		return err
	})
	if err == nil {
		values.pager.ix = ix
	}
	return values, err
}

// CutAfter returns the page as it is when it ends after n values, one at least, with the
// cursor of the next page. ErrChanged says that Values has to be asked again.
func (v Values) CutAfter(ctx context.Context, n int) (_ Values, err error) {
	if v = v.First(n); v.Next != "" {
		v.Next, v.Unkept, err = v.pager.cursor(ctx, n)
	}
	return v, err
}

// values reads one page.
func (e *engine) values(ctx context.Context, tx *db.Snapshot, q ValuesQuery) (Values, error) {
	at := &bookmark{query: Query{Scope: q.Scope, View: q.Field, Filter: q.Filter}}
	if q.Cursor != "" {
		var err error
		if at, err = e.resume(ctx, tx, Query{Scope: q.Scope, Cursor: q.Cursor}); err != nil {
			return Values{}, err
		}
		q.Field, q.Filter = at.query.View, at.query.Filter
	}
	if _, err := e.resolveFilter(ctx, tx, &q.Filter); err != nil {
		return Values{}, err
	}
	at.query.Filter = q.Filter
	from, args, err := e.valuesFrom(ctx, tx, q)
	if err != nil {
		return Values{}, err
	}
	var v Values
	if v.Documents, err = e.count(ctx, tx, q.Filter); err != nil {
		return Values{}, err
	}
	const sums = ` SELECT count(*), coalesce(sum(octet_length(value)), 0), coalesce(sum(n), 0) FROM v`
	err = tx.QueryRowContext(ctx, from+sums, args...).
		Scan(&v.Distinct, &v.Bytes, &v.Counted)
	if err != nil {
		return Values{}, fmt.Errorf("count values: %w", err)
	}
	after := ""
	if at.place.Seen > 0 {
		after = ` WHERE n < ? OR n = ? AND value > ?`
		args = append(args, at.place.Key, at.place.Key, at.place.Path)
	}
	v.Counts, err = readAll(ctx, tx, "values", func(scan func(...any) error) (c Count, err error) {
		err = scan(&c.Value, &c.Count)
		return c, err
	}, from+` SELECT value, n FROM v`+after+` ORDER BY n DESC, value LIMIT `+strconv.Itoa(q.Limit), args...)
	if err != nil {
		return Values{}, err
	}
	if v.Remaining = max(0, v.Distinct-at.place.Seen-len(v.Counts)); v.Remaining > 0 {
		v.Next = placeholderCursor
	}
	seen := at.place.Seen
	at.rev = tx.Rev
	v.pager = &pager{generation: e.build.generation, at: *at, after: func(rows int) position {
		last := v.Counts[rows-1]
		return position{Seen: seen + rows, Key: int64(last.Count), Path: last.Value}
	}}
	return v, nil
}

// valuesFrom is a query's values and their counts as the table v (value, n).
func (e *engine) valuesFrom(ctx context.Context, tx *db.Snapshot, q ValuesQuery) (string, []any, error) {
	query, args := e.statsQuery(q.Field, q.Filter)
	if q.Field == "label" && !q.Set {
		unlabelled, err := e.unlabelled(ctx, tx, q.Filter)
		if err != nil {
			return "", nil, err
		}
		if unlabelled > 0 {
			query += ` UNION ALL SELECT '', ?`
			args = append(args, unlabelled)
		}
	}
	if q.Set {
		return `WITH counted (value, n) AS (` + query + `), v AS (SELECT value, n FROM counted WHERE value <> '')`, args, nil
	}
	return `WITH v (value, n) AS (` + query + `)`, args, nil
}

// GroupBys are the fields that Stats can count by.
var GroupBys = []string{"status", "priority", "project", "assignee", "type", "label"}

// LineGroupBys are those besides in a mirror, where every document has one of each.
var LineGroupBys = []string{"workspace", "line"}

// Stats counts the documents that f lets through by a field of GroupBys or LineGroupBys, most
// used first. total is the number of those documents; by label a document counts
// once for each of its labels, and once under "" when it has none.
func (ix *Index) Stats(ctx context.Context, groupBy string, f Filter) (counted []Count, total int, err error) {
	v, err := ix.Values(ctx, ValuesQuery{Field: groupBy, Filter: f, Limit: -1})
	return v.Counts, v.Documents, err
}

func (e *engine) statsQuery(groupBy string, f Filter) (string, []any) {
	where := e.where(f)
	count, from := "count(*)", "document"
	switch {
	case groupBy == "label" && len(where.terms) == 0:
		return `SELECT label, documents FROM label_tally`, nil
	case groupBy == "label":
		in := `doc IN (SELECT doc FROM document WHERE ` + where.String() + `)`
		return `SELECT label, count(*) FROM document_label WHERE ` + in + ` GROUP BY label`, where.args
	case f.tallied(groupBy):
		count, from = "sum(documents)", f.tally(groupBy)
	case f.Boxes != "" && f.Parent == "" && f.Assignee == "" && f.Project == "":
		from += " INDEXED BY document_open_boxes" // SQLite would go through all documents in the order of their types
	}
	return `SELECT ` + groupBy + `, ` + count + ` FROM ` + from + ` WHERE ` + where.String() + ` GROUP BY 1`, where.args
}

// unlabelled counts the documents without a label.
func (e *engine) unlabelled(ctx context.Context, tx *db.Snapshot, f Filter) (int, error) {
	key, err := e.countKey(ctx, tx, f)
	if err != nil {
		return 0, err
	}
	where := e.where(f)
	where.add(`labels = '[]'`)
	return e.counts.remember("unlabelled "+key, tx.Rev, func() (int, error) { return countWhere(ctx, tx, where) })
}
