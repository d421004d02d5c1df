package store

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"issues-index/store/layout"
)

// destination is the path that a document belongs at once it has a type and a
// status: in the collection of another type, in the archive when it is finished, and
// out of there when it is not. Otherwise it stays, wherever it is. So does a document whose
// status does not say whether it is finished, and a document that was not asked to move where
// another file is in the way.
func (m *Mutation) destination(doc *Document, typ, status string, asked bool) string {
	w := m.w
	from, _ := w.CollectionOf(doc.Path)
	to := from
	if doc.Type != typ {
		if home, ok := w.homeOf(typ); ok {
			to = home
		}
	}
	category := w.Layout.CategoryOf(status)
	done := category.Finished()
	unfinished := !done && category != layout.Unknown && status != ""
	archived := from.Archives(doc.Path)
	if unfinished && from.further && from.archives(path.Base(from.Dir)) { // it has finished documents only
		to, _ = w.homeOf(typ)
	}
	if to.Dir != from.Dir || done && !archived && from.archive != "" || unfinished && archived {
		if goal := to.home(path.Base(doc.Path), done); asked || m.free(goal) {
			return goal
		}
	}
	return doc.Path
}

// free reports whether nothing is at a path, so that a document can move there.
func (m *Mutation) free(p string) bool {
	_, err := m.w.Stat(p)
	return errors.Is(err, fs.ErrNotExist)
}

// home is where a collection keeps a document of this name.
func (c Collection) home(name string, finished bool) string {
	if finished && c.archive != "" {
		return path.Join(c.archive, name)
	}
	return path.Join(c.Dir, name)
}

// Archives reports whether p lies in a folder for finished documents. That may be the
// collection itself, if it is not the only one of its type.
func (c Collection) Archives(p string) bool {
	rel, _ := below(c.Dir, path.Dir(p))
	return slices.ContainsFunc(strings.Split(rel, "/"), c.archives) || c.further && c.archives(path.Base(c.Dir))
}

// archives reports whether a folder of this name is one for finished documents.
func (c Collection) archives(name string) bool {
	return slices.Contains(archiveFolders, name) || c.archive != "" && name == path.Base(c.archive)
}

// moveTo moves the file, or the link, of the document at from.
func (m *Mutation) moveTo(at place, entry, from, to string) (err error) {
	if at.linked() {
		err = m.moveLink(at, entry)
	} else {
		err = m.moveEntry(at.entry, entry)
	}
	if errors.Is(err, fs.ErrExist) {
		return &ConflictError{to, reasonTaken}
	}
	return WrapDiskError("move", from, err)
}

// moveEntry moves a name, and back if the mutation fails.
func (m *Mutation) moveEntry(from, to string) error {
	err := m.disk.move(from, to)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err // what is at to, if anything, is not ours
	}
	m.onFailure(func() error {
		if err := m.disk.move(to, from); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	return err
}

// moveLink moves a symbolic link, which leads to the same file all the time: a
// relative one becomes absolute, moves, and becomes relative to its new place.
func (m *Mutation) moveLink(at place, to string) error {
	text, err := m.disk.Readlink(at.entry)
	if err != nil {
		return err
	}
	if filepath.IsAbs(text) {
		return m.moveEntry(at.entry, to)
	}
	if err := m.replaceLink(at.entry, path.Join(filepath.ToSlash(m.w.Root), at.target)); err != nil {
		return err
	}
	m.onFailure(func() error { return m.replaceLink(at.entry, text) })
	if err := m.moveEntry(at.entry, to); err != nil {
		return err
	}
	moved, err := filepath.Rel(path.Dir(to), at.target)
	if err != nil {
		return err
	}
	return m.replaceLink(to, moved)
}
