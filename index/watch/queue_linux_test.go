package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

func newTestQueue(t *testing.T) (q *queue, dir string) {
	t.Helper()
	q, err := newQueue(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.close() }) // the test may have done it
	return q, t.TempDir()
}

// A drain that took what comes meanwhile would not end here.
func TestADrainReadsWhatIsQueuedWhenItBegins(t *testing.T) {
	q, dir := newTestQueue(t)
	if _, err := q.add(dir); err != nil {
		t.Fatal(err)
	}
	touch := func(name string) {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	touch("a")
	var names []string
	drain := func() {
		if err := q.drain(true, func(e heard) {
			names = append(names, e.name)
			touch(e.name + "a")
		}); err != nil {
			t.Fatal(err)
		}
	}
	drain()
	drain()
	if want := []string{"a", "aa"}; !slices.Equal(names, want) {
		t.Errorf("two drains read %q, want %q", names, want)
	}
}

// What a folder's watch is called is no one's to change: by another name it is the same, and
// after it was removed it is another.
func TestAFolderHasOneWatch(t *testing.T) {
	q, dir := newTestQueue(t)
	folder, link := filepath.Join(dir, "folder"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(folder, 0o755), os.Symlink("folder", link)); err != nil {
		t.Fatal(err)
	}
	first, err := q.add(folder)
	same, err2 := q.add(link)
	q.remove(first)
	other, err3 := q.add(folder)
	if err := errors.Join(err, err2, err3); err != nil || same != first || other == first {
		t.Errorf("the watches are %d, %d by a link, %d after the removal; %v", first, same, other, err)
	}
	if _, err := q.add(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of no folder: %v", err)
	}
}

// A descriptor that is used after it was closed may be another file's by then.
func TestAQueueIsClosedWhileItIsUsed(t *testing.T) {
	q, dir := newTestQueue(t)
	var users sync.WaitGroup
	waiting := make(chan struct{})
	users.Go(func() {
		var once sync.Once
		if err := q.wait(func() bool { once.Do(func() { close(waiting) }); return false }); err == nil {
			t.Error("a wait that is given up tells of no error")
		}
	})
	<-waiting
	users.Go(func() {
		for {
			if err := q.drain(true, func(heard) {}); err != nil {
				if !errors.Is(err, os.ErrClosed) {
					t.Error(err)
				}
				return
			}
		}
	})
	if err := q.close(); err != nil {
		t.Error(err)
	}
	users.Wait()
	if _, err := q.add(dir); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed queue adds: %v", err)
	}
}
