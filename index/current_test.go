package index

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issues-index/index/db"
	"issues-index/store"
	"issues-index/store/storetest"
)

// serve serves a folder as a server does, until the test ends.
func serve(tb testing.TB, root string, o Options) (*Current, *warnings) {
	tb.Helper()
	log := &warnings{}
	o.Log = slog.New(log)
	ws, err := store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	if err != nil {
		tb.Fatal(err)
	}
	c, err := Serve(tb.Context(), ws, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
	})
	return c, log
}

// checkServed compares all that a call is answered with the files at the tree's path.
func (w *tree) checkServed(c *Current) {
	w.Helper()
	ix, release, err := c.Acquire(w.Context())
	w.must(err)
	defer release()
	w.check(ix)
}

// leave renames the tree away; what it returns is the tree under its new name.
func (w *tree) leave() *tree {
	w.Helper()
	old := &tree{TB: w.TB, root: w.root + "-old", words: w.words}
	w.must(os.Rename(w.root, old.root))
	return old
}

// come puts another tree in the place of this one.
func (w *tree) come(other *tree) {
	w.Helper()
	w.must(os.Rename(other.root, w.root))
	w.words += 1000 // those of both are told apart
}

func TestAReplacedRootIsServedAsItIsNow(t *testing.T) {
	t.Parallel()
	for _, mode := range storetest.FewOf([]Mode{ModeWatch, ModeVerify, ModePoll}, 2) {
		t.Run("mode "+mode.String(), func(t *testing.T) {
			t.Parallel()
			w := newTree(t, 10)
			c, log := serve(t, w.root, Options{Mode: mode})
			w.checkServed(c)

			old := w.leave()
			w.come(newTree(t, 20))
			w.checkServed(c)
			w.write(".wrangler/issues/new.md", w.text("NEW-0001"))
			if mode != ModePoll { // an answer may be a minute old there
				w.checkServed(c)
			}
			old.write(".wrangler/issues/of-before.md", old.text("OLD-0001"))
			if mode != ModePoll {
				w.checkServed(c)
			}

			w.must(os.RemoveAll(w.root)) // it may be one of the same inode that comes
			w.come(newTree(t, 5))
			w.checkServed(c)
			l := slices.DeleteFunc(log.all(), func(line string) bool {
				// It is true of a folder that is being removed.
				return strings.HasPrefix(line, "watching files is not possible")
			})
			if len(l) != 2 || !strings.Contains(l[0], w.root) {
				t.Errorf("warnings: %q", l)
			}
		})
	}

	t.Run("with the index beside it that the new folder brings along", func(t *testing.T) {
		t.Parallel()
		w, other := newTree(t, 10), newTree(t, 20)
		first, _ := serve(t, other.root, Options{Mode: ModeWatch})
		other.checkServed(first)
		w.must(first.Close())
		c, _ := serve(t, w.root, Options{Mode: ModeWatch})
		w.checkServed(c)
		old := w.leave()
		before := old.files()
		w.come(other)
		w.checkServed(c)
		second, _ := serve(t, w.root, Options{Mode: ModeWatch})
		w.checkServed(second)
		w.write(".wrangler/issues/new.md", w.text("NEW-0001"))
		w.checkServed(c)
		w.checkServed(second)
		c.closings.Wait()
		if after := old.files(); after != before {
			t.Errorf("the folder of before was written to:\n%s\n%s", before, after)
		}
	})

	t.Run("with an index that lies outside of both", func(t *testing.T) {
		t.Parallel()
		w := newTree(t, 10)
		path := filepath.Join(t.TempDir(), "index.db")
		c, _ := serve(t, w.root, Options{Mode: ModeWatch, Path: path})
		w.checkServed(c)
		ix, release, err := c.Acquire(t.Context())
		w.must(err)
		old := w.leave()
		w.come(newTree(t, 20))
		w.checkServed(c)
		old.write(".wrangler/issues/of-before.md", old.text("OLD-0001"))
		_, err = ix.Health(t.Context()) // the call of before goes on
		w.must(err)
		release()
		w.checkServed(c)
	})

	t.Run("where a link leads to another folder", func(t *testing.T) {
		t.Parallel()
		first, second := newTree(t, 10), newTree(t, 20)
		link := filepath.Join(t.TempDir(), "link")
		first.must(os.Symlink(first.root, link))
		c, _ := serve(t, link, Options{Mode: ModeWatch, Path: first.abs(".wrangler/my.db")})
		first.checkServed(c)
		first.must(os.Remove(link))
		first.must(os.Symlink(second.root, link))
		second.checkServed(c)
		if _, err := os.Stat(second.abs(".wrangler/my.db")); err != nil || c.Root() != second.root {
			t.Errorf("the root is %s, and its index %v", c.Root(), err)
		}
	})
}

func TestARootThatIsAwayIsServedWhenItIsBack(t *testing.T) {
	t.Parallel()
	w := newTree(t, 10)
	c, _ := serve(t, w.root, Options{Mode: ModeWatch})
	w.checkServed(c)
	ix, release, err := c.Acquire(t.Context())
	w.must(err)
	release()
	old := w.leave()
	for range 2 {
		var missing *store.RootError
		if _, _, err := c.Acquire(t.Context()); !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) || missing.Dir != w.root {
			t.Fatalf("without a folder: %v", err)
		}
	}
	w.write("../"+filepath.Base(w.root), "a file in its place")
	if _, _, err := c.Acquire(t.Context()); err == nil {
		t.Error("a file is served")
	}
	w.must(os.Remove(w.root))
	old.write(".wrangler/issues/new.md", old.text("NEW-0001"))
	w.come(old)
	w.checkServed(c)
	again, release, err := c.Acquire(t.Context())
	w.must(err)
	defer release()
	if again != ix {
		t.Error("a folder that came back was opened again")
	}
}

func TestCallsUnderWayEndOnTheFolderTheyBeganWith(t *testing.T) {
	t.Parallel()
	w := newTree(t, 10)
	c, _ := serve(t, w.root, Options{Mode: ModeWatch})
	ix, release, err := c.Acquire(t.Context())
	w.must(err)
	w.check(ix)
	ix2, release2, err := c.Acquire(t.Context())
	w.must(err)
	if ix2 != ix {
		t.Fatal("two calls have two indexes")
	}
	old := w.leave()
	texts := old.texts()
	w.come(newTree(t, 20))
	w.checkServed(c)
	for _, end := range []func(){release, release2} {
		page, err := ix.Find(t.Context(), Query{Limit: everything})
		w.must(err)
		if len(page.Rows) != len(texts) {
			t.Errorf("%d rows, of %d documents", len(page.Rows), len(texts))
		}
		row := page.Rows[0]
		w.must(ix.view(t.Context(), func(*db.Snapshot) error {
			text, _, err := ix.ws.Read(row.Path)
			if err == nil && string(text) != texts[row.Path] {
				t.Errorf("%s is another folder's", row.Path)
			}
			return err
		}))
		end()
		end() // of no effect
	}
	c.closings.Wait()
	if _, err := ix.Health(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("after the last call: %v", err)
	}
	w.checkServed(c)
}

// files are the names of all files of the tree, with the times of their last change.
func (w *tree) files() string {
	w.Helper()
	var all strings.Builder
	w.must(filepath.WalkDir(w.root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			all.WriteString(p + " " + info.ModTime().String() + "\n")
		}
		return err
	}))
	return all.String()
}
