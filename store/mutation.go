package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"issues-index/store/frontmatter"
)

// Now is the time by the workspace's clock.
func (w *Workspace) Now() time.Time { return w.now() }

// A Mutation is one change of the workspace, from taking the lock to freeing
// it, with the steps back when it fails half way.
type Mutation struct {
	w        *Workspace
	disk     disk
	record   Recorder
	rollback []func() error

	note string // what could not be taken into account, "" for nothing
}

// Mutate runs one mutation under the lock. A failure before done rolls back what it did, as far as
// the disk allows: one readable document and temporary files are left. Errors: ErrMirror,
// ErrLocked, *DiskError for the file of the lock, and those of do.
func (w *Workspace) Mutate(ctx context.Context, do func(m *Mutation) error) error {
	if w.Mirror() {
		return ErrMirror
	}
	m := &Mutation{w: w, disk: w.disk}
	m.record, _ = ctx.Value(recorderKey{}).(Recorder)
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	err = do(m)
	var refused *DiskError
	if err != nil && !m.rollBack() && errors.As(err, &refused) {
		refused.Unsettled = true
	}
	return err
}

// A Recorder is told of each change of a document before the file changes, in order and under the
// lock. dropped is called if the change is not made after all.
type Recorder func(w *Workspace, c DocumentChange) (dropped func() error)

type recorderKey struct{}

// Recorded returns a context whose mutations tell record of their changes, nil for none.
func Recorded(ctx context.Context, record Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, record)
}

// onFailure adds a step to take, before those added earlier, if the mutation
// fails.
func (m *Mutation) onFailure(step func() error) { m.rollback = append(m.rollback, step) }

// changing tells of a change that is made next, and takes that back if the mutation fails
// before.
func (m *Mutation) changing(c DocumentChange) {
	if m.record != nil {
		m.onFailure(m.record(m.w, c))
	}
}

// discard removes p if the mutation fails and p is still there.
func (m *Mutation) discard(p string) {
	m.onFailure(func() error {
		_ = m.disk.remove(p) // what remains is an empty directory or a stale temporary file
		return nil
	})
}

// done is the point of no return: the new state is in place.
func (m *Mutation) done() { m.rollback = nil }

// rollBack takes every step it can, and reports whether all went well.
func (m *Mutation) rollBack() bool {
	var errs []error
	for _, step := range slices.Backward(m.rollback) {
		errs = append(errs, step())
	}
	m.rollback = nil
	return errors.Join(errs...) == nil
}

// A loaded document was read to be changed.
type loaded struct {
	File
	data   []byte
	readAt time.Time // before it was read
	doc    *Document
	parsed frontmatter.Parsed // of data
}

// load reads the document at p. A file that cannot be read gives a document that says
// so, and the error.
func (m *Mutation) load(p string) (*loaded, error) {
	l := &loaded{readAt: time.Now()}
	var err error
	l.File, l.data, err = m.w.readDocument(p, m.disk.read)
	if l.Path == "" {
		return nil, err
	}
	l.doc, l.parsed = m.w.parse(l.File, l.data, err)
	if !errors.Is(err, ErrTooLarge) {
		err = WrapDiskError("read", l.Path, err)
	}
	return l, err
}

// errConcurrentEdit says that a program that knows of no lock has changed the document
// since it was loaded.
var errConcurrentEdit = errors.New("the document has been changed since it was read")

// checkUnchanged fails with errConcurrentEdit unless the file at target is still the
// loaded file. It comes right before the file is replaced: what is saved in an editor, or checked
// out by git, while the new bytes are being made durable would be lost.
func (m *Mutation) checkUnchanged(l *loaded, target string) error {
	info, err := m.disk.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return errConcurrentEdit
	}
	if err != nil {
		return WrapDiskError("find", l.Path, err)
	}
	seen := l.Stat
	seen.Symlink = false // the target is none
	if StatAt(m.w.Root, target, info) == seen {
		return nil
	}
	// Some file systems describe one file in several ways.
	if data, _, err := m.disk.read(l.Path); err != nil || !bytes.Equal(data, l.data) {
		return errConcurrentEdit
	}
	return nil
}

// readBack proves that what was written can be read, and is what was meant.
func (m *Mutation) readBack(p string, want []byte) (*loaded, error) {
	after, err := m.load(p)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(after.data, want):
		return nil, &ConflictError{p, reasonChangedAgain}
	case err != nil:
		return nil, unsettled("read", p, err)
	}
	return after, nil
}

// reasonChangedAgain refuses to report a file as written that another program has
// changed since.
const reasonChangedAgain = "was written, and then at once changed by another program"
