package telemetry

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"

	"issues-index/store/cachedir"
)

// read opens the file, read-only, for one question.
func (l *Log) read(ctx context.Context, ask func(querier) error) error {
	path := l.find()
	if path == "" {
		return ErrNone
	}
	if err := cachedir.CheckKinds(path); err != nil {
		return fmt.Errorf("read telemetry: %w", err)
	}
	err := readWith(ctx, path, url.Values{"mode": {"ro"}}, ask)
	const cannotOpen, readOnly = 14, 8
	if code := primary(err); code == cannotOpen || code == readOnly {
		// Nothing can be written beside the file, not even what readers share.
		err = readWith(ctx, path, url.Values{"immutable": {"1"}}, ask)
	}
	switch {
	case err == nil || errors.Is(err, ErrNone):
		return err
	case primary(err) == notADatabase:
		return &cachedir.ForeignError{Path: path, Reason: "was not made by this program, which leaves it alone"}
	case damaged(err):
		return &DamagedError{Path: path, err: err}
	}
	return fmt.Errorf("read telemetry: %w", err)
}

// find returns the file to read, "" when there is none.
func (l *Log) find() string {
	for _, path := range append([]string{l.Path}, l.Instead...) {
		// A file without content is one that is being made.
		if info, err := os.Stat(path); path != "" && err == nil && info.Size() > 0 {
			return path
		}
	}
	return ""
}

func readWith(ctx context.Context, path string, params url.Values, ask func(querier) error) (err error) {
	params["_pragma"] = []string{"busy_timeout(2000)", "query_only(1)", "cache_size(-4000)"}
	db, err := sql.Open("sqlite", dsn(path, params))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil) // all of an answer is of one moment
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	if _, err := identify(ctx, tx); err != nil {
		return err
	}
	return ask(tx)
}

// A DamagedError says that the telemetry file cannot be read.
type DamagedError struct {
	Path string
	err  error
}

func (e *DamagedError) Error() string { return "the telemetry file is damaged: " + e.Path }

func (e *DamagedError) Unwrap() error { return e.err }
