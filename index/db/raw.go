package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"issues-index/index/sqlfile"
)

// ErrNoFile says that the index is held in memory, where no other connection
// can look.
var ErrNoFile = errors.New("the index is in memory only")

// ErrLargeAnswer says that a query answers more than is read into memory.
var ErrLargeAnswer = fmt.Errorf("the answer is larger than %d MB", rawAnswer>>20)

// ErrLargeQuery says that a query takes more memory than it may, for example to
// sort a table that has no end.
var ErrLargeQuery = fmt.Errorf("the query takes more than %d MB of memory", rawMemory>>20)

// Bounds of a person's own query, in bytes: a document has at most 16 MB, and
// what does not fit on a page of paper ten thousand times over wants a LIMIT.
// Sorting 100,000 documents with all their fields takes some 60 MB. SQLite's
// allocator rounds up, so that rawMemory can be twice as much of the process.
const (
	rawValue  = 32 << 20
	rawAnswer = 64 << 20
	rawMemory = 100 << 20
)

// QueryRaw runs a person's own query on the index file at path and returns all
// it answers. Nothing can be written through it, whatever the query says: it is
// one statement that reads (a *RawError refuses others), the file is opened
// read-only, temporary tables stay in memory, and no further file can be
// attached, which also stops VACUUM INTO. ctx ends it. Other errors: ErrNoFile for an index in memory,
// ErrLargeAnswer over 64 MiB, ErrLargeQuery over 100 MiB of memory. Values are nil, int64, float64,
// string or []byte.
func QueryRaw(ctx context.Context, path, query string) (columns []string, rows [][]any, err error) {
	if path == "" || path == ":memory:" {
		return nil, nil, ErrNoFile
	}
	if err := readsOnly(query); err != nil {
		return nil, nil, err
	}
	unbound, err := boundMemory()
	defer unbound()
	if err != nil {
		return nil, nil, err
	}
	db, err := sql.Open("sqlite", sqlfile.DSN(path, rawParams()))
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	for id, most := range map[int]int{sqlite3.SQLITE_LIMIT_ATTACHED: 0, sqlite3.SQLITE_LIMIT_LENGTH: rawValue} {
		if _, err := sqlite.Limit(conn, id, most); err != nil {
			return nil, nil, fmt.Errorf("set a limit: %w", err)
		}
	}

	result, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, nil, rawFailure(ctx, err)
	}
	defer func() { err = errors.Join(err, result.Close()) }()
	if columns, err = result.Columns(); err != nil {
		return nil, nil, fmt.Errorf("read columns: %w", err)
	}
	size := 0
	for result.Next() {
		row := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := result.Scan(into...); err != nil {
			return nil, nil, fmt.Errorf("read row: %w", err)
		}
		if size += rowSize(row); size > rawAnswer {
			return nil, nil, ErrLargeAnswer
		}
		rows = append(rows, row)
	}
	if err := result.Err(); err != nil {
		return nil, nil, rawFailure(ctx, err)
	}
	return columns, rows, nil
}

// rowSize is about what a row takes in memory.
func rowSize(row []any) int {
	const value = 32
	size := value * (len(row) + 1)
	for _, v := range row {
		switch v := v.(type) {
		case string:
			size += len(v)
		case []byte:
			size += len(v)
		}
	}
	return size
}

// rawFailure tells a query that was ended, or refused, from a wrong one.
func rawFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("run query: %w", ctx.Err())
	}
	switch sqlfile.Code(err) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH:
		return &RawError{"it writes, and the index is open for reading only"}
	case sqlite3.SQLITE_NOMEM:
		return ErrLargeQuery
	}
	return fmt.Errorf("run query: %w", err)
}

// rawParams: mode=ro is what forbids writing; query_only refuses early; defensive
// keeps hands off the schema and the full-text table's own tables.
func rawParams() url.Values {
	return url.Values{"mode": {"ro"}, "_defensive": {"1"}, "_pragma": {
		busyTimeout(DefaultLockWait), "query_only(1)", "temp_store(2)",
	}}
}
