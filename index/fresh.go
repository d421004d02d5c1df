package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"issues-index/index/db"
	"issues-index/index/watch"
	"issues-index/store/cachedir"
)

// A Mode is how changes of files are noticed.
type Mode int

const (
	// ModeWatch has the system report changes, and proves with a read barrier
	// that it has reported all. Where that cannot be had it becomes ModePoll or,
	// on systems without ordered events, ModeVerify.
	ModeWatch Mode = iota
	// ModeVerify compares every file with the index before every read.
	ModeVerify
	// ModePoll compares every file with the index when the last time is longer
	// ago than the CacheTTL: answers may be that old.
	ModePoll
)

// String names a mode as health reports do.
func (m Mode) String() string {
	return [...]string{"watch", "verify", "poll"}[m]
}

// fresh returns once the index holds every change that was finished before the
// call. What it takes for that goes on when the call is given up, so that the next one
// finds less to do.
func (ix *Index) fresh(ctx context.Context) error {
	w := ix.currentWatcher()
	if w != nil {
		// Before the lock: callers share a trip of the mark. A broken watcher is
		// replaced below.
		if err := w.Barrier(ctx); err != nil && ctx.Err() != nil {
			return ix.behind(err)
		}
	}
	if err := ix.lock(ctx); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		defer ix.unlock()
		work, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(ix.life, cancel)()
		done <- ix.freshen(work, w == nil)
		ix.verify(work)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ix.behind(ctx.Err())
	}
}

// freshen is what fresh does under sync. A watcher that came while its call waited
// for the opening has not proven anything to it yet.
func (ix *Index) freshen(ctx context.Context, unproven bool) error {
	if ix.closed {
		return errClosed
	}
	if unproven && ix.watcher != nil {
		if err := ix.watcher.Barrier(ctx); err != nil && ctx.Err() != nil {
			return err
		}
	}
	err := ix.catchUpOrOpen(ctx)
	if errors.Is(err, errAbandoned) && ix.db != nil { // since the call began, which ends with what it began with
		return nil
	}
	return ix.recover(ctx, err)
}

// catchUpOrOpen applies what has changed, to an index that is opened where it is not
// or was replaced. The caller holds sync.
func (ix *Index) catchUpOrOpen(ctx context.Context) error {
	if ix.db == nil {
		return ix.open(ctx)
	}
	if ix.db.Replaced() {
		if err := ix.ws.InPlace(); err != nil {
			return fmt.Errorf("%w: %w", errAbandoned, err)
		}
		return ix.open(ctx)
	}
	return ix.catchUp(ctx)
}

// verify compares all files once the last time is CacheTTL ago, although a watcher
// is at work: some changes cause no events, such as a write through a new name that a
// file has got outside of the collections, one through mapped memory, or what is
// mounted over a folder. Calls that come meanwhile wait for it.
func (ix *Index) verify(ctx context.Context) {
	if ix.closed || ix.mode != ModeWatch || ix.watcher == nil || ix.db == nil || !ix.scanDue() {
		return
	}
	ix.stale = true
	if err := ix.catchUp(ctx); err != nil && ctx.Err() == nil {
		ix.log.Warn("compare all files", "error", err)
	}
}

// currentWatcher is nil before the index has been opened.
func (ix *Index) currentWatcher() *watch.Watcher {
	ix.use.RLock()
	defer ix.use.RUnlock()
	return ix.watcher
}

// catchUp applies what has changed. The caller holds sync.
func (ix *Index) catchUp(ctx context.Context) error {
	if ix.options.Mode != ModeWatch {
		ix.mode = ix.options.Mode
	}
	if ix.mode == ModePoll && !ix.scanDue() {
		return nil
	}
	// Where a watcher could not be had, what was in the way may be gone.
	if ix.options.Mode == ModeWatch && ix.mode != ModeVerify {
		if err := ix.ensureWatcher(); err != nil {
			if gone := ix.ws.InPlace(); gone != nil {
				return fmt.Errorf("%w: %w", errAbandoned, gone)
			}
			ix.giveUpWatching(err)
		} else if err := ix.applyWatched(ctx); !unwatchable(err) {
			if err == nil {
				ix.noteWatching()
			}
			return err
		} else {
			ix.giveUpWatching(err) // the system grants no more watches, say
		}
	}
	_, err := ix.scan(ctx, nil)
	return err
}

