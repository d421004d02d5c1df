// Package index is the SQLite index over a workspace's documents: it builds the
// index, keeps it in step with the files, and answers every query from it.
//
// It knows nothing of MCP or of how answers are worded, and it never writes to
// a document. Its invariants: the files are the only truth, and whatever is
// wrong with the index file is mended by rebuilding it; a row never goes back to
// an older state of its file; a read sees every change of a file that was
// finished before the read was asked for (in poll mode, before the last scan; what
// causes no events is seen after the first read that comes CacheTTL after the last scan); an index that has followed any changes
// is what one built from the files would be, but for the numbers that ids have had and
// the cursors of clients.
package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"issues-index/index/db"
	"issues-index/index/watch"
	"issues-index/store"
	"issues-index/store/cachedir"
)

// Options says where an index lies and how it is kept fresh.
type Options struct {
	// Path of the index file; "" is DefaultPath in the workspace.
	Path string
	// Mode is how changes of files are noticed.
	Mode Mode
	// CacheTTL is the longest time between two scans in ModePoll, 0 for DefaultCacheTTL.
	CacheTTL time.Duration
	// LockWait is how long the index waits for another process that has locked it, 0
	// for db.DefaultLockWait.
	LockWait time.Duration
	// Log defaults to no log.
	Log *slog.Logger
	// Now defaults to time.Now.
	Now func() time.Time
	// Progress, if not nil, is told how many of the files that have changed the index
	// has taken in, while there are many: of all files when it is built.
	Progress func(done, total int)
	// Deferred leaves the index closed until the first call that needs it.
	Deferred bool
}

// DefaultCacheTTL is how old an answer may be where no watcher can be had.
const DefaultCacheTTL = time.Minute

// DefaultPath is where an index lies in its workspace.
const DefaultPath = db.DefaultPath

// A LockedError says that another program holds one of the index's locks and did not
// let go in time.
type LockedError = db.LockedError

// An Index serves one workspace. Its methods may be called from several
// goroutines at once, and several processes may serve one workspace.
type Index struct {
	ws      *store.Workspace
	options Options
	log     *slog.Logger
	now     func() time.Time

	engine engine
	work   workload
	// searches are those that are under way: maxSearches at most.
	searches chan struct{}

	losesCursors atomic.Bool // the last one could not be stored

	// life ends when the index is closed.
	life context.Context
	end  context.CancelFunc

	// sync is held by who brings the index up to date. A channel, so that
	// waiting for it can be given up.
	sync chan struct{}

	// What follows is changed under sync only.
	prepares preparer
	opener   *db.Opener
	mode     Mode
	reason   string // why the mode is not ModeWatch
	scanned  time.Time
	stale    bool          // all files must be compared before the next answer
	left     store.Listing // temporary files found by the last scan, see Sweep
	folders  store.Folders // that the last comparison listed
	own      watch.SelfEvents
	// unmerged says that words were written since the full-text table was merged.
	unmerged bool
	closed   bool

	// use is held for reading by who reads from db, and for writing, besides
	// sync, to replace it or what belongs to it.
	use     sync.RWMutex
	db      *db.DB
	watcher *watch.Watcher
}

// Open serves a workspace. It returns at once and opens the index in the
// background; the first call waits for it.
func Open(ctx context.Context, ws *store.Workspace, o Options) (*Index, error) {
	if err := registerHits(); err != nil {
		return nil, fmt.Errorf("prepare to search: %w", err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.CacheTTL == 0 {
		o.CacheTTL = DefaultCacheTTL
	}
	if o.LockWait == 0 {
		o.LockWait = db.DefaultLockWait
	}
	ix := &Index{
		ws: ws, options: o, log: o.Log, now: o.Now, engine: engine{now: o.Now},
		prepares: preparer{ws: ws}, sync: make(chan struct{}, 1), searches: make(chan struct{}, maxSearches),
		opener: db.NewOpener(ws, db.Options{Path: o.Path, LockWait: o.LockWait, Log: o.Log, Now: o.Now}),
	}
	ix.life, ix.end = context.WithCancel(context.WithoutCancel(ctx))
	if !o.Deferred {
		ix.sync <- struct{}{} // before any call can take it
		go func() {
			defer ix.unlock()
			if err := ix.recover(ix.life, ix.open(ix.life)); err != nil && ix.life.Err() == nil && !reported(err) {
				ix.log.Error("open the index", "error", err)
			}
		}()
	}
	return ix, nil
}

// maxSearches of the readers search at once: other searches wait, and leave connections
// to the calls that read a few rows.
const maxSearches = db.MaxReaders / 2

// reported reports whether each call is going to get an error, so that it need not be
// logged.
func reported(err error) bool {
	var foreign *cachedir.ForeignError
	var held *LockedError
	return errors.As(err, &foreign) || errors.As(err, &held)
}

// Workspace returns the workspace that the index serves.
func (ix *Index) Workspace() *store.Workspace { return ix.ws }

func (ix *Index) lock(ctx context.Context) error {
	select {
	case ix.sync <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ix.behind(ctx.Err())
	}
}

func (ix *Index) unlock() {
	ix.work.end()
	<-ix.sync
}

// open opens the index, or opens it again after it was replaced or damaged. The
// caller holds sync.
func (ix *Index) open(ctx context.Context) error {
	_, err := ix.reopen(ctx, false, nil)
	return err
}

// reopen opens the index; rebuild builds it anew first.
func (ix *Index) reopen(ctx context.Context, rebuild bool, progress func(done, total int)) (s Summary, err error) {
	if ix.closed {
		return Summary{}, errClosed
	}
	if err := ix.ws.InPlace(); err != nil { // the path would lead to another folder's index
		return Summary{}, err
	}
	if err := ix.disconnect(); err != nil {
		ix.log.Warn("close the old index", "error", err)
	}
	started := time.Now()
	opened, err := ix.opener.Open(ctx, rebuild, fillFrom(ix.ws, &s, ix.reporting(progress)))
	if err != nil {
		return Summary{}, err
	}
	s.Seconds = time.Since(started).Seconds()
	ix.use.Lock()
	ix.db = opened
	ix.use.Unlock()
	ix.stale, ix.own = true, nil
	return s, ix.catchUp(ctx)
}

// disconnect closes the index's file, if it is open.
func (ix *Index) disconnect() error {
	ix.use.Lock()
	open := ix.db
	ix.db = nil
	ix.use.Unlock()
	if open == nil {
		return nil
	}
	return open.Close()
}

var errClosed = errors.New("the index is closed")

// Close releases the index.
func (ix *Index) Close() error {
	ix.end()
	ix.sync <- struct{}{}
	defer ix.unlock()
	if ix.closed {
		return nil
	}
	ix.closed = true
	var err error
	if ix.watcher != nil {
		err = ix.watcher.Close()
	}
	return errors.Join(err, ix.disconnect())
}
