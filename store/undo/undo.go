// Package undo keeps what commands, forms of pages and tools have changed in the documents of a
// workspace, so that it can be taken back.
//
// It knows nothing about the index or the command line. Its invariants: the journal is a file of
// the workspace's cache, which can be deleted at any time, and bounded in size; a change is written
// down before it is made; an entry is taken back as a whole or refused, and only while its
// documents are as it left them; the changes of an entry are each of another document; a command
// that has changed something has an entry, also a command that has died.
package undo

import (
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"issues-index/store"
)

const (
	lockWait  = 10 * time.Second
	lockTurn  = 50 * time.Millisecond // how long other writers have to wait meanwhile
	lockRetry = 5 * time.Millisecond
)

// An Entry is what one command, form or call has changed.
type Entry struct {
	ID string // random
	head
	Changes []store.DocumentChange
	// TooLarge is set when the changes were not kept.
	TooLarge bool
	// Unfinished is set when the command died. Changes are those that it had made.
	Unfinished bool
	// Torn is set when a line that such a command may have written cannot be read, as after a
	// power failure: it may have changed more.
	Torn bool

	noted [][]byte // what its lines say of its changes, until they are settled
	last  int      // the place of its last change in the journal
}

// ErrNothing says that there is no change to take back.
var ErrNothing = errors.New("no change to take back")

// ErrTooLarge says that the last change was too large to be kept.
var ErrTooLarge = errors.New("the last change was too large to be kept")

// ErrDamaged says that what was kept of the last change cannot be read.
var ErrDamaged = errors.New("what was kept of the last change is damaged")

// ErrRunning says that a command which has changed documents has not ended.
var ErrRunning = errors.New("a command is still changing documents in this workspace")

// A ChangedError refuses to take an entry back, because a document is not as the entry left it.
type ChangedError struct {
	*store.ConflictError
	Change store.DocumentChange // what the entry has done to the document
	Since  []*Entry             // those that have changed it since, as far as they are known, the first one first
}

func (e *ChangedError) Unwrap() error { return e.ConflictError }

var errLooked = errors.New("looked at")

// TakeBack takes back the last entry that own chooses, and forgets it. With dryRun it only returns
// the entry. Its errors are ErrNothing, ErrTooLarge, ErrDamaged, ErrRunning, *ChangedError and others
// of [store.Mutation.Revert]. After an error the entry stays.
func TakeBack(ctx context.Context, ws *store.Workspace, own func(*Entry) bool, dryRun bool) (*Entry, error) {
	e, err := withLast(ctx, ws, own, func(m *store.Mutation, e *Entry, later []*Entry) error {
		switch {
		case e.TooLarge:
			return ErrTooLarge
		case len(e.Changes) == 0:
			return ErrDamaged
		case dryRun:
			return errLooked
		}
		err := m.Revert(e.Changes)
		if conflict := (*store.ConflictError)(nil); errors.As(err, &conflict) {
			return e.changed(ws, conflict, later)
		}
		return err
	})
	if errors.Is(err, errLooked) {
		err = nil
	}
	return e, err
}

// Skip forgets the last entry that own chooses, also one that was too large to be kept or is
// damaged. Its errors are ErrNothing and ErrRunning.
func Skip(ctx context.Context, ws *store.Workspace, own func(*Entry) bool) (*Entry, error) {
	return withLast(ctx, ws, own, func(*store.Mutation, *Entry, []*Entry) error { return nil })
}

// withLast calls do with the last entry that own chooses and the later ones, under the lock of the
// documents and while no entry is being written. It forgets the entry when do returns nil.
func withLast(
	ctx context.Context, ws *store.Workspace, own func(*Entry) bool,
	do func(m *store.Mutation, e *Entry, later []*Entry) error,
) (last *Entry, err error) {
	dir, err := ws.OpenOwnCache()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	ctx, cancel := context.WithTimeout(store.Recorded(ctx, nil), lockWait)
	defer cancel()
	for {
		err = ws.Mutate(ctx, func(m *store.Mutation) (err error) {
			turn, cancel := context.WithTimeout(ctx, lockTurn)
			defer cancel()
			lock := dir.Lock(lockName)
			_, err = lock.TryLockContext(turn, lockRetry)
			if errors.Is(err, context.DeadlineExceeded) {
				return ErrRunning
			}
			if err != nil {
				return store.WrapDiskError("lock", path.Join(store.CacheDir, lockName), err)
			}
			defer func() { err = errors.Join(err, lock.Unlock()) }()
			entries, err := read(dir)
			if err != nil {
				return err
			}
			for i, e := range slices.Backward(entries) {
				if !own(e) || !e.settle(ws) {
					continue
				}
				last = e
				if err := do(m, e, entries[i+1:]); err != nil {
					return err
				}
				return forget(dir, e)
			}
			return ErrNothing
		})
		if !errors.Is(err, ErrRunning) || ctx.Err() != nil {
			return last, err
		}
	}
}

// changed explains the conflict that hinders the entry.
func (e *Entry) changed(ws *store.Workspace, conflict *store.ConflictError, later []*Entry) error {
	refused := &ChangedError{ConflictError: conflict}
	for _, c := range e.Changes {
		if c.Path == conflict.Path || c.OldPath == conflict.Path {
			refused.Change = c
		}
	}
	at := refused.Change.Path
	for _, l := range later {
		l.settle(ws)
		for _, c := range l.Changes {
			if at == "" || c.OldPath != at {
				continue
			}
			if at = c.Path; !slices.Contains(refused.Since, l) {
				refused.Since = append(refused.Since, l)
			}
		}
	}
	return refused
}

// List returns the entries that own chooses, the last one first, at most so many of them. A command
// that still runs may be among them.
func List(ws *store.Workspace, own func(*Entry) bool, most int) (all []*Entry, err error) {
	dir, err := ws.OpenOwnCache()
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // it was only read
	entries, err := read(dir)
	for _, e := range slices.Backward(entries) {
		if len(all) < most && own(e) && e.settle(ws) {
			all = append(all, e)
		}
	}
	return all, err
}
