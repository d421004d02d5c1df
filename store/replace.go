package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"issues-index/store/cachedir"
)

// A place is where a document lies once the symbolic links on the way to it are
// resolved. The two differ from the path that identifies it only where there
// are such links.
type place struct {
	entry  string // of the name itself, which may be a symbolic link
	target string // of the file with the bytes
}

func (p place) linked() bool { return p.entry != p.target }

// placeOf finds an existing document.
func (m *Mutation) placeOf(p string) (place, error) {
	dir, err := m.w.Resolve(path.Dir(p))
	if err != nil {
		return place{}, WrapDiskError("find", p, err)
	}
	at := place{entry: path.Join(dir, path.Base(p))}
	at.target = at.entry
	info, err := m.disk.Lstat(at.entry)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		at.target, err = m.w.Resolve(p)
	}
	return at, WrapDiskError("find", p, err)
}

// stage writes the bytes that a file is to have next to where it will be, and makes them durable
// where they must be. Without attributes the file gets those of any new one. It is removed again
// unless the mutation succeeds.
func (m *Mutation) stage(dir string, data []byte, like *attributes, isDurable bool) (temporary string, err error) {
	perm := fs.FileMode(0o666)
	if like != nil {
		perm = 0o600 // no other user reads it before its mode is known
	}
	temporary = path.Join(dir, cachedir.TemporaryName())
	f, err := m.disk.create(temporary, perm)
	if err != nil {
		return "", err
	}
	m.discard(temporary)
	_, err = f.Write(data)
	if err == nil && like != nil {
		err = like.giveTo(f)
	}
	if err == nil && isDurable {
		err = f.Sync()
	}
	return temporary, errors.Join(err, f.Close())
}

// put writes a small file whose loss is no harm: no reader sees a part of it, but a power failure
// may leave it empty.
func (m *Mutation) put(p, text string) error {
	temporary, err := m.stage(path.Dir(p), []byte(text), nil, false)
	if err != nil {
		return err
	}
	return m.disk.rename(temporary, p)
}

// giveTo carries the attributes over. Owner first: changing it takes rights
// away. Where the group cannot be kept, another one gets no more rights than
// everybody has.
func (a *attributes) giveTo(f newFile) error {
	mode := a.mode
	if a.uid >= 0 {
		err := f.Chown(a.uid, a.gid)
		if err != nil && unkept(err) {
			err = f.Chown(-1, a.gid) // as members of the group may
		}
		if err != nil {
			if !unkept(err) {
				return err
			}
			mode = mode&^(0o070|fs.ModeSetgid) | mode&0o007<<3
		}
	}
	if err := f.Chmod(mode); err != nil && !unkept(err) {
		return err
	}
	for _, x := range a.xattrs {
		if err := f.setXattr(x); err != nil && !unkept(err) {
			return err
		}
	}
	return nil
}

// write gives a loaded document its new bytes, moves it to the path to, or both, in the order that
// leaves one readable document wherever it stops: the new bytes are made durable first, then the
// old file moves, which fails if something is in the way, and at last the new bytes take its place.
// Stopped before the last step the document has its old bytes at the new path, and the same change
// can be made again. A file that only moves is left as it is.
//
// A symbolic link stays and its target is replaced. A hard link is broken on purpose: the other
// names keep the old bytes, since writing in place could be torn by a crash, and would reach files
// outside the workspace.
func (m *Mutation) write(was *loaded, to string, data []byte) error {
	from := was.Path
	at, err := m.placeOf(from)
	if err != nil {
		return err
	}
	goal, dirs := at, []string{}
	if to != from {
		dir, err := m.makeParent(to)
		if err != nil {
			return err
		}
		if goal.entry = path.Join(dir, path.Base(to)); !at.linked() {
			goal.target = goal.entry
		}
		dirs = append(dirs, dir, path.Dir(at.entry))
	}
	temporary := ""
	if !bytes.Equal(data, was.data) {
		if temporary, err = m.stageFor(at, path.Dir(goal.target), from, data); err == nil {
			err = m.checkUnchanged(was, at.target)
		}
		dirs = append([]string{path.Dir(goal.target)}, dirs...)
	}
	if err == nil && to != from {
		err = m.moveTo(at, goal.entry, from, to)
	}
	if err == nil && temporary != "" {
		err = m.swap(temporary, goal.target, to)
	}
	if err != nil {
		return err
	}
	m.done()
	return m.syncNames(to, dirs...)
}

