package edit

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"issues-index/index/claims"
	"issues-index/index/sqlfile"
	"issues-index/store"
	"issues-index/store/storetest"
)

// setStatus is a change of the status, and of the assignee unless that is "".
func setStatus(status, assignee string) Change {
	return func(*store.Document) (store.Fields, error) {
		f := store.Fields{Status: &status}
		if assignee != "" {
			f.Assignee = &assignee
		}
		return f, nil
	}
}

// A live claim forbids nobody to write, but whoever writes learns of it, and its holder of
// what has ended it.
func TestAWriteBySomebodyElse(t *testing.T) {
	update := func(change Change) func(b claimBench, ctx context.Context) (*OthersClaim, error) {
		return func(b claimBench, ctx context.Context) (*OthersClaim, error) {
			done, err := b.Update(ctx, DocumentRef{ID: one}, change)
			return done.Claim, err
		}
	}
	for name, c := range storetest.Few(map[string]struct {
		write            func(b claimBench, ctx context.Context) (*OthersClaim, error)
		over             bool
		status, assignee string // that the holder is told
	}{
		"another field": {update(urgent), false, "", ""},
		"the text": {func(b claimBench, ctx context.Context) (*OthersClaim, error) {
			base := []byte(b.read(b.t, issuePath(one)))
			done, err := b.Replace(ctx, DocumentRef{ID: one}, base, append(bytes.Clone(base), "More.\n"...))
			return done.Claim, err
		}, false, "", ""},
		"it is completed": {func(b claimBench, ctx context.Context) (*OthersClaim, error) {
			done, err := b.Complete(ctx, DocumentRef{ID: one}, "")
			return done.Claim, err
		}, true, "closed", "anna"},
		"it is opened":   {update(setStatus("open", "")), true, "open", "anna"},
		"it is assigned": {update(setStatus("in_progress", "cleo")), true, "in_progress", "cleo"},
		"it is deleted": {func(b claimBench, ctx context.Context) (*OthersClaim, error) {
			gone, err := b.Delete(ctx, DocumentRef{ID: one})
			return gone.Claim, err
		}, true, "", ""},
	}, 3) {
		t.Run(name, func(t *testing.T) {
			b := newClaims(t, one)
			held := b.mustClaim("anna", one).Lease
			b.pass(time.Hour)
			claim, err := c.write(b, As(t.Context(), "ben"))
			if err != nil || claim == nil || claim.Holder != "anna" || !claim.Expires.Equal(held.Expires) || claim.Over != c.over {
				t.Fatalf("the writer learns %+v, %v", claim, err)
			}
			for call, want := range []int{1, 0} {
				lost, err := b.told("anna")
				if !c.over {
					want = 0
				}
				if err != nil || len(lost.Ended) != want || len(lost.Lapsed) > 0 {
					t.Fatalf("call %d: the holder is told %+v, %v", call, lost, err)
				}
				for _, end := range lost.Ended {
					if end.EndedBy != "ben" || !end.Ended.Equal(*b.clock) || end.Status != c.status || end.Assignee != c.assignee || end.TakenOver() {
						t.Errorf("the holder is told %+v", end)
					}
				}
			}
			if _, err := b.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, 0); (err == nil) == c.over {
				t.Errorf("renew: %v", err)
			}
		})
		t.Run(name+", by the holder", func(t *testing.T) {
			for _, holder := range []string{"anna/s1", "anna"} { // whose agent may have claimed it
				b := newClaims(t, one)
				b.mustClaim("anna/s1", one)
				if claim, err := c.write(b, As(t.Context(), holder)); err != nil || claim != nil {
					t.Errorf("%s learns %+v, %v", holder, claim, err)
				}
				if lost, err := b.told("anna/s1"); err != nil || len(lost.Ended) > 0 {
					t.Errorf("told %+v, %v", lost, err)
				}
			}
		})
		t.Run(name+", after the claim has lapsed", func(t *testing.T) {
			b := newClaims(t, one)
			b.mustClaim("anna", one)
			b.pass(5 * time.Hour)
			if claim, err := c.write(b, As(t.Context(), "ben")); err != nil || claim != nil {
				t.Errorf("the writer learns %+v, %v", claim, err)
			}
			if lost, err := b.told("anna"); err != nil || (len(lost.Ended) == 1) != c.over {
				t.Errorf("the holder is told %+v, %v", lost, err)
			}
		})
	}
}

