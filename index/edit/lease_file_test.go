package edit

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"issues-index/index/claims"
	"issues-index/store"
)

func TestFencesGrow(t *testing.T) {
	b := newClaims(t, one)
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
	b.deleteLeases()
	again("after the leases were deleted")
}

func TestAClockThatIsSetBack(t *testing.T) {
	b := newClaims(t, one)
	b.mustClaim("anna", one)
	b.pass(-100 * time.Hour)
	if _, err := b.claim("ben", one); refused(err) != ClaimHeld {
		t.Errorf("%v", err)
	}
	if got := b.next("ben"); got != "" {
		t.Errorf("next gives %s", got)
	}
	b.pass(105 * time.Hour)
	if got := b.next("ben"); got != one {
		t.Errorf("next gives %q", got)
	}
}

// A lease that ends farther ahead than any lease can was given while the clock was wrong: it
// has lapsed, for a claim by name and for the next one, and its holder is told.
func TestAClockThatWasFarAhead(t *testing.T) {
	for name, take := range map[string]func(b claimBench) string{
		"by name": func(b claimBench) string { return b.mustClaim("ben", one).Lease.ID },
		"next":    func(b claimBench) string { return b.next("ben") },
	} {
		t.Run(name, func(t *testing.T) {
			b := newClaims(t, one)
			b.pass(365 * 24 * time.Hour)
			before := b.mustClaim("anna", one).Lease
			b.pass(-365 * 24 * time.Hour)
			if lost, err := b.ix.Leases().Lost(t.Context(), "anna", false); err != nil || len(lost) != 1 {
				t.Errorf("%+v, %v", lost, err)
			}
			if got := take(b); got != one {
				t.Errorf("ben has %q", got)
			}
			if all, err := b.ix.Leases().OfHolder(t.Context(), "ben"); err != nil || len(all) != 1 || all[0].Fence <= before.Fence {
				t.Errorf("%+v after %+v, %v", all, before, err)
			}
		})
	}
}

// Whoever is killed between the steps of a claim loses nothing: here are the states that it
// leaves.
func TestHalfAClaim(t *testing.T) {
	grant := func(b claimBench, holder string) {
		b.t.Helper()
		if _, err := b.ix.Leases().Grant(b.t.Context(), b.doc(one), holder, time.Hour, false, *b.clock); err != nil {
			b.t.Fatal(err)
		}
	}
	t.Run("a lease of an open document does not count", func(t *testing.T) {
		b := newClaims(t, one)
		grant(b, "anna")
		if got := b.next("ben"); got != one {
			t.Errorf("next gives %q", got)
		}
	})
	t.Run("a takeover that was not written leaves the document to be taken over", func(t *testing.T) {
		b := newClaims(t, one)
		b.mustClaim("anna", one)
		b.pass(5 * time.Hour)
		grant(b, "ben")
		if held, err := b.ix.Leases().OfDocument(t.Context(), b.doc(one)); err != nil || held == nil || held.Holder != "anna" {
			t.Errorf("%+v, %v", held, err)
		}
		if got := b.next("cleo"); got != one || b.doc(one).Assignee != "cleo" {
			t.Errorf("next gives %q", got)
		}
	})
	t.Run("without the leases its holder claims it again, and nobody else does", func(t *testing.T) {
		b := newClaims(t, one)
		b.mustClaim("anna", one)
		b.deleteLeases()
		b.pass(1000 * time.Hour)
		if _, err := b.claim("ben", one); refused(err) != ClaimUnleased {
			t.Errorf("%v", err)
		}
		b.mustClaim("anna", one)
	})
}

func TestTheFileOfTheLeases(t *testing.T) {
	t.Run("is not made by reading or writing documents", func(t *testing.T) {
		b := newClaims(t, one)
		if _, err := b.Update(As(t.Context(), "anna"), DocumentRef{ID: one}, urgent); err != nil {
			t.Fatal(err)
		}
		if _, err := b.told("anna"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(b.file(claims.Path)); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
	t.Run("is moved aside when it is damaged", func(t *testing.T) {
		b := newClaims(t, one, two)
		b.mustClaim("anna", one)
		if err := b.ix.Leases().Close(); err != nil { // moves the log into the file
			t.Fatal(err)
		}
		f, err := os.OpenFile(b.file(claims.Path), os.O_RDWR, 0)
		if err == nil {
			_, err = f.WriteAt(bytes.Repeat([]byte("no table "), 1000), 100)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		b.mustClaim("ben", two)
		if kept, err := filepath.Glob(b.file(claims.Path) + ".corrupt*"); err != nil || len(kept) != 1 {
			t.Errorf("kept are %v, %v", kept, err)
		}
	})
	for name, occupy := range map[string]func(path string) error{
		"another's file": func(path string) error { return os.WriteFile(path, []byte("My thesis.\n"), 0o644) },
		"a link":         func(path string) error { return os.Symlink(filepath.Join(filepath.Dir(path), "x.db"), path) },
		"a folder":       func(path string) error { return os.Mkdir(path, 0o755) },
	} {
		t.Run("is refused when it is "+name+", and all but claims goes on", func(t *testing.T) {
			b := newClaims(t, one)
			if err := errors.Join(os.MkdirAll(b.file(store.CacheDir), 0o755), occupy(b.file(claims.Path))); err != nil {
				t.Fatal(err)
			}
			var unusable *claims.UnusableError
			if _, err := b.claim("anna", one); !errors.As(err, &unusable) {
				t.Errorf("%v", err)
			}
			if b.doc(one).Status != "open" {
				t.Error("it was claimed")
			}
			if done, err := b.Update(As(t.Context(), "anna"), DocumentRef{ID: one}, urgent); err != nil || !errors.As(done.Unrenewed, &unusable) {
				t.Errorf("%v, %v", err, done.Unrenewed)
			}
			if info, err := os.Lstat(b.file(claims.Path)); err != nil || name == "another's file" && info.Size() != 11 {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}

// A file that every process may read and none may write claims nothing and loses nothing.
func TestACacheThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is forbidden to root")
	}
	if runtime.GOOS == "windows" {
		t.Skip("a mode takes away no right there")
	}
	b := newClaims(t, one)
	folder := b.file(store.CacheDir)
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
	var unusable *claims.UnusableError
	if _, err := b.claim("anna", one); !errors.As(err, &unusable) || b.doc(one).Status != "open" {
		t.Errorf("%v", err)
	}
}
