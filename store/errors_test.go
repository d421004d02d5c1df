package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"issues-index/store/layout"
)

func TestWordsOfRefusals(t *testing.T) {
	for want, err := range map[string]error{
		`path "a.md" exists already`: &ConflictError{"a.md", "exists already"},
		`priority "urgent" is no priority; known are low, medium, high, critical`: &ValueError{Field: "priority", Value: "urgent", Reason: "is no priority", Allowed: layout.Default().Priorities},
		`title "" is empty`:                                            &ValueError{Field: "title", Reason: "is empty"},
		"write a.md: no space is left on the disk":                     WrapDiskError("write", "a.md", &fs.PathError{Op: "write", Path: "/home/x/a.md", Err: syscall.ENOSPC}),
		"move a.md: the two directories are on different file systems": WrapDiskError("move", "a.md", &os.LinkError{Op: "rename", Old: "/x", New: "/y", Err: syscall.EXDEV}),
		"write a.md: permission denied":                                WrapDiskError("write", "a.md", os.NewSyscallError("open", syscall.EACCES)),
		"write a.md: the file system is read-only":                     WrapDiskError("write", "a.md", fmt.Errorf("write: %w", syscall.EROFS)),
		"lock a.md: this process has too many files open":              WrapDiskError("lock", "a.md", syscall.EMFILE),
		"make a.md: a file stands where a directory is needed":         WrapDiskError("make", "a.md", syscall.ENOTDIR),
		"write a.md: strange":                                          WrapDiskError("write", "a.md", errors.New("strange")),
		"save a.md: the disk quota is used up; the change may be on disk all the same: read the document before trying again": unsettled("save", "a.md", syscall.EDQUOT),
	} {
		if err.Error() != want {
			t.Errorf("%s\nwant %s", err, want)
		}
	}
	if err := WrapDiskError("write", "a.md", nil); err != nil {
		t.Error(err)
	}
	var refused *PathError
	if err := WrapDiskError("write", "a.md", fmt.Errorf("x: %w", &PathError{"a.md", ReasonOutside})); !errors.As(err, &refused) {
		t.Error(err)
	}
}
