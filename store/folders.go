package store

import "path"

// Folders are the directories that a walk listed. Symbolic links give a directory
// several names; a walk lists its documents under one of them only.
type Folders struct {
	names   map[dirKey]string // by which each was listed
	several bool              // whether a directory may have another name, too
}

// add notes a directory that is about to be listed; ok is false when it has been,
// under another name.
func (f *Folders) add(d *directory) (ok bool) {
	if _, listed := f.names[d.key]; listed {
		f.several = true
		return false
	}
	f.names[d.key] = d.path
	return true
}

// ListedAs returns the path under which the walk listed, or would have listed, the
// document at p. It differs from p when the walk listed p's directory under another
// name. A directory that the walk has not met keeps its name.
func (w *Workspace) ListedAs(f Folders, p string) string {
	if !f.several {
		return p
	}
	dir := path.Dir(p)
	info, err := w.follow(dir)
	if err != nil {
		return p
	}
	name, listed := f.names[w.keyOf(dir, info)]
	if !listed || name == dir {
		return p
	}
	return path.Join(name, path.Base(p))
}
