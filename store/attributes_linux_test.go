package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// asUser does something with the rights that a user has to files.
func asUser(uid int, do func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unix.Setfsuid(uid)
	defer unix.Setfsuid(0)
	do()
}

// TestAFileThatAUserMayNotWriteStays: replacing a file asks for rights to its
// folder alone, but what a file's owner keeps from others is not theirs to change.
func TestAFileThatAUserMayNotWriteStays(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only an administrator can act as another user")
	}
	for mode, refused := range map[fs.FileMode]bool{0o644: true, 0o666: false} {
		w := clocked(t, map[string]string{aPath: openIssue})
		full := filepath.Join(w.Root, aPath)
		if err := os.Chmod(full, mode); err != nil {
			t.Fatal(err)
		}
		for dir := filepath.Dir(full); dir != filepath.Dir(filepath.Dir(w.Root)); dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range []Fields{{Project: new("P")}, {Status: new("closed")}} { // in place, and with a move
			var err error
			asUser(12345, func() { _, err = update(w, f) })
			var disk *DiskError
			if errors.As(err, &disk) != refused || refused && (!errors.Is(err, fs.ErrPermission) || disk.Op != "write" || disk.Unsettled) {
				t.Errorf("mode %o: %v", mode, err)
			}
			if refused && readFile(t, w, aPath) != openIssue {
				t.Errorf("mode %o: the file was changed", mode)
			}
		}
	}
}
