package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// errNoXattr says that a file does not have an extended attribute.
const errNoXattr = unix.ENOATTR

// renameNoReplace moves a name between open directories, and gives
// errors.ErrUnsupported where the file system cannot.
func renameNoReplace(fromDir *os.File, from string, toDir *os.File, to string) error {
	err := unix.RenameatxNp(int(fromDir.Fd()), from, int(toDir.Fd()), to, unix.RENAME_EXCL)
	if errors.Is(err, unix.EINVAL) {
		return errors.ErrUnsupported
	}
	return err
}

// StatOf is what info says of a file.
func StatOf(info fs.FileInfo) Stat {
	st := Stat{Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		st.Ctime = sys.Ctimespec.Nano()
		st.Inode = sys.Ino
		st.Device = uint64(sys.Dev)
		st.Links = uint64(sys.Nlink)
	}
	return st
}

// bornAt is when a file was made, nanoseconds since 1970.
func bornAt(_ *os.File, info fs.FileInfo) int64 {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return sys.Birthtimespec.Nano()
	}
	return 0
}
