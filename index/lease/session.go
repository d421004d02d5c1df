package lease

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"issues-index/index/sqlfile"
)

// A HolderSession is a conversation of an agent in one workspace, for as long as its client
// keeps it up. It outlives the process that serves it: clients restart their servers.
type HolderSession struct {
	Client string
	// Given is the session's id where the client says it. Token tells sessions apart for which
	// it does not.
	Given, Token string
	// Process serves the session, and Parent has started that process, as ThisProcess and
	// ParentProcess name them. "" is one that nobody can tell the end of.
	Process, Parent string
}

// Holder is the name under which the session claims. Those of its agents go on after it and a
// slash.
func (s HolderSession) Holder() string { return HolderName(s.Client, cmp.Or(s.Given, s.Token)) }

// tokenLength is how many characters a token has, of 32 each.
const tokenLength = 6

// NewToken returns a random token.
func NewToken() string { return strings.ToLower(rand.Text()[:tokenLength]) }

// RestartTime is how long the claims of a session are kept after its process was found to have
// ended: until then its client may start another.
const RestartTime = 10 * time.Minute

// A sessionRow is a session as the file has it.
type sessionRow struct {
	holder, process, parent string
	given                   bool
	died                    time.Time
	fence                   int64 // of its last claim, 0 when it has none
}

// sessions reads all sessions, those first that have claimed last.
func sessions(ctx context.Context, db Queryer) ([]sessionRow, error) {
	return Rows(ctx, db, func(scan func(...any) error) (r sessionRow, err error) {
		var died int64
		err = scan(&r.holder, &r.process, &r.parent, &r.given, &died, &r.fence)
		r.died = timeOf(died)
		return r, err
	}, `SELECT holder, process, parent, given, died, coalesce((SELECT max(fence) FROM lease
		WHERE lease.holder = session.holder OR lease.holder >= session.holder || '/' AND lease.holder < session.holder || '0'), 0) AS last
		FROM session ORDER BY last DESC`)
}

// Join returns the session that a starting process serves. It is one with claims whose process
// has ended: that of the same id, or else of the same client, unless the process that started
// it still runs and is another one, since that restarts its own. Otherwise it is s, with
// another token if another process serves a session of that name. No two processes that run
// serve one session. Reading makes no file: without one, the session is s.
func (l *Leases) Join(ctx context.Context, s HolderSession) (HolderSession, error) {
	if _, err := l.ws.Lstat(Path); s.Process == "" || errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	err := l.db.Write(ctx, func(tx *sql.Tx) error {
		all, err := sessions(ctx, tx)
		if err != nil {
			return err
		}
		var free []sessionRow
		for _, r := range all {
			switch {
			case l.runs(r.process):
				if r.process != s.Process && r.holder == s.Holder() {
					s.Given, s.Token = "", NewToken()
				}
			case r.fence == 0:
				if _, err := tx.ExecContext(ctx, `DELETE FROM session WHERE holder = ?`, r.holder); err != nil {
					return err
				}
			case !r.given && strings.HasPrefix(r.holder, HolderName(s.Client)+"/") && (r.parent == s.Parent || !l.runs(r.parent)):
				free = append(free, r)
			}
		}
		if i := slices.IndexFunc(free, func(r sessionRow) bool { return r.parent == s.Parent }); i >= 0 {
			free = free[i : i+1]
		}
		if s.Given == "" && len(free) > 0 {
			s.Token = strings.TrimPrefix(free[0].holder, HolderName(s.Client)+"/")
		}
		return register(ctx, tx, s)
	})
	return s, err
}

// register notes which process serves a session.
func register(ctx context.Context, tx *sql.Tx, s HolderSession) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO session (holder, process, parent, given) VALUES (?, ?, ?, ?)`,
		s.Holder(), s.Process, s.Parent, s.Given != "")
	return err
}

// Register has the claims of a session end with its process. It is called before each of its
// grants: the file may have been deleted since Join.
func (l *Leases) Register(ctx context.Context, s HolderSession) error {
	if s.Process == "" {
		return nil
	}
	return l.db.Use(ctx, func(f *sqlfile.OpenFile) error {
		var process string
		err := f.QueryRowContext(ctx, `SELECT process FROM session WHERE holder = ?`, s.Holder()).Scan(&process)
		switch {
		case process == s.Process:
			return nil
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return err
		case process != "" && l.runs(process):
			return fmt.Errorf("another process serves the session %s: start this one again", s.Holder())
		}
		return f.Transact(ctx, func(tx *sql.Tx) error { return register(ctx, tx, s) })
	})
}

// runs reports whether a process may be running.
func (l *Leases) runs(process string) bool {
	if l.Runs != nil {
		return l.Runs(process)
	}
	return process != "" && runs(process)
}

// died returns the sessions whose processes have ended, and when that was seen first. Which
// says what is asked for: nil is all.
func (l *Leases) died(ctx context.Context, f *sqlfile.OpenFile, which map[string]bool) (map[string]time.Time, error) {
	all, err := sessions(ctx, f)
	if err != nil {
		return nil, err
	}
	died, now := map[string]time.Time{}, l.ws.Now()
	for _, r := range all {
		if which != nil && !which[r.holder] || l.runs(r.process) {
			continue
		}
		if died[r.holder] = r.died; r.died.IsZero() || r.died.After(now) {
			died[r.holder] = now
			// Where it cannot be written, it is seen first by who can.
			_, _ = f.ExecContext(ctx, `UPDATE session SET died = ? WHERE holder = ? AND process = ?`, now.UnixMilli(), r.holder, r.process)
		}
	}
	return died, nil
}

// sessionOf is the session that a holder may be of.
func sessionOf(holder string) string {
	client, rest, _ := strings.Cut(holder, "/")
	session, _, _ := strings.Cut(rest, "/")
	return HolderName(client, session)
}

// setDied sets which leases are of sessions whose processes have ended.
func setDied(leases []Lease, died map[string]time.Time) {
	for i := range leases {
		leases[i].Died = died[sessionOf(leases[i].Holder)]
	}
}

// readLapsed returns the leases that have lapsed, or are of sessions whose processes have ended,
// and those that a further condition selects, of which ?1 is the time.
func (l *Leases) readLapsed(ctx context.Context, now time.Time, or string) (all []Lease, err error) {
	err = l.db.Read(ctx, func(f *sqlfile.OpenFile) error {
		died, err := l.died(ctx, f, nil)
		if err != nil {
			return err
		}
		where, args := lapsedAt("?1")+or, []any{now.UnixMilli()}
		if len(died) > 0 { // else an index answers
			names, err := json.Marshal(slices.Sorted(maps.Keys(died)))
			if err != nil {
				return err
			}
			where += ` OR ended_by = '' AND EXISTS (SELECT 1 FROM json_each(?2)
				WHERE holder = value OR holder >= value || '/' AND holder < value || '0')`
			args = append(args, string(names))
		}
		all, err = query(ctx, f, where, args...)
		setDied(all, died)
		return err
	})
	return all, err
}
