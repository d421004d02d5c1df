package lease

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"issues-index/index/sqlfile"
	"issues-index/store"
	"issues-index/store/cachedir"
)

//go:embed schema.sql
var schema string

// format is that of the file of the leases.
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
	// Programs of this version that know no sessions go on beside those that do, and leave
	// the table as it is: their claims, and those of others for them, live by their leases.
	Always: `CREATE TABLE IF NOT EXISTS session (
		holder  TEXT    PRIMARY KEY,         -- of its claims, or with a slash and an agent
		process TEXT    NOT NULL,            -- that serves it: its number, its start and its machine
		parent  TEXT    NOT NULL,            -- likewise, that has started this process
		given   INTEGER NOT NULL,            -- 1: the client names its sessions
		died    INTEGER NOT NULL DEFAULT 0   -- when the process was found to have ended
	) WITHOUT ROWID;`,
	Tables: []string{"lease", "last_grant"},
	// A write takes well under a millisecond, and claims follow each other by the lock of
	// the workspace.
	Busy: 5 * time.Second,
}

// name is the file's, in the cache folder of the workspace.
const name = "leases.db"

// Path is where the leases of a workspace lie, relative to its root.
const Path = store.CacheDir + "/" + name

// Leases are the leases of one workspace. They are safe for concurrent use, also by
// several processes. Reading makes no file.
type Leases struct {
	// Renewing, if not nil, is asked before a sign of life makes a lease last until its new
	// Expires, and refuses that with an error. It is set before the first use.
	Renewing func(ctx context.Context, renewed Lease) error
	// Runs, if not nil, reports in place of the system whether a process may be running.
	Runs func(process string) bool

	ws *store.Workspace

	mu     sync.Mutex
	keeper sqlfile.Keeper
}

// In returns the leases of a workspace.
func In(ws *store.Workspace) *Leases {
	l := &Leases{ws: ws}
	l.keeper = sqlfile.Keeper{Format: format, Place: func(context.Context) (*cachedir.Dir, string, error) {
		dir, err := ws.OpenOwnCache()
		if err != nil {
			return nil, "", err
		}
		return dir, name, nil
	}}
	return l
}

// Root is that of the workspace.
func (l *Leases) Root() string { return l.ws.Root }

// Close closes the file.
func (l *Leases) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keeper.Close()
	return nil
}

// An UnusableError says that the file of the leases cannot be used.
type UnusableError struct{ Err error }

func (e *UnusableError) Error() string { return "open the leases: " + e.Err.Error() }

func (e *UnusableError) Unwrap() error { return e.Err }

// use calls use with the file.
func (l *Leases) use(ctx context.Context, use func(*sqlfile.OpenFile) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.keeper.Use(ctx, use); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &UnusableError{l.locate(err)}
	}
	return nil
}

// locate names what is in the file's way relative to the workspace.
func (l *Leases) locate(err error) error {
	var foreign *cachedir.ForeignError
	if errors.As(err, &foreign) {
		return &cachedir.ForeignError{Path: path.Join(store.CacheDir, filepath.Base(foreign.Path)), Reason: foreign.Reason}
	}
	return err
}

// columns are those of a Lease.
const columns = `path, id, holder, fence, granted, renewed, expires, length, told, ended, ended_by, status, assignee`

// read returns the leases that a condition selects, none when there is no file.
func (l *Leases) read(ctx context.Context, where string, args ...any) (all []Lease, err error) {
	err = l.useMade(ctx, func(f *sqlfile.OpenFile) (err error) {
		if all, err = query(ctx, f, where, args...); err != nil || len(all) == 0 {
			return err
		}
		which := map[string]bool{}
		for _, one := range all {
			which[sessionOf(one.Holder)] = true
		}
		died, err := l.died(ctx, f, which)
		setDied(all, died)
		return err
	})
	return all, err
}

