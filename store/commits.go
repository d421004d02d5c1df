package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"issues-index/store/git"
)

const (
	// commitsFile keeps the times of commits from one process to the next.
	commitsFile = "commits"
	// maxCommitsFile bounds what is read of it, in bytes: some 300,000 documents.
	maxCommitsFile = 64 << 20
)

// A commitFollower has the times of the last commits that touched the documents, for a
// layout in which documents do not say when they last changed.
type commitFollower struct {
	turn   sync.Mutex // held while times are read
	latest atomic.Pointer[commitTimes]
}

// commitTimes are those of one commit and its history. They are never changed.
type commitTimes struct {
	Stamp  string               `json:"stamp"`  // git.HeadStamp
	Commit string               `json:"commit"` // that is checked out, "" where there is none
	Files  map[string]git.Touch `json:"files"`  // by path
	Dirs   []string             `json:"dirs"`   // the folders of the collections, which have all files
}

// FollowCommits has documents that do not say when they last changed, and lie on disk as
// they were committed, show the time of the last commit that touched them, as of the commit
// that is checked out now. It returns that one, "" where there is none, or where documents
// say it. While the same commit is checked out it costs the reading of two small files.
// After an error documents show the times of their files, until another commit is checked
// out.
func (w *Workspace) FollowCommits(ctx context.Context) (commit string, err error) {
	if w.Layout.StampUpdates {
		return "", nil
	}
	stamp := git.HeadStamp(w.Root)
	if known := w.commits.latest.Load(); known != nil && known.Stamp == stamp {
		return known.Commit, nil
	}
	w.commits.turn.Lock()
	defer w.commits.turn.Unlock()
	known := w.commits.latest.Load()
	if known == nil {
		known = w.savedCommits()
	}
	if known.Stamp == stamp {
		w.commits.latest.Store(known)
		return known.Commit, nil
	}
	now, err := w.readCommits(ctx, *known)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	now.Stamp = stamp
	w.commits.latest.Store(&now)
	if err == nil {
		w.saveCommits(&now)
	}
	return now.Commit, err
}

// KnowsCommits reports whether FollowCommits would return at once: the same commit is checked
// out as at its last call, or documents say when they last changed.
func (w *Workspace) KnowsCommits() bool {
	known := w.commits.latest.Load()
	return w.Layout.StampUpdates || known != nil && known.Stamp == git.HeadStamp(w.Root)
}

// readCommits reads what git has more than is known.
func (w *Workspace) readCommits(ctx context.Context, known commitTimes) (now commitTimes, err error) {
	repo, err := git.OpenRepository(ctx, w.Root)
	if unreadable := (*git.UnreadableError)(nil); errors.As(err, &unreadable) && !unreadable.Late {
		return now, nil
	}
	if err != nil {
		return now, err
	}
	since := ""
	if known.Commit != "" {
		if base, err := repo.MergeBase(ctx, known.Commit, repo.Head); err == nil && base == known.Commit {
			since = base
		}
	}
	if since == "" {
		known.Files = nil
	}
	dirs := w.CollectionDirs()
	files, err := repo.LastTouches(ctx, dirs, since, known.Files)
	if err != nil {
		return now, err
	}
	return commitTimes{Commit: repo.Head, Files: files, Dirs: dirs}, nil
}

// CollectionDirs are the folders of the collections, relative to the root.
func (w *Workspace) CollectionDirs() []string {
	dirs := make([]string, len(w.Collections))
	for i, c := range w.Collections {
		dirs[i] = c.Dir
	}
	return dirs
}

// savedCommits are those that an earlier process has left, none where they cannot be read, or
// are those of other folders.
func (w *Workspace) savedCommits() *commitTimes {
	saved := &commitTimes{}
	if !w.HasDir(CacheDir) {
		return saved
	}
	dir, err := w.OpenOwnCache()
	if err != nil {
		return saved
	}
	defer closeQuietly(dir)
	data, err := dir.Read(commitsFile, maxCommitsFile)
	if err != nil || json.Unmarshal(data, saved) != nil || !slices.Equal(saved.Dirs, w.CollectionDirs()) {
		return &commitTimes{}
	}
	return saved
}

// saveCommits leaves them to the next process. That is a saving of time: what cannot be
// written is read again.
func (w *Workspace) saveCommits(times *commitTimes) {
	data, err := json.Marshal(times)
	if err != nil {
		return
	}
	if dir, err := w.OpenOwnCache(); err == nil {
		defer closeQuietly(dir)
		_ = dir.Replace(commitsFile, data)
	}
}

// touched returns the last commit of the file at a path, as FollowCommits knows it.
func (w *Workspace) touched(path string) (touch git.Touch, ok bool) {
	if times := w.commits.latest.Load(); times != nil {
		touch, ok = times.Files[path]
	}
	return touch, ok
}

// CommitTime returns when the file at a path was last committed, as FollowCommits knows it,
// whether or not the file has changed since.
func (w *Workspace) CommitTime(path string) (at time.Time, ok bool) {
	touch, ok := w.touched(path)
	return touch.Time, ok
}

// committed returns when a file was last committed, if it is as it was then.
func (w *Workspace) committed(path string, data []byte) (at time.Time, ok bool) {
	touch, ok := w.touched(path)
	// git may keep the lines' ends otherwise.
	if !ok || touch.Object != git.ObjectName(touch.Object, data) &&
		touch.Object != git.ObjectName(touch.Object, bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))) {
		return time.Time{}, false
	}
	return touch.Time, true
}
