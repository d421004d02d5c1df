package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver that the index uses
)

// A direct asks the index's file itself, in this process: no protocol, no look
// at the files first, no second channel, and no more columns than a row shows.
type direct struct {
	index    *sql.DB
	scratch  *sql.DB // a bare full-text table of the same documents, to write to
	prepared map[string]*sql.Stmt
}

const shown = `SELECT path, id, title, type, status, priority, labels, updated FROM document `

// The queries that calls come down to.
const (
	directList     = shown + `ORDER BY updated DESC, path DESC LIMIT 20`
	directFiltered = shown + `WHERE status = 'open' AND priority = 'high' ORDER BY updated DESC, path DESC LIMIT 20`
	directGet      = shown + `WHERE id = ?`
	directSearch   = `SELECT path, id, title, type, status, priority, labels, updated FROM
		(SELECT rowid AS found, bm25(search, 1.0, 1000.0, 100.0) AS score FROM search WHERE search MATCH ? ORDER BY score LIMIT 20)
		JOIN document ON doc = found`
	directFound    = shown + `WHERE type = 'issue' AND doc IN (SELECT rowid FROM search WHERE search MATCH ?)`
	directLabels   = `SELECT label, documents FROM label_tally ORDER BY documents DESC`
	directStats    = `SELECT status, sum(documents) FROM tally GROUP BY status`
	directComplete = `SELECT sum(documents), sum(documents) FILTER (WHERE status IN ('closed', 'cancelled')) FROM tally`
	bareTable      = `CREATE VIRTUAL TABLE search USING fts5 (body, tokenize = 'unicode61', content = '', contentless_delete = 1)`
	bareWrite      = `INSERT OR REPLACE INTO search (rowid, body) VALUES (?, ?)`
)

func openDirect(index, scratch string) (*direct, error) {
	read, err := sql.Open("sqlite", "file:"+filepath.ToSlash(index)+"?mode=ro&_pragma=busy_timeout(15000)")
	if err != nil {
		return nil, fmt.Errorf("open the index directly: %w", err)
	}
	read.SetMaxOpenConns(1)
	write, err := sql.Open("sqlite", "file:"+filepath.ToSlash(scratch)+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open a bare table: %w", err), read.Close())
	}
	write.SetMaxOpenConns(1)
	return &direct{read, write, map[string]*sql.Stmt{}}, nil
}

func (d *direct) close() error {
	var errs []error
	for _, s := range d.prepared {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, d.index.Close(), d.scratch.Close())...)
}

// ask runs a query and reads all it answers.
func (d *direct) ask(ctx context.Context, query string, args ...any) error {
	s := d.prepared[query]
	if s == nil {
		var err error
		if s, err = d.index.PrepareContext(ctx, query); err != nil {
			return fmt.Errorf("ask the index directly: %w", err)
		}
		d.prepared[query] = s
	}
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return fmt.Errorf("ask the index directly: %w", err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return fmt.Errorf("ask the index directly: %w", err)
	}
	into := make([]any, len(columns))
	for i := range into {
		into[i] = new(sql.RawBytes)
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("ask the index directly: %w", err)
		}
	}
	return rows.Err()
}

// write replaces the text of one document in the bare table.
func (d *direct) write(ctx context.Context, doc int, text string) error {
	_, err := d.scratch.ExecContext(ctx, bareWrite, doc, text)
	return err
}

// buildBare builds the bare table of all files: what a rebuild would take if it
// parsed nothing and kept nothing else. It returns the time without the opening.
func buildBare(ctx context.Context, f *files, path string) (took time.Duration, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)")
	if err != nil {
		return 0, fmt.Errorf("build a bare table: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	started := time.Now()
	for _, statement := range []string{bareTable, `INSERT INTO search (search, rank) VALUES ('hashsize', 16777216)`, `BEGIN`} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return 0, fmt.Errorf("build a bare table: %w", err)
		}
	}
	insert, err := db.PrepareContext(ctx, bareWrite)
	if err != nil {
		return 0, fmt.Errorf("build a bare table: %w", err)
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	for i, file := range f.paths {
		data, err := os.ReadFile(file)
		if err != nil {
			return 0, fmt.Errorf("build a bare table: %w", err)
		}
		if _, err := insert.ExecContext(ctx, i+1, string(data)); err != nil {
			return 0, fmt.Errorf("build a bare table: %w", err)
		}
	}
	if _, err := db.ExecContext(ctx, `COMMIT`); err != nil {
		return 0, fmt.Errorf("build a bare table: %w", err)
	}
	return time.Since(started), nil
}

// buildByProgram has SQLite's own program do the same; ok is false where there
// is none, or one that is too old.
func buildByProgram(ctx context.Context, f *files, dir string) (took time.Duration, ok bool, err error) {
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		return 0, false, nil //nolint:nilerr // it is not needed
	}
	list, err := json.Marshal(f.paths)
	if err != nil {
		return 0, false, fmt.Errorf("name the files: %w", err)
	}
	names := filepath.Join(dir, "names.json")
	if err := os.WriteFile(names, list, 0o600); err != nil {
		return 0, false, fmt.Errorf("name the files: %w", err)
	}
	script := strings.Join([]string{
		`PRAGMA journal_mode = OFF`, `PRAGMA synchronous = OFF`,
		`CREATE VIRTUAL TABLE search USING fts5 (body, tokenize = 'unicode61', content = '')`,
		`INSERT INTO search (search, rank) VALUES ('hashsize', 16777216)`,
		`INSERT INTO search (rowid, body) SELECT key + 1, CAST(readfile(value) AS TEXT) FROM json_each(CAST(readfile('` + filepath.ToSlash(names) + `') AS TEXT));`,
	}, ";\n")
	build := exec.CommandContext(ctx, program, "-batch", "-bail", filepath.Join(dir, "program.db")) //nolint:gosec // from PATH, as for any command
	build.Stdin = strings.NewReader(script)
	started := time.Now()
	if err := build.Run(); err != nil {
		return 0, false, nil //nolint:nilerr // without FTS5 or readfile, say
	}
	return time.Since(started), true, nil
}
