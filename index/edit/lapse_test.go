package edit

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/store"
)

// The life of a lease: live, lapsed, free for others after a quarter of its length.
func TestLeaseLapses(t *testing.T) {
	b := newClaims(t, one)
	first := b.mustClaim("anna", one)
	b.pass(4*time.Hour - time.Millisecond)
	if _, err := b.claim("ben", one); refused(err) != ClaimHeld {
		t.Errorf("before its end: %v", err)
	}
	b.pass(time.Millisecond)
	if _, err := b.claim("ben", one); refused(err) != ClaimLapsed || b.next("ben") != "" {
		t.Errorf("at its end: %v", err)
	}
	page, err := b.ix.Find(t.Context(), index.Query{Filter: index.Filter{Stale: true}, Limit: 5})
	if err != nil || len(page.Rows) != 1 || page.Total != 1 {
		t.Errorf("stale are %+v, %v", page.Rows, err)
	}
	b.pass(time.Hour - time.Millisecond)
	if got := b.next("ben"); got != "" {
		t.Errorf("within the grace next gives %s", got)
	}
	b.pass(time.Millisecond)
	next, err := b.Next(t.Context(), index.Filter{}, ClaimRequest{Holder: "ben"})
	if err != nil || !next.Found || next.Former != "anna" || next.Lease.Fence <= first.Lease.Fence {
		t.Fatalf("after the grace: %+v, %v", next, err)
	}
	if doc := b.doc(one); doc.Assignee != "ben" || doc.Status != "in_progress" {
		t.Errorf("%+v", doc)
	}

	t.Run("the former holder is told once", func(t *testing.T) {
		told, err := b.told("anna")
		if err != nil || len(told.Ended) != 1 || told.Ended[0].EndedBy != "ben" || !told.Ended[0].Expires.Equal(first.Lease.Expires) {
			t.Errorf("%+v, %v", told, err)
		}
		if told, err := b.told("anna"); err != nil || len(told.Ended)+len(told.Lapsed) > 0 {
			t.Errorf("again: %+v, %v", told, err)
		}
	})
	t.Run("and can neither renew nor release", func(t *testing.T) {
		_, err := b.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, first.Lease.Fence)
		var e *ClaimError
		if !errors.As(err, &e) || e.Holder != "ben" {
			t.Errorf("%v", err)
		}
		if _, err := b.Release(t.Context(), DocumentRef{ID: one}, "anna", 0, ""); refused(err) != ClaimHeld {
			t.Errorf("%v", err)
		}
		if doc := b.doc(one); doc.Assignee != "ben" {
			t.Errorf("%+v", doc)
		}
	})
}

func TestWhoComesBackInTimeGoesOn(t *testing.T) {
	b := newClaims(t, one)
	first := b.mustClaim("anna", one)
	b.pass(10 * time.Hour)
	told, err := b.told("anna")
	if err != nil || len(told.Lapsed) != 1 {
		t.Errorf("told %+v, %v", told, err)
	}
	if told, err := b.told("anna"); err != nil || len(told.Lapsed) != 0 {
		t.Errorf("told again %+v, %v", told, err)
	}
	again, err := b.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, first.Lease.Fence)
	if err != nil || again.Lease.Fence != first.Lease.Fence || !again.Lease.Expires.Equal(b.clock.Add(4*time.Hour)) {
		t.Errorf("%+v, %v", again, err)
	}
	if _, err := b.claim("ben", one); refused(err) != ClaimHeld {
		t.Errorf("%v", err)
	}
}

// Whatever ends the work ends the lease: nobody holds the document any more, and it can be
// claimed as any other.
func TestTheEndOfTheWorkEndsTheLease(t *testing.T) {
	status := func(status string) func(b claimBench) {
		return func(b claimBench) {
			_, err := b.Update(b.t.Context(), DocumentRef{ID: one}, func(*store.Document) (store.Fields, error) { return store.Fields{Status: &status}, nil })
			if err != nil {
				b.t.Fatal(err)
			}
		}
	}
	for name, end := range map[string]func(b claimBench){
		"done":             func(b claimBench) { _, _ = b.Complete(b.t.Context(), DocumentRef{ID: one}, "") },
		"cancelled":        status("cancelled"),
		"reopened":         status("open"),
		"deleted":          func(b claimBench) { _, _ = b.Delete(b.t.Context(), DocumentRef{ID: one}) },
		"status by hand":   func(b claimBench) { b.change(one, "status: in_progress", "status: open") },
		"assignee by hand": func(b claimBench) { b.change(one, "assignee: anna", "assignee: ben") },
		"file by hand":     func(b claimBench) { _ = os.Remove(b.file(issuePath(one))) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newClaims(t, one)
			b.mustClaim("anna", one)
			end(b)
			all, err := b.ix.Leases().All(t.Context())
			if err != nil || slices.ContainsFunc(all, b.ix.Leases().Counts) {
				t.Errorf("the lease counts: %+v, %v", all, err)
			}
			page, err := b.ix.Find(t.Context(), index.Query{Filter: index.Filter{ClaimedBy: "anna"}, Limit: 5})
			if err != nil || page.Total != 0 {
				t.Errorf("claimed are %+v, %v", page.Rows, err)
			}
			if _, err := b.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, 0); err == nil {
				t.Error("it was renewed")
			}
			b.pass(5 * time.Hour)
			if told, err := b.told("anna"); err != nil || len(told.Lapsed)+len(told.Ended) > 0 {
				t.Errorf("told %+v, %v", told, err)
			}
			b.next("ben", index.Filter{Labels: []string{"none of these"}}) // clears away
			if all, err := b.ix.Leases().All(t.Context()); err != nil || len(all) > 0 {
				t.Errorf("left are %+v, %v", all, err)
			}
		})
	}
}

