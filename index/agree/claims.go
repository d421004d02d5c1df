package agree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"

	"issues-index/index/lease"
	"issues-index/index/share"
	"issues-index/store"
)

// nonce tells the leases of this clone from those of all others. A copy of the clone's folder
// is another clone, as is one that a machine of another name has.
func (a *Agreement) nonce(ctx context.Context) (string, error) {
	secret, err := a.kept.secret(ctx)
	if err != nil {
		return "", err
	}
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("find the name of this machine: %w", err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", secret, host, a.ws.Root))
	return hex.EncodeToString(sum[:16]), nil
}

// teamLease is the clone's lease of a document.
func (a *Agreement) teamLease(ctx context.Context, id, holder string) (share.TeamLease, error) {
	nonce, err := a.nonce(ctx)
	return share.TeamLease{Workspace: a.options.Workspace, Key: store.FoldID(id), Holder: holder, Nonce: nonce, Since: a.ws.Now()}, err
}

// Take takes the lease of a document for a holder, or has it last from now when the clone has
// it. Errors are *share.HeldError, *UnagreedError, and those of the file.
func (a *Agreement) Take(ctx context.Context, id, holder string, lasts time.Duration) error {
	wanted, err := a.teamLease(ctx, id, holder)
	if err != nil {
		return err
	}
	return a.ask(ctx, func(ctx context.Context, team share.Team) error {
		_, err := team.Take(ctx, wanted, lasts)
		return err
	})
}

// Renewing is for lease.Leases: it has the lease of a document last as long as the renewed
// local one keeps others away. It never takes one anew, since it is not called under the
// lock of the workspace: what is lost is marked, to be taken under it.
func (a *Agreement) Renewing(ctx context.Context, renewed lease.Lease) error {
	wanted, err := a.teamLease(ctx, renewed.ID, renewed.Holder)
	if err != nil {
		return err
	}
	err = a.ask(ctx, func(ctx context.Context, team share.Team) error {
		_, err := team.Renew(ctx, wanted, renewed.FreeFrom().Sub(a.ws.Now()))
		return err
	})
	var unagreed *UnagreedError
	switch {
	case errors.Is(err, share.ErrLost):
		return a.kept.mark(ctx)
	case errors.As(err, &unagreed) && !a.Required():
		return nil
	}
	return err
}

// Release gives the lease of a document back, if the clone has it. What is not agreed is
// marked, and no error.
func (a *Agreement) Release(ctx context.Context, id string) error {
	wanted, err := a.teamLease(ctx, id, "")
	if err != nil {
		return err
	}
	err = a.ask(ctx, func(ctx context.Context, team share.Team) error { return team.Release(ctx, wanted) })
	if unagreed := (*UnagreedError)(nil); errors.As(err, &unagreed) {
		return nil
	}
	return err
}

// Held returns the leases of the workspace that stand, by the folded ids of the documents:
// the clone's own, and those of others. Errors are *UnagreedError and those of the file.
func (a *Agreement) Held(ctx context.Context) (own, others map[string]share.TeamLease, err error) {
	nonce, err := a.nonce(ctx)
	if err != nil {
		return nil, nil, err
	}
	own, others = map[string]share.TeamLease{}, map[string]share.TeamLease{}
	err = a.ask(ctx, func(ctx context.Context, team share.Team) error {
		all, err := team.Leases(ctx, a.options.Workspace)
		for _, one := range all {
			if one.Nonce == nonce {
				own[one.Key] = one
			} else {
				others[one.Key] = one
			}
		}
		return err
	})
	return own, others, err
}

// A LostClaim is a claim of this clone on a document that another one holds by the team's
// engine: one that was made, or went on, while the engine was away.
type LostClaim struct {
	ID, Path string
	Holder   string    // in this clone
	Other    string    // who has it
	Until    time.Time // by the clock of that machine
}

// Lose keeps a lost claim until Forget.
func (a *Agreement) Lose(ctx context.Context, c LostClaim) error {
	return a.kept.exec(ctx, `INSERT OR REPLACE INTO lost_claim VALUES (?, ?, ?, ?, ?, ?)`,
		store.FoldID(c.ID), c.ID, c.Path, c.Holder, c.Other, c.Until.UnixMilli())
}

// Forget forgets a lost claim, if there is one.
func (a *Agreement) Forget(ctx context.Context, id string) error {
	if _, lost, err := a.LostClaim(ctx, id); err != nil || !lost {
		return err
	}
	return a.kept.exec(ctx, `DELETE FROM lost_claim WHERE key = ?`, store.FoldID(id))
}

// LostClaim returns the lost claim on a document.
func (a *Agreement) LostClaim(ctx context.Context, id string) (c LostClaim, lost bool, err error) {
	all, err := a.lostClaims(ctx, `key = ?`, store.FoldID(id))
	if err != nil || len(all) == 0 {
		return LostClaim{}, false, err
	}
	return all[0], true, nil
}

// LostClaims returns all lost claims.
func (a *Agreement) LostClaims(ctx context.Context) ([]LostClaim, error) {
	return a.lostClaims(ctx, `true`)
}

func (a *Agreement) lostClaims(ctx context.Context, condition string, args ...any) ([]LostClaim, error) {
	return rows(ctx, &a.kept, func(scan func(...any) error) (c LostClaim, err error) {
		var until int64
		err = scan(&c.ID, &c.Path, &c.Holder, &c.Other, &until)
		c.Until = time.UnixMilli(until).UTC()
		return c, err
	}, `SELECT id, path, holder, other, until FROM lost_claim WHERE `+condition+` ORDER BY key`, args...)
}
