package claims

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"issues-index/index/sqlfile"
	"issues-index/store"
)

// Leases are the leases of one workspace. They are safe for concurrent use, also by
// several processes. Reading makes no file. In a team they ask its engine.
type Leases struct {
	// Runs, if not nil, reports in place of the system whether a process may be running.
	Runs func(process string) bool

	ws   *store.Workspace
	db   *Database
	team TeamOptions
}

// In returns the leases of a workspace, to which its team has to agree if there is one.
func In(ws *store.Workspace, team TeamOptions) *Leases {
	return &Leases{ws: ws, db: DatabaseOf(ws), team: team}
}

// Root is that of the workspace.
func (l *Leases) Root() string { return l.ws.Root }

// Close closes the file. The connection to the team's engine stays.
func (l *Leases) Close() error { return l.db.Close() }

// columns are those of a Lease.
const columns = `path, id, holder, fence, granted, renewed, expires, length, told, ended, ended_by, status, assignee,
	` + died + `, EXISTS (SELECT 1 FROM local_grant WHERE local_grant.fence = lease.fence)`

// died is when the process of a lease's session was found to have ended, 0 while it runs.
const died = `coalesce((SELECT max(died) FROM session WHERE ` + ofSession + `), 0)`

// ofSession is the condition of a lease that a session holds, or one of its agents; 0 is next to /.
const ofSession = `(lease.holder = session.holder
	OR lease.holder >= session.holder || '/' AND lease.holder < session.holder || '0')`

// read returns the leases that a condition selects, none when there is no file.
func (l *Leases) read(ctx context.Context, where string, args ...any) (all []Lease, err error) {
	err = l.db.Read(ctx, func(f *sqlfile.OpenFile) (err error) {
		if all, err = query(ctx, f, where, args...); err != nil || len(all) == 0 {
			return err
		}
		found, err := l.findDead(ctx, f)
		if err == nil && found {
			all, err = query(ctx, f, where, args...)
		}
		return err
	})
	return all, err
}

// query reads the leases that a condition selects.
func query(ctx context.Context, f *sqlfile.OpenFile, where string, args ...any) ([]Lease, error) {
	return Rows(ctx, f, func(scan func(...any) error) (one Lease, err error) {
		var granted, renewed, expires, length, ended, died int64
		err = scan(&one.Path, &one.ID, &one.Holder, &one.Fence, &granted, &renewed, &expires, &length,
			&one.Told, &ended, &one.EndedBy, &one.Status, &one.Assignee, &died, &one.Local)
		one.Granted, one.Renewed, one.Expires = timeOf(granted), timeOf(renewed), timeOf(expires)
		one.Ended, one.Died = timeOf(ended), timeOf(died)
		one.Length = time.Duration(length) * time.Millisecond
		return one, err
	}, `SELECT `+columns+` FROM lease WHERE `+where+` ORDER BY fence`, args...)
}

// timeOf is a time that the file has, zero for 0.
func timeOf(milliseconds int64) time.Time {
	if milliseconds == 0 {
		return time.Time{}
	}
	return time.UnixMilli(milliseconds).UTC()
}

// All returns every lease, whether it counts or not.
func (l *Leases) All(ctx context.Context) ([]Lease, error) { return l.read(ctx, "true") }

// OfHolder returns the leases of a holder, and of those whose names go on after it and a
// slash: the agents of a session, the sessions of a client.
func (l *Leases) OfHolder(ctx context.Context, holder string) ([]Lease, error) {
	return l.read(ctx, `(holder = ? OR holder >= ? AND holder < ?)`, holder, holder+"/", holder+"0") // 0 is next to /
}

// Lapsed returns the leases that have lapsed, or whose holders are gone, whether they count or
// not.
func (l *Leases) Lapsed(ctx context.Context, now time.Time) ([]Lease, error) {
	all, err := l.All(ctx)
	return slices.DeleteFunc(all, func(one Lease) bool {
		return !one.lapsed(now) && (one.EndedBy != "" || one.Died.IsZero())
	}), err
}

