package store

import (
	"errors"
	"io/fs"
	"os"
	"path"

	"github.com/gofrs/flock"

	"issues-index/store/cachedir"
)

// A disk is the file system as mutations use it: each method is one operation,
// which may fail, or be the last that the process did. Paths are
// slash-separated and relative to the root, and no directory in them is a
// symbolic link (see place), but for read, which takes a document's path.
type disk interface {
	read(p string) ([]byte, Stat, error)
	Lstat(p string) (fs.FileInfo, error)
	Readlink(p string) (string, error)
	attributes(p string) (attributes, error) // fs.ErrPermission for a file that may not be written

	create(p string, perm fs.FileMode) (newFile, error) // p must not exist
	Symlink(target, p string) error                     // p must not exist
	Mkdir(p string, perm fs.FileMode) error
	rename(from, to string) error // in one directory, in place of what is at to
	move(from, to string) error   // fs.ErrExist when there is something at to
	remove(p string) error
	syncDir(dir string) error

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
	*os.Root
	w *Workspace
}

func (d rootDisk) read(p string) ([]byte, Stat, error) { return d.w.Read(p) }

func (d rootDisk) tryLock(p string) (unlock func() error, err error) {
	err = patiently(func() error {
		unlock, err = tryLock(d.w.Absolute(p))
		return err
	})
	return unlock, err
}

func (d rootDisk) rename(from, to string) error {
	return patiently(func() error { return d.Rename(from, to) }, fs.ErrPermission)
}

func (d rootDisk) remove(p string) error {
	return patiently(func() error { return d.Remove(p) }, fs.ErrPermission)
}

// attributes opens the file for writing, though nothing is written to it: a file
// that takes its place needs no right to it, and its owner may have kept it from us.
func (d rootDisk) attributes(p string) (attributes, error) {
	var f *os.File
	err := patiently(func() (err error) {
		f, err = d.OpenFile(p, os.O_RDWR|cachedir.NoBlock, 0)
		return err
	})
	if err != nil {
		return attributes{}, err
	}
	defer closeQuietly(f)
	return attributesOf(f)
}

func (d rootDisk) create(p string, perm fs.FileMode) (newFile, error) {
	f, err := d.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	return rootFile{f}, nil
}

// move renames without replacing. Where the system or the file system has no
// such operation, a hard link does it: a crash between its two steps leaves the
// file under both names. Where there are no hard links either, we look first,
// and only a program that makes the file in that instant would be overwritten.
func (d rootDisk) move(from, to string) error {
	fromDir, err := d.w.openDir(path.Dir(from))
	if err != nil {
		return err
	}
	defer closeQuietly(fromDir)
	toDir, err := d.w.openDir(path.Dir(to))
	if err != nil {
		return err
	}
	defer closeQuietly(toDir)
	err = renameNoReplace(fromDir, path.Base(from), toDir, path.Base(to))
	if errors.Is(err, errors.ErrUnsupported) {
		return d.moveByLink(from, to)
	}
	return err
}

func (d rootDisk) moveByLink(from, to string) error {
	err := d.Link(from, to)
	switch {
	case err == nil:
		return d.Remove(from)
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist):
		return err
	}
	if _, err := d.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fs.ErrExist)
	}
	return d.Rename(from, to)
}

func (d rootDisk) syncDir(dir string) error {
	f, err := d.w.openDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(syncDirectory(f), f.Close())
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
