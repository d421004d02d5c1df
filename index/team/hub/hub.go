// Package hub keeps a mirror of what the machines of a team have published: it follows the
// order of all versions, writes their files, and knows how far it has come. The order is the log of
// the team, in which each version has a position. The head of a document is its newest version.
//
// It knows nothing about the engine behind package share, about what is in a document, or about
// MCP. The index over the mirror is an ordinary one, which finds the files by itself; the hub
// only has it catch up early. Its invariants:
//   - A position is written down after the files of all versions up to it, never before. Versions
//     that cannot be used are passed over and named.
//     A batch that is applied again, after a kill, changes nothing.
//   - No message stops a hub: what cannot be used is named, see [Status].
//   - No workspace fills a hub: what is kept of each in memory and on the disk has a bound.
//   - A hub verifies its files against the heads at each start, after the engine was away, when
//     the log is another or an older one than before, and daily. Then it has what a new hub would have.
//   - One process writes a mirror; others that serve from it only look how far it has come.
//
// A new hub can be had by copying the folder of another one while that is stopped: the
// verification at its start fetches what has been published since.
package hub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"issues-index/index"
	"issues-index/index/team/share"
	"issues-index/store/cachedir"
	"issues-index/store/mirror"
)

// Options say what a hub holds, and where.
type Options struct {
	Team share.Team
	// Dir is the folder of the mirror. It is made unless it is there.
	Dir string
	// Of are the branches that the hub holds. The files of others are removed.
	Of share.BranchSelection
	// MostBytes is how many bytes the documents of a workspace may have together in the mirror,
	// each counted with documentCost at least; 0 is 2 GiB. The others of it are left out, and those
	// of other workspaces come.
	MostBytes int64
	Now       func() time.Time // nil is time.Now
	Log       *slog.Logger     // nil discards
}

const (
	// verifyEvery is how long a hub follows before it verifies its files again.
	verifyEvery = 24 * time.Hour
	// listenEvery is how often a hub asks for the machines' presences. One lasts a minute.
	listenEvery = 20 * time.Second
	// lookEvery is how often a process that does not follow looks how far the one has come
	// that does, and whether that is still there.
	lookEvery = 100 * time.Millisecond
	// firstPause is how long a hub waits before it tries again, at first and at most.
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// A Hub is the mirror of a team. Its methods may be called from several goroutines at once.
type Hub struct {
	o     Options
	cache *cachedir.Dir
	index *index.Current // nil for none

	mu        sync.Mutex
	state     hubState
	following bool
	atTip     bool   // all up to asOf was applied
	last      uint64 // position of the newest version, when the engine was asked last
	failure   error  // why nothing is applied at the moment
	verified  Verified
	moved     chan struct{} // closed and replaced when the position changes
	branches  map[mirror.Branch]*branchState
}

// New returns the hub in a folder. It does nothing before Run.
func New(o Options) (*Hub, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.MostBytes == 0 {
		o.MostBytes = usualMostBytes
	}
	if err := mirror.Make(o.Dir); err != nil {
		return nil, err
	}
	cache, err := cachedir.Open(filepath.Join(o.Dir, filepath.FromSlash(mirror.CacheDir)), 0o700)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the hub: %w", err)
	}
	h := &Hub{
		o: o, cache: cache, moved: make(chan struct{}), branches: map[mirror.Branch]*branchState{},
	}
	h.look()
	return h, nil
}

// UseIndex tells the hub the index over the mirror: it takes each batch over early, so that the
// next call need not. UseIndex is called before Run, or not at all.
func (h *Hub) UseIndex(current *index.Current) { h.index = current }

// Close releases the folder. Run has ended before.
func (h *Hub) Close() error { return h.cache.Close() }

// Run keeps the mirror until ctx ends. While another process does, it waits for its turn. An
// error says that the folder cannot be used.
func (h *Hub) Run(ctx context.Context) error {
	var listening sync.WaitGroup
	defer listening.Wait()
	ctx, end := context.WithCancel(ctx)
	defer end()
	listening.Go(func() { h.listen(ctx) })
	lock := h.cache.Lock("hub.lock")
	defer func() { _ = lock.Unlock() }() // the end of the process frees it in any case
	for {
		locked, err := lock.TryLock()
		if err != nil {
			return fmt.Errorf("take the lock of the hub: %w", err)
		}
		if locked {
			break
		}
		h.look()
		if share.Pause(ctx, lookEvery) != nil {
			return nil
		}
	}
	w, err := mirror.NewCopyWriter(h.o.Dir)
	if err != nil {
		return err
	}
	h.look() // the one before may have been further than when this one looked
	h.mu.Lock()
	h.following = true
	h.mu.Unlock()
	f := &logFollower{Hub: h, files: w, room: newQuota(h.o.MostBytes)}
	f.run(ctx)
	h.mu.Lock()
	h.following, h.atTip = false, false
	h.mu.Unlock()
	return w.Close()
}

// Wait waits until a position is applied, at most until ctx ends. The error wraps that of ctx.
func (h *Hub) Wait(ctx context.Context, position uint64) error {
	for {
		h.mu.Lock()
		applied, moved := h.state.Applied, h.moved
		h.mu.Unlock()
		if applied >= position {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("wait for position %d, at %d: %w", position, applied, ctx.Err())
		}
	}
}

// look reads how far the mirror has come.
func (h *Hub) look() {
	state, err := readState(h.cache)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		h.o.Log.Warn("read how far the hub has come; it will be verified", "error", err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.set(state)
}

// set takes over a state. The caller holds mu.
func (h *Hub) set(s hubState) {
	if s.Applied != h.state.Applied {
		close(h.moved)
		h.moved = make(chan struct{})
	}
	h.state = s
}
