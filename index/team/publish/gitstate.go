package publish

import (
	"context"
	"errors"

	"issues-index/store/git"
)

// A gitState is what git has checked out.
type gitState struct {
	dir    string
	stamp  string // of the files that say so
	commit string // "" when not known
	// onDefault says that this is a checkout of the default branch, or that there is no git.
	onDefault bool
}

// look reads what is checked out, if that may be another commit than before. The error is
// errGitBusy while git is writing.
func (g *gitState) look(ctx context.Context, dir string) error {
	if git.IsBusy(dir) {
		return errGitBusy
	}
	stamp := git.HeadStamp(dir)
	if stamp == g.stamp && dir == g.dir {
		return nil
	}
	now := gitState{dir: dir, stamp: stamp, onDefault: true}
	if stamp != "" {
		if err := now.readHead(ctx); err != nil {
			return err
		}
	}
	*g = now
	return nil
}

// readHead reads commit and branch. What is not known is no reason to publish a main branch.
func (g *gitState) readHead(ctx context.Context) error {
	g.onDefault = false
	r, err := git.OpenRepository(ctx, g.dir)
	if unreadable := (*git.UnreadableError)(nil); errors.As(err, &unreadable) {
		return g.readUnborn(ctx, unreadable)
	}
	if err != nil {
		return err
	}
	branch := r.Branch
	if branch == "" {
		branch = git.RebasedBranch(g.dir)
	}
	main, err := r.DefaultBranch(ctx)
	g.commit, g.onDefault = r.Head, branch != "" && branch == main
	return err
}

// readUnborn is for a repository without a commit: it has no other branch than its
// first.
func (g *gitState) readUnborn(ctx context.Context, unreadable *git.UnreadableError) error {
	if !unreadable.Unborn {
		return nil
	}
	tips, err := git.Refs(ctx, g.dir)
	g.onDefault = err == nil && len(tips) == 0
	return err
}

// isUnchanged reports whether git still has checked out what it had, and writes nothing.
func (g *gitState) isUnchanged() bool { return !git.IsBusy(g.dir) && git.HeadStamp(g.dir) == g.stamp }
