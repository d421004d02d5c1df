package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// systemReasons are those that only this system has.
var systemReasons = []diskReason{
	{windows.ERROR_SHARING_VIOLATION, "another program has the file open: close it there, then try again"},
	{windows.ERROR_ACCESS_DENIED, "permission denied, or another program has the file open: " +
		"close it there, then try again"},
}

// IsHeld reports whether an error means that another program has a file open and shares it with
// nobody.
func IsHeld(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

// OpenShared opens a file or folder in a way that keeps no other program from anything. Access,
// create and flags are those of CreateFile.
func OpenShared(full string, access, create, flags uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(full)
	if err == nil {
		var h windows.Handle
		share := uint32(windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE)
		if h, err = windows.CreateFile(name, access, share, nil, create, flags, 0); err == nil {
			return h, nil
		}
	}
	return 0, &os.PathError{Op: "open", Path: full, Err: err}
}

// sharingWait is how long patiently tries: a virus scanner or a backup lets go of a file
// within milliseconds, an editor that holds one does not.
const sharingWait = time.Second

// patiently does something again while another program has the file open in a way that
// forbids it. passing are further errors that mean so.
func patiently(do func() error, passing ...error) error {
	passing = append(passing, windows.ERROR_SHARING_VIOLATION)
	end := time.Now().Add(sharingWait)
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		err := do()
		held := false
		for _, p := range passing {
			held = held || errors.Is(err, p)
		}
		if !held || time.Now().After(end) {
			return err
		}
		time.Sleep(pause)
	}
}

// renameNoReplace is one step, unlike a hard link and the removal of the old name: the
// second fails while another program has the file open, and so does taking back the first.
func renameNoReplace(fromDir *os.File, from string, toDir *os.File, to string) error {
	old, err := windows.UTF16PtrFromString(filepath.Join(fromDir.Name(), from))
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(filepath.Join(toDir.Name(), to))
	if err != nil {
		return err
	}
	return patiently(func() error { return windows.MoveFileEx(old, name, 0) }, fs.ErrPermission)
}
