package index

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"

	"issues-index/index/db"
	"issues-index/index/watch"
	"issues-index/store"
)

// ensureWatcher replaces a missing or broken watcher. What happened without
// one is found by a scan.
func (ix *Index) ensureWatcher() error {
	if ix.watcher != nil {
		broken := ix.watcher.Err()
		if broken == nil {
			return nil
		}
		ix.log.Info("starting the file watcher again", "reason", broken)
		ix.dropWatcher()
	}
	if err := watch.Supported(ix.ws); err != nil {
		return err
	}
	w, err := watch.New(ix.ws, ix.log, ix.whenSettled)
	if err != nil {
		return err
	}
	ix.setWatcher(w)
	ix.stale = true
	return nil
}

// currentWatcher is nil before the index has been opened.
func (ix *Index) currentWatcher() *watch.Watcher {
	ix.use.RLock()
	defer ix.use.RUnlock()
	return ix.watcher
}

func (ix *Index) setWatcher(w *watch.Watcher) {
	ix.use.Lock()
	ix.watcher = w
	ix.use.Unlock()
}

// dropWatcher closes the watcher, if there is one.
func (ix *Index) dropWatcher() {
	old := ix.watcher
	if old == nil {
		return
	}
	ix.setWatcher(nil)
	if err := old.Close(); err != nil {
		ix.log.Debug("close the watcher", "error", err)
	}
}

// giveUpWatching goes on without a watcher. Each poll tries again.
func (ix *Index) giveUpWatching(reason error) {
	known, level := ix.reason == reason.Error(), slog.LevelWarn
	ix.mode, ix.reason = ModePoll, reason.Error()
	if errors.As(reason, new(*watch.UnprovenError)) {
		ix.mode, level = ModeVerify, slog.LevelInfo // for good
	}
	if !known {
		ix.log.Log(context.Background(), level, "watching files is not possible",
			"instead", ix.mode.String(), "reason", reason)
	}
	ix.dropWatcher()
}

// movesInARow is how often at most a file is looked for again that others move while it is.
const movesInARow = 16

// applyEvents applies what the watcher has collected. A file that is gone may have been moved by
// another process: its new place is known after another Barrier, before its row goes.
func (ix *Index) applyEvents(ctx context.Context) error {
	w := ix.watcher // an index that is built meanwhile may be left without a watcher, or with another one
	links := w.CheckLinks()
	changes := w.Collected()
	ix.own.Drop(ix.ws, changes)
	for moves := 0; ; moves++ {
		gone, err := ix.applyTaken(ctx, &changes, links)
		if err != nil {
			w.GiveBack(changes)
			return err
		}
		if len(gone) == 0 {
			return nil
		}
		if err = w.Barrier(); ctx.Err() == nil {
			err = nil // the next call replaces a broken watcher
		}
		changes = w.Collected()
		still := len(changes.Files) == 0 && !changes.Folders
		done := err == nil && (still || moves == movesInARow)
		if done {
			err = ix.dropGone(ctx, gone)
		}
		if !done || err != nil {
			for _, c := range gone {
				changes.Add(c.path)
			}
		}
		if done || err != nil {
			w.GiveBack(changes)
			return err
		}
	}
}

// applyTaken applies changes. gone is as refresh returns it; those that a comparison of all
// files finds are added to the changes.
func (ix *Index) applyTaken(
	ctx context.Context, changes *watch.Changes, links []string,
) (gone []*candidate, err error) {
	if changes.Folders || ix.stale || len(changes.Files) >= bulk {
		built, found, err := ix.scan(ctx, ix.watcher)
		if err != nil {
			return nil, err
		}
		if built { // from the files as they are since the events, whose watcher may be gone by now
			return nil, nil
		}
		// The scan trusts times that the events disprove: fall through.
		for _, c := range found {
			changes.Add(c.path)
		}
	}
	if err := errors.Join(ix.addUnwatched(ctx, changes, links), addTwins(ctx, ix.db.Read, ix.ws, changes)); err != nil {
		return nil, err
	}
	if len(changes.Files) == 0 {
		return nil, nil
	}
	if err := ix.db.AwaitWriters(ctx); err != nil {
		return nil, err
	}
	return ix.refresh(ctx, ix.candidates(slices.Collect(maps.Keys(changes.Files))))
}

// addUnwatched adds the files whose edits no watch reports and that look
// changed, and those of links that have a file again and no row.
func (ix *Index) addUnwatched(ctx context.Context, changes *watch.Changes, links []string) error {
	if !ix.unwatched.Load() && len(links) == 0 {
		return nil
	}
	hidden, err := indexedWhere(ctx, ix.db.Read, "unwatched")
	if err != nil {
		return err
	}
	ix.unwatched.Store(len(hidden) > 0)
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
func addTwins(ctx context.Context, q db.Querier, ws *store.Workspace, changes *watch.Changes) error {
	var inodes []int64
	for path := range changes.Files {
		if stat, err := ws.Stat(path); err == nil && stat.Links > 1 {
			inodes = append(inodes, int64(stat.Inode)) //nolint:gosec // stored so, too
		}
	}
	if len(inodes) == 0 {
		return nil
	}
	twins, err := indexedWhere(ctx, q,
		"NOT unwatched AND inode IN (SELECT value FROM json_each('"+jsonNumbers(inodes)+"'))")
	for _, k := range twins {
		changes.Add(k.path)
	}
	return err
}

// whenSettled applies changes that no call has asked for yet, so that the next
// one need not.
func (ix *Index) whenSettled() {
	if !ix.tryLock() {
		// A call is at it, which may have taken the changes before these. The call that holds the
		// lock from here on sees the note.
		if ix.subscribed.missed.Store(true); !ix.tryLock() {
			return
		}
	}
	ix.subscribed.missed.Store(false)
	go func() {
		defer ix.unlock()
		if ix.closed || ix.db == nil || ix.mode != ModeWatch {
			return
		}
		err := ix.applyPending(ix.life)
		if err == nil {
			err = ix.idleMaintenance(ix.life)
		}
		// A failure of a known kind is met, and told of, by the next call.
		if err != nil && ix.life.Err() == nil && !errors.Is(err, errAbandoned) && db.FailureOf(err) == db.OtherFailure {
			ix.log.Warn("apply changes of files", "error", err)
		}
	}()
}
