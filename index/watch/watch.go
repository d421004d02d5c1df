// Package watch turns the system's file events into the paths of documents that may
// have changed, and proves with a read barrier that it has seen every change.
//
// It knows nothing of the index. Its invariants: after Barrier, Collected returns every
// change that was finished before Barrier was called; a Watcher that lost events
// fails for good, and its owner makes a new one and compares all files.
//
// On Linux they hold for these reasons. It queues an event inside the call that makes the
// change, before that returns, for every kind of call: what was finished when a Barrier
// began has its events in the queue by then. The Barrier reads as many bytes as the queue
// held at its beginning, so that a program that never stops writing does not hold it up.
// One lock is held from the reading of events until they are noted: events that another
// goroutine has read are noted, too, when the Barrier has the lock. A full queue ends with an
// event that says so, which fails the watcher. An event names its folder by the number of
// the watch. No number is given twice while the system has not counted through an int32, and
// a watch is on a folder, whatever its name: names says which one the watch was made by. Once
// that name is not the folder's any more, the watch is dropped, never renamed, and all
// folders are listed again, so that events with the old number are of no account.
//
// On Windows one watch tells of all folders, in the order of the changes. A Barrier makes a file, and
// reads until it is told of that. Events name files and folders by their paths; where the folder of
// a path is not known, all folders are listed again. What is behind a link is not watched there.
//
// Writes through mapped memory, what is mounted over a folder, and what others change on a
// network or below an overlay cause no events: the owner compares all files now and then.
package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"issues-index/store"
)

// quietTime is how long the watcher is quiet before changes that no call has
// asked for are applied.
const quietTime = 50 * time.Millisecond

var (
	errBroken  = errors.New("the file watcher does not answer")
	errDropped = errors.New("some were dropped, since there were too many") // of a queue
)

// An UnprovenError says why no reading of the system's events proves that it has told of all
// changes.
type UnprovenError struct{ Err error }

func (e *UnprovenError) Error() string { return e.Err.Error() }

func (e *UnprovenError) Unwrap() error { return e.Err }

// Events are kinds of what has happened to a file or folder.
type Events uint8

// Each of the Events.
const (
	Came    Events = 1 << iota // it was made here, moved here, or got this name
	Left                       // it was deleted, moved away, or lost this name
	Written                    // its content
	Altered                    // its rights, times or number of names
)

// heard is what the system's queue says of one change.
type heard struct {
	watch  int32
	name   string // of what is in the watched folder, "" for the folder itself
	events Events
}

// everywhere is the watch of a queue that has one on all folders. Its names are relative to the
// root, "" for a change whose place is not known.
const everywhere int32 = 0

// A Watcher collects what has changed below the collections.
type Watcher struct {
	ws    *store.Workspace
	log   *slog.Logger
	queue *queue
	quiet *time.Timer // calls settled

	collecting sync.Mutex // held while events are read and handled
	adding     sync.Mutex // held while a watch is added or dropped, with what dirs says of it

	mu      sync.Mutex
	dirs    map[string]watched     // by their names relative to the root
	names   map[int32]string       // the same by their watches; each folder has one
	links   map[string]os.FileInfo // see FollowLink
	changes Changes
	broken  error
}

// Changes is what a Watcher has collected.
type Changes struct {
	Files   map[string]Events // documents that may have changed, with all events about them
	Folders bool              // a folder came, went or moved
}

// Add adds a document that may have changed.
func (c *Changes) Add(path string) { c.add(path, Written) }

func (c *Changes) add(path string, events Events) {
	if c.Files == nil {
		c.Files = map[string]Events{}
	}
	c.Files[path] |= events
}

