package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"issues-index/store/cachedir"
)

// lockWorktrees keeps processes that serve other worktrees of the repository from
// choosing an id at the same time: each has a write lock of its own. The lock is on
// the folder that the worktrees share, where nothing is written for it. Where that
// cannot be locked, as on Windows, only the same instant can still give two
// worktrees one id.
func (w *Workspace) lockWorktrees(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	top, ok := ancestor(w.Root, holdsGit)
	if !ok {
		return func() {}, nil
	}
	common, _ := gitDirs(top)
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

// otherWorktrees returns where the other worktrees of this workspace's git
// repository have what is the workspace here, as absolute paths. They are found
// as git finds them, from its files; git itself is not run.
func (w *Workspace) otherWorktrees() []string {
	top, ok := ancestor(w.Root, holdsGit)
	if !ok {
		return nil
	}
	rel, err := filepath.Rel(top, w.Root)
	if err != nil {
		return nil
	}
	var tops []string
	common, main := gitDirs(top)
	if common == "" {
		return nil
	}
	if main != "" {
		tops = append(tops, main)
	}
	entries, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err == nil {
		for _, e := range entries {
			dir := filepath.Join(common, "worktrees", e.Name())
			if link := gitPath(filepath.Join(dir, "gitdir"), dir); link != "" {
				tops = append(tops, filepath.Dir(link))
			}
		}
	}
	var roots []string
	for _, t := range tops {
		real, err := filepath.EvalSymlinks(filepath.Join(t, rel))
		if err == nil && real != w.Root && !slices.Contains(roots, real) {
			roots = append(roots, real)
		}
	}
	return roots
}

// gitDirs returns the repository that the worktree at top belongs to, and that
// repository's main worktree, "" where top is the main one or there is none.
// (The main worktree of a submodule's linked worktree is not looked for.)
func gitDirs(top string) (common, main string) {
	dotGit := filepath.Join(top, ".git")
	if info, err := os.Stat(dotGit); err == nil && info.IsDir() {
		return dotGit, ""
	}
	dir := gitPath(dotGit, top)
	if dir == "" {
		return "", ""
	}
	common = gitPath(filepath.Join(dir, "commondir"), dir)
	if common == "" { // a submodule, or a repository kept elsewhere
		return dir, ""
	}
	if filepath.Base(common) == ".git" {
		main = filepath.Dir(common)
	}
	return common, main
}

// gitPath reads the path in a small file of git's, relative to dir unless it is
// absolute; "" when there is none.
func gitPath(file, dir string) string {
	const most = 8 << 10 // twice the longest path
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.OpenFile(file, os.O_RDONLY|cachedir.NoBlock, 0)
	if err != nil {
		return ""
	}
	defer closeQuietly(f)
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return ""
	}
	text := strings.TrimSpace(string(bytes.TrimPrefix(data, []byte("gitdir:"))))
	if text == "" || strings.ContainsRune(text, 0) {
		return ""
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(dir, filepath.FromSlash(text))
	}
	return filepath.Clean(text)
}
