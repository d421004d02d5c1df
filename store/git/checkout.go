package git

import (
	"os"
	"path/filepath"
	"slices"
)

// Checkout returns the worktree that dir, a real path, lies in, and the folder that all
// worktrees of its repository share. Both are "" where dir lies in none. The answer can be
// trusted, whoever made the folder: a worktree counts only when its repository leads back to
// it, and so a file that leads to another's repository, or a link to one, does not.
func Checkout(dir string) (top, common string) {
	top, ok := Top(dir)
	if !ok {
		return "", ""
	}
	dotGit := filepath.Join(top, ".git")
	info, err := os.Lstat(dotGit)
	if err != nil {
		return "", ""
	}
	if info.IsDir() {
		return top, dotGit
	}
	own := linkedTo(top)
	if own == "" || !samePath(readPath(filepath.Join(own, "gitdir"), own), dotGit) {
		return "", ""
	}
	if own, err = filepath.EvalSymlinks(own); err != nil {
		return "", ""
	}
	common, err = filepath.EvalSymlinks(readPath(filepath.Join(own, "commondir"), own))
	if err != nil || filepath.Dir(own) != filepath.Join(common, "worktrees") {
		return "", ""
	}
	return top, common
}

// IsLinkedWorktree reports whether dir is the top of a worktree that shares the repository
// of another one. The repository of a submodule is its own.
func IsLinkedWorktree(dir string) bool { return linkedTo(dir) != "" }

// linkedTo returns the folder that a repository has for the linked worktree at top, "" when
// there is no such worktree. It is what top says: the repository may know nothing of it.
func linkedTo(top string) string {
	dotGit := filepath.Join(top, ".git")
	if info, err := os.Lstat(dotGit); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	own := readPath(dotGit, top)
	if own == "" || readPath(filepath.Join(own, "commondir"), own) == "" {
		return ""
	}
	return own
}

// TrustedWorktrees is OtherWorktrees without those that Checkout does not take for worktrees
// of dir's repository.
func TrustedWorktrees(dir string) []string {
	_, common := Checkout(dir)
	if common == "" {
		return nil
	}
	return slices.DeleteFunc(OtherWorktrees(dir), func(other string) bool {
		_, theirs := Checkout(other)
		return theirs != common
	})
}
