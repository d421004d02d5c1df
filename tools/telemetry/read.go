package telemetry

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"issues-index/index/sqlfile"
	"issues-index/store/cachedir"
)

// A DamagedError is returned for a telemetry file that cannot be read.
type DamagedError struct {
	Path string
	err  error
}

func (e *DamagedError) Error() string { return "the telemetry file is damaged: " + e.Path }

func (e *DamagedError) Unwrap() error { return e.err }

// A recordFile is a telemetry file that is open for reading, at one moment.
type recordFile struct {
	*sql.Tx
	version int
}

// read calls ask with the file.
func (l *Log) read(ctx context.Context, ask func(recordFile) error) error {
	path := l.find()
	if path == "" {
		return ErrNone
	}
	if err := cachedir.CheckKinds(path); err != nil {
		return fmt.Errorf("read telemetry: %w", err)
	}
	err := readFile(ctx, path, url.Values{"mode": {"ro"}}, ask)
	const cannotOpen, readOnly = 14, 8
	if code := sqlfile.Code(err); code == cannotOpen || code == readOnly {
		// Nothing can be written next to the file, not even the -shm that readers share.
		err = readFile(ctx, path, url.Values{"immutable": {"1"}}, ask)
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

func readFile(ctx context.Context, path string, params url.Values, ask func(recordFile) error) (err error) {
	params["_pragma"] = []string{"busy_timeout(2000)", "query_only(1)", "cache_size(-4000)"}
	db, err := sql.Open("sqlite", sqlfile.DSN(path, params))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil) // all figures must be of the same moment
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	version, err := format.Identify(ctx, tx)
	if errors.Is(err, sqlfile.ErrEmpty) {
		return ErrNone
	}
	if err != nil {
		return err
	}
	return ask(recordFile{tx, version})
}

//go:embed figures.sql
var figuresQuery string

// groupKeys are the columns of the groups.
var groupKeys = map[Grouping]string{
	ByTool: "tool", ByOutcome: "outcome", ByClient: "client", ByVariant: "variant",
}

// total returns the figures of the calls that a filter selects.
func (f recordFile) total(ctx context.Context, filter CallFilter) (Figures, error) {
	groups, err := f.figures(ctx, filter, "''", "key")
	if len(groups) == 0 { // there are no such calls
		return Figures{}, err
	}
	return groups[0].Figures, err
}

// groups returns the figures of groups of the calls that a filter selects.
func (f recordFile) groups(ctx context.Context, filter CallFilter, by Grouping) ([]CallGroup, error) {
	step := by.step().Milliseconds()
	if step == 0 {
		return f.figures(ctx, filter, groupKeys[by], "count(*) DESC, key")
	}
	groups, err := f.figures(ctx, filter, fmt.Sprintf("time / %d * %[1]d", step), "key")
	for i := range groups {
		start, err := strconv.ParseInt(groups[i].Key, 10, 64)
		if err != nil {
			return nil, err
		}
		groups[i].Start = time.UnixMilli(start).UTC()
		groups[i].Key = groups[i].Start.Format(time.RFC3339)
	}
	return groups, err
}

// figures asks for the figures of the calls of each key.
func (f recordFile) figures(ctx context.Context, filter CallFilter, key, order string) ([]CallGroup, error) {
	since, until := int64(0), int64(math.MaxInt64)
	if !filter.Since.IsZero() {
		since = filter.Since.UnixMilli()
	}
	if !filter.Until.IsZero() {
		until = filter.Until.UnixMilli()
	}
	columns := "*"
	if f.version < 2 {
		columns += ", 0 AS oversized"
	}
	query := strings.NewReplacer("{columns}", columns, "{key}", key, "{order}", order).Replace(figuresQuery)
	rows, err := f.QueryContext(ctx, query, since, until, filter.Tool, filter.Client, filter.Variant, filter.Outcome)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	groups := []CallGroup{}
	for rows.Next() {
		var g CallGroup
		var figures []byte
		if err := rows.Scan(&g.Key, &figures); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(figures, &g.Figures); err != nil {
			return nil, err
		}
		groups = append(groups, g)
	}
	return groups, rows.Err()
}
