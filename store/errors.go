package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// ErrLocked says that the workspace's write lock could not be had before the deadline of the
// context, or within 10 s (lockWait) when it has none.
var ErrLocked = errors.New("the workspace is locked by another writer")

// A ConflictError refuses a mutation since something else has the file's place,
// or took it.
type ConflictError struct {
	Path   string
	Reason string // completes "path X …", such as "exists already"
}

func (e *ConflictError) Error() string { return fmt.Sprintf("path %q %s", e.Path, e.Reason) }

// reasonTaken refuses a path that something has already.
const reasonTaken = "exists already"

// Taken reports whether another file has the place that the document would get, and
// will still have it the next time.
func (e *ConflictError) Taken() bool { return e.Reason == reasonTaken }

// A DiskError is what the file system answered to a step of a mutation. Unless
// it is Unsettled, nothing has changed.
type DiskError struct {
	Op   string // what was done: "write", "move", …
	Path string // slash-separated, relative to the root
	Err  error  // without paths; errors.Is tells fs.ErrPermission, syscall.ENOSPC, …
	// Unsettled says that the new state may be on disk all the same, wholly or
	// at a new path with the old bytes, and may not survive a crash of the
	// machine.
	Unsettled bool
}

func (e *DiskError) Error() string {
	s := fmt.Sprintf("%s %s: %s", e.Op, e.Path, e.Reason())
	if e.Unsettled {
		s += "; the change may be on disk all the same: read the document before trying again"
	}
	return s
}

func (e *DiskError) Unwrap() error { return e.Err }

// Reason says in plain words why, and what helps where that is known.
func (e *DiskError) Reason() string { return reasonOf(e.Err) }

func reasonOf(err error) string {
	for _, known := range slices.Concat(systemReasons, diskReasons) {
		if errors.Is(err, known.err) {
			return known.reason
		}
	}
	return err.Error()
}

type diskReason struct {
	err    error
	reason string
}

var diskReasons = []diskReason{
	{ErrIrregular, ErrIrregular.Error()},
	{syscall.ENOSPC, "no space is left on the disk"},
	{syscall.EDQUOT, "the disk quota is used up"},
	{syscall.EROFS, "the file system is read-only"},
	{syscall.EMFILE, "this process has too many files open"},
	{syscall.ENFILE, "the system has too many files open"},
	{syscall.EXDEV, "the two directories are on different file systems"},
	{syscall.ENOTDIR, "a file stands where a directory is needed"},
	{syscall.ENAMETOOLONG, "the name is too long"},
	{fs.ErrPermission, "permission denied"},
	{fs.ErrNotExist, "it does not exist"},
}

// WrapDiskError says which step failed, without the absolute paths that errors of
// package os may have.
func WrapDiskError(op, p string, err error) error {
	if err == nil {
		return nil
	}
	var refused *PathError
	if errors.As(err, &refused) {
		return err
	}
	return &DiskError{Op: op, Path: p, Err: bare(err)}
}

// unsettled is WrapDiskError after the point of no return.
func unsettled(op, p string, err error) error {
	return &DiskError{Op: op, Path: p, Err: bare(err), Unsettled: true}
}

// bare is err without the operation and the paths that package os put in front.
func bare(err error) error {
	var located *fs.PathError
	var linked *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &located):
		return bare(located.Err)
	case errors.As(err, &linked):
		return bare(linked.Err)
	case errors.As(err, &call):
		return bare(call.Err)
	}
	return err
}

// unkept reports whether err means that an attribute cannot be carried over:
// the file system has none such, or only an administrator may set it. The write
// is worth more than the attribute.
func unkept(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported)
}
