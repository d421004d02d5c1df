package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"issues-index/store"
	"issues-index/store/cachedir"
)

// barrierTimeout bounds the wait for the server's own mark to come back. It
// takes well under a millisecond; a watcher that needs this long is broken.
const barrierTimeout = 5 * time.Second

// settle is how long the watcher is quiet before changes that no call has
// asked for are applied.
const settle = 50 * time.Millisecond

var errWatchBroken = errors.New("the file watcher does not answer")

// A watcher collects what has changed below the collections. The system
// queues its events in the order in which they happened, across all folders of
// one watcher: once the server's own mark has come through, everything that
// was finished before the mark was made has come through too. That is the
// read barrier.
type watcher struct {
	ws   *store.Workspace
	log  *slog.Logger
	wake func() // called when changes have settled

	fs       *fsnotify.Watcher
	mark     *os.File // unlinked: nothing stays behind, and its events still come
	markName string
	marks    *cachedir.Dir

	adding sync.Mutex // held while a watch is added or dropped, with what dirs says of it

	mu      sync.Mutex
	dirs    map[string]folder      // watched folders, by their names relative to the root
	names   map[folder]string      // the same by the folders, each of which has one watch
	listed  store.Folders          // by the last walk
	links   map[string]os.FileInfo // see followLink
	files   map[string]fsnotify.Op // documents that may have changed, and all that was told of them
	folders bool                   // a folder came, went or moved, or events were lost
	current *round
	next    *round
	broken  error
}

// A round is one trip of the mark, and everyone who waits for it.
type round struct {
	done chan struct{}
	err  error
}

// newWatcher starts to watch the folders that lead to the collections; watch
// adds the rest. marks is a folder of our own on a local disk; the watcher closes it.
func newWatcher(ws *store.Workspace, marks *cachedir.Dir, log *slog.Logger, wake func()) (*watcher, error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a file watcher: %w", err), marks.Close())
	}
	w := &watcher{
		ws: ws, log: log, wake: wake, fs: fs, marks: marks,
		dirs: map[string]folder{}, names: map[folder]string{}, links: map[string]os.FileInfo{}, files: map[string]fsnotify.Op{},
	}
	if err := w.start(); err != nil {
		return nil, errors.Join(err, w.close())
	}
	go w.run()
	return w, nil
}

func (w *watcher) start() error {
	mark, name, err := w.marks.CreateUnique("mark-")
	if err != nil {
		return fmt.Errorf("make the watcher's mark: %w", err)
	}
	w.mark, w.markName = mark, w.marks.Join(name)
	if err := w.fs.Add(w.marks.Path()); err != nil {
		return fmt.Errorf("watch %s: %w", w.marks.Path(), err)
	}
	// Whatever link leads to this folder: its watch stays the mark's.
	if name, err := filepath.Rel(w.ws.Root, w.marks.Path()); err == nil {
		name = filepath.ToSlash(name)
		if found, err := w.folderAt(name); err == nil {
			w.names[found] = name
		}
	}
	if err := w.marks.Discard(name); err != nil {
		return fmt.Errorf("unlink the watcher's mark: %w", err)
	}
	return w.watchChains()
}

func (w *watcher) close() error {
	err := errors.Join(w.fs.Close(), w.marks.Close())
	if w.mark != nil {
		err = errors.Join(err, w.mark.Close())
	}
	return err
}

// barrier returns once every change that was finished before the call has been
// collected. Callers at the same time share a trip of the mark.
func (w *watcher) barrier(ctx context.Context) error {
	w.mu.Lock()
	if w.broken != nil {
		defer w.mu.Unlock()
		return w.broken
	}
	var r *round
	if w.current == nil {
		r = &round{done: make(chan struct{})}
		w.current = r
		w.send()
	} else {
		// The mark under way was made before this call began: it may not prove
		// enough. The next one will.
		if w.next == nil {
			w.next = &round{done: make(chan struct{})}
		}
		r = w.next
	}
	w.mu.Unlock()
	timeout := time.NewTimer(barrierTimeout)
	defer timeout.Stop()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	case <-timeout.C:
		w.fail(errWatchBroken)
		return errWatchBroken
	}
}

// send makes the mark. The caller holds the mutex.
func (w *watcher) send() {
	if _, err := w.mark.WriteAt([]byte{'.'}, 0); err != nil {
		w.current.err = fmt.Errorf("write the watcher's mark: %w", err)
		w.finish()
	}
}

