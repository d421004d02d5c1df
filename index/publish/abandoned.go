package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"issues-index/index/share"
)

const (
	// signNonce is that of the signs of life of all lines: whoever publishes a line renews its
	// sign, also one that another machine has left.
	signNonce = "line"
	// knownFor is how long a line is known to have had a sign of life. A line that is found
	// without one later counts as never seen.
	knownFor = 365 * 24 * time.Hour
)

// lineMark is a lease by which something is known of a line, whichever machine takes it: that it
// is kept (keptKey), or that it has had a sign of life (knownKey).
func (s *duty) lineMark(key string) share.TeamLease {
	l := s.teamLease(key)
	l.Nonce = signNonce
	return l
}

// keep gives a sign of life of a line. It stands as long as a line is kept without another one,
// and for the time between two signs. The mark comes second: without the sign it says that the
// time of the line is over.
func (s *duty) keep(ctx context.Context, line string) error {
	_, err := s.p.Team.Take(ctx, s.lineMark(keptKey(line)), s.p.rhythm.kept+s.p.rhythm.reconcile)
	if errors.As(err, new(*share.HeldError)) { // the line is being removed, or was until a minute ago
		return errAgain
	}
	if err != nil {
		return err
	}
	_, err = s.p.Team.Take(ctx, s.lineMark(knownKey(line)), knownFor)
	return err
}

// removeAbandoned removes the lines of the workspace that have had no sign of life for as long as
// a line is kept. A line without a sign that another machine publishes at the moment, or that is
// not known to have had one, gets one here: its time begins now.
func (s *duty) removeAbandoned(ctx context.Context) error {
	lines, err := s.otherLines(ctx)
	if err != nil || len(lines) == 0 {
		return err
	}
	leases, err := s.p.Team.Leases(ctx, s.p.Workspace)
	if err != nil {
		return err
	}
	nonces := make(map[string]string, len(leases)) // by key
	for _, l := range leases {
		nonces[l.Key] = l.Nonce
	}
	ours := nonceOf(s.p.host, s.identity)
	abandoned := map[string][]share.Head{}
	for _, line := range lines {
		sign, signed := nonces[keptKey(line)]
		by, published := nonces[share.LineLeaseKey(line)]
		_, known := nonces[knownKey(line)]
		switch {
		case sign == signNonce: // it is kept
		case !signed && (published && by != ours || !known):
			if err := s.keep(ctx, line); err != nil {
				return err
			}
		default: // with another sign or a lease of ours, its removal was broken off
			abandoned[line] = nil
		}
	}
	if len(abandoned) == 0 {
		return nil
	}
	return s.removeAll(ctx, abandoned)
}

// otherLines returns the lines of the workspace, besides the main line, of which something stands.
func (s *duty) otherLines(ctx context.Context) ([]string, error) {
	found := map[string]bool{}
	for h, err := range s.p.Team.Heads(ctx, share.LineSelection{Workspaces: []string{s.p.Workspace}}) {
		if err != nil {
			return nil, err
		}
		if !h.Gone && !isMain(h.Line.Name) {
			found[h.Line.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// removeAll removes lines. What they have is read at once: a server has few readers for all.
func (s *duty) removeAll(ctx context.Context, lines map[string][]share.Head) error {
	for h, err := range s.p.Team.Heads(ctx, share.LineSelection{Workspaces: []string{s.p.Workspace}}) {
		if err != nil {
			return err
		}
		if stands, abandoned := lines[h.Line.Name]; abandoned {
			lines[h.Line.Name] = append(stands, h)
		}
	}
	var failed []error
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		err := s.removeIfAbandoned(ctx, line, tombstones(slices.Values(lines[line])))
		if err != nil {
			failed = append(failed, fmt.Errorf("remove the line %s: %w", line, err))
		}
		if isOfAll(err) || s.line == "" {
			break
		}
	}
	return errors.Join(failed...)
}

// removeIfAbandoned removes a line of which no sign of life was seen. The engine decides whether
// there is one by now: the line's lease keeps its checkouts away, and the place of the sign must be
// free for a lease of this checkout. If it is, nothing was published since the heads were read.
func (s *duty) removeIfAbandoned(ctx context.Context, line string, gone []share.DocumentVersion) error {
	held := new(*share.HeldError)
	lease, err := s.take(ctx, line)
	if errors.As(err, held) {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.giveBack(ctx, lease)
	sign, err := s.p.Team.Take(ctx, s.teamLease(keptKey(line)), leaseLasts)
	if errors.As(err, held) {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.giveBack(ctx, sign)
	return s.removeLine(ctx, line, gone, lease, sign)
}
