package index

import (
	"os"
	"testing"
)

func TestSweep(t *testing.T) {
	t.Parallel()
	const left = "/.issues-index-0123456789abcdef.tmp"
	w := newTree(t, 5)
	w.mkdir("elsewhere")
	w.write("elsewhere/linked.md", w.text("LINK-0001"))
	w.must(os.Symlink("../../elsewhere/linked.md", w.abs(".wrangler/ideas/linked.md")))
	before := w.print()
	for _, dir := range []string{".wrangler/issues/area/deep", "elsewhere"} {
		w.write(dir+left, "half")
	}
	ix, _ := w.open(Options{Mode: ModeVerify, Deferred: true})
	sweep := func(when string, want int) {
		t.Helper()
		if removed, err := ix.Sweep(t.Context()); err != nil || removed != want {
			t.Errorf("%s: removed %d: %v", when, removed, err)
		}
	}
	sweep("once", 2)
	w.check(ix)
	sweep("another time", 0)
	w.untouched(before)
}
