package db

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"issues-index/index/sqlfile"
)

// A Failure is a kind of SQLite's errors, by what can be done about it.
type Failure int

const (
	// OtherFailure is of no known kind: nothing is done about it.
	OtherFailure Failure = iota
	// Damaged is an index file that is not as SQLite left it. It is built again.
	Damaged
	// Moved is a file that cannot be opened where it was. It is looked for again.
	Moved
	// ReadOnly is a file that cannot be written. The index is kept elsewhere.
	ReadOnly
	// DiskFailed is a full or failing disk. The index is kept in memory.
	DiskFailed
	// Locked is another program's transaction, which did not end in time.
	Locked
)

// ErrDamaged says that a row holds what the program never writes.
var ErrDamaged = errors.New("the index is damaged")

// FailureOf tells of which kind an error is. Callers that ask for a row which may be
// missing do not pass on sql.ErrNoRows.
func FailureOf(err error) Failure {
	if errors.Is(err, sql.ErrNoRows) || errors.Is(err, ErrDamaged) {
		return Damaged
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return OtherFailure
	}
	switch e.Code() { // the full codes first: some say more than their primary ones
	case sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS: // the log was cut, say
		return Damaged
	case sqlite3.SQLITE_READONLY_DBMOVED:
		return Moved
	}
	switch sqlfile.Code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return Damaged
	case sqlite3.SQLITE_CANTOPEN:
		return Moved
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return ReadOnly
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return DiskFailed
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return Locked
	case sqlite3.SQLITE_ERROR:
		if slices.ContainsFunc(lacking, func(said string) bool { return strings.Contains(e.Error(), said) }) {
			return Damaged
		}
	}
	return OtherFailure
}

// lacking is what SQLite says when the file has other tables than it was made with. All statements
// are the program's own.
var lacking = []string{"no such table", "no such column", "no such index", "vtable constructor failed"}

// Reopens reports whether to open the index again may help.
func (f Failure) Reopens() bool {
	return f == Damaged || f == Moved || f == ReadOnly || f == DiskFailed
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

// NameLocked adds a *LockedError with the index's path to an error of another program's
// transaction.
func (db *DB) NameLocked(err error) error {
	var already *LockedError
	if db == nil || FailureOf(err) != Locked || errors.As(err, &already) {
		return err
	}
	return fmt.Errorf("%w: %w", &LockedError{Path: db.opener.short(db.Path)}, err)
}
