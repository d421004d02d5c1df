//go:build linux || darwin

package store

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

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
	case unix.S_IFIFO:
		mode = fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode = fs.ModeSocket
	default:
		mode = fs.ModeDevice
	}
	return statOfUnix(&sys), mode, nil
}

// A dirKey tells directories apart, whatever path they are reached by.
type dirKey struct{ device, inode uint64 }

func (w *Workspace) keyOf(_ string, info fs.FileInfo) dirKey {
	st := statOf(info)
	return dirKey{st.Device, st.Inode}
}