func unwatchable(err error) bool {
	var limit *watch.LimitError
	return errors.As(err, &limit)
}

// scanDue reports whether the last comparison of all files is CacheTTL ago.
func (ix *Index) scanDue() bool {
	age := ix.now().Sub(ix.scanned) // below 0 when the clock was set back
	return ix.stale || age < 0 || age >= ix.options.CacheTTL
}

// noteWatching ends what giveUpWatching began, if it did.
func (ix *Index) noteWatching() {
	if ix.reason != "" {
		ix.log.Info("watching files is possible again", "before", ix.reason)
	}
	ix.mode, ix.reason = ModeWatch, ""
}

// giveUpWatching goes on without a watcher. Each poll tries again.
func (ix *Index) giveUpWatching(reason error) {
	known := ix.reason == reason.Error()
	ix.mode, ix.reason = ModePoll, reason.Error()
	if errors.Is(reason, watch.ErrUnordered) {
		ix.mode = ModeVerify
	}
	if !known {
		ix.log.Warn("watching files is not possible", "instead", ix.mode.String(), "reason", reason)
	}
	if ix.watcher == nil {
		return
	}
	if err := ix.watcher.Close(); err != nil {
		ix.log.Debug("close the watcher", "error", err)
	}
	ix.setWatcher(nil)
}

// scan compares all files with the index. built reports that it built the index again
// from them.
func (ix *Index) scan(ctx context.Context, w *watch.Watcher) (built bool, err error) {
	started := ix.now()
	ix.stale = true // until it is done
	if built, err = ix.reconcile(ctx, w); err != nil {
		return false, err
	}
	ix.stale, ix.scanned = false, started
	return built, nil
}

// ensureWatcher replaces a missing or broken watcher. What happened without
// one is found by a scan.
func (ix *Index) ensureWatcher() error {
	if ix.watcher != nil {
		broken := ix.watcher.Err()
		if broken == nil {
			return nil
		}
		ix.log.Info("starting the file watcher again", "reason", broken)
		if err := ix.watcher.Close(); err != nil {
			ix.log.Debug("close the broken watcher", "error", err)
		}
		ix.setWatcher(nil)
	}
	if err := watch.Supported(ix.ws); err != nil {
		return err
	}
	marks, err := ix.openMarks()
	if err != nil {
		return fmt.Errorf("make the watcher's folder: %w", err)
	}
	w, err := watch.New(ix.ws, marks, ix.log, ix.applySettled)
	if err != nil {
		return err
	}
	ix.setWatcher(w)
	ix.stale = true
	return nil
}

// openMarks opens the folder of the watcher's marks, on a local disk. An index in
// memory has no folder; there it is one of each user's own, since nobody else could
// make marks in it.
func (ix *Index) openMarks() (*cachedir.Dir, error) {
	if !ix.db.InMemory() {
		return ix.db.OpenDir("watch")
	}
	shared, err := cachedir.Open(os.TempDir(), 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = shared.Close() }() // it was only gone through
	return shared.Sub(fmt.Sprintf("issues-index-watch-%d", os.Getuid()))
}

func (ix *Index) setWatcher(w *watch.Watcher) {
	ix.use.Lock()
	ix.watcher = w
	ix.use.Unlock()
}

