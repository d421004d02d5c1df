package publish

import (
	"context"
	"errors"
	"time"

	"issues-index/index/share"
)

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
	return p.publishOnce(ctx, func(*duty) error { return nil })
}

func (p *Publisher) publishOnce(ctx context.Context, prepare func(*duty) error) (PublishSummary, error) {
	s, err := p.open(ctx)
	if err != nil {
		return PublishSummary{}, err
	}
	defer s.close()
	s.once = true
	if err := prepare(s); err != nil {
		return PublishSummary{}, err
	}
	for pause := p.rhythm.retry; ; pause = min(2*pause, p.rhythm.maxRetry) {
		err := s.publish(ctx)
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
	done := PublishSummary{Workspace: p.Workspace, Line: s.line, Published: s.published, Removed: s.removed, Position: s.position, Problems: status.Problems}
	if s.line == "" {
		return PublishSummary{}, errors.Join(ErrNotPublishing, errors.New(status.Idle))
	}
	s.leaveLine(ctx, "") // nobody is here to renew the lease
	return done, nil
}
