package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/git"
)

// WorkspaceOf returns the path of this workspace in the worktree that a session works in, "" where
// the worktree is gone or a link stands in its place: its path was a real one.
func (w Sessions) WorkspaceOf(s Session) string {
	if real, err := cachedir.RealPath(s.WorktreePath); err != nil || real != s.WorktreePath {
		return ""
	}
	top, ok := git.Top(w.Root)
	rel, err := filepath.Rel(top, w.Root)
	if !ok || err != nil || s.BranchName == noBranch {
		return s.WorktreePath
	}
	return filepath.Join(s.WorktreePath, rel)
}

// Home returns the id of a session and the root of the workspace that keeps its record: the
// workspace where it was begun, which may be another worktree of the repository.
// Without an id it is a session that is running or paused here, or else a session that works
// in this worktree. Where there is none, root is this workspace's and the id is as given.
func (w Sessions) Home(ctx context.Context, id string) (root, found string, err error) {
	if id != "" {
		err = w.checkSession(id)
	} else {
		_, err = w.unfinished(ctx, "")
	}
	if !errors.Is(err, ErrNotFound) { // what is wrong with an id is wrong everywhere
		return w.Root, id, ctx.Err()
	}
	if top, common := git.Checkout(w.Root); id == "" && common == filepath.Join(top, ".git") {
		return w.Root, "", nil // sessions are begun in the main worktree, and seldom work there
	}
	for _, other := range git.OtherWorktrees(w.Root) {
		if id == "" {
			found = w.idAt(ctx, other)
		} else {
			info, err := os.Lstat(filepath.Join(other, filepath.FromSlash(store.SessionsDir), id))
			if err == nil && info.IsDir() {
				found = id
			}
		}
		if found != "" {
			return other, found, ctx.Err()
		}
	}
	return w.Root, id, ctx.Err()
}

// idAt returns the id of the session that works in this worktree and has its record in
// another one, "" when there is none.
func (w Sessions) idAt(ctx context.Context, other string) string {
	ws, err := store.Open(store.Options{Root: other, Getenv: func(string) string { return "" }})
	if err != nil {
		return ""
	}
	defer func() { _ = ws.Close() }() // nothing was written
	top, _ := git.Top(w.Root)
	s, err := In(ws).unfinished(ctx, top)
	if err != nil {
		return ""
	}
	return s.ID
}

// unfinished returns the session that is running or paused and was started last, of those
// that work in a worktree if one is given. ErrNotFound says that there is none.
func (w Sessions) unfinished(ctx context.Context, worktree string) (Session, error) {
	list, err := w.selected(ctx, 1, func(s Session) bool {
		return (s.Status == "running" || s.Status == "paused") && (worktree == "" || s.WorktreePath == worktree)
	})
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Session{}, err
	}
	return list[0], nil
}
