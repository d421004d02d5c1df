package publish

import (
	"context"
	"errors"
	"time"

	"issues-index/index/share"
)

// ErrNotPublishing says that this process does not publish the workspace.
var ErrNotPublishing = errors.New("this process does not publish the workspace")

// flushed answers a Flush.
type flushed struct {
	position uint64
	err      error
}

// Run keeps the workspace published until ctx ends. What fails is tried again, and told of by
// Status.
func (p *Publisher) Run(ctx context.Context) {
	for ctx.Err() == nil {
		s, err := p.open(ctx)
		if err == nil {
			p.begin(s)
			err = s.serve(ctx)
			p.begin(nil)
			s.close()
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		p.note(func(st *PublisherStatus) {
			st.Line, st.LastError = "", err.Error()
			if p.isBusy = errors.As(err, new(*BusyError)); p.isBusy {
				st.Idle, st.LastError = err.Error(), ""
			}
		})
		p.Log.Debug("publish the workspace", "workspace", p.Workspace, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(p.rhythm.reopen):
		}
	}
}

// begin has calls of Flush go to a duty.
func (p *Publisher) begin(s *duty) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.duty = s; s != nil {
		p.status.Idle, p.status.LastError, p.isBusy = "", "", false
	}
}

// Flush publishes what has changed and returns the position of the newest version of the line:
// whoever has that has all changes made before the call.
func (p *Publisher) Flush(ctx context.Context) (position uint64, err error) {
	p.mu.Lock()
	s, idle := p.duty, p.status.Idle
	p.mu.Unlock()
	if s == nil {
		if idle != "" {
			return 0, errors.Join(ErrNotPublishing, errors.New(idle))
		}
		return 0, ErrNotPublishing
	}
	answer := make(chan flushed, 1)
	select {
	case s.requests <- answer:
	case <-s.ended:
		return 0, ErrNotPublishing
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case f := <-answer:
		return f.position, f.err
	case <-s.ended:
		return 0, ErrNotPublishing
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// serve publishes changes as they come, until ctx ends or another folder is to be served.
func (s *duty) serve(ctx context.Context) error {
	changed, done := s.ix.Subscribe()
	defer done()
	again, undo := s.p.Team.Reconnected()
	defer undo()
	r := s.p.rhythm
	tick, hourly := time.NewTicker(r.tick), time.NewTicker(r.reconcile)
	defer tick.Stop()
	defer hourly.Stop()
	retry := time.NewTimer(0) // the first round is now
	defer retry.Stop()
	pause := r.retry
	var asked []chan<- flushed
	for {
		ticked := false
		select {
		case <-ctx.Done():
			return nil
		case _, open := <-changed:
			if !open {
				return nil
			}
		case <-again:
			s.compareAgain()
		case <-hourly.C:
			s.compareAgain()
		case <-tick.C:
			ticked = true
		case <-retry.C:
		case one := <-s.requests:
			asked = append(asked, one)
		}
		for more := true; more; { // one round answers all
			select {
			case one := <-s.requests:
				asked = append(asked, one)
			default:
				more = false
			}
		}
		err := s.attend(ctx, ticked)
		if !errors.Is(err, errGitBusy) { // which is not for long
			for _, one := range asked {
				one <- s.answer(err)
			}
			asked = nil
		}
		if errors.Is(err, errReplaced) {
			return nil
		}
		if retry.Stop(); err == nil {
			pause = r.retry
			continue
		}
		if ctx.Err() == nil {
			s.p.Log.Debug("publish", "workspace", s.p.Workspace, "error", err)
		}
		retry.Reset(pause)
		pause = min(2*pause, r.maxRetry)
	}
}

// attend publishes and, where ticked, sees to what nobody tells of.
func (s *duty) attend(ctx context.Context, ticked bool) error {
	if ticked {
		if err := s.lookAtLog(ctx); err != nil && !errors.Is(err, share.ErrAway) {
			return err
		}
	}
	if err := s.publish(ctx); err != nil {
		return err
	}
	s.announce(ctx)
	return nil
}

// compareAgain has the next round compare everything with the engine. Documents that others
// publish, too, are tried again.
func (s *duty) compareAgain() {
	s.whole, s.tidying = true, true
	for path := range s.conflicts {
		delete(s.problems, path)
	}
	clear(s.conflicts)
}

// lookAtLog finds out whether the engine's log is an older one than it was: it was restored.
func (s *duty) lookAtLog(ctx context.Context) error {
	if s.line == "" || s.whole {
		return nil
	}
	state, err := s.p.Team.LogState(ctx)
	if err != nil {
		return err
	}
	if !state.Born.Equal(s.log.Born) || state.Last < max(s.log.Last, s.position) {
		s.p.Log.Warn("the team's log was set back; everything is compared with it", "workspace", s.p.Workspace)
		s.compareAgain()
	}
	s.log = state
	return nil
}

func (s *duty) answer(err error) flushed {
	switch {
	case err != nil:
		return flushed{err: err}
	case s.line == "":
		return flushed{err: ErrNotPublishing}
	}
	return flushed{position: s.position}
}
