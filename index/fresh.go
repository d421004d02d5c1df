package index

import (
	"context"
	"errors"
	"fmt"

	"issues-index/index/db"
	"issues-index/index/watch"
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

// CatchUp returns once the index holds every change that was made before the call: for view, for a
// caller that is about to hold up others, or that has just written many files. The work goes on
// when the call is given up, so that the next call finds less to do.
func (ix *Index) CatchUp(ctx context.Context) error {
	defer ix.work.follow(ctx)()
	w := ix.currentWatcher()
	// Before the lock: what others apply is known. A broken watcher is replaced below.
	proven := w != nil && w.Barrier() == nil
	if ctx.Err() != nil {
		return ix.work.behind(ctx.Err())
	}
	if err := ix.lock(ctx); err != nil {
		return err
	}
	if proven && ix.nothingWaits(w) {
		defer ix.unlock()
		return ix.ended(ctx, ix.applyPending(context.WithoutCancel(ctx)))
	}
	done := make(chan error, 1)
	go func() {
		defer ix.unlock()
		work, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(ix.life, cancel)()
		done <- ix.catchUpLocked(work, w == nil)
		ix.scanWhenDue(work)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ix.work.behind(ctx.Err())
	}
}

// nothingWaits reports whether the index holds what the watcher has collected, as it does for
// most calls: what is left is to look at a few folders, in the caller's own goroutine.
func (ix *Index) nothingWaits(w *watch.Watcher) bool {
	return ix.watcher == w && ix.db != nil && !ix.closed && ix.mode == ModeWatch && !ix.scanDue() &&
		!w.Waiting() && !ix.db.Replaced()
}

// catchUpLocked is CatchUp under sync. unproven says that the call began before
// there was a watcher, which has proven nothing to it yet.
func (ix *Index) catchUpLocked(ctx context.Context, unproven bool) error {
	if ix.closed {
		return errClosed
	}
	if unproven && ix.watcher != nil {
		if err := ix.watcher.Barrier(); err != nil && ctx.Err() != nil {
			return err
		}
	}
	var err error
	if ix.db == nil || ix.db.Replaced() {
		err = ix.open(ctx)
	} else {
		err = ix.applyPending(ctx)
	}
	return ix.ended(ctx, err)
}

// ended is how the applying of changes ends: it opens the index again where the error says
// that this helps.
func (ix *Index) ended(ctx context.Context, err error) error {
	if errors.Is(err, errAbandoned) && ix.db != nil { // since the call began, which ends with what it began with
		return nil
	}
	return ix.recover(ctx, err)
}

// scanWhenDue compares all files once the last time is CacheTTL ago, although a watcher
// is at work: some changes cause no events, such as a write through a new name that a
// file has got outside of the collections, one through mapped memory, or what is
// mounted over a folder. Calls that come meanwhile wait for it.
func (ix *Index) scanWhenDue(ctx context.Context) {
	if ix.closed || ix.mode != ModeWatch || ix.watcher == nil || ix.db == nil || !ix.scanDue() {
		return
	}
	ix.stale = true
	if err := ix.applyPending(ctx); err != nil && ctx.Err() == nil {
		ix.log.Warn("compare all files", "error", err)
	}
}

// applyPending applies what has changed. The caller holds sync.
func (ix *Index) applyPending(ctx context.Context) error {
	if ix.options.Mode != ModeWatch {
		ix.mode = ix.options.Mode
	}
	if err := ix.followCommits(ctx); err != nil {
		return err
	}
	return ix.applyChanges(ctx)
}

// applyChanges applies changes of files.
func (ix *Index) applyChanges(ctx context.Context) error {
	if ix.mode == ModePoll && !ix.scanDue() {
		return nil
	}
	// Where a watcher could not be had, what was in the way may be gone.
	if ix.options.Mode == ModeWatch && ix.mode != ModeVerify {
		if err := ix.ensureWatcher(); err != nil {
			if gone := ix.inPlace(); gone != nil {
				return gone
			}
			ix.giveUpWatching(err)
		} else if err := ix.applyEvents(ctx); !errors.As(err, new(*watch.LimitError)) {
			if err == nil {
				if ix.reason != "" {
					ix.log.Info("watching files is possible again", "before", ix.reason)
				}
				ix.mode, ix.reason = ModeWatch, ""
			}
			return err
		} else {
			ix.giveUpWatching(err) // the system grants no more watches, say
		}
	}
	return ix.scanUnwatched(ctx)
}

// scanDue reports whether the last comparison of all files is CacheTTL ago.
func (ix *Index) scanDue() bool {
	age := ix.now().Sub(ix.scanned) // below 0 when the clock was set back
	return ix.stale || age < 0 || age >= ix.options.CacheTTL
}

func readBuildID(ctx context.Context, q db.Querier) (id buildID, rev int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT generation, cursor_key, rev FROM state`).Scan(&id.generation, &id.cursorKey, &rev)
	if err != nil {
		return buildID{}, 0, fmt.Errorf("read the index's state: %w", err)
	}
	return id, rev, nil
}
