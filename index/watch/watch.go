// Package watch turns the system's file events into the paths of documents that may
// have changed, and proves with a read barrier that it has seen every change.
//
// It knows nothing of the index. Its invariants: after Barrier, Take returns every
// change that was finished before Barrier was called; a Watcher that lost events
// fails for good, and its owner makes a new one and compares all files.
package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"issues-index/store"
	"issues-index/store/cachedir"
)

// barrierTimeout bounds the wait for the event of the server's own mark. It
// takes well under a millisecond; a watcher that needs this long is broken.
const barrierTimeout = 5 * time.Second

// settle is how long the watcher is quiet before changes that no call has
// asked for are applied.
const settle = 50 * time.Millisecond

var errBroken = errors.New("the file watcher does not answer")

// ErrUnordered is for systems whose events of different folders come in no known
// order, so that a mark proves nothing.
var ErrUnordered = errors.New("this system reports changes in no known order")

// A Watcher collects what has changed below the collections. The system
// queues its events in the order in which they happened, across all folders of
// one watcher: once the server's own mark has come through, everything that
// was finished before the mark was made has come through too. That is the
// read barrier.
type Watcher struct {
	ws      *store.Workspace
	log     *slog.Logger
	settled func()

	fs       *fsnotify.Watcher
	mark     *os.File // unlinked: nothing stays behind, and its events still come
	markName string
	marks    *cachedir.Dir

	collecting sync.Mutex // held while an event is handled
	adding     sync.Mutex // held while a watch is added or dropped, with what dirs says of it

	mu      sync.Mutex
	dirs    map[string]folder      // watched folders, by their names relative to the root
	names   map[folder]string      // the same by the folders, each of which has one watch
	listed  store.Folders          // by the last walk
	links   map[string]os.FileInfo // see FollowLink
	changes Changes
	current *round
	next    *round
	broken  error
}

// Changes is what a Watcher has collected.
type Changes struct {
	Files   map[string]fsnotify.Op // documents that may have changed, with all events about them
	Folders bool                   // a folder came, went or moved
}

// Add adds a document that may have changed.
func (c *Changes) Add(path string) { c.add(path, fsnotify.Write) }

func (c *Changes) add(path string, events fsnotify.Op) {
	if c.Files == nil {
		c.Files = map[string]fsnotify.Op{}
	}
	c.Files[path] |= events
}

// Merge adds other changes.
func (c *Changes) Merge(other Changes) {
	for path, events := range other.Files {
		c.add(path, events)
	}
	c.Folders = c.Folders || other.Folders
}

// A round is one write to the mark and the callers that wait for its event.
type round struct {
	done chan struct{}
	err  error
}

// New starts to watch the folders that lead to the collections; List adds the rest.
// marks is a folder of the program's own on a local disk; the watcher closes it.
// settled is called when changes have come and no more follow for a moment.
func New(ws *store.Workspace, marks *cachedir.Dir, log *slog.Logger, settled func()) (*Watcher, error) {
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a file watcher: %w", err), marks.Close())
	}
	w := &Watcher{
		ws: ws, log: log, settled: settled, fs: fs, marks: marks,
		dirs: map[string]folder{}, names: map[folder]string{}, links: map[string]os.FileInfo{},
	}
	if err := w.start(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	go w.run()
	return w, nil
}

func (w *Watcher) start() error {
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

// Close ends the watching.
func (w *Watcher) Close() error {
	err := errors.Join(w.fs.Close(), w.marks.Close())
	if w.mark != nil {
		err = errors.Join(err, w.mark.Close())
	}
	return err
}

// Barrier returns once every change that was finished before the call has been
// collected. Callers at the same time share a round.
func (w *Watcher) Barrier(ctx context.Context) error {
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
		w.Fail(errBroken)
		return errBroken
	}
}

// send makes the mark. The caller holds the mutex.
func (w *Watcher) send() {
	if _, err := w.mark.WriteAt([]byte{'.'}, 0); err != nil {
		w.current.err = fmt.Errorf("write the watcher's mark: %w", err)
		w.finish()
	}
}

