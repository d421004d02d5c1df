package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"issues-index/index/sqlfile"
)

// MaxReaders bounds the connections that read at once: enough that some long
// searches leave room for short reads. Each holds a page cache of its own.
const MaxReaders = 8

// Page caches of connections, in KiB: of readers, of the writer, and of both in
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

// longestLog is how large the log grows, in pages of 4 KB, before a change waits for its content to be
// moved to the index file: in a pause it is moved much sooner.
const longestLog = 8192

// A DB is an open index: one connection that writes, a pool that reads.
type DB struct {
	Path  string // MemoryPath when it has no file
	Write *sql.DB
	Read  *sql.DB

	opener     *Opener
	location   *Location   // nil in memory
	file       os.FileInfo // as opened, to see when it is replaced
	generation string
}

// A Querier is a pool, a transaction or a Snapshot.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// busyTimeout has a connection wait so long for another process's write, which takes
// milliseconds.
func busyTimeout(wait time.Duration) string {
	return fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())
}

func cacheSize(kib int) string { return fmt.Sprintf("cache_size(-%d)", kib) }

func readParams(wait time.Duration, cache int) url.Values {
	return url.Values{"mode": {"rw"}, "_pragma": {busyTimeout(wait), cacheSize(cache), "query_only(1)"}}
}

// writeParams: immediate transactions, since a reader that turns writer after
// another's commit fails at once; few automatic checkpoints, since they come within
// calls; NORMAL, since the index can be rebuilt and WAL keeps it whole; the journals of
// single statements in memory, since each would be a file made and deleted. A missing file
// is not made: it may be about to be replaced.
func writeParams(wait time.Duration, cache int) url.Values {
	return url.Values{
		"mode": {"rw"}, "_txlock": {"immediate"},
		"_pragma": {
			busyTimeout(wait), "synchronous(NORMAL)",
			fmt.Sprintf("wal_autocheckpoint(%d)", longestLog), fmt.Sprintf("journal_size_limit(%d)", keptLog),
			cacheSize(cache), "temp_store(MEMORY)",
		},
	}
}

// openFile opens an index file that exists. Error: *otherError.
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
	if db.generation, err = identify(ctx, db.Write, o.covers); err != nil {
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
	pool, err := sqlfile.OpenStatements(dsn, true)
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
// was deleted, or built again by another process.
func (db *DB) Replaced() bool {
	if db.location == nil {
		return false
	}
	file, err := os.Stat(db.Path)
	return err != nil || !os.SameFile(file, db.file)
}

func (db *DB) closePools() error { return errors.Join(db.Read.Close(), db.Write.Close()) }

// Close closes the index. The last process to do so moves the log into the file, and SQLite
// deletes the log by its path: under the lock for opening, since another process may be about
// to put a new index there, whose log that would be. For a build it does not wait long.
func (db *DB) Close() error {
	if db.location == nil {
		return db.closePools()
	}
	if !db.Replaced() { // else SQLite sees so itself, and deletes nothing
		if unlock, err := db.location.LockOpening(context.Background(), closeWait); err == nil {
			defer unlock()
		}
	}
	return errors.Join(db.closePools(), db.location.Close())
}

// closeWait is how long closing an index waits for another process that opens or builds it.
const closeWait = time.Second

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

// Checkpoint moves the write-ahead log into the index file when it has grown to a
// size in bytes.
func (db *DB) Checkpoint(ctx context.Context, size int64) error {
	log, err := os.Stat(db.Path + "-wal")
	if errors.Is(err, fs.ErrNotExist) || err == nil && log.Size() < size {
		return nil
	}
	if _, err = db.Write.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`); err != nil { // waits for no reader
		return fmt.Errorf("checkpoint the index: %w", err)
	}
	return nil
}
