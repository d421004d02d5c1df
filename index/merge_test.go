package index

import (
	"fmt"
	"testing"
)

// Each change leaves a segment of the full-text table behind, and searches look
// into all of them. SQLite's own way to bring them together makes one change in
// sixteen wait for it.
func TestSegmentsOfSingleChanges(t *testing.T) {
	segments := func(t *testing.T, ix *Index) (n int) {
		t.Helper()
		if err := ix.db.read.QueryRow(`SELECT count(DISTINCT id >> 37) FROM search_data WHERE id > 10`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const changes = 12 // fewer than SQLite puts up with
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
		w := newTree(t, 200)
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
			if err := ix.merge(t.Context()); err != nil {
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
