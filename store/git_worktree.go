package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"issues-index/store/cachedir"
)

const (
	// worktreesDir has the worktrees of sessions.
	worktreesDir = ".worktrees"
	// mostNamesakes bounds how many worktrees of one name there can be.
	mostNamesakes = 1000
)

// addWorktree makes a worktree of the repository at dir, on a new branch, and
// returns its path relative to the root. When name is taken, it gets a number.
// Making the folder is what claims the name: git accepts an empty one.
func (w *Workspace) addWorktree(ctx context.Context, dir, name, branch, commit string) (string, error) {
	home, err := w.resolveNew(worktreesDir)
	if err != nil {
		return "", diskError("find", worktreesDir, err)
	}
	if err := w.root.MkdirAll(home, 0o777); err != nil {
		return "", diskError("make", worktreesDir, err)
	}
	known, err := w.gitWorktrees(ctx) // those whose folder is gone, too
	if err != nil {
		return "", err
	}
	filters, err := repositoryFilters(ctx, dir)
	if err != nil {
		return "", gitRefusal(worktreesDir, err)
	}
	for n := 1; n <= mostNamesakes; n++ {
		p := path.Join(home, name)
		if n > 1 {
			p = fmt.Sprintf("%s-%d", p, n)
		}
		if slices.Contains(known, w.absolute(p)) {
			continue
		}
		err := w.root.Mkdir(p, 0o777)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", diskError("make", p, err)
		}
		if _, err = git(ctx, dir, slices.Concat(filters, []string{"worktree", "add", "--quiet", "-b", branch, "--", w.absolute(p), commit})...); err != nil {
			w.removeWorktree(ctx, dir, p, branch)
			return "", gitRefusal(p, err)
		}
		return p, nil
	}
	return "", &ConflictError{path.Join(worktreesDir, name), "has too many namesakes: remove worktrees that are no longer needed"}
}

// gitRefusal is what git said, as an answer of the disk.
func gitRefusal(p string, err error) error {
	var said *gitError
	if errors.As(err, &said) {
		return &DiskError{Op: "make the worktree", Path: p, Err: said}
	}
	return err
}

// removeWorktree takes back what addWorktree did, as far as it got. The branch
// is new and has no commit of its own.
func (w *Workspace) removeWorktree(ctx context.Context, dir, p, branch string) {
	ctx = context.WithoutCancel(ctx)
	if filters, err := repositoryFilters(ctx, dir); err == nil {
		_, _ = git(ctx, dir, slices.Concat(filters, []string{"worktree", "remove", "--force", "--", w.absolute(p)})...)
		_, _ = git(ctx, dir, slices.Concat(filters, []string{"branch", "-D", "--", branch})...)
	}
	_ = w.root.Remove(p) // only when git left it empty
}

// ignoreWorktrees keeps the folder of worktrees out of git's lists of untracked
// files. Its own .gitignore does so for this clone only, the other one belongs to
// the people who share it.
func (w *Workspace) ignoreWorktrees() error {
	home, err := w.resolve(worktreesDir)
	if err != nil {
		return err
	}
	dir, err := cachedir.OpenIn(w.root, w.Root, filepath.FromSlash(home), fs.ModePerm)
	if err != nil {
		return err
	}
	return errors.Join(dir.IgnoreInGit(), dir.Close())
}

func (w *Workspace) absolute(p string) string { return filepath.Join(w.Root, filepath.FromSlash(p)) }

// workingDirectory checks a directory that the caller named, absolute or
// relative to the root, and returns it absolute with symbolic links resolved.
// It lies in the workspace or in another worktree of its repository.
func (w *Workspace) workingDirectory(ctx context.Context, given string) (string, error) {
	if given == "" {
		return w.Root, nil
	}
	dir := given
	if !filepath.IsAbs(given) {
		clean, err := cleanPath(given)
		if err != nil {
			return "", err
		}
		dir = w.absolute(clean)
	}
	real, err := cachedir.RealPath(dir)
	if err != nil { // nothing is said of what there is outside
		if !inside(w.Root, filepath.Clean(dir)) {
			return "", &PathError{given, reasonOutside}
		}
		if errors.Is(err, syscall.ELOOP) {
			return "", &PathError{given, reasonCircle}
		}
		return "", &ValueError{Field: "workingDirectory", Value: given, Reason: "does not exist"}
	}
	if !inside(w.Root, real) {
		trees, err := w.gitWorktrees(ctx)
		if err != nil {
			return "", err
		}
		if tree := worktreeOf(trees, real); tree == "" || tree == worktreeOf(trees, w.Root) {
			return "", &PathError{given, "leads out of the workspace, and to no other worktree of its repository"}
		}
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", &ValueError{Field: "workingDirectory", Value: given, Reason: "is no directory"}
	}
	return real, nil
}

// worktreeOf returns the worktree that p belongs to: worktrees may lie in one
// another.
func worktreeOf(trees []string, p string) (deepest string) {
	for _, tree := range trees {
		real, err := filepath.EvalSymlinks(tree)
		if err == nil && inside(real, p) && len(real) > len(deepest) {
			deepest = real
		}
	}
	return deepest
}

// inside reports whether p is dir or lies in it; both are absolute and clean.
func inside(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && filepath.IsLocal(rel)
}
