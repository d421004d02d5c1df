//go:build !linux

package watch

import (
	"issues-index/store"
)

// Supported reports why the workspace's changes cannot all be watched.
func Supported(*store.Workspace) error { return ErrUnordered }
