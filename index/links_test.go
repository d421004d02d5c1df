package index

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOtherNamesOfADocument(t *testing.T) {
	t.Parallel()
	t.Run("a symbolic link's document is one when its target comes", func(t *testing.T) {
		w := newTree(t, 5)
		w.must(os.Symlink("../../notes/later.md", w.abs(".wrangler/issues/link.md")))
		ix, _ := w.open(Options{})
		w.check(ix)
		w.mkdir("notes")
		for range 3 {
			w.write("notes/later.md", w.text("LATER-01"))
			w.check(ix)
			w.write("notes/later.md", w.text("LATER-01"))
			w.check(ix)
			w.remove("notes/later.md")
			w.check(ix)
		}
		w.must(os.Symlink("../../notes/other.md", w.abs(".wrangler/issues/second.md")))
		w.check(ix)
		w.write("notes/other.md", w.text("LATER-02"))
		w.check(ix)
		w.remove(".wrangler/issues/second.md")
		w.check(ix)
	})

	t.Run("a linked folder follows what is above its target", func(t *testing.T) {
		w := newTree(t, 5)
		w.mkdir("team/a/issues")
		w.write("team/a/issues/one.md", w.text("ONE-0001"))
		w.must(os.Symlink("../../team/a/issues", w.abs(".wrangler/issues/team")))
		ix, _ := w.open(Options{})
		w.check(ix)
		w.rename("team/a", "team/b")
		w.check(ix)
		w.mkdir("team/a/issues")
		w.write("team/a/issues/two.md", w.text("TWO-0001"))
		w.check(ix)
		w.write("team/a/issues/two.md", w.text("TWO-0001"))
		w.check(ix)
		w.remove("team/a")
		w.rename("team/b", "team/a")
		w.check(ix)
		w.write("team/a/issues/one.md", w.text("ONE-0001"))
		w.check(ix)
	})

	t.Run("a collection that is a link follows it", func(t *testing.T) {
		w := newTree(t, 5)
		w.rename(".wrangler/ideas", "ideas-1")
		w.mkdir("ideas-2")
		w.write("ideas-2/two.md", w.text("TWO-0001"))
		w.must(os.Symlink("../ideas-1", w.abs(".wrangler/ideas")))
		ix, _ := w.open(Options{})
		w.check(ix)
		w.rename("ideas-1", "ideas-0")
		w.check(ix)
		w.rename("ideas-2", "ideas-1")
		w.check(ix)
		w.write("ideas-1/two.md", w.text("TWO-0001"))
		w.check(ix)
	})

	t.Run("a second name in the workspace shares every edit", func(t *testing.T) {
		w := newTree(t, 5)
		ix, _ := w.open(Options{})
		w.check(ix)
		first, second := ".wrangler/issues/DOC-0000.md", ".wrangler/ideas/second.md"
		w.must(os.Link(w.abs(first), w.abs(second)))
		w.write(second, w.text("DOC-0000"))
		w.check(ix)
		w.write(first, w.text("DOC-0000"))
		w.check(ix)
		w.remove(first)
		w.write(second, w.text("DOC-0000"))
		w.check(ix)
	})

	t.Run("an edit by a name outside the workspace is seen", func(t *testing.T) {
		w := newTree(t, 5)
		outside := filepath.Join(t.TempDir(), "outside.md")
		if err := os.Link(w.abs(".wrangler/issues/DOC-0000.md"), outside); err != nil {
			t.Skip("no hard links between these folders:", err)
		}
		ix, _ := w.open(Options{})
		w.check(ix)
		w.must(os.WriteFile(outside, []byte(w.text("DOC-0000")), 0o644))
		w.check(ix)
	})
}
