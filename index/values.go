package index

import (
	"context"
	"database/sql"
	"errors"
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

	// Keep is as Query.Keep. A query without it has no further page.
	Keep func(Values) int
}

// Values are one page of the values of a field.
type Values struct {
	Counts    []Count
	Remaining int    // values after these
	Next      string // cursor of the next page, "" on the last one
	Unkept    string // as Page's

	Distinct  int // values on all pages
	Bytes     int // of those
	Counted   int // sum of their counts
	Documents int // that the filter lets through
}

// First are the values when the page ends after n of them.
func (v Values) First(n int) Values {
	if dropped := len(v.Counts) - n; dropped > 0 {
		v.Counts = v.Counts[:n]
		v.Remaining += dropped
		v.Next = someToken
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
	const attempts = 3
	for range attempts {
		var values Values
		var next *bookmark
		err := ix.view(ctx, func(tx *sql.Tx) error {
			var err error
			values, next, err = ix.values(ctx, tx, q)
			return err
		})
		if err != nil || next == nil {
			return values, err
		}
		// As after a later page, of which nothing has to be read again.
		page, outdated, err := ix.keep(ctx, Query{Cursor: someToken}, Page{}, next)
		if err != nil || !outdated {
			values.Next, values.Unkept = page.Next, page.Unkept
			return values, err
		}
	}
	return Values{}, errors.New("the index keeps being rebuilt by other processes")
}

// values reads one page, and where the next one starts if there is one.
func (ix *Index) values(ctx context.Context, tx *sql.Tx, q ValuesQuery) (Values, *bookmark, error) {
	var rev int64
	if err := tx.QueryRowContext(ctx, `SELECT rev FROM state`).Scan(&rev); err != nil {
		return Values{}, nil, fmt.Errorf("read the index's state: %w", err)
	}
	at := &bookmark{query: Query{Scope: q.Scope, View: q.Field, Filter: q.Filter}}
	if q.Cursor != "" {
		var err error
		if at, err = ix.resume(ctx, tx, Query{Scope: q.Scope, Cursor: q.Cursor}); err != nil {
			return Values{}, nil, err
		}
		q.Field, q.Filter = at.query.View, at.query.Filter
	}
	from, args, err := ix.valuesFrom(ctx, tx, q, rev)
	if err != nil {
		return Values{}, nil, err
	}
	var v Values
	if v.Documents, err = ix.count(ctx, tx, q.Filter, rev); err != nil {
		return Values{}, nil, err
	}
	err = tx.QueryRowContext(ctx, from+` SELECT count(*), coalesce(sum(octet_length(value)), 0), coalesce(sum(n), 0) FROM v`, args...).
		Scan(&v.Distinct, &v.Bytes, &v.Counted)
	if err != nil {
		return Values{}, nil, fmt.Errorf("count values: %w", err)
	}
	after := ""
	if at.place.Seen > 0 {
		after = ` WHERE n < ? OR n = ? AND value > ?`
		args = append(args, at.place.Key, at.place.Key, at.place.Path)
	}
	v.Counts, err = readCounts(ctx, tx, from+` SELECT value, n FROM v`+after+` ORDER BY n DESC, value LIMIT `+strconv.Itoa(q.Limit), args)
	if err != nil || len(v.Counts) == 0 {
		return v, nil, err
	}
	if v.Remaining = max(0, v.Distinct-at.place.Seen-len(v.Counts)); v.Remaining > 0 {
		v.Next = someToken
	}
	if q.Keep == nil {
		v.Next = ""
		return v, nil, nil
	}
	v = v.First(max(1, min(len(v.Counts), q.Keep(v))))
	if v.Next == "" {
		return v, nil, nil
	}
	last := v.Counts[len(v.Counts)-1]
	next := *at
	next.rev = rev
	next.place = position{Seen: at.place.Seen + len(v.Counts), Key: int64(last.Count), Path: last.Value}
	return v, &next, nil
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
