package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"issues-index/cmd/issues-index/terminal"
	"issues-index/index"
	"issues-index/index/db"
	"issues-index/store/orderedjson"
)

func newSQLCommand(p *program) *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "sql QUERY",
		Short: "Run a query on the index, read-only",
		Long: `Sql brings the index up to date and runs one query on it: a SELECT, WITH, VALUES, EXPLAIN,
or a PRAGMA that only reads. It opens the index read-only and cannot attach or create
other files. Use these views: documents, labels, problems, stats_by_status. The other
tables may change with any version. The index contains nothing that is not in the files.`,
		Example: `  issues-index sql "SELECT id, title FROM documents WHERE status = 'open'"
  issues-index sql 'SELECT * FROM stats_by_status' --jq '.rows[].status'
  issues-index sql 'SELECT sql FROM sqlite_schema' --timeout 5s`,
		Args: arguments(1, 1, "one query, in quotes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if timeout < 0 {
				return usage(cmd, fmt.Sprintf("invalid timeout %s", timeout))
			}
			ctx := cmd.Context()
			return p.withIndex(ctx, func(ix *index.Index) error {
				// Health waits until the index is up to date, and returns its path.
				health, err := ix.Health(ctx)
				if err != nil {
					return err
				}
				if timeout > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, timeout)
					defer cancel()
				}
				columns, rows, err := db.QueryRaw(ctx, health.Path, args[0])
				if err != nil {
					return sqlError(err, timeout)
				}
				return p.print(struct {
					Rows sqlRows `json:"rows"`
				}{sqlRows{columns, rows}}, func(page *terminal.Page) { layRecords(page, columns, rows) })
			})
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", time.Minute, "cancel a query after this `time`, 0 for never")
	return cmd
}

// sqlError explains an error of a query and keeps SQLite's words, which name the place in
// the query.
func sqlError(err error, timeout time.Duration) error {
	f := failed(
		err.Error(), "views: documents, labels, problems, stats_by_status; SELECT sql FROM sqlite_schema shows their columns",
	)
	var refused *db.RawError
	switch {
	case errors.Is(err, context.Canceled):
		return err // interrupted
	case errors.Is(err, context.DeadlineExceeded):
		f.message = fmt.Sprintf("the query was ended after %s", timeout)
		f.hint = "--timeout 10m gives it longer; a LIMIT or a narrower WHERE makes it shorter"
	case errors.As(err, &refused):
		f.hint = "change documents with issues-index set, new, done and delete; the index follows"
	case errors.Is(err, db.ErrLargeAnswer):
		f.hint = "add a LIMIT, or leave out long columns"
	case errors.Is(err, db.ErrLargeQuery):
		f.hint = "sort or group fewer rows or shorter columns: a WHERE, or a LIMIT in each part that recurses"
	case errors.Is(err, db.ErrNoFile):
		f.hint = "--db names a file for the index"
	}
	return f
}

// layRecords lays out the rows of a query. Columns of numbers are aligned at their right.
func layRecords(page *terminal.Page, columns []string, rows [][]any) {
	if len(columns) == 0 {
		return
	}
	t := &terminal.Table{}
	for i, name := range columns {
		c := terminal.Column{Title: terminal.OneLine(strings.ToValidUTF8(name, "\ufffd")), Least: 8, Right: len(rows) > 0}
		for _, row := range rows {
			switch row[i].(type) {
			case int64, float64, nil:
			default:
				c.Right = false
			}
		}
		t.Columns = append(t.Columns, c)
	}
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = cellText(v)
		}
		t.Add(cells...)
	}
	page.Table(t, nil)
}

// cellText formats a SQLite value as the sqlite3 program does; NULL is empty.
func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return strings.ToValidUTF8(v, "\ufffd")
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []byte:
		if utf8.Valid(v) {
			return string(v)
		}
		return "x'" + hex.EncodeToString(v) + "'"
	}
	return fmt.Sprint(v)
}

// sqlRows marshals to a list of objects with their keys in the order of the query.
type sqlRows struct {
	columns []string
	rows    [][]any
}

// MarshalJSON writes blobs as text, or as x'…' when they are not UTF-8. The second of two
// columns with one name gets the suffix _2.
func (r sqlRows) MarshalJSON() ([]byte, error) {
	keys, seen := make([]string, len(r.columns)), map[string]int{}
	for i, name := range r.columns {
		seen[name]++
		if keys[i] = name; seen[name] > 1 {
			keys[i] += "_" + strconv.Itoa(seen[name])
		}
	}
	lines := make([]orderedjson.Object, len(r.rows))
	for i, row := range r.rows {
		for k, v := range row {
			switch plain := v.(type) {
			case []byte:
				v = cellText(plain)
			case float64:
				// JSON has no infinity; SQLite writes it like this, too.
				if math.IsInf(plain, 1) {
					v = json.RawMessage("9e999")
				} else if math.IsInf(plain, -1) {
					v = json.RawMessage("-9e999")
				}
			}
			value, err := orderedjson.Marshal(v)
			if err != nil {
				return nil, err
			}
			lines[i] = append(lines[i], orderedjson.Member{Name: keys[k], Value: value})
		}
	}
	return json.Marshal(lines)
}
