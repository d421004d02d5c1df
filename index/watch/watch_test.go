package watch

import (
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"issues-index/store"
)

// A tree is a workspace on disk that a test changes.
type tree struct {
	testing.TB
	root string
	ws   *store.Workspace
}

func newTree(t testing.TB, dirs ...string) *tree {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	w := &tree{TB: t, root: root}
	w.must(err)
	w.must(os.MkdirAll(w.abs(".wrangler/issues"), 0o755))
	for _, dir := range dirs {
		w.must(os.MkdirAll(w.abs(dir), 0o755))
	}
	w.ws, err = store.Open(store.Options{Root: root, Getenv: func(string) string { return "" }})
	w.must(err)
	t.Cleanup(func() { w.must(w.ws.Close()) })
	return w
}

func (w *tree) abs(p string) string { return filepath.Join(w.root, filepath.FromSlash(p)) }

func (w *tree) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *tree) write(p, text string) {
	w.Helper()
	w.must(os.WriteFile(w.abs(p), []byte(text), 0o644))
}

// watcher starts a watcher of the tree, which calls settled.
func (w *tree) watcher(settled func()) *Watcher {
	w.Helper()
	if err := Supported(w.ws); err != nil {
		w.Skip(err)
	}
	watcher, err := New(w.ws, slog.New(slog.DiscardHandler), settled)
	w.must(err)
	w.Cleanup(func() { w.must(watcher.Close()) })
	return watcher
}

// The system watches folders, not names. A scan may find a folder under its new name
// before the watcher hears that the old name is gone and drops that watch.
func TestFolderThatAScanFindsBeforeItsEvents(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]string{
		"in a folder that was not watched yet": ".wrangler/issues/new/inner/moved",
		"beside where it was":                  ".wrangler/issues/moved",
	} {
		t.Run("is watched "+name, func(t *testing.T) {
			t.Parallel()
			w := newTree(t, ".wrangler/issues/old/sub", ".wrangler/issues/new/inner")
			watcher := w.watcher(func() {})
			watch := func(dirs ...string) {
				for _, dir := range dirs {
					w.must(watcher.watch(dir))
					_, err := os.ReadDir(w.abs(dir)) // as the scan does: Wine watches what was opened
					w.must(err)
				}
			}
			watch(".wrangler/issues", ".wrangler/issues/old", ".wrangler/issues/old/sub")
			resume := watcher.Pause()
			w.must(os.Rename(w.abs(".wrangler/issues/old"), w.abs(to)))
			watch(path.Dir(path.Dir(to)), path.Dir(to), to, to+"/sub")
			resume()
			w.must(watcher.Barrier())
			watch(to, to+"/sub") // as the scan does that follows the events
			watcher.Collected()
			for _, p := range []string{to + "/one.md", to + "/sub/two.md"} {
				w.write(p, "B")
				w.must(watcher.Barrier())
				if changes := watcher.Collected(); len(changes.Files) != 1 && !changes.Folders {
					t.Errorf("after a write to %s the changes are %v", p, changes)
				}
			}
		})
	}
}

// One folder that has become something else must not end the watching of all others.
func TestWatchPassesOverWhatIsNoFolder(t *testing.T) {
	t.Parallel()
	w := newTree(t)
	watcher := w.watcher(func() {})
	w.write(".wrangler/issues/was-folder.md", "a file by now")
	w.must(os.Symlink("loop", w.abs(".wrangler/issues/loop")))
	for _, dir := range []string{
		".wrangler/issues/never-was", ".wrangler/issues/was-folder.md/inner", ".wrangler/issues/loop", ".wrangler/issues/loop/inner",
	} {
		if err := watcher.watch(dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		if watcher.watches(dir) {
			t.Errorf("%s is watched", dir)
		}
	}
	w.must(watcher.Err())
}

func TestSelfEvents(t *testing.T) {
	const path = ".wrangler/issues/DOC-0000.md"
	for _, c := range []struct {
		name   string
		events Events
		gone   bool // when it was indexed
		then   func(w *tree)
		kept   bool
	}{
		{name: "a file that came and is as indexed", events: Came},
		{name: "a file that left and is gone", events: Left, gone: true, then: func(w *tree) { w.must(os.Remove(w.abs(path))) }},

		{name: "a file that came and was written to, however it looks", events: Came | Written, kept: true},
		{name: "a file that was written to, however it looks", events: Written, kept: true},
		{name: "a file whose rights changed", events: Came | Altered, kept: true},
		{name: "a file that came and looks different", events: Came, kept: true, then: func(w *tree) { w.write(path, "longer than before") }},
		{name: "a file that came and is gone", events: Came, kept: true, then: func(w *tree) { w.must(os.Remove(w.abs(path))) }},
		{name: "a file that left and is there again", events: Left, gone: true, kept: true},
		{name: "a file that left after it was indexed", events: Left, kept: true, then: func(w *tree) { w.must(os.Remove(w.abs(path))) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newTree(t)
			w.write(path, "text")
			indexed, err := w.ws.Stat(path)
			w.must(err)
			if c.gone {
				indexed = store.Stat{}
			}
			var own SelfEvents
			own.Note(path, indexed)
			if c.then != nil {
				c.then(w)
			}
			changes := Changes{Files: map[string]Events{path: c.events, "another.md": Came}}
			own.Drop(w.ws, changes)
			want := []string{"another.md"}
			if c.kept {
				want = []string{path, "another.md"}
			}
			slices.Sort(want)
			if got := slices.Sorted(maps.Keys(changes.Files)); !slices.Equal(got, want) {
				t.Errorf("the changes are %v, want %v", got, want)
			}
			if len(own) != 0 {
				t.Errorf("%v is still expected", own)
			}
		})
	}

	t.Run("files without events do not pile up", func(t *testing.T) {
		var own SelfEvents
		for i := range 10 * maxSelfEvents {
			own.Note(string(rune('a'+i)), store.Stat{})
		}
		if len(own) > maxSelfEvents {
			t.Errorf("%d are kept", len(own))
		}
	})
}

func BenchmarkBarrier(b *testing.B) {
	for name, change := range map[string]func(w *tree){
		"nothing has changed": func(*tree) {},
		"a file has changed":  func(w *tree) { w.must(os.Chmod(w.abs(".wrangler/issues/a.md"), 0o600)) },
	} {
		b.Run(name, func(b *testing.B) {
			w := newTree(b)
			w.write(".wrangler/issues/a.md", "A")
			watcher := w.watcher(func() {})
			for b.Loop() {
				change(w)
				w.must(watcher.Barrier())
			}
		})
	}
}
