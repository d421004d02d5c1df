package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"issues-index/index/db"
)

// GroupBys are the fields that Stats can count by.
var GroupBys = []string{"status", "priority", "project", "assignee", "type", "label"}

// LineGroupBys are those besides in a mirror, where every document has one of each.
var LineGroupBys = []string{"workspace", "line"}

// Stats counts the documents that f lets through by a field of GroupBys, or in a mirror of
// LineGroupBys, most used first. total is the number of those documents; by label a document counts
// once for each of its labels, and once under "" when it has none. Errors are Find's, and that
// another field cannot be counted by.
func (ix *Index) Stats(ctx context.Context, groupBy string, f Filter) (counted []Count, total int, err error) {
	err = ix.view(ctx, func(tx *db.Snapshot) error {
		resolved := f
		if _, err := ix.engine.resolveFilter(ctx, tx, &resolved); err != nil {
			return err
		}
		if total, err = ix.engine.count(ctx, tx, resolved); err == nil {
			counted, err = ix.engine.counted(ctx, tx, groupBy, resolved)
		}
		return err
	})
	return counted, total, err
}

// values reads a page of the values of a field at a bookmark. A value whose count changes between
// two pages may come on both or on neither.
func (e *engine) values(ctx context.Context, tx *db.Snapshot, at *bookmark) (Page, []position, error) {
	q, end := at.query, at.place
	all, err := e.counted(ctx, tx, q.Values, q.Filter)
	all = slices.DeleteFunc(all, func(c Count) bool { return c.Value == "" })
	page := Page{Query: q, Total: len(all)}
	if end.Seen > 0 {
		last := Count{end.Path, int(end.Key)}
		all = slices.DeleteFunc(all, func(c Count) bool { return mostUsed(c, last) <= 0 })
	}
	page.Counts = all
	var ends []position
	for _, c := range all {
		end.Seen, end.Key, end.Path = end.Seen+1, int64(c.Count), c.Value
		ends = append(ends, end)
	}
	return page.First(q.Limit), ends, err
}

// mostUsed is the order of values.
func mostUsed(a, b Count) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value)) }

// counted counts the documents by a field.
func (e *engine) counted(ctx context.Context, tx *db.Snapshot, field string, f Filter) ([]Count, error) {
	if !slices.Contains(GroupBys, field) && !slices.Contains(LineGroupBys, field) {
		return nil, fmt.Errorf("count by %q: not one of %v", field, GroupBys)
	}
	query, args := e.statsQuery(field, f)
	all, err := readRows[Count](ctx, tx, "values", query, args...)
	if err == nil && field == "label" {
		where := e.where(f)
		where.add(`labels = '[]'`)
		var unlabelled int
		if unlabelled, err = countWhere(ctx, tx, where); unlabelled > 0 {
			all = append(all, Count{Count: unlabelled})
		}
	}
	slices.SortFunc(all, mostUsed)
	return all, err
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
	case f.tallied():
		count, from = "sum(documents)", f.tally(groupBy)
	case f.Boxes != "" && f.Parent == "" && f.Assignee == "" && f.Project == "":
		from += " INDEXED BY document_open_boxes" // SQLite would go through all documents in the order of their types
	}
	return `SELECT ` + groupBy + `, ` + count + ` FROM ` + from + ` WHERE ` + where.String() + ` GROUP BY 1`, where.args
}
