package index

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A failure is a kind of SQLite's errors, by what can be done about it.
type failure int

const (
	// otherFailure is of no known kind: nothing is done about it.
	otherFailure failure = iota
	// damaged is an index file that is not as SQLite left it. It is built again.
	damaged
	// moved is a file that cannot be opened where it was. It is looked for again.
	moved
	// readOnly is a file that cannot be written. The index is kept elsewhere.
	readOnly
	// noRoom is a full disk, or one that fails. The index is kept in memory.
	noRoom
	// locked is another program's transaction, which did not end in time.
	locked
)

// errDamaged says that a row holds what the program never writes.
var errDamaged = errors.New("the index is damaged")

// failureOf tells of which kind an error is. Whoever asks for a row that may be missing
// does not pass on that it is.
func failureOf(err error) failure {
	if errors.Is(err, sql.ErrNoRows) || errors.Is(err, errDamaged) {
		return damaged
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return otherFailure
	}
	switch e.Code() { // the full codes first: some say more than their primary ones
	case sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS: // the log was cut, say
		return damaged
	case sqlite3.SQLITE_READONLY_DBMOVED:
		return moved
	}
	const primary = 0xff
	switch e.Code() & primary {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return damaged
	case sqlite3.SQLITE_CANTOPEN:
		return moved
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return readOnly
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return noRoom
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return locked
	case sqlite3.SQLITE_ERROR:
		if lacksTables(e.Error()) {
			return damaged
		}
	}
	return otherFailure
}

// lacksTables reports whether a statement failed since the file has other tables than
// the ones that it was made with. All statements are the program's own.
func lacksTables(text string) bool {
	for _, said := range []string{"no such table", "no such column", "no such index", "vtable constructor failed"} {
		if strings.Contains(text, said) {
			return true
		}
	}
	return false
}

// A LockedError says that another program holds one of the index's locks and did not
// let go in time.
type LockedError struct {
	Path string // of the locked file; relative to the workspace when it lies there
	// Opening says that the other one is opening or rebuilding the index. Else it has
	// a transaction open that writes to it.
	Opening bool
}

func (e *LockedError) Error() string {
	if e.Opening {
		return fmt.Sprintf("another program is opening or rebuilding the index; it has locked %s", e.Path)
	}
	return fmt.Sprintf("another program has a transaction open that writes to the index %s", e.Path)
}

// named is an error with the file that another program has locked. The caller holds
// sync or use.
func (ix *Index) named(err error) error {
	var already *LockedError
	if failureOf(err) != locked || ix.db == nil || errors.As(err, &already) {
		return err
	}
	return fmt.Errorf("%w: %w", &LockedError{Path: ix.short(ix.db.path)}, err)
}

// again reports whether a read that failed so is worth another try, once the index
// was opened again.
func (f failure) again() bool { return f == damaged || f == moved || f == readOnly || f == noRoom }
