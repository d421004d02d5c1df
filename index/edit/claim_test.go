package edit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/lease"
	"issues-index/store"
)

// A claimBench is a workspace whose clock the test moves.
type claimBench struct {
	workspace
	t     *testing.T
	clock *time.Time
}

func claimsIn(t *testing.T, root string) claimBench {
	t.Helper()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	var mu sync.Mutex
	return claimBench{serveBy(t, func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}, root, index.Options{Mode: index.ModeVerify}), t, &now}
}

// claims is a new workspace with open issues of these ids.
func claims(t *testing.T, ids ...string) claimBench {
	t.Helper()
	root := t.TempDir()
	for _, id := range ids {
		put(t, root, issuePath(id), id, "open")
	}
	return claimsIn(t, root)
}

func (b claimBench) pass(d time.Duration) { *b.clock = b.clock.Add(d) }

// doc is a document as its file has it.
func (b claimBench) doc(id string) *store.Document {
	b.t.Helper()
	row, err := b.ix.Get(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	doc, _, err := b.ix.Workspace().Load(row.Path)
	if err != nil {
		b.t.Fatal(err)
	}
	return doc
}

func (b claimBench) claim(holder, id string) (Claimed, error) {
	return b.Claim(b.t.Context(), DocumentRef{ID: id}, ClaimRequest{Holder: holder})
}

func (b claimBench) mustClaim(holder, id string) Claimed {
	b.t.Helper()
	done, err := b.claim(holder, id)
	if err != nil {
		b.t.Fatalf("%s claims %s: %v", holder, id, err)
	}
	return done
}

// next is the id that next gives a holder, "" for none.
func (b claimBench) next(holder string, f ...index.Filter) string {
	b.t.Helper()
	next, err := b.Next(b.t.Context(), append(f, index.Filter{})[0], ClaimRequest{Holder: holder})
	if err != nil {
		b.t.Fatal(err)
	}
	if !next.Found {
		return ""
	}
	return next.After.ID
}

// refused is why a claim is refused, "" when it is not.
func refused(err error) ClaimReason {
	var e *ClaimError
	if errors.As(err, &e) {
		return e.Reason
	}
	return ""
}

// told is what a holder is told of its claims.
func (b claimBench) told(holder string) (lease.Lost, error) {
	lost, err := b.ix.Leases().Lost(b.t.Context(), holder, false)
	return lost, errors.Join(err, b.ix.Leases().Told(b.t.Context(), lost))
}

// change edits the file of a document as an editor does.
func (b claimBench) change(id, old, with string) {
	b.t.Helper()
	path := b.doc(id).Path
	text := b.read(b.t, path)
	if !strings.Contains(text, old) {
		b.t.Fatalf("no %q in %q", old, text)
	}
	if err := os.WriteFile(b.file(path), []byte(strings.Replace(text, old, with, 1)), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

const one, two, three = "ISS-000001", "ISS-000002", "ISS-000003"

func TestClaim(t *testing.T) {
	t.Run("the file says who works on it, and a lease until when that counts", func(t *testing.T) {
		b := claims(t, one)
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
		b := claims(t, one)
		first := b.mustClaim("anna", one)
		b.pass(time.Hour)
		text := b.read(t, issuePath(one))
		again := b.mustClaim("anna", one)
		if !again.Again || again.Lease.Fence != first.Lease.Fence || !again.Lease.Expires.Equal(b.clock.Add(4*time.Hour)) || b.read(t, issuePath(one)) != text {
			t.Errorf("%+v", again)
		}
	})
	t.Run("by another it is refused with the holder and the end of the lease", func(t *testing.T) {
		b := claims(t, one)
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
			b := claims(t, one)
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
		b := claims(t, one)
		_, err := b.Claim(t.Context(), DocumentRef{ID: one, IfVersion: "aaaaaaaaaa"}, ClaimRequest{Holder: "anna"})
		var stale *store.VersionError
		if !errors.As(err, &stale) || b.doc(one).Status != "open" {
			t.Errorf("%v", err)
		}
	})
}

func TestNextChooses(t *testing.T) {
	set := func(b claimBench, id, key, value string) { b.change(id, "title:", key+": "+value+"\ntitle:") }
	t.Run("the highest priority, then the oldest", func(t *testing.T) {
		b := claims(t, one, two, three, "ISS-000004")
		set(b, one, "priority", "low")
		set(b, two, "priority", "high")
		set(b, two, "createdAt", "2026-02-02T00:00:00Z")
		set(b, three, "priority", "high")
		set(b, three, "createdAt", "2026-01-01T00:00:00Z")
		var got []string
		for range 5 {
			got = append(got, b.next("anna"))
		}
		if want := []string{three, two, "ISS-000004", one, ""}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
	t.Run("only what is ready, and what the filter lets through", func(t *testing.T) {
		b := claims(t, one, two, three)
		set(b, one, "dependsOn", "[ISS-000002]")
		set(b, three, "labels", "[search]")
		if got := b.next("anna", index.Filter{Labels: []string{"search"}}); got != three {
			t.Errorf("with a label: %s", got)
		}
		if got := []string{b.next("anna"), b.next("anna")}; !slices.Equal(got, []string{two, ""}) {
			t.Errorf("then %v", got)
		}
	})
	t.Run("what is assigned to nobody or to the holder, or to whom the filter names", func(t *testing.T) {
		b := claims(t, one, two)
		set(b, one, "assignee", "ben")
		set(b, two, "assignee", "anna")
		if got := []string{b.next("anna"), b.next("anna"), b.next("anna", index.Filter{Assignee: "ben"})}; !slices.Equal(got, []string{two, "", one}) {
			t.Errorf("%v", got)
		}
	})
	t.Run("and passes over what cannot be claimed, and says so", func(t *testing.T) {
		b := claims(t, one, two)
		put(t, b.root, ".wrangler/issues/twin.md", one, "open")
		b.change(two, "title: ", "title: x\ntitle: ")
		put(t, b.root, issuePath(three), three, "open")
		next, err := b.Next(t.Context(), index.Filter{}, ClaimRequest{Holder: "anna"})
		if err != nil || next.After.ID != three || len(next.Skipped) == 0 {
			t.Errorf("%+v, %v", next, err)
		}
	})
}

// The life of a lease: live, lapsed, free for others after a quarter of its length.
func TestLeaseLapses(t *testing.T) {
	b := claims(t, one)
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
		if err != nil || len(told.Taken) != 1 || told.Taken[0].TakenBy != "ben" || !told.Taken[0].Expires.Equal(first.Lease.Expires) {
			t.Errorf("%+v, %v", told, err)
		}
		if told, err := b.told("anna"); err != nil || len(told.Taken)+len(told.Lapsed) > 0 {
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
	b := claims(t, one)
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

// What outranks ready work is taken over before it.
func TestAbandonedWorkGoesByPriority(t *testing.T) {
	for _, c := range []struct{ priority, want string }{{"high", one}, {"medium", two}, {"low", two}} {
		b := claims(t, one, two)
		b.change(one, "status: open", "status: open\npriority: "+c.priority)
		b.mustClaim("anna", one)
		b.pass(5 * time.Hour)
		if got := b.next("ben"); got != c.want {
			t.Errorf("%s: next gives %s, want %s", c.priority, got, c.want)
		}
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
		"deleted":          func(b claimBench) { _, _, _ = b.Delete(b.t.Context(), DocumentRef{ID: one}) },
		"status by hand":   func(b claimBench) { b.change(one, "status: in_progress", "status: open") },
		"assignee by hand": func(b claimBench) { b.change(one, "assignee: anna", "assignee: ben") },
		"file by hand":     func(b claimBench) { _ = os.Remove(b.file(issuePath(one))) },
	} {
		t.Run(name, func(t *testing.T) {
			b := claims(t, one)
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
			if told, err := b.told("anna"); err != nil || len(told.Lapsed)+len(told.Taken) > 0 {
				t.Errorf("told %+v, %v", told, err)
			}
			b.next("ben", index.Filter{Labels: []string{"none of these"}}) // clears away
			if all, err := b.ix.Leases().All(t.Context()); err != nil || len(all) > 0 {
				t.Errorf("left are %+v, %v", all, err)
			}
		})
	}
}

func TestRelease(t *testing.T) {
	t.Run("the document is open and nobody's, with the reason at its end", func(t *testing.T) {
		b := claims(t, one)
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
		b := claims(t, one)
		done, err := b.Release(t.Context(), DocumentRef{ID: one}, "anna", 0, "Twice.")
		if err != nil || done.Changed {
			t.Errorf("%+v, %v", done, err)
		}
	})
	t.Run("a grant that is not the latest releases nothing", func(t *testing.T) {
		b := claims(t, one)
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
		held, covered, err := b.ix.Leases().OfDocument(b.t.Context(), b.doc(one))
		if err != nil || !covered {
			b.t.Fatal(held, covered, err)
		}
		return held.Expires
	}
	t.Run("but not before a third of the lease has passed", func(t *testing.T) {
		b := claims(t, one, two)
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
		b := claims(t, one)
		first := b.mustClaim("anna", one).Lease.Expires
		b.pass(3 * time.Hour)
		if urgentBy(b, "ben", one); !expires(b).Equal(first) {
			t.Errorf("it ends at %v", expires(b))
		}
	})
	t.Run("those of a session renew what an agent in it has, where they change it", func(t *testing.T) {
		b := claims(t, one, two)
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
		b := claims(t, one, two)
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
		b := claims(t, one)
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

func TestFencesGrow(t *testing.T) {
	b := claims(t, one)
	last := int64(0)
	again := func(when string) {
		t.Helper()
		done := b.mustClaim("anna", one)
		if done.Lease.Fence <= last {
			t.Errorf("%s the fence is %d after %d", when, done.Lease.Fence, last)
		}
		last = done.Lease.Fence
		if _, err := b.Release(t.Context(), DocumentRef{ID: one}, "anna", 0, ""); err != nil {
			t.Fatal(err)
		}
	}
	again("at first")
	again("then")
	b.pass(-1000 * time.Hour)
	again("after the clock was set back")
	b.pass(1001 * time.Hour)
	if err := os.Remove(b.file(lease.Path)); err != nil {
		t.Fatal(err)
	}
	again("after the leases were deleted")
}

func TestAClockThatIsSetBack(t *testing.T) {
	b := claims(t, one)
	b.mustClaim("anna", one)
	b.pass(-1000 * time.Hour)
	if _, err := b.claim("ben", one); refused(err) != ClaimHeld {
		t.Errorf("%v", err)
	}
	if got := b.next("ben"); got != "" {
		t.Errorf("next gives %s", got)
	}
	b.pass(5 * time.Hour) // and no lease is longer than it was granted for
	if got := b.next("ben"); got != one {
		t.Errorf("next gives %q", got)
	}
}

// Whoever is killed between the steps of a claim loses nothing: here are the states that it
// leaves.
func TestHalfAClaim(t *testing.T) {
	grant := func(b claimBench, holder string) {
		b.t.Helper()
		if _, err := b.ix.Leases().Grant(b.t.Context(), b.doc(one), holder, time.Hour, *b.clock); err != nil {
			b.t.Fatal(err)
		}
	}
	t.Run("a lease of an open document does not count", func(t *testing.T) {
		b := claims(t, one)
		grant(b, "anna")
		if got := b.next("ben"); got != one {
			t.Errorf("next gives %q", got)
		}
	})
	t.Run("a takeover that was not written leaves the document to be taken over", func(t *testing.T) {
		b := claims(t, one)
		b.mustClaim("anna", one)
		b.pass(5 * time.Hour)
		grant(b, "ben")
		if held, covered, err := b.ix.Leases().OfDocument(t.Context(), b.doc(one)); err != nil || !covered || held.Holder != "anna" {
			t.Errorf("%+v, %t, %v", held, covered, err)
		}
		if got := b.next("cleo"); got != one || b.doc(one).Assignee != "cleo" {
			t.Errorf("next gives %q", got)
		}
	})
	t.Run("a takeover that was written and not noted is noted by the next", func(t *testing.T) {
		b := claims(t, one)
		b.mustClaim("anna", one)
		b.pass(5 * time.Hour)
		grant(b, "ben")
		b.change(one, "assignee: anna", "assignee: ben")
		b.next("cleo")
		if told, err := b.told("anna"); err != nil || len(told.Taken) != 1 || told.Taken[0].TakenBy != "ben" {
			t.Errorf("%+v, %v", told, err)
		}
	})
	t.Run("without the leases its holder claims it again, and nobody else does", func(t *testing.T) {
		b := claims(t, one)
		b.mustClaim("anna", one)
		if err := os.Remove(b.file(lease.Path)); err != nil {
			t.Fatal(err)
		}
		b.pass(1000 * time.Hour)
		if _, err := b.claim("ben", one); refused(err) != ClaimUnleased {
			t.Errorf("%v", err)
		}
		b.mustClaim("anna", one)
	})
}

// Of many callers of next exactly one gets each document.
func TestCallersOfNextGetDifferentDocuments(t *testing.T) {
	const documents, callers = 5, 8
	ids := make([]string, documents)
	for i := range ids {
		ids[i] = issueID(i + 1)
	}
	b := claims(t, ids...)
	got := make([]string, callers)
	var wait sync.WaitGroup
	for i := range got {
		wait.Go(func() { got[i] = b.next(fmt.Sprint("agent-", i)) })
	}
	wait.Wait()
	slices.Sort(got)
	if want := append(make([]string, callers-documents), ids...); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestTheFileOfTheLeases(t *testing.T) {
	t.Run("is not made by reading or writing documents", func(t *testing.T) {
		b := claims(t, one)
		if _, err := b.Update(As(t.Context(), "anna"), DocumentRef{ID: one}, urgent); err != nil {
			t.Fatal(err)
		}
		if _, err := b.told("anna"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(b.file(lease.Path)); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
	t.Run("is moved aside when it is damaged", func(t *testing.T) {
		b := claims(t, one, two)
		b.mustClaim("anna", one)
		if err := b.ix.Leases().Close(); err != nil { // moves the log into the file
			t.Fatal(err)
		}
		f, err := os.OpenFile(b.file(lease.Path), os.O_RDWR, 0)
		if err == nil {
			_, err = f.WriteAt(bytes.Repeat([]byte("no table "), 1000), 100)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		b.mustClaim("ben", two)
		if kept, err := filepath.Glob(b.file(lease.Path) + ".corrupt*"); err != nil || len(kept) != 1 {
			t.Errorf("kept are %v, %v", kept, err)
		}
	})
	for name, occupy := range map[string]func(path string) error{
		"another's file": func(path string) error { return os.WriteFile(path, []byte("My thesis.\n"), 0o644) },
		"a link":         func(path string) error { return os.Symlink(filepath.Join(filepath.Dir(path), "x.db"), path) },
		"a folder":       func(path string) error { return os.Mkdir(path, 0o755) },
	} {
		t.Run("is refused when it is "+name+", and all but claims goes on", func(t *testing.T) {
			b := claims(t, one)
			if err := errors.Join(os.MkdirAll(b.file(store.CacheDir), 0o755), occupy(b.file(lease.Path))); err != nil {
				t.Fatal(err)
			}
			var unusable *lease.UnusableError
			if _, err := b.claim("anna", one); !errors.As(err, &unusable) {
				t.Errorf("%v", err)
			}
			if b.doc(one).Status != "open" {
				t.Error("it was claimed")
			}
			if done, err := b.Update(As(t.Context(), "anna"), DocumentRef{ID: one}, urgent); err != nil || !errors.As(done.Unrenewed, &unusable) {
				t.Errorf("%v, %v", err, done.Unrenewed)
			}
			if info, err := os.Lstat(b.file(lease.Path)); err != nil || name == "another's file" && info.Size() != 11 {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}
