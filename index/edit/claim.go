package edit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"issues-index/index"
	"issues-index/index/lease"
	"issues-index/store"
	"issues-index/store/layout"
)

// A ClaimRequest says for whom to claim a document, and for how long.
type ClaimRequest struct {
	Holder string        // as lease.HolderName makes it
	Length time.Duration // 0 is that of the lease so far, else lease.DefaultLength
	// Session is the holder's, or that of whom the holder is an agent; the zero one is of who
	// has none.
	Session lease.HolderSession

	meantFor string // may be the assignee of an open document, too
}

func (r ClaimRequest) length(former time.Duration) time.Duration {
	switch {
	case r.Length > 0:
		return r.Length
	case former > 0:
		return former
	}
	return lease.DefaultLength
}

// A Claimed is a document that somebody works on from now on.
type Claimed struct {
	Applied
	Lease lease.Lease
	// Again is set when the holder had the document already.
	Again bool
	// Former is who held it before and let the lease lapse, "" for nobody.
	Former string
	// NotReady is why Claim's document would not have been among the ready ones, though it
	// was claimed. What Next claims was.
	NotReady []index.NotReady
}

// A ClaimReason says why somebody cannot claim, renew or release a document.
type ClaimReason string

// The reasons.
const (
	ClaimHeld     ClaimReason = "held"     // by another, whose lease is live
	ClaimLapsed   ClaimReason = "lapsed"   // another's lease has lapsed too short a time ago
	ClaimUnleased ClaimReason = "unleased" // in progress, but not by a claim
	ClaimAssigned ClaimReason = "assigned" // open, and meant for another
	ClaimFinished ClaimReason = "finished" // neither open nor in progress
	ClaimNone     ClaimReason = "none"     // nobody holds it
	ClaimOutdated ClaimReason = "outdated" // the caller's fence is not the latest
	ClaimNoStatus ClaimReason = "nostatus" // the workspace has no status for work that was begun
)

// A ClaimError refuses to claim, renew or release a document. Nothing was changed.
type ClaimError struct {
	ID, Path string
	Reason   ClaimReason
	Status   string
	Holder   string    // who holds it, or is its assignee; "" for nobody
	Until    time.Time // when the lease of Holder ends, or from when on others may take it
	Fence    int64     // the latest
	// Elsewhere is set when Holder is one of another clone, as the team's engine says.
	Elsewhere bool
	// EndedBy is who else has ended the claim of the one who asks, "" for nobody that is
	// known, and Ended when.
	EndedBy string
	Ended   time.Time
}

func (e *ClaimError) Error() string {
	return fmt.Sprintf("%s cannot be claimed: %s (%s)", e.ID, e.Reason, e.Holder)
}

// claimError describes a document that somebody else has to do with.
func claimError(doc *store.Document, reason ClaimReason, held lease.Lease, until time.Time) *ClaimError {
	return &ClaimError{ID: doc.ID, Path: doc.Path, Reason: reason, Status: doc.CountedStatus(), Holder: doc.Assignee, Until: until, Fence: held.Fence}
}

// Claim gives a document to a holder: sets it in progress and assigns it. To claim again
// what one holds renews the lease. Errors are *ClaimError, *lease.UnusableError and Update's.
func (w *Writer) Claim(ctx context.Context, ref DocumentRef, r ClaimRequest) (Claimed, error) {
	var done Claimed
	err := w.mutateNamed(ctx, ref, func(m *store.Mutation, row index.Row) (err error) {
		done, err = w.claimAt(ctx, m, row, ref.IfVersion, r)
		return err
	})
	if err != nil {
		return Claimed{}, err
	}
	done.Behind, done.Unrenewed = w.refresh(ctx, done.Written), w.signOfLife(ctx, done.After)
	if links, err := w.ix.Links(ctx, done.Path); err == nil { // else the claim stands without a note
		done.NotReady = links.StatusAside()
	}
	return done, nil
}

// mutateNamed runs a mutation on the document that an id names, with Update's errors.
func (w *Writer) mutateNamed(ctx context.Context, ref DocumentRef, do func(m *store.Mutation, row index.Row) error) error {
	w.agreeFirst(ctx)
	row, err := w.ix.Get(ctx, ref.ID)
	if err != nil {
		return err
	}
	return w.attempt(ctx, ref.ID, row, nil, func(row index.Row) error {
		waiting, cancel := context.WithTimeout(ctx, w.wait)
		defer cancel()
		return w.ix.Workspace().Mutate(waiting, func(m *store.Mutation) error { return do(m, row) })
	})
}

