package git

import (
	"context"
	"path/filepath"
	"slices"
)

// AddWorktree checks out a commit of dir's repository at path, which is absolute and an
// empty folder or nothing, on a new branch. What fails leaves the rest to RemoveWorktree.
// The files come in a run of their own: what the repository's configuration includes may
// depend on the worktree and its branch, and so only there can its filters be listed.
func AddWorktree(ctx context.Context, dir, path, branch, commit string) error {
	filters, err := filterOptions(ctx, dir)
	if err == nil {
		add := []string{"worktree", "add", "--quiet", "--no-checkout", "-b", branch, "--", path, commit}
		_, err = runFor(ctx, MaxTime, dir, slices.Concat(filters, add)...)
	}
	if err != nil {
		return err
	}
	// Both are named, as git itself does: core.worktree could be another folder.
	there := []string{"--git-dir=" + filepath.Join(path, ".git"), "--work-tree=" + path}
	if filters, err = filterOptions(ctx, path, there...); err == nil {
		_, err = runFor(ctx, MaxTime, path, slices.Concat(there, filters, []string{"reset", "--quiet", "--hard"})...)
	}
	return err
}

// RemoveWorktree takes back as much as AddWorktree did before it failed. The branch is
// new and has no commit of its own.
func RemoveWorktree(ctx context.Context, dir, path, branch string) {
	ctx = context.WithoutCancel(ctx)
	if filters, err := filterOptions(ctx, dir); err == nil {
		_, _ = runFor(ctx, MaxTime, dir, slices.Concat(filters, []string{"worktree", "remove", "--force", "--", path})...)
		_, _ = run(ctx, dir, slices.Concat(filters, []string{"branch", "-D", "--", branch})...)
	}
}
