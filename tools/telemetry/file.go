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

const (
	applicationID = 0x6969746c // "iitl", in the header of the file
	version       = 3          // of the schema
)

//go:embed schema.sql
var schema string

//go:embed views.sql
var views string

// upgrades bring a file from a version to the next one. Their keys are the versions
// that can be upgraded.
var upgrades = map[int]string{
	// Whether the calls on record would have been oversized is unknown.
	1: `ALTER TABLE call ADD COLUMN oversized INTEGER NOT NULL DEFAULT 0;`,
	// Figures were kept as blobs, apart from the calls. All are in the calls, too,
	// but for those that were deleted because the file was full.
	2: `DROP TABLE IF EXISTS rollup; DROP TABLE IF EXISTS state;`,
}

// busyTimeout is how long the writer waits for a write of another process before it
// gives up and tries again later, in milliseconds. It is short because nothing can
// interrupt the wait, not even the end of the server.
const busyTimeout = 200

// A callFile is a telemetry file that is open for writing.
type callFile struct {
	*sql.DB
	path    string
	release func()
	info    os.FileInfo // as opened, to see when it is replaced
}

// Close closes the file.
func (f *callFile) Close() error {
	defer f.release()
	return f.DB.Close()
}

// newDatabase returns the telemetry file with this name in a folder.
func newDatabase(dir *cachedir.Dir, name string) cachedir.Database {
	return cachedir.Database{Dir: dir, Name: name, Application: applicationID}
}

// errOther is returned for a file that this program may not write to.
var errOther = errors.New("it is another program's, or a later version's")

// errSchema is returned for a file of this program that lacks tables.
var errSchema = errors.New("its tables are damaged")

// dsn returns the driver's name for a file. Without the file: form, the driver takes
// mode and the like for a part of the name.
func dsn(path string, params url.Values) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: params.Encode()}
	return u.String()
}

// openFile opens a file for writing and creates it if necessary. pragmas are further
// ones, for tests.
func openFile(ctx context.Context, at cachedir.Database, pragmas ...string) (*callFile, error) {
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
		// auto_vacuum must be set before the first write. It allows unused pages to
		// be removed from the file.
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
	f := &callFile{DB: db, path: at.Path(), release: release}
	if err := f.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open telemetry: %w", err), f.Close())
	}
	return f, nil
}

// prepare creates the tables of a new file, and checks and upgrades an existing one.
// It does not change a file of another program.
func (f *callFile) prepare(ctx context.Context) error {
	found, err := identify(ctx, f)
	switch {
	case errors.Is(err, ErrNone):
		err = f.migrate(ctx, schema)
	case err == nil && found < version:
		var statements string
		for v := found; v < version; v++ {
			statements += upgrades[v]
		}
		err = f.migrate(ctx, statements)
	}
	if err != nil {
		return err
	}
	// Only now, so that the application id is in the file itself and not only in its
	// -wal: another process may look before the -wal is moved into the file.
	if _, err := f.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	f.info, err = os.Stat(f.path)
	return err
}

// migrate brings a file to the current version with these statements.
func (f *callFile) migrate(ctx context.Context, statements string) error {
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

// identify checks that a file is ours and has its tables, and returns its version.
// The error is ErrNone for an empty file.
func identify(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) (found int, err error) {
	var application, objects, tables int
	err = db.QueryRowContext(ctx, `
		SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema),
			(SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('series', 'call'))
		FROM pragma_application_id, pragma_user_version`).Scan(&application, &found, &objects, &tables)
	switch {
	case err != nil:
		return 0, err
	case application == 0 && found == 0 && objects == 0:
		return 0, ErrNone
	case application != applicationID || found != version && upgrades[found] == "":
		return 0, errOther
	case tables != 2:
		return 0, errSchema
	}
	return found, nil
}

// maxSeries limits the rows of series, because a client may choose a new name at each
// start. Further clients are recorded as otherClient.
const (
	maxSeries   = 5000
	otherClient = "other"
)

// write adds calls in one transaction.
func (f *callFile) write(ctx context.Context, calls []callRecord) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write telemetry: %w", err)
		}
	}()
	tx, err := f.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	insert, err := tx.PrepareContext(ctx, `
		INSERT INTO call (time, n, series, tokens, bytes, original, budget, oversized, over, items, latency, real_tokens)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0))`)
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }()
	ids := map[[5]any]int64{}
	for i := range calls {
		c := &calls[i]
		key := [5]any{c.Tool, c.Client, string(c.Outcome), c.Failed, c.Variant}
		if _, ok := ids[key]; !ok {
			if ids[key], err = seriesID(ctx, tx, key); err != nil {
				return err
			}
		}
		if _, err := insert.ExecContext(ctx, c.Time.UnixMilli(), c.n, ids[key], c.Tokens, c.Bytes, c.Original,
			c.Budget, c.Oversized, c.Over, c.Items, c.Latency.Microseconds(), c.realTokens); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// seriesID finds or creates a series: tool, client, outcome, failed, variant.
func seriesID(ctx context.Context, tx *sql.Tx, s [5]any) (id int64, err error) {
	const find = `SELECT id FROM series WHERE (tool, client, outcome, failed, variant) = (?, ?, ?, ?, ?)`
	if err = tx.QueryRowContext(ctx, find, s[:]...).Scan(&id); !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	var count int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM series`).Scan(&count); err != nil {
		return 0, err
	}
	if count >= maxSeries {
		s[1] = otherClient
	}
	err = tx.QueryRowContext(ctx, `
		INSERT INTO series (tool, client, outcome, failed, variant) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET tool = tool RETURNING id`, s[:]...).Scan(&id)
	return id, err
}

// replaced reports whether the open file is no longer at its path, because it was
// deleted or another process moved it aside.
func (f *callFile) replaced() bool {
	info, err := os.Stat(f.path)
	return err != nil || !os.SameFile(info, f.info)
}

// notADatabase is SQLite's code for a file that does not begin as its own do.
const notADatabase = 26

// damaged reports whether an error means that the file is damaged.
func damaged(err error) bool {
	const corrupt = 11
	return errors.Is(err, errSchema) || primary(err) == corrupt || primary(err) == notADatabase
}

// busy reports whether an error means that another process is writing.
func busy(err error) bool {
	const isBusy, isLocked = 5, 6
	return primary(err) == isBusy || primary(err) == isLocked
}

// primary returns SQLite's primary result code of an error, 0 for other errors.
func primary(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// suffixes are the ends of the names of the files that SQLite keeps next to a
// database.
var suffixes = []string{"-wal", "-shm", "-journal"}

// corruptSuffix ends the name of a damaged file that was moved aside. Only the last
// one is kept.
const corruptSuffix = ".corrupt"

// moveAside renames a damaged file of ours and returns its new path. seen is the file
// that was found damaged: another process may have replaced it already. opened says
// that the file could be opened before.
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
	if err == nil && !opened { // a file that could be opened was ours
		err = at.Check(nil)
	}
	if err != nil {
		return "", err
	}
	name := at.Name + corruptSuffix
	if at.Dir.Check(name, at.Ours) != nil { // another program's, or too damaged to tell
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
// between the two, a process that opened it could lose its -wal.
func lockTurn(ctx context.Context, at cachedir.Database) (unlock func(), err error) {
	lock := at.Dir.Lock(at.Name + ".lock")
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("wait for another process: %w", err)
	}
	return func() { _ = lock.Close() }, nil // the lock is released in any case
}

// Opening the file takes another process a few milliseconds.
const (
	lockTimeout = time.Second
	lockRetry   = 5 * time.Millisecond
)