// claimAt claims the document at a path for a holder, under the lock. The lease comes
// first: should the process end between the two, a lease of a document that is open, or
// somebody else's, does not count, and the former one still does.
func (w *Writer) claimAt(ctx context.Context, m *store.Mutation, row index.Row, version string, r ClaimRequest) (done Claimed, err error) {
	var former lease.Lease
	var taken *teamClaim
	leases := w.ix.Leases()
	done.Written, err = m.Update(row.Path, func(doc *store.Document) (store.Fields, error) {
		if doc.ID != row.ID {
			return store.Fields{}, errAnother
		}
		if err := doc.CheckVersion(version); err != nil {
			return store.Fields{}, err
		}
		held, covered, err := leases.OfDocument(ctx, doc)
		if err != nil {
			return store.Fields{}, err
		}
		now := w.ix.Workspace().Now()
		if covered && held.Holder == r.Holder {
			done.Again = true
			length := r.length(held.Length)
			if taken, err = w.takeAgain(ctx, doc, held, length); err == nil {
				done.Lease, err = leases.Extend(ctx, held, length, now)
			}
			return store.Fields{}, err
		}
		if err := w.checkMapped(ctx, doc.Collection); err != nil {
			return store.Fields{}, err
		}
		if err := r.check(doc, leases.StatusClaimed() == "", held, covered, now); err != nil {
			return store.Fields{}, err
		}
		if former = held; covered {
			done.Former = held.Holder
		}
		if taken, err = w.take(ctx, doc, r.Holder, r.length(0)); err != nil {
			return store.Fields{}, err
		}
		if err := leases.Register(ctx, r.Session); err != nil {
			return store.Fields{}, err
		}
		if done.Lease, err = leases.Grant(ctx, doc, r.Holder, r.length(0), now); err != nil {
			return store.Fields{}, err
		}
		status := leases.StatusClaimed()
		if leases.InProgress(doc.Status) {
			status = doc.Status
		}
		return store.Fields{Status: &status, Assignee: &r.Holder, At: now}, nil
	})
	if err != nil {
		if done.Lease.Fence > 0 && !done.Again {
			err = errors.Join(err, leases.Drop(ctx, done.Lease))
		}
		if taken != nil && !done.Again {
			err = errors.Join(err, w.giveBack(ctx, row.ID))
		}
		return Claimed{}, err
	}
	done.Note = taken.addTo(done.Note)
	if done.Former != "" {
		err = leases.Take(ctx, former, r.Holder)
	}
	return done, err
}

// check is a *ClaimError for a document that the holder cannot take. noStatus says that the
// workspace has no status for what is claimed.
func (r ClaimRequest) check(doc *store.Document, noStatus bool, held lease.Lease, covered bool, now time.Time) error {
	switch category := doc.Category(); {
	case category == layout.Open && doc.Assignee != "" && doc.Assignee != r.Holder && doc.Assignee != r.meantFor:
		return claimError(doc, ClaimAssigned, held, time.Time{})
	case category == layout.Open && noStatus:
		return claimError(doc, ClaimNoStatus, held, time.Time{})
	case category == layout.Open:
		return nil
	case category != layout.Active:
		return claimError(doc, ClaimFinished, held, time.Time{})
	case !covered && doc.Assignee == r.Holder: // its lease was lost with the file of the leases
		return nil
	case !covered:
		return claimError(doc, ClaimUnleased, held, time.Time{})
	case held.Live(now):
		return claimError(doc, ClaimHeld, held, held.Expires)
	case !held.Free(now):
		return claimError(doc, ClaimLapsed, held, held.FreeFrom())
	}
	return nil
}

// Renew makes a holder's lease begin anew. With a fence, the lease must be that of this
// grant. Errors are Claim's.
func (w *Writer) Renew(ctx context.Context, ref DocumentRef, r ClaimRequest, fence int64) (Claimed, error) {
	var done Claimed
	err := w.mutateNamed(ctx, ref, func(m *store.Mutation, row index.Row) error {
		doc, held, err := w.ownLease(ctx, row, ref.IfVersion, r.Holder, fence)
		if err != nil {
			return err
		}
		length := r.length(held.Length)
		taken, err := w.takeAgain(ctx, doc, held, length)
		if err != nil {
			return err
		}
		done = Claimed{Applied: Applied{Written: store.Written{Before: doc, After: doc, Path: doc.Path, OldPath: doc.Path, Note: taken.addTo("")}}, Again: true}
		done.Lease, err = w.ix.Leases().Extend(ctx, held, length, w.ix.Workspace().Now())
		return err
	})
	return done, err
}

