package session

import (
	"context"
	"errors"

	"issues-index/index/claims"
	"issues-index/store"
	sessions "issues-index/store/session"
	"issues-index/tools"
)

// atHome returns the workspace that keeps a session's record, and the session's id: a call
// may come from another worktree than the one where the session was begun. release has to be
// called.
func atHome(ctx context.Context, ws *store.Workspace, args *tools.Args,
	id string) (home *store.Workspace, found string, release func(), err error) {
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
	err := renewIn(ctx, ws, ws.Root, args)
	if at := sessions.In(ws).WorkspaceOf(s); at != "" && at != ws.Root {
		err = errors.Join(err, renewIn(ctx, ws, at, args))
	}
	return err
}

// renewIn is renewClaims for the workspace at a root, which is ws or one beside it. The leases
// are those of its index, which a team may have to agree to.
func renewIn(ctx context.Context, ws *store.Workspace, root string, args *tools.Args) (err error) {
	b, served, err := args.Workspace(ctx, root)
	switch {
	case served:
		defer b.Release()
		if root != ws.Root && b.Index.Workspace().Root == ws.Root { // it is done already
			return nil
		}
		return renew(ctx, b.Index.Leases(), args)
	case err != nil || root != ws.Root:
		return err
	}
	leases := claims.In(ws, claims.TeamOptions{})
	defer func() { err = errors.Join(err, leases.Close()) }()
	return renew(ctx, leases, args)
}

func renew(ctx context.Context, leases *claims.Leases, args *tools.Args) error {
	holder := args.HolderIn(leases)
	lost, err := leases.Lost(ctx, holder, true)
	if err != nil {
		return err
	}
	args.NoteLost(lost)
	return errors.Join(leases.Heartbeat(ctx, holder), leases.Told(ctx, lost))
}
