package session

import (
	"context"
	"errors"

	"issues-index/index/lease"
	"issues-index/store"
	sessions "issues-index/store/session"
	"issues-index/tools"
)

// atHome returns the workspace that keeps a session's record, and the session's id: a call
// may come from another worktree than the one where the session was begun. release has to be
// called.
func atHome(ctx context.Context, ws *store.Workspace, args *tools.Args, id string) (home *store.Workspace, found string, release func(), err error) {
	release = func() {}
	root, found, err := sessions.In(ws).Home(ctx, id)
	if err != nil || root == ws.Root {
		return ws, id, release, err
	}
	b, served, err := args.Workspace(ctx, root)
	if err != nil || !served {
		return ws, id, release, err
	}
	args.WritesTo(b)
	return b.Index.Workspace(), found, b.Release, nil
}

// renewClaims tells that the holder of claims is at work, and the holder which ones somebody
// else has ended: on documents of the workspace that keeps the session, and of the worktree
// that the session works in.
func renewClaims(ctx context.Context, ws *store.Workspace, args *tools.Args, s sessions.Session) error {
	if args.Holder() == "" {
		return nil
	}
	err := renewIn(ctx, ws, args)
	at := sessions.In(ws).WorkspaceOf(s)
	if at == "" || at == ws.Root {
		return err
	}
	b, served, openErr := args.Workspace(ctx, at)
	if !served {
		return errors.Join(err, openErr)
	}
	defer b.Release()
	if other := b.Index.Workspace(); other.Root != ws.Root {
		err = errors.Join(err, renewIn(ctx, other, args))
	}
	return err
}

func renewIn(ctx context.Context, ws *store.Workspace, args *tools.Args) error {
	leases := lease.In(ws)
	lost, err := leases.Lost(ctx, args.Holder(), true)
	if err == nil {
		args.NoteLost(lost)
		err = errors.Join(leases.SignOfLife(ctx, args.Holder()), leases.Told(ctx, lost))
	}
	return errors.Join(err, leases.Close())
}
