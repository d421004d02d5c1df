package store

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/gofrs/flock"

	"issues-index/store/cachedir"
)

// A disk is the file system as mutations use it: each method is one operation,
// which may fail, or be the last that the process did. Paths are
// slash-separated and relative to the root, and no directory in them is a
// symbolic link (see place), but for read, which takes a document's path.
type disk interface {
	read(p string) ([]byte, Stat, error)
	lstat(p string) (fs.FileInfo, error)
	readlink(p string) (string, error)
	names(dir string) ([]string, error)
	attributes(p string) (attributes, error) // fs.ErrPermission for a file that may not be written

	create(p string, perm fs.FileMode) (newFile, error) // p must not exist
	overwrite(p string, data []byte) error              // p must be a file of that size
	symlink(target, p string) error                     // p must not exist
	mkdir(p string) error
	rename(from, to string) error // in one directory, in place of what is at to
	move(from, to string) error   // fs.ErrExist when there is something at to
	remove(p string) error
	syncDir(dir string) error

	// hold returns the disk for one mutation. It keeps directories open, so that each
	// operation need not open them again, until release is called.
	hold() (d disk, release func())

	// tryLock takes the lock on a file that exists. A nil unlock without an
	// error means that another process has it.
	tryLock(p string) (unlock func() error, err error)
}

// A newFile is a file that is being filled.
type newFile interface {
	Write(data []byte) (int, error)
	Chown(uid, gid int) error
	Chmod(mode fs.FileMode) error
	setXattr(x xattr) error
	Sync() error
	Close() error
}

// attributes are what a file has besides its bytes and its times.
type attributes struct {
	mode     fs.FileMode
	uid, gid int // -1 where files have no owners
	xattrs   []xattr
}

type xattr struct {
	name  string
	value []byte
}

// A rootDisk is the real disk, confined to the workspace.
type rootDisk struct {
	w    *Workspace
	dirs map[string]*os.Root // open directories by path, nil outside of a mutation
}

func (d rootDisk) hold() (disk, func()) {
	held := rootDisk{d.w, map[string]*os.Root{}}
	return held, func() {
		for _, dir := range held.dirs {
			closeQuietly(dir)
		}
	}
}

// in returns the directory of p and p's name in it: the workspace's root and p itself
// outside of a mutation. The slash has os.Root look before it opens.
func (d rootDisk) in(p string) (*os.Root, string, error) {
	parent := path.Dir(p)
	if d.dirs == nil || parent == "." {
		return d.w.root, p, nil
	}
	if dir := d.dirs[parent]; dir != nil {
		return dir, path.Base(p), nil
	}
	dir, err := d.w.root.OpenRoot(parent + "/")
	if err != nil {
		return nil, "", err
	}
	d.dirs[parent] = dir
	return dir, path.Base(p), nil
}

// forget closes the directory at p, which is about to go or to be another one.
func (d rootDisk) forget(p string) {
	if dir := d.dirs[p]; dir != nil {
		closeQuietly(dir)
		delete(d.dirs, p)
	}
}

func (d rootDisk) read(p string) ([]byte, Stat, error) { return d.w.Read(p) }

func (d rootDisk) lstat(p string) (fs.FileInfo, error) {
	dir, name, err := d.in(p)
	if err != nil {
		return nil, err
	}
	return dir.Lstat(name)
}

func (d rootDisk) readlink(p string) (string, error) { return d.w.root.Readlink(p) }
func (d rootDisk) symlink(target, p string) error    { return d.w.root.Symlink(target, p) }
func (d rootDisk) mkdir(p string) error              { return d.w.root.Mkdir(p, 0o777) }

// rename replaces a name by another of the same directory.
func (d rootDisk) rename(from, to string) error {
	dir, name, err := d.in(from)
	if err != nil {
		return err
	}
	if name != from {
		to = path.Base(to)
	}
	return patiently(func() error { return dir.Rename(name, to) }, fs.ErrPermission)
}

