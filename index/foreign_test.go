package index

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"issues-index/migrations"
	"issues-index/store"
	"issues-index/store/storetest"
)

// foreignFiles are things of others that may stand in the place of each of the
// index's files.
var foreignFiles = map[string]func(c *casket, path string){
	"a text":             func(c *casket, path string) { c.replace(path, []byte("My thesis.\n")) },
	"noise":              func(c *casket, path string) { c.replace(path, []byte(strings.Repeat("\x7f\x03noise", 9000))) },
	"a folder":           func(c *casket, path string) { c.must(os.RemoveAll(path)); c.must(os.MkdirAll(path+"/full", 0o755)) },
	"a link to a file":   func(c *casket, path string) { c.link(c.outside("thesis"), path) },
	"a link to nowhere":  func(c *casket, path string) { c.link(filepath.Join(c.outside(""), "none"), path) },
	"a link to a folder": func(c *casket, path string) { c.link(c.outside(""), path) },
}

// link makes a symbolic link in a file's place.
func (c *casket) link(target, path string) {
	c.Helper()
	c.must(os.RemoveAll(path))
	c.must(os.Symlink(target, path))
}

// outside is a file in a folder beside the workspace, "" that folder.
func (c *casket) outside(name string) string {
	c.Helper()
	dir := c.root + "-outside"
	c.must(os.MkdirAll(dir, 0o755))
	if name != "" {
		c.must(os.WriteFile(filepath.Join(dir, name), []byte("Not yours.\n"), 0o644))
	}
	return filepath.Join(dir, name)
}

// contents describes all files below some folders: what they are and what is in them.
func contents(c *casket, dirs ...string) map[string]string {
	c.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		c.must(filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			all[path] = e.Type().String()
			switch e.Type() {
			case 0:
				data, err := os.ReadFile(path)
				all[path] += string(data)
				return err
			case fs.ModeSymlink:
				target, err := os.Readlink(path)
				all[path] += target
				return err
			}
			return nil
		}))
	}
	return all
}

// Whoever put something where the index keeps a file of its own gets it back as it was.
// The index is kept beside it meanwhile.
func TestWhatIsNotOursIsLeftAloneAndTheIndexIsKeptBesideIt(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", ".lock", ".turn"} {
		for name, put := range foreignFiles {
			ofSQLite := suffix != "" && (name == "a text" || name == "noise")
			for _, built := range []bool{false, true} {
				if ofSQLite || suffix == "" && built {
					continue // what is beside the index is its own, and there is no index beside itself
				}
				if !storetest.Long() && rand.IntN(8) > 0 {
					continue
				}
				t.Run(name+" at the index's name"+suffix+map[bool]string{false: "", true: " beside a good index"}[built], func(t *testing.T) {
					t.Parallel()
					c := emptyCasket(t)
					c.outside("thesis")
					if built {
						c.start()
					} else {
						c.mkdir(".wrangler/cache")
					}
					put(c, c.path+suffix)
					before := contents(c, c.outside(""), c.path+suffix)

					ix, log := c.open(Options{})
					c.check(ix)
					if _, err := ix.Rebuild(t.Context()); err != nil {
						t.Errorf("a rebuild says %v", err)
					}
					c.check(ix)
					if h, err := ix.Health(t.Context()); err != nil || h.Path != c.beside() {
						t.Errorf("the index is %s, %v", h.Path, err)
					}
					c.close(ix)
					if l := log.all(); len(l) != 1 || !strings.Contains(l[0], "keeping the index elsewhere") || !strings.Contains(l[0], c.path+suffix) {
						t.Errorf("warnings: %q", l)
					}
					after := contents(c, c.outside(""), c.path+suffix)
					for path, was := range before {
						if after[path] != was {
							t.Errorf("%s was changed", path)
						}
					}
					if len(after) != len(before) {
						t.Errorf("there are %d files, not %d", len(after), len(before))
					}

					c.must(os.RemoveAll(c.path + suffix))
					c.start()
					if left, err := filepath.Glob(c.beside() + "*"); err != nil || slices.ContainsFunc(left, func(path string) bool {
						return !strings.HasSuffix(path, ".lock") && !strings.HasSuffix(path, ".turn")
					}) {
						t.Errorf("left are %v, %v", left, err)
					}
				})
			}
		}
	}
}

