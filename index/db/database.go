package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"issues-index/index/sqlfile"
)

// MaxReaders bounds the connections that read at once: enough that some long
// searches leave room for short reads. Each holds a page cache of its own.
const MaxReaders = 8

// Page caches of connections, in KiB: of one that reads, of one that writes, and of both in
// an index with Options.Small, of which two readers stay open while nothing reads.
const (
	readCache    = 1500
	writeCache   = 4000
	smallCache   = 500
	smallReaders = 2
)

// keptLog is how much SQLite leaves of the write-ahead log's file when it begins it
// anew, in bytes.
const keptLog = 1 << 20

// A DB is an open index: one connection that writes, a pool that reads.
type DB struct {
	Path  string // MemoryPath when it has no file
	Write *sql.DB
	Read  *sql.DB

	opener   *Opener
	location *Location   // nil in memory
	file     os.FileInfo // as opened, to see when it is replaced
}

// A Querier is a pool, a transaction or a Snapshot.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// busyTimeout has a connection wait so long for another process's write. A write takes
// milliseconds; the longest, a rebuild's swap, well under a second for 100,000
// documents.
func busyTimeout(wait time.Duration) string {
	return fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())
}

func cacheSize(kib int) string { return fmt.Sprintf("cache_size(-%d)", kib) }

func readParams(wait time.Duration, cache int) url.Values {
	return url.Values{"_pragma": {busyTimeout(wait), cacheSize(cache), "query_only(1)"}}
}

// writeParams: immediate transactions, since a reader that turns writer after
// another's commit fails at once; no automatic checkpoints, since each is followed by
// a new fingerprint; NORMAL, since the index can be rebuilt and WAL keeps it whole; the
// journals of single statements in memory, since each would be a file made and deleted.
func writeParams(wait time.Duration, cache int) url.Values {
	return url.Values{
		"_txlock": {"immediate"},
		"_pragma": {
			busyTimeout(wait), "synchronous(NORMAL)",
			"wal_autocheckpoint(0)", cacheSize(cache), fmt.Sprintf("journal_size_limit(%d)", keptLog), "temp_store(MEMORY)",
		},
	}
}

// openFile opens an index file that exists and is whole. An *incompatibleError says
// that it is of another version or of other folders.
func (o *Opener) openFile(ctx context.Context, l *Location) (*DB, error) {
	file, err := os.Stat(l.path)
	if err != nil {
		return nil, fmt.Errorf("look at the index: %w", err)
	}
	db := &DB{Path: l.path, opener: o, location: l, file: file}
	reads, writes := readCache, writeCache
	if o.Small {
		reads, writes = smallCache, smallCache
	}
	if db.Write, err = openPool(sqlfile.DSN(l.path, writeParams(o.LockWait, writes)), 1); err != nil {
		return nil, err
	}
	if db.Read, err = openPool(sqlfile.DSN(l.path, readParams(o.LockWait, reads)), MaxReaders); err != nil {
		return nil, errors.Join(err, db.Write.Close())
	}
	if o.Small {
		db.Read.SetMaxIdleConns(smallReaders)
	}
	if err := identify(ctx, db.Write, o.covers); err != nil {
		return nil, errors.Join(err, db.closePools())
	}
	var journal string
	if err := db.Write.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&journal); err != nil {
		return nil, errors.Join(fmt.Errorf("set the index's journal mode: %w", err), db.closePools())
	}
	if o.ws.Mirror() {
		if err := o.covers.keep(ctx, db.Write); err != nil {
			return nil, errors.Join(err, db.closePools())
		}
	}
	return db, nil
}