func (d rootDisk) remove(p string) error {
	d.forget(p)
	dir, name, err := d.in(p)
	if err != nil {
		return err
	}
	return patiently(func() error { return dir.Remove(name) }, fs.ErrPermission)
}

func (d rootDisk) names(dir string) (_ []string, err error) {
	f, err := d.openDir(dir)
	if err != nil {
		return nil, err
	}
	defer closeQuietly(f)
	return f.Readdirnames(-1)
}

// openFile opens the file at p without waiting for what stands in its place.
func (d rootDisk) openFile(p string, flag int, perm fs.FileMode) (*os.File, error) {
	dir, name, err := d.in(p)
	if err != nil {
		return nil, err
	}
	return dir.OpenFile(name, flag|cachedir.NoBlock, perm)
}

// openDir opens a directory as package os opens files that are polled: without
// NoBlock it asks the system twice as often.
func (d rootDisk) openDir(dir string) (*os.File, error) {
	return d.openFile(dir+"/.", os.O_RDONLY, 0)
}

// attributes opens the file for writing, though nothing is written to it: one that
// takes its place needs no right to it, and its owner may have kept it from us.
func (d rootDisk) attributes(p string) (attributes, error) {
	var f *os.File
	err := patiently(func() (err error) { f, err = d.openFile(p, os.O_RDWR, 0); return err })
	if err != nil {
		return attributes{}, err
	}
	defer closeQuietly(f)
	return attributesOf(f)
}

func (d rootDisk) create(p string, perm fs.FileMode) (newFile, error) {
	f, err := d.openFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	return rootFile{f}, nil
}

func (d rootDisk) overwrite(p string, data []byte) error {
	f, err := d.openFile(p, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	return errors.Join(err, f.Close())
}

// move renames without replacing. Where the system or the file system has no
// such operation, a hard link does it: a crash between its two steps leaves the
// file under both names. Where there are no hard links either, we look first,
// and only a program that makes the file in that instant would be overwritten.
func (d rootDisk) move(from, to string) error {
	err := d.moveAtOnce(from, to)
	if err == nil || !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return d.moveByLink(from, to)
}

func (d rootDisk) moveAtOnce(from, to string) error {
	fromDir, err := d.openDir(path.Dir(from))
	if err != nil {
		return err
	}
	defer closeQuietly(fromDir)
	toDir := fromDir
	if path.Dir(to) != path.Dir(from) {
		if toDir, err = d.openDir(path.Dir(to)); err != nil {
			return err
		}
		defer closeQuietly(toDir)
	}
	return renameNoReplace(fromDir, path.Base(from), toDir, path.Base(to))
}

func (d rootDisk) moveByLink(from, to string) error {
	err := d.w.root.Link(from, to)
	switch {
	case err == nil:
		return d.w.root.Remove(from)
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return err
	}
	if _, err := d.w.root.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fs.ErrExist)
	}
	return d.w.root.Rename(from, to)
}

func (d rootDisk) syncDir(dir string) error {
	f, err := d.openDir(dir)
	if err != nil {
		return err
	}
	err = syncDirectory(f)
	return errors.Join(err, f.Close())
}

func (d rootDisk) tryLock(p string) (func() error, error) {
	return tryLock(filepath.Join(d.w.Root, filepath.FromSlash(p)))
}

// tryLock checks that the file it locked is still the one at full: a person who
// deletes the cache folder leaves a lock that is no longer anyone's.
func tryLock(full string) (func() error, error) {
	// A link in the file's place is an error.
	lock := flock.New(full, flock.SetFlag(os.O_RDONLY|cachedir.NoBlock|cachedir.NoFollow))
	ok, err := lock.TryLock()
	if err != nil || !ok {
		return nil, err
	}
	held, err := lock.Stat()
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	if there, err := os.Lstat(full); err != nil || !os.SameFile(held, there) {
		return nil, lock.Close()
	}
	return lock.Close, nil
}

// A rootFile is a file on the real disk.
type rootFile struct{ *os.File }
