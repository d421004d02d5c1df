package index

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/fsnotify/fsnotify"

	"issues-index/store"
)

// What the watcher tells of a change of our own is no news, and everything else
// is, whatever the times of the file say.
func TestOwnChanges(t *testing.T) {
	const path = ".wrangler/issues/DOC-0000.md"
	for _, c := range []struct {
		name string
		told fsnotify.Op
		gone bool // when it was indexed
		then func(w *tree)
		news bool
	}{
		{name: "a file that came and is as indexed", told: fsnotify.Create},
		{name: "a file that left and is gone", told: fsnotify.Rename, gone: true, then: func(w *tree) { w.remove(path) }},
		{name: "a file that was deleted and is gone", told: fsnotify.Remove, gone: true, then: func(w *tree) { w.remove(path) }},

		{name: "a file that came and was written to, however it looks", told: fsnotify.Create | fsnotify.Write, news: true},
		{name: "a file that was written to, however it looks", told: fsnotify.Write, news: true},
		{name: "a file whose rights changed", told: fsnotify.Create | fsnotify.Chmod, news: true},
		{name: "a file that came and looks different", told: fsnotify.Create, news: true,
			then: func(w *tree) { w.write(path, w.text("DOC-0000")+"more\n") }},
		{name: "a file that came and is gone", told: fsnotify.Create, news: true, then: func(w *tree) { w.remove(path) }},
		{name: "a file that left and is there again", told: fsnotify.Rename, gone: true, news: true},
		{name: "a file that left after it was indexed", told: fsnotify.Remove, news: true, then: func(w *tree) { w.remove(path) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newTree(t, 1)
			ix, _ := w.open(Options{Mode: ModeVerify})
			defer w.close(ix)
			var own ownChanges
			stat, err := ix.ws.Stat(path)
			w.must(err)
			indexed := &candidate{path: path, now: &record{file: store.File{Stat: stat}}}
			if c.gone {
				indexed.now = nil
			}
			own.note([]*candidate{indexed})
			if c.then != nil {
				c.then(w)
			}
			files := map[string]fsnotify.Op{path: c.told, "another.md": fsnotify.Create}
			own.drop(ix.ws, files)
			want := []string{"another.md"}
			if c.news {
				want = []string{path, "another.md"}
			}
			slices.Sort(want)
			if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
				t.Errorf("news of %v, want %v", got, want)
			}
			if len(own) != 0 {
				t.Errorf("%v is waited for still", own)
			}
		})
	}

	t.Run("those that nobody tells of do not pile up", func(t *testing.T) {
		var own ownChanges
		for range 10 * maxOwn {
			own.note([]*candidate{{path: "a.md"}, {path: "b.md"}})
		}
		for i := range 10 * maxOwn {
			own.note([]*candidate{{path: string(rune('a' + i))}})
		}
		if len(own) > maxOwn {
			t.Errorf("%d are kept", len(own))
		}
	})
}

// The text is as long as before, and a program may set the times back, so that
// nothing but the event tells.
func TestEditRightAfterAnOwnChange(t *testing.T) {
	w := newTree(t, 5)
	ix, _ := w.open(Options{})
	defer w.close(ix)
	w.check(ix)
	const path = ".wrangler/issues/DOC-0000.md"
	for range 20 {
		w.rename(path, ".wrangler/issues/away")
		w.write(path, w.text("DOC-0000"))
		w.must(os.Remove(w.abs(".wrangler/issues/away")))
		w.must(ix.Refresh(t.Context(), path))
		info, err := os.Stat(w.abs(path))
		w.must(err)
		w.write(path, w.text("DOC-0000"))
		w.must(os.Chtimes(w.abs(path), info.ModTime(), info.ModTime()))
		w.check(ix)
	}
}
