package index

import (
	"errors"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"issues-index/index/watch"
)

// A sharedClock is moved by the test alone, while servers read it.
type sharedClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *sharedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *sharedClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// watching returns an index's watcher, after a read.
func (w *tree) watching(ix *Index) *watch.Watcher {
	w.Helper()
	w.checkWords(ix)
	if ix.currentWatcher() == nil {
		w.Skip("this system's changes cannot be watched")
	}
	return ix.currentWatcher()
}

// lastScan is when all files were last compared.
func (ix *Index) lastScan() time.Time {
	ix.sync <- struct{}{}
	defer ix.unlock()
	return ix.scanned
}

// errLost is why a test fails a watcher.
var errLost = errors.New("events were lost")

func TestWatcherThatLosesEvents(t *testing.T) {
	t.Parallel()
	t.Run("more changes than the system queues are found by one scan", func(t *testing.T) {
		w := newTree(t, 20)
		c := &sharedClock{now: time.Now()}
		ix, log := w.open(Options{Now: c.Now})
		broken := w.watching(ix)

		limit := queueLimit()
		if limit == 0 {
			t.Skip("how many events this system queues is not known, or too many to fill")
		}
		resume := broken.Pause()
		w.remove(".wrangler/ideas/DOC-0004.md") // in the queue
		w.overflow(limit)
		w.rename(".wrangler/issues/area", ".wrangler/issues/moved") // lost, as all that follows
		w.write(".wrangler/issues/moved/deep/new.md", w.text("NEW-0001"))
		w.remove(".wrangler/issues/DOC-0010.md")
		resume()

		w.check(ix)
		if w.watching(ix) == broken {
			t.Fatal("no event was lost: the test proves nothing")
		}
		if l := log.all(); len(l) > 0 {
			t.Errorf("warnings: %q", l)
		}

		t.Run("which causes no further one", func(t *testing.T) {
			scanned, watcher := ix.lastScan(), ix.currentWatcher()
			for range 5 {
				c.advance(time.Second)
				w.check(ix)
			}
			if ix.lastScan() != scanned || ix.currentWatcher() != watcher {
				t.Error("reads alone made it compare all files again")
			}
		})

		t.Run("and the new watcher watches every folder", func(t *testing.T) {
			scanned := ix.lastScan()
			for _, p := range w.paths() {
				c.advance(time.Second)
				w.write(p, w.text("DOC-0000"))
				w.check(ix)
			}
			if ix.lastScan() != scanned {
				t.Error("an edit made it compare all files")
			}
		})
	})

	t.Run("a watcher that fails is replaced, as often as it does", func(t *testing.T) {
		w := newTree(t, 10)
		ix, log := w.open(Options{})
		for range 5 {
			failed := w.watching(ix)
			failed.Fail(errLost)
			w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
			w.check(ix)
			if w.watching(ix) == failed {
				t.Fatal("the failed watcher is used on")
			}
		}
		if l := log.all(); len(l) > 0 {
			t.Errorf("warnings: %q", l)
		}
	})

	t.Run("one that fails while reads wait for it fails none of them", func(t *testing.T) {
		w := newTree(t, 10)
		ix, _ := w.open(Options{})
		failed := w.watching(ix)
		resume := failed.Pause() // what it has to prove cannot come through
		var wg sync.WaitGroup
		errs := make(chan error, 8)
		for range cap(errs) {
			wg.Go(func() {
				_, err := answersOf(t.Context(), ix, nil)
				errs <- err
			})
		}
		w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
		resume()
		failed.Fail(errLost)
		wg.Wait()
		close(errs)
		for err := range errs {
			if err != nil {
				t.Error(err)
			}
		}
		w.check(ix)
	})
}

// overflow makes more events than a queue holds whose collector is held up: the system drops
// those that follow.
func (w *tree) overflow(limit int) {
	w.Helper()
	one, other := w.abs(".wrangler/issues/one.txt"), w.abs(".wrangler/issues/other.txt")
	for range limit/2 + 5000 { // like events in a row count as one
		w.must(errors.Join(os.WriteFile(one, nil, 0o600), os.WriteFile(other, nil, 0o600)))
	}
	w.must(errors.Join(os.Remove(one), os.Remove(other)))
}

// queueLimit is how many events the system keeps for a watcher, 0 when that is not known or
// too many to fill.
func queueLimit() int {
	if runtime.GOOS == "windows" {
		return 16384
	}
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		return 0
	}
	limit := 0
	for _, digit := range strings.TrimSpace(string(text)) {
		limit = limit*10 + int(digit-'0')
	}
	if limit > 100000 {
		return 0
	}
	return limit
}

