package index

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"

	"issues-index/store"
	"issues-index/store/layout"
)

// A Current yields, for each call, the index of the folder that lies at a
// workspace's path at that moment. When the folder was replaced since the last call
// (cloned again, mounted over, a worktree removed and added), or its layout changed,
// workspace and index are opened again. Calls under way end on those that they began
// with, which are closed after the last of them.
type Current struct {
	life    context.Context // ends when it is closed
	end     context.CancelFunc
	options Options

	// turn is full while a call looks closer at the folder and opens its index, which may take
	// long. Only calls that have to look closer, too, wait for it.
	turn chan struct{}

	mu  sync.Mutex // held briefly; now changes only in a turn
	now *openIndex

	closings sync.WaitGroup // of past indexes that may still serve calls
}

// An openIndex is an index, and the calls that are served from it.
type openIndex struct {
	ix    *Index
	calls sync.WaitGroup
}

// Serve is Open for a server that outlives the workspace's folder. The Current closes
// ws.
func Serve(ctx context.Context, ws *store.Workspace, o Options) (*Current, error) {
	ix, err := Open(ctx, ws, o)
	if err != nil {
		return nil, err
	}
	c := &Current{options: o, turn: make(chan struct{}, 1), now: &openIndex{ix: ix}}
	c.life, c.end = context.WithCancel(context.WithoutCancel(ctx))
	return c, nil
}

// Acquire returns the index for one call, and what the call does when it has ended.
// Errors are a *store.RootError while there is no folder at the workspace's path, and
// those of opening another one.
func (c *Current) Acquire(ctx context.Context) (ix *Index, release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	served := c.Served()
	same := served.ws.InPlace() == nil && served.ws.LayoutUnchanged()
	c.mu.Lock()
	// A call that looks closer at this moment may have read the changed layout already.
	if !same || c.now.ix != served || len(c.turn) > 0 {
		c.mu.Unlock()
		select {
		case c.turn <- struct{}{}:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		defer func() { <-c.turn }()
		if err := c.keepUp(); err != nil {
			return nil, nil, err
		}
		c.mu.Lock()
	}
	defer c.mu.Unlock()
	if c.life.Err() != nil {
		return nil, nil, errClosed
	}
	c.now.calls.Add(1)
	return c.now.ix, sync.OnceFunc(c.now.calls.Done), nil
}

// keepUp looks at the folder and its layout, and replaces the index where one of them is
// another. A layout that is broken is logged, and the last good one stays. It is the caller's
// turn.
func (c *Current) keepUp() error {
	if c.life.Err() != nil {
		return errClosed
	}
	ix := c.now.ix
	err := ix.ws.InPlace()
	if err == nil {
		err = ix.ws.CheckLayout()
	}
	if errors.Is(err, store.ErrReplaced) {
		return c.replace("another folder is at the workspace's path and is served from now on")
	}
	relaid := errors.Is(err, store.ErrRelaid)
	if relaid {
		err = c.replace("the workspace is laid out in another way and is opened again")
	}
	if invalid := (*layout.InvalidError)(nil); relaid && err != nil || errors.As(err, &invalid) {
		if relaid {
			ix.ws.RefuseLayout(err)
		}
		ix.log.Error("the workspace's layout is refused and the last good one stays", "reason", err)
		return nil
	}
	return err
}

// replace makes the index of the folder that is there now the current one, and logs why. It is
// the caller's turn.
func (c *Current) replace(reason string) error {
	old := c.now
	ws, err := old.ix.ws.Reopen()
	if err != nil {
		return err
	}
	c.options.Path = rebased(c.options.Path, old.ix.ws.Root, ws.Root)
	ix, err := Open(c.life, ws, c.options)
	if err != nil {
		return errors.Join(err, ws.Close())
	}
	level := slog.LevelWarn
	if ws.Mirror() { // whose lines come and go
		level = slog.LevelInfo
	}
	ix.log.Log(c.life, level, reason, "path", ws.Root)
	old.ix.subscribed.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = &openIndex{ix: ix}
	c.closings.Go(func() { // when no call needs it any more
		idle, done := context.WithCancel(c.life)
		go func() {
			old.calls.Wait()
			done()
		}()
		<-idle.Done()
		if err := old.close(); err != nil {
			old.ix.log.Debug("close the index of a folder that was replaced", "error", err)
		}
	})
	return nil
}

// rebased is the path of an index below another root, where it lies below the one of
// before: a link to the workspace may lead elsewhere now.
func rebased(path, from, to string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	if below, err := filepath.Rel(from, path); err == nil && filepath.IsLocal(below) {
		return filepath.Join(to, below)
	}
	return path
}

func (t *openIndex) close() error { return errors.Join(t.ix.Close(), t.ix.ws.Close()) }

// Served is the index that was served last. It may be closed by now, and is for what its
// workspace says, not for its documents.
func (c *Current) Served() *Index {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now.ix
}

// Root is the path of the workspace that was served last.
func (c *Current) Root() string { return c.Served().ws.Root }

// Close closes what is open. Calls that are under way fail.
func (c *Current) Close() error {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	c.mu.Lock()
	again := c.life.Err() != nil
	c.end()
	c.mu.Unlock()
	c.closings.Wait()
	if again {
		return nil
	}
	return c.now.close()
}
