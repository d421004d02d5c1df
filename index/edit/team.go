package edit

import (
	"context"
	"errors"

	"issues-index/index/claims"
	"issues-index/index/team/share"
	"issues-index/store"
)

// These are the steps of a change for which the team's engine is asked. Outside of a team they do
// nothing.

// An UnagreedClaimError refuses a claim for which the team's engine did not answer. Nothing was
// changed. A local claim does not ask it.
type UnagreedClaimError struct {
	ID  string
	Err *claims.UnagreedError
}

func (e *UnagreedClaimError) Error() string { return e.ID + " cannot be claimed: " + e.Err.Error() }

func (e *UnagreedClaimError) Unwrap() error { return e.Err }

// takeInTeam takes the team's lease of a document, unless the claim is local: it lasts as long as a
// local lease of that length keeps others away (claims.Lease.FreeFrom). The caller holds the lock.
// Errors are *ClaimError, *UnagreedClaimError, and those of the leases' file.
func (w *Writer) takeInTeam(ctx context.Context, doc *store.Document, r ClaimRequest) error {
	a := w.ix.Agreement()
	if a == nil || r.Local {
		return nil
	}
	now := w.ix.Workspace().Now()
	lasts := claims.Lease{Expires: now.Add(r.Length), Length: r.Length}.FreeFrom().Sub(now)
	err := a.Acquire(ctx, doc.ID, r.Holder, lasts)
	var held *share.HeldError
	var unagreed *claims.UnagreedError
	switch {
	case errors.As(err, &held):
		return &ClaimError{
			ID: doc.ID, Path: doc.Path, Reason: ClaimHeld, Status: doc.CountedStatus(),
			Holder: held.Lease.Holder, Until: held.Lease.Until, Elsewhere: true,
		}
	case errors.As(err, &unagreed):
		return &UnagreedClaimError{doc.ID, unagreed}
	}
	return err
}

// endInTeam gives back the team's lease of a document, unless a lease of this clone keeps others away.
// What cannot be given back ends by its time. The caller holds the lock.
func (w *Writer) endInTeam(ctx context.Context, id string) error {
	a := w.ix.Agreement()
	if a == nil {
		return nil
	}
	claimed, err := w.ix.Leases().Claimed(ctx, id)
	if err != nil || claimed {
		return err
	}
	return a.Release(ctx, id)
}

// teamNumbers gives new ids the numbers of the team's counter, and without an answer the next ones
// of this clone: it is nil outside of a team. An engine that has not answered is not asked for the
// next number of the same change, which would take as long again.
func (w *Writer) teamNumbers(ctx context.Context) func(series string, next int) (number int, note string, err error) {
	a := w.ix.Agreement()
	if a == nil {
		return nil
	}
	away := false
	return func(series string, next int) (int, string, error) {
		if away {
			return next, "", nil
		}
		number, err := a.Number(ctx, series, next)
		var unagreed *claims.UnagreedError
		if !errors.As(err, &unagreed) {
			return number, "", err
		}
		away = true
		return next, "new numbers are " + unagreed.Error() + ", and other machines may give them out", nil
	}
}