// Each change of documents is found by what the system has told. Only what happens to folders and
// links has all files compared.
func TestWatchedDocumentsAreNotCompared(t *testing.T) {
	t.Parallel()
	w := newTree(t, 15)
	c := &sharedClock{now: time.Now()}
	ix, _ := w.open(Options{Now: c.Now})
	h := newHand(w, seeded(t))
	w.watching(ix)
	compared, changes := 0, 0
	for _, kind := range kinds {
		folders, scanned := h.folders(), ix.lastScan()
		c.advance(time.Millisecond)
		kind.change(h)
		w.check(ix)
		if strings.Contains(kind.name, "link") || !slices.Equal(folders, h.folders()) {
			continue
		}
		changes++
		if ix.lastScan() != scanned {
			compared++
			t.Errorf("%s: all files were compared", kind.name)
		}
	}
	t.Logf("%d comparisons of all files for %d changes of documents", compared, changes)
}

func TestPolling(t *testing.T) {
	t.Parallel()
	t.Run("compares files once a while", func(t *testing.T) {
		w := newTree(t, 10)
		c := &sharedClock{now: time.Now()}
		ix, _ := w.open(Options{Now: c.Now, CacheTTL: time.Minute, Mode: ModePoll})
		w.check(ix)
		h, err := ix.Health(t.Context())
		w.must(err)
		if h.Freshness != "poll" {
			t.Errorf("health says %+v", h)
		}

		before := w.texts()
		w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
		w.remove(".wrangler/ideas/DOC-0004.md")
		w.write(".wrangler/ideas/new.md", w.text("NEW-0001"))
		c.advance(59 * time.Second)
		got, err := answersOf(t.Context(), ix, nil)
		w.must(err)
		if d := difference(got, asRead(before, nil)); d != "" {
			t.Errorf("within the time, files were compared again:\n%s", d)
		}
		c.advance(time.Second)
		w.check(ix)
		c.advance(30 * time.Second) // the time starts again
		before = w.texts()
		w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
		got, err = answersOf(t.Context(), ix, nil)
		w.must(err)
		if d := difference(got, asRead(before, nil)); d != "" {
			t.Errorf("half the time later, files were compared again:\n%s", d)
		}
		c.advance(30 * time.Second)
		w.check(ix)
	})

	t.Run("compares files when the clock has been set back", func(t *testing.T) {
		w := newTree(t, 10)
		c := &sharedClock{now: time.Now()}
		ix, _ := w.open(Options{Now: c.Now, Mode: ModePoll})
		w.check(ix)
		w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
		c.advance(-time.Hour)
		w.check(ix)
	})
}

func TestWatchingIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := newTree(t, 10)
	c := &sharedClock{now: time.Now()}
	var log strings.Builder
	ix, err := openAt(w.root, Options{Now: c.Now, Log: slog.New(slog.NewTextHandler(&log, nil))}, nil)
	w.must(err)
	defer w.close(ix)
	w.watching(ix)
	w.must(ix.lock(t.Context()))
	ix.giveUpWatching(errLost)
	ix.unlock()
	freshness := func() string {
		h, err := ix.Health(t.Context())
		w.must(err)
		return h.Freshness + h.Reason
	}
	if f := freshness(); f != "poll"+errLost.Error() {
		t.Errorf("before the next poll, health says %s", f)
	}
	c.advance(DefaultCacheTTL)
	w.check(ix)
	if f := freshness(); f != "watch" {
		t.Errorf("after the next poll, health says %s", f)
	}
	w.write(".wrangler/issues/DOC-0000.md", w.text("DOC-0000"))
	w.check(ix)
	if n := strings.Count(log.String(), "watching files is possible again"); n != 1 {
		t.Errorf("the log says so %d times:\n%s", n, log.String())
	}
}

// What no event tells of is found by comparing all files now and then.
func TestChangesWithoutEventsAreSeenAfterTheCacheTTL(t *testing.T) {
	t.Parallel()
	const document = ".wrangler/issues/DOC-0000.md"
	w := newTree(t, 10)
	c := &sharedClock{now: time.Now()}
	ix, _ := w.open(Options{Now: c.Now})
	w.watching(ix)
	outside := w.abs("outside.md")
	w.must(os.Link(w.abs(document), outside)) // which no watched folder tells of
	w.write("outside.md", w.text("DOC-0000"))
	c.advance(DefaultCacheTTL)
	_, err := ix.Health(t.Context()) // this call begins the comparison
	w.must(err)
	w.check(ix)
	w.write("outside.md", w.text("DOC-0000")) // it is known to have other names now
	w.check(ix)
}

// One folder that has become something else must not end the watching of all
// others: answers would be as old as the CacheTTL from then on.
func TestFoldersThatCannotBeWatchedEndNoWatching(t *testing.T) {
	t.Parallel()
	w := newTree(t, 3)
	ix, _ := w.open(Options{})
	w.check(ix)
	w.watching(ix)
	w.write(".wrangler/issues/was-folder.md", "a file by now")
	w.must(os.Symlink("loop", w.abs(".wrangler/issues/loop")))
	w.mkdir(".wrangler/issues/becomes-file")
	w.remove(".wrangler/issues/becomes-file")
	w.write(".wrangler/issues/becomes-file", "no document")
	w.check(ix)
	if h, err := ix.Health(t.Context()); err != nil || h.Freshness != "watch" {
		t.Errorf("health says %+v, %v", h, err)
	}
}
