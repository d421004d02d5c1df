package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"issues-index/index/db"
)

// rowColumns are the columns of a Row, read from the table document as d.
const rowColumns = `d.path, d.id, d.type, d.title, d.status, d.priority, d.labels, d.assignee, d.project, d.parent,
	d.created, d.updated, d.closed, d.context, d.size,
	coalesce((SELECT message FROM document_problem p WHERE p.doc = d.doc LIMIT 1), ''),
	EXISTS (SELECT 1 FROM document o WHERE o.id = d.id AND o.doc <> d.doc)`

// scanRow reads rowColumns, and further columns into more.
func scanRow(scan func(...any) error, more ...any) (Row, error) {
	var r Row
	var labels string
	var created, updated int64
	var closed sql.NullInt64
	into := []any{
		&r.Path, &r.ID, &r.Type, &r.Title, &r.Status, &r.Priority, &labels, &r.Assignee, &r.Project, &r.Parent,
		&created, &updated, &closed, &r.Context, &r.Size, &r.Problem, &r.Shared,
	}
	if err := scan(append(into, more...)...); err != nil {
		return Row{}, fmt.Errorf("read a row: %w", err)
	}
	if labels != "[]" {
		if err := json.Unmarshal([]byte(labels), &r.Labels); err != nil {
			return Row{}, fmt.Errorf("%w: read the labels of %s: %w", db.ErrDamaged, r.Path, err)
		}
	}
	r.Created, r.Updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
	if closed.Valid {
		r.Closed = time.UnixMilli(closed.Int64).UTC()
	}
	return r, nil
}

// rowsWhere reads the rows that a query after FROM selects.
func rowsWhere(ctx context.Context, q db.Querier, from string, args ...any) ([]Row, error) {
	rows, err := q.QueryContext(ctx, `SELECT `+rowColumns+` FROM `+from, args...)
	if err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []Row
	for rows.Next() {
		r, err := scanRow(rows.Scan)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	return all, nil
}
