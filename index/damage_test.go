package index

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"issues-index/index/db"
	"issues-index/migrations"
	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/storetest"
)

// A casket is a tree whose index nobody has open.
type casket struct {
	*tree
	path   string
	prints map[string]string
}

func newCasket(t *testing.T) *casket {
	c := emptyCasket(t)
	c.start()
	return c
}

// emptyCasket is one without an index yet.
func emptyCasket(t *testing.T) *casket {
	w := newTree(t, 10)
	return &casket{tree: w, path: w.abs(DefaultPath), prints: w.print()}
}

// start serves the tree once: all answers must be those of the files, and no
// file may be touched.
func (c *casket) start() {
	c.Helper()
	ix, _ := c.open(Options{})
	c.check(ix)
	sound(c.TB, ix)
	c.close(ix)
	c.untouched(c.prints)
}

// location is where the index lies, for its locks.
func (w *tree) location() *db.Location {
	w.Helper()
	dir, err := cachedir.Open(w.abs(store.CacheDir), 0o777)
	w.must(err)
	l, err := db.NewLocation(dir, filepath.Base(DefaultPath))
	w.must(err)
	w.Cleanup(func() { w.must(l.Close()) })
	return l
}

// damage changes the index file's bytes where it lies.
func (c *casket) damage(change func(data []byte) []byte) {
	c.Helper()
	data, err := os.ReadFile(c.path)
	c.must(err)
	c.overwrite(c.path, change(data))
}

// overwrite writes to a file without replacing it.
func (c *casket) overwrite(path string, data []byte) {
	c.Helper()
	c.must(os.WriteFile(path, data, 0o644))
}

// replace puts a new file in a file's place.
func (c *casket) replace(path string, data []byte) {
	c.Helper()
	c.must(os.RemoveAll(path))
	c.must(os.WriteFile(path, data, 0o644))
}

// flipped is data with a bit of one byte turned, somewhere in what is used.
func flipped(r *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	for at := r.IntN(len(data)); ; at = r.IntN(len(data)) {
		if data[at] != 0 {
			data[at] ^= 1 << r.IntN(8)
			return data
		}
	}
}

// database makes an SQLite file of statements.
func (c *casket) database(path string, statements ...string) {
	c.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(60000)") // a server may be writing
	c.must(err)
	defer db.Close()
	for _, s := range statements {
		_, err := db.Exec(s)
		c.must(err)
	}
}

// startCut cuts the file where each of its pages begins and where it ends, and starts
// after each cut. Without -long it takes the first two pages, a random ninth of the
// others, and the end.
func (c *casket) startCut(r *rand.Rand) {
	c.Helper()
	taken := r.IntN(9)
	for page, done := 0, false; !done; page++ {
		at := 4096 * page
		info, err := os.Stat(c.path)
		c.must(err)
		done = at >= int(info.Size())
		if !done && page > 1 && page%9 != taken && !storetest.Long() {
			continue
		}
		c.damage(func(data []byte) []byte { return data[:min(at, len(data))] })
		c.start()
	}
}

func TestIndexFileThatIsNotAsItWasLeft(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 50000)
	for i := range noise {
		noise[i] = byte(i * i >> 3)
	}
	ours := fmt.Sprintf(`PRAGMA application_id = %d`, migrations.ApplicationID)
	for name, damage := range storetest.Few(map[string]func(c *casket){
		"it is deleted":                func(c *casket) { c.must(os.Remove(c.path)) },
		"its folder is deleted":        func(c *casket) { c.must(os.RemoveAll(filepath.Dir(c.path))) },
		"it is empty":                  func(c *casket) { c.replace(c.path, nil) },
		"it is emptied":                func(c *casket) { c.overwrite(c.path, nil) },
		"it is overwritten with noise": func(c *casket) { c.overwrite(c.path, noise) },
		"it begins as it did":          func(c *casket) { c.damage(func(data []byte) []byte { return append(data[:8192:8192], noise...) }) },
		"it has grown":                 func(c *casket) { c.damage(func(data []byte) []byte { return append(data, noise...) }) },
		"it is one of ours without tables": func(c *casket) {
			c.must(os.Remove(c.path))
			c.database(c.path, ours, fmt.Sprintf(`PRAGMA user_version = %d`, migrations.Version))
		},
		"it is of an older version": func(c *casket) { c.database(c.path, fmt.Sprintf(`PRAGMA user_version = %d`, migrations.Version-1)) },
		"it is of a newer version":  func(c *casket) { c.database(c.path, fmt.Sprintf(`PRAGMA user_version = %d`, migrations.Version+1)) },
		"it is another workspace's": func(c *casket) {
			c.remove(".wrangler/cache")
			c.must(os.CopyFS(c.abs(".wrangler/cache"), os.DirFS(filepath.Dir(otherIndex(t)))))
		},
		"an empty log lies beside it": func(c *casket) { c.replace(c.path+"-wal", nil) },
		"only its log is left":        func(c *casket) { c.must(os.Rename(c.path, c.path+"-wal")) },
	}, 3) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCasket(t)
			damage(c)
			c.start()
			c.start()
		})
	}

	t.Run("it is cut at any page", func(t *testing.T) {
		t.Parallel()
		newCasket(t).startCut(seeded(t))
	})
}

func TestIndexThatIsDamagedWhileItServes(t *testing.T) {
	t.Parallel()
	for name, damage := range storetest.Few(map[string]func(c *casket){
		"its file is deleted": func(c *casket) { c.must(os.Remove(c.path)) },
		"its files are deleted": func(c *casket) {
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if err := os.Remove(c.path + suffix); !errors.Is(err, fs.ErrNotExist) {
					c.must(err)
				}
			}
		},
		"its folder is deleted":                 func(c *casket) { c.remove(".wrangler/cache") },
		"its folder is renamed":                 func(c *casket) { c.rename(".wrangler/cache", ".wrangler/cache-2"); c.remove(".wrangler/cache-2") },
		"its file is replaced by another index": func(c *casket) { c.must(os.Rename(otherIndex(t), c.path)) },
		"its locks are deleted":                 func(c *casket) { c.remove(DefaultPath + ".lock"); c.remove(DefaultPath + ".turn") },
	}, 2) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTree(t, 10)
			c := &casket{tree: w, path: w.abs(DefaultPath)}
			first, _ := w.open(Options{})
			second, _ := w.open(Options{})
			w.check(first)
			w.check(second)
			for range 2 {
				damage(c)
				w.check(first)
				w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
				w.check(second)
				w.remove(".wrangler/ideas/DOC-0004.md")
				w.check(first)
				w.write(".wrangler/ideas/DOC-0004.md", w.text("DOC-0004"))
			}
			w.check(second)
			sound(t, first)
			w.close(first)
			w.close(second)
			c.prints = w.print()
			c.start()
		})
	}
}

// otherIndex makes the index of another workspace, and returns its path.
func otherIndex(t *testing.T) string {
	t.Helper()
	other := newTree(t, 30)
	ix, _ := other.open(Options{})
	other.check(ix)
	other.close(ix)
	return other.abs(DefaultPath)
}