// Grant gives a document's lease to a holder, from now on; local says that in a team it binds this
// clone alone. The lease of the document's holder before stays until MarkEnded, since only the
// document says that it has ended.
func (l *Leases) Grant(
	ctx context.Context, doc *store.Document, holder string, length time.Duration, local bool, now time.Time,
) (Lease, error) {
	granted := Lease{
		Path: doc.Path, ID: doc.ID, Holder: holder,
		Granted: now, Renewed: now, Expires: now.Add(length), Length: length, Local: local,
	}
	err := l.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO last_grant SELECT ? WHERE NOT EXISTS (SELECT 1 FROM last_grant)`,
			now.UnixMilli())
		if err == nil {
			err = tx.QueryRowContext(ctx, `UPDATE last_grant SET fence = fence + 1 RETURNING fence`).Scan(&granted.Fence)
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, `INSERT OR REPLACE
				INTO lease (path, holder, id, fence, granted, renewed, expires, length) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
				doc.Path, holder, doc.ID, granted.Fence,
				now.UnixMilli(), now.UnixMilli(), granted.Expires.UnixMilli(), length.Milliseconds())
		}
		if err == nil {
			err = markLocal(ctx, tx, granted)
		}
		return err
	})
	return granted, err
}

// Extend renews a lease, unless it was granted anew or taken meanwhile; local is as for Grant.
func (l *Leases) Extend(
	ctx context.Context, one Lease, length time.Duration, local bool, now time.Time,
) (Lease, error) {
	one.Renewed, one.Expires, one.Length, one.Local = now, now.Add(length), length, local
	return one, l.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE lease SET renewed = ?, expires = ?, length = ?, told = 0
			WHERE fence = ? AND ended_by = ''`,
			now.UnixMilli(), one.Expires.UnixMilli(), length.Milliseconds(), one.Fence)
		if err == nil {
			err = markLocal(ctx, tx, one)
		}
		return err
	})
}

// markLocal notes whether a lease binds this clone alone.
func markLocal(ctx context.Context, tx *sql.Tx, one Lease) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM local_grant
		WHERE fence = ? OR fence NOT IN (SELECT fence FROM lease)`, one.Fence)
	if err == nil && one.Local {
		_, err = tx.ExecContext(ctx, `INSERT INTO local_grant VALUES (?)`, one.Fence)
	}
	return err
}

// MarkEnded notes who has ended a lease, and what the document is since: the zero Subject when it
// was deleted, and only the assignee when that holder has taken it over.
func (l *Leases) MarkEnded(ctx context.Context, former Lease, by string, now Subject) error {
	return l.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE lease SET
			ended = ?, ended_by = ?, status = ?, assignee = ?, expires = min(expires, ?), told = 0 WHERE fence = ?`,
			l.ws.Now().UnixMilli(), by, now.Status, now.Assignee, former.End().UnixMilli(), former.Fence)
		return err
	})
}

// EndedOf returns the last lease of a holder on a document that another holder has ended, as
// long as it is kept, and nil where there is none.
func (l *Leases) EndedOf(ctx context.Context, holder, id string) (last *Lease, err error) {
	all, err := l.OfHolder(ctx, holder)
	for i, one := range all {
		if one.ID == id && one.EndedBy != "" {
			last = &all[i]
		}
	}
	return last, err
}

// Drop forgets leases. Those that do not count may be dropped only under the lock of the
// workspace: the document of a lease that was granted just now does not say so yet.
func (l *Leases) Drop(ctx context.Context, leases ...Lease) error {
	return l.each(ctx, `DELETE FROM lease WHERE fence = ?`, leases)
}

// each runs a statement with the fence of every lease.
func (l *Leases) each(ctx context.Context, statement string, leases []Lease) error {
	if len(leases) == 0 {
		return nil
	}
	return l.db.Write(ctx, func(tx *sql.Tx) error {
		for _, one := range leases {
			if _, err := tx.ExecContext(ctx, statement, one.Fence); err != nil {
				return fmt.Errorf("write the lease of %s: %w", one.ID, err)
			}
		}
		return nil
	})
}