// ownLease reads a document and its lease, which must be the holder's.
func (w *Writer) ownLease(ctx context.Context, row index.Row, version, holder string, fence int64) (*store.Document, lease.Lease, error) {
	doc, _, err := w.ix.Workspace().Load(row.Path)
	if err == nil && doc.ID != row.ID {
		err = errAnother
	}
	if err == nil {
		err = doc.CheckVersion(version)
	}
	if err != nil {
		return nil, lease.Lease{}, err
	}
	held, covered, err := w.ix.Leases().OfDocument(ctx, doc)
	switch {
	case err != nil:
		return nil, lease.Lease{}, err
	case covered && held.Holder != holder:
		err = w.lost(ctx, claimError(doc, ClaimHeld, held, held.Expires), holder)
	case covered && fence != 0 && fence != held.Fence:
		err = claimError(doc, ClaimOutdated, held, held.Expires)
	case covered:
	case w.ix.Leases().InProgress(doc.Status) && doc.Assignee != holder:
		err = w.lost(ctx, claimError(doc, ClaimUnleased, held, time.Time{}), holder)
	case doc.Category().Finished():
		err = w.lost(ctx, claimError(doc, ClaimFinished, held, time.Time{}), holder)
	default:
		err = w.lost(ctx, claimError(doc, ClaimNone, held, time.Time{}), holder)
	}
	return doc, held, err
}

// lost adds to the refusal of a claim who has ended the one that the holder had, as far as
// that is known.
func (w *Writer) lost(ctx context.Context, refused *ClaimError, holder string) *ClaimError {
	if one, found, err := w.ix.Leases().EndedOf(ctx, holder, refused.ID); err == nil && found {
		refused.EndedBy, refused.Ended = one.EndedBy, one.Ended
	}
	return refused
}

// A Released is a document that its holder has given back, or has no longer.
type Released struct {
	Applied
	// Lost is how the holder's claim ended before, nil when that is not known.
	Lost *lease.Lease
}

// Release gives a document back: it is open again and assigned to nobody. reason, if any,
// is added to its text. What is not in progress has been released already, and stays as it
// is. Errors are Claim's.
func (w *Writer) Release(ctx context.Context, ref DocumentRef, holder string, fence int64, reason string) (done Released, err error) {
	leases := w.ix.Leases()
	err = w.mutateNamed(ctx, ref, func(m *store.Mutation, row index.Row) error {
		var held lease.Lease
		done.Written, err = m.Update(row.Path, func(doc *store.Document) (store.Fields, error) {
			if doc.ID != row.ID {
				return store.Fields{}, errAnother
			}
			if err := doc.CheckVersion(ref.IfVersion); err != nil || !leases.InProgress(doc.Status) {
				return store.Fields{}, err
			}
			var covered bool
			var err error
			held, covered, err = leases.OfDocument(ctx, doc)
			switch {
			case err != nil:
				return store.Fields{}, err
			case doc.Assignee != holder && covered:
				return store.Fields{}, w.lost(ctx, claimError(doc, ClaimHeld, held, held.Expires), holder)
			case doc.Assignee != holder:
				return store.Fields{}, w.lost(ctx, claimError(doc, ClaimUnleased, held, time.Time{}), holder)
			case covered && fence != 0 && fence != held.Fence:
				return store.Fields{}, claimError(doc, ClaimOutdated, held, held.Expires)
			}
			open, nobody := w.ix.Workspace().Layout.DefaultStatus(), ""
			f := store.Fields{Status: &open, Assignee: &nobody, At: w.ix.Workspace().Now()}
			if reason != "" {
				f.Append = "**Released (" + noteTime(f.At) + noteEnd + unixLines(reason)
			}
			return f, nil
		})
		if err == nil && held.Fence > 0 {
			err = errors.Join(leases.Drop(ctx, held), w.giveBack(ctx, held.ID))
		}
		return err
	})
	if err != nil {
		return Released{}, err
	}
	if !done.Changed {
		if one, found, err := leases.EndedOf(ctx, holder, done.After.ID); err == nil && found {
			done.Lost = &one
		}
	}
	done.Behind, done.Unrenewed = w.refresh(ctx, done.Written), w.signOfLife(ctx, done.After)
	return done, nil
}
