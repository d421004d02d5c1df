package store

import (
	"context"
	"path"
)

// Delete removes the document at path and returns it as it last was. Of a
// symbolic link, the link goes and its target stays. The number of its id is
// not given out again. check, if not nil, is called under the lock with the
// document as it is on disk now; its error keeps the document.
func (w *Workspace) Delete(ctx context.Context, path string, check func(*Document) error) (*Document, error) {
	var gone *Document
	err := w.Mutate(ctx, func(m *Mutation) (err error) {
		gone, err = m.delete(path, check)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gone, nil
}

func (m *Mutation) delete(p string, check func(*Document) error) (*Document, error) {
	loaded, err := m.load(p)
	if loaded == nil { // one that cannot be read can be deleted all the same
		return nil, err
	}
	if check != nil {
		if err := check(loaded.doc); err != nil {
			return nil, err
		}
	}
	return m.deleteLoaded(loaded, err)
}

// deleteLoaded deletes a document that was loaded with an error or none.
func (m *Mutation) deleteLoaded(loaded *loaded, unread error) (*Document, error) {
	doc := loaded.doc
	at, err := m.placeOf(doc.Path)
	if err != nil {
		return nil, err
	}
	gone, err := m.deletion(loaded, at, unread)
	if err != nil {
		return nil, WrapDiskError("delete", doc.Path, err)
	}
	if err := m.retire(doc); err != nil {
		return nil, WrapDiskError("delete", doc.Path, err)
	}
	if err := m.changing(gone); err != nil {
		return nil, err
	}
	if err := m.disk.remove(at.entry); err != nil {
		return nil, WrapDiskError("delete", doc.Path, err)
	}
	m.done()
	return doc, m.settle(doc.Path, path.Dir(at.entry))
}

// deletion describes the deletion of a document that was loaded with an error or none.
func (m *Mutation) deletion(l *loaded, at place, unread error) (DocumentChange, error) {
	c := DocumentChange{OldPath: l.Path, Was: l.data, Unread: unread != nil}
	info, err := m.disk.lstat(at.entry)
	if err != nil {
		return c, err
	}
	c.Mode = info.Mode().Perm()
	if at.linked() {
		c.Is = HashOf(l.data)
		c.Link, err = m.disk.readlink(at.entry)
	}
	return c, err
}
