package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/store"
	"issues-index/store/layout"
	"issues-index/store/words"
)

// A ClaimRequest says for which holder to claim a document, and for how long.
type ClaimRequest struct {
	Holder string        // as claims.HolderName makes it
	Length time.Duration // 0 is that of the lease so far, else claims.DefaultLength
	// Local says that in a team the claim binds this clone alone: the team's engine is not asked.
	Local bool
	// Session is the holder's, or that whose agent the holder is; the zero one is none.
	Session claims.HolderSession

	meantFor string // may be the assignee of an open document, too
	renews   bool   // only what the holder has is claimed
	fence    int64  // that the holder's lease has, 0 for any
}

// A Claimed is a document that its holder works on from now on.
type Claimed struct {
	Applied
	Lease claims.Lease
	// Again is set when the holder had the document already.
	Again bool
	// Former is the holder who let the lease before lapse, "" for none.
	Former string
	// NotReady is why Claim's document would not have been among the ready ones, though it
	// was claimed. What Next claims was.
	NotReady []index.NotReady
}

// A ClaimReason says why a holder cannot claim, renew or release a document.
type ClaimReason string

// The reasons.
const (
	ClaimHeld     ClaimReason = "held"     // by another, whose lease is live
	ClaimLapsed   ClaimReason = "lapsed"   // another's lease has lapsed too short a time ago
	ClaimUnleased ClaimReason = "unleased" // in progress, but not by a claim
	ClaimAssigned ClaimReason = "assigned" // open, and meant for another
	ClaimFinished ClaimReason = "finished" // neither open nor in progress
	ClaimNone     ClaimReason = "none"     // it has no holder
	ClaimOutdated ClaimReason = "outdated" // the caller's fence is not the latest
	ClaimNoStatus ClaimReason = "nostatus" // the workspace has no status for work that was begun
)

// A ClaimError refuses to claim, renew or release a document. Nothing was changed.
type ClaimError struct {
	ID, Path string
	Reason   ClaimReason
	Status   string
	Holder   string    // the holder, or the assignee; "" for none
	Until    time.Time // when the lease of Holder ends, or from when on others may take it
	Fence    int64     // the latest
	// Elsewhere is set when Holder is one of another clone, as the team's engine says.
	Elsewhere bool
	// EndedBy is which other holder has ended the claim of the holder who asks, "" where that is
	// not known, and Ended when.
	EndedBy string
	Ended   time.Time
}

func (e *ClaimError) Error() string {
	return fmt.Sprintf("%s cannot be claimed: %s (%s)", e.ID, e.Reason, e.Holder)
}

// claimError refuses a document for a reason. held covers it, nil for none.
func claimError(doc *store.Document, reason ClaimReason, held *claims.Lease, until time.Time) *ClaimError {
	e := &ClaimError{
		ID: doc.ID, Path: doc.Path, Reason: reason, Status: doc.CountedStatus(), Holder: doc.Assignee, Until: until,
	}
	if held != nil {
		e.Fence = held.Fence
	}
	return e
}

// Claim gives a document to a holder: sets it in progress and assigns it. To claim again
// what one holds renews the lease. Errors are *ClaimError, *UnagreedClaimError,
// *claims.UnusableError and Update's.
func (w *Writer) Claim(ctx context.Context, ref DocumentRef, r ClaimRequest) (done Claimed, err error) {
	err = w.mutateNamed(ctx, ref, func(m *store.Mutation, row index.Row) (err error) {
		done, err = w.claimAt(ctx, m, row, ref.IfVersion, r)
		return err
	})
	if err != nil || r.renews && !done.Changed {
		return done, err
	}
	w.finish(ctx, &done.Applied)
	if links, err := w.ix.Links(ctx, done.Path); err == nil { // else the claim stands without a note
		done.NotReady = links.StatusAside()
	}
	return done, nil
}

// Renew makes a holder's lease begin anew. With a fence, the lease must be that of this
// grant. Errors are Claim's.
func (w *Writer) Renew(ctx context.Context, ref DocumentRef, r ClaimRequest, fence int64) (Claimed, error) {
	r.renews, r.fence = true, fence
	return w.Claim(ctx, ref, r)
}

// mutateNamed runs a mutation on the document that an id names, with Update's errors.
func (w *Writer) mutateNamed(
	ctx context.Context, ref DocumentRef, do func(m *store.Mutation, row index.Row) error,
) error {
	return w.named(ctx, ref, func(row index.Row) error {
		waiting, cancel := context.WithTimeout(ctx, w.wait)
		defer cancel()
		return w.ix.Workspace().Mutate(waiting, func(m *store.Mutation) error { return do(m, row) })
	})
}

