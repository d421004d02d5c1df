package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// errNoXattr says that a file does not have an extended attribute.
const errNoXattr = unix.ENODATA

// renameNoReplace moves a name between open directories, and gives
// errors.ErrUnsupported where the file system (NFS, for one) cannot.
func renameNoReplace(fromDir *os.File, from string, toDir *os.File, to string) error {
	err := unix.Renameat2(int(fromDir.Fd()), from, int(toDir.Fd()), to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) {
		return errors.ErrUnsupported
	}
	return err
}

// StatOf is what info says of a file.
func StatOf(info fs.FileInfo) Stat {
	st := Stat{Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		st.Ctime = sys.Ctim.Nano()
		st.Inode = sys.Ino
		st.Device = uint64(sys.Dev)  //nolint:unconvert // its type differs between architectures
		st.Links = uint64(sys.Nlink) //nolint:unconvert // likewise
	}
	return st
}

// bornAt is when a file was made, nanoseconds since 1970; 0 where the file system
// does not tell.
func bornAt(f *os.File, _ fs.FileInfo) int64 {
	var sys unix.Statx_t
	err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &sys)
	if err != nil || sys.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return sys.Btime.Sec*1e9 + int64(sys.Btime.Nsec)
}
