package claims

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
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
	// ParentProcess name them. "" is a process whose end cannot be told.
	Process, Parent string
}

// Holder is the name under which the session claims. Those of its agents go on after it and a
// slash.
func (s HolderSession) Holder() string { return HolderName(s.Client, cmp.Or(s.Given, s.Token)) }

// tokenLength is how many characters a token has, of 32 each.
const tokenLength = 6

// NewToken returns a random token of 6 letters and digits (tokenLength).
func NewToken() string { return strings.ToLower(rand.Text()[:tokenLength]) }

// RestartTime is how long the claims of a session are kept after its process was found to have
// ended: until then its client may start another.
const RestartTime = 10 * time.Minute

// A sessionRow is a session as the file has it.
type sessionRow struct {
	holder, process, parent string
	given                   bool
	fence                   int64 // of its last claim, 0 when it has none
}

// sessions reads all sessions, those first that have claimed last.
func sessions(ctx context.Context, db Queryer) ([]sessionRow, error) {
	return Rows(ctx, db, func(scan func(...any) error) (r sessionRow, err error) {
		err = scan(&r.holder, &r.process, &r.parent, &r.given, &r.fence)
		return r, err
	}, `SELECT holder, process, parent, given, coalesce((SELECT max(fence) FROM lease WHERE `+ofSession+`), 0) AS last
		FROM session ORDER BY last DESC`)
}

// Join returns the session that a starting process serves. It is one with claims whose process
// has ended: that of the same id, or else of the same client, unless the process that started
// it still runs and is another one, since that restarts its own. Otherwise it is s, with
// another token if another process serves a session of that name. No two processes that run
// serve one session. Reading makes no file: without one, the session is s.
func (l *Leases) Join(ctx context.Context, s HolderSession) (HolderSession, error) {
	if s.Process == "" || !l.db.exists() {
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
			case !r.given && strings.HasPrefix(r.holder, HolderName(s.Client)+"/") &&
				(r.parent == s.Parent || !l.runs(r.parent)):
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

// Register notes which process serves a session, so that its claims are stale when that process has
// ended. It is called before each grant: the file may have been deleted since Join.
func (l *Leases) Register(ctx context.Context, s HolderSession) error {
	if s.Process == "" {
		return nil
	}
	return l.db.Write(ctx, func(tx *sql.Tx) error {
		var process string
		var died int64
		err := tx.QueryRowContext(ctx, `SELECT process, died FROM session WHERE holder = ?`, s.Holder()).Scan(&process, &died)
		switch {
		case process == s.Process && died == 0:
			return nil
		case err != nil && !errors.Is(err, sql.ErrNoRows):
			return err
		case process != s.Process && process != "" && l.runs(process):
			return fmt.Errorf("another process serves the session %s: start this one again", s.Holder())
		}
		return register(ctx, tx, s)
	})
}

// runs reports whether a process may be running.
func (l *Leases) runs(process string) bool {
	if l.Runs != nil {
		return l.Runs(process)
	}
	return process != "" && runs(process)
}

// findDead notes which processes of sessions have ended since the last time, and reports whether
// any have. Where it cannot be noted, another process sees it first.
func (l *Leases) findDead(ctx context.Context, f *sqlfile.OpenFile) (found bool, err error) {
	serving, err := Rows(ctx, f, func(scan func(...any) error) (process string, err error) {
		err = scan(&process)
		return process, err
	}, `SELECT DISTINCT process FROM session WHERE died = 0`)
	for _, process := range serving {
		if l.runs(process) {
			continue
		}
		_, failed := f.ExecContext(ctx, `UPDATE session SET died = ? WHERE process = ? AND died = 0`,
			l.ws.Now().UnixMilli(), process)
		found = found || failed == nil
	}
	return found, err
}
