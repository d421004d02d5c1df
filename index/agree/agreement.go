// Package agree has the claims and numbers of one clone of a workspace agreed with those of
// the team's other clones, through the team's engine.
//
// It knows nothing of the index, of how work is chosen, or of which engine it is. Its
// invariants:
//   - The local rules hold as they are. The engine is asked besides, and can only refuse.
//   - At the engine a lease is the clone's, not the holder's: among the holders of one clone
//     the local rules decide. So what was left behind by a process that was killed is taken
//     again by whoever in the clone claims the document next.
//   - A lease at the engine is made to last before the local one is, so that it never ends
//     earlier, as long as the engine can be reached.
//   - What could not be agreed leaves a mark that stays until it was.
package agree

import (
	"context"
	"errors"
	"fmt"
	"time"

	"issues-index/index/share"
	"issues-index/index/sqlfile"
	"issues-index/store"
)

// DefaultTimeout is how long an answer of the engine is waited for.
const DefaultTimeout = 2 * time.Second

// A ClaimMode says what becomes of a claim that cannot be agreed.
type ClaimMode string

// The modes.
const (
	Auto    ClaimMode = "auto"    // it counts in this clone, and is agreed later
	Cluster ClaimMode = "cluster" // it is refused
	Off     ClaimMode = "off"     // nothing is agreed, numbers neither
)

// Options are those of In.
type Options struct {
	// Team returns the connection to the engine. It is called when something is to be agreed,
	// and may connect then.
	Team func(ctx context.Context) (share.Team, error)
	// Workspace is the name of the workspace in the team.
	Workspace string
	Claims    ClaimMode     // "" is Auto
	Timeout   time.Duration // for each answer, 0 for DefaultTimeout
}

// An Agreement is that of one clone of a workspace with its team. It is safe for concurrent
// use, also by several processes.
type Agreement struct {
	ws      *store.Workspace
	options Options
	kept    keptFile
}

// In returns the agreement of a workspace, nil where nothing is to be agreed.
func In(ws *store.Workspace, o Options) *Agreement {
	if o.Claims == Off {
		return nil
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	return &Agreement{ws: ws, options: o, kept: keptFile{ws: ws, keeper: sqlfile.Keeper{Format: format, Place: placeIn(ws)}}}
}

// Close closes the file. The connection to the engine stays.
func (a *Agreement) Close() error { return a.kept.close() }

// Required reports whether a claim that cannot be agreed is refused.
func (a *Agreement) Required() bool { return a.options.Claims == Cluster }

// An UnagreedError says why something was not agreed: whether the engine has done what was
// asked is not known. It is marked to be agreed later.
type UnagreedError struct{ Err error }

func (e *UnagreedError) Error() string { return "not agreed with the team: " + e.Reason() }

func (e *UnagreedError) Unwrap() error { return e.Err }

// Reason says why, in the words of people.
func (e *UnagreedError) Reason() string {
	if errors.Is(e.Err, share.ErrForbidden) {
		return "its engine does not allow it with these credentials"
	}
	return "its engine cannot be reached"
}

// ask asks the engine, and marks what it does not answer. Its errors are *UnagreedError,
// *share.HeldError, share.ErrLost, and those of the file.
func (a *Agreement) ask(ctx context.Context, question func(ctx context.Context, team share.Team) error) error {
	limited, cancel := context.WithTimeout(ctx, a.options.Timeout)
	defer cancel()
	team, err := a.options.Team(limited)
	if err == nil {
		err = question(limited, team)
	}
	var held *share.HeldError
	if err == nil || errors.As(err, &held) || errors.Is(err, share.ErrLost) {
		return err
	}
	// Whoever gives up has been answered by nobody, either.
	if marking := a.kept.mark(context.WithoutCancel(ctx)); marking != nil {
		return marking
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &UnagreedError{err}
}

// Reconnected is the team's. Without a connection the channel is nil.
func (a *Agreement) Reconnected(ctx context.Context) (again <-chan struct{}, done func(), err error) {
	team, err := a.options.Team(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("connect to the team's engine: %w", err)
	}
	again, done = team.Reconnected()
	return again, done, nil
}
