package index

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"issues-index/migrations"
	"issues-index/store"
)

// busyTimeout has a connection wait so long for another process's write. A write takes
// milliseconds; the longest, a rebuild's swap, well under a second for 100,000
// documents.
func busyTimeout(wait time.Duration) string {
	return fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())
}

// maxReaders bounds the connections that read at once: enough that some long
// searches leave room for short reads. Each holds a page cache of its own.
const maxReaders = 8

// maxSearches of them search at once: others wait their turn, and leave connections
// to the calls that read a few rows.
const maxSearches = maxReaders / 2

// A database is one open index file: one connection that writes, a pool that
// reads.
type database struct {
	path  string
	write *sql.DB
	read  *sql.DB
	file  os.FileInfo // of the file as opened, to see when it is replaced
	// logged is false on a filesystem where the write-ahead log cannot work and
	// changes go to the file at once.
	logged bool
}

// dsn names an index file to the driver. The file: form is needed, or mode and
// the like would be taken for part of the name.
func dsn(path string, params url.Values) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: params.Encode()}
	return u.String()
}

func readParams(wait time.Duration) url.Values {
	return url.Values{"_pragma": {
		busyTimeout(wait), "cache_size(-1500)", "query_only(1)",
	}}
}

// writeParams: immediate transactions, since a reader that turns writer after
// another's commit fails at once; no checkpoints by the way, since each is
// followed by a seal; NORMAL, since the index can be rebuilt and WAL keeps it
// whole; the journals of single statements in memory, since each would be a
// file made and deleted.
func writeParams(wait time.Duration) url.Values {
	return url.Values{
		"_txlock": {"immediate"},
		"_pragma": {
			busyTimeout(wait), "synchronous(NORMAL)",
			"wal_autocheckpoint(0)", "cache_size(-4000)", fmt.Sprintf("journal_size_limit(%d)", keptLog), "temp_store(MEMORY)",
		},
	}
}

// openDatabase opens an index file that is there, whole, and of the collections.
func openDatabase(ctx context.Context, path, collections string, wait time.Duration) (*database, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("look at the index: %w", err)
	}
	db := &database{path: path, file: file}
	if db.write, err = openStatements(dsn(path, writeParams(wait))); err != nil {
		return nil, fmt.Errorf("open the index: %w", err)
	}
	db.write.SetMaxOpenConns(1)
	if db.read, err = openStatements(dsn(path, readParams(wait))); err != nil {
		return nil, errors.Join(fmt.Errorf("open the index: %w", err), db.write.Close())
	}
	db.read.SetMaxOpenConns(maxReaders)
	db.read.SetMaxIdleConns(maxReaders)
	if err := db.identify(ctx, collections); err != nil {
		return nil, errors.Join(err, db.close())
	}
	return db, nil
}

// identify reads what the file is; a *foreignError says that it is another's, and
// then nothing of it is changed. One of ours gets a write-ahead log.
func (db *database) identify(ctx context.Context, collections string) error {
	var application, version int
	if err := db.write.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&application); err != nil {
		return fmt.Errorf("read the index's header: %w", err)
	}
	if err := db.write.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return fmt.Errorf("read the index's version: %w", err)
	}
	if application != migrations.ApplicationID || version != migrations.Version {
		return &foreignError{
			reason: fmt.Sprintf("the file has application id %#x and schema version %d, not %#x and %d",
				application, version, migrations.ApplicationID, migrations.Version),
			suffix: fmt.Sprintf(".v%d", migrations.Version),
		}
	}
	var covered, schema string
	if err := db.write.QueryRowContext(ctx, `SELECT collections, schema FROM state`).Scan(&covered, &schema); err != nil {
		return fmt.Errorf("read the index's state: %w", err)
	}
	own, err := migrations.Digest()
	if err != nil {
		return err
	}
	if schema != own {
		return &foreignError{
			reason: fmt.Sprintf("its tables are those of another build of version %d", migrations.Version),
			suffix: "." + own,
		}
	}
	if covered != collections {
		sum := sha256.Sum256([]byte(collections))
		return &foreignError{reason: "it covers other folders: " + folderNames(covered), suffix: "." + hex.EncodeToString(sum[:4]), folders: true}
	}
	var journal string
	if err := db.write.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&journal); err != nil {
		return fmt.Errorf("set the index's journal mode: %w", err)
	}
	db.logged = journal == "wal"
	return nil
}

// foreignError says that a file is no index of this version or of these
// collections. Servers that differ so much cannot share one.
type foreignError struct {
	reason string
	suffix string // of the path where those like this server share one
	// folders says that it is an index of this version, but of other folders.
	folders bool
}

// folderNames reads collectionsJSON for a person.
func folderNames(collections string) string {
	var all []store.Collection
	if err := json.Unmarshal([]byte(collections), &all); err != nil {
		return "none that can be read"
	}
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Dir
	}
	return strings.Join(names, ", ")
}

func (e *foreignError) Error() string { return e.reason }

func (db *database) close() error {
	return errors.Join(db.read.Close(), db.write.Close())
}

// replaced reports whether the path leads to another file than the one open:
// the index was deleted, or rebuilt from nothing, behind our back.
func (db *database) replaced() bool {
	file, err := os.Stat(db.path)
	return err != nil || !os.SameFile(file, db.file)
}