// finish ends the current round and starts the next. The caller holds the mutex.
func (w *watcher) finish() {
	if w.current == nil {
		return
	}
	close(w.current.done)
	w.current, w.next = w.next, nil
	if w.current != nil {
		w.send()
	}
}

// fail gives the watcher up for good: everyone who waits, and who will, is told.
func (w *watcher) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return
	}
	w.broken = err
	for _, r := range []*round{w.current, w.next} {
		if r != nil {
			r.err = err
			close(r.done)
		}
	}
	w.current, w.next = nil, nil
}

// take hands over what has been collected.
func (w *watcher) take() (files map[string]fsnotify.Op, folders bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	files, folders = w.files, w.folders
	w.files, w.folders = map[string]fsnotify.Op{}, false
	return files, folders
}

// giveBack returns what was taken and could not be applied.
func (w *watcher) giveBack(files map[string]fsnotify.Op, folders bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for file, told := range files {
		w.files[file] |= told
	}
	w.folders = w.folders || folders
}

// run collects events until the watcher is closed.
func (w *watcher) run() {
	quiet := time.NewTimer(settle)
	quiet.Stop()
	defer quiet.Stop()
	for {
		select {
		case event, ok := <-w.fs.Events:
			if !ok {
				w.fail(fmt.Errorf("%w: it was closed", errWatchBroken))
				return
			}
			if event.Name == w.markName {
				if event.Has(fsnotify.Write) {
					w.mu.Lock()
					w.finish()
					w.mu.Unlock()
				}
				continue
			}
			if w.collect(event) {
				quiet.Reset(settle)
			}
		case err, ok := <-w.fs.Errors:
			if !ok {
				w.fail(fmt.Errorf("%w: it was closed", errWatchBroken))
				return
			}
			// Events were lost, the mark's perhaps among them, and so are folders
			// that moved: only a new watcher and a look at everything is safe.
			w.fail(fmt.Errorf("%w: %w", errWatchBroken, err))
		case <-quiet.C:
			w.wake()
		}
	}
}

// collect notes what an event means; it reports whether it means anything. A folder
// with several names is watched by one of them and listed by another, perhaps.
func (w *watcher) collect(event fsnotify.Event) bool {
	if event.Name == w.marks.Path() && (event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)) {
		w.fail(fmt.Errorf("%w: its folder was deleted", errWatchBroken))
		return false
	}
	name, err := filepath.Rel(w.ws.Root, event.Name)
	if err != nil {
		return false
	}
	name = filepath.ToSlash(name)
	means := w.collectAs(name, event)
	w.mu.Lock()
	folders := w.listed
	w.mu.Unlock()
	if listed := w.ws.ListedAs(folders, name); listed != name {
		means = w.collectAs(listed, event) || means
	}
	return means
}

// collectAs notes what an event means that tells of a name.
func (w *watcher) collectAs(name string, event fsnotify.Event) bool {
	if event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
		if w.watches(name) {
			w.unwatch(name)
			w.noteFolders()
			return true
		}
	}
	// A folder whose rights changed may be open to us only now.
	opened := event.Has(fsnotify.Chmod) && !w.watches(name)
	if (event.Has(fsnotify.Create) || opened) && w.leads(name) {
		w.followLink(name)
		if info, err := os.Stat(w.absolute(name)); err == nil && info.IsDir() {
			// Watched at once, so that what happens in it from now on is seen;
			// what is in it already is found by the scan.
			w.unwatch(name)
			if err := w.watch(name); err != nil {
				w.fail(err)
			}
			w.noteFolders()
			return true
		}
	}
	if _, ok := w.ws.CollectionOf(name); !ok {
		return false
	}
	w.mu.Lock()
	w.files[name] |= event.Op
	w.mu.Unlock()
	return true
}

func (w *watcher) noteFolders() {
	w.mu.Lock()
	w.folders = true
	w.mu.Unlock()
}

// leads reports whether a folder of this name is above, at or below a collection.
func (w *watcher) leads(name string) bool {
	for _, c := range w.ws.Collections {
		if name == c.Dir || c.Dir == "." || strings.HasPrefix(c.Dir, name+"/") || strings.HasPrefix(name, c.Dir+"/") {
			return true
		}
	}
	return false
}
