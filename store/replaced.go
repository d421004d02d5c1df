package store

import (
	"errors"
	"os"
	"syscall"
)

// ErrReplaced says that another folder lies at the workspace's path than the one
// that is open.
var ErrReplaced = errors.New("the workspace's folder was replaced by another one")

// InPlace is nil while the workspace's path leads to the folder that is open. It is
// ErrReplaced when that was renamed, deleted or mounted over and another one is there
// now, and a *RootError when there is none.
func (w *Workspace) InPlace() error {
	info, err := os.Stat(w.path)
	switch {
	case err != nil:
		return rootError(w.path, err)
	case !info.IsDir():
		return &RootError{w.path, syscall.ENOTDIR}
	case !os.SameFile(info, w.opened):
		return ErrReplaced
	}
	return nil
}

// Reopen opens the folder that lies at the workspace's path now, with its own
// configuration of collections. Errors are Open's.
func (w *Workspace) Reopen() (*Workspace, error) {
	o := w.options
	o.Root = w.path
	return Open(o)
}