// New starts to watch the folders that lead to the collections; List adds the rest.
// settled is called when changes have come and no more follow for a moment.
func New(ws *store.Workspace, log *slog.Logger, settled func()) (*Watcher, error) {
	q, err := newQueue(ws)
	if err != nil {
		return nil, fmt.Errorf("start a file watcher: %w", err)
	}
	w := &Watcher{
		ws: ws, log: log, queue: q, quiet: time.AfterFunc(math.MaxInt64, settled),
		dirs: map[string]watched{}, names: map[int32]string{}, links: map[string]os.FileInfo{},
	}
	if err := w.watchChains(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	go w.run()
	return w, nil
}

// Close ends the watching.
func (w *Watcher) Close() error {
	w.quiet.Stop()
	return w.queue.close()
}

// Barrier returns once every change that was finished before the call has been
// collected. An error means that events are lost: the watcher has failed.
func (w *Watcher) Barrier() error { return w.drain(true) }

// drain collects what the system has told of, with proof all that was finished before the call.
func (w *Watcher) drain(proof bool) error {
	w.collecting.Lock()
	defer w.collecting.Unlock()
	w.mu.Lock()
	broken := w.broken
	w.mu.Unlock()
	if broken != nil {
		return broken
	}
	changed := false
	err := w.queue.drain(proof, func(e heard) { changed = w.handle(e) || changed })
	if changed {
		w.quiet.Reset(quietTime)
	}
	if err != nil {
		w.Fail(fmt.Errorf("%w: %w", errBroken, err))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}

// Fail gives the watcher up for good: all later callers of Barrier get the error.
func (w *Watcher) Fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken == nil {
		w.broken = err
	}
}

// Err returns why the watcher does not work any more, nil while it does.
func (w *Watcher) Err() error {
	w.checkChains()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}

// Collected returns the changes that were collected since the last Collected.
func (w *Watcher) Collected() Changes {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.changes
	w.changes = Changes{}
	return taken
}

// Waiting reports whether there are changes that were not taken yet, as far as the system has told.
func (w *Watcher) Waiting() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changes.Folders || len(w.changes.Files) > 0
}

// GiveBack returns changes that were taken and could not be applied.
func (w *Watcher) GiveBack(c Changes) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for path, events := range c.Files {
		w.changes.add(path, events)
	}
	w.changes.Folders = w.changes.Folders || c.Folders
}

// Pause stops the collecting of events until resume is called. The system queues them
// meanwhile, and drops them when the queue is full. It is for tests.
func (w *Watcher) Pause() (resume func()) {
	w.collecting.Lock()
	return w.collecting.Unlock
}

// run collects events that no call asks for, until the watcher is closed or has failed.
func (w *Watcher) run() {
	err := w.queue.wait(func() bool { return w.drain(false) != nil })
	w.Fail(fmt.Errorf("%w: it was closed: %w", errBroken, err))
}

// handle notes what an event means; it reports whether it means a change.
func (w *Watcher) handle(e heard) bool {
	if e.watch == everywhere {
		dir := path.Dir(e.name)
		_, listed := w.ws.CollectionOf(dir + "/any.md")
		if e.name == "" || listed && !w.watches(dir) {
			w.noteFolders() // the folder is new, or has another name
			return true
		}
		return w.collect(e.name, e.events)
	}
	w.mu.Lock()
	dir, known := w.names[e.watch]
	w.mu.Unlock()
	return known && w.collect(path.Join(dir, e.name), e.events)
}

// collect notes what an event means for a name.
func (w *Watcher) collect(name string, events Events) bool {
	if events&Left != 0 && w.watches(name) {
		w.unwatch(name)
		w.noteFolders()
		return true
	}
	// A folder whose rights changed may be open to us only now.
	opened := events&Altered != 0 && !w.watches(name)
	if (events&Came != 0 || opened) && w.leads(name) {
		w.FollowLink(name)
		if info, err := os.Stat(w.absolute(name)); err == nil && info.IsDir() {
			// Watched at once, so that what happens in it from now on is seen;
			// what is in it already is found by the scan.
			w.unwatch(name)
			if !w.isLinkBelow(name) {
				if err := w.watch(name); err != nil {
					w.Fail(err)
				}
			}
			w.noteFolders()
			return true
		}
	}
	if _, ok := w.ws.CollectionOf(name); !ok {
		return false
	}
	w.mu.Lock()
	w.changes.add(name, events)
	w.mu.Unlock()
	return true
}

// isLinkBelow reports whether a name below a collection is a link to a folder, which no walk
// follows.
func (w *Watcher) isLinkBelow(name string) bool {
	info, err := os.Lstat(w.absolute(name))
	return err == nil && info.Mode()&fs.ModeSymlink != 0 && !slices.Contains(chains(w.ws), name)
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
