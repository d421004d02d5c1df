package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrNoFile says that the index is held in memory, where no other connection
// can look.
var ErrNoFile = errors.New("the index is in memory only")

// QueryRaw runs a person's own query on the index file at path and returns all
// it answers. Nothing can be written through it, whatever the query says: the
// file is opened read-only, temporary tables stay in memory, and no further
// file can be attached, which also stops VACUUM INTO. Values are nil, int64,
// float64, string or []byte.
func QueryRaw(ctx context.Context, path, query string) (columns []string, rows [][]any, err error) {
	if path == "" || path == ":memory:" {
		return nil, nil, ErrNoFile
	}
	db, err := sql.Open("sqlite", dsn(path, rawParams()))
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0); err != nil {
		return nil, nil, fmt.Errorf("forbid attaching: %w", err)
	}

	result, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, nil, fmt.Errorf("run query: %w", err)
	}
	defer func() { err = errors.Join(err, result.Close()) }()
	if columns, err = result.Columns(); err != nil {
		return nil, nil, fmt.Errorf("read columns: %w", err)
	}
	for result.Next() {
		row := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := result.Scan(into...); err != nil {
			return nil, nil, fmt.Errorf("read row: %w", err)
		}
		rows = append(rows, row)
	}
	if err := result.Err(); err != nil {
		return nil, nil, fmt.Errorf("read rows: %w", err)
	}
	return columns, rows, nil
}

// rawParams: mode=ro is what forbids writing; query_only refuses early and in
// clear words, but the query itself could turn it off.
func rawParams() url.Values {
	return url.Values{"mode": {"ro"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout), "query_only(1)", "temp_store(2)",
	}}
}
