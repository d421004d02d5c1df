package telemetry

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"time"

	"issues-index/index/sqlfile"
	"issues-index/store/cachedir"
	"issues-index/tools"
)

// A DamagedError is returned for a telemetry file that cannot be read.
type DamagedError struct {
	Path string
	err  error
}

func (e *DamagedError) Error() string { return "the telemetry file is damaged: " + e.Path }

func (e *DamagedError) Unwrap() error { return e.err }

// read calls visit for each call that a filter selects. The call is valid until visit
// returns.
func (l *Log) read(ctx context.Context, filter CallFilter, visit func(*series, *callRecord)) error {
	path := l.find()
	if path == "" {
		return ErrNone
	}
	if err := cachedir.CheckKinds(path); err != nil {
		return fmt.Errorf("read telemetry: %w", err)
	}
	err := readFile(ctx, path, url.Values{"mode": {"ro"}}, filter, visit)
	const cannotOpen, readOnly = 14, 8
	if code := sqlfile.Code(err); code == cannotOpen || code == readOnly {
		// Nothing can be written next to the file, not even the -shm that readers share.
		err = readFile(ctx, path, url.Values{"immutable": {"1"}}, filter, visit)
	}
	switch {
	case err == nil || errors.Is(err, ErrNone):
		return err
	case sqlfile.Code(err) == sqlfile.NotADatabase:
		return &cachedir.ForeignError{Path: path, Reason: "was not made by this program, which leaves it alone"}
	case sqlfile.Damaged(err):
		return &DamagedError{Path: path, err: err}
	}
	return fmt.Errorf("read telemetry: %w", err)
}

// find returns the path of the file, "" when there is none.
func (l *Log) find() string {
	for _, path := range l.Paths {
		// An empty file is one that is being created.
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return path
		}
	}
	return ""
}

func readFile(ctx context.Context, path string, params url.Values, filter CallFilter, visit func(*series, *callRecord)) (err error) {
	params["_pragma"] = []string{"busy_timeout(2000)", "query_only(1)", "cache_size(-4000)"}
	db, err := sql.Open("sqlite", sqlfile.DSN(path, params))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil) // series and calls must be of the same moment
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	found, err := format.Identify(ctx, tx)
	if errors.Is(err, sqlfile.ErrEmpty) {
		return ErrNone
	}
	if err != nil {
		return err
	}
	selected, err := readSeries(ctx, tx, filter)
	if err != nil {
		return err
	}
	oversized := "oversized"
	if found < 2 {
		oversized = "0"
	}
	since, until := int64(0), int64(math.MaxInt64)
	if !filter.Since.IsZero() {
		since = filter.Since.UnixMilli()
	}
	if !filter.Until.IsZero() {
		until = filter.Until.UnixMilli()
	}
	rows, err := tx.QueryContext(ctx, `SELECT series, time, tokens, bytes, original, items, latency, over, coalesce(real_tokens, 0), `+
		oversized+` FROM call WHERE time >= ? AND time < ?`, since, until)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var (
		id, at, tokens, bytes, original, items, latency, realTokens int64 // database/sql is slow for other types

		call callRecord
	)
	for rows.Next() {
		if err := rows.Scan(&id, &at, &tokens, &bytes, &original, &items, &latency, &call.Over, &realTokens, &call.Oversized); err != nil {
			return err
		}
		s := selected[id]
		if s == nil {
			continue
		}
		call.Time, call.Latency = time.UnixMilli(at), time.Duration(latency)*time.Microsecond
		call.Tokens, call.Bytes, call.Original, call.Items, call.realTokens = int(tokens), int(bytes), int(original), int(items), int(realTokens)
		visit(s, &call)
	}
	return rows.Err()
}

// A series is what calls have in common. Its numbers are 0 or 1, to be added up.
type series struct {
	tool, client, variant                  string
	outcome                                tools.Outcome
	failed, paginated, summarized, chunked int
}

// readSeries returns the series that a filter selects, by id.
func readSeries(ctx context.Context, tx *sql.Tx, filter CallFilter) (map[int64]*series, error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, tool, client, outcome, failed, variant FROM series`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	selected := map[int64]*series{}
	for rows.Next() {
		var id int64
		s := &series{}
		if err := rows.Scan(&id, &s.tool, &s.client, &s.outcome, &s.failed, &s.variant); err != nil {
			return nil, err
		}
		for outcome, n := range map[tools.Outcome]*int{
			tools.OutcomePaginated: &s.paginated, tools.OutcomeSummarized: &s.summarized, tools.OutcomeChunked: &s.chunked,
		} {
			if s.failed == 0 && s.outcome.Has(outcome) {
				*n = 1
			}
		}
		if filter.selects(s) {
			selected[id] = s
		}
	}
	return selected, rows.Err()
}
