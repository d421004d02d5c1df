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

// takeInTeam takes the team's lease of a document, unless the claim is local. The caller holds the
// lock. Errors are *ClaimError, *UnagreedClaimError, and those of the leases' file.
func (w *Writer) takeInTeam(ctx context.Context, doc *store.Document, r ClaimRequest) error {
	if r.Local {
		return nil
	}
	err := w.ix.Leases().TakeInTeam(ctx, doc.ID, r.Holder, r.Length)
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

// teamNumbers gives new ids the numbers of the team's counter, and without an answer the next ones
// of this clone: it is nil outside of a team. An engine that has not answered is not asked for the
// next number of the same change, which would take as long again.
func (w *Writer) teamNumbers(ctx context.Context) store.NumberSource {
	leases := w.ix.Leases()
	if !leases.InTeam() {
		return nil
	}
	away := false
	return func(series string, next int) (int, string, error) {
		if away {
			return next, "", nil
		}
		number, err := leases.TeamNumber(ctx, series, next)
		var unagreed *claims.UnagreedError
		if !errors.As(err, &unagreed) {
			return number, "", err
		}
		away = true
		return next, "new numbers are " + unagreed.Error() + ", and other machines may give them out", nil
	}
}
