package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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

// Values counts as Stats does. A value whose count changes between two pages
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
	var v Values
	var err error
	if v.Documents, err = e.count(ctx, tx, q.Filter); err != nil {
		return Values{}, err
	}
	query, args := e.statsQuery(q.Field, q.Filter)
	all, err := readAll(ctx, tx, "values", func(scan func(...any) error) (c Count, err error) {
		err = scan(&c.Value, &c.Count)
		return c, err
	}, query, args...)
	if err == nil && q.Field == "label" {
		where := e.where(q.Filter)
		where.add(`labels = '[]'`)
		var unlabelled int
		if unlabelled, err = countWhere(ctx, tx, where); unlabelled > 0 {
			all = append(all, Count{Count: unlabelled})
		}
	}
	if err != nil {
		return Values{}, err
	}
	if q.Set {
		all = slices.DeleteFunc(all, func(c Count) bool { return c.Value == "" })
	}
	for _, c := range all {
		v.Distinct, v.Bytes, v.Counted = v.Distinct+1, v.Bytes+len(c.Value), v.Counted+c.Count
	}
	inOrder := func(a, b Count) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value)) }
	slices.SortFunc(all, inOrder)
	if at.place.Seen > 0 {
		last := Count{at.place.Path, int(at.place.Key)}
		all = slices.DeleteFunc(all, func(c Count) bool { return inOrder(c, last) <= 0 })
	}
	v.Counts = all
	if q.Limit >= 0 {
		v = v.First(q.Limit)
	}
	seen := at.place.Seen
	at.rev = tx.Rev
	v.pager = &pager{generation: e.build.generation, at: *at, after: func(rows int) position {
		last := v.Counts[rows-1]
		return position{Seen: seen + rows, Key: int64(last.Count), Path: last.Value}
	}}
	return v, nil
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
