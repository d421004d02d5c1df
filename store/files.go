package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"issues-index/store/cachedir"
)

// SessionsDir has a folder for each work session, see package session. Temporary files
// in these folders are removed with those of documents.
const SessionsDir = ".wrangler/sessions"

// reasonLink refuses a file of the program's own that leads to another file of the
// workspace: a stranger's link would have that overwritten.
const reasonLink = "is a symbolic link, and must be a file of its own"

// FS gives direct access to the workspace's folder and to nothing outside of it.
func (w *Workspace) FS() *os.Root { return w.root }

// Lstat describes what is at a resolved path.
func (w *Workspace) Lstat(p string) (fs.FileInfo, error) { return w.disk.Lstat(p) }

// Names lists the directory at a resolved path, in no order.
func (w *Workspace) Names(dir string) ([]string, error) {
	f, err := w.openDir(dir)
	if err != nil {
		return nil, err
	}
	defer closeQuietly(f)
	return f.Readdirnames(-1)
}

// ReadFile reads a file that is no document, at a resolved path. Errors: ErrTooLarge over
// MaxFileSize bytes, fs.ErrNotExist, and others of the file system.
func (w *Workspace) ReadFile(p string) ([]byte, error) {
	data, _, err := w.disk.read(p)
	return data, err
}

// WriteFile puts a file that is no document in place, new or over an old one, durably, and reads it
// back. p is slash-separated, relative to the root. Errors: *ConflictError for a symbolic link,
// *ValueError over MaxFileSize bytes, *DiskError.
func (m *Mutation) WriteFile(p string, data []byte) error {
	if len(data) > MaxFileSize {
		return &ValueError{Field: path.Base(p), Reason: fmt.Sprintf("would be larger than %d MiB", MaxFileSize>>20)}
	}
	at, err := m.ownPlace(p)
	if err != nil {
		return err
	}
	dir := path.Dir(at.target)
	temporary, err := m.stageFor(at, dir, p, data)
	if err == nil {
		err = m.swap(temporary, at.target, p)
	}
	if err == nil {
		err = m.syncNames(p, dir)
	}
	if err != nil {
		return err
	}
	written, _, err := m.disk.read(p)
	if err != nil {
		return unsettled("read", p, err)
	}
	if !bytes.Equal(written, data) {
		return &ConflictError{p, reasonChangedAgain}
	}
	return nil
}

// ownPlace finds a file of the program's own, which need not be there.
func (m *Mutation) ownPlace(p string) (place, error) {
	at, err := m.placeOf(p)
	if at.linked() {
		return at, &ConflictError{p, reasonLink}
	}
	if errors.Is(err, fs.ErrNotExist) && at.entry != "" {
		err = nil
	}
	return at, err
}

// AppendLine adds a line to a file with one write, and makes it durable. After a line
// that a crash has left without an end it begins on a new one. A symbolic link in the
// file's place is a *ConflictError.
func (m *Mutation) AppendLine(p string, line []byte) error {
	at, err := m.ownPlace(p)
	if err != nil {
		return err
	}
	_, missing := m.disk.Lstat(at.target)
	f, err := m.w.root.OpenFile(at.target, os.O_RDWR|os.O_APPEND|os.O_CREATE|cachedir.NoBlock, 0o666)
	if err != nil {
		return WrapDiskError("append to", p, err)
	}
	if err := errors.Join(appendLine(f, line), f.Close()); err != nil {
		return WrapDiskError("append to", p, err)
	}
	if missing == nil {
		return nil
	}
	return m.syncNames(p, path.Dir(at.target))
}

// ErrIrregular refuses a folder, a pipe or a device in a file's place. It is fs.ErrNotExist, too:
// the file that is asked for is not there.
var ErrIrregular = fmt.Errorf("it is not a regular file%.0w", fs.ErrNotExist)

func appendLine(f *os.File, line []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return ErrIrregular
	}
	if size := info.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	if _, err := f.Write(line); err != nil {
		return err
	}
	return f.Sync()
}

// MakeDir makes a directory that is not there yet, and those above it, durably.
// Something in its place is a *ConflictError.
func (m *Mutation) MakeDir(p string) error {
	parent, err := m.makeParent(p)
	if err != nil {
		return err
	}
	dir := path.Join(parent, path.Base(p))
	err = m.disk.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return &ConflictError{p, reasonTaken}
	}
	if err == nil {
		m.discard(dir)
		err = m.disk.syncDir(parent)
	}
	return WrapDiskError("make", p, err)
}
