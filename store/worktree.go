package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"issues-index/store/git"
)

// lockWorktrees keeps processes that serve other worktrees of the repository from
// choosing an id at the same time: each has a write lock of its own. The lock is on
// the folder that the worktrees share, where nothing is written for it. Where that
// cannot be locked, as on Windows, only the same instant can still give two
// worktrees one id.
func (w *Workspace) lockWorktrees(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	common := git.CommonDir(w.Root)
	if common == "" {
		return func() {}, nil
	}
	free, err := await(ctx, func() (func() error, error) {
		real, err := filepath.EvalSymlinks(common)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(real); err != nil || !info.IsDir() { // what a stranger's .git names may be a device
			return nil, errors.Join(err, fs.ErrInvalid)
		}
		return tryLock(real)
	})
	switch {
	case err == nil:
		return func() { _ = free() }, nil // closing a folder frees its lock in any case
	case ctx.Err() != nil:
		return nil, err
	}
	return func() {}, nil
}
