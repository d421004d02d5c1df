package index

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"issues-index/store"
	"issues-index/store/frontmatter"
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

func TestAFolderIsNotIndexedByALinkInACollection(t *testing.T) {
	t.Parallel()
	h := &hand{tree: newTree(t, 5)}
	h.mkdir("shared/deep")
	h.write("shared/deep/two.md", h.text("TWO-0001"))
	ix, _ := h.open(Options{})
	for _, name := range []string{".wrangler/issues/z", ".wrangler/issues/b", ".wrangler/ideas/a"} {
		h.link("shared", name)
		h.check(ix)
		h.write("shared/deep/two.md", h.text("TWO-0001"))
		h.check(ix)
		h.write("shared/deep/new.md", h.text("NEW-0001"))
		h.check(ix)
	}
	for range 2 {
		h.rename("shared", ".wrangler/ideas/shared")
		h.check(ix)
		h.write(".wrangler/ideas/shared/deep/two.md", h.text("TWO-0001"))
		h.check(ix)
		h.rename(".wrangler/ideas/shared", "shared")
		h.check(ix)
	}
	h.remove(".wrangler/issues/z")
	h.rename("shared", ".wrangler/issues/z") // in place of the link
	h.check(ix)
	h.write(".wrangler/issues/z/deep/two.md", h.text("TWO-0001"))
	h.check(ix)

	t.Run("also when it is the folder above the collections and the index", func(t *testing.T) {
		h := &hand{tree: newTree(t, 5)}
		ix, log := h.open(Options{})
		h.check(ix)
		h.link(".wrangler", ".wrangler/issues/all")
		h.check(ix)
		h.write(".wrangler/notes.md", h.text("NOTE-001"))
		h.check(ix)
		h.write(".wrangler/notes.md", h.text("NOTE-001"))
		h.check(ix)
		h.mkdir(".wrangler/plans")
		h.write(".wrangler/plans/plan.md", h.text("PLAN-001"))
		h.check(ix)
		h.remove(".wrangler/plans")
		h.check(ix)
		if l := log.all(); len(l) > 0 {
			t.Errorf("warnings: %q", l)
		}
	})
}

func TestLinksThatLeadOutOrInCirclesGetNoRows(t *testing.T) {
	t.Parallel()
	h := &hand{tree: newTree(t, 5)}
	outside := filepath.Join(t.TempDir(), "outside.md")
	h.must(os.WriteFile(outside, []byte(h.text("OUT-0001")), 0o644))
	ix, _ := h.open(Options{})
	h.check(ix)
	for name, target := range map[string]string{
		"out.md": outside, "passwd.md": "/etc/passwd", "folder": filepath.Dir(outside), "circle.md": "circle.md",
		"round": "round", "nowhere.md": "nowhere", "up": "..", "git.md": "../../.git/config",
	} {
		h.must(os.Symlink(target, h.abs(".wrangler/issues/"+name)))
		h.check(ix)
	}
	h.remove(".wrangler/issues/DOC-0000.md") // a document becomes such a link
	h.must(os.Symlink(outside, h.abs(".wrangler/issues/DOC-0000.md")))
	h.check(ix)
	h.asRebuilt(ix)
}

func TestAFileThatCannotBeReadIsNotTakenForAnEmptyOne(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]Mode{"with a watcher": ModeWatch, "comparing before every read": ModeVerify} {
		t.Run(name, func(t *testing.T) {
			w := newTree(t, 3)
			const document = ".wrangler/issues/large.md"
			tooLarge := func(ix *Index) bool {
				problems, err := ix.Problems(t.Context())
				w.must(err)
				return slices.ContainsFunc(problems, func(p DocumentProblem) bool {
					return p.Path == document && p.Problem.Code == frontmatter.ProblemFileSize
				})
			}
			w.write(document, "")
			ix, _ := w.open(Options{Mode: mode})
			for range 2 {
				w.must(os.Truncate(w.abs(document), store.MaxFileSize+2))
				if !tooLarge(ix) {
					t.Error("empty, then too large: no problem")
				}
				w.must(os.Truncate(w.abs(document), 0))
				if tooLarge(ix) {
					t.Error("too large, then empty: still a problem")
				}
			}
			w.asRebuilt(ix)
		})
	}
}
