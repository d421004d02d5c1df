package publish

import (
	"context"
	"errors"
	"time"

	"issues-index/index/team/share"
)

// ErrNotPublishing says that this process does not publish the workspace.
var ErrNotPublishing = errors.New("this process does not publish the workspace")

// Run keeps the workspace published until ctx ends. What fails is tried again, and told of by
// Status.
func (p *Publisher) Run(ctx context.Context) {
	for ctx.Err() == nil {
		l, err := p.open(ctx)
		if err == nil {
			p.begin(l)
			err = l.serve(ctx)
			p.begin(nil)
			l.close()
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		p.note(func(s *PublisherStatus) {
			s.Line, s.LastError = "", err.Error()
			if p.isBusy = errors.As(err, new(*BusyError)); p.isBusy {
				s.Idle, s.LastError = err.Error(), ""
			}
		})
		p.Log.Debug("publish the workspace", "workspace", p.Workspace, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(p.rhythm.reopen):
		}
	}
}

// begin has calls of Flush go to a loop.
func (p *Publisher) begin(l *publishLoop) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.loop = l; l != nil {
		p.status.Idle, p.status.LastError, p.isBusy = "", "", false
	}
}

// flushed is the answer to a Flush.
type flushed struct {
	position uint64
	err      error
}

// Flush publishes what has changed and returns the position of the newest version of the line:
// a hub that has come so far has all changes made before the call.
func (p *Publisher) Flush(ctx context.Context) (position uint64, err error) {
	p.mu.Lock()
	l, idle := p.loop, p.status.Idle
	p.mu.Unlock()
	if l == nil {
		if idle != "" {
			return 0, errors.Join(ErrNotPublishing, errors.New(idle))
		}
		return 0, ErrNotPublishing
	}
	answer := make(chan flushed, 1)
	select {
	case l.requests <- answer:
	case <-l.ended:
		return 0, ErrNotPublishing
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case f := <-answer:
		return f.position, f.err
	case <-l.ended:
		return 0, ErrNotPublishing
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// serve publishes changes as they come, until ctx ends or another folder is to be served.
func (l *publishLoop) serve(ctx context.Context) error {
	changed, done := l.ix.Subscribe()
	defer done()
	again, undo := l.p.Team.Reconnected()
	defer undo()
	r := l.p.rhythm
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
			l.compareAgain()
		case <-hourly.C:
			l.compareAgain()
		case <-tick.C:
			ticked = true
		case <-retry.C:
		case one := <-l.requests:
			asked = append(asked, one)
		}
		err := l.attend(ctx, ticked)
		if !errors.Is(err, errGitBusy) { // which is not for long
			for _, one := range asked {
				one <- l.flushed(err)
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
			l.p.Log.Debug("publish", "workspace", l.p.Workspace, "error", err)
		}
		retry.Reset(pause)
		pause = min(2*pause, r.maxRetry)
	}
}

// attend publishes and, where ticked, looks at what no event tells of.
func (l *publishLoop) attend(ctx context.Context, ticked bool) error {
	if ticked {
		if err := l.lookAtLog(ctx); err != nil && !errors.Is(err, share.ErrAway) {
			return err
		}
	}
	if err := l.publish(ctx); err != nil {
		return err
	}
	l.announce(ctx)
	return nil
}

func (l *publishLoop) flushed(err error) flushed {
	if err == nil && l.line == "" {
		err = ErrNotPublishing
	}
	return flushed{position: l.position, err: err}
}

// A PublishSummary says what Once has done.
type PublishSummary struct {
	Workspace string               `json:"workspace"`
	Line      string               `json:"line"`
	Published int                  `json:"published"` // documents
	Removed   int                  `json:"removed"`   // documents that are gone
	Position  uint64               `json:"position"`  // of the newest version of the line
	Problems  []PublicationProblem `json:"problems"`
}

// Once publishes what is to be published and returns. While the engine is away it tries until
// ctx ends. Errors: *BusyError, *HeldLineError, share.ErrAway, share.ErrForbidden and others.
func (p *Publisher) Once(ctx context.Context) (PublishSummary, error) {
	return p.publishOnce(ctx, false)
}

// Rebuild is Once for a line of which the engine may have anything: every document is published
// again, also those that it seems to have.
func (p *Publisher) Rebuild(ctx context.Context) (PublishSummary, error) {
	return p.publishOnce(ctx, true)
}

func (p *Publisher) publishOnce(ctx context.Context, republish bool) (PublishSummary, error) {
	l, err := p.open(ctx)
	if err != nil {
		return PublishSummary{}, err
	}
	defer l.close()
	l.once, l.republish = true, republish
	for pause := p.rhythm.retry; ; pause = min(2*pause, p.rhythm.maxRetry) {
		err := l.publish(ctx)
		if err == nil {
			break
		}
		if !errors.Is(err, share.ErrAway) && !errors.Is(err, errGitBusy) && !errors.Is(err, errAgain) {
			return PublishSummary{}, err
		}
		select {
		case <-ctx.Done():
			return PublishSummary{}, err
		case <-time.After(pause):
		}
	}
	status := p.Status()
	if l.line == "" {
		return PublishSummary{}, errors.Join(ErrNotPublishing, errors.New(status.Idle))
	}
	done := PublishSummary{
		Workspace: p.Workspace, Line: l.line, Published: l.sent, Removed: l.removed,
		Position: l.position, Problems: status.Problems,
	}
	l.leaveLine(ctx, "") // the lease is not renewed after this
	return done, nil
}
