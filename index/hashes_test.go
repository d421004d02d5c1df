package index

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"issues-index/store"
)

func TestFileHashes(t *testing.T) {
	const documents = 20
	k := newTree(t, documents)
	ix, _ := k.open(Options{})
	read := func(generation string, rev int64) FileHashes {
		t.Helper()
		found, err := ix.FileHashes(t.Context(), generation, rev)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	paths := func(f FileHashes) (all []string) {
		for _, one := range f.All {
			all = append(all, one.Path)
		}
		slices.Sort(all)
		return all
	}
	start := read("", 0)

	t.Run("of all documents are those of their files", func(t *testing.T) {
		if !start.Whole || len(start.All) != documents || start.Documents != documents {
			t.Fatalf("%d hashes of %d documents, want %d", len(start.All), start.Documents, documents)
		}
		for _, one := range start.All {
			if !bytes.Equal(one.Hash, hashOf([]byte(k.read(one.Path)))) {
				t.Errorf("%s: %x", one.Path, one.Hash)
			}
		}
	})
	t.Run("of what changed since are of these documents alone", func(t *testing.T) {
		p := start.All[3].Path
		k.write(p, k.text("NEW-0001"))
		found := read(start.Generation, start.Rev)
		if found.Whole || !slices.Equal(paths(found), []string{p}) {
			t.Errorf("%+v", found.All)
		}
		if again := read(found.Generation, found.Rev); len(again.All) != 0 {
			t.Errorf("told again: %+v", again.All)
		}
	})
	t.Run("a document that is gone is missing in the number", func(t *testing.T) {
		k.remove(start.All[5].Path)
		if found := read(start.Generation, start.Rev); found.Documents != documents-1 {
			t.Errorf("%d documents, before %d", found.Documents, documents)
		}
	})
	t.Run("a file that cannot be read has none", func(t *testing.T) {
		p := ".wrangler/issues/ISS-900000-large.md"
		k.write(p, "")
		k.must(os.Truncate(k.abs(p), store.MaxFileSize+1))
		found := read("", 0)
		at := slices.IndexFunc(found.All, func(f FileHash) bool { return f.Path == p })
		if at < 0 || found.All[at].Hash != nil {
			t.Errorf("%d", at)
		}
	})
	t.Run("of an index that was built again are all of them", func(t *testing.T) {
		before := read("", 0)
		if _, err := ix.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
		if found := read(before.Generation, before.Rev); !found.Whole || found.Generation == before.Generation || !slices.Equal(paths(found), paths(before)) {
			t.Errorf("%d of %d", len(found.All), len(before.All))
		}
	})
}
