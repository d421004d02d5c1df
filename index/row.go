package index

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"issues-index/index/db"
	"issues-index/store"
)

// rowColumns are the columns of a Row, read from the table document as d.
const rowColumns = `d.doc, d.finished, d.path, d.id, d.type, d.title, d.status, d.priority, d.labels, d.assignee,
	d.project, d.parent, d.workspace, d.line, d.created, d.updated, d.undated = 1, d.closed, d.context, d.size, d.hash,
	d.boxes_checked, d.boxes_total,
	coalesce((SELECT message FROM document_problem p WHERE p.doc = d.doc LIMIT 1), ''),
	EXISTS (SELECT 1 FROM document o WHERE o.id = d.id AND o.doc <> d.doc)`

// scanRow reads rowColumns, and further columns into more.
func scanRow(scan func(...any) error, more ...any) (Row, error) {
	var r Row
	var labels string
	var hash []byte
	var created, updated int64
	var closed sql.NullInt64
	into := []any{
		&r.doc, &r.finished, &r.Path, &r.ID, &r.Type, &r.Title, &r.Status, &r.Priority, &labels, &r.Assignee,
		&r.Project, &r.Parent, &r.Workspace, &r.Line, &created, &updated, &r.Undated, &closed, &r.Context, &r.Size, &hash,
		&r.Boxes.Checked, &r.Boxes.Total, &r.Problem, &r.Shared,
	}
	if err := scan(append(into, more...)...); err != nil {
		return Row{}, fmt.Errorf("read a row: %w", err)
	}
	if labels != "[]" {
		if err := json.Unmarshal([]byte(labels), &r.Labels); err != nil {
			return Row{}, fmt.Errorf("%w: read the labels of %s: %w", db.ErrDamaged, r.Path, err)
		}
	}
	r.Version = versionOf(hash)
	r.Created, r.Updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
	if closed.Valid {
		r.Closed = time.UnixMilli(closed.Int64).UTC()
	}
	return r, nil
}

// rowsWhere reads the rows that a query after FROM selects.
func rowsWhere(ctx context.Context, q db.Querier, from string, args ...any) ([]Row, error) {
	scan := func(scan func(...any) error) (Row, error) { return scanRow(scan) }
	return readAll(ctx, q, "documents", scan, `SELECT `+rowColumns+` FROM `+from, args...)
}

// readAll reads every row of a query with scan. what names the rows in errors.
func readAll[T any](
	ctx context.Context, q db.Querier, what string,
	scan func(scan func(...any) error) (T, error), query string, args ...any,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the %s: %w", what, err)
	}
	defer func() { _ = rows.Close() }()
	var all []T
	for rows.Next() {
		one, err := scan(rows.Scan)
		if err != nil {
			return nil, fmt.Errorf("read the %s: %w", what, err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the %s: %w", what, err)
	}
	return all, nil
}

// readOne reads the one value of a query's one row. doing says for what in errors.
func readOne[T any](ctx context.Context, q db.Querier, doing, query string, args ...any) (one T, err error) {
	if err = q.QueryRowContext(ctx, query, args...).Scan(&one); err != nil {
		err = fmt.Errorf("%s: %w", doing, err)
	}
	return one, err
}

// readRows reads every row of a query into a T: one value, or a struct whose fields, and those of
// structs in it, are exported and have the order of the columns.
func readRows[T any](ctx context.Context, q db.Querier, what, query string, args ...any) ([]T, error) {
	var one T
	into := columnsOf(reflect.ValueOf(&one).Elem())
	return readAll(ctx, q, what, func(scan func(...any) error) (T, error) {
		err := scan(into...)
		return one, err
	}, query, args...)
}

func columnsOf(v reflect.Value) (into []any) {
	if v.Kind() != reflect.Struct {
		return []any{v.Addr().Interface()}
	}
	for i := range v.NumField() {
		into = append(into, columnsOf(v.Field(i))...)
	}
	return into
}

// documentColumns are those of the table document but for its number.
var documentColumns = []string{
	"path", "stem", "id", "id_fold", "id_number", "title", "open_title", "type", "status", "status_rank",
	"priority", "priority_rank", "labels", "assignee", "project", "parent", "parent_fold",
	"created", "updated", "undated", "closed", "context", "boxes_checked", "boxes_total", "rev",
	"look", "size", "mtime", "ctime", "inode", "unwatched", "hash", "read_at",
	"finished", "deferred", "workspace", "line",
}

var (
	insertDocument = `INSERT INTO document (` + strings.Join(documentColumns, ", ") +
		`) VALUES (?` + strings.Repeat(", ?", len(documentColumns)-1) + `)`
	selectDocument = `SELECT ` + strings.Join(documentColumns, ", ") + ` FROM document WHERE doc = ?`
)

// columns are the values of documentColumns.
func (r *record) columns(rev int64) []any {
	d, s := r.doc, r.file.Stat
	var closed, contextJSON, deferred any
	if !d.Closed.IsZero() {
		closed = d.Closed.UnixMilli()
	}
	if !d.Deferred.IsZero() {
		deferred = d.Deferred.UnixMilli()
	}
	if d.Context != nil {
		contextJSON = string(d.Context)
	}
	return []any{
		d.Path, d.Branch.Qualify(store.Stem(d.Path)), d.ID, store.FoldID(d.ID), numberOf(d.Branch, d.ID),
		d.Title, openTitle(d), d.Type,
		d.CountedStatus(), statusRank(d), d.CountedPriority(), d.Layout().PriorityRank(d.CountedPriority()),
		jsonTexts(d.Labels), d.Assignee, d.Project, d.Parent, parentFold(d),
		d.Created.UnixMilli(), d.Updated.UnixMilli(), datedBy(d), closed, contextJSON, r.boxes.Checked, r.boxes.Total, rev,
		lookOf(d.Path, s), s.Size, s.Mtime, s.Ctime,
		int64(s.Inode), unwatched(s), r.hash, r.readAt, //nolint:gosec // an id, compared only
		finished(r), deferred, d.Branch.Workspace, d.Branch.Name,
	}
}

// update gives a row new values, and returns the columns that it set: those alone
// that differ. SQLite writes every index again that has a column which is set,
// whether its value changes or not, and most changes leave most indexes alone.
func (c *rowWriter) update(ctx context.Context, doc int64, values []any) (set []string) {
	old := make([]any, len(documentColumns))
	into := make([]any, len(old))
	for i := range old {
		into[i] = &old[i]
	}
	c.fail("read the row of a document", c.tx.QueryRowContext(ctx, selectDocument, doc).Scan(into...))
	var assignments []string
	var args []any
	for i, column := range documentColumns {
		if !sameValue(old[i], values[i]) {
			set, assignments, args = append(set, column), append(assignments, column+" = ?"), append(args, values[i])
		}
	}
	if len(set) > 0 {
		c.exec(ctx, `UPDATE document SET `+strings.Join(assignments, ", ")+` WHERE doc = ?`, append(args, doc)...)
	}
	return set
}

// sameValue compares a value that SQLite gave with a value that it would be given.
func sameValue(old, value any) bool {
	switch value := value.(type) {
	case int:
		return old == int64(value)
	case bool:
		return old == int64(0) && !value || old == int64(1) && value
	case []byte:
		had, ok := old.([]byte)
		return ok && bytes.Equal(had, value)
	}
	return old == value
}
