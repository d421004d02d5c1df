package edit

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"issues-index/index"
	"issues-index/index/claims"
	"issues-index/index/db"
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
	}, root, index.Options{Mode: index.ModeVerify, Path: db.MemoryPath}), t, &now}
}

// newClaims is a new workspace with open issues of these ids.
func newClaims(t *testing.T, ids ...string) claimBench {
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
func (b claimBench) told(holder string) (toldClaims, error) {
	lost, err := b.ix.Leases().Lost(b.t.Context(), holder, false)
	var told toldClaims
	for _, one := range lost {
		if one.EndedBy != "" {
			told.Ended = append(told.Ended, one)
		} else {
			told.Lapsed = append(told.Lapsed, one)
		}
	}
	return told, errors.Join(err, b.ix.Leases().Told(b.t.Context(), lost))
}

// toldClaims are those that others have ended, and those that have lapsed.
type toldClaims struct{ Lapsed, Ended []claims.Lease }

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

// deleteLeases deletes the file of the leases. On Windows nobody may have it open for that.
func (b claimBench) deleteLeases() {
	b.t.Helper()
	var err error
	if runtime.GOOS == "windows" {
		err = b.ix.Leases().Close()
	}
	if err = errors.Join(err, os.Remove(b.file(claims.Path))); err != nil {
		b.t.Fatal(err)
	}
}
