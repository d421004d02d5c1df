//go:build linux || darwin

package store

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func syncDirectory(f *os.File) error { return f.Sync() }

// attributesOf reads what a file that takes f's place must have too. Access
// control lists are among the extended attributes.
func attributesOf(f *os.File) (attributes, error) {
	info, err := f.Stat()
	if err != nil {
		return attributes{}, err
	}
	a := attributes{mode: info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky), uid: -1, gid: -1}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		a.uid, a.gid = int(sys.Uid), int(sys.Gid)
	}
	fd := int(f.Fd())
	list, err := xattrBytes(func(dest []byte) (int, error) { return unix.Flistxattr(fd, dest) })
	if err != nil {
		return a, err
	}
	for name := range strings.SplitSeq(string(list), "\x00") {
		if name == "" {
			continue
		}
		value, err := xattrBytes(func(dest []byte) (int, error) { return unix.Fgetxattr(fd, name, dest) })
		if err != nil {
			return a, err
		}
		a.xattrs = append(a.xattrs, xattr{name, value})
	}
	return a, nil
}

// xattrBytes asks for the size, then for the bytes. What cannot be read, since it is unsupported, not
// ours to see or gone, is empty.
func xattrBytes(get func(dest []byte) (int, error)) (value []byte, err error) {
	n, err := get(nil)
	if err == nil && n > 0 {
		value = make([]byte, n)
		n, err = get(value)
	}
	switch {
	case err == nil:
		return value[:n], nil
	case unkept(err), errors.Is(err, errNoXattr):
		return nil, nil
	}
	return nil, err
}

func (f rootFile) setXattr(x xattr) error {
	return unix.Fsetxattr(int(f.Fd()), x.name, x.value, 0)
}

// lstatAt describes a name in an open directory: one system call with a short
// path, where os.Root would open each directory on the way again.
func lstatAt(dir *os.File, name string) (Stat, fs.FileMode, error) {
	var sys unix.Stat_t
	for {
		err := unix.Fstatat(int(dir.Fd()), name, &sys, unix.AT_SYMLINK_NOFOLLOW)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return Stat{}, 0, &fs.PathError{Op: "stat", Path: name, Err: err}
		}
		break
	}
	var mode fs.FileMode
	switch sys.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode = fs.ModeDir
	case unix.S_IFLNK:
		mode = fs.ModeSymlink
	default: // a pipe or a socket, too
		mode = fs.ModeDevice
	}
	return Stat{
		Size: sys.Size, Mtime: sys.Mtim.Nano(), Ctime: sys.Ctim.Nano(),
		Inode: sys.Ino, Device: uint64(sys.Dev), Links: uint64(sys.Nlink), //nolint:unconvert // types differ between systems
	}, mode, nil
}
