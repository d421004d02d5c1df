package edit

import (
	"errors"
	"strings"
	"testing"
	"time"

	"issues-index/store"
)

func TestClaim(t *testing.T) {
	t.Run("the file says who works on it, and a lease until when that counts", func(t *testing.T) {
		b := newClaims(t, one)
		done := b.mustClaim("anna", one)
		doc := b.doc(one)
		if doc.Status != "in_progress" || doc.Assignee != "anna" || doc.Version != done.After.Version {
			t.Errorf("%+v", doc)
		}
		if want := b.clock.Add(4 * time.Hour); !done.Lease.Expires.Equal(want) {
			t.Errorf("until %v, want %v", done.Lease.Expires, want)
		}
		if row, err := b.ix.Get(t.Context(), one); err != nil || row.Status != "in_progress" {
			t.Errorf("the index has %+v, %v", row, err)
		}
	})
	t.Run("again by its holder it succeeds, renews, and changes nothing", func(t *testing.T) {
		b := newClaims(t, one)
		first := b.mustClaim("anna", one)
		b.pass(time.Hour)
		text := b.read(t, issuePath(one))
		again := b.mustClaim("anna", one)
		if !again.Again || again.Lease.Fence != first.Lease.Fence || !again.Lease.Expires.Equal(b.clock.Add(4*time.Hour)) || b.read(t, issuePath(one)) != text {
			t.Errorf("%+v", again)
		}
	})
	t.Run("by another it is refused with the holder and the end of the lease", func(t *testing.T) {
		b := newClaims(t, one)
		first := b.mustClaim("anna", one)
		_, err := b.claim("ben", one)
		var e *ClaimError
		if !errors.As(err, &e) || e.Reason != ClaimHeld || e.Holder != "anna" || !e.Until.Equal(first.Lease.Expires) {
			t.Errorf("%+v", err)
		}
	})
	for name, c := range map[string]struct {
		prepare func(b claimBench)
		reason  ClaimReason
	}{
		"what somebody works on without a claim is never taken": {func(b claimBench) { b.change(one, "status: open", "status: in_progress\nassignee: ben") }, ClaimUnleased},
		"nor what nobody in particular works on":                {func(b claimBench) { b.change(one, "status: open", "status: in_progress") }, ClaimUnleased},
		"what is assigned to another is his":                    {func(b claimBench) { b.change(one, "status: open", "status: open\nassignee: ben") }, ClaimAssigned},
		"what is closed is not claimed":                         {func(b claimBench) { b.change(one, "status: open", "status: closed") }, ClaimFinished},
	} {
		t.Run(name, func(t *testing.T) {
			b := newClaims(t, one)
			c.prepare(b)
			b.pass(1000 * time.Hour)
			if _, err := b.claim("anna", one); refused(err) != c.reason {
				t.Errorf("%v", err)
			}
			if got := b.next("anna"); got != "" {
				t.Errorf("next gives %s", got)
			}
		})
	}
	t.Run("with another version it is refused", func(t *testing.T) {
		b := newClaims(t, one)
		_, err := b.Claim(t.Context(), DocumentRef{ID: one, IfVersion: "aaaaaaaaaa"}, ClaimRequest{Holder: "anna"})
		var stale *store.VersionError
		if !errors.As(err, &stale) || b.doc(one).Status != "open" {
			t.Errorf("%v", err)
		}
	})
}

func TestRelease(t *testing.T) {
	t.Run("the document is open and nobody's, with the reason at its end", func(t *testing.T) {
		b := newClaims(t, one)
		b.mustClaim("anna", one)
		done, err := b.Release(t.Context(), DocumentRef{ID: one}, "anna", 0, "Needs a decision.")
		doc := b.doc(one)
		if err != nil || !done.Changed || doc.Status != "open" || doc.Assignee != "" || !strings.HasSuffix(doc.Body, "\n\n**Released (2026-03-10T12:00:00.000Z):**\n\nNeeds a decision.\n") {
			t.Errorf("%q, %v", doc.Body, err)
		}
		if got := b.next("ben"); got != one {
			t.Errorf("next gives %q", got)
		}
	})
	t.Run("again it changes nothing", func(t *testing.T) {
		b := newClaims(t, one)
		done, err := b.Release(t.Context(), DocumentRef{ID: one}, "anna", 0, "Twice.")
		if err != nil || done.Changed {
			t.Errorf("%+v, %v", done, err)
		}
	})
	t.Run("a grant that is not the latest releases nothing", func(t *testing.T) {
		b := newClaims(t, one)
		first := b.mustClaim("anna", one)
		if _, err := b.Release(t.Context(), DocumentRef{ID: one}, "anna", 0, ""); err != nil {
			t.Fatal(err)
		}
		second := b.mustClaim("anna", one)
		if _, err := b.Release(t.Context(), DocumentRef{ID: one}, "anna", first.Lease.Fence, ""); refused(err) != ClaimOutdated {
			t.Errorf("%v", err)
		}
		if _, err := b.Renew(t.Context(), DocumentRef{ID: one}, ClaimRequest{Holder: "anna"}, first.Lease.Fence); refused(err) != ClaimOutdated {
			t.Errorf("%v", err)
		}
		if _, err := b.Release(t.Context(), DocumentRef{ID: one}, "anna", second.Lease.Fence, ""); err != nil {
			t.Error(err)
		}
	})
}