// useMade is use where there is a file, and makes none.
func (l *Leases) useMade(ctx context.Context, use func(*sqlfile.OpenFile) error) error {
	if _, err := l.ws.Lstat(Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return l.use(ctx, use)
}

// query reads the leases that a condition selects.
func query(ctx context.Context, f *sqlfile.OpenFile, where string, args ...any) ([]Lease, error) {
	rows, err := f.QueryContext(ctx, `SELECT `+columns+` FROM lease WHERE `+where+` ORDER BY fence`, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []Lease
	for rows.Next() {
		var one Lease
		var granted, renewed, expires, length, ended int64
		if err := rows.Scan(&one.Path, &one.ID, &one.Holder, &one.Fence, &granted, &renewed, &expires, &length, &one.Told, &ended, &one.EndedBy, &one.Status, &one.Assignee); err != nil {
			return nil, err
		}
		one.Granted, one.Renewed, one.Expires = time.UnixMilli(granted).UTC(), time.UnixMilli(renewed).UTC(), time.UnixMilli(expires).UTC()
		one.Length = time.Duration(length) * time.Millisecond
		if ended != 0 {
			one.Ended = time.UnixMilli(ended).UTC()
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// write runs statements in one transaction.
func (l *Leases) write(ctx context.Context, do func(tx *sql.Tx) error) error {
	return l.use(ctx, func(f *sqlfile.OpenFile) error { return f.Transact(ctx, do) })
}

// All returns every lease, whether it counts or not.
func (l *Leases) All(ctx context.Context) ([]Lease, error) { return l.read(ctx, "true") }

// OfHolder returns the leases of a holder, and of those whose names go on after it and a
// slash: the agents of a session, the sessions of a client.
func (l *Leases) OfHolder(ctx context.Context, holder string) ([]Lease, error) {
	return l.ofHolder(ctx, holder, "true")
}

// ofHolder returns those for which a condition holds, too. Its first parameter is ?4.
func (l *Leases) ofHolder(ctx context.Context, holder, condition string, args ...any) ([]Lease, error) {
	all := append([]any{holder, holder + "/", holder + "0"}, args...) // 0 is next to /
	return l.read(ctx, "(holder = ? OR holder >= ? AND holder < ?) AND ("+condition+")", all...)
}

// Lapsed returns the leases that have lapsed, or whose holders are gone, whether they count or
// not.
func (l *Leases) Lapsed(ctx context.Context, now time.Time) ([]Lease, error) {
	return l.readLapsed(ctx, now, "")
}

// Bound returns what Lapsed does, and makes no lease longer than it was granted
// for, which after a clock was set back it would be. One that is longer than any lease has
// lapsed.
func (l *Leases) Bound(ctx context.Context, now time.Time) ([]Lease, error) {
	all, err := l.readLapsed(ctx, now, " OR expires > ?1 + length")
	lapsed := slices.DeleteFunc(slices.Clone(all), func(one Lease) bool { return one.Live(now) })
	if err != nil || len(lapsed) == len(all) {
		return lapsed, err
	}
	return lapsed, l.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE lease SET renewed = ?1, expires = ?1 + length WHERE expires > ?1 + length AND NOT `+lapsedAt("?1"), now.UnixMilli())
		return err
	})
}

// Grant gives a document's lease to a holder, from now on. The lease of whoever held the
// document before stays until Take, since only the document says that it has ended.
func (l *Leases) Grant(ctx context.Context, doc *store.Document, holder string, length time.Duration, now time.Time) (Lease, error) {
	granted := Lease{Path: doc.Path, ID: doc.ID, Holder: holder, Granted: now, Renewed: now, Expires: now.Add(length), Length: length}
	err := l.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO last_grant SELECT ? WHERE NOT EXISTS (SELECT 1 FROM last_grant)`, now.UnixMilli())
		if err == nil {
			err = tx.QueryRowContext(ctx, `UPDATE last_grant SET fence = fence + 1 RETURNING fence`).Scan(&granted.Fence)
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO lease (path, holder, id, fence, granted, renewed, expires, length) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
				doc.Path, holder, doc.ID, granted.Fence, now.UnixMilli(), now.UnixMilli(), granted.Expires.UnixMilli(), length.Milliseconds())
		}
		return err
	})
	return granted, err
}

// Extend renews a lease, unless it was granted anew or taken meanwhile.
func (l *Leases) Extend(ctx context.Context, one Lease, length time.Duration, now time.Time) (Lease, error) {
	one.Renewed, one.Expires, one.Length = now, now.Add(length), length
	return one, l.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE lease SET renewed = ?, expires = ?, length = ?, told = 0 WHERE fence = ? AND ended_by = ''`,
			now.UnixMilli(), one.Expires.UnixMilli(), length.Milliseconds(), one.Fence)
		return err
	})
}

// Take notes who has taken a document over from the holder of a lease, for that holder to
// be told.
func (l *Leases) Take(ctx context.Context, former Lease, by string) error {
	return l.End(ctx, former, by, Subject{Assignee: by})
}

// End notes who has ended a lease by a change, and what the document is since: the zero
// Subject when it was deleted.
func (l *Leases) End(ctx context.Context, former Lease, by string, now Subject) error {
	return l.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE lease SET ended = ?, ended_by = ?, status = ?, assignee = ?, expires = min(expires, ?), told = 0 WHERE fence = ?`,
			l.ws.Now().UnixMilli(), by, now.Status, now.Assignee, former.End().UnixMilli(), former.Fence)
		return err
	})
}

// EndedOf returns the last lease of a holder on a document that somebody else has ended, as
// long as it is kept.
func (l *Leases) EndedOf(ctx context.Context, holder, id string) (one Lease, found bool, err error) {
	all, err := l.ofHolder(ctx, holder, "id = ? AND ended_by <> ''", id)
	if err != nil || len(all) == 0 {
		return Lease{}, false, err
	}
	return all[len(all)-1], true, nil
}

// Drop forgets leases. Those that do not count may be dropped only under the lock of the
// workspace: the document of one that was granted just now does not say so yet.
func (l *Leases) Drop(ctx context.Context, leases ...Lease) error {
	if len(leases) == 0 {
		return nil
	}
	return l.write(ctx, func(tx *sql.Tx) error {
		return each(ctx, tx, `DELETE FROM lease WHERE fence = ?`, leases)
	})
}

// each runs a statement with the fence of every lease.
func each(ctx context.Context, tx *sql.Tx, statement string, leases []Lease) error {
	for _, one := range leases {
		if _, err := tx.ExecContext(ctx, statement, one.Fence); err != nil {
			return fmt.Errorf("write the lease of %s: %w", one.ID, err)
		}
	}
	return nil
}
