// Package workspaces keeps the workspaces that one server serves: it finds the workspace
// that a call is about, opens it on first use, and closes it when it is idle.
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
	"runtime/debug"
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

// Options says which workspaces a Pool may open, and how. A T is what the caller keeps with
// each of them, such as its configuration.
type Options[T any] struct {
	// Start is the workspace that the server was started in, and Own what is kept with it.
	// The Pool does not close it.
	Start *index.Current
	Own   T
	// Pinned refuses all others.
	Pinned bool
	// Named returns the workspaces that the user has named, as absolute paths by name.
	Named func() map[string]string
	// Open opens a workspace.
	Open func(ctx context.Context, root string) (*index.Current, T, error)
	// Opened is called in the background once a workspace has been opened, with what is kept
	// with it. ctx ends before the workspace is closed, which waits for Opened. It may be nil.
	Opened func(ctx context.Context, current *index.Current, kept T)
	Now    func() time.Time // nil is time.Now
	Log    *slog.Logger     // nil discards
}

// A Pool is the workspaces of a server. It is safe for concurrent use.
type Pool[T any] struct {
	o Options[T]

	mu     sync.Mutex
	open   map[string]*openWorkspace[T] // by root
	idle   *time.Timer                  // closes what is idle; nil while nothing is open
	closed bool

	background sync.WaitGroup
	life       context.Context // ends when the Pool is closed
	end        context.CancelFunc
}

// An openWorkspace is a workspace that is open, or about to be.
type openWorkspace[T any] struct {
	root    string
	opened  chan struct{} // closed when the following three are set
	current *index.Current
	kept    T
	err     error

	life   context.Context // ends before the workspace is closed
	end    context.CancelFunc
	served sync.WaitGroup // Opened

	// Changed under the Pool's mu.
	calls int
	used  time.Time // the end of the last call
}

// A Served is the workspace of one call.
type Served[T any] struct {
	Index   *index.Index
	Kept    T
	IsStart bool
}

// New returns a Pool.
func New[T any](o Options[T]) *Pool[T] {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Named == nil {
		o.Named = func() map[string]string { return nil }
	}
	p := &Pool[T]{o: o, open: make(map[string]*openWorkspace[T])}
	p.life, p.end = context.WithCancel(context.Background())
	return p
}

// Start is the workspace that the server was started in.
func (p *Pool[T]) Start() *index.Current { return p.o.Start }

var (
	errClosed    = errors.New("the server ends")
	errNotOpened = errors.New("the workspace could not be opened")
)

// Acquire returns the workspace of a call, and what the call does when it has ended. Errors:
// *RefusedError, those of index.Current.Acquire, and those of opening the workspace.
func (p *Pool[T]) Acquire(ctx context.Context, ask Ask) (Served[T], func(), error) {
	root, isStart, err := p.locate(ask)
	if err != nil {
		return Served[T]{}, nil, err
	}
	if isStart {
		ix, release, err := p.o.Start.Acquire(ctx)
		return Served[T]{Index: ix, Kept: p.o.Own, IsStart: true}, release, err
	}
	e, err := p.enter(ctx, root)
	if err != nil {
		return Served[T]{}, nil, err
	}
	ix, release, err := e.current.Acquire(ctx)
	if err != nil {
		p.leave(e)
		return Served[T]{}, nil, err
	}
	return Served[T]{Index: ix, Kept: e.kept}, sync.OnceFunc(func() { release(); p.leave(e) }), nil
}

// enter returns the workspace of a root for a call, and opens the workspace if need be. Other
// calls of the same root wait for that; those of other roots do not.
func (p *Pool[T]) enter(ctx context.Context, root string) (*openWorkspace[T], error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	e := p.open[root]
	if e == nil {
		e = &openWorkspace[T]{root: root, opened: make(chan struct{}), calls: 1} // load's
		e.life, e.end = context.WithCancel(p.life)
		p.open[root] = e
		go p.load(context.WithoutCancel(ctx), e) // a caller that gives up does not spoil it for those who wait
	}
	e.calls++
	p.closeIdle() // there may be one too many
	p.mu.Unlock()
	var err error
	select {
	case <-e.opened:
		err = e.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		p.leave(e)
		return nil, err
	}
	return e, nil
}

func (p *Pool[T]) load(ctx context.Context, e *openWorkspace[T]) {
	defer func() {
		if r := recover(); r != nil {
			p.o.Log.Error("opening a workspace panicked", "root", e.root, "panic", r, "stack", string(debug.Stack()))
			e.err = errNotOpened
		}
		if e.err != nil { // the next call tries again
			e.end()
			p.mu.Lock()
			delete(p.open, e.root)
			p.mu.Unlock()
		}
		close(e.opened)
		p.leave(e)
	}()
	if e.current, e.kept, e.err = p.o.Open(ctx, e.root); e.err != nil {
		return
	}
	p.o.Log.Info("opened another workspace", "root", e.root)
	if p.o.Opened != nil {
		e.served.Go(func() { p.o.Opened(e.life, e.current, e.kept) })
	}
}

// leave ends a call.
func (p *Pool[T]) leave(e *openWorkspace[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.calls--
	e.used = p.o.Now()
	p.closeIdle()
}

// CloseIdle closes the workspaces without calls for IdleTime. The Pool calls it in time.
func (p *Pool[T]) CloseIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closeIdle()
}

// closeIdle closes what has been idle for long, and the least recently used ones above
// MaxOpen. Only Close waits for that. The caller holds mu.
func (p *Pool[T]) closeIdle() {
	if p.closed {
		return
	}
	var free []*openWorkspace[T]
	for _, e := range p.open {
		if e.calls == 0 {
			free = append(free, e)
		}
	}
	slices.SortFunc(free, func(a, b *openWorkspace[T]) int { return a.used.Compare(b.used) })
	now := p.o.Now()
	for _, e := range free {
		if len(p.open) <= MaxOpen && now.Sub(e.used) < IdleTime {
			break
		}
		delete(p.open, e.root)
		p.background.Go(func() { p.close(e) })
	}
	if p.idle != nil {
		p.idle.Stop()
		p.idle = nil
	}
	if len(p.open) > 0 {
		p.idle = time.AfterFunc(IdleTime, p.CloseIdle)
	}
}

func (p *Pool[T]) close(e *openWorkspace[T]) {
	e.end()
	e.served.Wait()
	if err := e.current.Close(); err != nil {
		p.o.Log.Warn("the index could not be closed properly; the next start repairs it", "root", e.root, "reason", err)
		return
	}
	p.o.Log.Info("closed a workspace without calls", "root", e.root)
}

// Close closes all workspaces but the start one. Calls that are under way fail.
func (p *Pool[T]) Close() {
	p.mu.Lock()
	p.closed = true
	p.end()
	if p.idle != nil {
		p.idle.Stop()
	}
	open := p.open
	p.open = nil
	p.mu.Unlock()
	for _, e := range open {
		<-e.opened
		if e.err == nil {
			p.background.Go(func() { p.close(e) })
		}
	}
	p.background.Wait()
}
