package store

import (
	"errors"
	"os"

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
