package store

import (
	"context"
	"path"
)

// Delete removes the document at path, slash-separated and relative to the root, and returns it as
// it last was. Of a symbolic link, the link goes and its target stays. The number of its id is not
// given out again. check, if not nil, is called under the lock with the document as it is on disk
// now.
//
// Errors: fs.ErrNotExist, *PathError, *DiskError, ErrLocked, and those of check, which keep the
// document.
func (w *Workspace) Delete(
	ctx context.Context, path string, check func(*Document) error,
) (gone *Document, err error) {
	err = w.Mutate(ctx, func(m *Mutation) error {
		l, unread := m.load(path)
		if l == nil { // an unreadable document can be deleted all the same
			return unread
		}
		if check != nil {
			if err := check(l.doc); err != nil {
				return err
			}
		}
		gone = l.doc
		return m.deleteLoaded(l, unread)
	})
	if err != nil {
		return nil, err
	}
	return gone, nil
}

// deleteLoaded deletes a document that was loaded with an error or none.
func (m *Mutation) deleteLoaded(l *loaded, unread error) error {
	at, err := m.placeOf(l.Path)
	if err != nil {
		return err
	}
	gone := DocumentChange{OldPath: l.Path, Was: l.data, Unread: unread != nil}
	info, err := m.disk.Lstat(at.entry)
	if err == nil {
		gone.Mode = info.Mode().Perm()
		err = m.retire(l.doc)
	}
	if err == nil && at.linked() {
		gone.Is = HashOf(l.data)
		gone.Link, err = m.disk.Readlink(at.entry)
	}
	if err != nil {
		return WrapDiskError("delete", l.Path, err)
	}
	m.changing(gone)
	if err := m.disk.remove(at.entry); err != nil {
		return WrapDiskError("delete", l.Path, err)
	}
	m.done()
	return m.syncNames(l.Path, path.Dir(at.entry))
}
