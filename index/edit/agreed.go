package edit

import (
	"context"
	"errors"
	"time"

	"issues-index/index/agree"
	"issues-index/index/lease"
	"issues-index/index/share"
	"issues-index/store"
)

// These are the steps of a change that are agreed with the team. Without an agreement they
// do nothing.

// A teamClaim is a claim that was agreed, or the reason why it could not be.
type teamClaim struct{ unagreed *agree.UnagreedError }

// addTo adds to a note that the claim is not agreed. A nil claim adds nothing.
func (c *teamClaim) addTo(note string) string {
	if c == nil || c.unagreed == nil {
		return note
	}
	if note != "" {
		note += "; "
	}
	return note + "the claim is " + c.unagreed.Error() + ", and another machine may have the document"
}

// An UnagreedClaimError refuses a claim that cannot be agreed with the team, which is needed
// here. Nothing was changed.
type UnagreedClaimError struct {
	ID  string
	Err *agree.UnagreedError
}

func (e *UnagreedClaimError) Error() string { return e.ID + " cannot be claimed: " + e.Err.Error() }

func (e *UnagreedClaimError) Unwrap() error { return e.Err }

// take takes the team's lease of a document for a holder: it lasts until the local one, of
// this length from now on, is free. It is nil without a team. Errors are *ClaimError, *UnagreedClaimError, and those of
// the agreement's file.
func (w *Writer) take(ctx context.Context, doc *store.Document, holder string, length time.Duration) (*teamClaim, error) {
	a := w.ix.Agreement()
	if a == nil {
		return nil, nil
	}
	now := w.ix.Workspace().Now()
	local := lease.Lease{Expires: now.Add(length), Length: length}
	err := a.Take(ctx, doc.ID, holder, local.FreeFrom().Sub(now))
	var held *share.HeldError
	var unagreed *agree.UnagreedError
	switch {
	case errors.As(err, &held):
		return nil, heldElsewhere(doc, held.Lease)
	case errors.As(err, &unagreed) && a.Required():
		return nil, &UnagreedClaimError{doc.ID, unagreed}
	case errors.As(err, &unagreed):
		return &teamClaim{unagreed}, nil
	case err != nil:
		return nil, err
	}
	return &teamClaim{}, a.Forget(ctx, doc.ID)
}

// heldElsewhere describes a document that another clone has.
func heldElsewhere(doc *store.Document, by share.TeamLease) *ClaimError {
	return &ClaimError{ID: doc.ID, Path: doc.Path, Reason: ClaimHeld, Status: doc.CountedStatus(), Holder: by.Holder, Until: by.Until, Elsewhere: true}
}

// takeAgain is take for whoever has the document. What another clone has meanwhile is lost
// as if it had been taken over here.
func (w *Writer) takeAgain(ctx context.Context, doc *store.Document, held lease.Lease, length time.Duration) (*teamClaim, error) {
	taken, err := w.take(ctx, doc, held.Holder, length)
	var elsewhere *ClaimError
	if errors.As(err, &elsewhere) {
		if err := w.lose(ctx, held, elsewhere.Holder, elsewhere.Until); err != nil {
			return nil, err
		}
		return nil, w.lost(ctx, elsewhere, held.Holder)
	}
	return taken, err
}

// lose ends a lease whose document another clone has.
func (w *Writer) lose(ctx context.Context, held lease.Lease, other string, until time.Time) error {
	err := w.ix.Agreement().Lose(ctx, agree.LostClaim{ID: held.ID, Path: held.Path, Holder: held.Holder, Other: other, Until: until})
	return errors.Join(err, w.ix.Leases().Take(ctx, held, other))
}

// giveBack gives the team's lease of a document back.
func (w *Writer) giveBack(ctx context.Context, id string) error {
	if a := w.ix.Agreement(); a != nil {
		return a.Release(ctx, id)
	}
	return nil
}

// claimElsewhere is the claim of another clone on a document that was changed, if one of
// this clone was lost to it.
func (w *Writer) claimElsewhere(ctx context.Context, doc *store.Document) *OthersClaim {
	a := w.ix.Agreement()
	if a == nil {
		return nil
	}
	c, lost, err := a.LostClaim(ctx, doc.ID)
	if err != nil || !lost { // the change is made, and check names the claim
		return nil
	}
	return &OthersClaim{Lease: lease.Lease{Path: doc.Path, ID: doc.ID, Holder: c.Other, Expires: c.Until}}
}

// An askedNumbers has the numbers of new ids agreed.
type askedNumbers struct {
	agreement *agree.Agreement
	unagreed  *agree.UnagreedError // why those in kept were not
	kept      []store.IDNumber
}

// hook is for the options of store: nil without an agreement. Once the engine has not answered,
// it is not asked for the next number: each would wait as long.
func (s *askedNumbers) hook(ctx context.Context) func(series string, next int) (number int, note string, err error) {
	if s.agreement == nil {
		return nil
	}
	return func(series string, next int) (int, string, error) {
		number := next
		var err error
		if s.unagreed == nil {
			number, err = s.agreement.Number(ctx, series, next)
		} else if err = s.agreement.Keep(ctx, series, next); err == nil {
			err = s.unagreed
		}
		if errors.As(err, &s.unagreed) {
			s.kept = append(s.kept, store.IDNumber{Series: series, Number: number})
			return number, "", nil
		}
		return number, "", err
	}
}

// addTo adds to a note that numbers are not agreed.
func (s *askedNumbers) addTo(note string) string {
	if s.unagreed == nil {
		return note
	}
	if note != "" {
		note += "; "
	}
	if len(s.kept) > 1 {
		return note + "the new numbers are " + s.unagreed.Error() + ", and other machines may give them out"
	}
	return note + "its number is " + s.unagreed.Error() + ", and another machine may give it out"
}

// made keeps which documents got the numbers that were not agreed.
func (s *askedNumbers) made(ctx context.Context, path func(store.IDNumber) string) {
	for _, n := range s.kept {
		// Without the path the document is found by its number.
		_ = s.agreement.Numbered(context.WithoutCancel(ctx), n.Series, n.Number, path(n))
	}
}
