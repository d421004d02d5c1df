package claims

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"issues-index/index/sqlfile"
	"issues-index/store"
	"issues-index/store/cachedir"
)

//go:embed schema.sql
var schema string

//go:embed later.sql
var later string

// format is that of the database.
var format = sqlfile.Format{
	Application: 0x69696c73, // "iils"
	Version:     2,
	Schema:      schema,
	Upgrades: map[int]string{
		1: `ALTER TABLE lease RENAME COLUMN taken_by TO ended_by;
			ALTER TABLE lease ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
			ALTER TABLE lease ADD COLUMN status TEXT NOT NULL DEFAULT '';
			ALTER TABLE lease ADD COLUMN assignee TEXT NOT NULL DEFAULT '';
			UPDATE lease SET assignee = ended_by, ended = expires WHERE ended_by <> '';`,
	},
	// Older programs of this version go on beside newer ones, and leave these tables as they are.
	Always: later,
	Tables: []string{"lease", "last_grant"},
	// A write takes well under a millisecond, and claims follow each other by the lock of
	// the workspace.
	Busy: 5 * time.Second,
}

// name is the file's, in the cache folder of the workspace.
const name = "leases.db"

// Path is where the database of a workspace lies, relative to its root.
const Path = store.CacheDir + "/" + name

// A Database is the one database of a clone for what is in no document and cannot be read from
// the documents again: leases, sessions, and what the clone and its team know of each other. It is
// safe for concurrent use, also by several processes. Reading makes no file.
type Database struct {
	ws *store.Workspace

	mu       sync.Mutex
	keeper   sqlfile.Keeper
	upToDate *sqlfile.OpenFile // the file that has what older programs kept in files of their own
}

// DatabaseOf returns the database of a workspace. It opens no file.
func DatabaseOf(ws *store.Workspace) *Database {
	place := func(context.Context) (*cachedir.Dir, string, error) {
		dir, err := ws.OpenOwnCache()
		return dir, name, err
	}
	return &Database{ws: ws, keeper: sqlfile.Keeper{Format: format, Place: place}}
}

// Close closes the file, if it is open. The database can be used again.
func (d *Database) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keeper.Close()
	return nil
}

// An UnusableError says that the database cannot be used.
type UnusableError struct{ Err error }

func (e *UnusableError) Error() string { return "open the leases: " + e.Err.Error() }

func (e *UnusableError) Unwrap() error { return e.Err }

// Use calls use with the file, and makes it where there is none. Errors are those of the
// context, and *UnusableError, also for those of use.
func (d *Database) Use(ctx context.Context, use func(*sqlfile.OpenFile) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.keeper.Use(ctx, func(f *sqlfile.OpenFile) error {
		if d.upToDate != f {
			if err := d.takeOver(ctx, f); err != nil {
				return err
			}
			d.upToDate = f
		}
		return use(f)
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	var foreign *cachedir.ForeignError
	if errors.As(err, &foreign) { // named relative to the workspace
		err = &cachedir.ForeignError{Path: path.Join(store.CacheDir, filepath.Base(foreign.Path)), Reason: foreign.Reason}
	}
	return &UnusableError{err}
}

// Read is Use where there is a file, and does nothing where there is none.
func (d *Database) Read(ctx context.Context, use func(*sqlfile.OpenFile) error) error {
	if !d.exists() {
		return nil
	}
	return d.Use(ctx, use)
}

// exists reports whether there may be a file. It looks by the name, which is one call of the system:
// Use follows no link.
func (d *Database) exists() bool {
	_, err := os.Lstat(filepath.Join(d.ws.Root, Path))
	return !errors.Is(err, fs.ErrNotExist)
}

// Write runs statements in one transaction.
func (d *Database) Write(ctx context.Context, do func(tx *sql.Tx) error) error {
	return d.Use(ctx, func(f *sqlfile.OpenFile) error { return f.Transact(ctx, do) })
}

// A Queryer is a database or a transaction.
type Queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Rows returns what a query finds, as read makes it of each row.
func Rows[T any](
	ctx context.Context, db Queryer, read func(scan func(...any) error) (T, error), query string, args ...any,
) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []T
	for rows.Next() {
		one, err := read(rows.Scan)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// A step takes over, once, what older programs keep in a file of its own. That file stays, for
// those that still run.
type step struct {
	name        string // of the file, in the same folder
	application uint32 // in its header
	// statements read the file's tables in the schema old, and may run a second time.
	statements string
}

// steps are numbered from 1 in this order, and only added to.
var steps = []step{
	{"agreed.db", 0x69696167, `
		INSERT INTO clone SELECT secret FROM old.clone WHERE NOT EXISTS (SELECT 1 FROM main.clone)`},
	{"published.db", 0x69697062, `
		INSERT OR IGNORE INTO publisher (only, folder, host, pid) SELECT 1, folder, host, pid FROM old.checkout;
		INSERT OR IGNORE INTO main.published SELECT line, path, hash, position FROM old.published`},
}

// takeOver does the steps that were not done yet. A file that cannot be read is passed over: what
// it had is made anew.
func (d *Database) takeOver(ctx context.Context, f *sqlfile.OpenFile) error {
	var last int
	if err := f.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM step`).Scan(&last); err != nil {
		return err
	}
	if last >= len(steps) {
		return nil
	}
	dir, err := d.ws.OpenOwnCache()
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	for i, s := range steps[last:] {
		err := s.do(ctx, f, cachedir.Database{Dir: dir, Name: s.name, Application: s.application})
		if err != nil && (sqlfile.Busy(err) || ctx.Err() != nil) {
			return fmt.Errorf("take over %s: %w", s.name, err)
		}
		if _, err := f.ExecContext(ctx, `INSERT OR IGNORE INTO step VALUES (?)`, last+i+1); err != nil {
			return err
		}
	}
	return nil
}

func (s step) do(ctx context.Context, f *sqlfile.OpenFile, old cachedir.Database) error {
	if _, err := old.Dir.Stat(s.name); err != nil { // else ATTACH makes a file
		return err
	}
	release, err := old.Hold()
	if err != nil {
		return err
	}
	defer release()
	if _, err := f.ExecContext(ctx, `ATTACH ? AS old`, old.Path()); err != nil {
		return err
	}
	defer func() { _, _ = f.ExecContext(context.WithoutCancel(ctx), `DETACH old`) }()
	return f.Transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, s.statements)
		return err
	})
}