// beside is where the index is kept when its own file is another program's.
func (c *casket) beside() string {
	folders, err := json.Marshal(c.collections())
	c.must(err)
	sum := sha256.Sum256(append([]byte(migrations.Digest()), folders...))
	return strings.TrimSuffix(c.path, ".db") + "-" + hex.EncodeToString(sum[:4]) + ".db"
}

// collections are those of the tree's workspace.
func (c *casket) collections() []store.Collection {
	ws, err := store.Open(store.Options{Root: c.root, Getenv: func(string) string { return "" }})
	c.must(err)
	defer ws.Close()
	return ws.Collections
}

func TestIndexIsInMemoryWhereNoPlaceIsOurs(t *testing.T) {
	c := emptyCasket(t)
	c.mkdir(".wrangler/cache/issues-index.db")
	c.mkdir(".wrangler/cache/" + filepath.Base(c.beside()))
	cacheAt(t, filepath.Join(c.root, ".wrangler/issues/DOC-0000.md"))
	c.start()
}

func TestIndexIsNotMadeThroughALinkThatLeadsOut(t *testing.T) {
	c := newCasket(t)
	c.remove(".wrangler/cache")
	c.link(c.outside(""), c.abs(".wrangler/cache"))
	cacheAt(t, t.TempDir())
	ix, _ := c.open(Options{})
	c.check(ix)
	c.close(ix)
	entries, err := os.ReadDir(c.outside(""))
	c.must(err)
	for _, e := range entries {
		t.Errorf("%s was made outside", e.Name())
	}
}

// The root may be named by another path, as the shell does where a link led there.
func TestIndexOfALinkedRootIsNotMadeThroughALinkThatLeadsOut(t *testing.T) {
	c := newCasket(t)
	linked := filepath.Join(t.TempDir(), "linked")
	c.must(os.Symlink(c.root, linked))
	c.remove(".wrangler/cache")
	c.link(c.outside(""), c.abs(".wrangler/cache"))
	ix, log := c.open(Options{Path: filepath.Join(linked, ".wrangler/cache/my.db")})
	c.check(ix)
	c.close(ix)
	if entries, err := os.ReadDir(c.outside("")); err != nil || len(entries) != 0 {
		t.Errorf("outside are %v, %v", entries, err)
	}
	if l := log.all(); len(l) != 1 || !strings.Contains(l[0], "leads out of the workspace") {
		t.Errorf("warnings: %q", l)
	}
}

func TestServerGoesAroundAForeignFileThatAppears(t *testing.T) {
	t.Parallel()
	c := newCasket(t)
	ix, _ := c.open(Options{})
	c.check(ix)
	c.replace(c.path, []byte("My thesis.\n"))
	c.check(ix)
	if data, err := os.ReadFile(c.path); err != nil || string(data) != "My thesis.\n" {
		t.Errorf("the file has %q, %v", data, err)
	}
	c.must(os.Remove(c.path))
	c.check(ix)
	c.close(ix)
	c.start()
}

// Who may not read the documents may not read the index of them.
func TestIndexIsAsPrivateAsTheDocuments(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file has no mode there, but the rights that its folder passes on")
	}
	for name, open := range map[string]func(c *casket) Options{
		"in the workspace":           func(c *casket) Options { return Options{} },
		"where it is asked to":       func(c *casket) Options { return Options{Path: filepath.Join(c.TempDir(), "private.db")} },
		"in the user's cache folder": func(c *casket) Options { c.remove(".wrangler/cache"); c.write(".wrangler/cache", ""); return Options{} },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCasket(t)
			cacheAt(t, t.TempDir())
			c.must(os.Chmod(c.abs(".wrangler/ideas"), 0o750))
			c.must(os.Chmod(c.abs(".wrangler/specifications"), 0o701))
			ix, _ := c.open(open(c))
			c.check(ix)
			h, err := ix.Health(t.Context())
			c.must(err)
			for _, suffix := range []string{"", "-wal", "-shm"} {
				info, err := os.Stat(h.Path + suffix)
				c.must(err)
				if info.Mode().Perm()&0o077 != 0 {
					t.Errorf("%s has the mode %s", info.Name(), info.Mode())
				}
			}
			c.close(ix)
		})
	}
}
