package store

import (
	"errors"
	"os"

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
