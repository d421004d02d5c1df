package edit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"issues-index/index/agree"
	"issues-index/index/lease"
	"issues-index/index/share"
	"issues-index/store"
)

// Agree has agreed with the team what was claimed, given back and numbered while its engine
// was away, and what a process left behind that was killed. Claims that another clone has
// meanwhile end here; agree.Agreement has them and the numbers that others have, too. It does
// nothing without a team. Errors are *agree.UnagreedError, after which it can be done later,
// those of the files, and those of the lock.
func (w *Writer) Agree(ctx context.Context) error {
	a := w.ix.Agreement()
	if a == nil {
		return nil
	}
	mark, err := a.Unagreed(ctx)
	if err != nil {
		return err
	}
	agreed := map[string]int64{}
	for more := true; more && err == nil; {
		if more, err = w.agreePart(ctx, a, agreed); more {
			select {
			case <-time.After(lockPause):
			case <-ctx.Done():
			}
		}
	}
	if err == nil {
		err = a.Compare(ctx)
	}
	if err == nil {
		err = a.Agreed(ctx, mark)
	}
	if err != nil {
		return fmt.Errorf("agree with the team: %w", err)
	}
	return nil
}

// lockPart is how much of the time for which others wait for the lock is spent under it at a
// time, where the engine is asked for one claim after the other. lockPause lets other processes
// have it then: they look for it every few milliseconds.
const (
	lockPart  = 10
	lockPause = 50 * time.Millisecond
)

// agreePart agrees claims under the lock for as long as others can wait, and then the numbers.
// agreed are the fences of the claims that are agreed already, by the folded ids of the
// documents. more says that claims are left.
func (w *Writer) agreePart(ctx context.Context, a *agree.Agreement, agreed map[string]int64) (more bool, err error) {
	waiting, cancel := context.WithTimeout(ctx, w.wait)
	defer cancel()
	err = w.ix.Workspace().Mutate(waiting, func(*store.Mutation) (err error) {
		more, err = w.agreeClaims(ctx, a, agreed, time.Now().Add(w.wait/lockPart))
		if more || err != nil {
			return err
		}
		return a.RegisterNumbers(ctx)
	})
	return more, err
}

// agreeFirst is Agree when something is left to be agreed. What cannot be agreed now stays
// so: a change needs no team.
func (w *Writer) agreeFirst(ctx context.Context) {
	if a := w.ix.Agreement(); a != nil {
		if mark, err := a.Unagreed(ctx); err == nil && mark > 0 {
			_ = w.Agree(ctx)
		}
	}
}

// agreeClaims takes the leases of all claims that count here, until the time is over, and gives
// the others back. The caller holds the lock.
func (w *Writer) agreeClaims(ctx context.Context, a *agree.Agreement, agreed map[string]int64, until time.Time) (more bool, err error) {
	own, others, err := a.Held(ctx)
	if err != nil {
		return false, err
	}
	claims, ended, unknown, err := w.claimsHere(ctx)
	if err != nil {
		return false, err
	}
	now, taken := w.ix.Workspace().Now(), 0
	for key, one := range claims {
		if agreed[key] == one.Fence {
			continue
		}
		if taken++; taken > 1 && time.Now().After(until) {
			return true, nil
		}
		err := a.Take(ctx, one.ID, one.Holder, one.FreeFrom().Sub(now))
		if held := (*share.HeldError)(nil); errors.As(err, &held) {
			err = w.lose(ctx, one, held.Lease.Holder, held.Lease.Until)
		}
		if err != nil {
			return false, err
		}
		agreed[key] = one.Fence
	}
	for key := range own {
		if _, claimed := claims[key]; !claimed && !unknown[key] {
			if err := a.Release(ctx, key); err != nil {
				return false, err
			}
		}
	}
	for _, one := range ended {
		if other, held := others[store.FoldID(one.ID)]; held {
			err := a.Lose(ctx, agree.LostClaim{ID: one.ID, Path: one.Path, Holder: one.Holder, Other: other.Holder, Until: other.Until})
			if err != nil {
				return false, err
			}
		}
	}
	return false, w.forgetLost(ctx, a, others)
}

// claimsHere returns the leases that count and keep others away, by the folded ids of their
// documents, and those that have ended although the documents do not say so. Of those in
// unknown nobody can say, since the documents cannot be read.
func (w *Writer) claimsHere(ctx context.Context) (claims map[string]lease.Lease, ended []lease.Lease, unknown map[string]bool, err error) {
	leases, now := w.ix.Leases(), w.ix.Workspace().Now()
	all, err := leases.All(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	claims, unknown = map[string]lease.Lease{}, map[string]bool{}
	for _, one := range all {
		if one.EndedBy == "" && one.Free(now) {
			continue
		}
		switch doc, err := w.documentOf(ctx, one); {
		case err != nil:
			unknown[store.FoldID(one.ID)] = true
		case one.EndedBy != "":
			if doc != nil && doc.Assignee == one.Holder && leases.InProgress(doc.Status) {
				ended = append(ended, one)
			}
		case doc != nil && leases.Covers(one, lease.SubjectOf(doc)):
			claims[store.FoldID(one.ID)] = one
		}
	}
	return claims, ended, unknown, nil
}

// forgetLost forgets the lost claims that matter to nobody any more: the former holder has
// given the document up, or the other one has.
func (w *Writer) forgetLost(ctx context.Context, a *agree.Agreement, others map[string]share.TeamLease) error {
	lost, err := a.LostClaims(ctx)
	if err != nil {
		return err
	}
	for _, c := range lost {
		doc, err := w.documentOf(ctx, lease.Lease{Path: c.Path, ID: c.ID})
		if err != nil {
			continue // as long as it cannot be read
		}
		_, held := others[store.FoldID(c.ID)]
		if held && doc != nil && w.ix.Leases().InProgress(doc.Status) && doc.Assignee == c.Holder {
			continue
		}
		if err := a.Forget(ctx, c.ID); err != nil {
			return err
		}
	}
	return nil
}

// agreeInterval is how often KeepAgreed looks for what is left to be agreed.
const agreeInterval = time.Minute

// KeepAgreed keeps a workspace agreed with its team until the context ends: at once, after
// each time that the engine was away, and when something is left to be agreed. failed is
// called with what goes wrong, but for an engine that is away.
func (w *Writer) KeepAgreed(ctx context.Context, failed func(error)) {
	a := w.ix.Agreement()
	if a == nil {
		return
	}
	report := func(err error) {
		if unagreed := (*agree.UnagreedError)(nil); err != nil && ctx.Err() == nil && !errors.As(err, &unagreed) {
			failed(err)
		}
	}
	ticks := time.NewTicker(agreeInterval)
	defer ticks.Stop()
	again, done, err := a.Reconnected(ctx)
	if err == nil {
		defer done()
	} // else what cannot be agreed is marked, and tried again each time
	for asked := true; ; {
		mark, err := a.Unagreed(ctx)
		if err == nil && (asked || mark > 0) {
			err = w.Agree(ctx)
		}
		report(err)
		select {
		case <-again:
			asked = true
		case <-ticks.C:
			asked = false
		case <-ctx.Done():
			return
		}
	}
}
