package issues

import (
	"context"
	"errors"

	"issues-index/index"
	"issues-index/store/session"
	"issues-index/tools"
)

// withMainWorktree has a tool that knows no document of an id, in a git worktree, tell whether
// the main worktree has it: what is not committed there is in no other.
func withMainWorktree(ix *index.Index, t tools.Tool) tools.Tool {
	handle := t.Handle
	t.Handle = func(ctx context.Context, args *tools.Args) (tools.Result, error) {
		result, err := handle(ctx, args)
		var unknown *index.NotFoundError
		if errors.As(err, &unknown) && unknown.MainWorktree == "" {
			inMainWorktree(ctx, ix, args, func(main *index.Index) {
				if _, err := main.Get(ctx, unknown.ID); err == nil {
					unknown.MainWorktree = main.Workspace().Root
				}
			})
		}
		return result, err
	}
	return t
}

// noteNothing says of a list that is empty what it may miss: documents whose statuses nobody knows,
// where it was asked for by what statuses mean, and those that the main worktree has and this one
// lacks.
func noteNothing(ctx context.Context, ix *index.Index, args *tools.Args, byMeaning bool) {
	if byMeaning {
		noteUnknownStatuses(ctx, ix, args)
	}
	inMainWorktree(ctx, ix, args, func(main *index.Index) {
		if lacking := session.In(main.Workspace()).LeftBehind(ctx, ix.Workspace().Root); lacking != "" {
			args.Note(lacking)
		}
	})
}

// inMainWorktree calls do with the index of the workspace in the repository's main worktree, if
// the call's workspace is in another one and its caller may use that.
func inMainWorktree(ctx context.Context, ix *index.Index, args *tools.Args, do func(main *index.Index)) {
	root := session.In(ix.Workspace()).MainWorktree()
	if root == "" {
		return
	}
	b, served, err := args.Workspace(ctx, root)
	if err != nil || !served {
		return // what was asked for is answered as well without
	}
	defer b.Release()
	if b.Index.Workspace().Root == root {
		do(b.Index)
	}
}
