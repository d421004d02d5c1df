package index

import (
	"os"
	"testing"
)

// One folder that has become something else must not end the watching of all
// others: answers would be as old as the CacheTTL from then on.
func TestFoldersThatCannotBeWatchedEndNoWatching(t *testing.T) {
	t.Parallel()
	w := newTree(t, 3)
	ix, _ := w.open(Options{})
	w.check(ix)
	watcher := w.watching(ix)
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
	w.check(ix)
	if h, err := ix.Health(t.Context()); err != nil || h.Freshness != "watch" {
		t.Errorf("health says %+v, %v", h, err)
	}
}