// Every write of the holder, to whatever document, is a sign of life.
func TestWritesRenew(t *testing.T) {
	urgentBy := func(b claimBench, holder, id string) {
		b.t.Helper()
		done, err := b.Update(As(b.t.Context(), holder), DocumentRef{ID: id}, urgent)
		if err != nil || done.Unrenewed != nil {
			b.t.Fatal(err, done.Unrenewed)
		}
	}
	expires := func(b claimBench) time.Time {
		b.t.Helper()
		held, err := b.ix.Leases().OfDocument(b.t.Context(), b.doc(one))
		if err != nil || held == nil {
			b.t.Fatal(held, err)
		}
		return held.Expires
	}
	t.Run("but not before a third of the lease has passed", func(t *testing.T) {
		b := newClaims(t, one, two)
		first := b.mustClaim("anna", one).Lease.Expires
		b.pass(80*time.Minute - time.Millisecond)
		if urgentBy(b, "anna", two); !expires(b).Equal(first) {
			t.Errorf("it was renewed to %v", expires(b))
		}
		b.pass(time.Millisecond)
		if urgentBy(b, "anna", two); !expires(b).Equal(b.clock.Add(4 * time.Hour)) {
			t.Errorf("it ends at %v", expires(b))
		}
	})
	t.Run("those of another do not", func(t *testing.T) {
		b := newClaims(t, one)
		first := b.mustClaim("anna", one).Lease.Expires
		b.pass(3 * time.Hour)
		if urgentBy(b, "ben", one); !expires(b).Equal(first) {
			t.Errorf("it ends at %v", expires(b))
		}
	})
	t.Run("those of a session renew what an agent in it has, where they change it", func(t *testing.T) {
		b := newClaims(t, one, two)
		first := b.mustClaim("anna/reviewer", one).Lease.Expires
		b.pass(3 * time.Hour)
		if urgentBy(b, "anna", two); !expires(b).Equal(first) {
			t.Errorf("it ends at %v", expires(b))
		}
		if urgentBy(b, "anna", one); !expires(b).Equal(b.clock.Add(4 * time.Hour)) {
			t.Errorf("it ends at %v", expires(b))
		}
	})
	t.Run("a lease that has lapsed begins anew, unless somebody took it", func(t *testing.T) {
		b := newClaims(t, one, two)
		b.mustClaim("anna", one)
		b.pass(6 * time.Hour)
		if urgentBy(b, "anna", two); !expires(b).Equal(b.clock.Add(4 * time.Hour)) {
			t.Errorf("it ends at %v", expires(b))
		}
		b.pass(6 * time.Hour)
		b.mustClaim("ben", one)
		if urgentBy(b, "anna", two); b.doc(one).Assignee != "ben" {
			t.Error("anna has it")
		}
		if _, err := b.claim("anna", one); refused(err) != ClaimHeld {
			t.Errorf("%v", err)
		}
	})
	t.Run("the lease follows a document that the holder moves", func(t *testing.T) {
		b := newClaims(t, one)
		b.mustClaim("anna", one)
		kind := "specification"
		done, err := b.Update(As(t.Context(), "anna"), DocumentRef{ID: one}, func(*store.Document) (store.Fields, error) { return store.Fields{Type: &kind}, nil })
		if err != nil || done.Path == done.OldPath {
			t.Fatal(done.Path, err)
		}
		if all, err := b.ix.Leases().All(t.Context()); err != nil || len(all) != 1 || all[0].Path != done.Path || !b.ix.Leases().Counts(all[0]) {
			t.Errorf("%+v, %v", all, err)
		}
	})
}