// applyWatched applies what the watcher has collected.
func (ix *Index) applyWatched(ctx context.Context) error {
	links := ix.watcher.CheckLinks()
	changes := ix.watcher.Take()
	ix.own.Drop(ix.ws, changes)
	if !changes.Folders && ix.vanished(changes) {
		// A file that another process is renaming right now may have been seen to
		// leave and not yet to arrive. After another trip of the mark both are seen.
		err := ix.watcher.Barrier(ctx)
		changes.Merge(ix.watcher.Take())
		if err != nil && ctx.Err() != nil {
			ix.watcher.GiveBack(changes)
			return err
		}
	}
	if changes.Folders || ix.stale || len(changes.Files) >= bulk {
		built, err := ix.scan(ctx, ix.watcher)
		if err != nil {
			ix.watcher.GiveBack(changes)
			return err
		}
		if built { // from the files as they are since the events
			clear(changes.Files)
		}
		// Else the scan trusts times that the events disprove: fall through.
	}
	if err := errors.Join(ix.addUnwatched(ctx, &changes, links), ix.addTwins(ctx, &changes)); err != nil {
		ix.watcher.GiveBack(changes)
		return err
	}
	if len(changes.Files) == 0 {
		return nil
	}
	err := ix.awaitChanges(ctx)
	if err == nil {
		err = ix.refresh(ctx, slices.Collect(maps.Keys(changes.Files)))
	}
	if err != nil {
		ix.watcher.GiveBack(changes)
	}
	return err
}

// vanished reports whether one of the files is there no more.
func (ix *Index) vanished(changes watch.Changes) bool {
	for path := range changes.Files {
		if _, err := ix.ws.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// addUnwatched adds the files whose edits no watch reports and that look
// changed, and those of links that have a file again and no row.
func (ix *Index) addUnwatched(ctx context.Context, changes *watch.Changes, links []string) error {
	hidden, err := indexedWhere(ctx, ix.db.Read, "unwatched")
	if err != nil {
		return err
	}
	isLink := make(map[string]bool, len(links))
	for _, name := range links {
		isLink[name] = true
	}
	for _, k := range hidden {
		stat, err := ix.ws.Stat(k.path)
		if err != nil || !k.unchanged(stat) {
			changes.Add(k.path)
		}
		if !isLink[k.path] && (err != nil || stat.Symlink) {
			ix.watcher.FollowLink(k.path)
		}
		delete(isLink, k.path)
	}
	for name := range isLink {
		if _, ok := ix.ws.CollectionOf(name); !ok {
			continue
		}
		if _, err := ix.ws.Stat(name); err == nil {
			changes.Add(name)
		}
	}
	return nil
}

// addTwins adds the documents that are a changed file under another name, as
// far as that is not known of them yet: no event named them.
func (ix *Index) addTwins(ctx context.Context, changes *watch.Changes) error {
	var inodes []int64
	for path := range changes.Files {
		if stat, err := ix.ws.Stat(path); err == nil && stat.Links > 1 {
			inodes = append(inodes, int64(stat.Inode)) //nolint:gosec // stored so, too
		}
	}
	if len(inodes) == 0 {
		return nil
	}
	twins, err := indexedWhere(ctx, ix.db.Read, "NOT unwatched AND inode IN (SELECT value FROM json_each('"+jsonNumbers(inodes)+"'))")
	for _, k := range twins {
		changes.Add(k.path)
	}
	return err
}

// applySettled applies changes that no call has asked for yet, so that the next
// one need not.
func (ix *Index) applySettled() {
	select {
	case ix.sync <- struct{}{}:
	default:
		return // somebody is at it
	}
	go func() {
		defer ix.unlock()
		if ix.closed || ix.db == nil || ix.mode != ModeWatch {
			return
		}
		err := ix.catchUp(ix.life)
		if err == nil {
			err = ix.rest(ix.life)
		}
		// A failure of a known kind is met, and told of, by the next call.
		if err != nil && ix.life.Err() == nil && !errors.Is(err, errAbandoned) && db.FailureOf(err) == db.OtherFailure {
			ix.log.Warn("apply changes of files", "error", err)
		}
	}()
}

func (ix *Index) readBuildID(ctx context.Context) (id buildID, err error) {
	err = ix.db.Read.QueryRowContext(ctx, `SELECT generation, cursor_key FROM state`).Scan(&id.generation, &id.cursorKey)
	if err != nil {
		return buildID{}, fmt.Errorf("read the index's state: %w", err)
	}
	return id, nil
}

// noteCompared notes that a build of the index and the files have been compared.
func (ix *Index) noteCompared(id buildID) {
	ix.use.Lock()
	defer ix.use.Unlock()
	if id.generation != ix.engine.build.generation {
		ix.engine.build = id
		ix.engine.counts.reset()
	}
}
