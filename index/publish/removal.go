package publish

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"issues-index/index/share"
	"issues-index/store/mirror"
)

// tidy removes the lines that nobody publishes any more. What fails keeps no document back: it
// is tried again with the next round where something was in the way, else with the next comparison.
func (s *duty) tidy(ctx context.Context) {
	if !s.tidying {
		return
	}
	err := s.retire(ctx)
	if err == nil && isMain(s.line) {
		err = s.removeAbandoned(ctx)
	}
	s.tidying = errors.Is(err, errAgain) || errors.Is(err, share.ErrAway)
	switch {
	case s.tidying:
		s.p.Log.Debug("remove lines that nobody publishes", "workspace", s.p.Workspace, "error", err)
	case err != nil && ctx.Err() == nil:
		s.p.Log.Warn("remove lines that nobody publishes; that is tried again within the hour", "workspace", s.p.Workspace, "error", err)
	}
}

// retire removes the line of this checkout alone once another one is published in its place.
func (s *duty) retire(ctx context.Context) error {
	own := s.checkout.line
	if s.line == own {
		return nil
	}
	stands, _, err := s.engineHeads(ctx, own)
	if err != nil {
		return err
	}
	gone := tombstones(maps.Values(stands))
	if len(gone) == 0 {
		return nil
	}
	if err := s.db.learn(ctx, own, s.epoch, stands); err != nil { // numbers go on after those of the line
		return err
	}
	lease, err := s.take(ctx, own)
	if errors.As(err, new(*share.HeldError)) { // it is another machine's by now
		return nil
	}
	if err != nil {
		return err
	}
	defer s.giveBack(ctx, lease)
	if err := s.removeLine(ctx, own, gone, lease); err != nil {
		return err
	}
	return s.db.forget(ctx, own)
}

// removeLine publishes what stands on another line than the duty's as gone, under leases of which
// the first is that of the line. Who comes back to it finds that, and publishes everything again.
func (s *duty) removeLine(ctx context.Context, line string, gone []share.DocumentVersion, leases ...share.TeamLease) error {
	for batch := range slices.Chunk(gone, maxBatch) {
		if err := s.keepLine(ctx); err != nil {
			return err
		}
		if s.line == "" { // lost
			return errAgain
		}
		for i, lease := range leases {
			var err error
			leases[i], err = s.p.Team.Renew(ctx, lease, leaseLasts)
			if errors.Is(err, share.ErrLost) { // its checkout may have it by now
				return errAgain
			}
			if err != nil {
				return err
			}
		}
		s.announce(ctx)
		acks, err := s.publishBatch(ctx, line, leases[0].Fence, batch)
		if err != nil {
			return err
		}
		for _, ack := range acks {
			if errors.Is(ack.Err, share.ErrConflict) { // another version stands than was read
				return errAgain
			}
			if ack.Err != nil {
				return ack.Err
			}
		}
	}
	s.giveBack(ctx, s.lineMark(knownKey(line)))
	s.p.Log.Info("removed a line that nobody publishes any more", "workspace", s.p.Workspace, "line", line, "documents", len(gone))
	return nil
}

// tombstones are the versions by which all that stands is gone. That of the manifest is the last
// one: it says what the documents are.
func tombstones(stands iter.Seq[share.Head]) (gone []share.DocumentVersion) {
	for h := range stands {
		if !h.Gone {
			gone = append(gone, share.DocumentVersion{Path: h.Path, Gone: true, Replaces: h.Position})
		}
	}
	manifest := func(v share.DocumentVersion) bool { return v.Path == mirror.ManifestPath }
	if i := slices.IndexFunc(gone, manifest); i >= 0 {
		last := len(gone) - 1
		gone[i], gone[last] = gone[last], gone[i]
	}
	return gone
}
