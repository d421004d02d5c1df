package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"issues-index/store"
	"issues-index/store/cachedir"
	"issues-index/store/git"
	"issues-index/store/pattern"
	"issues-index/store/words"
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
func (w Sessions) addWorktree(ctx context.Context, dir, name, branch, commit string) (string, error) {
	home, err := w.ResolveNew(worktreesDir)
	if err != nil {
		return "", store.WrapDiskError("find", worktreesDir, err)
	}
	if err := w.FS().MkdirAll(home, 0o777); err != nil {
		return "", store.WrapDiskError("make", worktreesDir, err)
	}
	known := git.Worktrees(w.Root)
	for n := 1; n <= mostNamesakes; n++ {
		p := path.Join(home, name)
		if n > 1 {
			p = fmt.Sprintf("%s-%d", p, n)
		}
		if slices.ContainsFunc(known, func(t git.Worktree) bool { return t.Dir == w.Absolute(p) }) {
			continue
		}
		err := w.FS().Mkdir(p, 0o777)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", store.WrapDiskError("make", p, err)
		}
		if err := git.AddWorktree(ctx, dir, w.Absolute(p), branch, commit); err != nil {
			w.removeWorktree(ctx, dir, p, branch)
			var said *git.Error
			if errors.As(err, &said) {
				err = &store.DiskError{Op: "make the worktree", Path: p, Err: said}
			}
			return "", err
		}
		return p, nil
	}
	reason := "has too many namesakes: remove worktrees that are no longer needed"
	return "", &store.ConflictError{Path: path.Join(worktreesDir, name), Reason: reason}
}

// removeWorktree takes back as much as addWorktree did.
func (w Sessions) removeWorktree(ctx context.Context, dir, p, branch string) {
	git.RemoveWorktree(ctx, dir, w.Absolute(p), branch)
	_ = w.FS().Remove(p) // only when git left it empty
}

// ignoreWorktrees keeps the folder of worktrees out of git's lists of untracked
// files. Its own .gitignore does so for this clone only, the other one belongs to
// the people who share it.
func (w Sessions) ignoreWorktrees() error {
	home, err := w.Resolve(worktreesDir)
	if err != nil {
		return err
	}
	dir, err := cachedir.OpenIn(w.FS(), w.Root, filepath.FromSlash(home), func() fs.FileMode { return fs.ModePerm })
	if err != nil {
		return err
	}
	return errors.Join(dir.IgnoreInGit(), dir.Close())
}

// workingDirectory checks a directory that the caller named, absolute or
// relative to the root, and returns it absolute with symbolic links resolved.
// It lies in the workspace or in another worktree of its repository.
func (w Sessions) workingDirectory(given string) (string, error) {
	if given == "" {
		return w.Root, nil
	}
	dir := given
	if !filepath.IsAbs(given) {
		clean, err := store.CleanPath(given)
		if err != nil {
			return "", err
		}
		dir = w.Absolute(clean)
	}
	real, err := cachedir.RealPath(dir)
	if err != nil { // what lies outside the workspace is not told
		if !cachedir.Inside(w.Root, filepath.Clean(dir)) {
			return "", &store.PathError{Path: given, Reason: store.ReasonOutside}
		}
		if errors.Is(err, syscall.ELOOP) {
			return "", &store.PathError{Path: given, Reason: store.ReasonCircle}
		}
		return "", &store.ValueError{Field: "workingDirectory", Value: given, Reason: "does not exist"}
	}
	if !cachedir.Inside(w.Root, real) {
		trees := git.Worktrees(w.Root)
		if tree := worktreeOf(trees, real); tree == "" || tree == worktreeOf(trees, w.Root) {
			reason := "leads out of the workspace, and to no other worktree of its repository"
			return "", &store.PathError{Path: given, Reason: reason}
		}
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", &store.ValueError{Field: "workingDirectory", Value: given, Reason: "is no directory"}
	}
	return real, nil
}

// worktreeOf returns the worktree that p belongs to: worktrees may lie in one
// another.
func worktreeOf(trees []git.Worktree, p string) (deepest string) {
	for _, tree := range trees {
		real, err := filepath.EvalSymlinks(tree.Dir)
		if err == nil && cachedir.Inside(real, p) && len(real) > len(deepest) {
			deepest = real
		}
	}
	return deepest
}

// mostStale bounds the worktrees that a note names.
const mostStale = 3

// sessionBranch is a branch that Start makes.
var sessionBranch = pattern.Lazy(`^wrangler/[^/]+/\d{4}-\d\d-\d\d-[0-9a-z]+-[0-9a-f]{4}$`)

// staleWorktrees says which worktrees are of sessions that have no files, since the program was
// killed in between, and how to remove them; "" when there are none. The worktree lock is held.
func (w Sessions) staleWorktrees() string {
	home := w.Absolute(worktreesDir)
	var commands []string
	for _, tree := range git.Worktrees(w.Root) {
		if !sessionBranch().MatchString(tree.Branch) || !cachedir.Inside(home, tree.Dir) {
			continue
		}
		_, err := w.Resolve(path.Join(store.SessionsDir, path.Base(tree.Branch)))
		if errors.Is(err, fs.ErrNotExist) {
			rel := filepath.ToSlash(strings.TrimPrefix(tree.Dir, w.Root+string(filepath.Separator)))
			commands = append(commands, fmt.Sprintf("git worktree remove %s && git branch -d %s", rel, tree.Branch))
		}
	}
	if len(commands) == 0 {
		return ""
	}
	shown := commands[:min(len(commands), mostStale)]
	return "worktrees of sessions that never began are left over: " + strings.Join(shown, "; ") +
		words.AndMore(len(commands)-len(shown)) + " removes what has no changes"
}
