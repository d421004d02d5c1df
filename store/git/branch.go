package git

import (
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// DefaultBranch returns the branch that the repository was cloned for: that of its remote
// origin, else main or master, whichever there is. It is "" where none of these is there.
func (r *Repository) DefaultBranch(ctx context.Context) (branch string, err error) {
	const remote = "refs/remotes/origin/"
	refs, err := run(ctx, r.dir, "for-each-ref", "--format=%(refname) %(symref)", // sorted by their names
		"refs/heads/main", "refs/heads/master", remote+"HEAD")
	for ref := range strings.SplitSeq(refs, "\n") {
		name, target, _ := strings.Cut(ref, " ")
		switch name { // a pattern also matches what is below it
		case remote + "HEAD":
			if cloned, ok := strings.CutPrefix(target, remote); ok {
				return cloned, err
			}
		case "refs/heads/main", "refs/heads/master":
			branch = cmp.Or(branch, path.Base(name))
		}
	}
	return branch, err
}

// RebasedBranch returns the branch that is being rebased in dir's worktree, "" for none.
// While it is, no branch is checked out. git is not run.
func RebasedBranch(dir string) string {
	own := checkoutOf(dir).own
	if own == "" {
		return ""
	}
	for _, state := range []string{"rebase-merge", "rebase-apply"} {
		if branch, ok := strings.CutPrefix(readSmall(filepath.Join(own, state, "head-name")), "refs/heads/"); ok {
			return branch
		}
	}
	return ""
}

// longestBusy is how long git may hold its lock: a git that was killed has left an older lock behind.
const longestBusy = 30 * time.Second

// IsBusy reports whether git is writing to dir's worktree: it checks out another commit,
// say, and the files are those of neither. A lock older than 30 s does not count. git is not run.
func IsBusy(dir string) bool {
	own := checkoutOf(dir).own
	if own == "" {
		return false
	}
	lock, err := os.Lstat(filepath.Join(own, "index.lock"))
	return err == nil && time.Since(lock.ModTime()) < longestBusy
}