// claimAt claims the document in a row for a holder, under the lock. The lease is written before the
// file. If the process ends between the two, the new lease does not count: the document is still
// open, or still assigned to the former holder, whose lease goes on.
func (w *Writer) claimAt(
	ctx context.Context, m *store.Mutation, row index.Row, version string, r ClaimRequest,
) (done Claimed, err error) {
	leases, now := w.ix.Leases(), w.ix.Workspace().Now()
	var former *claims.Lease
	taken := false // at the team's engine, by this claim
	r.Local = r.Local && leases.InTeam()
	done.Written, err = m.Update(row.Path, func(doc *store.Document) (none store.Fields, err error) {
		if err := checkDocument(doc, row, version); err != nil {
			return none, err
		}
		r := r // the change may be decided a second time
		held, err := leases.OfDocument(ctx, doc)
		if err != nil {
			return none, err
		}
		if r.renews || held != nil && held.Holder == r.Holder {
			if err := w.checkHolder(ctx, doc, held, r.Holder, r.fence); err != nil {
				return none, err
			}
			r.Length = cmp.Or(r.Length, held.Length)
			if err := w.takeInTeam(ctx, doc, r); err != nil {
				return none, err
			}
			done.Again = true
			done.Lease, err = leases.Extend(ctx, *held, r.Length, r.Local, now)
			return none, err
		}
		if err := w.checkMapped(ctx, doc.Collection); err != nil {
			return none, err
		}
		if err := r.check(doc, leases.StatusClaimed() == "", held, now); err != nil {
			return none, err
		}
		former, r.Length = held, cmp.Or(r.Length, claims.DefaultLength)
		if err := w.takeInTeam(ctx, doc, r); err != nil {
			return none, err
		}
		taken = !r.Local
		if err := leases.Register(ctx, r.Session); err != nil {
			return none, err
		}
		if done.Lease, err = leases.Grant(ctx, doc, r.Holder, r.Length, r.Local, now); err != nil {
			return none, err
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
		if taken {
			_ = leases.EndInTeam(ctx, row.ID) // else it ends by its time
		}
		return Claimed{}, err
	}
	if done.Lease.Local {
		const local = "the claim binds this clone alone, and another machine may claim the document, too"
		done.Note = words.Notes(done.Note, local)
	}
	if former != nil {
		done.Former = former.Holder
		err = leases.MarkEnded(ctx, *former, r.Holder, claims.Subject{Assignee: r.Holder})
	}
	return done, err
}

// check is a *ClaimError for a document that the holder cannot take. noStatus says that the
// workspace has no status for what is claimed.
func (r ClaimRequest) check(doc *store.Document, noStatus bool, held *claims.Lease, now time.Time) error {
	var reason ClaimReason
	var until time.Time
	switch category := doc.Category(); {
	case category == layout.Open && doc.Assignee != "" && doc.Assignee != r.Holder && doc.Assignee != r.meantFor:
		reason = ClaimAssigned
	case category == layout.Open && noStatus:
		reason = ClaimNoStatus
	case category == layout.Open:
		return nil
	case category != layout.Active:
		reason = ClaimFinished
	case held == nil && doc.Assignee == r.Holder: // its lease was lost with the file of the leases
		return nil
	case held == nil:
		reason = ClaimUnleased
	case held.Live(now):
		reason, until = ClaimHeld, held.Expires
	case !held.Free(now):
		reason, until = ClaimLapsed, held.FreeFrom()
	default:
		return nil
	}
	return claimError(doc, reason, held, until)
}

// checkHolder is a *ClaimError for a document whose lease, nil for none, is not the holder's, or is
// of another grant. It says who has ended the lease that the holder had, as far as that is known.
func (w *Writer) checkHolder(
	ctx context.Context, doc *store.Document, held *claims.Lease, holder string, fence int64,
) error {
	own := held != nil && held.Holder == holder
	reason, until := ClaimNone, time.Time{}
	switch category := doc.Category(); {
	case own && (fence == 0 || fence == held.Fence):
		return nil
	case own:
		return claimError(doc, ClaimOutdated, held, held.Expires)
	case held != nil:
		reason, until = ClaimHeld, held.Expires
	case category == layout.Active && doc.Assignee != holder:
		reason = ClaimUnleased
	case category.Finished():
		reason = ClaimFinished
	}
	refused := claimError(doc, reason, held, until)
	if one, err := w.ix.Leases().EndedOf(ctx, holder, refused.ID); err == nil && one != nil {
		refused.EndedBy, refused.Ended = one.EndedBy, one.Ended
	}
	return refused
}

// A Released is a document that its holder has given back, or has no longer.
type Released struct {
	Applied
	// Lost is how the holder's claim ended before, nil when that is not known.
	Lost *claims.Lease
}

// Release gives a document back: it is open again and has no assignee. reason, if any,
// is added to its text. What is not in progress has been released already, and stays as it
// is; the team's lease is given back all the same, which a claim that was killed may have left.
// Errors are Claim's.
func (w *Writer) Release(
	ctx context.Context, ref DocumentRef, holder string, fence int64, reason string,
) (done Released, err error) {
	leases := w.ix.Leases()
	err = w.mutateNamed(ctx, ref, func(m *store.Mutation, row index.Row) error {
		var held *claims.Lease
		done.Written, err = m.Update(row.Path, func(doc *store.Document) (f store.Fields, err error) {
			if err := checkDocument(doc, row, ref.IfVersion); err != nil || !leases.InProgress(doc.Status) {
				return f, err
			}
			if held, err = leases.OfDocument(ctx, doc); err != nil {
				return f, err
			}
			if held != nil || doc.Assignee != holder {
				if err := w.checkHolder(ctx, doc, held, holder, fence); err != nil {
					return f, err
				}
			}
			f = store.Fields{Status: new(w.ix.Workspace().Layout.DefaultStatus()), Assignee: new(""), At: w.ix.Workspace().Now()}
			if reason != "" {
				f.Append = "**Released (" + noteTime(f.At) + noteEnd + unixLines(reason)
			}
			return f, nil
		})
		if err != nil {
			return err
		}
		if held != nil {
			err = leases.Drop(ctx, *held)
		}
		// A claim that is local now may have been agreed before.
		if leases.EndInTeam(ctx, row.ID) != nil && held != nil && !held.Local {
			done.Note = words.Notes(done.Note, "the team's engine could not be told: "+
				"other machines can claim it when the claim has lapsed, or when it is released again")
		}
		return err
	})
	if err != nil {
		return Released{}, err
	}
	if !done.Changed {
		done.Lost, _ = leases.EndedOf(ctx, holder, done.After.ID)
	}
	w.finish(ctx, &done.Applied)
	return done, nil
}
