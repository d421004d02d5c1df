package index

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"issues-index/index/db"
)

// cacheAt makes a folder the user's cache folder.
func cacheAt(t *testing.T, dir string) {
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	t.Setenv("LocalAppData", dir)
}

// servedFrom checks that an index is served, and from where.
func (w *tree) servedFrom(ix *Index) string {
	w.Helper()
	w.check(ix)
	w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
	w.check(ix)
	h, err := ix.Health(w.Context())
	w.must(err)
	return h.Path
}

func TestWhereTheIndexLies(t *testing.T) {
	t.Run("in the workspace, in a folder that git ignores", func(t *testing.T) {
		w := newTree(t, 10)
		ix, log := w.open(Options{})
		if at := w.servedFrom(ix); at != w.abs(DefaultPath) {
			t.Errorf("at %s", at)
		}
		if text := w.read(".wrangler/cache/.gitignore"); text != "*\n" {
			t.Errorf(".gitignore says %q", text)
		}
		if l := log.all(); len(l) > 0 {
			t.Errorf("warnings: %q", l)
		}
	})

	t.Run("where a collection holds it, and its own writes are no changes", func(t *testing.T) {
		w := newTree(t, 0)
		w.write("NOTE-001.md", w.text("NOTE-001"))
		c := &sharedClock{now: time.Now()}
		ix, _ := w.openWith(Options{Now: c.Now}, map[string]string{"WRANGLER_ISSUES_DIRECTORY": "."})
		titles := func() (all []string) {
			page, err := ix.Find(t.Context(), Query{Limit: everything})
			w.must(err)
			for _, r := range page.Rows {
				all = append(all, r.Path+" "+r.Title)
			}
			return all
		}
		titles()
		scanned := ix.lastScan()
		for n := range 20 {
			c.advance(time.Second)
			text := w.text("NOTE-001")
			w.write("NOTE-001.md", text)
			if got := titles(); len(got) != 1 || got[0] != "NOTE-001.md "+plainOf("", text).Title {
				t.Fatalf("edit %d: %q", n, got)
			}
		}
		if ix.currentWatcher() != nil && ix.lastScan() != scanned { // else each read compares them
			t.Error("its own writes made it compare all files")
		}
	})

	t.Run("where it is asked to", func(t *testing.T) {
		w := newTree(t, 10)
		name := "of # my? %41 own.db"
		if runtime.GOOS == "windows" {
			name = strings.ReplaceAll(name, "?", "") // No name has one there.
		}
		path := filepath.Join(t.TempDir(), "a folder", name)
		for range 2 {
			ix, log := w.open(Options{Path: path})
			if at := w.servedFrom(ix); at != path {
				t.Errorf("at %s", at)
			}
			w.close(ix)
			if l := log.all(); len(l) > 0 {
				t.Errorf("warnings: %q", l)
			}
		}
		if _, err := os.Stat(w.abs(".wrangler/cache")); !os.IsNotExist(err) {
			t.Errorf("the workspace has a cache: %v", err)
		}
	})

	t.Run("in the user's cache folder when the workspace cannot be written, with one warning", func(t *testing.T) {
		w := newTree(t, 10)
		w.write(".wrangler/cache", "a file in the folder's place")
		cache := t.TempDir()
		cacheAt(t, cache)
		ix, log := w.open(Options{})
		if at := w.servedFrom(ix); !strings.HasPrefix(at, cache) {
			t.Errorf("at %s", at)
		}
		if _, err := ix.Rebuild(t.Context()); err != nil {
			t.Error(err)
		}
		w.check(ix)
		if l := log.all(); len(l) != 1 || !strings.Contains(l[0], cache) {
			t.Errorf("warnings: %q", l)
		}

		t.Run("which other servers share, and another workspace does not", func(t *testing.T) {
			second, _ := w.open(Options{})
			other := newTree(t, 15)
			other.write(".wrangler/cache", "a file in the folder's place")
			third, _ := other.open(Options{})
			at, besides, apart := w.servedFrom(ix), w.servedFrom(second), other.servedFrom(third)
			if at != besides || at == apart {
				t.Errorf("at %s, %s and %s", at, besides, apart)
			}
		})
	})

	t.Run("in the user's cache folder, where those are deleted that have not changed for a month", func(t *testing.T) {
		cacheAt(t, t.TempDir())
		at := func(days int) string {
			w := newTree(t, 1)
			w.write(".wrangler/cache", "a file in the folder's place")
			ix, _ := w.open(Options{})
			path := w.servedFrom(ix)
			if days == 0 {
				return path // and in use
			}
			w.close(ix)
			opened := time.Now().AddDate(0, 0, -days)
			w.must(os.Chtimes(path, opened, opened))
			return path
		}
		inUse, recent, forgotten := at(0), at(20), at(40)
		old := time.Now().AddDate(0, 0, -40)
		if err := os.Chtimes(inUse, old, old); err != nil {
			t.Fatal(err)
		}
		at(0)
		for path, kept := range map[string]bool{inUse: true, recent: true, forgotten: false} {
			if _, err := os.Stat(path); (err == nil) != kept {
				t.Errorf("%s: kept %t, %v", path, kept, err)
			}
		}
	})

	t.Run("in memory when nothing can be written, with one warning", func(t *testing.T) {
		for name, asked := range map[string]string{"by default": "", "or not where asked": filepath.Join(t.TempDir(), "file", "my.db")} {
			t.Run(name, func(t *testing.T) {
				w := newTree(t, 10)
				w.write(".wrangler/cache", "a file in the folder's place")
				nowhere := filepath.Join(t.TempDir(), "file")
				w.must(os.WriteFile(nowhere, nil, 0o644))
				cacheAt(t, nowhere)
				if asked != "" {
					w.must(os.WriteFile(filepath.Dir(asked), nil, 0o644))
				}
				ix, log := w.open(Options{Path: asked})
				if at := w.servedFrom(ix); at != db.MemoryPath {
					t.Errorf("at %s", at)
				}
				if _, err := ix.Rebuild(t.Context()); err != nil {
					t.Error(err)
				}
				w.check(ix)
				sound(t, ix)
				if l := log.all(); len(l) != 1 || !strings.Contains(l[0], "memory") {
					t.Errorf("warnings: %q", l)
				}
			})
		}
	})

	t.Run("not where the permissions forbid it", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("a mode takes away no right there")
		}
		if os.Getuid() == 0 {
			t.Skip("permissions do not bind the superuser, who runs this test")
		}
		w := newTree(t, 10)
		w.mkdir(".wrangler/cache")
		w.must(os.Chmod(w.abs(".wrangler/cache"), 0o500))
		defer os.Chmod(w.abs(".wrangler/cache"), 0o700)
		cache := t.TempDir()
		cacheAt(t, cache)
		ix, log := w.open(Options{})
		if at := w.servedFrom(ix); !strings.HasPrefix(at, cache) {
			t.Errorf("at %s", at)
		}
		if l := log.all(); len(l) != 1 {
			t.Errorf("warnings: %q", l)
		}
	})

	t.Run("outside a folder that has no documents, which stays as it is", func(t *testing.T) {
		w := newTree(t, 0)
		w.remove(".wrangler")
		cache := t.TempDir()
		cacheAt(t, cache)
		ix, log := w.open(Options{})
		w.check(ix)
		if h, err := ix.Health(t.Context()); err != nil || !strings.HasPrefix(h.Path, cache) {
			t.Errorf("at %s, %v", h.Path, err)
		}
		if entries, err := os.ReadDir(w.root); err != nil || len(entries) > 0 {
			t.Errorf("the folder has %v, %v", entries, err)
		}
		if l := log.all(); len(l) > 0 {
			t.Errorf("warnings: %q", l)
		}
	})

	t.Run("apart from that of a folder that was at the same path before", func(t *testing.T) {
		w := newTree(t, 0)
		cacheAt(t, t.TempDir())
		highest := func() int {
			t.Helper()
			w.remove(".wrangler")
			w.mkdir("docs")
			ix, _ := w.openWith(Options{Mode: ModeVerify}, map[string]string{"WRANGLER_ISSUES_DIRECTORY": "later"})
			p, err := ix.CreateConstraints(t.Context(), "issue", "issue", "new")
			w.must(err)
			w.mkdir("later")
			w.write("later/ISS-000041.md", w.text("ISS-000041"))
			_, err = ix.Find(t.Context(), Query{Limit: 1})
			w.must(err)
			w.close(ix)
			w.remove("later")
			return p.Highest
		}
		if n := highest(); n != 0 {
			t.Errorf("of a new folder, the highest number is %d", n)
		}
		if n := highest(); n != 41 {
			t.Errorf("of the same folder, the highest number is %d", n)
		}
		w.must(os.RemoveAll(w.root))
		w.must(os.Mkdir(w.root, 0o755))
		if n := highest(); n != 0 {
			t.Errorf("of another folder at its path, the highest number is %d", n)
		}
	})

	t.Run("elsewhere while the whole .wrangler folder is gone", func(t *testing.T) {
		w := newTree(t, 10)
		cacheAt(t, t.TempDir())
		ix, _ := w.open(Options{})
		w.check(ix)
		for range 3 {
			w.rename(".wrangler", "away")
			w.check(ix)
			w.rename("away", ".wrangler")
			w.check(ix)
			w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
			w.check(ix)
		}
	})
}

// Where the write-ahead log cannot work, changes go to the file at once: here
// the log is turned off by hand.
func TestWithoutAWriteAheadLog(t *testing.T) {
	t.Parallel()
	w := newTree(t, 10)
	ix, _ := w.open(Options{})
	w.check(ix)
	ix.db.Read.SetMaxIdleConns(0)
	if _, err := ix.db.Write.Exec(`PRAGMA journal_mode = DELETE`); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
		w.check(ix)
	}
	sound(t, ix)
	built := ix.engine.build.generation
	w.close(ix)
	if again, _ := w.open(Options{}); generation(t, w.servedFrom(again)) != built {
		t.Error("the next start has built it again")
	}
}
