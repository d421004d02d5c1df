package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"issues-index/index/share"
	"issues-index/store/mirror"
)

// leaseLasts is how long a line stays with a machine that says nothing more.
const leaseLasts = time.Minute

// wantedLine is the line that the checkout is to publish, "" for none.
func (s *duty) wantedLine() string {
	switch {
	case s.p.Line != "":
		return s.p.Line
	case s.branch.ours:
		return mirror.Main
	case s.p.MainOnly:
		return ""
	}
	return s.checkout.line
}

// holdLine sees to it that the lease of the line is held, and changes the line where another
// one is to be published. Without an error, line is "" or its lease is held.
func (s *duty) holdLine(ctx context.Context) error {
	wanted, now := s.wantedLine(), s.p.wall()
	if s.line != "" {
		settled := s.line == wanted || isMain(wanted) && s.line == s.checkout.line && now.Before(s.tryMain)
		err := s.keepLine(ctx)
		if err != nil || settled && s.line != "" {
			return err
		}
	}
	if wanted == "" {
		s.leaveLine(ctx, "this is no checkout of the default branch, and nothing else is to be published")
		return nil
	}
	lease, err := s.take(ctx, wanted)
	var held *share.HeldError
	if errors.As(err, &held) {
		return s.yield(ctx, wanted, held.Lease)
	}
	if err != nil {
		return err
	}
	s.leaveLine(ctx, "")
	s.enterLine(ctx, wanted, lease)
	return nil
}

// yield goes on where another machine has the wanted line: with the line of this checkout
// alone, if that may take the main line's place.
func (s *duty) yield(ctx context.Context, wanted string, by share.TeamLease) error {
	s.p.note(func(st *PublisherStatus) {
		if st.MainHolder = ""; isMain(wanted) {
			st.MainHolder = by.Holder
		}
	})
	s.tryMain = s.p.wall().Add(s.p.rhythm.tick)
	own := s.checkout.line
	switch {
	case s.p.Line != "" || s.p.MainOnly || s.once:
		err := &HeldLineError{Line: wanted, Lease: by}
		s.leaveLine(ctx, err.Error())
		return err
	case s.line == own:
		return nil
	}
	lease, err := s.take(ctx, own)
	if err != nil {
		return err
	}
	s.leaveLine(ctx, "")
	s.enterLine(ctx, own, lease)
	return nil
}

// keepLine renews the lease of the line where that is due. A lease that is lost ends the line
// at once.
func (s *duty) keepLine(ctx context.Context) error {
	now := s.p.wall()
	if now.Before(s.renew) {
		return nil
	}
	lease, err := s.p.Team.Renew(ctx, s.lease, leaseLasts)
	switch {
	case errors.Is(err, share.ErrLost):
		s.p.Log.Warn("another machine may publish the line now", "workspace", s.p.Workspace, "line", s.line)
		s.lease = share.TeamLease{}
		s.leaveLine(ctx, "the lease of the line "+s.line+" was lost")
		return nil
	case err == nil:
		s.holds(lease, now)
		return nil
	}
	return err // nothing is published before it is known who has the line
}

func (s *duty) holds(lease share.TeamLease, since time.Time) {
	s.lease, s.renew = lease, since.Add(leaseLasts/3)
}

// take takes the lease of a line.
func (s *duty) take(ctx context.Context, line string) (share.TeamLease, error) {
	return s.p.Team.Take(ctx, s.teamLease(share.LineLeaseKey(line)), leaseLasts)
}

// teamLease is a lease of this checkout.
func (s *duty) teamLease(key string) share.TeamLease {
	return share.TeamLease{
		Workspace: s.p.Workspace, Key: key, Holder: fmt.Sprintf("%s:%s", s.p.host, s.ws.Root), Nonce: nonceOf(s.p.host, s.identity), Since: s.p.Now(),
	}
}

// giveBack lets others have a lease. One that is not given back lapses.
func (s *duty) giveBack(ctx context.Context, lease share.TeamLease) {
	if err := s.p.Team.Release(ctx, lease); err != nil {
		s.p.Log.Debug("give a lease back", "workspace", s.p.Workspace, "lease", lease.Key, "error", err)
	}
}

// enterLine begins to publish a line. The lease was taken just now.
func (s *duty) enterLine(ctx context.Context, line string, lease share.TeamLease) {
	s.line, s.whole, s.tidying = line, true, true
	s.holds(lease, s.p.wall())
	s.p.note(func(st *PublisherStatus) {
		if st.Line, st.Idle = line, ""; isMain(line) {
			st.MainHolder = ""
		}
	})
	s.p.Log.Info("publishing", "workspace", s.p.Workspace, "line", line)
	if s.p.Answer != nil && !s.once {
		serving, end := context.WithCancel(ctx)
		s.calls = end
		go s.p.serveCalls(serving, s.p.line(line))
	}
	s.announced = time.Time{}
}

// leaveLine ends the publishing of the line, if there is one, and lets others have it.
func (s *duty) leaveLine(ctx context.Context, why string) {
	s.calls()
	s.calls = func() {}
	if s.line != "" && s.lease.Key != "" {
		s.giveBack(ctx, s.lease)
	}
	s.line, s.lease, s.position = "", share.TeamLease{}, 0
	s.generation, s.problems, s.conflicts, s.strays = "", map[string]obstacle{}, map[string]int{}, map[string]uint64{}
	s.setWaiting(0)
	s.p.note(func(st *PublisherStatus) { st.Line, st.Idle = "", why })
}

// serveCalls answers calls to a line until ctx ends.
func (p *Publisher) serveCalls(ctx context.Context, line mirror.Line) {
	for pause := p.rhythm.retry; ctx.Err() == nil; pause = min(2*pause, p.rhythm.maxRetry) {
		err := p.Team.ServeCalls(ctx, line, p.Answer)
		if err == nil || ctx.Err() != nil {
			return
		}
		p.Log.Warn("answer calls to the line", "line", line.String(), "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// announce gives a sign of life where that is due. One that fails keeps no document back: the
// next one comes with the next tick, and by then the old one still counts.
func (s *duty) announce(ctx context.Context) {
	now := s.p.wall()
	caughtUp := s.waiting == 0 && s.saidWaiting > 0
	if s.once || s.line == "" || now.Sub(s.announced) < s.p.rhythm.tick && !caughtUp {
		return
	}
	err := s.p.Team.Announce(ctx, share.Presence{
		Line: s.p.line(s.line), Machine: s.p.host, Version: s.p.Version, Commit: s.branch.commit, Waiting: s.waiting, At: s.p.Now(),
	})
	if err != nil {
		s.p.Log.Debug("give a sign of life", "line", s.line, "error", err)
		return
	}
	s.announced, s.saidWaiting = now, s.waiting
}
