package telemetry

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"time"

	"modernc.org/sqlite"

	"issues-index/store/cachedir"
)

// applicationID marks an SQLite file as ours ("iitl"), version is its schema's.
const (
	applicationID = 0x6969746c
	version       = 2
	oldest        = 1 // that is upgraded
)

//go:embed schema.sql
var schema string

//go:embed upgrade.sql
var upgrade string

//go:embed views.sql
var views string

// busyTimeout is how long the writer waits for another process's write before it
// lets go and tries again later, in milliseconds. It is short: nobody can
// interrupt such a wait, the end of the serving least of all.
const busyTimeout = 200

// A file is a telemetry file, open for writing.
type file struct {
	*sql.DB
	path    string
	release func()
	info    os.FileInfo // as opened, to see when it is replaced
}

// Close closes the file.
func (f *file) Close() error {
	defer f.release()
	return f.DB.Close()
}

// newDatabase is the telemetry file of a name in a folder.
func newDatabase(dir *cachedir.Dir, name string) cachedir.Database {
	return cachedir.Database{Dir: dir, Name: name, Application: applicationID}
}

// errOther says that a file is not ours to write to.
var errOther = errors.New("it is another program's, or a later version's")

// errSchema says that a file of ours lacks what it should have.
var errSchema = errors.New("its tables are damaged")

// dsn names a file to the driver. The file: form is needed, or mode and the
// like would be taken for part of the name.
func dsn(path string, params url.Values) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: params.Encode()}
	return u.String()
}

// openFile opens a file, and makes it when it is not there. pragmas are in addition to ours, for the tests.
func openFile(ctx context.Context, at cachedir.Database, pragmas ...string) (*file, error) {
	unlock, err := lockTurn(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("open telemetry: %w", err)
	}
	defer unlock()
	release, err := at.Hold()
	if err != nil {
		return nil, fmt.Errorf("open telemetry: %w", err)
	}
	made, err := at.Dir.Create(at.Name)
	if err == nil {
		err = made.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		release()
		return nil, fmt.Errorf("open telemetry: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(at.Path(), url.Values{
		"_txlock": {"immediate"},
		// The first must come before anything is written: it is how pages that
		// are no longer used can be given back.
		"_pragma": append([]string{
			"auto_vacuum(2)", fmt.Sprintf("busy_timeout(%d)", busyTimeout),
			"synchronous(NORMAL)", "cache_size(-1000)", "journal_size_limit(1048576)",
		}, pragmas...),
	}))
	if err != nil {
		release()
		return nil, fmt.Errorf("open telemetry: %w", err)
	}
	db.SetMaxOpenConns(1)
	f := &file{DB: db, path: at.Path(), release: release}
	if err := f.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open telemetry: %w", err), f.Close())
	}
	return f, nil
}

// prepare makes the tables of a new file, and checks those of an old one. It
// changes nothing in a file that is not ours.
func (f *file) prepare(ctx context.Context) error {
	found, err := identify(ctx, f)
	if err != nil && !errors.Is(err, ErrNone) {
		return err
	}
	switch found {
	case 0:
		err = f.bring(ctx, schema)
	case version:
		err = nil
	default:
		err = f.bring(ctx, upgrade)
	}
	if err != nil {
		return err
	}
	// Only now, so that what marks the file as ours is in it and not in its log alone:
	// another process may look before the log is moved into the file.
	if _, err := f.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	f.info, err = os.Stat(f.path)
	return err
}

// bring brings a file to this version by the statements that its own needs.
func (f *file) bring(ctx context.Context, statements string) error {
	tx, err := f.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	header := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, version)
	if _, err := tx.ExecContext(ctx, statements+views+header); err != nil {
		return err
	}
	return tx.Commit()
}

// A querier reads: a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// identify checks that a file is ours and has all tables, and returns its version.
// ErrNone says that it is empty.
func identify(ctx context.Context, db querier) (user int, err error) {
	var application, tables, ours int
	err = db.QueryRowContext(ctx, `
		SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema),
			(SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('series', 'call', 'rollup', 'state'))
		FROM pragma_application_id, pragma_user_version`).Scan(&application, &user, &tables, &ours)
	switch {
	case err != nil:
		return 0, err
	case application == 0 && user == 0 && tables == 0:
		return 0, ErrNone
	case application != applicationID || user < oldest || user > version:
		return 0, errOther
	case ours != 4:
		return 0, errSchema
	}
	return user, nil
}

// replaced reports whether the path leads to another file than the one open: it
// was deleted, or moved aside by another process.
func (f *file) replaced() bool {
	info, err := os.Stat(f.path)
	return err != nil || !os.SameFile(info, f.info)
}

// notADatabase is SQLite's code for a file that does not begin as its own do.
const notADatabase = 26

// damaged reports whether an error means that the file cannot be mended.
func damaged(err error) bool {
	const corrupt = 11
	return errors.Is(err, errSchema) || primary(err) == corrupt || primary(err) == notADatabase
}

// busy reports whether an error means that another process is writing.
func busy(err error) bool {
	const isBusy, isLocked = 5, 6
	return primary(err) == isBusy || primary(err) == isLocked
}

// primary is SQLite's code of an error, without its details.
func primary(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// suffixes are those of the files that SQLite keeps beside one of its own.
var suffixes = []string{"-wal", "-shm", "-journal"}

// corruptSuffix is that of the damaged file that is kept. There is one at most:
// the next takes its place.
const corruptSuffix = ".corrupt"

// moveAside puts a damaged file of ours out of the way, and returns where it is then.
// seen is the file that was found damaged: when another process was faster, the path
// leads to a new one already. opened says that it could be opened before.
func moveAside(ctx context.Context, at cachedir.Database, seen os.FileInfo, opened bool) (aside string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("move a damaged file aside: %w", err)
		}
	}()
	unlock, err := lockTurn(ctx, at)
	if err != nil {
		return "", err
	}
	defer unlock()
	info, err := at.Dir.Stat(at.Name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, seen) {
		return "", nil
	}
	if err == nil && !opened { // else it was ours
		err = at.Check(nil)
	}
	if err != nil {
		return "", err
	}
	name := at.Name + corruptSuffix
	if at.Dir.Check(name, at.Ours) != nil { // somebody else's, or too damaged to tell
		name += fmt.Sprintf("-%08x", rand.Uint32())
	}
	if err := at.Dir.Rename(at.Name, name); err != nil {
		return "", err
	}
	for _, suffix := range suffixes {
		err = errors.Join(err, at.Dir.Discard(at.Name+suffix))
	}
	return at.Dir.Join(name), err
}

// lockTurn waits until no other process is opening the file or moving it aside:
// who opened it in between could lose its log to the latter.
func lockTurn(ctx context.Context, at cachedir.Database) (unlock func(), err error) {
	lock := at.Dir.Lock(at.Name + ".lock")
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("wait for another process: %w", err)
	}
	return func() { _ = lock.Close() }, nil // it frees the lock in any case
}

// Waiting for another process that opens the file takes milliseconds.
const (
	lockTimeout = time.Second
	lockRetry   = 5 * time.Millisecond
)
