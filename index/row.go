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

// lineColumns are the columns of a Row with Query.Lines, and otherColumns all others, read from the
// table document as d.
const (
	lineColumns = `d.doc, d.finished, d.path, d.id, d.title, d.status, d.priority, d.labels, d.assignee,
	d.workspace, d.line, d.created, d.updated, d.boxes_checked, d.boxes_total,
	EXISTS (SELECT 1 FROM document o WHERE o.id = d.id AND o.doc <> d.doc)`
	otherColumns = `d.type, d.project, d.parent, d.undated = 1, d.closed, coalesce(d.deferred, 0),
	d.context, d.size, d.hash, coalesce((SELECT message FROM document_problem p WHERE p.doc = d.doc LIMIT 1), '')`
)

// A rowReader reads the rows of one query. What it scans into is made once for all of them.
type rowReader struct {
	columns string // to select first

	row                              Row
	labels                           string
	hash                             sql.RawBytes
	created, updated, checked, boxes int64
	closed                           sql.NullInt64
	into                             []any
}

// newRowReader makes a reader of rows, of whole ones or as with Query.Lines, and of further columns
// into more.
func newRowReader(lines bool, more ...any) *rowReader {
	r := &rowReader{columns: lineColumns}
	d := &r.row
	r.into = []any{
		&d.doc, &d.finished, &d.Path, &d.ID, &d.Title, &d.Status, &d.Priority, &r.labels, &d.Assignee,
		&d.Workspace, &d.Line, &r.created, &r.updated, &r.checked, &r.boxes, &d.Shared,
	}
	if !lines {
		r.columns += ", " + otherColumns
		r.into = append(r.into, &d.Type, &d.Project, &d.Parent, &d.Undated, &r.closed, &d.deferred, &d.Context, &d.Size,
			&r.hash, &d.Problem)
	}
	r.into = append(r.into, more...)
	return r
}

// read reads a row.
func (r *rowReader) read(scan func(...any) error) (Row, error) {
	if err := scan(r.into...); err != nil {
		return Row{}, fmt.Errorf("read a row: %w", err)
	}
	d := r.row
	var err error
	if d.Labels, err = textsOf(r.labels); err != nil {
		return Row{}, fmt.Errorf("%w: read the labels of %s: %w", db.ErrDamaged, d.Path, err)
	}
	d.Version = versionOf(r.hash)
	d.Created, d.Updated = time.UnixMilli(r.created).UTC(), time.UnixMilli(r.updated).UTC()
	d.Boxes.Checked, d.Boxes.Total = int(r.checked), int(r.boxes)
	if r.closed.Valid {
		d.Closed = time.UnixMilli(r.closed.Int64).UTC()
	}
	return d, nil
}

// textsOf reads what jsonTexts has written. Nearly all lists are without an escape.
func textsOf(list string) (texts []string, err error) {
	switch {
	case list == "[]":
	case strings.Contains(list, `\`) || len(list) < len(`[""]`):
		err = json.Unmarshal([]byte(list), &texts)
	default:
		texts = strings.Split(list[len(`["`):len(list)-len(`"]`)], `","`)
	}
	return texts, err
}

// rowsWhere reads the rows that a query after FROM selects.
func rowsWhere(ctx context.Context, q db.Querier, from string, args ...any) ([]Row, error) {
	reader := newRowReader(false)
	return readAll(ctx, q, "documents", reader.read, `SELECT `+reader.columns+` FROM `+from, args...)
}

// readAll reads every row of a query with scan. what names the rows in errors.
func readAll[T any](
	ctx context.Context, q db.Querier, what string,
	scan func(scan func(...any) error) (T, error), query string, args ...any,
) (all []T, err error) {
	err = readEach(ctx, q, what, func(row func(...any) error) error {
		one, err := scan(row)
		if err == nil {
			all = append(all, one)
		}
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// readEach calls read for every row of a query. what names the rows in errors.
func readEach(
	ctx context.Context, q db.Querier, what string, read func(scan func(...any) error) error, query string, args ...any,
) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("read the %s: %w", what, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := read(rows.Scan); err != nil {
			return fmt.Errorf("read the %s: %w", what, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the %s: %w", what, err)
	}
	return nil
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
