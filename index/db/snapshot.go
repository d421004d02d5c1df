package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
)

// A Snapshot reads the index as of one moment. It is a connection and no sql.Tx, each of whose
// statements starts a goroutine that waits for the end of the transaction.
//
// The rows of a statement are to be closed before the snapshot ends.
type Snapshot struct {
	Generation string // of the index, which each rebuild changes
	Rev        int64  // the number of the last change
	Unwatched  bool   // whether the index has documents whose edits cause no events

	// Brief says that the statements that follow read few rows each. When their context ends,
	// none of them is begun, but none is broken off either: to watch for the end starts a
	// goroutine a statement, which costs more than such a statement does.
	Brief bool

	conn *sql.Conn
}

// Snapshot begins to read.
func (db *DB) Snapshot(ctx context.Context) (*Snapshot, error) {
	conn, err := db.Read.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{conn: conn, Brief: true}
	if _, err = conn.ExecContext(s.context(ctx), `BEGIN`); err == nil {
		err = s.QueryRowContext(ctx, `SELECT generation, rev, EXISTS (SELECT 1 FROM document WHERE unwatched) FROM state`).
			Scan(&s.Generation, &s.Rev, &s.Unwatched)
	}
	if err != nil {
		s.End()
		return nil, fmt.Errorf("read the index's state: %w", err)
	}
	s.Brief = false
	return s, nil
}

// End ends the reading.
func (s *Snapshot) End() {
	if _, err := s.conn.ExecContext(context.Background(), `ROLLBACK`); err != nil {
		_ = s.conn.Raw(func(any) error { return driver.ErrBadConn }) // which the pool drops
	}
	_ = s.conn.Close()
}

func (s *Snapshot) context(ctx context.Context) context.Context {
	if s.Brief && ctx.Err() == nil {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// QueryContext implements Querier.
func (s *Snapshot) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.conn.QueryContext(s.context(ctx), query, args...)
}

// QueryRowContext implements Querier.
func (s *Snapshot) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return s.conn.QueryRowContext(s.context(ctx), query, args...)
}
