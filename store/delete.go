package store

import (
	"context"
	"errors"
	"io/fs"
	"path"
)

// Delete removes the document at path and returns it as it last was. Of a
// symbolic link, the link goes and its target stays. The number of its id is
// not given out again. check, if not nil, is called under the lock with the
// document as it is on disk now; its error keeps the document.
func (w *Workspace) Delete(ctx context.Context, path string, check func(*Document) error) (*Document, error) {
	var gone *Document
	err := w.Mutate(ctx, func(m *Mutation) (err error) {
		gone, err = m.delete(ctx, path, check)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gone, nil
}

func (m *Mutation) delete(ctx context.Context, p string, check func(*Document) error) (*Document, error) {
	loaded, err := m.load(p)
	if loaded == nil { // one that cannot be read can be deleted all the same
		return nil, err
	}
	doc := loaded.doc
	if check != nil {
		if err := check(doc); err != nil {
			return nil, err
		}
	}
	at, err := m.placeOf(doc.Path)
	if err != nil {
		return nil, err
	}
	if err := m.retire(ctx, doc); err != nil {
		return nil, WrapDiskError("delete", doc.Path, err)
	}
	if err := m.disk.remove(at.entry); err != nil {
		return nil, WrapDiskError("delete", doc.Path, err)
	}
	m.done()
	if err := m.settle(doc.Path, path.Dir(at.entry)); err != nil {
		return nil, err
	}
	_, err = m.disk.lstat(at.entry)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return doc, nil
	case err != nil:
		return nil, unsettled("delete", doc.Path, err)
	}
	return nil, &ConflictError{doc.Path, "was deleted, and then at once made again by another program"}
}
