package index

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
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
	if !slices.Contains(GroupBys, q.Field) {
		return Values{}, fmt.Errorf("count by %q: not one of %v", q.Field, GroupBys)
	}
	var values Values
	err := ix.view(ctx, func(tx *sql.Tx) (err error) {
		values, err = ix.values(ctx, tx, q)
		return err
	})
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
func (ix *Index) values(ctx context.Context, tx *sql.Tx, q ValuesQuery) (Values, error) {
	rev, err := revision(ctx, tx)
	if err != nil {
		return Values{}, err
	}
	at := &bookmark{query: Query{Scope: q.Scope, View: q.Field, Filter: q.Filter}}
	if q.Cursor != "" {
		if at, err = ix.resume(ctx, tx, Query{Scope: q.Scope, Cursor: q.Cursor}); err != nil {
			return Values{}, err
		}
		q.Field, q.Filter = at.query.View, at.query.Filter
	}
	from, args, err := ix.valuesFrom(ctx, tx, q, rev)
	if err != nil {
		return Values{}, err
	}
	var v Values
	if v.Documents, err = ix.count(ctx, tx, q.Filter, rev); err != nil {
		return Values{}, err
	}
	err = tx.QueryRowContext(ctx, from+` SELECT count(*), coalesce(sum(octet_length(value)), 0), coalesce(sum(n), 0) FROM v`, args...).
		Scan(&v.Distinct, &v.Bytes, &v.Counted)
	if err != nil {
		return Values{}, fmt.Errorf("count values: %w", err)
	}
	after := ""
	if at.place.Seen > 0 {
		after = ` WHERE n < ? OR n = ? AND value > ?`
		args = append(args, at.place.Key, at.place.Key, at.place.Path)
	}
	v.Counts, err = readCounts(ctx, tx, from+` SELECT value, n FROM v`+after+` ORDER BY n DESC, value LIMIT `+strconv.Itoa(q.Limit), args)
	if err != nil {
		return Values{}, err
	}
	if v.Remaining = max(0, v.Distinct-at.place.Seen-len(v.Counts)); v.Remaining > 0 {
		v.Next = placeholderCursor
	}
	seen := at.place.Seen
	at.rev = rev
	v.pager = &pager{ix: ix, generation: ix.generation, at: *at, after: func(rows int) position {
		last := v.Counts[rows-1]
		return position{Seen: seen + rows, Key: int64(last.Count), Path: last.Value}
	}}
	return v, nil
}

// valuesFrom is a query's values and their counts as the table v (value, n).
func (ix *Index) valuesFrom(ctx context.Context, tx *sql.Tx, q ValuesQuery, rev int64) (string, []any, error) {
	query, args := statsQuery(q.Field, q.Filter)
	if q.Field == "label" && !q.Set {
		unlabelled, err := ix.unlabelled(ctx, tx, q.Filter, rev)
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
