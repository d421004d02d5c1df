// Package workspaces keeps the workspaces that one server serves: it finds the one that a
// call is about, opens it on first use, and closes it when it is idle.
//
// It knows nothing of MCP, of configuration files or of documents. Its invariants:
//   - a workspace is opened only where the user has allowed it, whatever a path or a
//     repository's files say: the real path decides;
//   - one index is open for each root, and it is never closed while a call uses it;
//   - the workspace that the server was started in is never closed, and costs a call that
//     names no other one nothing.
package workspaces

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"issues-index/index"
)

const (
	// IdleTime is how long a workspace without calls stays open.
	IdleTime = 10 * time.Minute
	// MaxOpen workspaces stay open besides the start workspace. While more have calls
	// under way, more are open.
	MaxOpen = 32
)

// Options says which workspaces a Set may open, and how. A T is what the caller keeps with
// each of them, such as its configuration.
type Options[T any] struct {
	// Start is the workspace that the server was started in, and Own what is kept with it.
	// The Set does not close it.
	Start *index.Current
	Own   T
	// Pinned refuses all others.
	Pinned bool
	// Named returns the workspaces that the user has named, as absolute paths by name.
	Named func() map[string]string
	// Open opens a workspace.
	Open func(ctx context.Context, root string) (*index.Current, T, error)
	Now  func() time.Time // nil is time.Now
	Log  *slog.Logger     // nil discards
}

// A Set is the workspaces of a server. It is safe for concurrent use.
type Set[T any] struct {
	o Options[T]

	mu     sync.Mutex
	open   map[string]*entry[T] // by root
	idle   *time.Timer          // closes what is idle; nil while nothing is open
	closed bool

	closings sync.WaitGroup
}

// An entry is a workspace that is open, or about to be.
type entry[T any] struct {
	root    string
	opened  chan struct{} // closed when the following three are set
	current *index.Current
	kept    T
	err     error

	// Changed under the Set's mu.
	calls int
	used  time.Time // the end of the last call
}

// A Served is the workspace of one call.
type Served[T any] struct {
	Index   *index.Index
	Kept    T
	IsStart bool
}

// New returns a Set.
func New[T any](o Options[T]) *Set[T] {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Named == nil {
		o.Named = func() map[string]string { return nil }
	}
	return &Set[T]{o: o, open: make(map[string]*entry[T])}
}

var (
	errClosed    = errors.New("the server ends")
	errNotOpened = errors.New("the workspace could not be opened")
)

// Acquire returns the workspace of a call, and what the call does when it has ended. Errors:
// *RefusedError, those of index.Current.Acquire, and those of opening the workspace.
func (s *Set[T]) Acquire(ctx context.Context, ask Ask) (Served[T], func(), error) {
	root, isStart, err := s.locate(ask)
	if err != nil {
		return Served[T]{}, nil, err
	}
	if isStart {
		ix, release, err := s.o.Start.Acquire(ctx)
		return Served[T]{Index: ix, Kept: s.o.Own, IsStart: true}, release, err
	}
	e, err := s.enter(ctx, root)
	if err != nil {
		return Served[T]{}, nil, err
	}
	ix, release, err := e.current.Acquire(ctx)
	if err != nil {
		s.leave(e)
		return Served[T]{}, nil, err
	}
	return Served[T]{Index: ix, Kept: e.kept}, sync.OnceFunc(func() { release(); s.leave(e) }), nil
}

// enter returns the entry of a root for a call, and opens the workspace if need be. Other
// calls of the same root wait for that; those of other roots do not.
func (s *Set[T]) enter(ctx context.Context, root string) (*entry[T], error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errClosed
	}
	e := s.open[root]
	first := e == nil
	if first {
		e = &entry[T]{root: root, opened: make(chan struct{})}
		s.open[root] = e
		s.closeIdle() // there may be one too many
	}
	e.calls++
	s.mu.Unlock()
	if first {
		s.openEntry(ctx, e)
	}
	select {
	case <-e.opened:
	case <-ctx.Done():
		s.leave(e)
		return nil, ctx.Err()
	}
	if e.err != nil {
		s.leave(e)
		return nil, e.err
	}
	return e, nil
}

func (s *Set[T]) openEntry(ctx context.Context, e *entry[T]) {
	defer close(e.opened)
	e.err = errNotOpened // should Open panic
	// A caller that gives up does not spoil it for those who wait.
	e.current, e.kept, e.err = s.o.Open(context.WithoutCancel(ctx), e.root)
	if e.err == nil {
		s.o.Log.Info("opened another workspace", "root", e.root)
	}
}

// leave ends a call.
func (s *Set[T]) leave(e *entry[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.calls--
	e.used = s.o.Now()
	if isOpened(e) && e.err != nil { // the next call tries again
		if s.open[e.root] == e {
			delete(s.open, e.root)
		}
		return
	}
	s.closeIdle()
}

func isOpened[T any](e *entry[T]) bool {
	select {
	case <-e.opened:
		return true
	default:
		return false
	}
}

// CloseIdle closes the workspaces without calls for IdleTime. The Set calls it in time.
func (s *Set[T]) CloseIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeIdle()
}

// closeIdle closes what has been idle for long, and the least recently used ones above
// MaxOpen. Nobody waits for that but Close. The caller holds mu.
func (s *Set[T]) closeIdle() {
	if s.closed {
		return
	}
	var free []*entry[T]
	for _, e := range s.open {
		if e.calls == 0 && isOpened(e) {
			free = append(free, e)
		}
	}
	slices.SortFunc(free, func(a, b *entry[T]) int { return a.used.Compare(b.used) })
	now := s.o.Now()
	for _, e := range free {
		if len(s.open) <= MaxOpen && now.Sub(e.used) < IdleTime {
			break
		}
		delete(s.open, e.root)
		s.closings.Go(func() { s.close(e) })
	}
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
	if len(s.open) > 0 {
		s.idle = time.AfterFunc(IdleTime, s.CloseIdle)
	}
}

func (s *Set[T]) close(e *entry[T]) {
	if err := e.current.Close(); err != nil {
		s.o.Log.Warn("the index could not be closed properly; the next start repairs it", "root", e.root, "reason", err)
		return
	}
	s.o.Log.Info("closed a workspace without calls", "root", e.root)
}

// Close closes all workspaces but the start one. Calls that are under way fail.
func (s *Set[T]) Close() {
	s.mu.Lock()
	s.closed = true
	if s.idle != nil {
		s.idle.Stop()
	}
	open := s.open
	s.open = nil
	s.mu.Unlock()
	for _, e := range open {
		<-e.opened
		if e.err == nil {
			s.closings.Go(func() { s.close(e) })
		}
	}
	s.closings.Wait()
}
