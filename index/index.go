// Package index answers queries about a workspace's documents from an SQLite index, which
// it builds and keeps in step with the files.
//
// It knows nothing of MCP or of how answers are worded, and it never writes to a document.
// Its invariants:
//   - The files are the only truth. Whatever is wrong with the index file, it is built again.
//   - A row never goes back to an older state of its file.
//   - Every call sees all changes of files made before it, no matter who made them. In
//     ModePoll it sees those before the last scan; changes that cause no events are seen
//     by the first call after CacheTTL.
//   - After any changes the index is what a new one built from the files would be, except
//     for the numbers that ids have had and the cursors of clients.
package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"issues-index/index/claims"
	"issues-index/index/db"
	"issues-index/index/watch"
	"issues-index/store"
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
	// Progress, if not nil, is called with the number of files that are done and of all
	// that have changed, while there are many.
	Progress func(done, total int)
	// Team has to agree to claims and numbers, if there is one.
	Team claims.TeamOptions
	// Deferred leaves the index closed until the first call that needs it, as ModeVerify does.
	Deferred bool
	// Small keeps less in memory, at some cost of speed, where many indexes are open.
	Small bool
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

	engine     engine
	work       workload
	subscribed subscriptions

	// life ends when the index is closed.
	life context.Context
	end  context.CancelFunc

	// sync is held while the index is brought up to date. It is a channel, so that
	// waiting for it can be given up.
	sync chan struct{}

	// The following fields are changed under sync only.
	opener  *db.Opener
	mode    Mode
	reason  string // why the mode is not ModeWatch
	scanned time.Time
	commit  string         // as of which documents without a time of their own are dated
	stale   bool           // all files must be compared before the next answer
	ahead   *listingAhead  // for the next comparison of all files, nil for none
	left    *store.Listing // what the last comparison saw of killed writers, for Sweep; nil for none yet
	own     watch.SelfEvents
	// unmerged says that words were written since the full-text table was merged.
	unmerged bool
	closed   bool

	// unwatched says that the index may have documents whose edits no watch reports: their files
	// are looked at before each answer. A Snapshot tells of those that come later.
	unwatched atomic.Bool

	// use is held for reading while db is read from, and for writing, besides sync, to
	// replace db, watcher or engine.build.
	use     sync.RWMutex
	db      *db.DB
	watcher *watch.Watcher
}

// Open serves a workspace. It returns at once and, unless that is deferred, opens the index in the
// background; the first call waits for it.
func Open(ctx context.Context, ws *store.Workspace, o Options) (*Index, error) {
	if err := registerFold(); err != nil {
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
		ws: ws, options: o, log: o.Log, now: o.Now,
		engine: engine{ws: ws, leases: claims.In(ws, o.Team), now: o.Now, searches: make(chan struct{}, maxSearches)},
		work:   workload{tell: o.Progress}, sync: make(chan struct{}, 1),
		opener: db.NewOpener(ws, db.Options{Path: o.Path, LockWait: o.LockWait, Log: o.Log, Now: o.Now, Small: o.Small}),
	}
	ix.unwatched.Store(true)
	ix.life, ix.end = context.WithCancel(context.WithoutCancel(ctx))
	if !o.Deferred && o.Mode != ModeVerify { // which the first call does as well
		ix.sync <- struct{}{} // before any call can take it
		go func() {
			defer ix.unlock()
			err := ix.recover(ix.life, ix.open(ix.life))
			// A lock is what each call is going to tell of.
			if err != nil && ix.life.Err() == nil && !errors.As(err, new(*LockedError)) {
				ix.log.Error("open the index", "error", err)
			}
		}()
	}
	return ix, nil
}

// maxSearches of the readers search at once: other searches wait, and leave connections
// to the calls that read a few rows.
const maxSearches = db.MaxReaders / 2

// Workspace returns the workspace that the index serves.
func (ix *Index) Workspace() *store.Workspace { return ix.ws }

// Leases are those of the workspace. The index closes them.
func (ix *Index) Leases() *claims.Leases { return ix.engine.leases }

func (ix *Index) lock(ctx context.Context) error {
	select {
	case ix.sync <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ix.work.behind(ctx.Err())
	}
}

func (ix *Index) tryLock() bool {
	select {
	case ix.sync <- struct{}{}:
		return true
	default:
		return false
	}
}

func (ix *Index) unlock() {
	ix.work.end()
	ix.announce()
	<-ix.sync
	if ix.subscribed.missed.Swap(false) && ix.subscribed.wanted() {
		ix.whenSettled()
	}
}

// open opens the index, or opens it again after it was replaced or damaged. The
// caller holds sync.
func (ix *Index) open(ctx context.Context) error {
	_, err := ix.reopen(ctx, "", nil)
	return err
}

// reopen opens the index, which is built again where it is of the generation that is outdated.
// What it knows of numbers that no document has any more is lost then, unless highest has it.
func (ix *Index) reopen(ctx context.Context, outdated string, highest map[string]int) (s Summary, err error) {
	if ix.closed {
		return Summary{}, errClosed
	}
	if err := ix.inPlace(); err != nil { // the path would lead to another folder's index
		return Summary{}, err
	}
	if err := ix.disconnect(); err != nil {
		ix.log.Warn("close the old index", "error", err)
	}
	if _, err := ix.learnCommits(ctx); err != nil {
		return Summary{}, err
	}
	started := time.Now()
	if outdated == "" { // else it is built of a listing of its own
		ix.listAhead(ctx)
	}
	opened, err := ix.opener.Open(ctx, outdated, fillFrom(ix.ws, &s, highest, ix.work.report))
	if err != nil {
		return Summary{}, err
	}
	s.Seconds = time.Since(started).Seconds()
	if s.Documents > 0 { // it was built, which takes long: the listing is too old to be compared with
		ix.endListing()
	}
	ix.use.Lock()
	ix.db = opened
	ix.use.Unlock()
	ix.stale, ix.own, ix.commit = true, nil, ""
	return s, ix.applyPending(ctx)
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
	ix.subscribed.end()
	var err error
	if ix.watcher != nil {
		err = ix.watcher.Close()
	}
	return errors.Join(err, ix.disconnect(), ix.engine.leases.Close())
}
