package store

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"issues-index/store/frontmatter"
)

// archiveFolder is where a collection's finished documents go.
const archiveFolder = "archived"

// destination is the path that a document belongs at once it has a type and a
// status: in the collection of another type, in archived/ when it is finished, and
// out of there when it is not. Otherwise it stays, wherever it is, as does one whose
// status does not say whether it is finished.
func (w *Workspace) destination(doc *Document, typ, status string) string {
	from, _ := w.CollectionOf(doc.Path)
	to := from
	if doc.Type != typ {
		if i := slices.IndexFunc(w.Collections, func(c Collection) bool { return c.Type == typ }); i >= 0 {
			to = w.Collections[i]
		}
	}
	done := frontmatter.Finished(status)
	unfinished := !done && slices.Contains(Statuses, status)
	archived := from.Archives(doc.Path)
	if to.Dir != from.Dir || done && !archived || unfinished && archived {
		return to.home(path.Base(doc.Path), done)
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
	if finished {
		return path.Join(c.Dir, archiveFolder, name)
	}
	return path.Join(c.Dir, name)
}

// Archives reports whether p lies in a folder for finished documents.
func (c Collection) Archives(p string) bool {
	rel, _ := below(c.Dir, path.Dir(p))
	return slices.ContainsFunc(strings.Split(rel, "/"), func(part string) bool { return slices.Contains(archiveFolders, part) })
}

// moveReplace moves a document and gives it new bytes, in the order that leaves
// one readable document wherever it stops: the new bytes are made durable first,
// then the old file moves, which fails if something is in the way, and at last
// the new bytes take its place. Stopped before the last step the document has
// its old bytes at the new path, and the same update can be made again.
func (m *Mutation) moveReplace(at place, from, to string, data []byte) error {
	dir, err := m.makeParent(to)
	if err != nil {
		return err
	}
	goal := place{entry: path.Join(dir, path.Base(to)), target: at.target}
	if !at.linked() {
		goal.target = goal.entry
	}
	temporary, err := m.stageFor(at, path.Dir(goal.target), from, data)
	if err != nil {
		return err
	}
	if err := m.checkUnchanged(from, at.target); err != nil {
		return err
	}
	if err := m.moveTo(at, goal.entry, from, to); err != nil {
		return err
	}
	if err := m.swap(temporary, goal.target, to); err != nil {
		return err
	}
	return m.settle(to, path.Dir(goal.target), dir, path.Dir(at.entry))
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
	text, err := m.disk.readlink(at.entry)
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
