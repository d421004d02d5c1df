package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// heartbeatNonce is that of the heartbeats of all branches: each checkout of a branch renews it.
const heartbeatNonce = "line"

// heartbeatKey is the key of the lease that is the heartbeat of a branch.
func heartbeatKey(branch string) string { return "kept-" + branch }

// beat gives a heartbeat of the branch. It stands as long as a branch is kept without another one,
// and for the time between two of them.
func (l *publishLoop) beat(ctx context.Context) error {
	heartbeat := l.teamLease(heartbeatKey(l.Branch))
	heartbeat.Nonce = heartbeatNonce
	_, err := l.p.Team.Take(ctx, heartbeat, l.p.intervals.abandoned+l.p.intervals.reconcile)
	if errors.As(err, new(*share.HeldError)) { // the branch is being removed, or was until a minute ago
		return errAgain
	}
	return err
}

// removeAbandoned removes the branch of this checkout alone where another one is published in its
// place, and, by the machine with the main branch, those without a heartbeat. What fails keeps no
// document back: the next comparison with the engine tries again.
func (l *publishLoop) removeAbandoned(ctx context.Context) {
	for _, branch := range l.others {
		err := l.removeBranch(ctx, branch)
		if err != nil && !errors.As(err, new(*share.HeldError)) && ctx.Err() == nil {
			l.p.Log.Warn("remove a line that is not published any more; that is tried again within the hour",
				"workspace", l.p.Workspace, "line", branch, "error", err)
		}
	}
	l.others = nil
}

// removeBranch publishes tombstones on another branch. The engine decides whether the branch is
// abandoned: the place of its heartbeat must be free for a lease of this checkout, and its own lease
// keeps its checkouts away. A checkout that comes back finds nothing, and publishes everything again.
func (l *publishLoop) removeBranch(ctx context.Context, branch string) error {
	keys := []string{heartbeatKey(branch), share.BranchLeaseKey(branch)}
	if branch == l.ownBranch {
		keys = keys[1:]
	}
	var leases []share.TeamLease
	defer func() {
		for _, lease := range leases {
			l.release(ctx, lease)
		}
	}()
	for _, key := range keys {
		lease, err := l.take(ctx, key)
		if err != nil {
			return err
		}
		leases = append(leases, lease)
	}
	stand, _, _, err := l.p.engineHeads(ctx, branch, []string{branch})
	if err != nil {
		return err
	}
	gone := tombstones(stand)
	for batch := range slices.Chunk(gone, maxBatch) {
		if err := l.renewBranch(ctx); err != nil {
			return err
		}
		if l.Branch == "" { // lost
			return errAgain
		}
		lease, err := l.take(ctx, share.BranchLeaseKey(branch))
		if err != nil {
			return err
		}
		for _, ack := range l.publishBatch(ctx, branch, lease.Fence, batch) {
			if ack.Err != nil {
				return fmt.Errorf("remove a document: %w", ack.Err)
			}
		}
	}
	l.p.Log.Info("removed a line that is not published any more",
		"workspace", l.p.Workspace, "line", branch, "documents", len(gone))
	return nil
}

// tombstones are the versions by which all that stands is gone. That of the manifest is the last
// one: it says what the documents are.
func tombstones(stands map[string]share.DocumentVersion) (gone []share.DocumentVersion) {
	for _, isManifest := range []bool{false, true} {
		for path, h := range stands {
			if !h.Gone && (path == mirror.ManifestPath) == isManifest {
				gone = append(gone, share.DocumentVersion{Path: path, Gone: true, Replaces: h.Position})
			}
		}
	}
	return gone
}
