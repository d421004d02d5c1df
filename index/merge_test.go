package index

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"issues-index/store"
)

// Each change leaves a segment of the full-text table behind, and searches look
// into all of them. SQLite's own way to bring them together makes single changes
// wait for it.
func TestSegmentsOfSingleChanges(t *testing.T) {
	segments := func(t *testing.T, ix *Index) (n int) {
		t.Helper()
		if err := ix.db.Read.QueryRow(`SELECT count(DISTINCT id >> 37) FROM search_data WHERE id > 10`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const changes = 40 // more than SQLite puts up with if it is not told to
	changed := func(t *testing.T, after func(ix *Index)) (*tree, *Index) {
		t.Helper()
		w := newTree(t, 5)
		ix, _ := w.open(Options{Mode: ModeVerify})
		t.Cleanup(func() { w.close(ix) })
		w.check(ix)
		for i := range changes {
			path := fmt.Sprintf(".wrangler/issues/DOC-%04d.md", i)
			w.write(path, w.text(fmt.Sprintf("DOC-%04d", i)))
			w.must(ix.Refresh(t.Context(), path))
			after(ix)
		}
		return w, ix
	}
	t.Run("an index is built as one", func(t *testing.T) {
		w := newTree(t, 60)
		ix, _ := w.open(Options{Mode: ModeVerify})
		defer w.close(ix)
		w.check(ix)
		if n := segments(t, ix); n != 1 {
			t.Errorf("%d segments", n)
		}
	})
	t.Run("changes add to them", func(t *testing.T) {
		_, ix := changed(t, func(*Index) {})
		if n := segments(t, ix); n <= changes {
			t.Errorf("only %d segments: there is nothing to merge", n)
		}
	})
	t.Run("and are merged while nobody waits", func(t *testing.T) {
		w, ix := changed(t, func(ix *Index) {
			if err := ix.idleMaintenance(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
		if n := segments(t, ix); n > changes/2 {
			t.Errorf("%d segments after %d changes", n, changes)
		}
		w.check(ix)
		sound(t, ix)
	})
}

// The log is moved into the index file while nobody waits, long before a change
// has to do it.
func TestLogIsMovedInAPause(t *testing.T) {
	w := newTree(t, 5)
	ix, _ := w.open(Options{Mode: ModeVerify})
	defer w.close(ix)
	w.check(ix)
	file := func() store.Stat {
		info, err := os.Stat(ix.db.Path)
		w.must(err)
		return store.StatOf(info)
	}
	random := rand.NewChaCha8([32]byte{})
	built := file()
	grow := func() {
		for n := range 100 {
			if log, err := os.Stat(ix.db.Path + "-wal"); err == nil && log.Size() >= quietSize {
				return
			}
			noise := make([]byte, 100_000)
			random.Read(noise)
			path := fmt.Sprintf(".wrangler/issues/NOISE-%04d.md", n)
			w.write(path, w.text("NOISE")+hex.EncodeToString(noise))
			w.must(ix.Refresh(t.Context(), path))
		}
	}
	w.must(ix.idleMaintenance(t.Context()))
	if file() != built {
		t.Error("a log of little was moved")
	}
	if grow(); file() != built {
		t.Fatal("a change has moved the log: the test proves nothing")
	}
	w.must(ix.idleMaintenance(t.Context()))
	moved := file()
	if moved == built {
		t.Error("the log was not moved")
	}
	path := ".wrangler/issues/DOC-0001.md"
	w.write(path, w.text("DOC-0001"))
	w.must(ix.Refresh(t.Context(), path))
	w.must(ix.idleMaintenance(t.Context()))
	if file() != moved {
		t.Error("what one change left was moved at once")
	}
	w.check(ix)
}
