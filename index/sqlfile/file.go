// Package sqlfile keeps small SQLite files of the program's own that several processes
// write to, such as the record of the calls and the leases.
//
// It knows nothing about what the files hold. Its invariants: a file that is not ours is
// never changed; a damaged one is moved aside, not deleted; no file is reached through a
// link, and none has more rights than its folder gives.
package sqlfile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"modernc.org/sqlite"

	"issues-index/store/cachedir"
)

// A Format is what the files of one purpose have in common.
type Format struct {
	Application uint32   // in the header of the file
	Version     int      // of the schema
	Schema      string   // makes the tables of a new file
	Views       string   // is run after Schema and after every upgrade
	Always      string   // is run at every opening: tables that programs of the same version may lack
	Tables      []string // that a file of the current version must have
	// Upgrades bring a file from a version to the next one. Their keys are the versions
	// that can be upgraded.
	Upgrades map[int]string
	// Busy is how long a connection waits for a write of another process. Nothing can
	// interrupt the wait, not even the end of the server.
	Busy    time.Duration
	Pragmas []string // of each connection, such as "cache_size(-1000)"
}

// Database is the file of this format with a name in a folder.
func (k Format) Database(dir *cachedir.Dir, name string) cachedir.Database {
	return cachedir.Database{Dir: dir, Name: name, Application: k.Application}
}

// An OpenFile is a file that is open for writing.
type OpenFile struct {
	*sql.DB
	Info os.FileInfo // as opened, to see when it is replaced

	path    string
	release func()
}

// Path is where the file lies.
func (f *OpenFile) Path() string { return f.path }

// Close closes the file.
func (f *OpenFile) Close() error {
	defer f.release()
	return f.DB.Close()
}

var (
	// ErrEmpty is returned for a file that nothing was written to.
	ErrEmpty = errors.New("the file is empty")
	// errOther is returned for a file that this program may not write to.
	errOther = errors.New("it is another program's, or a later version's")
	// errSchema is returned for a file of this program that lacks tables.
	errSchema = errors.New("its tables are damaged")
)

// DSN returns the driver's name for a file. Without the file: form, the driver takes
// mode and the like for a part of the name.
func DSN(path string, params url.Values) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: params.Encode()}
	return u.String()
}

// Open opens a file for writing and creates it if necessary.
func (k Format) Open(ctx context.Context, at cachedir.Database) (f *OpenFile, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("open %s: %w", at.Name, err)
		}
	}()
	unlock, err := lockTurn(ctx, at)
	if err != nil {
		return nil, err
	}
	defer unlock()
	release, err := at.Hold()
	if err != nil {
		return nil, err
	}
	made, err := at.Dir.Create(at.Name)
	if err == nil {
		err = made.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		release()
		return nil, err
	}
	db, err := OpenStatements(DSN(at.Path(), url.Values{
		"_txlock": {"immediate"},
		// auto_vacuum must be set before the first write. It allows unused pages to
		// be removed from the file.
		"_pragma": append([]string{
			"auto_vacuum(2)", fmt.Sprintf("busy_timeout(%d)", k.Busy.Milliseconds()),
			"synchronous(NORMAL)", "cache_size(-1000)", "journal_size_limit(1048576)",
		}, k.Pragmas...),
	}), false)
	if err != nil {
		release()
		return nil, err
	}
	db.SetMaxOpenConns(1)
	f = &OpenFile{DB: db, path: at.Path(), release: release}
	if err := f.prepare(ctx, k); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// prepare creates the tables of a new file, and checks and upgrades an existing one.
// It does not change a file of another program.
func (f *OpenFile) prepare(ctx context.Context, k Format) error {
	found, err := k.Identify(ctx, f)
	switch {
	case errors.Is(err, ErrEmpty):
		err = f.migrate(ctx, k, k.Schema)
	case err == nil && found < k.Version:
		var statements string
		for v := found; v < k.Version; v++ {
			statements += k.Upgrades[v]
		}
		err = f.migrate(ctx, k, statements)
	}
	if err != nil {
		return err
	}
	// Only now, so that the application id is in the file itself and not only in its
	// -wal: another process may look before the -wal is moved into the file.
	if _, err := f.ExecContext(ctx, "PRAGMA journal_mode = WAL;"+k.Always); err != nil {
		return err
	}
	f.Info, err = os.Stat(f.path)
	return err
}

// Transact runs statements in one transaction, which an error of do takes back.
func (f *OpenFile) Transact(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := f.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// migrate brings a file to the current version with these statements.
func (f *OpenFile) migrate(ctx context.Context, k Format, statements string) error {
	header := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", k.Application, k.Version)
	return f.Transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statements+k.Views+header)
		return err
	})
}

// Identify checks that a file is ours and has its tables, and returns its version.
// The error is ErrEmpty for an empty file.
func (k Format) Identify(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) (found int, err error) {
	var application uint32
	var objects, tables int
	err = db.QueryRowContext(ctx, `
		SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema),
			(SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND instr(',' || ? || ',', ',' || name || ','))
		FROM pragma_application_id, pragma_user_version`,
		strings.Join(k.Tables, ",")).Scan(&application, &found, &objects, &tables)
	switch {
	case err != nil:
		return 0, err
	case application == 0 && found == 0 && objects == 0:
		return 0, ErrEmpty
	case application != k.Application || found != k.Version && k.Upgrades[found] == "":
		return 0, errOther
	case tables < len(k.Tables):
		return 0, errSchema
	}
	return found, nil
}

// Replaced reports whether the open file is no longer at its path, because it was
// deleted or another process moved it aside.
func (f *OpenFile) Replaced() bool {
	info, err := os.Stat(f.path)
	return err != nil || !os.SameFile(info, f.Info)
}

// NotADatabase is SQLite's code for a file that does not begin as its own do.
const NotADatabase = 26

// Damaged reports whether an error means that the file is damaged.
func Damaged(err error) bool {
	const corrupt = 11
	return errors.Is(err, errSchema) || Code(err) == corrupt || Code(err) == NotADatabase
}

// Busy reports whether an error means that another process is writing.
func Busy(err error) bool {
	const isBusy, isLocked = 5, 6
	return Code(err) == isBusy || Code(err) == isLocked
}

// Code returns SQLite's primary result code of an error, 0 for other errors.
func Code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}