// finish ends the current round and starts the next. The caller holds the mutex.
func (w *Watcher) finish() {
	if w.current == nil {
		return
	}
	close(w.current.done)
	w.current, w.next = w.next, nil
	if w.current != nil {
		w.send()
	}
}

// Fail gives the watcher up for good: all present and later callers of Barrier get the error.
func (w *Watcher) Fail(err error) {
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

// Err returns why the watcher does not work any more, nil while it does.
func (w *Watcher) Err() error {
	w.checkChains()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}

// Take returns the changes that were collected since the last Take.
func (w *Watcher) Take() Changes {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.changes
	w.changes = Changes{}
	return taken
}

// Waiting is how many documents may have changed that nobody has taken yet, as far as the
// system has told; a change of a folder counts as very many.
func (w *Watcher) Waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changes.Folders {
		return math.MaxInt
	}
	return len(w.changes.Files)
}

// GiveBack returns changes that were taken and could not be applied.
func (w *Watcher) GiveBack(c Changes) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changes.Merge(c)
}

// Pause stops the collecting of events until resume is called. The system queues them
// meanwhile, and drops them when the queue is full. It is for tests.
func (w *Watcher) Pause() (resume func()) {
	w.collecting.Lock()
	return w.collecting.Unlock
}

// run collects events until the watcher is closed.
func (w *Watcher) run() {
	quiet := time.NewTimer(settle)
	quiet.Stop()
	defer quiet.Stop()
	for {
		select {
		case event, ok := <-w.fs.Events:
			if !ok {
				w.Fail(fmt.Errorf("%w: it was closed", errBroken))
				return
			}
			w.collecting.Lock()
			if w.handle(event) {
				quiet.Reset(settle)
			}
			w.collecting.Unlock()
		case err, ok := <-w.fs.Errors:
			if !ok {
				w.Fail(fmt.Errorf("%w: it was closed", errBroken))
				return
			}
			// Events were lost, perhaps that of the mark or those of folders that
			// moved: only a new watcher and a comparison of all files are safe.
			w.Fail(fmt.Errorf("%w: %w", errBroken, err))
		case <-quiet.C:
			w.settled()
		}
	}
}

// handle notes what an event means; it reports whether it means a change. A folder
// may have several names: it may be watched by one of them and listed by another.
func (w *Watcher) handle(event fsnotify.Event) bool {
	if event.Name == w.markName {
		if event.Has(fsnotify.Write) {
			w.mu.Lock()
			w.finish()
			w.mu.Unlock()
		}
		return false
	}
	if event.Name == w.marks.Path() && (event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)) {
		w.Fail(fmt.Errorf("%w: its folder was deleted", errBroken))
		return false
	}
	name, err := filepath.Rel(w.ws.Root, event.Name)
	if err != nil {
		return false
	}
	name = filepath.ToSlash(name)
	changed := w.collect(name, event)
	w.mu.Lock()
	folders := w.listed
	w.mu.Unlock()
	if listed := w.ws.ListedAs(folders, name); listed != name {
		changed = w.collect(listed, event) || changed
	}
	return changed
}

// collect notes what an event means for a name.
func (w *Watcher) collect(name string, event fsnotify.Event) bool {
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
		w.FollowLink(name)
		if info, err := os.Stat(w.absolute(name)); err == nil && info.IsDir() {
			// Watched at once, so that what happens in it from now on is seen;
			// what is in it already is found by the scan.
			w.unwatch(name)
			if err := w.watch(name); err != nil {
				w.Fail(err)
			}
			w.noteFolders()
			return true
		}
	}
	if _, ok := w.ws.CollectionOf(name); !ok {
		return false
	}
	w.mu.Lock()
	w.changes.add(name, event.Op)
	w.mu.Unlock()
	return true
}

func (w *Watcher) noteFolders() {
	w.mu.Lock()
	w.changes.Folders = true
	w.mu.Unlock()
}

// leads reports whether a folder of this name is above, at or below a collection.
func (w *Watcher) leads(name string) bool {
	for _, c := range w.ws.Collections {
		if name == c.Dir || c.Dir == "." || strings.HasPrefix(c.Dir, name+"/") || strings.HasPrefix(name, c.Dir+"/") {
			return true
		}
	}
	return false
}
