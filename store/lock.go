package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"issues-index/store/cachedir"
	"issues-index/store/git"
)

const (
	// turnFile is locked by the process that writes, queueFile by the process that
	// is next. The second makes the first fair: who has just written cannot
	// write again before the process that waits.
	turnFile  = "write.lock"
	queueFile = "write.next"
	// lockWait is how long a mutation waits whose context has no deadline.
	lockWait = 10 * time.Second
	// firstRetry is when a lock that another process holds is tried again first: most
	// are held for some milliseconds. Each further try waits twice as long, up to
	// lastRetry.
	firstRetry = time.Millisecond
	lastRetry  = 16 * time.Millisecond
)

// lock waits until no other writer has the lock, here or in another process, and returns how to let
// others write again; the system does when the process dies. ctx bounds the wait (ErrLocked).
func (m *Mutation) lock(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, waitError(err)
	}
	if m.w.options.Waiting != nil {
		defer m.w.options.Waiting()()
	}
	select {
	case m.w.turn <- struct{}{}: // goroutines are served in the order they came
	case <-ctx.Done():
		return nil, waitError(ctx.Err())
	}
	var free func() error
	leaveQueue, err := m.waitFor(ctx, queueFile)
	if err == nil {
		free, err = m.waitFor(ctx, turnFile)
		_ = leaveQueue() // closing a file that was only read frees its lock in any case
	}
	if err != nil {
		<-m.w.turn
		return nil, err
	}
	return func() {
		_ = free()
		<-m.w.turn
	}, nil
}

// bounded gives a wait an end that has none.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, lockWait)
}

// InTurn does something that takes longer than a mutation may, while no other process does the
// same. name is a lock file in CacheDir. Errors: ErrLocked after git.MaxTime or the context's
// deadline, *DiskError for the lock file, and those of do.
func (w *Workspace) InTurn(ctx context.Context, name string, do func() error) error {
	wait, cancel := context.WithTimeout(ctx, git.MaxTime) // which others may take
	defer cancel()
	unlock, err := (&Mutation{w: w, disk: w.disk}).waitFor(wait, name)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }()
	return do()
}

// waitFor takes the lock on a file in the cache folder.
func (m *Mutation) waitFor(ctx context.Context, name string) (unlock func() error, err error) {
	return await(ctx, func() (func() error, error) { return m.tryLock(name) })
}

// await tries to take a lock until it has it.
func await(ctx context.Context, try func() (unlock func() error, err error)) (unlock func() error, err error) {
	retry := time.NewTimer(0)
	defer retry.Stop()
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		select {
		case <-ctx.Done():
			return nil, waitError(ctx.Err())
		case <-retry.C:
		}
		unlock, err = try()
		if err != nil || unlock != nil {
			return unlock, err
		}
		retry.Reset(pause)
	}
}

// tryLock makes the lock's file where it is missing.
func (m *Mutation) tryLock(name string) (unlock func() error, err error) {
	dir, err := m.w.ResolveNew(CacheDir)
	if err != nil {
		return nil, WrapDiskError("lock", CacheDir, err)
	}
	p := path.Join(dir, name)
	unlock, err = m.disk.tryLock(p)
	if errors.Is(err, fs.ErrNotExist) {
		var cache *cachedir.Dir
		if err = m.makeDir(dir); err == nil { // durably: documents lie beside it
			cache, err = m.w.OpenOwnCache()
		}
		if err == nil {
			err = errors.Join(cache.Touch(name), cache.Close())
		}
		if err != nil {
			return nil, WrapDiskError("make", path.Join(CacheDir, name), err)
		}
		unlock, err = m.disk.tryLock(p)
	}
	return unlock, WrapDiskError("lock", path.Join(CacheDir, name), err)
}

// waitError tells a wait that was too long from a wait that its caller has given up.
func waitError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return ErrLocked
	}
	return fmt.Errorf("wait for the write lock: %w", err)
}
