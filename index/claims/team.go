package claims

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"issues-index/index/sqlfile"
	"issues-index/index/team/share"
	"issues-index/store"
)

// DefaultTimeout is how long an answer of the engine is waited for.
const DefaultTimeout = 2 * time.Second

// TeamOptions say which team has to agree to claims and numbers, and for how long its engine is
// waited for. Without a Team there is none.
type TeamOptions struct {
	// Team returns the connection to the engine. It is called when something is to be agreed,
	// and may connect then.
	Team func(ctx context.Context) (share.Team, error)
	// Workspace is the name of the workspace in the team.
	Workspace string
	Timeout   time.Duration // for each answer, 0 for DefaultTimeout
}

// InTeam reports whether a team has to agree.
func (l *Leases) InTeam() bool { return l.team.Team != nil }

// An UnagreedError says why something was not agreed: whether the engine has done what was
// asked is not known.
type UnagreedError struct{ Err error }

func (e *UnagreedError) Error() string { return "not agreed with the team: " + e.Reason() }

func (e *UnagreedError) Unwrap() error { return e.Err }

// Reason says why, in the words of people.
func (e *UnagreedError) Reason() string {
	switch {
	case errors.Is(e.Err, share.ErrForbidden):
		return "its engine does not allow it with these credentials"
	case errors.Is(e.Err, share.ErrLost):
		return "its engine has the claim no longer"
	}
	return "its engine cannot be reached"
}

// ask asks the engine, for as long as the timeout says. Errors are those of the context,
// *share.HeldError, and *UnagreedError for all others of the engine.
func (l *Leases) ask(ctx context.Context, question func(ctx context.Context, team share.Team) error) error {
	limited, cancel := context.WithTimeout(ctx, cmp.Or(l.team.Timeout, DefaultTimeout))
	defer cancel()
	team, err := l.team.Team(limited)
	if err == nil {
		err = question(limited, team)
	}
	var held *share.HeldError
	switch {
	case err == nil || errors.As(err, &held):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &UnagreedError{err}
}

// teamLease is the clone's lease of a document. Its nonce tells the leases of this clone from
// those of all others. A copy of the clone's folder is another clone, as is a folder that a machine of
// another name has.
func (l *Leases) teamLease(ctx context.Context, id, holder string) (share.TeamLease, error) {
	secret, err := l.secret(ctx)
	if err != nil {
		return share.TeamLease{}, err
	}
	host, err := os.Hostname()
	if err != nil {
		return share.TeamLease{}, fmt.Errorf("find the name of this machine: %w", err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", secret, host, l.ws.Root))
	return share.TeamLease{
		Workspace: l.team.Workspace, Key: store.FoldID(id), Holder: holder,
		Nonce: hex.EncodeToString(sum[:16]), Since: l.ws.Now(),
	}, nil
}

// secret returns the clone's, and makes it at the first time.
func (l *Leases) secret(ctx context.Context) (secret string, err error) {
	const read = `SELECT secret FROM clone`
	err = l.db.Use(ctx, func(f *sqlfile.OpenFile) error {
		if err := f.QueryRowContext(ctx, read).Scan(&secret); !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		made := make([]byte, 16)
		_, _ = rand.Read(made) // never fails
		return f.Transact(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO clone SELECT ? WHERE NOT EXISTS (SELECT 1 FROM clone)`,
				hex.EncodeToString(made))
			if err != nil {
				return err
			}
			return tx.QueryRowContext(ctx, read).Scan(&secret)
		})
	})
	return secret, err
}

// TakeInTeam takes the team's lease of a document for a holder, or has it last from now when the clone
// has it: until a local lease of this length is free. Outside of a team it does nothing. Errors:
// *share.HeldError for another clone's, *UnagreedError for others of the engine, *UnusableError for
// the database, and those of the context.
func (l *Leases) TakeInTeam(ctx context.Context, id, holder string, length time.Duration) error {
	if !l.InTeam() {
		return nil
	}
	wanted, err := l.teamLease(ctx, id, holder)
	if err != nil {
		return err
	}
	lasts := Lease{Expires: wanted.Since.Add(length), Length: length}.FreeFrom().Sub(wanted.Since)
	return l.ask(ctx, func(ctx context.Context, team share.Team) error {
		_, err := team.Take(ctx, wanted, lasts)
		return err
	})
}

// renewInTeam has the team's lease of a document last as long as the renewed local one keeps others
// away. It never takes one anew, since it is not called under the lock of the workspace. Errors are
// TakeInTeam's.
func (l *Leases) renewInTeam(ctx context.Context, renewed Lease) error {
	if !l.InTeam() || renewed.Local {
		return nil
	}
	wanted, err := l.teamLease(ctx, renewed.ID, renewed.Holder)
	if err != nil {
		return err
	}
	return l.ask(ctx, func(ctx context.Context, team share.Team) error {
		stands, err := team.Lease(ctx, wanted.Workspace, wanted.Key)
		if err != nil {
			return err
		}
		if stands.Nonce != wanted.Nonce { // at its fence, another clone's lease would be replaced
			return share.ErrLost
		}
		wanted.Fence = stands.Fence
		_, err = team.Renew(ctx, wanted, renewed.FreeFrom().Sub(l.ws.Now()))
		return err
	})
}

// EndInTeam gives the team's lease of a document back, if the clone has it and no local lease keeps
// others away. What cannot be given back ends by its time. The caller holds the lock of the workspace.
// Errors are TakeInTeam's.
func (l *Leases) EndInTeam(ctx context.Context, id string) error {
	if !l.InTeam() {
		return nil
	}
	all, err := l.read(ctx, `id = ? AND ended_by = ''`, id)
	now := l.ws.Now()
	if err != nil || slices.ContainsFunc(all, func(one Lease) bool { return !one.Free(now) && l.Counts(one) }) {
		return err
	}
	wanted, err := l.teamLease(ctx, id, "")
	if err != nil {
		return err
	}
	return l.ask(ctx, func(ctx context.Context, team share.Team) error { return team.Release(ctx, wanted) })
}

// TeamNumber returns a number of a series from the counter of the team, which there must be, at least
// next. Errors:
// *UnagreedError, and those of the context.
func (l *Leases) TeamNumber(ctx context.Context, series string, next int) (number int, err error) {
	err = l.ask(ctx, func(ctx context.Context, team share.Team) error {
		number, err = team.NextNumber(ctx, l.team.Workspace, series, next)
		return err
	})
	return number, err
}