// swap puts a staged file in place: the point of no return. A network file
// system may refuse what it did; then there is nothing to roll back either.
func (m *Mutation) swap(temporary, target, p string) error {
	err := m.disk.rename(temporary, target)
	if err == nil {
		m.done()
		return nil
	}
	if _, gone := m.disk.Lstat(temporary); errors.Is(gone, fs.ErrNotExist) {
		m.done()
		return unsettled("replace", p, err)
	}
	return WrapDiskError("replace", p, err)
}

// stageFor stages the next state of a document in dir.
func (m *Mutation) stageFor(at place, dir, p string, data []byte) (temporary string, err error) {
	var like *attributes
	now, err := m.disk.attributes(at.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err == nil && now.mode&0o222 == 0:
		err = fmt.Errorf("the file is write-protected: %w", fs.ErrPermission)
	default:
		like = &now
	}
	if err == nil {
		temporary, err = m.stage(dir, data, like, true)
	}
	return temporary, WrapDiskError("write", p, err)
}

// syncNames makes names durable, the new ones first.
func (m *Mutation) syncNames(p string, dirs ...string) error {
	for i, dir := range dirs {
		if slices.Contains(dirs[:i], dir) {
			continue
		}
		if err := m.disk.syncDir(dir); err != nil {
			return unsettled("save", p, err)
		}
	}
	return nil
}

// makeParent makes the directory that p shall lie in, and returns it resolved.
func (m *Mutation) makeParent(p string) (dir string, err error) {
	if dir, err = m.w.ResolveNew(path.Dir(p)); err == nil {
		err = m.w.checkListed(path.Dir(p), dir)
	}
	if err == nil {
		err = m.makeDir(dir)
	}
	return dir, WrapDiskError("make", path.Dir(p), err)
}

// checkListed refuses the directory dir of documents that no walk would find, since there is a
// link on the way from the collection to it. real is the directory resolved.
func (w *Workspace) checkListed(dir, real string) error {
	c, ok := w.collectionOfDir(dir)
	if !ok || real == dir {
		return nil
	}
	if other, twice := w.sharedFolder(c.Dir); twice {
		return &PathError{c.Dir, reasonSharedFolder(other)}
	}
	top, err := w.ResolveNew(c.Dir)
	if rel, _ := below(c.Dir, dir); err == nil && path.Join(top, rel) != real {
		err = &PathError{dir, reasonLinkedFolder}
	}
	return err
}

// makeDir makes a directory and those above it, durably. They are removed again
// when the mutation fails and they are empty.
func (m *Mutation) makeDir(dir string) error {
	_, err := m.disk.Lstat(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := path.Dir(dir)
	if err := m.makeDir(parent); err != nil {
		return err
	}
	err = m.disk.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrExist) { // made by another process in this instant
		return nil
	}
	if err != nil {
		return err
	}
	m.discard(dir)
	return m.disk.syncDir(parent)
}

// ResolveNew is Resolve for a directory that need not exist.
func (w *Workspace) ResolveNew(dir string) (string, error) {
	real, err := w.Resolve(dir)
	if !errors.Is(err, fs.ErrNotExist) || dir == "." {
		return real, err
	}
	parent, err := w.ResolveNew(path.Dir(dir))
	return path.Join(parent, path.Base(dir)), err
}

// replaceLink makes the symbolic link at p lead elsewhere.
func (m *Mutation) replaceLink(p, target string) error {
	temporary := path.Join(path.Dir(p), cachedir.TemporaryName())
	if err := m.disk.Symlink(filepath.FromSlash(target), temporary); err != nil {
		return err
	}
	m.discard(temporary)
	return m.disk.rename(temporary, p)
}
