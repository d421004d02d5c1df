package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"issues-index/index/team/share"
	"issues-index/store/mirror"
)

// keptNonce is that of the signs of life of all lines: each checkout of a line renews its sign,
// also after another one.
const keptNonce = "line"

// keptKey is the key of the lease that is the sign of life of a line.
func keptKey(line string) string { return "kept-" + line }

// keep gives a sign of life of a line. It stands as long as a line is kept without another one,
// and for the time between two signs.
func (l *publishLoop) keep(ctx context.Context, line string) error {
	sign := l.teamLease(keptKey(line))
	sign.Nonce = keptNonce
	_, err := l.p.Team.Take(ctx, sign, l.p.rhythm.kept+l.p.rhythm.reconcile)
	if errors.As(err, new(*share.HeldError)) { // the line is being removed, or was until a minute ago
		return errAgain
	}
	return err
}

// removeOldLines removes the line of this checkout alone where another one is published in its
// place, and, by the machine with the main line, those without a sign of life. What fails keeps no
// document back: it is tried again with the next round where the engine was in the way, else with
// the next comparison.
func (l *publishLoop) removeOldLines(ctx context.Context) {
	if !l.removes {
		return
	}
	lines, err := l.oldLines(ctx)
	for _, line := range lines {
		if err == nil {
			err = l.removeLine(ctx, line)
		}
	}
	l.removes = errors.Is(err, errAgain) || errors.Is(err, share.ErrAway)
	if err != nil && ctx.Err() == nil {
		l.p.Log.Warn("remove lines that are not published any more; that is tried again within the hour",
			"workspace", l.p.Workspace, "error", err)
	}
}

// oldLines are the lines to be removed, of which something stands.
func (l *publishLoop) oldLines(ctx context.Context) ([]string, error) {
	of := share.BranchSelection{Workspaces: []string{l.p.Workspace}}
	switch {
	case l.line == l.ownLine:
		return nil, nil
	case !isMain(l.line):
		of.Lines = []string{l.ownLine}
	}
	stands := map[string]bool{}
	for h, err := range l.p.Team.Heads(ctx, of) {
		if err != nil {
			return nil, err
		}
		if !h.Gone && !isMain(h.Branch.Name) && h.Branch.Name != l.line {
			stands[h.Branch.Name] = true
		}
	}
	if len(stands) == 0 {
		return nil, nil
	}
	leases, err := l.p.Team.Leases(ctx, l.p.Workspace)
	if err != nil {
		return nil, err
	}
	for line := range stands {
		isKept := func(lease share.TeamLease) bool { return lease.Key == keptKey(line) && lease.Nonce == keptNonce }
		if line != l.ownLine && slices.ContainsFunc(leases, isKept) {
			delete(stands, line)
		}
	}
	return slices.Sorted(maps.Keys(stands)), nil
}

// removeLine publishes what stands on another line as gone. The engine decides whether the line is
// old: its lease keeps its checkouts away, and the place of its sign of life must be free for a
// lease of this checkout. A checkout that comes back finds nothing, and publishes everything again.
func (l *publishLoop) removeLine(ctx context.Context, line string) error {
	lease, err := l.take(ctx, line)
	if errors.As(err, new(*share.HeldError)) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { l.release(ctx, lease) }()
	if line != l.ownLine {
		sign, err := l.p.Team.Take(ctx, l.teamLease(keptKey(line)), leaseLasts)
		if errors.As(err, new(*share.HeldError)) {
			return nil
		}
		if err != nil {
			return err
		}
		l.release(ctx, sign)
	}
	stands, _, err := l.p.engineHeads(ctx, line)
	if err != nil {
		return err
	}
	gone := tombstones(stands)
	for batch := range slices.Chunk(gone, maxBatch) {
		if err := l.renewLine(ctx); err != nil {
			return err
		}
		if l.line == "" { // lost
			return errAgain
		}
		if lease, err = l.p.Team.Renew(ctx, lease, leaseLasts); errors.Is(err, share.ErrLost) {
			return errAgain
		} else if err != nil {
			return err
		}
		l.announce(ctx)
		for _, ack := range l.publishBatch(ctx, line, lease.Fence, batch) {
			if errors.Is(ack.Err, share.ErrConflict) { // another version stands than was read
				return errAgain
			}
			if ack.Err != nil {
				return fmt.Errorf("remove the line %s: %w", line, ack.Err)
			}
		}
	}
	l.p.Log.Info("removed a line that is not published any more",
		"workspace", l.p.Workspace, "line", line, "documents", len(gone))
	return nil
}

// tombstones are the versions by which all that stands is gone. That of the manifest is the last
// one: it says what the documents are.
func tombstones(stands map[string]share.Head) (gone []share.DocumentVersion) {
	for _, h := range stands {
		if !h.Gone && h.Path != mirror.ManifestPath {
			gone = append(gone, share.DocumentVersion{Path: h.Path, Gone: true, Replaces: h.Position})
		}
	}
	if h := stands[mirror.ManifestPath]; h.Position > 0 && !h.Gone {
		gone = append(gone, share.DocumentVersion{Path: h.Path, Gone: true, Replaces: h.Position})
	}
	return gone
}