// openPool opens a database for so many connections at once.
func openPool(dsn string, connections int) (*sql.DB, error) {
	pool, err := sqlfile.OpenStatements(dsn)
	if err != nil {
		return nil, fmt.Errorf("open the index: %w", err)
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return pool, nil
}

// memoryCount tells the in-memory indexes of one process apart.
var memoryCount atomic.Int64

// openMemory makes an index that has no file.
func (o *Opener) openMemory(ctx context.Context, fill Fill) (*DB, error) {
	name := fmt.Sprintf("file:/issues-index-%d", memoryCount.Add(1))
	params := url.Values{"vfs": {"memdb"}, "_txlock": {"immediate"}, "_pragma": {busyTimeout(o.LockWait)}}
	write, err := openPool(name+"?"+params.Encode(), 1)
	if err != nil {
		return nil, err
	}
	if err := create(ctx, write, o.covers, fill); err != nil {
		return nil, errors.Join(err, write.Close())
	}
	params.Del("_txlock")
	read, err := openPool(name+"?"+params.Encode(), MaxReaders)
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	return &DB{Path: MemoryPath, Write: write, Read: read, opener: o}, nil
}

// InMemory reports whether the index has no file.
func (db *DB) InMemory() bool { return db.location == nil }

// Replaced reports whether the path leads to another file than the open one: the index
// was deleted, or rebuilt from nothing, by somebody else.
func (db *DB) Replaced() bool {
	if db.location == nil {
		return false
	}
	file, err := os.Stat(db.Path)
	return err != nil || !os.SameFile(file, db.file)
}

func (db *DB) closePools() error { return errors.Join(db.Read.Close(), db.Write.Close()) }

// Close closes the index. The last process to do so writes the fingerprint.
func (db *DB) Close() error {
	l := db.location
	if l == nil {
		return db.closePools()
	}
	if db.Replaced() { // the locks' paths may lead to another folder's, too
		return errors.Join(db.closePools(), l.Close())
	}
	unlock, err := l.LockOpening(context.Background(), time.Second)
	if err != nil {
		return errors.Join(err, db.closePools(), l.Close())
	}
	defer unlock()
	errs := []error{l.presence.Unlock()}
	alone, err := l.Enter()
	errs = append(errs, err)
	intact := !db.logged() || l.CheckFingerprint() == nil
	errs = append(errs, db.closePools()) // moves the log into the file when it is the last
	if alone && intact {
		errs = append(errs, l.WriteFingerprint())
	}
	return errors.Join(append(errs, l.presence.Close(), l.files.Dir.Close())...)
}

// logged is false on a filesystem where the write-ahead log cannot work and changes go
// to the file at once.
func (db *DB) logged() bool {
	var journal string
	err := db.Write.QueryRowContext(context.Background(), `PRAGMA journal_mode`).Scan(&journal)
	return err != nil || journal == "wal"
}

// AwaitWriters waits for the transactions under way in other processes. Those may write
// what they saw of files before the call; later ones see the files as they are now, or
// newer.
func (db *DB) AwaitWriters(ctx context.Context) error {
	tx, err := db.Write.BeginTx(ctx, nil)
	if err == nil {
		err = tx.Rollback()
	}
	if err != nil {
		return fmt.Errorf("wait for changes of the index: %w", err)
	}
	return nil
}

// LogSize is the size of the write-ahead log in bytes, 0 where there is none.
func (db *DB) LogSize() int64 {
	log, err := os.Stat(db.Path + "-wal")
	if err != nil {
		return 0
	}
	return log.Size()
}

// Checkpoint moves the write-ahead log into the index file when it has grown to a
// size in bytes, and writes the new fingerprint.
func (db *DB) Checkpoint(ctx context.Context, size int64) error {
	l := db.location
	if l == nil {
		return nil
	}
	if db.LogSize() < size {
		return nil
	}
	mine, err := l.opening.TryLock()
	if err != nil || !mine {
		return nil // whoever has the lock, or changes the index next, will do it
	}
	defer func() { _ = l.opening.Unlock() }()
	intact := l.CheckFingerprint()
	if _, err := db.Write.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`); err != nil { // waits for nobody
		return fmt.Errorf("checkpoint the index: %w", err)
	}
	if intact != nil { // the next start will find it so, and build it anew
		db.opener.Log.Warn("somebody else wrote to the index", "path", db.Path, "error", intact)
		return nil
	}
	return l.WriteFingerprint()
}

// buildWaits is for how many times LockWait another process may take to build the index,
// as it does when both see that many files have changed: two minutes by default, some
// times what 100,000 documents take.
const buildWaits = 12

// Refill builds the index again in place of a generation. Readers keep the old content
// until the new one is whole. When another process has done it meanwhile, nothing is
// left to do, and built is false.
func (db *DB) Refill(ctx context.Context, generation string, fill Fill) (built bool, err error) {
	l, o := db.location, db.opener
	unlock, err := l.LockOpening(ctx, buildWaits*o.LockWait)
	if err != nil {
		return false, err
	}
	defer unlock()
	var now string
	if err := db.Read.QueryRowContext(ctx, `SELECT generation FROM state`).Scan(&now); err != nil {
		return false, fmt.Errorf("read the index's state: %w", err)
	}
	if now != generation {
		return false, nil
	}
	name, err := l.construct(ctx, o.covers, fill)
	if err != nil {
		return false, err
	}
	err = errors.Join(copyInto(ctx, l.path, l.files.Dir.Join(name), o.LockWait), l.files.Dir.Discard(name))
	return err == nil, err
}

// copyInto overwrites the index at path with the one at side, as one change
// that readers see at once or not at all.
func copyInto(ctx context.Context, path, side string, wait time.Duration) error {
	db, err := sql.Open("sqlite", sqlfile.DSN(path, writeParams(wait, writeCache)))
	if err != nil {
		return fmt.Errorf("open the index: %w", err)
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("open the index: %w", err)
	}
	defer func() { _ = conn.Close() }()
	err = conn.Raw(func(driver any) error {
		restorer, ok := driver.(interface {
			NewRestore(source string) (*sqlite.Backup, error)
		})
		if !ok {
			return errors.New("the driver cannot copy databases")
		}
		b, err := restorer.NewRestore(sqlfile.DSN(side, url.Values{"mode": {"ro"}}))
		if err != nil {
			return err
		}
		_, err = b.Step(-1)
		return errors.Join(err, b.Finish())
	})
	if err != nil {
		return fmt.Errorf("copy the new index: %w", err)
	}
	return nil
}
