package store

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"issues-index/store/cachedir"
)

// A Stat is what the file system says of a file, enough to notice that it
// changed. Times are nanoseconds since 1970. Ctime, Inode, Device and Links are
// 0 on systems that do not tell them, and for StatOf on Windows.
type Stat struct {
	Size, Mtime, Ctime int64
	Inode, Device      uint64
	Links              uint64
	// Symlink says that the path is a symbolic link; all else is its target's.
	Symlink bool
}

// Stat describes the regular file at p, following symbolic links that stay
// inside the workspace. Whatever is no regular file is fs.ErrNotExist.
func (w *Workspace) Stat(p string) (Stat, error) {
	clean, err := CleanPath(p)
	if err != nil {
		return Stat{}, err
	}
	dir, _, info, link, err := w.locate(clean)
	if err != nil {
		return Stat{}, err
	}
	closeQuietly(dir)
	st := StatAt(w.Root, clean, info)
	st.Symlink = link
	return st, nil
}

// locate finds the regular file at p: the directory that it is in, which has to be closed, its name
// there, and whether p is a symbolic link to it.
func (w *Workspace) locate(p string) (dir *os.Root, name string, info fs.FileInfo, link bool, err error) {
	if dir, err = w.openParent(p); err != nil {
		return nil, "", nil, false, err
	}
	name = path.Base(p)
	info, err = dir.Lstat(name)
	if IsHeld(err) { // os.Root opens a file to describe it
		info, err = os.Lstat(filepath.Join(dir.Name(), name))
	}
	if link = err == nil && info.Mode()&fs.ModeSymlink != 0; link {
		closeQuietly(dir)
		target, err := w.Resolve(p)
		if err != nil {
			return nil, "", nil, true, err
		}
		dir, name, info, _, err = w.locate(target)
		return dir, name, info, true, err
	}
	if err == nil && !info.Mode().IsRegular() {
		err = ErrIrregular
	}
	if err == nil && !w.isSpelled(p) {
		err = fs.ErrNotExist
	}
	if err != nil {
		closeQuietly(dir)
		return nil, "", nil, link, at("find", p, err)
	}
	return dir, name, info, link, nil
}

// openParent opens the directory that holds p, also through a symbolic link to an absolute path
// inside, which os.Root does not follow. The slash makes os.Root look
// before it opens: a FIFO in the directory's place would hold it for ever.
func (w *Workspace) openParent(p string) (*os.Root, error) {
	dir := path.Dir(p)
	parent, err := w.root.OpenRoot(dir + "/")
	if err != nil {
		target, rerr := w.Resolve(dir)
		if rerr != nil {
			return nil, rerr
		}
		parent, err = w.root.OpenRoot(target + "/")
	}
	if err != nil {
		return nil, at("open", p, err)
	}
	return parent, nil
}

// openDir opens a directory for listing it. It returns at once, whatever stands
// in the directory's place.
func (w *Workspace) openDir(dir string) (*os.File, error) {
	f, err := w.root.OpenFile(dir, os.O_RDONLY|cachedir.NoBlock, 0)
	if err != nil {
		target, rerr := w.Resolve(dir)
		if rerr != nil {
			return nil, rerr
		}
		f, err = w.root.OpenFile(target, os.O_RDONLY|cachedir.NoBlock, 0)
	}
	if err != nil {
		return nil, at("open", dir, err)
	}
	return f, nil
}

// follow describes what the symbolic link at p leads to.
func (w *Workspace) follow(p string) (fs.FileInfo, error) {
	target, err := w.Resolve(p)
	if err != nil {
		return nil, err
	}
	info, err := w.root.Stat(target)
	if err != nil {
		return nil, at("stat", p, err)
	}
	return info, nil
}

// Resolve returns p with its symbolic links resolved, relative to the root, and
// a *PathError when it leads out, or into a .git. What it finds is still opened through
// os.Root, so that a link changed meanwhile cannot lead out either.
func (w *Workspace) Resolve(p string) (string, error) {
	if inGit(p) {
		return "", &PathError{p, reasonGit}
	}
	if plain, err := w.plain(p); err != nil || plain {
		return path.Clean(p), err
	}
	real, err := cachedir.RealPath(w.Absolute(p))
	if errors.Is(err, syscall.ELOOP) {
		return "", &PathError{p, ReasonCircle}
	}
	if err != nil {
		return "", at("resolve", p, err)
	}
	rel, err := filepath.Rel(w.Root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", &PathError{p, ReasonOutside}
	}
	if rel = filepath.ToSlash(rel); inGit(rel) {
		return "", &PathError{p, reasonGit}
	}
	return rel, nil
}

// ReasonCircle refuses symbolic links that lead to themselves.
const ReasonCircle = "leads in a circle of symbolic links"

// reasonGit refuses what a stranger's link or configuration leads to: git's files would
// be edited as documents.
const reasonGit = "leads into git's own folder"

// inGit reports whether p, which is relative to the root, is a .git or lies in one.
func inGit(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}

// plain reports whether no part of p below the root is a symbolic link, as is
// nearly always so: then there is nothing to resolve.
func (w *Workspace) plain(p string) (bool, error) {
	if !filepath.IsLocal(filepath.FromSlash(p)) {
		return false, nil
	}
	full := w.Root
	for part := range strings.SplitSeq(path.Clean(p), "/") {
		full = filepath.Join(full, part)
		info, err := os.Lstat(full)
		if err != nil {
			return false, at("resolve", p, err)
		}
		if info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
			return false, nil
		}
	}
	return true, nil
}

// at says where err happened, by the path relative to the root.
func at(op, p string, err error) error {
	return &fs.PathError{Op: op, Path: p, Err: cause(err)}
}

// cause is err without the path it happened at, which may be an absolute one.
// A file in a directory's place, or a name that is too long for the system,
// means that what is asked for is not there.
func cause(err error) error {
	err = bare(err)
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
		return fs.ErrNotExist
	}
	return err
}

// closeQuietly closes what was only read, where an error has nothing to say.
func closeQuietly(c interface{ Close() error }) { _ = c.Close() }
