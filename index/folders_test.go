package index

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A noticing context tells when somebody begins to wait for it.
type noticing struct {
	context.Context
	asked chan struct{}
}

func (n *noticing) Done() <-chan struct{} {
	select {
	case n.asked <- struct{}{}:
	default:
	}
	return n.Context.Done()
}

// What the system does not report of single files, it reports of folders; what
// it reports of those is not lost on the way.
func TestFoldersAreWatchedAsTheyCome(t *testing.T) {
	t.Parallel()
	t.Run("also when the workspace has none at first", func(t *testing.T) {
		w := newTree(t, 0)
		w.remove(".wrangler/issues")
		w.remove(".wrangler/specifications")
		w.remove(".wrangler/ideas")
		ix, _ := w.open(Options{})
		w.check(ix)
		w.mkdir(".wrangler/issues/a/b/c")
		w.write(".wrangler/issues/a/b/c/one.md", w.text("ONE-0001"))
		w.check(ix)
		w.write(".wrangler/issues/a/b/c/one.md", w.text("ONE-0001"))
		w.check(ix)
		w.mkdir(".wrangler/ideas")
		w.write(".wrangler/ideas/two.md", w.text("TWO-0001"))
		w.check(ix)
	})

	t.Run("and again each time they go and come", func(t *testing.T) {
		w := newTree(t, 10)
		ix, _ := w.open(Options{})
		for range often(5) {
			w.remove(".wrangler/issues")
			w.mkdir(".wrangler/issues/x/y")
			w.write(".wrangler/issues/x/y/one.md", w.text("ONE-0001"))
			w.check(ix)
			w.write(".wrangler/issues/x/y/one.md", w.text("ONE-0001"))
			w.checkWords(ix)
			w.rename(".wrangler/issues/x", ".wrangler/issues/z")
			w.write(".wrangler/issues/z/y/one.md", w.text("ONE-0001"))
			w.checkWords(ix)
			w.write(".wrangler/issues/z/y/one.md", w.text("ONE-0001"))
			w.checkWords(ix)
		}
	})

	t.Run("until a file takes the place of one, and again when it is a folder", func(t *testing.T) {
		w := newTree(t, 5)
		ix, log := w.open(Options{})
		for range 3 {
			w.mkdir(".wrangler/issues/both.md/inner/deep")
			w.write(".wrangler/issues/both.md/inner/deep/one.md", w.text("ONE-0001"))
			w.check(ix)
			w.remove(".wrangler/issues/both.md")
			w.write(".wrangler/issues/both.md", w.text("BOTH-001"))
			w.check(ix)
			w.write(".wrangler/issues/both.md", w.text("BOTH-001"))
			w.check(ix)
			w.remove(".wrangler/issues/both.md")
		}
		w.must(os.Symlink("round", w.abs(".wrangler/issues/round")))
		w.check(ix)
		if l := log.all(); len(l) > 0 {
			t.Errorf("warnings: %q", l)
		}
	})

	t.Run("a read that began before the index was open waits for the events, too", func(t *testing.T) {
		w := newTree(t, 10)
		ix, _ := w.open(Options{})
		opened := w.watching(ix)
		ix.sync <- struct{}{} // it is still opening
		ix.setWatcher(nil)
		resume := opened.Pause()
		w.mkdir(".wrangler/issues/new")
		w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))

		waits := &noticing{Context: t.Context(), asked: make(chan struct{}, 100)}
		read := make(chan error, 1)
		go func() {
			got, err := answersOf(waits, ix, nil)
			if d := difference(got, asRead(w.texts(), nil)); err == nil && d != "" {
				err = errors.New(d)
			}
			read <- err
		}()
		<-waits.asked // for the lock
		ix.setWatcher(opened)
		ix.unlock()
		stacks := make([]byte, 1<<20)
		waiting := func() bool { // in the index, not the watcher's own goroutine
			all := string(stacks[:runtime.Stack(stacks, true)])
			return slices.ContainsFunc(strings.Split(all, "\n\n"), func(one string) bool {
				return strings.Contains(one, "watch.(*Watcher).Barrier(") && strings.Contains(one, "index.(*Index).CatchUp")
			})
		}
		for len(read) == 0 && !waiting() {
			runtime.Gosched()
		}
		resume()
		if err := <-read; err != nil {
			t.Error(err)
		}
	})

	t.Run("a read that is given up leaves the rest as it was", func(t *testing.T) {
		w := newTree(t, 10)
		ix, _ := w.open(Options{})
		w.checkWords(ix)
		w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
		w.rename(".wrangler/issues/area", ".wrangler/issues/moved")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := answersOf(ctx, ix, nil); err == nil {
			t.Error("it answered")
		}
		w.check(ix)
	})
}

// The text is as long as before, and a program may set the times back, so that
// nothing but the event tells.
func TestEditRightAfterAChangeOfThisProcessIsSeen(t *testing.T) {
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
