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
		if err != nil {
			status := PublisherStatus{Workspace: p.Workspace, LastError: err.Error()}
			isBusy := errors.As(err, new(*BusyError))
			if isBusy {
				status.Idle, status.LastError = status.LastError, ""
			}
			p.set(status, isBusy)
			p.Log.Debug("publish the workspace", "workspace", p.Workspace, "error", err)
			_ = share.Pause(ctx, p.intervals.reopen) // the loop looks at ctx
			continue
		}
		p.set(l.PublisherStatus, false)
		p.turn <- struct{}{}
		p.loop = l
		<-p.turn
		l.serve(ctx)
		p.turn <- struct{}{}
		p.loop = nil
		l.close()
		<-p.turn
	}
}

// Flush publishes what has changed and returns the position of the newest version of the branch:
// a hub that has come so far has all changes made before the call. Errors: ErrNotPublishing, and those
// of the engine.
func (p *Publisher) Flush(ctx context.Context) (position uint64, err error) {
	for {
		select {
		case p.turn <- struct{}{}:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		position, err = p.flush(ctx)
		<-p.turn
		if !errors.Is(err, errGitBusy) || share.Pause(ctx, p.intervals.retry) != nil { // git is not busy for long
			return position, err
		}
	}
}

func (p *Publisher) flush(ctx context.Context) (uint64, error) {
	if l := p.loop; l != nil {
		if err := l.publish(ctx); err != nil || l.Branch != "" {
			return l.Position, err
		}
	}
	if idle := p.Status().Idle; idle != "" {
		return 0, errors.Join(ErrNotPublishing, errors.New(idle))
	}
	return 0, ErrNotPublishing
}

// serve publishes changes as they come, until ctx ends or another folder is to be served.
func (l *publishLoop) serve(ctx context.Context) {
	changed, done := l.ix.Subscribe()
	defer done()
	again, undo := l.p.Team.Reconnected()
	defer undo()
	r := l.p.intervals
	wait, next := time.Duration(0), r.retry // the first round is now
	for {
		compares := false
		select {
		case <-ctx.Done():
			return
		case _, open := <-changed:
			if !open {
				return
			}
		case <-again:
			compares = true
		case <-time.After(wait):
		}
		l.p.turn <- struct{}{}
		if compares {
			l.reconcileAt = time.Time{}
		}
		err := l.publish(ctx)
		<-l.p.turn
		switch {
		case errors.Is(err, errReplaced):
			return
		case err == nil:
			wait, next = r.tick, r.retry
		default:
			l.p.Log.Debug("publish", "workspace", l.p.Workspace, "error", err)
			wait, next = next, min(2*next, r.maxRetry)
		}
	}
}

// A PublishSummary says what Once has done.
type PublishSummary struct {
	Workspace string               `json:"workspace"`
	Branch    string               `json:"line"`
	Published int                  `json:"published"` // documents
	Removed   int                  `json:"removed"`   // documents that are gone
	Position  uint64               `json:"position"`  // of the newest version of the branch
	Problems  []PublicationProblem `json:"problems"`
}

// Once publishes what is to be published and returns. While the engine is away it tries until
// ctx ends. Errors: *BusyError, *HeldBranchError, share.ErrAway, share.ErrForbidden and others.
func (p *Publisher) Once(ctx context.Context) (PublishSummary, error) {
	return p.publishOnce(ctx, false)
}

// Rebuild is Once for a branch of which the engine may have anything: every document is published
// again, also those that it seems to have.
func (p *Publisher) Rebuild(ctx context.Context) (PublishSummary, error) {
	return p.publishOnce(ctx, true)
}

func (p *Publisher) publishOnce(ctx context.Context, republish bool) (done PublishSummary, err error) {
	l, err := p.open(ctx)
	if err != nil {
		return done, err
	}
	defer l.close()
	l.once, l.republish = true, republish
	for wait := p.intervals.retry; ; wait = min(2*wait, p.intervals.maxRetry) {
		if err = l.publish(ctx); err == nil {
			break
		}
		passes := errors.Is(err, share.ErrAway) || errors.Is(err, errGitBusy) || errors.Is(err, errAgain)
		if !passes || share.Pause(ctx, wait) != nil {
			return done, err
		}
	}
	if l.Branch == "" {
		return done, errors.Join(ErrNotPublishing, errors.New(l.Idle))
	}
	done = PublishSummary{p.Workspace, l.Branch, l.sent, l.removed, l.Position, l.Problems}
	l.leaveBranch(ctx, "") // the lease is not renewed after this
	return done, nil
}
