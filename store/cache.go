package store

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"issues-index/store/cachedir"
)

// CacheDir is where a workspace keeps what can be deleted at any time, relative to
// the root. It ignores itself in git.
const CacheDir = ".wrangler/cache"

// OpenCache opens a folder for files of the program's own, and makes it where it is
// missing. Others get no more rights there than to the documents. A folder below the
// root is reached without a link that leads out of it, else it is a *PathError; any
// other is the user's choice.
func (w *Workspace) OpenCache(dir string) (*cachedir.Dir, error) {
	rel, below := w.relative(dir)
	if !below {
		return cachedir.Open(dir, w.rights())
	}
	return w.openBelow(filepath.ToSlash(rel))
}

func (w *Workspace) openBelow(dir string) (*cachedir.Dir, error) {
	real, err := w.ResolveNew(dir)
	if err != nil {
		return nil, err
	}
	return cachedir.OpenIn(w.root, w.Root, filepath.FromSlash(real), w.rights)
}

// OpenOwnCache opens CacheDir, as OpenCache does, and has git ignore it.
func (w *Workspace) OpenOwnCache() (*cachedir.Dir, error) {
	dir, err := w.openBelow(CacheDir)
	if err != nil {
		return nil, err
	}
	if err := dir.IgnoreInGit(); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// relative returns dir relative to the root, and whether it is named below it, by
// whatever path leads to the root.
func (w *Workspace) relative(dir string) (rel string, below bool) {
	top, ok := cachedir.Ancestor(dir, w.isRoot)
	if !ok {
		return "", false
	}
	rel, err := filepath.Rel(top, dir)
	return rel, err == nil
}

// rights are those that others have to all documents: what every folder on the way
// to a collection allows. In a mirror, whose collections come and go, they have none from the
// beginning.
func (w *Workspace) rights() fs.FileMode {
	if w.Mirror() {
		return 0
	}
	perm := fs.ModePerm
	for _, c := range w.Collections {
		for dir := c.Dir; ; dir = path.Dir(dir) {
			if info, err := w.root.Stat(filepath.FromSlash(dir)); err == nil && info.IsDir() {
				perm &= info.Mode().Perm()
			}
			if dir == "." {
				break
			}
		}
	}
	return perm
}

// HasDir reports whether there is a folder at p, which is relative to the root.
func (w *Workspace) HasDir(p string) bool {
	info, err := w.root.Stat(filepath.FromSlash(p))
	return err == nil && info.IsDir()
}

// LeadsOut reports whether p, which is relative to the root, is reached through a
// link out of the workspace.
func (w *Workspace) LeadsOut(p string) bool {
	_, err := w.ResolveNew(p)
	var outside *PathError
	return errors.As(err, &outside)
}
