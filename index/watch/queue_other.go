//go:build !linux && !windows

package watch

import (
	"errors"

	"issues-index/store"
)

var errUnordered = &UnprovenError{errors.New("this system reports changes in no known order")}

// Supported reports why the workspace's changes cannot all be watched.
func Supported(*store.Workspace) error { return errUnordered }

// A queue is what the system tells of changes; this one tells of none.
type queue struct{}

func newQueue(*store.Workspace) (*queue, error) { return nil, errUnordered }

func (*queue) add(string) (int32, error) { return 0, errUnordered }

func (*queue) remove(int32) {}

func (*queue) drain(bool, func(heard)) error { return errUnordered }

func (*queue) wait(func() bool) error { return errUnordered }

func (*queue) close() error { return nil }