// Between the end of a change and that of the lease, the lock is free for others.
func TestAClaimThatIsTakenUpAgainBeforeItsLeaseHasEnded(t *testing.T) {
	b := newClaims(t, one)
	held := b.mustClaim("anna", one).Lease
	row, err := b.ix.Get(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	set := func(begin func(*store.Document) error, change Change) (store.Written, error) {
		return b.ix.Workspace().Update(t.Context(), row.Path, func(doc *store.Document) (f store.Fields, err error) {
			if err = begin(doc); err == nil {
				f, err = change(doc)
			}
			return f, err
		})
	}
	_, err = b.underLock(As(t.Context(), "anna"), row, "", func(_ context.Context, begin func(*store.Document) error) (store.Written, error) {
		done, err := set(begin, setStatus("open", ""))
		if err != nil {
			return done, err
		}
		_, err = set(func(*store.Document) error { return nil }, setStatus("in_progress", "anna"))
		return done, err
	})
	if err != nil {
		t.Fatal(err)
	}
	now, err := b.ix.Leases().OfDocument(t.Context(), b.doc(one))
	if err != nil || now == nil || now.Fence != held.Fence {
		t.Errorf("the lease of the document is %+v, %v", now, err)
	}
}

// Who asks for a claim that has ended learns who ended it, also when it was said before.
func TestWhoHasEndedAClaim(t *testing.T) {
	for name, c := range map[string]struct {
		end    Change
		reason ClaimReason
	}{
		"closed":   {setStatus("closed", ""), ClaimFinished},
		"opened":   {setStatus("open", ""), ClaimNone},
		"assigned": {setStatus("in_progress", "cleo"), ClaimUnleased},
	} {
		t.Run(name, func(t *testing.T) {
			b := newClaims(t, one)
			b.mustClaim("anna", one)
			if _, err := b.Update(As(t.Context(), "ben"), DocumentRef{ID: one}, c.end); err != nil {
				t.Fatal(err)
			}
			ended := *b.clock
			for range 2 {
				b.pass(time.Minute)
				_, err := b.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, 0)
				if refused := (*ClaimError)(nil); !errors.As(err, &refused) || refused.Reason != c.reason || refused.EndedBy != "ben" || !refused.Ended.Equal(ended) {
					t.Errorf("renew: %#v", err)
				}
				done, err := b.Release(t.Context(), DocumentRef{ID: one}, "anna", 0, "")
				refused := (*ClaimError)(nil)
				if errors.As(err, &refused) != (c.reason == ClaimUnleased) || refused != nil && refused.EndedBy != "ben" ||
					refused == nil && (done.Lost == nil || done.Lost.EndedBy != "ben") {
					t.Errorf("release: %+v, %#v", done.Lost, err)
				}
				if _, err := b.told("anna"); err != nil {
					t.Fatal(err)
				}
			}
			_, err := b.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "dora"}, 0)
			if refused := (*ClaimError)(nil); !errors.As(err, &refused) || refused.EndedBy != "" {
				t.Errorf("of another: %#v", err)
			}
			b.pass(4 * time.Hour) // and what was told is cleared away with the leases that have lapsed
			b.next("ben")
			if ended, err := b.ix.Leases().EndedOf(t.Context(), "anna", one); ended != nil || err != nil {
				t.Errorf("it is kept: %v", err)
			}
		})
	}
}

// The leases of an earlier version stay, with what has become of them.
func TestLeasesOfAnEarlierVersion(t *testing.T) {
	b := newClaims(t, one, two)
	b.mustClaim("anna", one)
	b.pass(5 * time.Hour)
	b.mustClaim("ben", one)
	b.mustClaim("anna", two)
	if err := b.ix.Leases().Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", sqlfile.DSN(b.file(claims.Path), nil))
	if err == nil {
		_, err = db.ExecContext(t.Context(), `ALTER TABLE lease DROP COLUMN ended; ALTER TABLE lease DROP COLUMN status; ALTER TABLE lease DROP COLUMN assignee;
			ALTER TABLE lease RENAME COLUMN ended_by TO taken_by; PRAGMA user_version = 1`)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	lost, err := b.told("anna")
	if err != nil || len(lost.Ended) != 1 || lost.Ended[0].EndedBy != "ben" || !lost.Ended[0].TakenOver() {
		t.Errorf("%+v, %v", lost, err)
	}
	if _, err := b.Renew(t.Context(), DocumentRef{ID: two}, ClaimRequest{Holder: "anna"}, 0); err != nil {
		t.Error(err)
	}
}
